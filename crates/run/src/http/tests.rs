use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use crate::llm::testing::{system, without_deadline};
use crate::stop::StopToken;

use super::testing::{Server, ServerAction};
use super::*;

fn client() -> Client {
    Client {
        backoff: Backoff {
            retries: 3,
            first: Duration::from_millis(2),
            longest: Duration::from_secs(20),
        },
        ..Client::new(&system())
    }
}

fn request(url: &str) -> Request<'_> {
    Request {
        method: HttpMethod::Post,
        url,
        headers: &[],
        body: "{}",
        timeout: Duration::from_secs(10),
        retry: RetryPolicy::On {
            statuses: &[429, 500, 503, 529],
            times: 3,
        },
        retry_gate: None,
    }
}

fn post(client: &Client, url: &str) -> Result<Reply, HttpError> {
    without_deadline(|cancellation| client.send(&request(url), cancellation))
}

fn post_error(client: &Client, url: &str) -> String {
    let error = post(client, url).unwrap_err().to_string();
    error.replace(url, "URL")
}

#[test]
fn a_request_is_sent_with_its_headers_and_body() {
    let client = client();
    let server = Server::with_actions(vec![ServerAction::ok("[1]")]);
    let headers = [("X-Key".to_owned(), "k".to_owned())];
    let url = format!("{}/v1/x?y=z", server.url);
    let request = Request {
        headers: &headers,
        body: "{\"a\":\"ü\"}",
        ..request(&url)
    };
    let reply = without_deadline(|cancellation| client.send(&request, cancellation)).unwrap();
    assert_eq!(
        (reply.status, reply.body.as_str(), reply.retries),
        (200, "[1]", 0)
    );
    let received = &server.received()[0];
    assert_eq!(received.line, "POST /v1/x?y=z HTTP/1.1");
    assert_eq!(received.body, "{\"a\":\"ü\"}");
    assert_eq!(received.header("x-key"), Some("k"));
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert!(
        received
            .header("user-agent")
            .unwrap()
            .starts_with("casebook/")
    );
}

fn sent_headers(headers: &[(&str, &str)]) -> Result<Vec<(String, String)>, HttpError> {
    let server = Server::with_actions(vec![ServerAction::ok("")]);
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let headers: Vec<_> = headers.iter().map(owned).collect();
    let request = Request {
        headers: &headers,
        ..request(&server.url)
    };
    without_deadline(|cancellation| client().send(&request, cancellation))?;
    Ok(server.received().remove(0).headers)
}

#[test]
fn exactly_one_host_header_is_sent_and_a_suites_own_headers_replace_the_defaults() {
    let values = |headers: &[(&str, &str)], name: &str| {
        let sent_headers = sent_headers(headers).unwrap().into_iter();
        let named = sent_headers.filter(|(key, _)| key == name);
        named.map(|(_, value)| value).collect::<Vec<_>>()
    };
    assert_eq!(values(&[], "host").len(), 1);
    assert_eq!(values(&[("Host", "example.org")], "host"), ["example.org"]);
    for name in ["content-type", "accept", "user-agent"] {
        assert_eq!(values(&[], name).len(), 1, "{name}");
        assert_eq!(values(&[(name, "text/x")], name), ["text/x"]);
    }
}

#[test]
fn a_header_cannot_add_other_headers() {
    for wrong in [("x\r\ny", "1"), ("x", "1\r\ny: 2"), ("", "1"), ("x:", "1")] {
        let why = sent_headers(&[wrong]).unwrap_err().to_string();
        assert!(why.contains("cannot create the request: "), "{why}");
    }
}

#[test]
fn a_response_is_read_completely_in_any_framing() {
    let ok = "HTTP/1.1 200 OK\r\n";
    for (response, body) in [
        (format!("{ok}content-length: 5\r\n\r\nhello"), "hello"),
        (format!("{ok}\r\nto the end"), "to the end"),
        (
            format!("{ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n"),
            "hello",
        ),
        (
            format!("HTTP/1.1 100 Continue\r\n\r\n{ok}content-length: 1\r\n\r\n!"),
            "!",
        ),
    ] {
        let bytes = response.clone().into_bytes();
        for action in [
            ServerAction::Raw(bytes.clone()),
            ServerAction::Drip(Duration::from_millis(1), bytes),
        ] {
            let server = Server::with_actions(vec![action]);
            let reply = post(&client(), &server.url).unwrap();
            assert_eq!(
                (reply.status, reply.body.as_str()),
                (200, body),
                "{response:?}"
            );
        }
    }
}

