//! Connection set-up: request, response, acknowledgement. A lost message is sent again after `RetransmitTimeout`.

use super::requester::{Peer, RequesterState};
use super::responder::ResponderState;
use super::{RoceNic, Upcall};
use packetloom_des::Context;
use packetloom_fabric::frame::{CNP_SIZE, CONTROL_PAYLOAD, Frame, Kind};

impl RoceNic {
    /// Starts the set-up of a requester's connection.
    pub fn connect<C: Context<Message = Frame>>(&mut self, requester: u32, context: &mut C) {
        self.settle(context);
        debug_assert_eq!(self.requesters[requester as usize].state, RequesterState::Idle);
        self.requesters[requester as usize].state = RequesterState::Requesting;
        self.send_request(requester, context);
    }

    /// Sends the connection request, now and again until the response comes.
    pub(super) fn send_request<C: Context<Message = Frame>>(&mut self, index: u32, context: &mut C) {
        let slot = Self::queue_pair_slot(Self::requester_number(index));
        let queue_pair = &mut self.requesters[index as usize];
        queue_pair
            .timer
            .set(slot, context.now() + self.settings.retransmit_timeout, context);
        let peer = queue_pair.peer;
        self.send_connection(&peer, Kind::ConnectRequest, context);
    }

    /// Sends the connection response, now and again until the initiator is heard of.
    pub(super) fn send_response<C: Context<Message = Frame>>(&mut self, index: u32, context: &mut C) {
        let slot = Self::queue_pair_slot(Self::responder_number(index));
        let responder = &mut self.responders[index as usize];
        responder
            .timer
            .set(slot, context.now() + self.settings.retransmit_timeout, context);
        let peer = responder.peer;
        self.send_connection(&peer, Kind::ConnectResponse, context);
    }

    /// Queues a connection packet, unless the same one still waits for the port: then it would only make a paused or slow
    /// link worse.
    fn send_connection<C: Context<Message = Frame>>(&mut self, peer: &Peer, kind: Kind, context: &mut C) {
        let waits = |frame: &Frame| {
            frame.kind == kind && frame.queue_pair == peer.queue_pair && frame.destination == peer.host
        };
        if self.port.queued().any(waits) {
            return;
        }
        let mut frame = peer.frame(self.host, kind, peer.control_class);
        frame.payload = CONTROL_PAYLOAD as u16;
        frame.size = CNP_SIZE as u16;
        self.send_control(frame, context);
    }

    /// A connection packet has arrived.
    pub(super) fn receive_connection<C: Context<Message = Frame>>(
        &mut self,
        frame: &Frame,
        context: &mut C,
    ) -> Option<Upcall> {
        self.stats.connection_received += 1;
        let (number, index) = (frame.queue_pair, frame.queue_pair / 2);
        let is_requester = number.is_multiple_of(2);
        match frame.kind {
            Kind::ConnectRequest if !is_requester && (index as usize) < self.responders.len() => {
                // A repeated request means the response has not arrived: it is sent again at once.
                let responder = &mut self.responders[index as usize];
                if responder.state != ResponderState::Open {
                    responder.state = ResponderState::Responding;
                    self.send_response(index, context);
                }
                None
            }
            Kind::ConnectResponse if is_requester && (index as usize) < self.requesters.len() => {
                let queue_pair = &mut self.requesters[index as usize];
                let peer = queue_pair.peer;
                match queue_pair.state {
                    RequesterState::Idle => {
                        self.stats.no_queue_pair_control += 1;
                        None
                    }
                    RequesterState::Requesting => {
                        queue_pair.state = RequesterState::Established;
                        queue_pair.timer.stop();
                        self.send_connection(&peer, Kind::ConnectAcknowledge, context);
                        Some(Upcall::Connected(index))
                    }
                    RequesterState::Established => {
                        // A repeated response means the acknowledgement has not arrived.
                        self.send_connection(&peer, Kind::ConnectAcknowledge, context);
                        None
                    }
                }
            }
            Kind::ConnectAcknowledge if self.responder_index(number).is_some() => {
                let responder = &mut self.responders[index as usize];
                if responder.state == ResponderState::Responding {
                    responder.state = ResponderState::Open;
                    responder.timer.stop();
                }
                None
            }
            _ => {
                self.stats.no_queue_pair_control += 1;
                None
            }
        }
    }
}
