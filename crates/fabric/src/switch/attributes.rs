//! The attributes of the shared-buffer switch.

use packetloom_des::{Bytes, Rate, Span};

packetloom_params::choice! {
    /// How a switch picks among equal-cost ports.
    pub enum EcmpHashMethod {
        /// CRC-32 of the flow, salted with the node.
        Crc32WithSalt = "crc32WithSalt",
        /// CRC-32 of the flow.
        Crc32 = "crc32",
        /// An exclusive or of addresses and ports, salted with the node.
        HashWithSalt = "hashWithSalt",
        /// An exclusive or of addresses and ports.
        Hash = "hash",
        /// By the destination address alone.
        Dpr = "dpr",
        /// By the destination address, or by CRC-32 where that names no port.
        DprWithFallback = "dprWithFallback",
    }
}

packetloom_params::choice! {
    /// How a switch balances flows over equal-cost ports beyond the hash.
    pub enum LoadBalancingMethod {
        /// By the hash alone.
        None = "none",
        /// Gaps in a flow let it move to a less loaded port.
        Flowlet = "flowlet",
    }
}

/// The largest part of a buffer that an entry may name: far above 1, so that a slip is answered with the sum of all.
const LARGEST_SHARE: f64 = 1_000.0;

packetloom_params::attributes! {
    /// A switch with one packet buffer shared by all ports.
    pub struct SwitchAttributes {
        /// Ports meant for links up. Advisory: using more is no error.
        num_up_links "NumUpLinks": u64 = 64;
        /// Ports meant for links down. Advisory: using more is no error.
        num_down_links "NumDownLinks": u64 = 64;
        /// Parallel links to each switch above.
        num_up_links_per_switch "NumUpLinksPerSwitch": u64 = 8;
        /// What the switch forwards in all. Advisory: it limits nothing.
        switching_capacity "SwitchingCapacity": Rate = Rate::from_gbps(51_200);
        /// How the switch picks among equal-cost ports.
        ecmp_hash_method "EcmpHashMethod": EcmpHashMethod = EcmpHashMethod::Crc32WithSalt;
        /// How flows are balanced over equal-cost ports beyond the hash.
        load_balancing_method "LoadBalancingMethod": LoadBalancingMethod = LoadBalancingMethod::None;
        /// Whether `scala-switch-load-balancing-stats` is written.
        enable_load_balancing_stats "EnableLoadBalancingStats": bool = true;
        /// Time between rows of `scala-switch-load-balancing-stats`.
        load_balancing_stats_report_interval "LoadBalancingStatsReportInterval": Span = Span::from_ms(1),
            min(Span::from_us(10));
        /// The ports.
        network_interface "NetworkInterface": NetworkInterface;
        /// Cutting packets to their headers instead of dropping them.
        packet_trimmer "PacketTrimmer": PacketTrimmer;
        /// Flowlet balancing.
        load_balancing_flowlet "LoadBalancingFlowlet": LoadBalancingFlowlet;
        /// The packet buffer.
        shared_buffer_manager "SharedBufferManager": SharedBufferManager;
        /// Marking of congestion.
        ecn_handler "EcnHandler": EcnHandler;
    }

    /// The ports of a switch.
    pub struct NetworkInterface {
        /// Ports to switches above.
        uplink_network_interface "UplinkNetworkInterface": PortAttributes;
        /// Ports to switches or hosts below.
        downlink_network_interface "DownlinkNetworkInterface": PortAttributes;
        /// The links to the switches above; a link down has the delay of the device below.
        transmission_medium "TransmissionMedium": TransmissionMedium;
    }

    /// Ports of one direction.
    pub struct PortAttributes {
        /// The rate of each port; a link runs at the lower rate of its two ends.
        data_rate "DataRate": Rate = Rate::from_gbps(400), min(Rate::from_bps(1_000_000)), max(Rate::from_gbps(100_000));
    }

    /// A link's medium.
    pub struct TransmissionMedium {
        /// Propagation delay.
        delay "Delay": Span = Span::from_ns(500);
    }

    /// Cutting packets to their headers instead of dropping them.
    pub struct PacketTrimmer {
        /// Whether packets are trimmed.
        trimming_enabled "TrimmingEnabled": bool = false;
        /// Whether the trimming record is written.
        trimming_stats_enabled "TrimmingStatsEnabled": bool = false;
    }

    /// Flowlet balancing.
    pub struct LoadBalancingFlowlet {
        /// How long a flow must be silent before it may move; 0 lets every packet move. Has no effect yet.
        gap "Gap": Span = Span::from_us(100), max(Span::from_ms(2_000));
        /// Whether ports that are paused for the class are avoided. Has no effect yet.
        pfc_aware "PFCAware": bool = true;
    }

    /// The packet buffer.
    pub struct SharedBufferManager {
        /// The buffer of all ports together, headroom included.
        total_shared_buffer_size "TotalSharedBufferSize": Bytes = Bytes(256_000_000);
        /// Whether the buffer follows the policy of Ultra Ethernet.
        uet_policy_enabled "UETPolicyEnabled": bool = false;
        /// The fraction of the buffer that each pool has.
        pool_allocation_map "PoolAllocationMap": [f64; 8] = [0.9, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], min(0.0),
            max(LARGEST_SHARE);
        /// The pool of each traffic class.
        traffic_class_pool_mapping "TrafficClassPoolMapping": [u64; 8] = [0, 1, 0, 0, 0, 0, 0, 0], max(7);
        /// 1 for each traffic class that is lossless, by pausing its senders.
        enable_pfc "EnablePFC": [u64; 8] = [1, 1, 0, 0, 0, 0, 0, 0], max(1);
        /// Room for each port to absorb what is under way when it pauses its sender.
        head_room_per_port_limit "HeadRoomPerPortLimit": Bytes = Bytes(256_000);
        /// Bytes of a pool from one port above which that port pauses its sender.
        static_pool_xoff_threshold "StaticPoolXoffThreshold": Bytes = Bytes(700_000);
        /// Bytes of a pool from one port at or below which that port lets its sender go on.
        static_pool_xon_threshold "StaticPoolXonThreshold": Bytes = Bytes(300_000);
        /// The share of its pool's free bytes that a lossy queue may hold; 0 for a fixed limit.
        lossy_alpha "LossyAlpha": f64 = 1.0, min(0.0);
        /// Whether, with `LossyAlpha` 0, a lossy queue is limited by `QueueDropThreshold` times `PlaneBDP`.
        queue_drop_threshold_enable "QueueDropThresholdEnable": bool = false;
        /// Limit of a lossy queue in units of `PlaneBDP`.
        queue_drop_threshold "QueueDropThreshold": u64 = 5, max(1_000_000);
        /// Bytes under way on a path through the fabric.
        plane_bdp "PlaneBDP": Bytes = Bytes(300_000);
        /// Time between rows of `scala-switch-agg-buff-stats` and `scala-switch-buff-stats`.
        buffer_stats_report_interval "BufferStatsReportInterval": Span = Span::from_ms(1), above(Span::ZERO);
        /// Whether `scala-switch-buff-stats` is written, which tells of every port on its own.
        report_per_port_buffer_stats "ReportPerPortBufferStats": bool = false;
    }

    /// Marking of congestion.
    pub struct EcnHandler {
        /// Whether packets are marked. Has no effect yet.
        enable_ecn "EnableEcn": bool = true;
        /// The weight of the newest sample in a queue's mean length. Has no effect yet.
        ewma_weight "EwmaWeight": f64 = 0.1, min(0.0), max(1.0);
        /// Mean length, as a fraction of the queue's limit, below which no packet is marked. Has no effect yet.
        min_threshold "MinThreshold": f64 = 0.2, min(0.0), max(1.0);
        /// Mean length, as a fraction of the queue's limit, from which every packet is marked. Has no effect yet.
        max_threshold "MaxThreshold": f64 = 0.8, min(0.0), max(1.0);
        /// The probability of a mark just below the upper threshold. Has no effect yet.
        max_mark_probability "MaxMarkProbability": f64 = 1.0, min(0.0), max(1.0);
    }
}
