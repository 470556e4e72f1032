//! A host with a plain NIC under TCP, which carries the traffic generator's clients and servers.
//!
//! What a client or a server hands over goes into its connection's send buffer as far as there is room; what a connection may
//! send goes into the NIC's transmit buffer as far as there is room; connections that find it full wait for their turn.

mod end;

use crate::observe::Observation;
use end::{End, TIMERS};
pub use end::{FIRST_CLIENT_PORT, FIRST_SERVER_PORT, Peer};
use packetloom_des::{Context, Event, LazyTimer};
use packetloom_fabric::frame::{Frame, HostId};
use packetloom_nic::ethernet::{EthernetNic, FIRST_HOST_SLOT};
use packetloom_tcp::{Connection, Timer};
use packetloom_traffic::generator::{Client, Server};
use serde::{Deserialize, Serialize};

/// Which of a connection's timers a slot is: `Timer::Retransmit`, `Timer::DelayedAck`, then the next request.
const RETRANSMIT: u32 = 0;
const DELAYED_ACK: u32 = 1;
const NEXT_REQUEST: u32 = 2;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ClientEnd {
    end: End,
    client: Client,
    next_request: LazyTimer,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ServerEnd {
    end: End,
    server: Server,
}

/// A host with a plain NIC.
///
/// Its connections are numbered: client i is 2i, server j is 2j + 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TcpHost {
    host: HostId,
    nic: EthernetNic,
    clients: Vec<ClientEnd>,
    servers: Vec<ServerEnd>,
}

impl TcpHost {
    /// A host without connections.
    pub fn new(host: HostId, nic: EthernetNic) -> Self {
        TcpHost {
            host,
            nic,
            clients: Vec::new(),
            servers: Vec::new(),
        }
    }

    /// Adds a client with its end of the connection. The `index`-th sends from port 49152 + index.
    pub fn add_client(&mut self, client: Client, connection: Connection, peer: Peer) {
        debug_assert_eq!(
            peer.source_port as usize,
            FIRST_CLIENT_PORT as usize + self.clients.len()
        );
        self.clients.push(ClientEnd {
            end: End::new(connection, peer),
            client,
            next_request: LazyTimer::default(),
        });
    }

    /// Adds a server with its end of the connection. The `index`-th listens on port 5000 + index.
    pub fn add_server(&mut self, server: Server, connection: Connection, peer: Peer) {
        debug_assert_eq!(
            peer.source_port as usize,
            FIRST_SERVER_PORT as usize + self.servers.len()
        );
        self.servers.push(ServerEnd {
            end: End::new(connection, peer),
            server,
        });
    }

    /// The NIC.
    pub fn nic(&self) -> &EthernetNic {
        &self.nic
    }

    /// The NIC, to be changed between windows.
    pub fn nic_mut(&mut self) -> &mut EthernetNic {
        &mut self.nic
    }

    /// Clients with their ends of the connections, in the order in which they were added.
    pub fn clients(&self) -> impl ExactSizeIterator<Item = (&Client, &Connection)> {
        self.clients.iter().map(|c| (&c.client, c.end.connection()))
    }

    /// The end of the connection of the `index`-th client.
    pub fn client_connection(&self, index: u32) -> &Connection {
        self.clients[index as usize].end.connection()
    }

    /// Servers with their ends of the connections, in the order in which they were added.
    pub fn servers(&self) -> impl ExactSizeIterator<Item = (&Server, &Connection)> {
        self.servers.iter().map(|s| (&s.server, s.end.connection()))
    }

