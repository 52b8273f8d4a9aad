use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use serde_json::Value;

use codewhale_policy::Demand;

use super::*;
use crate::limits::NEAR_NAMES_MAX;
use crate::testing::Bench;

async fn check(bench: &Bench, input: Value, text: &str) {
    let output = bench.call("read_file", input).await;
    let (said, _) = parted(&output.text);
    assert_eq!((output.success, said), (true, text));
}

/// What was said before the line about the version of the file, and the hash in that line.
fn parted(text: &str) -> (&str, Option<&str>) {
    let Some((said, version)) = text.rsplit_once("[sha256 ") else {
        return (text, None);
    };
    let version = version.strip_suffix(']').unwrap();
    let (hash, said) = match version.strip_suffix("; no newline at the end") {
        Some(hash) => (hash, said.strip_suffix('\n').unwrap()),
        None => (version, said),
    };
    // Other lines in brackets have no end of their own.
    let said = said.strip_suffix("]\n").map_or(said, |_| said.trim_end());
    (said, Some(hash))
}

async fn failure(bench: &Bench, input: Value) -> String {
    let output = bench.call("read_file", input).await;
    assert!(!output.success, "{}", output.text);
    output.text
}

#[tokio::test]
async fn a_file_comes_back_as_it_is() {
    let bench = Bench::new();
    for content in [
        "one\ntwo\n",
        "no newline",
        "crlf\r\nkept\r\n",
        "\u{feff}grüße 日本 🐳\n",
        "\n",
    ] {
        bench.write("a.txt", content);
        check(&bench, json!({"path": "a.txt"}), content).await;
    }
    bench.write("grüße/日本.txt", "x");
    check(&bench, json!({"path": "grüße/日本.txt"}), "x").await;
    let absolute = bench.workspace.join("a.txt");
    check(&bench, json!({"path": absolute}), "\n").await;
}

#[tokio::test]
async fn an_empty_file_says_so() {
    let bench = Bench::new();
    bench.write("a.txt", "");
    check(&bench, json!({"path": "a.txt"}), "[`a.txt` is empty]").await;
}

#[tokio::test]
async fn a_range_of_lines_says_how_to_read_on() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n2\n3\n4\n5");
    let cut = "2\n3\n[lines 2 to 3 of `a.txt`, which goes on; read on with start_line 4]";
    check(
        &bench,
        json!({"path": "a.txt", "start_line": 2, "max_lines": 2}),
        cut,
    )
    .await;
    check(
        &bench,
        json!({"path": "a.txt", "offset": 2, "limit": 2}),
        cut,
    )
    .await;
    check(&bench, json!({"path": "a.txt", "start_line": 4}), "4\n5").await;
    check(
        &bench,
        json!({"path": "a.txt", "start_line": 5, "max_lines": 9}),
        "5",
    )
    .await;
    check(
        &bench,
        json!({"path": "a.txt", "start_line": 4, "max_lines": 2}),
        "4\n5",
    )
    .await;
}

#[tokio::test]
async fn a_start_behind_the_end_says_where_the_end_is() {
    let bench = Bench::new();
    for (content, start_line, lines) in [
        ("1\n2\n", 3, "2 lines"),
        ("1\n2", 3, "2 lines"),
        ("1\n2", 30, "2 lines"),
        ("1", 2, "1 line"),
        ("", 2, "0 lines"),
    ] {
        bench.write("a.txt", content);
        let text = failure(&bench, json!({"path": "a.txt", "start_line": start_line})).await;
        let expected = format!("`a.txt` has {lines}; start_line {start_line} is behind its end");
        assert_eq!(text, expected);
    }
}

#[tokio::test]
async fn a_large_file_is_read_piece_by_piece_without_loss() {
    let bench = Bench::new();
    let content: String = (1..=30_000)
        .map(|number| format!("line {number} é\n"))
        .collect();
    bench.write("big.txt", &content);
    let (mut whole, mut start_line) = (String::new(), 1);
    loop {
        let output = bench.call(
            "read_file",
            json!({"path": "big.txt", "start_line": start_line}),
        );
        let output = output.await;
        assert!(output.success && output.text.len() < READ_BYTES_MAX + 200);
        let facts = output.metadata.expect("facts");
        if facts["truncated"] == false {
            whole.push_str(parted(&output.text).0);
            break;
        }
        let (text, note) = parted(&output.text).0.rsplit_once('[').expect("a note");
        whole.push_str(text);
        start_line += facts["lines"].as_u64().expect("a count");
        assert!(
            note.ends_with(&format!("read on with start_line {start_line}]")),
            "{note}"
        );
    }
    assert_eq!(whole, content);
}

