//! What the applications send: classes and sizes of frames.

use super::Parts;
use super::components::Declared;
use crate::scenario::{Application, ApplicationAttributes, NicAttributes, NicKind};
use packetloom_fabric::frame::{ACK_SIZE, DATA_OVERHEAD};
use packetloom_nic::roce::attributes::RoceNicAttributes;
use packetloom_tcp::segment::{MOST_SACK_BLOCKS, MSS, Options, Segment};
use std::collections::BTreeSet;

/// The class of TCP, whose frames carry DSCP 0.
pub(super) const TCP_CLASS: usize = 0;

/// What an application sends in one class.
pub(super) struct Traffic {
    /// What it is, as in "the data class of".
    pub what: &'static str,
    pub class: usize,
    /// The largest frame on the wire, in bytes.
    pub frame: u64,
}

/// The largest TCP frame on the wire, in bytes: a full segment with as many SACK blocks as there may be, 1,554.
pub(super) fn largest_tcp_frame() -> u64 {
    let options = Options::Sack {
        blocks: Default::default(),
        count: MOST_SACK_BLOCKS as u8,
    };
    let segment = Segment {
        payload: MSS,
        options,
        ..Segment::default()
    };
    u64::from(segment.wire_size())
}

impl Parts<'_> {
    /// The attributes of a RoCE NIC, if it is one.
    pub fn roce(&self, nic: usize) -> Option<&RoceNicAttributes> {
        self.declared.nics[nic].component.attributes.roce()
    }

    /// The largest payload of the packets of a NIC; 0 of one without RDMA.
    pub fn mss(&self, nic: usize) -> u64 {
        self.roce(nic).map_or(0, |nic| nic.scala_roce_qp_manager.mss.0)
    }

    /// The largest payload of all RDMA packets; 0 without a host.
    pub fn largest_mss(&self) -> u64 {
        let nics: BTreeSet<usize> = self.plan.servers().map(|server| server.nic).collect();
        nics.into_iter().map(|nic| self.mss(nic)).max().unwrap_or(0)
    }

    /// Whether every NIC's MSS is what the document says, not a stand-in.
    pub fn know_mss(&self) -> bool {
        let at = |nic: &Declared<_>| format!("{}.ScalaRoceQpManager.MSS", nic.path);
        self.declared.nics.iter().all(|nic| !self.known.cover(&at(nic)))
    }

    /// Whether the classes of an application are what the document says, not stand-ins.
    pub fn know_classes(&self, application: &Declared<Application>) -> bool {
        let whole = application.path.trim_end_matches(".typedParameters");
        ![
            "model",
            "typedParameters.RdmaDataPacketTC",
            "typedParameters.RdmaControlPacketTC",
        ]
        .iter()
        .any(|part| self.known.cover(&format!("{whole}.{part}")))
    }

    /// What an application sends, with `mss` as the largest payload of RDMA; each class once.
    pub fn traffic(&self, application: &Application, mss: u64) -> Vec<Traffic> {
        // A class out of range was reported and left at its default; this only keeps the index safe.
        let class = |class: u64| (class as usize).min(7);
        match &application.attributes {
            ApplicationAttributes::Rdma(rdma) => {
                let (data, control) = (
                    class(rdma.rdma_data_packet_tc),
                    class(rdma.rdma_control_packet_tc),
                );
                let packet = mss + DATA_OVERHEAD;
                let mut all = vec![Traffic {
                    what: "data",
                    class: data,
                    frame: if data == control {
                        packet.max(ACK_SIZE)
                    } else {
                        packet
                    },
                }];
                if control != data {
                    all.push(Traffic {
                        what: "control",
                        class: control,
                        frame: ACK_SIZE,
                    });
                }
                all
            }
            ApplicationAttributes::Generator(_) => vec![Traffic {
                what: "TCP",
                class: TCP_CLASS,
                frame: largest_tcp_frame(),
            }],
        }
    }

    /// The largest frame that a host with this NIC sends or receives, in bytes.
    pub fn largest_frame(&self, nic: &NicAttributes, mss: u64) -> u64 {
        match nic.kind() {
            // An ACK is larger than a packet of little payload.
            NicKind::Roce => (mss + DATA_OVERHEAD).max(ACK_SIZE),
            NicKind::Ethernet => largest_tcp_frame(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_segment_with_four_sack_blocks() {
        // Ethernet 14, IPv4 20, TCP 20, options 2 + 4 x 8 padded to 36, payload 1,460, frame check 4.
        assert_eq!(largest_tcp_frame(), 14 + 20 + 20 + 36 + 1_460 + 4);
    }
}
