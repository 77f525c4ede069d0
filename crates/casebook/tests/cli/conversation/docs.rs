//! Follows the steps of the documentation about agents and conversations.

use std::fs;
use std::path::Path;

use crate::support::Project;

#[test]
fn the_tutorial_works_step_by_step() {
    assert_eq!(follow("conversations-tutorial.md"), 5);
}

#[test]
fn the_agents_in_the_documentation_work() {
    assert_eq!(follow("agents.md"), 1);
}

#[test]
fn the_tutorial_of_http_agents_works() {
    assert_eq!(follow("conversations/http-agent.md"), 2);
}

#[test]
fn the_tutorial_of_models_with_tools_works() {
    assert_eq!(follow("conversations/model-with-tools.md"), 1);
}

#[test]
fn the_tutorial_of_transcripts_works() {
    assert_eq!(follow("conversations/transcripts.md"), 3);
}

#[test]
fn the_suite_of_the_comparison_finds_the_bug_of_its_agent() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let project = Project::new();
    for file in [
        "agent.py",
        "casebook/stdio.py",
        "casebook/pizza.casebook.yaml",
    ] {
        let text = fs::read_to_string(examples.join("comparison-agents").join(file)).unwrap();
        project.write(file, &text);
    }
    let ran = project.bash("cd casebook && \"$CASEBOOK\" run").run();
    let ran = ran.exits(1);
    assert!(
        ran.stdout.contains("9 tests: 7 passed, 2 failed"),
        "{}",
        ran.stdout
    );
    let failures = "takes an order\n    turn 3: no call of order has size \"large\" and count 2; the closest has count 1\n";
    assert!(ran.stdout.contains(failures), "{}", ran.stdout);
}

/// Saves the files of a page, runs its commands and compares their output; returns the number of commands.
fn follow(page: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = fs::read_to_string(path.join(page)).unwrap();
    let project = Project::new();
    let mut commands = 0;
    let mut parts = text.split("```");
    while let (Some(prose), Some(block)) = (parts.next(), parts.next()) {
        let (language, block) = block.split_once('\n').unwrap();
        if language == "console" {
            run(&project, block);
            commands += 1;
        } else if let Some(file) = file_of(prose) {
            project.write(file, block);
        }
    }
    commands
}

/// The file name in a last paragraph that contains "Save as".
fn file_of(prose: &str) -> Option<&str> {
    let paragraph = prose.trim_end().rsplit("\n\n").next()?;
    let (_, name) = paragraph.split_once("as `")?;
    let is_file_to_save = paragraph.contains("Save as `") || paragraph.contains("Save\nas `");
    name.split('`').next().filter(|_| is_file_to_save)
}

#[track_caller]
fn run(project: &Project, block: &str) {
    let (command, shown) = block.split_once('\n').unwrap();
    let command = command.strip_prefix("$ casebook").unwrap();
    let outcome = project.bash(&format!("\"$CASEBOOK\"{command}")).run();
    let shown = without_times(shown);
    let stdout = without_times(&outcome.stdout);
    assert!(
        stdout.starts_with(&shown),
        "{command}\n--- documented\n{shown}\n--- actual\n{stdout}{}",
        outcome.stderr
    );
}

/// Removes times at the ends of lines.
fn without_times(text: &str) -> String {
    let line = |line: &str| {
        let is_time = |line: &str| line.ends_with(" ms") || line.ends_with(" s");
        let end = if is_time(line) {
            line.trim_end_matches(" ms")
                .trim_end_matches(" s")
                .rfind(' ')
        } else {
            None
        };
        line[..end.unwrap_or(line.len())].trim_end().to_owned()
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
