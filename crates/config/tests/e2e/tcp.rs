//! Traffic generators over plain NICs: what is read, refused and warned of.

use crate::common::{check, fault, faults, json, new_warnings as warnings};
use packetloom_config::scenario::NicAttributes;
use packetloom_des::{Bytes, Rate};
use packetloom_traffic::generator::sizes::Sizes;
use serde_json::{Value, json as j};

const TCP: &str = "tcp-16-hosts";
const APPLICATION: &str = "/applications/0/typedParameters";
const ENTRIES: &str = "/topology/appDistribution/randomApplicationDistribution";

/// What is wrong once attributes of the application are replaced.
fn wrong(attributes: Value) -> Vec<String> {
    faults(TCP, &[(APPLICATION, attributes)])
}

#[test]
fn the_template_states_the_published_defaults() {
    let scenario = check(&json(TCP)).unwrap();
    assert_eq!(scenario.plan.hosts(), 16);
    assert_eq!(
        scenario.nics[0].attributes,
        NicAttributes::Ethernet(Default::default())
    );
    assert_eq!(scenario.nics[0].attributes.rate(), Rate::from_gbps(100));
    let application = &scenario.applications[0];
    assert_eq!(
        (application.client_ratio, application.server_ratio),
        (Some(0.5), Some(0.5))
    );
    let generator = application.attributes.generator().unwrap();
    assert_eq!(generator.attributes, Default::default());
    let request = Sizes::normal(Bytes(400), Bytes(3_000), Bytes(1_500)).unwrap();
    let reply = Sizes::normal(Bytes(1_000), Bytes(10_000), Bytes(6_000)).unwrap();
    assert_eq!((&generator.request, &generator.reply), (&request, &reply));
    let mut global = scenario.global;
    assert_eq!(global.simulation_parameters.run_time, 0.1);
    global.simulation_parameters.run_time = 0.5;
    assert_eq!(global, Default::default());
    // All links of the network, too, run at 100 Gbps, and a rack has as many up as down: 2 x 4 and 8.
    for switch in &scenario.switches {
        let interface = &switch.attributes.network_interface;
        let rates = [
            interface.uplink_network_interface.data_rate,
            interface.downlink_network_interface.data_rate,
        ];
        assert!(rates[1] == Rate::from_gbps(100) && (rates[0] == rates[1] || switch.name == "FabricSwitch"));
    }
    assert_eq!(scenario.switches[0].attributes.num_up_links_per_switch, 4);
}

#[test]
fn an_incast_comes_from_eight_servers_to_one_client() {
    let scenario = check(&json("tcp-incast")).unwrap();
    let placed = &scenario.placement().unwrap().applications[0];
    assert_eq!((placed.clients.len(), placed.servers.len()), (1, 8));
    let pfc = scenario.switches[0].attributes.shared_buffer_manager.enable_pfc;
    assert_eq!(pfc[0], 0, "TCP's class is lossy");
}

#[test]
fn attributes_out_of_range() {
    let at = "applications[0].typedParameters";
    assert_eq!(
        wrong(
            j!({ "NumConnections": 0, "RequestRate": 0, "ReplySizeMin": "0 B", "AverageReplySize": "0 B" })
        ),
        [
            format!("{at}.NumConnections: 0 is out of range; give 1 to 8"),
            format!("{at}.RequestRate: 0 is out of range; give more than 0 and at most 1000000000"),
            format!("{at}.ReplySizeMin: 0 B is out of range; give 1 B to 1000 GB"),
            format!("{at}.AverageReplySize: 0 B is out of range; give 1 B to 1000 GB"),
        ]
    );
    assert_eq!(
        wrong(j!({ "NumConnections": 9 })),
        [format!("{at}.NumConnections: 9 is out of range; give 1 to 8")]
    );
    assert_eq!(
        wrong(j!({ "RequestSizeDistribution": "pareto" })),
        [format!(
            "{at}.RequestSizeDistribution: \"pareto\" is not a known choice; give one of constant, uniform, normal, empirical"
        )]
    );
    assert_eq!(
        wrong(j!({ "TransferSize": "1 KB" })),
        [format!(
            "{at}.TransferSize: is not known here; known here: {}",
            "NumConnections, StartType, RequestRate, RequestSizeDistribution, ReplySizeDistribution, RequestSizeFile, \
             ReplySizeFile, RequestSizeMin, RequestSizeMax, AverageRequestSize, ReplySizeMin, ReplySizeMax, \
             AverageReplySize, BurstOnCycleTime, BurstOffCycleTime, ServerType, EnableTcpStats, CongestionControl, HyStart"
        )]
    );
}

