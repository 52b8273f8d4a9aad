//! A corpus of ways to hide a command. A rule that forbids it must find it, in full access as well:
//! either it is refused, or, where the text cannot tell, a person is asked.

use codewhale_policy::{Action, Answerer, Law, Verdict};
use codewhale_protocol::runtime::PermissionPosture::{Ask, AutoReview, FullAccess};

use super::bench::{authority, law, run, verdict};

/// Forbidden throughout this file.
fn forbidding() -> Law {
    law(&[
        (Action::Deny, "git push"),
        (Action::Deny, "npm publish"),
        (Action::Deny, "rm -rf"),
        (Action::Deny, "shutdown"),
    ])
}

/// The text shows the command, however it is wrapped.
#[rustfmt::skip]
const FOUND: &[&str] = &[
    // Chains.
    "git push", "ls; git push", "ls && git push", "ls || git push", "ls & git push", "ls | git push",
    "ls |& git push", "ls\ngit push", "git push &", "ls;git push", "ls&&git push", "true|git push",
    "git status; git diff; git push origin main", "! git push", "ls # comment\ngit push",
    // Groups and control flow.
    "(git push)", "( ls; (git push) )", "{ git push; }", "{ ls; git push; } > log",
    "if true; then git push; fi", "if git push; then ls; fi", "if a; then b; else git push; fi",
    "if a; then b; elif git push; then c; fi", "while git push; do :; done",
    "until false; do git push; done", "for i in 1 2; do git push; done",
    "for ((i=0;i<2;i++)); do git push; done", "case x in x) git push;; esac",
    "case $y in a) ls;; *) npm publish;; esac", "f() { git push; }; f", "function f { git push; }; f",
    "function f() ( git push )", "select x in a; do git push; done", "[[ -f x ]] && git push",
    "[ -f x ] && git push", "test -f x || git push", "time git push", "coproc git push",
    // Substitutions.
    "echo $(git push)", "echo `git push`", "echo \"$(git push)\"", "echo \"a `git push` b\"",
    "cat <(git push)", "ls > >(git push)", "X=$(git push)", "X=`git push` ls", "export X=$(git push)",
    "echo ${X:-$(git push)}", "echo ${X/a/$(git push)}", "echo $(( $(git push) ))",
    "echo $(echo $(git push))", "a=(1 $(git push))", "ls \"$(ls \"$(git push)\")\"",
    "[[ $(git push) ]]", "ls > \"$(git push)\"", "cat <<< \"$(git push)\"", "local x=$(git push)",
    "cat <<EOF\n$(git push)\nEOF", "cat <<EOF\n`git push`\nEOF", "cat <<-EOF\n\t$(git push)\n\tEOF",
    "cat <<'EOF' ; git push\nx\nEOF", "cat <<EOF | git push\nx\nEOF", "cat <<EOF && git push\nx\nEOF",
    // Spelling.
    "g\\it push", "'git' push", "\"git\" push", "g''it push", "g\"\"it pu'sh'", "git 'push'",
    "git \"push\"", "git p\\ush", "$'git' push", "$'\\x67it' push", "$'g\\151t' $'pus\\x68'",
    "git \\\n push", "gi\\\nt push", "git pu\\\nsh", "git\tpush", "  git   push  ", "\\git push",
    "/usr/bin/git push", "./git push", "../bin/git push", "git $\"push\"",
    // Options in between.
    "git -C /x push", "git --no-pager push", "git -c a.b=c push", "git --git-dir=x push",
    "git --git-dir x push", "git -P push --force", "git --work-tree /x --git-dir /y push",
    "npm --silent publish", "npm --registry x publish", "npm --prefix=x publish --tag y",
    "rm -r -f x", "rm -fr x", "rm -Rf x", "rm --recursive --force x", "rm -r --force x",
    "rm -vrf x", "rm x -rf", "rm -f x -r", "/bin/rm -rf x",
    // Redirections and assignments.
    ">log git push", "git push >log 2>&1", "2>&1 git push", "git push </dev/null", "git >log push",
    "A=1 git push", "A=1 B='2 3' git push", "GIT_SSH_COMMAND=x git push", "git push &>/dev/null",
    // Wrappers.
    "sudo git push", "sudo -u you git push", "sudo -nu you git push", "sudo --user=you git push",
    "sudo -- git push", "sudo A=1 git push", "doas git push", "doas -u you git push", "env git push",
    "env A=1 git push", "env -i git push", "env -u A git push", "env -S 'git push'",
    "env -S'git push'", "env --split-string='git push'", "/usr/bin/env git push", "nice git push",
    "nice -n 5 git push", "nohup git push &", "timeout 5 git push", "timeout -k 1 5s git push",
    "timeout --signal=KILL 5 git push", "command git push", "builtin git push", "exec git push",
    "exec -a x git push", "setsid git push", "stdbuf -oL git push", "ionice -c 3 git push",
    "chroot /x git push", "strace -f -o x git push", "xargs git push", "ls | xargs git push",
    "xargs -n 1 git push", "xargs -I {} git push {}", "find . -exec git push \\;",
    "find . -exec git push {} +", "find . -execdir git push ';'", "find . -ok git push \\;",
    "find . -exec ls {} \\; -exec git push \\;", "fd x -x git push", "parallel git push ::: a b",
    "parallel 'git push' ::: a", "watch git push", "watch -n 1 'git push'", "busybox rm -rf x",
    "unshare -r git push", "flock lock git push", "flock lock -c 'git push'", "script -c 'git push' x",
    "su -c 'git push'", "su you -c 'git push'", "runuser -u you -- git push", "taskset 1 git push",
    "sudo env nice timeout 5 git push", "caffeinate git push", "npx git push", "uv run git push",
    "bundle exec git push", "poetry run git push", "unbuffer git push", "entr git push",
    "systemd-run --user git push", "pkexec git push",
    "npx -c 'git push'", "npm exec -c 'git push'", "sudo -s git push", "sudo -i 'git push'", "GIT push", "git.exe push",
    // Shells in shells.
    "bash -c 'git push'", "sh -c 'git push'", "bash -lc 'git push'", "bash -l -c 'git push'",
    "bash -c -- 'git push'", "bash -ec 'ls; git push'", "zsh -c \"git push\"", "dash -c 'git push' x",
    "ksh -c 'git push'", "/bin/bash -c 'git push'", "bash --norc -c 'git push'",
    "bash -o pipefail -c 'git push'", "sh -c \"sh -c 'git push'\"", "sudo bash -c 'git push'",
    "env bash -c 'git push'", "bash -c 'echo $(git push)'", "fish -c 'git push'",
    "eval git push", "eval 'git push'", "eval \"git\" 'push'", "eval 'eval git push'",
    "trap 'git push' EXIT", "alias x='git push'; x", "ssh host git push", "ssh host 'ls; git push'",
    "ssh -p 22 -i key you@host -- git push", "ssh -o ProxyCommand='git push' host",
    // Git's own ways.
    "git -c alias.x='!git push' x", "git -c alias.x=push x", "git submodule foreach 'git push'",
    "git bisect run git push", "git rebase -x 'git push' main", "git rebase --exec='git push' main",
    // Helpers of archivers.
    "tar cf x --checkpoint-action=exec='git push' y", "tar -I 'git push' -xf x",
    "rsync -e 'git push' a b:",
    // Opaque, yet the words are there.
    "echo 'git push' | sh", "bash <<EOF\ngit push\nEOF", "bash <<< 'git push'",
    "bash -c '$0 $1' git push", "git push \"unclosed", "if git push", "git push ;;", "eval \"$X; git push\"",
    "bash -c \"$X git push\"", "printf 'git push' | bash -s",
];

