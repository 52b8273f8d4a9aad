//! The listener: accepts, serves, and ends in order.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use codewhale_protocol::Service;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use crate::connection::LocalAddress;
use crate::routes::{Door, router};
use crate::{Access, Options, limits};

/// The server could not begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Someone else listens there.
    #[error(
        "port {port} on {host} is in use; stop the other program or choose another port with --port"
    )]
    PortInUse {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// The address cannot be bound.
    #[error("cannot listen on {host}:{port}")]
    Bind {
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Without a token only this machine may reach it.
    #[error(
        "refusing to listen on {host} without a token: anyone who can reach it could run commands; leave --insecure out, or bind 127.0.0.1"
    )]
    OpenToOthers {
        /// The host.
        host: String,
    },
}

/// A bound server that has not begun to serve.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    closing: CancellationToken,
}

impl Server {
    /// Binds the address and puts the door together.
    pub async fn bind(service: Arc<dyn Service>, options: Options) -> Result<Self, StartError> {
        let (host, port) = (options.host.clone(), options.port);
        let bind_error = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => StartError::PortInUse {
                host: host.clone(),
                port,
            },
            _ => StartError::Bind {
                host: host.clone(),
                port,
                source,
            },
        };
        let listener = listen(&host, port).await.map_err(bind_error)?;
        let address = listener.local_addr().map_err(bind_error)?;
        if matches!(options.access, Access::Open) && !address.ip().is_loopback() {
            return Err(StartError::OpenToOthers { host });
        }
        let closing = CancellationToken::new();
        let door = Door::new(service, &options, address.port(), closing.clone());
        let router = router(door, options.page, options.mounts);
        Ok(Self {
            listener,
            address,
            router,
            closing,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends all event streams, so that the connections under them can end.
    pub fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    /// Serves until `stop` fires and the connections have ended.
    pub async fn serve(self, stop: CancellationToken) {
        let graceful = GracefulShutdown::new();
        let slots = Arc::new(Semaphore::new(limits::CONNECTIONS_MAX));
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                accepted = accept(&self.listener, &slots) => accepted,
            };
            match accepted {
                Ok((stream, slot)) => self.begin(stream, slot, &graceful),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(limits::ACCEPT_PAUSE).await;
                }
            }
        }
        drop(self.listener);
        let _ = tokio::time::timeout(limits::DRAIN, graceful.shutdown()).await;
    }

    fn begin(&self, stream: TcpStream, slot: OwnedSemaphorePermit, graceful: &GracefulShutdown) {
        let Ok(local) = stream.local_addr() else {
            return;
        };
        // Without this, small frames wait for the acknowledgement of the ones before.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits::WRITE_STALL));
        let mut router = self.router.clone();
        let service = tower_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(LocalAddress(local));
            router.call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits::HEAD_TIME)
            .max_buf_size(limits::BUFFER_BYTES_MAX)
            .serve_connection(
                TokioIo::new(Box::pin(stream)),
                TowerToHyperService::new(service),
            );
        let connection = graceful.watch(connection);
        #[expect(
            clippy::disallowed_methods,
            reason = "the accept loop owns its connections and waits for them when it stops"
        )]
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(slot);
        });
    }
}

/// Listens on the first address of the host that can be bound.
async fn listen(host: &str, port: u16) -> io::Result<TcpListener> {
    let mut failed = None;
    for address in tokio::net::lookup_host((host, port)).await? {
        match listen_on(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into()))
}

fn listen_on(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // As a server that was just stopped leaves its port behind.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Connections take this over from the socket they arrive on.
    socket.set_send_buffer_size(limits::SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(limits::BACKLOG)
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let slot = Arc::clone(slots)
        .acquire_owned()
        .await
        .map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, slot))
}

/// A tower service from a closure.
fn tower_fn<F, R>(call: F) -> TowerFn<F>
where
    F: FnMut(hyper::Request<Incoming>) -> R,
{
    TowerFn(call)
}

#[derive(Clone)]
struct TowerFn<F>(F);

impl<F, R, T, E> tower_service::Service<hyper::Request<Incoming>> for TowerFn<F>
where
    F: FnMut(hyper::Request<Incoming>) -> R,
    R: Future<Output = Result<T, E>>,
{
    type Response = T;
    type Error = E;
    type Future = R;

    fn poll_ready(
        &mut self,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: hyper::Request<Incoming>) -> R {
        (self.0)(request)
    }
}
