//! Documents with RDMA and TCP side by side.

use crate::common::{check, fault, json, new_warnings as warnings, with};
use packetloom_config::Scenario;
use packetloom_config::scenario::{ApplicationAttributes, NicKind};
use packetloom_traffic::placement::Role;
use serde_json::{Value, json as j};

const TCP: &str = "tcp-16-hosts";
const MIXED: &str = "mixed-rdma-tcp";
const PFC: &str = "/components/0/typedParameters/SharedBufferManager/EnablePFC";

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
