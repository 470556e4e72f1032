//! The hosts with their NICs, applications and connections.

use super::Layout;
use crate::host::System;
use crate::host::rdma::RdmaHost;
use crate::host::tcp::{FIRST_CLIENT_PORT, FIRST_SERVER_PORT, Peer, TcpHost};
use crate::run::RunOptions;
use packetloom_config::scenario::{ApplicationAttributes, GeneratorApplication, NicAttributes, Scenario};
use packetloom_des::Time;
use packetloom_fabric::ecmp::{flow_crc, source_port, tcp_flow_crc};
use packetloom_fabric::frame::HostId;
use packetloom_nic::ethernet::EthernetNic;
use packetloom_nic::roce::{self, RoceNic};
use packetloom_records::Record;
use packetloom_tcp::{Connection, Settings};
use packetloom_traffic::generator::{Client, ClientPlan, GAPS, SIZES, Server};
use packetloom_traffic::instances::Instance;
use packetloom_traffic::rdma::{ConnectionPlan, Initiators};
use packetloom_traffic::rdma_attributes::RdmaApplicationAttributes;
use packetloom_traffic::timeline::ConnectionName;

/// A host that is being put together.
// There is one a host, for as long as the network is put together.
#[allow(clippy::large_enum_variant)]
enum Draft {
    Rdma(RdmaDraft),
    Tcp(TcpHost),
}

/// A host with a RoCE NIC that is being put together.
struct RdmaDraft {
    nic: RoceNic,
    plans: Vec<ConnectionPlan>,
    responders: u32,
}

/// All hosts, each with its ends of connections in instance order.
pub(super) fn hosts(layout: &Layout, scenario: &Scenario, options: &RunOptions) -> Vec<System> {
    let mut drafts: Vec<Draft> = (0..layout.topology.hosts.len())
        .map(|index| draft(layout, scenario, options, index))
        .collect();
    let counts = layout.placements.iter().zip(&scenario.applications);
    let counts: Vec<u64> = counts
        .map(|(placement, application)| {
            placement.pairs.len() as u64 * application.attributes.num_connections()
        })
        .collect();
    let mut counted = vec![0; counts.len()];
    for (number, instance) in layout.instances.iter().enumerate() {
        let application = instance.application as usize;
        let index = counted[application];
        counted[application] += 1;
        let start = start_of(layout, scenario, instance, index, counts[application]);
        let of = Of {
            instance,
            number: number as u32,
            start,
        };
        match &scenario.applications[application].attributes {
            ApplicationAttributes::Rdma(attributes) => connect_rdma(&mut drafts, &of, attributes),
            ApplicationAttributes::Generator(application) => {
                connect_tcp(layout, scenario, options, &mut drafts, &of, application);
            }
        }
    }
    let data_start = layout.timeline.data_start();
    drafts
        .into_iter()
        .map(|draft| match draft {
            Draft::Rdma(RdmaDraft { nic, plans, .. }) => {
                System::Rdma(RdmaHost::new(nic, Initiators::new(plans, data_start)))
            }
            Draft::Tcp(host) => System::Tcp(host),
        })
        .collect()
}

/// A host with its NIC and no connection yet.
fn draft(layout: &Layout, scenario: &Scenario, options: &RunOptions, index: usize) -> Draft {
    let global = &scenario.global.simulation_parameters;
    let writes = |record| options.records.contains(&record);
    let pools = writes(Record::NetBuffStats) && global.enable_network_buffer_stats_reporting;
    let pcie = writes(Record::PcieStats) && global.enable_pcie_stats_logging;
    let host = &layout.topology.hosts[index];
    let (id, rate, delay) = (HostId(index as u32), host.port.rate, host.port.delay);
    match &scenario.nics[host.component as usize].attributes {
        NicAttributes::Roce(attributes) => {
            let mut nic = RoceNic::new(id, attributes, rate, delay);
            nic.set_first_psn(options.first_psn);
            if pools && attributes.enable_buffer_stats {
                nic.observe_pools();
            }
            if pcie {
                nic.observe_pcie();
            }
            Draft::Rdma(RdmaDraft {
                nic,
                plans: Vec::new(),
                responders: 0,
            })
        }
        NicAttributes::Ethernet(attributes) => {
            let mut nic = EthernetNic::new(id, attributes, rate, delay);
            if pools && attributes.enable_buffer_stats {
                nic.observe_pools();
            }
            Draft::Tcp(TcpHost::new(id, nic))
        }
    }
}

/// What is the same at both ends of a connection.
struct Of<'a> {
    instance: &'a Instance,
    /// Place among all instances of the run.
    number: u32,
    start: Time,
}