    pub(super) fn start<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        for index in 0..self.clients.len() {
            self.await_request(index, context);
        }
    }

    fn await_request<C: Context<Message = Frame>>(&mut self, index: usize, context: &mut C) {
        let ClientEnd {
            client, next_request, ..
        } = &mut self.clients[index];
        let slot = FIRST_HOST_SLOT + 2 * index as u32 * TIMERS + NEXT_REQUEST;
        end::set(next_request, slot, client.next(), context);
    }

    #[inline]
    pub(super) fn handle<C: Context<Message = Frame, Observation = Observation>>(
        &mut self,
        event: Event<Frame>,
        context: &mut C,
    ) {
        match event {
            Event::Timer { slot, count } if slot >= FIRST_HOST_SLOT => {
                self.timer(slot, count, context);
            }
            event => {
                if let Some(frame) = self.nic.handle(event, context) {
                    self.receive(&frame, context);
                }
            }
        }
        self.take_turns(context);
    }

    fn timer<C: Context<Message = Frame>>(&mut self, slot: u32, count: u16, context: &mut C) {
        let (number, which) = (
            (slot - FIRST_HOST_SLOT) / TIMERS,
            (slot - FIRST_HOST_SLOT) % TIMERS,
        );
        let index = number as usize / 2;
        if which == NEXT_REQUEST {
            if self.clients[index].next_request.due(slot, count, context) {
                self.generate(index, context);
            }
            return;
        }
        let timer = match which {
            RETRANSMIT => Timer::Retransmit,
            DELAYED_ACK => Timer::DelayedAck,
            _ => unreachable!("a connection has {TIMERS} timers"),
        };
        let end = end(&mut self.clients, &mut self.servers, number);
        if end.expired(timer, slot, count, context) {
            end.push(number, self.host, &mut self.nic, context);
        }
    }

    /// The next request of a client is due; with its first one the connection is opened.
    fn generate<C: Context<Message = Frame>>(&mut self, index: usize, context: &mut C) {
        let now = context.now();
        let ClientEnd { end, client, .. } = &mut self.clients[index];
        if client.generated() == 0 {
            end.open(now);
        }
        while client.next() <= now {
            client.generate(now);
        }
        feed_client(client, end);
        end.push(2 * index as u32, self.host, &mut self.nic, context);
        self.await_request(index, context);
    }

    /// A segment has arrived.
    #[inline]
    fn receive<C: Context<Message = Frame, Observation = Observation>>(
        &mut self,
        frame: &Frame,
        context: &mut C,
    ) {
        let now = context.now();
        let (port, segment) = end::segment(frame);
        if port >= FIRST_CLIENT_PORT {
            let index = port - FIRST_CLIENT_PORT;
            let ClientEnd { end, client, .. } = &mut self.clients[index as usize];
            let received = end.receive(now, &segment);
            if received.delivered > 0 {
                let mut bytes = received.delivered;
                while let Some(transaction) = client.replied(now, bytes) {
                    context.observe(Observation::Transaction(transaction));
                    bytes = 0;
                }
            }
            if received.freed > 0 {
                feed_client(client, end);
            }
            end.push(2 * index as u32, self.host, &mut self.nic, context);
        } else {
            let index = port - FIRST_SERVER_PORT;
            let ServerEnd { end, server } = &mut self.servers[index as usize];
            let received = end.receive(now, &segment);
            if received.delivered > 0 {
                server.received(now, received.delivered);
            }
            if received.delivered > 0 || received.freed > 0 {
                end.fill(|room| server.feed(now, room));
            }
            end.push(2 * index as u32 + 1, self.host, &mut self.nic, context);
        }
    }

    /// Connections that wait for room in the NIC send one segment each in turn.
    #[inline]
    fn take_turns<C: Context<Message = Frame>>(&mut self, context: &mut C) {
        while let Some(number) = self.nic.next_turn(context) {
            let end = end(&mut self.clients, &mut self.servers, number);
            end.take_turn(number, self.host, &mut self.nic, context);
        }
    }

    /// Checks that the host's books balance.
    ///
    /// # Panics
    /// When they do not, which is always a fault of the models.
    pub fn check(&self) {
        self.nic.check();
        for (client, connection) in self.clients() {
            assert!(client.completed() <= client.handed(), "a reply needs its request");
            assert!(
                client.handed() <= client.generated(),
                "only what is generated is handed over"
            );
            connection.check();
        }
        for (server, connection) in self.servers() {
            assert!(
                server.sent() <= server.received_requests(),
                "a reply needs its request"
            );
            connection.check();
        }
    }
}

/// Connection `number` of a host.
#[inline]
fn end<'a>(clients: &'a mut [ClientEnd], servers: &'a mut [ServerEnd], number: u32) -> &'a mut End {
    let index = number as usize / 2;
    if number.is_multiple_of(2) {
        &mut clients[index].end
    } else {
        &mut servers[index].end
    }
}

/// Hands waiting requests to TCP.
#[inline]
fn feed_client(client: &mut Client, end: &mut End) {
    end.fill(|room| client.feed(room));
}
