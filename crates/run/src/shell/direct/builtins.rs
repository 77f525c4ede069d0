//! Builtins and keywords of bash.

/// Builtins and keywords of any bash version, including loadable and disabled ones. A superfluous word only costs the
/// start of a shell; a missing one gives wrong results.
const OWN: &[&str] = &[
    "!",
    ".",
    ":",
    "[",
    "[[",
    "]]",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "enable",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "fi",
    "for",
    "function",
    "getopts",
    "hash",
    "help",
    "history",
    "if",
    "in",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "then",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
    "{",
    "}",
];

/// Whether bash handles the word itself.
pub(super) fn is_bash_builtin(word: &str) -> bool {
    // A job, such as `%1`.
    word.starts_with('%') || OWN.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_builtins_of_the_installed_bash_are_listed() {
        let listed = std::process::Command::new("bash")
            .args(["-c", "compgen -b; compgen -k"])
            .output()
            .unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        assert!(
            listed.lines().count() > 60,
            "bash lists its builtins and keywords"
        );
        for word in listed.lines() {
            assert!(is_bash_builtin(word), "{word}");
        }
    }
}
