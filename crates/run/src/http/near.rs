//! Servers on this machine, which answer so fast that every step counts.
//!
//! They need no proxy, no certificates, no names to be looked up and no thread to be left behind: a request is one call to the
//! system, and whoever waits for the answer is woken by it or by the request to stop.

use std::fmt::Write as _;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::set_tcp_quickack;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use ureq::http::{HeaderName, HeaderValue, Uri};

use super::Request;
use super::agent::CONNECT;
use super::answer::{Answer, Input};
use super::resolve::{addresses, port};
use super::send::USER_AGENT;
use super::trouble::{Trouble, broken, impossible};
use crate::lock::lock;
use crate::ready::is_readable;
use crate::stop::Stop;

/// A connection that nobody needs is kept so long.
const IDLE: Duration = Duration::from_secs(15);
/// Connecting takes a moment at least.
const MOMENT: Duration = Duration::from_millis(1);
/// So much is read at first, and more of what is longer.
const PIECE: usize = 4 << 10;
const LARGE_PIECE: usize = 64 << 10;

/// Most heads are shorter.
const HEAD: usize = 256;

/// The server of a request, if it is on this machine.
pub(super) struct Target {
    uri: Uri,
    addresses: Vec<SocketAddr>,
}

impl Target {
    fn of(url: &str) -> Option<Target> {
        let uri: Uri = url.parse().ok()?;
        let has_password = uri.authority()?.as_str().contains('@');
        let known = addresses(&uri).zip(port(&uri));
        let (known, port) = known.filter(|_| uri.scheme_str() == Some("http") && !has_password)?;
        let addresses: Vec<_> = known
            .into_iter()
            .map(|address| SocketAddr::new(address, port))
            .collect();
        let is_near = addresses.iter().all(|address| address.ip().is_loopback());
        is_near.then_some(Target { uri, addresses })
    }

    fn server(&self) -> &str {
        self.uri.authority().map_or("", |server| server.as_str())
    }

    /// All that is sent.
    fn message(&self, request: &Request<'_>) -> Result<Vec<u8>, Trouble> {
        let path = self.uri.path_and_query().map_or("", |path| path.as_str());
        let root = if path.starts_with('/') { "" } else { "/" };
        let server = self.server();
        let mut head = String::with_capacity(HEAD + request.body.len());
        head.extend(["POST ", root, path, " HTTP/1.1\r\nhost: ", server, "\r\n"]);
        let mut add = |name: &str, value: &str| {
            head.extend([name, ": ", value, "\r\n"]);
        };
        for (name, value) in request.headers {
            HeaderName::try_from(name).map_err(|error| impossible(&error))?;
            HeaderValue::try_from(value).map_err(|error| impossible(&error))?;
            add(name, value);
        }
        let defaults = [
            ("content-type", "application/json"),
            ("accept", "application/json"),
            ("user-agent", USER_AGENT),
        ];
        let is_given = |name: &str| {
            let mut given = request.headers.iter();
            given.any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        for (name, value) in defaults.into_iter().filter(|(name, _)| !is_given(name)) {
            add(name, value);
        }
        let length = request.body.len();
        write!(head, "content-length: {length}\r\n\r\n").map_err(|error| impossible(&error))?;
        head.push_str(request.body);
        Ok(head.into_bytes())
    }
}

/// Until when an answer is waited for, and what else ends the waiting.
#[derive(Clone, Copy)]
pub(super) struct Wait<'a> {
    /// Never, where that is.
    pub(super) end: Option<Instant>,
    pub(super) stop: &'a Stop,
    pub(super) instant: fn() -> Instant,
}

impl Wait<'_> {
    fn left(self) -> Option<Duration> {
        let end = self.end?;
        Some(end.saturating_duration_since((self.instant)()))
    }

    /// Returns when the socket is ready.
    fn for_socket(self, socket: &TcpStream, what: PollFlags) -> Result<(), Trouble> {
        loop {
            let left = self.left().and_then(|left| Timespec::try_from(left).ok());
            let wake = self.stop.wake();
            let mut fds = [PollFd::new(socket, what), PollFd::new(&wake, PollFlags::IN)];
            match poll(&mut fds, left.as_ref()) {
                Ok(0) => return Err(Trouble::TimedOut),
                Ok(_) if self.stop.is_asked() => return Err(Trouble::Interrupted),
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(broken(&error.into())),
            }
        }
    }
}

/// The servers on this machine.
#[derive(Default)]
pub(super) struct Near {
    idle: Mutex<Vec<Idle>>,
    /// Where the last request went, and most likely the next one goes.
    last: Mutex<Option<(String, Arc<Target>)>>,
}

/// A connection that waits for the next request.
struct Idle {
    target: Arc<Target>,
    connection: Connection,
    since: Instant,
}

struct Connection {
    socket: TcpStream,
    /// For what comes over it.
    room: Vec<u8>,
}

impl Near {
    /// The server at that address, if it is on this machine.
    pub(super) fn target(&self, url: &str) -> Option<Arc<Target>> {
        let mut last = lock(&self.last);
        if let Some((_, target)) = last.as_ref().filter(|(known, _)| known == url) {
            return Some(Arc::clone(target));
        }
        let target = Arc::new(Target::of(url)?);
        *last = Some((url.to_owned(), Arc::clone(&target)));
        Some(target)
    }

