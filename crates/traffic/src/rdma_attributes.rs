//! The attributes of the RDMA application.

use crate::timeline::StartType;
use packetloom_des::Bytes;
use packetloom_params::Kind;

packetloom_params::choice! {
    /// The operation of a work request.
    pub enum OpCode {
        /// A write to the memory of the other host.
        WriteFirst = "RDMA_OPCODE_WRITE_FIRST",
    }
}

packetloom_params::choice! {
    /// The call that posts a work request.
    pub enum RdmaVerb {
        /// A write is posted.
        PostWrite = "RDMA_VERB_POST_WRITE",
    }
}

packetloom_params::attributes! {
    /// Initiators that keep writes outstanding to their responders.
    pub struct RdmaApplicationAttributes {
        /// Connections of each pair, each with a queue pair of its own.
        num_connections "NumConnections": u64 = 1, min(1), max(1_024);
        /// Work requests that each connection keeps outstanding; 0 posts none.
        max_pending_wqes "MaxPendingWQEs": u64 = 10, max(1_000_000);
        /// When connections start within the client start window.
        start_type "StartType": StartType = StartType::Simultaneous;
        /// What the host writes to its NIC to announce a work request, without 28 bytes of headers.
        doorbell_payload_size "DoorbellPayloadSize": Bytes = Bytes(64), kind(Kind::Bytes);
        /// The operation of a work request.
        op_code "OpCode": OpCode = OpCode::WriteFirst;
        /// The call that posts a work request.
        rdma_verb "RdmaVerb": RdmaVerb = RdmaVerb::PostWrite;
        /// The traffic class of data packets.
        rdma_data_packet_tc "RdmaDataPacketTC": u64 = 0, max(7);
        /// The traffic class of acknowledgements and other control packets.
        rdma_control_packet_tc "RdmaControlPacketTC": u64 = 1, max(7);
        /// The size of a work request.
        transfer_size "TransferSize": Bytes = Bytes(250_000), max(Bytes(1 << 30)), kind(Kind::Bytes), unit("B");
    }
}
