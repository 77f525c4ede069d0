//! `casebook studio`: serves the live page of a project.

mod address;
mod launcher;
mod source;

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;

use casebook_record::Store;
use casebook_studio::{Access, Project, Session, Studio};
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
    let storage = arguments.storage();
    let is_read_only = arguments.read_only || storage.is_some();
    let address = Address::of(arguments, context)?;
    let _ = Store::in_project(&dir).prepare();
    let (listener, access, url) = match address {
        Address::Local => local_server(arguments.port, &dir, is_read_only)?,
        Address::Remote { host, token } => {
            let listener = address::listen(&host, arguments.port, None)?;
            let port = port_of(&listener)?;
            let url = address::remote_url(&host, port, &context.messages);
            let access = Access::remote(port, token, host, is_read_only);
            (listener, access, url)
        }
    };
    let launcher = Arc::new(ProgramLauncher::new(&dir, context));
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

/// A server for this machine, its access and the address to open. Its session is that of the last one in this project.
fn local_server(
    port: Option<u16>,
    dir: &Path,
    is_read_only: bool,
) -> Result<(TcpListener, Access, String), CommandError> {
    let file = dir.join(".casebook/studio.json");
    let last = Session::read(&file);
    let last_port = last.as_ref().and_then(|last| last.port);
    let listener = address::listen("127.0.0.1", port, last_port)?;
    let own = port_of(&listener)?;
    let session = Session {
        // Another port was chosen for this time only, or the last one is that of a studio that is still open.
        port: last_port.or_else(|| port.is_none().then_some(own)),
        cookie: last
            .as_ref()
            .map_or_else(secret, |last| last.cookie.clone()),
    };
    if last.as_ref() != Some(&session) {
        // Without the file, pages that are open do not reconnect after a restart.
        let _ = session.write(&file);
    }
    let token = secret();
    let url = format!("http://127.0.0.1:{own}/?token={token}");
    let access = Access::local(own, session.cookie(is_read_only), token);
    Ok((listener, access, url))
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
