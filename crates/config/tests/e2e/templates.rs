//! The templates are documents that run as they are.

use crate::common::{check, json};
use packetloom_config::scenario::{ApplicationAttributes, NicAttributes};
use packetloom_config::{document, load, template};
use packetloom_des::Rate;
use std::path::{Path, PathBuf};

#[test]
fn every_template_is_accepted() {
    for name in template::names() {
        let scenario = check(&json(name)).unwrap_or_else(|errors| panic!("{name}:\n{errors}"));
        assert_eq!(scenario.name, name);
        assert!(template::description(name).is_some());
        assert_eq!(scenario.seed, 18_760);
    }
}

/// Networks of one or two tiers.
fn small() -> impl Iterator<Item = &'static str> {
    template::names().filter(|name| json(name)["topology"]["topologyTiers"] != 3)
}

/// Networks of three tiers: name, pods, racks in a pod, hosts in a rack, fabric switches in a pod, planes, spines in each.
const THREE_TIERS: [(&str, [usize; 6]); 2] = [
    ("rdma-three-tier", [4, 8, 32, 4, 4, 2]),
    ("rdma-16k", [16, 16, 64, 8, 8, 8]),
];

#[test]
fn three_tier_templates_have_as_many_links_up_as_down() {
    for (name, [pods, racks, hosts, fabric, planes, spines]) in THREE_TIERS {
        let scenario = check(&json(name)).unwrap();
        let plan = &scenario.plan;
        assert_eq!(plan.hosts(), pods * racks * hosts, "{name}");
        assert_eq!(plan.planes, vec![vec![2; spines]; planes], "{name}");
        assert_eq!(plan.pods.len(), pods, "{name}");
        for pod in &plan.pods {
            assert_eq!(pod.fabric_switches, vec![1; fabric], "{name}");
            assert_eq!(pod.racks.len(), racks, "{name}");
        }
        // Links of one rack switch, one fabric switch and one spine switch; all run at 400 Gbps.
        let attributes = |switch: usize| &scenario.switches[switch].attributes;
        let [up_rack, up_fabric] = [0, 1].map(|switch| attributes(switch).num_up_links_per_switch as usize);
        let links = [
            (up_rack * fabric, hosts),
            (up_fabric * spines, racks * up_rack),
            (0, pods * fabric.div_ceil(planes) * up_fabric),
        ];
        for (switch, (up, down)) in links.into_iter().enumerate() {
            let given = attributes(switch);
            assert_eq!(
                (given.num_up_links as usize, given.num_down_links as usize),
                (up, down),
                "{name} {switch}"
            );
            assert!(up == down || switch == 2, "{name} {switch}");
            let rate = Rate::from_gbps(400 * (up + down) as u64);
            assert!(rate <= given.switching_capacity, "{name} {switch}");
        }
    }
    assert_eq!(small().count() + THREE_TIERS.len(), template::all().len());
}

#[test]
fn the_largest_template_runs_for_a_tenth_of_a_millisecond() {
    let times = check(&json("rdma-16k")).unwrap().global.simulation_parameters;
    let data = times.warm_up + times.run_time + times.cool_down;
    assert!((data - 0.0001).abs() < 1e-12, "{data}");
}

#[test]
fn sixteen_hosts_are_two_racks_under_two_fabric_switches() {
    let scenario = check(&json("rdma-16-hosts")).unwrap();
    let [pod] = scenario.plan.pods.as_slice() else {
        panic!("{:?}", scenario.plan)
    };
    assert_eq!(pod.fabric_switches, [1, 1]);
    assert_eq!(pod.racks.len(), 2);
    assert!(
        pod.racks
            .iter()
            .all(|rack| rack.switches == [0] && rack.servers.len() == 8)
    );
    assert_eq!(scenario.switches[0].name, "RackSwitch");
    let [application] = scenario.applications.as_slice() else {
        panic!("{:?}", scenario.applications)
    };
    assert_eq!(
        (application.client_ratio, application.server_ratio),
        (Some(0.5), Some(0.5))
    );
}

#[test]
fn templates_state_the_published_defaults() {
    for name in small().filter(|name| name.starts_with("rdma")) {
        let scenario = check(&json(name)).unwrap();
        assert!(
            scenario
                .switches
                .iter()
                .all(|switch| switch.attributes == Default::default()),
            "{name}"
        );
        assert!(
            scenario
                .nics
                .iter()
                .all(|nic| nic.attributes == NicAttributes::Roce(Default::default())),
            "{name}"
        );
        assert!(
            scenario
                .applications
                .iter()
                .all(|app| app.attributes == ApplicationAttributes::Rdma(Default::default())),
            "{name}"
        );
        let mut global = scenario.global;
        assert_eq!(global.simulation_parameters.run_time, 0.01);
        global.simulation_parameters.run_time = 0.5;
        assert_eq!(global, Default::default(), "{name}");
    }
    // Of the NICs this holds for all.
    for name in template::names().filter(|name| name.starts_with("rdma")) {
        let scenario = check(&json(name)).unwrap();
        assert!(
            scenario
                .nics
                .iter()
                .all(|nic| nic.attributes == NicAttributes::Roce(Default::default())),
            "{name}"
        );
    }
}

#[test]
fn incast_has_eight_senders_and_one_receiver() {
    let scenario = check(&json("rdma-incast")).unwrap();
    assert_eq!(scenario.plan.hosts(), 9);
    let application = &scenario.applications[0];
    let shares = [packetloom_traffic::placement::AppShares {
        name: application.name.clone(),
        transport: packetloom_traffic::placement::Transport::Rdma,
        client_ratio: application.client_ratio,
        server_ratio: application.server_ratio,
    }];
    let slot = packetloom_traffic::placement::HostSlot {
        transports: packetloom_traffic::placement::Transports::RDMA,
        pinned: Vec::new(),
    };
    let placed = packetloom_traffic::placement::place(&shares, &vec![slot; 9], scenario.seed).unwrap();
    let placed = &placed.applications[0];
    assert_eq!((placed.clients.len(), placed.servers.len()), (8, 1));
}

