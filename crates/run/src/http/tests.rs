use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use crate::llm::testing::{patient, system};
use crate::stop::StopToken;

use super::testing::{Act, Server};
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
        url,
        headers: &[],
        body: "{}",
        timeout: Duration::from_secs(10),
        may_repeat: false,
        again: None,
    }
}

fn posted(client: &Client, url: &str) -> Result<Reply, HttpError> {
    patient(|patience| client.post(&request(url), patience))
}

fn problem(client: &Client, url: &str) -> String {
    let error = posted(client, url).unwrap_err().to_string();
    error.replace(url, "URL")
}

#[test]
fn a_request_arrives_as_it_was_made() {
    let client = client();
    let server = Server::acting(vec![Act::ok("[1]")]);
    let headers = [("X-Key".to_owned(), "k".to_owned())];
    let url = format!("{}/v1/x?y=z", server.url);
    let request = Request {
        headers: &headers,
        body: "{\"a\":\"ü\"}",
        ..request(&url)
    };
    let reply = patient(|patience| client.post(&request, patience)).unwrap();
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

fn sent(headers: &[(&str, &str)]) -> Result<Vec<(String, String)>, HttpError> {
    let server = Server::acting(vec![Act::ok("")]);
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let headers: Vec<_> = headers.iter().map(owned).collect();
    let request = Request {
        headers: &headers,
        ..request(&server.url)
    };
    patient(|patience| client().post(&request, patience))?;
    Ok(server.received().remove(0).headers)
}

#[test]
fn exactly_one_host_header_is_sent_and_a_suites_own_headers_replace_the_defaults() {
    let values = |headers: &[(&str, &str)], name: &str| {
        let sent = sent(headers).unwrap().into_iter();
        let named = sent.filter(|(key, _)| key == name);
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
        let why = sent(&[wrong]).unwrap_err().to_string();
        assert!(why.contains("the request cannot be made: "), "{why}");
    }
}

#[test]
fn a_response_arrives_whole_however_it_is_framed_and_split() {
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
        for act in [
            Act::Raw(bytes.clone()),
            Act::Drip(Duration::from_millis(1), bytes),
        ] {
            let server = Server::acting(vec![act]);
            let reply = posted(&client(), &server.url).unwrap();
            assert_eq!(
                (reply.status, reply.body.as_str()),
                (200, body),
                "{response:?}"
            );
        }
    }
}

#[test]
fn a_server_that_refuses_for_now_is_asked_again_and_that_is_counted() {
    let client = client();
    let server = Server::acting(vec![
        Act::status(429).with("retry-after", "0"),
        Act::status(503),
        Act::status(529),
        Act::ok("yes"),
    ]);
    let reply = posted(&client, &server.url).unwrap();
    assert_eq!((reply.status, reply.retries), (200, 3));
    assert_eq!(server.received().len(), 4);
    assert_eq!(server.connections(), 1, "the connection is kept");
}

#[test]
fn a_server_that_refuses_for_ever_is_asked_a_few_times() {
    let client = client();
    let server = Server::acting(vec![Act::status(500)]);
    let reply = posted(&client, &server.url).unwrap();
    assert_eq!((reply.status, reply.retries), (500, 3));
    assert_eq!(server.received().len(), 4);
}

#[test]
fn other_answers_are_final() {
    let client = client();
    for status in [200, 301, 400, 401, 404, 418] {
        let server = Server::acting(vec![Act::status(status).with("location", "/elsewhere")]);
        let reply = posted(&client, &server.url).unwrap();
        assert_eq!((reply.status, reply.retries), (status, 0));
        assert_eq!(server.received().len(), 1);
    }
}

#[test]
fn a_server_is_left_alone_for_as_long_as_it_asks() {
    let client = client();
    let server = Server::acting(vec![
        Act::status(429).with("retry-after", "0.3"),
        Act::ok(""),
    ]);
    let begun = (system().instant)();
    assert_eq!(posted(&client, &server.url).unwrap().retries, 1);
    assert!((system().instant)() - begun >= Duration::from_millis(300));
}

