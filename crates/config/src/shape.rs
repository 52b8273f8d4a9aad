//! What a value may look like, in the file and in a variable.

use std::time::Duration;

use codewhale_protocol::Secret;

use crate::file::Value;

/// Stands in a file for a key that is kept elsewhere.
const KEYRING_PLACEHOLDER: &str = "__KEYRING__";

/// No wait is longer than a year; the bound keeps sums with the clock in range.
const SECONDS_MAX: f64 = 365.0 * 24.0 * 3600.0;

/// The value does not have the shape its key wants.
#[derive(PartialEq, Debug)]
pub(crate) struct Mismatch;

/// A type of value. Reading gives nothing for a value that counts as not set.
pub(crate) trait Shape: Clone + Sized {
    /// What to write, for people.
    const EXPECTED: &'static str;

    /// Whether values of this type must not be shown.
    const IS_SECRET: bool = false;

    /// Reads a value of the file.
    fn from_value(value: &Value) -> Result<Option<Self>, Mismatch>;

    /// Reads a variable or an option, which is trimmed and not blank.
    fn from_text(text: &str) -> Result<Option<Self>, Mismatch>;

    /// What a file would hold; nothing for a secret.
    fn show(&self) -> Option<Value>;

    /// The secrets in it.
    fn into_secrets(self) -> Vec<Secret> {
        Vec::new()
    }
}

impl Shape for String {
    const EXPECTED: &'static str = "text in quotes";

    fn from_value(value: &Value) -> Result<Option<Self>, Mismatch> {
        let Value::Text(text) = value else {
            return Err(Mismatch);
        };
        let text = text.trim();
        Ok((!text.is_empty()).then(|| text.to_owned()))
    }

    fn from_text(text: &str) -> Result<Option<Self>, Mismatch> {
        Ok(Some(text.to_owned()))
    }

    fn show(&self) -> Option<Value> {
        Some(Value::Text(self.clone()))
    }
}

impl Shape for Secret {
    const EXPECTED: &'static str = String::EXPECTED;
    const IS_SECRET: bool = true;

    fn from_value(value: &Value) -> Result<Option<Self>, Mismatch> {
        match String::from_value(value)? {
            Some(text) => Self::from_text(&text),
            None => Ok(None),
        }
    }

    fn from_text(text: &str) -> Result<Option<Self>, Mismatch> {
        Ok((text != KEYRING_PLACEHOLDER).then(|| Secret::new(text)))
    }

    fn show(&self) -> Option<Value> {
        None
    }

    fn into_secrets(self) -> Vec<Secret> {
        vec![self]
    }
}

impl Shape for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_value(value: &Value) -> Result<Option<Self>, Mismatch> {
        match value {
            Value::Flag(flag) => Ok(Some(*flag)),
            _ => Err(Mismatch),
        }
    }

    fn from_text(text: &str) -> Result<Option<Self>, Mismatch> {
        match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(Some(true)),
            "0" | "false" | "no" | "off" => Ok(Some(false)),
            _ => Err(Mismatch),
        }
    }

    fn show(&self) -> Option<Value> {
        Some(Value::Flag(*self))
    }
}

macro_rules! whole_numbers {
    ($($type:ty),*) => {$(
        impl Shape for $type {
            const EXPECTED: &'static str = "a whole number";

            fn from_value(value: &Value) -> Result<Option<Self>, Mismatch> {
                match value {
                    Value::Whole(number) => <$type>::try_from(*number).map(Some).map_err(|_| Mismatch),
                    _ => Err(Mismatch),
                }
            }

            fn from_text(text: &str) -> Result<Option<Self>, Mismatch> {
                text.parse().map(Some).map_err(|_| Mismatch)
            }

            fn show(&self) -> Option<Value> {
                Some(i64::try_from(*self).map_or(Value::Other, Value::Whole))
            }
        }
    )*};
}

whole_numbers!(u16, u32, u64);

impl Shape for f64 {
    const EXPECTED: &'static str = "a number";

    fn from_value(value: &Value) -> Result<Option<Self>, Mismatch> {
        match value {
            Value::Whole(number) => Ok(Some(*number as f64)),
            Value::Number(number) if number.is_finite() => Ok(Some(*number)),
            _ => Err(Mismatch),
        }
    }

