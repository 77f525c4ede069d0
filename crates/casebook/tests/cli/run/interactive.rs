//! `--ui`: the interactive screen in a real terminal, interleaved lines, and quiet mode.

use std::fs::File;
use std::sync::mpsc::channel;
use std::thread;

use tempfile::TempDir;

use super::Suite;
use crate::support::{GIVE_UP, eventually};

/// Both tests wait for a file, so that the screen does not change while it is checked.
const SUITE: &str = "
name: shop
teardown: echo teardown >> log
tests:
  - {name: sells beer, command: 'seq -f line-%g 20; until [[ -e go ]]; do sleep 0.02; done'}
  - {name: sells bread, command: 'until [[ -e go ]]; do sleep 0.02; done; echo baked; exit 3'}
  - {name: is closed, command: 'true', skip: on sundays}
";

/// A tmux session with a run in it.
struct Terminal<'s> {
    suite: &'s Suite,
    /// The directory of its socket, whose path must be short.
    socket_dir: TempDir,
}

impl<'s> Terminal<'s> {
    /// Starts `casebook run` with these arguments on a screen of 80 columns and 20 rows.
    fn run(suite: &'s Suite, arguments: &str) -> Terminal<'s> {
        let socket_dir = tempfile::tempdir_in("/tmp").unwrap();
        let terminal = Terminal { suite, socket_dir };
        let command = format!(
            "\"$CASEBOOK\" run {arguments} & echo $! > pid; fg >/dev/null; echo ended with $?; stty -a | grep -ow -e -*icanon -e -*echo; exec sleep 600"
        );
        suite
            .project
            .write("start.sh", format!("set -m\n{command}\n"));
        terminal.tmux("new-session -d -x 80 -y 20 'bash start.sh'");
        terminal
    }

    fn tmux(&self, arguments: &str) -> String {
        let call = self
            .suite
            .project
            .bash(&format!("tmux -u -L casebook -f /dev/null {arguments}"));
        let call = call
            .env("TMUX_TMPDIR", self.socket_dir.path())
            .env("TMPDIR", self.suite.project.at("tmp"))
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "xterm-256color");
        call.run().stdout
    }

    fn screen(&self) -> String {
        self.tmux("capture-pane -p")
    }

