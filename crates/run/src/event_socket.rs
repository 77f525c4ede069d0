//! The socket through which other programs take part: each connection is a stream of lines, events or requests.
//!
//! It lies in a private folder that is gone with it. Every connection has a thread that reads it, so nobody waits for
//! another; what they hear goes to one [`Hearer`].

mod connection;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use casebook_record::EventLine;
use parking_lot::{Condvar, Mutex, MutexGuard};
use tempfile::TempDir;

use crate::os::poll::is_readable;

pub use connection::Connection;

/// The environment variable that names the socket.
pub const EVENTS_VARIABLE: &str = "CASEBOOK_EVENTS";

/// The system allows 107 bytes for the name of a socket.
const MAX_NAME: usize = 107;
const SOCKET: &str = "events";

/// The channel could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot open a channel for events in {}: {source}; set TMPDIR to a writable directory", folder.display())]
pub struct ChannelError {
    folder: PathBuf,
    source: io::Error,
}

/// What comes over a channel.
#[derive(Debug)]
pub enum SocketMessage {
    /// A line that should be an event.
    Line(EventLine),
    /// A line that asks for something: a JSON object with a field `request`.
    Request(serde_json::Value),
    /// The connection has ended.
    Closed,
}

/// Whoever hears what comes, from many threads at once.
pub type MessageHandler = dyn Fn(&Connection, SocketMessage) + Send + Sync;

/// A socket that others can write to.
pub struct EventSocket {
    folder: TempDir,
    listener: UnixListener,
    pause: Option<Duration>,
}

impl EventSocket {
    /// Opens a socket in a new folder that only this user can enter.
    pub fn open(temporary: &Path) -> Result<EventSocket, ChannelError> {
        // A folder deep down would give the socket too long a name.
        let is_short = temporary.as_os_str().len() + "/casebook-XXXXXX/events".len() <= MAX_NAME;
        let place = if is_short {
            temporary
        } else {
            Path::new("/tmp")
        };
        open(place).map_err(|source| ChannelError {
            folder: place.to_owned(),
            source,
        })
    }

    /// The name of the socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// Puts a file beside the socket, which lives as long as the channel does.
    pub fn write_companion_file(
        &self,
        name: &str,
        contents: &str,
    ) -> Result<PathBuf, ChannelError> {
        let path = self.folder.path().join(name);
        File::create(&path)
            .and_then(|mut file| file.write_all(contents.as_bytes()))
            .map_err(|source| ChannelError {
                folder: self.folder.path().to_owned(),
                source,
            })?;
        Ok(path)
    }

    /// Lets what comes gather for so long, which costs those who write less. Not for those who want answers.
    #[must_use]
    pub fn with_read_delay(self, pause: Duration) -> EventSocket {
        EventSocket {
            pause: Some(pause),
            ..self
        }
    }

    /// Hears everybody who connects, until the result is told to end.
    pub fn listen(self, hear: Arc<MessageHandler>) -> Result<OpenEventSocket, ChannelError> {
        let path = self.socket();
        let shared = Arc::new(Shared::default());
        let (listener, ears) = (self.listener, Arc::clone(&shared));
        let accepting = thread::Builder::new()
            .name("channel".into())
            .spawn(move || accept(&listener, self.pause, &ears, &hear))
            .map_err(|source| ChannelError {
                folder: self.folder.path().to_owned(),
                source,
            })?;
        Ok(OpenEventSocket {
            _folder: self.folder,
            path,
            shared,
            accepting: Some(accepting),
        })
    }
}

fn open(place: &Path) -> io::Result<EventSocket> {
    let folder = tempfile::Builder::new()
        .prefix("casebook-")
        .tempdir_in(place)?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700))?;
    let listener = UnixListener::bind(folder.path().join(SOCKET))?;
    Ok(EventSocket {
        folder,
        listener,
        pause: None,
    })
}

/// A channel while it is open.
pub struct OpenEventSocket {
    _folder: TempDir,
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
    /// Nobody is let in any more.
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
    /// The folder that holds the socket and the files beside it.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Lets nobody in any more and waits until everything that was written has been heard. Whoever still holds a
    /// connection after that time, as a daemon does, is cut off.
    pub fn close(mut self, patience: Duration) {
        self.stop_accepting();
        let open = |state: &mut State| !state.open.is_empty();
        let changed = &self.shared.changed;
        let mut state = self.shared.state();
        if changed
            .wait_while_for(&mut state, open, patience)
            .timed_out()
        {
            state.open.iter().for_each(Connection::close);
            changed.wait_while(&mut state, open);
        }
    }

