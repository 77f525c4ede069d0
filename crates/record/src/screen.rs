//! [`Screen`]: what a terminal shows, with its colors, as recorded under `screen` in the metadata of a command.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::metadata::Metadata;

/// What a terminal shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Screen {
    /// Its width.
    pub columns: u16,
    /// Its height.
    pub rows: u16,
    /// Its lines from the top, without blanks at their ends and without empty lines at the end.
    pub lines: Vec<ScreenLine>,
}

/// A line of a screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ScreenLine {
    /// Text without colors.
    Plain(String),
    /// Text with colors.
    Styled(Vec<ScreenRun>),
}

/// Text of one style.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are separate styles, and any may be combined"
)]
pub struct ScreenRun {
    /// The text.
    pub text: String,
    /// Its color: a number from 0 to 255, or `#rrggbb`. `None` for the terminal's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The color behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// Whether it is bold.
    #[serde(skip_serializing_if = "is_false")]
    pub bold: bool,
    /// Whether it is faint.
    #[serde(skip_serializing_if = "is_false")]
    pub faint: bool,
    /// Whether it is italic.
    #[serde(skip_serializing_if = "is_false")]
    pub italic: bool,
    /// Whether it is underlined.
    #[serde(skip_serializing_if = "is_false")]
    pub underline: bool,
    /// Whether it is struck through.
    #[serde(skip_serializing_if = "is_false")]
    pub strikethrough: bool,
    /// Whether its two colors are exchanged.
    #[serde(skip_serializing_if = "is_false")]
    pub inverse: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires it")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Screen {
    /// The key of a screen in metadata.
    pub const KEY: &'static str = "screen";

    /// The screen in the metadata of a command or an evaluation; `None` if it has none.
    pub fn of(metadata: &Metadata) -> Option<Screen> {
        Screen::of_value(metadata.get(Screen::KEY)?)
    }

    /// The screen in a value of metadata.
    pub fn of_value(value: &Value) -> Option<Screen> {
        Screen::deserialize(value).ok()
    }

    /// The text without colors.
    pub fn text(&self) -> String {
        let lines: Vec<_> = self.lines.iter().map(ScreenLine::text).collect();
        lines.join("\n").trim_end_matches('\n').to_owned()
    }

    /// Whether it shows nothing.
    pub fn is_blank(&self) -> bool {
        self.lines.is_empty()
    }
}

impl ScreenLine {
    /// The text without colors.
    pub fn text(&self) -> String {
        match self {
            ScreenLine::Plain(text) => text.clone(),
            ScreenLine::Styled(runs) => {
                let text: String = runs.iter().map(|run| run.text.as_str()).collect();
                text.trim_end().to_owned()
            }
        }
    }
}

impl ScreenRun {
    /// Whether it has neither colors nor another style.
    pub fn is_plain(&self) -> bool {
        let plain = ScreenRun {
            text: self.text.clone(),
            ..ScreenRun::default()
        };
        *self == plain
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_screen_is_read_as_it_was_written() {
        let value = json!({
            "columns": 80, "rows": 24,
            "lines": ["plain", [{"text": "red", "color": "1", "bold": true}, {"text": " x "}]]
        });
        let screen = Screen::of_value(&value).unwrap();
        assert_eq!(screen.text(), "plain\nred x");
        assert_eq!(json!(screen), value);
    }

    #[test]
    fn other_values_are_no_screens() {
        for value in [
            json!(null),
            json!("text"),
            json!({"columns": 80, "lines": 1}),
        ] {
            assert_eq!(Screen::of_value(&value), None, "{value}");
        }
    }
}
