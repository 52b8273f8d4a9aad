//! How much is enough: few cases in the usual run, many in `cargo xtask test --long`.

/// Set by `cargo xtask test --long`.
const VARIABLE: &str = "CODEWHALE_LONG_TESTS";

/// The number of cases to go through.
pub fn count(usual: usize, long: usize) -> usize {
    if is_long() { long } else { usual }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where tests are told how long they may take"
)]
fn is_long() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty())
}