#[test]
fn a_server_that_asks_for_too_long_is_not_waited_for() {
    let client = client();
    let server = Server::acting(vec![Act::status(429).with("retry-after", "3600")]);
    let reply = posted(&client, &server.url).unwrap();
    assert_eq!((reply.status, reply.retries), (429, 0));
    assert_eq!(reply.retry_after, Some(Duration::from_secs(3600)));
}

#[test]
fn waiting_ends_with_the_time_of_the_test() {
    let client = client();
    let stop = StopToken::new().unwrap();
    let instant = system().instant;
    let soon = |millis| Cancellation {
        stop: &stop,
        deadline: Some(instant() + Duration::from_millis(millis)),
    };
    let server = Server::acting(vec![Act::status(429).with("retry-after", "15")]);
    let reply = client.post(&request(&server.url), soon(10_000)).unwrap();
    assert_eq!(reply.status, 429, "not waited for in vain");
    let slow = Server::acting(vec![Act::Later(Duration::from_secs(600), String::new())]);
    let begun = instant();
    let patient = Request {
        timeout: Duration::from_secs(600),
        ..request(&slow.url)
    };
    let error = client.post(&patient, soon(100)).unwrap_err();
    assert_eq!(error, HttpError::OutOfTime);
    assert!(instant() - begun < Duration::from_secs(60));
}

/// On a connection that is new, or on one that was kept.
fn stopped(client: &Client, act: Act, is_known: bool) {
    let instant = system().instant;
    let stop = StopToken::new().unwrap();
    let patience = Cancellation {
        stop: &stop,
        deadline: None,
    };
    let server = Server::acting(vec![Act::ok(""), act.clone()]);
    let other = Server::acting(vec![act]);
    let url = if is_known { &server.url } else { &other.url };
    client.post(&request(&server.url), patience).unwrap();
    let (asked, error) = thread::scope(|scope| {
        let asked = scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            stop.request();
            instant()
        });
        let error = client.post(&request(url), patience).unwrap_err();
        (asked.join().unwrap(), error)
    });
    assert_eq!(error, HttpError::Interrupted);
    assert!(instant() - asked < Duration::from_secs(8));
}

fn slow() -> [Act; 2] {
    let drip = b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n".repeat(9);
    [
        Act::Later(Duration::from_secs(9), String::new()),
        Act::Drip(Duration::from_millis(30), drip),
    ]
}

#[test]
fn a_request_to_stop_ends_all_waiting_at_once() {
    let refusal = Act::status(429).with("retry-after", "15");
    for act in slow().into_iter().chain([refusal]) {
        for is_known in [true, false] {
            let client = client();
            stopped(&client, act.clone(), is_known);
        }
    }
}

#[test]
fn slow_servers_are_given_up() {
    let client = client();
    let acts = slow().into_iter();
    for (act, is_known) in acts.flat_map(|act| [(act.clone(), true), (act, false)]) {
        let first = is_known.then(|| Act::ok(""));
        let acts: Vec<Act> = first.into_iter().chain([act]).collect();
        let server = Server::acting(acts.clone());
        for _ in 1..acts.len() {
            patient(|patience| client.post(&request(&server.url), patience)).unwrap();
        }
        let hasty = Request {
            timeout: Duration::from_secs(2),
            ..request(&server.url)
        };
        let error = patient(|patience| client.post(&hasty, patience)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{} did not answer within 2 s", server.url)
        );
        assert_eq!(server.received().len(), acts.len(), "and not asked again");
    }
}

