//! [`Root`]: the directory that confines a client.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A directory, below which all paths of a client must be.
#[derive(Debug, Clone)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn new(dir: &Path) -> io::Result<Root> {
        let dir = fs::canonicalize(dir)?;
        // Fails if it is not a directory.
        fs::read_dir(&dir)?;
        Ok(Root(dir))
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.0
    }

    /// Fails if a path is not below the root after its symbolic links are resolved. What does not exist yet must be below it too.
    pub(crate) fn check(&self, path: &Path) -> io::Result<()> {
        let outside = || {
            let root = self.0.display();
            let reason = format!("it is outside of {root}, the directory of this server");
            io::Error::new(io::ErrorKind::PermissionDenied, reason)
        };
        let mut resolved = PathBuf::new();
        for component in self.0.join(path).components() {
            match component {
                Component::ParentDir => {
                    resolved.pop();
                }
                Component::CurDir => {}
                component => resolved.push(component),
            }
            resolved = match fs::canonicalize(&resolved) {
                Ok(real) => real,
                // A link to nothing: what is written to it would be elsewhere.
                Err(_) if resolved.is_symlink() => return Err(outside()),
                Err(_) => resolved,
            };
        }
        resolved
            .starts_with(&self.0)
            .then_some(())
            .ok_or_else(outside)
    }

    /// Checks an argument that begins with a path, such as `FILE:12`, `FILE#method` or a glob.
    pub(crate) fn check_argument(&self, argument: &str) -> io::Result<()> {
        self.check(Path::new(argument))?;
        let ends = argument.match_indices(['#', ':']).map(|(at, _)| at);
        let methods = argument.match_indices(".rb.").map(|(at, _)| at + 3);
        let mut paths = ends.chain(methods).map(|end| &argument[..end]);
        paths.try_for_each(|path| self.check(Path::new(path)))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_paths_below_the_root_are_accepted() {
        let dir = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(top.join("root/sub")).unwrap();
        fs::create_dir(top.join("root2")).unwrap();
        fs::write(top.join("outside.rb"), "").unwrap();
        fs::write(top.join("root/a.rb"), "").unwrap();
        symlink(top.join("outside.rb"), top.join("root/link.rb")).unwrap();
        symlink(&top, top.join("root/up")).unwrap();
        symlink(top.join("new.rb"), top.join("root/dangling.rb")).unwrap();
        symlink("sub", top.join("root/inner")).unwrap();
        let root = Root::new(&top.join("root")).unwrap();
        let inside = top.join("root/a.rb").display().to_string();
        for path in [
            "a.rb",
            "new/b.rb",
            "sub/../a.rb",
            "inner/x",
            "a.rb#m",
            "a.rb.m",
            "a.rb:3",
            "**/*.rb",
            ".",
            "",
            &inside,
            "d00fa811",
            "latest~2",
        ] {
            assert!(root.check_argument(path).is_ok(), "{path}");
        }
        let absolute = top.join("outside.rb").display().to_string();
        let sibling = top.join("root2").display().to_string();
        for path in [
            "..",
            "../outside.rb",
            "sub/../../outside.rb",
            "link.rb",
            "link.rb#m",
            "link.rb.m",
            "link.rb:3",
            "link.rb:3-4",
            "up/outside.rb",
            "up/*.rb",
            "dangling.rb",
            "inner/../../x",
            "new/../../outside.rb",
            "*/../../outside.rb",
            &absolute,
            &sibling,
            "/",
        ] {
            assert!(root.check_argument(path).is_err(), "{path}");
        }
    }
}
