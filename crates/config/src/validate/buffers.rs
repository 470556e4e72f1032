//! The NICs: buffers, pools and the PCIe link must hold what the applications send.

use super::Parts;
use super::applications::Uses;
use super::components::Declared;
use super::traffic::largest_tcp_frame;
use crate::scenario::{NicComponent, NicKind};
use packetloom_des::Bytes;
use packetloom_fabric::frame::{ACK_SIZE, DATA_OVERHEAD, ETHERNET_HEADER, FRAME_CHECK};
use packetloom_nic::pcie::{TRANSFER_OVERHEAD, TRANSFER_PAYLOAD, transfers};
use packetloom_nic::roce::PSN_MODULUS;
use packetloom_nic::roce::attributes::{PcieInterface, QueueScheduling, RoceNicAttributes};
use packetloom_params::Errors;
use packetloom_params::decimal::share_of;
use packetloom_params::units::SIZE;
use packetloom_traffic::rdma::DOORBELL_HEADERS;
use packetloom_traffic::rdma_attributes::RdmaApplicationAttributes;
use std::collections::BTreeSet;

/// What a buffer does not charge of a frame.
const UNCHARGED: u64 = ETHERNET_HEADER + FRAME_CHECK;
/// Sequence numbers have 24 bits; a message takes less than half of them.
const PACKETS: u64 = PSN_MODULUS as u64 / 2;

const MTU: &str = "globalParameters.DefaultNetworkParameters.GenericNetDevice.Mtu";
const NIC_SIDE: &str = "HostInterface.NICSide.PCIeGen3.0.NicDeviceLayer.NicPCIeInterface.TransactionLayer";
const HOST_SIDE: &str =
    "HostInterface.HostSide.PCIeGen3.0.ScalaHostPCIeDeviceLayer.HostPCIeInterface.TransactionLayer";

fn size(bytes: u64) -> String {
    SIZE.show(bytes, None)
}

pub(super) fn check(parts: &Parts, errors: &mut Errors) {
    let &Parts {
        global,
        declared,
        plan,
        applications,
        uses,
        known,
    } = parts;
    let know_mtu = !known.cover(MTU);
    let mtu = global.default_network_parameters.generic_net_device.mtu.0;
    let frame = largest_tcp_frame();
    let plain = |nic: &Declared<NicComponent>| nic.component.attributes.kind() == NicKind::Ethernet;
    if know_mtu && mtu < frame && declared.nics.iter().any(plain) {
        errors.push(
            MTU,
            format!("a TCP frame of up to {frame} B does not fit into {mtu} B"),
            format!("give at least {frame} B"),
        );
    }
    for nic in &declared.nics {
        // A plain NIC has one transmit buffer and no other; what that must hold is in the range of its size.
        let Some(given) = nic.component.attributes.roce() else {
            continue;
        };
        pools(&nic.path, given, errors);
        quanta(&nic.path, given, errors);
        let mss = given.scala_roce_qp_manager.mss.0;
        if know_mtu && mss + DATA_OVERHEAD >= mtu {
            errors.push(
                format!("{}.ScalaRoceQpManager.MSS", nic.path),
                format!(
                    "a packet of {mss} B with {DATA_OVERHEAD} B of headers is not below the Mtu of {mtu} B"
                ),
                match mtu.checked_sub(DATA_OVERHEAD + 1) {
                    Some(most) if most > 0 => format!("give at most {most} B, or raise GenericNetDevice.Mtu"),
                    _ => "raise GenericNetDevice.Mtu".to_owned(),
                },
            );
        }
    }
    if !parts.know_mss() {
        return;
    }
    let used: BTreeSet<usize> = plan.servers().map(|server| server.nic).collect();
    let largest = parts.largest_mss();
    let doorbell = applications
        .iter()
        .filter_map(|application| application.component.attributes.rdma())
        .map(|rdma| rdma.doorbell_payload_size.0 + DOORBELL_HEADERS)
        .max()
        .unwrap_or(0);
    for &nic in &used {
        if let Some(attributes) = parts.roce(nic) {
            pcie(&declared.nics[nic].path, attributes, largest, doorbell, errors);
        }
    }
    for (application, uses) in applications.iter().zip(uses) {
        let Some(rdma) = application.component.attributes.rdma() else {
            continue;
        };
        if parts.know_classes(application) {
            let name = &application.component.name;
            classes(name, rdma, parts, uses, errors);
            weights(name, rdma, parts, uses, errors);
        }
        packets(&application.path, rdma, parts, uses, errors);
    }
}

