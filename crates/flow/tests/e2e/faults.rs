//! Every fault has one message: where, what is wrong, what would be right.

use crate::refusal;
use packetloom_flow::Platform;

/// Elements inside a zone with hosts h1 and h2 and links a and s (split), on line 4.
pub fn inside(more: &str) -> String {
    format!(
        "<zone id=\"z\" routing=\"Full\"><host id=\"h1\" speed=\"1Gf\"/><host id=\"h2\" speed=\"1Gf\"/>\
         <link id=\"a\" bandwidth=\"1GBps\"/><link id=\"s\" bandwidth=\"1GBps\" sharing_policy=\"SPLITDUPLEX\"/>\n{more}</zone>"
    )
}

/// Elements in it, on line 5, and the message for them.
fn check_inside(cases: &[(&str, &str)]) {
    for (more, expected) in cases {
        assert_eq!(refusal(&inside(more)), *expected, "{more}");
    }
}

#[test]
fn names_and_attributes() {
    check_inside(&[
        (
            "<hots id=\"x\"/>",
            "p.xml:5:1: unknown element <hots> in <zone>; did you mean \"host\"?",
        ),
        (
            "<link id=\"x\" bandwith=\"1GBps\"/>",
            "p.xml:5:14: unknown attribute \"bandwith\" of <link>; did you mean \"bandwidth\"?",
        ),
        (
            "<link id=\"x\"/>",
            "p.xml:5:1: <link> has no attribute \"bandwidth\"; add bandwidth=\"...\"",
        ),
        (
            "<host id=\"h1\" speed=\"1Gf\"/>",
            "p.xml:5:11: there is a host \"h1\" already; give each host, router and zone a name of its own",
        ),
        (
            "<router id=\"h2\"/>",
            "p.xml:5:13: there is a host \"h2\" already; give each host, router and zone a name of its own",
        ),
        (
            "<link id=\"a\" bandwidth=\"1GBps\"/>",
            "p.xml:5:11: there is a link \"a\" already; give each link a name of its own",
        ),
        (
            "<link id=\"s_UP\" bandwidth=\"1GBps\"/>",
            "p.xml:5:11: there is a link \"s_UP\" already; give each link a name of its own",
        ),
        (
            "<prop id=\"x\" valu=\"1\"/>",
            "p.xml:5:14: unknown attribute \"valu\" of <prop>; did you mean \"value\"?",
        ),
        (
            "<router id=\"r\"><prop id=\"a\" value=\"b\"/></router>",
            "p.xml:5:16: unknown element <prop> in <router>; nothing may stand there",
        ),
        (
            "some text",
            "p.xml:5:1: text inside <zone>; only elements may stand here",
        ),
        (
            "<peer id=\"x\"/>",
            "p.xml:5:1: <peer> needs Vivaldi routing, which is not simulated; write a <host> with <link> and <route>",
        ),
        (
            "<include file=\"x\"/>",
            "p.xml:5:1: <include> is no longer part of SimGrid; take it out",
        ),
        (
            "<host_link id=\"h1\" up=\"a\" down=\"a\"/>",
            "p.xml:5:1: <host_link> outside a zone routed as Cluster; put it into <zone routing=\"Cluster\">",
        ),
        (
            "<zone id=\"y\" routing=\"None\"/>",
            "p.xml:5:1: hosts or routers beside zones; put them into a zone of their own: a zone holds either",
        ),
    ]);
}

#[test]
fn quantities() {
    check_inside(&[
        (
            "<link id=\"x\" bandwidth=\"10GBs\"/>",
            "p.xml:5:25: \"10GBs\" is no value of \"bandwidth\"; there is no such unit: write a bandwidth such as \"10GBps\" (bytes) or \"80Gbps\" (bits)",
        ),
        (
            "<link id=\"x\" bandwidth=\"0Bps\"/>",
            "p.xml:5:25: \"bandwidth\" of <link> is 0; give more than 0",
        ),
        (
            "<link id=\"x\" bandwidth=\"1GBps\" latency=\"fast\"/>",
            "p.xml:5:41: \"fast\" is no value of \"latency\"; write a time such as \"500ns\" (ps, ns, us, ms, s, m, h, d, w)",
        ),
        (
            "<link id=\"x\" bandwidth=\"1GBps\" latency=\"-1ns\"/>",
            "p.xml:5:41: \"-1ns\" is no value of \"latency\"; it is negative: write a time such as \"500ns\" (ps, ns, us, ms, s, m, h, d, w)",
        ),
        (
            "<link id=\"x\" bandwidth=\"1GBps\" sharing_policy=\"SHARE\"/>",
            "p.xml:5:48: \"SHARE\" is no value of \"sharing_policy\"; did you mean \"SHARED\"?",
        ),
        (
            "<link id=\"x\" bandwidth=\"1GBps\" sharing_policy=\"WIFI\"/>",
            "p.xml:5:48: \"WIFI\" is not simulated; use SHARED, FATPIPE or SPLITDUPLEX",
        ),
        (
            "<link id=\"x\" bandwidth=\"1GBps\" bandwidth_file=\"f\"/>",
            "p.xml:5:48: \"bandwidth_file\" names a file, and files are not read here; read the platform from its own file",
        ),
        (
            "<host id=\"x\" speed=\"1Gx\"/>",
            "p.xml:5:21: \"1Gx\" is no value of \"speed\"; there is no such unit: write a speed such as \"1Gf\" (f, kf, Mf, Gf, Tf, Pf, Ef)",
        ),
        (
            "<host id=\"x\" speed=\"1Gf\" core=\"0\"/>",
            "p.xml:5:32: \"0\" is no number of cores; give a whole number of 1 or more",
        ),
        (
            "<host id=\"x\" speed=\"2Gf,1Gf\" pstate=\"2\"/>",
            "p.xml:5:38: \"2\" is no state of 2 speeds; give a number from 0 to 1",
        ),
    ]);
}

