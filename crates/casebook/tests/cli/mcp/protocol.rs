//! Versions, errors, garbage, many requests at once.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::client::Client;
use super::project;
use crate::support::Project;

fn stateless(version: &str) -> Value {
    json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }})
}

#[test]
fn the_version_of_the_client_is_used_if_it_is_supported() {
    for (requested, expected) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let project = Project::new();
        let mut client = Client::start(&project, "");
        let params = json!({ "protocolVersion": requested, "capabilities": {}, "clientInfo": {} });
        let result = client.result("initialize", &params);
        assert_eq!(result["protocolVersion"], expected);
        assert_eq!(result["serverInfo"]["name"], "casebook");
        client.notify("notifications/initialized", &json!({}));
        assert_eq!(client.result("ping", &json!({})), json!({}));
        client.close().exits(0);
    }
}

#[test]
fn stateless_results_name_their_type_and_how_long_they_may_be_kept() {
    let project = project();
    let mut client = Client::start(&project, "");
    let params = stateless("2026-07-28");
    let found = client.result("server/discover", &params);
    assert_eq!(found["supportedVersions"][0], "2026-07-28");
    for method in [
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ] {
        let result = client.result(method, &params);
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["cacheScope"], "private", "{method}");
        assert!(result["ttlMs"].is_u64(), "{method}");
    }
    let mut call = stateless("2026-07-28");
    call["name"] = json!("list");
    let called = client.result("tools/call", &call);
    assert_eq!(called["resultType"], "complete");
    assert!(called.get("ttlMs").is_none());
    // Without a version, the results are those of the older protocol.
    let older = client.result("tools/list", &json!({}));
    assert!(older.get("resultType").is_none());
    // The handshake does not exist in the stateless version.
    let answer = client.ask("initialize", &params);
    assert_eq!(answer["error"]["code"], -32_601);
}

#[test]
fn an_unsupported_version_is_answered_with_the_supported_ones() {
    let project = Project::new();
    let mut client = Client::start(&project, "");
    let answer = client.ask("tools/list", &stateless("2031-01-01"));
    assert_eq!(answer["error"]["code"], -32_022);
    let data = &answer["error"]["data"];
    assert_eq!(data["requested"], "2031-01-01");
    assert_eq!(
        data["supported"],
        json!(["2026-07-28", "2025-11-25", "2025-06-18"])
    );
}

#[test]
fn garbage_is_answered_and_does_not_end_the_server() {
    let project = Project::new();
    let mut client = Client::start(&project, "");
    for (line, code) in [
        ("garbage", -32_700),
        ("{\"jsonrpc\":\"2.0\"", -32_700),
        ("\u{0}\u{1}", -32_700),
        ("[]", -32_600),
        ("42", -32_600),
        ("{}", -32_600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32_600),
        (r#"{"jsonrpc":"2.0","id":7,"method":3}"#, -32_600),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}"#,
            -32_600,
        ),
        (r#"{"jsonrpc":"2.0","id":7,"method":"no/such"}"#, -32_601),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}"#,
            -32_602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run","arguments":"{}"}}"#,
            -32_602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{}}"#,
            -32_602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{}}"#,
            -32_602,
        ),
    ] {
        client.write(line);
        let answer = client.receive();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    // These are ignored.
    client.write("");
    client.write(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#);
    client.notify("notifications/cancelled", &json!({ "requestId": 12345 }));
    client.notify("notifications/no-such", &json!({}));
    assert_eq!(client.result("ping", &json!({})), json!({}));
    let deep = "[".repeat(100_000);
    client.write(&deep);
    assert_eq!(client.receive()["error"]["code"], -32_700);
    client.close().exits(0);
}

#[test]
fn a_hundred_requests_at_once_are_answered() {
    let project = project();
    let mut client = Client::start(&project, "");
    let mut expected = HashSet::new();
    for number in 0..100 {
        let name = ["check", "list", "explain", "run"][number % 4];
        let params = json!({ "name": name, "arguments": {} });
        expected.insert(client.send("tools/call", &params));
    }
    while !expected.is_empty() {
        let answer = client.receive();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        assert!(expected.remove(&answer["id"].as_u64().unwrap()), "{answer}");
    }
    client.close().exits(0);
}

#[test]
fn requests_are_answered_after_the_client_has_closed_its_end() {
    let project = project();
    let input = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check"}}"#;
    let outcome = project
        .casebook("mcp")
        .stdin(format!("{input}\n"))
        .run()
        .exits(0);
    let answer: Value = serde_json::from_str(outcome.stdout.trim()).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["exit_code"], 0);
}

#[test]
fn a_root_that_does_not_exist_is_an_error() {
    let outcome = Project::new().casebook("mcp --root nowhere").run().exits(2);
    assert_eq!(
        outcome.stderr,
        "error: cannot use the directory [project]/nowhere: no such file or directory\n"
    );
}
