//! Signals that can end a command.

/// A signal that ends a process that does not handle it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal {
    /// Its name without `SIG`.
    pub name: &'static str,
    /// Its number on this system.
    pub number: i32,
}

const fn signal(name: &'static str, number: i32) -> Signal {
    Signal { name, number }
}

/// The signals that end a process on all systems.
const ALL: [Signal; 20] = [
    signal("HUP", libc::SIGHUP),
    signal("INT", libc::SIGINT),
    signal("QUIT", libc::SIGQUIT),
    signal("ILL", libc::SIGILL),
    signal("TRAP", libc::SIGTRAP),
    signal("ABRT", libc::SIGABRT),
    signal("BUS", libc::SIGBUS),
    signal("FPE", libc::SIGFPE),
    signal("KILL", libc::SIGKILL),
    signal("USR1", libc::SIGUSR1),
    signal("SEGV", libc::SIGSEGV),
    signal("USR2", libc::SIGUSR2),
    signal("PIPE", libc::SIGPIPE),
    signal("ALRM", libc::SIGALRM),
    signal("TERM", libc::SIGTERM),
    signal("XCPU", libc::SIGXCPU),
    signal("XFSZ", libc::SIGXFSZ),
    signal("VTALRM", libc::SIGVTALRM),
    signal("PROF", libc::SIGPROF),
    signal("SYS", libc::SIGSYS),
];

impl Signal {
    /// The signal with this name, such as `TERM` or `SIGTERM`.
    pub fn from_name(name: &str) -> Option<Signal> {
        let name = name.strip_prefix("SIG").unwrap_or(name);
        ALL.into_iter().find(|one| one.name == name)
    }

    /// The names of all signals that can end a command.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.into_iter().map(|one| one.name)
    }

    /// The exit code with which a shell reports it.
    pub fn exit_code(self) -> i32 {
        128 + self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_found_with_and_without_their_prefix() {
        let term = Signal::from_name("TERM");
        assert_eq!(term.map(Signal::exit_code), Some(143));
        assert_eq!(term, Signal::from_name("SIGTERM"));
        for unknown in ["term", "TER", "CONT", "15", ""] {
            assert_eq!(Signal::from_name(unknown), None, "{unknown}");
        }
    }
}