#[test]
fn ids_are_those_of_the_application() {
    let entry =
        "topology.appDistribution.randomApplicationDistribution[1].distributionPercent.distributionId";
    let id = format!("{ENTRIES}/1/distributionPercent/distributionId");
    assert_eq!(
        fault(TCP, &[(&id, j!("prScalaRdmaResponder"))]),
        format!(
            "{entry}: \"prScalaRdmaResponder\" is no role of a ScalaTrafficGeneratorApplication; did you mean \
             \"prScalaTrafficServer\"?"
        )
    );
    assert_eq!(
        fault(TCP, &[(&id, j!("prScalaTrafficSever"))]),
        format!(
            "{entry}: \"prScalaTrafficSever\" is no role of a ScalaTrafficGeneratorApplication; did you mean \
             \"prScalaTrafficServer\"?"
        )
    );
    assert_eq!(
        fault(TCP, &[(&format!("{ENTRIES}/0/applicationType"), j!("server"))]),
        "topology.appDistribution.randomApplicationDistribution[0].applicationType: prScalaTrafficGenerator is the part \
         of a client, not of a server; make it \"client\""
    );
}

#[test]
fn a_role_that_is_missing() {
    let entries = json(TCP).pointer(ENTRIES).unwrap()[0].clone();
    let mut only = entries;
    only["distributionPercent"]["value"] = j!(1);
    assert_eq!(
        fault(TCP, &[(ENTRIES, j!([only]))]),
        "applications[0]: \"Tcp\" has no Server; add an entry to appDistribution with prScalaTrafficServer, or pin one to \
         a server"
    );
}

/// One rack, with the given parts of its hosts as clients and servers of 8 connections a pair.
fn rack(hosts: u64, clients: f64, servers: f64) -> String {
    let buffer = j!({ "HeadRoomPerPortLimit": "20 KB" });
    fault(
        "tcp-incast",
        &[
            ("/containers/0/components/1/count", j!(hosts)),
            ("/components/0/typedParameters/SharedBufferManager", buffer),
            (&format!("{ENTRIES}/0/distributionPercent/value"), j!(clients)),
            (&format!("{ENTRIES}/1/distributionPercent/value"), j!(servers)),
        ],
    )
}

#[test]
fn as_many_connections_as_there_are_ports() {
    // One client and 2,048 servers, 8 connections each: 16,384, all of the ports from 49,152.
    assert_eq!(rack(2_049, 0.0001, 0.9999), "");
    assert_eq!(
        rack(2_050, 0.0001, 0.9999),
        "applications: host ScalaHost-0-0-0-675 is the client of 16392 TCP connections; there are ports for at most 16384; \
         lower NumConnections, or raise the part of the hosts that runs clients"
    );
    // One server and 5,519 clients: 44,152, all of the ports from 5,000 up to those.
    assert_eq!(rack(5_520, 0.9999, 0.0001), "");
    assert_eq!(
        rack(5_521, 0.9999, 0.0001),
        "applications: host ScalaHost-0-0-0-269 is the server of 44160 TCP connections; there are ports for at most 44152; \
         lower NumConnections, or raise the part of the hosts that runs servers"
    );
}

