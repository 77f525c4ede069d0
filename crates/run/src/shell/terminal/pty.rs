//! [`PseudoTerminal`]: the side of a pseudo-terminal that shows output and sends input.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use casebook_suite::model::TerminalSize;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// A pseudo-terminal that no program uses yet.
pub(crate) struct PseudoTerminal {
    /// Our side: what a program writes is read from it, and what is written to it is the program's input.
    pub(crate) master: OwnedFd,
    /// The path by which the program opens its side.
    pub(crate) path: PathBuf,
}

impl PseudoTerminal {
    /// Opens a pseudo-terminal of that size.
    pub(crate) fn open(size: TerminalSize) -> io::Result<PseudoTerminal> {
        let opened = open(size);
        opened.map_err(|error| {
            let reason = format!("cannot open a pseudo-terminal: {error}");
            io::Error::new(error.kind(), reason)
        })
    }
}

fn open(size: TerminalSize) -> io::Result<PseudoTerminal> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    fcntl_setfl(&master, OFlags::NONBLOCK)?;
    set_size(&master, size)?;
    let path = ptsname(&master, Vec::new())?;
    Ok(PseudoTerminal {
        path: OsStr::from_bytes(path.as_bytes()).into(),
        master,
    })
}

/// Sets the size. If a program uses the terminal, its foreground processes get SIGWINCH.
pub(crate) fn set_size(master: &OwnedFd, size: TerminalSize) -> io::Result<()> {
    let size = Winsize {
        ws_row: size.rows,
        ws_col: size.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    Ok(tcsetwinsize(master, size)?)
}
