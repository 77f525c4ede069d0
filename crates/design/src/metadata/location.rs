//! [`MetadataLocation`] and [`MetadataDir`]: where metadata is stored (rules M1 and M2).

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::document::Document;

/// Why the metadata file of a path cannot be located.
#[derive(Debug, thiserror::Error)]
pub enum LocationError {
    /// Only Ruby files have metadata.
    #[error("{} is not a Ruby file: {reason}", path.display())]
    NotRuby {
        /// The path as the user typed it.
        path: PathBuf,
        /// What it is instead.
        reason: &'static str,
    },
    /// The source does not exist.
    #[error("cannot read {}: no such file or directory", .0.display())]
    Missing(PathBuf),
    /// There is no project, and the fallback directory is not allowed.
    #[error(
        "no project was found: no directory above has .git or a Gemfile, and with RSPEC_AUTOMATION_PROFILE=1 metadata is not stored in /tmp"
    )]
    NoProject,
    /// The directory cannot be created.
    #[error("cannot create {}: {source}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// The directory of a project's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataDir {
    /// The project root; `None` if there is no project.
    pub root: Option<PathBuf>,
    /// The directory, absolute.
    pub path: PathBuf,
}

impl MetadataDir {
    /// The directory for sources in `dir`. The path of `cwd` is used if there is no project.
    pub fn of(dir: &Path, cwd: &Path) -> MetadataDir {
        MetadataDir::with_root(find_root(dir), cwd)
    }

    fn with_root(root: Option<PathBuf>, cwd: &Path) -> MetadataDir {
        let path = if let Some(root) = &root {
            root.join("tmp/rspec_claude_metadata")
        } else {
            // The complete path, because directories of the same name must not share metadata.
            let path = cwd.to_string_lossy();
            let name = path.trim_start_matches('/').replace('/', "%");
            Path::new("/tmp").join(format!("{name}_rspec_claude_metadata"))
        };
        MetadataDir { root, path }
    }

    /// Whether the directory is in `/tmp` because no project was found.
    pub fn is_fallback(&self) -> bool {
        self.root.is_none()
    }

    /// Creates the directory; returns whether it was created. The fallback in `/tmp` is used only if `may_fall_back`.
    pub fn create(&self, may_fall_back: bool) -> Result<bool, LocationError> {
        if self.is_fallback() && !may_fall_back {
            return Err(LocationError::NoProject);
        }
        if self.path.is_dir() {
            return Ok(false);
        }
        fs::create_dir_all(&self.path).map_err(|source| LocationError::Directory {
            path: self.path.clone(),
            source,
        })?;
        Ok(true)
    }
}

/// The closest ancestor that contains `.git` or a Gemfile.
pub fn find_root(dir: &Path) -> Option<PathBuf> {
    dir.ancestors()
        .find(|dir| dir.join(".git").exists() || dir.join("Gemfile").is_file())
        .map(Path::to_owned)
}

/// A Ruby file and the location of its metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataLocation {
    /// The Ruby file, absolute.
    pub source: PathBuf,
    /// Its path relative to the project root, with `/`.
    pub relative: String,
    /// The metadata directory.
    pub directory: MetadataDir,
    /// The metadata file of formats 1.3 and 2.0.
    pub path: PathBuf,
}

impl MetadataLocation {
    /// Locates the metadata of a path as the user typed it.
    pub fn of(typed: &Path, cwd: &Path) -> Result<MetadataLocation, LocationError> {
        let source = absolute(typed, cwd);
        let root = find_root(source.parent().unwrap_or(cwd));
        MetadataLocation::within(typed, cwd, root)
    }

    /// The same for a root that the caller has already found.
    pub fn within(
        typed: &Path,
        cwd: &Path,
        root: Option<PathBuf>,
    ) -> Result<MetadataLocation, LocationError> {
        let source = absolute(typed, cwd);
        if !typed.to_string_lossy().ends_with(".rb") {
            return Err(LocationError::NotRuby {
                path: typed.to_owned(),
                reason: not_ruby(&source),
            });
        }
        if !source.is_file() {
            return Err(LocationError::Missing(typed.to_owned()));
        }
        let directory = MetadataDir::with_root(root, cwd);
        let relative = relative(&source, directory.root.as_deref(), cwd);
        let path = directory.path.join(file_name(&relative));
        Ok(MetadataLocation {
            source,
            relative,
            directory,
            path,
        })
    }

    /// The metadata file of the plugin layout, which contains all methods of the source.
    pub fn plugin_path(&self) -> PathBuf {
        let slug = slug(&self.relative);
        plugin_dir(&self.base()).join(format!("{slug}.yml"))
    }