/// The rules for pools: those that are there come first, and there is one.
fn pools(at: &str, nic: &RoceNicAttributes, errors: &mut Errors) {
    let network = &nic.network_interface;
    for (buffer, vector) in [
        (
            "IngressBufferManager",
            &network.ingress_buffer_manager.pool_allocation_vector,
        ),
        (
            "EgressBufferManager",
            &network.egress_buffer_manager.pool_allocation_vector,
        ),
    ] {
        let path = format!("{at}.NetworkInterface.{buffer}.PoolAllocationVector");
        let there = vector.iter().filter(|&&part| part > 0.0).count();
        if there == 0 {
            errors.push(path, "all entries are 0", "give at least the first class a pool");
        } else if vector[..there].contains(&0.0) {
            errors.push(
                path,
                "a pool comes after an entry of 0",
                "put the entries above 0 first, without a gap",
            );
        }
    }
}

/// A class that pauses its sender must ask for some time: a pause of 0 quanta is a resume.
fn quanta(at: &str, nic: &RoceNicAttributes, errors: &mut Errors) {
    let manager = &nic.network_interface.ingress_buffer_manager;
    for class in 0..8 {
        let pauses = manager.pfc_enable_vector[class] == 1 && manager.pool_allocation_vector[class] > 0.0;
        if pauses && manager.quanta_value[class] == 0 {
            errors.push(
                format!("{at}.NetworkInterface.IngressBufferManager.QuantaValue"),
                format!("class {class} pauses its sender (PFCEnableVector) for 0 quanta"),
                "give it 1 to 65535 quanta, or set its entry of PFCEnableVector to 0",
            );
        }
    }
}

/// Each class of an application needs pools in the buffers it passes through.
fn classes(name: &str, rdma: &RdmaApplicationAttributes, parts: &Parts, uses: &Uses, errors: &mut Errors) {
    let data = rdma.rdma_data_packet_tc;
    let control = rdma.rdma_control_packet_tc;
    let mut needs = Vec::new();
    for &nic in &uses.clients {
        needs.push((nic, "Egress", data, "data", parts.mss(nic) + DATA_OVERHEAD));
    }
    // Any initiator may write to any responder.
    let largest = uses.clients.iter().map(|&nic| parts.mss(nic)).max().unwrap_or(0);
    for &nic in &uses.servers {
        needs.push((nic, "Ingress", data, "data", largest + DATA_OVERHEAD - UNCHARGED));
    }
    for nic in uses.both() {
        // Control packets may exceed their transmit pool, but need one.
        needs.push((nic, "Egress", control, "control", 1));
        needs.push((nic, "Ingress", control, "control", ACK_SIZE - UNCHARGED));
    }
    for (nic, buffer, class, what, least) in needs {
        let (declared, Some(attributes)) = (&parts.declared.nics[nic], parts.roce(nic)) else {
            continue;
        };
        // A class out of range was reported and left at its default; this only keeps the index safe.
        let class = (class as usize).min(7);
        let network = &attributes.network_interface;
        let (total, part) = match buffer {
            "Egress" => {
                let manager = &network.egress_buffer_manager;
                (manager.total_buffer_size, manager.pool_allocation_vector[class])
            }
            _ => {
                let manager = &network.ingress_buffer_manager;
                (manager.total_buffer_size, manager.pool_allocation_vector[class])
            }
        };
        let held = share_of(total, part).0;
        if held >= least {
            continue;
        }
        let path = format!("{}.NetworkInterface.{buffer}BufferManager", declared.path);
        if parts.known.cover(&format!("{path}.PoolAllocationVector")) {
            continue;
        }
        let of = format!("class {class}, the {what} class of \"{name}\"");
        if part == 0.0 {
            let message = format!("there is no pool for {of}");
            errors.push(
                format!("{path}.PoolAllocationVector"),
                message,
                format!("give entry {class} a part of the buffer, or change the class of the application"),
            );
        } else {
            let message = format!(
                "the pool of {of} holds {}, less than the {} of a packet",
                size(held),
                size(least)
            );
            errors.push(format!("{path}.TotalBufferSize"), message, "give a larger buffer");
        }
    }
}

