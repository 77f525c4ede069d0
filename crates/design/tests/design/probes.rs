//! Probes in real Ruby: which states a call reaches, and that the code behaves as without them.

use std::fs;
use std::process::Command;

use casebook_design::probes::{Hits, ProbePlan};
use casebook_design::ruby::{AnalysisOptions, analyze_all};
use tempfile::TempDir;

const HELPER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ruby/casebook_probes.rb");

struct Probed {
    dir: TempDir,
    plan: ProbePlan,
}

impl Probed {
    fn new(source: &str) -> Probed {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join("a.rb"), source).unwrap();
        let analyses = analyze_all(source.as_bytes(), "a.rb", AnalysisOptions::default());
        let analyses = analyses.unwrap().into_iter().collect::<Result<_, _>>();
        let mut plan = ProbePlan::default();
        plan.add("a.rb", source.as_bytes(), analyses.unwrap());
        let root = dir.path().canonicalize().unwrap();
        let text = plan.to_text(root.to_str().unwrap());
        fs::write(dir.path().join("plan"), text).unwrap();
        Probed { dir, plan }
    }

    /// Evaluates an expression with these outcomes inverted: its value, and the hits.
    fn call(&self, expression: &str, inverted: &[usize]) -> (String, Hits) {
        let script = format!(
            "Casebook::Probes.inverted = {inverted:?}
             require './a'
             puts(begin; {expression}; rescue => error; error; end.inspect)
             Casebook::Probes.hits.each {{ |hit| puts hit.join(' ') }}
             abort Casebook::Probes.files.inspect unless Casebook::Probes.files == {{'a.rb' => nil}}"
        );
        let output = Command::new("ruby")
            .args(["-W0", "-EUTF-8", "-r", HELPER, "-e", &script])
            .current_dir(self.dir.path().canonicalize().unwrap())
            .env("CASEBOOK_PROBES", "plan")
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{expression}: {stderr}");
        let stdout = String::from_utf8(output.stdout).unwrap();
        let (value, hits) = stdout.split_once('\n').unwrap();
        let numbers = hits.lines().map(|line| {
            let (outcome, count) = line.split_once(' ').unwrap();
            (outcome.parse().unwrap(), count.parse().unwrap())
        });
        (value.to_owned(), numbers.collect())
    }

    /// The states that were reached, and those of the first characteristic with their outcomes.
    fn reached(&self, hits: &Hits) -> String {
        let (_, method) = self.plan.methods().next().unwrap();
        let reached = method.states.iter().filter(|state| state.is_reached(hits));
        let names = reached.map(|state| {
            let characteristic = &method.analysis.characteristics[state.characteristic];
            format!(
                "{}={}",
                characteristic.name, characteristic.states[state.state]
            )
        });
        names.collect::<Vec<_>>().join(" ")
    }

    fn outcomes(&self, state: usize) -> Vec<usize> {
        let (_, method) = self.plan.methods().next().unwrap();
        method.states[state].outcomes.clone()
    }
}

fn method(body: &str) -> String {
    format!("class A\n  def call(a, b = nil)\n    {body}\n  end\nend\n")
}

