//! Attributes that are refused, with the message: the path, what is wrong, and what would be right.

use crate::common::{check, fault, faults, with};
use serde_json::{Value, json as j};

const TWO: &str = "rdma-16-hosts";
const ONE: &str = "rdma-one-rack";
/// The rack switch and the NIC of [`ONE`].
const SWITCH: &str = "/components/0/typedParameters";
const NIC: &str = "/components/1/typedParameters";
const GLOBAL: &str = "/globalParameters/SimulationParameters";
const APP: &str = "/applications/0/typedParameters";

/// What is wrong once one value under `root` is changed.
fn one(root: &str, rest: &str, value: Value) -> String {
    fault(ONE, &[(&format!("{root}/{rest}"), value)])
}

#[test]
fn attributes() {
    let nic = "components[1].typedParameters";
    assert_eq!(
        one(NIC, "ScalaRoceQpManager/MSS", j!("4126 B")),
        format!(
            "{nic}.ScalaRoceQpManager.MSS: a packet of 4126 B with 58 B of headers is not below the Mtu of 4184 B; give \
             at most 4125 B, or raise GenericNetDevice.Mtu"
        )
    );
    assert_eq!(
        one(NIC, "ScalaRoceQpManager/MSS", j!("0 B")),
        format!("{nic}.ScalaRoceQpManager.MSS: 0 B is out of range; give 1 B to 9216 B")
    );
    assert_eq!(
        one(
            NIC,
            "HostInterface/NICSide/PCIeGen3.0/NicDeviceLayer/NicPCIeInterface/PhysicalLayer/LaneCount",
            j!(17)
        ),
        format!(
            "{nic}.HostInterface.NICSide.PCIeGen3.0.NicDeviceLayer.NicPCIeInterface.PhysicalLayer.LaneCount: 17 is out \
             of range; give 1 to 16"
        )
    );
    assert_eq!(
        one(NIC, "NumDownLinks", j!(2)),
        format!("{nic}.NumDownLinks: 2 differs from 1, and the attribute is read-only; leave it out")
    );
    assert_eq!(
        one(
            NIC,
            "NetworkInterface/UplinkNetworkInterface/DataRate",
            j!("0 Gbps")
        ),
        format!(
            "{nic}.NetworkInterface.UplinkNetworkInterface.DataRate: 0 Gbps is too small; give 1 Mbps to 100 Tbps"
        )
    );
    assert_eq!(
        one(NIC, "ScalaRoceQpManager/MSS/type", j!("uint")),
        format!("{nic}.ScalaRoceQpManager.MSS: the type is \"uint\"; make it \"bytes\"")
    );
    assert_eq!(
        one(SWITCH, "EcnHandler/MinThreshold", j!(1.5)),
        "components[0].typedParameters.EcnHandler.MinThreshold: 1.5 is out of range; give 0 to 1"
    );
    assert_eq!(
        one(APP, "RdmaDataPacketTC", j!(8)),
        "applications[0].typedParameters.RdmaDataPacketTC: 8 is out of range; give 7 or less"
    );
    assert_eq!(
        one(APP, "TransferSize", j!("2 GiB")),
        "applications[0].typedParameters.TransferSize: 2147483648 B is out of range; give 1073741824 B or less"
    );
    assert_eq!(
        one(GLOBAL, "RunTime", j!(0)),
        "globalParameters.SimulationParameters.RunTime: 0 is out of range; give more than 0 and at most 1000000"
    );
    assert_eq!(
        one(GLOBAL, "BeaconReportInterval", j!(1e-13)),
        "globalParameters.SimulationParameters.BeaconReportInterval: 1e-13 s is less than a picosecond; give a longer \
         time, in seconds"
    );
    assert_eq!(
        one(GLOBAL, "RandomSeed", j!(-1)),
        "globalParameters.SimulationParameters.RandomSeed: -1 is negative; give a whole number of 0 or more"
    );
}

