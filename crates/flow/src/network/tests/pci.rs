//! The way between CPU and NIC and the wire, as traces of S4BXI on SimGrid have them: nine digits.

use super::*;

const PCI: [u32; 2] = [0, 1];

/// A fat pipe in series with a shared link on each PCI way; two wires.
fn network() -> Network {
    let links = [
        fat(11.1e9, 0.0),
        shared(15.75e9, 250e-9),
        shared(11.1e9, 500e-9),
        shared(11.1e9, 500e-9),
    ];
    Network::new(&links, &NetworkSettings::default())
}

/// `date` in nanoseconds, to nine digits.
#[track_caller]
fn assert_nanoseconds(date: f64, expected: f64) {
    let digits = |x: f64| format!("{x:.8e}");
    assert_eq!(digits(date), digits(expected * 1e-9));
}

#[test]
fn alone_on_pci() {
    // 250 ns + n / 11.1e9: the shared link's 15.75 / 1.05 = 15 GB/s is more than the fat pipe gives.
    for (bytes, due) in [(64, 255.765766), (96, 258.648649)] {
        let mut network = network();
        let way = path(&mut network, &PCI);
        network.transfer(way, bytes, 1);
        run(&mut network);
        assert_nanoseconds(network.now(), due);
    }
}

#[test]
fn alone_on_the_wire() {
    // 1000 ns + n x 1.05 / 11.1e9.
    for (bytes, due) in [(8, 1000.756757), (32, 1003.027027)] {
        let mut network = network();
        let way = path(&mut network, &[2, 3]);
        network.transfer(way, bytes, 1);
        run(&mut network);
        assert_nanoseconds(network.now(), due);
    }
}

#[test]
fn a_payload_write_and_an_event_share_pci() {
    // The write's bytes run from 5182.91341 ns at 11.1 GB/s; the event's from 5415.42141 ns. Then 7.5 GB/s each (15 shared):
    // 96 B take 12.8 ns, to 5428.22141. The write has had 11.1 x 232.508 + 96 = 2676.8388 B; 1419.1612 B more at 11.1 GB/s
    // take 127.852 ns, to 5556.07377.
    let mut network = network();
    let way = path(&mut network, &PCI);
    let mut ended = Vec::new();
    network.sleep(4932.91341e-9, 0);
    assert!(network.advance(&mut ended));
    network.transfer(way, 4096, 1);
    network.sleep(232.508e-9, 2);
    assert!(network.advance(&mut ended));
    assert_nanoseconds(network.now(), 5165.42141);
    network.transfer(way, 96, 3);
    assert!(network.advance(&mut ended));
    assert_eq!(ended[0].token, 3);
    assert_nanoseconds(network.now(), 5428.22141);
    assert!(network.advance(&mut ended));
    assert_eq!(ended[0].token, 1);
    assert_nanoseconds(network.now(), 5556.07377);
}

#[test]
fn commands_one_after_another_keep_their_digits() {
    // As in the trace of one put: 1 ns, then seven commands of 64 B: 1 + 7 x 255.765766 = 1791.36036 ns.
    let mut network = network();
    let way = path(&mut network, &PCI);
    let mut ended = Vec::new();
    network.sleep(1e-9, 0);
    let dates = [
        256.765766, 512.531532, 768.297297, 1024.06306, 1279.82883, 1535.59459, 1791.36036,
    ];
    assert!(network.advance(&mut ended));
    for due in dates {
        network.transfer(way, 64, 1);
        assert!(network.advance(&mut ended));
        assert_nanoseconds(network.now(), due);
    }
}
