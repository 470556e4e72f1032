//! Platform and deployment files.

use packetloom_flow::{Deployment, HostId, Platform};

/// Longer inputs find nothing that shorter ones do not.
const LONGEST: usize = 1 << 14;
/// Numbers of more digits only make platforms large.
const MOST_DIGITS: usize = 3;
/// Between so many hosts routes are asked for.
const HOSTS: usize = 12;

/// Reads the text as a platform without files beside it, and as a deployment. A refusal is one line that begins with the name of
/// the file. What is accepted gives routes of links it has, the same when asked again, or says which two hosts have none.
pub fn platform(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(&data[..data.len().min(LONGEST)]) else {
        return;
    };
    if text
        .split(|c: char| !c.is_ascii_digit())
        .any(|number| number.len() > MOST_DIGITS)
    {
        return;
    }
    match Platform::parse(text, "platform", None) {
        Ok(platform) => routes(platform, text),
        Err(error) => one_line(&error.to_string(), "platform"),
    }
    match Deployment::parse(text, "deployment") {
        Ok(deployment) => assert!(!deployment.actors.is_empty(), "a deployment has an actor"),
        Err(error) => one_line(&error.to_string(), "deployment"),
    }
}

/// Asks for routes both in order and, of the same platform, in the opposite order.
fn routes(mut platform: Platform, text: &str) {
    let mut again = Platform::parse(text, "platform", None).expect("it was accepted before");
    let hosts = platform.hosts().len().min(HOSTS) as u32;
    let pairs = (0..hosts).flat_map(|from| (0..hosts).map(move |to| (HostId(from), HostId(to))));
    for (from, to) in pairs.clone() {
        match platform.route(from, to) {
            Ok(route) => {
                assert!(!route.links.is_empty(), "a route has a link");
                let links = platform.links();
                let latencies = route.links.iter().map(|link| links[link.0 as usize].latency);
                assert_eq!(route.latency, latencies.sum::<f64>());
            }
            Err(error) => {
                assert_ne!(from, to, "a host reaches itself");
                one_line(&error.to_string(), "platform: no route from ");
            }
        }
    }
    for (from, to) in pairs.collect::<Vec<_>>().into_iter().rev() {
        let (first, second) = (platform.route(from, to), again.route(from, to));
        assert_eq!(first.ok(), second.ok(), "the order of questions does not matter");
    }
}

fn one_line(message: &str, begins: &str) {
    assert!(message.starts_with(begins), "no file: {message}");
    assert!(!message.contains(['\n', '\r']), "more than a line: {message}");
}
