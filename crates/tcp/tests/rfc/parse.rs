//! Reads scripts. A file has cases; a case has a heading, a line that sets it up, and steps.
//!
//! ```text
//! === RFC 5681, 4.2: every second full segment is acknowledged at once
//! server mss 1000 handshake 0.1
//! +0     < . 1:2001 ack 1
//! +0     > . ack 2001
//! ```
//!
//! A step begins with its time in seconds: since the start, or with `+` since the step before. Then `<` a segment that
//! arrives, `>` one that must leave at that very time, or a word of `Act`. A segment is its flags, its payload from sequence
//! number to sequence number (a long one stands for segments of the MSS that follow each other), `ack`, `win` as on the
//! wire, and options. What a `>` does not say is not looked at, except payload, `ack` and options: those must not be there.

use packetloom_des::Span;
use packetloom_tcp::Settings;
use packetloom_tcp::congestion::CongestionControl;
use packetloom_tcp::segment::{Flags, MOST_SACK_BLOCKS, Options, SackBlock, Segment};

pub struct Case {
    pub name: String,
    pub setup: Setup,
    pub steps: Vec<Step>,
}

/// The endpoint and its peer.
pub struct Setup {
    pub client: bool,
    pub settings: Settings,
    /// Its first sequence number.
    pub isn: u32,
    /// The peer's.
    pub peer: u32,
    /// The handshake is done before the first step, with this round trip.
    pub handshake: Option<Span>,
    /// What the peer's SYN of that handshake has.
    pub peer_mss: u16,
    pub peer_sack: bool,
    pub peer_scale: Option<u8>,
    /// Whether the application leaves what arrives in the receive buffer.
    pub keeps: bool,
}

pub enum When {
    At(Span),
    After(Span),
}

pub struct Step {
    /// Where it stands and what it says, for messages.
    pub place: String,
    pub when: When,
    pub act: Act,
}

pub enum Act {
    Arrives(Vec<Segment>),
    Leaves(Vec<Expected>),
    /// `open`
    Open,
    /// `write N`, or `write N takes M` where not all fits
    Write {
        bytes: u64,
        takes: u64,
    },
    /// `read N`
    Read(u64),
    /// `quiet`: nothing has left that was not expected
    Quiet,
    /// `is NAME VALUE ...`: what the report says
    Is(Vec<(String, String)>),
}

pub struct Expected {
    pub flags: Flags,
    pub sequence: Option<u32>,
    pub payload: u32,
    pub acknowledgement: Option<u32>,
    pub window: Option<u16>,
    pub options: Options,
}

/// The cases of the file `name` with this text. The error names the line that cannot be read.
pub fn cases(name: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    let mut heading: Option<String> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        if line.is_empty() {
            continue;
        }
        let place = format!("{name}:{}: {line}", number + 1);
        let refuse = |fault| format!("{place}\n  {fault}");
        if let Some(title) = line.strip_prefix("=== ") {
            heading = Some(title.to_owned());
        } else if let Some(title) = heading.take() {
            cases.push(Case {
                name: title,
                setup: setup(line).map_err(refuse)?,
                steps: Vec::new(),
            });
        } else {
            let case = cases
                .last_mut()
                .ok_or_else(|| refuse("a heading `=== ...` comes first".to_owned()))?;
            let (when, act) = step(line, &case.setup).map_err(refuse)?;
            case.steps.push(Step { place, when, act });
        }
    }
    match heading {
        None if cases.is_empty() => Err(format!("{name} has no case")),
        None => Ok(cases),
        Some(title) => Err(format!("{name}: {title:?} has no steps")),
    }
}

/// The words of a line, one after the other.
struct Words<'a>(std::str::SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn maybe(&mut self) -> Option<&'a str> {
        self.0.next()
    }

    fn word(&mut self, what: &str) -> Result<&'a str, String> {
        self.maybe().ok_or_else(|| format!("{what} is missing"))
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, String> {
        number(self.word(what)?, what)
    }
}

fn number<T: std::str::FromStr>(word: &str, what: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{what} is not {word:?}"))
}

pub fn seconds(word: &str) -> Result<Span, String> {
    let value: f64 = number(word, "a time in seconds")?;
    Span::from_seconds(value).ok_or_else(|| format!("{word} s is no time"))
}

