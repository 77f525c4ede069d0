//! The location of a spec: rule S8.

use std::path::Path;
use std::{fs, iter};

use super::component::{Components, component_of};

/// Which kind of spec controllers get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ControllerPolicy {
    /// Request specs.
    #[default]
    Request,
    /// Controller specs.
    Controller,
    /// Require a decision if a controller spec already exists.
    Ask,
}

/// The location of a spec, or the alternatives of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpecLocation {
    /// The path relative to the project root.
    At(String),
    /// A controller spec already exists.
    Decide {
        /// The new request spec.
        request: String,
        /// The existing controller spec.
        legacy: String,
    },
}

/// The spec of a source file in this project by the default policy: the existing one, or where it would be.
pub fn project_spec_path(file: &str, root: &Path) -> String {
    Components::default().spec_path(file, root)
}

/// The spec of a source file in this project by a policy. The spec of a gem, an engine or a pack is next to its source.
pub fn spec_location(file: &str, root: &Path, policy: ControllerPolicy) -> SpecLocation {
    Components::default().spec_location(file, root, policy)
}

impl Components {
    /// [`project_spec_path`] of one of many files.
    pub fn spec_path(&mut self, file: &str, root: &Path) -> String {
        match self.spec_location(file, root, ControllerPolicy::Request) {
            SpecLocation::At(path) | SpecLocation::Decide { request: path, .. } => path,
        }
    }

    /// [`spec_location`] of one of many files.
    pub fn spec_location(
        &mut self,
        file: &str,
        root: &Path,
        policy: ControllerPolicy,
    ) -> SpecLocation {
        let component = self.component_of(file, root);
        let inside = &file[component.len()..];
        let at = |spec: &str| format!("{component}{spec}");
        let Some((request, legacy)) = controller(inside) else {
            return SpecLocation::At(at(&self.plain_in(inside, &root.join(component))));
        };
        let (request, legacy) = (at(&request), at(&legacy));
        let exists = root.join(&legacy).is_file();
        match policy {
            ControllerPolicy::Controller => SpecLocation::At(legacy),
            ControllerPolicy::Ask if exists => SpecLocation::Decide { request, legacy },
            ControllerPolicy::Request | ControllerPolicy::Ask => SpecLocation::At(request),
        }
    }

    /// The spec of a file in a component: the first one that exists, otherwise the usual one. Other files may have the same
    /// name in another namespace, so the source of an existing spec has to be this file.
    fn plain_in(&mut self, file: &str, dir: &Path) -> String {
        let usual = plain(file);
        let mut others = other_specs(file).into_iter();
        if dir.join(&usual).is_file() {
            return usual;
        }
        let is_own = |spec: &String| {
            dir.join(spec).is_file() && source_in(spec, dir).as_deref() == Some(file)
        };
        others
            .find(is_own)
            .unwrap_or_else(|| self.new_spec(file, dir))
    }

    /// The path of a new spec. Gems do not repeat `lib`, unless their specs already do.
    fn new_spec(&mut self, file: &str, dir: &Path) -> String {
        let stem = file
            .strip_prefix("lib/")
            .and_then(|file| file.strip_suffix(".rb"));
        match stem {
            Some(stem) if !dir.join("spec/lib").is_dir() && self.is_library(dir) => {
                format!("spec/{stem}_spec.rb")
            }
            _ => plain(file),
        }
    }
}

/// The source of a spec, relative to the root; `None` if it is not at a usual location.
pub fn source_path(spec: &str, root: &Path) -> Option<String> {
    let component = component_of(spec, root);
    let source = source_in(spec.strip_prefix(component)?, &root.join(component))?;
    Some(format!("{component}{source}"))
}

