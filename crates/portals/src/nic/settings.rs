//! What a node models, and the numbers of the model.

/// What one node models: the properties of its actors and the options of the run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Payload crosses PCI: inline, PIO and DMA differ
    pub pci: bool,
    /// Commands and events cross PCI; only with `pci`
    pub pci_commands: bool,
    /// Messages are acknowledged end to end and sent again when that stays out
    pub e2e: bool,
}

/// Options that hold for the whole run; S4BXI's names are those of its environment variables without `S4BXI_`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How often a message is sent again at most: `MAX_RETRIES`
    pub max_retries: u32,
    /// Seconds until a message without acknowledgement is sent again: `RETRY_TIMEOUT`
    pub retry_timeout: f64,
    /// Acknowledgements take effect at the initiator at the instant the target handles a put or an atomic operation, and
    /// no message carries them: `QUICK_ACKS`
    pub quick_acks: bool,
    /// Messages under way to one node and virtual network at most, 0: any number: `MAX_INFLIGHT_TO_TARGET`
    pub max_in_flight_to_target: u32,
    /// Messages under way between two processes on one virtual network at most, 0: any number: `MAX_INFLIGHT_TO_PROCESS`
    pub max_in_flight_to_process: u32,
    /// Seconds that a poll costs: `ACTIVE_POLLING_DELAY`
    pub polling_delay: f64,
}

impl Default for Settings {
    /// S4BXI's defaults.
    fn default() -> Self {
        Self {
            max_retries: 5,
            retry_timeout: 10.0,
            quick_acks: false,
            max_in_flight_to_target: 0,
            max_in_flight_to_process: 0,
            polling_delay: 10e-9,
        }
    }
}

/// Bytes of a command from a process to its NIC.
pub const COMMAND: u64 = 64;
/// Bytes of an event from a NIC to a process.
pub const EVENT: u64 = 96;
/// Bytes of a get's request on the wire.
pub const GET_REQUEST: u64 = 64;
/// Bytes of an acknowledgement on the wire.
pub const ACK: u64 = 32;
/// Bytes by which a NIC asks for payload by DMA.
pub const DMA_REQUEST: u64 = 64;
/// Puts and atomic operations up to this many bytes are buffered: SEND does not wait for an acknowledgement.
pub const BUFFERED: u64 = 64;
/// Commands of one interface under way at most.
pub const COMMAND_QUEUE: u32 = 16;
/// Messages of one node that wait for their end-to-end acknowledgement at most.
pub const E2E_ENTRIES: u32 = 8192;

/// Seconds to prepare any message.
pub const PREPARE: f64 = 2e-9;
/// Seconds a transmitter is busy with a put whose payload came with its command.
pub const PUT_BUSY: f64 = 200e-9;
/// Seconds a transmitter is busy after a get's request has arrived.
pub const GET_BUSY: f64 = 250e-9;
/// Seconds a transmitter is busy after an acknowledgement has arrived.
pub const ACK_BUSY: f64 = 200e-9;
/// Seconds a transmitter is busy with a response that needs no DMA.
pub const RESPONSE_BUSY: f64 = 300e-9;
/// Seconds a process is busy writing a payload by PIO.
pub const PIO_BUSY: f64 = 200e-9;
/// Seconds `PtlInit` takes.
pub const INIT: f64 = 1e-9;

/// Largest payload in bytes that fits into the command.
pub fn inline_size(matching: bool) -> u64 {
    if matching { 8 } else { 16 }
}

/// Largest payload in bytes that a process writes to its NIC itself.
pub fn pio_size(matching: bool) -> u64 {
    if matching { 408 } else { 416 }
}

/// Seconds until the first packet of a DMA transfer of so many bytes is there: 200 ns and the packet, of 512 B at most, at
/// 15.75 GB/s.
pub fn first_packet(bytes: u64) -> f64 {
    if bytes >= 512 {
        232.508e-9
    } else {
        200e-9 + bytes as f64 / 15.75e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_packet_is_512_bytes_at_most() {
        // 200 + 64 / 15.75 = 204.063 ns; from 512 B on 200 + 512 / 15.75 = 232.508.
        assert!((first_packet(64) - 204.063e-9).abs() < 1e-12);
        assert!((first_packet(511) - 232.444e-9).abs() < 1e-12);
        assert_eq!(first_packet(512), 232.508e-9);
        assert_eq!(first_packet(1 << 20), 232.508e-9);
    }

    #[test]
    fn matching_takes_eight_bytes_of_the_command() {
        assert_eq!((inline_size(false), inline_size(true)), (16, 8));
        assert_eq!((pio_size(false), pio_size(true)), (416, 408));
    }
}
