//! What was designed: the metadata files that are meant, one design for each of their methods.

use std::fs;
use std::path::{Path, PathBuf};

use casebook_design::metadata::document::Document;
use casebook_design::metadata::place::{Directory, Located, absolute, find_root, plugin_folder};
use casebook_design::metadata::read::{self, Plan};
use casebook_design::metadata::store;
use casebook_design::ruby::Wanted;
use casebook_design::skeleton::{Policy, SpecPlace, spec_place};
use casebook_design::steps::Subject;

use super::contexts::Vocabulary;
use super::covering::shown;
use super::stale::Stale;
use crate::context::Context;
use crate::error::CommandError;

/// What varies in one method.
pub(super) struct Design {
    pub(super) plan: Plan,
    /// `Class#method`.
    pub(super) id: String,
    /// `#method`.
    pub(super) short: String,
    /// The metadata, as people would type it.
    pub(super) metadata: String,
    /// Where its specs may stand; those that are there.
    pub(super) specs: Vec<PathBuf>,
    pub(super) vocabulary: Vocabulary,
    /// Whether it was asked for. The others are there to know what `covers` means.
    pub(super) is_wanted: bool,
}

/// All that was designed.
pub(super) struct Designs {
    pub(super) all: Vec<Design>,
    /// How many files that were asked for cannot be read.
    pub(super) unread: u64,
}

/// Metadata to be read, and which of its methods are asked for.
struct Wish {
    metadata: PathBuf,
    wanted: Wanted,
    /// Only sources in this folder.
    below: Option<PathBuf>,
    is_wanted: bool,
}

/// The designs of the project; asked for are those that these paths mean, or all.
pub(super) fn find(paths: &[String], context: &Context) -> Result<Designs, CommandError> {
    let cwd = context.folder.as_path();
    let mut wishes = Vec::new();
    for path in paths {
        wishes.extend(meant(path, cwd)?);
    }
    let root = find_root(cwd);
    let all = in_project(root.as_deref().unwrap_or(cwd), cwd, None);
    wishes.extend(all.into_iter().map(|wish| Wish {
        is_wanted: paths.is_empty(),
        ..wish
    }));
    let mut designs: Vec<Design> = Vec::new();
    let mut unread = 0;
    let mut stale = Stale::default();
    for wish in wishes {
        let added = add(&wish, cwd, &mut designs, &mut stale);
        if let (Err(error), true) = (added, wish.is_wanted) {
            unread += 1;
            context.messages.warn(&error);
        }
    }
    stale.tell(context);
    if !designs.iter().any(|design| design.is_wanted) {
        return Err(CommandError::NothingDesigned);
    }
    designs.sort_by(|a, b| (&a.plan.file, &a.id).cmp(&(&b.plan.file, &b.id)));
    Ok(Designs {
        all: designs,
        unread,
    })
}

/// What one argument means.
fn meant(path: &str, cwd: &Path) -> Result<Vec<Wish>, CommandError> {
    let typed = cwd.join(path);
    if typed.is_dir() {
        let folder = absolute(&typed, cwd);
        let root = find_root(&folder).unwrap_or_else(|| cwd.to_owned());
        let held = metadata_in(&folder);
        return Ok(if held.is_empty() {
            in_project(&root, cwd, Some(&folder))
        } else {
            held.into_iter().map(whole).collect()
        });
    }
    let (file, method) = match path.split_once(".yml#") {
        Some((file, method)) => (cwd.join(format!("{file}.yml")), Some(method.to_owned())),
        None => (typed, None),
    };
    if file
        .extension()
        .is_some_and(|end| end == "yml" || end == "yaml")
    {
        let wanted = Wanted {
            name: method,
            ..Wanted::default()
        };
        return Ok(vec![Wish {
            wanted,
            ..whole(absolute(&file, cwd))
        }]);
    }
    let subject = Subject::parse(path);
    let located = Located::of(&subject.file, cwd)?;
    let both = [located.path.clone(), located.plugin_path()];
    let wishes: Vec<Wish> = both
        .into_iter()
        .filter(|metadata| metadata.is_file())
        .map(|metadata| Wish {
            wanted: subject.wanted.clone(),
            ..whole(metadata)
        })
        .collect();
    if wishes.is_empty() {
        return Err(CommandError::NotAnalyzed(path.to_owned()));
    }
    Ok(wishes)
}

fn whole(metadata: PathBuf) -> Wish {
    Wish {
        metadata,
        wanted: Wanted::default(),
        below: None,
        is_wanted: true,
    }
}

