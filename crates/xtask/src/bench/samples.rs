//! What was measured, and what is said of it.

/// The values of one figure: some runs, each with one value or many.
#[derive(Clone, Default, Debug)]
pub(super) struct Samples {
    runs: Vec<Vec<f64>>,
}

/// What is said of a figure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Summary {
    /// The median of the medians of the runs.
    pub(super) median: f64,
    /// The median of the 99th percentiles of the runs, when they have enough values for one.
    pub(super) p99: Option<f64>,
    /// The least and the greatest median of a run.
    pub(super) least: f64,
    pub(super) greatest: f64,
    pub(super) runs: usize,
}

/// Fewer values than this have no 99th percentile worth the name.
const VALUES_FOR_P99: usize = 100;

impl Samples {
    /// A figure that is the same each time.
    pub(super) fn once(value: f64) -> Self {
        Self {
            runs: vec![vec![value]],
        }
    }

    /// Adds a run that gave one value.
    pub(super) fn value(&mut self, value: f64) {
        self.runs.push(vec![value]);
    }

    /// Adds a run that gave many.
    pub(super) fn values(&mut self, values: Vec<f64>) {
        self.runs.push(values);
    }

    /// Nothing, when there are no runs or one of them is empty.
    pub(super) fn summary(&self) -> Option<Summary> {
        let medians = sorted(
            self.runs
                .iter()
                .map(|run| percentile(&sorted(run.iter().copied()), 50.0)),
        );
        if medians.is_empty() || medians.iter().any(|median| median.is_nan()) {
            return None;
        }
        let has_p99 = self.runs.iter().all(|run| run.len() >= VALUES_FOR_P99);
        let p99 = sorted(
            self.runs
                .iter()
                .map(|run| percentile(&sorted(run.iter().copied()), 99.0)),
        );
        Some(Summary {
            median: percentile(&medians, 50.0),
            p99: has_p99.then(|| percentile(&p99, 50.0)),
            least: medians[0],
            greatest: medians[medians.len() - 1],
            runs: self.runs.len(),
        })
    }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// The value that so many percent of the sorted values do not exceed. Between two middle values
/// the median is the lower one: each figure was really seen.
fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_that_was_seen() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(percentile(&values, 50.0), 100.0);
        assert_eq!(percentile(&values, 99.0), 198.0);
        assert_eq!(percentile(&values, 100.0), 200.0);
        assert_eq!(percentile(&[7.0], 99.0), 7.0);
        assert_eq!(percentile(&[1.0, 2.0, 3.0], 50.0), 2.0);
        assert!(percentile(&[], 50.0).is_nan());
    }

    #[test]
    fn one_bad_run_moves_the_spread_and_not_the_figure() {
        let mut samples = Samples::default();
        samples.value(3.0);
        samples.value(1.0);
        samples.value(90.0);
        let summary = samples.summary().unwrap();
        assert_eq!(
            (summary.least, summary.median, summary.greatest),
            (1.0, 3.0, 90.0)
        );
        assert_eq!((summary.p99, summary.runs), (None, 3));
    }

    #[test]
    fn runs_of_many_values_have_a_tail() {
        let mut samples = Samples::default();
        for _ in 0..3 {
            samples.values((1..=100).map(f64::from).collect());
        }
        assert_eq!(samples.summary().unwrap().p99, Some(99.0));
        samples.values(vec![1.0]);
        assert_eq!(samples.summary().unwrap().p99, None);
    }

    #[test]
    fn nothing_measured_is_nothing_said() {
        assert_eq!(Samples::default().summary(), None);
        let mut samples = Samples::default();
        samples.values(Vec::new());
        assert_eq!(samples.summary(), None);
    }
}
