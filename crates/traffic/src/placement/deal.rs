//! Dealing shuffled hosts to components, each of which may run on some of them only.

use super::{Transport, Transports};

/// A host in the deck.
#[derive(Clone, Copy, Debug)]
pub(super) struct Card {
    pub host: u32,
    pub transports: Transports,
}

/// What a component asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub transport: Transport,
    /// How many hosts.
    pub count: u64,
}

/// How many hosts all components that need `transport` ask for.
pub(super) fn demand(needs: &[Need], transport: Transport) -> u64 {
    let those = needs.iter().filter(|need| need.transport == transport);
    those.map(|need| need.count).sum()
}

/// The hosts of each need. There must be enough of them for each transport and in all.
///
/// Each need in turn goes through what is left of the deck, from the front, and takes a host that offers its transport.
/// A host that offers others too is passed over while all that offer one of these are needed for it: so everybody finds
/// hosts. When every host offers every transport nothing is ever passed over.
pub(super) fn deal(needs: &[Need], mut deck: Vec<Card>) -> Vec<Vec<u32>> {
    let mut demands = Transport::ALL.map(|transport| demand(needs, transport));
    let mut supplies = Transport::ALL.map(|transport| {
        let able = deck.iter().filter(|card| card.transports.offers(transport));
        able.count() as u64
    });
    let mut dealt = Vec::with_capacity(needs.len());
    for need in needs {
        let mut taken = Vec::with_capacity(need.count as usize);
        deck.retain(|card| {
            let takes = (taken.len() as u64) < need.count
                && card.transports.offers(need.transport)
                && (Transport::ALL.iter().enumerate()).all(|(i, &other)| {
                    other == need.transport || !card.transports.offers(other) || supplies[i] > demands[i]
                });
            if takes {
                taken.push(card.host);
                for (i, &transport) in Transport::ALL.iter().enumerate() {
                    supplies[i] -= u64::from(card.transports.offers(transport));
                    demands[i] -= u64::from(transport == need.transport);
                }
            }
            !takes
        });
        debug_assert_eq!(taken.len() as u64, need.count, "the caller has counted {needs:?}");
        dealt.push(taken);
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;
    use Transport::{Rdma, Tcp};
    use proptest::prelude::*;

    fn deck(all: &[Transports]) -> Vec<Card> {
        let cards = all.iter().zip(0..);
        cards
            .map(|(&transports, host)| Card { host, transports })
            .collect()
    }

    fn need(transport: Transport, count: u64) -> Need {
        Need { transport, count }
    }

    #[test]
    fn hosts_that_can_run_everything_are_dealt_from_the_front() {
        let needs = [need(Rdma, 2), need(Tcp, 1), need(Rdma, 2)];
        let dealt = deal(&needs, deck(&[Transports::ALL; 6]));
        assert_eq!(dealt, [vec![0, 1], vec![2], vec![3, 4]]);
    }

    #[test]
    fn each_component_passes_over_hosts_that_it_cannot_run_on() {
        let (r, t) = (Transports::RDMA, Transports::TCP);
        let needs = [need(Tcp, 1), need(Tcp, 2), need(Rdma, 1), need(Rdma, 1)];
        let dealt = deal(&needs, deck(&[r, t, r, r, t, t]));
        assert_eq!(dealt, [vec![1], vec![4, 5], vec![0], vec![2]]);
    }

    #[test]
    fn a_host_that_another_component_cannot_do_without_is_passed_over() {
        // Host 0 is the only one for TCP.
        let dealt = deal(
            &[need(Rdma, 1), need(Tcp, 1)],
            deck(&[Transports::ALL, Transports::RDMA]),
        );
        assert_eq!(dealt, [vec![1], vec![0]]);
        // With a second for TCP it is free.
        let dealt = deal(
            &[need(Rdma, 1), need(Tcp, 1)],
            deck(&[Transports::ALL, Transports::RDMA, Transports::TCP]),
        );
        assert_eq!(dealt, [vec![0], vec![2]]);
    }

    proptest! {
        #[test]
        fn everybody_finds_hosts_when_there_are_enough(
            cards in prop::collection::vec((any::<bool>(), any::<bool>()), 0..30),
            asked in prop::collection::vec((any::<bool>(), 0u64..6), 0..8),
        ) {
            let all: Vec<Transports> =
                cards.iter().map(|&(rdma, tcp)| Transports { rdma, tcp }).collect();
            let needs: Vec<Need> =
                asked.iter().map(|&(tcp, count)| need(if tcp { Tcp } else { Rdma }, count)).collect();
            let supply = |able: fn(&Transports) -> bool| all.iter().filter(|t| able(t)).count() as u64;
            prop_assume!(demand(&needs, Rdma) <= supply(|t| t.rdma));
            prop_assume!(demand(&needs, Tcp) <= supply(|t| t.tcp));
            prop_assume!(demand(&needs, Rdma) + demand(&needs, Tcp) <= supply(|t| t.rdma || t.tcp));
            let dealt = deal(&needs, deck(&all));
            let mut seen = vec![false; all.len()];
            for (need, hosts) in needs.iter().zip(&dealt) {
                prop_assert_eq!(hosts.len() as u64, need.count);
                for &host in hosts {
                    prop_assert!(all[host as usize].offers(need.transport));
                    prop_assert!(!std::mem::replace(&mut seen[host as usize], true), "dealt twice");
                }
            }
        }
    }
}
