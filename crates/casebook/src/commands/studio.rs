//! `casebook studio`: serves the live page of a project.

mod address;
mod launcher;
mod source;

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::channel;

use casebook_record::Store;
use casebook_studio::{Project, Session, Studio};
use uuid::Uuid;

use super::shared::signals::Signals;
use crate::arguments::studio::Studio as Arguments;
use crate::context::Context;
use crate::error::CommandError;
use crate::exit::Exit;
use address::Address;
use launcher::ProgramLauncher;

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<Exit, CommandError> {
    let redactor = context.redactor(&[])?;
    context.messages.redact(redactor.clone());
    let dir = source::prepare(arguments.source.as_ref(), context)?;
    let session_file = dir.join(".casebook/studio.json");
    let last = Session::read(&session_file);
    let address = Address::of(arguments, context)?;
    let listener = address.listen(arguments.port, last.as_ref().map(|last| last.port))?;
    let session = Session {
        port: port_of(&listener)?,
        cookie: last.map_or_else(secret, |last| last.cookie),
    };
    // Without the file, pages that are open do not reconnect after a restart.
    let _ = Store::in_project(&dir).prepare();
    let _ = session.write(&session_file);
    let (access, url) = address.access(&session);
    let launcher = Arc::new(ProgramLauncher::new(&dir, context));
    let storage = arguments.storage();
    let is_read_only = arguments.read_only || storage.is_some();
    let project = Project::new(dir, redactor, Context::cpus(), launcher, is_read_only);
    let project = match storage {
        Some(location) => project.with_name(location.to_string()),
        None => project,
    };
    let studio = Studio::start(listener, access, project)?;
    writeln!(context.stdout, "{url}")?;
    context.stdout.flush()?;
    if arguments.open {
        address::open(&url, &context.messages);
    }
    let exit = wait_for_signal(context);
    drop(studio);
    Ok(exit)
}

fn port_of(listener: &TcpListener) -> Result<u16, CommandError> {
    Ok(listener.local_addr()?.port())
}

/// 244 random bits.
fn secret() -> String {
    format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple())
}

fn wait_for_signal(context: &Context) -> Exit {
    let (sender, received) = channel();
    let request = move |_| {
        let _ = sender.send(());
    };
    let signals = Signals::begin(request, context);
    let _ = received.recv();
    signals.first().map_or(Exit::Passed, Exit::Interrupted)
}
