//! The page around the data: markup, style and script, and what is read where no script runs.

use std::io;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use casebook_record::RunData;
use sha2::{Digest as _, Sha256};

use crate::examples::{failed, failed_at, reason};
use crate::terminal::{summary_line, title};

/// Failures that are named where no script runs.
const NAMED: usize = 200;

const STYLE: &str = concat!(
    include_str!("style/base.css"),
    include_str!("style/overview.css"),
    include_str!("style/tests.css"),
    include_str!("style/detail.css"),
    include_str!("style/conversation.css"),
    include_str!("style/charts.css"),
    include_str!("style/print.css"),
);

/// One script, each part of which uses those above it.
const SCRIPT: &str = concat!(
    "(() => {\n'use strict';\n",
    include_str!("script/dom.js"),
    include_str!("script/text.js"),
    include_str!("script/data.js"),
    include_str!("script/state.js"),
    include_str!("script/ansi.js"),
    include_str!("script/diff.js"),
    include_str!("script/json.js"),
    include_str!("script/filter.js"),
    include_str!("script/tree.js"),
    include_str!("script/list.js"),
    include_str!("script/graph.js"),
    include_str!("script/evaluation.js"),
    include_str!("script/command.js"),
    include_str!("script/conversation.js"),
    include_str!("script/detail.js"),
    include_str!("script/overview.js"),
    include_str!("script/timeline.js"),
    include_str!("script/topics.js"),
    include_str!("script/print.js"),
    include_str!("script/main.js"),
    "})();\n",
);

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'p> {
    title: String,
    summary: String,
    failures: Vec<Failure<'p>>,
    more_failures: usize,
    style: &'static str,
    script: &'static str,
    policy: String,
    index: &'p str,
    chunks: &'p [String],
}

struct Failure<'p> {
    title: String,
    place: &'p str,
    reason: &'p str,
}

/// Writes the page around these blocks.
pub(super) fn write(
    run: &RunData,
    index: &str,
    chunks: &[String],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let summary = summary_line(run);
    let failed_count = failed(run).count();
    let page = Page {
        title: format!("{summary} · Casebook"),
        summary,
        failures: failed(run)
            .take(NAMED)
            .map(|example| Failure {
                title: title(run, example),
                place: failed_at(example),
                reason: reason(example).unwrap_or_default(),
            })
            .collect(),
        more_failures: failed_count.saturating_sub(NAMED),
        style: STYLE,
        script: SCRIPT,
        policy: policy(),
        index,
        chunks,
    };
    page.write_into(&mut { out })
}

/// What the browser may do with this page: run this script, apply this style, and nothing else. Trusted types turn
/// any attempt to make markup of text into an error.
fn policy() -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        digest(SCRIPT),
        digest(STYLE)
    )
}

/// A text's fingerprint, as a policy names it.
pub(crate) fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_style_end_where_they_should() {
        for text in [SCRIPT, STYLE] {
            let text = text.to_lowercase();
            assert!(!text.contains("</s") && !text.contains("<!--"));
        }
    }

    #[test]
    fn nothing_recorded_becomes_markup() {
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
    fn the_shell_is_small() {
        assert!(SCRIPT.len() + STYLE.len() < 120_000);
    }
}
