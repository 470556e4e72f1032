//! What is accepted: shorthand, pins, defaults of ratios, overrides, and any document in its full form.

use crate::common::{check, fault, json, with};
use packetloom_config::scenario::PinnedRole;
use packetloom_config::{catalog, document, overrides, template, validate};
use packetloom_des::{Bytes, Rate, Span};
use packetloom_fabric::switch::attributes::EcmpHashMethod;
use packetloom_traffic::placement::Role;
use serde_json::json as j;

const ONE: &str = "rdma-one-rack";

#[test]
fn plain_values_stand_for_leaves() {
    let scenario = check(&with(
        ONE,
        &[
            (
                "/components/1/typedParameters/NetworkInterface/UplinkNetworkInterface/DataRate",
                j!("200Gbps"),
            ),
            (
                "/components/1/typedParameters/ScalaRoceQpManager/MSS",
                j!("1024 B"),
            ),
            ("/components/1/typedParameters/ECNHandler/EnableECN", j!(false)),
            (
                "/components/0/typedParameters/SharedBufferManager/PoolAllocationMap",
                j!("0.9, 0.1, 0, 0, 0, 0, 0, 0"),
            ),
            (
                "/components/0/typedParameters/LoadBalancingStatsReportInterval",
                j!("0.5 ms"),
            ),
            ("/globalParameters/SimulationParameters/RunTime", j!(0.02)),
            (
                "/globalParameters/DefaultNetworkParameters/GenericNetDevice/Mtu",
                j!({"type": "uint", "value": 4184}),
            ),
        ],
    ))
    .unwrap();
    let nic = scenario.nics[0].attributes.roce().unwrap();
    assert_eq!(
        nic.network_interface.uplink_network_interface.data_rate,
        Rate::from_gbps(200)
    );
    assert_eq!(nic.scala_roce_qp_manager.mss, Bytes(1024));
    assert!(!nic.ecn_handler.enable_ecn);
    assert_eq!(
        scenario.switches[0]
            .attributes
            .load_balancing_stats_report_interval,
        Span::from_us(500)
    );
    assert_eq!(scenario.global.simulation_parameters.run_time, 0.02);
    assert!(
        !scenario
            .warnings
            .iter()
            .any(|warning| warning.contains("EnableECN"))
    );
}

#[test]
fn every_way_to_pick_among_equal_cost_ports() {
    for &method in EcmpHashMethod::ALL {
        let path = "/components/0/typedParameters/EcmpHashMethod";
        let scenario = check(&with(ONE, &[(path, j!(method.as_str()))])).unwrap();
        assert_eq!(scenario.switches[0].attributes.ecmp_hash_method, method);
    }
}

#[test]
fn what_a_server_adds_to_its_answers_is_read_over() {
    let changes = [
        ("/id", j!("configuration_1")),
        ("/status", j!("valid")),
        ("/version", j!(3)),
        ("/createdAt", j!("2026-01-01T00:00:00Z")),
        ("/componentCount", j!(4)),
        ("/workspaceId", j!("workspace_1")),
        ("/globalParameters/SoftwareVersion", j!({"version": "1"})),
    ];
    assert_eq!(fault(ONE, &changes), "");
    assert_eq!(
        fault(ONE, &[("/activeTraceset", j!({"id": "t"}))]),
        "activeTraceset: traces of applications are not available yet; make it null"
    );
}

#[test]
fn ratios_left_out_share_the_hosts_evenly() {
    for entries in [j!(null), j!({"randomApplicationDistribution": []})] {
        let scenario = check(&with(ONE, &[("/topology/appDistribution", entries)])).unwrap();
        let application = &scenario.applications[0];
        assert_eq!(
            (application.client_ratio, application.server_ratio),
            (Some(0.5), Some(0.5))
        );
    }
}

#[test]
fn pins_tell_their_role_by_name() {
    let mut value = json("rdma-incast");
    let pin = |name: &str| j!({"name": name, "type": "application", "parentApplicationName": "Rdma"});
    let mut receiver = value["components"][2].clone();
    receiver["name"] = j!("Receiver");
    receiver["components"]
        .as_array_mut()
        .unwrap()
        .push(pin("the Responder"));
    value["components"].as_array_mut().unwrap().push(receiver);
    value["components"][2]["components"]
        .as_array_mut()
        .unwrap()
        .push(pin("RdmaInitiator"));
    value["containers"][0]["components"][1]["count"] = j!(8);
    let rack = value["containers"][0]["components"].as_array_mut().unwrap();
    rack.push(j!({"name": "Receiver", "type": "server"}));
    value["topology"]["appDistribution"] = j!(null);
    let scenario = check(&value).unwrap();
    let servers: Vec<_> = scenario.plan.servers().collect();
    assert_eq!(servers.len(), 9);
    assert!(servers[..8].iter().all(|s| s.pinned
        == [PinnedRole {
            application: 0,
            role: Role::Client
        }]));
    assert_eq!(
        servers[8].pinned,
        [PinnedRole {
            application: 0,
            role: Role::Server
        }]
    );
    assert_eq!(scenario.applications[0].client_ratio, None);

    value["components"][3]["components"][1]["name"] = j!("receiver");
    assert_eq!(
        check(&value).unwrap_err().to_string(),
        "components[3].components[1].name: \"receiver\" does not tell the role; use the name of an entry of \
         appDistribution, or Initiator or Responder\n\
         applications[0]: \"Rdma\" has no Responder; add an entry to appDistribution with prScalaRdmaResponder, or pin \
         one to a server"
    );
    value["components"][3]["components"][1] = pin("Responder");
    value["components"][3]["components"][1]["parentApplicationName"] = j!("Rdna");
    assert!(check(&value).unwrap_err().to_string().starts_with(
        "components[3].components[1].parentApplicationName: there is no application \"Rdna\"; did you mean \"Rdma\"?"
    ));
}

