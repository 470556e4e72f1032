//! Simulations as they go: server-sent events.

use super::{SimulationDetails, details, load};
use crate::api::auth::Caller;
use crate::api::error::{ApiResult, ErrorBody};
use crate::api::extract::Path;
use crate::platform::App;
use axum::extract::{Extension, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt, stream};
use std::convert::Infallible;
use std::time::{Duration, Instant};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// How often something is sent when nothing happens, so that nobody in between takes the connection for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(events_of))
        .routes(routes!(events))
}

fn event(details: &SimulationDetails) -> Event {
    let data = serde_json::to_string(details).unwrap_or_default();
    Event::default()
        .event("simulation")
        .id(&details.item.id)
        .data(data)
}

/// The next change of a simulation, of one only if it is named; nothing when that is deleted.
async fn next(
    app: &App,
    caller: &mut Listener,
    events: &mut Receiver<crate::jobs::Event>,
    only: Option<&str>,
) -> Option<SimulationDetails> {
    loop {
        let id = match events.recv().await {
            Ok(event) if only.is_none_or(|id| id == event.id) => event.id,
            Ok(_) => continue,
            // Too slow: what was missed is older than what comes now. Of one simulation its present state stands for it.
            Err(RecvError::Lagged(_)) => match only {
                Some(id) => id.to_owned(),
                None => continue,
            },
            Err(RecvError::Closed) => return None,
        };
        if !caller.may_listen(app).await {
            return None;
        }
        if let Ok(row) = load(app, &id).await {
            return Some(details(app, &row));
        }
        if only.is_some() {
            return None; // deleted
        }
    }
}

/// Whoever listens, who may lose the right to.
struct Listener {
    caller: Option<Caller>,
    checked: Instant,
}

/// For how long whoever might listen may.
const TRUSTED: Duration = Duration::from_millis(800);

impl Listener {
    fn new(caller: Option<Extension<Caller>>) -> Self {
        Listener {
            caller: caller.map(|Extension(caller)| caller),
            checked: Instant::now(),
        }
    }

    /// Whether their token still is one.
    async fn may_listen(&mut self, app: &App) -> bool {
        if app.options.no_auth || self.checked.elapsed() < TRUSTED {
            return true;
        }
        let Some(caller) = &self.caller else { return false };
        self.checked = Instant::now();
        // A database that does not answer takes no rights away.
        app.store.has_token(&caller.name).await.unwrap_or(true)
    }
}

fn answer(
    events: impl Stream<Item = Event> + Send + 'static,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(events.map(Ok)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

/// Follow a simulation: an event `simulation` with its details at once, at each change, and a few times a second while it runs; the stream ends with it.
#[utoipa::path(get, path = "/simulations/{sim_id}/events", tag = "Simulations", params(("sim_id" = String, Path, description = "The simulation", pattern = "^sim_[0-9A-Za-z]{27}$")), responses(
    (status = 200, description = "Events", body = String, content_type = "text/event-stream"),
    (status = 404, description = "There is no such simulation", body = ErrorBody)))]
async fn events_of(
    State(app): State<App>,
    caller: Option<Extension<Caller>>,
    Path(id): Path<String>,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    // Listening before looking, so that nothing falls in between.
    let (events, silence) = (app.jobs.events(), app.jobs.silence());
    let row = load(&app, &id).await?;
    let first = details(&app, &row);
    let ended = first.item.status.is_final();
    let now = stream::once(async move { event(&first) });
    let rest = stream::unfold(
        (app, Listener::new(caller), events, id, ended),
        |(app, mut caller, mut events, id, ended)| async move {
            if ended {
                return None;
            }
            let details = next(&app, &mut caller, &mut events, Some(&id)).await?;
            let ended = details.item.status.is_final();
            Some((event(&details), (app, caller, events, id, ended)))
        },
    );
    Ok(answer(now.chain(rest.take_until(silence))))
}

/// Follow all simulations: an event `simulation` with the details of one at each change, and a few times a second while it runs.
#[utoipa::path(get, path = "/events", tag = "Simulations", responses((status = 200, description = "Events", body = String, content_type = "text/event-stream")))]
async fn events(
    State(app): State<App>,
    caller: Option<Extension<Caller>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (events, silence) = (app.jobs.events(), app.jobs.silence());
    let all = stream::unfold(
        (app, Listener::new(caller), events),
        |(app, mut caller, mut events)| async move {
            let details = next(&app, &mut caller, &mut events, None).await?;
            Some((event(&details), (app, caller, events)))
        },
    );
    answer(all.take_until(silence))
}