    #[track_caller]
    fn shows(&self, text: &str) -> String {
        let screen = std::cell::RefCell::new(String::new());
        let is_shown = || {
            *screen.borrow_mut() = self.screen();
            screen.borrow().contains(text)
        };
        for _ in 0..1500 {
            if is_shown() {
                return screen.into_inner();
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("`{text}` is not on the screen:\n{}", screen.into_inner());
    }

    fn keys(&self, keys: &str) {
        self.tmux(&format!("send-keys {keys}"));
    }

    /// Checks that the normal screen, the cursor and the terminal settings are restored.
    #[track_caller]
    fn is_restored(&self) -> String {
        let screen = self.shows("echo\n");
        assert!(screen.contains("\nicanon\necho\n"), "{screen}");
        let flags = self.tmux("display-message -p '#{alternate_on} #{cursor_flag}'");
        assert_eq!(flags.trim(), "0 1");
        screen
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.tmux("kill-server");
    }
}

#[test]
fn shows_a_run_on_the_screen() {
    let suite = Suite::new(SUITE);
    let terminal = Terminal::run(&suite, "-j2 --ui interactive --record none");
    let screen = terminal.shows("2 tests running");
    let lines: Vec<_> = screen.lines().collect();
    assert!(lines[0].contains("/3"), "{screen}");
    assert_eq!(lines[1].trim_end(), " all   1 ▸   2 ▸");
    assert!(lines[2].ends_with("follows"), "{screen}");
    assert!(
        lines[19].starts_with("1-9 a h l: worker") && lines[19].ends_with("q: stop"),
        "{screen}"
    );

    // Either worker may have the first test.
    let (baker, other) = match terminal.shows("sells bread · ") {
        screen if screen.contains("[1] ▸ shop › sells bread · ") => ("1", "Right"),
        _ => ("2", "Left"),
    };
    terminal.keys(baker);
    terminal.shows("▸ shop › sells bread  ");
    suite.project.write("go", "");
    let over = terminal.shows("run finished");
    assert!(
        over.contains("3/3") && over.contains("exit code 3"),
        "{over}"
    );

    // Shows the other worker, scrolls to its first line and back to the last.
    terminal.keys(other);
    terminal.shows("│ line-20");
    terminal.keys("g");
    let beginning = terminal.shows("│ line-1\n");
    assert!(
        beginning.lines().nth(2).unwrap().contains("1-16 of "),
        "{beginning}"
    );
    terminal.keys("j");
    terminal.shows("2-17 of ");
    terminal.keys("PageDown");
    terminal.shows("✓ shop › sells beer");
    terminal.keys("G");
    terminal.shows("follows");

    terminal.keys("q");
    let left = terminal.is_restored();
    for part in [
        "│ baked",
        "3 tests: 1 passed, 1 failed, 1 skipped in",
        "ended with 1\n",
    ] {
        assert!(left.contains(part), "{part}: {left}");
    }
}

#[test]
fn q_stops_a_run_like_ctrl_c() {
    for keys in ["q", "C-c"] {
        let suite = Suite::new(SUITE);
        let terminal = Terminal::run(&suite, "-j1 --ui interactive --record none");
        terminal.shows("▸ shop › sells beer  ");
        terminal.keys(keys);
        let left = terminal.is_restored();
        assert!(left.contains("ended with 130\n"), "{left}");
        assert!(left.contains("interrupted: "), "{left}");
        assert_eq!(suite.project.read("log"), "teardown\n", "{keys}");
        suite.assert_nothing_left();
    }
}

#[test]
fn a_second_q_kills_tests_that_ignore_sigterm() {
    let suite = Suite::new(
        "tests:\n  - {name: deaf, command: 'trap \"\" TERM; touch begun; sleep 60; sleep 60'}\n",
    );
    let terminal = Terminal::run(&suite, "--ui interactive --record none");
    eventually("the test has begun", || suite.project.exists("begun"));
    terminal.keys("q");
    terminal.shows("press q again to kill them");
    terminal.keys("q");
    let left = terminal.is_restored();
    assert!(left.contains("ended with 130\n"), "{left}");
    suite.assert_nothing_left();
}

#[test]
fn a_third_q_exits_and_restores_the_screen() {
    let suite = Suite::new("tests: [{name: a, command: 'true', snapshot: never}]");
    // Simulates a disk that does not respond: reading the file blocks indefinitely.
    let pipe = "mkdir -p __snapshots__/a; mkfifo __snapshots__/a/never.snap";
    suite.project.bash(pipe).run().exits(0);
    let (sender, opened) = channel();
    let file = suite.project.at("__snapshots__/a/never.snap");
    // Opening for writing blocks until a reader opens the pipe.
    thread::spawn(move || sender.send(File::options().write(true).open(file)));
    let terminal = Terminal::run(&suite, "--ui interactive --record none");
    let _unwritten = opened
        .recv_timeout(GIVE_UP)
        .expect("the snapshot must be opened")
        .unwrap();
    terminal.keys("q");
    terminal.shows("press q again to kill them");
    terminal.keys("q");
    terminal.shows("killing running tests");
    terminal.keys("q");
    let left = terminal.is_restored();
    assert!(left.contains("ended with 130\n"), "{left}");
}

#[test]
fn a_signal_restores_the_screen() {
    let suite = Suite::new(SUITE);
    let terminal = Terminal::run(&suite, "-j2 --ui interactive --record none");
    terminal.shows("2 tests running");
    suite.project.bash("kill -TERM $(cat pid)").run().exits(0);
    let left = terminal.is_restored();
    assert!(left.contains("ended with 143\n"), "{left}");
    suite.assert_nothing_left();
}

#[test]
fn closing_the_terminal_stops_the_run() {
    let suite = Suite::new(SUITE);
    let terminal = Terminal::run(&suite, "-j2 --ui interactive --record none");
    terminal.shows("2 tests running");
    let pid = suite.project.read("pid");
    drop(terminal);
    let process = format!("/proc/{}", pid.trim());
    eventually("the run has ended", || {
        !std::path::Path::new(&process).exists()
    });
    eventually("its tests have ended", || suite.processes().is_empty());
}

#[test]
fn failed_tests_are_run_again_in_the_view() {
    let suite = Suite::new(
        "
name: shop
tests:
  - {name: sells beer, command: 'true'}
  - {name: sells bread, command: 'test -e bread'}
",
    );
    let terminal = Terminal::run(&suite, "-j2 --ui interactive --record none");
    terminal.shows("r: rerun failed");
    suite.project.write("bread", "");
    terminal.keys("r");
    let screen = terminal.shows("1/1  1 passed");
    assert!(!screen.contains("sells beer"), "{screen}");
    terminal.keys("q");
    assert!(terminal.is_restored().contains("ended with 0"));
}

#[test]
fn the_screen_can_be_resized() {
    let suite = Suite::new(SUITE);
    let terminal = Terminal::run(&suite, "-j2 --ui interactive --record none");
    terminal.shows("2 tests running");
    terminal.tmux("resize-window -x 44 -y 12");
    eventually("the last row shows the keys", || {
        let screen = terminal.screen();
        let lines: Vec<_> = screen.lines().collect();
        lines.len() == 12 && lines[11].starts_with("n: failure   /: filter   ?: keys   q: stop")
    });
    terminal.tmux("resize-window -x 100 -y 30");
    eventually("the last row shows the keys after growing", || {
        let screen = terminal.screen();
        screen
            .lines()
            .nth(29)
            .is_some_and(|line| line.contains("q: stop"))
    });
}

#[test]
fn output_of_tests_cannot_break_the_screen() {
    let hostile = r"printf '\033[2J\033[1;1H\033]0;title\007gone\r\n\033[?1049l漢字\t\x9b31m\n'";
    let suite = Suite::new(&format!(
        "tests:\n  - name: writes\n    command: |\n      {hostile}\n      echo aside >&3\n      exit 1\n"
    ));
    let terminal = Terminal::run(&suite, "--ui interactive --record none");
    let screen = terminal.shows("run finished");
    let lines: Vec<_> = screen.lines().collect();
    assert!(
        lines[0].contains("1/1") && lines[19].contains("q: quit"),
        "{screen}"
    );
    assert!(screen.contains("␛[2J␛[1;1H␛]0;title␇gone"), "{screen}");
    assert!(!screen.contains("aside\n"), "{screen}");
    terminal.keys("q");
    let left = terminal.is_restored();
    assert!(left.contains("aside\nended with 1\n"), "{left}");
}

#[test]
fn workers_have_tabs() {
    let suite = Suite::new(SUITE);
    let terminal = Terminal::run(&suite, "--workers 2 --ui interactive --record none");
    terminal.shows(" all   1 ▸   2 ▸");
    suite.project.write("go", "");
    terminal.shows("run finished");
    terminal.keys("q");
    let left = terminal.is_restored();
    assert!(
        left.contains("3 tests: 1 passed, 1 failed, 1 skipped in"),
        "{left}"
    );
}

#[test]
fn a_conversation_is_shown_while_it_runs() {
    let suite = Suite::new("tests: []");
    suite.project.bash("rm a.casebook.yaml").run().exits(0);
    suite.project.casebook("init --agent").run().exits(0);
    let terminal = Terminal::run(&suite, "-j1 --ui interactive --record none --filter asks");
    let over = terminal.shows("run finished");
    for line in [
        "  User   Hi, I need a room\n",
        "  Agent  Welcome! For how many people do you need a room?\n",
        "         ✓ satisfies friendly\n",
        "  tool   → book_room {\"room\":\"Blue Room\",\"capacity\":8}\n",
    ] {
        assert!(over.contains(line), "{line}: {over}");
    }
    terminal.keys("q");
    assert!(terminal.is_restored().contains("ended with 0\n"));
}

#[test]
fn interactive_requires_a_terminal() {
    let suite = Suite::new("tests: [{name: a, command: 'true'}]");
    let outcome = suite.call("--ui interactive").run().exits(2);
    assert_eq!(
        outcome.stderr,
        "error: --ui interactive requires a terminal; remove it or use --ui interleaved\n"
    );
    for (arguments, error) in [
        (
            "--ui quiet --format tap",
            "error: --ui and --format both write to standard output; give the format a file, as in --format tap=results.tap\n",
        ),
        ("--ui fancy", "error: invalid value 'fancy' for '--ui <UI>'"),
    ] {
        let outcome = suite.call(arguments).run().exits(2);
        assert!(outcome.stderr.starts_with(error), "{}", outcome.stderr);
    }
}

#[test]
fn interleaved_lines_have_the_number_of_the_worker() {
    let suite = Suite::new(SUITE);
    suite.project.write("go", "");
    let ran = suite
        .run("-j1 --ui interleaved --format junit=r.xml")
        .exits(1);
    let shown = ran.outcome.stdout.replace(char::is_numeric, "0");
    for line in [
        "[0] ▸ shop › sells beer · a.casebook.yaml:0\n",
        "[0] ✗ shop › sells bread",
        "[0]   exit code 0",
        "[0] ○ shop › is closed  on sundays\n",
        "   run it again: casebook run",
        "0 tests: 0 passed, 0 failed, 0 skipped in",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(suite.project.exists("r.xml"));
}

#[test]
fn quiet_shows_a_character_per_test_and_the_failures() {
    let suite = Suite::new(SUITE);
    suite.project.write("go", "");
    let ran = suite.run("-j1 --ui quiet").exits(1);
    let shown = ran.outcome.stdout;
    assert!(
        shown.starts_with(".F*\n\n✗ shop › sells bread\n"),
        "{shown}"
    );
    assert!(
        shown.contains("3 tests: 1 passed, 1 failed, 1 skipped in"),
        "{shown}"
    );
}
