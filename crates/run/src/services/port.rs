//! [`ReservedPort`]: a free port for a service.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use casebook_suite::model::Service;

/// How many ports are tried.
const ATTEMPTS: usize = 100;

/// A port that no other service has, in this process or another one of this machine.
pub(crate) struct ReservedPort {
    /// The name of its value in texts.
    pub(crate) name: String,
    /// The environment variable with the port.
    pub(crate) variable: String,
    /// The number, as it is written in texts.
    pub(crate) number: String,
    /// Reserves the number until the service has stopped. The port itself must be free for the service.
    _lock: UnixListener,
}

impl ReservedPort {
    /// Finds a free port.
    pub(crate) fn new(service: &Service) -> io::Result<ReservedPort> {
        let mut failure = None;
        for _ in 0..ATTEMPTS {
            let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0))?;
            let number = listener.local_addr()?.port();
            match lock(number) {
                Ok(lock) => {
                    return Ok(ReservedPort {
                        name: service.port_name(),
                        variable: service.port_variable(),
                        number: number.to_string(),
                        _lock: lock,
                    });
                }
                Err(error) => failure = Some(error),
            }
        }
        Err(failure.unwrap_or_else(|| io::Error::other("no port is free")))
    }
}

/// An abstract socket belongs to the machine and disappears with its process.
fn lock(port: u16) -> io::Result<UnixListener> {
    let address = SocketAddr::from_abstract_name(format!("casebook-port-{port}"))?;
    UnixListener::bind_addr(&address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserved_port_is_not_given_twice() {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        let number = listener.local_addr().unwrap().port();
        let first = lock(number).unwrap();
        assert!(lock(number).is_err());
        drop(first);
        assert!(lock(number).is_ok());
    }
}
