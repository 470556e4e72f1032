//! One NIC under arbitrary frames, doorbells and waits.

use crate::frames::{Bounds, below, frame, pfc};
use crate::stage::Stage;
use arbitrary::{Result, Unstructured};
use packetloom_des::{Bytes, Context, Event, Rate, Span, Time};
use packetloom_fabric::codec::header_length;
use packetloom_fabric::frame::{CLASSES, CONTROL_PAYLOAD, DATA_OVERHEAD, FRAME_CHECK, Frame, HostId, Kind};
use packetloom_nic::pcie::{TRANSFER_OVERHEAD, transfers};
use packetloom_nic::roce::attributes::{PcieInterface, QueueScheduling, RoceNicAttributes};
use packetloom_nic::roce::{PSN_MODULUS, Peer, RoceNic, Upcall};

/// Longer sequences find nothing that shorter ones do not.
const STEPS: usize = 200;
/// Most packets of one message, and most messages.
const PACKETS: u64 = 40;
const MESSAGES: usize = 40;
/// What a NIC may need to finish its work once everything it sends is answered.
const EVENTS: usize = 200_000;

/// Makes a NIC of the first bytes and steps of the rest: frames of any kind, class, queue pair and PSN, PFC frames, doorbells
/// and waits. After every event the books balance. Then all pauses are lifted and everything the NIC sends is answered at
/// once: every connection asked for must be set up, every work request must complete, and the NIC must come to rest empty.
pub fn nic(data: &[u8]) {
    let _ = play(&mut Unstructured::new(data));
}

struct Lab {
    nic: RoceNic,
    stage: Stage,
    /// By requester: whether its connection is asked for, whether it is set up, and the work requests not yet completed.
    requesters: Vec<(bool, bool, u64)>,
    posted: u64,
    completed: u64,
    /// Round trip to a peer that answers at once; none while nobody answers.
    answers: Option<Span>,
    events: usize,
}

fn play(u: &mut Unstructured) -> Result<()> {
    let mss = u.int_in_range(1..=9_216u32)?;
    let first_psn = match u.arbitrary()? {
        true => PSN_MODULUS as u32 - u.int_in_range(1..=60)?,
        false => 0,
    };
    let (requesters, responders) = (u.int_in_range(0..=3)?, u.int_in_range(0..=3)?);
    let mut lab = lab(u, mss, first_psn, requesters, responders)?;
    let bounds = Bounds {
        hosts: 3,
        queue_pairs: 10,
        payload: mss,
    };
    let mut messages = 0;
    for _ in 0..STEPS {
        if u.is_empty() {
            break;
        }
        match below(u, 8)? {
            0 => {
                let wait = u.arbitrary::<u32>()? >> below(u, 32)?;
                lab.run(lab.stage.now() + Span::from_ps(wait as u64 * 16));
            }
            1 => lab.arrive(pfc(u)?),
            2 if requesters > 0 => {
                let index = below(u, requesters as u64)? as u32;
                let (asked, connected, _) = lab.requesters[index as usize];
                if !asked {
                    lab.connect(index);
                } else if connected && messages < MESSAGES {
                    messages += 1;
                    let size = below(u, PACKETS * mss as u64)? >> below(u, 16)?;
                    lab.post(index, size);
                }
            }
            _ => {
                let mut message = frame(u, &bounds)?;
                // Mostly near the first PSN, from where a receiver's window and a sender's begin.
                message.psn = match u.ratio(7, 8)? {
                    true => first_psn.wrapping_add_signed(u.int_in_range(-2..=60)?),
                    false => u.arbitrary()?,
                } & (PSN_MODULUS as u32 - 1);
                lab.arrive(message);
            }
        }
    }
    lab.finish();
    Ok(())
}

