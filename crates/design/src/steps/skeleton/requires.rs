//! What a new spec requires, so that it can be loaded: the project's own helper and, for a library, the source.

mod project_specs;

use std::fs;
use std::path::Path;

use project_specs::ProjectSpecs;

/// The lines with which a spec of this source starts. `file` is the source, relative to the root.
pub(super) fn requires(root: &Path, spec: &Path, file: &str) -> Vec<String> {
    let options = RspecOptions::of(root);
    let specs = ProjectSpecs::of(root, file);
    let helper = specs
        .helper(spec)
        .or_else(|| specs.usual_helper(spec, file));
    let helper = helper.filter(|helper| !options.requires.contains(helper));
    let mut lines: Vec<String> = helper.iter().map(|name| require(name)).collect();
    match SourceFile::of(file) {
        SourceFile::Library { base, path } => {
            let lib = root.join(base).join("lib");
            if base.is_empty() || specs.require_from(&lib) {
                let loaded = specs.text_of_helpers(helper.as_ref(), &options);
                let names = entry(&lib, path).filter(|entry| !requires_name(&loaded, entry));
                let names = names.into_iter().chain([path.to_owned()]);
                let names = names.filter(|name| !options.requires.contains(name));
                lines.extend(names.map(|name| require(&name)));
            } else {
                lines.extend(relative(root, spec, file));
            }
        }
        SourceFile::Other if helper.is_none() && options.requires.is_empty() => {
            lines.extend(relative(root, spec, file));
        }
        SourceFile::Other | SourceFile::Script => {}
    }
    lines.dedup();
    lines
}

fn require(name: &str) -> String {
    format!("require \"{name}\"")
}

/// Where a source is.
enum SourceFile<'f> {
    /// In `lib`, below this directory, with this path below `lib`.
    Library {
        base: &'f str,
        path: &'f str,
    },
    /// A program, which would run when it is required.
    Script,
    Other,
}

impl SourceFile<'_> {
    fn of(file: &str) -> SourceFile<'_> {
        let stem = file.strip_suffix(".rb").unwrap_or(file);
        if let Some(path) = stem.strip_prefix("lib/") {
            return SourceFile::Library { base: "", path };
        }
        if let Some((base, path)) = stem
            .split_once("/lib/")
            .filter(|_| !file.starts_with("app/"))
        {
            return SourceFile::Library { base, path };
        }
        if file.starts_with("bin/") || file.starts_with("exe/") {
            return SourceFile::Script;
        }
        SourceFile::Other
    }
}

/// The file that loads the library, if the source is another one: `tty/option` for `tty/option/parser`.
fn entry(lib: &Path, path: &str) -> Option<String> {
    let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
    let mut entries = ends.filter(|entry| lib.join(format!("{entry}.rb")).is_file());
    entries.next().map(ToOwned::to_owned)
}

/// What `.rspec` tells RSpec to require.
struct RspecOptions {
    requires: Vec<String>,
}

impl RspecOptions {
    fn of(root: &Path) -> RspecOptions {
        let text = fs::read_to_string(root.join(".rspec")).unwrap_or_default();
        let text = text.replace("--require=", "--require ");
        let mut words = text.split_whitespace();
        let mut requires = Vec::new();
        while let Some(word) = words.next() {
            let name = match word {
                "--require" | "-r" => words.next(),
                _ => word.strip_prefix("-r"),
            };
            requires.extend(name.map(|name| name.trim_matches(['"', '\'']).to_owned()));
        }
        RspecOptions { requires }
    }
}

fn requires_name(text: &str, name: &str) -> bool {
    ["\"", "'"]
        .iter()
        .any(|quote| text.contains(&format!("require {quote}{name}{quote}")))
}

