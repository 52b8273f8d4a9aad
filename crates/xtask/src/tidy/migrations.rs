//! Every migration is numbered without a gap, and listed once, in order. One that is forgotten in
//! the list would never run, and nothing else would say so.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::names::is_number;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in tree.paths().filter(|path| path.ends_with(".sql")) {
        if let Some((folder, name)) = path.rsplit_once('/') {
            folders.entry(folder).or_default().push(name);
        }
    }
    folders
        .into_iter()
        .filter_map(|(folder, names)| Some((folder, names, list_for(folder)?)))
        .flat_map(|(folder, names, list)| match tree.text(&list) {
            Some(text) => check_folder(folder, &names, &list, text),
            None => vec![Finding::failure(
                list,
                format!("should list the files of {folder}"),
            )],
        })
        .collect()
}

/// The file that lists the migrations of this folder, if they are migrations.
fn list_for(folder: &str) -> Option<String> {
    let (krate, _) = folder.split_once("/migrations")?;
    Some(format!("{krate}/src/migrate.rs"))
}

/// `names` are sorted.
fn check_folder(folder: &str, names: &[&str], list: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut last = None;
    for (index, name) in names.iter().enumerate() {
        let path = format!("{folder}/{name}");
        if number(name) != Some(index + 1) {
            let expected = format!("the next migration is called {:04}_name.sql", index + 1);
            findings.push(Finding::failure(&path, expected));
        }
        let below_crate = path.split_once("/migrations").map_or("", |(_, rest)| rest);
        let mentions: Vec<usize> = text
            .match_indices(&format!("migrations{below_crate}\""))
            .map(|(at, _)| at)
            .collect();
        match mentions[..] {
            [at] if last < Some(at) => last = Some(at),
            [_] => findings.push(Finding::failure(&path, format!("out of order in {list}"))),
            [] => findings.push(Finding::failure(&path, format!("not listed in {list}"))),
            _ => findings.push(Finding::failure(
                &path,
                format!("listed more than once in {list}"),
            )),
        }
    }
    findings
}

fn number(name: &str) -> Option<usize> {
    let (number, _) = name.split_once('_')?;
    is_number(number).then(|| number.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::shown;

    fn checked(names: &[&str], listed: &[&str]) -> Vec<String> {
        let list: String = listed
            .iter()
            .map(|name| format!("include_str!(\"../migrations/{name}\"),\n"))
            .collect();
        shown(&check_folder(
            "crates/store/migrations",
            names,
            "migrate.rs",
            &list,
        ))
    }

    #[test]
    fn migrations_in_order_are_fine() {
        let names = ["0001_spine.sql", "0002_rooms.sql"];
        assert!(checked(&names, &names).is_empty());
    }

    #[test]
    fn forgotten_doubled_misplaced_and_misnumbered_ones_are_found() {
        assert_eq!(
            checked(
                &["0001_a.sql", "0002_b.sql", "0003_c.sql", "0005_d.sql"],
                &["0001_a.sql", "0001_a.sql", "0005_d.sql", "0003_c.sql"],
            ),
            [
                "crates/store/migrations/0001_a.sql: listed more than once in migrate.rs",
                "crates/store/migrations/0002_b.sql: not listed in migrate.rs",
                "crates/store/migrations/0005_d.sql: the next migration is called 0004_name.sql",
                "crates/store/migrations/0005_d.sql: out of order in migrate.rs",
            ]
        );
    }

    #[test]
    fn the_list_stands_in_the_crate_of_the_migrations() {
        let tree = Tree::from([
            ("crates/a/migrations/0001_x.sql", ""),
            ("crates/b/migrations/lite/0001_y.sql", ""),
            (
                "crates/b/src/migrate.rs",
                "include_str!(\"../migrations/lite/0001_y.sql\")",
            ),
            ("docs/example.sql", ""),
        ]);
        assert_eq!(
            shown(&check(&tree)),
            ["crates/a/src/migrate.rs: should list the files of crates/a/migrations"]
        );
    }
}
