//! Complexity zones: rule L13.

/// How complex a file is to test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// Under 150 lines and 7 methods.
    Green,
    /// Up to 300 lines and 12 methods.
    Yellow,
    /// Larger than yellow.
    Red,
}

impl Zone {
    /// The zone of a file with this many lines and methods.
    pub fn of(lines: usize, methods: usize) -> Zone {
        if lines < 150 && methods < 7 {
            Zone::Green
        } else if lines <= 300 && methods <= 12 {
            Zone::Yellow
        } else {
            Zone::Red
        }
    }

    /// The spelling of the plugin layout.
    pub fn as_str(self) -> &'static str {
        match self {
            Zone::Green => "green",
            Zone::Yellow => "yellow",
            Zone::Red => "red",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones() {
        for (lines, methods, expected) in [
            (149, 6, Zone::Green),
            (150, 6, Zone::Yellow),
            (10, 7, Zone::Yellow),
            (300, 12, Zone::Yellow),
            (301, 1, Zone::Red),
            (10, 13, Zone::Red),
        ] {
            assert_eq!(Zone::of(lines, methods), expected, "{lines} {methods}");
        }
    }
}
