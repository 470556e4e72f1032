//! Talking to a server.

use crate::failure::Failure;
use serde_json::Value;
use std::io::Read;
use std::time::Duration;
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

/// A server, and who asks it.
pub struct Client {
    agent: Agent,
    base: String,
    token: Option<String>,
}

/// The largest answer that is read into memory, in bytes.
const LARGEST: u64 = 64 << 20;

impl Client {
    /// The server at `url`, such as `http://127.0.0.1:8080`.
    pub fn new(url: &str, token: Option<String>) -> Result<Client, Failure> {
        let base = url.trim_end_matches('/').trim_end_matches("/api/v1").to_owned();
        if !(base.starts_with("http://") || base.starts_with("https://")) {
            return Err(Failure::Input(format!(
                "--url: {url:?} is no address of a server; give one such as http://127.0.0.1:8080"
            )));
        }
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(10)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .build()
            .into();
        Ok(Client { agent, base, token })
    }

    fn lost(&self, error: &ureq::Error) -> Failure {
        Failure::Machine(format!(
            "no answer from {}: {error}; is the server running, and is this its address?",
            self.base
        ))
    }

    /// Reads something.
    pub fn get(&self, path: &str) -> Result<Value, Failure> {
        let mut request = self.agent.get(format!("{}/api/v1{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        self.answer(request.call().map_err(|error| self.lost(&error))?)
    }

    /// Sends something.
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let mut request = self.agent.post(format!("{}/api/v1{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        self.answer(request.send_json(body).map_err(|error| self.lost(&error))?)
    }

    /// Opens a link to a file; its text comes from the reader.
    pub fn open(&self, link: &str) -> Result<impl Read, Failure> {
        let mut response = self.agent.get(link).call().map_err(|error| self.lost(&error))?;
        if response.status() != StatusCode::OK {
            let text = response.body_mut().read_to_string().unwrap_or_default();
            return Err(Failure::Machine(format!(
                "the server does not give the file: {} {text}",
                response.status()
            )));
        }
        Ok(response.into_body().into_reader())
    }

    fn answer(&self, mut response: Response<Body>) -> Result<Value, Failure> {
        let status = response.status();
        let text = response
            .body_mut()
            .with_config()
            .limit(LARGEST)
            .read_to_string()
            .map_err(|error| self.lost(&error))?;
        let value: Option<Value> = serde_json::from_str(&text).ok();
        if status.is_success() {
            return value.ok_or_else(|| {
                Failure::Machine(format!(
                    "{} answers with something that is no JSON; is it this server?",
                    self.base
                ))
            });
        }
        let said = value
            .as_ref()
            .and_then(|value| value["error"]["message"].as_str());
        let said = said.unwrap_or("no reason given").to_owned();
        Err(match status {
            StatusCode::UNAUTHORIZED => Failure::Input(format!(
                "{said}; give a token with --token or PACKETLOOM_TOKEN ('packetloom token create NAME' on the server makes one)"
            )),
            status if status.is_client_error() => Failure::Input(said),
            status => Failure::Machine(format!("the server answers {status}: {said}")),
        })
    }
}