    fn from_text(text: &str) -> Result<Option<Self>, Mismatch> {
        let number: f64 = text.parse().map_err(|_| Mismatch)?;
        number.is_finite().then_some(Some(number)).ok_or(Mismatch)
    }

    fn show(&self) -> Option<Value> {
        Some(Value::Number(*self))
    }
}

impl Shape for Duration {
    const EXPECTED: &'static str = "a number of seconds, such as 30 or 0.5";

    fn from_value(value: &Value) -> Result<Option<Self>, Mismatch> {
        f64::from_value(value)?.map(seconds).transpose()
    }

    fn from_text(text: &str) -> Result<Option<Self>, Mismatch> {
        f64::from_text(text)?.map(seconds).transpose()
    }

    fn show(&self) -> Option<Value> {
        Some(match self.subsec_nanos() {
            0 => self.as_secs().show()?,
            _ => Value::Number(self.as_secs_f64()),
        })
    }
}

fn seconds(number: f64) -> Result<Duration, Mismatch> {
    if number > SECONDS_MAX {
        return Err(Mismatch);
    }
    Duration::try_from_secs_f64(number).map_err(|_| Mismatch)
}

impl Shape for Vec<String> {
    const EXPECTED: &'static str = "a list of texts, such as [\"a\", \"b\"]";

    fn from_value(value: &Value) -> Result<Option<Self>, Mismatch> {
        let Value::List(values) = value else {
            return Err(Mismatch);
        };
        let texts: Result<Vec<_>, _> = values.iter().map(String::from_value).collect();
        Ok(Some(distinct(texts?.into_iter().flatten())))
    }

    fn from_text(text: &str) -> Result<Option<Self>, Mismatch> {
        let parts = text.split(',').map(str::trim);
        Ok(Some(distinct(
            parts.filter(|part| !part.is_empty()).map(str::to_owned),
        )))
    }

    fn show(&self) -> Option<Value> {
        Some(Value::List(self.iter().cloned().map(Value::Text).collect()))
    }
}

/// Each value once, where it first stands.
pub(crate) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Shape + PartialEq + std::fmt::Debug>(text: &str, expect: Result<T, Mismatch>) {
        assert_eq!(T::from_text(text), expect.map(Some), "{text}");
    }

    #[test]
    fn variables_are_read_by_the_type_of_their_key() {
        for yes in ["1", "true", "YES", "On"] {
            check(yes, Ok(true));
        }
        for no in ["0", "false", "NO", "Off"] {
            check(no, Ok(false));
        }
        check::<bool>("maybe", Err(Mismatch));
        check("3", Ok(3_u32));
        check::<u32>("-3", Err(Mismatch));
        check::<u64>("3.0", Err(Mismatch));
        check("1.5", Ok(1.5));
        check::<f64>("nan", Err(Mismatch));
        check("0.25", Ok(Duration::from_millis(250)));
        check::<Duration>("-1", Err(Mismatch));
        check::<Duration>("1e300", Err(Mismatch));
        check("a, b,,a ", Ok(vec!["a".to_owned(), "b".to_owned()]));
    }

    #[test]
    fn a_key_that_is_kept_elsewhere_counts_as_not_set() {
        let placeholder = Value::Text(" __KEYRING__ ".into());
        assert_eq!(Secret::from_value(&placeholder), Ok(None));
        assert_eq!(Secret::from_text("__KEYRING__"), Ok(None));
        assert_eq!(Secret::from_text("k"), Ok(Some(Secret::new("k"))));
    }

    #[test]
    fn whole_numbers_do_for_numbers_but_texts_do_not() {
        assert_eq!(f64::from_value(&Value::Whole(2)), Ok(Some(2.0)));
        assert_eq!(f64::from_value(&Value::Text("2".into())), Err(Mismatch));
        assert_eq!(u64::from_value(&Value::Number(2.0)), Err(Mismatch));
        assert_eq!(u64::from_value(&Value::Whole(-1)), Err(Mismatch));
    }
}
