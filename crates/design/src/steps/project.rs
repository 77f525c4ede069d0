//! [`Project`]: factories, models, and whether the project is a library.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::StepError;
use super::files::ruby_files;
use crate::factories::{BrokenFactory, factories};
use crate::metadata::write::DocumentHeader;
use crate::naming::NamingProfile;
use crate::optimize::count_traits;
use crate::ruby::singular;
use crate::skeleton::has_gemspec;

/// What documents need to know about a project.
#[derive(Debug, Clone, Default)]
pub(super) struct Project {
    factories: Map<String, Value>,
    models: Vec<String>,
    is_library: bool,
    /// Set if the factories could not be read.
    pub(super) warning: Option<String>,
}

impl Project {
    /// Reads the project at this root, with a component of it. Factories never influence characteristics, so broken ones are
    /// only skipped.
    pub(super) fn of(root: &Path, component: &str, strict: bool) -> Result<Project, StepError> {
        let (factories, warning) = match factories_of(root, component) {
            Ok(found) => (found, None),
            Err(broken) if strict => return Err(broken.into()),
            Err(broken) => (Map::new(), Some(format!("skipped factories: {broken}"))),
        };
        let home = root.join(component);
        let mut models = models(&home);
        if !component.is_empty() {
            models.extend(self::models(root));
        }
        Ok(Project {
            factories,
            models,
            is_library: is_library(&home),
            warning,
        })
    }

    /// Adds the number of uses of every trait, which format 2.0 contains.
    pub(super) fn with_trait_usage(mut self, root: &Path) -> Project {
        let specs: Vec<(String, String)> = ruby_files(&[root.join("spec")])
            .iter()
            .filter(|file| file.to_string_lossy().ends_with("_spec.rb"))
            .filter_map(|file| {
                let shown = file.strip_prefix(root).unwrap_or(file);
                Some((
                    shown.to_string_lossy().into_owned(),
                    fs::read_to_string(file).ok()?,
                ))
            })
            .collect();
        count_traits(&mut self.factories, &specs);
        self
    }

    /// The header of a document about a file of the project.
    pub(super) fn header(
        &self,
        file: &str,
        spec_path: String,
        source_mtime: i64,
        timestamp: &str,
        names: NamingProfile,
    ) -> DocumentHeader {
        DocumentHeader {
            timestamp: timestamp.to_owned(),
            source_mtime,
            file: file.to_owned(),
            spec_path,
            factories: self.factories.clone(),
            is_library: self.is_library,
            models: self.models.clone(),
            names,
        }
    }
}

/// The factories of a component, otherwise those of the project.
pub(super) fn factories_of(
    root: &Path,
    component: &str,
) -> Result<Map<String, Value>, BrokenFactory> {
    let mut own = factories(&root.join(component), None)?.found;
    if component.is_empty() || own.is_empty() {
        return Ok(factories(root, None)?.found);
    }
    for factory in own.values_mut() {
        if let Some(file) = factory.get("file").and_then(Value::as_str) {
            factory["file"] = Value::String(format!("{component}{file}"));
        }
    }
    Ok(own)
}

/// The models: `line_item` for `app/models/line_item.rb` and for the table `line_items`.
fn models(root: &Path) -> Vec<String> {
    let dir = root.join("app/models");
    let files = if dir.is_dir() {
        ruby_files(&[dir])
    } else {
        Vec::new()
    };
    let names = files.iter().filter_map(|file| file.file_stem()?.to_str());
    let mut models: Vec<String> = names.map(ToOwned::to_owned).collect();
    let schema = fs::read_to_string(root.join("db/schema.rb")).unwrap_or_default();
    for table in schema.lines().filter_map(table) {
        let model = singular(table);
        if !models.contains(&model) {
            models.push(model);
        }
    }
    models
}

/// The name of the table that a line of a schema creates.
fn table(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix("create_table \"")?;
    name.split('"').next()
}

/// Whether the project is a gem and not a Rails application.
fn is_library(root: &Path) -> bool {
    !root.join("config/application.rb").exists() && has_gemspec(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_has_its_own_factories_and_models() {
        let dir = tempfile::tempdir().unwrap();
        for (file, text) in [
            (
                "core/spec/factories/carts.rb",
                "FactoryBot.define { factory(:cart) }",
            ),
            ("core/app/models/cart.rb", "class Cart; end"),
            (
                "spec/factories/users.rb",
                "FactoryBot.define { factory(:user) }",
            ),
            ("app/models/user.rb", "class User; end"),
        ] {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        for (component, factory, file, models) in [
            (
                "core/",
                "cart",
                "core/spec/factories/carts.rb",
                vec!["cart", "user"],
            ),
            ("api/", "user", "spec/factories/users.rb", vec!["user"]),
            ("", "user", "spec/factories/users.rb", vec!["user"]),
        ] {
            let project = Project::of(dir.path(), component, false).unwrap();
            let names: Vec<_> = project.factories.keys().collect();
            assert_eq!(names, [factory], "{component}");
            assert_eq!(project.factories[factory]["file"], file);
            assert_eq!(project.models, models);
        }
    }

    #[test]
    fn models_are_files_and_tables() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        assert_eq!(models(root), Vec::<String>::new());
        fs::create_dir_all(root.join("app/models")).unwrap();
        fs::write(root.join("app/models/cart.rb"), "class Cart; end").unwrap();
        fs::create_dir_all(root.join("db")).unwrap();
        let tables = ["carts", "line_items", "categories", "boxes", "statuses"];
        let schema =
            tables.map(|table| format!("  create_table \"{table}\", force: :cascade do |t|"));
        fs::write(root.join("db/schema.rb"), schema.join("\n  end\n")).unwrap();
        assert_eq!(
            models(root),
            ["cart", "line_item", "category", "box", "status"]
        );
    }
}
