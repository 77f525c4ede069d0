//! The pages of `diff`, `history` and `coverage`.

use serde_json::Value;

use crate::browser::Browser;
use crate::sample_pages::pages;

#[test]
fn pages_without_scripts_look_like_the_report() {
    let browser = Browser::start();
    for (name, page) in pages("") {
        browser.open_text(&page);
        assert_eq!(browser.text(".brand"), "Casebook", "{name}");
        let ground = "getComputedStyle(document.documentElement).backgroundColor";
        assert_eq!(browser.get(ground), "rgb(246, 246, 244)", "{name}");
        assert!(!page.contains("unsafe-inline"), "{name}");
        browser.is_silent();
    }
}

#[test]
fn a_phone_shows_tables_as_labeled_lines() {
    let browser = Browser::start();
    browser.emulate(390, 844, "light");
    for (name, page) in pages("") {
        browser.open_text(&page);
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        let wide = browser.get("document.documentElement.scrollWidth");
        assert_eq!(wide, 390, "{name}");
        assert_eq!(browser.get(TOUCHING), Value::Array(vec![]), "{name}");
    }
}

#[test]
fn charts_have_labeled_axes() {
    let browser = Browser::start();
    let [_, (_, page), _] = pages("");
    for width in [1440, 390] {
        browser.emulate(width, 844, "light");
        browser.open_text(&page);
        let labels = browser.get(LABELS);
        assert_eq!(
            labels,
            serde_json::json!([
                ["100%", "0%", "2026-11-15 09:40 UTC", "2026-11-15 20:40 UTC"],
                [
                    "1.50 s",
                    "0",
                    "2026-11-15 09:40 UTC",
                    "2026-11-15 20:40 UTC"
                ],
            ]),
            "{width}"
        );
        assert_eq!(browser.get(MISPLACED), Value::Array(vec![]), "{width}");
    }
    assert!(browser.text("main").contains("scale 0–262 ms"));
}

/// The visible labels of each chart.
const LABELS: &str = "[...document.querySelectorAll('figure')].map((one) =>
  [...one.querySelectorAll('.values span, .times span')].filter((label) => label.checkVisibility()).map((label) => label.textContent))";

/// Charts whose labels are not at the ends of their axes, and labels that overlap.
const MISPLACED: &str = r"[...document.querySelectorAll('figure')].filter((figure) => {
  const box = (one) => one.getBoundingClientRect();
  const near = (one, other) => Math.abs(one - other) < 2;
  const bars = [...figure.querySelectorAll('rect.ground')].map(box);
  const [top, bottom] = [...figure.querySelectorAll('.values span')].map(box);
  const times = [...figure.querySelectorAll('.times span')].filter((one) => one.checkVisibility()).map(box);
  const plot = box(figure.querySelector('svg'));
  return !near(top.top, plot.top) || !near(bottom.bottom, plot.bottom) || top.right > plot.left
    || !near(times[0].left, bars[0].left) || !near(times.at(-1).right, bars.at(-1).right)
    || times.some((one, at) => one.height > 20 || (at > 0 && one.left < times[at - 1].right + 4));
}).map((figure) => figure.innerText)";

/// Parts of a cell, and labels, with less than a space between them on the same line.
const TOUCHING: &str = r"(() => {
  const boxes = (cell) => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      if (!walker.currentNode.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      found.push(...[...range.getClientRects()].filter((box) => box.width > 0));
    }
    return found;
  };
  const label = (cell) => parseFloat(getComputedStyle(cell, '::before').width) + parseFloat(getComputedStyle(cell).paddingLeft) + cell.getBoundingClientRect().left;
  const touches = (cell) => {
    const all = boxes(cell);
    return all.some((one, at) => all.slice(at + 1).some((other) => Math.abs(one.top - other.top) < 8 && other.left - one.right < 2 && other.right > one.left))
      || all.some((one) => getComputedStyle(cell, '::before').content !== 'none' && one.left < label(cell) + 2);
  };
  return [...document.querySelectorAll('table:not(.pairs) td')].filter((cell) => cell.checkVisibility() && touches(cell)).map((cell) => cell.outerHTML);
})()";

#[test]
fn text_that_reverses_its_direction_is_shown_as_an_escape() {
    let browser = Browser::start();
    for (name, page) in pages("\u{202e}\u{2067}<b>") {
        browser.open_text(&page);
        let text = browser.get("document.documentElement.textContent");
        let text = text.as_str().unwrap();
        let raw = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!text.contains(raw), "{name}");
        assert!(text.contains("\\u{202e}\\u{2067}<b>"), "{name}: {text}");
    }
}
