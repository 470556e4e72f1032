//! Routes against ways worked out by hand.

use crate::{no_route, platform, route};

/// Links of which each has a name of one letter, 1 GBps and 1 us.
fn links(names: &str) -> String {
    let link = |name| format!("<link id=\"{name}\" bandwidth=\"1GBps\" latency=\"1us\"/>");
    names.chars().map(link).collect()
}

fn hosts(names: &[&str]) -> String {
    let host = |name: &&str| format!("<host id=\"{name}\" speed=\"1Gf\"/>");
    names.iter().map(host).collect()
}

/// A route over links of one letter each.
fn way(from: &str, to: &str, links: &str) -> String {
    format!("<route src=\"{from}\" dst=\"{to}\">{}</route>", containers(links))
}

fn containers(links: &str) -> String {
    let container = |link| format!("<link_ctn id=\"{link}\"/>");
    links.chars().map(container).collect()
}

fn zone(routing: &str, inner: &str) -> String {
    format!("<zone id=\"z\" routing=\"{routing}\">{inner}</zone>")
}

#[test]
fn full_has_declared_routes_only_both_ways() {
    let mut p = platform(&zone(
        "Full",
        &[
            hosts(&["h1", "h2", "h3"]),
            links("abc"),
            way("h1", "h2", "abc"),
            way("h2", "h3", "c"),
        ]
        .concat(),
    ));
    assert_eq!(route(&mut p, "h1", "h2"), "a b c");
    assert_eq!(route(&mut p, "h2", "h1"), "c b a");
    assert_eq!(route(&mut p, "h1", "h1"), "__loopback__");
    assert_eq!(
        no_route(&mut p, "h1", "h3"),
        "p.xml: no route from \"h1\" to \"h3\": the zone \"z\" has none from \"h1\" to \"h3\"; add a <route> there"
    );
    // Asked again, from what is kept.
    assert_eq!(route(&mut p, "h2", "h1"), "c b a");
}

#[test]
fn a_route_that_is_not_symmetrical_leads_one_way() {
    let one = "<route src=\"h1\" dst=\"h2\" symmetrical=\"NO\"><link_ctn id=\"a\"/></route>";
    let mut p = platform(&zone("Full", &[&hosts(&["h1", "h2"]), &links("a"), one].concat()));
    assert_eq!(route(&mut p, "h1", "h2"), "a");
    assert!(no_route(&mut p, "h2", "h1").contains("from \"h2\" to \"h1\""));
}

#[test]
fn a_declared_way_to_itself_replaces_the_loopback() {
    let mut p = platform(&zone(
        "Full",
        &[&hosts(&["h1"]), &links("a"), &way("h1", "h1", "a")[..]].concat(),
    ));
    assert_eq!(route(&mut p, "h1", "h1"), "a");
}

#[test]
fn split_links_are_crossed_in_their_direction_and_back_in_the_other() {
    let split = "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>\
                 <link id=\"m\" bandwidth=\"1GBps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>\
                 <route src=\"h1\" dst=\"h2\"><link_ctn id=\"l\" direction=\"UP\"/><link_ctn id=\"m\" direction=\"DOWN\"/></route>";
    let mut p = platform(&zone("Full", &[&hosts(&["h1", "h2"]), split].concat()));
    assert_eq!(route(&mut p, "h1", "h2"), "l_UP m_DOWN");
    assert_eq!(route(&mut p, "h2", "h1"), "m_UP l_DOWN");
}

#[test]
fn floyd_and_dijkstra_take_the_fewest_links() {
    for routing in ["Floyd", "Dijkstra", "DijkstraCache", "floyd"] {
        // h1 to h4: h1-h2-h4 has 1 + 3 links, h1-h3-h4 has 2 + 1.
        let mut p = platform(&zone(
            routing,
            &[
                hosts(&["h1", "h2", "h3", "h4"]),
                links("abcdefg"),
                way("h1", "h2", "a"),
                way("h2", "h4", "bcd"),
                way("h1", "h3", "ef"),
                way("h3", "h4", "g"),
            ]
            .concat(),
        ));
        assert_eq!(route(&mut p, "h1", "h4"), "e f g", "{routing}");
        assert_eq!(route(&mut p, "h4", "h1"), "g f e", "{routing}");
        assert_eq!(route(&mut p, "h2", "h3"), "a e f", "{routing}");
        assert_eq!(route(&mut p, "h2", "h2"), "__loopback__", "{routing}");
    }
}

#[test]
fn among_equals_floyd_goes_by_declaration_and_dijkstra_by_the_routes() {
    let inner = [
        hosts(&["h1", "h2"]),
        "<router id=\"r1\"/><router id=\"r2\"/>".to_owned(),
        links("abcd"),
        way("h1", "r2", "c"),
        way("r2", "h2", "d"),
        way("h1", "r1", "a"),
        way("r1", "h2", "b"),
    ]
    .concat();
    assert_eq!(route(&mut platform(&zone("Floyd", &inner)), "h1", "h2"), "a b");
    assert_eq!(route(&mut platform(&zone("Dijkstra", &inner)), "h1", "h2"), "c d");
}

#[test]
fn a_host_that_nothing_reaches_is_named() {
    for routing in ["Floyd", "Dijkstra", "None"] {
        let mut p = platform(&zone(routing, &hosts(&["h1", "h2"])));
        assert_eq!(
            no_route(&mut p, "h1", "h2"),
            "p.xml: no route from \"h1\" to \"h2\": the zone \"z\" has none from \"h1\" to \"h2\"; add a <route> there"
        );
        assert_eq!(route(&mut p, "h1", "h1"), "__loopback__");
    }
}

