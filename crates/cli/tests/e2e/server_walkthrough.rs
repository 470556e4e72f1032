//! The walk-throughs of the public documentation of the API, call by call, with curl and jq.

use crate::lab::{Lab, Outcome};
use crate::server_lab::{Server, folder};
use serde_json::Value;

/// Runs a script against `server`; every call of it must have succeeded.
#[track_caller]
fn walk(server: &Server, lab: &Lab, script: &str) -> Outcome {
    // `call` asks with the token, `send` with a body besides, and `holds` stops the script unless the answer is as it should be.
    let before = format!(
        "set -euo pipefail\n\
         api='{}/api/v1' token='{}'\n\
         curl() {{ command curl --silent --show-error --noproxy '*' \"$@\"; }}\n\
         call() {{ curl -X \"$1\" \"$api/$2\" -H \"Authorization: Bearer $token\" \"${{@:3}}\"; }}\n\
         send() {{ call \"$1\" \"$2\" -H 'Content-Type: application/json' -d \"$3\" \"${{@:4}}\"; }}\n\
         holds() {{ jq -e \"$1\" <<<\"$2\" >/dev/null || {{ echo \"not so: $1 in $2\" >&2; exit 1; }}; }}\n",
        server.url(),
        server.token
    );
    let outcome = lab.bash(&(before + script));
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    outcome
}

/// The last line of what a script printed, as JSON.
fn last(outcome: &Outcome) -> Value {
    serde_json::from_str(outcome.stdout.lines().last().expect("a line")).expect("JSON")
}

// Page `examples/quickstart.md`: the same calls in the same order. Changed: host and token; the identifiers, which come from the
// answer before; the duration, a millisecond in place of a minute; the status is asked for until the simulation has ended.
#[test]
fn the_quickstart_runs() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let lab = Lab::new();
    let outcome = walk(
        &server,
        &lab,
        r#"
templates=$(call GET templates)
holds '[.templates[].category] | index("getting-started")' "$templates"
template=$(jq -r '.templates[] | select(.name == "rdma-one-rack") | .id' <<<"$templates")

config=$(send POST "templates/$template/clone" '{"name": "My Data Center Config"}')
holds '.status == "draft" and .version == 1 and .name == "My Data Center Config"' "$config"
config=$(jq -r .id <<<"$config")

verdict=$(call POST "configurations/$config/validate")
holds '.valid and .status == "valid" and .errors == []' "$verdict"

sim=$(send POST simulations "{\"configurationId\": \"$config\", \"name\": \"my-first-simulation\", \"duration\": \"1ms\"}")
holds '.status == "validating" and .configurationVersion == 1' "$sim"
sim=$(jq -r .id <<<"$sim")

until details=$(call GET "simulations/$sim"); jq -e '.status == "completed"' <<<"$details" >/dev/null; do
  holds '.status | IN("validating", "provisioning", "running")' "$details"
  sleep 0.1
done

call GET "simulations/$sim/results" | jq -c .
"#,
    );
    let results = last(&outcome);
    assert_eq!(results["duration"], "1ms");
    let summary = &results["summary"];
    assert!(
        summary["totalPackets"].as_u64().expect("a count") > 10_000,
        "{summary}"
    );
    assert!(
        summary["avgLatency"].as_str().expect("text").ends_with("us"),
        "{summary}"
    );
    assert!(
        summary["throughput"].as_str().expect("text").ends_with("bps"),
        "{summary}"
    );
    assert_eq!(summary["dropRate"], 0.0);
    let files = results["files"].as_array().expect("a list");
    assert!(files.iter().any(|file| {
        file["type"] == "csv"
            && file["downloadUrl"]
                .as_str()
                .is_some_and(|url| url.starts_with(&server.url()))
    }));
}

