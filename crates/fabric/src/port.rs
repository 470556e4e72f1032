//! A port: its class queues, its scheduler, and the frame it is sending. Serves switches and NICs alike.
//!
//! A transmission ends at an instant that is known when it starts. An event is set for its end only when something is to
//! happen then: another frame waits, or the owner asks for it. Otherwise the owner catches up with what has ended
//! ([`Port::ended`], [`Port::ended_before`]) before it looks at the port again, or is looked at.

use crate::frame::{self, CLASSES, Frame, Kind};
use crate::pause::{PauseTimes, Paused};
use crate::scheduler::Scheduler;
use packetloom_des::{Bytes, Context, Rate, Ring, Span, Time};
use serde::{Deserialize, Serialize};

/// What waits in a port's queue: a frame, perhaps with something its owner wants back when it has been sent.
pub trait Carries: Copy {
    /// The frame.
    fn frame(&self) -> &Frame;

    /// What the owner has to know of it, beside the frame, when it has been sent.
    #[inline]
    fn mark(&self) -> u16 {
        0
    }
}

impl Carries for Frame {
    #[inline]
    fn frame(&self) -> &Frame {
        self
    }
}

/// What is kept of a frame that is being sent; the frame itself is on the link already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The frame's size on the wire in bytes.
    pub size: u16,
    /// What the frame is.
    pub kind: Kind,
    /// Its traffic class.
    pub class: u8,
    /// What its owner wants back; see [`Carries::mark`].
    pub mark: u16,
}

impl Sent {
    #[inline]
    fn of<T: Carries>(item: &T) -> Sent {
        let frame = item.frame();
        Sent {
            size: frame.size,
            kind: frame.kind,
            class: frame.class,
            mark: item.mark(),
        }
    }

    /// What a buffer is charged for the frame; see [`Frame::charge`].
    #[inline]
    pub fn charge(&self) -> Bytes {
        frame::charge(self.size)
    }
}

/// Totals of a port since the start of the run. Those that every frame changes come first, see [`Port`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C)]
pub struct PortCounters {
    /// Frames whose serialization has ended.
    pub sent: u64,
    /// Their bytes on the wire.
    pub sent_bytes: u64,
    /// Those of them that are PFC frames.
    pub sent_pfc: u64,
    /// Frames arrived, dropped ones included.
    pub received: u64,
    /// Their bytes on the wire.
    pub received_bytes: u64,
    /// Frames dropped when they were to be queued here.
    pub send_drops: u64,
    /// Frames dropped on arrival here.
    pub receive_drops: u64,
    /// PFC pause frames queued, by class.
    pub pauses_sent: [u64; CLASSES],
    /// PFC resume frames queued, by class.
    pub resumes_sent: [u64; CLASSES],
    /// PFC pause frames received, by class.
    pub pauses_received: [u64; CLASSES],
    /// PFC resume frames received, by class.
    pub resumes_received: [u64; CLASSES],
}

/// A port with eight classes under a scheduler, behind a control queue that is never paused.
///
/// Large networks have more ports than a cache holds, so what a frame touches on its way through an idle port lies together:
/// the fields up to the counters of sent frames are one cache line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Port<T> {
    /// Picoseconds a byte when that is whole, else 0.
    byte_time: u64,
    /// When the transmission under way ends.
    end: Time,
    count: u16,
    /// An event is set for the end of the transmission under way.
    armed: bool,
    /// Every transmission ends with an event.
    eager: bool,
    /// A frame waits in the control queue.
    urgent: bool,
    /// The scheduler is strict priority.
    strict: bool,
    /// Bit n set: class n has a frame waiting.
    waiting: u8,
    /// Bit n set: class n is paused.
    held: u8,
    /// Bit n set: class n is paused and none of its frames has waited since.
    vacant: u8,
    sending: Option<Sent>,
    /// Totals.
    pub counters: PortCounters,
    rate: Rate,
    delay: Span,
    scheduler: Scheduler,
    control: Ring<T>,
    classes: [Ring<T>; CLASSES],
    paused: Paused,
}

