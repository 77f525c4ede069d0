//! Each encoding of a secret at each destination: terminal, reports, record, and the output of RSpec.

use std::path::Path;

use crate::support::{Call, Project};

const PASSWORD: &str = "Zk7\"Wq9xPmT/ö\\Rv3LnHd8 b?>'";
const KEY: &str = "-----BEGIN TEST KEY-----\nMIIEpQIBAAKCAQEAx9\nshort\nQmV0dGVyTm90U2hvdyE\n-----END TEST KEY-----";
const URL: &str = "postgres://shop:URLpassw0rd@localhost/shop";

/// Writes `leak.txt`, the secrets in each encoding, and `parts.txt`, the parts of them that must not be visible. Made by
/// Python, so that the encodings do not depend on the redactor.
const ENCODE: &str = r#"
import base64, json, os, re, shlex, urllib.parse

def dump(text):
    return json.dumps(text)[1:-1]

rows = []
def row(name, text, kept=0):
    rows.append((name, text, text[kept:len(text) - kept]))

for name in ["DB_PASS", "SIGNING_KEY"]:
    secret = os.environ[name]
    row(f"{name} verbatim", secret)
    for before in ["", "a", "ab"]:
        data = f"{before}{secret}\n".encode()
        row(f"{name} base64 {len(before)}", base64.b64encode(data).decode(), 4)
        row(f"{name} base64url {len(before)}", base64.urlsafe_b64encode(data).decode(), 4)
    row(f"{name} percent", urllib.parse.quote(secret, safe=""))
    row(f"{name} form", urllib.parse.quote_plus(secret))
    row(f"{name} json", json.dumps(secret, ensure_ascii=False))
    row(f"{name} json ascii", dump(secret))
    row(f"{name} json twice", dump(dump(secret)))
    row(f"{name} unicode escapes", "".join(f"\\u{ord(c):04x}" for c in secret))
    row(f"{name} shell", shlex.quote(secret))
for line in os.environ["SIGNING_KEY"].split("\n"):
    if len(line) >= 8:
        row("a line", f"> {line}")
row("url password", "password is URLpassw0rd")

open("leak.txt", "w").write("".join(f"{name}: {text}\n" for name, text, _ in rows))
parts = {part for _, _, secret in rows for part in re.findall("[A-Za-z0-9]{7,}|(?:u00[0-9a-f]{2}.){4}", secret)}
open("parts.txt", "w").write("".join(part + "\n" for part in parts - {"password"}))
"#;

/// Prints the data inside HTML pages.
const UNPACK: &str = r#"
import base64, gzip, re, sys
page = open(sys.argv[1]).read()
packed = [data for data in re.findall("[A-Za-z0-9+/=]{60,}", page) if data.startswith("H4sI")]
assert packed
print(page)
for data in packed:
    print(gzip.decompress(base64.b64decode(data)).decode("utf-8", "replace"))
"#;

fn project() -> Project {
    let project = Project::with("encode.py", ENCODE);
    project.write("unpack.py", UNPACK);
    with_secrets(project.bash("python3 encode.py"))
        .run()
        .exits(0);
    assert!(project.read("parts.txt").lines().count() > 40);
    project
}

fn with_secrets(call: Call) -> Call {
    call.env("DB_PASS", PASSWORD)
        .env("SIGNING_KEY", KEY)
        .env("DATABASE_URL", URL)
}

/// Checks that the text mentions the secrets and shows none of them.
#[track_caller]
fn assert_redacted(project: &Project, what: &str, text: &str) {
    assert!(text.contains("[redacted]"), "{what}: {text}");
    for part in project.read("parts.txt").lines() {
        assert!(!text.contains(part), "{what} shows `{part}`: {text}");
    }
}

#[track_caller]
fn assert_files_are_redacted(project: &Project, files: &[&str]) {
    for file in files {
        let is_page = Path::new(file).extension().is_some_and(|end| end == "html");
        let text = if is_page {
            let unpack = project.bash(&format!("python3 unpack.py {file}"));
            unpack.run().exits(0).stdout
        } else {
            project.read(file)
        };
        assert_redacted(project, file, &text);
    }
}

#[test]
fn a_run_shows_and_records_no_encoding_of_a_secret() {
    let project = project();
    let suite = "
tests:
  - name: leaks
    command: cat leak.txt; cat leak.txt >&2; exit 1
    outputEquals: nothing
    stderrContains: nothing
";
    project.write("a.casebook.yaml", suite);
    let formats = "--format pretty --format tap=o.tap --format junit=o.xml --format json=o.json --format github=o.gh";
    let call = project.casebook(&format!("run -v --record out {formats} --html o.html"));
    let outcome = with_secrets(call).run().exits(1);
    assert_redacted(&project, "terminal", &outcome.stdout);
    assert_files_are_redacted(
        &project,
        &[
            "o.tap",
            "o.xml",
            "o.json",
            "o.gh",
            "o.html",
            "out/events.jsonl",
            "out/run.json",
        ],
    );
    let saved = project.files("out/output");
    assert_eq!(saved.len(), 1);
    assert_files_are_redacted(&project, &[&format!("out/output/{}", saved[0])]);
    for ui in ["interleaved", "quiet"] {
        let call = project.casebook(&format!("run --record none --ui {ui}"));
        assert_redacted(&project, ui, &with_secrets(call).run().exits(1).stdout);
    }
}

const SPEC: &str = r#"
RSpec.describe "Leak" do
  let(:text) { File.read("leak.txt") }
  it("prints") { puts text; warn text }
  it("raises") { raise text }
  it("compares") { expect(text).to eq "nothing" }
  it(File.read("leak.txt")) { expect(text.lines).to be_empty }
end
RSpec.configure { |config| config.after(:suite) { File.write("done", "") } }
"#;

#[test]
fn rspec_shows_and_records_no_encoding_of_a_secret() {
    let project = project();
    project.write("spec/leak_spec.rb", SPEC);
    let formats = "--format pretty --format tap=o.tap --format junit=o.xml";
    let call = format!("rspec -w 1 -v --record out {formats} --html o.html");
    let outcome = with_secrets(project.casebook(&call)).run().exits(1);
    assert_redacted(&project, "stdout", &outcome.stdout);
    assert_redacted(&project, "stderr", &outcome.stderr);
    assert!(
        outcome.stderr.contains("DB_PASS verbatim: [redacted]\n"),
        "{outcome:#?}"
    );
    assert_files_are_redacted(
        &project,
        &[
            "o.tap",
            "o.xml",
            "o.html",
            "out/events.jsonl",
            "out/run.json",
        ],
    );
    let listed = with_secrets(project.casebook("rspec --list"))
        .run()
        .exits(0);
    assert_redacted(&project, "--list", &listed.stdout);
}

#[test]
fn the_interactive_view_of_rspec_shows_no_encoding_of_a_secret() {
    let project = project();
    project.write("spec/leak_spec.rb", SPEC);
    let keys =
        "until [[ -e done ]]; do sleep 0.05; done; for _ in {1..20}; do sleep 0.5; printf q; done";
    let view = r#"stty cols 200 rows 60; "$CASEBOOK" rspec -w 1 --record none --ui interactive"#;
    let script = format!("{{ {keys}; }} 2>/dev/null | script -qec '{view}' /dev/null");
    let call = with_secrets(project.bash(&script)).env("TERM", "xterm-256color");
    assert_redacted(&project, "the view", &call.run().stdout);
}
