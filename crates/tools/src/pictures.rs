//! The pictures of a result, for a model that sees.

use codewhale_protocol::runtime::{Attached, MediaKind};

use crate::limits::RESULT_PICTURES_MAX;
use crate::{Context, Output};

/// Gathers pictures that come with a result in base64.
#[derive(Debug)]
pub struct Pictures {
    sees: bool,
    gathered: Vec<Attached>,
}

impl Pictures {
    /// Those of a result in this context.
    pub fn of(context: &Context) -> Self {
        Self {
            sees: context.sees,
            gathered: Vec::new(),
        }
    }

    /// Takes one, and gives its number for the text. Nothing where nobody sees, where there is no
    /// more room, and for what is no picture that models take.
    pub fn take(&mut self, base64: &str) -> Option<String> {
        if !self.sees || self.gathered.len() == RESULT_PICTURES_MAX {
            return None;
        }
        let attached = Attached::read(base64).ok()?;
        if attached.media_type.kind() != MediaKind::Image {
            return None;
        }
        self.gathered.push(attached);
        Some(format!("[image {}]", self.gathered.len()))
    }

    /// The result with all of them.
    pub fn on(self, output: Output) -> Output {
        output.with_attached(self.gathered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;

    /// The beginning of a PNG picture.
    const PICTURE: &str = "iVBORw0KGgoAAAAA";

    #[test]
    fn pictures_are_numbered_and_bounded() {
        let context = Bench::new().context().with_sight(true);
        let mut pictures = Pictures::of(&context);
        assert_eq!(pictures.take("SUQzBAAA"), None, "a sound");
        assert_eq!(pictures.take("no"), None);
        for number in 1..=RESULT_PICTURES_MAX {
            assert_eq!(pictures.take(PICTURE), Some(format!("[image {number}]")));
        }
        assert_eq!(pictures.take(PICTURE), None);
        let output = pictures.on(Output::success("done"));
        assert_eq!(output.attached.len(), RESULT_PICTURES_MAX);
    }

    #[test]
    fn nobody_is_shown_what_they_cannot_see() {
        let context = Bench::new().context();
        assert_eq!(Pictures::of(&context).take(PICTURE), None);
    }
}
