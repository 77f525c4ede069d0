//! Parses numbers and times in the tools' formats.

use super::xml::Element;
use crate::time::Time;

/// A duration in seconds. Old versions of Surefire group thousands: `1,234.5`.
pub(super) fn seconds(element: &Element) -> Option<f64> {
    element.get("time").and_then(parse_seconds)
}

fn parse_seconds(text: &str) -> Option<f64> {
    // Some locales write half a second as `0,5`; a number with thousands groups never starts with 0.
    let plain = match text.strip_prefix("0,") {
        Some(fraction) => format!("0.{fraction}"),
        None => text.replace(',', ""),
    };
    let seconds = plain.parse::<f64>().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
}

/// The start time; UTC if it has no offset.
pub(super) fn timestamp(element: &Element) -> Option<Time> {
    Time::parse_assuming_utc(element.get("timestamp")?).ok()
}

pub(super) fn count(element: &Element, attribute: &str) -> u64 {
    let text = element.get(attribute).unwrap_or_default();
    text.replace(',', "").parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, seconds) in [
            ("0.5", Some(0.5)),
            ("12", Some(12.0)),
            ("1,234.5", Some(1234.5)),
            ("1,234", Some(1234.0)),
            ("0,5", Some(0.5)),
            ("1e-3", Some(0.001)),
            ("-1", None),
            ("NaN", None),
            ("inf", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(parse_seconds(text), seconds, "{text}");
        }
    }
}
