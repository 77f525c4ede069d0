//! `--upload` and `studio s3://…`, with a real server that checks signatures; `script/setup` installs it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use base64::Engine as _;
use serde_json::{Value, json};

use crate::events::{failing_run, lines};
use crate::support::{Call, Live, Project, eventually};

const SUITE: &str = "tests: [{name: greets, command: echo Hello, outputContains: Hello}]\n";
const STUDIO_TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// An S3 server with an empty bucket `records`.
struct Server {
    process: std::cell::RefCell<Live>,
    url: String,
    key: String,
    secret: String,
}

impl Server {
    fn start(project: &Project) -> Server {
        let python = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../python/bin/python3");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/s3.py");
        let script = format!("exec {} {}", python.display(), script.display());
        let process = project.bash(&script).start();
        let server: Value = serde_json::from_str(&process.answer()).unwrap();
        let text = |name: &str| server[name].as_str().unwrap().to_owned();
        Server {
            process: process.into(),
            url: text("url"),
            key: text("key"),
            secret: text("secret"),
        }
    }

    fn ask(&self, command: &str) -> String {
        let mut process = self.process.borrow_mut();
        process.send(command);
        process.answer()
    }

    fn keys(&self) -> Vec<String> {
        serde_json::from_str(&self.ask("list")).unwrap()
    }

    fn get(&self, key: &str) -> Vec<u8> {
        let content = self.ask(&format!("get {key}"));
        base64::prelude::BASE64_STANDARD.decode(content).unwrap()
    }

    /// With the credentials of a user who may do everything.
    fn allow(&self, call: Call) -> Call {
        self.address(call)
            .env("AWS_ACCESS_KEY_ID", &self.key)
            .env("AWS_SECRET_ACCESS_KEY", &self.secret)
    }

    fn address(&self, call: Call) -> Call {
        call.env("AWS_ENDPOINT_URL", &self.url)
            .env("AWS_REGION", "us-east-1")
    }
}

fn unzstd(content: &[u8]) -> Value {
    serde_json::from_slice(&zstd::decode_all(content).unwrap()).unwrap()
}

