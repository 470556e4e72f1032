//! A host as one node: its applications, its transport and its NIC; and the node of any kind.
//!
//! - `rdma`: a host with a RoCE NIC and its PCIe link, which carries RDMA initiators and responders
//! - `tcp`: a host with a plain NIC under TCP, which carries the traffic generator's clients and servers

pub mod rdma;
pub mod tcp;

use crate::observe::Observation;
use packetloom_des::{Context, Event, Node, Time};
use packetloom_fabric::frame::Frame;
use packetloom_fabric::loss::Losses;
use packetloom_fabric::port::Port;
use packetloom_fabric::switch::Switch;
use rdma::RdmaHost;
use serde::{Deserialize, Serialize};
use tcp::TcpHost;

/// A node of the simulated system.
#[derive(Clone, Debug, Serialize, Deserialize)]
// Nodes lie side by side in their partition; a box each would cost a cache miss an event.
#[allow(clippy::large_enum_variant)]
pub enum System {
    /// A switch.
    Switch(Switch),
    /// A host with a RoCE NIC.
    Rdma(RdmaHost),
    /// A host with a plain NIC under TCP.
    Tcp(TcpHost),
}

impl Node for System {
    type Message = Frame;
    type Observation = Observation;

    fn start<C: Context<Message = Frame, Observation = Observation>>(&mut self, context: &mut C) {
        match self {
            System::Switch(_) => {}
            System::Rdma(host) => host.start(context),
            System::Tcp(host) => host.start(context),
        }
    }

    #[inline]
    fn handle<C: Context<Message = Frame, Observation = Observation>>(
        &mut self,
        event: Event<Frame>,
        context: &mut C,
    ) {
        match self {
            System::Switch(switch) => switch.handle(event, context),
            System::Rdma(host) => host.handle(event, context),
            System::Tcp(host) => host.handle(event, context),
        }
    }
}

impl System {
    /// Frames that finished their serialization on a port of this node.
    pub fn packet_hops(&self) -> u64 {
        match self {
            System::Switch(switch) => switch.ports().iter().map(|port| port.counters.sent).sum(),
            System::Rdma(host) => host.nic().port().counters.sent,
            System::Tcp(host) => host.nic().port().counters.sent,
        }
    }

    /// Between windows: catches up with what has ended before `at` without an event.
    pub fn settle_before(&mut self, at: Time) {
        match self {
            System::Switch(switch) => switch.settle_before(at),
            System::Rdma(host) => host.nic_mut().settle_before(at),
            System::Tcp(host) => host.nic_mut().settle_before(at),
        }
    }

    /// Lets every transmission end with an event; the results are the same.
    pub fn set_eager(&mut self, eager: bool) {
        match self {
            System::Switch(switch) => switch.set_eager(eager),
            System::Rdma(host) => host.nic_mut().set_eager(eager),
            System::Tcp(host) => host.nic_mut().set_eager(eager),
        }
    }

    /// Loses frames on the links into this node, for tests.
    pub fn set_losses(&mut self, losses: Losses) {
        match self {
            System::Switch(switch) => switch.set_losses(losses),
            System::Rdma(host) => host.nic_mut().set_losses(losses),
            System::Tcp(host) => host.nic_mut().set_losses(losses),
        }
    }

    /// The port of a host to the network; none of a switch.
    pub fn host_port(&self) -> Option<&Port<Frame>> {
        match self {
            System::Switch(_) => None,
            System::Rdma(host) => Some(host.nic().port()),
            System::Tcp(host) => Some(host.nic().port()),
        }
    }

    /// The host with a RoCE NIC, if it is one.
    pub fn as_rdma(&self) -> Option<&RdmaHost> {
        match self {
            System::Rdma(host) => Some(host),
            System::Switch(_) | System::Tcp(_) => None,
        }
    }

    /// The host with a RoCE NIC, if it is one, to be changed between windows.
    pub fn as_rdma_mut(&mut self) -> Option<&mut RdmaHost> {
        match self {
            System::Rdma(host) => Some(host),
            System::Switch(_) | System::Tcp(_) => None,
        }
    }

    /// The host under TCP, if it is one.
    pub fn as_tcp(&self) -> Option<&TcpHost> {
        match self {
            System::Tcp(host) => Some(host),
            System::Switch(_) | System::Rdma(_) => None,
        }
    }

    /// The host under TCP, if it is one, to be changed between windows.
    pub fn as_tcp_mut(&mut self) -> Option<&mut TcpHost> {
        match self {
            System::Tcp(host) => Some(host),
            System::Switch(_) | System::Rdma(_) => None,
        }
    }

    /// The switch; a host is none.
    pub fn as_switch(&self) -> Option<&Switch> {
        match self {
            System::Switch(switch) => Some(switch),
            System::Rdma(_) | System::Tcp(_) => None,
        }
    }
}
