//! The end-to-end unit: it keeps each message until it is acknowledged, sends it again when that takes too long, and gives
//! up after so many times. Flow control counts here too.

use super::message::{Body, Message};
use super::surroundings::{Step, Surroundings};
use super::{Node, settings};
use crate::NiFail;
use slotmap::{DefaultKey, SlotMap};
use smallvec::SmallVec;
use std::collections::{BTreeMap, VecDeque};

/// What is kept until it is acknowledged.
#[derive(Debug)]
struct Kept {
    message: Message,
    /// It was given another time-out because one before it was given up
    waited: bool,
}

impl Kept {
    /// Whether one before it was given up since it was first sent, and it was not given time for that.
    fn may_have_waited(&self, last_given_up: &BTreeMap<(u32, u8), u64>) -> bool {
        let way = (self.message.to, self.message.vn.number());
        let number = self.message.sequence.number;
        !self.waited
            && last_given_up
                .get(&way)
                .is_some_and(|last| (self.message.sequence.floor..number).contains(last))
    }
}

/// Whom flow control counts for: a virtual network and a node, or two processes besides.
type Party = (u8, u32, Option<(u32, u32)>);

/// Two processes and a virtual network, by which messages keep their order.
type Pair = (u8, u32, (u32, u32));

/// The end-to-end unit of a node.
#[derive(Debug)]
pub(super) struct EndToEnd<T> {
    kept: SlotMap<DefaultKey, Kept>,
    /// What is kept for each peer and virtual network, by number
    by_number: BTreeMap<(u32, u8), VecDeque<(u64, DefaultKey)>>,
    /// In the order in which they are due
    due: VecDeque<(f64, DefaultKey)>,
    time_out: Option<T>,
    /// The last message given up on each way
    last_given_up: BTreeMap<(u32, u8), u64>,
    /// Transmitters that wait for a place
    waiting: VecDeque<u32>,
    in_flight: BTreeMap<Party, u32>,
    /// Messages without credit
    parked: VecDeque<Message>,
}

impl<T> Default for EndToEnd<T> {
    fn default() -> Self {
        Self {
            kept: SlotMap::new(),
            by_number: BTreeMap::new(),
            due: VecDeque::new(),
            time_out: None,
            last_given_up: BTreeMap::new(),
            waiting: VecDeque::new(),
            in_flight: BTreeMap::new(),
            parked: VecDeque::new(),
        }
    }
}

impl<S: Surroundings> Node<S> {
    /// Whether there is a place for another request; responses do not wait for one, else two nodes full of requests would wait
    /// for each other's answers. If not, the transmitter is told when there is.
    pub(super) fn has_entry(&mut self, unit: u32) -> bool {
        if self.e2e.kept.len() < settings::E2E_ENTRIES as usize {
            return true;
        }
        self.e2e.waiting.push_back(unit);
        false
    }

    /// Gives a message its place in the order, or, sent again, tells what is done with by now.
    pub(super) fn assign(&mut self, message: &mut Message) {
        if matches!(message.body, Body::E2eAck { .. }) {
            return;
        }
        let outgoing = self
            .outgoing
            .entry((message.to, message.vn.number()))
            .or_default();
        if message.retries == 0 {
            message.sequence = if message.e2e {
                outgoing.assign()
            } else {
                outgoing.assign_untracked()
            };
        } else {
            message.sequence.floor = outgoing.floor();
        }
    }

    /// Keeps a copy of a message that is sent, and notes when it is due.
    pub(super) fn guard(&mut self, message: &Message, world: &mut S) {
        if !message.e2e || matches!(message.body, Body::E2eAck { .. }) {
            return;
        }
        let e2e = &mut self.e2e;
        let way = (message.to, message.vn.number());
        let number = message.sequence.number;
        let key = if message.retries == 0 {
            let (kind, id) = (&message.body, message.operation);
            let message = message.clone();
            let key = e2e.kept.insert(Kept {
                message,
                waited: false,
            });
            e2e.by_number.entry(way).or_default().push_back((number, key));
            if matches!(kind, Body::Request(..))
                && let Some(operation) = self.operations.get_mut(id)
            {
                operation.place = Some((way, number));
            }
            key
        } else {
            match e2e.find(way, number) {
                Some(key) => key,
                // Acknowledged while it waited to be sent again.
                None => return,
            }
        };
        e2e.due
            .push_back((world.now() + self.settings.retry_timeout, key));
        if e2e.time_out.is_none() {
            e2e.time_out = Some(world.time_out(self.settings.retry_timeout, Step::E2e));
        }
    }

