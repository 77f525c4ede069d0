//! Escapes that the kernel has to stop.

use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::time::Duration;

use casebook_design::sandbox::Limits;

use super::{Cell, small};

/// Runs code in a sandbox with small limits and returns what it prints; skips the test without namespaces.
macro_rules! cell {
    () => {
        match Cell::new(small()) {
            Some(cell) => cell,
            None => return,
        }
    };
}

#[test]
fn escape_01_tcp_to_a_server_on_this_machine() {
    let cell = cell!();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let code = format!(
        "require 'socket'; begin; TCPSocket.new('127.0.0.1', {port}); puts 'connected'; rescue SystemCallError; puts 'no'; end"
    );
    assert_eq!(cell.printed(&code), "no");
    assert_eq!(server.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn escape_02_udp_to_this_machine() {
    let cell = cell!();
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    server
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    let port = server.local_addr().unwrap().port();
    let code = format!(
        "require 'socket'; begin; UDPSocket.new.send('x', 0, '127.0.0.1', {port}); puts 'sent'; rescue SystemCallError; puts 'no'; end"
    );
    assert_eq!(cell.printed(&code), "no");
    assert!(server.recv(&mut [0; 8]).is_err());
}

#[test]
fn escape_03_a_name_on_the_network() {
    let cell = cell!();
    let code = "require 'socket'; begin; puts Addrinfo.getaddrinfo('example.com', 80).size; rescue SocketError; puts 'no'; end";
    assert_eq!(cell.printed(code), "no");
    let interfaces = "puts File.readlines('/proc/net/dev').drop(2).map { |line| line[/\\w+/] }";
    assert_eq!(cell.printed(interfaces), "lo");
}

#[test]
fn escape_04_a_fork_bomb() {
    let cell = cell!();
    // Ruby retries a fork that the limit refuses, so a thread ends the bomb.
    let code = "count = 0; Thread.new { sleep 1; puts count.between?(1, 23); $stdout.flush; exit! }; \
        loop { fork { sleep }; count += 1 }";
    assert_eq!(cell.printed(code), "true");
}

#[test]
fn escape_05_all_memory() {
    let cell = cell!();
    let code = "begin; 'x' * (1 << 30); puts 'allocated'; rescue NoMemoryError; puts 'no'; end";
    assert_eq!(cell.printed(code), "no");
}

#[test]
fn escape_06_an_endless_loop() {
    let cell = cell!();
    let output = cell.ruby("trap('XCPU') { }; loop { }");
    assert!(!output.status.success());
    assert!(
        !output.is_timed_out,
        "the CPU limit comes before the time limit"
    );
}

#[test]
fn escape_07_a_huge_file_and_a_full_disk() {
    let cell = cell!();
    let huge = "trap('XFSZ', 'IGNORE'); begin; File.write('huge', 'x' * (2 << 20)); puts 'written'; rescue Errno::EFBIG; puts 'no'; end";
    assert_eq!(cell.printed(huge), "no");
    let many = "begin; 20.times { |n| File.write(n.to_s, 'x' * 900_000) }; puts 'written'; rescue Errno::ENOSPC; puts 'no'; end";
    assert_eq!(cell.printed(many), "no");
}

#[test]
fn escape_08_a_file_in_the_project() {
    let cell = cell!();
    let code = "begin; File.write(\"#{project}/new\", ''); puts 'written'; rescue SystemCallError; puts 'no'; end; \
        begin; File.open(\"#{project}/file.rb\", 'a') { |file| file << 1 }; puts 'written'; rescue SystemCallError; puts 'no'; end";
    assert_eq!(cell.printed(code), "no\nno");
    cell.assert_project_is_intact();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the escape needs the real home")]
fn escape_09_a_file_in_the_home_directory() {
    let cell = cell!();
    let home = std::env::var("HOME").unwrap_or_else(|_| "/root".to_owned());
    let file = format!("{home}/.casebook-escape");
    let code = format!(
        "begin; File.write('{file}', ''); puts 'written'; rescue SystemCallError; puts 'no'; end; puts Dir.home == Dir.pwd"
    );
    assert_eq!(cell.printed(&code), "no\ntrue");
    assert!(!Path::new(&file).exists());
}

#[test]
fn escape_10_deleting_the_project() {
    let cell = cell!();
    cell.ruby("require 'fileutils'; FileUtils.rm_rf(project); system(\"rm -rf #{project}\"); system(\"mv #{project}/file.rb /tmp\")");
    cell.assert_project_is_intact();
}

#[test]
fn escape_11_secrets_in_the_environment() {
    let cell = cell!();
    let code = "puts ENV.key?('SECRET_TOKEN'); \
        puts Dir['/proc/[0-9]*/environ'].any? { |file| File.read(file).include?('SECRET_TOKEN') rescue false }";
    assert_eq!(cell.printed(code), "false\nfalse");
}

#[test]
fn escape_12_killing_processes_outside() {
    let cell = cell!();
    let own = std::process::id();
    let code = format!(
        "[{own}, Process.ppid, 1, -1].each {{ |pid| begin; Process.kill(:KILL, pid); rescue SystemCallError; end }}; puts 'alive'"
    );
    // The process that kills its own namespace may end with it. This test's own process must go on.
    let _ = cell.printed(&code);
    let visible = format!("puts File.exist?('/proc/{own}/exe')");
    assert_eq!(cell.printed(&visible), "false");
}

#[test]
fn escape_13_commands_do_not_get_further_than_ruby() {
    let cell = cell!();
    let file = "#{project}/made";
    let code = format!(
        "system(\"touch {file}\"); `touch {file}`; Process.wait(spawn(\"touch {file}\")); IO.popen(\"touch {file}\").read; \
         open(\"|touch {file}\").read; exec(\"touch {file}\")"
    );
    cell.ruby(&code);
    cell.assert_project_is_intact();
    assert_eq!(cell.printed("puts `id -u`.strip == '0' && File.read('/proc/self/status')[/CapEff:\\t(\\h+)/, 1].to_i(16) != 0"), "false");
}

#[test]
fn escape_14_system_calls_without_the_methods_of_ruby() {
    let cell = cell!();
    let code = "require 'fiddle'; libc = Fiddle.dlopen(nil); \
        call = ->(name, types, *args) { Fiddle::Function.new(libc[name], types, Fiddle::TYPE_INT).call(*args) }; \
        puts call.('unlink', [Fiddle::TYPE_VOIDP], \"#{project}/file.rb\"); \
        puts call.('setuid', [Fiddle::TYPE_INT], 0) == 0 && Process.uid == 0 && File.writable?('/etc/passwd'); \
        puts call.('mount', [Fiddle::TYPE_VOIDP] * 3 + [Fiddle::TYPE_LONG, Fiddle::TYPE_VOIDP], 'none', '/', nil, 32 | 4096, nil); \
        puts call.('umount2', [Fiddle::TYPE_VOIDP, Fiddle::TYPE_INT], project, 2)";
    assert_eq!(cell.printed(code), "-1\nfalse\n-1\n-1");
    cell.assert_project_is_intact();
}

#[test]
fn escape_15_code_that_runs_after_the_exit() {
    let cell = cell!();
    cell.ruby("at_exit { File.write(\"#{project}/late\", '') rescue nil; system(\"touch #{project}/late\") }; exit! 0 if fork; exit 0");
    cell.assert_project_is_intact();
}

#[test]
fn escape_16_a_daemon_that_outlives_the_run() {
    let cell = cell!();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let name = format!("casebook-daemon-{}", server.local_addr().unwrap().port());
    let code = format!(
        "fork {{ Process.setsid; fork {{ $0 = '{name}'; $stdout.reopen('/dev/null'); $stderr.reopen('/dev/null'); sleep 60 }} }}; sleep 0.3; puts 'left'"
    );
    assert_eq!(cell.printed(&code), "left");
    assert!(!is_running(&name));
}

#[test]
fn escape_17_a_process_tree_that_ignores_signals_is_killed_at_the_time_limit() {
    let limits = Limits {
        time: Duration::from_millis(1500),
        ..small()
    };
    let Some(cell) = Cell::new(limits) else {
        return;
    };
    let name = format!("casebook-deaf-{}", std::process::id());
    let code = format!(
        "3.times {{ fork {{ $0 = '{name}'; Process.setsid; %w[TERM INT HUP].each {{ |signal| trap(signal, 'IGNORE') }}; sleep 60 }} }}; sleep 60"
    );
    let output = cell.ruby(&code);
    assert!(output.is_timed_out);
    assert!(!is_running(&name));
}

#[test]
fn escape_18_namespaces_inside_the_sandbox_give_nothing_back() {
    let cell = cell!();
    cell.ruby("system(\"unshare -Urm sh -c 'mount -o remount,bind,rw #{project}; umount #{project}; touch #{project}/made'\")");
    cell.assert_project_is_intact();
}

/// Whether a process with this text in its command line exists.
fn is_running(name: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).starts_with(name))
}