/// A body, the arguments of a call, its value, and the states that it reaches; empty if only their presence matters.
const CALLS: &[(&str, &str, &str, &str)] = &[
    ("a ? 1 : 2", "5", "1", "a_present=present"),
    ("a ? 1 : 2", "nil", "2", "a_present=absent"),
    ("return 1 unless a.nil?\n2", "5", "1", "a_present=present"),
    (
        "if !a && b then 1 else 2 end",
        "nil, 3",
        "1",
        "a_present=absent b_present=present",
    ),
    (
        "if !a && b then 1 else 2 end",
        "4, 3",
        "2",
        "a_present=present",
    ),
    (
        "if a > 3 && a < 9 then 1 else 2 end",
        "5",
        "1",
        "a_range=within_range",
    ),
    (
        "if a > 3 && a < 9 then 1 else 2 end",
        "2",
        "2",
        "a_range=outside_range",
    ),
    (
        "if a > 3 && a < 9 then 1 else 2 end",
        "10",
        "2",
        "a_range=outside_range",
    ),
    (
        "if a > 9 then 1 elsif a > 3 then 2 else 3 end",
        "12",
        "1",
        "a=high",
    ),
    (
        "if a > 9 then 1 elsif a > 3 then 2 else 3 end",
        "5",
        "2",
        "a=medium",
    ),
    (
        "if a > 9 then 1 elsif a > 3 then 2 else 3 end",
        "1",
        "3",
        "a=low",
    ),
    (
        "case a\n    when :x then 1\n    when :y then return 2\n    end",
        ":x",
        "1",
        "a=x",
    ),
    (
        "case a\n    when :x then 1\n    when :y then return 2\n    end",
        ":y",
        "2",
        "a=y",
    ),
    (
        "case a\n    when :x then 1\n    else\n      2 # two\n    end",
        ":z",
        "2",
        "a=other",
    ),
    (
        "case a\n    when :x\n    else 2\n    end",
        ":x",
        "nil",
        "a=x",
    ),
    ("x = a =~ /(\\d+)/ ? $1 : '-'\n    x", "'b12'", "\"12\"", ""),
    (
        "if /(?<n>\\d+)/ =~ a then n else 0 end",
        "'b12'",
        "\"12\"",
        "",
    ),
    (
        "text = <<~X if a\n      hello\n    X\n    text",
        "1",
        "\"hello\\n\"",
        "a_present=present",
    ),
    (
        "case a\n    when 1 then <<~X\n      hello\n    X\n    else 2 end",
        "1",
        "\"hello\\n\"",
        "",
    ),
    ("Array.new 2, a ? 1 : 2", "1", "[1, 1]", "a_present=present"),
    (
        "a.ok? && return\n    1",
        "Struct.new(:ok?).new(true)",
        "nil",
        "a_ok=ok",
    ),
    (
        "a or return :none\n    1",
        "nil",
        ":none",
        "a_present=absent",
    ),
    (
        "begin\n      Integer(a)\n    rescue ArgumentError\n      -1\n    else\n      1\n    end",
        "'x'",
        "-1",
        "Integer_completed=not_completed",
    ),
    (
        "begin\n      Integer(a)\n    rescue ArgumentError\n      -1\n    else\n      1\n    end",
        "'7'",
        "1",
        "Integer_completed=completed",
    ),
    ("block_given? ? yield : a", "5", "5", ""),
    ("(x = a) ? x : 0", "5", "5", ""),
    (
        "\"#{a ? 'yes' : 'no'}\"",
        "1",
        "\"yes\"",
        "a_present=present",
    ),
    (
        "raise ArgumentError, __LINE__.to_s if a\n1",
        "1",
        "#<ArgumentError: 3>",
        "a_present=present",
    ),
    (
        "\u{e9} = 'é' if a\n    \u{e9}",
        "1",
        "\"é\"",
        "a_present=present",
    ),
];

#[test]
fn a_call_reports_its_states_and_returns_what_it_did() {
    for (body, arguments, value, reached) in CALLS {
        let probed = Probed::new(&method(body));
        let (found, hits) = probed.call(&format!("A.new.call({arguments})"), &[]);
        assert_eq!(found, *value, "{body} with {arguments}");
        let states = probed.reached(&hits);
        if reached.is_empty() {
            assert!(!states.is_empty(), "{body} with {arguments}");
        } else {
            assert_eq!(states, *reached, "{body} with {arguments}");
        }
    }
}

#[test]
fn an_inverted_state_behaves_as_another_one() {
    for (body, arguments, state, value) in [
        ("a ? 1 : 2", "5", 0, "2"),
        ("a ? 1 : 2", "nil", 1, "1"),
        // Only this state is inverted.
        ("a ? 1 : 2", "nil", 0, "2"),
        ("a.nil? ? 1 : 2", "nil", 1, "2"),
        ("if a > 3 && a < 9 then 1 else 2 end", "5", 0, "2"),
        ("if a > 3 && a < 9 then 1 else 2 end", "10", 1, "1"),
        (
            "if a > 9 then 1 elsif a > 3 then 2 else 3 end",
            "12",
            0,
            "2",
        ),
        ("if a > 9 then 1 elsif a > 3 then 2 else 3 end", "1", 2, "2"),
        (
            "case a\n    when :x then 1\n    when :y then 2\n    end",
            ":x",
            0,
            "nil",
        ),
    ] {
        let probed = Probed::new(&method(body));
        let call = format!("A.new.call({arguments})");
        let (found, _) = probed.call(&call, &probed.outcomes(state));
        assert_eq!(found, value, "{body} with {arguments}, inverted {state}");
    }
}

#[test]
fn a_file_that_changed_is_loaded_as_it_is() {
    let probed = Probed::new(&method("a ? 1 : 2"));
    fs::write(probed.dir.path().join("a.rb"), method("a ? 10 : 20")).unwrap();
    let script = "require './a'; p A.new.call(1), Casebook::Probes.files, Casebook::Probes.hits";
    let output = Command::new("ruby")
        .args(["-W0", "-r", HELPER, "-e", script])
        .current_dir(probed.dir.path().canonicalize().unwrap())
        .env("CASEBOOK_PROBES", "plan")
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let expected = "10\n{\"a.rb\"=>\"it changed after it was analyzed\"}\n{}\n";
    assert_eq!(stdout, expected);
}
