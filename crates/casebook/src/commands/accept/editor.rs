//! Opens the user's editor.

use std::io::Write as _;
use std::process::Command;

use super::refusal::Reason;
use crate::context::Context;

/// The text after the user has edited it, without newlines at its end.
pub(super) fn edit(text: &str, extension: &str, context: &Context) -> Result<String, Reason> {
    let failed = |error: std::io::Error| Reason::Edited(format!("cannot edit: {error}"));
    let mut file = tempfile::Builder::new()
        .prefix("casebook-")
        .suffix(&format!(".{extension}"))
        .tempfile()
        .map_err(failed)?;
    writeln!(file, "{text}").map_err(failed)?;
    let program = program(context);
    // The variable may contain arguments, as in `code --wait`.
    let status = Command::new("sh")
        .args(["-c", &format!("{program} \"$1\""), "sh"])
        .arg(file.path())
        .current_dir(&context.dir)
        .status()
        .map_err(failed)?;
    if !status.success() {
        let problem = format!(
            "the editor `{program}` failed ({status}); to use another, set VISUAL or EDITOR"
        );
        return Err(Reason::Edited(problem));
    }
    // Some editors replace the file, so it is opened again.
    let edited = std::fs::read_to_string(file.path()).map_err(failed)?;
    Ok(edited.trim_end_matches('\n').to_owned())
}

fn program(context: &Context) -> &str {
    let variables = ["VISUAL", "EDITOR"].into_iter();
    let set = variables.filter_map(|name| context.environment.get(name));
    let mut set = set.filter(|value| !value.trim().is_empty());
    set.next().map_or("vi", String::as_str)
}
