//! The attributes of the plain Ethernet NIC.

use packetloom_des::{Bytes, Rate, Span};

packetloom_params::attributes! {
    /// A plain Ethernet NIC.
    pub struct EthernetNicAttributes {
        /// Ports to hosts.
        num_down_links "NumDownLinks": u64 = 1, readonly();
        /// Whether `net-buff-stats` tells of this NIC, if the run writes it.
        enable_buffer_stats "EnableBufferStats": bool = false;
        /// The port to the network and its buffer.
        network_interface "NetworkInterface": NetworkInterface;
    }

    /// The port to the network and its buffer.
    pub struct NetworkInterface {
        /// The port.
        uplink_network_interface "UplinkNetworkInterface": UplinkNetworkInterface;
        /// The link.
        transmission_medium "TransmissionMedium": TransmissionMedium;
        /// The transmit buffer.
        egress_buffer_manager "EgressBufferManager": EgressBufferManager;
    }

    /// The port to the network.
    pub struct UplinkNetworkInterface {
        /// The port's rate; the link runs at the lower rate of its two ends.
        data_rate "DataRate": Rate = Rate::from_gbps(100), min(Rate::from_bps(1_000_000)), max(Rate::from_gbps(100_000));
    }

    /// The link to the network.
    pub struct TransmissionMedium {
        /// Propagation delay.
        delay "Delay": Span = Span::from_ns(100);
    }

    /// The transmit buffer.
    pub struct EgressBufferManager {
        /// The buffer for frames that wait for the port, of all classes; connections wait while it has no room for a full frame.
        total_buffer_size "TotalBufferSize": Bytes = Bytes(256_000), min(Bytes(1_536));
    }
}