/// The name of the only record.
fn record(project: &Project) -> String {
    let mut runs = project.files(".casebook/runs");
    runs.retain(|name| name != "latest");
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

#[test]
fn a_run_is_uploaded_completely_and_without_secrets() {
    let suite = "tests:
  - {name: greets, command: echo Hello, outputContains: Hello}
  - {name: fails, command: 'seq 200000; echo $AWS_SECRET_ACCESS_KEY; exit 1'}
";
    let project = Project::with("a.casebook.yaml", suite);
    let server = Server::start(&project);
    let run = project.casebook("run --upload s3://records/shop/main/");
    let outcome = server.allow(run).run().exits(1);
    let name = record(&project);
    let uploaded = format!("uploaded to s3://records/shop/main/{name}\n");
    assert!(outcome.stderr.ends_with(&uploaded), "{}", outcome.stderr);
    let keys = server.keys();
    assert_eq!(keys.len(), 2, "{keys:?}");
    let [output, run] = [0, 1].map(|index: usize| keys[index].as_str());
    assert_eq!(run, format!("shop/main/{name}/run.json.zst"));
    let local = format!(".casebook/runs/{name}");
    assert_eq!(
        unzstd(&server.get(run)),
        project.json(&format!("{local}/run.json"))
    );
    let file = output.strip_prefix(&format!("shop/main/{name}/")).unwrap();
    let text = String::from_utf8(server.get(output)).unwrap();
    assert_eq!(text, project.read(&format!("{local}/{file}")));
    assert!(text.contains("[redacted]") && !text.contains(&server.secret));
    let record = unzstd(&server.get(run)).to_string();
    assert!(!record.contains(&server.secret) && !record.contains(&server.key));
}

#[test]
fn a_refused_upload_is_an_error_and_can_be_repeated() {
    let project = Project::with("a.casebook.yaml", SUITE);
    let server = Server::start(&project);
    let run = server.allow(project.casebook("run --upload s3://records"));
    let outcome = run
        .env("AWS_SECRET_ACCESS_KEY", "wrong-secret")
        .run()
        .exits(2);
    let name = record(&project);
    let expected = format!(
        "(SignatureDoesNotMatch); the record is in .casebook/runs/{name}, and `casebook report .casebook/runs/{name} --upload s3://records` tries again\n"
    );
    assert!(outcome.stderr.ends_with(&expected), "{}", outcome.stderr);
    assert!(
        outcome.stdout.contains("1 test: 1 passed"),
        "{}",
        outcome.stdout
    );
    assert!(server.keys().is_empty());
    let again = format!("report .casebook/runs/{name} --upload s3://records");
    for _ in 0..2 {
        let outcome = server.allow(project.casebook(&again)).run().exits(0);
        let uploaded = format!("uploaded to s3://records/{name}\n");
        assert_eq!((&outcome.stdout[..], &outcome.stderr), ("", &uploaded));
    }
    assert_eq!(server.keys(), [format!("{name}/run.json.zst")]);
}

#[test]
fn a_failed_test_decides_before_a_refused_upload() {
    let project = Project::with("a.casebook.yaml", SUITE.replace("Hello}", "Bye}"));
    let server = Server::start(&project);
    let run = server.allow(project.casebook("run --upload s3://no-such-bucket"));
    let outcome = run.run().exits(1);
    assert!(
        outcome.stderr.contains("(NoSuchBucket)"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn what_cannot_work_is_an_error_before_the_tests_run() {
    let project = Project::with("a.casebook.yaml", SUITE);
    for (arguments, message) in [
        (
            "run --upload s3://records",
            "no credentials for s3://records: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        ),
        (
            "record --upload s3://records -- touch ran",
            "no credentials for s3://records",
        ),
        (
            "run --record none --upload s3://records",
            "--upload requires a record, but --record none writes nothing",
        ),
        (
            "run --upload records",
            "must name a bucket, as in s3://bucket/prefix",
        ),
        (
            "run --upload s3://me:pass@records",
            "must not contain credentials",
        ),
        ("studio s3://records", "no credentials for s3://records"),
    ] {
        let outcome = project.casebook(arguments).run().exits(2);
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    }
    assert!(!project.exists(".casebook") && !project.exists("ran"));
}

#[test]
fn a_server_that_cannot_be_reached_is_named() {
    let project = Project::with("a.casebook.yaml", SUITE);
    let run = project
        .casebook("run --upload s3://records")
        .env("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
        .env("AWS_ACCESS_KEY_ID", "key")
        .env("AWS_SECRET_ACCESS_KEY", "secret-of-the-key");
    let outcome = run.run().exits(2);
    let message = "error: cannot upload s3://records/";
    assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    let reason = "run.json.zst: connection refused: nothing is listening there; the record is in";
    assert!(outcome.stderr.contains(reason), "{}", outcome.stderr);
}

#[test]
fn every_command_that_records_can_upload() {
    let project = Project::new();
    let server = Server::start(&project);
    let upload = |arguments: &str| {
        let (command, rest) = arguments.split_once(' ').unwrap();
        let arguments = format!("{command} --upload s3://records {rest}");
        server.allow(project.casebook(&arguments))
    };
    upload("record --from jsonl --record one")
        .stdin(lines(&failing_run()))
        .run()
        .exits(1);
    upload("record --from tap --record two")
        .stdin("1..1\nok 1 - works\n")
        .run()
        .exits(0);
    upload("record -- sh -c exit\\ 7").run();
    upload("merge one two --record merged").run().exits(1);
    let keys = server.keys();
    assert_eq!(keys.len(), 3, "{keys:?}");
    assert!(keys.iter().all(|key| key.ends_with("/run.json.zst")));
    let refused = project
        .casebook("record --from tap --record three --upload s3://records")
        .stdin("1..1\nok 1 - works\n");
    let outcome = server
        .allow(refused)
        .env("AWS_ACCESS_KEY_ID", "NOBODY")
        .run()
        .exits(2);
    assert!(
        outcome.stderr.contains("(InvalidAccessKeyId)"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_large_file_is_uploaded_in_parts_and_read_back() {
    let suite =
        "tests: [{name: fails, command: 'head -c 7000000 /dev/urandom | base64; exit 1'}]\n";
    let project = Project::with("a.casebook.yaml", suite);
    let server = Server::start(&project);
    let run = project.casebook("run --upload s3://records");
    server.allow(run).run().exits(1);
    let keys = server.keys();
    let output = keys.iter().find(|key| key.contains("/output/")).unwrap();
    let local = project.read(&format!(".casebook/runs/{output}"));
    assert!(local.len() > 8 << 20);
    assert!(server.get(output) == local.as_bytes());
    let studio = Studio::start(&server, &project, "s3://records");
    let copy = format!("{}/{output}", studio.runs());
    eventually("the copy is complete", || project.exists(&copy));
    assert!(project.read(&copy) == local);
}

/// A studio for a location.
struct Studio<'p> {
    _process: Live,
    project: &'p Project,
    address: String,
}

impl<'p> Studio<'p> {
    fn start(server: &Server, project: &'p Project, location: &str) -> Studio<'p> {
        let call = project.casebook(&format!("studio {location} --host 127.0.0.1"));
        let process = server
            .allow(call)
            .env("CASEBOOK_STUDIO_TOKEN", STUDIO_TOKEN)
            .start();
        let url = process.answer();
        let address = url.split('/').nth(2).unwrap().to_owned();
        Studio {
            _process: process,
            project,
            address,
        }
    }

    fn get(&self, path: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "GET /api/v1/{path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {STUDIO_TOKEN}\r\nConnection: close\r\n\r\n",
            self.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let (_, body) = response.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {response}"))
    }

    fn run_count(&self) -> usize {
        self.get("runs")["runs"].as_array().unwrap().len()
    }

    /// The directory of the copies.
    fn runs(&self) -> String {
        let cache = ".cache/casebook/studio";
        let dirs = self.project.files(cache);
        assert_eq!(dirs.len(), 1, "{dirs:?}");
        format!("{cache}/{}/.casebook/runs", dirs[0])
    }
}

#[test]
fn the_studio_shows_uploaded_records_and_new_ones_as_they_arrive() {
    let project = Project::with("a.casebook.yaml", SUITE);
    let server = Server::start(&project);
    let run = || {
        let run = project.casebook("run --upload s3://records/shop");
        server.allow(run).run().exits(0);
    };
    run();
    let studio = Studio::start(&server, &project, "s3://records/shop");
    let expected = json!({"name": "s3://records/shop", "read_only": true});
    assert_eq!(studio.get("project"), expected);
    eventually("the first record is shown", || studio.run_count() == 1);
    let name = record(&project);
    let tests = studio.get(&format!("runs/{name}/tests?from=0&to=10"));
    assert_eq!(tests[0]["description"], "greets");
    // Under another name, because the name of a record has only seconds.
    std::fs::remove_dir_all(project.at(".casebook")).unwrap();
    run();
    eventually("a new record is shown", || studio.run_count() == 2);
    server.ask(&format!("delete shop/{name}/run.json.zst"));
    eventually("a deleted record disappears", || studio.run_count() == 1);
}

#[test]
fn a_studio_of_a_bucket_that_cannot_be_read_does_not_start() {
    let project = Project::new();
    let server = Server::start(&project);
    let studio = project.casebook("studio s3://no-such-bucket/x");
    let outcome = server.allow(studio).run().exits(2);
    assert_eq!(
        outcome.stderr,
        "error: cannot read s3://no-such-bucket/x: The specified bucket does not exist (NoSuchBucket)\n"
    );
}