/// The source of a spec in a component.
fn source_in(spec: &str, dir: &Path) -> Option<String> {
    let stem = spec.strip_prefix("spec/")?.strip_suffix("_spec.rb")?;
    let stem = stem.strip_prefix("unit/").unwrap_or(stem);
    let mut candidates: Vec<String> = stem
        .strip_prefix("requests/")
        .map(|resource| format!("app/controllers/{resource}_controller.rb"))
        .into_iter()
        .collect();
    candidates.extend([
        format!("app/{stem}.rb"),
        format!("{stem}.rb"),
        format!("lib/{stem}.rb"),
    ]);
    let in_app = stem.split_once('/').into_iter().flat_map(|(kind, rest)| {
        let namespaces = directories(&dir.join("app").join(kind)).into_iter();
        namespaces.map(move |name| format!("app/{kind}/{name}/{rest}.rb"))
    });
    // Lists `lib` only if no other candidate exists.
    let namespaces = iter::once_with(|| directories(&dir.join("lib"))).flatten();
    let below = namespaces.map(|name| format!("lib/{name}/{stem}.rb"));
    let mut candidates = candidates.into_iter().chain(in_app).chain(below);
    candidates.find(|source| dir.join(source).is_file())
}

/// The names of the directories in a directory, sorted.
fn directories(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let dirs = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> = dirs
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn plain(file: &str) -> String {
    let stem = file.strip_suffix(".rb").unwrap_or(file);
    let inside = stem.strip_prefix("app/").unwrap_or(stem);
    format!("spec/{inside}_spec.rb")
}

/// The other usual paths of a spec: without `lib`, and without the namespace of a gem or engine.
fn other_specs(file: &str) -> Vec<String> {
    let spec = |stem: &str| format!("spec/{stem}_spec.rb");
    let stem = file.strip_suffix(".rb").unwrap_or(file);
    if let Some(stem) = stem.strip_prefix("lib/") {
        let below = stem.split_once('/').map(|(_, below)| below);
        let stems = [Some(stem), below].into_iter().flatten();
        let specs = stems.flat_map(|stem| [spec(stem), spec(&format!("unit/{stem}"))]);
        return specs.collect();
    }
    let mut parts = stem.strip_prefix("app/").unwrap_or_default().splitn(3, '/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(kind), Some(_), Some(rest)) => vec![spec(&format!("{kind}/{rest}"))],
        _ => Vec::new(),
    }
}

/// The request spec and the controller spec of a controller.
fn controller(file: &str) -> Option<(String, String)> {
    let inside = file.strip_prefix("app/controllers/")?;
    let stem = inside.strip_suffix(".rb").unwrap_or(inside);
    let resource = stem.strip_suffix("_controller")?;
    Some((
        format!("spec/requests/{resource}_spec.rb"),
        format!("spec/controllers/{stem}_spec.rb"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spec_paths_follow_rspec_conventions() {
        let root = tempfile::tempdir().unwrap();
        for (source, spec) in [
            ("app/models/cart.rb", "spec/models/cart_spec.rb"),
            ("app/services/v2/pay.rb", "spec/services/v2/pay_spec.rb"),
            ("lib/a/b.rb", "spec/lib/a/b_spec.rb"),
            (
                "app/controllers/api/v1/users_controller.rb",
                "spec/requests/api/v1/users_spec.rb",
            ),
            (
                "app/controllers/concerns/auth.rb",
                "spec/controllers/concerns/auth_spec.rb",
            ),
            ("bin/tool.rb", "spec/bin/tool_spec.rb"),
            ("report.rb", "spec/report_spec.rb"),
        ] {
            assert_eq!(project_spec_path(source, root.path()), spec);
        }
    }

    #[test]
    fn sources_are_found_by_their_specs() {
        let root = tempfile::tempdir().unwrap();
        for source in [
            "app/models/cart.rb",
            "lib/a/b.rb",
            "app/controllers/v1/users_controller.rb",
        ] {
            let path = root.path().join(source);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
            let found = source_path(&project_spec_path(source, root.path()), root.path());
            assert_eq!(found.as_deref(), Some(source));
        }
        assert_eq!(
            source_path("spec/a/b_spec.rb", root.path()).as_deref(),
            Some("lib/a/b.rb")
        );
        assert_eq!(source_path("spec/models/no_spec.rb", root.path()), None);
        assert_eq!(source_path("models/cart_spec.rb", root.path()), None);
    }

    #[test]
    fn controllers_follow_the_policy() {
        let root = tempfile::tempdir().unwrap();
        let file = "app/controllers/users_controller.rb";
        let location = |policy| spec_location(file, root.path(), policy);
        let at = |path: &str| SpecLocation::At(path.to_owned());
        assert_eq!(
            location(ControllerPolicy::Ask),
            at("spec/requests/users_spec.rb")
        );
        assert_eq!(
            location(ControllerPolicy::Controller),
            at("spec/controllers/users_controller_spec.rb")
        );
        let dir = root.path().join("spec/controllers");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("users_controller_spec.rb"), "").unwrap();
        assert!(matches!(
            location(ControllerPolicy::Ask),
            SpecLocation::Decide { .. }
        ));
    }

    fn project(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn specs_are_next_to_the_sources_of_a_component() {
        let root = project(&[
            "gems/a/a.gemspec",
            "core/core.gemspec",
            "core/lib/core/x.rb",
            "core/spec/lib/core/x_spec.rb",
            "matcher/matcher.gemspec",
            "matcher/lib/matcher/set.rb",
            "matcher/spec/set_spec.rb",
            "api/lib/shop/api/engine.rb",
            "api/spec/models/cart_spec.rb",
            "api/app/models/shop/cart.rb",
            "api/spec/models/user_spec.rb",
            "api/app/models/user.rb",
            "api/app/models/shop/user.rb",
        ]);
        for (source, spec) in [
            (
                "api/app/models/shop/cart.rb",
                "api/spec/models/cart_spec.rb",
            ),
            (
                "api/app/models/shop/card.rb",
                "api/spec/models/shop/card_spec.rb",
            ),
            ("api/app/models/user.rb", "api/spec/models/user_spec.rb"),
            // The existing spec is that of another class.
            (
                "api/app/models/shop/user.rb",
                "api/spec/models/shop/user_spec.rb",
            ),
            ("gems/a/lib/x.rb", "gems/a/spec/x_spec.rb"),
            ("gems/a/app/models/x.rb", "gems/a/spec/models/x_spec.rb"),
            ("core/lib/core/x.rb", "core/spec/lib/core/x_spec.rb"),
            ("core/lib/core/new.rb", "core/spec/lib/core/new_spec.rb"),
            ("matcher/lib/matcher/set.rb", "matcher/spec/set_spec.rb"),
            (
                "api/app/controllers/shop/users_controller.rb",
                "api/spec/requests/shop/users_spec.rb",
            ),
            (
                "packs/pay/app/public/pay.rb",
                "packs/pay/spec/public/pay_spec.rb",
            ),
            ("lib/x.rb", "spec/lib/x_spec.rb"),
        ] {
            assert_eq!(project_spec_path(source, root.path()), spec);
        }
        assert_eq!(
            source_path("matcher/spec/set_spec.rb", root.path()).as_deref(),
            Some("matcher/lib/matcher/set.rb")
        );
    }

    #[test]
    fn an_existing_spec_of_a_gem_is_found() {
        let root = project(&["a.gemspec", "lib/a/b.rb", "lib/a/c.rb", "spec/a/b_spec.rb"]);
        for (source, spec) in [
            ("lib/a/b.rb", "spec/a/b_spec.rb"),
            ("lib/a/c.rb", "spec/a/c_spec.rb"),
        ] {
            assert_eq!(project_spec_path(source, root.path()), spec);
        }
        assert_eq!(
            source_path("spec/a/b_spec.rb", root.path()).as_deref(),
            Some("lib/a/b.rb")
        );
    }
}
