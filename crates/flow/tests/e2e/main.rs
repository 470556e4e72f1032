//! Platform and deployment files as their users write them.

mod clusters;
mod faults;
mod files;
mod hostile;
mod quito;
mod routes;
mod settings;
mod zones;

use packetloom_flow::{HostId, Platform};

/// A platform of version 4.1 around some elements.
fn document(inner: &str) -> String {
    format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n{inner}\n</platform>\n"
    )
}

/// The platform of some elements.
fn platform(inner: &str) -> Platform {
    Platform::parse(&document(inner), "p.xml", None).unwrap_or_else(|error| panic!("{error}"))
}

/// The message with which some elements are refused. Their first line is line 4.
fn refusal(inner: &str) -> String {
    match Platform::parse(&document(inner), "p.xml", None) {
        Ok(_) => panic!("accepted: {inner}"),
        Err(error) => error.to_string(),
    }
}

fn host(platform: &Platform, name: &str) -> HostId {
    platform.host(name).unwrap_or_else(|| panic!("no host {name}"))
}

/// The names of the links from one host to another, with spaces between them.
fn route(platform: &mut Platform, from: &str, to: &str) -> String {
    let (from, to) = (host(platform, from), host(platform, to));
    let route = platform.route(from, to).unwrap_or_else(|error| panic!("{error}"));
    let names = route.links.iter();
    let names: Vec<&str> = names
        .map(|link| platform.links()[link.0 as usize].name.as_str())
        .collect();
    names.join(" ")
}

/// The message for a route that is not there.
fn no_route(platform: &mut Platform, from: &str, to: &str) -> String {
    let (from, to) = (host(platform, from), host(platform, to));
    platform.route(from, to).expect_err("no route").to_string()
}
