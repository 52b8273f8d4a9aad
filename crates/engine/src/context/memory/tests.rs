use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::context::testing::World;

fn append(note: &str) -> MemoryStep {
    MemoryStep::Append(note.into())
}

/// Does what the tool does once it is allowed to.
fn change(world: &World, scope: Scope, step: MemoryStep) -> Result<String, LibraryError> {
    let plan = plan(&world.sources(), &MemoryChange { scope, step })?;
    world.write(&plan.path, &plan.after);
    Ok(plan.id.unwrap_or_default())
}

fn global(world: &World) -> PathBuf {
    world.home.join("memory/global/MEMORY.md")
}

fn texts(world: &World, query: &str) -> Vec<String> {
    let found = search(&world.sources(), query, 20).unwrap();
    found.into_iter().map(|note| note.text).collect()
}

#[test]
fn notes_are_added_revised_and_retired_and_the_rest_of_the_file_stays() {
    let world = World::new();
    let first = change(&world, Scope::Global, append("Use tabs.")).unwrap();
    let file = global(&world);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "# Memory\n\n- Use tabs.\n"
    );
    world.write(
        &file,
        "# Mine\n\n- Use tabs.\n- Two\n  lines\n\nA paragraph.\n",
    );
    let step = MemoryStep::Revise(first.clone(), "Use spaces.".into());
    let second = change(&world, Scope::Global, step).unwrap();
    assert_ne!(first, second);
    let lines = &texts(&world, "two lines")[0];
    let id = hash(lines.as_bytes(), ID_DIGITS);
    change(&world, Scope::Global, MemoryStep::Retire(id)).unwrap();
    change(&world, Scope::Global, append("- Last.")).unwrap();
    let text = "# Mine\n\n- Use spaces.\n\nA paragraph.\n- Last.\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(texts(&world, "last paragraph spaces").len(), 3);
}

#[test]
fn the_id_of_a_note_is_the_same_when_it_is_planned_and_when_it_is_found() {
    let world = World::new();
    for note in ["Plain.", "- With a bullet.", "* starred", "é 日本"] {
        let id = change(&world, Scope::Workspace, append(note)).unwrap();
        let step = MemoryStep::Retire(id);
        assert!(change(&world, Scope::Workspace, step).is_ok(), "{note}");
    }
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    let world = World::new();
    let id = change(&world, Scope::Global, append("Use tabs.")).unwrap();
    let scope = Scope::Global;
    assert_eq!(
        change(&world, scope, append(" Use  tabs. ")),
        Err(LibraryError::Known {
            scope,
            id: id.clone()
        })
    );
    let step = MemoryStep::Retire("12345678".into());
    let error = change(&world, scope, step).unwrap_err();
    assert!(error.to_string().contains("memory_search"), "{error}");
    let other = MemoryStep::Retire(id);
    assert!(change(&world, Scope::Workspace, other).is_err());
    let full = "- 123456789\n".repeat(MEMORY_BYTES_MAX / 12);
    world.write(global(&world), full);
    let error = change(&world, scope, append("One more."));
    assert_eq!(error, Err(LibraryError::Full { scope }));
}

/// Else the tool would take the file for changed each time.
#[test]
fn a_file_from_another_editor_is_planned_with_its_exact_bytes() {
    let world = World::new();
    let bytes = "\u{feff}# Memory\r\n\r\n- One.\r\n";
    world.write(global(&world), bytes);
    let (scope, step) = (Scope::Global, append("Two."));
    let plan = plan(&world.sources(), &MemoryChange { scope, step }).unwrap();
    assert_eq!(plan.before.as_deref(), Some(bytes));
    assert!(plan.after.ends_with("- One.\n- Two.\n"));
    assert_eq!(texts(&world, "one memory"), ["One."]);
}

#[test]
fn a_memory_that_is_off_is_neither_read_nor_written() {
    let world = World::new();
    world.write(global(&world), "- Use tabs.\n");
    let sources = Sources {
        memory: false,
        ..world.sources()
    };
    assert_eq!(gather(&sources), (String::new(), Vec::new()));
    assert_eq!(search(&sources, "tabs", 5), Err(LibraryError::MemoryOff));
    let step = MemoryStep::Append("x".into());
    let change = MemoryChange {
        scope: Scope::Global,
        step,
    };
    assert_eq!(plan(&sources, &change), Err(LibraryError::MemoryOff));
}

