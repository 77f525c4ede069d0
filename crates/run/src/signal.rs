//! Signals by name.

use rustix::process::Signal;

/// The name of a signal, such as `SIGKILL`.
pub(crate) fn name(number: i32) -> String {
    let named = Signal::from_named_raw(number).map(|signal| format!("{signal:?}"));
    named.map_or_else(
        || format!("signal {number}"),
        |debug| {
            let short = debug
                .trim_start_matches("Signal::")
                .trim_start_matches("SIG");
            format!("SIG{}", short.to_ascii_uppercase())
        },
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn signals_have_their_usual_names() {
        assert_eq!(super::name(9), "SIGKILL");
        assert_eq!(super::name(11), "SIGSEGV");
        assert_eq!(super::name(15), "SIGTERM");
    }
}