/// A NIC that validation would accept, with any buffers.
fn lab(u: &mut Unstructured, mss: u32, first_psn: u32, requesters: usize, responders: usize) -> Result<Lab> {
    const RATES: [u64; 4] = [1_000_000_000, 40_000_000_000, 400_000_000_000, 3_000_000_007];
    let rate = Rate::from_bps(*u.choose(&RATES)?);
    let delay = Span::from_ps(u.arbitrary::<u32>()? as u64 >> below(u, 32)?);
    let (data_class, control_class) = (below(u, CLASSES as u64)? as u8, below(u, CLASSES as u64)? as u8);
    let mut attributes = attributes(u, mss, data_class, control_class)?;
    // A timer below the round trip sends everything again and again, which mostly takes time.
    let transport = &mut attributes.transport_processing_layers.roce_transport_layer;
    transport.retransmit_timeout += match u.ratio(1, 16)? {
        true => delay / 2,
        false => delay * 4 + Span::from_us(2),
    };
    let mut nic = RoceNic::new(HostId(0), &attributes, rate, delay);
    nic.set_first_psn(first_psn);
    let peer = |queue_pair| Peer {
        host: HostId(1),
        queue_pair,
        source_port: 49_152,
        flow: 7,
        data_class,
        control_class,
    };
    for index in 0..requesters as u32 {
        nic.add_requester(peer(RoceNic::responder_number(index)));
    }
    for index in 0..responders as u32 {
        nic.add_responder(peer(RoceNic::requester_number(index)));
    }
    Ok(Lab {
        nic,
        stage: Stage::default(),
        requesters: vec![(false, false, 0); requesters],
        posted: 0,
        completed: 0,
        answers: None,
        events: 0,
    })
}

fn attributes(u: &mut Unstructured, mss: u32, data: u8, control: u8) -> Result<RoceNicAttributes> {
    let mut attributes = RoceNicAttributes::default();
    let mss = mss as u64;
    let mut extra = || -> Result<u64> { Ok(u.arbitrary::<u32>()? as u64 >> below(u, 32)?) };
    attributes.scala_roce_qp_manager.mss = Bytes(mss);
    let host = &mut attributes.host_interface;
    host.nic_side.nic_pcie_handler.read_request_size = Bytes(extra()? % 1_024);
    let sides: [&mut PcieInterface; 2] = [
        &mut host.nic_side.pcie_gen3.nic_device_layer.nic_pcie_interface,
        &mut host
            .host_side
            .pcie_gen3
            .scala_host_pcie_device_layer
            .host_pcie_interface,
    ];
    for side in sides {
        // A message fits in an empty buffer.
        let message = mss.max(1_024);
        side.transaction_layer.tx_data_buffer_size = Bytes(message + extra()? % 100_000);
        let headers = transfers(message) * TRANSFER_OVERHEAD;
        side.transaction_layer.tx_header_buffer_size = Bytes(headers + extra()? % 10_000);
        side.physical_layer.lane_bps = Rate::from_bps(1_000_000_000 + extra()? * 16);
    }
    // Pools of equal parts: the first ones, up to the last class in use at least.
    let pools = u.int_in_range(data.max(control)..=7)? as usize + 1;
    let shares: [f64; CLASSES] = std::array::from_fn(|class| if class < pools { 0.125 } else { 0.0 });
    let least = 8 * (mss + DATA_OVERHEAD).max(126);
    let network = &mut attributes.network_interface;
    let ingress = &mut network.ingress_buffer_manager;
    ingress.total_buffer_size = Bytes(least + u.arbitrary::<u32>()? as u64 % 500_000);
    ingress.pool_allocation_vector = shares;
    let pausing: u8 = u.arbitrary()?;
    for class in 0..CLASSES {
        ingress.pfc_enable_vector[class] = u64::from(pausing >> class & 1);
        // Short pauses of a slow host are sent again and again.
        ingress.quanta_value[class] = u.int_in_range(256..=65_535)?;
        ingress.pfc_static_xoff_threshold[class] = f64::from(u.arbitrary::<u8>()?) / 200.0;
        ingress.pfc_xon_resume_threshold[class] = f64::from(u.arbitrary::<u8>()?) / 200.0;
    }
    let egress = &mut network.egress_buffer_manager;
    egress.total_buffer_size = Bytes(least + u.arbitrary::<u32>()? as u64 % 500_000);
    egress.pool_allocation_vector = shares;
    egress.queue_scheduling_type = *u.choose(&[
        QueueScheduling::StrictPriority,
        QueueScheduling::RoundRobin,
        QueueScheduling::WeightedRoundRobin,
    ])?;
    for (class, weight) in egress.wrr_queue_weights.iter_mut().enumerate() {
        let used = class == data as usize || class == control as usize;
        *weight = u.int_in_range(u64::from(used)..=5)?;
    }
    let transport = &mut attributes.transport_processing_layers.roce_transport_layer;
    transport.retransmit_timeout =
        Span::from_ps(100_000 + (u.arbitrary::<u32>()? as u64 >> below(u, 32)?) * 16);
    transport.ack_coalescing_enabled = u.arbitrary()?;
    transport.ack_delay = Span::from_ps((u.arbitrary::<u32>()? as u64 >> below(u, 32)?) * 16);
    transport.ack_threshold = u.int_in_range(0..=20)?;
    attributes.ecn_handler.enable_ecn = u.arbitrary()?;
    Ok(attributes)
}