#[test]
fn buffers_and_frames() {
    let nic = "components[2].typedParameters.NetworkInterface.EgressBufferManager.TotalBufferSize";
    let buffer = "/components/2/typedParameters/NetworkInterface/EgressBufferManager/TotalBufferSize";
    assert_eq!(
        fault(TCP, &[(buffer, j!("1535 B"))]),
        format!("{nic}: 1535 B is out of range; give 1536 B or more")
    );
    assert_eq!(fault(TCP, &[(buffer, j!("1536 B"))]), "");
    // 1,460 + 20 + 36 + 20 + 14 + 4 B.
    let mtu = "/globalParameters/DefaultNetworkParameters/GenericNetDevice/Mtu";
    assert_eq!(
        fault(TCP, &[(mtu, j!("1553 B"))]),
        "globalParameters.DefaultNetworkParameters.GenericNetDevice.Mtu: a TCP frame of up to 1554 B does not fit into \
         1553 B; give at least 1554 B"
    );
    assert_eq!(fault(TCP, &[(mtu, j!("1554 B"))]), "");
    // A pool of the switch holds a frame, of which 18 B are not charged.
    let map = j!([0.00000001, 0.1, 0, 0, 0, 0, 0, 0]);
    let path = "/components/0/typedParameters/SharedBufferManager/PoolAllocationMap";
    let faults = faults(TCP, &[(path, map)]);
    assert!(
        faults.len() == 1
            && faults[0].contains("pool 0 of class 0, the TCP class of \"Tcp\", holds 2 B")
            && faults[0].contains("less than a packet of 1536 B"),
        "{faults:?}"
    );
}

#[test]
fn the_record_of_connections_takes_two_attributes() {
    let on = "/globalParameters/SimulationParameters/EnableTcpStackReporting";
    let interval = "/globalParameters/SimulationParameters/TcpStackReportInterval";
    // Reports cover 1 + 2 + 100 + 1 ms.
    assert_eq!(warnings(TCP, &[(on, j!(true))]), [""; 0]);
    assert_eq!(
        warnings(TCP, &[(on, j!(true)), (interval, j!(1e-8))]),
        [
            "globalParameters.SimulationParameters.TcpStackReportInterval of 1e-8 s asks for 10,400,000 rows of tcp-stats \
             for each connection"
        ]
    );
    assert_eq!(
        warnings(TCP, &[(on, j!(true)), (interval, j!(0.2))]),
        [
            "globalParameters.SimulationParameters.TcpStackReportInterval of 0.2 s is longer than the 0.104 s of this run \
             that reports cover: there will be no row of tcp-stats for each connection"
        ]
    );
    assert_eq!(warnings(TCP, &[(interval, j!(1e-8))]), [""; 0], "off");
    for (name, changes) in [
        (
            TCP,
            vec![(on, j!(true)), (APPLICATION, j!({ "EnableTcpStats": false }))],
        ),
        ("rdma-one-rack", vec![(on, j!(true))]),
    ] {
        assert_eq!(
            warnings(name, &changes),
            [
                "tcp-stats is not written: globalParameters.SimulationParameters.EnableTcpStackReporting is true, but \
                 EnableTcpStats of no ScalaTrafficGeneratorApplication is"
            ]
        );
    }
}

#[test]
fn plain_nics_count_for_the_record_of_pools() {
    let nic = "/components/2/typedParameters/EnableBufferStats";
    assert_eq!(
        warnings(TCP, &[(nic, j!(true))]),
        [
            "net-buff-stats is not written: EnableBufferStats of Nic is true, but \
             globalParameters.SimulationParameters.EnableNetworkBufferStatsReporting is not"
        ]
    );
}

#[test]
fn a_whole_number_is_asked_for_within_its_range() {
    let at = "applications[0].typedParameters.NumConnections";
    for (value, fault) in [
        (j!(1.5), "1.5 is not a whole number"),
        (j!(-1), "-1 is negative"),
        (j!(""), "\"\" is not a whole number"),
    ] {
        assert_eq!(
            wrong(j!({ "NumConnections": value })),
            [format!("{at}: {fault}; give a whole number of 1 to 8")]
        );
    }
}

