//! Reviews of verdicts, and links to the pages of other runs.

use casebook_report::calibration::Verdict;
use casebook_report::html::{self, Neighbors, Options};
use casebook_report::reviews::Review;
use serde_json::Value;

use crate::axe::{axe, check};
use crate::browser::Browser;
use crate::sample_runs::showcase;

/// A review of the first verdict of a judge.
fn review() -> Review {
    let run = showcase();
    let judged = run.examples.values().find_map(|example| {
        let judged =
            |one: &&casebook_record::model::EvaluationData| one.metadata.get("judge").is_some();
        Some((example, example.evaluations.iter().find(judged)?))
    });
    let (example, evaluation) = judged.unwrap();
    let criterion = evaluation.metadata.get("criterion").and_then(Value::as_str);
    Review {
        example: example.stable_id.clone().unwrap_or(example.id.clone()),
        turn: evaluation.turn_number,
        criterion: criterion.unwrap_or(&evaluation.name).to_owned(),
        verdict: Verdict::Inconclusive,
        by: Some("Ada".into()),
        comment: Some("<b>too short</b>".into()),
    }
}

#[test]
fn reviews_and_neighbors_are_shown() {
    let review = review();
    let options = Options {
        neighbors: Neighbors {
            previous: Some("monday.html".into()),
            next: Some("wednesday.html#view=tests".into()),
        },
        reviews: vec![review.clone()],
        ..Options::default()
    };
    let mut page = Vec::new();
    html::write(&showcase(), &options, &mut page).unwrap();
    let browser = Browser::start();
    let axe = axe();
    for (width, scheme) in [(1440, "light"), (390, "light"), (1440, "dark")] {
        browser.emulate(width, 900, scheme);
        browser.open_text(&String::from_utf8(page.clone()).unwrap());
        browser.until("document.documentElement.dataset.ready");
        let links = browser.get("[...document.querySelectorAll('.neighbor-runs a')].map((link) => [link.getAttribute('href'), link.getAttribute('aria-label')])");
        assert_eq!(
            links,
            serde_json::json!([
                ["monday.html", "Previous run"],
                ["wednesday.html#view=tests", "Next run"]
            ])
        );
        check(&browser, &axe, &format!("{width} {scheme}"));
        let overflow = browser.get("document.documentElement.scrollWidth - innerWidth");
        assert!(overflow.as_i64() <= Some(0), "{width}: {overflow}");
        browser.run("[...document.querySelectorAll('.card')].find((card) => card.innerText.startsWith('Reviews')).querySelector('a').click()");
        browser.until("document.querySelector('#detail .reviewed')");
        let text = browser.text("#detail .reviewed");
        assert!(
            text.contains("corrected to inconclusive by Ada: <b>too short</b>"),
            "{text}"
        );
        assert_eq!(
            browser.get("document.querySelectorAll('#detail .reviewed').length"),
            1
        );
        check(&browser, &axe, &format!("{width} {scheme} test"));
    }
    browser.is_silent();
}
