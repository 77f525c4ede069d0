//! [`Server`]: a NATS server on a free port, with a store in a temporary directory.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use tempfile::TempDir;

use crate::support::{Live, Project, eventually};

/// A running server. It is killed at the end of the test.
pub(crate) struct Server {
    process: Child,
    port: u16,
    dir: TempDir,
    arguments: Vec<String>,
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::with(&["--jetstream"])
    }

    /// A server with these arguments.
    pub(crate) fn with(arguments: &[&str]) -> Server {
        let dir = tempfile::tempdir().unwrap();
        let arguments: Vec<_> = arguments
            .iter()
            .map(|argument| (*argument).to_owned())
            .collect();
        let port = free_port();
        let process = start(dir.path(), port, &arguments);
        let server = Server {
            process,
            port,
            dir,
            arguments,
        };
        server.wait_until_ready();
        server
    }

    fn wait_until_ready(&self) {
        eventually("the server accepts connections", || {
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The lines of its log that contain these words.
    pub(crate) fn log_lines(&self, words: &str) -> Vec<String> {
        let log = fs::read_to_string(self.dir.path().join("server.log")).unwrap();
        let lines = log.lines().filter(|line| line.contains(words));
        lines.map(str::to_owned).collect()
    }

    /// Kills the server with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts a killed server again, with the same port and store.
    pub(crate) fn restart(&mut self) {
        self.process = start(self.dir.path(), self.port, &self.arguments);
        self.wait_until_ready();
    }

    /// A worker in the directory of a project.
    pub(crate) fn worker(&self, project: &Project, jobs: usize) -> Live {
        let mut worker = project
            .casebook(&format!("worker --connect {} --jobs {jobs}", self.url()))
            .start();
        worker.wait_for_stderr("press Ctrl-C to quit\n");
        worker
    }

    /// `casebook run --cluster` with these further arguments.
    pub(crate) fn run(&self, project: &Project, arguments: &str) -> crate::support::Call {
        project.casebook(&format!("run --cluster {} {arguments}", self.url()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn start(dir: &Path, port: u16, arguments: &[String]) -> Child {
    Command::new(program())
        .args(["--addr", "127.0.0.1", "--port", &port.to_string()])
        .arg("--store_dir")
        .arg(dir.join("store"))
        .arg("--log")
        .arg(dir.join("server.log"))
        .args(arguments)
        .stdin(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("no nats-server ({error}); script/setup installs it"))
}

/// Installed by script/setup, or the one on the `PATH`.
pub(crate) fn program() -> PathBuf {
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../python/bin/nats-server");
    if installed.exists() {
        installed
    } else {
        "nats-server".into()
    }
}

/// Three servers that replicate their streams.
pub(crate) struct ThreeNodes {
    nodes: Vec<Server>,
}

impl ThreeNodes {
    pub(crate) fn start() -> ThreeNodes {
        let routes = [free_port(), free_port(), free_port()];
        let all: Vec<_> = routes
            .iter()
            .map(|port| format!("nats://127.0.0.1:{port}"))
            .collect();
        let all = all.join(",");
        let node = |(number, port): (usize, &u16)| {
            let (name, listen) = (format!("node{number}"), format!("nats://127.0.0.1:{port}"));
            Server::with(&[
                "--jetstream",
                "--server_name",
                &name,
                "--cluster_name",
                "three",
                "--cluster",
                &listen,
                "--routes",
                &all,
            ])
        };
        ThreeNodes {
            nodes: routes.iter().enumerate().map(node).collect(),
        }
    }

    pub(crate) fn node(&mut self, number: usize) -> &mut Server {
        &mut self.nodes[number]
    }
}

/// A port that no program uses, and that the system gives to none: while a server is killed, its port must stay free.
fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Tests run in processes of their own at the same time.
    let first = std::process::id().wrapping_mul(37);
    loop {
        let number = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed).into());
        let port = 15_000 + u16::try_from(number % 15_000).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}
