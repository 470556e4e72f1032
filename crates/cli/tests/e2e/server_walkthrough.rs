//! The walk-throughs of the public documentation of the API, call by call, with curl and jq.

use crate::lab::{Lab, Outcome};
use crate::server_lab::{Server, folder};
use serde_json::Value;

/// Runs a script against `server`; every call of it must have succeeded.
#[track_caller]
fn walk(server: &Server, lab: &Lab, script: &str) -> Outcome {
    // `call` is curl with what every call of the pages has in common, and stops at a failure.
    let before = format!(
        "set -euo pipefail\n\
         export API_BASE='{}/api/v1' SCALA_API_TOKEN='{}'\n\
         curl() {{ command curl --silent --show-error --noproxy '*' \"$@\"; }}\n",
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

// Page `examples/quickstart.md`. Changed: host and token; the identifiers, which come from the answer before; the duration, a
// millisecond in place of a minute; the status is asked for until the simulation has ended.
#[test]
fn the_quickstart_runs() {
    let data = folder();
    let server = Server::start(data.path(), &["--jobs", "1"]);
    let lab = Lab::new();
    let outcome = walk(
        &server,
        &lab,
        r#"
templates=$(curl -X GET "$API_BASE/templates" \
  -H "Authorization: Bearer $SCALA_API_TOKEN")
TEMPLATE=$(jq -r '.templates[] | select(.name == "rdma-one-rack") | .id' <<<"$templates")
jq -e '.templates[] | select(.category == "getting-started")' <<<"$templates" >/dev/null

config=$(curl -X POST "$API_BASE/templates/$TEMPLATE/clone" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" \
  -H "Content-Type: application/json" \
  -d '{
    "name": "My Data Center Config"
  }')
jq -e '.status == "draft" and .version == 1 and .name == "My Data Center Config"' <<<"$config" >/dev/null
CONFIG=$(jq -r .id <<<"$config")

validation=$(curl -X POST "$API_BASE/configurations/$CONFIG/validate" \
  -H "Authorization: Bearer $SCALA_API_TOKEN")
jq -e '.valid and .status == "valid" and .errors == []' <<<"$validation" >/dev/null

simulation=$(curl -X POST "$API_BASE/simulations" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" \
  -H "Content-Type: application/json" \
  -d '{
    "configurationId": "'"$CONFIG"'",
    "name": "my-first-simulation",
    "duration": "1ms"
  }')
jq -e '.status == "validating" and .configurationVersion == 1' <<<"$simulation" >/dev/null
SIM=$(jq -r .id <<<"$simulation")

status=validating
until [ "$status" = completed ]; do
  status=$(curl -X GET "$API_BASE/simulations/$SIM" \
    -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -r .status)
  case "$status" in failed | terminated) exit 1 ;; esac
  sleep 0.1
done

curl -X GET "$API_BASE/simulations/$SIM/results" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -c .
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

// Page `examples/run-simulation.md`. Changed: host and token; the identifiers, which come from the answers; the document, which
// has no servers there and so cannot be run, is that of a rack here, and one attribute of it is wrong at first, so that there
// is something to fix; the body of the PATCH, which is not printed there; the validation after it, since a change makes a draft;
// the duration, a millisecond in place of an hour, and `checkpointing` left out, as there is none yet; the pause of the polling
// script; the name of the file that is downloaded; ending the simulation, which has ended by then, is refused with 409.
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
components=$(curl -X GET "$API_BASE/components" \
  -H "Authorization: Bearer $SCALA_API_TOKEN")
SWITCH=$(jq -r '.components[] | select(.model == "ScalaSwitch") | .id' <<<"$components")
jq -e '.components[] | select(.model == "ScalaRoceNic") | .type == "nic" and .category == "model"' <<<"$components" >/dev/null

curl -X GET "$API_BASE/components/$SWITCH" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -e '.typedParameters.NumUpLinks.default == "64"' >/dev/null

body=$(jq -c '.name = "Leaf-Spine" | .topology.components[0].count = 0' document.json)
config=$(curl -X POST "$API_BASE/configurations" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" \
  -H "Content-Type: application/json" \
  -d "$body")
jq -e '.status == "draft" and .version == 1 and .componentCount > 0' <<<"$config" >/dev/null
CONFIG=$(jq -r .id <<<"$config")

curl -X POST "$API_BASE/configurations/$CONFIG/validate" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -e '.valid == false and (.errors | length > 0)' >/dev/null

curl -X PATCH "$API_BASE/configurations/$CONFIG" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" \
  -H "If-Match: \"v1\"" \
  -H "Content-Type: application/json" \
  -d "$(jq -c '{topology: .topology}' document.json)" | jq -e '.version == 2 and .status == "draft"' >/dev/null
curl -X POST "$API_BASE/configurations/$CONFIG/validate" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -e .valid >/dev/null

SIM_ID=$(curl -X POST "$API_BASE/simulations" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" \
  -H "Content-Type: application/json" \
  -d '{
    "configurationId": "'"$CONFIG"'",
    "name": "leaf-spine-stress-test",
    "duration": "1ms"
  }' | jq -r .id)
export SIM_ID

curl -X GET "$API_BASE/simulations/$SIM_ID" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -e '.id == env.SIM_ID' >/dev/null

curl -X GET "$API_BASE/simulations/$SIM_ID/logs?level=error" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -e '.logs == []' >/dev/null

while true; do
  STATUS=$(curl -s "$API_BASE/simulations/$SIM_ID" \
    -H "Authorization: Bearer $SCALA_API_TOKEN" \
    | jq -r '.status')

  echo "$(date): Status = $STATUS"

  case $STATUS in
    completed|failed|terminated)
      echo "Simulation finished with status: $STATUS"
      break
      ;;
  esac

  sleep 0.1
done

curl -X POST "$API_BASE/simulations/$SIM_ID/terminate" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -e '.error.code == "CONFLICT"' >/dev/null

curl -X GET "$API_BASE/simulations/$SIM_ID/results" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -e '.simulationId == env.SIM_ID' >/dev/null

NAME=leaf-spine-stress-test-rdma-perf-0.csv
curl -o rdma-perf.csv "$(curl -s "$API_BASE/simulations/$SIM_ID/results" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" \
  | jq -r --arg name $NAME '.files[] | select(.name == $name) | .downloadUrl')"

curl -X DELETE "$API_BASE/simulations/$SIM_ID" \
  -H "Authorization: Bearer $SCALA_API_TOKEN" | jq -e '.status == "deleted"' >/dev/null

for id in "$CONFIG" config_111111111111111111111111111; do
  response=$(curl -s -w "\n%{http_code}" -X POST "$API_BASE/simulations" \
    -H "Authorization: Bearer $SCALA_API_TOKEN" \
    -H "Content-Type: application/json" \
    -d '{"configurationId": "'$id'", "name": "error-handling-demo", "duration": "1ms"}')

  body=$(echo "$response" | head -n -1)
  status=$(echo "$response" | tail -n 1)

  if [ "$status" -ge 400 ]; then
    echo "Error $status: $(echo "$body" | jq -r '.error.message')"
  fi
done
"#,
    );
    assert!(
        outcome
            .stdout
            .contains("Simulation finished with status: completed\n"),
        "{outcome:#?}"
    );
    assert!(
        outcome
            .stdout
            .ends_with("Error 404: There is no configuration \"config_111111111111111111111111111\"\n"),
        "{outcome:#?}"
    );
    let rows = lab.read("rdma-perf.csv");
    assert!(
        rows.starts_with("job_id,") || rows.starts_with("time_utc,") || rows.contains("perf_metric_usec"),
        "{rows:.200}"
    );
    assert!(rows.lines().count() > 10);
}
