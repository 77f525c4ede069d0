//! Who may use the server.

use serde_json::json;

use crate::client::send;
use crate::studio_project::{COOKIE, StudioProject, TOKEN, run};

fn status(port: u16, request_line: &str, headers: &[String]) -> u16 {
    let headers = headers.join("\r\n");
    send(
        port,
        &format!("{request_line} HTTP/1.1\r\n{headers}\r\n\r\n"),
    )
    .status
}

#[test]
fn only_the_own_host_is_served() {
    let project = StudioProject::new();
    let port = project.port;
    let cookie = format!("Cookie: casebook_studio_{port}={COOKIE}");
    let get = |hosts: &[String]| {
        let mut headers = vec![cookie.clone()];
        headers.extend(hosts.iter().map(|host| format!("Host: {host}")));
        status(port, "GET /api/v1/runs", &headers)
    };
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        assert_eq!(get(&[format!("{host}:{port}")]), 200, "{host}");
    }
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("localhost.:{port}"),
        format!("127.0.0.1:{port}@evil.example"),
    ] {
        assert_eq!(get(std::slice::from_ref(&host)), 421, "{host}");
    }
    assert_eq!(get(&[]), 400);
    let own = format!("127.0.0.1:{port}");
    assert_eq!(get(&[own.clone(), own.clone()]), 400);
    assert_eq!(get(&[own, "evil.example".to_owned()]), 400);
}

#[test]
fn the_token_works_once_and_becomes_a_cookie() {
    let project = StudioProject::new();
    let port = project.port;
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let log_in = |token: &str| send(port, &format!("GET /?token={token} HTTP/1.1\r\n{host}\r\n"));
    for wrong in [
        "",
        "x",
        COOKIE,
        &TOKEN[1..],
        &format!("{TOKEN}0"),
        &TOKEN.to_uppercase(),
    ] {
        assert_eq!(log_in(wrong).status, 401, "{wrong}");
    }
    let first = log_in(TOKEN);
    assert_eq!((first.status, first.header("location")), (303, "/"));
    let cookie = first.header("set-cookie").to_owned();
    assert_eq!(
        cookie,
        format!("casebook_studio_{port}={COOKIE}; Path=/; HttpOnly; SameSite=Strict")
    );
    assert_eq!(log_in(TOKEN).status, 401, "the second time");
    let value = cookie.split(';').next().unwrap();
    let page = send(
        port,
        &format!("GET / HTTP/1.1\r\n{host}Cookie: a=b; {value}\r\n\r\n"),
    );
    assert_eq!(page.status, 200);
}

#[test]
fn nothing_is_served_without_the_cookie() {
    let project = StudioProject::new();
    let port = project.port;
    let host = format!("Host: 127.0.0.1:{port}");
    let script = project.get("/").body;
    let script = script
        .split('"')
        .find(|part| part.starts_with("/assets/project"))
        .unwrap();
    assert_eq!(project.get(script).status, 200);
    let cookies = [
        "Cookie:".to_owned(),
        format!("Cookie: casebook_studio_{port}="),
        format!("Cookie: casebook_studio_{port}={TOKEN}"),
        format!("Cookie: casebook_studio={COOKIE}"),
        format!("Authorization: Bearer {TOKEN}"),
    ];
    for path in [
        "/",
        "/runs/a",
        "/api/v1/runs",
        "/api/v1/events",
        "/nothing",
        script,
    ] {
        assert_eq!(
            status(port, &format!("GET {path}"), std::slice::from_ref(&host)),
            401,
            "{path}"
        );
        for cookie in &cookies {
            let headers = [host.clone(), cookie.clone()];
            assert_eq!(
                status(port, &format!("GET {path}"), &headers),
                401,
                "{path} {cookie}"
            );
        }
    }
}

/// A bookmark, or the address of the last start.
#[test]
fn a_browser_without_a_cookie_gets_a_page() {
    let project = StudioProject::new();
    let port = project.port;
    let get = |path: &str, host: &str, accept: &str| {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: {accept}\r\n\r\n");
        send(port, &request)
    };
    let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    for (path, host, status, part) in [
        (
            "/",
            "127.0.0.1",
            401,
            "<p>This browser is not logged in: stop <code>casebook studio</code>",
        ),
        ("/?token=old", "127.0.0.1", 401, "start it again"),
        ("/runs/a", "127.0.0.1", 401, "start it again"),
        ("/", "evil.example", 421, "This host is not the studio's"),
    ] {
        let response = get(path, host, browser);
        let kind = response.header("content-type");
        assert_eq!(
            (response.status, kind),
            (status, "text/html; charset=utf-8")
        );
        assert!(response.body.contains(part), "{path}: {}", response.body);
        assert_eq!(response.header("set-cookie"), "");
    }
    for (path, accept) in [("/", "*/*"), ("/api/v1/runs", browser)] {
        let response = get(path, "127.0.0.1", accept);
        assert_eq!(response.status, 401);
        assert!(response.json()["problem"].is_string(), "{path}");
    }
}