#[test]
fn pools_of_a_nic() {
    let path = "components[1].typedParameters.NetworkInterface";
    let ingress = "NetworkInterface/IngressBufferManager/PoolAllocationVector";
    let egress = "NetworkInterface/EgressBufferManager/PoolAllocationVector";
    assert_eq!(
        one(NIC, ingress, j!("0.5, 0, 0.5, 0, 0, 0, 0, 0"))
            .lines()
            .next()
            .unwrap(),
        format!(
            "{path}.IngressBufferManager.PoolAllocationVector: a pool comes after an entry of 0; put the entries above 0 \
             first, without a gap"
        )
    );
    assert_eq!(
        one(NIC, egress, j!([0, 0, 0, 0, 0, 0, 0, 0]))
            .lines()
            .next()
            .unwrap(),
        format!(
            "{path}.EgressBufferManager.PoolAllocationVector: all entries are 0; give at least the first class a pool"
        )
    );
    assert_eq!(
        one(NIC, egress, j!([0.9, -0.1, 0, 0, 0, 0, 0, 0])),
        format!(
            "{path}.EgressBufferManager.PoolAllocationVector: entry 1 is -0.1, which is out of range; give 0 to 1000"
        )
    );
    assert_eq!(
        one(NIC, egress, j!("[0.9, x, 0, 0, 0, 0, 0, 0]")),
        format!(
            "{path}.EgressBufferManager.PoolAllocationVector: entry 1: \"x\" is not a number; give a decimal number"
        )
    );
    assert_eq!(
        one(NIC, egress, j!([1, 0, 0, 0, 0, 0, 0, 0])),
        format!(
            "{path}.EgressBufferManager.PoolAllocationVector: there is no pool for class 1, the control class of \"Rdma\"; \
             give entry 1 a part of the buffer, or change the class of the application"
        )
    );
    assert_eq!(
        one(
            NIC,
            "NetworkInterface/EgressBufferManager/TotalBufferSize",
            j!("4 KB")
        ),
        format!(
            "{path}.EgressBufferManager.TotalBufferSize: the pool of class 0, the data class of \"Rdma\" holds 3600 B, \
             less than the 4154 B of a packet; give a larger buffer"
        )
    );
    assert_eq!(
        one(
            NIC,
            "NetworkInterface/IngressBufferManager/QuantaValue",
            j!([1.5, 0, 0, 0, 0, 0, 0, 0])
        ),
        format!(
            "{path}.IngressBufferManager.QuantaValue: entry 0: 1.5 is not a whole number; give a whole number of 0 to 65535"
        )
    );
    assert_eq!(
        one(
            NIC,
            "NetworkInterface/IngressBufferManager/PfcStaticXoffThreshold",
            j!([1, 2])
        ),
        format!(
            "{path}.IngressBufferManager.PfcStaticXoffThreshold: the list has 2 entries; give eight numbers, one for each \
             class or pool"
        )
    );
}

#[test]
fn buffers_of_the_host_link() {
    let layer = "HostInterface/NICSide/PCIeGen3.0/NicDeviceLayer/NicPCIeInterface/TransactionLayer";
    let path = format!("components[1].typedParameters.{}", layer.replace('/', "."));
    assert_eq!(
        one(NIC, &format!("{layer}/TXDataBufferSize"), j!("4000 B")),
        format!(
            "{path}.TXDataBufferSize: 4 KB do not hold a packet's payload of 4096 B; give 4096 B or more"
        )
    );
    assert_eq!(
        one(NIC, &format!("{layer}/TXHeaderBufferSize"), j!("271 B")),
        format!(
            "{path}.TXHeaderBufferSize: 271 B do not hold the headers of a packet's payload of 272 B; give 272 B or more"
        )
    );
    assert_eq!(
        one(NIC, &format!("{layer}/RXDataBufferSize"), j!("511 B")),
        format!("{path}.RXDataBufferSize: 511 B do not hold a transfer of 512 B; give 512 B or more")
    );
    assert_eq!(
        one(NIC, &format!("{layer}/RXHeaderBufferSize"), j!("33 B")),
        format!(
            "{path}.RXHeaderBufferSize: 33 B do not hold the header of a transfer of 34 B; give 34 B or more"
        )
    );
    let host =
        "HostInterface/HostSide/PCIeGen3.0/ScalaHostPCIeDeviceLayer/HostPCIeInterface/TransactionLayer";
    assert_eq!(
        faults(
            ONE,
            &[
                (&format!("{NIC}/{host}/TXDataBufferSize"), j!("5000 B")),
                (&format!("{APP}/DoorbellPayloadSize"), j!("5 KB")),
            ]
        ),
        [format!(
            "components[1].typedParameters.{}.TXDataBufferSize: 5 KB do not hold a doorbell of 5028 B; give 5028 B or more",
            host.replace('/', ".")
        )]
    );
}

#[test]
fn long_messages() {
    let small = [
        (format!("{NIC}/ScalaRoceQpManager/MSS"), j!("128 B")),
        (format!("{APP}/TransferSize"), j!("1 GiB")),
    ];
    let small: Vec<(&str, Value)> = small
        .iter()
        .map(|(path, value)| (path.as_str(), value.clone()))
        .collect();
    assert_eq!(
        fault(ONE, &small),
        "applications[0].typedParameters.TransferSize: 1073741824 B are 8388608 packets of 128 B; a message has less than \
         8388608; give at most 1073741696 B, or raise MSS"
    );
}

