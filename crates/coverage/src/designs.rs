//! Finds the metadata files of a project and reads one [`Design`] for each of their methods.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_design::metadata::document::Document;
use casebook_design::metadata::location::{
    LocationError, MetadataDir, MetadataLocation, absolute, find_root, plugin_dir,
};
use casebook_design::metadata::read::{self, Plan};
use casebook_design::metadata::store;
use casebook_design::ruby::MethodQuery;
use casebook_design::skeleton::{ControllerPolicy, SpecLocation, spec_location};
use casebook_design::steps::Subject;

use crate::covering_tests::shown;
use crate::observation::{Observation, observed_designs};
use crate::stale::StaleSources;
use crate::state_names::StateNames;

/// The design of one method: its characteristics and their states.
#[derive(Debug)]
pub struct Design {
    pub(crate) plan: Plan,
    /// `Class#method`.
    pub(crate) id: String,
    /// `#method`.
    pub(crate) short: String,
    /// The path of the metadata, relative to the working directory.
    pub(crate) metadata: String,
    /// The existing specs of the method.
    pub(crate) specs: Vec<PathBuf>,
    pub(crate) state_names: StateNames,
    /// Whether it is shown. The others are needed to resolve names in `covers`.
    pub(crate) is_selected: bool,
}

/// The designs of a project.
#[derive(Debug, Default)]
pub struct Designs {
    /// Sorted by source file and method.
    pub all: Vec<Design>,
    /// How many selected metadata files cannot be read.
    pub unreadable: u64,
    /// Unreadable metadata, and designs whose source has changed or was deleted.
    pub warnings: Vec<String>,
}

impl Designs {
    /// Adds the observed methods that have no metadata. Those that these paths name are selected, without paths all.
    pub fn add_observed(&mut self, observation: &Observation, paths: &[String], root: &Path) {
        let (found, changed) = observed_designs(observation, root);
        for mut design in found {
            let file = design.plan.file.clone().unwrap_or_default();
            design.is_selected =
                paths.is_empty() || paths.iter().any(|path| names(path, &design, &file));
            let is_known =
                |other: &Design| other.id == design.id && other.plan.file == design.plan.file;
            if !self.all.iter().any(is_known) {
                self.all.push(design);
            }
        }
        self.all
            .sort_by(|a, b| (&a.plan.file, &a.id).cmp(&(&b.plan.file, &b.id)));
        if changed > 0 {
            self.warnings.push(format!(
                "methods that changed since they were observed: {changed}; run `casebook coverage --observe` again"
            ));
        }
    }

    /// Whether no design is selected.
    pub fn is_empty(&self) -> bool {
        !self.all.iter().any(|design| design.is_selected)
    }
}

/// Why an argument does not select any design.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// A source without metadata.
    #[error("{0} was not analyzed; run `casebook design analyze {0}` first")]
    NotAnalyzed(String),
    /// A source that cannot have metadata.
    #[error(transparent)]
    Location(#[from] LocationError),
}

/// Metadata to read, and which of its methods are selected.
struct DesignQuery {
    metadata: PathBuf,
    method_query: MethodQuery,
    /// Only sources in this directory.
    below: Option<PathBuf>,
    is_selected: bool,
}

/// Reads all designs of the project. Those that these paths name are selected, without paths all of them.
pub fn find_designs(paths: &[String], cwd: &Path) -> Result<Designs, FindError> {
    let mut queries = Vec::new();
    for path in paths {
        queries.extend(resolve_argument(path, cwd)?);
    }
    let root = find_root(cwd);
    let all = in_project(root.as_deref().unwrap_or(cwd), cwd, None);
    queries.extend(all.into_iter().map(|query| DesignQuery {
        is_selected: paths.is_empty(),
        ..query
    }));
    let mut designs: Vec<Design> = Vec::new();
    let (mut unreadable, mut warnings) = (0, Vec::new());
    let mut stale = StaleSources::default();
    for query in queries {
        let added = add(&query, cwd, &mut designs, &mut stale);
        if let (Err(error), true) = (added, query.is_selected) {
            unreadable += 1;
            warnings.push(error);
        }
    }
    warnings.extend(stale.warnings());
    designs.sort_by(|a, b| (&a.plan.file, &a.id).cmp(&(&b.plan.file, &b.id)));
    Ok(Designs {
        all: designs,
        unreadable,
        warnings,
    })
}

/// Resolves one argument: a directory, a metadata file, or a Ruby file with or without a method.
fn resolve_argument(path: &str, cwd: &Path) -> Result<Vec<DesignQuery>, FindError> {
    let typed = cwd.join(path);
    if typed.is_dir() {
        return Ok(in_directory(&absolute(&typed, cwd), cwd));
    }
    let (file, method) = match path.split_once(".yml#") {
        Some((file, method)) => (cwd.join(format!("{file}.yml")), Some(method.to_owned())),
        None => (typed, None),
    };
    let extension = file.extension();
    if extension.is_some_and(|end| end == "yml" || end == "yaml") {
        let method_query = MethodQuery {
            name: method,
            ..MethodQuery::default()
        };
        return Ok(vec![DesignQuery {
            method_query,
            ..all_methods(absolute(&file, cwd))
        }]);
    }
    of_source(path, cwd)
}

/// The metadata files of a directory; otherwise those of the sources below it.
fn in_directory(dir: &Path, cwd: &Path) -> Vec<DesignQuery> {
    let metadata = metadata_in(dir);
    if !metadata.is_empty() {
        return metadata.into_iter().map(all_methods).collect();
    }
    let root = find_root(dir).unwrap_or_else(|| cwd.to_owned());
    in_project(&root, cwd, Some(dir))
}