#[test]
fn routes() {
    check_inside(&[
        (
            "<route src=\"h1\" dst=\"h3\"><link_ctn id=\"a\"/></route>",
            "p.xml:5:22: \"dst\" names \"h3\", which is not there; did you mean \"h1\"?",
        ),
        (
            "<route src=\"h1\" dst=\"h2\"><link_ctn id=\"wire\"/></route>",
            "p.xml:5:40: there is no link \"wire\"; declare it with <link>",
        ),
        (
            "<route src=\"h1\" dst=\"h2\"/>",
            "p.xml:5:1: <route> without a link; add <link_ctn id=\"...\"/>",
        ),
        (
            "<route src=\"h1\" dst=\"h2\"><link id=\"a\"/></route>",
            "p.xml:5:26: unknown element <link> in <route>; did you mean \"link_ctn\"?",
        ),
        (
            "<route src=\"h1\" dst=\"z\"><link_ctn id=\"a\"/></route>",
            "p.xml:5:22: \"z\" is a zone; name a host or router, or use <zoneRoute>",
        ),
        (
            "<route src=\"h1\" dst=\"h2\"><link_ctn id=\"a\"/></route><route src=\"h2\" dst=\"h1\"><link_ctn id=\"a\"/></route>",
            "p.xml:5:52: a second route between \"h2\" and \"h1\"; take it out; a route leads both ways unless symmetrical=\"NO\"",
        ),
        (
            "<route src=\"h1\" dst=\"h2\"><link_ctn id=\"s\"/></route>",
            "p.xml:5:40: the link \"s\" has two directions; add direction=\"UP\" or direction=\"DOWN\"",
        ),
        (
            "<route src=\"h1\" dst=\"h2\"><link_ctn id=\"a\" direction=\"UP\"/></route>",
            "p.xml:5:54: the link \"a\" has no directions; leave direction out, or give the link sharing_policy=\"SPLITDUPLEX\"",
        ),
        (
            "<route src=\"h1\" dst=\"h2\" symmetrical=\"maybe\"><link_ctn id=\"a\"/></route>",
            "p.xml:5:39: \"maybe\" is no value of \"symmetrical\"; choose one of YES, NO, yes, no",
        ),
        (
            "<zoneRoute src=\"h1\" dst=\"z\" gw_src=\"h1\" gw_dst=\"h2\"><link_ctn id=\"a\"/></zoneRoute>",
            "p.xml:5:17: \"h1\" is not a zone; name a zone, or use <route>",
        ),
        (
            "<bypassRoute src=\"h1\" dst=\"h2\"><link_ctn id=\"a\"/></bypassRoute><bypassRoute src=\"h1\" dst=\"h2\"><link_ctn id=\"a\"/></bypassRoute>",
            "p.xml:5:64: a second bypass from \"h1\" to \"h2\"; take it out",
        ),
    ]);
}

#[test]
fn profiles_inside_the_platform() {
    let with = |more: &str| format!("{}\n{more}", inside(""));
    for (more, expected) in [
        (
            "<trace_connect trace=\"t\" kind=\"BANDWIDTH\" element=\"a\"/>",
            "p.xml:6:23: there is no trace \"t\"; declare it with <trace>",
        ),
        (
            "<trace id=\"t\" periodicity=\"-1\">0 1</trace><trace_connect trace=\"t\" kind=\"BANDWIDTH\" element=\"h1\"/>",
            "p.xml:6:94: there is no link \"h1\"; declare it with <link>",
        ),
        (
            "<trace id=\"t\" periodicity=\"-1\">0 1</trace><trace_connect trace=\"t\" element=\"z\"/>",
            "p.xml:6:77: \"z\" is not a host; name a host",
        ),
        (
            "<trace id=\"t\" periodicity=\"-1\">\n0 1\nx</trace><trace_connect trace=\"t\" element=\"h1\"/>",
            "p.xml:8:1: unknown instruction \"x\"; a line is a time and a value, LOOPAFTER or PERIODICITY",
        ),
    ] {
        assert_eq!(refusal(&with(more)), expected, "{more}");
    }
}

#[test]
fn documents_of_another_kind() {
    let refused = |text: &str| Platform::parse(text, "x", None).unwrap_err().to_string();
    assert_eq!(
        refused("\n {\"name\": \"demo\"}"),
        "x is a configuration document; Portals programs run on platform files (XML) only, for now"
    );
    assert!(
        refused("hello").starts_with("x:1:1: not XML: "),
        "{}",
        refused("hello")
    );
    assert_eq!(
        refused("<html/>"),
        "x:1:1: the outermost element is <html>; it must be <platform version=\"4.1\">"
    );
    assert_eq!(
        refused("<platform version=\"3\"/>"),
        "x:1:20: version \"3\" is too old; bring the file to version 4.1 with simgrid_update_xml"
    );
    assert_eq!(
        refused("<platform version=\"9\"/>"),
        "x:1:20: version \"9\" is unknown; write version=\"4.1\""
    );
    assert_eq!(
        refused("<platform/>"),
        "x:1:1: <platform> has no attribute \"version\"; add version=\"...\""
    );
    let four =
        "<platform version=\"4\"><AS id=\"z\" routing=\"Full\"><host id=\"h\" speed=\"1f\"/></AS></platform>";
    assert_eq!(Platform::parse(four, "x", None).unwrap().warnings(), [""; 0]);
}