#[test]
fn buffer_of_a_switch() {
    let path = "components[0].typedParameters.SharedBufferManager";
    let map = "SharedBufferManager/PoolAllocationMap";
    assert_eq!(
        one(SWITCH, map, j!([0.9, 0.25, 0.1, 0, 0, 0, 0, 0])),
        format!(
            "{path}.PoolAllocationMap: the entries add up to 1.25, more than the last pool can give up; lower them until \
             the sum is 1"
        )
    );
    let scenario = check(&with(
        ONE,
        &[(&format!("{SWITCH}/{map}"), j!([0.9, 0.2, 0, 0, 0, 0, 0, 0]))],
    ))
    .unwrap();
    let warning = format!("{path}.PoolAllocationMap adds up to 1.1: the last pool takes the difference to 1");
    assert!(scenario.warnings.contains(&warning), "{:?}", scenario.warnings);
    assert_eq!(
        one(
            SWITCH,
            "SharedBufferManager/TrafficClassPoolMapping",
            j!([0, 2, 0, 0, 0, 0, 0, 0])
        ),
        format!(
            "{path}.TrafficClassPoolMapping: class 1, the control class of \"Rdma\", has pool 2, which has no part of the \
             buffer; name another pool in entry 1, or give pool 2 a part in PoolAllocationMap"
        )
    );
    assert_eq!(
        one(SWITCH, "SharedBufferManager/HeadRoomPerPortLimit", j!("40 MB")),
        format!(
            "{path}.HeadRoomPerPortLimit: HeadRoomPerPortLimit x 8 connected ports is 320000000 B, more than TotalSharedBufferSize, 256000000 B; give \
             at most 32000000 B, or raise TotalSharedBufferSize above 320000000 B"
        )
    );
    assert_eq!(
        one(SWITCH, "SharedBufferManager/TotalSharedBufferSize", j!("2050 KB")),
        format!(
            "{path}.TotalSharedBufferSize: pool 0 of class 0, the data class of \"Rdma\", holds 1800 B once headroom is \
             set apart, less than a packet of 4136 B; give a larger buffer or a larger part in PoolAllocationMap, or lower HeadRoomPerPortLimit"
        )
    );
    // A rack switch of 8 servers has 8 links to each of 2 fabric switches besides: 24 ports; a fabric switch has 16.
    let ports = |size: &str| {
        fault(
            TWO,
            &[(
                &format!("{SWITCH}/SharedBufferManager/HeadRoomPerPortLimit"),
                j!(size),
            )],
        )
    };
    assert!(ports("10.6 MB").is_empty());
    assert!(ports("10.7 MB").contains("HeadRoomPerPortLimit x 24 connected ports is 256800000 B"));
}

#[test]
fn what_is_not_there_yet() {
    let switch = "components[0].typedParameters";
    assert_eq!(
        one(SWITCH, "EcmpHashMethod", j!("crc32withsalt")),
        format!(
            "{switch}.EcmpHashMethod: \"crc32withsalt\" is not a known choice; did you mean \"crc32WithSalt\"? The choices \
             are crc32WithSalt, crc32, hashWithSalt, hash, dpr, dprWithFallback"
        )
    );
    assert_eq!(
        one(SWITCH, "LoadBalancingMethod", j!("flowlet")),
        format!("{switch}.LoadBalancingMethod: flowlet balancing is not available yet; use none")
    );
    for method in ["dpr", "dprWithFallback"] {
        let changes = [
            ("EcmpHashMethod", j!(method)),
            ("LoadBalancingMethod", j!("flowlet")),
        ]
        .map(|(attribute, value)| (format!("{SWITCH}/{attribute}"), value));
        let fault = fault(
            ONE,
            &changes
                .each_ref()
                .map(|(path, value)| (path.as_str(), value.clone())),
        );
        assert!(
            fault.contains("LoadBalancingMethod: flowlet balancing"),
            "{fault}"
        );
    }
    for (root, attribute) in [
        (SWITCH, "SharedBufferManager/UETPolicyEnabled"),
        (SWITCH, "PacketTrimmer/TrimmingEnabled"),
        (SWITCH, "PacketTrimmer/TrimmingStatsEnabled"),
    ] {
        let fault = one(root, attribute, j!(true));
        let last = attribute.rsplit('/').next().unwrap();
        assert!(
            fault.contains(last) && fault.ends_with("not available yet; make it false"),
            "{fault}"
        );
    }
    for (attribute, value) in [
        ("ECNHandler/RatePacing", "queue-pair"),
        ("ECNHandler/CnpInterval", "4 us"),
    ] {
        assert!(
            one(NIC, attribute, j!(value)).contains("not available yet"),
            "{attribute}"
        );
    }
    // It has no effect there, so it is as good as any other.
    assert_eq!(
        one(
            NIC,
            "NetworkInterface/IngressBufferManager/QueueSchedulingType",
            j!("RoundRobin")
        ),
        ""
    );
    assert_eq!(one(SWITCH, "EcnHandler/EnableEcn", j!(true)), "");
}

