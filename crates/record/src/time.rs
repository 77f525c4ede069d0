//! A point in time in UTC with millisecond precision, used everywhere in a record.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::fmt::strtime;
use jiff::fmt::temporal::DateTimePrinter;
use jiff::tz::Offset;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// A point in time in UTC with millisecond precision.
///
/// Parses any offset and writes UTC.
///
/// ```
/// use casebook_record::Time;
///
/// let time: Time = "2026-11-15T09:40:51.5+01:00".parse()?;
/// assert_eq!(time.to_string(), "2026-11-15T08:40:51.500+00:00");
/// # Ok::<(), casebook_record::InvalidTime>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// A text that is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time such as 2026-11-15T08:40:51.594Z")]
pub struct InvalidTime(String);

impl Time {
    /// Creates a time from milliseconds since 1970-01-01T00:00:00Z, clamped to the years that can be written.
    pub fn from_millis(millis: i64) -> Time {
        Time(millis.clamp(
            Timestamp::MIN.as_millisecond(),
            Timestamp::MAX.as_millisecond(),
        ))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// Milliseconds since `earlier`; 0 if this time is before it.
    pub fn millis_since(self, earlier: Time) -> i64 {
        (self.0 - earlier.0).max(0)
    }

    /// The time this many seconds later, or earlier if negative.
    #[must_use]
    pub fn plus_seconds(self, seconds: f64) -> Time {
        Time::from_millis(self.0.saturating_add(millis(seconds)))
    }

    /// Formats the time in UTC with a pattern of `strftime`.
    pub fn format(self, pattern: &str) -> String {
        strtime::format(pattern, self.timestamp()).unwrap_or_else(|_| self.to_string())
    }

    /// Parses a date and time without an offset as UTC, or any text that [`Time::from_str`] accepts.
    pub fn parse_assuming_utc(text: &str) -> Result<Time, InvalidTime> {
        text.parse()
            .or_else(|error| match text.parse::<jiff::civil::DateTime>() {
                Ok(civil) => Offset::UTC
                    .to_timestamp(civil)
                    .map(Time::from)
                    .map_err(|_| error),
                Err(_) => Err(error),
            })
    }

    fn print(self, out: impl jiff::fmt::Write) -> Result<(), jiff::Error> {
        const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
        PRINTER.print_timestamp_with_offset(&self.timestamp(), Offset::UTC, out)
    }

    fn timestamp(self) -> Timestamp {
        // Not `from_millisecond`, which rejects the fraction of the last representable second.
        let nanos = i32::try_from(self.0 % 1_000 * 1_000_000).expect("less than a second");
        Timestamp::new(self.0 / 1_000, nanos).expect("every constructor clamps to jiff's range")
    }
}

/// Converts seconds to milliseconds, rounded.
#[expect(
    clippy::cast_possible_truncation,
    reason = "`as` saturates, which is acceptable for an absurd duration"
)]
pub(crate) fn millis(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}

impl From<Timestamp> for Time {
    fn from(timestamp: Timestamp) -> Time {
        Time(timestamp.as_millisecond())
    }
}

impl FromStr for Time {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<Time, InvalidTime> {
        if let Ok(timestamp) = text.parse::<Timestamp>() {
            return Ok(timestamp.into());
        }
        // Ruby's `Time#to_s`: `2026-11-15 08:40:53 +0000`, and `… UTC` for a time in UTC.
        let (local, zone) = text
            .rsplit_once(' ')
            .ok_or_else(|| InvalidTime(text.into()))?;
        let zone = if zone == "UTC" { "+0000" } else { zone };
        Timestamp::strptime("%Y-%m-%d %H:%M:%S%.f %z", format!("{local} {zone}"))
            .map(Time::from)
            .map_err(|_| InvalidTime(text.into()))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(jiff::fmt::StdFmtWrite(f))
            .map_err(|_| fmt::Error)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        struct TimeVisitor;
        impl Visitor<'_> for TimeVisitor {
            type Value = Time;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time such as \"2026-11-15T08:40:51.594Z\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(TimeVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_form_and_writes_utc() {
        for (text, written) in [
            (
                "2026-11-15T08:40:51.594+00:00",
                "2026-11-15T08:40:51.594+00:00",
            ),
            ("2026-11-15T08:40:51.594Z", "2026-11-15T08:40:51.594+00:00"),
            ("2026-11-15T09:40:51+01:00", "2026-11-15T08:40:51.000+00:00"),
            (
                "2026-11-15T08:40:51.594999-00:30",
                "2026-11-15T09:10:51.594+00:00",
            ),
            ("2026-11-15 08:40:53 +0000", "2026-11-15T08:40:53.000+00:00"),
            ("2026-11-15 10:40:53 +0200", "2026-11-15T08:40:53.000+00:00"),
            ("2026-11-15 08:40:53 UTC", "2026-11-15T08:40:53.000+00:00"),
            (
                "2026-11-15 08:40:53.25 +0000",
                "2026-11-15T08:40:53.250+00:00",
            ),
        ] {
            assert_eq!(text.parse::<Time>().unwrap().to_string(), written, "{text}");
        }
    }

    #[test]
    fn rejects_texts_that_are_not_times() {
        for text in [
            "",
            "yesterday",
            "2026-11-15",
            "2026-11-15T08:40:51",
            "2026-13-15 08:40:53 +0000",
            "1763195253",
        ] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_without_offset_is_parsed_as_utc_on_request() {
        let time = Time::parse_assuming_utc("2026-11-15T08:40:51").unwrap();
        assert_eq!(time.to_string(), "2026-11-15T08:40:51.000+00:00");
        assert!(Time::parse_assuming_utc("soon").is_err());
    }

    #[test]
    fn the_first_and_last_times_can_be_written() {
        for millis in [i64::MIN, i64::MAX, -1, 0] {
            let time = Time::from_millis(millis);
            assert_eq!(time.to_string().parse::<Time>().unwrap(), time, "{millis}");
        }
    }

    #[test]
    fn durations_are_never_negative() {
        let (early, late) = (Time::from_millis(1_000), Time::from_millis(1_250));
        assert_eq!(late.millis_since(early), 250);
        assert_eq!(early.millis_since(late), 0);
        assert_eq!(early.plus_seconds(0.2504), Time::from_millis(1_250));
    }
}