fn start_of(layout: &Layout, scenario: &Scenario, instance: &Instance, index: u64, count: u64) -> Time {
    let application = &scenario.applications[instance.application as usize];
    application.attributes.start_type().start(
        &layout.timeline,
        scenario.seed,
        name(&application.name, instance),
        index,
        count,
    )
}

/// What a connection's random draws are for.
fn name<'a>(application: &'a str, instance: &Instance) -> ConnectionName<'a> {
    ConnectionName {
        application,
        client: instance.client,
        server: instance.server,
        connection: instance.connection,
    }
}

fn connect_rdma(drafts: &mut [Draft], of: &Of<'_>, attributes: &RdmaApplicationAttributes) {
    let Of {
        instance,
        number,
        start,
    } = *of;
    let peer = |from: u32, to: u32, queue_pair, responder: bool| {
        let (source, destination) = (HostId(from), HostId(to));
        let identity = queue_pair_identity(instance.application, instance.connection, responder);
        let source_port = source_port(source, destination, identity);
        roce::Peer {
            host: destination,
            queue_pair,
            source_port,
            flow: flow_crc(source, destination, source_port),
            data_class: attributes.rdma_data_packet_tc as u8,
            control_class: attributes.rdma_control_packet_tc as u8,
        }
    };
    let (client, server) = (instance.client, instance.server);
    let responder = {
        let draft = rdma(drafts, server);
        draft.responders += 1;
        RoceNic::responder_number(draft.responders - 1)
    };
    let draft = rdma(drafts, client);
    let requester = RoceNic::requester_number(draft.plans.len() as u32);
    draft.plans.push(ConnectionPlan {
        instance: number,
        start,
        pending: attributes.max_pending_wqes,
        size: attributes.transfer_size,
        doorbell: attributes.doorbell_payload_size,
    });
    draft.nic.add_requester(peer(client, server, responder, false));
    rdma(drafts, server)
        .nic
        .add_responder(peer(server, client, requester, true));
}

/// The host an initiator or a responder is placed on.
fn rdma(drafts: &mut [Draft], host: u32) -> &mut RdmaDraft {
    match &mut drafts[host as usize] {
        Draft::Rdma(draft) => draft,
        Draft::Tcp(_) => unreachable!("initiators and responders are placed on hosts with a RoCE NIC"),
    }
}

/// The host a client or a server of the traffic generator is placed on.
fn tcp(drafts: &mut [Draft], host: u32) -> &mut TcpHost {
    match &mut drafts[host as usize] {
        Draft::Tcp(host) => host,
        Draft::Rdma(_) => unreachable!("clients and servers are placed on hosts with a plain NIC"),
    }
}

/// What tells a queue pair from others between the same two hosts, as 32 bits: its end, its application, its connection.
/// Connections are fewer than 2^16, and so are applications.
fn queue_pair_identity(application: u32, connection: u32, responder: bool) -> u32 {
    (responder as u32) << 31 | application << 16 | connection
}

fn connect_tcp(
    layout: &Layout,
    scenario: &Scenario,
    options: &RunOptions,
    drafts: &mut [Draft],
    of: &Of<'_>,
    application: &GeneratorApplication,
) {
    let instance = of.instance;
    let given = &application.attributes;
    let settings = Settings {
        congestion: given.congestion_control,
        hystart: given.hystart,
        ..Settings::default()
    };
    let (client, server) = (instance.client, instance.server);
    let client_port = FIRST_CLIENT_PORT + tcp(drafts, client).clients().len() as u16;
    let ports = [
        client_port,
        FIRST_SERVER_PORT + tcp(drafts, server).servers().len() as u16,
    ];
    let peer = |from: u32, to: u32, [source_port, destination_port]: [u16; 2]| Peer {
        host: HostId(to),
        flow: tcp_flow_crc(HostId(from), HostId(to), source_port, destination_port),
        source_port,
        destination_port,
    };
    let stream = |purpose| {
        let application = &scenario.applications[instance.application as usize].name;
        name(application, instance).stream(scenario.seed, purpose)
    };
    let recording = layout.timeline.recording;
    let plan = ClientPlan {
        instance: of.number,
        start: of.start,
        end: recording.1,
        rate: given.request_rate,
        on: given.burst_on_cycle_time,
        off: given.burst_off_cycle_time,
        request: application.request.clone(),
        reply: application.reply.clone(),
    };
    tcp(drafts, client).add_client(
        Client::new(plan, stream(SIZES), stream(GAPS)),
        Connection::client(&settings, options.first_sequence),
        peer(client, server, ports),
    );
    tcp(drafts, server).add_server(
        Server::new(
            application.request.clone(),
            application.reply.clone(),
            stream(SIZES),
            recording,
        ),
        Connection::server(&settings, options.first_sequence),
        peer(server, client, [ports[1], ports[0]]),
    );
}
