//! [`EventSocket`]: a socket on which other programs send events and requests, one per line.
//!
//! It is in a private directory that is removed with it, or by the next start if this process is killed. Every connection is read by its own thread, so that no client
//! waits for another; all messages go to one [`MessageHandler`].

mod connection;

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use casebook_record::EventLine;
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::os::poll::is_readable;
use crate::temporary_dir::{Kind, TemporaryDir, error_reason};

pub use connection::Connection;

/// The environment variable with the path of the socket.
pub const EVENTS_VARIABLE: &str = "CASEBOOK_EVENTS";

/// Linux limits the path of a socket to 107 bytes.
const MAX_NAME: usize = 107;
const SOCKET: &str = "events";

/// The socket could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot open the event socket in {}: {}; set TMPDIR to a writable directory", dir.display(), error_reason(source))]
pub struct ChannelError {
    dir: PathBuf,
    source: io::Error,
}

/// A message from a client.
#[derive(Debug)]
pub enum SocketMessage {
    /// A line that should be an event.
    Line(EventLine),
    /// A JSON object with a field `request`.
    Request(serde_json::Value),
    /// The connection was closed.
    Closed,
}

/// Handles messages; called from many threads at once.
pub type MessageHandler = dyn Fn(&Connection, SocketMessage) + Send + Sync;

/// A socket that clients can write to.
pub struct EventSocket {
    dir: TemporaryDir,
    listener: UnixListener,
    pause: Option<Duration>,
}

impl EventSocket {
    /// Opens a socket in a new directory that only this user can access.
    pub fn open(temporary: &Path) -> Result<EventSocket, ChannelError> {
        // The path of a socket in a deeply nested directory would be too long.
        let name = "/casebook-events-4194304-XXXXXX/events";
        let is_short = temporary.as_os_str().len() + name.len() <= MAX_NAME;
        let parent = if is_short {
            temporary
        } else {
            Path::new("/tmp")
        };
        open(parent).map_err(|source| ChannelError {
            dir: parent.to_owned(),
            source,
        })
    }

    /// The path of the socket.
    pub fn socket(&self) -> PathBuf {
        self.dir.path().join(SOCKET)
    }

    /// Writes a file next to the socket; it is removed with the socket.
    pub fn write_companion_file(
        &self,
        name: &str,
        contents: &str,
    ) -> Result<PathBuf, ChannelError> {
        let path = self.dir.path().join(name);
        File::create(&path)
            .and_then(|mut file| file.write_all(contents.as_bytes()))
            .map_err(|source| ChannelError {
                dir: self.dir.path().to_owned(),
                source,
            })?;
        Ok(path)
    }

    /// Reads with a delay, so that writers are interrupted less often. Not for clients that wait for replies.
    #[must_use]
    pub fn with_read_delay(self, pause: Duration) -> EventSocket {
        EventSocket {
            pause: Some(pause),
            ..self
        }
    }

    /// Accepts connections until the result is closed or dropped.
    pub fn listen(self, handler: Arc<MessageHandler>) -> Result<OpenEventSocket, ChannelError> {
        let path = self.socket();
        let shared = Arc::new(Shared::default());
        let (listener, state) = (self.listener, Arc::clone(&shared));
        let accepting = thread::Builder::new()
            .name("channel".into())
            .spawn(move || accept(&listener, self.pause, &state, &handler))
            .map_err(|source| ChannelError {
                dir: self.dir.path().to_owned(),
                source,
            })?;
        Ok(OpenEventSocket {
            _dir: self.dir,
            path,
            shared,
            accepting: Some(accepting),
        })
    }
}

fn open(parent: &Path) -> io::Result<EventSocket> {
    let dir = TemporaryDir::create(parent, Kind::Events)?;
    let listener = UnixListener::bind(dir.path().join(SOCKET))?;
    Ok(EventSocket {
        dir,
        listener,
        pause: None,
    })
}

/// An event socket that accepts connections.
pub struct OpenEventSocket {
    _dir: TemporaryDir,
    path: PathBuf,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether new connections are refused.
    ending: bool,
    count: u64,
    open: Vec<Connection>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl OpenEventSocket {
    /// The directory of the socket and its companion files.
    pub fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Refuses new connections and waits until everything that was written is handled. Connections that are still open
    /// after `timeout`, such as those of daemons, are closed.
    pub fn close(mut self, timeout: Duration) {
        self.stop_accepting();
        let open = |state: &mut State| !state.open.is_empty();
        let changed = &self.shared.changed;
        let mut state = self.shared.state();
        if changed
            .wait_while_for(&mut state, open, timeout)
            .timed_out()
        {
            state.open.iter().for_each(Connection::close);
            changed.wait_while(&mut state, open);
        }
    }

    /// Stops the accepting thread by connecting to the socket. Earlier connections are before this one in the queue, so
    /// they are still accepted.
    fn stop_accepting(&mut self) {
        self.shared.state().ending = true;
        let _ = UnixStream::connect(&self.path);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl Drop for OpenEventSocket {
    fn drop(&mut self) {
        self.stop_accepting();
        self.shared.state().open.iter().for_each(Connection::close);
    }
}

fn accept(
    listener: &UnixListener,
    pause: Option<Duration>,
    shared: &Arc<Shared>,
    handler: &Arc<MessageHandler>,
) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many open files: other connections may close soon.
            thread::sleep(Duration::from_millis(10));
            if shared.state().ending {
                return;
            }
            continue;
        };
        // The last connection is our own and stays silent.
        admit(stream, pause, shared, handler);
        let is_last = shared.state().ending && !is_readable(listener);
        if is_last {
            return;
        }
    }
}

