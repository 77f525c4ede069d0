//! axe-core finds no violation in any view and page.

use crate::axe::{CHECK, axe, check};
use crate::browser::Browser;
use crate::sample_pages::pages;
use crate::sample_runs::showcase;

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
