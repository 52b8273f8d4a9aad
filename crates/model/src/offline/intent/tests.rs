use super::*;

fn list(path: &str) -> Option<Intent> {
    Some(Intent::List { path: path.into() })
}

fn read(path: &str) -> Option<Intent> {
    Some(Intent::Read { path: path.into() })
}

fn write(path: &str, content: &str) -> Option<Intent> {
    Some(Intent::Write {
        path: path.into(),
        content: content.into(),
    })
}

fn run(command: &str) -> Option<Intent> {
    Some(Intent::Run {
        command: command.into(),
    })
}

fn check(cases: &[(&str, Option<Intent>)]) {
    for (text, expect) in cases {
        assert_eq!(&Intent::read(text), expect, "{text}");
    }
}

#[test]
fn listing() {
    check(&[
        ("list the files", list(".")),
        ("List files.", list(".")),
        ("list the files in src", list("src")),
        (
            "Please list all files in the `src/bin` directory!",
            list("src/bin"),
        ),
        ("list the files in the src directory", list("src")),
        ("list files in this directory", list(".")),
        ("list the directory crates", list("crates")),
        ("list the files in the current directory", list(".")),
        ("list src", list("src")),
        ("ls", list(".")),
        ("ls ..", list("..")),
        ("show me the files in docs", list("docs")),
        ("what files are there?", list(".")),
        ("Which files are in \"my docs\"?", list("my docs")),
        ("list the contents of src", list("src")),
        ("list what you can do", None),
    ]);
}

#[test]
fn reading() {
    check(&[
        ("read README.md", read("README.md")),
        ("Read the file README.md.", read("README.md")),
        ("show me `src/main.rs`, please", read("src/main.rs")),
        ("show Cargo.toml and explain it", read("Cargo.toml")),
        ("cat .gitignore", read(".gitignore")),
        ("open notes", read("notes")),
        ("read LICENSE for me", read("LICENSE")),
        ("could you read \"my notes.txt\"?", read("my notes.txt")),
        ("show the contents of a.txt", read("a.txt")),
        ("what is in a.txt?", read("a.txt")),
        ("read me a story", None),
        ("show me what you can do", None),
        ("readme", None),
    ]);
}

#[test]
fn writing() {
    check(&[
        (
            "create notes.txt with hello world",
            write("notes.txt", "hello world"),
        ),
        (
            "Create a file called `notes.txt` with the content \"hello\"",
            write("notes.txt", "hello"),
        ),
        (
            "create a new file named a.md containing: # Title\n\nText\n",
            write("a.md", "# Title\n\nText"),
        ),
        (
            "create the file a/b.txt that says 'hi there'.",
            write("a/b.txt", "hi there"),
        ),
        ("create empty.txt", write("empty.txt", "")),
        (
            "make a file x.py with ```\nprint(1)\n```",
            write("x.py", "print(1)"),
        ),
        ("write hello to notes.txt", write("notes.txt", "hello")),
        (
            "Write \"go to bed\" to notes.txt",
            write("notes.txt", "go to bed"),
        ),
        (
            "write go to bed to notes.txt",
            write("notes.txt", "go to bed"),
        ),
        ("save 'x = 1' as x.py", write("x.py", "x = 1")),
        ("write to a.txt: hello", write("a.txt", "hello")),
        ("write a.txt with hello", write("a.txt", "hello")),
        ("write me a poem", None),
        ("create something nice", None),
    ]);
}

#[test]
fn running() {
    check(&[
        ("run ls -l", run("ls -l")),
        ("Run `cargo test`", run("cargo test")),
        ("please execute the command \"echo hi\"", run("echo hi")),
        (
            "run the shell command: echo hi; echo ho",
            run("echo hi; echo ho"),
        ),
        ("run ./build.sh", run("./build.sh")),
        ("run", None),
        ("running late", None),
    ]);
}

#[test]
fn anything_else_is_not_understood() {
    check(&[
        ("", None),
        ("hello", None),
        ("What is the capital of France?", None),
        ("list", list(".")),
        ("ü", None),
        ("readü", None),
        ("\"", None),
        ("run \"", run("\"")),
    ]);
}

#[test]
fn tools_get_what_they_expect() {
    let intent = Intent::read("create a.txt with hi").unwrap();
    assert_eq!(
        (intent.tool(), intent.arguments()),
        ("write_file", json!({"path": "a.txt", "content": "hi"}))
    );
    let intent = Intent::read("run date").unwrap();
    assert_eq!(
        (intent.tool(), intent.arguments()),
        ("exec_shell", json!({"command": "date"}))
    );
}
