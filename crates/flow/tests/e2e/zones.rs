//! Faults of zones and clusters.

use crate::refusal;

/// Two zones with a host each in an outer one, with elements behind them on line 5.
fn two_zones(more: &str) -> String {
    format!(
        "<zone id=\"o\" routing=\"Full\"><link id=\"a\" bandwidth=\"1GBps\"/>\
         <zone id=\"p\" routing=\"None\"><host id=\"h1\" speed=\"1Gf\"/></zone>\
         <zone id=\"q\" routing=\"None\"><host id=\"h2\" speed=\"1Gf\"/></zone>\n{more}</zone>"
    )
}

#[test]
fn zones() {
    let zone_route = |src: &str, dst: &str, leaves: &str, enters: &str| {
        two_zones(&format!(
            "<zoneRoute src=\"{src}\" dst=\"{dst}\" gw_src=\"{leaves}\" gw_dst=\"{enters}\"><link_ctn id=\"a\"/></zoneRoute>"
        ))
    };
    for (text, expected) in [
        (
            "<zone id=\"o\" routing=\"Full\"><zone id=\"p\" routing=\"Full\">\n<zone id=\"o\" routing=\"None\"/></zone></zone>".to_owned(),
            "p.xml:5:11: a cyclic zone: \"o\" is inside itself; give the inner zone a name of its own",
        ),
        (
            zone_route("p", "p", "h1", "h1"),
            "p.xml:5:25: a cyclic zone: a route from \"p\" to itself; name two zones; routes in a zone stand in it",
        ),
        (
            zone_route("p", "o", "h1", "h2"),
            "p.xml:5:25: a cyclic zone: the route stands in \"o\", which is one of its ends; name zones inside this one",
        ),
        (
            zone_route("p", "q", "h2", "h2"),
            "p.xml:5:36: the gateway \"h2\" is not in the zone \"p\"; name a host or router inside that zone",
        ),
        (
            zone_route("p", "q", "h1", "h2").replace("</zoneRoute>", "</zoneRoute><route src=\"h1\" dst=\"h2\"><link_ctn id=\"a\"/></route>"),
            "p.xml:5:94: \"h1\" is not in the zone \"o\"; put the route into the zone that holds both ends, or use <zoneRoute> between zones",
        ),
        (
            two_zones("<bypassRoute src=\"h1\" dst=\"h1\"><link_ctn id=\"a\"/></bypassRoute>"),
            "p.xml:5:1: <bypassRoute> in a zone where its ends do not meet; put it into the innermost zone that holds both ends",
        ),
        (
            "<zone id=\"o\" routing=\"Cluster\"><zone id=\"p\" routing=\"None\"/></zone>".to_owned(),
            "p.xml:4:1: zones inside the zone \"o\", which is routed as Cluster; route it as Full, Floyd or Dijkstra",
        ),
        (
            "<zone id=\"o\" routing=\"Fool\"/>".to_owned(),
            "p.xml:4:23: \"Fool\" is no routing; did you mean \"Full\"?",
        ),
        (
            "<zone id=\"o\" routing=\"Vivaldi\"/>".to_owned(),
            "p.xml:4:23: the routing \"Vivaldi\" is not simulated; use Full, Floyd, Dijkstra, DijkstraCache, Cluster, None",
        ),
        (
            "<zone id=\"o\" routing=\"None\"/><zone id=\"p\" routing=\"None\"/>".to_owned(),
            "p.xml:4:30: a second outermost zone; put both into one zone, with a <zoneRoute> between them",
        ),
        (
            "<zone id=\"o\" routing=\"None\"/><config/>".to_owned(),
            "p.xml:4:30: <config> behind a zone; put it in front of all others in <platform>",
        ),
        (
            "<zone id=\"o\" routing=\"None\"><host id=\"a\" speed=\"1f\"/><host id=\"b\" speed=\"1f\"/><link id=\"l\" bandwidth=\"1Bps\"/>\n<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>".to_owned(),
            "p.xml:5:1: <route> in a zone without routes; route the zone as Full, Floyd or Dijkstra",
        ),
        (
            "<actor host=\"h\" function=\"f\"/>".to_owned(),
            "p.xml:3:1: no zone; a platform file has a <zone>; is this the deployment?",
        ),
        (
            String::new(),
            "p.xml:3:1: no zone; add a <zone> with hosts, links and routes",
        ),
    ] {
        assert_eq!(refusal(&text), expected, "{text}");
    }
}