impl<T: Carries> Port<T> {
    /// A port on a link of `rate` and `delay` with strict priority.
    pub fn new(rate: Rate, delay: Span) -> Self {
        let bits_in_a_second_of_ps = 8_000_000_000_000;
        let whole = rate.bps() > 0 && bits_in_a_second_of_ps % rate.bps() == 0;
        Port {
            rate,
            delay,
            byte_time: if whole {
                bits_in_a_second_of_ps / rate.bps()
            } else {
                0
            },
            waiting: 0,
            held: 0,
            vacant: 0,
            scheduler: Scheduler::Strict,
            count: 0,
            armed: false,
            eager: false,
            urgent: false,
            strict: true,
            sending: None,
            end: Time::ZERO,
            control: Ring::new(),
            classes: Default::default(),
            counters: PortCounters::default(),
            paused: Paused::default(),
        }
    }

    /// The same port with another scheduler than strict priority.
    pub fn with_scheduler(self, scheduler: Scheduler) -> Self {
        Port {
            strict: scheduler == Scheduler::Strict,
            scheduler,
            ..self
        }
    }

    /// Lets every transmission end with an event, whether or not something is to happen then. The results are the same.
    pub fn set_eager(&mut self, eager: bool) {
        self.eager = eager;
    }

    /// The link's rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// The link's propagation delay.
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// Counts a frame that arrived.
    #[inline]
    pub fn count_arrival(&mut self, frame: &Frame) {
        self.counters.received += 1;
        self.counters.received_bytes += frame.size as u64;
    }

    /// Queues a frame in its class.
    #[inline]
    pub fn queue(&mut self, item: T) {
        let class = item.frame().class as usize;
        self.classes[class].push_back(item);
        self.waiting |= 1 << class;
    }

    /// Queues a frame ahead of all classes.
    pub fn queue_control(&mut self, item: T) {
        let frame = item.frame();
        for class in 0..CLASSES {
            if frame.pfc_classes & 1 << class != 0 {
                let counters = &mut self.counters;
                let kind = if frame.quanta == 0 {
                    &mut counters.resumes_sent
                } else {
                    &mut counters.pauses_sent
                };
                kind[class] += 1;
            }
        }
        self.control.push_back(item);
        self.urgent = true;
    }

    /// How long a frame of `size` takes on the link.
    #[inline]
    pub fn serialization(&self, size: Bytes) -> Span {
        if self.byte_time != 0 {
            Span::from_ps(size.0 * self.byte_time)
        } else {
            self.rate.time_for(size)
        }
    }

    /// Starts sending the next frame if the port is idle and one may go. `port` is its number at the node, `slot` the
    /// timer that ends the transmission. To be called at the instant a frame is queued or a class resumed, when the port has
    /// caught up.
    ///
    /// An event is set for the end when a frame waits that may go then, or when `exact` says that the end of this one
    /// matters. Returns whether a transmission began without one.
    #[inline]
    pub fn transmit<C: Context<Message = Frame>>(
        &mut self,
        port: u16,
        slot: u32,
        context: &mut C,
        exact: impl FnOnce(&T) -> bool,
    ) -> bool {
        if self.waiting & self.vacant != 0 {
            self.watch(context.now());
        }
        if self.sending.is_some() {
            if self.ready() {
                self.arm(slot, context);
            }
            return false;
        }
        match self.next() {
            Some(item) => self.begin(item, port, slot, context, exact),
            None => false,
        }
    }

    /// Queues a frame in its class and starts sending if the port is idle, as [`queue`](Self::queue) and
    /// [`transmit`](Self::transmit) do; a frame that finds an idle port passes its queue by.
    #[inline]
    pub fn send<C: Context<Message = Frame>>(
        &mut self,
        item: T,
        port: u16,
        slot: u32,
        context: &mut C,
        exact: impl FnOnce(&T) -> bool,
    ) -> bool {
        let class = 1 << item.frame().class;
        if self.sending.is_none() && self.waiting | (self.held & class) == 0 && !self.urgent {
            let turn = self.pick(class);
            debug_assert_eq!(turn, Some(item.frame().class as usize));
            self.begin(item, port, slot, context, exact)
        } else {
            self.queue(item);
            self.transmit(port, slot, context, exact)
        }
    }

