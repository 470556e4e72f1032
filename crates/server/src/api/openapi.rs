//! The description of the API that is generated from it.

use utoipa::OpenApi;

/// What is not said at the routes.
#[derive(OpenApi)]
#[openapi(info(
    title = "Packetloom",
    description = "Simulations of datacenter fabrics: configurations, runs, results"
))]
struct Base;

pub(crate) fn base() -> utoipa::openapi::OpenApi {
    Base::openapi()
}
