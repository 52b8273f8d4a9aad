use std::os::unix::fs::symlink;

use super::*;
use crate::context::testing::World;

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nThe body of {name}.\n")
}

fn listed(sources: &Sources) -> Vec<String> {
    let catalogue = Skills::discover(sources).catalogue();
    let skills = catalogue.skills.iter();
    skills
        .map(|(name, text)| format!("{name}: {text}"))
        .collect()
}

#[test]
fn the_first_root_with_a_name_wins() {
    let world = World::new();
    let configured = world.person.join("configured");
    let mut roots: Vec<PathBuf> = IN_WORKSPACE.iter().map(PathBuf::from).collect();
    roots.extend([
        world.person.join(".agents/skills"),
        world.person.join(".claude/skills"),
        world.home.join("skills"),
        world.person.join(".deepseek/skills"),
        configured.clone(),
        world.home.join("plugins/a/skills"),
        world.home.join("plugins/b/skills"),
    ]);
    let sources = Sources {
        skills: Some(configured),
        ..world.sources()
    };
    for (index, root) in roots.iter().enumerate().rev() {
        world.write(
            root.join("one/SKILL.md"),
            skill("deploy", &format!("from {index}")),
        );
        assert_eq!(listed(&sources), [format!("deploy: from {index}")]);
    }
}

#[test]
fn skills_of_a_workspace_count_only_when_it_is_trusted() {
    let world = World::new();
    world.write(".claude/skills/a/SKILL.md", skill("theirs", "x"));
    world.write(world.home.join("skills/b/SKILL.md"), skill("mine", "y"));
    assert_eq!(listed(&world.sources()), ["theirs: x", "mine: y"]);
    let untrusted = Sources {
        trusted: false,
        ..world.sources()
    };
    assert_eq!(listed(&untrusted), ["mine: y"]);
    let lost = Skills::discover(&untrusted).load("theirs");
    assert_eq!(
        lost,
        Err(LibraryError::NoSkill {
            name: "theirs".into()
        })
    );
}

#[test]
fn a_link_out_of_a_workspace_is_no_skill_of_it_and_a_persons_own_links_are() {
    let world = World::new();
    let elsewhere = world.person.join("elsewhere");
    world.write(elsewhere.join("SKILL.md"), skill("linked", "x"));
    world.write("skills/.hidden/SKILL.md", skill("hidden", "x"));
    symlink(&elsewhere, world.workspace.join("skills/linked")).unwrap();
    let skills = Skills::discover(&world.sources());
    assert!(skills.found.is_empty());
    assert!(skills.problems[0].to_string().contains("leads out of"));
    fs::create_dir(world.home.join("skills")).unwrap();
    symlink(&elsewhere, world.home.join("skills/linked")).unwrap();
    assert_eq!(listed(&world.sources()), ["linked: x"]);
}

#[test]
fn broken_skills_are_listed_with_a_reason_and_do_not_stop_the_others() {
    let world = World::new();
    world.write("skills/a/SKILL.md", "---\nname: a\n");
    world.write("skills/b/SKILL.md", b"---\nname: \xff\n---\n");
    world.write("skills/c/SKILL.md", "x".repeat(SKILL_BYTES_MAX + 1));
    world.write("skills/d/SKILL.md", skill(&"n".repeat(65), "x"));
    world.write("skills/e/README.md", "no skill, and nobody says so");
    world.write("skills/f", "a file");
    world.write("skills/g/SKILL.md", skill("good", "x"));
    let skills = Skills::discover(&world.sources());
    let reasons: Vec<&str> = skills
        .problems
        .iter()
        .map(|problem| &*problem.why)
        .collect();
    for (reason, why) in reasons
        .iter()
        .zip(["not end", "not text", "longer than", "64 char"])
    {
        assert!(reason.contains(why), "{reason}");
    }
    assert_eq!((reasons.len(), skills.found.len()), (4, 1));
    let error = skills.load("a").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the skill \"a\" cannot be used: its front matter")
    );
}

#[test]
fn a_skill_is_loaded_by_its_name_or_another_one_with_what_lies_beside_it() {
    let world = World::new();
    let text = "---\nname: deploy\naliases-for: ship\ninvocation: explicit-only\n---\n\nPush.\n";
    world.write("skills/x/SKILL.md", text);
    world.write("skills/x/scripts/run.sh", "");
    world.write("skills/x/a.md", "");
    world.write("skills/x/.secret", "");
    symlink("/etc/passwd", world.workspace.join("skills/x/link")).unwrap();
    let skills = Skills::discover(&world.sources());
    // Nobody tells a model about it, and a person can.
    assert_eq!(
        (skills.index(), skills.catalogue().skills.len()),
        (String::new(), 0)
    );
    for name in ["deploy", "ship"] {
        let skill = skills.load(name).unwrap();
        assert_eq!(
            (skill.name.as_str(), skill.body.as_str()),
            ("deploy", "Push.")
        );
        assert_eq!(skill.files, ["a.md", "scripts/run.sh"]);
        assert!(!skill.more_files);
    }
    assert!(skills.load("Deploy").is_err());
}

#[test]
fn many_files_beside_a_skill_are_cut() {
    let world = World::new();
    world.write("skills/x/SKILL.md", skill("deploy", "x"));
    for number in 0..60 {
        world.write(format!("skills/x/{number:02}"), "");
    }
    let skill = Skills::discover(&world.sources()).load("deploy").unwrap();
    assert_eq!(
        (skill.files.len(), skill.more_files),
        (SKILL_FILES_MAX, true)
    );
    assert_eq!(
        (skill.files[0].as_str(), skill.files[49].as_str()),
        ("00", "49")
    );
}

#[test]
fn the_index_stays_within_its_bounds_and_is_the_same_each_time() {
    let world = World::new();
    for number in 0..30 {
        let text = skill(&format!("skill-{number:02}"), &"é ".repeat(300));
        world.write(format!("skills/{number:02}/SKILL.md"), text);
    }
    let index = Skills::discover(&world.sources()).index();
    assert!(index.chars().count() <= SKILL_INDEX_CHARS_MAX, "{index}");
    let lines: Vec<&str> = index
        .lines()
        .filter(|line| line.starts_with("- "))
        .collect();
    assert!(lines.len() >= 7, "{index}");
    for line in &lines {
        let (_, description) = line.split_once(": ").unwrap();
        assert!(description.chars().count() <= SKILL_DESCRIPTION_CHARS_MAX);
    }
    let rest = format!(
        "[{} more; load_skill without a name lists them]",
        30 - lines.len()
    );
    assert!(index.ends_with(&rest), "{index}");
    assert_eq!(Skills::discover(&world.sources()).index(), index);
}

#[test]
fn a_description_cannot_bring_lines_of_its_own() {
    let world = World::new();
    let text = "---\nname: a\ndescription: |\n  one\n  # Two\n---\n";
    world.write("skills/a/SKILL.md", text);
    assert!(
        Skills::discover(&world.sources())
            .index()
            .ends_with("\n- a: one # Two")
    );
}

#[test]
fn a_directory_that_is_too_full_is_named_and_not_half_read() {
    let world = World::new();
    for number in 0..=ENTRIES_MAX {
        world.write(
            format!("skills/{number}/SKILL.md"),
            skill(&number.to_string(), "x"),
        );
    }
    let skills = Skills::discover(&world.sources());
    assert_eq!((skills.found.len(), skills.problems.len()), (0, 1));
}