#[test]
fn trouble_is_told_in_words() {
    let client = client();
    let gone = Server::acting(vec![Act::ok("")]);
    gone.end();
    assert_eq!(
        problem(&client, &gone.url),
        "URL: connection refused: nothing is listening there"
    );
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"a\":".to_vec();
    for act in [Act::Raw(cut), Act::Raw(Vec::new())] {
        let server = Server::acting(vec![act]);
        assert_eq!(
            problem(&client, &server.url),
            "URL: the connection was closed before the answer was complete"
        );
        assert_eq!(server.received().len(), 1, "it may have arrived");
    }
    let server = Server::acting(vec![Act::Raw(b"220 smtp ready\r\n\r\n".to_vec())]);
    assert!(problem(&client, &server.url).starts_with("URL: the answer is not HTTP"));
    let server = Server::acting(vec![Act::ok("x".repeat((10 << 20) + 1))]);
    assert_eq!(
        problem(&client, &server.url),
        "URL: the answer is larger than 10 MB"
    );
    for wrong in ["localhost:80", "ftp://localhost", "", "http://", "ö"] {
        let error = posted(&client, wrong).unwrap_err().to_string();
        assert!(
            !error.is_empty() && !error.contains("panic"),
            "{wrong}: {error}"
        );
    }
    assert_eq!(
        problem(&client, "http://no.such.host.invalid/x"),
        "URL: there is no such host, or nobody to ask for it"
    );
}

#[test]
fn a_server_without_tls_is_not_trusted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 400 plain words\r\n\r\n");
            let _ = stream.read(&mut [0; 4096]);
        }
    });
    let told = problem(&client(), &url);
    assert!(told.starts_with("URL: no trusted connection: "), "{told}");
}

#[test]
fn a_reset_connection_is_told_and_repeated_where_that_does_no_harm() {
    let client = client();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // What was sent and is not read resets the connection.
            let _ = stream.peek(&mut [0]);
        }
    });
    assert_eq!(
        problem(&client, &url),
        "URL: the connection was closed before the answer was complete"
    );
    let request = Request {
        may_repeat: true,
        again: None,
        ..request(&url)
    };
    let error = patient(|patience| client.post(&request, patience)).unwrap_err();
    assert!(error.to_string().ends_with("(tried 4 times)"), "{error}");
}

#[test]
fn a_kept_connection_that_the_server_has_closed_is_not_used() {
    let client = client();
    let server = Server::acting(vec![Act::Raw(
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n1".to_vec(),
    )]);
    for _ in 0..5 {
        let reply = patient(|patience| client.post(&request(&server.url), patience));
        assert_eq!(reply.unwrap().body, "1");
        server.wait_for_ends();
    }
    assert_eq!(server.connections(), 5);
}

#[test]
fn an_address_is_told_without_what_may_be_secret() {
    for (url, told) in [
        ("https://a.b/c?key=s#d", "https://a.b/c"),
        ("http://user:pass@a.b:8/c@d", "http://a.b:8/c@d"),
        ("http://a.b", "http://a.b"),
        ("nonsense", "nonsense"),
    ] {
        assert_eq!(public_url(url), told);
    }
}

#[test]
fn proxies_are_used_but_not_for_this_machine() {
    let proxy = Server::acting(vec![Act::status(403)]);
    let server = Server::acting(vec![Act::ok("directly")]);
    let mut system = system();
    system.environment = vec![
        ("http_proxy".into(), proxy.url.clone().into()),
        ("NO_PROXY".into(), "else.invalid, other.invalid".into()),
    ];
    let client = Client::new(&system);
    let get = |url: &str| patient(|patience| client.post(&request(url), patience));
    assert_eq!(get(&server.url).unwrap().body, "directly");
    let refused = get("http://far.invalid/x").unwrap_err().to_string();
    assert!(refused.contains("the proxy refuses"), "{refused}");
    assert!(get("http://www.other.invalid/x").is_err());
    let asked: Vec<_> = proxy.received().into_iter().map(|one| one.line).collect();
    assert_eq!(asked, ["CONNECT far.invalid:80 HTTP/1.1"]);
}

#[test]
fn a_long_text_arrives_whole() {
    let client = client();
    // Longer than what the system holds for a reader who takes its time.
    let body = format!("\"{}\"", "ü".repeat(6 << 20));
    let server = Server::acting(vec![Act::ok("[]"), Act::ok("[2]")]);
    patient(|patience| {
        let long = Request {
            body: &body,
            ..request(&server.url)
        };
        assert_eq!(client.post(&long, patience).unwrap().body, "[]");
        let next = client.post(&request(&server.url), patience).unwrap();
        assert_eq!(
            next.body, "[2]",
            "the connection is good for another request"
        );
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
