//! A design for unit tests.

use std::path::Path;

use casebook_design::metadata::document::Document;
use casebook_design::metadata::read;

use crate::designs::Design;

/// A design of this class's `call`, with characteristics as YAML.
pub(crate) fn design(class: &str, characteristics: &str) -> Design {
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

pub(crate) const PARCEL: &str = "\
- {name: parcel_packed, type: binary, states: [packed, not_packed], depends_on: null, level: 1}
- {name: carrier, type: enum, states: [bike, van], depends_on: parcel_packed, when_parent: packed, level: 2}
";
