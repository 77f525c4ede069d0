//! Where states are decided.

use casebook_design::ruby::{AnalysisOptions, analyze_all};

/// The decisions of the only method of a source, in the text of the source.
fn decisions(source: &str) -> Vec<String> {
    let methods = analyze_all(source.as_bytes(), "lib/a.rb", AnalysisOptions::default()).unwrap();
    let analysis = methods.into_iter().next().unwrap().unwrap();
    let shown = analysis.decisions.iter().map(|decision| {
        let characteristic = &analysis.characteristics[decision.characteristic];
        let conditions: Vec<String> = decision
            .conditions
            .iter()
            .map(|span| {
                let not = if span.negated { "not " } else { "" };
                format!("{not}{}", &source[span.start..span.end])
            })
            .collect();
        let arms: Vec<String> = decision
            .arms
            .iter()
            .map(|arm| {
                let body = arm.body.map_or("", |(start, end)| &source[start..end]);
                format!("; {} {body}", characteristic.states[arm.state])
            })
            .collect();
        let kind = decision.kind.as_str();
        format!(
            "{kind} {}: {}{}",
            characteristic.name,
            conditions.join(", "),
            arms.concat()
        )
    });
    shown.collect()
}

#[test]
fn every_kind_of_decision_has_its_bytes() {
    for (body, expected) in [
        ("1 if user", vec!["condition user_present: user"]),
        (
            "1 unless (user.nil?)",
            vec!["condition user_present: not user.nil?"],
        ),
        (
            "return 1 if !user.ok? && size > 3",
            vec!["condition user_ok: user.ok?", "condition size: size > 3"],
        ),
        (
            "1 if size > 3 && size < 9",
            vec!["condition size_range: size > 3, size < 9"],
        ),
        (
            "if size > 9 then 1 elsif size > 3 then 2 else 3 end",
            vec!["chain size: size > 9, size > 3; high 1; medium 2; low 3"],
        ),
        (
            "case user.role\nwhen :a then 1\nwhen :b\nelse 3 end",
            vec!["case user_role: user.role; a 1; b ; other 3"],
        ),
        (
            "case user\nin {a: Integer} if size > 3 then 1\nin {b:} then 2\nend",
            vec!["case user: user; a 1; b 2", "condition size: size > 3"],
        ),
    ] {
        let source = format!("class A\n  def call(user, size)\n    {body}\n  end\nend\n");
        let found = decisions(&source);
        assert_eq!(found, expected, "{body}");
    }
}
