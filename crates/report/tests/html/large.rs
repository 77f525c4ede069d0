//! Ten thousand tests are shown as quickly as ten.

use crate::browser::Browser;
use crate::sample_runs::large;

#[test]
fn ten_thousand_tests_stay_usable() {
    let browser = Browser::showing(&large(10_000, 200), "view=tests");
    let ready = browser
        .get("performance.getEntriesByName('interactive')[0].startTime")
        .as_f64()
        .unwrap();
    assert!(ready < 2_000.0, "interactive after {ready} ms");
    assert!(browser.text("#found").contains("10,000 tests"));
    browser.click("#fold");
    browser.click("#fold");
    browser.run("document.querySelector('#list').scrollTop = 1e9");
    browser.until("document.querySelector('#list').innerText.includes('does thing 9999')");
    let drawn = browser
        .get("document.querySelectorAll('.line').length")
        .as_u64()
        .unwrap();
    assert!(drawn < 80, "{drawn} lines in the page");
    let slow = browser.run(SCROLL);
    assert!(
        slow.as_f64().unwrap() < 50.0,
        "half of the frames took more than {slow} ms"
    );
    browser.open("view=tests&q=%22%5B7777%5D+the+quick%22");
    browser.until("document.querySelector('#found').innerText === '1 of 10,000 tests'");
    browser.is_silent();
}

/// Scrolls through the list and returns the median time between two frames.
const SCROLL: &str = "
  const list = document.querySelector('#list');
  list.scrollTop = 0;
  const times = [];
  let last = performance.now();
  return new Promise((resolve) => {
    const step = () => {
      const now = performance.now();
      times.push(now - last);
      last = now;
      list.scrollTop += 700;
      if (times.length < 60) requestAnimationFrame(step);
      else resolve(times.sort((a, b) => a - b)[30]);
    };
    requestAnimationFrame(step);
  });";
