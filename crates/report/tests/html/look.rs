//! Color schemes and screen sizes.

use serde_json::Value;

use crate::browser::Browser;
use crate::sample_runs::showcase;

#[test]
fn the_page_is_readable_everywhere() {
    Browser::start().through(
        &showcase(),
        &[
            text_has_contrast_in_light_and_dark,
            the_theme_follows_the_system_unless_set,
            a_phone_needs_no_horizontal_scrolling,
            no_view_scrolls_into_blank_space,
            the_timeline_stays_in_its_frame,
        ],
    );
}

const PLACES: [&str; 7] = [
    "",
    "view=tests",
    "view=timeline",
    "view=topics",
    "test=example:3aff8cecd984",
    "test=example:06645c93b83a",
    "test=example:6b015b0dfbe7",
];

/// Texts with a contrast below 4.5, the minimum of WCAG AA. A canvas converts every notation of a color.
pub(crate) const FAINT: &str = r"(() => {
  const pen = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
  const over = (color, below) => {
    pen.globalAlpha = 1; pen.fillStyle = below; pen.fillRect(0, 0, 1, 1); pen.fillStyle = color; pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data; return `rgb(${r} ${g} ${b})`;
  };
  const ground = (element) => (element ? over(getComputedStyle(element).backgroundColor, ground(element.parentElement)) : 'white');
  const light = (color) => color.match(/\d+/g).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode; const element = text.parentElement;
    if (!text.data.trim() || !element.checkVisibility() || element.closest('.unseen, svg, script, :disabled, #skip')) continue;
    const behind = ground(element); const style = getComputedStyle(element);
    const front = over(style.color, behind);
    const [a, b] = [light(front), light(behind)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${element.tagName}.${element.className}: ${text.data.trim().slice(0, 30)}`);
  }
  return [...new Set(faint)];
})()";

fn text_has_contrast_in_light_and_dark(browser: &Browser) {
    for scheme in ["light", "dark"] {
        browser.emulate(1280, 900, scheme);
        for at in PLACES {
            browser.open(at);
            browser
                .until("!location.hash.includes('test=') || document.querySelector('#detail h2')");
            browser
                .run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
            let faint = browser.get(FAINT);
            assert_eq!(faint, Value::Array(Vec::new()), "{scheme} {at}");
        }
    }
}

fn the_theme_follows_the_system_unless_set(browser: &Browser) {
    browser.open("");
    let is_dark =
        "getComputedStyle(document.querySelector('.top')).backgroundColor === 'rgb(27, 29, 33)'";
    assert_eq!(browser.get(is_dark), false);
    browser.media("", "dark");
    browser.until(is_dark);
    browser.click("#theme");
    browser.until(&format!("!({is_dark})"));
    assert_eq!(browser.text("#theme"), "Dark");
    browser.press("t");
    browser.until(is_dark);
    browser.is_silent();
}

fn a_phone_needs_no_horizontal_scrolling(browser: &Browser) {
    browser.emulate(390, 844, "light");
    for at in PLACES {
        browser.open(at);
        browser.until("!location.hash.includes('test=') || document.querySelector('#detail h2')");
        let wide = browser.get("document.documentElement.scrollWidth");
        assert_eq!(wide, 390, "{at}");
        let beyond = browser.get(
            "[...document.querySelectorAll('main *')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > 391
               && !one.closest('.graph, .scroll, #states, .unseen, .code, .line .name')).map((one) => one.outerHTML.slice(0, 120))",
        );
        assert_eq!(beyond, Value::Array(Vec::new()), "{at}");
    }
    assert_eq!(
        browser.get("document.querySelector('#list').checkVisibility()"),
        false,
        "the test fills the screen"
    );
    browser.click("#detail .back");
    browser.until("document.querySelector('#list').checkVisibility() && document.querySelector('#detail').hidden");
    let small = browser.get("[...document.querySelectorAll('.line')].filter((one) => one.getBoundingClientRect().height < 44).length");
    assert_eq!(small, 0, "a finger hits a line");
    browser.is_silent();
}

fn no_view_scrolls_into_blank_space(browser: &Browser) {
    for (width, height) in [(1440, 900), (390, 844)] {
        browser.emulate(width, height, "light");
        for at in PLACES {
            browser.open(at);
            let document = browser.get("document.documentElement.scrollHeight");
            assert_eq!(document, height, "{width} {at}");
            // Below the last element there is only the padding of the page.
            let blank = browser.get(
                "Math.max(0, ...[...document.querySelectorAll('.page:not([hidden])')].map((page) => page.scrollHeight - page.clientHeight
                   && page.scrollHeight - Math.max(...[...page.querySelectorAll(':not(.unseen, .unseen *)')].map((one) => one.getBoundingClientRect().bottom)) - page.scrollTop + page.getBoundingClientRect().top))",
            );
            assert!(blank.as_f64().unwrap() < 90.0, "{width} {at}: {blank}");
        }
    }
}

fn the_timeline_stays_in_its_frame(browser: &Browser) {
    for width in [1440, 1280, 390] {
        browser.emulate(width, 900, "light");
        browser.open("view=timeline");
        let fits = "(() => { const frame = document.querySelector('.lanes').getBoundingClientRect(); const canvas = document.querySelector('canvas').getBoundingClientRect();
             return canvas.left > frame.left && canvas.right < frame.right; })()";
        browser.until(fits);
        let lines = browser.get("Math.max(...[...document.querySelectorAll('#timeline tbody th')].map((one) => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight)))");
        assert!(
            lines.as_f64().unwrap() < 4.0,
            "{width}: names of workers take {lines} lines"
        );
    }
}
