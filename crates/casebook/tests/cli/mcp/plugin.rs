//! The plugin for Claude Code: its layout, and that what it names exists.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::Client;
use super::project;

fn plugin(name: &str) -> PathBuf {
    Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../plugins/claude-code"
    ))
    .join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(plugin(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn read_json(name: &str) -> Value {
    serde_json::from_str(&read(name)).unwrap()
}

/// The front matter of a skill or a command.
fn field<'t>(text: &'t str, name: &str) -> &'t str {
    let (front, _) = text
        .strip_prefix("---\n")
        .unwrap()
        .split_once("\n---\n")
        .unwrap();
    let mut lines = front.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    value.unwrap_or_else(|| panic!("no {name}: {front}"))
}

fn names(dir: &str) -> Vec<String> {
    let entries = fs::read_dir(plugin(dir)).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn the_plugin_has_the_published_layout() {
    let manifest = read_json(".claude-plugin/plugin.json");
    assert_eq!(manifest["name"], "casebook");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let server = &read_json(".mcp.json")["mcpServers"]["casebook"];
    assert_eq!(server, &json!({ "command": "casebook", "args": ["mcp"] }));
    for name in names("skills") {
        let skill = read(&format!("skills/{name}/SKILL.md"));
        assert_eq!(field(&skill, "name"), name);
        assert!(field(&skill, "description").contains("Use when"), "{name}");
    }
    for name in names("commands") {
        assert!(!field(&read(&format!("commands/{name}")), "description").is_empty());
    }
}

#[test]
fn the_tools_that_the_plugin_names_exist() {
    let project = project();
    let mut client = Client::start(&project, "");
    let tools = client.result("tools/list", &json!({}))["tools"].clone();
    let tools: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let skills = names("skills")
        .into_iter()
        .map(|name| format!("skills/{name}/SKILL.md"));
    let commands = names("commands")
        .into_iter()
        .map(|name| format!("commands/{name}"));
    let mut called = 0;
    for file in skills.chain(commands) {
        let text = read(&file);
        for (at, words) in [("all `", 5), ("tool `", 6)]
            .into_iter()
            .flat_map(|(word, length)| text.match_indices(word).map(move |(at, _)| (at, length)))
        {
            let name = text[at + words..].split('`').next().unwrap();
            assert!(tools.contains(&name), "{file}: {name}");
            called += 1;
        }
    }
    assert!(called > 8, "{called}");
}
