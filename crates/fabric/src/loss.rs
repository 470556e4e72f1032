//! Frames lost on purpose, so that tests can see what recovers from a loss.

use crate::frame::{Frame, Kind};
use serde::{Deserialize, Serialize};

/// Which frames a rule is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Target {
    /// Data packets, with this PSN if one is given.
    Data(Option<u32>),
    /// Acknowledgements, with this PSN if one is given.
    Ack(Option<u32>),
    /// Negative acknowledgements.
    Nak,
    /// PFC frames that pause.
    Pause,
    /// PFC frames that resume.
    Resume,
    /// Connection packets of this kind.
    Connection(Kind),
    /// TCP segments with payload, with this sequence number if one is given.
    Segment(Option<u32>),
    /// TCP segments without payload.
    BareSegment,
}

/// Loses frames that match, after letting `skip` of them pass, `times` in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Loss {
    /// What to lose.
    pub target: Target,
    /// How many matching frames pass first.
    pub skip: u32,
    /// How many are lost then.
    pub times: u32,
}

/// The losses on the links into one node. Empty in every run but a test's.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Losses {
    rules: Vec<Loss>,
    lost: u64,
}

impl Losses {
    /// Losses by these rules.
    pub fn new(rules: Vec<Loss>) -> Self {
        Losses { rules, lost: 0 }
    }

    /// Whether this frame is lost before it reaches the node.
    #[inline]
    pub fn takes(&mut self, frame: &Frame) -> bool {
        !self.rules.is_empty() && self.matches(frame)
    }

    /// Frames lost so far.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    #[cold]
    fn matches(&mut self, frame: &Frame) -> bool {
        let psn = |wanted: Option<u32>| wanted.is_none_or(|psn| psn == frame.psn);
        for rule in &mut self.rules {
            let hit = match rule.target {
                Target::Data(wanted) => frame.kind.is_data() && psn(wanted),
                Target::Ack(wanted) => frame.kind == Kind::Ack && psn(wanted),
                Target::Nak => frame.kind == Kind::Nak,
                Target::Pause => frame.kind == Kind::Pfc && frame.quanta > 0,
                Target::Resume => frame.kind == Kind::Pfc && frame.quanta == 0,
                Target::Connection(kind) => frame.kind == kind,
                Target::Segment(wanted) => frame.kind == Kind::Tcp && frame.payload > 0 && psn(wanted),
                Target::BareSegment => frame.kind == Kind::Tcp && frame.payload == 0,
            };
            if !hit || rule.times == 0 {
                continue;
            }
            if rule.skip > 0 {
                rule.skip -= 1;
                continue;
            }
            rule.times -= 1;
            self.lost += 1;
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::HostId;
    use crate::frame::tcp::TcpHeader;

    #[test]
    fn skips_then_takes_then_lets_pass() {
        let mut losses = Losses::new(vec![Loss {
            target: Target::Pause,
            skip: 1,
            times: 2,
        }]);
        let (pause, resume) = (Frame::pfc(1, 9), Frame::pfc(1, 0));
        let taken: Vec<bool> = [pause, resume, pause, pause, pause]
            .iter()
            .map(|f| losses.takes(f))
            .collect();
        assert_eq!(taken, [false, false, true, true, false]);
        assert_eq!(losses.lost(), 2);
    }

    #[test]
    fn segments_are_told_by_payload_and_sequence_number() {
        let segment = |sequence, payload| {
            let header = TcpHeader {
                sequence,
                ..TcpHeader::default()
            };
            Frame::tcp(HostId(0), HostId(1), 7, header, payload)
        };
        let taken = |target| {
            let rule = Loss {
                target,
                skip: 0,
                times: 9,
            };
            let mut losses = Losses::new(vec![rule]);
            [segment(5, 1), segment(6, 1), segment(5, 0), Frame::pfc(1, 9)].map(|frame| losses.takes(&frame))
        };
        assert_eq!(taken(Target::Segment(None)), [true, true, false, false]);
        assert_eq!(taken(Target::Segment(Some(5))), [true, false, false, false]);
        assert_eq!(taken(Target::BareSegment), [false, false, true, false]);
        assert_eq!(taken(Target::Data(None)), [false; 4], "that is RDMA's");
    }
}