#[test]
fn zones_that_are_nested_too_deep() {
    let mut text = "<zone id=\"x\" routing=\"None\"/>".to_owned();
    for depth in 0..256 {
        text = format!("<zone id=\"z{depth}\" routing=\"Full\">{text}</zone>");
    }
    let message = refusal(&text);
    assert!(
        message.ends_with(": more than 256 zones around each other; nest them less deep"),
        "{message}"
    );
}

#[test]
fn clusters() {
    let cluster = |radical: &str, more: &str| {
        format!(
            "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"{radical}\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"\n {more}/>"
        )
    };
    for (radical, more, expected) in [
        (
            "5-2",
            "",
            "p.xml:4:47: \"5-2\" is no part of \"radical\"; write numbers and ranges of them: 0-9,12",
        ),
        (
            "1,x",
            "",
            "p.xml:4:47: \"x\" is no part of \"radical\"; write numbers and ranges of them: 0-9,12",
        ),
        (
            "0-4000000000",
            "",
            "p.xml:4:47: more than 1000000 hosts; make the cluster smaller",
        ),
        (
            "1,1",
            "",
            "p.xml:4:47: there is a host \"n1\" already; give each host, router and zone a name of its own",
        ),
        (
            "0-3",
            "bb_lat=\"1us\"",
            "p.xml:5:10: \"bb_lat\" without \"bb_bw\"; add bb_bw=\"...\"",
        ),
        (
            "0-3",
            "topology=\"TOROUS\"",
            "p.xml:5:12: \"TOROUS\" is no value of \"topology\"; did you mean \"TORUS\"?",
        ),
        (
            "0-3",
            "topology=\"TORUS\"",
            "p.xml:4:1: <cluster> has no attribute \"topo_parameters\"; add topo_parameters=\"...\"",
        ),
        (
            "0-3",
            "topology=\"TORUS\" topo_parameters=\"3,2\"",
            "p.xml:5:36: the topology has 6 nodes, \"radical\" 4; make them equal",
        ),
        (
            "0-3",
            "topology=\"TORUS\" topo_parameters=\"0,4\"",
            "p.xml:5:36: \"0,4\" are no numbers above 0; write the number of nodes along each dimension: 4,4,2",
        ),
        (
            "0-3",
            "topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1;1,1\"",
            "p.xml:5:39: \"2\" levels, and 1 numbers for them; write levels;children;parents;cables, the latter three for each level: 2;4,4;1,2;1,2",
        ),
        (
            "0-3",
            "topology=\"FAT_TREE\" topo_parameters=\"1;4\"",
            "p.xml:5:39: \"1;4\" are not four parts; write levels;children;parents;cables, the latter three for each level: 2;4,4;1,2;1,2",
        ),
        (
            "0-3",
            "topology=\"FAT_TREE\" topo_parameters=\"1;4;60000;60000\"",
            "p.xml:5:39: more than 4000000 links; write levels;children;parents;cables, the latter three for each level: 2;4,4;1,2;1,2",
        ),
        (
            "0-3",
            "topology=\"DRAGONFLY\" topo_parameters=\"4,1;1,1;1,1;1\"",
            "p.xml:5:40: 4 groups, and 1 blades in a chassis to connect them; give a chassis at least as many blades as there are groups",
        ),
        (
            "0-3",
            "topology=\"DRAGONFLY\" topo_parameters=\"4\"",
            "p.xml:5:40: \"4\" are not three pairs and a number; write groups,links;chassis,links;blades,links;nodes: 3,4;3,2;3,1;2",
        ),
    ] {
        assert_eq!(refusal(&cluster(radical, more)), expected, "{radical} {more}");
    }
}
