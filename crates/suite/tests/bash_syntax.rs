//! Compares the classification of bash code with `bash -n`.

use std::process::Command;

use casebook_suite::{ShellSyntax, shell_syntax};

/// Parts of commands, valid and invalid ones.
const PARTS: [&str; 44] = [
    "echo",
    "a",
    "$x",
    "${x}",
    "${x:-y}",
    "'q'",
    "\"d $x\"",
    "\"$(echo a)\"",
    "$(ls | cat)",
    "`ls`",
    "$((1 + 2))",
    "|",
    "||",
    "&&",
    "&",
    ";",
    ";;",
    "\n",
    ">",
    ">>",
    "2>&1",
    "<",
    "<<<",
    "(",
    ")",
    "{",
    "}",
    "if",
    "then",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "!",
    "[[",
    "]]",
    "#",
    "\\",
    "X=1",
    "f()",
    "<<E\nb\nE\n",
    "&>",
    "'",
];

fn is_valid(code: &str) -> bool {
    let output = Command::new("bash").args(["-n", "-c", code]).output();
    output.expect("bash is installed").status.success()
}

/// A small generator of pseudorandom numbers, so that a failure can be repeated.
fn next(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).expect("31 bits fit")
}

#[test]
fn agrees_with_bash() {
    let mut state = 7;
    let (mut simple, mut closed) = (0, 0);
    for _ in 0..2000 {
        let length = 1 + next(&mut state) % 7;
        let parts: Vec<_> = (0..length)
            .map(|_| PARTS[next(&mut state) % PARTS.len()])
            .collect();
        let code = parts.join(if next(&mut state).is_multiple_of(4) {
            ""
        } else {
            " "
        });
        match shell_syntax(&code) {
            ShellSyntax::Simple => {
                simple += 1;
                assert!(is_valid(&code), "not simple: {code:?}");
            }
            ShellSyntax::Closed => {
                closed += 1;
                let together = is_valid(&format!("(\n:\n{code}\n)\n(\n:\nls\n)\n"));
                assert_eq!(together, is_valid(&code), "not closed: {code:?}");
            }
            ShellSyntax::Open => {}
        }
    }
    assert!(simple > 150 && closed > 400, "{simple} {closed}");
}
