//! The names of suite files.

use std::ffi::OsStr;
use std::path::Path;

const ENDINGS: [&str; 4] = [
    ".casebook.yaml",
    ".casebook.yml",
    ".bashi.yaml",
    ".bashi.yml",
];

/// Whether a search of a directory treats a file with this name as a suite.
///
/// ```
/// # use std::path::Path;
/// use casebook_suite::is_suite;
///
/// assert!(is_suite(Path::new("suites/shop.casebook.yaml")));
/// assert!(!is_suite(Path::new("suites/shop.yaml")));
/// ```
pub fn is_suite(path: &Path) -> bool {
    path.file_name().is_some_and(|name| ending(name).is_some())
}

/// The file name without the suite ending: `shop` for `suites/shop.casebook.yaml`. For other files, the name without the
/// extension.
pub fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    if let Some(ending) = ending(name) {
        let name = name.to_string_lossy();
        return name.strip_suffix(ending).unwrap_or(&name).to_owned();
    }
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// The suite ending of a file name. Compares bytes, because names may not be UTF-8.
fn ending(name: &OsStr) -> Option<&'static str> {
    let name = name.as_encoded_bytes();
    ENDINGS
        .into_iter()
        .find(|ending| name.len() > ending.len() && name.ends_with(ending.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_suites_by_name() {
        for (path, suite, short) in [
            ("shop.casebook.yaml", true, "shop"),
            ("a/shop.casebook.yml", true, "shop"),
            ("shop.bashi.yaml", true, "shop"),
            ("shop.bashi.yml", true, "shop"),
            ("/a.b/shop.v2.casebook.yaml", true, "shop.v2"),
            ("größe.casebook.yaml", true, "größe"),
            ("shop.yaml", false, "shop"),
            ("shop.v2.yaml", false, "shop.v2"),
            ("shop.casebook.yaml.bak", false, "shop.casebook.yaml"),
            ("shopcasebook.yaml", false, "shopcasebook"),
            ("shop.Casebook.yaml", false, "shop.Casebook"),
            (".casebook.yaml", false, ".casebook"),
            ("shop.casebook.yaml/", true, "shop"),
            ("Makefile", false, "Makefile"),
            ("..", false, ""),
            ("", false, ""),
        ] {
            assert_eq!(is_suite(Path::new(path)), suite, "{path}");
            assert_eq!(stem(Path::new(path)), short, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn accepts_names_that_are_not_utf_8() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(OsStr::from_bytes(b"caf\xe9.casebook.yaml"));
        assert!(is_suite(path));
        assert_eq!(stem(path), "caf\u{fffd}");
    }
}
