//! The server of one connection.

use super::backlog::Backlog;
use super::sizes::Sizes;
use packetloom_des::Time;
use packetloom_des::random::Stream;
use serde::{Deserialize, Serialize};

/// The server of one connection: it answers each request, once it has arrived in full, with a reply.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Server {
    request: Sizes,
    reply: Sizes,
    sizes: Stream,
    /// The recording window, both ends included.
    recording: (Time, Time),
    /// The request of which bytes have arrived, but not all.
    partial: Option<Partial>,
    /// Replies that are not in the send buffer whole.
    waiting: Backlog,
    received: u64,
    sent: u64,
    recorded_bytes: u64,
}

/// A request that has not arrived in full.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Partial {
    /// Its size in bytes.
    request: u64,
    /// Bytes that have not arrived yet.
    missing: u64,
    /// Size of its reply in bytes.
    reply: u64,
}

impl Server {
    /// The server of a connection with a second copy of the connection's stream [`SIZES`](super::SIZES), and the first
    /// and last instant of the recording window.
    pub fn new(request: Sizes, reply: Sizes, sizes: Stream, recording: (Time, Time)) -> Self {
        Server {
            request,
            reply,
            sizes,
            recording,
            partial: None,
            waiting: Backlog::default(),
            received: 0,
            sent: 0,
            recorded_bytes: 0,
        }
    }

    /// `bytes` more of the requests have arrived in order. The reply to each request that is complete waits in front of
    /// the send buffer, in a list without a limit. After the recording window no reply is made.
    #[inline]
    pub fn received(&mut self, now: Time, bytes: u64) {
        let mut left = bytes;
        while left > 0 {
            let mut partial = match self.partial.take() {
                Some(partial) => partial,
                None => self.begin(),
            };
            let taken = left.min(partial.missing);
            left -= taken;
            partial.missing -= taken;
            if partial.missing > 0 {
                self.partial = Some(partial);
                return;
            }
            self.received += 1;
            let (first, last) = self.recording;
            if first <= now && now <= last {
                self.recorded_bytes += partial.request;
            }
            if now <= last {
                self.waiting.push(partial.reply);
            }
        }
    }

    /// The next request begins to arrive: its size and its reply's are drawn in the order in which the client does it.
    fn begin(&mut self) -> Partial {
        let request = self.request.draw(&mut self.sizes);
        let reply = self.reply.draw(&mut self.sizes);
        Partial {
            request,
            missing: request,
            reply,
        }
    }

    /// Whether replies wait for room in the send buffer, some of which may be discarded by now.
    #[inline]
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes the bytes of waiting replies that fit into `room` bytes of the send buffer, and returns their number. After
    /// the recording window a reply that has begun goes on; those of which no byte has gone are discarded.
    #[inline]
    pub fn feed(&mut self, now: Time, room: u64) -> u64 {
        if now > self.recording.1 {
            self.waiting.discard();
        }
        let (bytes, begun) = self.waiting.feed(room);
        self.sent += begun;
        bytes
    }

    /// Requests received in full. It is `rx_server` of `beacon`.
    pub fn received_requests(&self) -> u64 {
        self.received
    }

    /// Replies handed to TCP: those of which the first byte is in the send buffer. It is `tx_server` of `beacon`.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Bytes of the requests received in full within the recording window. It is `rx_bytes_writer` of `beacon`.
    pub fn recorded_bytes(&self) -> u64 {
        self.recorded_bytes
    }
}
