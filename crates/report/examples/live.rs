//! Shows a sample run and measures listeners.
//!
//! `cargo run --release -p casebook-report --example live -- demo [color] [verbose] [trace] [tap]` replays a run on the
//! terminal; `… -- cost` prints the time a listener takes per event, with 10,000 tests.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example program may print"
)]

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use casebook_record::{Bus, Event, Listener, RunBuilder, Time, decode};
use casebook_report::live::{Live, Options, Verbosity};
use casebook_report::tap::{self, Tap};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let width = arguments.iter().find_map(|argument| argument.parse().ok());
    let options = Options {
        color: has("color"),
        width: width.unwrap_or(80),
        progress: !has("plain"),
        verbosity: match (has("verbose"), has("quiet")) {
            (true, _) => Verbosity::Verbose,
            (_, true) => Verbosity::Quiet,
            _ => Verbosity::Normal,
        },
        timing: has("timing"),
        trace: has("trace"),
        record: Some(".casebook/runs/20261115-084051-d00fa811".into()),
        ..Options::default()
    };
    if has("cost") {
        return cost(&options);
    }
    if has("tap") {
        let options = tap::Options {
            timing: options.timing,
            trace: options.trace,
        };
        let tap = Tap::new(options, Box::new(io::stdout()));
        return demo(RunBuilder::new("demo"), tap);
    }
    let run = RunBuilder::new("demo");
    let streams = (Box::new(io::stdout()), Box::new(io::stderr()));
    let live = Live::new(options, Box::new(now), run.clone(), streams.0, streams.1)?;
    demo(run, live)
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Time::from_millis(since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }))
}

fn event(kind: &str, mut payload: Value) -> Result<Event, Box<dyn Error>> {
    payload["time"] = json!(now());
    let line = json!({"event_type": kind, "payload": payload}).to_string();
    Ok(decode(&line)?)
}

fn started(suite: &str, position: u64, name: &str) -> Result<Event, Box<dyn Error>> {
    let file = format!("suites/{suite}.casebook.yaml");
    let location = format!("{file}:{}", 4 + position * 5);
    event(
        "ExampleStarted",
        json!({
            "example_id": format!("{position:012x}"), "description": name, "full_description": format!("{suite} {name}"),
            "canonical_path": format!("{suite}::{name}"), "location": location, "position": position,
            "metadata": {"suite": suite, "file": file, "rerun": format!("casebook run {location}")},
        }),
    )
}

fn passed(position: u64, command: &Value) -> Result<Event, Box<dyn Error>> {
    event(
        "ExamplePassed",
        json!({
            "example_id": format!("{position:012x}"), "description": "", "full_description": "", "duration": 0.002,
            "metadata": {"command": command},
        }),
    )
}

fn failed(
    position: u64,
    class: &str,
    message: &str,
    metadata: &Value,
) -> Result<Event, Box<dyn Error>> {
    event(
        "ExampleFailed",
        json!({
            "example_id": format!("{position:012x}"), "description": "", "full_description": "", "duration": 0.057,
            "location": format!("suites/venues.casebook.yaml:{}", 4 + position * 5), "message": message,
            "exception_class": format!("Casebook::{class}"), "metadata": metadata,
        }),
    )
}

fn evaluation(
    position: u64,
    kind: &str,
    passed: bool,
    fields: &Value,
) -> Result<Event, Box<dyn Error>> {
    let mut payload = json!({
        "example_id": format!("{position:012x}"), "mode": "hard", "type": kind, "name": kind, "description": kind,
        "passed": passed,
    });
    if let (Some(payload), Some(fields)) = (payload.as_object_mut(), fields.as_object()) {
        payload.extend(fields.clone());
    }
    event("EvaluationRecorded", payload)
}

fn group(kind: &str, suite: &str) -> Result<Event, Box<dyn Error>> {
    let file = format!("suites/{suite}.casebook.yaml");
    event(
        kind,
        json!({"description": suite, "file_path": file, "line_number": 1}),
    )
}

