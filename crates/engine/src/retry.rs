//! When to ask a provider again.

use std::time::Duration;

use codewhale_model::{Error, ErrorKind};

/// How patient a turn is with its provider.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RetryPolicy {
    /// Further attempts after the first.
    pub retries_max: u32,
    /// The first wait.
    pub initial: Duration,
    /// The longest wait; a provider that asks for more is not waited for.
    pub longest: Duration,
    /// What each wait is multiplied by.
    pub factor: f64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries_max: 3,
            initial: Duration::from_secs(1),
            longest: Duration::from_secs(60),
            factor: 2.0,
        }
    }
}

impl RetryPolicy {
    /// How long to wait before the attempt after `failed` ones; `None` when it is no use.
    pub(crate) fn wait(&self, failed: u32, error: &Error) -> Option<Duration> {
        if failed > self.retries_max {
            return None;
        }
        let exponent = i32::try_from(failed.saturating_sub(1)).unwrap_or(i32::MAX);
        let grown = self.initial.as_secs_f64() * self.factor.powi(exponent);
        let usual = Duration::try_from_secs_f64(grown)
            .unwrap_or(self.longest)
            .min(self.longest);
        match error.kind {
            ErrorKind::Transient | ErrorKind::Stalled | ErrorKind::Garbled => Some(usual),
            ErrorKind::RateLimited { retry_after: None } => Some(usual),
            ErrorKind::RateLimited {
                retry_after: Some(asked),
            } => (asked <= self.longest).then_some(asked.max(usual)),
            ErrorKind::Auth
            | ErrorKind::Exhausted
            | ErrorKind::Unusable
            | ErrorKind::Rejected
            | ErrorKind::ContextOverflow => None,
        }
    }
}

/// A wait in words a person reads.
pub(crate) fn in_words(wait: Duration) -> String {
    match wait.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{} ms", wait.as_millis()),
        seconds if seconds < 10.0 && seconds.fract() != 0.0 => format!("{seconds:.1} s"),
        seconds => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: ErrorKind, expect: &[Option<u64>]) {
        let error = Error::new(kind, "no");
        let policy = RetryPolicy {
            longest: Duration::from_secs(3),
            ..RetryPolicy::default()
        };
        let waits: Vec<_> = (1..=5)
            .map(|failed| policy.wait(failed, &error).map(|wait| wait.as_secs()))
            .collect();
        assert_eq!(waits, expect, "{kind:?}");
    }

    #[test]
    fn waits_grow_up_to_the_cap_and_end() {
        let growing = [Some(1), Some(2), Some(3), None, None];
        check(ErrorKind::Transient, &growing);
        check(ErrorKind::Stalled, &growing);
        check(ErrorKind::Garbled, &growing);
        check(ErrorKind::RateLimited { retry_after: None }, &growing);
    }

    #[test]
    fn a_wait_the_provider_names_is_kept_unless_it_is_too_long() {
        let named = |secs| ErrorKind::RateLimited {
            retry_after: Some(Duration::from_secs(secs)),
        };
        check(named(3), &[Some(3), Some(3), Some(3), None, None]);
        check(named(86_400), &[None; 5]);
    }

    #[test]
    fn what_will_fail_again_is_not_tried_again() {
        check(ErrorKind::Auth, &[None; 5]);
        check(ErrorKind::Rejected, &[None; 5]);
        check(ErrorKind::ContextOverflow, &[None; 5]);
    }

    #[test]
    fn a_wait_is_told_in_its_own_size() {
        let words = |ms| in_words(Duration::from_millis(ms));
        assert_eq!(
            [words(250), words(1_500), words(2_000), words(60_000)],
            ["250 ms", "1.5 s", "2 s", "60 s"]
        );
    }
}