#[test]
fn a_policy_decides_which_responses_are_retried() {
    const ON: RetryPolicy<'_> = RetryPolicy::On {
        statuses: &[502],
        times: 1,
    };
    for (policy, status, retry_after, retries) in [
        (RetryPolicy::Always, 500, None, 3),
        (RetryPolicy::Always, 400, Some("0"), 0),
        (RetryPolicy::OnRequest, 429, Some("0"), 3),
        (RetryPolicy::OnRequest, 503, Some("0"), 3),
        (RetryPolicy::OnRequest, 503, None, 0),
        (RetryPolicy::OnRequest, 503, Some("soon"), 0),
        (RetryPolicy::OnRequest, 500, Some("0"), 0),
        (RetryPolicy::OnRequest, 200, Some("0"), 0),
        (ON, 502, None, 1),
        (ON, 503, Some("0"), 0),
    ] {
        let action = ServerAction::status(status);
        let action = match retry_after {
            Some(time) => action.with("retry-after", time),
            None => action,
        };
        let server = Server::with_actions(vec![action]);
        let request = Request {
            retry: policy,
            ..request(&server.url)
        };
        let reply = without_deadline(|cancellation| client().send(&request, cancellation));
        let reply = reply.unwrap();
        assert_eq!(
            reply.retries, retries,
            "{policy:?} {status} {retry_after:?}"
        );
        assert_eq!(reply.retried_on, vec![status; retries as usize]);
    }
}

#[test]
fn a_429_or_5xx_response_is_retried_and_retries_are_counted() {
    let client = client();
    let server = Server::with_actions(vec![
        ServerAction::status(429).with("retry-after", "0"),
        ServerAction::status(503),
        ServerAction::status(529),
        ServerAction::ok("yes"),
    ]);
    let reply = post(&client, &server.url).unwrap();
    assert_eq!((reply.status, reply.retries), (200, 3));
    assert_eq!(server.received().len(), 4);
    assert_eq!(server.connections(), 1, "the connection is reused");
}

#[test]
fn the_number_of_retries_is_limited() {
    let client = client();
    let server = Server::with_actions(vec![ServerAction::status(500)]);
    let reply = post(&client, &server.url).unwrap();
    assert_eq!((reply.status, reply.retries), (500, 3));
    assert_eq!(server.received().len(), 4);
}

#[test]
fn other_statuses_are_not_retried() {
    let client = client();
    for status in [200, 301, 400, 401, 404, 418] {
        let server = Server::with_actions(vec![
            ServerAction::status(status).with("location", "/elsewhere"),
        ]);
        let reply = post(&client, &server.url).unwrap();
        assert_eq!((reply.status, reply.retries), (status, 0));
        assert_eq!(server.received().len(), 1);
    }
}

#[test]
fn a_retry_waits_as_long_as_the_server_requires() {
    let client = client();
    let server = Server::with_actions(vec![
        ServerAction::status(429).with("retry-after", "0.3"),
        ServerAction::ok(""),
    ]);
    let started = (system().instant)();
    let reply = post(&client, &server.url).unwrap();
    assert_eq!((reply.retries, reply.retried_on), (1, vec![429]));
    assert!((system().instant)() - started >= Duration::from_millis(300));
    assert!(
        reply.latency >= Duration::from_millis(300),
        "the wait is a part of the latency"
    );
}

#[test]
fn a_retry_after_that_is_too_long_is_not_waited_for() {
    let client = client();
    let server = Server::with_actions(vec![ServerAction::status(429).with("retry-after", "3600")]);
    let reply = post(&client, &server.url).unwrap();
    assert_eq!((reply.status, reply.retries), (429, 0));
    assert_eq!(reply.retry_after, Some(Duration::from_secs(3600)));
}