/// Measures the time `listener` takes per event of 10,000 tests, one percent of which fail.
fn cost(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut events = vec![event("SuiteStarted", json!({"example_count": 10_000}))?];
    for position in 0..10_000 {
        events.push(started(
            "venues",
            position,
            &format!("lists venue {position}"),
        )?);
        let source = json!({"metadata": {
            "file": "suites/venues.casebook.yaml", "line": 7, "source": "    outputContains: Hall", "expected": "Hall",
            "actual": "Harbour Hall\n",
        }});
        events.push(evaluation(position, "exitCode", true, &source)?);
        let fails = position % 100 == 99;
        events.push(evaluation(position, "outputContains", !fails, &source)?);
        let command = json!({"command": "venues list", "exit_code": 0, "output": "Harbour Hall\n"});
        events.push(if fails {
            failed(
                position,
                "AssertionFailed",
                "the output does not contain \"x\"",
                &json!({"command": command}),
            )?
        } else {
            passed(position, &command)?
        });
    }
    events.push(event("SuiteStopped", json!({}))?);
    let run = RunBuilder::new("run");
    events.iter().for_each(|event| run.apply(event.clone()));
    let live = |options: Options| {
        Live::new(
            options,
            Box::new(now),
            run.clone(),
            Box::new(io::sink()),
            Box::new(io::sink()),
        )
    };
    let verbose = Options {
        verbosity: Verbosity::Verbose,
        ..options.clone()
    };
    measure("live", &events, live(options.clone())?)?;
    measure("live, verbose", &events, live(verbose)?)?;
    measure(
        "tap",
        &events,
        Tap::new(tap::Options::default(), Box::new(io::sink())),
    )
}

fn measure(
    name: &str,
    events: &[Event],
    mut listener: impl Listener,
) -> Result<(), Box<dyn Error>> {
    let events: Vec<_> = events.iter().cloned().map(Arc::new).collect();
    let start = Instant::now();
    for event in &events {
        listener
            .on_event(event)
            .map_err(|error| error.to_string())?;
    }
    let took = start.elapsed();
    let each = took / u32::try_from(events.len())?;
    println!("{name}: {} events in {took:?}, {each:?} each", events.len());
    Ok(())
}

/// Two parallel suites with a failure of each kind.
fn demo(run: RunBuilder, listener: impl Listener + 'static) -> Result<(), Box<dyn Error>> {
    let bus = Bus::new();
    bus.subscribe_inline(run);
    bus.subscribe(listener)?;
    bus.publish(event("SuiteStarted", json!({"example_count": 1_210}))?);
    bus.publish(group("GroupStarted", "greet")?);
    bus.publish(group("GroupStarted", "venues")?);
    bus.publish(started("greet", 1_205, "waits for the server")?);
    bus.publish(started(
        "greet",
        1_206,
        "waits for the other server, which takes even longer than the first one does",
    )?);
    for position in 0..600 {
        quick(&bus, position)?;
    }
    for (index, failure) in failures().into_iter().enumerate() {
        let position = 600 + u64::try_from(index)?;
        show(&bus, position, &failure)?;
    }
    for position in 620..1_205 {
        quick(&bus, position)?;
    }
    bus.publish(group("GroupFinished", "venues")?);
    bus.publish(event(
        "ExamplePending",
        json!({"example_id": format!("{:012x}", 1_205), "description": "", "full_description": "", "message": "no server"}),
    )?);
    bus.publish(passed(1_206, &json!({"leaky": true}))?);
    bus.publish(group("GroupFinished", "greet")?);
    bus.publish(event("SuiteStopped", json!({}))?);
    bus.close();
    Ok(())
}

fn quick(bus: &Bus, position: u64) -> Result<(), Box<dyn Error>> {
    bus.publish(started(
        "venues",
        position,
        &format!("lists venue {position}"),
    )?);
    sleep(Duration::from_millis(2));
    bus.publish(passed(
        position,
        &json!({"command": "venues list", "exit_code": 0, "output": "Harbour Hall\n"}),
    )?);
    Ok(())
}

fn show(bus: &Bus, position: u64, failure: &Value) -> Result<(), Box<dyn Error>> {
    let text = |field: &str| failure[field].as_str().unwrap_or_default();
    bus.publish(started("venues", position, text("name"))?);
    sleep(Duration::from_millis(20));
    let line = 5 + position * 5;
    for one in failure["evaluations"].as_array().into_iter().flatten() {
        let mut fields = one.clone();
        fields["metadata"]["file"] = "suites/venues.casebook.yaml".into();
        fields["metadata"]["line"] = line.into();
        let kind = one["type"].as_str().unwrap_or_default();
        bus.publish(evaluation(position, kind, false, &fields)?);
    }
    bus.publish(failed(
        position,
        text("class"),
        text("message"),
        &failure["metadata"],
    )?);
    Ok(())
}

