//! What a platform sets for the whole network, and what it is told about the rest.

use crate::faults::inside;
use crate::{platform, refusal};

#[test]
fn settings() {
    let config = |property: &str| format!("<config>{property}</config>\n{}", inside(""));
    for (id, value, expected) in [
        (
            "network/model",
            "LV08",
            "p.xml:4:41: \"network/model\" \"LV08\" is not simulated; write CM02",
        ),
        (
            "host/model",
            "ptask_L07",
            "p.xml:4:38: \"host/model\" \"ptask_L07\" is not simulated; write default or compound",
        ),
        (
            "network/loopback-lat",
            "1ns",
            "p.xml:4:48: \"1ns\" is no value of \"network/loopback-lat\"; write a number of 0 or more without a unit",
        ),
        (
            "network/loopback-bw",
            "0",
            "p.xml:4:47: \"0\" is no value of \"network/loopback-bw\"; write a number above 0 without a unit",
        ),
        (
            "network/latency-factor",
            "0:1;1000:2",
            "p.xml:4:50: a factor that depends on the size (\"network/latency-factor\") is not simulated; write one number",
        ),
        (
            "network/crosstraffic",
            "perhaps",
            "p.xml:4:48: \"perhaps\" is no value of \"network/crosstraffic\"; write yes or no",
        ),
    ] {
        let text = config(&format!("<prop id=\"{id}\" value=\"{value}\"/>"));
        assert_eq!(refusal(&text), expected, "{id}");
    }
    let all = [
        ("network/crosstraffic", "0"),
        ("network/weight-S", "20537"),
        ("network/TCP_gamma", "1000"),
        ("network/latency-factor", "13.01"),
        ("network/bandwidth-factor", "0.97"),
        ("network/loopback-lat", "1e-6"),
        ("network/loopback-bw", "5e9"),
        ("surf/precision", "1e-5"),
        ("network/model", "CM02"),
        ("host/model", "compound"),
    ];
    let all: String = all
        .iter()
        .map(|(id, value)| format!("<prop id=\"{id}\" value=\"{value}\"/>"))
        .collect();
    let p = platform(&config(&all));
    let s = p.settings();
    assert!(!s.cross_traffic);
    assert_eq!((s.weight_s, s.tcp_gamma), (20_537.0, 1_000.0));
    assert_eq!((s.latency_factor, s.bandwidth_factor), (13.01, 0.97));
    assert_eq!((s.loopback_latency, s.loopback_bandwidth), (1e-6, 5e9));
    assert_eq!(s.precision, 1e-5);
    assert_eq!(p.warnings(), [""; 0]);
    assert!(
        platform(&config("<prop id=\"network/crosstraffic\" value=\"yes\"/>"))
            .settings()
            .cross_traffic
    );
}

#[test]
fn what_has_no_effect_or_is_deprecated_is_told() {
    let p = platform(
        "<config><prop id=\"network/crosstrafic\" value=\"0\"/><prop id=\"smpi/shared-malloc\" value=\"x\"/></config>\n\
         <zone id=\"z\" routing=\"Full\"><host id=\"h\" speed=\"1e9\"><disk id=\"d\" read_bw=\"1Bps\" write_bw=\"1Bps\"/></host>\n\
         <link id=\"l\" bandwidth=\"1e9\" latency=\"0\" sharing_policy=\"FULLDUPLEX\"/></zone>",
    );
    assert_eq!(
        p.warnings(),
        [
            "p.xml:4:9: the setting \"network/crosstrafic\" has no effect here; did you mean \"network/crosstraffic\"?",
            "p.xml:4:51: the setting \"smpi/shared-malloc\" has no effect here; it is left out of account",
            "p.xml:5:49: \"speed\" of <host> has no unit; write \"1e9f\"",
            "p.xml:5:54: <disk> is not simulated",
            "p.xml:6:58: \"FULLDUPLEX\" is now \"SPLITDUPLEX\"",
            "p.xml:6:25: \"bandwidth\" of <link> has no unit; write \"1e9Bps\"",
        ]
    );
    assert_eq!(p.links()[0].name, "l_UP");
    assert_eq!((p.hosts()[0].speed, p.links()[1].bandwidth), (1e9, 1e9));
}
