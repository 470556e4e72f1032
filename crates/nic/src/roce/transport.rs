//! What arriving packets and the transport timer do to queue pairs (public RoCE NIC page, "Receiving a packet" to
//! "Completion").

use super::requester::RequesterState;
use super::responder::{Arrival, ResponderState};
use super::{RoceNic, Upcall};
use packetloom_des::Context;
use packetloom_fabric::frame::{ACK_SIZE, CONTROL_PAYLOAD, Frame, Kind};

impl RoceNic {
    /// A packet has been charged to its receive pool.
    #[inline]
    pub(super) fn receive<C: Context<Message = Frame>>(
        &mut self,
        frame: &Frame,
        charge: u64,
        context: &mut C,
    ) -> Option<Upcall> {
        match frame.kind {
            Kind::WriteFirst | Kind::WriteMiddle | Kind::WriteLast | Kind::WriteOnly => {
                self.receive_data(frame, charge, context);
                return None;
            }
            _ => {}
        }
        // Everything else is processed at once.
        let upcall = match frame.kind {
            Kind::Ack => {
                self.stats.acks_received += 1;
                self.receive_ack(frame, context)
            }
            Kind::Nak => {
                self.stats.naks_received += 1;
                self.receive_nak(frame, context);
                None
            }
            Kind::Cnp => {
                self.stats.cnps_received += 1;
                if self.requester_index(frame.queue_pair).is_none() {
                    self.stats.no_queue_pair_control += 1;
                }
                None
            }
            Kind::Tcp => {
                // No queue pair is ever for a segment.
                self.stats.no_queue_pair_control += 1;
                None
            }
            _ => self.receive_connection(frame, context),
        };
        self.release_ingress(frame.class, charge, context);
        upcall
    }

    /// The established requester with this queue pair number.
    #[inline]
    pub(super) fn requester_index(&self, number: u32) -> Option<u32> {
        let index = number / 2;
        let requester = self
            .requesters
            .get(index as usize)
            .filter(|_| number.is_multiple_of(2))?;
        (requester.state == RequesterState::Established).then_some(index)
    }

    /// The responder with this queue pair number, if its queue pair has been created.
    #[inline]
    pub(super) fn responder_index(&self, number: u32) -> Option<u32> {
        let index = number / 2;
        let responder = self
            .responders
            .get(index as usize)
            .filter(|_| !number.is_multiple_of(2))?;
        (responder.state != ResponderState::Closed).then_some(index)
    }

    #[inline]
    fn receive_data<C: Context<Message = Frame>>(&mut self, frame: &Frame, charge: u64, context: &mut C) {
        self.stats.data_received += 1;
        let Some(index) = self.responder_index(frame.queue_pair) else {
            self.stats.no_queue_pair_data += 1;
            self.release_ingress(frame.class, charge, context);
            return;
        };
        let responder = &mut self.responders[index as usize];
        if responder.state == ResponderState::Responding {
            // Data says that the initiator has the response.
            responder.state = ResponderState::Open;
            responder.timer.stop();
        }
        match responder.take(frame.psn, frame.payload as u32) {
            Arrival::InOrder => {
                self.write_to_host(frame, charge, context);
                self.acknowledge(index, frame.solicited, context);
            }
            Arrival::Duplicate => {
                self.stats.duplicates += 1;
                self.release_ingress(frame.class, charge, context);
                self.acknowledge(index, frame.solicited, context);
            }
            Arrival::Gap => {
                self.stats.after_nak += 1;
                self.stats.out_of_order += 1;
                self.release_ingress(frame.class, charge, context);
                self.send_acknowledgement(index, Kind::Nak, context);
            }
            Arrival::BehindGap => {
                self.stats.after_nak += 1;
                self.release_ingress(frame.class, charge, context);
            }
        }
    }

    /// Acknowledges a data packet now or later, by the coalescing rules.
    #[inline]
    fn acknowledge<C: Context<Message = Frame>>(&mut self, index: u32, solicited: bool, context: &mut C) {
        if !self.settings.coalescing {
            self.send_acknowledgement(index, Kind::Ack, context);
            return;
        }
        let slot = Self::queue_pair_slot(Self::responder_number(index));
        let expiry = context.now() + self.settings.ack_delay;
        let responder = &mut self.responders[index as usize];
        if responder.hold(solicited, self.settings.ack_threshold) {
            if !responder.timer.running() {
                responder.timer.set(slot, expiry, context);
            }
        } else {
            responder.timer.set(slot, expiry, context);
            self.send_acknowledgement(index, Kind::Ack, context);
        }
    }