    /// Sends the request once.
    pub(super) fn post(
        &self,
        target: Arc<Target>,
        request: &Request<'_>,
        wait: Wait<'_>,
    ) -> Result<Answer, Trouble> {
        let message = target.message(request)?;
        let Connection { socket, room } = match self.kept(target.server(), wait) {
            Some(connection) => connection,
            None => Connection {
                socket: reach(&target, wait)?,
                room: Vec::new(),
            },
        };
        write(&socket, &message, wait)?;
        let mut is_first = true;
        let mut input = Input::within(room, |bytes: &mut Vec<u8>| {
            if !std::mem::replace(&mut is_first, false) {
                // Many servers send head and body apart, and wait with the body until they know that the head has arrived,
                // which the system tells them 40 ms later unless it is asked to hurry.
                let _ = set_tcp_quickack(&socket, true);
            }
            read(&socket, bytes, wait)
        });
        let answer = Answer::read(&mut input)?;
        if answer.keeps_connection {
            let mut room = input.into_room();
            room.shrink_to(LARGE_PIECE);
            lock(&self.idle).push(Idle {
                target,
                connection: Connection { socket, room },
                since: (wait.instant)(),
            });
        }
        Ok(answer)
    }

    fn kept(&self, server: &str, wait: Wait<'_>) -> Option<Connection> {
        let now = (wait.instant)();
        let mut idle = lock(&self.idle);
        idle.retain(|one| now.saturating_duration_since(one.since) < IDLE);
        loop {
            let place = idle.iter().rposition(|one| one.target.server() == server)?;
            let connection = idle.swap_remove(place).connection;
            // Whatever is there to read was not asked for, or is the end.
            if !is_readable(&connection.socket) {
                return Some(connection);
            }
        }
    }
}

fn reach(target: &Target, wait: Wait<'_>) -> Result<TcpStream, Trouble> {
    let mut refusal = io::Error::from(io::ErrorKind::ConnectionRefused);
    for address in &target.addresses {
        let left = wait.left().unwrap_or(Duration::MAX);
        match TcpStream::connect_timeout(address, left.clamp(MOMENT, CONNECT)) {
            Ok(socket) => {
                socket.set_nodelay(true).map_err(|error| broken(&error))?;
                return Ok(socket);
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(Trouble::TimedOut),
            Err(error) => refusal = error,
        }
    }
    Err(broken(&refusal))
}

fn write(socket: &TcpStream, mut message: &[u8], wait: Wait<'_>) -> Result<(), Trouble> {
    while !message.is_empty() {
        match send(socket, message, SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
            Ok(sent) => message = &message[sent..],
            Err(Errno::AGAIN) => wait.for_socket(socket, PollFlags::OUT)?,
            Err(Errno::INTR) => {}
            Err(error) => return Err(broken(&error.into())),
        }
    }
    Ok(())
}

/// Appends what has come; false at the end.
fn read(socket: &TcpStream, bytes: &mut Vec<u8>, wait: Wait<'_>) -> Result<bool, Trouble> {
    bytes.reserve(bytes.len().clamp(PIECE, LARGE_PIECE));
    loop {
        wait.for_socket(socket, PollFlags::IN)?;
        match recv(socket, spare_capacity(bytes), RecvFlags::DONTWAIT) {
            Ok((read, _)) => return Ok(read > 0),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(broken(&error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_http_to_this_machine_is_near() {
        for (url, is_near) in [
            ("http://127.0.0.1:8080/chat", true),
            ("http://LocalHost/", true),
            ("http://[::1]:9/x?y", true),
            ("http://127.1.2.3:9", true),
            ("https://127.0.0.1/", false),
            ("http://user:secret@127.0.0.1/", false),
            ("http://10.0.0.1/", false),
            ("http://localhost.example.org/", false),
            ("localhost:80", false),
            ("ftp://localhost", false),
            ("", false),
        ] {
            assert_eq!(Target::of(url).is_some(), is_near, "{url}");
        }
    }

    #[test]
    fn each_address_has_its_own_target_whichever_was_asked_before() {
        let near = Near::default();
        let server = |url: &str| near.target(url).map(|target| target.server().to_owned());
        for _ in 0..2 {
            for (url, expected) in [
                ("http://127.0.0.1:1/a", Some("127.0.0.1:1")),
                ("http://127.0.0.1:2/a", Some("127.0.0.1:2")),
                ("http://10.0.0.1/", None),
            ] {
                assert_eq!(server(url).as_deref(), expected);
            }
        }
        let again = || near.target("http://127.0.0.1:1/a").unwrap();
        assert!(Arc::ptr_eq(&again(), &again()), "it is made once");
    }

    #[test]
    fn a_suites_own_headers_replace_the_usual_ones_and_hold_no_others() {
        let message = |url: &str, headers: &[(&str, &str)]| {
            let headers: Vec<_> = headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            let request = Request {
                url,
                headers: &headers,
                body: "{}",
                timeout: IDLE,
                may_repeat: false,
                again: None,
            };
            let message = Target::of(url).unwrap().message(&request);
            message.map(|bytes| String::from_utf8(bytes).unwrap())
        };
        let own = [("Content-Type", "text/x"), ("user-agent", "me")];
        assert_eq!(
            message("http://localhost:7?a=b#c", &own).unwrap(),
            "POST /?a=b HTTP/1.1\r\nhost: localhost:7\r\nContent-Type: text/x\r\nuser-agent: me\r\n\
             accept: application/json\r\ncontent-length: 2\r\n\r\n{}"
        );
        for wrong in [("x\r\ny", "1"), ("x", "1\r\ny: 2"), ("", "1"), ("x:", "1")] {
            let Err(Trouble::Other(why)) = message("http://localhost:7", &[wrong]) else {
                panic!("{wrong:?} is sent");
            };
            assert!(why.starts_with("the request cannot be made: "), "{why}");
        }
    }
}
