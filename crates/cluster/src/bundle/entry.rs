//! Which entries of a bundle are safe: those that can neither be written nor read outside of its directory.

use std::path::{Component, Path, PathBuf};

/// A path below the directory without `.` and `..`; `None` if it leads outside.
pub(super) fn normalized(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => normal.push(name),
            Component::ParentDir if normal.pop() => {}
            _ => return None,
        }
    }
    Some(normal)
}

/// Whether a symbolic link stays inside the directory, if its own directory is not a symbolic link. A `..` after a name
/// is not safe: the name may be a symbolic link, too.
pub(super) fn is_safe_link(path: &Path, target: &Path) -> bool {
    let depth = path.components().count().saturating_sub(1);
    let parents = |component: &Component<'_>| *component == Component::ParentDir;
    let leading = target.components().take_while(parents).count();
    let mut rest = target.components().skip(leading);
    leading <= depth
        && rest.all(|component| matches!(component, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_outside_are_not_safe() {
        let is_safe = |path: &str, target: &str| is_safe_link(path.as_ref(), target.as_ref());
        assert!(is_safe("a/link", "b"));
        assert!(is_safe("a/link", "../b/./c"));
        assert!(!is_safe("a/link", "../../b"));
        assert!(!is_safe("a/link", "/etc/passwd"));
        assert!(!is_safe("a/link", "b/../../c"));
        assert!(!is_safe("link", ".."));
    }
}
