//! Files made from the definition of the command line: reference, manual pages, completions.
//!
//! This test fails when one of them is stale; `script/generate` writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::commands::explain;

#[test]
fn generated_files_are_up_to_date() {
    #[expect(
        clippy::disallowed_methods,
        reason = "how script/generate asks for the files"
    )]
    let write = std::env::var_os("CASEBOOK_GENERATE").is_some();
    let stale: Vec<_> = files()
        .into_iter()
        .map(|(path, content)| (root().join(path), content))
        .filter(|(path, content)| fs::read(path).ok().as_ref() != Some(content))
        .collect();
    if write {
        for (path, content) in stale {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    } else {
        let paths: Vec<_> = stale
            .iter()
            .map(|(path, _)| path.display().to_string())
            .collect();
        assert!(
            stale.is_empty(),
            "run script/generate; stale: {}",
            paths.join(", ")
        );
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files() -> Vec<(String, Vec<u8>)> {
    let schema = serde_json::to_string_pretty(&casebook_suite::schema()).unwrap();
    let mut files = vec![
        ("docs/commands.md".to_owned(), reference().into_bytes()),
        ("docs/problems.md".to_owned(), problems().into_bytes()),
        (
            "docs/casebook.schema.json".to_owned(),
            (schema + "\n").into_bytes(),
        ),
    ];
    for (shell, name) in [
        (Shell::Bash, "casebook.bash"),
        (Shell::Zsh, "_casebook"),
        (Shell::Fish, "casebook.fish"),
    ] {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut definition(), "casebook", &mut script);
        files.push((format!("docs/completions/{name}"), script));
    }
    for command in all(definition()) {
        let name = title(&command).replace(' ', "-");
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).unwrap();
        files.push((format!("docs/man/{name}.1"), page));
    }
    files
}

/// The command line with a fixed width, so that the files do not depend on a terminal.
fn definition() -> Command {
    let mut definition = Arguments::command()
        .term_width(100)
        .disable_help_subcommand(true);
    definition.build();
    definition
}

fn all(definition: Command) -> Vec<Command> {
    let subcommands: Vec<_> = definition
        .get_subcommands()
        .cloned()
        .flat_map(all)
        .collect();
    std::iter::once(definition).chain(subcommands).collect()
}

fn title(command: &Command) -> String {
    command
        .get_bin_name()
        .unwrap_or(command.get_name())
        .to_owned()
}

fn reference() -> String {
    let mut page =
        "# Commands\n\n<!-- Made by script/generate from the program's own help. -->\n".to_owned();
    for mut command in all(definition()) {
        let help = command.render_long_help().to_string();
        let lines: Vec<_> = help.lines().map(str::trim_end).collect();
        let help = lines.join("\n");
        write!(
            page,
            "\n## `{}`\n\n```text\n{}\n```\n",
            title(&command),
            help.trim_end()
        )
        .unwrap();
    }
    page
}

/// Every code with its explanation, the headings one level down.
fn problems() -> String {
    let mut page =
        "# Problems that `casebook check` finds\n\n<!-- Made by script/generate. -->\n".to_owned();
    for code in explain::all() {
        let text = explain::page(code).replace("\n# ", "\n### ");
        let (name, explanation) = text.split_once('\n').unwrap();
        write!(page, "\n## `{name}`\n{explanation}").unwrap();
    }
    page
}