/// All metadata of a project, in both layouts.
fn in_project(root: &Path, cwd: &Path, below: Option<&Path>) -> Vec<Wish> {
    let mut files = metadata_in(&Directory::of(root, cwd).path);
    files.extend(metadata_in(&plugin_folder(root)));
    files
        .into_iter()
        .map(|metadata| Wish {
            below: below.map(Path::to_owned),
            ..whole(metadata)
        })
        .collect()
}

/// The metadata files of a folder, if it is one that holds any.
fn metadata_in(folder: &Path) -> Vec<PathBuf> {
    let of_plugin = folder.ends_with("rspec_metadata");
    let is_metadata = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".yml") && (of_plugin || name.starts_with("metadata_"))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(is_metadata)
        .collect();
    files.sort();
    files
}

/// Reads one file and adds its methods, each once however often it was named.
fn add(
    wish: &Wish,
    cwd: &Path,
    designs: &mut Vec<Design>,
    stale: &mut Stale,
) -> Result<(), String> {
    let here = format!("{}/", cwd.display());
    let document =
        store::read(&wish.metadata).map_err(|error| error.to_string().replace(&here, ""))?;
    let shown = shown(&wish.metadata, cwd);
    let root = wish
        .metadata
        .parent()
        .and_then(find_root)
        .unwrap_or_else(|| cwd.to_owned());
    for plan in read::plans(&document, wish.wanted.name.as_deref())
        .map_err(|error| format!("{shown}: {error}"))?
    {
        let source = root.join(plan.file.as_deref().unwrap_or_default());
        let fits = wish.wants(&plan, &source);
        let design = Design {
            is_wanted: wish.is_wanted,
            ..Design::new(plan, shown.clone(), &document, &root)
        };
        let is_new = designs
            .iter()
            .all(|other| other.id != design.id || other.plan.file != design.plan.file);
        if fits && is_new {
            if design.is_wanted {
                stale.look(&document, &source, design.plan.file.as_deref());
            }
            designs.push(design);
        }
    }
    Ok(())
}

impl Wish {
    fn wants(&self, plan: &Plan, source: &Path) -> bool {
        let wanted = &self.wanted;
        let by_class = wanted
            .class
            .as_ref()
            .is_none_or(|class| *class == plan.class);
        let by_name = wanted.name.as_ref().is_none_or(|name| *name == plan.method);
        let by_type = wanted.method_type.is_none_or(|one| one == plan.method_type);
        let by_place = self
            .below
            .as_ref()
            .is_none_or(|folder| source.starts_with(folder));
        by_class && by_name && by_type && by_place
    }
}

impl Design {
    fn new(plan: Plan, metadata: String, document: &Document, root: &Path) -> Design {
        Design {
            id: plan.id(),
            short: plan.short(),
            metadata,
            specs: specs(&plan, document, root),
            vocabulary: Vocabulary::of(&plan),
            is_wanted: true,
            plan,
        }
    }
}

/// Where a spec was written to, or would be.
fn specs(plan: &Plan, document: &Document, root: &Path) -> Vec<PathBuf> {
    let text = |path: &[&str]| Some(document.at(path)?.as_str()?.to_owned());
    let mut places: Vec<String> = [text(&["automation", "skeleton_file"]), text(&["spec_path"])]
        .into_iter()
        .flatten()
        .collect();
    let source = plan.file.as_deref().unwrap_or_default();
    for policy in [Policy::Request, Policy::Controller] {
        if let SpecPlace::At(place) = spec_place(source, root, policy) {
            places.push(place);
        }
    }
    let mut specs = Vec::new();
    // What was written may be a suite.
    for place in places {
        let spec = absolute(Path::new(&place), root);
        let is_ruby = spec.extension().is_some_and(|end| end == "rb");
        if is_ruby && spec.is_file() && !specs.contains(&spec) {
            specs.push(spec);
        }
    }
    specs
}

#[cfg(test)]
pub(super) mod sample {
    use super::{Design, Document, Path, read};

    /// A design of this class's `call`, with characteristics as YAML has them.
    pub(in super::super) fn design(class: &str, characteristics: &str) -> Design {
        let text = format!(
            "target: {{class: '{class}', method: call, method_type: instance, file: lib/a.rb}}\n\
             characteristics:\n{characteristics}"
        );
        let document = Document::parse("metadata.yml", text).unwrap();
        let plan = read::plan(&document, None).unwrap();
        Design::new(
            plan,
            "metadata.yml".into(),
            &document,
            Path::new("/nowhere"),
        )
    }

    pub(in super::super) const PARCEL: &str = "\
- {name: parcel_packed, type: binary, states: [packed, not_packed], depends_on: null, level: 1}
- {name: carrier, type: enum, states: [bike, van], depends_on: parcel_packed, when_parent: packed, level: 2}
";
}
