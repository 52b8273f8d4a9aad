//! Which programs run other commands, and where in their words those stand. Only facts, no judging.

/// How a program finds the command it runs.
#[derive(Clone, Copy)]
pub(super) struct Wrapper {
    pub(super) names: &'static [&'static str],
    /// Options that take the next word as their value.
    pub(super) valued: &'static [&'static str],
    /// Words of its own between its options and the command.
    pub(super) own_words: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It adds nothing of its own.
    Plain,
    /// It runs the command as someone else or somewhere else.
    Elevated,
    /// It runs the command with words that only its input knows.
    Appending,
    /// It hands its words, put together, to a shell.
    Shell,
}

const fn wrapper(
    names: &'static [&'static str],
    valued: &'static [&'static str],
    own_words: usize,
    kind: Kind,
) -> Wrapper {
    Wrapper {
        names,
        valued,
        own_words,
        kind,
    }
}

#[rustfmt::skip]
pub(super) const WRAPPERS: &[Wrapper] = &[
    wrapper(&["nohup", "setsid", "builtin", "noglob", "nocorrect", "unbuffer", "chronic", "catchsegv", "torsocks", "proxychains", "proxychains4", "dbus-run-session", "winpty", "busybox", "toybox", "then", "do", "else"], &[], 0, Kind::Plain),
    wrapper(&["command"], &[], 0, Kind::Plain),
    wrapper(&["exec"], &["-a"], 0, Kind::Plain),
    wrapper(&["nice"], &["-n", "--adjustment"], 0, Kind::Plain),
    wrapper(&["ionice"], &["-c", "-n", "-p", "-P", "-u", "--class", "--classdata"], 0, Kind::Plain),
    wrapper(&["timeout", "gtimeout"], &["-k", "-s", "--kill-after", "--signal"], 1, Kind::Plain),
    wrapper(&["time", "gtime"], &["-f", "-o", "--format", "--output"], 0, Kind::Plain),
    wrapper(&["stdbuf", "gstdbuf"], &["-i", "-o", "-e", "--input", "--output", "--error"], 0, Kind::Plain),
    wrapper(&["taskset"], &[], 1, Kind::Plain),
    wrapper(&["chrt"], &["-T", "-P", "-D"], 1, Kind::Plain),
    wrapper(&["caffeinate"], &["-t", "-w"], 0, Kind::Plain),
    wrapper(&["strace", "ltrace"], &["-e", "-o", "-p", "-s", "-u", "-E", "-a", "-b", "-I", "-O", "-S", "-P", "-U", "-X", "-n"], 0, Kind::Plain),
    wrapper(&["numactl"], &["-C", "-N", "-m", "-p", "-i"], 0, Kind::Plain),
    wrapper(&["sudo"], &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--host", "--prompt", "--chdir", "--chroot", "--role", "--type", "--close-from", "--other-user", "--command-timeout"], 0, Kind::Elevated),
    wrapper(&["doas"], &["-C", "-u", "-a"], 0, Kind::Elevated),
    wrapper(&["pkexec"], &["--user"], 0, Kind::Elevated),
    wrapper(&["run0", "systemd-run"], &["-u", "-p", "-M", "-H", "--unit", "--property", "--chdir", "--setenv", "--slice", "--uid", "--gid"], 0, Kind::Elevated),
    wrapper(&["gosu", "su-exec", "setuidgid", "chroot"], &[], 1, Kind::Elevated),
    wrapper(&["unshare", "nsenter", "setpriv"], &["-t", "-S", "-G", "--target", "--reuid", "--regid", "--root", "--wd"], 0, Kind::Elevated),
    wrapper(&["xargs", "gxargs"], &["-I", "-L", "-n", "-P", "-s", "-d", "-E", "-a", "-J", "-R", "-S", "--replace", "--max-args", "--max-procs", "--max-lines", "--delimiter", "--arg-file", "--max-chars"], 0, Kind::Appending),
    wrapper(&["entr"], &[], 0, Kind::Appending),
    wrapper(&["watch"], &["-n", "-q", "--interval", "--equexit"], 0, Kind::Shell),
    wrapper(&["eval"], &[], 0, Kind::Shell),
];

/// A program whose subcommand runs the words behind it, in an environment of its own.
pub(super) const RUNNERS: &[(&str, &str)] = &[
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("rye", "run"),
    ("hatch", "run"),
    ("bundle", "exec"),
    ("npm", "exec"),
    ("pnpm", "exec"),
    ("yarn", "exec"),
    ("mise", "exec"),
    ("mise", "x"),
    ("rbenv", "exec"),
    ("pyenv", "exec"),
    ("asdf", "exec"),
    ("opam", "exec"),
    ("stack", "exec"),
    ("cabal", "exec"),
    ("dotenv", "run"),
    ("doppler", "run"),
];

/// Shells that read a script from an argument, a file or their input.
pub(super) const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash", "fish", "csh", "tcsh", "yash",
];

/// Interpreters: their name without a version, and the options that bring a program along.
pub(super) const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", &["-c"]),
    ("pypy", &["-c"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("node", &["-e", "-p", "--eval", "--print", "-pe"]),
    ("nodejs", &["-e", "-p", "--eval", "--print", "-pe"]),
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("deno", &["eval"]),
    ("php", &["-r", "-B", "-R", "-E"]),
    ("lua", &["-e"]),
    ("luajit", &["-e"]),
    ("Rscript", &["-e"]),
    ("R", &["-e"]),
    ("julia", &["-e", "-E", "--eval", "--print"]),
    ("elixir", &["-e", "--eval"]),
    ("erl", &["-eval"]),
    ("groovy", &["-e"]),
    ("scala", &["-e"]),
    ("guile", &["-c"]),
    ("osascript", &["-e"]),
    ("ghc", &["-e"]),
    ("swipl", &["-g"]),
    ("gdb", &["-ex", "-eval-command", "--eval-command", "-x"]),
    ("vim", &["-c", "--cmd"]),
    ("vi", &["-c"]),
    ("nvim", &["-c", "--cmd"]),
    ("ex", &["-c"]),
    ("emacs", &["--eval", "-eval", "--execute"]),
    ("sqlite3", &["-cmd"]),
    ("psql", &["-c", "--command"]),
    ("mysql", &["-e", "--execute"]),
];

/// Whether a name is that of an interpreter, with or without a version behind it.
pub(super) fn interpreter(name: &str) -> Option<&'static [&'static str]> {
    let plain = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    let known = INTERPRETERS
        .iter()
        .find(|(it, _)| *it == name || *it == plain);
    known.map(|(_, flags)| *flags)
}

/// The shells of Windows: all of their words are one program.
pub(super) const WINDOWS_SHELLS: &[&str] = &[
    "powershell",
    "powershell.exe",
    "pwsh",
    "pwsh.exe",
    "cmd",
    "cmd.exe",
];
