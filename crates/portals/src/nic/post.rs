//! Data movement operations on their way to the NIC: payload that goes with the command, a place in the command queue, and
//! the command.

use super::main_actor::Doing;
use super::message::{Body, Message};
use super::surroundings::{Direction, Kind, Logged, Step, Surroundings};
use super::{Node, settings};
use crate::{Code, Header, Move, Operation, Return};

impl<S: Surroundings> Node<S> {
    /// A transmitter has taken a command: its place is free.
    pub(super) fn free_place(&mut self, message: &Message, world: &mut S) {
        let Body::Request(header, _) = &message.body else {
            return;
        };
        let Some(operation) = self.operations.get(message.operation) else {
            return;
        };
        let (process, interface) = (operation.process, usize::from(header.interface));
        let at = &mut self.processes[process as usize];
        at.commands[interface] -= 1;
        while let Some(thread) = at.waiting[interface].pop_front() {
            if let Doing::Place(message, since) = std::mem::take(&mut at.threads[thread as usize].doing) {
                if let Some(value) = self.send_command(process, thread, message, since, world) {
                    self.finish(process, thread, value, world);
                }
                return;
            }
        }
        if at.commands == [0; 4] {
            for thread in 0..at.threads.len() as u32 {
                let doing = &mut self.thread(process, thread).doing;
                match std::mem::take(doing) {
                    Doing::Drain(ordered) => {
                        if let Some(value) = self.carry_out(process, thread, ordered, world) {
                            self.finish(process, thread, value, world);
                        }
                    }
                    other => *doing = other,
                }
            }
        }
    }

    /// A data movement operation: its payload if it goes with the command, a place in the command queue, the command.
    pub(super) fn post(
        &mut self,
        process: u32,
        thread: u32,
        operation: &Move,
        try_only: bool,
        world: &mut S,
    ) -> Option<Return> {
        let header = match self.library(process).prepare(operation) {
            Ok(header) => header,
            Err(code) => return Some(Return::Failed(code)),
        };
        let interface = usize::from(header.interface);
        if try_only && self.processes[process as usize].commands[interface] >= settings::COMMAND_QUEUE {
            self.library(process).closed(&header);
            return self.polled(process, thread, Return::Failed(Code::TryAgain), world);
        }
        self.thread(process, thread).polls = 0;
        let way = self.way(process, &header);
        let mut message = Box::new(self.request(process, header));
        message.commanded = true;
        if let (Way::Inline | Way::Pio(_), Body::Request(header, payload)) = (&way, &mut message.body) {
            let at = &self.processes[process as usize];
            *payload = at.library.outgoing(header, world.memory(at.rank));
            message.carried = true;
        }
        let Way::Pio(bytes) = way else {
            return self.place(process, thread, message, world);
        };
        let logged = Logged {
            kind: Kind::PioPayload,
            ..self.command_log(world.now())
        };
        let step = Step::Main { process, thread };
        if message.kind() == Kind::Put {
            world.pci(Direction::ToNic, bytes, Step::Nothing, Some(logged));
            world.sleep(settings::PIO_BUSY, step);
        } else {
            world.pci(Direction::ToNic, bytes, step, Some(logged));
        }
        self.thread(process, thread).doing = Doing::Pio(message);
        None
    }

    fn way(&self, process: u32, header: &Header) -> Way {
        if header.operation == Operation::Get {
            return Way::Dma;
        }
        let matching = header.is_matching();
        let inline = settings::inline_size(matching);
        if header.length <= inline {
            Way::Inline
        } else if self.features.pci
            && header.length <= settings::pio_size(matching)
            && self.processes[process as usize].library.is_volatile(header)
        {
            Way::Pio(header.length - inline)
        } else {
            Way::Dma
        }
    }

    pub(super) fn place(
        &mut self,
        process: u32,
        thread: u32,
        message: Box<Message>,
        world: &mut S,
    ) -> Option<Return> {
        let Body::Request(header, _) = &message.body else {
            unreachable!("a process asks for operations alone");
        };
        let interface = usize::from(header.interface);
        let at = &mut self.processes[process as usize];
        let since = world.now();
        if at.commands[interface] < settings::COMMAND_QUEUE {
            return self.send_command(process, thread, message, since, world);
        }
        at.waiting[interface].push_back(thread);
        self.thread(process, thread).doing = Doing::Place(message, since);
        None
    }

    fn send_command(
        &mut self,
        process: u32,
        thread: u32,
        message: Box<Message>,
        since: f64,
        world: &mut S,
    ) -> Option<Return> {
        let Body::Request(header, _) = &message.body else {
            unreachable!("a process asks for operations alone");
        };
        let interface = usize::from(header.interface);
        self.processes[process as usize].commands[interface] += 1;
        let logged = self.command_log(since);
        if !self.features.pci_commands {
            world.log(logged);
            self.submit(*message, world);
            return Some(Return::Done);
        }
        let step = Step::Main { process, thread };
        world.pci(Direction::ToNic, settings::COMMAND, step, Some(logged));
        self.thread(process, thread).doing = Doing::Posting(message);
        None
    }

    pub(super) fn command_log(&self, start: f64) -> Logged {
        Logged {
            kind: Kind::Command,
            initiator: self.nid,
            target: self.nid,
            start,
        }
    }
}

/// How a payload comes to the NIC.
enum Way {
    /// In the command
    Inline,
    /// Written by the process, so many bytes beside the command
    Pio(u64),
    /// Fetched by the NIC, or none
    Dma,
}
