//! Durations as text, with two or three significant digits and the unit.

/// “57 ms”, “1.24 s”, “2 min 03 s”, “1 h 02 min”. A negative duration is shown as 0 ms.
pub(crate) fn human(millis: i64) -> String {
    let millis = millis.max(0);
    if millis < 1_000 {
        return format!("{millis} ms");
    }
    // Rounded before the unit is chosen, because 59.996 s would be “60.00 s”.
    let hundredths = rounded(millis, 10);
    if hundredths < 60 * 100 {
        return format!("{}.{:02} s", hundredths / 100, hundredths % 100);
    }
    let seconds = rounded(millis, 1_000);
    if seconds < 60 * 60 {
        return format!("{} min {:02} s", seconds / 60, seconds % 60);
    }
    let minutes = rounded(millis, 60_000);
    format!("{} h {:02} min", minutes / 60, minutes % 60)
}

/// A limit as in the suite, without rounding: “2 s”, “200 ms”, “1500 ms”.
pub(crate) fn time_limit(seconds: f64) -> String {
    let millis = (seconds * 1_000.0).round();
    if millis % 1_000.0 == 0.0 {
        format!("{} s", millis / 1_000.0)
    } else {
        format!("{millis} ms")
    }
}

fn rounded(millis: i64, unit: i64) -> i64 {
    millis / unit + i64::from(millis % unit * 2 >= unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_not_rounded() {
        for (seconds, text) in [
            (2.0, "2 s"),
            (0.2, "200 ms"),
            (1.5, "1500 ms"),
            (300.0, "300 s"),
        ] {
            assert_eq!(time_limit(seconds), text);
        }
    }

    #[test]
    fn the_unit_fits_the_duration() {
        for (millis, text) in [
            (i64::MIN, "0 ms"),
            (0, "0 ms"),
            (57, "57 ms"),
            (999, "999 ms"),
            (1_000, "1.00 s"),
            (1_236, "1.24 s"),
            (59_994, "59.99 s"),
            (59_996, "1 min 00 s"),
            (123_400, "2 min 03 s"),
            (3_599_400, "59 min 59 s"),
            (3_599_600, "1 h 00 min"),
            (3_720_000, "1 h 02 min"),
            (90_000_000, "25 h 00 min"),
            (i64::MAX, "2562047788015 h 13 min"),
        ] {
            assert_eq!(human(millis), text, "{millis}");
        }
    }
}
