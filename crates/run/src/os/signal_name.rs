//! Names of signals.

/// The names of the signals from 1, as Linux numbers them.
const NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/// The name of a signal, such as `SIGKILL`.
pub fn name(number: i32) -> String {
    let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
    NAMES
        .get(index)
        .map_or_else(|| format!("signal {number}"), |name| format!("SIG{name}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn signals_have_their_usual_names() {
        assert_eq!(super::name(1), "SIGHUP");
        assert_eq!(super::name(9), "SIGKILL");
        assert_eq!(super::name(31), "SIGSYS");
        assert_eq!(super::name(40), "signal 40");
        assert_eq!(super::name(0), "signal 0");
    }
}
