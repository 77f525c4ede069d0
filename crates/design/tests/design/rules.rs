//! `docs/design-rules/`: every cited rule is defined there, and every example on the pages is correct.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use casebook_source::SourceFile;
use casebook_source::yaml::parse;

use crate::support::analysis;
use crate::vectors::{expected, found};

mod citations;

use citations::{Citation, citations, is_rule_id};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The name and text of each page with rules.
fn pages() -> Vec<(String, String)> {
    let directory = repository().join("docs/design-rules");
    let mut pages: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    pages.sort();
    pages
}

/// The ids in the headings of a page: `### E14: …`.
fn defined(page: &str) -> impl Iterator<Item = &str> {
    page.lines()
        .filter_map(|line| line.strip_prefix("### ")?.split_once(": "))
        .map(|(id, _)| id)
}

/// All Rust files below a directory, without build output.
fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The problems with the citations in one file, one line each. Other crates have their own ids and numbers.
fn problems(path: &Path, source: &str, rules: &BTreeSet<&str>) -> Vec<String> {
    let in_design = path.starts_with("design");
    let problem = |(line, citation): (usize, Citation)| {
        let problem = match citation {
            Citation::Rule(id) if rules.contains(id.as_str()) => return None,
            Citation::Rule(id) => format!("rule {id} is not defined in docs/design-rules/"),
            Citation::BareId(id) if in_design => format!("write `rule {id}`, not `{id}`"),
            Citation::BareNumber(text) if in_design => format!("cite a rule, not `{text}`"),
            Citation::BareId(_) | Citation::BareNumber(_) => return None,
            Citation::Elsewhere(text) => format!("`{text}` cannot be looked up: cite a rule"),
        };
        Some(format!("crates/{}:{line}: {problem}", path.display()))
    };
    citations(source).into_iter().filter_map(problem).collect()
}

#[test]
fn every_cited_rule_is_defined() {
    let pages = pages();
    let rules: BTreeSet<&str> = pages.iter().flat_map(|(_, text)| defined(text)).collect();
    assert!(rules.len() > 90, "{rules:?}");
    let crates = repository().join("crates");
    let mut wrong = Vec::new();
    for path in rust_files(&crates) {
        let source = fs::read_to_string(&path).unwrap();
        let relative = path.strip_prefix(&crates).unwrap();
        // The tests of the scanner contain citations of every form, including wrong ones.
        if !relative.starts_with("design/tests/design/rules")
            && !relative.ends_with("design/rules.rs")
        {
            wrong.extend(problems(relative, &source, &rules));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn wrong_citations_are_reported() {
    let rules = BTreeSet::from(["E14"]);
    for (path, comment, expected) in [
        ("design/src/a.rs", "rule E14", ""),
        ("run/src/a.rs", "rule E14; C1 controls and 4.5", ""),
        ("run/src/a.rs", "rule E15", "rule E15 is not defined"),
        ("design/src/a.rs", "(E14)", "write `rule E14`"),
        ("design/src/a.rs", "as in 11.5", "cite a rule, not `11.5`"),
        (
            "run/src/a.rs",
            "section 9",
            "`section 9` cannot be looked up",
        ),
        ("run/src/a.rs", "the contract's", "`the contract` cannot be"),
    ] {
        let found = problems(Path::new(path), &format!("// {comment}\n"), &rules);
        let expected: &[&str] = if expected.is_empty() {
            &[]
        } else {
            &[expected]
        };
        assert_eq!(found.len(), expected.len(), "{comment}: {found:?}");
        let all = found.iter().zip(expected);
        assert!(
            all.clone().all(|(one, text)| one.contains(text)),
            "{found:?}"
        );
    }
}

#[test]
fn rules_are_defined_once_and_listed_on_the_first_page() {
    let index = fs::read_to_string(repository().join("docs/design-rules.md")).unwrap();
    let mut seen = BTreeSet::new();
    for (name, text) in pages() {
        for id in defined(&text) {
            assert!(is_rule_id(id), "{name}: {id}");
            assert!(seen.insert(id.to_owned()), "{name} defines {id} again");
            let link = format!("- [{id}](design-rules/{name}#{}-", id.to_lowercase());
            assert!(index.contains(&link), "the first page has no `{link}`");
        }
    }
}

/// The Ruby code of each example on a page, and its expected result.
fn examples(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split("```ruby\n").skip(1).filter_map(|rest| {
        let (ruby, rest) = rest.split_once("```\n")?;
        let yaml = rest.strip_prefix("```yaml\n")?;
        Some((ruby, yaml.split_once("```")?.0))
    })
}

/// The characteristics of an example on the page of extraction rules.
fn listed(yaml: &str) -> Vec<String> {
    let file = SourceFile::new("example.yml", yaml);
    let parsed = parse(&file);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let list = parsed.documents[0].as_list().unwrap();
    list.iter().map(expected).collect()
}

#[test]
fn every_extraction_example_is_correct() {
    let page = include_str!("../../../../docs/design-rules/extraction.md");
    let mut count = 0;
    for (ruby, yaml) in examples(page) {
        let found: Vec<String> = analysis(ruby).characteristics.iter().map(found).collect();
        assert_eq!(found, listed(yaml), "{ruby}");
        count += 1;
    }
    assert!(count >= 22, "{count}");
}

#[test]
fn every_test_level_example_is_correct() {
    let page = include_str!("../../../../docs/design-rules/test-level.md");
    let mut count = 0;
    for (ruby, yaml) in examples(page) {
        let level = analysis(ruby).test_level.as_str();
        assert_eq!(format!("test_level: {level}\n"), yaml, "{ruby}");
        count += 1;
    }
    assert_eq!(count, 4);
}
