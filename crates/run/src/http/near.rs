//! Connections to servers on this machine, which answer so fast that every call to the system counts.
//!
//! The usual connection sets two time limits for each request, looks whether it is open with six calls and sends head and
//! body apart: fourteen calls where five do, and two packets to wake the server where one does.

use std::io::{self, Read as _};
use std::net::TcpStream;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};

use crate::ready::is_readable;

/// So much waits at most to be sent with something else.
const ENOUGH: usize = 1 << 16;

/// Connects to servers on this machine, and leaves all others to whoever comes next.
#[derive(Debug)]
pub(super) struct Near;

impl Connector for Near {
    type Out = Stream;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        _: Option<()>,
    ) -> Result<Option<Stream>, Error> {
        let is_near = |address: &std::net::SocketAddr| address.ip().is_loopback();
        if details.needs_tls() || !details.addrs.iter().all(is_near) {
            return Ok(None);
        }
        let socket = Arc::new(reach(details)?);
        socket.set_nodelay(true)?;
        (details.register_shutdown)(Arc::<TcpStream>::downgrade(&socket))?;
        let (input, output) = (
            details.config.input_buffer_size(),
            details.config.output_buffer_size(),
        );
        Ok(Some(Stream {
            socket,
            buffers: LazyBuffers::new(input, output),
            unsent: Vec::new(),
        }))
    }
}

fn reach(details: &ConnectionDetails<'_>) -> Result<TcpStream, Error> {
    let mut refusal = io::Error::from(io::ErrorKind::ConnectionRefused);
    for address in &details.addrs {
        let connected = match details.timeout.not_zero() {
            Some(time) => TcpStream::connect_timeout(address, *time),
            None => TcpStream::connect(address),
        };
        match connected {
            Ok(socket) => return Ok(socket),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                return Err(Error::Timeout(details.timeout.reason));
            }
            Err(error) => refusal = error,
        }
    }
    Err(refusal.into())
}

/// A connection to a server on this machine.
#[derive(Debug)]
pub(super) struct Stream {
    /// Shared with whoever ends all connections when the run is to stop.
    socket: Arc<TcpStream>,
    buffers: LazyBuffers,
    /// Goes out with what follows it, or before anything is waited for.
    unsent: Vec<u8>,
}

impl Transport for Stream {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.unsent
            .extend_from_slice(&self.buffers.output()[..amount]);
        if self.unsent.len() > ENOUGH {
            self.send(timeout)?;
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.send(timeout)?;
        self.wait(PollFlags::IN, timeout.for_read())?;
        let read = (&*self.socket).read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(read);
        Ok(read > 0)
    }

    fn is_open(&mut self) -> bool {
        // Whatever is there to read was not asked for, or is the end.
        !is_readable(&self.socket)
    }
}

impl Stream {
    fn send(&mut self, timeout: NextTimeout) -> Result<(), Error> {
        let mut sent = 0;
        while sent < self.unsent.len() {
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            match send(&self.socket, &self.unsent[sent..], flags) {
                Ok(more) => sent += more,
                Err(Errno::AGAIN) => self.wait(PollFlags::OUT, timeout.for_write())?,
                Err(Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
        self.unsent.clear();
        Ok(())
    }

    fn wait(&self, what: PollFlags, timeout: NextTimeout) -> Result<(), Error> {
        let time = timeout.not_zero();
        let time = time.and_then(|time| Timespec::try_from(*time).ok());
        loop {
            match poll(&mut [PollFd::new(&self.socket, what)], time.as_ref()) {
                Ok(0) => return Err(Error::Timeout(timeout.reason)),
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }
}
