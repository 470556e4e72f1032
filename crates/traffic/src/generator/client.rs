//! The client of one connection.

use super::backlog::Backlog;
use super::cycle::Cycle;
use super::sizes::Sizes;
use packetloom_des::random::Stream;
use packetloom_des::{Ring, Span, Time};
use serde::{Deserialize, Serialize};

/// What is settled about a client before the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClientPlan {
    /// The client's instance: its place among all of the run.
    pub instance: u32,
    /// When the connection is opened and the first request is generated.
    pub start: Time,
    /// The end of the recording window, through which requests are generated.
    pub end: Time,
    /// Requests a second in On periods, on average; above 0.
    pub rate: f64,
    /// How long an On period goes on taking requests.
    pub on: Span,
    /// How long the Off period after it lasts.
    pub off: Span,
    /// How the sizes of requests are drawn.
    pub request: Sizes,
    /// How the sizes of replies are drawn.
    pub reply: Sizes,
}

/// A request whose reply has arrived in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// The client's instance.
    pub instance: u32,
    /// Its number on the connection, from 0.
    pub number: u64,
    /// When the request was generated.
    pub generated_at: Time,
    /// When the last byte of the reply arrived.
    pub completed_at: Time,
}

impl Transaction {
    /// From the generation of the request to the last byte of the reply.
    pub fn latency(&self) -> Span {
        self.completed_at.since(self.generated_at)
    }
}

/// A request without its whole reply.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Outstanding {
    generated_at: Time,
    /// Size of the reply in bytes.
    reply: u64,
}

/// The client of one connection: it generates requests and tells which of them are answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Client {
    instance: u32,
    end: Time,
    cycle: Cycle,
    sizes: Stream,
    request: Sizes,
    reply: Sizes,
    /// Requests that are not in the send buffer whole.
    waiting: Backlog,
    /// Requests without their whole reply, oldest first.
    outstanding: Ring<Outstanding>,
    /// Bytes of the oldest one's reply that have arrived.
    arrived: u64,
    generated: u64,
    handed: u64,
    completed: u64,
}

impl Client {
    /// The client of a connection, with the connection's streams [`SIZES`](super::SIZES) and [`GAPS`](super::GAPS).
    pub fn new(plan: ClientPlan, sizes: Stream, gaps: Stream) -> Self {
        Client {
            instance: plan.instance,
            end: plan.end,
            cycle: Cycle::new(plan.start, plan.rate, plan.on, plan.off, gaps),
            sizes,
            request: plan.request,
            reply: plan.reply,
            waiting: Backlog::default(),
            outstanding: Ring::new(),
            arrived: 0,
            generated: 0,
            handed: 0,
            completed: 0,
        }
    }

    /// When the next request is generated; [`Time::NEVER`] when there is none before the recording window has passed.
    #[inline]
    pub fn next(&self) -> Time {
        let next = self.cycle.next();
        if next <= self.end { next } else { Time::NEVER }
    }

    /// Generates the request that is due now. It waits in front of the send buffer, in a list without a limit.
    #[inline]
    pub fn generate(&mut self, now: Time) {
        debug_assert_eq!(now, self.next(), "no request is due");
        let request = self.request.draw(&mut self.sizes);
        let reply = self.reply.draw(&mut self.sizes);
        self.waiting.push(request);
        let generated_at = now;
        self.outstanding.push_back(Outstanding { generated_at, reply });
        self.generated += 1;
        self.cycle.advance();
    }

    /// Whether requests wait for room in the send buffer.
    #[inline]
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes the bytes of waiting requests that fit into `room` bytes of the send buffer, and returns their number.
    #[inline]
    pub fn feed(&mut self, room: u64) -> u64 {
        let (bytes, begun) = self.waiting.feed(room);
        self.handed += begun;
        bytes
    }

    /// `bytes` more of the replies have arrived in order. Returns the oldest transaction that is complete with them.
    /// There may be more: call again with 0 bytes until there is none.
    #[inline]
    pub fn replied(&mut self, now: Time, bytes: u64) -> Option<Transaction> {
        self.arrived += bytes;
        let Some(oldest) = self.outstanding.front() else {
            debug_assert_eq!(self.arrived, 0, "bytes of a reply that nobody asked for");
            return None;
        };
        if self.arrived < oldest.reply {
            return None;
        }
        self.arrived -= oldest.reply;
        let transaction = Transaction {
            instance: self.instance,
            number: self.completed,
            generated_at: oldest.generated_at,
            completed_at: now,
        };
        self.outstanding.drop_front();
        self.completed += 1;
        Some(transaction)
    }

    /// The client's instance.
    pub fn instance(&self) -> u32 {
        self.instance
    }

    /// Requests generated so far.
    pub fn generated(&self) -> u64 {
        self.generated
    }

    /// Requests handed to TCP: those of which the first byte is in the send buffer. It is `tx_client` of `beacon`.
    pub fn handed(&self) -> u64 {
        self.handed
    }

    /// Replies received in full. It is `rx_client` of `beacon`.
    pub fn completed(&self) -> u64 {
        self.completed
    }
}
