//! Another door that stands behind this one: it gets requests whose host, origin and token were checked.

use std::convert::Infallible;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use tower_service::Service;

use crate::routes::Door;

/// A service under a path of its own. The `Caller` of each request is among its extensions.
pub struct Mount {
    router: Router,
}

impl Mount {
    /// Puts a service under a path.
    pub fn new<S>(path: &'static str, service: S) -> Self
    where
        S: Service<Request, Error = Infallible> + Clone + Send + Sync + 'static,
        S::Response: IntoResponse,
        S::Future: Send + 'static,
    {
        let router = Router::new().route_service(path, service);
        Self { router }
    }

    pub(crate) fn into_routes(self) -> Router<Door> {
        self.router.with_state(())
    }
}