#[test]
fn waiting_ends_at_the_deadline_of_the_test() {
    let client = client();
    let stop = StopToken::new().unwrap();
    let instant = system().instant;
    let soon = |millis| Cancellation {
        stop: &stop,
        deadline: Some(instant() + Duration::from_millis(millis)),
    };
    let server = Server::with_actions(vec![ServerAction::status(429).with("retry-after", "15")]);
    let reply = client.send(&request(&server.url), soon(10_000)).unwrap();
    assert_eq!(
        reply.status, 429,
        "a wait beyond the deadline is not started"
    );
    let slow = Server::with_actions(vec![ServerAction::Delay(
        Duration::from_secs(600),
        String::new(),
    )]);
    let started = instant();
    let slow_request = Request {
        timeout: Duration::from_secs(600),
        ..request(&slow.url)
    };
    let error = client.send(&slow_request, soon(100)).unwrap_err();
    assert_eq!(error, HttpError::OutOfTime);
    assert!(instant() - started < Duration::from_secs(60));
}

/// Checks that a stop request ends the request, on a new connection or on an open one.
fn assert_stop_interrupts(client: &Client, action: ServerAction, is_known: bool) {
    let instant = system().instant;
    let stop = StopToken::new().unwrap();
    let cancellation = Cancellation {
        stop: &stop,
        deadline: None,
    };
    let server = Server::with_actions(vec![ServerAction::ok(""), action.clone()]);
    let other = Server::with_actions(vec![action]);
    let url = if is_known { &server.url } else { &other.url };
    client.send(&request(&server.url), cancellation).unwrap();
    let (requested_at, error) = thread::scope(|scope| {
        let requested_at = scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            stop.request();
            instant()
        });
        let error = client.send(&request(url), cancellation).unwrap_err();
        (requested_at.join().unwrap(), error)
    });
    assert_eq!(error, HttpError::Interrupted);
    assert!(instant() - requested_at < Duration::from_secs(8));
}

fn slow() -> [ServerAction; 2] {
    let drip = b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n".repeat(9);
    [
        ServerAction::Delay(Duration::from_secs(9), String::new()),
        ServerAction::Drip(Duration::from_millis(30), drip),
    ]
}

#[test]
fn a_stop_request_ends_all_waiting_at_once() {
    let refusal = ServerAction::status(429).with("retry-after", "15");
    for action in slow().into_iter().chain([refusal]) {
        for is_known in [true, false] {
            let client = client();
            assert_stop_interrupts(&client, action.clone(), is_known);
        }
    }
}

#[test]
fn slow_responses_time_out() {
    let client = client();
    let actions = slow().into_iter();
    for (action, is_known) in actions.flat_map(|action| [(action.clone(), true), (action, false)]) {
        let first = is_known.then(|| ServerAction::ok(""));
        let actions: Vec<ServerAction> = first.into_iter().chain([action]).collect();
        let server = Server::with_actions(actions.clone());
        for _ in 1..actions.len() {
            without_deadline(|cancellation| client.send(&request(&server.url), cancellation))
                .unwrap();
        }
        let request = Request {
            timeout: Duration::from_secs(2),
            ..request(&server.url)
        };
        let error =
            without_deadline(|cancellation| client.send(&request, cancellation)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{} did not respond within 2 s", server.url)
        );
        assert_eq!(server.received().len(), actions.len(), "not sent again");
    }
}

#[test]
fn errors_have_clear_messages() {
    let client = client();
    let closed = Server::with_actions(vec![ServerAction::ok("")]);
    closed.shut_down();
    assert_eq!(
        post_error(&client, &closed.url),
        "URL: connection refused: nothing is listening there"
    );
    let truncated = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"a\":".to_vec();
    for action in [ServerAction::Raw(truncated), ServerAction::Raw(Vec::new())] {
        let server = Server::with_actions(vec![action]);
        assert_eq!(
            post_error(&client, &server.url),
            "URL: the connection was closed before the response was complete"
        );
        assert_eq!(
            server.received().len(),
            1,
            "not retried: the server may have received it"
        );
    }
    let server = Server::with_actions(vec![ServerAction::Raw(b"220 smtp ready\r\n\r\n".to_vec())]);
    assert!(post_error(&client, &server.url).starts_with("URL: the response is not HTTP"));
    let server = Server::with_actions(vec![ServerAction::ok("x".repeat((10 << 20) + 1))]);
    assert_eq!(
        post_error(&client, &server.url),
        "URL: the response is larger than 10 MB"
    );
    for wrong in ["localhost:80", "ftp://localhost", "", "http://", "ö"] {
        let error = post(&client, wrong).unwrap_err().to_string();
        assert!(
            !error.is_empty() && !error.contains("panic"),
            "{wrong}: {error}"
        );
    }
    assert_eq!(
        post_error(&client, "http://no.such.host.invalid/x"),
        "URL: host not found, or DNS is unavailable"
    );
}