fn setup(line: &str) -> Result<Setup, String> {
    let mut words = Words(line.split_whitespace());
    let mut setup = Setup {
        client: match words.word("client or server")? {
            "client" => true,
            "server" => false,
            other => return Err(format!("{other:?} is neither client nor server")),
        },
        settings: Settings::default(),
        isn: 0,
        peer: 0,
        handshake: None,
        peer_mss: 1_460,
        peer_sack: true,
        peer_scale: Some(6),
        keeps: false,
    };
    let settings = &mut setup.settings;
    while let Some(word) = words.maybe() {
        match word {
            "isn" => setup.isn = words.number("isn")?,
            "peer" => setup.peer = words.number("peer")?,
            "mss" => {
                settings.mss = words.number("mss")?;
                setup.peer_mss = settings.mss as u16;
            }
            "peer_mss" => setup.peer_mss = words.number("peer_mss")?,
            "handshake" => setup.handshake = Some(seconds(words.word("round trip")?)?),
            "nosack" => setup.peer_sack = false,
            "noscale" => setup.peer_scale = None,
            "scale" => setup.peer_scale = Some(words.number("scale")?),
            "keeps" => setup.keeps = true,
            "newreno" => settings.congestion = CongestionControl::NewReno,
            "nohystart" => settings.hystart = false,
            "initial" => settings.initial_window = words.number("initial")?,
            "send_buffer" => settings.send_buffer = words.number("send_buffer")?,
            "receive_buffer" => settings.receive_buffer = words.number("receive_buffer")?,
            "rto_min" => settings.rto_min = seconds(words.word("rto_min")?)?,
            "ack_every" => settings.ack_every = words.number("ack_every")?,
            other => return Err(format!("unknown word {other:?}")),
        }
    }
    Ok(setup)
}

fn step(line: &str, setup: &Setup) -> Result<(When, Act), String> {
    let mut words = Words(line.split_whitespace());
    let time = words.word("a time")?;
    let when = match time.strip_prefix('+') {
        Some(after) => When::After(seconds(after)?),
        None => When::At(seconds(time)?),
    };
    let act = match words.word("what happens")? {
        "<" => Act::Arrives(arriving(read_segment(&mut words)?, setup)),
        ">" => Act::Leaves(leaving(read_segment(&mut words)?, setup)),
        "acks" => Act::Arrives(acknowledging(range(words.word("a range")?)?, setup)),
        "open" => Act::Open,
        "write" => {
            let bytes = words.number("bytes")?;
            let takes = match words.maybe() {
                None => bytes,
                Some("takes") => words.number("bytes")?,
                Some(other) => return Err(format!("unknown word {other:?}")),
            };
            Act::Write { bytes, takes }
        }
        "read" => Act::Read(words.number("bytes")?),
        "quiet" => Act::Quiet,
        "is" => {
            let mut pairs = Vec::new();
            while let Some(name) = words.maybe() {
                pairs.push((name.to_owned(), words.word("a value")?.to_owned()));
            }
            Act::Is(pairs)
        }
        other => return Err(format!("unknown word {other:?}")),
    };
    match words.maybe() {
        None => Ok((when, act)),
        Some(rest) => Err(format!("unknown word {rest:?}")),
    }
}

/// A segment as written.
struct Written {
    flags: Flags,
    /// Its sequence number and the one after its payload.
    range: Option<(u32, u32)>,
    acknowledgement: Option<u32>,
    window: Option<u16>,
    options: Options,
}

fn range(word: &str) -> Result<(u32, u32), String> {
    let (start, end) = word
        .split_once(':')
        .ok_or_else(|| format!("{word:?} is no range FROM:TO"))?;
    Ok((
        number(start, "a sequence number")?,
        number(end, "a sequence number")?,
    ))
}

