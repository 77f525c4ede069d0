//! Generated specs have no findings in our own review.

use casebook_design::metadata::read::Plan;
use casebook_design::on_deep_stack;
use casebook_design::review::{Guide, ReviewContext, Severity, review};
use casebook_design::ruby::Analysis;
use casebook_design::skeleton::{Distance, Style, skeleton};
use casebook_design::spec::{Records, architect, implement};
use casebook_source::SourceFile;
use casebook_source::yaml::parse;

use crate::support::analysis;
use crate::vectors::VECTORS;

/// The findings about a spec, one line each.
fn findings(spec: &str, plan: &Plan, expected: &[&str]) -> Vec<String> {
    let context = ReviewContext {
        path: "spec/lib/sample_spec.rb",
        level: plan.test_level,
        plans: std::slice::from_ref(plan),
        guide: Guide::Strict,
    };
    let found = review(spec, &context).findings.into_iter();
    let found = found.filter(|one| one.severity != Severity::Suggestion);
    let found = found.filter(|one| !expected.contains(&one.check.slug));
    found
        .map(|one| format!("{}: line {}: {}", one.check.slug, one.line, one.issue))
        .collect()
}

/// The findings about the skeleton and about the finished spec of a method.
fn findings_of(analysis: Analysis) -> Vec<String> {
    let plan = Plan::of(&analysis, "lib/sample.rb");
    let plans = std::slice::from_ref(&plan);
    let text = skeleton(plans, Style::Comments);
    // A skeleton has placeholders.
    let mut found = findings(&text, &plan, &["leftover"]);
    let all = [analysis];
    let text = architect(&skeleton(plans, Style::Bare), plans, &all).text;
    let spec = implement(
        &text,
        plans,
        &all,
        &Records::default(),
        Distance::Apart,
        &[],
    )
    .text;
    found.extend(findings(&spec, &plan, &[]));
    if !found.is_empty() {
        found.push(spec);
    }
    found
}

#[test]
fn the_specs_of_all_vectors_pass_the_review() {
    let file = SourceFile::new("vectors.yml", VECTORS);
    let parsed = parse(&file);
    let mut wrong = Vec::new();
    for vector in parsed.documents[0].as_list().unwrap() {
        let ruby = vector.get("ruby").unwrap().as_text().unwrap();
        // The implementer writes expectations only for methods of a class.
        let in_class = format!("class Sample\n{ruby}\nend\n");
        for ruby in [ruby, &in_class] {
            wrong.extend(on_deep_stack(|| findings_of(analysis(ruby))));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
