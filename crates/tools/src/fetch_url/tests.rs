use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

use super::*;
use crate::limits::REDIRECTS_MAX;
use crate::testing::{Bench, Shelf};
use crate::{Registry, Results};

/// A server on this machine. It answers each path with what it was given for it, and keeps quiet
/// on all others until it is gone.
struct Server {
    address: SocketAddr,
    asked: mpsc::Receiver<String>,
}

impl Server {
    fn start(pages: Vec<(&'static str, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked_in, asked) = mpsc::channel();
        thread::spawn(move || {
            let mut waiting = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let path = path_asked_for(&mut stream);
                let page = pages.iter().find(|(known, _)| *known == path);
                let told = asked_in.send(path.clone());
                match page {
                    Some((_, page)) => drop(stream.write_all(page)),
                    None => waiting.push(stream),
                }
                if told.is_err() {
                    return;
                }
            }
        });
        Self { address, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn fetch(&self, path: &str, more: Value) -> Output {
        let mut input = more;
        input["url"] = json!(self.url(path));
        call(&Bench::new(), Reach::Loopback, input).await
    }
}

fn path_asked_for(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    head.split(' ').nth(1).unwrap_or_default().to_owned()
}

fn page(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn html(body: &str) -> Vec<u8> {
    page(
        "200 OK",
        "Content-Type: text/html; charset=utf-8\r\n",
        body.as_bytes(),
    )
}

fn redirect(to: &str) -> Vec<u8> {
    page("302 Found", &format!("Location: {to}\r\n"), b"")
}

async fn call(bench: &Bench, reach: Reach, input: Value) -> Output {
    let registry = Registry::builtin_reaching(reach);
    let tool = registry.get("fetch_url").unwrap();
    match tool.prepare(input, &bench.context()).await {
        Ok(prepared) => prepared.run(bench.context()).await,
        Err(failure) => failure,
    }
}

#[tokio::test]
async fn a_page_is_read_in_the_form_that_was_asked_for() {
    let source = "<h1>Head</h1><p>A <a href='/x'>link</a></p>";
    let server = Server::start(vec![("/a", html(source))]);
    let head = format!(
        "[{}: 200 OK, text/html; charset=utf-8, 43 bytes]\n",
        server.url("/a")
    );
    let link = server.url("/x");
    for (input, body) in [
        (json!({}), format!("# Head\n\nA [link]({link})")),
        (json!({"format": "text"}), "Head\n\nA link".to_owned()),
        (json!({"format": "raw"}), source.to_owned()),
    ] {
        let output = server.fetch("/a", input).await;
        assert_eq!(
            (output.success, output.text),
            (true, format!("{head}{body}"))
        );
    }
}

#[tokio::test]
async fn this_machine_is_not_reached_by_address_or_by_name() {
    let server = Server::start(vec![("/a", html("secret"))]);
    let port = server.address.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "127.1",
        "0.0.0.0",
        "[::ffff:127.0.0.1]",
    ] {
        let url = format!("http://{host}:{port}/a");
        let output = call(&Bench::new(), Reach::Public, json!({"url": url})).await;
        assert!(!output.success, "{host}");
        assert!(
            output.text.contains("which is not on the open internet"),
            "{}",
            output.text
        );
    }
    assert!(server.asked.try_recv().is_err(), "it was spoken to");
}

#[tokio::test]
async fn private_networks_are_not_reached_even_when_this_machine_is() {
    for url in [
        "http://169.254.169.254/latest",
        "http://10.0.0.1/",
        "https://[fd00::1]/",
    ] {
        let output = call(&Bench::new(), Reach::Loopback, json!({"url": url})).await;
        assert!(
            output.text.contains("which is not on the open internet"),
            "{}",
            output.text
        );
    }
}

#[tokio::test]
async fn redirects_within_a_host_are_followed() {
    let server = Server::start(vec![
        ("/a", redirect("b/../b/c?x=1")),
        ("/b/c?x=1", html("there")),
        ("/round", redirect("/round")),
    ]);
    let output = server.fetch("/a", json!({})).await;
    assert!(
        output.success && output.text.ends_with("there"),
        "{}",
        output.text
    );
    assert_eq!(output.metadata.unwrap()["url"], server.url("/b/c?x=1"));
    let output = server.fetch("/round", json!({})).await;
    assert!(
        output.text.contains("redirects more than 5 times"),
        "{}",
        output.text
    );
    let asked = server
        .asked
        .try_iter()
        .filter(|path| path == "/round")
        .count();
    assert_eq!(asked, REDIRECTS_MAX + 1);
}

#[tokio::test]
async fn redirects_to_another_host_are_named_and_not_followed() {
    let other = Server::start(vec![("/secret", html("secret"))]);
    let by_name = format!("http://localhost:{}/secret", other.address.port());
    let (by_port, name) = (other.url("/secret"), by_name.clone());
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let (port, name) = (leak(by_port), leak(name));
    let server = Server::start(vec![
        ("/name", redirect(name)),
        ("/port", redirect(port)),
        ("/meta", redirect("http://169.254.169.254/latest")),
        ("/file", redirect("file:///etc/passwd")),
    ]);
    for (path, why) in [
        ("/name", name),
        ("/port", port),
        ("/meta", "169.254.169.254/latest, which is another host"),
        ("/file", "cannot be followed"),
    ] {
        let output = server.fetch(path, json!({})).await;
        assert!(
            !output.success && output.text.contains(why),
            "{path}: {}",
            output.text
        );
    }
    assert!(other.asked.try_recv().is_err(), "it was followed");
}

#[tokio::test]
async fn what_is_longer_than_asked_for_is_cut() {
    let server = Server::start(vec![(
        "/a",
        page("200 OK", "Content-Type: text/plain\r\n", &[b'x'; 5000]),
    )]);
    let output = server.fetch("/a", json!({"max_bytes": 100})).await;
    let expected = format!("{}\n[cut after 100 bytes;", "x".repeat(100));
    assert!(
        output.success && output.text.contains(&expected),
        "{}",
        output.text
    );
    assert_eq!(output.metadata.unwrap()["truncated"], true);
}

#[tokio::test]
async fn a_long_page_is_kept_elsewhere() {
    let body = "0123456789".repeat(20_000);
    let headers = "Content-Type: text/plain\r\n";
    let server = Server::start(vec![("/a", page("200 OK", headers, body.as_bytes()))]);
    let bench = Bench::new();
    let registry = Registry::builtin_reaching(Reach::Loopback);
    let tool = registry.get("fetch_url").unwrap();
    let input = json!({"url": server.url("/a")});
    let prepared = tool.prepare(input, &bench.context()).await.unwrap();
    let shelf = Arc::new(Shelf::default());
    let output = prepared
        .run(bench.context().with_results(shelf.clone()))
        .await;
    let reference = output.metadata.unwrap()["ref"].as_str().unwrap().to_owned();
    assert!(shelf.read(&reference).unwrap().ends_with(&body));
}

#[tokio::test]
async fn other_encodings_are_read_and_what_is_no_text_is_described() {
    let server = Server::start(vec![
        (
            "/latin",
            page(
                "200 OK",
                "Content-Type: text/plain; charset=ISO-8859-1\r\n",
                b"caf\xe9",
            ),
        ),
        (
            "/meta",
            page(
                "200 OK",
                "Content-Type: text/html\r\n",
                b"<meta charset=\"shift_jis\">\x93\xfa\x96\x7b",
            ),
        ),
        (
            "/png",
            page(
                "200 OK",
                "Content-Type: image/png\r\n",
                b"\x89PNG\r\n\x1a\n\0",
            ),
        ),
        (
            "/liar",
            page("200 OK", "Content-Type: text/plain\r\n", b"\x7fELF\0\0"),
        ),
        ("/none", page("200 OK", "", b"plain")),
        (
            "/empty",
            page("200 OK", "Content-Type: text/plain\r\n", b""),
        ),
        (
            "/zip",
            page(
                "200 OK",
                "Content-Encoding: gzip\r\nContent-Type: text/plain\r\n",
                b"x",
            ),
        ),
    ]);
    for (path, success, end) in [
        ("/latin", true, "café"),
        ("/meta", true, "日本"),
        (
            "/png",
            true,
            "[it is not text (image/png) and is not shown]",
        ),
        (
            "/liar",
            true,
            "[it is not text (ELF program or library) and is not shown]",
        ),
        ("/none", true, "plain"),
        ("/empty", true, "[it is empty]"),
        ("/zip", false, "which was not asked for"),
    ] {
        let output = server.fetch(path, json!({})).await;
        assert_eq!(output.success, success, "{path}: {}", output.text);
        assert!(output.text.ends_with(end), "{path}: {}", output.text);
    }
}

#[tokio::test]
async fn a_page_that_is_not_there_is_a_failure_with_its_text() {
    let body = b"nothing here";
    let server = Server::start(vec![(
        "/a",
        page("404 Not Found", "Content-Type: text/plain\r\n", body),
    )]);
    let output = server.fetch("/a", json!({})).await;
    assert!(
        !output.success && output.text.ends_with("nothing here"),
        "{}",
        output.text
    );
    assert_eq!(output.metadata.unwrap()["status"], 404);
}

#[tokio::test]
async fn a_host_that_does_not_answer_is_given_up_when_the_turn_is() {
    let server = Server::start(Vec::new());
    let bench = Bench::new();
    let url = server.url("/silence");
    let (cancel, asked) = (bench.cancel.clone(), server.asked);
    let watcher = thread::spawn(move || {
        asked.recv().unwrap();
        cancel.cancel();
    });
    let output = call(&bench, Reach::Loopback, json!({"url": url})).await;
    assert_eq!(
        (output.success, output.text.as_str()),
        (false, "stopped before its end")
    );
    watcher.join().unwrap();
}

#[tokio::test]
async fn a_host_that_does_not_answer_is_given_up_in_time() {
    let server = Server::start(Vec::new());
    let output = server.fetch("/silence", json!({"timeout_ms": 1})).await;
    assert!(
        output.text.contains("no whole answer within 1000 ms"),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn a_host_that_is_not_there_says_why() {
    let gone = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let input = json!({"url": format!("http://{gone}/")});
    let output = call(&Bench::new(), Reach::Loopback, input).await;
    assert!(output.text.contains("refused"), "{}", output.text);
}

#[tokio::test]
async fn what_is_no_address_of_the_web_is_refused() {
    let long = format!("https://example.org/{}", "x".repeat(URL_BYTES_MAX));
    for (url, why) in [
        ("", "give a whole address"),
        ("example.org", "give a whole address"),
        ("ftp://example.org/", "only http and https"),
        ("file:///etc/passwd", "only http and https"),
        ("data:text/plain,x", "only http and https"),
        ("https://user:word@example.org/", "user name or password"),
        (long.as_str(), "too long"),
    ] {
        let output = call(&Bench::new(), Reach::Public, json!({"url": url})).await;
        assert!(
            !output.success && output.text.contains(why),
            "{url}: {}",
            output.text
        );
    }
    let input = json!({"url": "https://example.org", "format": "pdf"});
    let output = call(&Bench::new(), Reach::Public, input).await;
    assert!(
        output.text.contains("unknown variant `pdf`"),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn the_host_is_what_is_asked_for() {
    let bench = Bench::new();
    for (url, name, port) in [
        ("https://EXAMPLE.org./a#b", "example.org", 443),
        ("http://example.org:8080", "example.org", 8080),
        ("http://[2606:4700::1111]/", "2606:4700::1111", 80),
    ] {
        let prepared = bench
            .prepare("fetch_url", json!({"url": url}))
            .await
            .unwrap();
        let host = Host {
            name: name.into(),
            port,
        };
        assert_eq!(prepared.demand, Demand::Fetch(host), "{url}");
    }
}