impl Lab {
    fn arrive(&mut self, message: Frame) {
        self.handle(Event::Arrival { port: 0, message });
    }

    fn connect(&mut self, index: u32) {
        self.requesters[index as usize].0 = true;
        self.nic.connect(index, &mut self.stage);
        self.settle();
    }

    fn post(&mut self, index: u32, size: u64) {
        self.requesters[index as usize].2 += 1;
        self.posted += 1;
        self.nic.post(index, size, 92, &mut self.stage);
        self.settle();
    }

    fn handle(&mut self, event: Event<Frame>) {
        self.events += 1;
        match self.nic.handle(event, &mut self.stage) {
            Some(Upcall::Connected(index)) => {
                let (asked, connected, _) = &mut self.requesters[index as usize];
                assert!(*asked && !*connected, "a connection is set up once, on request");
                *connected = true;
            }
            Some(Upcall::Completed(index)) => {
                let left = &mut self.requesters[index as usize].2;
                *left = left.checked_sub(1).expect("what completes was posted");
                self.completed += 1;
            }
            None => {}
        }
        self.settle();
    }

    /// Checks the books and answers what was sent, if it is to be answered.
    fn settle(&mut self) {
        // A look at everything in the NIC takes its time when there is much.
        if self.events < 2_000 || self.events.is_multiple_of(16) {
            self.nic.check();
        }
        let stats = self.nic.stats();
        assert_eq!(
            (stats.work_requests, stats.completed),
            (self.posted, self.completed)
        );
        let sent = std::mem::take(&mut self.stage.sent);
        for (_, end, frame) in &sent {
            if let (Some(span), Some(answer)) = (self.answers, answer(frame)) {
                self.stage.arrive(*end + span, 0, answer);
            }
        }
        self.stage.sent = sent;
        self.stage.sent.clear();
    }

    fn run(&mut self, until: Time) {
        while self.events < EVENTS / 20 {
            match self.stage.next(until) {
                Some(event) => self.handle(event),
                None => return,
            }
        }
    }

    fn finish(&mut self) {
        self.answers = Some(self.nic.port().delay() * 2);
        self.arrive(Frame::pfc(0xFF, 0));
        while let Some(event) = self.stage.next(Time::NEVER) {
            self.handle(event);
            assert!(self.events < EVENTS, "after {EVENTS} events there are still more");
        }
        self.nic.settle_before(Time::NEVER);
        self.at_rest();
    }

    fn at_rest(&self) {
        self.nic.check();
        for &(asked, connected, left) in &self.requesters {
            assert_eq!(asked, connected, "every connection asked for is set up");
            assert_eq!(left, 0, "every work request completes");
        }
        // What is in the books is in the queues, which `check` compares.
        assert_eq!(self.nic.port().contents().count(), 0, "nothing is left to send");
        assert_eq!(self.nic.held(), (Bytes(0), Bytes(0)), "bytes held at rest");
    }
}

/// What the other end says to a frame of the NIC's.
fn answer(frame: &Frame) -> Option<Frame> {
    let kind = match frame.kind {
        Kind::ConnectRequest => Kind::ConnectResponse,
        Kind::ConnectResponse => Kind::ConnectAcknowledge,
        kind if kind.is_data() => Kind::Ack,
        _ => return None,
    };
    Some(Frame {
        source: frame.destination,
        destination: frame.source,
        // The numbers of the two ends differ in the last bit.
        queue_pair: frame.queue_pair ^ 1,
        psn: frame.psn,
        payload: CONTROL_PAYLOAD as u16,
        size: (header_length(kind) as u64 + FRAME_CHECK + CONTROL_PAYLOAD) as u16,
        kind,
        ..*frame
    })
}
