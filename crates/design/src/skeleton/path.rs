//! The location of a spec: rule S8.

use std::path::Path;

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

/// The spec of a source file by the default policy.
pub fn spec_path(file: &str) -> String {
    match controller(file) {
        Some((request, _)) => request,
        None => plain(file),
    }
}

/// The spec of a source file in this project by a policy.
pub fn spec_location(file: &str, root: &Path, policy: ControllerPolicy) -> SpecLocation {
    let Some((request, legacy)) = controller(file) else {
        return SpecLocation::At(plain(file));
    };
    let exists = root.join(&legacy).is_file();
    match policy {
        ControllerPolicy::Controller => SpecLocation::At(legacy),
        ControllerPolicy::Ask if exists => SpecLocation::Decide { request, legacy },
        ControllerPolicy::Request | ControllerPolicy::Ask => SpecLocation::At(request),
    }
}

/// The source of a spec, relative to the root; `None` if it is not at a usual location.
pub fn source_path(spec: &str, root: &Path) -> Option<String> {
    let stem = spec.strip_prefix("spec/")?.strip_suffix("_spec.rb")?;
    let request = stem.strip_prefix("requests/");
    let candidates = [
        request.map(|resource| format!("app/controllers/{resource}_controller.rb")),
        Some(format!("app/{stem}.rb")),
        Some(format!("{stem}.rb")),
        Some(format!("lib/{stem}.rb")),
    ];
    let mut candidates = candidates.into_iter().flatten();
    candidates.find(|source| root.join(source).is_file())
}

fn plain(file: &str) -> String {
    let stem = file.strip_suffix(".rb").unwrap_or(file);
    let inside = stem.strip_prefix("app/").unwrap_or(stem);
    format!("spec/{inside}_spec.rb")
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
            assert_eq!(spec_path(source), spec);
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
            let found = source_path(&spec_path(source), root.path());
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
}
