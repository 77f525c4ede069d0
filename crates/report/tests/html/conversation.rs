//! The details of a command test and of a conversation.

use crate::browser::Browser;
use crate::sample_runs::showcase;
use serde_json::json;

#[test]
fn tests_are_shown_with_their_details() {
    Browser::start().through(
        &showcase(),
        &[
            a_command_shows_its_diff_and_colors,
            a_conversation_is_a_chat_with_evaluations,
            the_topic_graph_counts_its_edges,
            the_topic_graph_has_changes_of_the_first_turn_and_a_legend,
            the_actual_value_of_a_json_assertion_is_shown,
            the_timeline_has_a_lane_for_each_worker_and_opens_tests,
        ],
    );
}

fn open_test(browser: &Browser, name: &str) {
    browser.run(&format!(
        "const line = [...document.querySelectorAll('.line')].find((one) => one.innerText.includes('{name}')); line.click()"
    ));
    browser.until(&format!(
        "document.querySelector('#detail h2')?.innerText.includes('{name}')"
    ));
}

fn a_command_shows_its_diff_and_colors(browser: &Browser) {
    browser.open("view=tests");
    open_test(browser, "lists what there is");
    let lines = browser.get("[...document.querySelectorAll('.diff .code > div')].map((one) => one.innerText).join('\\n')");
    insta::assert_snapshot!(lines.as_str().unwrap(), @r#"
      beer     3 EUR
    - bread    4 EUR
    + bread    2 EUR
      cheese   7 EUR
      milk     1 EUR
      oranges  5 EUR
      pears    5 EUR
    - salt·····1·EUR
    - wine·····9·EUR
    + salt·····1·EUR·
    + wine⇥·9·EUR
    "#);
    let marked = browser
        .get("[...document.querySelectorAll('.diff mark')].map((one) => one.innerText).join('|')");
    assert_eq!(marked, "4|2|·····|·|⇥·");
    open_test(browser, "shows colors");
    let shown = "[...document.querySelectorAll('.stream span')].map((one) => `${one.className}=${one.innerText}`).join(' ')";
    insta::assert_snapshot!(browser.get(shown).as_str().unwrap(), @r#"bold=shop dim=(build 77) f2=✓ f3=3 EUR f2=✓ f3=2 EUR bold f1=✗ cheese underline=sold out fx=warning fx=stock is low b4= 3 left"#);
    assert!(!browser.text("#detail .stream").contains("[2K"));
    // A file is shown by its comparison, not by its name.
    let file = browser.get("[...document.querySelectorAll('.evaluation')].find((one) => one.innerText.includes('x equals y.txt')).innerText");
    let file = file.as_str().unwrap();
    assert!(
        file.contains("\"done\"") && file.contains("\"Done!\""),
        "{file}"
    );
    assert_eq!(
        browser.get("document.querySelectorAll('#detail .diff').length"),
        0
    );
    open_test(browser, "waits for a delivery");
    let text = browser.text("#detail");
    for part in [
        "timed out after 2 s · killed by SIGKILL",
        "stdout so far",
        "no van in sight",
        "casebook run suites/shop.casebook.yaml:30",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    open_test(browser, "says hello");
    browser.run("[...document.querySelectorAll('#detail details')].find((one) => one.innerText.includes('Attempt 1 of 2')).open = true");
    browser.until("document.querySelector('.attempt .diff')?.innerText.includes('Helo')");
    browser.is_silent();
}

fn a_conversation_is_a_chat_with_evaluations(browser: &Browser) {
    browser.open("view=tests");
    open_test(browser, "books with a change of time");
    assert_eq!(browser.get("document.querySelectorAll('.turn').length"), 3);
    let turn = browser.text(".turn:nth-of-type(4)");
    for part in [
        "The Blue Room for 10 people, 2pm",
        "booking-large-2 · 580 ms · 1,040 → 78 tokens · cost 0.0021",
        "matches no result of a tool",
        "judge-1 · 812 ms · 640 → 41 tokens",
        "closest call",
        "/capacity",
    ] {
        assert!(turn.contains(part), "{part}: {turn}");
    }
    assert!(
        browser
            .text("#detail")
            .contains("topic: greeting → gathering")
    );
    let apart = "document.querySelector('.turn .beside').getBoundingClientRect().left >= document.querySelector('.turn .chat').getBoundingClientRect().right";
    browser.emulate(1500, 900, "light");
    browser.until(apart);
    browser.click(".tool-call > summary");
    browser.until("document.querySelector('.tool-call .json')?.innerText.includes('capacity: 8')");
    assert!(
        browser
            .text(".tool-call")
            .contains("id: 12345678901234567890"),
        "no number is rounded"
    );
    browser.click(".tool-call > summary");
    browser.until("!document.querySelector('.tool-call').open");
    browser.click(".model-call > summary");
    browser.until("document.querySelector('.model-call').innerText.includes('You judge one reply of an agent.')");
    browser.click(".model-call .model-call > summary");
    browser.until(
        "document.querySelector('.model-call .model-call').innerText.includes('it depends')",
    );
    browser.is_silent();
}

fn the_topic_graph_counts_its_edges(browser: &Browser) {
    browser.open("view=topics");
    let edges = browser.get("[...document.querySelectorAll('#topics .graph .unseen li')].map((one) => one.textContent).join('\\n')");
    insta::assert_snapshot!(edges.as_str().unwrap(), @r#"
    greeting to gathering: taken 9 times
    gathering to results: taken 2 times
    gathering to greeting: never taken
    results to booking: taken 1 time
    results to gathering: never taken
    booking to farewell: never taken
    gathering to booking: taken 2 times, not in the suite
    greeting to results: taken 1 time, not in the suite
    "#);
    assert_eq!(
        browser.get("document.querySelectorAll('#topics [role=img] .edge.unplanned').length"),
        2
    );
    browser.is_silent();
}

fn the_topic_graph_has_changes_of_the_first_turn_and_a_legend(browser: &Browser) {
    let mut run = serde_json::to_value(showcase()).unwrap();
    let example = &mut run["examples"]["example:6b015b0dfbe7"];
    // Two topics at the same distance from the first, and transitions between them in both directions.
    example["metadata"]["topics"] = json!({"a": ["b", "c"], "b": ["c"], "c": ["b"]});
    for (turn, topic) in example["conversation"]["turns"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .zip(["b", "c", "b"])
    {
        turn["topic"] = topic.into();
    }
    example["conversation"]["turns"][0]["metadata"] =
        json!({"topic_changes": [{"from": "a", "to": "b", "trigger": null}]});
    browser.write(&serde_json::from_value(run).unwrap());
    browser.open("test=example:6b015b0dfbe7");
    browser.until("document.querySelector('#detail .graph')");
    let edges = browser.get("[...document.querySelectorAll('#detail .graph .unseen li')].map((one) => one.textContent).join()");
    assert_eq!(
        edges,
        "a to b: taken 1 time,a to c: never taken,b to c: taken 1 time,c to b: taken 1 time"
    );
    assert!(
        browser
            .text("#detail .turns")
            .contains("topic: a\n\ntopic: a → b")
    );
    let dangling = browser.get(DANGLING);
    assert_eq!(dangling, json!([]));
    browser.run("location.hash = 'view=topics'");
    browser.until("document.querySelector('#topics .graph')?.checkVisibility()");
    let arrow = "document.querySelectorAll('[id=arrow-taken]')";
    assert_eq!(browser.get(&format!("{arrow}.length")), 1);
    assert_eq!(
        browser.get(&format!("{arrow}[0].closest('svg').checkVisibility()")),
        true
    );
    browser.back();
    browser.until("document.querySelector('#detail .graph')?.checkVisibility()");
    let legend = browser.text("#detail .graph .legend-row");
    for part in [
        "transition with its count",
        "never occurred",
        "topic that was never reached",
    ] {
        assert!(legend.contains(part), "{legend}");
    }
    assert!(!legend.contains("not in the suite"), "{legend}");
    browser.is_silent();
}

/// Edges that do not start and end at the border of a topic, or cross one.
const DANGLING: &str = "(() => {
  const boxes = [...document.querySelectorAll('#detail .graph [role=img] .topic rect')].map((one) => one.getBBox());
  const inside = (box, {x, y}, by) => x > box.x - by && x < box.x + box.width + by && y > box.y - by && y < box.y + box.height + by;
  return [...document.querySelectorAll('#detail .graph [role=img] .edge path')].filter((path) => {
    const length = path.getTotalLength();
    const touches = (point) => boxes.some((box) => inside(box, point, 8) && !inside(box, point, -1));
    const middle = Array.from({length: 19}, (_, at) => path.getPointAtLength(length * (at + 1) / 20));
    return !touches(path.getPointAtLength(0)) || !touches(path.getPointAtLength(length)) || middle.some((point) => boxes.some((box) => inside(box, point, -1)));
  }).map((path) => path.getAttribute('d'));
})()";

fn the_actual_value_of_a_json_assertion_is_shown(browser: &Browser) {
    let mut run = serde_json::to_value(showcase()).unwrap();
    run["examples"]["example:3aff8cecd984"]["evaluations"][1] = json!({
        "name": "outputJson /a", "description": "outputJson /a is 1", "passed": false, "reasoning": null, "mode": "hard", "type": "outputJson",
        "timestamp": "2026-11-15T08:40:51.594Z", "failure_message": "/a is different",
        "metadata": {"comparison": "json", "stream": "output", "pointer": "/a", "expected": 1, "actual": "1"},
    });
    browser.write(&serde_json::from_value(run).unwrap());
    browser.open("test=example:3aff8cecd984");
    browser.until("document.querySelector('#detail .evaluation')");
    let text = browser.text("#detail .evaluation");
    assert!(
        text.contains("expected\n1\nactual\n\"1\"") || text.contains("expected1\nactual\"1\""),
        "{text:?}"
    );
}

fn the_timeline_has_a_lane_for_each_worker_and_opens_tests(browser: &Browser) {
    browser.open("view=timeline");
    assert_eq!(browser.get("[...document.querySelectorAll('#timeline tbody th')].map((one) => one.innerText).join()"), "worker 1,worker 2,worker 3,worker 4");
    let painted = "(() => { const canvas = document.querySelector('canvas'); const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const colors = new Set(); for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) colors.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
        return ['91,181,148', '227,107,84', '219,166,58'].every((color) => colors.has(color)); })()";
    assert_eq!(browser.get(painted), true);
    // The middle of the canvas's first lane: the conversation of the first worker.
    browser.run(
        "const canvas = document.querySelector('canvas'); const box = canvas.getBoundingClientRect();
         const at = {clientX: box.left + 92 + (box.width - 100) * 0.25, clientY: box.top + 37, bubbles: true};
         canvas.dispatchEvent(new PointerEvent('pointermove', at)); canvas.dispatchEvent(new PointerEvent('pointerdown', at));
         window.tipped = document.querySelector('#tip').innerText; canvas.dispatchEvent(new PointerEvent('pointerup', at));",
    );
    assert!(
        browser
            .get("window.tipped")
            .as_str()
            .unwrap()
            .contains("books with a change of time\nfailed · 3.14 s from 900 ms")
    );
    browser.until(
        "document.querySelector('#detail h2')?.innerText.includes('books with a change of time')",
    );
    browser.is_silent();
}
