//! Casebook: from code to cases to evidence.
//!
//! `main` reads the environment once into a [`Context`], parses the arguments and runs one command, which returns an exit code
//! or an error. Errors are reported only here.

mod arguments;
mod bashi;
mod caller;
mod color;
mod commands;
mod context;
mod error;
mod exit;
#[cfg(test)]
mod generated;
mod lsp;
mod mcp;
mod messages;
mod percent;
mod screen;

use std::process::ExitCode;

use clap::Parser as _;

use arguments::{Arguments, foreign_options};
use context::Context;
use error::CommandError;
use exit::Exit;

fn main() -> ExitCode {
    if Context::starts_terminal_program() {
        return Exit::CouldNotTest.into();
    }
    // Before any thread starts: patterns match as in bash, in the user's locale.
    casebook_suite::ere::adopt_locale();
    let mut context = Context::from_process();
    silence_listeners();
    let result = if bashi::invoked_as_bashi(&context) {
        bashi::run(&mut context)
    } else {
        run(&mut context)
    };
    let exit = match result {
        Ok(exit) => exit,
        Err(error) if error.is_broken_pipe() => Exit::Passed,
        Err(error) => {
            context.messages.error(&error.to_string());
            Exit::CouldNotTest
        }
    };
    exit.into()
}

fn run(context: &mut Context) -> Result<Exit, CommandError> {
    match Arguments::try_parse_from(context.arguments()) {
        Ok(arguments) => {
            context.apply(&arguments);
            commands::run(arguments, context)
        }
        Err(answer) => context.show_usage(&foreign_options::add_hint(answer, context.arguments())),
    }
}

/// A panic in a listener is caught and reported by the bus, so the default message is suppressed.
fn silence_listeners() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !casebook_record::is_delivering() {
            report(panic);
        }
    }));
}
