//! What a NIC keeps only if a record wants it, and the reading of it between windows.

use super::RoceNic;
use crate::pcie::LaneReport;
use crate::pools::Pools;
use packetloom_des::Time;

impl RoceNic {
    /// Counts from now on what goes through the pools. To be called before the run.
    pub fn observe_pools(&mut self) {
        self.egress.observe();
        self.ingress.observe();
    }

    /// The receive pools and the transmit pools, to be reported on between windows.
    pub fn pools_mut(&mut self) -> [&mut Pools; 2] {
        [&mut self.ingress, &mut self.egress]
    }

    /// Counts from now on what goes over the host link. To be called before the run.
    pub fn observe_pcie(&mut self) {
        self.to_host.observe();
        self.from_host.observe();
    }

    /// What has gone over the host link before `now`, NIC to host first, if that was to be counted; the next interval starts.
    pub fn report_pcie(&mut self, now: Time) -> Option<[LaneReport; 2]> {
        Some([self.to_host.report(now)?, self.from_host.report(now)?])
    }
}
