//! Adds the comment `frozen_string_literal`.

const FROZEN: &str = "# frozen_string_literal: true";

/// The text with the comment at the top; `None` if it already has one.
///
/// A byte order mark, the `#!` line and the encoding stay before it.
pub(super) fn frozen(text: &str) -> Option<String> {
    if text.replace('-', "_").contains("frozen_string_literal:") {
        return None;
    }
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut end = mark;
    let mut lines = text[mark..].split_inclusive('\n').peekable();
    for is_first in [is_shebang, is_encoding] {
        if let Some(line) = lines.next_if(|line| is_first(line)) {
            end += line.len();
        }
    }
    let (before, rest) = text.split_at(end);
    if !before.is_empty() && end > mark && !before.ends_with('\n') {
        return None;
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let rest = rest.trim_start_matches(['\r', '\n']);
    Some(format!("{before}{FROZEN}{line_end}{line_end}{rest}"))
}

fn is_shebang(line: &str) -> bool {
    line.starts_with("#!")
}

fn is_encoding(line: &str) -> bool {
    let line = line.to_lowercase();
    line.starts_with('#') && (line.contains("coding:") || line.contains("coding="))
}
