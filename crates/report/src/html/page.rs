//! The page around the data: markup, style, script, and a list of failures for browsers without scripts.

use std::io;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use casebook_record::Run;
use sha2::{Digest as _, Sha256};

use crate::examples::{ExampleIndex, failed_at, reason};
use crate::terminal::text::one_line;
use crate::terminal::{line_of, title};

/// Failures listed for browsers without scripts.
const NAMED: usize = 200;

/// The style of the page.
pub const STYLE: &str = concat!(
    include_str!("style/base.css"),
    include_str!("style/overview.css"),
    include_str!("style/tests.css"),
    include_str!("style/detail.css"),
    include_str!("style/conversation.css"),
    include_str!("style/charts.css"),
    include_str!("style/print.css"),
);

/// The parts of the script that show texts and values.
macro_rules! base_components {
    () => {
        concat!(
            include_str!("script/dom.js"),
            include_str!("script/text.js"),
            include_str!("script/exact.js"),
            include_str!("script/ansi.js"),
            include_str!("script/diff.js"),
            include_str!("script/json.js"),
        )
    };
}

/// The parts of the script that show a run, for any source of data. Each part uses those above it.
macro_rules! components {
    () => {
        concat!(
            base_components!(),
            include_str!("script/data.js"),
            include_str!("script/state.js"),
            include_str!("script/screen.js"),
            include_str!("script/groups.js"),
            include_str!("script/filter.js"),
            include_str!("script/tree.js"),
            include_str!("script/list.js"),
            include_str!("script/graph.js"),
            include_str!("script/evaluation.js"),
            include_str!("script/command.js"),
            include_str!("script/conversation.js"),
            include_str!("script/steps.js"),
            include_str!("script/handover.js"),
            include_str!("script/detail.js"),
            include_str!("script/overview.js"),
            include_str!("script/timeline.js"),
            include_str!("script/topics.js"),
            include_str!("script/print.js"),
            include_str!("script/main.js"),
        )
    };
}

/// The components that show texts and values, for pages that show no run.
pub const BASE_COMPONENTS: &str = base_components!();

/// The components, for a page that gets its data from a server. It adds a `source` and calls `start`.
pub const COMPONENTS: &str = concat!(components!(), include_str!("script/refresh.js"));

/// The script of the page with embedded data.
const SCRIPT: &str = concat!(
    "(() => {\n'use strict';\n",
    components!(),
    include_str!("script/embedded.js"),
    include_str!("script/start.js"),
    "})();\n",
);

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'p> {
    summary: String,
    failures: Vec<Failure>,
    more_failures: usize,
    style: &'static str,
    script: &'static str,
    policy: String,
    index: &'p str,
    chunks: &'p [String],
}

struct Failure {
    title: String,
    location: String,
    reason: String,
}

#[derive(Template)]
#[template(path = "served.html")]
struct ServedPage<'p> {
    style: &'p str,
    script: &'p str,
}

/// The page without data: the style and the script are loaded from these addresses.
pub fn served_page(style: &str, script: &str) -> String {
    let page = ServedPage { style, script };
    page.render().expect("writing to memory succeeds")
}

/// Writes the page with the packed index and chunks.
pub(super) fn write(
    run: &Run,
    examples: &ExampleIndex,
    index: &str,
    chunks: &[String],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let failures = examples.failed.iter().take(NAMED);
    let failures = failures.map(|index| failure(run, *index));
    let page = Page {
        summary: line_of(run, examples),
        failures: failures.collect::<io::Result<_>>()?,
        more_failures: examples.failed.len().saturating_sub(NAMED),
        style: STYLE,
        script: SCRIPT,
        policy: policy(),
        index,
        chunks,
    };
    page.write_into(&mut { out })
}

fn failure(run: &Run, index: usize) -> io::Result<Failure> {
    let example = run.examples.read(index)?;
    Ok(Failure {
        title: one_line(&title(run, &example)),
        location: one_line(failed_at(&example)),
        reason: one_line(reason(&example).unwrap_or_default()),
    })
}

/// The content security policy: allows only this script and style. Trusted types turn any attempt to insert text as
/// markup into an error.
fn policy() -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        digest(SCRIPT),
        digest(STYLE)
    )
}

/// The SHA-256 of a text in the syntax of a content security policy.
pub(crate) fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_style_cannot_close_their_elements() {
        for text in [SCRIPT, STYLE] {
            let text = text.to_lowercase();
            assert!(!text.contains("</s") && !text.contains("<!--"));
        }
    }

    #[test]
    fn recorded_text_is_escaped() {
        for sink in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "DOMParser",
            "createContextualFragment",
            "srcdoc",
        ] {
            assert!(!SCRIPT.contains(sink), "{sink}");
        }
    }

    #[test]
    fn the_page_without_data_is_small() {
        assert!(SCRIPT.len() + STYLE.len() < 150_000);
    }
}
