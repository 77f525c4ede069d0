//! Measures the minimum cost of running commands: `shell FILE` runs each line as `bash -c LINE`, `direct FILE` executes
//! the words of each line.
//!
//! Runs one command at a time: with empty standard input, with standard output and standard error read from one pipe until
//! its end. Nothing is checked, reported or recorded.

use std::io::{Read as _, pipe};
use std::process::{Command, Stdio};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().expect("shell|direct FILE");
    let file = arguments.next().expect("shell|direct FILE");
    let lines = std::fs::read_to_string(file).expect("a readable file");
    for line in lines.lines() {
        let command = match kind.as_str() {
            "shell" => {
                let mut bash = Command::new("bash");
                bash.args(["-c", line]);
                bash
            }
            "direct" => {
                let mut words = line.split(' ');
                let mut program = Command::new(words.next().expect("a program"));
                program.args(words);
                program
            }
            other => panic!("unknown kind {other}"),
        };
        run(command);
    }
}

fn run(mut command: Command) {
    let (mut reading, writing) = pipe().expect("a pipe");
    let second = writing.try_clone().expect("a descriptor");
    command.stdin(Stdio::null()).stdout(writing).stderr(second);
    let mut child = command.spawn().expect("a program");
    // The command keeps the write ends of the pipe open until it is dropped.
    drop(command);
    let mut output = Vec::new();
    reading.read_to_end(&mut output).expect("a pipe");
    assert!(child.wait().expect("a child").success());
}