#[test]
fn a_server_without_tls_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 400 plain words\r\n\r\n");
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    assert_eq!(
        post_error(&client(), &url),
        "URL: the server does not use TLS; write `http://` instead of `https://`"
    );
}

#[test]
fn a_reset_connection_is_reported_and_retried_where_the_request_may_repeat() {
    let client = client();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Closing a socket with unread data resets the connection.
            let _ = stream.peek(&mut [0]);
        }
    });
    assert_eq!(
        post_error(&client, &url),
        "URL: the connection was closed before the response was complete"
    );
    let repeated = Request {
        retry: RetryPolicy::Always,
        ..request(&url)
    };
    let error = without_deadline(|cancellation| client.send(&repeated, cancellation)).unwrap_err();
    assert!(error.to_string().ends_with("(4 attempts)"), "{error}");
}

#[test]
fn an_idle_connection_that_the_server_closed_is_not_reused() {
    let client = client();
    let server = Server::with_actions(vec![ServerAction::Raw(
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n1".to_vec(),
    )]);
    for _ in 0..5 {
        let reply =
            without_deadline(|cancellation| client.send(&request(&server.url), cancellation));
        assert_eq!(reply.unwrap().body, "1");
        server.wait_until_closed();
    }
    assert_eq!(server.connections(), 5);
}

#[test]
fn a_public_url_has_no_secrets() {
    for (url, expected) in [
        ("https://a.b/c?key=s#d", "https://a.b/c"),
        ("http://user:pass@a.b:8/c@d", "http://a.b:8/c@d"),
        ("http://a.b", "http://a.b"),
        ("nonsense", "nonsense"),
    ] {
        assert_eq!(public_url(url), expected);
    }
}

#[test]
fn proxies_are_used_but_not_for_local_servers() {
    let proxy = Server::with_actions(vec![ServerAction::status(403)]);
    let server = Server::with_actions(vec![ServerAction::ok("directly")]);
    let mut system = system();
    system.environment = vec![
        ("http_proxy".into(), proxy.url.clone().into()),
        ("NO_PROXY".into(), "else.invalid, other.invalid".into()),
    ];
    let client = Client::new(&system);
    let get = |url: &str| without_deadline(|cancellation| client.send(&request(url), cancellation));
    assert_eq!(get(&server.url).unwrap().body, "directly");
    assert_eq!(get("http://far.invalid/x?y=1").unwrap().status, 403);
    assert_eq!(get("http://far.invalid/z").unwrap().status, 403);
    assert!(get("http://www.other.invalid/x").is_err());
    let received = proxy.received();
    let lines: Vec<_> = received.iter().map(|request| &request.line).collect();
    assert_eq!(
        lines,
        [
            "POST http://far.invalid/x?y=1 HTTP/1.1",
            "POST http://far.invalid/z HTTP/1.1"
        ],
        "the complete URL, without CONNECT"
    );
    assert_eq!(received[0].header("host"), Some("far.invalid"));
    assert_eq!(received[0].header("proxy-authorization"), None);
    assert_eq!(received[0].body, "{}");
    assert_eq!(proxy.connections(), 1, "the connection is reused");
}

#[test]
fn a_proxy_gets_its_user_and_long_bodies() {
    let proxy = Server::with_actions(vec![ServerAction::ok("through")]);
    let mut system = system();
    let url = proxy.url.replace("http://", "http://me:secret@");
    system.environment = vec![("http_proxy".into(), url.into())];
    let client = Client::new(&system);
    let body = format!("\"{}\"", "x".repeat(1 << 20));
    let request = Request {
        body: &body,
        ..request("http://user:pass@far.invalid:8080/x")
    };
    let reply = without_deadline(|cancellation| client.send(&request, cancellation));
    assert_eq!(reply.unwrap().body, "through");
    let received = &proxy.received()[0];
    assert_eq!(received.line, "POST http://far.invalid:8080/x HTTP/1.1");
    assert_eq!(
        received.header("proxy-authorization"),
        Some("Basic bWU6c2VjcmV0")
    );
    assert_eq!(received.body, body);
}