    #[inline]
    fn begin<C: Context<Message = Frame>>(
        &mut self,
        item: T,
        port: u16,
        slot: u32,
        context: &mut C,
        exact: impl FnOnce(&T) -> bool,
    ) -> bool {
        self.end = context.now() + self.serialization(item.frame().wire());
        self.count = self.count.wrapping_add(1);
        self.armed = false;
        self.sending = Some(Sent::of(&item));
        context.send(port, self.end, *item.frame());
        if self.eager || self.ready() || exact(&item) {
            self.arm(slot, context);
        }
        !self.armed
    }

    /// Whether a frame waits that may go.
    #[inline]
    fn ready(&self) -> bool {
        self.waiting & !self.held != 0 || self.urgent
    }

    /// Sets an event for the end of the transmission under way, unless there is one.
    #[inline]
    pub fn arm<C: Context<Message = Frame>>(&mut self, slot: u32, context: &mut C) {
        if !self.armed {
            self.armed = true;
            context.set_timer(slot, self.count, self.end);
        }
    }

    /// What is being sent, when no event is set for its end.
    #[inline]
    pub fn unwatched(&self) -> Option<&Sent> {
        self.sending.as_ref().filter(|_| !self.armed)
    }

    /// Whether a transmission for which no event is set ends at `end`.
    #[inline]
    pub fn ends_unwatched(&self, end: Time) -> bool {
        self.end == end && !self.armed && self.sending.is_some()
    }

    /// Whether an event for the end of the transmission under way would have come before the one being handled.
    #[inline]
    pub fn is_past<C: Context>(&self, slot: u32, context: &C) -> bool {
        context.is_past(slot, self.count, self.end)
    }

    /// When the transmission under way ends, or the last one ended.
    #[inline]
    pub fn end(&self) -> Time {
        self.end
    }

    /// Ends the transmission that would have ended before the event being handled, had an event been set for it, and gives
    /// what was sent.
    #[inline]
    pub fn ended<C: Context>(&mut self, slot: u32, context: &C) -> Option<Sent> {
        if self.sending.is_some() && !self.armed && self.is_past(slot, context) {
            Some(self.sent())
        } else {
            None
        }
    }

    /// Between windows: ends the transmission that would have ended before `at`, and gives what was sent.
    pub fn ended_before(&mut self, at: Time) -> Option<Sent> {
        (self.sending.is_some() && !self.armed && self.end < at).then(|| self.sent())
    }

    /// The class that sends next of those in `ready`. Most ports need not look at their scheduler for it.
    #[inline]
    fn pick(&mut self, ready: u8) -> Option<usize> {
        if self.strict {
            Scheduler::highest(ready)
        } else {
            self.scheduler.pick(ready)
        }
    }

