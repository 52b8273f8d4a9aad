//! Which commands count as only looking: they run unasked within walls, and nothing else does.

use codewhale_policy::{Authority, Law, Verdict};
use codewhale_protocol::runtime::PermissionPosture::{Ask, AutoReview};

use super::bench::{authority, run, verdict};

#[rustfmt::skip]
const LOOKS: &[&str] = &[
    "ls", "ls -la src", "ls *.rs", "cat a.txt", "cat src/a.rs | head -20", "head -n 5 a", "tail -100 log",
    "wc -l a b", "pwd", "echo hi", "printf '%s\\n' x", "grep -rn foo src", "grep -E '/a|b/' x",
    "rg foo", "rg -n --glob '*.rs' foo src", "find . -name '*.rs'", "find . -type f | head",
    "git status", "git status -s", "git log --oneline -5", "git diff", "git diff HEAD~1 -- src",
    "git show HEAD:src/a.rs", "git blame a", "git branch", "git branch -a", "git branch --list 'x*'",
    "git tag -l", "git remote -v", "git stash list", "git --no-pager log", "git -C src status",
    "git rev-parse HEAD", "git ls-files", "git config --get user.name", "git worktree list",
    "sort a", "sort -u a | uniq -c", "sed -n '1,200p' a", "sed -n /foo/p a", "sed 's/a/b/g' x",
    "which cargo", "stat a", "file a", "du -sh .", "df -h", "date", "date +%s", "date -u +%F", "true",
    "test -f a", "[ -f a ]", "cut -d: -f1 a", "tr a-z A-Z < a", "uniq a", "nl a", "tree -L 2",
    "basename /x/y", "dirname /x/y", "realpath a", "readlink a", "cd src && ls", "cd src; git status",
    "ls 2>/dev/null", "ls >/dev/null 2>&1", "ls && pwd || true", "(ls; pwd)", "LC_ALL=C sort a",
    "bash -c 'ls -la'", "sh -c 'git status && ls'", "env ls", "timeout 5 ls", "nice cat a", "command ls",
    "command -v git", "cargo --version", "node --version", "id", "uname -a", "diff a b", "jq .a x.json",
    "md5sum a", "cat /home/you/app/a", "ls # look", "'ls'", "l\\s", "echo \"a;b\"", "time ls", "seq 3",
    "git log --format='%h %s' -- 'a b'", "ls\npwd", "cat < a", "git diff --stat origin/main...HEAD",
];

