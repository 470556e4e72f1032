//! Traffic generators over plain NICs: what is read, refused and warned of.

use crate::common::{check, fault, faults, json, with};
use packetloom_config::scenario::{ApplicationAttributes, NicAttributes, NicKind};
use packetloom_config::{Scenario, load};
use packetloom_des::{Bytes, Rate};
use packetloom_traffic::generator::sizes::Sizes;
use packetloom_traffic::placement::Role;
use serde_json::{Value, json as j};

const TCP: &str = "tcp-16-hosts";
const MIXED: &str = "mixed-rdma-tcp";
const APPLICATION: &str = "/applications/0/typedParameters";
const ENTRIES: &str = "/topology/appDistribution/randomApplicationDistribution";
const PFC: &str = "/components/0/typedParameters/SharedBufferManager/EnablePFC";

/// What is wrong once attributes of the application are replaced.
fn wrong(attributes: Value) -> Vec<String> {
    faults(TCP, &[(APPLICATION, attributes)])
}

fn warnings(name: &str, changes: &[(&str, Value)]) -> Vec<String> {
    let usual = check(&json(name)).unwrap().warnings;
    let scenario = check(&with(name, changes)).unwrap_or_else(|errors| panic!("{errors}"));
    let new = |warning: &String| !usual.contains(warning);
    scenario.warnings.into_iter().filter(new).collect()
}

