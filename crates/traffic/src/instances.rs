//! The instances of an application: one client and one server for each connection of each pair.

use crate::placement::AppPlacement;
use serde::{Deserialize, Serialize};

/// Where a host stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct HostPlace {
    /// Index of the pod.
    pub pod: u32,
    /// Index of the rack in the pod.
    pub rack: u32,
    /// Index of the server in the rack.
    pub server: u32,
}

/// One connection with its client instance and its server instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Instance {
    /// Index of the application.
    pub application: u32,
    /// Number among all instances of the run, from 1. The two sides of a connection share it.
    pub number: u32,
    /// Index of the client's host.
    pub client: u32,
    /// Index of the server's host.
    pub server: u32,
    /// Which pair of this client it belongs to, from 0.
    pub peer: u32,
    /// Which connection of the pair it is, from 0.
    pub connection: u32,
}

impl Instance {
    /// Name of the client instance of an RDMA application; `place` is that of the client's host.
    pub fn initiator_name(&self, place: HostPlace) -> String {
        self.name("RdmaInitiator", place)
    }

    /// Name of the server instance of an RDMA application; `place` is that of the server's host.
    pub fn responder_name(&self, place: HostPlace) -> String {
        self.name("RdmaResponder", place)
    }

    /// Name of the client instance of a traffic generator; `place` is that of the client's host.
    pub fn generator_client_name(&self, place: HostPlace) -> String {
        self.name("TrafficGeneratorClient", place)
    }

    /// Name of the server instance of a traffic generator; `place` is that of the server's host.
    pub fn generator_server_name(&self, place: HostPlace) -> String {
        self.name("TrafficGeneratorServer", place)
    }

    /// `{kind}-P:{pod}-R:{rack}-S:{server}-R:{peer}-C:{connection}-{number}`, the place being that of the instance.
    pub fn name(&self, kind: &str, place: HostPlace) -> String {
        let HostPlace { pod, rack, server } = place;
        let Instance {
            peer,
            connection,
            number,
            ..
        } = self;
        format!("{kind}-P:{pod}-R:{rack}-S:{server}-R:{peer}-C:{connection}-{number}")
    }
}

/// Instances of one application with `connections` for each pair, by client in host order, then pair, then
/// connection. The first gets the number `first_number`; the first application's is 1.
pub fn instances(
    application: u32,
    placement: &AppPlacement,
    connections: u32,
    first_number: u32,
) -> Vec<Instance> {
    let mut list = Vec::with_capacity(placement.pairs.len() * connections as usize);
    let mut number = first_number;
    let mut last = None;
    let mut peer = 0;
    for &(client, server) in &placement.pairs {
        peer = if last == Some(client) { peer + 1 } else { 0 };
        last = Some(client);
        for connection in 0..connections {
            list.push(Instance {
                application,
                number,
                client,
                server,
                peer,
                connection,
            });
            number += 1;
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement() -> AppPlacement {
        AppPlacement {
            clients: vec![1, 4],
            servers: vec![0, 2, 3],
            pairs: vec![(1, 3), (1, 0), (4, 2)],
        }
    }

    #[test]
    fn by_client_then_pair_then_connection() {
        let list = instances(2, &placement(), 2, 1);
        let places: Vec<_> = list
            .iter()
            .map(|i| (i.number, i.client, i.server, i.peer, i.connection))
            .collect();
        assert_eq!(
            places,
            [
                (1, 1, 3, 0, 0),
                (2, 1, 3, 0, 1),
                (3, 1, 0, 1, 0),
                (4, 1, 0, 1, 1),
                (5, 4, 2, 0, 0),
                (6, 4, 2, 0, 1)
            ]
        );
        assert!(list.iter().all(|instance| instance.application == 2));
    }

    #[test]
    fn numbers_go_on_in_the_next_application() {
        let list = instances(1, &placement(), 1, 7);
        assert_eq!(list.iter().map(|i| i.number).collect::<Vec<_>>(), [7, 8, 9]);
    }

    #[test]
    fn names_are_the_documented_ones() {
        let place = HostPlace {
            pod: 0,
            rack: 3,
            server: 24,
        };
        let instance = Instance {
            application: 0,
            number: 1554,
            client: 216,
            server: 5,
            peer: 0,
            connection: 0,
        };
        assert_eq!(
            instance.generator_client_name(place),
            "TrafficGeneratorClient-P:0-R:3-S:24-R:0-C:0-1554"
        );
        assert_eq!(
            instance.initiator_name(place),
            "RdmaInitiator-P:0-R:3-S:24-R:0-C:0-1554"
        );
        let place = HostPlace {
            pod: 0,
            rack: 0,
            server: 5,
        };
        assert_eq!(
            instance.responder_name(place),
            "RdmaResponder-P:0-R:0-S:5-R:0-C:0-1554"
        );
        assert_eq!(
            instance.generator_server_name(place),
            "TrafficGeneratorServer-P:0-R:0-S:5-R:0-C:0-1554"
        );
    }
}
