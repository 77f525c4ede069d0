//! Takes the screenshots of the HTML report in the docs: `cargo run -p casebook-report --example pictures -- docs/images`,
//! then `pngquant --force --ext .png --nofs --strip 96 docs/images/html-*.png`.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "an example program may print"
)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browser::Browser;
use serde_json::json;

#[expect(dead_code, reason = "only the tests use all of it")]
#[path = "../tests/html/browser.rs"]
mod browser;
#[expect(dead_code, reason = "only the tests use all of it")]
#[path = "../tests/html/sample_runs/mod.rs"]
mod sample_runs;

/// Name, width, height, color scheme, address, and a script to run before the screenshot.
const PICTURES: [(&str, u32, u32, &str, &str, &str); 8] = [
    ("overview", 1280, 820, "light", "", ""),
    (
        "tests",
        1280,
        620,
        "light",
        "view=tests&status=failed,flaky",
        "",
    ),
    (
        "command",
        1280,
        860,
        "light",
        "test=example:3aff8cecd984",
        "",
    ),
    ("colors", 1280, 860, "dark", "test=example:06645c93b83a", ""),
    (
        "conversation",
        1480,
        900,
        "light",
        "test=example:6b015b0dfbe7",
        "document.querySelector('.tool-call').open = true; document.querySelector('#detail').scrollTop = 520",
    ),
    ("timeline", 1280, 560, "dark", "view=timeline", ""),
    ("topics", 1280, 430, "light", "view=topics", ""),
    (
        "phone",
        390,
        760,
        "light",
        "test=example:6b015b0dfbe7",
        "document.querySelector('#detail').scrollTop = 380",
    ),
];

fn main() {
    let dir = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "docs/images".into());
    fs::create_dir_all(&dir).unwrap();
    let browser = Browser::start();
    browser.write(&sample_runs::showcase());
    for (name, width, height, scheme, at, script) in PICTURES {
        browser.emulate(width, height, scheme);
        browser.open(at);
        browser.until("!location.hash.includes('test=') || document.querySelector('#detail h2')");
        browser.run(script);
        // The change is drawn with the next frame.
        std::thread::sleep(Duration::from_millis(300));
        let picture = browser.devtools("Page.captureScreenshot", &json!({"format": "png"}));
        let picture = STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
        fs::write(Path::new(&dir).join(format!("html-{name}.png")), picture).unwrap();
    }
}
