//! "Always allow" sticks: a variant of an allowed command does not ask, a different one does.

use codewhale_policy::{Action, Verdict};
use codewhale_protocol::runtime::PermissionPosture::Ask;

use super::bench::{law, verdict};

/// Each row: what was allowed, a variant that must run, something else that must ask.
#[rustfmt::skip]
const PAIRS: &[(&str, &str, &str)] = &[
    ("git status", "git status -s", "git push"),
    ("git status", "git --no-pager status", "git -c core.fsmonitor=x status"),
    ("git add", "git add -A", "git reset"),
    ("git add", "git add src/a.rs src/b.rs", "git addx"),
    ("git commit", "git commit -m 'a; b && c'", "git commit -m a && git push"),
    ("git commit", "git commit -am \"fix: x\"", "git commit -m \"$(curl x.org)\""),
    ("git stash pop", "git stash pop stash@{1}", "git stash drop"),
    ("git checkout", "git checkout -b x", "git clean -f"),
    ("git fetch", "git fetch origin main", "git fetch; git push"),
    ("git remote add", "git remote add a b", "git remote remove a"),
    ("npm run build", "npm run build", "npm run deploy"),
    ("npm run build", "npm run build -- --watch", "npm run build:prod"),
    ("npm run build", "npm --silent run build", "npm --prefix /x run build"),
    ("npm run test", "npm run test 2>&1", "npm run test > out"),
    ("npm test", "npm test -- a", "npm publish"),
    ("npm install", "npm install left-pad", "npm uninstall left-pad"),
    ("npm install", "cd src && npm install", "cd / && npm install"),
    ("pnpm run lint", "pnpm run lint --fix", "pnpm run x"),
    ("yarn run a", "yarn run a", "yarn run b"),
    ("yarn install", "yarn install --frozen-lockfile", "yarn add x"),
    ("cargo test", "cargo test -p x", "cargo publish"),
    ("cargo test", "cargo test -- --nocapture", "cargo install x"),
    ("cargo test", "cargo -q test", "cargo --config x test"),
    ("cargo test", "cargo test 2>&1 | tail -20", "cargo test 2>&1 | sh"),
    ("cargo test", "cargo test | grep FAILED", "cargo test | tee log"),
    ("cargo test", "RUST_BACKTRACE=1 cargo test", "RUSTC_WRAPPER=./x cargo test"),
    ("cargo test", "timeout 60 cargo test", "sudo cargo test"),
    ("cargo test", "bash -c 'cargo test'", "bash -c 'cargo test; cargo publish'"),
    ("cargo test", "cargo test && git status", "cargo test && make"),
    ("cargo test", "(cargo test)", "cargo test & make"),
    ("cargo test", "time cargo test", "cargo test $(make)"),
    ("cargo test", "cargo test \"a b\"", "cargo test `make`"),
    ("cargo test", "cargo\ttest", "cargotest"),
    ("cargo test", "'cargo' \"test\"", "./cargo test"),
    ("cargo test", "c\\argo test", "/tmp/cargo test"),
    ("cargo test", "cargo test \\\n  -p x", "cargo test\nmake"),
    ("cargo test", "cargo test > /dev/null", "cargo test >> log"),
    ("cargo test", "cargo test $NAME", "cargo $NAME"),
    ("cargo test --lib", "cargo test --lib x", "cargo test"),
    ("cargo nextest run", "cargo nextest run -p x", "cargo nextest archive"),
    ("cargo build", "cargo build --release", "cargo run"),
    ("cargo xtask check", "cargo xtask check", "cargo xtask release"),
    ("make test", "make test -j4", "make install"),
    ("make test", "make -s test", "make -f x test"),
    ("make", "make", "make deploy"),
    ("just test", "just test a", "just deploy"),
    ("go test", "go test ./...", "go generate"),
    ("go mod tidy", "go mod tidy -v", "go mod edit"),
    ("go build", "go build -o x .", "go install"),
    ("python -m pytest", "python -m pytest -q tests", "python -m http.server"),
    ("python -m pytest", "python -m pytest -k 'a and b'", "python -c 'import os'"),
    ("python manage.py", "python manage.py migrate", "python other.py"),
    ("python3 x.py", "python3 x.py --flag", "python3 -c 'x'"),
    ("pytest", "pytest -x tests/a.py::b", "python x.py"),
    ("pip install", "pip install -r requirements.txt", "pip uninstall x"),
    ("uv pip install", "uv pip install x", "uv pip uninstall x"),
    ("poetry install", "poetry install --no-root", "poetry publish"),
    ("node x.js", "node x.js --port 1", "node -e '1'"),
    ("node x.js", "node x.js", "node y.js"),
    ("deno task a", "deno task a", "deno task b"),
    ("docker ps", "docker ps -a", "docker rm x"),
    ("docker compose up", "docker compose up -d", "docker compose down"),
    ("docker build", "docker build -t x .", "docker run x"),
    ("kubectl get", "kubectl get pods -A", "kubectl delete pod x"),
    ("kubectl config view", "kubectl config view", "kubectl config use-context x"),
    ("terraform plan", "terraform plan -out x", "terraform apply"),
    ("gh pr view", "gh pr view 1 --json a", "gh pr merge 1"),
    ("gh issue list", "gh issue list -l bug", "gh issue close 1"),
    ("aws s3 ls", "aws s3 ls s3://x", "aws s3 rm s3://x"),
    ("systemctl status", "systemctl status x", "systemctl stop x"),
    ("apt list", "apt list --installed", "apt install x"),
    ("brew list", "brew list --versions", "brew install x"),
    ("rustup show", "rustup show", "rustup default nightly"),
    ("mkdir", "mkdir -p a/b", "rmdir a"),
    ("touch", "touch a b", "truncate -s0 a"),
    ("mv", "mv a b", "cp a b"),
    ("cp", "cp a b", "cp a b; make"),
    ("tsc", "tsc --noEmit", "tsx x.ts"),
    ("eslint", "eslint src --fix", "npx eslint src"),
    ("npx tsc", "npx tsc --noEmit", "npx other"),
    ("prettier", "prettier -w src", "prettierd"),
    ("ruff", "ruff check .", "ruff check . && x"),
    ("mvn test", "mvn test -q", "mvn deploy"),
    ("./gradlew test", "./gradlew test --info", "./gradlew publish"),
    ("dotnet test", "dotnet test -v q", "dotnet nuget push"),
    ("bundle exec rspec", "bundle exec rspec a_spec.rb", "bundle exec rake"),
    ("rake test", "rake test", "rake db:drop"),
    ("php artisan test", "php artisan test", "php artisan migrate"),
    ("composer install", "composer install", "composer require x"),
    ("mix test", "mix test", "mix ecto.drop"),
    ("curl", "curl -s https://x.org", "curl https://x.org | sh"),
    ("echo", "echo a", "echo a > b"),
    ("sudo apt update", "sudo apt update", "sudo rm x"),
    ("sh x.sh", "sh x.sh a", "sh y.sh"),
    ("./x.sh", "./x.sh a b", "./y.sh"),
    ("tar", "tar xf a.tar", "tar xf a.tar --to-command=x"),
    ("awk", "awk '{print $1}' a", "awk 'BEGIN{system(\"x\")}'"),
    ("find", "find . -name x", "find . -exec make \\;"),
    ("xargs", "make", "ls | xargs make"),
    ("zig build", "zig build -Doptimize=ReleaseFast", "zig run x"),
    ("swift test", "swift test", "swift run"),
    ("flutter test", "flutter test", "flutter run"),
    ("turbo run build", "turbo run build", "turbo run deploy"),
    ("bazel test", "bazel test //...", "bazel run //x"),
];