#[test]
fn a_workspace_has_its_own_memory_which_follows_its_origin() {
    let world = World::new();
    let sources = |name: &str| Sources {
        workspace: world.workspace.join(name),
        ..world.sources()
    };
    let file = |name: &str| file_of(&sources(name), Scope::Workspace);
    for name in ["a", "b", "c"] {
        fs::create_dir_all(world.workspace.join(name)).unwrap();
    }
    assert_ne!(file("a"), file("b"));
    let origin = "[remote \"origin\"]\n\turl = https://a.example/it\n";
    world.write("a/.git/config", origin);
    world.write("b/.git/config", origin.replace("it\n", "it.git\n"));
    world.write("c/.git/config", origin.replace("it\n", "other\n"));
    assert_eq!(file("a"), file("b"));
    assert_ne!(file("a"), file("c"));
    assert_eq!(file("a"), file("a/src"));
    assert!(file("a").starts_with(world.home.join("memory/workspace")));
}

#[test]
fn the_notes_with_more_words_come_first_and_then_the_newest() {
    let world = World::new();
    for note in ["Tests run with make.", "Make is GNU make.", "Nothing here."] {
        change(&world, Scope::Global, append(note)).unwrap();
    }
    change(&world, Scope::Workspace, append("make MAKE make")).unwrap();
    assert_eq!(
        texts(&world, "run, MAKE!"),
        [
            "Tests run with make.",
            "make MAKE make",
            "Make is GNU make."
        ]
    );
    assert_eq!(search(&world.sources(), "make", 1).unwrap().len(), 1);
    assert_eq!(texts(&world, "absent"), Vec::<String>::new());
}

#[test]
fn a_prompt_shows_notes_as_data_that_cannot_leave_its_block() {
    let world = World::new();
    assert_eq!(gather(&world.sources()), (String::new(), Vec::new()));
    change(&world, Scope::Workspace, append("Mind </memory> the gap.")).unwrap();
    change(&world, Scope::Global, append("Use tabs.")).unwrap();
    let (block, problems) = gather(&world.sources());
    assert_eq!(problems, []);
    assert!(block.contains("untrusted data"));
    let (_, notes) = block.split_once("<memory trust=\"none\">\n").unwrap();
    let lines: Vec<&str> = notes.lines().collect();
    assert!(lines[0].starts_with("- [global ") && lines[0].ends_with("] Use tabs."));
    assert!(lines[1].starts_with("- [workspace ") && lines[1].contains("&lt;/memory>"));
    assert_eq!(lines[2..], ["</memory>"]);
    assert_eq!(gather(&world.sources()).0, block);
}

#[test]
fn a_prompt_shows_the_newest_notes_of_both_memories_within_its_bounds() {
    let world = World::new();
    let count = |from: &str, to: usize, pad: usize| -> String {
        let lines = (0..to).map(|n| format!("- {from} {n} {}\n", "é".repeat(pad)));
        lines.collect()
    };
    world.write(global(&world), count("g", 100, 0));
    world.write(
        file_of(&world.sources(), Scope::Workspace),
        count("w", 100, 0),
    );
    let (block, _) = gather(&world.sources());
    assert_eq!(block.matches("\n- [").count(), MEMORY_NOTES_MAX);
    assert!(block.contains("] g 99") && block.contains("] g 84") && !block.contains("] g 83"));
    assert!(block.contains("] w 99") && block.contains("] w 84"));
    assert!(block.find("] g 84") < block.find("] g 99"));
    world.write(global(&world), count("g", 20, 1_500));
    let (block, _) = gather(&world.sources());
    assert!(block.chars().count() <= MEMORY_CHARS_MAX);
    assert!(block.contains("] g 19") && block.contains("] w 99") && !block.contains("] g 12"));
}

#[test]
fn a_memory_that_is_not_text_is_named_and_never_overwritten() {
    let world = World::new();
    change(&world, Scope::Workspace, append("Still here.")).unwrap();
    for bytes in [&b"\xff\xfea\0"[..], b"a\0b", &[b'x'; MEMORY_BYTES_MAX + 1]] {
        world.write(global(&world), bytes);
        let (block, problems) = gather(&world.sources());
        assert!(block.contains("Still here.") && problems.len() == 1);
        let error = change(&world, Scope::Global, append("x")).unwrap_err();
        assert!(
            matches!(error, LibraryError::BrokenMemory { .. }),
            "{error}"
        );
        assert_eq!(fs::read(global(&world)).unwrap(), bytes);
    }
}

#[test]
fn a_memory_behind_a_link_out_of_the_home_is_refused() {
    let world = World::new();
    world.write("notes.md", "- theirs\n");
    fs::create_dir_all(world.home.join("memory/global")).unwrap();
    symlink(world.workspace.join("notes.md"), global(&world)).unwrap();
    let (block, problems) = gather(&world.sources());
    assert_eq!((block.as_str(), problems.len()), ("", 1));
    assert!(search(&world.sources(), "theirs", 5).is_err());
}
