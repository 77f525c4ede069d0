//! RSpec: how it is made to tell its events.
//!
//! The formatter is plain Ruby, comes with the binary and is written beside the socket for the time of a run. RSpec
//! takes it from `SPEC_OPTS`, so the project is not edited.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::channel::{Channel, ChannelError};

const FORMATTER: &str = include_str!("../../../ruby/casebook_formatter.rb");

/// What `SPEC_OPTS` has to be, so that any RSpec that is started with it tells this channel: what the user has there,
/// and the formatter.
pub fn options(channel: &Channel, users: Option<&OsString>) -> Result<OsString, ChannelError> {
    let formatter = channel.put("casebook_formatter.rb", FORMATTER)?;
    Ok(with_require(users, &formatter))
}

fn with_require(users: Option<&OsString>, file: &Path) -> OsString {
    let mut options = users.cloned().unwrap_or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    options.push("--require ");
    options.push(quoted(file.as_os_str()));
    options
}

/// As RSpec takes words apart: the way of a shell.
fn quoted(word: &OsStr) -> OsString {
    let mut quoted = OsString::from("'");
    quoted.push(word.to_string_lossy().replace('\'', r"'\''"));
    quoted.push("'");
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_has_in_spec_opts_stays() {
        let file = Path::new("/tmp/it's here/f.rb");
        assert_eq!(
            with_require(Some(&"--seed 3".into()), file),
            r"--seed 3 --require '/tmp/it'\''s here/f.rb'"
        );
        assert_eq!(
            with_require(None, Path::new("/tmp/f.rb")),
            "--require '/tmp/f.rb'"
        );
    }
}