#[tokio::test]
async fn a_line_that_does_not_fit_is_cut_between_characters() {
    let bench = Bench::new();
    let long = "€".repeat(READ_BYTES_MAX);
    bench.write("a.txt", format!("short\n{long}\nlast\n"));
    let first = "short\n[lines 1 to 1 of `a.txt`, which goes on; read on with start_line 2]";
    check(&bench, json!({"path": "a.txt"}), first).await;
    let cut = format!(
        "{}\n[line 2 of `a.txt` is cut here, because it is longer than 51200 bytes; the line \
         after it is start_line 3]",
        "€".repeat(READ_BYTES_MAX / 3)
    );
    check(&bench, json!({"path": "a.txt", "start_line": 2}), &cut).await;
    check(&bench, json!({"path": "a.txt", "start_line": 3}), "last\n").await;
}

#[tokio::test]
async fn a_binary_file_is_described() {
    let bench = Bench::new();
    bench.write("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\r");
    let png = "[`a.png` is not text: PNG image, 12 bytes; its content is not shown]";
    check(&bench, json!({"path": "a.png"}), png).await;
    bench.write("blob", b"a\0b");
    let blob = "[`blob` is not text: unknown format, 3 bytes; its content is not shown]";
    check(&bench, json!({"path": "blob"}), blob).await;
}

#[tokio::test]
async fn a_picture_is_shown_to_a_model_that_sees() {
    let bench = Bench::new();
    bench.write("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\r");
    let context = bench.context().with_sight(true);
    let read = |path: &'static str| {
        let context = context.clone();
        async move {
            let input = serde_json::from_value(json!({ "path": path })).unwrap();
            let prepared = ReadFile::prepare(input, &context).await.unwrap();
            prepared.run(context).await
        }
    };
    let output = read("a.png").await;
    assert_eq!(output.text, "[image 1: `a.png`, image/png, 12 bytes]");
    assert_eq!(output.attached[0].data, "iVBORw0KGgoAAAAN");
    // What is not for models is described as before.
    bench.write("a.wav", b"RIFF\0\0\0\0WAVE");
    let sound = read("a.wav").await;
    assert!(sound.attached.is_empty(), "{sound:?}");
    assert!(sound.text.contains("its content is not shown"), "{sound:?}");
}

#[tokio::test]
async fn bytes_that_are_not_text_are_shown_and_reported() {
    let bench = Bench::new();
    bench.write("latin.txt", b"caf\xe9\n\xff\xff");
    let text = "caf\u{fffd}\n\u{fffd}\u{fffd}\n[3 places are not UTF-8 and show as \u{fffd}; \
                writing this text back would lose them]";
    check(&bench, json!({"path": "latin.txt"}), text).await;
}

#[tokio::test]
async fn what_cannot_be_read_says_what_to_do() {
    let bench = Bench::new();
    bench.write("dir/file", "");
    symlink("circle", bench.workspace.join("circle")).unwrap();
    let _socket = UnixListener::bind(bench.workspace.join("socket")).unwrap();
    for (path, why) in [
        ("dir", "`dir` is a directory; use list_dir"),
        ("socket", "neither a file nor a directory"),
        ("circle", "go round in a circle"),
        ("none/at/all", "nor does its directory"),
        ("zzzzzz", "use list_dir to see what is there"),
        ("", "the path is empty"),
        ("~/a", "not expanded"),
    ] {
        let text = failure(&bench, json!({"path": path})).await;
        assert!(text.contains(why), "{path}: {text}");
    }
}