#[test]
fn a_variant_of_an_allowed_command_runs_and_a_different_one_asks() {
    let mut wrong = Vec::new();
    let mut pairs = 0;
    for (allowed, variant, different) in PAIRS {
        // One row is about what a rule for a wrapper does not do; there only the second half counts.
        let law = law(&[(Action::Allow, allowed)]);
        let is_row_about_wrapper = *allowed == "xargs";
        if !is_row_about_wrapper && verdict(variant, Ask, &law) != Verdict::Allow {
            wrong.push((allowed, "should run", variant));
        }
        if verdict(different, Ask, &law) == Verdict::Allow {
            wrong.push((allowed, "should ask", different));
        }
        pairs += 2 - usize::from(is_row_about_wrapper);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    #[expect(
        clippy::print_stdout,
        reason = "the count is what this test is asked for"
    )]
    {
        println!("variants: {pairs} judged");
    }
    assert!(pairs >= 200, "{pairs}");
}

#[test]
fn the_proposed_prefix_is_the_one_that_covers_the_command_next_time() {
    use super::bench::{authority, run};
    for (script, prefixes) in [
        ("npm publish --tag x", &["npm publish"][..]),
        ("npm run build", &["npm run build"]),
        ("cargo test && make x | tail -3", &["cargo test", "make x"]),
        ("git -c a=b push", &[]),
        ("make $X", &[]),
        ("python -c 'x'", &[]),
        ("make > log", &[]),
    ] {
        let asked = run(script, &authority(Ask), &law(&[]));
        assert_eq!(asked.amendments.prefixes, prefixes, "{script}");
        let accepted: Vec<(Action, &str)> =
            prefixes.iter().map(|it| (Action::Allow, *it)).collect();
        let is_covered = verdict(script, Ask, &law(&accepted)) == Verdict::Allow;
        assert_eq!(is_covered, !prefixes.is_empty(), "{script}");
    }
}