    /// Sends an ACK of everything received in order, or a NAK for the packet expected.
    fn send_acknowledgement<C: Context<Message = Frame>>(&mut self, index: u32, kind: Kind, context: &mut C) {
        let responder = &self.responders[index as usize];
        let peer = &responder.peer;
        let mut frame = peer.frame(self.host, kind, peer.control_class);
        frame.psn = if kind == Kind::Nak {
            responder.expected_on_wire()
        } else {
            responder.received_on_wire()
        };
        frame.payload = CONTROL_PAYLOAD as u16;
        frame.size = ACK_SIZE as u16;
        self.send_control(frame, context);
    }

    /// Queues a control packet. It is charged to its egress pool even when that is full, and never dropped.
    pub(super) fn send_control<C: Context<Message = Frame>>(&mut self, frame: Frame, context: &mut C) {
        self.egress.take(frame.class, frame.size as u64);
        self.queue(frame, context);
    }

    /// The acknowledgement timer, or that of the connection response.
    pub(super) fn responder_timer<C: Context<Message = Frame>>(&mut self, index: u32, context: &mut C) {
        let responder = &mut self.responders[index as usize];
        if responder.state == ResponderState::Responding {
            self.send_response(index, context);
        } else if responder.take_held() {
            self.send_acknowledgement(index, Kind::Ack, context);
        }
    }

    #[inline]
    fn receive_ack<C: Context<Message = Frame>>(&mut self, frame: &Frame, context: &mut C) -> Option<Upcall> {
        let Some(index) = self.requester_index(frame.queue_pair) else {
            self.stats.no_queue_pair_control += 1;
            return None;
        };
        let queue_pair = &mut self.requesters[index as usize];
        let psn = queue_pair.locate(frame.psn);
        if queue_pair.is_ghost(psn) {
            self.stats.ghost_acks += 1;
            return None;
        }
        if psn < queue_pair.oldest() {
            return None;
        }
        if let Some(given) = queue_pair.given_at(psn) {
            self.stats.round_trip(context.now().since(given));
        }
        queue_pair.retire(psn + 1);
        if queue_pair.outstanding() {
            let slot = Self::queue_pair_slot(Self::requester_number(index));
            queue_pair
                .timer
                .set(slot, context.now() + self.settings.retransmit_timeout, context);
        } else {
            queue_pair.timer.stop();
        }
        if !queue_pair.finished() {
            return None;
        }
        queue_pair.finish();
        self.stats.completed += 1;
        self.begin_message(index, context);
        Some(Upcall::Completed(index))
    }

    fn receive_nak<C: Context<Message = Frame>>(&mut self, frame: &Frame, context: &mut C) {
        let Some(index) = self.requester_index(frame.queue_pair) else {
            self.stats.no_queue_pair_control += 1;
            return;
        };
        let queue_pair = &mut self.requesters[index as usize];
        let psn = queue_pair.locate(frame.psn);
        if queue_pair.is_ghost(psn) {
            self.stats.ghost_acks += 1;
            return;
        }
        if psn < queue_pair.oldest() {
            // A NAK overtaken by an acknowledgement of the packet it asks for.
            return;
        }
        self.stats.retransmissions += 1;
        queue_pair.retire(psn);
        self.rewind(index, psn, context);
    }

    /// The transport timer, or that of the connection request.
    pub(super) fn requester_timer<C: Context<Message = Frame>>(&mut self, index: u32, context: &mut C) {
        let queue_pair = &self.requesters[index as usize];
        if queue_pair.state == RequesterState::Requesting {
            self.send_request(index, context);
            return;
        }
        debug_assert!(
            queue_pair.outstanding(),
            "the timer runs only while a PSN is outstanding"
        );
        let oldest = queue_pair.oldest();
        self.stats.timeouts += 1;
        self.stats.retransmissions += 1;
        self.rewind(index, oldest, context);
    }

    /// Goes back to `psn`. The window is empty then, so the timer stops; the first packet sent again starts it.
    fn rewind<C: Context<Message = Frame>>(&mut self, index: u32, psn: i64, context: &mut C) {
        let queue_pair = &mut self.requesters[index as usize];
        queue_pair.rewind(psn);
        queue_pair.timer.stop();
        self.make_ready(index, context);
    }
}