#[tokio::test]
async fn a_misspelt_name_finds_its_neighbours() {
    let bench = Bench::new();
    for name in [
        "README.md",
        "readme.txt",
        "main.rs",
        "Cargo.toml",
        "Cargo.lock",
    ] {
        bench.write(name, "");
    }
    let text = failure(&bench, json!({"path": "readme.md"})).await;
    assert_eq!(
        text,
        "`readme.md` does not exist. In the same directory there is `README.md`, `readme.txt`"
    );
}

#[tokio::test]
async fn offered_names_are_few() {
    let bench = Bench::new();
    (0..50).for_each(|number| bench.write(format!("file{number}.txt"), ""));
    let text = failure(&bench, json!({"path": "file.txt"})).await;
    assert_eq!(text.matches(".txt`").count(), 1 + NEAR_NAMES_MAX, "{text}");
}

#[tokio::test]
async fn a_file_outside_asks_for_more_and_is_not_looked_at_before() {
    let bench = Bench::new();
    let secret = bench.outside.join("secret");
    bench.write(&secret, "secret");
    symlink(&secret, bench.workspace.join("file-link")).unwrap();
    symlink(&bench.outside, bench.workspace.join("dir-link")).unwrap();
    let absolute = secret.display().to_string();
    for path in [
        "../outside/secret",
        &absolute,
        "file-link",
        "dir-link/secret",
        "dir-link/none",
    ] {
        let prepared = bench
            .prepare("read_file", json!({"path": path}))
            .await
            .unwrap();
        assert!(prepared.demand.is_outside(), "{path}");
        assert!(!format!("{prepared:?}").contains("does not exist"));
    }
    bench.write("inside", "");
    let prepared = bench
        .prepare("read_file", json!({"path": "inside"}))
        .await
        .unwrap();
    let inside = bench.workspace.join("inside");
    assert_eq!(prepared.demand, Demand::read(inside, true));
}

#[tokio::test]
async fn a_link_put_in_the_way_after_the_decision_reads_nothing() {
    let bench = Bench::new();
    bench.write("a.txt", "harmless");
    bench.write(bench.outside.join("secret"), "secret");
    let prepared = bench
        .prepare("read_file", json!({"path": "a.txt"}))
        .await
        .unwrap();
    fs::remove_file(bench.workspace.join("a.txt")).unwrap();
    symlink(bench.outside.join("secret"), bench.workspace.join("a.txt")).unwrap();
    let output = prepared.run(bench.context()).await;
    assert!(output.text.contains("leads elsewhere"), "{}", output.text);
}

#[tokio::test]
async fn the_digest_says_which_lines_of_which_file() {
    let bench = Bench::new();
    let digest = async |input| bench.prepare("read_file", input).await.unwrap().digest;
    let first = digest(json!({"path": "a"})).await;
    assert_eq!(
        digest(json!({"path": "./b/../a", "start_line": 1})).await,
        first
    );
    assert_ne!(digest(json!({"path": "b"})).await, first);
    assert_ne!(digest(json!({"path": "a", "start_line": 2})).await, first);
    let list = bench
        .prepare("list_dir", json!({"path": "a"}))
        .await
        .unwrap();
    assert_ne!(list.digest, first);
}

#[tokio::test]
async fn the_hash_of_the_whole_file_is_told_as_other_tools_take_it() {
    let bench = Bench::new();
    bench.write("a.txt", "1\n2\n3\n");
    let hash = crate::digest::sha256_hex(b"1\n2\n3\n");
    for input in [
        json!({"path": "a.txt"}),
        json!({"path": "a.txt", "start_line": 2, "max_lines": 1}),
    ] {
        let output = bench.call("read_file", input).await;
        assert_eq!(output.metadata.unwrap()["sha256"], hash);
        let told = parted(&output.text).1.unwrap();
        let same = json!({"path": "a.txt", "content": "1\n2\n3\n", "expected_hash": told});
        let written = bench.call("write_file", same).await;
        assert!(written.success, "{}", written.text);
    }
    bench.write("big.txt", vec![b'x'; CONTENT_BYTES_MAX + 1]);
    let big = bench.call("read_file", json!({"path": "big.txt"})).await;
    assert_eq!(big.metadata.unwrap()["sha256"], Value::Null);
    assert_eq!(parted(&big.text).1, None);
}
