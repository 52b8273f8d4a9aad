//! Tasks on files.

use serde_json::json;

use super::Task;

#[tokio::test]
async fn a_name_is_changed_in_several_files() {
    let files = [
        ("src/lib.txt", "old_name();\nkeep\nold_name();\n"),
        ("src/main.txt", "call old_name\r\n"),
    ];
    let mut task = Task::asking(&files).await;
    task.script(
        [
            ("grep_files", json!({ "pattern": "old_name" })),
            (
                "edit_file",
                json!({ "path": "src/lib.txt", "search": "old_name", "replace": "new_name", "replace_all": true }),
            ),
            (
                "edit_file",
                json!({ "path": "src/main.txt", "edits": [{ "oldText": "old_name", "newText": "new_name" }] }),
            ),
        ],
        "Renamed.",
    );
    let done = task.run("rename old_name to new_name", "allow").await;
    assert_eq!(
        (done.status.as_str(), done.said.as_str()),
        ("completed", "Renamed.")
    );
    assert_eq!(task.asked, ["edit_file: allow", "edit_file: allow"]);
    assert_eq!(task.file("src/lib.txt"), "new_name();\nkeep\nnew_name();\n");
    assert_eq!(task.file("src/main.txt"), "call new_name\r\n");
    let found = &task.results()[0];
    assert!(
        found.contains("src/lib.txt") && found.contains("src/main.txt"),
        "{found}"
    );
}

#[tokio::test]
async fn a_failing_test_is_found_and_mended() {
    let files = [
        ("add.sh", "echo $(($1 - $2))\n"),
        (
            "test.sh",
            "test \"$(sh add.sh 2 3)\" = 5 && echo PASS || { echo FAIL; exit 1; }\n",
        ),
    ];
    let mut task = Task::asking(&files).await;
    let test = json!({ "command": "sh test.sh" });
    task.script(
        [
            ("exec_shell", test.clone()),
            ("read_file", json!({ "path": "add.sh" })),
            (
                "edit_file",
                json!({ "path": "add.sh", "search": "$1 - $2", "replace": "$1 + $2" }),
            ),
            ("exec_shell", test),
        ],
        "The test passes.",
    );
    let done = task.run("make the test pass", "allow").await;
    assert_eq!(done.status, "completed");
    let results = task.results();
    assert!(
        results[0].contains("FAIL") && results[0].contains("[exit code 1]"),
        "{results:?}"
    );
    assert!(
        results[3].contains("PASS") && results[3].contains("[exit code 0]"),
        "{results:?}"
    );
}

#[tokio::test]
async fn a_patch_that_does_not_apply_changes_nothing_and_is_made_anew() {
    let files = [("a.txt", "one\ntwo\nthree\n"), ("b.txt", "b\n")];
    let mut task = Task::asking(&files).await;
    let stale = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n\
                 --- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-TWO\n+2\n three\n";
    let fresh = stale.replace("-TWO", "-two");
    task.script(
        [
            ("apply_patch", json!({ "patch": stale })),
            ("read_file", json!({ "path": "a.txt" })),
            ("apply_patch", json!({ "patch": fresh })),
        ],
        "Applied.",
    );
    let done = task.run("apply it", "allow").await;
    assert_eq!(done.status, "completed");
    let results = task.results();
    assert!(results[0].contains("a.txt"), "{results:?}");
    // Only the patch that applies was asked about.
    assert_eq!(task.asked, ["apply_patch: allow"]);
    assert_eq!(
        (task.file("a.txt"), task.file("b.txt")),
        ("one\n2\nthree\n".into(), "B\n".into())
    );
}

#[tokio::test]
async fn a_file_outside_the_workspace_is_refused_until_the_user_trusts_the_agent() {
    let mut task = Task::asking(&[("a.txt", "a\n")]).await;
    let outside = task.scene.home.path().join("outside.txt");
    let write = json!({ "path": outside, "content": "x" });
    task.script([("write_file", write.clone())], "I may not.");
    let done = task.run("write outside", "allow").await;
    assert_eq!(done.said, "I may not.");
    assert!(
        task.results()[0].contains("outside the workspace"),
        "{:?}",
        task.results()
    );
    assert!(task.asked.is_empty() && !outside.exists());
}

#[tokio::test]
async fn in_plan_mode_the_agent_looks_and_changes_nothing() {
    let settings = json!({ "mode": "plan", "allow_shell": true, "auto_approve": true });
    let mut task = Task::new(settings, &[("a.txt", "a\n")]).await;
    task.script(
        [
            ("read_file", json!({ "path": "a.txt" })),
            (
                "edit_file",
                json!({ "path": "a.txt", "search": "a", "replace": "b" }),
            ),
            ("exec_shell", json!({ "command": "echo b > a.txt" })),
        ],
        "Here is the plan.",
    );
    let done = task.run("plan it", "allow").await;
    assert_eq!(done.status, "completed");
    assert_eq!(task.file("a.txt"), "a\n");
    let results = task.results();
    assert!(
        results[1].contains("plan mode") && results[2].contains("plan mode"),
        "{results:?}"
    );
}