fn admit(
    stream: UnixStream,
    pause: Option<Duration>,
    shared: &Arc<Shared>,
    handler: &Arc<MessageHandler>,
) {
    let number = {
        let mut state = shared.state();
        state.count += 1;
        state.count
    };
    let Ok(connection) = Connection::new(number, &stream) else {
        return;
    };
    shared.state().open.push(connection.clone());
    let (state, handler) = (Arc::clone(shared), Arc::clone(handler));
    let reading = thread::Builder::new()
        .name(format!("channel {number}"))
        .spawn(move || {
            connection::read(stream, &connection, pause, &*handler);
            state.remove(number);
        });
    if reading.is_err() {
        shared.remove(number);
    }
}

impl Shared {
    fn remove(&self, number: u64) {
        self.state()
            .open
            .retain(|connection| connection.number() != number);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::mpsc::channel;

    type ReceivedLine = (u64, String);

    fn listen() -> (OpenEventSocket, std::sync::mpsc::Receiver<ReceivedLine>) {
        let (send, receive) = channel();
        let handler = move |connection: &Connection, message| {
            let text = match message {
                SocketMessage::Line(line) => match line.event {
                    Ok(event) => event.kind().name().to_owned(),
                    Err(error) => error.to_string(),
                },
                SocketMessage::Request(request) => {
                    let answer = serde_json::json!({"answer": request["request"]});
                    connection.send(&answer).unwrap();
                    "request".to_owned()
                }
                SocketMessage::Closed => "closed".to_owned(),
            };
            send.send((connection.number(), text)).unwrap();
        };
        let channel = EventSocket::open(Path::new("/tmp")).unwrap();
        (channel.listen(Arc::new(handler)).unwrap(), receive)
    }

    const STOPPED: &str =
        "{\"event_type\":\"SuiteStopped\",\"payload\":{\"time\":\"2026-11-15T08:40:51Z\"}}\n";

    fn texts(received: impl IntoIterator<Item = ReceivedLine>) -> Vec<String> {
        received.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn garbage_on_a_connection_does_not_end_it() {
        let (listening, received) = listen();
        let mut stream = UnixStream::connect(&listening.path).unwrap();
        stream
            .write_all(format!("\x00garbage\n\n{STOPPED}").as_bytes())
            .unwrap();
        drop(stream);
        listening.close(Duration::from_secs(10));
        let received = texts(received);
        assert!(received[0].contains("not valid JSON"), "{received:?}");
        assert_eq!(received[1..], ["SuiteStopped", "closed"]);
    }

    #[test]
    fn an_open_connection_is_closed_without_losing_lines() {
        let (listening, received) = listen();
        let path = listening.path.clone();
        let mut daemon = UnixStream::connect(&path).unwrap();
        daemon.write_all(STOPPED.as_bytes()).unwrap();
        listening.close(Duration::from_millis(20));
        assert_eq!(texts(received), ["SuiteStopped", "closed"]);
        assert!(!path.exists());
    }

    #[test]
    fn new_connections_are_read_to_the_end() {
        for _ in 0..50 {
            let (listening, received) = listen();
            let streams: Vec<_> = (0..5)
                .map(|_| UnixStream::connect(&listening.path).unwrap())
                .collect();
            for mut stream in streams {
                stream.write_all(STOPPED.as_bytes()).unwrap();
            }
            listening.close(Duration::from_secs(10));
            let received = texts(received);
            assert_eq!(
                received
                    .iter()
                    .filter(|text| *text == "SuiteStopped")
                    .count(),
                5
            );
        }
    }

    #[test]
    fn requests_are_answered_on_the_same_connection() {
        let (listening, _received) = listen();
        let mut stream = UnixStream::connect(&listening.path).unwrap();
        stream.write_all(b"{\"request\":\"next\"}\n").unwrap();
        let mut answer = String::new();
        BufReader::new(&stream).read_line(&mut answer).unwrap();
        assert_eq!(answer, "{\"answer\":\"next\"}\n");
    }

    #[test]
    fn only_this_user_can_access_the_directory() {
        let channel = EventSocket::open(Path::new("/tmp")).unwrap();
        let mode = std::fs::metadata(channel.dir.path()).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o700);
    }

    #[test]
    fn a_deeply_nested_temporary_directory_works() {
        let deep = format!("/tmp/{}", "x".repeat(200));
        assert!(EventSocket::open(Path::new(&deep)).is_ok());
    }
}
