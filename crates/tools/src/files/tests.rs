use super::*;
use crate::testing::Bench;

fn change(bench: &Bench, path: &str, after: Option<&str>) -> FileChange {
    let place = Place::find(&bench.roots(), path).unwrap();
    let before = present(&place)
        .unwrap()
        .map(|(_, bytes)| sha256_hex(&bytes));
    let after = after.map(|text| Content(text.into()));
    FileChange {
        place,
        before,
        after,
        mode: None,
    }
}

fn names(bench: &Bench) -> Vec<String> {
    let entries = fs::read_dir(&bench.workspace).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[test]
fn all_changes_are_made() {
    let bench = Bench::new();
    bench.write("old", "1");
    bench.write("gone", "2");
    let changes = [
        change(&bench, "old", Some("one")),
        change(&bench, "gone", None),
        change(&bench, "deep/new", Some("three")),
    ];
    commit(&changes).unwrap();
    assert_eq!(
        (bench.read("old"), bench.read("deep/new")),
        ("one".into(), "three".into())
    );
    assert_eq!(names(&bench), ["deep", "old"]);
}

#[test]
fn one_that_fails_while_staging_leaves_everything_as_it_was() {
    let bench = Bench::new();
    bench.write("a", "1");
    let inside_a_file = FileChange {
        place: Place {
            path: bench.workspace.join("a/b"),
            shown: "a/b".into(),
            inside: true,
        },
        before: None,
        after: Some(Content("x".into())),
        mode: None,
    };
    let mut made = Made::default();
    let staged = Step::stage(&inside_a_file, None, true, &mut made);
    assert!(staged.is_err());
    let changes = [change(&bench, "a", Some("2")), inside_a_file];
    assert!(!commit(&changes).unwrap_err().success);
    assert_eq!(bench.read("a"), "1");
    assert_eq!(names(&bench), ["a"]);
}

#[test]
fn one_that_fails_late_takes_the_others_back() {
    let bench = Bench::new();
    bench.write("a", "1");
    bench.write("gone", "2");
    let inode = fs::metadata(bench.workspace.join("a")).unwrap().ino();
    let changes = [
        change(&bench, "a", Some("one")),
        change(&bench, "gone", None),
        change(&bench, "new/deep/b", Some("b")),
        change(&bench, "last", Some("ours")),
    ];
    let mut made = Made::default();
    let mut steps = Vec::new();
    for change in &changes {
        let old = present_as_before(change).unwrap();
        steps.push(Step::stage(change, old, true, &mut made).unwrap());
    }
    // Somebody else is faster.
    bench.write("last", "theirs");
    let mut failure = None;
    for (change, step) in changes.iter().zip(steps) {
        match step.take(&change.place.path) {
            Ok(done) => made.steps.push(done),
            Err(error) => failure = Some(made.undo(change, &error)),
        }
    }
    let text = failure.unwrap().text;
    assert!(text.starts_with("could not write `last`") && text.ends_with("Nothing changed"));
    assert_eq!(names(&bench), ["a", "gone", "last"]);
    assert_eq!(
        (bench.read("a"), bench.read("last")),
        ("1".into(), "theirs".into())
    );
    assert_eq!(
        fs::metadata(bench.workspace.join("a")).unwrap().ino(),
        inode
    );
}

#[test]
fn one_file_that_changed_meanwhile_stops_all() {
    let bench = Bench::new();
    bench.write("a", "1");
    bench.write("b", "1");
    let changes = [
        change(&bench, "a", Some("2")),
        change(&bench, "b", Some("2")),
    ];
    bench.write("b", "theirs");
    let text = commit(&changes).unwrap_err().text;
    assert!(
        text.contains("`b` changed since this call was prepared"),
        "{text}"
    );
    assert_eq!(bench.read("a"), "1");
}
