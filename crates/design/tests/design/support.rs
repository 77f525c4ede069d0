//! Formats the characteristics of Ruby code as text, one line each.

use casebook_design::ruby::{Analysis, MethodQuery, analyze};
use casebook_design::{Characteristic, on_deep_stack};

/// Analyzes the only method of the code.
#[track_caller]
pub(crate) fn analysis(ruby: &str) -> Analysis {
    named(ruby, None)
}

/// Analyzes this method of the code.
#[track_caller]
pub(crate) fn named(ruby: &str, name: Option<&str>) -> Analysis {
    let query = MethodQuery {
        name: name.map(ToOwned::to_owned),
        ..MethodQuery::default()
    };
    let analysis = on_deep_stack(|| analyze(ruby.as_bytes(), "lib/sample.rb", &query));
    analysis.unwrap_or_else(|error| panic!("{error}\n{ruby}"))
}

/// The characteristics of a method with this body, as in `name type [states] < parent=state default=…`.
#[track_caller]
pub(crate) fn body(ruby: &str) -> String {
    shown(&analysis(&format!("def sample(*)\n{ruby}\nend\n")).characteristics)
}

/// The characteristics of the only method.
#[track_caller]
pub(crate) fn found(ruby: &str) -> String {
    shown(&analysis(ruby).characteristics)
}

pub(crate) fn shown(characteristics: &[Characteristic]) -> String {
    let lines: Vec<_> = characteristics.iter().map(line).collect();
    lines.join("\n")
}

fn line(found: &Characteristic) -> String {
    let parent = found
        .depends_on
        .as_ref()
        .map_or_else(String::new, |parent| {
            format!(" < {parent}={}", found.when_parent.join("|"))
        });
    let default = found
        .default
        .as_ref()
        .map_or_else(String::new, |default| format!(" default={default}"));
    assert_eq!(found.depends_on.is_none(), found.level == 1, "{found:?}");
    let states = found.states.join(" ");
    format!("{} {} [{states}]{parent}{default}", found.name, found.kind)
}

/// Fails with both texts if they differ.
#[track_caller]
pub(crate) fn same(ruby: &str, found: &str, expected: &str) {
    let expected: Vec<_> = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(found, expected.join("\n"), "\n{ruby}");
}