#[rustfmt::skip]
const DOES_MORE: &[&str] = &[
    // Output into files.
    "ls > a", "ls >> a", "echo x > a", "echo x >| a", "ls &> a", "ls 2> a", "cat a > b", "ls >& a", "ls | tee a",
    "echo x > /dev/tcp/h/1", ": > a", "> a", "(ls) > a", "sort a > a",
    // Options that write or run.
    "sort -o a b", "sort --output=a b", "sort --out a b", "sort -uo a b", "sort --compress-program=x a",
    "tree -o a", "find . -delete", "find . -exec ls {} \\;", "find . -fprint a", "find . -fls a", "find . -ok ls \\;",
    "rg --pre x foo", "rg --pre=x foo", "rg -z foo", "rg --search-zip foo", "rg --hostname-bin=x foo",
    "fd x -x rm", "fd -X rm", "sed -i s/a/b/ x", "sed -n 'w out' a", "sed 's/a/b/e' x", "sed -e 'e ls' x",
    "sed -f s a", "sed --in-place s/a/b/ x", "sed -ni p a", "date -s 0", "date 01010101", "date --set=x",
    "file -C -m x", "uniq a b", "hostname x", "awk '{print}' a", "awk 'BEGIN{system(\"ls\")}'", "tee a", "xargs ls",
    // Git that does more.
    "git push", "git commit -m x", "git checkout x", "git branch x", "git branch -d x", "git branch -D x",
    "git branch -m a b", "git branch --edit-description", "git tag x", "git tag -d x", "git remote add a b",
    "git stash", "git stash pop", "git diff --output=a", "git diff --outp=a", "git log --output a",
    "git diff --ext-diff", "git log --textconv", "git show --ext-dif", "git grep -O x", "git grep --open-files-in-pager=x y",
    "git -c core.pager=x log", "git -c alias.status='!rm x' status", "git --exec-path=x status",
    "git --git-dir=/x status", "git --config-env=a=b status", "git -p log", "git config a.b c", "git reflog expire",
    "git cat-file --textconv x", "git worktree add x", "git submodule foreach ls", "git fetch", "git pull",
    "GIT_PAGER=x git log", "GIT_EXTERNAL_DIFF=x git diff",
    // Not the program it seems, or not known.
    "./ls", "/tmp/ls", "bin/cat a", "$X", "ls $X", "ls $(pwd)", "ls `pwd`", "cat \"$X\"", "{ls,-la}", "l? -la",
    "PATH=. ls", "LD_PRELOAD=x ls", "PATH=.; ls", "export PATH=.; ls", "env PATH=. ls", "env -i PATH=. ls",
    "alias ls=x; ls", "ls() { x; }; ls", "function ls { x; }; ls", "sudo ls", "doas ls", "ssh host ls", "eval $X",
    // Outside.
    "cat /etc/passwd", "cat ~/.ssh/id_rsa", "ls ..", "cat ../x", "cd .. && ls", "cd / && cat etc/passwd", "cd && ls",
    "cat src/../../x", "grep -r x /", "find / -name x", "cat < /etc/passwd", "git -C /x log", "cd - && ls",
    "(cd src); cat ../x", "cat /home/you/app2/x", "grep -ex /etc/passwd", "head --lines=1 /etc/hosts", "cat */../../x",
    // Not plain enough to be sure of.
    "if ls; then pwd; fi", "for f in a b; do cat $f; done", "ls & & pwd", "ls \"unclosed", "cat <<EOF\nx\nEOF",
    "ls )", "ls\r", "ls\u{0}x", "ls\u{a0}x", "echo `ls", "ls <(pwd)", "echo $((1))", "while true; do ls; done",
    "ls |", "cat <(ls)", "ls; rm x", "ls && make", "make", "python -c 'print(1)'", "bash", "bash x.sh", "npm test",
    "ls -la; ; pwd", "source x", ". x", "exec ls > a", "trap ls EXIT", "history -c", "kill 1", "touch a", "mkdir a",
];

#[test]
fn what_only_looks_runs_unasked_within_walls() {
    let is_asked = |script: &&&str| {
        [Ask, AutoReview].into_iter().any(|posture| {
            let decision = run(script, &authority(posture), &Law::default());
            decision.verdict != Verdict::Allow || decision.matched_rule != "builtin:only-looks"
        })
    };
    let asked: Vec<&&str> = LOOKS.iter().filter(is_asked).collect();
    assert!(asked.is_empty(), "{asked:#?}");
}

#[test]
fn what_does_more_or_is_not_sure_is_asked_about() {
    let is_passed = |script: &&&str| verdict(script, Ask, &Law::default()) == Verdict::Allow;
    let passed: Vec<&&str> = DOES_MORE.iter().filter(is_passed).collect();
    assert!(passed.is_empty(), "{passed:#?}");
    assert!(
        LOOKS.len() >= 80 && DOES_MORE.len() >= 150,
        "{} {}",
        LOOKS.len(),
        DOES_MORE.len()
    );
}

#[test]
fn without_walls_that_hold_nothing_is_proven() {
    let open = Authority {
        confined: false,
        ..authority(Ask)
    };
    for script in LOOKS {
        let decision = run(script, &open, &Law::default());
        assert!(matches!(decision.verdict, Verdict::Ask(_)), "{script:?}");
        assert!(
            decision.reason.contains("cannot hold"),
            "{}",
            decision.reason
        );
    }
}

#[test]
fn trust_lets_a_look_leave_the_workspace() {
    let trusted = Authority {
        trust_mode: true,
        ..authority(Ask)
    };
    let decision = run("cat /etc/hosts", &trusted, &Law::default());
    assert_eq!(decision.verdict, Verdict::Allow);
}