fn sizes(scenario: &Scenario) -> (&Sizes, &Sizes) {
    let generator = scenario.applications[0].attributes.generator().unwrap();
    (&generator.request, &generator.reply)
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
    assert_eq!(sizes(&scenario), (&request, &reply));
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
fn each_application_runs_where_its_nic_is() {
    let scenario = check(&json(MIXED)).unwrap();
    let placed = scenario.placement().unwrap().applications;
    let nics: Vec<NicKind> = scenario
        .plan
        .servers()
        .map(|server| scenario.nics[server.nic].attributes.kind())
        .collect();
    for (application, placed) in scenario.applications.iter().zip(&placed) {
        assert_eq!((placed.clients.len(), placed.servers.len()), (4, 4));
        let needed = application.attributes.kind().nic();
        for &host in placed.clients.iter().chain(&placed.servers) {
            assert_eq!(nics[host as usize], needed, "{} on {host}", application.name);
        }
    }
    // Without entries, 1 is split over both roles of both applications.
    let scenario = check(&with(MIXED, &[("/topology/appDistribution", j!(null))])).unwrap();
    for application in &scenario.applications {
        let ratios = (application.client_ratio, application.server_ratio);
        assert_eq!(ratios, (Some(0.25), Some(0.25)));
    }
}

#[test]
fn a_scenario_with_both_survives_serialisation() {
    let scenario = check(&json(MIXED)).unwrap();
    assert!(matches!(
        scenario.applications[1].attributes,
        ApplicationAttributes::Generator(_)
    ));
    let text = serde_json::to_string(&scenario).unwrap();
    assert_eq!(serde_json::from_str::<Scenario>(&text).unwrap(), scenario);
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
fn sizes_that_cannot_be_drawn() {
    let at = "applications[0].typedParameters";
    for distribution in ["uniform", "normal"] {
        assert_eq!(
            wrong(j!({ "ReplySizeDistribution": distribution, "ReplySizeMin": "10001 B" })),
            [format!(
                "{at}.ReplySizeMin: the smallest size, 10001 B, is above the largest, 10000 B; lower the one or raise the other"
            )]
        );
    }
    // The window is 6,000 +- 3,000: 3,000 to 9,000.
    assert_eq!(
        wrong(j!({ "AverageRequestSize": "6 KB" })),
        [format!(
            "{at}.AverageRequestSize: no size is within 3000 B (the largest size) of the average, 6000 B, and at most \
             3000 B too; make the average less than 6000 B"
        )]
    );
    assert_eq!(wrong(j!({ "AverageRequestSize": "5 KB" })), [""; 0]);
    // A constant size is Min; the others are not used.
    assert_eq!(
        wrong(j!({ "ReplySizeDistribution": "constant", "ReplySizeMin": "1 MB" })),
        [""; 0]
    );
    // What could not be read is not judged by its default.
    assert_eq!(
        wrong(j!({ "ReplySizeMin": "20 KB", "ReplySizeMax": 30_000 })),
        [format!(
            "{at}.ReplySizeMax: 30000 has no unit; give one of B, KB, KiB, MB, MiB, GB, GiB"
        )]
    );
}

#[test]
fn files_of_probabilities() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("document.json");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let empirical = |file: &str| {
        let attributes = j!({ "ReplySizeDistribution": "empirical", "ReplySizeFile": file });
        write(
            "document.json",
            &with(TCP, &[(APPLICATION, attributes)]).to_string(),
        );
        load::check(&document, &[])
    };
    let refused = |file: &str| empirical(file).unwrap_err().to_string();
    let at = "applications[0].typedParameters.ReplySizeFile";
    let here = folder.path().display();
    let remedy = "name a file of cumulative probabilities";

    write("good.cdf", "# size, probability\n100 0.5\n200 1\n");
    let scenario = empirical("good.cdf").unwrap();
    let cdf = packetloom_traffic::generator::cdf::Cdf::parse("100 0.5\n200 1").unwrap();
    assert_eq!(*sizes(&scenario).1, Sizes::empirical(std::sync::Arc::new(cdf)));
    // Both ways to come from a file to a scenario look in its folder, and an absolute path is one anywhere.
    let by_steps = packetloom_config::validate(&load::load(&document).unwrap());
    assert_eq!(by_steps.unwrap(), scenario);
    assert!(empirical(&format!("{here}/good.cdf")).is_ok());

    assert_eq!(
        wrong(j!({ "ReplySizeDistribution": "empirical" })),
        [format!(
            "{at}: is missing, though ReplySizeDistribution is empirical; {remedy}"
        )]
    );
    let remedy = format!("{remedy}, as seen from the folder of the document");
    assert_eq!(
        refused("no.cdf"),
        format!("{at}: {here}/no.cdf: there is no such file; {remedy}")
    );
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    assert_eq!(
        refused("folder"),
        format!("{at}: {here}/folder: is not a file; {remedy}")
    );
    std::fs::write(folder.path().join("binary"), [0xff, 0xfe]).unwrap();
    assert_eq!(
        refused("binary"),
        format!("{at}: {here}/binary: is not text in UTF-8; {remedy}")
    );
    assert_eq!(
        refused("a\u{0}b"),
        format!("{at}: {here}/a\\u{{0}}b: is not a path of a file; {remedy}")
    );
    write("empty.cdf", "# nothing\n");
    assert!(refused("empty.cdf").starts_with(&format!("{at}: {here}/empty.cdf, line 1: ")));
    write("falls.cdf", "100 0.5\n200 0.4\n300 1\n");
    assert!(refused("falls.cdf").starts_with(&format!("{at}: {here}/falls.cdf, line 2: ")));
    write("short.cdf", "100 0.5\n200 0.9\n");
    assert_eq!(
        refused("short.cdf"),
        format!(
            "{at}: {here}/short.cdf, line 2: the last cumulative probability is 0.9; end with the largest size and 1"
        )
    );

    // A file without the distribution is not read.
    let unused = j!({ "RequestSizeFile": "no.cdf" });
    assert_eq!(
        warnings(TCP, &[(APPLICATION, unused)]),
        [
            "applications[0].typedParameters.RequestSizeFile has no effect: RequestSizeDistribution is normal, not empirical"
        ]
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

/// The mixed document with applications held by its servers: of RDMA at 3, of TCP at 4, and nothing drawn.
fn pinned(rdma: &[&str], tcp: &[&str]) -> Value {
    let mut value = json(MIXED);
    value["topology"]["appDistribution"] = j!(null);
    let place = |value: &mut Value, name: &str, application: &str, count: usize| {
        let position = value["components"].as_array().unwrap().iter();
        let server = position.clone().position(|c| c["name"] == name).unwrap();
        let mut copy = value["components"][server].clone();
        let held = copy["components"].as_array_mut().unwrap();
        held.push(j!({
            "name": application, "type": "application",
            "parentApplicationName": if application.contains("Traffic") { "Tcp" } else { "Rdma" }
        }));
        copy["name"] = j!(format!("{name}{count}"));
        let server = j!({ "name": format!("{name}{count}"), "type": "server", "count": 1 });
        value["components"].as_array_mut().unwrap().push(copy);
        let rack = value["containers"][0]["components"].as_array_mut().unwrap();
        rack.push(server);
    };
    for (count, application) in rdma.iter().enumerate() {
        place(&mut value, "RdmaServer", application, count);
    }
    for (count, application) in tcp.iter().enumerate() {
        place(&mut value, "TcpServer", application, count);
    }
    value
}

#[test]
fn pins_name_the_roles_of_their_application() {
    let value = pinned(
        &["Initiator", "Responder"],
        &["TrafficClient", "a TrafficServer here"],
    );
    let scenario = check(&value).unwrap();
    let pins: Vec<(usize, Role)> = scenario
        .plan
        .servers()
        .flat_map(|server| &server.pinned)
        .map(|pin| (pin.application, pin.role))
        .collect();
    let rack = [
        (0, Role::Client),
        (0, Role::Server),
        (1, Role::Client),
        (1, Role::Server),
    ];
    assert_eq!(pins, [rack, rack].concat());
    let tcp = &scenario.placement().unwrap().applications[1];
    assert_eq!(
        (&*tcp.clients, &*tcp.servers, tcp.pairs.len()),
        (&[10, 22][..], &[11, 23][..], 2)
    );

    // Each kind of application has names of its own.
    let value = pinned(
        &["Initiator", "Responder"],
        &["Traffic Initiator", "TrafficServer"],
    );
    assert_eq!(
        check(&value).unwrap_err().to_string().lines().next().unwrap(),
        "components[8].components[1].name: \"Traffic Initiator\" does not tell the role; use the name of an entry of \
         appDistribution, or Client or Server"
    );
}

#[test]
fn a_pin_to_a_server_with_another_nic() {
    let value = pinned(
        &["Initiator", "Responder", "TrafficClient"],
        &["TrafficServer", "TrafficClient"],
    );
    assert_eq!(
        check(&value).unwrap_err().to_string(),
        "components[8].components[1]: server \"RdmaServer2\" cannot run \"Tcp\": its NIC \"RoceNic\" is a ScalaRoceNic, and a \
         ScalaTrafficGeneratorApplication runs over a ScalaNic; give the server a ScalaNic, or pin it to another"
    );
}

#[test]
fn no_server_with_the_nic_of_an_application() {
    let rack = "/containers/0/components";
    assert_eq!(
        fault(MIXED, &[(&format!("{rack}/2/name"), j!("RdmaServer"))]),
        "applications[1]: \"Tcp\" runs on servers with a ScalaNic, and there is none; give servers a ScalaNic"
    );
    // Too few of them: a quarter of 16 for each role, but 2 + 2 in all.
    let few = [
        (&*format!("{rack}/1/count"), j!(6)),
        (&*format!("{rack}/2/count"), j!(2)),
    ];
    assert_eq!(
        fault(MIXED, &few),
        "topology.appDistribution: the ratios ask for 8 hosts that run `Tcp`, but only 4 of the hosts without a pinned \
         application have a NIC for TCP; give more hosts such a NIC, or change the ratios"
    );
    // With a NIC that cannot be read, nothing is said of what may be there.
    let unknown = [("/components/3/model", j!("ScalaNik"))];
    assert_eq!(
        fault(MIXED, &unknown),
        "components[3].model: \"ScalaNik\" is not a known model; did you mean \"ScalaNic\"?"
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
        "applications: a host is the client of 16392 TCP connections; there are ports for at most 16384; lower \
         NumConnections, or raise the part of the hosts that runs clients"
    );
    // One server and 5,519 clients: 44,152, all of the ports from 5,000 up to those.
    assert_eq!(rack(5_520, 0.9999, 0.0001), "");
    assert_eq!(
        rack(5_521, 0.9999, 0.0001),
        "applications: a host is the server of 44160 TCP connections; there are ports for at most 44152; lower \
         NumConnections, or raise the part of the hosts that runs servers"
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
fn headroom_at_the_rate_of_the_hosts() {
    // At 100 Gbps and 500 ns: 2 x 12.5 B/ns x 500 ns + 2 x 1,554 + 84 B = 15,692 B.
    let headroom = "/components/0/typedParameters/SharedBufferManager/HeadRoomPerPortLimit";
    assert_eq!(
        warnings(TCP, &[(headroom, j!("15691 B"))]),
        [
            "components[0].typedParameters.SharedBufferManager.HeadRoomPerPortLimit of 15691 B may not hold what arrives \
             after a pause: a link of 100 Gbps with a delay of 500 ns needs 15692 B"
        ]
    );
    assert_eq!(warnings(TCP, &[(headroom, j!("15692 B"))]), [""; 0]);
    // A lossy class needs none.
    let lossy = j!([0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(warnings(TCP, &[(headroom, j!("0 B")), (PFC, lossy)]), [""; 0]);
    // In the mixed network only RDMA is lossless, whose frames are larger: 2 x 50 x 500 + 2 x 4,154 + 84 = 58,392 B.
    let [below] = [warnings(MIXED, &[(headroom, j!("58391 B"))])];
    assert!(
        below.len() == 1 && below[0].contains("a link of 400 Gbps with a delay of 500 ns needs 58392 B"),
        "{below:?}"
    );
    assert_eq!(warnings(MIXED, &[(headroom, j!("58392 B"))]), [""; 0]);
}

#[test]
fn tcp_and_rdma_in_each_others_way() {
    let data = "/applications/0/typedParameters/RdmaDataPacketTC";
    let nic = "/components/2/typedParameters/NetworkInterface";
    let pools = j!([0.8, 0.1, 0.1, 0, 0, 0, 0, 0]);
    let shared = [
        (data, j!(0)),
        (
            &*format!("{nic}/EgressBufferManager/PoolAllocationVector"),
            pools.clone(),
        ),
    ];
    assert_eq!(
        warnings(MIXED, &shared),
        [
            "applications[0].typedParameters.RdmaDataPacketTC is 0, the class of the TCP traffic of \"Tcp\": they share \
             queues, pools and pauses"
        ]
    );
    let mapping = "/components/0/typedParameters/SharedBufferManager/TrafficClassPoolMapping";
    assert_eq!(
        warnings(MIXED, &[(mapping, j!([1, 1, 2, 0, 0, 0, 0, 0]))]),
        [
            "components[0].typedParameters.SharedBufferManager.TrafficClassPoolMapping puts class 1, which is lossless \
             (EnablePFC), and class 0, which is not, into pool 1: it may be full of the latter and drop the former"
        ]
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
            "globalParameters.SimulationParameters.TcpStackReportInterval of 2e-1 s is longer than the 1.04e-1 s of this run \
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