#[test]
fn requests_of_other_sites_are_refused() {
    let project = StudioProject::new();
    let port = project.port;
    let body = json!({"action": "run"}).to_string();
    let status_with = |origin: &str| {
        let request = format!(
            "POST /api/v1/commands HTTP/1.1\r\n{}{origin}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            project.headers(),
            body.len()
        );
        send(port, &request).status
    };
    for origin in [
        "",
        "Origin: null\r\n",
        "Origin: http://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        &format!("Origin: https://127.0.0.1:{port}\r\n"),
        &format!("Origin: http://127.0.0.1:{}\r\n", port ^ 1),
        &format!("Origin: http://localhost:{port}\r\n"),
        &format!("Origin: http://127.0.0.1:{port}\r\nOrigin: http://evil.example\r\n"),
    ] {
        assert_eq!(status_with(origin), 403, "{origin}");
    }
    let cross_site_read = project.get_with("/api/v1/runs", "Origin: http://evil.example\r\n");
    assert_eq!(cross_site_read.status, 403);
    let listed = project.events("/api/v1/events").next();
    assert_eq!(listed.data["commands"], json!([]), "nothing was started");
}

#[test]
fn a_form_cannot_start_anything() {
    let project = StudioProject::new();
    let request = format!(
        "POST /api/v1/commands HTTP/1.1\r\n{}Origin: http://127.0.0.1:{}\r\nContent-Type: text/plain\r\nContent-Length: 16\r\n\r\n{{\"action\":\"run\"}}",
        project.headers(),
        project.port
    );
    assert_eq!(send(project.port, &request).status, 415);
}

#[test]
fn no_name_leads_out_of_the_records() {
    let project = StudioProject::new();
    project.add("20261118-080000-aaaaaaaa", &run("a", 1, 0));
    std::fs::write(project.dir.path().join("run.json"), "{}").unwrap();
    std::fs::write(project.runs().join("secret"), "secret").unwrap();
    for name in [
        "..",
        "../..",
        "%2e%2e",
        "%2e%2e%2f%2e%2e",
        "..%2f..",
        "%2fetc",
        "latest",
        "secret",
        ".",
        "%00",
        "",
        "20261118-080000-aaaaaaaa%2f..",
        "20261118-080000-aaaaaaaa%2frun.json",
        "..%5c..",
        "%252e%252e",
    ] {
        for rest in ["", "/tests?from=0&to=1", "/tests/x", "/reviews"] {
            let response = project.get(&format!("/api/v1/runs/{name}{rest}"));
            let is_list = name.is_empty() || name == ".";
            assert!(
                response.status == 404 || is_list,
                "{name}{rest}: {response:?}"
            );
            assert!(!response.body.contains("secret"), "{name}{rest}");
        }
    }
    for path in [
        "/assets/..%2f..%2fCargo.toml",
        "/assets/studio.css",
        "/../run.json",
        "//etc/passwd",
    ] {
        assert_eq!(project.get(path).status, 404, "{path}");
    }
}

#[test]
fn every_response_has_the_headers_that_protect_it() {
    let project = StudioProject::new();
    for path in ["/", "/runs/x", "/api/v1/runs", "/nothing", "/?token=wrong"] {
        let response = project.get(path);
        let policy = response.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(response.header("x-content-type-options"), "nosniff");
        assert_eq!(response.header("referrer-policy"), "no-referrer");
        assert_eq!(response.header("access-control-allow-origin"), "");
    }
}

#[test]
fn a_read_only_studio_serves_no_action() {
    let project = StudioProject::read_only();
    project.add("20261118-080000-aaaaaaaa", &run("a", 1, 1));
    let test = json!({"run": "20261118-080000-aaaaaaaa", "test": "example:0"});
    for path in [
        "/api/v1/commands",
        "/api/v1/command-lines",
        "/api/v1/commands/1/stop",
        "/api/v1/editor",
        "/api/v1/runs/20261118-080000-aaaaaaaa/reviews",
        "/api/v1/runs",
        "/",
    ] {
        for body in [&json!({"action": "run"}), &test] {
            let status = project.post(path, body).status;
            assert!(matches!(status, 404 | 405), "{path}: {status}");
        }
    }
    assert_eq!(project.get("/api/v1/project").json()["read_only"], true);
    let dir = project.runs().join("20261118-080000-aaaaaaaa");
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), 1);
}