    /// Whoever has knocked before is still let in: they stand in line before our own knock.
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
    hear: &Arc<MessageHandler>,
) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many open files: those who are in may leave.
            thread::sleep(Duration::from_millis(10));
            if shared.state().ending {
                return;
            }
            continue;
        };
        // The last one in line is ourselves, with nothing to say.
        admit(stream, pause, shared, hear);
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
    hear: &Arc<MessageHandler>,
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
    let (inside, hear) = (Arc::clone(shared), Arc::clone(hear));
    let reading = thread::Builder::new()
        .name(format!("channel {number}"))
        .spawn(move || {
            connection::read(stream, &connection, pause, &*hear);
            inside.leave(number);
        });
    if reading.is_err() {
        shared.leave(number);
    }
}

impl Shared {
    fn leave(&self, number: u64) {
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
    use std::sync::mpsc::channel;

    type ReceivedLine = (u64, String);

    fn listen() -> (OpenEventSocket, std::sync::mpsc::Receiver<ReceivedLine>) {
        let (send, receive) = channel();
        let hear = move |connection: &Connection, heard| {
            let text = match heard {
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
        (channel.listen(Arc::new(hear)).unwrap(), receive)
    }

    const STOPPED: &str =
        "{\"event_type\":\"SuiteStopped\",\"payload\":{\"time\":\"2026-11-15T08:40:51Z\"}}\n";

    fn texts(told: impl IntoIterator<Item = ReceivedLine>) -> Vec<String> {
        told.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn garbage_on_a_connection_does_not_end_it() {
        let (listening, told) = listen();
        let mut stream = UnixStream::connect(&listening.path).unwrap();
        stream
            .write_all(format!("\x00garbage\n\n{STOPPED}").as_bytes())
            .unwrap();
        drop(stream);
        listening.close(Duration::from_secs(10));
        let told = texts(told);
        assert!(told[0].contains("not JSON"), "{told:?}");
        assert_eq!(told[1..], ["SuiteStopped", "closed"]);
    }

    #[test]
    fn whoever_holds_a_connection_is_cut_off_and_nothing_of_what_they_said_is_lost() {
        let (listening, told) = listen();
        let path = listening.path.clone();
        let mut daemon = UnixStream::connect(&path).unwrap();
        daemon.write_all(STOPPED.as_bytes()).unwrap();
        listening.close(Duration::from_millis(20));
        assert_eq!(texts(told), ["SuiteStopped", "closed"]);
        assert!(!path.exists());
    }

    #[test]
    fn those_who_have_just_connected_are_heard_to_the_end() {
        for _ in 0..50 {
            let (listening, told) = listen();
            let streams: Vec<_> = (0..5)
                .map(|_| UnixStream::connect(&listening.path).unwrap())
                .collect();
            for mut stream in streams {
                stream.write_all(STOPPED.as_bytes()).unwrap();
            }
            listening.close(Duration::from_secs(10));
            let told = texts(told);
            assert_eq!(
                told.iter().filter(|text| *text == "SuiteStopped").count(),
                5
            );
        }
    }

    #[test]
    fn requests_are_answered_on_the_same_connection() {
        let (listening, _told) = listen();
        let mut stream = UnixStream::connect(&listening.path).unwrap();
        stream.write_all(b"{\"request\":\"next\"}\n").unwrap();
        let mut answer = String::new();
        BufReader::new(&stream).read_line(&mut answer).unwrap();
        assert_eq!(answer, "{\"answer\":\"next\"}\n");
    }

    #[test]
    fn nobody_else_can_enter_the_folder() {
        let channel = EventSocket::open(Path::new("/tmp")).unwrap();
        let mode = fs::metadata(channel.folder.path()).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o700);
    }

    #[test]
    fn a_temporary_folder_deep_down_is_no_obstacle() {
        let deep = format!("/tmp/{}", "x".repeat(200));
        assert!(EventSocket::open(Path::new(&deep)).is_ok());
    }
}