    /// The project root, or the source's directory if there is no project.
    pub fn base(&self) -> PathBuf {
        match &self.directory.root {
            Some(root) => root.clone(),
            None => self.source.parent().map(Path::to_owned).unwrap_or_default(),
        }
    }
}

/// Why a path that does not end in `.rb` is not a Ruby file.
fn not_ruby(path: &Path) -> &'static str {
    if path.is_dir() {
        "it is a directory"
    } else if path.exists() {
        "its name does not end in .rb"
    } else {
        "no such file"
    }
}

/// The metadata directory of the plugin layout in a project with this root.
pub fn plugin_dir(root: &Path) -> PathBuf {
    let configured = configured(root).unwrap_or_else(|| "tmp".to_owned());
    root.join(configured).join("rspec_metadata")
}

/// The `metadata_path` of the plugin's configuration file.
fn configured(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join(".claude/rspec-testing-config.yml")).ok()?;
    let document = Document::parse("rspec-testing-config.yml", text).ok()?;
    Some(document.value().get("metadata_path")?.as_str()?.to_owned())
}

/// The absolute path without `.` and `..`.
pub fn absolute(typed: &Path, cwd: &Path) -> PathBuf {
    let mut path = PathBuf::new();
    for part in cwd.join(typed).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path
}

/// Relative to the root; without a root, relative to the working directory, or the bare name if it is outside of it.
fn relative(source: &Path, root: Option<&Path>, cwd: &Path) -> String {
    let inside = source.strip_prefix(root.unwrap_or(cwd));
    let path = match (inside, source.file_name()) {
        (Ok(inside), _) => inside.to_owned(),
        (Err(_), Some(name)) => PathBuf::from(name),
        (Err(_), None) => source.to_owned(),
    };
    path.to_string_lossy().into_owned()
}

/// `metadata_app_models_cart.yml` for `app/models/cart.rb`.
fn file_name(relative: &str) -> String {
    format!("metadata_{}.yml", slug(relative))
}

/// `app_models_cart` for `app/models/cart.rb`.
pub fn slug(relative: &str) -> String {
    relative
        .strip_suffix(".rb")
        .unwrap_or(relative)
        .replace('/', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_come_from_the_relative_path() {
        for (relative, name) in [
            ("app/models/cart.rb", "metadata_app_models_cart.yml"),
            ("lib/tax/vat_rules.rb", "metadata_lib_tax_vat_rules.yml"),
            ("report.rb", "metadata_report.yml"),
            ("app/services/v2.1/x.rb", "metadata_app_services_v2.1_x.yml"),
            ("a/x.rb.rb", "metadata_a_x.rb.yml"),
            ("App/Some-Thing.rb", "metadata_App_Some-Thing.yml"),
        ] {
            assert_eq!(file_name(relative), name);
        }
    }

    #[test]
    fn the_closest_marker_is_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let shop = root.join("shop");
        let engine = shop.join("engines/pay");
        fs::create_dir_all(engine.join("lib")).unwrap();
        fs::create_dir_all(shop.join("app")).unwrap();
        fs::create_dir(shop.join(".git")).unwrap();
        fs::write(engine.join(".git"), "gitdir: elsewhere").unwrap();
        fs::write(shop.join("app/a.rb"), "").unwrap();
        fs::write(engine.join("lib/b.rb"), "").unwrap();
        let located =
            |typed: &str, cwd: &Path| MetadataLocation::of(Path::new(typed), cwd).unwrap();
        for typed in ["app/a.rb", "./app/a.rb", "app/../app/a.rb"] {
            let found = located(typed, &shop);
            assert_eq!(
                found.path,
                shop.join("tmp/rspec_claude_metadata/metadata_app_a.yml")
            );
        }
        let nested = located("engines/pay/lib/b.rb", &shop);
        assert_eq!(
            nested.path,
            engine.join("tmp/rspec_claude_metadata/metadata_lib_b.yml")
        );
        assert!(matches!(
            MetadataLocation::of(Path::new("notes.md"), &shop),
            Err(LocationError::NotRuby { .. })
        ));
        assert!(matches!(
            MetadataLocation::of(Path::new("no.rb"), &shop),
            Err(LocationError::Missing(_))
        ));
        fs::write(root.join("lone.rb"), "").unwrap();
        let lone = located("lone.rb", &root);
        if lone.directory.is_fallback() {
            let name = root.to_string_lossy()[1..].replace('/', "%");
            let dir = format!("/tmp/{name}_rspec_claude_metadata");
            assert_eq!(lone.path, Path::new(&dir).join("metadata_lone.yml"));
        }
    }
}
