//! Clients that are slow, many, or gone.

use std::io::Write as _;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::client::connect;
use crate::studio_project::{StudioProject, run};

#[test]
fn a_slow_client_does_not_delay_others() {
    let project = StudioProject::new();
    project.add("20261118-080000-aaaaaaaa", &run("a", 10, 1));
    let mut slow = connect(project.port);
    slow.write_all(b"GET / HTTP/1.1\r\nHo").unwrap();
    // One that asks for much and reads nothing.
    let mut deaf = connect(project.port);
    for _ in 0..200 {
        let request = format!("GET /api/v1/runs HTTP/1.1\r\n{}\r\n", project.headers());
        if deaf.write_all(request.as_bytes()).is_err() {
            break;
        }
    }
    let start = Instant::now();
    assert_eq!(project.get("/api/v1/runs").status, 200);
    // The slow client is disconnected after 5 seconds.
    assert!(
        start.elapsed() < Duration::from_secs(4),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_client_that_sends_no_request_is_disconnected() {
    let project = StudioProject::new();
    let mut slow = connect(project.port);
    slow.write_all(b"GET / HTTP/1.1\r\nHo").unwrap();
    let start = Instant::now();
    let mut answer = Vec::new();
    let _ = std::io::Read::read_to_end(&mut slow, &mut answer);
    assert!(
        start.elapsed() < Duration::from_secs(15),
        "{:?}",
        start.elapsed()
    );
}

/// More than the server accepts at once. Those that send nothing are disconnected, so that others are served.
#[test]
fn a_thousand_connections_do_not_stop_the_server() {
    // The test has both ends of each connection.
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum.map(|most| most.min(4096)).or(Some(4096)),
        ..limit
    };
    setrlimit(Resource::Nofile, raised).unwrap();
    let project = StudioProject::new();
    let connections: Vec<_> = (0..1000).map(|_| connect(project.port)).collect();
    assert_eq!(project.get("/api/v1/runs").status, 200);
    drop(connections);
    assert_eq!(project.get("/api/v1/runs").status, 200);
}

#[test]
fn a_huge_request_is_refused() {
    let project = StudioProject::new();
    let long = "x".repeat(1 << 20);
    let response = project.post("/api/v1/commands", &serde_json::json!({"action": long}));
    assert_eq!(response.status, 413);
    let path = format!("/api/v1/runs/{}", "x".repeat(10_000));
    assert_eq!(project.get(&path).status, 404);
}