    /// The payload of a kept message was fetched.
    pub(super) fn keep_payload(&mut self, message: &Message) {
        if !message.e2e || message.retries > 0 {
            return;
        }
        let way = (message.to, message.vn.number());
        if let Some(key) = self.e2e.find(way, message.sequence.number)
            && let Some(kept) = self.e2e.kept.get_mut(key)
        {
            kept.message = message.clone();
        }
    }

    /// A message is acknowledged: what was kept of it, if it was.
    pub(super) fn acknowledge(&mut self, way: (u32, u8), number: u64, world: &mut S) -> Option<Message> {
        let key = self.e2e.find(way, number)?;
        let kept = self.e2e.kept.remove(key)?;
        if let Some(numbers) = self.e2e.by_number.get_mut(&way)
            && let Ok(at) = numbers.binary_search_by_key(&number, |entry| entry.0)
        {
            numbers.remove(at);
        }
        if let Some(outgoing) = self.outgoing.get_mut(&way) {
            outgoing.close(number);
        }
        self.return_credit(&kept.message, world);
        // What is due first may be done with.
        while let Some(&(_, key)) = self.e2e.due.front()
            && !self.e2e.kept.contains_key(key)
        {
            self.e2e.due.pop_front();
        }
        if self.e2e.due.is_empty()
            && let Some(time_out) = self.e2e.time_out.take()
        {
            world.cancel(time_out);
        }
        if let Some(unit) = self.e2e.waiting.pop_front() {
            self.tx_entry_free(unit, world);
        }
        Some(kept.message)
    }

    /// The unit's time is up: what is due is sent again or given up.
    pub(super) fn e2e_due(&mut self, world: &mut S) {
        self.e2e.time_out = None;
        // Dates that are all but equal are one.
        let now = world.now() + 1e-9;
        let mut given_up: SmallVec<[DefaultKey; 4]> = SmallVec::new();
        while let Some(&(due, key)) = self.e2e.due.front()
            && (due <= now || !self.e2e.kept.contains_key(key))
        {
            self.e2e.due.pop_front();
            let Some(kept) = self.e2e.kept.get_mut(key) else {
                continue;
            };
            if kept.message.retries < self.settings.max_retries {
                kept.message.retries += 1;
                let message = kept.message.clone();
                self.submit(message, world);
            } else if kept.may_have_waited(&self.e2e.last_given_up) {
                // It may have arrived long ago and have waited for one that was given up: its answer has as long again.
                kept.waited = true;
                let due = world.now() + self.settings.retry_timeout;
                self.e2e.due.push_back((due, key));
            } else {
                given_up.push(key);
            }
        }
        self.give_up_all(&given_up, world);
        if let Some(&(due, _)) = self.e2e.due.front()
            && self.e2e.time_out.is_none()
        {
            let span = (due - world.now()).max(0.0);
            self.e2e.time_out = Some(world.time_out(span, Step::E2e));
        }
    }

    /// Gives messages up. Targets hear of the last one first: none of them is carried out because another is out of its way.
    fn give_up_all(&mut self, keys: &[DefaultKey], world: &mut S) {
        for key in keys.iter().rev() {
            if let Some(kept) = self.e2e.kept.get(*key) {
                world.given_up(&kept.message);
            }
        }
        for key in keys {
            let Some(kept) = self.e2e.kept.get(*key) else {
                continue;
            };
            let way = (kept.message.to, kept.message.vn.number());
            let number = kept.message.sequence.number;
            if let Some(message) = self.acknowledge(way, number, world) {
                self.e2e.last_given_up.insert(way, number);
                self.give_up(message, world);
            }
        }
    }

