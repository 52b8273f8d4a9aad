//! Time, ids and other processes. The only place that looks at the clock, draws random numbers or
//! looks for processes, so that a seed can replay everything else.

use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use codewhale_protocol::runtime::Timestamp;
use jiff::tz::TimeZone;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use uuid::{Builder, Uuid};

/// Where the runtime gets time and ids from.
pub struct Env(Kind);

enum Kind {
    Real,
    Simulated {
        start: tokio::time::Instant,
        epoch: Timestamp,
        state: Mutex<u64>,
    },
}

impl Env {
    /// The clock and the randomness of the machine.
    pub fn real() -> Self {
        Self(Kind::Real)
    }

    /// A world that a seed decides: ids are drawn from it, and the clock is that of tokio, which a
    /// simulation pauses.
    pub fn simulated(seed: u64, epoch: Timestamp) -> Self {
        let start = tokio::time::Instant::now();
        Self(Kind::Simulated {
            start,
            epoch,
            state: Mutex::new(seed),
        })
    }

    /// The moment now.
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Kind::Real => Timestamp::from_ms(real_now_ms()),
            Kind::Simulated { start, epoch, .. } => {
                epoch.plus_ms(u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX))
            }
        }
    }

    /// The day of a moment where the program runs; in a simulation, where Greenwich is.
    pub(crate) fn local_date(&self, at: Timestamp) -> String {
        let zone = match &self.0 {
            Kind::Real => TimeZone::system(),
            Kind::Simulated { .. } => TimeZone::UTC,
        };
        let moment = jiff::Timestamp::from_millisecond(at.as_ms()).unwrap_or_default();
        moment.to_zoned(zone).date().to_string()
    }

    /// Whether a process of this number is to be seen. It may be another one by now, and one that
    /// lives in another container is not to be seen.
    pub(crate) fn sees(&self, pid: u32) -> bool {
        match &self.0 {
            Kind::Simulated { .. } => true,
            Kind::Real => {
                let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
                pid.is_none_or(|pid| test_kill_process(pid) != Err(Errno::SRCH))
            }
        }
    }

    /// A new id: time-ordered, with a random part that nobody can guess.
    pub fn uuid(&self) -> Uuid {
        let mut random = [0; 10];
        match &self.0 {
            Kind::Real => getrandom::fill(&mut random).expect("the system has randomness"),
            Kind::Simulated { state, .. } => {
                let mut state = state
                    .lock()
                    .expect("nothing panics while it holds the seed");
                for chunk in random.chunks_mut(8) {
                    chunk.copy_from_slice(&split_mix(&mut state).to_le_bytes()[..chunk.len()]);
                }
            }
        }
        let ms = u64::try_from(self.now().as_ms()).unwrap_or(0);
        Builder::from_unix_timestamp_millis(ms, &random).into_uuid()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the clock"
)]
fn real_now_ms() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// SplitMix64: enough for ids that need not be secret.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_same_seed_gives_the_same_ids_at_the_same_time() {
        let draw = || {
            let env = Env::simulated(7, Timestamp::from_ms(1_000));
            (0..5).map(|_| env.uuid()).collect::<Vec<_>>()
        };
        let ids = draw();
        assert_eq!(ids, draw());
        assert_eq!(
            ids.iter().collect::<std::collections::BTreeSet<_>>().len(),
            5
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_day_of_a_moment_is_written_as_calendars_do() {
        let env = Env::simulated(7, Timestamp::from_ms(0));
        let day = |ms| env.local_date(Timestamp::from_ms(ms));
        assert_eq!(
            [day(86_399_999), day(86_400_000)],
            ["1970-01-01", "1970-01-02"]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn simulated_time_is_the_paused_clock() {
        let env = Env::simulated(7, Timestamp::from_ms(1_000));
        tokio::time::advance(std::time::Duration::from_millis(250)).await;
        assert_eq!(env.now(), Timestamp::from_ms(1_250));
    }
}