fn read_segment(words: &mut Words) -> Result<Written, String> {
    let mut segment = Written {
        flags: Flags::default(),
        range: None,
        acknowledgement: None,
        window: None,
        options: Options::None,
    };
    for letter in words.word("flags")?.chars() {
        segment.flags = segment.flags
            | match letter {
                'S' => Flags::SYN,
                'F' => Flags::FIN,
                'R' => Flags::RST,
                'P' => Flags::PSH,
                '.' => Flags::ACK,
                other => return Err(format!("unknown flag {other:?}: S, F, R, P or .")),
            };
    }
    while let Some(word) = words.maybe() {
        match word {
            "seq" => {
                let sequence = words.number("seq")?;
                segment.range = Some((sequence, sequence));
            }
            "ack" => segment.acknowledgement = Some(words.number("ack")?),
            "win" => segment.window = Some(words.number("win")?),
            "sack" => segment.options = sack(words.word("blocks")?)?,
            _ if word.starts_with('<') => segment.options = syn_options(word)?,
            _ => segment.range = Some(range(word)?),
        }
    }
    if segment.acknowledgement.is_some() != segment.flags.contains(Flags::ACK) {
        return Err("`ack N` goes with the flag `.`".to_owned());
    }
    Ok(segment)
}

/// What a SYN carries: `<mss:1460,sackOK,wscale:6>`.
fn syn_options(word: &str) -> Result<Options, String> {
    let inner = word
        .strip_prefix('<')
        .and_then(|word| word.strip_suffix('>'))
        .ok_or_else(|| format!("{word:?} is no <...>"))?;
    let (mut size, mut permitted, mut scale) = (None, false, None);
    for option in inner.split(',') {
        match option.split_once(':') {
            Some(("mss", value)) => size = Some(number(value, "mss")?),
            Some(("wscale", value)) => scale = Some(number(value, "wscale")?),
            None if option == "sackOK" => permitted = true,
            _ => return Err(format!("unknown option {option:?}")),
        }
    }
    Ok(Options::Syn {
        mss: size.ok_or("a SYN has an mss")?,
        sack_permitted: permitted,
        window_scale: scale,
    })
}

fn sack(word: &str) -> Result<Options, String> {
    let mut blocks = [SackBlock::default(); MOST_SACK_BLOCKS];
    let mut count = 0;
    for block in word.split(',') {
        let (start, end) = range(block)?;
        *blocks.get_mut(count).ok_or("more than 4 SACK blocks")? = SackBlock { start, end };
        count += 1;
    }
    Ok(Options::Sack {
        blocks,
        count: count as u8,
    })
}

/// The payloads of segments that together take `range`: sequence number and length of each.
fn pieces(range: (u32, u32), mss: u32) -> Vec<(u32, u32)> {
    let length = range.1.wrapping_sub(range.0);
    if length == 0 {
        return vec![(range.0, 0)];
    }
    (0..length)
        .step_by(mss as usize)
        .map(|offset| (range.0.wrapping_add(offset), mss.min(length - offset)))
        .collect()
}

fn mss(setup: &Setup) -> u32 {
    setup.settings.mss.min(setup.peer_mss as u32)
}

fn arriving(written: Written, setup: &Setup) -> Vec<Segment> {
    // Where nothing is said, the peer has sent nothing but its SYN.
    let range = written.range.unwrap_or({
        let next = setup.peer.wrapping_add(1);
        (next, next)
    });
    pieces(range, mss(setup))
        .into_iter()
        .map(|(sequence, payload)| Segment {
            sequence,
            payload,
            acknowledgement: written.acknowledgement.unwrap_or(0),
            window: written.window.unwrap_or(u16::MAX),
            flags: written.flags,
            options: written.options,
        })
        .collect()
}

/// `acks FROM:TO`: an acknowledgement of each segment's end.
fn acknowledging(range: (u32, u32), setup: &Setup) -> Vec<Segment> {
    pieces(range, mss(setup))
        .into_iter()
        .map(|(sequence, payload)| Segment {
            sequence: setup.peer.wrapping_add(1),
            acknowledgement: sequence.wrapping_add(payload),
            window: u16::MAX,
            flags: Flags::ACK,
            ..Segment::default()
        })
        .collect()
}

fn leaving(written: Written, setup: &Setup) -> Vec<Expected> {
    let parts = match written.range {
        None => vec![(None, 0)],
        Some(range) => pieces(range, mss(setup))
            .into_iter()
            .map(|(sequence, payload)| (Some(sequence), payload))
            .collect(),
    };
    parts
        .into_iter()
        .map(|(sequence, payload)| Expected {
            flags: written.flags,
            sequence,
            payload,
            acknowledgement: written.acknowledgement,
            window: written.window,
            options: written.options,
        })
        .collect()
}
