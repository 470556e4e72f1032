//! Whatever the bytes, there is an answer, and a refusal is one line.

use crate::document;
use packetloom_flow::{Deployment, HostId, Platform};
use proptest::prelude::*;

const SEED: &str = "<config><prop id=\"network/model\" value=\"CM02\"/></config>\
    <zone id=\"o\" routing=\"Floyd\"><link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\
    <zone id=\"p\" routing=\"Dijkstra\"><host id=\"h1\" speed=\"1Gf\"/><host id=\"h2\" speed=\"1Gf\"><prop id=\"a\" value=\"b\"/></host>\
    <link id=\"s\" bandwidth=\"10Gbps\" sharing_policy=\"SPLITDUPLEX\"/>\
    <route src=\"h1\" dst=\"h2\"><link_ctn id=\"s\" direction=\"UP\"/></route></zone>\
    <cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" topology=\"FAT_TREE\" topo_parameters=\"2;2,2;1,2;1,1\"/>\
    <zoneRoute src=\"p\" dst=\"c\" gw_src=\"h2\" gw_dst=\"n0\"><link_ctn id=\"l\"/></zoneRoute></zone>\
    <trace id=\"t\" periodicity=\"1\">0 1\n0.5 2</trace><trace_connect trace=\"t\" kind=\"BANDWIDTH\" element=\"l\"/>\
    <actor host=\"h1\" function=\"f\"><argument value=\"1\"/></actor>";

fn answers(text: &str) {
    let line = |error: String| assert!(!error.is_empty() && !error.contains(['\n', '\r']), "{error:?}");
    match Platform::parse(text, "p", None) {
        Err(error) => line(error.to_string()),
        Ok(mut platform) => {
            let hosts = platform.hosts().len().min(8) as u32;
            for from in 0..hosts {
                for to in 0..hosts {
                    match platform.route(HostId(from), HostId(to)) {
                        Ok(route) => assert!(!route.links.is_empty() && route.latency >= 0.0),
                        Err(error) => line(error.to_string()),
                    }
                }
            }
        }
    }
    if let Err(error) = Deployment::parse(text, "d") {
        line(error.to_string());
    }
}

#[test]
fn the_seed_is_a_platform_and_a_deployment() {
    let text = document(SEED);
    Platform::parse(&text, "p", None).unwrap();
    Deployment::parse(&text, "d").unwrap();
}

#[test]
fn elements_nested_a_hundred_thousand_times_are_refused() {
    let text = format!("{}{}", "<zone>".repeat(100_000), "</zone>".repeat(100_000));
    answers(&document(&text));
    answers(&"<a>".repeat(100_000));
}

proptest! {
    #[test]
    fn any_text_has_an_answer(text in ".{0,200}") {
        answers(&text);
    }

    #[test]
    fn a_platform_with_pieces_cut_out_or_doubled_has_an_answer(
        edits in prop::collection::vec((0_usize..2_000, 0_usize..60, 0_usize..3), 1..6)
    ) {
        let mut text = document(SEED);
        for (at, length, copies) in edits {
            let (begin, end) = (at.min(text.len()), (at + length).min(text.len()));
            let piece = text[begin..end].repeat(copies);
            text.replace_range(begin..end, &piece);
        }
        answers(&text);
    }

    #[test]
    fn a_platform_with_other_values_has_an_answer(
        changes in prop::collection::vec(
            (
                0_usize..80,
                prop::sample::select(vec![
                    "", "0", "-1", "h1", "n0", "o", "p", "c", "l", "s", "1e999", "0-3,9", "1;4;1;1", "nan", "\u{e9}\n", "4,1",
                    "FATPIPE", "TORUS", "None", "Cluster", "YES", "DOWN", "99999999999", "2;2,2;1,2;1,3",
                ]),
            ),
            1..5,
        )
    ) {
        // The values stand in every second piece between quotation marks.
        let text = document(SEED);
        let mut pieces: Vec<&str> = text.split('"').collect();
        for (place, value) in changes {
            let place = 2 * (place % (pieces.len() / 2)) + 1;
            pieces[place] = value;
        }
        answers(&pieces.join("\""));
    }
}
