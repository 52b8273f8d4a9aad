//! Moments: milliseconds since the epoch in the store, RFC 3339 UTC with `Z` on the wire.

use std::borrow::Cow;
use std::fmt;

use jiff::fmt::temporal::DateTimePrinter;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// A moment with millisecond precision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The latest moment that has four digits for its year.
    const MAX_MS: i64 = 253_402_300_799_999;

    /// The moment this many milliseconds after the epoch, kept within the years 1970 to 9999.
    pub fn from_ms(ms: i64) -> Self {
        Self(ms.clamp(0, Self::MAX_MS))
    }

    /// Milliseconds since the epoch.
    pub fn as_ms(self) -> i64 {
        self.0
    }

    /// Milliseconds from `earlier` to this moment; zero when the clock went back.
    pub fn ms_since(self, earlier: Timestamp) -> u64 {
        u64::try_from(self.0 - earlier.0).unwrap_or(0)
    }

    /// This moment, later by `ms`.
    pub fn plus_ms(self, ms: u64) -> Self {
        Self::from_ms(self.0.saturating_add_unsigned(ms))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_millisecond(self.0)
            .expect("a Timestamp lies within the years 1970 to 9999");
        PRINTER
            .print_timestamp(&moment, jiff::fmt::StdFmtWrite(&mut *f))
            .map_err(|_| fmt::Error)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        let moment: jiff::Timestamp = text
            .parse()
            .map_err(|_| de::Error::custom("expected an RFC 3339 timestamp"))?;
        Ok(Self::from_ms(moment.as_millisecond()))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_milliseconds_and_z_always() {
        assert_eq!(
            Timestamp::from_ms(0).to_string(),
            "1970-01-01T00:00:00.000Z"
        );
        assert_eq!(
            Timestamp::from_ms(1_780_730_580_120).to_string(),
            "2026-06-06T07:23:00.120Z"
        );
    }

    #[test]
    fn reads_other_precisions_and_offsets() {
        let read = |text: &str| serde_json::from_str::<Timestamp>(text).map(|t| t.to_string());
        assert_eq!(
            read("\"2026-05-02T09:15:04.123456789Z\"").unwrap(),
            "2026-05-02T09:15:04.123Z"
        );
        assert_eq!(
            read("\"2026-05-02T11:15:04+02:00\"").unwrap(),
            "2026-05-02T09:15:04.000Z"
        );
        assert!(read("\"yesterday\"").is_err());
    }

    #[test]
    fn a_clock_that_went_back_gives_zero_not_a_panic() {
        let (early, late) = (Timestamp::from_ms(5), Timestamp::from_ms(9));
        assert_eq!(late.ms_since(early), 4);
        assert_eq!(early.ms_since(late), 0);
        assert_eq!(
            Timestamp::from_ms(i64::MAX).plus_ms(1),
            Timestamp::from_ms(i64::MAX)
        );
    }
}
