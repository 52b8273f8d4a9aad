//! How many words say what a command does: `ls` says it in one, `git status` in two, `npm run x` in
//! three.

use crate::shell::Word;

/// How many words say what a program does. The longest entry that fits counts; one otherwise.
#[rustfmt::skip]
const ARITIES: &[(&[&str], usize)] = &[
    (&["git"], 2), (&["git", "stash"], 3), (&["git", "remote"], 3), (&["git", "worktree"], 3),
    (&["git", "submodule"], 3), (&["git", "config"], 3), (&["git", "bisect"], 3), (&["git", "notes"], 3), (&["git", "lfs"], 3),
    (&["npm"], 2), (&["npm", "run"], 3), (&["npm", "run-script"], 3), (&["npm", "exec"], 3), (&["npm", "config"], 3), (&["npm", "x"], 3),
    (&["pnpm"], 2), (&["pnpm", "run"], 3), (&["pnpm", "exec"], 3), (&["pnpm", "dlx"], 3),
    (&["yarn"], 2), (&["yarn", "run"], 3), (&["yarn", "exec"], 3), (&["yarn", "dlx"], 3), (&["yarn", "workspace"], 4),
    (&["bun"], 2), (&["bun", "run"], 3), (&["bun", "x"], 3), (&["bunx"], 2), (&["npx"], 2),
    (&["deno"], 2), (&["deno", "task"], 3),
    (&["cargo"], 2), (&["cargo", "xtask"], 3), (&["cargo", "nextest"], 3), (&["rustup"], 2), (&["rustup", "toolchain"], 3),
    (&["go"], 2), (&["go", "mod"], 3), (&["go", "tool"], 3), (&["go", "run"], 3),
    (&["pip"], 2), (&["pip3"], 2), (&["uv"], 2), (&["uv", "run"], 3), (&["uv", "pip"], 3), (&["uv", "tool"], 3),
    (&["poetry"], 2), (&["poetry", "run"], 3), (&["pipenv"], 2), (&["pipenv", "run"], 3), (&["pdm"], 2), (&["pdm", "run"], 3),
    (&["conda"], 2), (&["bundle"], 2), (&["bundle", "exec"], 3), (&["gem"], 2), (&["rake"], 2), (&["rails"], 2),
    (&["composer"], 2), (&["mix"], 2), (&["dotnet"], 2), (&["dotnet", "tool"], 3), (&["mvn"], 2), (&["gradle"], 2), (&["./gradlew"], 2), (&["./mvnw"], 2),
    (&["make"], 2), (&["gmake"], 2), (&["just"], 2), (&["task"], 2), (&["ninja"], 2), (&["cmake"], 2), (&["bazel"], 2), (&["nx"], 2), (&["turbo"], 2), (&["turbo", "run"], 3),
    (&["docker"], 2), (&["docker", "compose"], 3), (&["docker", "container"], 3), (&["docker", "image"], 3), (&["docker", "network"], 3), (&["docker", "volume"], 3),
    (&["podman"], 2), (&["docker-compose"], 2), (&["kubectl"], 2), (&["kubectl", "config"], 3), (&["kubectl", "rollout"], 3), (&["helm"], 2), (&["minikube"], 2),
    (&["terraform"], 2), (&["tofu"], 2), (&["pulumi"], 2), (&["ansible"], 2), (&["vagrant"], 2),
    (&["gh"], 3), (&["glab"], 3), (&["aws"], 3), (&["gcloud"], 4), (&["az"], 3), (&["heroku"], 2), (&["fly"], 2), (&["vercel"], 2), (&["netlify"], 2), (&["wrangler"], 2),
    (&["systemctl"], 2), (&["journalctl"], 1), (&["service"], 3), (&["apt"], 2), (&["apt-get"], 2), (&["dnf"], 2), (&["yum"], 2), (&["pacman"], 2), (&["apk"], 2), (&["snap"], 2), (&["brew"], 2), (&["brew", "services"], 3), (&["port"], 2), (&["nix"], 2),
    (&["python"], 2), (&["python3"], 2), (&["node"], 2), (&["ruby"], 2), (&["perl"], 2), (&["php"], 2), (&["php", "artisan"], 3), (&["java"], 2),
    (&["bash"], 2), (&["sh"], 2), (&["zsh"], 2), (&["source"], 2), (&["."], 2), (&["tmux"], 2), (&["sudo"], 2), (&["doas"], 2), (&["ssh"], 2),
    (&["openssl"], 2), (&["redis-cli"], 2), (&["supabase"], 2), (&["prisma"], 2), (&["sls"], 2), (&["jj"], 2), (&["hg"], 2), (&["svn"], 2), (&["xcrun"], 2), (&["adb"], 2), (&["flutter"], 2), (&["dart"], 2), (&["swift"], 2), (&["zig"], 2),
];

/// Options in front of a subcommand that change nothing about what it does: name, and how many
/// words it takes.
const HARMLESS: &[(&str, &[(&str, usize)])] = &[
    (
        "git",
        &[
            ("--no-pager", 1),
            ("-P", 1),
            ("--no-optional-locks", 1),
            ("-C", 2),
        ],
    ),
    (
        "cargo",
        &[
            ("-q", 1),
            ("--quiet", 1),
            ("-v", 1),
            ("--verbose", 1),
            ("--locked", 1),
            ("--offline", 1),
            ("--frozen", 1),
            ("--color", 2),
        ],
    ),
    ("npm", &[("--silent", 1), ("-s", 1)]),
    ("pnpm", &[("--silent", 1), ("-s", 1)]),
    ("yarn", &[("--silent", 1), ("-s", 1)]),
    (
        "make",
        &[
            ("-s", 1),
            ("-k", 1),
            ("--silent", 1),
            ("--no-print-directory", 1),
        ],
    ),
];

/// The words that say what a command does: the program and as many words as its kind needs. `None`
/// where an option that may change everything stands in between, or a word is not known.
pub(crate) fn identity(words: &[Word]) -> Option<Vec<&str>> {
    let program = words.first().filter(|word| word.is_literal())?;
    let mut found = vec![program.text.as_str()];
    let harmless = HARMLESS.iter().find(|(name, _)| *name == program.text);
    let harmless = harmless.map_or(&[][..], |(_, flags)| *flags);
    let mut at = 1;
    while found.len() < arity(&found) {
        let Some(word) = words.get(at) else {
            break;
        };
        if !word.is_literal() {
            return None;
        }
        if let Some((_, width)) = harmless.iter().find(|(flag, _)| *flag == word.text) {
            at += width;
            continue;
        }
        // `python -m module` is named by the module.
        let names_module = word.text == "-m" && program.text.starts_with("python");
        if word.is_flag() && !names_module {
            return (found.len() == 1 && is_question(&words[at..]))
                .then_some(vec![program.text.as_str(), word.text.as_str()]);
        }
        found.push(&word.text);
        if names_module {
            found.push(&words.get(at + 1).filter(|word| word.is_literal())?.text);
            return Some(found);
        }
        at += 1;
    }
    Some(found)
}

/// `program --version` and the like: a question to the program itself.
fn is_question(words: &[Word]) -> bool {
    words.len() == 1 && matches!(words[0].text.as_str(), "--version" | "-V" | "--help" | "-h")
}

fn arity(words: &[&str]) -> usize {
    let fits = |entry: &&(&[&str], usize)| words.starts_with(entry.0);
    let longest = ARITIES
        .iter()
        .filter(fits)
        .max_by_key(|(entry, _)| entry.len());
    longest.map_or(1, |(_, arity)| *arity)
}
