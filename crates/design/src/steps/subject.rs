//! Parses what the user typed: `FILE`, `FILE#method`, `FILE.method`, `FILE#Class#method`, or a metadata file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::metadata::location::MetadataLocation;
use crate::ruby::{MethodQuery, MethodType, methods};

use super::StepError;

/// A file, and optionally one of its methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The path as it was typed.
    pub file: PathBuf,
    /// The requested method.
    pub method_query: MethodQuery,
}

impl Subject {
    /// Parses an argument.
    pub fn parse(typed: &str) -> Subject {
        let Some((file, sign, rest)) = split(typed) else {
            return Subject {
                file: PathBuf::from(typed),
                method_query: MethodQuery::default(),
            };
        };
        Subject {
            file: PathBuf::from(file),
            method_query: method_query(sign, rest),
        }
    }

    /// Fails if the file does not define the requested method.
    pub fn require_method(&self, cwd: &Path) -> Result<(), StepError> {
        if self.method_query.name.is_none() {
            return Ok(());
        }
        let source = fs::read(cwd.join(&self.file)).map_err(|source| StepError::Unreadable {
            path: self.file.clone(),
            source,
        })?;
        let in_file = |source| StepError::Ruby {
            file: self.file.clone(),
            source,
        };
        let methods = methods(&source).map_err(in_file)?;
        if methods.iter().any(|one| self.method_query.matches(one)) {
            return Ok(());
        }
        Err(in_file(self.method_query.not_found(methods.iter())))
    }
}

/// Parses what follows a file and a sign: a method, or a class, a sign and a method.
fn method_query(sign: char, typed: &str) -> MethodQuery {
    let (class, sign, name) = match typed.rsplit_once(['#', '.']) {
        Some((class, name)) if class.starts_with(|first: char| first.is_ascii_uppercase()) => {
            let sign = typed[class.len()..].chars().next().unwrap_or('#');
            (Some(class.to_owned()), sign, name)
        }
        _ => (None, sign, typed),
    };
    MethodQuery {
        class,
        name: Some(name.to_owned()),
        // `#` works for any method; `.` requires a class method.
        method_type: (sign == '.').then_some(MethodType::Class),
        ..MethodQuery::default()
    }
}

/// Splits an argument into file, sign and the rest. `None` if it has no method.
fn split(typed: &str) -> Option<(&str, char, &str)> {
    let end = [".rb#", ".rb."]
        .iter()
        .filter_map(|mark| typed.find(mark))
        .min()?
        + 3;
    let (file, rest) = typed.split_at(end);
    let sign = rest.chars().next()?;
    Some((file, sign, &rest[1..])).filter(|(_, _, rest)| !rest.is_empty())
}

/// The metadata that a later step works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The metadata file.
    pub metadata: PathBuf,
    /// The requested method. Without a name, all methods of the plugin layout; in the other formats the method at the top
    /// level.
    pub method_query: MethodQuery,
}

impl Target {
    /// The name of the requested method.
    pub(super) fn method(&self) -> Option<&str> {
        self.method_query.name.as_deref()
    }

    /// Parses an argument that names the metadata or its source.
    pub fn find(typed: &str, cwd: &Path) -> Result<Target, StepError> {
        let is_metadata = [".yml", ".yaml"].iter().any(|end| typed.ends_with(end));
        if is_metadata {
            return Ok(Target {
                metadata: crate::metadata::location::absolute(Path::new(typed), cwd),
                method_query: MethodQuery::default(),
            });
        }
        if let Some((file, method)) = typed.split_once(".yml#") {
            return Ok(Target {
                metadata: crate::metadata::location::absolute(
                    Path::new(&format!("{file}.yml")),
                    cwd,
                ),
                method_query: method_query('#', method),
            });
        }
        let subject = Subject::parse(typed);
        let located = MetadataLocation::of(&subject.file, cwd)?;
        let plugin = Some(located.plugin_path()).filter(|path| path.is_file());
        let metadata = match plugin {
            Some(plugin) if !located.path.is_file() => plugin,
            _ => located.path,
        };
        Ok(Target {
            metadata,
            method_query: subject.method_query,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_subject() {
        for (typed, file, class, name, is_class) in [
            ("a/b.rb", "a/b.rb", None, None, false),
            ("a/b.rb#call", "a/b.rb", None, Some("call"), false),
            ("a/b.rb.call", "a/b.rb", None, Some("call"), true),
            ("b.rb#A::B#ok?", "b.rb", Some("A::B"), Some("ok?"), false),
            ("b.rb#A::B.call!", "b.rb", Some("A::B"), Some("call!"), true),
            ("v1.2/b.rb#x=", "v1.2/b.rb", None, Some("x="), false),
            ("b.rb#", "b.rb#", None, None, false),
            ("notes.md", "notes.md", None, None, false),
        ] {
            let subject = Subject::parse(typed);
            assert_eq!(subject.file, Path::new(file), "{typed}");
            assert_eq!(subject.method_query.class.as_deref(), class, "{typed}");
            assert_eq!(subject.method_query.name.as_deref(), name, "{typed}");
            assert_eq!(
                subject.method_query.method_type == Some(MethodType::Class),
                is_class,
                "{typed}"
            );
        }
    }
}