/// The line that requires the source by its path from the spec.
fn relative(root: &Path, spec: &Path, file: &str) -> Option<String> {
    let dir = spec.parent()?.strip_prefix(root).ok()?;
    let up = "../".repeat(dir.components().count());
    let stem = file.strip_suffix(".rb")?;
    Some(format!("require_relative \"{up}{stem}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines for a source in a project with these files.
    fn lines(files: &[(&str, &str)], source: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let spec = dir
            .path()
            .join(crate::skeleton::project_spec_path(source, dir.path()));
        requires(dir.path(), &spec, source).join("\n")
    }

    #[test]
    fn a_spec_requires_the_helper_of_the_projects_own_specs() {
        const RAILS: &[(&str, &str)] = &[
            (".rspec", "--require spec_helper\n"),
            ("spec/spec_helper.rb", ""),
            ("spec/rails_helper.rb", ""),
        ];
        let with = |more: &[(&'static str, &'static str)]| [RAILS, more].concat();
        for (files, source, expected) in [
            (
                vec![],
                "app/models/cart.rb",
                "require_relative \"../../app/models/cart\"",
            ),
            (
                RAILS.to_vec(),
                "app/models/cart.rb",
                "require \"rails_helper\"",
            ),
            (RAILS.to_vec(), "lib/cart.rb", "require \"cart\""),
            (
                RAILS[1..2].to_vec(),
                "lib/cart.rb",
                "require \"spec_helper\"\nrequire \"cart\"",
            ),
            (
                vec![(".rspec", "--color\n-r./spec/boot\n")],
                "app/cart.rb",
                "",
            ),
            (
                with(&[(
                    "spec/models/a_spec.rb",
                    "require 'rails_helper'\nRSpec.describe A do\nend",
                )]),
                "app/models/cart.rb",
                "require \"rails_helper\"",
            ),
            (
                with(&[("spec/models/a_spec.rb", "RSpec.describe A do\nend")]),
                "app/models/cart.rb",
                "",
            ),
            (
                with(&[
                    ("spec/models/a_spec.rb", "require 'rails_helper'\n"),
                    ("spec/lib/a_spec.rb", "require 'spec_helper'\n"),
                ]),
                "lib/cart.rb",
                "require \"cart\"",
            ),
            (
                vec![
                    ("spec/helper.rb", ""),
                    (
                        "spec/a_spec.rb",
                        "require \"helper\"\nrequire \"thor/base\"\n",
                    ),
                    ("spec/b/c_spec.rb", "require_relative '../helper'\n"),
                ],
                "lib/thor/base.rb",
                "require \"helper\"\nrequire \"thor/base\"",
            ),
            (
                vec![
                    ("spec/a_spec.rb", "require 'json'\n"),
                    ("spec/b_spec.rb", "require 'set'\n"),
                    ("spec/c_spec.rb", "RSpec.describe C do\nend\n"),
                ],
                "lib/a.rb",
                "require \"a\"",
            ),
        ] {
            assert_eq!(lines(&files, source), expected, "{source} {files:?}");
        }
    }

    #[test]
    fn a_spec_of_a_library_requires_the_library_and_the_source() {
        for (files, source, expected) in [
            (
                vec![("lib/tty/option.rb", "")],
                "lib/tty/option/parser.rb",
                "require \"tty/option\"\nrequire \"tty/option/parser\"",
            ),
            (vec![("lib/tty.rb", "")], "lib/tty.rb", "require \"tty\""),
            (
                vec![("lib/a.rb", ""), ("spec/spec_helper.rb", "require 'a'\n")],
                "lib/a/b.rb",
                "require \"spec_helper\"\nrequire \"a/b\"",
            ),
            (vec![(".rspec", "-I lib -r tricky\n")], "lib/tricky.rb", ""),
            (
                vec![("a/lib/a.rb", "")],
                "a/lib/a/b.rb",
                "require_relative \"../../../../a/lib/a/b\"",
            ),
            (
                vec![("a/lib/a.rb", ""), ("a/spec/x_spec.rb", "require 'a'\n")],
                "a/lib/a/b.rb",
                "require \"a\"\nrequire \"a/b\"",
            ),
            (vec![], "bin/greet.rb", ""),
        ] {
            assert_eq!(lines(&files, source), expected, "{source} {files:?}");
        }
    }
}
