//! A command and its output as comments, for `--trace`.

use casebook_record::Metadata;
use serde_json::Value;

/// Returns one comment per line of the command and of its output.
pub(super) fn lines(metadata: &Metadata) -> Vec<String> {
    let text = |field: &str| {
        let field = metadata.dig(&format!("command.{field}"));
        field.and_then(Value::as_str).map(str::trim_end)
    };
    let mut lines = Vec::new();
    for (number, line) in text("command").unwrap_or_default().lines().enumerate() {
        let label = if number == 0 { "Command:" } else { "        " };
        lines.push(format!("{label} {line}"));
    }
    if let Some(code) = metadata.dig("command.exit_code").and_then(Value::as_i64) {
        lines.push(format!("Exit code: {code}"));
    }
    for (stream, label) in [
        ("output", "Output:"),
        ("stdout", "Standard output:"),
        ("stderr", "Standard error:"),
    ] {
        if let Some(written) = text(stream).filter(|written| !written.is_empty()) {
            lines.push(label.into());
            lines.extend(written.lines().map(str::to_owned));
        }
    }
    lines
}
