//! Command tests of every outcome.

use serde_json::{Value, json};

use super::{Test, command, expectation};

pub(super) fn commands() -> Vec<Value> {
    const SHOP: &str = "suites/shop.casebook.yaml";
    const GREET: &str = "suites/greet.casebook.yaml";
    let colors = "\u{1b}[1mshop\u{1b}[0m 1.4  \u{1b}[2m(build 77)\u{1b}[0m\n\u{1b}[32m✓\u{1b}[0m beer     \u{1b}[33m3 EUR\u{1b}[0m\n\u{1b}[32m✓\u{1b}[0m bread    \u{1b}[33m2 EUR\u{1b}[0m\n\
                   \u{1b}[31;1m✗ cheese\u{1b}[0m   \u{1b}[4msold out\u{1b}[0m\n\u{1b}[38;5;208mwarning\u{1b}[0m: \u{1b}[38;2;90;120;250mstock is low\u{1b}[0m \u{1b}[44m 3 left \u{1b}[0m\u{1b}[2K\n";
    let expected = "beer     3 EUR\nbread    4 EUR\ncheese   7 EUR\nmilk     1 EUR\noranges  5 EUR\npears    5 EUR\nsalt     1 EUR\nwine     9 EUR\n";
    let actual = "beer     3 EUR\nbread    2 EUR\ncheese   7 EUR\nmilk     1 EUR\noranges  5 EUR\npears    5 EUR\nsalt     1 EUR \nwine\t 9 EUR\n";
    let source = "outputEquals: |\n  beer     3 EUR\n  bread    4 EUR\n  cheese   7 EUR";
    let mut tests = vec![
        Test::new("shop", "lists what there is", SHOP, 6)
            .ran(20, 57, 1)
            .with("metadata", command("./bin/shop list", 0, actual))
            .with("metadata", json!({"tags": ["fast", "catalogue"], "covers": ["shop:list:stock=some"]}))
            .with("evaluations", json!([
                expectation("exitCode", "exitCode 0", true, json!({"file": SHOP, "line": 7, "expected": 0, "actual": 0})),
                expectation("outputEquals", "outputEquals \"beer …\"", false, json!({
                    "file": SHOP, "line": 8, "source": source, "expected": expected, "actual": actual,
                })),
            ]))
            .failed("Casebook::AssertionFailed", "output differs from the expected text"),
        Test::new("shop", "shows colors on a terminal", SHOP, 19)
            .ran(80, 130, 1)
            .with("metadata", command("./bin/shop list --color=always", 1, colors))
            .with("metadata", json!({"tags": ["catalogue"]}))
            .with("evaluations", json!([
                expectation("exitCode", "exitCode 0", false, json!({"file": SHOP, "line": 21, "source": "exitCode: 0", "expected": 0, "actual": 1})),
                expectation("outputContains", "outputContains \"sold out\"", true, json!({"file": SHOP, "line": 22, "expected": "sold out"})),
                expectation("files", "files \"x equals y.txt\" contains \"done\"", false, json!({
                    "file": SHOP, "line": 23, "path": "x equals y.txt", "expected": "done", "actual": "Done!",
                })),
            ]))
            .failed("Casebook::AssertionFailed", "expected exit code 0, got 1"),
        Test::new("shop", "waits for a delivery", SHOP, 30)
            .ran(210, 2_004, 2)
            .with("metadata", json!({"tags": ["slow"], "command": {
                "command": "./bin/shop wait --for delivery", "exit_code": null, "signal": "SIGKILL", "timed_out": true, "timeout": 2.0,
                "stdout": "waiting…\nwaiting…\n", "stderr": "no van in sight\n",
            }}))
            .failed("Casebook::Timeout", "timed out after 2 s"),
        Test::new("shop", "refuses", SHOP, 40)
            .ran(30, 44, 2)
            .with("metadata", command("./bin/shop sell car", 2, "no such item: car\n"))
            .with("metadata", json!({"matrix": {"item": "car"}, "tags": ["fast"]}))
            .with("evaluations", json!([
                expectation("exitCode", "exitCode 2", true, json!({"file": SHOP, "line": 43})),
                expectation("outputContains", "outputContains \"no such item: car\"", true, json!({"file": SHOP, "line": 45})),
            ])),
        Test::new("shop", "sells online", SHOP, 52)
            .with("status", "pending".into())
            .with("metadata", json!({"pending_message": "needs the network", "tags": ["network"]})),
        Test::new("greet", "says hello", GREET, 4)
            .ran(60, 380, 3)
            .with("metadata", command("greet", 0, "Hello, world\n"))
            .with("metadata", json!({"command": {"command": "greet", "exit_code": 0, "output": "Hello, world\n", "flaky": true}, "attempts": [earlier_attempt()]}))
            .with("evaluations", json!([expectation("outputEquals", "outputEquals \"Hello, world\"", true, json!({"file": GREET, "line": 6}))])),
        Test::new("greet", "cleans up", GREET, 12)
            .ran(450, 90, 3)
            .with("metadata", json!({"hook": {
                "name": "teardown", "file": GREET, "line": 2, "source": "teardown: rm greeting.txt", "exit_code": 1,
                "output": "rm: cannot remove 'greeting.txt': No such file or directory\n",
            }}))
            .failed("Casebook::TeardownFailed", "teardown failed with exit code 1"),
    ];
    for (number, language) in [
        "German", "French", "Finnish", "Swahili", "Japanese", "Quechua", "Welsh", "Maltese",
    ]
    .iter()
    .enumerate()
    {
        let place = i64::try_from(number).unwrap_or(0);
        tests.push(
            Test::new(
                "greet::in other languages",
                language,
                GREET,
                20 + number as u64,
            )
            .ran(560 + place * 61, 60 + place * 17, 3 + number as u64 % 2)
            .with(
                "metadata",
                command(&format!("greet --in {language}"), 0, "…\n"),
            )
            .with("metadata", json!({"tags": ["fast", "languages"]}))
            .with(
                "evaluations",
                json!([expectation(
                    "exitCode",
                    "exitCode 0",
                    true,
                    json!({"file": GREET, "line": 22})
                )]),
            ),
        );
    }
    tests.into_iter().map(Test::json).collect()
}

fn earlier_attempt() -> Value {
    Test::new("greet", "says hello", "suites/greet.casebook.yaml", 4)
        .ran(60, 110, 3)
        .with("metadata", command("greet", 0, "Helo, world\n"))
        .with("evaluations", json!([expectation("outputEquals", "outputEquals \"Hello, world\"", false, json!({
            "file": "suites/greet.casebook.yaml", "line": 6, "source": "outputEquals: Hello, world", "expected": "Hello, world\n", "actual": "Helo, world\n",
        }))]))
        .failed("Casebook::AssertionFailed", "output differs from the expected text")
        .json()
}
