//! A project with recorded runs, and a server for it.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use casebook_record::event::{
    ExampleFailed, ExamplePassed, ExampleStarted, SuiteStarted, SuiteStopped,
};
use casebook_record::{
    Bus, Destination, Event, Metadata, Recorder, Redactor, RunData, RunDir, RunIdentity, Time,
    write_run,
};
use casebook_studio::{Access, Launcher, Project, Studio};
use serde_json::Value;
use tempfile::TempDir;

use crate::client::{Events, Response, send};

pub(crate) const COOKIE: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const TOKEN: &str = "fedcba9876543210fedcba9876543210";

/// A project and the server for it.
pub(crate) struct StudioProject {
    pub(crate) dir: TempDir,
    pub(crate) port: u16,
    studio: Option<Studio>,
    is_read_only: bool,
}

/// Stands for this program: it knows a design, and its runs take long.
const PROGRAM: &str = r#"case $1 in
design) echo '[{"method":"Order#shipping","file":"app/order.rb","line":2,"end_line":6,"characteristics":2,"leaves":3,"has_spec":false,"metadata":"none",
  "decisions":[{"characteristic":"total","conditions":[3],"states":[{"name":"sufficient","line":3},{"name":"insufficient","line":5}]}]}]' ;;
check) echo '{"problems":[{"severity":"warning","message":"the <name> is long","line":4,"help":"shorten it"},{"severity":"error","message":"elsewhere","line":99}]}' ;;
coverage) shift 2; for run; do runs="$runs,\"${run#--run=}\""; done
  echo '{"runs":['"${runs#,}"'],"methods":[{"method":"Order#shipping","file":"app/order.rb","states":{"designed":2,"passed":1},
  "characteristics":[{"name":"total","depends_on":null,"states":[{"name":"sufficient","standing":"passed","tests":[0]},{"name":"insufficient","standing":"not_covered","tests":[]}]}],
  "tests":[{"name":"ships","place":"shop.casebook.yaml:3","outcome":"passed"}]}]}' ;;
*) echo casebook "$@"; [ "$1" != run ] || exec sleep 60 ;;
esac"#;

/// Starts a script instead of this program.
struct Echo(PathBuf);

impl Launcher for Echo {
    fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", PROGRAM, "sh"]);
        command.args(arguments).current_dir(&self.0);
        command
    }

    fn editor(&self, file: &Path, line: u64) -> Result<Command, String> {
        let mut command = Command::new("sh");
        command.args(["-c", "echo \"$1:$2\" > edited", "sh"]);
        command.arg(file).arg(line.to_string()).current_dir(&self.0);
        Ok(command)
    }
}

impl StudioProject {
    pub(crate) fn new() -> StudioProject {
        StudioProject::serving(false)
    }

    pub(crate) fn read_only() -> StudioProject {
        StudioProject::serving(true)
    }

    fn serving(is_read_only: bool) -> StudioProject {
        let mut project = StudioProject {
            dir: tempfile::tempdir().unwrap(),
            port: 0,
            studio: None,
            is_read_only,
        };
        std::fs::create_dir_all(project.runs()).unwrap();
        project.start();
        project
    }

    /// Writes the suite of the tests of [`run`], and the source of the design.
    pub(crate) fn write_sources(&self) {
        let tests: Vec<_> = (0..40)
            .map(|number| format!("- name: test {number}\n"))
            .collect();
        let tests = tests.concat();
        std::fs::write(
            self.dir.path().join("shop.casebook.yaml"),
            format!("\ntests:\n{tests}"),
        )
        .unwrap();
        std::fs::create_dir_all(self.dir.path().join("app")).unwrap();
        let source = "class Order\n  def shipping\n    if total > 50 then 0\n    else\n      5 < 6\n    end\n  end\nend\n";
        std::fs::write(self.dir.path().join("app/order.rb"), source).unwrap();
    }

    pub(crate) fn runs(&self) -> PathBuf {
        self.dir.path().join(".casebook/runs")
    }

    /// Starts the server; again on the same port after `stop`.
    pub(crate) fn start(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).unwrap();
        self.port = listener.local_addr().unwrap().port();
        let access = Access::local(self.port, COOKIE.into(), TOKEN.into());
        let dir = self.dir.path().to_owned();
        let launcher = Arc::new(Echo(dir.clone()));
        let project = Project::new(dir, Redactor::default(), 2, launcher, self.is_read_only);
        self.studio = Some(Studio::start(listener, access, project).unwrap());
    }

    pub(crate) fn stop(&mut self) {
        self.studio = None;
    }

    /// Writes a finished run.
    pub(crate) fn add(&self, name: &str, run: &RunData) {
        let dir = self.runs().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        write_run(&dir.join("run.json"), run).unwrap();
    }

    /// Writes what the command of a running test has written so far.
    pub(crate) fn write_output(&self, run: &str, test: &str, output: &str) {
        let file = self.runs().join(run).join(RunDir::output_so_far_file(test));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, output).unwrap();
    }

    /// Starts a run that is recorded while it goes on.
    pub(crate) fn record(&self, name: &str) -> LiveRun {
        LiveRun::in_dir(&self.runs().join(name), name)
    }

    pub(crate) fn headers(&self) -> String {
        format!(
            "Host: 127.0.0.1:{}\r\nCookie: casebook_studio_{}={COOKIE}\r\n",
            self.port, self.port
        )
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.get_with(path, "")
    }

    /// On a slow machine, the records may not have been read yet.
    pub(crate) fn get_with(&self, path: &str, headers: &str) -> Response {
        loop {
            let response = self.get_at_once(path, headers);
            if response.status != 202 {
                return response;
            }
        }
    }

    pub(crate) fn get_at_once(&self, path: &str, headers: &str) -> Response {
        send(
            self.port,
            &format!("GET {path} HTTP/1.1\r\n{}{headers}\r\n", self.headers()),
        )
    }

    /// Adds a record that is read only when its content is written to the pipe with this path.
    pub(crate) fn add_slow(&self, name: &str) -> PathBuf {
        let dir = self.runs().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        let pipe = dir.join("run.json");
        let status = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(status.success());
        pipe
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Response {
        let body = body.to_string();
        send(
            self.port,
            &format!(
                "POST {path} HTTP/1.1\r\n{}Origin: http://127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                self.headers(),
                self.port,
                body.len()
            ),
        )
    }

    pub(crate) fn events(&self, path: &str) -> Events {
        Events::open(
            self.port,
            &format!("GET {path} HTTP/1.1\r\n{}\r\n", self.headers()),
        )
    }
}

