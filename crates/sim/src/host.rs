//! A host: its applications, its NIC and the PCIe link between them are one node; and the node of any kind.

use packetloom_des::{Context, Event, LazyTimer, Node, Time};
use packetloom_fabric::frame::Frame;
use packetloom_fabric::switch::Switch;
use packetloom_nic::roce::{FIRST_HOST_SLOT, RoceNic, Upcall};
use packetloom_traffic::rdma::{Completion, Initiators};
use serde::{Deserialize, Serialize};

/// The next connection starts.
const SLOT_START: u32 = FIRST_HOST_SLOT;
/// Data transfer starts.
const SLOT_DATA: u32 = FIRST_HOST_SLOT + 1;

/// A host with a RoCE NIC.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Host {
    nic: RoceNic,
    initiators: Initiators,
    starts: LazyTimer,
}

impl Host {
    /// A host that runs these initiators, which are the requesters of its NIC in the same order. Responders live in the NIC.
    pub fn new(nic: RoceNic, initiators: Initiators) -> Self {
        Host {
            nic,
            initiators,
            starts: LazyTimer::default(),
        }
    }

    /// The NIC.
    pub fn nic(&self) -> &RoceNic {
        &self.nic
    }

    /// The NIC, to be changed between windows.
    pub fn nic_mut(&mut self) -> &mut RoceNic {
        &mut self.nic
    }

    /// The initiators.
    pub fn initiators(&self) -> &Initiators {
        &self.initiators
    }

    fn start<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        self.await_start(context);
        if !self.initiators.is_empty() {
            context.set_timer(SLOT_DATA, 0, self.initiators.data_start());
        }
    }

    fn await_start<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        if let Some(at) = self.initiators.next_start() {
            self.starts.set(SLOT_START, at, context);
        }
    }

    #[inline]
    fn handle<C: Context<Message = Frame, Observation = Completion>>(
        &mut self,
        event: Event<Frame>,
        context: &mut C,
    ) {
        match event {
            Event::Timer {
                slot: SLOT_START,
                count,
            } => {
                if self.starts.due(SLOT_START, count, context) {
                    while let Some(connection) = self.initiators.start(context.now()) {
                        self.nic.connect(connection, context);
                    }
                    self.await_start(context);
                }
            }
            Event::Timer { slot: SLOT_DATA, .. } => {
                for connection in 0..self.initiators.len() as u32 {
                    self.post(connection, self.initiators.begin(connection), context);
                }
            }
            event => match self.nic.handle(event, context) {
                None => {}
                Some(Upcall::Connected(connection)) => {
                    let number = self.initiators.connected(connection, context.now());
                    self.post(connection, number, context);
                }
                Some(Upcall::Completed(connection)) => {
                    context.observe(self.initiators.complete(connection));
                    self.post(connection, 1, context);
                }
            },
        }
    }

    /// Posts work requests on a connection.
    fn post<C: Context<Message = Frame>>(&mut self, connection: u32, number: u64, context: &mut C) {
        for _ in 0..number {
            let (size, doorbell) = self.initiators.post(connection, context.now());
            self.nic.post(connection, size.0, doorbell.0, context);
        }
    }
}

/// A node of the simulated system.
#[derive(Clone, Debug, Serialize, Deserialize)]
// Nodes lie side by side in their partition; a box each would cost a cache miss an event.
#[allow(clippy::large_enum_variant)]
pub enum System {
    /// A switch.
    Switch(Switch),
    /// A host.
    Host(Host),
}

impl Node for System {
    type Message = Frame;
    type Observation = Completion;

    fn start<C: Context<Message = Frame, Observation = Completion>>(&mut self, context: &mut C) {
        match self {
            System::Switch(_) => {}
            System::Host(host) => host.start(context),
        }
    }

    #[inline]
    fn handle<C: Context<Message = Frame, Observation = Completion>>(
        &mut self,
        event: Event<Frame>,
        context: &mut C,
    ) {
        match self {
            System::Switch(switch) => switch.handle(event, context),
            System::Host(host) => host.handle(event, context),
        }
    }
}

impl System {
    /// Frames that finished their serialization on a port of this node.
    pub fn packet_hops(&self) -> u64 {
        match self {
            System::Switch(switch) => switch.ports().iter().map(|port| port.counters.sent).sum(),
            System::Host(host) => host.nic.port().counters.sent,
        }
    }

    /// Between windows: catches up with what has ended before `at` without an event.
    pub fn settle_before(&mut self, at: Time) {
        match self {
            System::Switch(switch) => switch.settle_before(at),
            System::Host(host) => host.nic.settle_before(at),
        }
    }

    /// Lets every transmission end with an event; the results are the same.
    pub fn set_eager(&mut self, eager: bool) {
        match self {
            System::Switch(switch) => switch.set_eager(eager),
            System::Host(host) => host.nic.set_eager(eager),
        }
    }

    /// The host; a switch is none.
    pub fn as_host(&self) -> Option<&Host> {
        match self {
            System::Host(host) => Some(host),
            System::Switch(_) => None,
        }
    }

    /// The switch; a host is none.
    pub fn as_switch(&self) -> Option<&Switch> {
        match self {
            System::Switch(switch) => Some(switch),
            System::Host(_) => None,
        }
    }
}