/// A pool that holds no packet of its class would drop everything: the run would do nothing, silently.
#[test]
fn pools_too_small_for_a_packet() {
    let nic = "/components/1/typedParameters/NetworkInterface";
    let receive = "components[1].typedParameters.NetworkInterface.IngressBufferManager.TotalBufferSize";
    let buffer = |vector: Value, size: &str| j!({ "PoolAllocationVector": vector, "TotalBufferSize": size });
    // A data packet of 4,096 B is charged 4,136 B, an ACK of 126 B 108 B.
    let data = buffer(j!([0.001, 0.1, 0, 0, 0, 0, 0, 0]), "4 MB");
    let message = one(nic, "IngressBufferManager", data);
    assert!(
        message.starts_with(receive) && message.contains("less than the 4136 B of a packet"),
        "{message}"
    );
    let control = buffer(j!([0.9, 0.00001, 0, 0, 0, 0, 0, 0]), "10 MB");
    let message = one(nic, "IngressBufferManager", control);
    assert!(
        message.starts_with(receive) && message.contains("less than the 108 B of a packet"),
        "{message}"
    );
    // A sum above 1 takes the difference from the last pool: nothing is left for class 1.
    let map = j!({ "PoolAllocationMap": [1, 0.1, 0, 0, 0, 0, 0, 0] });
    let message = one("/components/0/typedParameters", "SharedBufferManager", map);
    assert!(
        message.contains("pool 1 of class 1") && message.contains("less than a packet of 108 B"),
        "{message}"
    );
}

#[test]
fn a_rate_of_zero_is_out_of_range_in_every_spelling() {
    for zero in [j!(0), j!(0.0), j!("0"), j!({"type": "datarate", "value": 0})] {
        assert_eq!(
            one(SWITCH, "NetworkInterface/DownlinkNetworkInterface/DataRate", zero),
            "components[0].typedParameters.NetworkInterface.DownlinkNetworkInterface.DataRate: 0 is out of range; give 1 \
             Mbps to 100 Tbps"
        );
    }
    assert_eq!(
        one(SWITCH, "SwitchingCapacity", j!(0)),
        "components[0].typedParameters.SwitchingCapacity: 0 is out of range; give a rate of 1 bps or more"
    );
}

#[test]
fn a_share_beyond_reason_is_named_itself() {
    let huge = j!([1e308, 0.1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        one(SWITCH, "SharedBufferManager/PoolAllocationMap", huge),
        "components[0].typedParameters.SharedBufferManager.PoolAllocationMap: entry 0 is 1e308, which is out of range; \
         give 0 to 1000"
    );
}

#[test]
fn a_buffer_of_nothing_says_how_large_it_has_to_be() {
    assert_eq!(
        one(SWITCH, "SharedBufferManager/TotalSharedBufferSize", j!("0B")),
        "components[0].typedParameters.SharedBufferManager.TotalSharedBufferSize: HeadRoomPerPortLimit x 8 connected ports \
         is 2048000 B, more than TotalSharedBufferSize, 0 B; give more than 2048000 B, or lower HeadRoomPerPortLimit"
    );
}

/// Weights matter only where they are used, and there a class that sends needs one.
#[test]
fn weights_of_classes_that_send() {
    let nic = "/components/1/typedParameters/NetworkInterface";
    let manager = |scheduling: &str| j!({ "QueueSchedulingType": scheduling, "WRRQueueWeights": [0, 3, 0, 0, 0, 0, 0, 0] });
    assert_eq!(one(nic, "EgressBufferManager", manager("RoundRobin")), "");
    assert_eq!(
        one(nic, "EgressBufferManager", manager("WeightedRoundRobin")),
        "components[1].typedParameters.NetworkInterface.EgressBufferManager.WRRQueueWeights: class 0, the data class of \
         \"Rdma\", has weight 0 and would never be sent; give entry 0 a weight of 1 or more, or change the class of the \
         application"
    );
}

#[test]
fn lossy_classes_run() {
    let pfc = j!([0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(
        one(
            "/components/0/typedParameters",
            "SharedBufferManager",
            j!({ "EnablePFC": pfc })
        ),
        ""
    );
}
