//! Tests of the checker for conversations: the problems with their positions, and the decoded suites.

mod checks;
mod inheritance;
mod models;
mod problems;
mod scenarios;

use std::collections::BTreeMap;

use casebook_source::SourceFile;
use casebook_suite::model::TextCheck;
use casebook_suite::model::conversation::{
    Agent, Bounds, Conversation, ConversationCheck, CriterionRef, Expectation, JsonType, Pattern,
    Provider, Sample, ScriptedVerdicts, Trigger, User, UserRules, Verdict,
};
use casebook_suite::{CheckContext, Checked, Suite, check};
use serde_json::json;

fn read(path: &str) -> Result<String, String> {
    match path {
        "venues.json" => Ok(r#"[
  {"name": "corporate event", "goal": "Find a venue \ud83c\udfe2", "size": 50, "likes": ["wine", "jazz"], "place": {"city": "Stuttgart"}},
  {"name": "wedding", "goal": "Marry", "size": 120, "id": "vip"}
]"#
        .into()),
        "venues.yaml" => Ok("- name: party\n  goal: Dance {{all}} night\n  size: 1.10\n".into()),
        "rows.jsonl" => Ok("{\"name\": \"a\", \"goal\": \"g\", \"n\": 3}\n\n{\"name\": \"b\", \"goal\": \"h\"}\n".into()),
        "bad.jsonl" => Ok("{\"name\": \"a\"}\n[1]\n{\"name\n".into()),
        "rows.csv" => Ok("\u{feff}name,goal,n:number,ok:boolean,place:json,zip\n\"Ada, née King\",\"Find\na table\",2,true,\"{\"\"city\"\": \"\"Bonn\"\"}\",01099\nb,h,,false,,7\n".into()),
        "bad.csv" => Ok("name,goal,n:number\na,,1\nb,g,two\nc,g\nd,g,1,2\ne,g,three\n".into()),
        "quote.csv" => Ok("name,goal\na,\"Find, \"\"it\"\"\"\nb,5\" pipes\nc,\"Find\nd,g\ne,h\n".into()),
        "end.csv" => Ok("name,goal\na,\"Find".into()),
        "semicolon.csv" => Ok("name;goal\na;b\n".into()),
        "tab.csv" => Ok("name\tgoal\na\tb\n".into()),
        "type.csv" => Ok("name,goal,n:numbr\na,b,1\n".into()),
        "bad.json" => Ok("[\n  {\"name\": \"a\"},\n  {\"goal\": \"b\"},\n  7\n]".into()),
        "broken.json" => Ok("[{\"name\": \"a\"".into()),
        "map.yaml" => Ok("name: a\n".into()),
        "empty.yaml" => Ok("[]".into()),
        _ => Err("no such file or directory".into()),
    }
}

fn checked(text: &str) -> Checked {
    let environment = BTreeMap::from([("TOKEN".to_owned(), "secret".to_owned())]);
    let context = CheckContext {
        environment: &environment,
        stem: "conversation",
        read: &read,
    };
    check(SourceFile::new("suites/conversation.yaml", text), &context)
}

/// `line:column code: message (help)`, prefixed with the file name for problems in other files.
fn problems(text: &str) -> Vec<String> {
    let checked = checked(text);
    let told = checked.diagnostics.iter().map(|diagnostic| {
        let file = diagnostic.file.as_ref().unwrap_or(&checked.file);
        let place = file.position(diagnostic.span.start);
        let other = diagnostic.file.as_ref();
        let other = other.map_or(String::new(), |file| format!("{}:", file.name()));
        let help = diagnostic.help.as_ref();
        let help = help.map_or(String::new(), |help| format!(" ({help})"));
        format!(
            "{other}{}:{} {}: {}{help}",
            place.line, place.column, diagnostic.code, diagnostic.message
        )
    });
    told.collect()
}

fn suite(text: &str) -> Suite {
    let problems = problems(text);
    checked(text)
        .suite
        .unwrap_or_else(|| panic!("{problems:#?}"))
}

fn conversation(text: &str) -> Conversation {
    let suite = suite(text);
    suite.tests[0]
        .conversation()
        .expect("the test must be a conversation")
        .clone()
}

/// The problems of a suite with a test of these lines.
fn problems_of_test(lines: &str) -> Vec<String> {
    problems(&with_base(lines))
}

/// A suite with an agent, a model, tools, criteria, two topics and a test of these lines.
fn with_base(lines: &str) -> String {
    format!(
        "\
agent: {{command: ./agent}}
llm: {{provider: anthropic, model: m}}
tools: [search, book]
criteria: {{friendly: The reply is friendly}}
topics:
  hello: {{description: Hello, next: [done]}}
  done: {{description: Done, triggers: [{{called: book}}]}}
tests:
  - name: t
    {lines}
"
    )
}

/// The problems of a conversation with one turn and this check.
fn problems_of_check(check: &str) -> Vec<String> {
    problems_of_test(&format!(
        "conversation:\n      - user: Hi\n        expect: {check}"
    ))
}

fn check_of(check: &str) -> ConversationCheck {
    let conversation = conversation(&with_base(&format!(
        "conversation:\n      - user: Hi\n        expect: {check}"
    )));
    let User::Scripted(turns) = conversation.user else {
        panic!("the user must be scripted");
    };
    turns[0].expectations[0].check.clone()
}
