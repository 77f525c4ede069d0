//! What bash makes of compiled suites.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Bash can read the code, once the syntax of Bats is made plain bash, as Bats does it.
pub fn can_read(code: &str) {
    let lines = code.lines().map(|line| match line.strip_prefix("@test ") {
        Some(title) => format!("t() {{ begin {}\n", title.trim_end_matches('{')),
        None => line.replace('\r', "") + "\n",
    });
    let plain: String = lines.collect();
    let mut bash = Command::new("bash")
        .arg("-n")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash is installed");
    let mut stdin = bash.stdin.take().expect("its input is a pipe");
    stdin
        .write_all(plain.as_bytes())
        .expect("bash reads to the end");
    drop(stdin);
    let output = bash.wait_with_output().expect("bash ends");
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && complaints.is_empty(),
        "{complaints}\n{code}"
    );
}