/// With weights, a class that sends has one: one of 0 is never its turn.
fn weights(name: &str, rdma: &RdmaApplicationAttributes, parts: &Parts, uses: &Uses, errors: &mut Errors) {
    let (data, control) = (rdma.rdma_data_packet_tc, rdma.rdma_control_packet_tc);
    for nic in uses.both() {
        let (declared, Some(attributes)) = (&parts.declared.nics[nic], parts.roce(nic)) else {
            continue;
        };
        let manager = &attributes.network_interface.egress_buffer_manager;
        if manager.queue_scheduling_type != QueueScheduling::WeightedRoundRobin {
            continue;
        }
        let mut sent = vec![(control, "control")];
        if uses.clients.contains(&nic) && data != control {
            sent.push((data, "data"));
        }
        for (class, what) in sent {
            if manager.wrr_queue_weights[(class as usize).min(7)] == 0 {
                errors.push(
                    format!(
                        "{}.NetworkInterface.EgressBufferManager.WRRQueueWeights",
                        declared.path
                    ),
                    format!(
                        "class {class}, the {what} class of \"{name}\", has weight 0 and would never be sent"
                    ),
                    format!(
                        "give entry {class} a weight of 1 or more, or change the class of the application"
                    ),
                );
            }
        }
    }
}

/// A message takes less than half of the sequence numbers.
fn packets(at: &str, rdma: &RdmaApplicationAttributes, parts: &Parts, uses: &Uses, errors: &mut Errors) {
    let transfer = rdma.transfer_size.0;
    let Some(mss) = uses.clients.iter().map(|&nic| parts.mss(nic)).min() else {
        return;
    };
    let count = transfer.div_ceil(mss.max(1));
    if count >= PACKETS {
        errors.push(
            format!("{at}.TransferSize"),
            format!(
                "{} are {count} packets of {mss} B; a message has less than {PACKETS}",
                size(transfer)
            ),
            format!("give at most {} B, or raise MSS", (PACKETS - 1) * mss),
        );
    }
}

/// The buffers of the PCIe link hold a transfer, and those that send hold a whole message.
fn pcie(at: &str, attributes: &RoceNicAttributes, largest: u64, doorbell: u64, errors: &mut Errors) {
    let host = &attributes.host_interface;
    let own = attributes.scala_roce_qp_manager.mss.0;
    let request = host.nic_side.nic_pcie_handler.read_request_size.0;
    // The NIC writes what arrives, which other NICs have cut, and asks for what it sends; the host answers that.
    let up = [("a packet's payload", largest), ("a read request", request)];
    let down = [("a packet's payload", own), ("a doorbell", doorbell)];
    let nic_side = &host.nic_side.pcie_gen3.nic_device_layer.nic_pcie_interface;
    let host_side = &host
        .host_side
        .pcie_gen3
        .scala_host_pcie_device_layer
        .host_pcie_interface;
    side(at, NIC_SIDE, nic_side, &up, &down, errors);
    side(at, HOST_SIDE, host_side, &down, &up, errors);
}

fn side(
    path: &str,
    layer: &str,
    interface: &PcieInterface,
    sent: &[(&str, u64)],
    received: &[(&str, u64)],
    errors: &mut Errors,
) {
    let buffers = &interface.transaction_layer;
    let mut need = |attribute: &str, given: Bytes, what: &str, least: u64| {
        if given.0 < least {
            errors.push(
                format!("{path}.{layer}.{attribute}"),
                format!("{} do not hold {what} of {least} B", size(given.0)),
                format!("give {least} B or more"),
            );
        }
    };
    // The first of equals is named.
    let (what, message) = largest_of(sent);
    let headers = transfers(message) * TRANSFER_OVERHEAD;
    need("TXDataBufferSize", buffers.tx_data_buffer_size, what, message);
    need(
        "TXHeaderBufferSize",
        buffers.tx_header_buffer_size,
        &format!("the headers of {what}"),
        headers,
    );
    let (_, message) = largest_of(received);
    need(
        "RXDataBufferSize",
        buffers.rx_data_buffer_size,
        "a transfer",
        message.min(TRANSFER_PAYLOAD),
    );
    need(
        "RXHeaderBufferSize",
        buffers.rx_header_buffer_size,
        "the header of a transfer",
        TRANSFER_OVERHEAD,
    );
}

fn largest_of<'a>(messages: &[(&'a str, u64)]) -> (&'a str, u64) {
    let mut best = ("a message", 0);
    for &message in messages {
        if message.1 > best.1 {
            best = message;
        }
    }
    best
}