    /// The control queue first, then the class whose turn it is of those that wait and are not paused.
    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.urgent {
            let item = self.control.pop_front();
            self.urgent = !self.control.is_empty();
            return item;
        }
        let class = self.pick(self.waiting & !self.held)?;
        let queue = &mut self.classes[class];
        let item = queue.pop_front();
        if queue.is_empty() {
            self.waiting &= !(1 << class);
        }
        item
    }

    /// Ends the transmission under way and gives what was sent.
    #[inline]
    pub fn sent(&mut self) -> Sent {
        let sent = self
            .sending
            .take()
            .expect("a transmission ends only after it began");
        self.counters.sent += 1;
        self.counters.sent_bytes += sent.size as u64;
        self.counters.sent_pfc += (sent.kind == Kind::Pfc) as u64;
        sent
    }

    /// Takes a PFC frame; see [`Paused::receive`].
    pub fn receive_pause<C: Context>(&mut self, frame: &Frame, first_slot: u32, context: &mut C) -> bool {
        for class in 0..CLASSES {
            if frame.pfc_classes & 1 << class != 0 {
                let counters = &mut self.counters;
                let kind = if frame.quanta == 0 {
                    &mut counters.resumes_received
                } else {
                    &mut counters.pauses_received
                };
                kind[class] += 1;
            }
        }
        let resumed = self
            .paused
            .receive(frame, self.rate, self.delay, first_slot, context);
        self.held = self.paused.mask();
        self.watch(context.now());
        resumed
    }

    /// Takes the timer event of a paused class; see [`Paused::expire`].
    pub fn expire_pause<C: Context>(
        &mut self,
        class: usize,
        first_slot: u32,
        count: u16,
        context: &mut C,
    ) -> bool {
        let resumed = self.paused.expire(class, first_slot, count, context);
        self.held = self.paused.mask();
        self.vacant &= self.held;
        resumed
    }

    /// Notes which paused classes have frames waiting.
    #[cold]
    fn watch(&mut self, now: Time) {
        self.paused.wait(self.waiting, now);
        self.vacant = self.held & !self.waiting;
    }

    /// For how long PFC has held back each class up to `now`; see [`Paused::report`].
    pub fn report_pauses(&mut self, now: Time) -> [PauseTimes; CLASSES] {
        self.paused.report(now)
    }

    /// Bit n set: class n is paused.
    pub fn paused(&self) -> u8 {
        self.held
    }

    /// Everything that waits to be sent.
    pub fn queued(&self) -> impl Iterator<Item = &T> {
        self.control
            .iter()
            .chain(self.classes.iter().flat_map(Ring::iter))
    }

    /// Everything in the port, the frame being sent first.
    pub fn contents(&self) -> impl Iterator<Item = Sent> {
        self.sending.into_iter().chain(self.queued().map(Sent::of))
    }

    /// Whether a frame is being sent.
    pub fn busy(&self) -> bool {
        self.sending.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{HostId, Kind};
    use crate::testing::Bench;

    fn frame(class: u8, size: u16, psn: u32) -> Frame {
        Frame {
            class,
            size,
            psn,
            kind: Kind::WriteMiddle,
            destination: HostId(1),
            ..Frame::pfc(0, 0)
        }
    }

    /// Sends all that may go and gives the PSNs in order with the end of each transmission.
    fn drain(port: &mut Port<Frame>, bench: &mut Bench) -> Vec<(u32, u64)> {
        let mut order = Vec::new();
        port.transmit(0, 0, bench, |_| false);
        while port.busy() {
            let (_, end, sent) = *bench.sent.last().expect("just sent");
            bench.now = end;
            order.push((sent.psn, end.ps()));
            port.sent();
            port.transmit(0, 0, bench, |_| false);
        }
        order
    }

    #[test]
    fn control_first_then_the_highest_class_in_order() {
        let (mut port, mut bench) = (
            Port::new(Rate::from_gbps(400), Span::from_ns(100)),
            Bench::default(),
        );
        for (class, psn) in [(0, 1), (7, 2), (1, 3), (7, 4)] {
            port.queue(frame(class, 4154, psn));
        }
        port.queue_control(Frame::pfc(1, 0));
        // 84 B take 1.68 ns, 4,154 B 83.08 ns at 20 ps a byte.
        let order = drain(&mut port, &mut bench);
        assert_eq!(
            order,
            [(0, 1_680), (2, 84_760), (4, 167_840), (3, 250_920), (1, 334_000)]
        );
        assert_eq!(port.counters.sent_bytes, 84 + 4 * 4154);
        assert_eq!((port.counters.resumes_sent[0], port.counters.sent_pfc), (1, 1));
    }

    #[test]
    fn a_paused_class_waits_and_others_pass() {
        let (mut port, mut bench) = (
            Port::new(Rate::from_gbps(400), Span::from_ns(100)),
            Bench::default(),
        );
        port.queue(frame(0, 100, 1));
        port.queue(frame(1, 100, 2));
        assert!(!port.receive_pause(&Frame::pfc(0b10, 65_535), 1, &mut bench));
        assert_eq!(drain(&mut port, &mut bench), [(1, 2_000)]);
        assert_eq!(port.paused(), 0b10);
        assert!(port.receive_pause(&Frame::pfc(0b10, 0), 1, &mut bench));
        assert_eq!(drain(&mut port, &mut bench), [(2, 4_000)]);
        assert_eq!(
            (
                port.counters.pauses_received[1],
                port.counters.resumes_received[1]
            ),
            (1, 1)
        );
    }

    #[test]
    fn a_fresh_pause_restarts_the_time_in_full() {
        let (mut port, mut bench) = (
            Port::<Frame>::new(Rate::from_gbps(400), Span::from_ns(100)),
            Bench::default(),
        );
        port.receive_pause(&Frame::pfc(1, 1_000), 1, &mut bench);
        // 1,000 x 512 bits / 400 Gbps + 100 ns = 1.38 us.
        assert_eq!(bench.timers, [(1, 1, Time::from_ps(1_380_000))]);
        bench.now = Time::from_ps(1_000_000);
        port.receive_pause(&Frame::pfc(1, 1_000), 1, &mut bench);
        bench.now = Time::from_ps(1_380_000);
        assert!(!port.expire_pause(0, 1, 1, &mut bench));
        bench.now = Time::from_ps(2_380_000);
        assert!(port.expire_pause(0, 1, 2, &mut bench));
        assert_eq!(port.paused(), 0);
    }

    /// What happens to class 0 at 400 Gbps and 100 ns, with times in nanoseconds. For how long it was paused up to `until`,
    /// and for how long with a frame waiting.
    fn held(events: &[(u64, Step)], until: u64) -> (u64, u64) {
        let mut port = Port::new(Rate::from_gbps(400), Span::from_ns(100));
        let mut bench = Bench::default();
        for &(at, step) in events {
            bench.now = Time::from_ps(at * 1_000);
            match step {
                Step::Queue => port.queue(frame(0, 4154, 1)),
                Step::Sent => drop(port.sent()),
                Step::Pfc(quanta) => drop(port.receive_pause(&Frame::pfc(1, quanta), 1, &mut bench)),
            }
            port.transmit(0, 0, &mut bench, |_| false);
        }
        let times = port.report_pauses(Time::from_ps(until * 1_000))[0];
        assert_eq!(times.paused.total, times.paused.interval);
        assert_eq!(times.waiting.total, times.waiting.interval);
        (times.paused.total.ps() / 1_000, times.waiting.total.ps() / 1_000)
    }

    #[derive(Clone, Copy)]
    enum Step {
        Queue,
        Sent,
        Pfc(u16),
    }

    #[test]
    fn pauses_are_timed_and_so_is_what_waits_for_them() {
        use Step::*;
        // Nothing waits.
        assert_eq!(held(&[(100, Pfc(1_000)), (400, Pfc(0))], 900), (300, 0));
        // A frame comes 120 ns into the pause, to an idle port; the next one makes no difference.
        let late = [(100, Pfc(1_000)), (220, Queue), (300, Queue), (400, Pfc(0))];
        assert_eq!(held(&late, 900), (300, 180));
        // The first of two frames is being sent when the pause arrives: it goes out, the other waits.
        let busy = [
            (0, Queue),
            (10, Queue),
            (50, Pfc(1_000)),
            (83, Sent),
            (400, Pfc(0)),
        ];
        assert_eq!(held(&busy, 900), (350, 350));
        // The one being sent is not waiting.
        assert_eq!(
            held(&[(0, Queue), (50, Pfc(1_000)), (83, Sent), (400, Pfc(0))], 900),
            (350, 0)
        );
        // A frame that comes while another one is being sent waits from then on.
        assert_eq!(held(&[(0, Queue), (50, Pfc(1_000)), (60, Queue)], 90), (40, 30));
        // Sent again at 1,000 ns, it is one pause, still under way.
        let again = [(100, Pfc(1_000)), (600, Queue), (1_000, Pfc(1_000))];
        assert_eq!(held(&again, 2_000), (1_900, 1_400));
    }

    #[test]
    fn a_pause_that_runs_out_is_timed_to_its_end() {
        let mut port = Port::<Frame>::new(Rate::from_gbps(400), Span::from_ns(100));
        let mut bench = Bench::default();
        port.receive_pause(&Frame::pfc(1, 1_000), 1, &mut bench);
        bench.now = Time::from_ps(1_380_000);
        assert!(port.expire_pause(0, 1, 1, &mut bench));
        // What comes after it does not wait for it.
        bench.now = Time::from_ps(2_000_000);
        port.queue(frame(0, 4154, 1));
        port.transmit(0, 0, &mut bench, |_| false);
        let times = port.report_pauses(Time::from_ps(3_000_000))[0];
        assert_eq!(times.paused.total, Span::from_ps(1_380_000));
        assert_eq!(times.waiting.total, Span::ZERO);
    }

    #[test]
    fn rates_that_do_not_divide_are_rounded_frame_by_frame() {
        let port = Port::<Frame>::new(Rate::from_bps(3_000_000_000), Span::ZERO);
        assert_eq!(port.serialization(Bytes(1)), Span::from_ps(2_667)); // 8,000 / 3 = 2,666.67
        assert_eq!(port.serialization(Bytes(3)), Span::from_ps(8_000));
    }
}
