//! The page around the data: markup, style, script, and a list of failures for browsers without scripts.

use std::io;
use std::sync::LazyLock;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use casebook_record::Run;
use sha2::{Digest as _, Sha256};

use super::script::{EMBEDDED, script};
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

/// The script of the page with embedded data.
static SCRIPT: LazyLock<String> = LazyLock::new(|| script(EMBEDDED, "start.js"));

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'p> {
    summary: String,
    failures: Vec<Failure>,
    more_failures: usize,
    style: &'static str,
    script: &'p str,
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
        script: &SCRIPT,
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
        digest(&SCRIPT),
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
        for text in [&*SCRIPT, STYLE] {
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
        assert!(SCRIPT.len() + STYLE.len() < 160_000);
    }
}
