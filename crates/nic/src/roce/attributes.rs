//! The attributes of the RoCE NIC.

use packetloom_des::{Bytes, Rate, Span};
use packetloom_params::Kind;

packetloom_params::choice! {
    /// How traffic classes take turns.
    pub enum QueueScheduling {
        /// The highest class that may send.
        StrictPriority = "StrictPriority",
        /// One packet of each class in turn.
        RoundRobin = "RoundRobin",
        /// Up to its weight in packets of each class in turn.
        WeightedRoundRobin = "WeightedRoundRobin",
    }
}

packetloom_params::choice! {
    /// How a queue pair's reduced rate is kept.
    pub enum RatePacing {
        /// The port sends the queue pair's packet at that rate, and is busy for as long.
        Port = "port",
        /// The packet goes at line rate and the queue pair's next one waits.
        QueuePair = "queue-pair",
    }
}

/// The largest part of a buffer or a pool that an entry may name: far above 1, and small enough to compute with.
const LARGEST_SHARE: f64 = 1_000.0;

packetloom_params::attributes! {
    /// A NIC for RDMA over converged Ethernet, with its host's PCIe link.
    pub struct RoceNicAttributes {
        /// Ports to hosts.
        num_down_links "NumDownLinks": u64 = 1, readonly();
        /// Whether `net-buff-stats` tells of this NIC, if the run writes it.
        enable_buffer_stats "EnableBufferStats": bool = false;
        /// The port to the network and its buffers.
        network_interface "NetworkInterface": NetworkInterface;
        /// The PCIe link to the host.
        host_interface "HostInterface": HostInterface;
        /// The transport.
        transport_processing_layers "TransportProcessingLayers": TransportProcessingLayers;
        /// Queue pairs.
        scala_roce_qp_manager "ScalaRoceQpManager": ScalaRoceQpManager;
        /// The reaction to congestion marks.
        ecn_handler "ECNHandler": EcnHandler;
    }

    /// The port to the network and its buffers.
    pub struct NetworkInterface {
        /// The port.
        uplink_network_interface "UplinkNetworkInterface": UplinkNetworkInterface;
        /// The link.
        transmission_medium "TransmissionMedium": TransmissionMedium;
        /// The receive buffer.
        ingress_buffer_manager "IngressBufferManager": IngressBufferManager;
        /// The transmit buffer.
        egress_buffer_manager "EgressBufferManager": EgressBufferManager;
    }

    /// The port to the network.
    pub struct UplinkNetworkInterface {
        /// The port's rate; the link runs at the lower rate of its two ends.
        data_rate "DataRate": Rate = Rate::from_gbps(400), min(Rate::from_bps(1_000_000)), max(Rate::from_gbps(100_000));
    }

    /// The link to the network.
    pub struct TransmissionMedium {
        /// Propagation delay.
        delay "Delay": Span = Span::from_ns(100);
    }

    /// The receive buffer.
    pub struct IngressBufferManager {
        /// The whole buffer.
        total_buffer_size "TotalBufferSize": Bytes = Bytes(4_000_000);
        /// Has no effect: packets are taken in their order of arrival.
        queue_scheduling_type "QueueSchedulingType": QueueScheduling = QueueScheduling::StrictPriority;
        /// The fraction of the buffer that each class's pool has.
        pool_allocation_vector "PoolAllocationVector": [f64; 8] =
            [0.9, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], min(0.0), max(LARGEST_SHARE);
        /// 1 for each class that pauses its sender as its pool fills.
        pfc_enable_vector "PFCEnableVector": [u64; 8] = [1, 1, 0, 0, 0, 0, 0, 0], max(1);
        /// Has no effect: packets are taken in their order of arrival.
        wrr_queue_weights "WRRQueueWeights": [u64; 8] = [1, 3, 0, 0, 0, 0, 0, 0], max(1_000_000);
        /// The fraction of a class's pool at which its sender is paused.
        pfc_static_xoff_threshold "PfcStaticXoffThreshold": [f64; 8] =
            [0.8, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], min(0.0), max(LARGEST_SHARE);
        /// The fraction of a class's pool at which its sender may go on.
        pfc_xon_resume_threshold "PfcXonResumeThreshold": [f64; 8] =
            [0.4, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], min(0.0), max(LARGEST_SHARE);
        /// The length of a pause in units of 512 bit times, by class.
        quanta_value "QuantaValue": [u64; 8] = [65_535, 65_535, 0, 0, 0, 0, 0, 0], max(65_535);
    }

    /// The transmit buffer.
    pub struct EgressBufferManager {
        /// The whole buffer.
        total_buffer_size "TotalBufferSize": Bytes = Bytes(256_000);
        /// How classes take turns.
        queue_scheduling_type "QueueSchedulingType": QueueScheduling = QueueScheduling::StrictPriority;
        /// The fraction of the buffer that each class's pool has.
        pool_allocation_vector "PoolAllocationVector": [f64; 8] =
            [0.9, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], min(0.0), max(LARGEST_SHARE);
        /// Packets of each class in its turn, with `WeightedRoundRobin`.
        wrr_queue_weights "WRRQueueWeights": [u64; 8] = [1, 3, 0, 0, 0, 0, 0, 0], max(1_000_000);
    }

    /// The PCIe link to the host.
    pub struct HostInterface {
        /// The NIC's end.
        nic_side "NICSide": NicSide;
        /// The host's end.
        host_side "HostSide": HostSide;
    }

    /// The NIC's end of the PCIe link.
    pub struct NicSide {
        /// The link's generation.
        pcie_gen3 "PCIeGen3.0": NicPcieGen3;
        /// Requests of the NIC to its host.
        nic_pcie_handler "NICPCIeHandler": NicPcieHandler;
    }

    /// The NIC's end, by layer.
    pub struct NicPcieGen3 {
        /// The device layer.
        nic_device_layer "NicDeviceLayer": NicDeviceLayer;
    }

    /// The NIC's device layer.
    pub struct NicDeviceLayer {
        /// The interface to the link.
        nic_pcie_interface "NicPCIeInterface": PcieInterface;
    }

    /// Requests of the NIC to its host.
    pub struct NicPcieHandler {
        /// Size of a read request.
        read_request_size "ReadRequestSize": Bytes = Bytes(64), kind(Kind::Bytes);
    }

    /// The host's end of the PCIe link.
    pub struct HostSide {
        /// The link's generation.
        pcie_gen3 "PCIeGen3.0": HostPcieGen3;
    }

    /// The host's end, by layer.
    pub struct HostPcieGen3 {
        /// The device layer.
        scala_host_pcie_device_layer "ScalaHostPCIeDeviceLayer": ScalaHostPcieDeviceLayer;
    }

    /// The host's device layer.
    pub struct ScalaHostPcieDeviceLayer {
        /// The interface to the link.
        host_pcie_interface "HostPCIeInterface": PcieInterface;
    }

    /// One end of the PCIe link. Its lanes carry what this end sends.
    pub struct PcieInterface {
        /// The buffers.
        transaction_layer "TransactionLayer": TransactionLayer;
        /// The lanes.
        physical_layer "PhysicalLayer": PhysicalLayer;
    }

    /// The buffers of one end of the PCIe link.
    pub struct TransactionLayer {
        /// Room for headers of arriving transfers, 34 bytes each. Must hold one; more has no effect yet.
        rx_header_buffer_size "RXHeaderBufferSize": Bytes = Bytes(16_000);
        /// Room for headers of transfers waiting to be sent.
        tx_header_buffer_size "TXHeaderBufferSize": Bytes = Bytes(16_000);
        /// Room for payload of arriving transfers. Must hold one; more has no effect yet.
        rx_data_buffer_size "RXDataBufferSize": Bytes = Bytes(256_000);
        /// Room for payload of transfers waiting to be sent.
        tx_data_buffer_size "TXDataBufferSize": Bytes = Bytes(256_000);
    }

    /// The lanes of one direction of the PCIe link.
    pub struct PhysicalLayer {
        /// The rate of a lane.
        lane_bps "LaneBps": Rate = Rate::from_bps(31_520_000_000), unit("Gbps");
        /// How many lanes there are.
        lane_count "LaneCount": u64 = 16, min(1), max(16);
    }

    /// The transport.
    pub struct TransportProcessingLayers {
        /// Reliable delivery, going back to the first lost packet.
        roce_transport_layer "RoceTransportLayer": RoceTransportLayer;
    }

    /// Reliable delivery.
    pub struct RoceTransportLayer {
        /// How long the oldest packet may stay unacknowledged before it is sent again.
        retransmit_timeout "RetransmitTimeout": Span = Span::from_ms(64), above(Span::ZERO);
        /// Whether several packets share an acknowledgement.
        ack_coalescing_enabled "AckCoalescingEnabled": bool = true;
        /// How long an acknowledgement may be held.
        ack_delay "AckDelay": Span = Span::from_ms(1);
        /// How many packets may be held unacknowledged.
        ack_threshold "AckThreshold": u64 = 16, max(1_000_000);
    }

    /// Queue pairs.
    pub struct ScalaRoceQpManager {
        /// The largest payload of a packet. With 58 bytes of headers it must stay below `Mtu`.
        mss "MSS": Bytes = Bytes(4_096), min(Bytes(1)), max(Bytes(9_216)), kind(Kind::Bytes);
    }

    /// The reaction to congestion marks.
    pub struct EcnHandler {
        /// Whether packets are sent as markable and congestion notifications lower the rate. Lowering has no effect yet.
        enable_ecn "EnableECN": bool = true;
        /// The floor of a queue pair's rate, as a fraction of line rate. Has no effect yet.
        minimum_rate_percentage "MinimumRatePercentage": f64 = 0.1, min(0.0), max(1.0);
        /// How many increases make up fast recovery. Has no effect yet.
        fast_recovery_attempt "FastRecoveryAttempt": u64 = 3, max(1_000_000);
        /// Sets the step of additive increase: the part of the first target rate that no step has to regain. Has
        /// no effect yet.
        initial_target_rate_percentage "InitialTargetRatePercentage": f64 = 0.9, min(0.0), max(1.0);
        /// How many steps of additive increase regain the rest of the first target rate. Has no effect yet.
        number_active_increase_steps "NumberActiveIncreaseSteps": u64 = 10, min(1), max(1_000_000);
        /// The length of a control loop in nanoseconds; each half does its part. Has no effect yet.
        control_interval_duration_ns "ControlIntervalDurationNs": u64 = 45_000, min(1), max(1_000_000_000);
        /// The weight of the newest sample in the estimate of congestion. Has no effect yet.
        congestion_probability_weight "CongestionProbabilityWeight": f64 = 0.5, min(0.0), max(1.0);
        /// How many increase halves pass between increases while notifications go on. Has no effect yet.
        num_of_control_loops_per_increase "NumOfControlLoopsPerIncrease": u64 = 5, max(1_000_000);
        /// How a reduced rate is kept: by the port, or for each queue pair. Has no effect yet.
        rate_pacing "RatePacing": RatePacing = RatePacing::Port;
        /// The least time between two congestion notifications of a queue pair; 0 sends one for each marked packet. Has
        /// no effect yet.
        cnp_interval "CnpInterval": Span = Span::ZERO, unit("us");
    }
}
