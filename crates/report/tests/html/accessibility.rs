//! axe-core finds no violation in any view and page.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::browser::Browser;
use crate::sample_pages::pages;
use crate::sample_runs::showcase;

/// Installed by script/setup.
fn axe() -> String {
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
const CHECK: &str = "return axe.run(document, {preload: false, rules: {'target-size': {enabled: true}}})
    .then(({passes, violations}) => passes.length < 10 ? ['only a few rules apply'] : violations.flatMap(({id, nodes}) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`)))";

fn check(browser: &Browser, axe: &str, place: &str) {
    browser.run(axe);
    let violations = browser.run(CHECK);
    assert_eq!(violations, Value::Array(Vec::new()), "{place}");
    let headings = browser
        .get("[...document.querySelectorAll('h1')].filter((one) => one.checkVisibility()).length");
    assert_eq!(headings, 1, "{place}");
}

const SIZES: [(u32, u32, &str); 3] = [
    (1440, 900, "light"),
    (390, 844, "light"),
    (1440, 900, "dark"),
];

#[test]
fn the_report_has_no_violations() {
    let axe = axe();
    let browser = Browser::start();
    browser.write(&showcase());
    for (width, height, scheme) in SIZES {
        browser.emulate(width, height, scheme);
        for at in [
            "",
            "view=tests",
            "view=tests&q=nothing+like+this",
            "view=tests&sort=slow",
            "view=timeline",
            "view=topics",
            "test=example:3aff8cecd984",
            "test=example:06645c93b83a",
            "test=example:6b015b0dfbe7",
        ] {
            browser.open(at);
            browser
                .until("!location.hash.includes('test=') || document.querySelector('#detail h2')");
            browser
                .run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
            check(&browser, &axe, &format!("{width} {scheme} {at}"));
        }
    }
}

/// The check itself works: it finds what earlier versions of the report had.
#[test]
fn violations_are_found() {
    let axe = axe();
    let browser = Browser::start();
    let [(_, page), ..] = pages("");
    let broken = page
        .replace("<main>", "<table><tr><th></th></tr></table><main>")
        .replace("h1>", "h2>");
    browser.open_text(&broken);
    browser.run(&axe);
    let violations = browser.run(CHECK).to_string();
    for rule in ["empty-table-header", "page-has-heading-one"] {
        assert!(violations.contains(rule), "{rule}: {violations}");
    }
}

#[test]
fn pages_without_scripts_have_no_violations() {
    let axe = axe();
    let browser = Browser::start();
    for (width, height, scheme) in SIZES {
        browser.emulate(width, height, scheme);
        for (name, page) in pages("") {
            browser.open_text(&page);
            browser
                .run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
            check(&browser, &axe, &format!("{width} {scheme} {name}"));
        }
    }
}
