//! Calls by the names of the functions that programs call, for messages to people.

use crate::{Call, Command, Operation, Trigger};

/// The function a program called.
pub(super) fn of(call: &Call) -> &'static str {
    match call {
        Call::Init => "PtlInit",
        Call::Fini => "PtlFini",
        Call::Command(command) => match **command {
            Command::NiInit { .. } => "PtlNIInit",
            Command::NiFini(_) => "PtlNIFini",
            Command::PtAlloc { .. } => "PtlPTAlloc",
            Command::PtFree(..) => "PtlPTFree",
            Command::PtEnable(..) => "PtlPTEnable",
            Command::PtDisable(..) => "PtlPTDisable",
            Command::EqAlloc(..) => "PtlEQAlloc",
            Command::EqFree(_) => "PtlEQFree",
            Command::CtAlloc(_) => "PtlCTAlloc",
            Command::CtFree(_) => "PtlCTFree",
            Command::CtCancelTriggered(_) => "PtlCTCancelTriggered",
            Command::MdBind(..) => "PtlMDBind",
            Command::MdRelease(_) => "PtlMDRelease",
            Command::Append {
                non_matching: true, ..
            } => "PtlLEAppend",
            Command::Append { .. } => "PtlMEAppend",
            Command::Unlink(_) => "PtlMEUnlink",
            Command::Search {
                non_matching: true, ..
            } => "PtlLESearch",
            Command::Search { .. } => "PtlMESearch",
        },
        Call::Move { operation, .. } => match operation.operation {
            Operation::Put => "PtlPut",
            Operation::Get => "PtlGet",
            Operation::Atomic { .. } => "PtlAtomic",
            Operation::FetchAtomic { .. } => "PtlFetchAtomic",
            Operation::Swap { .. } => "PtlSwap",
        },
        Call::Triggered { operation, .. } => match &**operation {
            Trigger::Move(operation) => match operation.operation {
                Operation::Put => "PtlTriggeredPut",
                Operation::Get => "PtlTriggeredGet",
                Operation::Atomic { .. } => "PtlTriggeredAtomic",
                Operation::FetchAtomic { .. } => "PtlTriggeredFetchAtomic",
                Operation::Swap { .. } => "PtlTriggeredSwap",
            },
            Trigger::CtSet(..) => "PtlTriggeredCTSet",
            Trigger::CtInc(..) => "PtlTriggeredCTInc",
        },
        Call::EqGet(_) => "PtlEQGet",
        Call::EqWait(_) => "PtlEQWait",
        Call::EqPoll(..) => "PtlEQPoll",
        Call::CtGet(_) => "PtlCTGet",
        Call::CtWait(..) => "PtlCTWait",
        Call::CtPoll(..) => "PtlCTPoll",
        Call::CtSet(..) => "PtlCTSet",
        Call::CtInc(..) => "PtlCTInc",
        Call::Sleep(_) => "sleep",
        Call::Poll => "a poll",
        Call::Compute(_) => "s4bxi_compute",
        Call::ComputeSeconds(_) => "s4bxi_compute_s",
        Call::Abort => "PtlAbort",
        Call::Barrier => "a barrier",
        Call::Park(_) => "another thread",
    }
}