/// Three zones in a zone in the outermost one:
///
/// ```text
/// top (Full)
/// +- left (Floyd)
/// |  +- l1 (Full): h1 -a- g1
/// |  +- l2 (Full): g2 -b- k2 -c- h2 (through declared routes between all)
/// |  +- l3 (None): h3
/// |     l1 -d- l2 (g1, g2), l2 -e- l3 (k2, h3)
/// +- right (None): h4
///    left -f- right (g1, h4)
/// ```
fn nested() -> String {
    let l1 = format!(
        "<zone id=\"l1\" routing=\"Full\">{}<router id=\"g1\"/>{}</zone>",
        hosts(&["h1"]),
        way("h1", "g1", "a")
    );
    let l2 = format!(
        "<zone id=\"l2\" routing=\"Floyd\">{}<router id=\"g2\"/><router id=\"k2\"/>{}{}</zone>",
        hosts(&["h2"]),
        way("g2", "k2", "b"),
        way("k2", "h2", "c")
    );
    let l3 = format!("<zone id=\"l3\" routing=\"None\">{}</zone>", hosts(&["h3"]));
    let zone_route = |from, to, leaves, enters, links| {
        format!(
            "<zoneRoute src=\"{from}\" dst=\"{to}\" gw_src=\"{leaves}\" gw_dst=\"{enters}\">{}</zoneRoute>",
            containers(links)
        )
    };
    let left = format!(
        "<zone id=\"left\" routing=\"Floyd\">{l1}{l2}{l3}{}{}</zone>",
        zone_route("l1", "l2", "g1", "g2", "d"),
        zone_route("l2", "l3", "k2", "h3", "e")
    );
    let right = format!("<zone id=\"right\" routing=\"None\">{}</zone>", hosts(&["h4"]));
    format!(
        "<zone id=\"top\" routing=\"Full\">{}{left}{right}{}</zone>",
        links("abcdefxy"),
        zone_route("left", "right", "g1", "h4", "f")
    )
}

#[test]
fn ways_between_zones_lead_through_gateways() {
    let mut p = platform(&nested());
    // One zone to the next, from gateway to gateway.
    assert_eq!(route(&mut p, "h1", "h2"), "a d b c");
    assert_eq!(route(&mut p, "h2", "h1"), "c b d a");
    // Through l2 without stopping: from its gateway to l1, g2, to its gateway to l3, k2.
    assert_eq!(route(&mut p, "h1", "h3"), "a d b e");
    assert_eq!(route(&mut p, "h3", "h1"), "e b d a");
    // Out of two zones into one.
    assert_eq!(route(&mut p, "h1", "h4"), "a f");
    assert_eq!(route(&mut p, "h4", "h2"), "f d b c");
    assert_eq!(route(&mut p, "h3", "h4"), "e b d f");
    assert_eq!(route(&mut p, "h3", "h3"), "__loopback__");
    // Dijkstra between the zones finds the same.
    let dijkstra = nested().replace(
        "id=\"left\" routing=\"Floyd\"",
        "id=\"left\" routing=\"Dijkstra\"",
    );
    let mut p = platform(&dijkstra);
    assert_eq!(route(&mut p, "h1", "h3"), "a d b e");
    assert_eq!(route(&mut p, "h3", "h1"), "e b d a");
}

#[test]
fn older_names_of_zones_and_their_routes_mean_the_same() {
    let old = nested()
        .replace("<zone ", "<AS ")
        .replace("</zone>", "</AS>")
        .replace("zoneRoute", "ASroute");
    let mut p = platform(&old);
    assert_eq!(route(&mut p, "h1", "h3"), "a d b e");
}

#[test]
fn a_missing_route_between_zones_names_hosts_and_zones() {
    let without = nested().replace("<link_ctn id=\"f\"/>", "<link_ctn id=\"f\"/><!-- -->");
    let begin = without.find("<zoneRoute src=\"left\"").unwrap();
    let end = without.rfind("</zone>").unwrap();
    let without = [&without[..begin], &without[end..]].concat();
    assert_eq!(
        no_route(&mut platform(&without), "h1", "h4"),
        "p.xml: no route from \"h1\" to \"h4\": the zone \"top\" has none from \"left\" to \"right\"; add a <zoneRoute> there"
    );
}

#[test]
fn a_bypass_is_taken_before_any_route() {
    let with = |bypass: &str| {
        let end = nested().rfind("</zone>").unwrap();
        [&nested()[..end], bypass, &nested()[end..]].concat()
    };
    // Between hosts, in the zone where they meet, one way only.
    let mut p = platform(&with(
        "<bypassRoute src=\"h1\" dst=\"h4\"><link_ctn id=\"x\"/></bypassRoute>",
    ));
    assert_eq!(route(&mut p, "h1", "h4"), "x");
    assert_eq!(route(&mut p, "h4", "h1"), "f a");
    // Between zones at any depth: from h2 to the gateway of l2, over y, to the gateway of right.
    let mut p = platform(&with(
        "<bypassZoneRoute src=\"l2\" dst=\"right\" gw_src=\"k2\" gw_dst=\"h4\"><link_ctn id=\"y\"/></bypassZoneRoute>",
    ));
    assert_eq!(route(&mut p, "h2", "h4"), "c y");
    assert_eq!(route(&mut p, "h1", "h4"), "a f");
}
