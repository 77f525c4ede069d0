//! What each tool returns.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::client::Client;
use super::schema::mismatch;
use super::{SUITE, project};
use crate::support::Project;

const CART: &str = "\
class Cart
  def total(items)
    return 0 if items.empty?

    items.sum
  end
end
";

/// A project with suites, two runs, and Ruby code with a design and a spec.
fn everything() -> Project {
    let project = project();
    project.write(
        "broken/b.casebook.yaml",
        "tests:\n  - nmae: x\n    command: ls\n",
    );
    project.bash("git init -q .").run().exits(0);
    project.write("lib/cart.rb", CART);
    let factory = "FactoryBot.define do\n  factory(:cart) { size { 1 } }\nend\n";
    project.write("spec/factories/carts.rb", factory);
    project.write("casebook.toml", "[run]\npaths = [\"a.casebook.yaml\"]\n");
    for _ in 0..2 {
        project.casebook("run").run().exits(1);
    }
    project
        .casebook("design analyze lib/cart.rb#total")
        .run()
        .exits(0);
    project
}

#[test]
fn every_tool_returns_what_its_schema_says() {
    let project = everything();
    project
        .bash("git add . && git -c user.name=a -c user.email=a@b commit -qm a")
        .run()
        .exits(0);
    let mut client = Client::start(&project, "");
    let tools = client.result("tools/list", &json!({}))["tools"].clone();
    let tools = tools.as_array().unwrap();
    let mut called = Vec::new();
    for (name, arguments) in [
        ("check", json!({})),
        ("check", json!({ "paths": ["broken", "none.yaml"] })),
        ("list", json!({ "filter": "passes", "tags": ["fast"] })),
        ("explain", json!({})),
        ("explain", json!({ "code": "unknown-field" })),
        ("report", json!({})),
        ("report", json!({ "run": "latest~1", "test": "fails" })),
        ("report", json!({ "all": true })),
        ("diff", json!({})),
        ("diff", json!({ "new": "latest" })),
        ("history", json!({ "limit": 1, "test": "fails" })),
        ("coverage", json!({ "paths": ["lib"] })),
        ("design_read", json!({ "what": "survey", "paths": ["lib"] })),
        ("design_read", json!({ "what": "status" })),
        (
            "design_read",
            json!({ "what": "method", "target": "lib/cart.rb#total" }),
        ),
        ("design_read", json!({ "what": "update" })),
        (
            "design_write",
            json!({ "step": "analyze", "target": "lib/cart.rb#total", "force": true }),
        ),
        (
            "design_write",
            json!({ "step": "skeleton", "target": "lib/cart.rb#total" }),
        ),
        (
            "design_write",
            json!({ "step": "architect", "target": "lib/cart.rb#total" }),
        ),
        (
            "design_pipeline",
            json!({ "target": "lib/cart.rb#total", "overwrite": true }),
        ),
        ("design_read", json!({ "what": "factories" })),
        (
            "design_read",
            json!({ "what": "outline", "target": "spec/lib/cart_spec.rb" }),
        ),
        (
            "design_read",
            json!({ "what": "review", "target": "spec/lib/cart_spec.rb" }),
        ),
        ("accept", json!({ "paths": ["a.casebook.yaml:3"] })),
        (
            "run",
            json!({ "jobs": 1, "timeout": "20", "fail_fast": true }),
        ),
        ("run", json!({ "failed": true })),
        (
            "rspec",
            json!({ "specs": ["spec/lib/cart_spec.rb"], "workers": 1 }),
        ),
    ] {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let wrong = mismatch(&arguments, &tool["inputSchema"], name);
        assert_eq!(wrong, None, "{arguments}");
        let structured = client.structured(name, &arguments);
        let root = project.at("").canonicalize().unwrap();
        let root = root.to_str().unwrap();
        let has_absolute = structured["result"].to_string().contains(root);
        assert!(!has_absolute, "{name} {arguments}: {structured}");
        let wrong = mismatch(&structured, &tool["outputSchema"], name);
        assert_eq!(wrong, None, "{arguments}: {structured}");
        called.push(name);
    }
    for tool in tools {
        assert!(called.contains(&tool["name"].as_str().unwrap()), "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean());
    }
}

#[test]
fn results_are_those_of_the_commands() {
    let project = everything();
    let mut client = Client::start(&project, "");
    let checked = client.structured("check", &json!({ "paths": ["broken"] }));
    assert_eq!(checked["exit_code"], 2);
    assert_eq!(checked["messages"], "1 suite: 1 problem");
    assert_eq!(checked["result"]["problems"][0]["fix"]["text"], "name");
    let listed = client.structured("list", &json!({}));
    assert_eq!(listed["result"]["tests"][0]["title"], "passes");
    let explained = client.structured("explain", &json!({ "code": "unknown-field" }));
    let text = explained["result"]["text"].as_str().unwrap();
    assert!(text.starts_with("unknown-field\n"), "{text}");
    let report = client.structured("report", &json!({}));
    assert_eq!(report["result"]["failed_count"], 1);
    assert_eq!(
        report["result"]["failures"][0]["location"],
        "a.casebook.yaml:3"
    );
    assert!(report["result"].get("tests").is_none());
    let one = client.structured("report", &json!({ "test": "passes" }));
    assert_eq!(one["result"]["tests"].as_array().unwrap().len(), 1);
    assert_eq!(one["result"]["failures"], json!([]));
    let method = json!({ "what": "method", "target": "lib/cart.rb#total" });
    let method = client.structured("design_read", &method)["result"].clone();
    assert!(method["design"].is_object(), "{method}");
    let gaps = &method["gaps"]["methods"][0];
    assert!(gaps["code"].as_str().unwrap().contains("items.sum"));
    assert_eq!(gaps["characteristics"][0]["lines"], json!([3, 3]));
    let states = |list: &Value| -> Vec<String> {
        let states = list.as_array().unwrap().iter();
        states
            .map(|one| one["state"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(states(&gaps["missing"]), ["present", "absent"]);
    assert_eq!(gaps["examples"], json!([]));
    // Existing examples count by their names, also those that name no state.
    let spec = "RSpec.describe Cart do\n  describe '#total' do\n    it('sums') { }\n    context 'when items are absent' do\n      \
                it('is 0') { }\n    end\n  end\nend\n";
    project.write("spec/lib/cart_spec.rb", spec);
    let target = json!({ "what": "method", "target": "lib/cart.rb#total" });
    let with_spec = client.structured("design_read", &target);
    let gaps = &with_spec["result"]["gaps"]["methods"][0];
    assert_eq!(states(&gaps["missing"]), ["present"], "{gaps}");
    let location = |index: usize| gaps["examples"][index]["location"].clone();
    assert_eq!(
        [location(0), location(1)],
        ["spec/lib/cart_spec.rb:3", "spec/lib/cart_spec.rb:5"]
    );
    let messages = with_spec["messages"].as_str().unwrap();
    assert!(messages.contains("were not observed yet"), "{messages}");
}

#[test]
fn a_run_reports_progress_and_links_to_all_tests() {
    let project = project();
    let mut client = Client::start(&project, "");
    let params = json!({ "name": "run", "arguments": {}, "_meta": { "progressToken": "p" } });
    let ran = client.result("tools/call", &params);
    let progress: Vec<_> = client
        .notifications
        .iter()
        .map(|one| one["params"].clone())
        .collect();
    assert_eq!(progress.len(), 2);
    assert_eq!(
        (
            &progress[1]["progressToken"],
            &progress[1]["progress"],
            &progress[1]["total"]
        ),
        (&json!("p"), &json!(2), &json!(2))
    );
    assert_eq!(ran["structuredContent"]["exit_code"], 1);
    let link = ran["content"][1]["uri"].clone();
    let run = read(&mut client, &link);
    assert_eq!(run["tests"].as_array().unwrap().len(), 2);
    let id = run["tests"][1]["id"].as_str().unwrap();
    let test = format!("{}/tests/{id}", link.as_str().unwrap());
    let test = read(&mut client, &json!(test));
    assert_eq!(test["tests"].as_array().unwrap().len(), 1);
    assert_eq!(test["failures"][0]["id"], id);
    // Without a token, there are no notifications.
    client.notifications.clear();
    client.structured("run", &json!({}));
    assert!(client.notifications.is_empty());
}

#[track_caller]
fn read(client: &mut Client, uri: &Value) -> Value {
    let result = client.result("resources/read", &json!({ "uri": uri }));
    let text = result["contents"][0]["text"].as_str().unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn resources_and_their_errors() {
    let project = everything();
    let mut client = Client::start(&project, "");
    let schema = read(&mut client, &json!("casebook://schema"));
    assert!(schema["properties"]["tests"].is_object());
    let latest = read(&mut client, &json!("casebook://runs/latest"));
    assert_eq!(latest["failed_count"], 1);
    let page = json!({ "uri": "casebook://codes/unknown-field" });
    let page = client.result("resources/read", &page);
    assert_eq!(page["contents"][0]["mimeType"], "text/markdown");
    for uri in [
        "casebook://runs/..%2F..%2Fetc",
        "casebook://runs/nope",
        "casebook://codes/nope",
        "casebook://results/9",
        "casebook://x",
        "file:///etc/passwd",
    ] {
        let answer = client.ask("resources/read", &json!({ "uri": uri }));
        assert_eq!(answer["error"]["code"], -32_002, "{uri}: {answer}");
    }
}

#[test]
fn new_output_is_accepted_as_a_patch_first() {
    let project = project();
    project.casebook("run").run().exits(1);
    let mut client = Client::start(&project, "");
    let shown = client.structured("accept", &json!({}))["result"].clone();
    assert_eq!(shown["applied"], false);
    assert!(
        shown["patch"]
            .as_str()
            .unwrap()
            .contains("outputEquals: new"),
        "{shown}"
    );
    assert_eq!(project.read("a.casebook.yaml"), SUITE);
    let applied = client.structured("accept", &json!({ "apply": true }))["result"].clone();
    assert_eq!(
        (&applied["applied"], &applied["patch"]),
        (&json!(true), &shown["patch"])
    );
    assert_eq!(project.read("a.casebook.yaml"), SUITE.replace("old", "new"));
}

#[test]
fn a_decision_is_returned_as_data() {
    let project = everything();
    project.write("spec/lib/cart_spec.rb", "RSpec.describe Cart do\n  describe '#total' do\n    it('is by hand') { expect(1).to eq 1 }\n  end\nend\n");
    let mut client = Client::start(&project, "");
    let piped = client.structured("design_pipeline", &json!({ "target": "lib/cart.rb#total" }));
    assert_eq!(piped["exit_code"], 2, "{piped}");
    assert!(
        piped["messages"]
            .as_str()
            .unwrap()
            .contains("a decision is needed"),
        "{piped}"
    );
    let choices = piped["result"]["decisions"][0]["choices"].clone();
    assert_eq!(choices[0]["arguments"], json!({ "overwrite": true }));
    assert_eq!(choices[1].get("arguments"), None);
    assert!(project.read("spec/lib/cart_spec.rb").contains("is by hand"));
}

#[test]
fn a_finished_block_is_replaced_only_by_decision() {
    let project = everything();
    let by_hand = "RSpec.describe Cart do\n  describe '#total' do\n    it('is by hand') { expect(1).to eq 1 }\n  end\nend\n";
    project.write("spec/lib/cart_spec.rb", by_hand);
    project.write("lib/gate.rb", CART.replace("Cart", "Gate"));
    let by_hand = by_hand.replace("Cart", "Gate");
    project.write("spec/lib/gate_spec.rb", &by_hand);
    project
        .casebook("design analyze lib/gate.rb --format plugin")
        .run()
        .exits(0);
    let mut client = Client::start(&project, "");
    for (target, spec) in [
        ("lib/cart.rb#total", "spec/lib/cart_spec.rb"),
        ("lib/gate.rb", "spec/lib/gate_spec.rb"),
    ] {
        let mut arguments = json!({ "step": "skeleton", "target": target });
        let asked = client.structured("design_write", &arguments);
        assert_eq!(asked["exit_code"], 2, "{asked}");
        let hint = "call the tool again with the `arguments` of a choice";
        assert!(
            asked["messages"].as_str().unwrap().contains(hint),
            "{asked}"
        );
        let choices = asked["result"]["decisions"][0]["choices"].clone();
        for (choice, is_kept) in [(1, true), (0, false)] {
            assert!(project.read(spec).contains("is by hand"));
            let chosen = choices[choice]["arguments"].as_object().unwrap().clone();
            assert_eq!(choices[choice].get("flag"), None);
            arguments
                .as_object_mut()
                .unwrap()
                .retain(|name, _| name == "step" || name == "target");
            arguments.as_object_mut().unwrap().extend(chosen);
            let done = client.structured("design_write", &arguments);
            assert_eq!(done["exit_code"], 0, "{done}");
            assert_eq!(project.read(spec).contains("is by hand"), is_kept, "{done}");
        }
    }
    // A skeleton has nothing to lose.
    let arguments = json!({ "step": "skeleton", "target": "lib/cart.rb#total" });
    let again = client.structured("design_write", &arguments);
    assert_eq!(again["exit_code"], 0, "{again}");
}

#[test]
fn errors_of_tools_say_what_to_do() {
    let project = project();
    project.write("Gemfile", "");
    let mut client = Client::start(&project, "");
    for (tool, arguments, expected) in [
        (
            "check",
            json!({ "path": "a" }),
            "unknown argument `path`: did you mean `paths`?",
        ),
        (
            "check",
            json!({ "paths": [1] }),
            "`paths` must be a list of strings",
        ),
        (
            "check",
            json!({ "paths": "--version" }),
            "`--version` is not a path",
        ),
        ("report", json!({}), "no recorded runs"),
        (
            "explain",
            json!({ "code": "unknown-fild" }),
            "did you mean `unknown-field`?",
        ),
        ("run", json!({ "timeout": "soon" }), "invalid value 'soon'"),
        (
            "run",
            json!({ "jobs": 0 }),
            "`jobs` must be a whole number of at least 1",
        ),
        (
            "run",
            json!({ "filter": "nothing" }),
            "no tests match --filter nothing",
        ),
        ("design_read", json!({}), "`what` must be survey"),
        (
            "design_read",
            json!({ "what": "method" }),
            "`target` is required",
        ),
        (
            "design_write",
            json!({ "step": "rm", "target": "x" }),
            "`rm` is not a step",
        ),
        (
            "design_write",
            json!({ "step": "mark", "target": "x" }),
            "`marked` is required",
        ),
        (
            "design_pipeline",
            json!({ "target": "none.rb#x" }),
            "none.rb",
        ),
    ] {
        let failure = client.failure(tool, &arguments);
        assert!(failure.contains(expected), "{tool} {arguments}: {failure}");
        let has_label = failure.to_lowercase().starts_with("error:");
        assert!(!has_label, "{tool} {arguments}: {failure}");
    }
}

#[test]
fn nothing_outside_of_the_root_is_used() {
    let project = Project::with("outside.casebook.yaml", SUITE);
    project.write("outside.rb", CART);
    project.write("shared.yaml", "fragments: {f: {command: ls}}\n");
    project.write("root/a.casebook.yaml", SUITE);
    project.write("root/Gemfile", "");
    project.write(
        "root/c/include.casebook.yaml",
        "include: [../../shared.yaml]\ntests: [{name: x, $ref: f}]\n",
    );
    symlink(
        "../outside.casebook.yaml",
        project.at("root/link.casebook.yaml"),
    )
    .unwrap();
    symlink("../outside.rb", project.at("root/link.rb")).unwrap();
    symlink("..", project.at("root/up")).unwrap();
    let mut client = Client::start(&project, "--root root");
    let absolute = project.at("outside.casebook.yaml").display().to_string();
    for path in [
        "..",
        "../outside.casebook.yaml",
        "link.casebook.yaml",
        "link.casebook.yaml:2",
        "up/*.yaml",
        "c/../../outside.casebook.yaml",
        &absolute,
        "/",
    ] {
        for tool in ["check", "list", "run", "accept", "coverage"] {
            let failure = client.failure(tool, &json!({ "paths": [path] }));
            assert!(
                failure.contains("it is outside of "),
                "{tool} {path}: {failure}"
            );
        }
        let failure = client.failure("report", &json!({ "run": path }));
        assert!(failure.contains("it is outside of "), "{path}: {failure}");
    }
    for target in ["link.rb#total", "link.rb.total", "../outside.rb#total"] {
        let arguments = json!({ "what": "method", "target": target });
        let failure = client.failure("design_read", &arguments);
        assert!(failure.contains("it is outside of "), "{target}: {failure}");
    }
    for options in [
        json!(["/outside_spec.rb"]),
        json!(["-r../outside.rb"]),
        json!(["--format", "json", "--out=../out.json"]),
    ] {
        let failure = client.failure("rspec", &json!({ "options": options }));
        let is_refused = failure.contains("it is outside of ") || failure.contains("into `specs`");
        assert!(is_refused, "{options}: {failure}");
    }
    let failure = client.failure("rspec", &json!({ "specs": ["~/outside_spec.rb"] }));
    assert!(failure.contains("is not a path"), "{failure}");
    // Found by a search, and named by a suite.
    let failure = client.failure("check", &json!({}));
    assert!(failure.contains("link.casebook.yaml"), "{failure}");
    let included = client.structured("check", &json!({ "paths": ["c"] }));
    let problem = included["result"]["problems"][0]["message"].to_string();
    assert!(problem.contains("it is outside of "), "{included}");
    client.structured("check", &json!({ "paths": ["a.casebook.yaml"] }));
}

#[test]
fn metadata_and_specs_are_below_the_root() {
    let project = Project::new();
    project.write("outer/Gemfile", "");
    project.write("outer/inner/lib/cart.rb", CART);
    project.write("bare/lib/cart.rb", CART);
    for (root, expected) in [
        ("outer/inner", "outside of the root of this server"),
        ("bare", "no project was found"),
    ] {
        let mut client = Client::start(&project, &format!("--root {root}"));
        let target = json!({ "step": "analyze", "target": "lib/cart.rb#total" });
        for (tool, arguments) in [
            ("design_write", target),
            ("design_read", json!({ "what": "status" })),
            ("design_pipeline", json!({ "target": "lib/cart.rb#total" })),
            ("coverage", json!({})),
        ] {
            let failure = client.failure(tool, &arguments);
            assert!(failure.contains(expected), "{root} {tool}: {failure}");
        }
        client.close().exits(0);
    }
    assert!(!project.exists("outer/tmp") && !project.exists("outer/spec"));
    // Links in the project.
    for (link, tool, arguments) in [
        (".casebook", "run", json!({})),
        (".casebook", "history", json!({})),
        (
            "tmp",
            "design_write",
            json!({ "step": "analyze", "target": "lib/cart.rb#total" }),
        ),
        (
            "spec/lib",
            "design_write",
            json!({ "step": "skeleton", "target": "lib/cart.rb#total" }),
        ),
    ] {
        let project = Project::with("root/a.casebook.yaml", SUITE);
        project.write("root/Gemfile", "");
        project.write("root/lib/cart.rb", CART);
        project.write("root/spec/spec_helper.rb", "");
        project.write("elsewhere/kept", "");
        let link = project.at(&format!("root/{link}"));
        symlink(project.at("elsewhere"), &link).unwrap();
        let mut client = Client::start(&project, "--root root");
        let failure = client.failure(tool, &arguments);
        assert!(failure.contains("it is outside of "), "{tool}: {failure}");
        let written = std::fs::read_dir(project.at("elsewhere")).unwrap();
        assert_eq!(written.count(), 1, "{tool}");
    }
}

#[test]
fn a_commit_is_not_an_option_of_git() {
    let project = everything();
    project
        .bash("git add . && git -c user.name=a -c user.email=a@b commit -qm a")
        .run()
        .exits(0);
    let written = project.at("../written").display().to_string();
    let mut client = Client::start(&project, "--read-only");
    let update = json!({ "what": "update", "base": format!("--output={written}") });
    let failure = client.failure("design_read", &update);
    assert!(failure.contains("bad revision"), "{failure}");
    assert!(!std::path::Path::new(&written).exists());
}

#[test]
fn metadata_of_a_method_is_validated() {
    let project = everything();
    let mut client = Client::start(&project, "");
    let target = json!({ "step": "validate", "target": "lib/cart.rb#total" });
    let validated = client.structured("design_write", &target);
    assert_eq!(validated["result"]["valid"], true, "{validated}");
}

#[test]
fn a_read_only_server_has_no_tools_that_write_or_run() {
    let project = project();
    let mut client = Client::start(&project, "--read-only");
    let tools = client.result("tools/list", &json!({}))["tools"].clone();
    let names: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].clone())
        .collect();
    assert_eq!(
        names,
        [
            "check",
            "list",
            "explain",
            "report",
            "diff",
            "history",
            "coverage",
            "design_read"
        ]
    );
    let call = json!({ "name": "run", "arguments": {} });
    assert_eq!(client.ask("tools/call", &call)["error"]["code"], -32_602);
}

#[test]
fn secrets_of_the_environment_are_redacted() {
    let secret = "swordfish-4711";
    let suite =
        format!("tests:\n  - {{name: '{secret}', command: echo {secret}, outputEquals: x}}\n");
    let project = Project::with("a.casebook.yaml", suite);
    let mut client = Client::of(project.casebook("mcp").env("API_TOKEN", secret));
    for (tool, arguments) in [
        ("check", json!({ "paths": [secret] })),
        ("list", json!({})),
        ("run", json!({})),
        ("report", json!({ "all": true })),
        ("explain", json!({ "code": secret })),
    ] {
        let result = client.call(tool, &arguments).to_string();
        assert!(!result.contains(secret), "{tool}: {result}");
        assert!(result.contains("[redacted]"), "{tool}: {result}");
    }
    let latest = json!({ "uri": "casebook://runs/latest" });
    let run = client.result("resources/read", &latest).to_string();
    assert!(run.contains("[redacted]") && !run.contains(secret), "{run}");
}

#[test]
fn a_long_result_is_shortened_and_linked() {
    let tests = (0..2_000).map(|n| format!("  - {{name: test {n}, command: ls, nmae: x}}\n"));
    let suite = "tests:\n".to_owned() + &tests.collect::<String>();
    let project = Project::with("a.casebook.yaml", suite);
    let mut client = Client::start(&project, "");
    let result = client.call("check", &json!({}));
    let structured = &result["structuredContent"];
    assert!(structured.to_string().len() < 32_000);
    assert_eq!(structured["result"]["errors"], 2_000);
    let shown = structured["result"]["problems"].as_array().unwrap().len();
    assert!((10..1_000).contains(&shown), "{shown}");
    assert_eq!(
        structured["truncated"],
        json!([format!("result.problems: {shown} of 2000 items")])
    );
    let all = read(&mut client, &result["content"][1]["uri"]);
    assert_eq!(all["result"]["problems"].as_array().unwrap().len(), 2_000);
}