fn failures() -> Vec<Value> {
    let long: Vec<String> = (1..=2_000)
        .map(|n| format!("venue {n}: {} EUR", n * 10))
        .collect();
    let changed = long
        .join("\n")
        .replace("venue 1204: 12040 EUR", "venue 1204: 12,040 EUR  ");
    vec![
        json!({
            "name": "greets in German", "class": "AssertionFailed", "message": "expected exit code 0, got 3",
            "evaluations": [
                {"type": "exitCode", "description": "exitCode 0", "failure_message": "expected exit code 0, got 3",
                 "metadata": {"comparison": "exit_code", "source": "    exitCode: 0", "expected": 0, "actual": 3}},
                {"type": "stdoutEquals", "description": "stdoutEquals \"Hallo…\"", "failure_message": "stdout is not what was expected",
                 "metadata": {"comparison": "equals", "stream": "stdout", "source": "    stdoutEquals: |\n      Hallo, Welt\n      Bis\tbald\n      Tschüß",
                    "expected": "Hallo, Welt\nBis\tbald\nTschüß", "actual": "Hello, Welt \nBis bald\nTschüß"}},
            ],
            "metadata": {"command": {"command": "greet --lang de", "exit_code": 3, "stdout": "Hello, Welt \nBis bald\nTschüß\n",
                "stderr": "no such language: de\n"}},
        }),
        json!({
            "name": "prices", "class": "AssertionFailed", "message": "the output is not what was expected",
            "evaluations": [
                {"type": "outputEquals", "description": "outputEquals …", "failure_message": "the output is not what was expected",
                 "metadata": {"comparison": "equals", "stream": "output", "source": "    outputEquals: |\n      venue 1: 10 EUR\n      venue 2: 20 EUR\n      venue 3: 30 EUR",
                    "expected": long.join("\n"), "actual": changed}},
            ],
            "metadata": {"command": {"command": "venues prices", "exit_code": 0, "output": changed, "output_file": "output/0258.txt"}},
        }),
        json!({
            "name": "finds the hall", "class": "AssertionFailed", "message": "the output does not contain \"harbour hall\"",
            "evaluations": [
                {"type": "outputContains", "description": "outputContains \"harbour hall\"",
                 "failure_message": "the output does not contain \"harbour hall\"",
                 "metadata": {"comparison": "contains", "stream": "output", "source": "    outputContains: harbour hall", "expected": "harbour hall", "actual": "1 venue:\n  Harbour Hall\n"}},
                {"type": "outputNotContains", "description": "outputNotContains \"1 v\"",
                 "failure_message": "the output contains \"1 v\"",
                 "metadata": {"comparison": "not_contains", "stream": "output", "source": "    outputNotContains: 1 v", "expected": "1 v", "actual": "1 venue:\n  Harbour Hall\n"}},
            ],
            "metadata": {"command": {"command": "venues find hall", "exit_code": 0, "output": "1 venue:\n  Harbour Hall\n"}},
        }),
        json!({
            "name": "as JSON", "class": "AssertionFailed", "message": "nothing is at /venues/0/seats",
            "evaluations": [
                {"type": "outputJson", "description": "outputJson /venues/0/seats equals 80", "failure_message": "nothing is at /venues/0/seats",
                 "metadata": {"comparison": "json", "stream": "stdout", "pointer": "/venues/0/seats", "source": "      /venues/0/seats: 80", "expected": 80}},
                {"type": "outputJson", "description": "outputJson /venues/0/price equals {}", "failure_message": "/venues/0/price is not what was expected",
                 "metadata": {"comparison": "json", "stream": "stdout", "source": "      /venues/0/price: {eur: 480, vat: 19}", "expected": {"eur": 480, "vat": 19}, "actual": {"eur": 480, "vat": 7}}},
            ],
            "metadata": {"command": {"command": "venues --json", "exit_code": 0, "stdout": "{\"venues\": [{\"name\": \"Hall\", \"guests\": 80, \"price\": {\"eur\": 480, \"vat\": 7}}]}\n", "stderr": ""}},
        }),
        json!({
            "name": "imports", "class": "Timeout", "message": "timed out after 2 s", "evaluations": [],
            "metadata": {"command": {"command": "venues import big.csv", "exit_code": null, "signal": "SIGKILL", "timed_out": true, "timeout": 2.0,
                "output": "reading big.csv\n 50%\r 60%\n"}},
        }),
        json!({
            "name": "needs a database", "class": "SetupFailed", "message": "setup failed with exit code 127", "evaluations": [],
            "metadata": {"hook": {"name": "setup", "exit_code": 127, "output": "bash: line 1: createdb: command not found\n",
                "file": "suites/venues.casebook.yaml", "line": 3, "source": "setup: |\n  createdb venues\n  venues migrate"}},
        }),
        json!({
            "name": "crashes", "class": "AssertionFailed", "message": "expected exit code 0, killed by SIGSEGV",
            "evaluations": [
                {"type": "exitCode", "description": "exitCode 0", "failure_message": "expected exit code 0, killed by SIGSEGV",
                 "metadata": {"comparison": "exit_code", "source": "  - name: crashes", "expected": 0}},
                {"type": "files", "description": "files \"out.txt\" contains \"done\"", "failure_message": "out.txt does not contain \"done\"",
                 "metadata": {"comparison": "contains", "source": "      out.txt: {contains: done}", "path": "out.txt", "expected": "done", "actual": "begun\nDone!\n"}},
            ],
            "metadata": {"command": {"command": "venues crash", "signal": "SIGSEGV", "output": ""}},
        }),
    ]
}
