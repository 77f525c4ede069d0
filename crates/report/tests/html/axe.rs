//! axe-core, which finds what makes a page hard to use for some people.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::browser::Browser;

/// Installed by script/setup.
pub(crate) fn axe() -> String {
    let packages = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../python/lib");
    let versions = std::fs::read_dir(&packages).into_iter().flatten().flatten();
    let script = |version: PathBuf| version.join("site-packages/axe_playwright_python/axe.min.js");
    let mut scripts = versions.map(|version| script(version.path()));
    scripts
        .find_map(|script| std::fs::read_to_string(script).ok())
        .unwrap_or_else(|| {
            panic!(
                "no axe-core in {}; script/setup installs it",
                packages.display()
            )
        })
}

/// Rules that are off by default are on, except those about whole sites.
pub(crate) const CHECK: &str = "return axe.run(document, {preload: false, rules: {'target-size': {enabled: true}}})
    .then(({passes, violations}) => passes.length < 10 ? ['only a few rules apply'] : violations.flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`)))";

pub(crate) fn check(browser: &Browser, axe: &str, place: &str) {
    browser.run(axe);
    let violations = browser.run(CHECK);
    assert_eq!(violations, Value::Array(Vec::new()), "{place}");
    let headings = browser
        .get("[...document.querySelectorAll('h1')].filter((one) => one.checkVisibility()).length");
    assert_eq!(headings, 1, "{place}");
}
