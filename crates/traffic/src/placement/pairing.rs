//! Pairing the clients of an application with its servers.

use super::{PlacementError, Role};
use packetloom_des::random::Stream;

/// Pairs `clients` with `servers`, both in host order, so that each is in at least one pair and none with itself.
///
/// 1. Each client in turn takes a server that no other has yet, picked at random among those on other hosts. The list
///    of servers to pick from starts in host order; the last of it takes the place of one that is picked.
/// 2. Once every server on another host has a client, each further client picks any server on another host.
/// 3. Each server left over, in host order, gets a client on another host picked at random.
///
/// A pick that names the client's own host is drawn again.
pub(super) fn pair(
    application: &str,
    clients: &[u32],
    servers: &[u32],
    stream: &mut Stream,
) -> Result<Vec<(u32, u32)>, PlacementError> {
    let missing = match (clients.is_empty(), servers.is_empty()) {
        (true, true) => return Ok(Vec::new()),
        (true, false) => Some(Role::Client),
        (false, true) => Some(Role::Server),
        (false, false) => None,
    };
    if let Some(missing) = missing {
        return Err(PlacementError::OneSided {
            application: application.to_owned(),
            missing,
        });
    }
    let alone = |role, host| PlacementError::OnlyItself {
        application: application.to_owned(),
        role,
        host,
    };

    // Servers of each client, by its position.
    let mut taken: Vec<Vec<u32>> = vec![Vec::new(); clients.len()];
    let mut free = servers.to_vec();
    for (client, taken) in clients.iter().zip(&mut taken) {
        let server = match pick(stream, &free, *client) {
            Some(position) => free.swap_remove(position),
            None => servers[pick(stream, servers, *client).ok_or_else(|| alone(Role::Client, *client))?],
        };
        taken.push(server);
    }
    free.sort_unstable();
    for server in free {
        let client = pick(stream, clients, server).ok_or_else(|| alone(Role::Server, server))?;
        taken[client].push(server);
    }
    let pairs = clients.iter().zip(taken);
    Ok(pairs
        .flat_map(|(&client, servers)| servers.into_iter().map(move |server| (client, server)))
        .collect())
}

/// Position in `hosts` of one picked at random, other than `not`; `None` if there is no other.
fn pick(stream: &mut Stream, hosts: &[u32], not: u32) -> Option<usize> {
    match hosts {
        [] => return None,
        [only] if *only == not => return None,
        _ => {}
    }
    // A host appears once, so a list of two or more holds another.
    loop {
        let position = stream.below(hosts.len() as u64) as usize;
        if hosts[position] != not {
            return Some(position);
        }
    }
}
