//! The attributes of the traffic generator.

use crate::timeline::StartType;
use packetloom_des::{Bytes, Span};
use packetloom_params::Kind;
use packetloom_tcp::congestion::CongestionControl;

packetloom_params::choice! {
    /// How the sizes of requests or replies are drawn.
    pub enum SizeDistribution {
        /// Every size is Min.
        Constant = "constant",
        /// Every whole number of bytes from Min to Max is equally likely.
        Uniform = "uniform",
        /// A broad normal distribution about Average, cut to Min and Max.
        Normal = "normal",
        /// As a file of cumulative probabilities says.
        Empirical = "empirical",
    }
}

packetloom_params::choice! {
    /// The kind of server that answers.
    pub enum ServerType {
        /// It answers each request at once with a reply of the size the client drew.
        ScalaApp = "ScalaApp",
    }
}

/// The largest request or reply, 1 TB.
const LARGEST: Bytes = Bytes(1_000_000_000_000);

packetloom_params::attributes! {
    /// Clients that send requests to servers over TCP, in an open loop.
    pub struct TrafficGeneratorAttributes {
        /// Connections of each pair.
        num_connections "NumConnections": u64 = 8, min(1), max(8);
        /// When connections start within the client start window.
        start_type "StartType": StartType = StartType::Uniform;
        /// Requests a second of each connection in its On periods, on average.
        request_rate "RequestRate": f64 = 500.0, above(0.0), max(1e9);
        /// How the sizes of requests are drawn.
        request_size_distribution "RequestSizeDistribution": SizeDistribution = SizeDistribution::Normal;
        /// How the sizes of replies are drawn.
        reply_size_distribution "ReplySizeDistribution": SizeDistribution = SizeDistribution::Normal;
        /// With `empirical`, the file of cumulative probabilities from which the sizes of requests are drawn.
        request_size_file "RequestSizeFile": String = String::new();
        /// With `empirical`, the file of cumulative probabilities from which the sizes of replies are drawn.
        reply_size_file "ReplySizeFile": String = String::new();
        /// The smallest request, and the size of every request with `constant`.
        request_size_min "RequestSizeMin": Bytes = Bytes(400), min(Bytes(1)), max(LARGEST), kind(Kind::Bytes);
        /// The largest request.
        request_size_max "RequestSizeMax": Bytes = Bytes(3_000), min(Bytes(1)), max(LARGEST), kind(Kind::Bytes), unit("B");
        /// The mean of the normal distribution of requests before it is cut.
        average_request_size "AverageRequestSize": Bytes = Bytes(1_500), min(Bytes(1)), max(LARGEST), kind(Kind::Bytes), unit("B");
        /// The smallest reply, and the size of every reply with `constant`.
        reply_size_min "ReplySizeMin": Bytes = Bytes(1_000), min(Bytes(1)), max(LARGEST), kind(Kind::Bytes), unit("B");
        /// The largest reply.
        reply_size_max "ReplySizeMax": Bytes = Bytes(10_000), min(Bytes(1)), max(LARGEST), kind(Kind::Bytes), unit("B");
        /// The mean of the normal distribution of replies before it is cut.
        average_reply_size "AverageReplySize": Bytes = Bytes(6_000), min(Bytes(1)), max(LARGEST), kind(Kind::Bytes), unit("B");
        /// How long an On period goes on taking requests.
        burst_on_cycle_time "BurstOnCycleTime": Span = Span::from_ns(100_000_000);
        /// How long the Off period after it lasts; 0 for none.
        burst_off_cycle_time "BurstOffCycleTime": Span = Span::ZERO;
        /// The kind of server, which `perf` gives as the metric's name.
        server_type "ServerType": ServerType = ServerType::ScalaApp;
        /// Whether `tcp-stats` tells of these connections, if the run writes it.
        enable_tcp_stats "EnableTcpStats": bool = true;
        /// The algorithm that sizes the congestion window.
        congestion_control "CongestionControl": CongestionControl = CongestionControl::Cubic;
        /// Whether the first slow start is HyStart++ (RFC 9406): windows double each round trip, where they grow by half without it,
        /// and it ends early when round-trip times rise by 4 ms or more.
        hystart "HyStart": bool = true;
    }
}