    /// A message never arrives.
    pub(super) fn give_up(&mut self, message: Message, world: &mut S) {
        match message.body {
            Body::Request(..) => self.fail(message.operation, NiFail::Undeliverable, world),
            Body::Reply(..) => {
                if let Some((process, completion)) = message.completion {
                    let notices = self.processes[process as usize].library.fetched(completion);
                    self.issue_detached(process, notices, world);
                }
            }
            Body::Ack(_) | Body::E2eAck { .. } => {}
        }
    }

    /// The message if it may go by flow control; else it is kept until it may. Messages between two processes keep their
    /// order.
    pub(super) fn with_credit(&mut self, mut message: Message) -> Option<Message> {
        if message.credited || message.retries > 0 || !self.counts(&message) {
            return Some(message);
        }
        let pair = |at: &Message| (at.vn.number(), at.to, at.pids);
        let behind = self.e2e.parked.iter().any(|at| pair(at) == pair(&message));
        if behind || !self.take_credit(&message) {
            self.e2e.parked.push_back(message);
            return None;
        }
        message.credited = true;
        Some(message)
    }

    /// Counts a message as under way, if its limits allow one more.
    fn take_credit(&mut self, message: &Message) -> bool {
        let in_flight = |party| self.e2e.in_flight.get(&party).copied().unwrap_or(0);
        let free = self
            .parties(message)
            .all(|(party, limit)| in_flight(party) < limit);
        if free {
            for (party, _) in self.parties(message) {
                *self.e2e.in_flight.entry(party).or_default() += 1;
            }
        }
        free
    }

    /// A message is not under way any more: those that waited for that go.
    pub(super) fn return_credit(&mut self, message: &Message, world: &mut S) {
        if !message.credited {
            return;
        }
        for (party, _) in self.parties(message) {
            if let Some(count) = self.e2e.in_flight.get_mut(&party) {
                *count = count.saturating_sub(1);
            }
        }
        let mut at = 0;
        let mut passed: SmallVec<[Pair; 4]> = SmallVec::new();
        while let Some(parked) = self.e2e.parked.get(at) {
            let pair = (parked.vn.number(), parked.to, parked.pids);
            if passed.contains(&pair) {
                at += 1;
                continue;
            }
            let Some(mut message) = self.e2e.parked.remove(at) else {
                break;
            };
            if self.take_credit(&message) {
                message.credited = true;
                self.submit_ahead(message, world);
                // One has come back, so one can go: with both limits perhaps none.
                break;
            }
            self.e2e.parked.insert(at, message);
            passed.push(pair);
            at += 1;
        }
    }

    /// Puts a message that has its credit now into its queue, ahead of those of its pair that no transmitter has looked at:
    /// these came later.
    fn submit_ahead(&mut self, message: Message, world: &mut S) {
        let waiting = &mut self.tx[message.vn.index()].waiting;
        let later =
            |at: &Message| (at.to, at.pids) == (message.to, message.pids) && !at.credited && at.retries == 0;
        match waiting.iter().position(later) {
            Some(at) => waiting.insert(at, message),
            None => self.submit(message, world),
        }
    }

    fn counts(&self, message: &Message) -> bool {
        let settings = &self.settings;
        message.e2e
            && !matches!(message.body, Body::E2eAck { .. })
            && (settings.max_in_flight_to_target > 0 || settings.max_in_flight_to_process > 0)
    }

    /// Whom flow control counts a message for, with the most there may be.
    fn parties(&self, message: &Message) -> impl Iterator<Item = (Party, u32)> + use<S> {
        let vn = message.vn.number();
        let target = (vn, message.to, None);
        let process = (vn, message.to, Some(message.pids));
        [
            (target, self.settings.max_in_flight_to_target),
            (process, self.settings.max_in_flight_to_process),
        ]
        .into_iter()
        .filter(|entry| entry.1 > 0)
    }
}

impl<T> EndToEnd<T> {
    fn find(&self, way: (u32, u8), number: u64) -> Option<DefaultKey> {
        let numbers = self.by_number.get(&way)?;
        let at = numbers.binary_search_by_key(&number, |entry| entry.0).ok()?;
        Some(numbers[at].1)
    }
}