// Page `examples/run-simulation.md`: the same calls in the same order. Changed: host and token; the identifiers, which come from
// the answers; the document, which has no servers there and so cannot be run, is that of a rack here, and at first it has no pod,
// so that there is something to fix; the body of the PATCH, which is not printed there; the validation after it, since a change
// makes a draft; the duration, a millisecond in place of an hour, and `checkpointing` left out, as there is none yet; the pause
// of the polling loop; the name of the file that is downloaded; ending the simulation, which has ended by then, is refused with
// 409; the last call is made for a configuration that is not there, too, so that there is an error to handle.
#[test]
fn the_example_of_a_simulation_runs() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let lab = Lab::new();
    lab.write("document.json", &crate::lab::document().to_string());
    let outcome = walk(
        &server,
        &lab,
        r#"
components=$(call GET components)
holds '.components[] | select(.model == "ScalaRoceNic") | .type == "nic" and .category == "model"' "$components"
switch=$(jq -r '.components[] | select(.model == "ScalaSwitch") | .id' <<<"$components")
holds '.typedParameters.NumUpLinks.default == "64"' "$(call GET "components/$switch")"

config=$(send POST configurations "$(jq -c '.name = "Leaf-Spine 48 Hosts" | .topology.components[0].count = 0' document.json)")
holds '.status == "draft" and .version == 1 and .componentCount > 0' "$config"
config=$(jq -r .id <<<"$config")

holds '.valid == false and (.errors | length > 0)' "$(call POST "configurations/$config/validate")"
fixed=$(send PATCH "configurations/$config" "$(jq -c '{topology}' document.json)" -H 'If-Match: "v1"')
holds '.version == 2 and .status == "draft"' "$fixed"
holds .valid "$(call POST "configurations/$config/validate")"

sim=$(send POST simulations "{\"configurationId\": \"$config\", \"name\": \"leaf-spine-stress-test\", \"duration\": \"1ms\"}")
holds '.configurationVersion == 2 and .status == "validating"' "$sim"
sim=$(jq -r .id <<<"$sim")

holds ".id == \"$sim\"" "$(call GET "simulations/$sim")"
holds '.logs == []' "$(call GET "simulations/$sim/logs?level=error")"

status=
until [[ $status =~ ^(completed|failed|terminated)$ ]]; do
  sleep 0.1
  status=$(call GET "simulations/$sim" | jq -r .status)
done
echo "ended: $status"

holds '.error.code == "CONFLICT"' "$(call POST "simulations/$sim/terminate")"

results=$(call GET "simulations/$sim/results")
holds ".simulationId == \"$sim\" and .duration == \"1ms\"" "$results"
# The link is enough: no token.
curl -o rdma-perf.csv "$(call GET "simulations/$sim/results" |
  jq -r '.files[] | select(.name == "leaf-spine-stress-test-rdma-perf-0.csv") | .downloadUrl')"

holds '.status == "deleted"' "$(call DELETE "simulations/$sim")"

for id in "$config" config_111111111111111111111111111; do
  answer=$(send POST simulations "{\"configurationId\": \"$id\", \"name\": \"error-handling-demo\", \"duration\": \"1ms\"}" -w '\n%{http_code}')
  # The last line is the status, what is before it the body.
  status=${answer##*$'\n'}
  if ((status >= 400)); then
    echo "error $status: $(jq -r .error.message <<<"${answer%$'\n'*}")"
  else
    echo "no error: $status"
  fi
done
"#,
    );
    assert!(
        outcome.stdout.contains("ended: completed\nno error: 201\n"),
        "{outcome:#?}"
    );
    assert!(
        outcome
            .stdout
            .ends_with("error 404: There is no configuration \"config_111111111111111111111111111\"\n"),
        "{outcome:#?}"
    );
    let rows = lab.read("rdma-perf.csv");
    assert!(
        rows.starts_with("job_id,time_utc,sim_time_sec,metric_name,perf_metric_usec,"),
        "{rows:.200}"
    );
    assert!(rows.lines().count() > 10);
}