#[test]
fn a_https_server_is_reached_through_a_tunnel() {
    let proxy = Server::with_actions(vec![ServerAction::status(403)]);
    let mut system = system();
    system.environment = vec![("https_proxy".into(), proxy.url.clone().into())];
    let client = Client::new(&system);
    let refused = post(&client, "https://far.invalid/x")
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("the proxy refused the connection"),
        "{refused}"
    );
    assert_eq!(proxy.received()[0].line, "CONNECT far.invalid:443 HTTP/1.1");
}

/// Reads a response with `read`, on a new connection and on an open one.
fn read_streamed(bytes: &[u8], read: &mut BodyReader<'_>) -> Result<Reply, HttpError> {
    let server = Server::with_actions(vec![ServerAction::Raw(bytes.to_vec())]);
    let client = client();
    without_deadline(|cancellation| client.send_streamed(&request(&server.url), read, cancellation))
}

#[test]
fn a_body_is_read_as_it_arrives_and_reading_can_end_early() {
    let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n0123456789".to_vec();
    let mut all = Vec::new();
    let reply = read_streamed(&ok, &mut |data| {
        all.extend(data);
        ControlFlow::Continue(())
    });
    assert_eq!(
        (reply.unwrap().body.as_str(), &all[..]),
        ("", &b"0123456789"[..])
    );
    // A server that never ends its response: 9 of 10 bytes.
    let server = Server::new(|_, _| {
        let head = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n012345678".to_vec();
        ServerAction::Hold(head)
    });
    let client = client();
    for _ in 0..2 {
        let mut read = 0;
        let reply = without_deadline(|cancellation| {
            let mut reader = |data: &[u8]| {
                read += data.len();
                match read {
                    9 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            };
            client.send_streamed(&request(&server.url), &mut reader, cancellation)
        });
        assert_eq!((reply.unwrap().status, read), (200, 9));
    }
    let refused = b"HTTP/1.1 400 Bad\r\ncontent-length: 2\r\n\r\nno".to_vec();
    let reply = read_streamed(&refused, &mut |_| panic!("an error has no stream"));
    assert_eq!(reply.unwrap().body, "no");
    let truncated = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{".to_vec();
    let error = read_streamed(&truncated, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("closed before the response was complete"),
        "{error}"
    );
}

#[test]
fn cookies_of_a_response_are_returned() {
    let server = Server::with_actions(vec![
        ServerAction::ok("")
            .with("set-cookie", "a=1")
            .with("set-cookie", "b=2"),
    ]);
    let reply = post(&client(), &server.url).unwrap();
    assert_eq!(reply.cookies, ["a=1", "b=2"]);
}

#[test]
fn a_long_body_is_sent_completely() {
    let client = client();
    // Longer than the socket buffers.
    let body = format!("\"{}\"", "ü".repeat(6 << 20));
    let server = Server::with_actions(vec![ServerAction::ok("[]"), ServerAction::ok("[2]")]);
    without_deadline(|cancellation| {
        let long = Request {
            body: &body,
            ..request(&server.url)
        };
        assert_eq!(client.send(&long, cancellation).unwrap().body, "[]");
        let next = client.send(&request(&server.url), cancellation).unwrap();
        assert_eq!(next.body, "[2]", "the connection is reusable");
    });
    assert_eq!(server.received()[0].body, body);
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_path_is_added_once_and_before_the_query() {
    for (base, path, address) in [
        (
            "http://h/v1",
            "/chat/completions",
            "http://h/v1/chat/completions",
        ),
        (
            "http://h/v1/",
            "/chat/completions",
            "http://h/v1/chat/completions",
        ),
        (
            "http://h/v1/chat/completions",
            "/chat/completions",
            "http://h/v1/chat/completions",
        ),
        (
            "https://h/openai/x?api-version=1",
            "/chat/completions",
            "https://h/openai/x/chat/completions?api-version=1",
        ),
        ("https://h", "/v1/messages", "https://h/v1/messages"),
        (
            "http://chat",
            "/chat/completions",
            "http://chat/chat/completions",
        ),
        ("https://h/v1/", "/v1/messages", "https://h/v1/messages"),
        (
            "https://h/v1/messages",
            "/v1/messages",
            "https://h/v1/messages",
        ),
    ] {
        assert_eq!(join_path(base, path), address);
    }
}
