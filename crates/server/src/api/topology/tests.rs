//! Checking a topology that is not stored.

use crate::api::client::Client;
use serde_json::{Value, json};

const PATH: &str = "/topology/validate";

/// Eight hosts: two racks of four below two fabric switches.
fn eight_hosts() -> Value {
    let switch = |name: &str, down: u64, up: u64, capacity: u64| {
        json!({"type": "switch", "name": name, "model": "ScalaSwitch", "version": "3.2.1", "typedParameters": {
            "NumDownLinks": {"type": "uint", "value": down},
            "NumUpLinks": {"type": "uint", "value": up},
            "SwitchingCapacity": {"type": "datarate", "unit": "Gbps", "value": capacity}}})
    };
    json!({
        "applications": [{"type": "application", "name": "TrafficGen", "model": "ScalaTrafficGeneratorApplication",
            "version": "3.1.1", "trafficType": "non-coordinated", "typedParameters": {
                "MessageSize": {"type": "bytes", "unit": "KB", "value": 16},
                "TrafficPattern": {"type": "string", "value": "uniform-random"}}}],
        "components": [
            switch("FabricSwitch", 8, 1, 3200),
            switch("RackSwitch", 4, 2, 1600),
            {"type": "nic", "name": "Nic", "model": "ScalaNic", "version": "3.1.1", "typedParameters": {"NetworkInterface":
                {"UplinkNetworkInterface": {"DataRate": {"type": "datarate", "unit": "Gbps", "value": 100}}}}},
            {"type": "server", "name": "Host", "model": "ScalaHost", "version": "3.1.1", "typedParameters": {},
                "allowedComponents": ["nic"], "components": [{"type": "nic", "name": "Nic", "count": 1}]}],
        "containers": [
            {"type": "rack", "name": "Rack", "allowedComponents": ["switch", "server"], "components": [
                {"type": "switch", "name": "RackSwitch", "model": "ScalaSwitch", "count": 1},
                {"type": "server", "name": "Host", "model": "ScalaHost", "count": 4}]},
            {"type": "pod", "name": "Pod", "allowedComponents": ["switch", "rack"], "components": [
                {"type": "switch", "name": "FabricSwitch", "model": "ScalaSwitch", "count": 2},
                {"type": "rack", "name": "Rack", "count": 2}]}],
        "links": [],
    })
}

fn template(name: &str) -> Value {
    let text = packetloom_config::template::text(name).expect("a template");
    let mut body: Value = serde_json::from_str(text).expect("JSON");
    let body = body.as_object_mut().expect("an object");
    body.retain(|key, _| ["components", "containers", "applications", "links"].contains(&key.as_str()));
    json!(body)
}

fn figures(hosts: u64, nics: u64) -> Value {
    json!([{"label": "Total Hosts", "name": "TotalHosts", "value": hosts},
        {"label": "Total NICs", "name": "TotalNics", "value": nics}])
}

#[tokio::test]
async fn hosts_are_counted_and_switches_told_even_if_something_else_is_wrong() {
    let client = Client::new().await;
    let answer = client.post(PATH, &eight_hosts()).await.ok();
    // 1 pod x 2 racks x 4 servers x 1 NIC.
    assert_eq!(answer["simulationParameters"], figures(8, 8));
    assert_eq!(
        answer["switchBandwidth"],
        json!([
            {"model": "ScalaSwitch", "name": "FabricSwitch", "networkTier": 1, "switchingCapacity": 3200, "switchingCapacityUnit": "Gbps"},
            {"model": "ScalaSwitch", "name": "RackSwitch", "networkTier": 2, "switchingCapacity": 1600, "switchingCapacityUnit": "Gbps"},
        ])
    );
    // The generator offered has neither attribute, and the document says where they stand.
    assert_eq!(
        (&answer["validation"]["valid"], &answer["validation"]["status"]),
        (&json!(false), &json!("error"))
    );
    let errors = answer["validation"]["errors"].as_array().expect("a list");
    let path = "$.applications[0].typedParameters.MessageSize";
    let error = errors.iter().find(|error| error["path"] == path);
    let error = error.unwrap_or_else(|| panic!("{errors:?}"));
    assert_eq!(
        (&error["component"], &error["parameter"], &error["code"]),
        (
            &json!("TrafficGen"),
            &json!("MessageSize"),
            &json!("CONSTRAINT_VIOLATION")
        )
    );
    assert_eq!(answer["topologyMap"], "");
}

