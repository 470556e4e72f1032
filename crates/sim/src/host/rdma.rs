//! A host with a RoCE NIC: its applications, its NIC and the PCIe link between them are one node.

use crate::observe::Observation;
use packetloom_des::{Context, Event, LazyTimer};
use packetloom_fabric::frame::Frame;
use packetloom_nic::roce::{FIRST_HOST_SLOT, RoceNic, Upcall};
use packetloom_traffic::rdma::Initiators;
use serde::{Deserialize, Serialize};

/// The next connection starts.
const SLOT_START: u32 = FIRST_HOST_SLOT;
/// Data transfer starts.
const SLOT_DATA: u32 = FIRST_HOST_SLOT + 1;

/// A host with a RoCE NIC.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RdmaHost {
    nic: RoceNic,
    initiators: Initiators,
    starts: LazyTimer,
}

impl RdmaHost {
    /// A host that runs these initiators, which are the requesters of its NIC in the same order. Responders live in the NIC.
    pub fn new(nic: RoceNic, initiators: Initiators) -> Self {
        RdmaHost {
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

    pub(super) fn start<C: Context<Message = Frame>>(&mut self, context: &mut C) {
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
    pub(super) fn handle<C: Context<Message = Frame, Observation = Observation>>(
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
                    context.observe(Observation::Completion(self.initiators.complete(connection)));
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