#[test]
fn the_warnings_are_few_and_name_their_attributes() {
    let scenario = check(&json("rdma-16-hosts")).unwrap();
    assert_eq!(
        scenario.warnings,
        [
            "ECN marking is not simulated yet: EcnHandler.EnableEcn of RackSwitch, FabricSwitch has no effect",
            "Reaction to ECN is not simulated yet: ECNHandler.EnableECN of Nic has no effect",
        ]
    );
}

#[test]
fn the_example_is_the_template() {
    for name in ["rdma-16-hosts", "tcp-16-hosts"] {
        assert_eq!(
            std::fs::read_to_string(example(name)).unwrap(),
            template::text(name).unwrap()
        );
    }
}

fn example(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    folder.join(name).with_extension("json")
}

#[test]
fn the_example_of_a_file_of_sizes_is_valid() {
    let scenario = load::check(&example("web-search"), &[]).unwrap_or_else(|e| panic!("{e}"));
    let generator = scenario.applications[0].attributes.generator().unwrap();
    assert_eq!(generator.attributes.reply_size_file, "web-search.cdf");
    let text = std::fs::read_to_string(example("web-search").with_extension("cdf")).unwrap();
    let cdf = packetloom_traffic::generator::cdf::Cdf::parse(&text).unwrap();
    // 8 pairs of 8 connections at 50 replies a second and 1,711,250 B: 5.5 Gbps of a client's 100.
    let load = 8.0 * generator.attributes.request_rate * cdf.mean() * 8.0;
    assert!((5.4e9..5.6e9).contains(&load), "{load}");
    assert_eq!(
        generator.reply,
        packetloom_traffic::generator::sizes::Sizes::empirical(cdf.into())
    );
}

#[test]
fn an_unknown_template_names_the_nearest() {
    let errors = template::document("rdma-incst").unwrap_err();
    assert_eq!(
        errors.to_string(),
        "there is no template \"rdma-incst\"; did you mean \"rdma-incast\"?"
    );
}

#[test]
fn files_that_hold_no_document() {
    let folder = tempfile::tempdir().unwrap();
    let shown = folder.path().display();
    let error = load::load(folder.path()).unwrap_err();
    assert!(matches!(error, load::LoadError::BadInput(_)));
    assert_eq!(
        error.to_string(),
        format!("{shown}: is a directory; name a configuration file in it")
    );
    let error = load::load(&folder.path().join("no.json")).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{shown}/no.json: there is no such file; check the path")
    );
    let binary = folder.path().join("binary");
    std::fs::write(&binary, [0xff, 0xfe, 0x00]).unwrap();
    let error = load::load(&binary).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{shown}/binary: is not text in UTF-8; name a configuration file, which is JSON")
    );
    let empty = folder.path().join("empty.json");
    std::fs::write(&empty, "").unwrap();
    let error = load::load(&empty).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{shown}/empty.json: is empty; give a configuration, which is JSON")
    );
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, "{\n  \"name\": \"x\",\n  \"a\"}").unwrap();
    for error in [
        load::load(&broken).unwrap_err(),
        load::check(&broken, &[]).unwrap_err(),
    ] {
        assert_eq!(
            error.to_string(),
            format!(
                "{shown}/broken.json, line 3, column 6: not valid JSON: expected `:`; correct the text there"
            )
        );
    }
    let good = folder.path().join("good.json");
    std::fs::write(&good, template::text("rdma-one-rack").unwrap()).unwrap();
    assert_eq!(load::load(&good).unwrap().name, "rdma-one-rack");
    let setting = "Rdma.NumConnections=3".to_owned();
    let scenario = load::check(&good, &[setting]).unwrap();
    assert_eq!(scenario.applications[0].attributes.num_connections(), 3);
}

#[test]
fn json_that_is_wrong_gives_its_place() {
    let errors = document::read("{\n  \"name\": \"x\",\n  \"components\": [,]\n}").unwrap_err();
    assert_eq!(
        errors.to_string(),
        "line 3, column 18: not valid JSON: expected value; correct the text there"
    );
    for empty in ["", " \n\t", "\u{feff}"] {
        let errors = document::read(empty).unwrap_err();
        assert_eq!(
            errors.to_string(),
            "is empty; give a configuration, which is JSON"
        );
    }
    assert!(document::read(&"[".repeat(100_000)).is_err());
    assert!(document::read(&"{\"a\":".repeat(100_000)).is_err());
}

#[test]
fn a_key_given_twice_is_refused() {
    let errors = document::read("{\n  \"name\": \"x\",\n  \"name\": \"y\"\n}").unwrap_err();
    assert_eq!(
        errors.to_string(),
        "line 3, column 8: \"name\" is given twice in one object; leave one of them"
    );
    let errors = document::read("{\"a\": [{\"b\\n\": 1, \"c\": {\"b\": 2}, \"b\\n\": 3}]}").unwrap_err();
    assert_eq!(
        errors.to_string(),
        "line 1, column 38: \"b\\n\" is given twice in one object; leave one of them"
    );
    // Keys keep their order, as before.
    let text = template::text("rdma-16-hosts").unwrap();
    let read = document::read(text).unwrap();
    assert_eq!(
        read,
        document::from_value(&serde_json::from_str(text).unwrap()).unwrap()
    );
}