fn set(settings: &[&str]) -> Result<packetloom_config::Scenario, packetloom_params::Errors> {
    let mut document = template::document("rdma-16-hosts")?;
    for setting in settings {
        overrides::apply(&mut document, setting)?;
    }
    validate(&document)
}

#[test]
fn overrides_reach_every_part() {
    let lane =
        "Nic.HostInterface.NICSide.PCIeGen3.0.NicDeviceLayer.NicPCIeInterface.PhysicalLayer.LaneCount=8";
    let scenario = set(&[
        "SimulationParameters.RunTime=0.02",
        "DefaultNetworkParameters.GenericNetDevice.Mtu=9000 B",
        lane,
        "Nic.ScalaRoceQpManager.MSS=8192 B",
        "RackSwitch.NumUpLinksPerSwitch=4",
        "RackSwitch.EcnHandler.EnableEcn=false",
        "Rdma.StartType=uniform",
        "FabricSwitch.SharedBufferManager.PoolAllocationMap=[0.5, 0.5, 0, 0, 0, 0, 0, 0]",
        "Rdma.NumConnections={\"type\": \"uint\", \"value\": 3}",
    ])
    .unwrap();
    assert_eq!(scenario.global.simulation_parameters.run_time, 0.02);
    let nic = scenario.nics[0].attributes.roce().unwrap();
    assert_eq!(nic.scala_roce_qp_manager.mss, Bytes(8192));
    let link = &nic.host_interface.nic_side.pcie_gen3.nic_device_layer;
    assert_eq!(link.nic_pcie_interface.physical_layer.lane_count, 8);
    assert_eq!(scenario.switches[0].attributes.num_up_links_per_switch, 4);
    assert_eq!(scenario.applications[0].attributes.num_connections(), 3);
    assert_eq!(
        scenario.switches[1]
            .attributes
            .shared_buffer_manager
            .pool_allocation_map[1],
        0.5
    );
}

#[test]
fn overrides_that_name_nothing() {
    for (setting, message) in [
        (
            "RunTime",
            "--set RunTime: has no \"=\"; write PATH=VALUE, such as SimulationParameters.RunTime=0.01",
        ),
        (
            "Nik.MSS=1",
            "--set Nik.MSS: nothing is called \"Nik\"; did you mean \"Nic\"?",
        ),
        (
            "SimulationParameters.RunTme=1",
            "--set SimulationParameters.RunTme: there is no \"RunTme\" in SimulationParameters; did you mean \"RunTime\"?",
        ),
        (
            "Nic.ScalaRoceQpManager=1",
            "--set Nic.ScalaRoceQpManager: ScalaRoceQpManager is a group of attributes; name one of them: MSS",
        ),
        (
            "Nic.ScalaRoceQpManager.MSS.value=1",
            "--set Nic.ScalaRoceQpManager.MSS.value: MSS is an attribute and holds no \"value\"; end the path at MSS",
        ),
        (
            "Nic=1",
            "--set Nic: \"Nic\" is no attribute; name one of its attributes: Nic.NAME",
        ),
        (
            "Nic.HostInterface.NICSide.PCIeGen3.NicDeviceLayer=1",
            "--set Nic.HostInterface.NICSide.PCIeGen3.NicDeviceLayer: there is no \"PCIeGen3\" in HostInterface.NICSide; \
             did you mean \"PCIeGen3.0\"?",
        ),
    ] {
        assert_eq!(set(&[setting]).unwrap_err().to_string(), message);
    }
    assert_eq!(
        set(&["Nic.ScalaRoceQpManager.MSS=4096"]).unwrap_err().to_string(),
        "components[2].typedParameters.ScalaRoceQpManager.MSS: 4096 has no unit; give one of B, KB, KiB, MB, MiB, GB, GiB"
    );
}

#[test]
fn the_full_form_means_the_same() {
    for name in template::names() {
        let document = template::document(name).unwrap();
        let full = catalog::full_leaves(&document);
        assert_eq!(validate(&full).unwrap(), validate(&document).unwrap());
        let text = serde_json::to_string(&full).unwrap();
        assert_eq!(document::read(&text).unwrap(), full, "{name}");
        assert_eq!(catalog::full_leaves(&full), full, "{name}");
    }
}

#[test]
fn a_scenario_survives_serialisation() {
    let scenario = check(&json("rdma-16-hosts")).unwrap();
    let text = serde_json::to_string(&scenario).unwrap();
    assert_eq!(
        serde_json::from_str::<packetloom_config::Scenario>(&text).unwrap(),
        scenario
    );
}