#[tokio::test]
async fn what_is_right_has_a_map_and_the_same_checksum_each_time() {
    let client = Client::new().await;
    for (name, hosts) in [("rdma-16-hosts", 16), ("tcp-16-hosts", 16), ("rdma-one-rack", 8)] {
        let answer = client.post(PATH, &template(name)).await.ok();
        assert_eq!(answer["validation"]["valid"], true, "{name}: {answer}");
        assert_eq!(answer["validation"]["errors"], json!([]));
        assert_eq!(
            answer["validation"]["info"][0]["code"],
            "PREPROCESSOR_VALIDATION_NOTE"
        );
        assert_eq!(answer["simulationParameters"], figures(hosts, hosts));
        let map = answer["topologyMap"].as_str().expect("text");
        assert!(map.contains("rack 0") && map.contains("8 servers"), "{map}");
        let checksum = answer["checksum"].as_str().expect("text").to_owned();
        assert!(checksum.len() == 64 && checksum.bytes().all(|b| b.is_ascii_hexdigit()));
        let again = client.post(PATH, &template(name)).await.ok();
        assert_eq!(again["checksum"], checksum);
        let mut other = template(name);
        other["components"][0]["name"] = json!("Another");
        let other = client.post(PATH, &other).await.ok();
        assert_ne!(other["checksum"], checksum);
    }
    // Nothing of it is stored.
    let (_, list) = client.see("/configurations").await;
    assert_eq!(list["configurations"], json!([]));
}

#[tokio::test]
async fn without_pods_one_of_each_rack_is_in_one() {
    let client = Client::new().await;
    let mut body = template("rdma-one-rack");
    body["containers"]
        .as_array_mut()
        .expect("a list")
        .retain(|c| c["type"] == "rack");
    let answer = client.post(PATH, &body).await.ok();
    assert_eq!(answer["validation"]["valid"], true, "{answer}");
    assert_eq!(answer["simulationParameters"], figures(8, 8));
}

#[tokio::test]
async fn hosts_that_cannot_be_counted_are_left_out() {
    let client = Client::new().await;
    let mut lost = eight_hosts();
    lost["containers"][1]["components"][1]["name"] = json!("Shelf");
    // 2 x 2^63 is beyond 64 bits.
    let mut huge = eight_hosts();
    huge["containers"][0]["components"][1]["count"] = json!(1u64 << 63);
    for body in [lost, huge] {
        let answer = client.post(PATH, &body).await.ok();
        assert_eq!(answer["validation"]["valid"], false);
        assert_eq!(answer["simulationParameters"], json!([]));
    }
    let mut two = eight_hosts();
    two["components"][3]["components"][0]["count"] = json!(2);
    let answer = client.post(PATH, &two).await.ok();
    assert_eq!(answer["simulationParameters"], figures(8, 16));
}

#[tokio::test]
async fn bodies_of_another_form_are_refused() {
    let client = Client::new().await;
    for key in ["components", "containers", "applications"] {
        let mut body = eight_hosts();
        body.as_object_mut().expect("an object").remove(key);
        let message = client.post(PATH, &body).await.fails(400, "VALIDATION_ERROR");
        assert!(message.contains(key), "{message}");
        body[key] = json!(5);
        let message = client.post(PATH, &body).await.fails(400, "VALIDATION_ERROR");
        assert!(message.contains(key), "{message}");
    }
    let mut body = eight_hosts();
    body.as_object_mut().expect("an object").remove("links");
    client.post(PATH, &body).await.ok();
    body["topologie"] = json!({});
    let message = client.post(PATH, &body).await.fails(400, "VALIDATION_ERROR");
    assert!(message.contains("topologie"), "{message}");
    client.post(PATH, &json!([])).await.fails(400, "VALIDATION_ERROR");
}
