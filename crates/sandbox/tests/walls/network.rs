//! Tries to speak to others.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use codewhale_sandbox::{Command, Confinement, End, Loopback, State, Walls, probe, run, start};
use tokio_util::sync::CancellationToken;

use crate::escapes::{python, refused};
use crate::lab::Lab;

#[tokio::test]
async fn nobody_outside_is_spoken_to() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let name = format!("codewhale-{}", std::process::id());
    let nameless = SocketAddr::from_abstract_name(&name).unwrap();
    let _nameless = UnixListener::bind_addr(&nameless).unwrap();
    let (tcp_port, udp_port) = (
        tcp.local_addr().unwrap().port(),
        udp.local_addr().unwrap().port(),
    );
    let each = [
        format!("exec 3<>/dev/tcp/127.0.0.1/{tcp_port} && echo ESCAPED"),
        format!("curl -sm 2 telnet://127.0.0.1:{tcp_port} </dev/null && echo ESCAPED"),
        python(&format!(
            "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.sendto(b'out', ('127.0.0.1', {udp_port}))"
        )),
        python(&format!(
            "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('\\0{name}')\nprint('ESCAPED')"
        )),
        "exec 3<>/dev/tcp/1.1.1.1/53 && echo ESCAPED".into(),
        python("import socket\nprint('ESCAPED', socket.getaddrinfo('example.org', 80))"),
        python(
            "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_RAW, 1)\nprint('ESCAPED')",
        ),
        python("import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nprint('ESCAPED')"),
        python(
            "import socket\nsocket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)\nprint('ESCAPED')",
        ),
        python(
            "import socket\nsocket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)\nprint('ESCAPED')",
        ),
        python(
            "import socket\ns = socket.socket(socket.AF_INET6)\ns.connect(('2606:4700::1111', 53))\nprint('ESCAPED')",
        ),
        "ip link add dummy0 type dummy && echo ESCAPED".into(),
    ];
    let scripts: Vec<&str> = each.iter().map(String::as_str).collect();
    refused(&scripts).await;
    assert!(udp.recv(&mut [0; 8]).is_err(), "a datagram came out");
    tcp.set_nonblocking(true).unwrap();
    assert!(tcp.accept().is_err(), "a connection came out");
}

#[tokio::test]
async fn sockets_of_services_are_out_of_reach() {
    let path = format!("/tmp/codewhale-{}.sock", std::process::id());
    let _listener = UnixListener::bind(&path).unwrap();
    let speak = python(&format!(
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('{path}')\nprint('ESCAPED')"
    ));
    let place = tempfile::TempDir::new_in("/var/tmp").unwrap();
    fs::set_permissions(place.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let elsewhere = place.path().join("service.sock");
    let _elsewhere = UnixListener::bind(&elsewhere).unwrap();
    let speak_elsewhere = speak.replace(&path, elsewhere.to_str().unwrap());
    refused(&[&speak, &speak_elsewhere]).await;
    if probe().namespaces {
        Lab::new().with_network().refuses(&speak_elsewhere).await;
    }
    fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn with_the_network_granted_only_the_network_is() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    for lab in [Lab::new(), Lab::without_namespaces()] {
        let lab = lab.with_network();
        lab.says(
            &format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached"),
            "reached\n",
        )
        .await;
        lab.refuses("cat $SECRETS/secret; echo x > .git/config && echo ESCAPED")
            .await;
        lab.refuses(&python(
            "import socket\nsocket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)\nprint('ESCAPED')",
        ))
        .await;
    }
}

#[tokio::test]
async fn commands_that_share_a_loopback_reach_each_other_and_nobody_else() {
    assert!(
        probe().namespaces,
        "this takes user namespaces: {:?}",
        probe().missing
    );
    let lab = Lab::new();
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    let walls = || {
        Walls::Confined(Confinement {
            loopback: None,
            ..Confinement::workspace(&lab.workspace)
        })
    };
    let loopback = std::sync::Arc::new(Loopback::default());
    let shared = || match walls() {
        Walls::Confined(confinement) => Walls::Confined(Confinement {
            loopback: Some(loopback.clone()),
            ..confinement
        }),
        Walls::Open => unreachable!("these walls are confined"),
    };
    let command = |script: &str, walls| Command {
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        walls,
        ..Command::new("/bin/bash", &lab.workspace)
    };
    let serve = "python3 -S -c 'import socket as s; l = s.create_server((\"127.0.0.1\", 4711)); \
                 print(\"up\", flush=True); c = l.accept()[0]; c.sendall(b\"hello\"); c.close()'";
    let server = start(command(serve, shared())).await.unwrap();
    while !server.output().text.contains("up") {
        assert_eq!(server.state(), State::Running, "{}", server.output().text);
        server.wait(std::time::Duration::from_millis(10)).await;
    }
    let call = "timeout 5 cat < /dev/tcp/127.0.0.1/4711";
    let cancel = CancellationToken::new();
    let stranger = run(command(call, walls()), &cancel).await.unwrap();
    assert_ne!(stranger.end, End::Exited(0), "{}", stranger.output.text);
    let neighbour = run(command(call, shared()), &cancel).await.unwrap();
    assert_eq!(
        (neighbour.end, &*neighbour.output.text),
        (End::Exited(0), "hello")
    );
    let escape = format!("timeout 5 cat < /dev/tcp/127.0.0.1/{port}");
    let escape = run(command(&escape, shared()), &cancel).await.unwrap();
    assert_ne!(escape.end, End::Exited(0), "{}", escape.output.text);
}