/// The text cannot tell what runs: only a person may say yes.
#[rustfmt::skip]
const SUSPECT: &[&str] = &[
    "$X push", "git $X", "$X", "X=push; git $X", "${X}it push", "g${Y}it push", "$(echo git) push",
    "`echo git` push", "git $(echo push)", "git \"$X\"", "eval \"$X\"", "bash -c \"$X\"",
    "echo Z2l0IHB1c2g= | base64 -d | sh", "cat script | bash", "bash -s < script", "bash < script",
    "source <(ls)", ". /dev/stdin", "{git,push}", "git {push,x}", "xargs git", "ls | xargs -n1 git",
    "$'\\xff' push", "g?t push", "/usr/bin/g*t push", "find . -exec {} \\;", "sh -c \"$(cat x)\"",
    "python3 < x", "ls | perl", "rm $X dir", "rm -r $X", "npm $CMD", "git\rpush", "bash /dev/fd/3",
    "parallel ::: a b", "env $X push", "sudo $X", "timeout 5 $X push", "`", "$(", "((",
    "perl -e 'system(\"git push\")'", "python3 -c \"import os; os.system('git push')\"",
    "awk 'BEGIN { system(\"git push\") }'", "vim -c ':!git push'", "ruby -e 'exec(\"git\", \"push\")'",
    "node -e \"require('child_process').spawnSync('git', ['push'])\"", "echo hi #\\\ngit push",
];

#[test]
fn no_disguise_hides_a_forbidden_command() {
    let law = forbidding();
    let is_missed = |script: &&&str| {
        let decision = run(script, &authority(FullAccess), &law);
        let is_named = decision
            .matched_rule
            .starts_with("tool=exec_shell command=");
        decision.verdict != Verdict::Deny || !is_named
    };
    let missed: Vec<&&str> = FOUND.iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_may_be_forbidden_goes_to_a_person_even_in_full_access() {
    let law = forbidding();
    let is_missed = |script: &&&str| {
        let full = verdict(script, FullAccess, &law);
        let reviewed = verdict(script, AutoReview, &law);
        !matches!(full, Verdict::Deny | Verdict::Ask(Answerer::Person))
            || !matches!(reviewed, Verdict::Deny | Verdict::Ask(Answerer::AlwaysNo))
    };
    let missed: Vec<&&str> = SUSPECT.iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_only_mentions_a_forbidden_command_is_not_refused() {
    let law = forbidding();
    let scripts = [
        "echo 'git push'",
        "echo git push",
        "git log --grep='git push'",
        "grep -r 'git push' .",
        "git stash push",
        "git commit -m 'npm publish; rm -rf x'",
        "cat <<'EOF'\n$(git push)\nEOF",
        "ls git push",
        "rm -r x",
        "rm -f x",
        "npm run publish",
        "pushd x",
        "git pushx",
        "gitpush",
        "# git push",
        "ls # git push",
        "echo \\; git push",
        "echo \"&& git push\"",
        "rmdir -rf",
    ];
    let refused: Vec<&&str> = scripts
        .iter()
        .filter(|it| verdict(it, Ask, &law) == Verdict::Deny)
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn the_corpus_is_large_enough_and_says_so() {
    let (found, suspect) = (FOUND.len(), SUSPECT.len());
    #[expect(
        clippy::print_stdout,
        reason = "the count is what this test is asked for"
    )]
    {
        println!(
            "bypass corpus: {found} found, {suspect} suspect, {} in all",
            found + suspect
        );
    }
    assert!(found + suspect >= 150);
    let mut all: Vec<&&str> = FOUND.iter().chain(SUSPECT).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), found + suspect, "an entry stands twice");
}
