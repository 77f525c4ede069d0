//! Checks that commands behave the same with and without bash, with generated commands and environments.

use std::fs;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rustix::process::{WaitOptions, waitpid};

use super::super::bash::Bash;
use super::super::environment::Environment;
use super::super::program::Program;
use super::direct;

/// A directory with programs of many kinds, and a link to it.
struct ProgramDir {
    _dir: tempfile::TempDir,
    root: PathBuf,
    bash: Bash,
}

impl ProgramDir {
    fn new() -> ProgramDir {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let programs = ProgramDir {
            _dir: dir,
            root,
            bash: Bash::find(Some("/usr/bin:/bin".as_ref()), None).unwrap(),
        };
        let script = |interpreter: &str| {
            format!("#!{interpreter}\nprintf '<%s>' \"$0\" \"$@\"\necho\nenv\nexit 3\n")
        };
        for (name, text, mode) in [
            ("here/tool", script("/bin/bash"), 0o755),
            ("here/by-env", script("/usr/bin/env bash"), 0o755),
            (
                "here/plain",
                "echo no shebang \"$@\"; exit 4\n".into(),
                0o755,
            ),
            ("here/broken", script("/no/such/interpreter"), 0o755),
            ("here/locked", script("/bin/bash"), 0o644),
            ("here/empty", String::new(), 0o755),
            ("here/text", "some text\n".into(), 0o644),
            ("bin/tool", script("/bin/bash"), 0o755),
            ("bin/found", script("/bin/sh"), 0o755),
            ("bin/locked", script("/bin/bash"), 0o644),
            ("rc/.bashrc", "echo read .bashrc\n".into(), 0o644),
        ] {
            let path = programs.root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir(programs.root.join("here/directory")).unwrap();
        symlink(programs.root.join("here"), programs.root.join("link")).unwrap();
        programs
    }

    fn environment(&self, variables: &[(&str, &str)]) -> Environment {
        let root = self.root.to_str().unwrap();
        let value = |value: &str| value.replace("ROOT", root);
        let first = [("PATH", "/usr/bin:/bin"), ("HOME", "ROOT/rc")];
        let all = first.iter().chain(variables);
        let pairs = all.map(|(name, text)| ((*name).into(), value(text).into()));
        Environment::new(pairs.collect())
    }
}

/// Exit code, lines of standard output and standard error. The lines are sorted, because the environment has no order.
#[derive(Debug, PartialEq)]
struct ProgramResult(Option<i32>, Vec<String>, String);

fn run(program: &Program, environment: &Environment, dir: &Path) -> Option<ProgramResult> {
    let null = fs::File::open("/dev/null").unwrap();
    let (mut out, stdout) = io::pipe().unwrap();
    let (mut err, stderr) = io::pipe().unwrap();
    let streams = [null.as_fd(), stdout.as_fd(), stderr.as_fd()];
    let pid = program.start(environment, streams, dir).ok()?;
    drop((stdout, stderr));
    // Neither stream exceeds the capacity of a pipe.
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    out.read_to_end(&mut stdout).unwrap();
    err.read_to_end(&mut stderr).unwrap();
    let (_, status) = waitpid(Some(pid), WaitOptions::empty()).unwrap().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let stdout = text(&stdout);
    let mut lines: Vec<_> = stdout.split(['\n', '\0']).map(str::to_owned).collect();
    lines.sort();
    Some(ProgramResult(status.exit_status(), lines, text(&stderr)))
}

const PROGRAMS: &[&str] = &[
    "env",
    "printenv",
    "cat",
    "ls",
    "sort",
    "tool",
    "found",
    "locked",
    "./tool",
    "./by-env",
    "./plain",
    "./broken",
    "./locked",
    "./empty",
    "./directory",
    "directory/../tool",
    "ROOT/bin/tool",
    "ROOT/here/plain",
    "missing",
    "./missing",
    "text/tool",
    "../bin/found",
    "'./tool'",
    "\"env\"",
    "''",
    "/usr/bin/env",
    "e'n'v",
];

const ARGUMENTS: &[&str] = &[
    "-0",
    "text",
    "'a b'",
    "\"c d\"",
    "''",
    "\"\"",
    "x=1",
    "-",
    "--",
    "./text",
    "'$HOME'",
    "\"it's\"",
    "'\"'",
    "a:b,c+d@e%f",
    "'*'",
    "missing",
    "PWD",
    "_",
    "/proc/self/cmdline",
    "'line\nline'",
    "'é'",
    "-n",
];

const VARIABLES: &[(&str, &str)] = &[
    ("PWD", "ROOT/here"),
    ("PWD", "ROOT/link"),
    ("PWD", "ROOT/here/"),
    ("PWD", "ROOT//here"),
    ("PWD", "ROOT/here/."),
    ("PWD", "ROOT/bin/../here"),
    ("PWD", "here"),
    ("PWD", ""),
    ("PWD", "/no/such/directory"),
    ("PWD", "ROOT/bin"),
    ("OLDPWD", "ROOT/bin"),
    ("OLDPWD", "/no/such/directory"),
    ("OLDPWD", ""),
    ("OLDPWD", "directory"),
    ("OLDPWD", "text"),
    ("SHLVL", "0"),
    ("SHLVL", "1"),
    ("SHLVL", "07"),
    ("SHLVL", "899"),
    ("SHLVL", "999"),
    ("SHLVL", "1000"),
    ("SHLVL", "-3"),
    ("SHLVL", "abc"),
    ("SHLVL", ""),
    ("SHLVL", "+5"),
    ("SHLVL", " 5"),
    ("PATH", "ROOT/bin:/usr/bin:/bin"),
    ("PATH", "/no/such:/usr/bin"),
    ("PATH", ""),
    ("PATH", ":/usr/bin"),
    ("PATH", "bin:/usr/bin"),
    ("PATH", "."),
    ("PATH", "ROOT/here:ROOT/bin:/usr/bin"),
    ("PATH", "/usr/bin/:/bin"),
    ("PATH", "ROOT/here/text:/usr/bin"),
    ("PATH", "ROOT/bin//:/usr/bin"),
    ("BASH_ENV", "ROOT/here/text"),
    ("BASH_FUNC_env%%", "() { echo function; }"),
    ("BASH_FUNC_other%%", "() { :; }"),
    ("BASH_FUNC_ls%%", "not a function"),
    ("BASH", "x"),
    ("BASH_COMPAT", "5"),
    ("BASH_VERSION", "1"),
    ("SHELLOPTS", "xtrace"),
    ("SHELLOPTS", "nounset"),
    ("BASHOPTS", "extglob"),
    ("POSIXLY_CORRECT", "1"),
    ("EXECIGNORE", "*"),
    ("ENV", "ROOT/here/text"),
    ("IFS", "/"),
    ("PS1", "$"),
    ("PS4", "x"),
    ("RANDOM", "1"),
    ("SECONDS", "5"),
    ("LINENO", "7"),
    ("OPTIND", "3"),
    ("OPTERR", "0"),
    ("PPID", "1"),
    ("UID", "1"),
    ("LC_ALL", "xx_YY.UTF-8"),
    ("LC_ALL", "C"),
    ("LC_ALL", ""),
    ("LC_ALL", "POSIX"),
    ("LANG", "xx_YY.UTF-8"),
    ("LC_CTYPE", "xx"),
    ("_", "x"),
    ("_", ""),
    ("a.b", "1"),
    ("A-B", ""),
    ("1X", "y"),
    ("EMPTY", ""),
    ("LINES", "1"),
    ("COLUMNS", "x"),
    ("TERM", "dumb"),
    ("TMOUT", "1"),
    ("GLOBIGNORE", "*"),
    ("CDPATH", "/"),
    ("SSH_CLIENT", "1.2.3.4 5 6"),
    ("SSH2_CLIENT", ""),
    ("HISTSIZE", "x"),
    ("FUNCNEST", "1"),
    ("TZ", "x"),
    ("HOSTNAME", "x"),
    ("COMP_WORDBREAKS", "x"),
    ("MAILCHECK", "-1"),
    ("IGNOREEOF", "3"),
    ("BASH_XTRACEFD", "9"),
    ("PROMPT_COMMAND", "echo x"),
    ("FOO", "() { :; }"),
    ("TEXT", "two\nlines"),
    ("CHILD_MAX", "x"),
    ("INSIDE_EMACS", "t"),
    ("GROUPS", "5"),
    ("DIRSTACK", "/"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_command_without_a_shell_behaves_as_in_bash(
        program in select(PROGRAMS),
        arguments in vec(select(ARGUMENTS), 0..4),
        variables in vec(select(VARIABLES), 0..4),
        dir in select(&["here", "link", "."][..]),
        spaces in select(&[" ", "  ", "\t", " \t "][..]),
    ) {
        PROGRAM_DIR.with(|programs| {
            let mut words = vec![program];
            words.extend(arguments);
            let script = words.join(spaces).replace("ROOT", programs.root.to_str().unwrap());
            let environment = programs.environment(&variables);
            let dir = programs.root.join(dir);
            let Some((program, changed)) = direct(&programs.bash, &script, &environment, &dir) else {
                return Ok(());
            };
            // Programs that cannot be executed are left to bash.
            let Some(without) = run(&program, &changed, &dir) else {
                return Ok(());
            };
            let with = run(&programs.bash.script(&script), &environment, &dir).unwrap();
            prop_assert_eq!(without, with, "{} with {:?} in {}", script, variables, dir.display());
            Ok(())
        })?;
    }
}

thread_local! {
    static PROGRAM_DIR: ProgramDir = ProgramDir::new();
}

#[test]
fn most_commands_need_no_shell() {
    let programs = ProgramDir::new();
    let dir = programs.root.join("here");
    for variables in [
        &[][..],
        &[
            ("SHLVL", "2"),
            ("PWD", "ROOT/link"),
            ("OLDPWD", "/"),
            ("LANG", "de_DE.UTF-8"),
        ],
        &[
            ("SSH_CLIENT", "1.2.3.4 5 6"),
            ("SHLVL", "1"),
            ("TERM", "xterm"),
        ],
    ] {
        let environment = programs.environment(variables);
        for script in ["env", "ls -l 'a b'", "./tool x", "cat /dev/null\n"] {
            let command = direct(&programs.bash, script, &environment, &dir);
            assert!(command.is_some(), "{script} with {variables:?}");
        }
    }
}
