//! Decides whether text is colored: the only place that does.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::ValueEnum;

/// When text is colored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ColorChoice {
    /// Always, also in files that receive standard output
    Always,
    /// On a terminal, unless the environment says otherwise
    #[default]
    Auto,
    /// Never
    Never,
}

impl ColorChoice {
    /// The choice in arguments that were not parsed, for help and usage errors.
    pub(crate) fn in_arguments(arguments: &[OsString]) -> ColorChoice {
        let mut words = arguments.iter().map(|word| word.to_string_lossy());
        let mut choice = ColorChoice::Auto;
        while let Some(word) = words.next().filter(|word| word != "--") {
            let named = match word.strip_prefix("--color") {
                Some("") => words.next(),
                Some(value) => value.strip_prefix('=').map(|value| value.to_owned().into()),
                None if word == "--no-color" => Some("never".into()),
                None => None,
            };
            let named = named.and_then(|name| ColorChoice::from_str(&name, false).ok());
            choice = named.unwrap_or(choice);
        }
        choice
    }

    /// Whether text on a stream is colored.
    pub(crate) fn applies(
        self,
        environment: &BTreeMap<String, String>,
        is_terminal: bool,
        in_ci: bool,
    ) -> bool {
        let value = |name| environment.get(name).map_or("", String::as_str);
        let is_forced = !matches!(value("CLICOLOR_FORCE"), "" | "0");
        match self {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if !value("NO_COLOR").is_empty() => false,
            ColorChoice::Auto if is_forced => true,
            ColorChoice::Auto => is_terminal && value("TERM") != "dumb" && !in_ci,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_decide_before_the_environment() {
        use ColorChoice::{Always, Auto, Never};
        for (choice, variables, on_terminal, in_pipe) in [
            (Auto, &[][..], true, false),
            (Auto, &["NO_COLOR"][..], false, false),
            (Auto, &["CLICOLOR_FORCE"][..], true, true),
            (Auto, &["CLICOLOR_FORCE", "NO_COLOR"][..], false, false),
            (Always, &["NO_COLOR"][..], true, true),
            (Never, &["CLICOLOR_FORCE"][..], false, false),
        ] {
            let environment = variables.iter().map(|name| ((*name).into(), "1".into()));
            let environment = environment.collect();
            let applies = |is_terminal| choice.applies(&environment, is_terminal, false);
            let both = (applies(true), applies(false));
            assert_eq!(both, (on_terminal, in_pipe), "{choice:?} {variables:?}");
        }
        let empty = BTreeMap::from([("CLICOLOR_FORCE".to_owned(), "0".to_owned())]);
        assert!(!Auto.applies(&empty, false, false));
        assert!(!Auto.applies(&BTreeMap::new(), true, true), "in CI");
    }

    #[test]
    fn the_choice_is_found_before_arguments_are_parsed() {
        for (arguments, choice) in [
            ("casebook run", ColorChoice::Auto),
            ("casebook run --color always", ColorChoice::Always),
            ("casebook --color=never --help", ColorChoice::Never),
            ("casebook --no-color", ColorChoice::Never),
            ("casebook --color always --no-color", ColorChoice::Never),
            ("casebook --color sometimes", ColorChoice::Auto),
            ("casebook --color", ColorChoice::Auto),
            ("casebook record -- ls --color always", ColorChoice::Auto),
            ("casebook --colored=always", ColorChoice::Auto),
        ] {
            let words: Vec<_> = arguments.split(' ').map(OsString::from).collect();
            assert_eq!(ColorChoice::in_arguments(&words), choice, "{arguments}");
        }
    }
}