/// A run in progress.
pub(crate) struct LiveRun {
    recorder: Recorder,
    clock: i64,
}

impl LiveRun {
    /// Starts a run that is recorded into this directory.
    pub(crate) fn in_dir(dir: &Path, name: &str) -> LiveRun {
        let identity = RunIdentity {
            run_id: name.into(),
            git_commit: None,
            git_branch: None,
        };
        let recorder = Recorder::new(
            Bus::new(),
            Destination::Dir(dir.into()),
            identity,
            Redactor::default(),
        );
        LiveRun { recorder, clock: 0 }
    }

    fn now(&mut self) -> Time {
        self.clock += 10;
        Time::from_millis(1_794_732_051_594 + self.clock)
    }

    pub(crate) fn publish(&self, event: impl Into<Event>) {
        self.recorder.publish(event);
    }

    pub(crate) fn begin(&mut self, tests: u64) {
        let time = self.now();
        self.publish(SuiteStarted::at(time, tests));
    }

    pub(crate) fn start(&mut self, id: &str) {
        let time = self.now();
        self.publish(ExampleStarted {
            time,
            example_id: id.into(),
            stable_id: Some(id.into()),
            canonical_path: None,
            description: format!("test {id}"),
            full_description: format!("test {id}"),
            location: "shop.casebook.yaml:3".into(),
            scenario: None,
            position: None,
            metadata: Metadata::new(),
        });
    }

    pub(crate) fn pass(&mut self, id: &str) {
        let time = self.now();
        self.publish(ExamplePassed {
            time,
            example_id: id.into(),
            stable_id: None,
            description: format!("test {id}"),
            full_description: format!("test {id}"),
            duration: 0.01,
            metadata: Metadata::new(),
        });
    }

    pub(crate) fn fail(&mut self, id: &str, message: &str) {
        let time = self.now();
        self.publish(ExampleFailed {
            time,
            example_id: id.into(),
            stable_id: None,
            description: format!("test {id}"),
            full_description: format!("test {id}"),
            location: "shop.casebook.yaml:3".into(),
            duration: 0.01,
            message: Some(message.into()),
            backtrace: None,
            exception_class: Some("Casebook::AssertionFailed".into()),
            metadata: Metadata::new(),
        });
    }

    pub(crate) fn finish(mut self) {
        let time = self.now();
        self.publish(SuiteStopped { time });
        assert!(self.recorder.finish().errors.is_empty());
    }
}

/// A finished run with this many tests, of which the first ones failed.
pub(crate) fn run(id: &str, tests: usize, failed: usize) -> RunData {
    let examples = (0..tests).map(|index| {
        let is_failed = index < failed;
        let example = serde_json::json!({
            "id": format!("example:{index}"), "stable_id": format!("example:{index}"), "canonical_path": format!("shop::test {index}"),
            "file": "shop.casebook.yaml", "description": format!("test {index}"), "location": format!("shop.casebook.yaml:{}", index + 3),
            "status": if is_failed { "failed" } else { "passed" },
            "started_at": "2026-11-18T08:00:00.000Z", "finished_at": "2026-11-18T08:00:00.020Z", "duration_ms": 20,
            "exception": is_failed.then(|| serde_json::json!({"class_name": "Casebook::AssertionFailed", "message": format!("expected {index} items"), "backtrace": []})),
            "conversation": null, "evaluations": [],
            "metadata": {"suite": "shop", "tags": [], "command": {"command": format!("shop {index}"), "exit_code": 0, "output": format!("output {id} of {index}\n")}},
        });
        (format!("example:{index}"), example)
    });
    let run = serde_json::json!({
        "schema_version": "casebook/1", "run_id": id,
        "started_at": "2026-11-18T08:00:00.000Z", "finished_at": "2026-11-18T08:00:01.000Z", "seed": null,
        "git_commit": "53e511a472fd646012cf23cb6bca7a06065c3ca8", "metadata": {"example_count": tests},
        "scenarios": {}, "examples": examples.collect::<serde_json::Map<_, _>>(),
    });
    serde_json::from_value(run).unwrap()
}
