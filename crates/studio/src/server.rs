//! [`Studio`]: the server in its thread.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};

use crate::access::Access;
use crate::project::Project;
use crate::{live, router};

/// Connections at once; more wait until one is closed.
const MAX_CONNECTIONS: usize = 512;
/// A client that sends no complete request for this long is disconnected.
const HEADER_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause after a failed accept: there are too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long work that has begun may take when the server ends.
const LAST_WORK: Duration = Duration::from_millis(500);

/// The server could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start the studio: {0}")]
pub struct StudioError(#[from] io::Error);

/// A server that runs until it is dropped.
pub struct Studio {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Studio {
    /// Serves the project to those with access, on a socket that is listening.
    pub fn start(
        listener: TcpListener,
        access: Access,
        project: Project,
    ) -> Result<Studio, StudioError> {
        listener.set_nonblocking(true)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("studio".to_owned())
            .spawn(move || {
                run(&runtime, listener, access, project, stopped);
                // Reading thousands of records could take much longer.
                runtime.shutdown_timeout(LAST_WORK);
            })?;
        Ok(Studio {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(
    runtime: &Runtime,
    listener: TcpListener,
    access: Access,
    project: Project,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            return;
        };
        let project = Arc::new(project);
        tokio::spawn(live::watch(Arc::clone(&project)));
        let router = router::of(project, access);
        tokio::select! {
            () = serve(&listener, &router) => {}
            _ = stopped => {}
        }
    });
}

async fn serve(listener: &tokio::net::TcpListener, router: &Router) {
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let permit = Arc::clone(&free).acquire_owned().await;
        let accepted: io::Result<(TcpStream, SocketAddr)> = listener.accept().await;
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIMEOUT)
                .serve_connection(TokioIo::new(stream), service);
            // The client went away or was too slow.
            let _ = connection.await;
            drop(permit);
        });
    }
}
