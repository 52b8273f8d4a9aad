//! The steps between fork and exec, so that a failure can say where it happened.

use std::io;

/// A step that failed, as it is told to the runtime in four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Session,
    Namespaces,
    Users,
    Fork,
    Private,
    Take(u16),
    ReadOnly,
    Place(u16),
    Seal,
    Directory,
    Bounds,
    Privileges,
    Grants,
    Landlock,
    Filter,
}

impl Step {
    pub(super) fn to_bytes(self) -> [u8; 4] {
        let (number, place) = match self {
            Self::Session => (0, 0),
            Self::Namespaces => (1, 0),
            Self::Users => (2, 0),
            Self::Fork => (3, 0),
            Self::Private => (4, 0),
            Self::Take(place) => (5, place),
            Self::ReadOnly => (6, 0),
            Self::Place(place) => (7, place),
            Self::Seal => (8, 0),
            Self::Directory => (9, 0),
            Self::Bounds => (10, 0),
            Self::Privileges => (11, 0),
            Self::Grants => (12, 0),
            Self::Landlock => (13, 0),
            Self::Filter => (14, 0),
        };
        let [low, high] = place.to_le_bytes();
        [number, low, high, 0]
    }

    pub(super) fn from_bytes([number, low, high, _]: [u8; 4]) -> Option<Self> {
        let place = u16::from_le_bytes([low, high]);
        Some(match number {
            0 => Self::Session,
            1 => Self::Namespaces,
            2 => Self::Users,
            3 => Self::Fork,
            4 => Self::Private,
            5 => Self::Take(place),
            6 => Self::ReadOnly,
            7 => Self::Place(place),
            8 => Self::Seal,
            9 => Self::Directory,
            10 => Self::Bounds,
            11 => Self::Privileges,
            12 => Self::Grants,
            13 => Self::Landlock,
            14 => Self::Filter,
            _ => return None,
        })
    }

    /// What was attempted and what the system said. `places` are the paths that steps count.
    pub(crate) fn explain(self, places: &[String], error: &io::Error) -> String {
        let attempt = self.attempt();
        let (Self::Take(index) | Self::Place(index)) = self else {
            return format!("{attempt} ({error})");
        };
        let place = places
            .get(usize::from(index))
            .map_or("a place", String::as_str);
        format!("{attempt} {place} ({error})")
    }

    fn attempt(self) -> &'static str {
        match self {
            Self::Session => "could not start a session",
            Self::Namespaces => "the system gives us no namespaces of our own",
            Self::Users => "could not carry the user into its namespace",
            Self::Fork => "could not start another process",
            Self::Private => "could not make the mounts our own",
            Self::Take(_) => "could not take hold of",
            Self::ReadOnly => "could not make the file system read-only",
            Self::Place(_) => "could not put in place",
            Self::Seal => "could not seal what is hidden",
            Self::Directory => "could not enter the working directory inside the walls",
            Self::Bounds => "could not bound the processes",
            Self::Privileges => "could not give up privileges",
            Self::Grants => "could not grant its own directories",
            Self::Landlock => "could not put up the Landlock walls",
            Self::Filter => "could not put up the filter of system calls",
        }
    }
}

/// A step done, or the one that failed.
pub(super) type Done = Result<(), (Step, io::Error)>;

/// Names the step of a result that failed.
pub(super) trait At<T> {
    fn at(self, step: Step) -> Result<T, (Step, io::Error)>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, step: Step) -> Result<T, (Step, io::Error)> {
        self.map_err(|error| (step, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_survives_the_way_to_the_runtime() {
        let mut seen = 0;
        for number in 0..=u8::MAX {
            if let Some(step) = Step::from_bytes([number, 3, 1, 0]) {
                assert_eq!(Step::from_bytes(step.to_bytes()), Some(step));
                assert_eq!(step.to_bytes()[0], number);
                seen += 1;
            }
        }
        assert_eq!(seen, 15);
        assert_eq!(Step::from_bytes([5, 3, 1, 0]), Some(Step::Take(259)));
    }
}