/// The metadata of a Ruby file, or of one of its methods.
fn of_source(path: &str, cwd: &Path) -> Result<Vec<DesignQuery>, FindError> {
    let subject = Subject::parse(path);
    let located = MetadataLocation::of(&subject.file, cwd)?;
    let both = [located.path.clone(), located.plugin_path()];
    let queries: Vec<DesignQuery> = both
        .into_iter()
        .filter(|metadata| metadata.is_file())
        .map(|metadata| DesignQuery {
            method_query: subject.method_query.clone(),
            ..all_methods(metadata)
        })
        .collect();
    if queries.is_empty() {
        return Err(FindError::NotAnalyzed(path.to_owned()));
    }
    Ok(queries)
}

/// Whether an argument is this file, a directory that contains it, or this method of it.
fn names(path: &str, design: &Design, file: &str) -> bool {
    let subject = Subject::parse(path);
    let query = &subject.method_query;
    let is_method = query
        .name
        .as_ref()
        .is_none_or(|name| *name == design.plan.method)
        && query
            .method_type
            .is_none_or(|one| one == design.plan.method_type);
    Path::new(file).starts_with(&subject.file) && is_method
}

/// Selects all methods of a metadata file.
fn all_methods(metadata: PathBuf) -> DesignQuery {
    DesignQuery {
        metadata,
        method_query: MethodQuery::default(),
        below: None,
        is_selected: true,
    }
}

/// All metadata of a project, in both layouts.
fn in_project(root: &Path, cwd: &Path, below: Option<&Path>) -> Vec<DesignQuery> {
    let mut files = metadata_in(&MetadataDir::of(root, cwd).path);
    files.extend(metadata_in(&plugin_dir(root)));
    files
        .into_iter()
        .map(|metadata| DesignQuery {
            below: below.map(Path::to_owned),
            ..all_methods(metadata)
        })
        .collect()
}

/// The metadata files in a directory; empty if there are none.
fn metadata_in(dir: &Path) -> Vec<PathBuf> {
    let of_plugin = dir.ends_with("rspec_metadata");
    let is_metadata = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".yml") && (of_plugin || name.starts_with("metadata_"))
    };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(is_metadata)
        .collect();
    files.sort();
    files
}

/// Reads one file and adds its methods, each only once.
fn add(
    query: &DesignQuery,
    cwd: &Path,
    designs: &mut Vec<Design>,
    stale: &mut StaleSources,
) -> Result<(), String> {
    let here = format!("{}/", cwd.display());
    let document =
        store::read(&query.metadata).map_err(|error| error.to_string().replace(&here, ""))?;
    let shown = shown(&query.metadata, cwd);
    let root = query
        .metadata
        .parent()
        .and_then(find_root)
        .unwrap_or_else(|| cwd.to_owned());
    let plans = read::documented_plans(&document, query.method_query.name.as_deref());
    for (plan, document) in plans.map_err(|error| format!("{shown}: {error}"))? {
        let source = root.join(plan.file.as_deref().unwrap_or_default());
        let fits = query.selects(&plan, &source);
        let design = Design {
            is_selected: query.is_selected,
            ..Design::new(plan, shown.clone(), &document, &root)
        };
        let is_new = designs
            .iter()
            .all(|other| other.id != design.id || other.plan.file != design.plan.file);
        if fits && is_new {
            if design.is_selected {
                stale.check(&document, &source, design.plan.file.as_deref());
            }
            designs.push(design);
        }
    }
    Ok(())
}

impl DesignQuery {
    fn selects(&self, plan: &Plan, source: &Path) -> bool {
        let method_query = &self.method_query;
        let by_class = method_query
            .class
            .as_ref()
            .is_none_or(|class| *class == plan.class);
        let by_name = method_query
            .name
            .as_ref()
            .is_none_or(|name| *name == plan.method);
        let by_type = method_query
            .method_type
            .is_none_or(|one| one == plan.method_type);
        let by_place = self
            .below
            .as_ref()
            .is_none_or(|dir| source.starts_with(dir));
        by_class && by_name && by_type && by_place
    }
}

impl Design {
    pub(crate) fn new(plan: Plan, metadata: String, document: &Document, root: &Path) -> Design {
        let text = |path: &[&str]| Some(document.at(path)?.as_str()?.to_owned());
        let recorded = [text(&["automation", "skeleton_file"]), text(&["spec_path"])];
        let recorded = recorded.into_iter().flatten().collect();
        Design {
            metadata,
            specs: specs(&plan, recorded, root),
            ..Design::without_metadata(plan, root)
        }
    }

    /// A method that was analyzed, but whose design is not stored.
    pub(crate) fn without_metadata(plan: Plan, root: &Path) -> Design {
        Design {
            id: plan.id(),
            short: plan.short(),
            metadata: String::new(),
            specs: specs(&plan, Vec::new(), root),
            state_names: StateNames::new(&plan),
            is_selected: true,
            plan,
        }
    }
}

/// The specs of a method: where one was written to, or would be.
fn specs(plan: &Plan, mut paths: Vec<String>, root: &Path) -> Vec<PathBuf> {
    let source = plan.file.as_deref().unwrap_or_default();
    for policy in [ControllerPolicy::Request, ControllerPolicy::Controller] {
        if let SpecLocation::At(place) = spec_location(source, root, policy) {
            paths.push(place);
        }
    }
    let mut specs = Vec::new();
    // `design skeleton --suite` writes a suite there.
    for place in paths {
        let spec = absolute(Path::new(&place), root);
        let is_ruby = spec.extension().is_some_and(|end| end == "rb");
        if is_ruby && spec.is_file() && !specs.contains(&spec) {
            specs.push(spec);
        }
    }
    specs
}