#[test]
fn a_lossy_limit_below_a_packet_is_warned_of() {
    // A full segment with 36 B of options: 20 + 20 + 36 + 1,460 = 1,536 B without Ethernet's 18 B. Headroom of 9 ports comes
    // off first: 0.9 of what is left is the pool of class 0.
    let buffer = "/components/0/typedParameters/SharedBufferManager";
    let limited = |attributes: Value| {
        let mut with = json("tcp-incast").pointer(buffer).cloned().unwrap_or(j!({}));
        for (name, value) in attributes.as_object().unwrap() {
            with[name] = value.clone();
        }
        warnings("tcp-incast", &[(buffer, with)])
    };
    // 9 ports: 8 MB - 9 x 64 KB = 7,424,000 B, of which the pool of class 0 has 0.9, 6,681,600 B.
    let said = |attribute: &str, limit: u64, remedy: &str| {
        vec![format!(
            "components[0].typedParameters.SharedBufferManager.{attribute}: even on an empty switch a queue of class 0, the \
             TCP class of \"Tcp\", holds at most {limit} B, less than its largest packet of 1536 B, which is always \
             dropped; {remedy}"
        )]
    };
    // 0.0002 x 6,681,600 = 1,336.3; 0.00023 x 6,681,600 = 1,536.8.
    assert_eq!(
        limited(j!({ "LossyAlpha": 0.0002 })),
        said("LossyAlpha", 1_336, "raise it or TotalSharedBufferSize")
    );
    assert_eq!(limited(j!({ "LossyAlpha": 0.00023 })), [""; 0]);
    let fixed = j!({ "LossyAlpha": 0.0, "QueueDropThresholdEnable": true, "PlaneBDP": "1535 B", "QueueDropThreshold": 1 });
    assert_eq!(
        limited(fixed),
        said("QueueDropThreshold", 1_535, "raise it or PlaneBDP")
    );
    // 585,216 - 576,000 = 9,216; 0.9 of it 8,294, of which each of 9 ports has 921.
    assert_eq!(
        limited(j!({ "LossyAlpha": 0.0, "TotalSharedBufferSize": "585216 B" })),
        said("TotalSharedBufferSize", 921, "raise it, or LossyAlpha above 0")
    );
    // A lossless queue has no such limit.
    assert_eq!(
        limited(j!({ "LossyAlpha": 0.0002, "EnablePFC": "[1,1,0,0,0,0,0,0]" }))
            .iter()
            .filter(|warning| warning.contains("even on an empty switch"))
            .count(),
        0
    );
}

#[test]
fn more_requests_than_memory_may_hold_are_warned_of() {
    // 64 connections for 1 + 2 + 100 ms: 64 x 1e9 x 0.103 = 6,592,000,000, at 48 B each 316.4 GB.
    assert_eq!(
        warnings(TCP, &[(APPLICATION, j!({ "RequestRate": 1e9 }))]),
        [
            "RequestRate of Tcp asks for some 6,592,000,000 requests in this run; those without \
             a reply take up to 48 B of memory each, 316 GB if the network cannot keep up"
        ]
    );
    // 64 x 1e7 x 0.103 = 65,920,000.
    assert_eq!(
        warnings(TCP, &[(APPLICATION, j!({ "RequestRate": 1e7 }))]),
        [""; 0]
    );
    // 1e9 a second for 10 us of each 100 us: about a tenth, 659 million.
    let bursts = j!({ "RequestRate": 1e9, "BurstOnCycleTime": "10us", "BurstOffCycleTime": "90us" });
    let warned = warnings(TCP, &[(APPLICATION, bursts)]);
    assert!(
        warned.len() == 1 && warned[0].contains("asks for some 659,"),
        "{warned:?}"
    );
}
