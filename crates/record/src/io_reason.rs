//! Why an operation of the system failed, as in all messages of Casebook.

use std::io;

/// Describes an error without its number: `no such file or directory`.
pub fn io_reason(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            let text = text.trim_end_matches(&format!(" (os error {number})"));
            let (first, rest) = text.split_at(text.len().min(1));
            first.to_lowercase() + rest
        }
        None if error.kind() == io::ErrorKind::NotFound && error.get_ref().is_none() => {
            "no such file or directory".to_owned()
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_one_form() {
        let io = |number| io::Error::from_raw_os_error(number);
        for (error, reason) in [
            (io(2), "no such file or directory"),
            (io::ErrorKind::NotFound.into(), "no such file or directory"),
            (io(13), "permission denied"),
            (io::ErrorKind::PermissionDenied.into(), "permission denied"),
            (io(21), "is a directory"),
            (io::ErrorKind::IsADirectory.into(), "is a directory"),
            (
                io::Error::other("its SHA-256 is wrong"),
                "its SHA-256 is wrong",
            ),
        ] {
            assert_eq!(io_reason(&error), reason);
        }
    }
}
