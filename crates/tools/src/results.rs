//! Results that are too long for the model: the whole is kept, a part is shown.

use std::fmt;

use crate::Context;
use crate::limits::{RESULT_BYTES_MAX, RESULT_HEAD_BYTES, RESULT_TAIL_BYTES};

/// A place for long results. What is kept may be forgotten some day; then reading finds nothing.
pub trait Results: Send + Sync {
    /// Keeps a text and gives a reference to it. Nothing when it cannot be kept.
    fn keep(&self, text: &str) -> Option<String>;

    /// The text behind a reference.
    fn read(&self, reference: &str) -> Option<String>;
}

/// For turns without such a place.
pub(crate) struct KeepsNothing;

impl Results for KeepsNothing {
    fn keep(&self, _: &str) -> Option<String> {
        None
    }

    fn read(&self, _: &str) -> Option<String> {
        None
    }
}

impl fmt::Debug for dyn Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Results")
    }
}

/// A result as the model gets it.
#[derive(PartialEq, Eq, Debug)]
pub struct Fitted {
    /// What the model reads.
    pub text: String,
    /// Where the whole is, if it did not fit and was kept.
    pub reference: Option<String>,
    /// Whether something is left out.
    pub truncated: bool,
}

/// Lets a text through that fits. Of a longer one it shows beginning and end, keeps the whole,
/// and says in the last line how to read the rest.
pub async fn fit(text: String, context: &Context) -> Fitted {
    if text.len() <= RESULT_BYTES_MAX {
        return Fitted {
            text,
            reference: None,
            truncated: false,
        };
    }
    let results = context.results.clone();
    crate::blocking::blocking(move || {
        let reference = results.keep(&text);
        Fitted {
            text: cut(&text, reference.as_deref()),
            reference,
            truncated: true,
        }
    })
    .await
}

fn cut(text: &str, reference: Option<&str>) -> String {
    let head = &text[..text.floor_char_boundary(RESULT_HEAD_BYTES)];
    let tail = &text[text.ceil_char_boundary(text.len() - RESULT_TAIL_BYTES)..];
    let (total, left_out) = (text.len(), text.len() - head.len() - tail.len());
    let rest = match reference {
        Some(reference) => {
            format!("read the rest with retrieve_tool_result and ref \"{reference}\"")
        }
        None => "the rest was not kept; ask for less at a time".to_owned(),
    };
    let newline = if tail.ends_with('\n') { "" } else { "\n" };
    format!(
        "{head}\n[... {left_out} bytes left out ...]\n{tail}{newline}[cut: the result has {total} \
         bytes; {rest}]"
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::{Bench, Shelf};

    #[tokio::test]
    async fn what_fits_is_not_touched() {
        let text = "x".repeat(RESULT_BYTES_MAX);
        let fitted = fit(text.clone(), &Bench::new().context()).await;
        assert_eq!((fitted.text, fitted.truncated), (text, false));
    }

    #[tokio::test]
    async fn what_does_not_fit_shows_both_ends_and_where_the_whole_is() {
        let text = format!("first{}last", "€".repeat(RESULT_BYTES_MAX));
        let shelf = Arc::new(Shelf::default());
        let context = Bench::new().context().with_results(shelf.clone());
        let fitted = fit(text.clone(), &context).await;
        let reference = fitted.reference.unwrap();
        assert!(fitted.text.starts_with("first€") && fitted.text.len() < RESULT_BYTES_MAX);
        let last = format!("read the rest with retrieve_tool_result and ref \"{reference}\"]");
        assert!(fitted.text.contains("€last\n[cut: ") && fitted.text.ends_with(&last));
        assert_eq!(shelf.read(&reference), Some(text));
    }

    #[tokio::test]
    async fn what_cannot_be_kept_says_so() {
        let fitted = fit("x".repeat(200_000), &Bench::new().context()).await;
        assert!(
            fitted
                .text
                .ends_with("the rest was not kept; ask for less at a time]")
        );
        assert_eq!(fitted.reference, None);
    }
}
