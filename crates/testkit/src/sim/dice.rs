//! Randomness that a seed decides.

use std::time::Duration;

/// Draws that are the same for the same seed.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Dice for one purpose: what is drawn for one does not shift what is drawn for another.
    pub(crate) fn new(seed: u64, purpose: &[u64]) -> Self {
        let mut dice = Self(seed);
        for number in purpose {
            dice.0 = dice.draw() ^ number;
        }
        dice
    }

    /// SplitMix64.
    pub(crate) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which must not be zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("usize is at most 64 bits wide");
        usize::try_from(self.draw() % end).expect("it is below a usize")
    }

    /// True so many times out of a hundred.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub(crate) fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }

    /// One of these, by weight.
    pub(crate) fn weighted<'a, T>(&mut self, among: &'a [(usize, T)]) -> &'a T {
        let mut left = self.below(among.iter().map(|(weight, _)| weight).sum());
        for (weight, value) in among {
            match left.checked_sub(*weight) {
                None => return value,
                Some(rest) => left = rest,
            }
        }
        unreachable!("the draw is below the sum of the weights")
    }

    /// A time from `from` to `to` milliseconds.
    pub(crate) fn ms(&mut self, from: usize, to: usize) -> Duration {
        let ms = from + self.below(to - from + 1);
        Duration::from_millis(u64::try_from(ms).expect("usize is at most 64 bits wide"))
    }
}
