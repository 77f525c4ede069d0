//! Secrets are redacted in all outputs.

use std::fs;
use std::path::Path;

use super::Suite;

#[test]
fn secrets_are_redacted_on_the_terminal_and_in_all_files() {
    let suite = Suite::new(
        "
redact: ['*_PIN']
env: {SUITE_TOKEN: from-the-suite}
setupFile: export FILE_PASSWORD=from-setup-file
tests:
  - name: tells all
    command: env; env >&2; echo $MY_PIN; exit 1
    env: {TEST_SECRET: from-the-test, MY_PIN: '12345678'}
    outputContains: from-the-suite-and-more
  - name: tells all apart
    command: env | sort
    stderrContains: x
",
    );
    let call = suite.call("--format pretty --format tap=o.tap --format junit=o.xml --format json=o.json --format github=o.gh -v -x");
    let ran = suite
        .run_as(call.env("API_KEY", "from-environment"))
        .exits(1);
    let secrets = [
        "from-environment",
        "from-the-suite\"",
        "from-setup-file",
        "from-the-test",
        "12345678",
    ];
    let mut texts = vec![ran.outcome.stdout.clone(), ran.outcome.stderr.clone()];
    read_all(&suite.project.at("out"), &mut texts);
    for file in ["o.tap", "o.xml", "o.json", "o.gh"] {
        texts.push(suite.project.read(file));
    }
    assert!(texts.len() >= 9, "{}", texts.len());
    for text in &texts {
        for secret in secrets {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
    assert!(
        texts
            .iter()
            .filter(|text| text.contains("[redacted]"))
            .count()
            >= 6
    );
}

fn read_all(dir: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, texts);
        } else {
            texts.push(fs::read_to_string(path).unwrap());
        }
    }
}
