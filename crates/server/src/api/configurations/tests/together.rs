//! Several clients that change one configuration.

use super::*;
use std::collections::BTreeSet;

#[tokio::test]
async fn the_second_of_two_writes_of_a_version_is_refused_at_every_endpoint() {
    let client = Client::new().await;
    let path = stored(&client, &template("rdma-16-hosts")).await;
    let first = ask(
        &client,
        "PATCH",
        &path,
        Some("\"1\""),
        Some(&json!({"name": "First"})),
    )
    .await;
    first.ok();
    let leaf = json!({"EnableBufferStats": {"type": "bool", "value": true}});
    let transfers = json!({"MaxPendingWQEs": {"type": "uint", "value": 2}});
    let run = json!({"SimulationParameters": {"RunTime": {"type": "double", "value": 0.5}}});
    let (count, nic) = (json!({"count": 2}), json!({"name": "Nic", "type": "nic"}));
    let switch = json!({"name": "RackSwitch", "type": "switch"});
    let share = json!({"parentApplication": "Rdma", "distributionId": "prScalaRdmaInitiator", "value": 0.4});
    let name = json!({"name": "Second"});
    for (method, rest, body) in [
        ("PATCH", "", Some(&name)),
        ("POST", "/applications?modelId=ScalaRdmaApplication&name=B", None),
        ("DELETE", "/applications/Rdma", None),
        ("PATCH", "/applications/Rdma/parameters", Some(&transfers)),
        ("POST", "/components?modelId=ScalaSwitch&type=switch&name=B", None),
        ("DELETE", "/components/Nic", None),
        ("PATCH", "/components/Nic/parameters", Some(&leaf)),
        ("PATCH", "/configurations/Server", Some(&nic)),
        ("PATCH", "/configurations/Server/components/Nic", Some(&count)),
        ("DELETE", "/configurations/Server/components/Nic", None),
        ("PATCH", "/containers/Pod", Some(&switch)),
        ("PATCH", "/containers/Rack/components/Server", Some(&count)),
        ("DELETE", "/containers/Rack/components/Server", None),
        ("PATCH", "/distribution", Some(&share)),
        ("PATCH", "/parameters", Some(&run)),
        ("PATCH", "/topology", Some(&switch)),
        ("PATCH", "/topology/Pod", Some(&count)),
        ("DELETE", "/topology/Pod", None),
    ] {
        let answer = ask(&client, method, &format!("{path}{rest}"), Some("\"1\""), body).await;
        assert_eq!(answer.status, 412, "{method} {rest}");
        answer.fails(412, "PRECONDITION_FAILED");
        let broken = ask(&client, method, &format!("{path}{rest}"), Some("one"), body).await;
        assert!(
            [400, 412].contains(&broken.status.as_u16()),
            "{method} {rest}: {}",
            broken.status
        );
    }
    let now = client.get(&path).await.ok();
    assert_eq!((&now["version"], &now["name"]), (&json!(2), &json!("First")));
}

/// Adds a switch as often as it takes, and says how often others came before.
async fn insist(client: &Client, path: &str, name: &str) -> usize {
    for before in 0..200 {
        let answer = ask(
            client,
            "POST",
            &format!("{path}/components?modelId=ScalaSwitch&type=switch&name={name}"),
            None,
            None,
        )
        .await;
        match answer.status.as_u16() {
            201 => return before,
            409 => {
                let message = answer.fails(409, "CONFLICT");
                assert!(message.contains("try again"), "{message}");
            }
            other => panic!("{other}: {}", String::from_utf8_lossy(&answer.bytes)),
        }
    }
    panic!("{name} was never added");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_edits_at_once_lose_nothing() {
    let client = std::sync::Arc::new(Client::new().await);
    let path = stored(&client, &template("rdma-one-rack")).await;
    let edits: Vec<_> = (0..20)
        .map(|number| {
            let (client, path) = (client.clone(), path.clone());
            tokio::spawn(async move { insist(&client, &path, &format!("S{number}")).await })
        })
        .collect();
    for edit in edits {
        edit.await.expect("ended");
    }
    let all = client.get(&format!("{path}/components?type=switch")).await.ok();
    let names: BTreeSet<&str> = all["components"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|c| c["name"].as_str())
        .collect();
    for number in 0..20 {
        assert!(
            names.contains(format!("S{number}").as_str()),
            "{number}: {names:?}"
        );
    }
    // One version each, beside the first.
    assert_eq!(state(&client, &path).await.0, 21);
    let versions = client.get(&format!("{path}/versions")).await.ok();
    assert_eq!(versions["versions"].as_array().map(Vec::len), Some(21));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_writes_of_one_version_one_is_taken() {
    let client = std::sync::Arc::new(Client::new().await);
    let path = stored(&client, &template("rdma-one-rack")).await;
    let writes: Vec<_> = (0..20)
        .map(|number| {
            let (client, path) = (client.clone(), path.clone());
            tokio::spawn(async move {
                let body = json!({"name": format!("by {number}")});
                ask(&client, "PATCH", &path, Some("\"1\""), Some(&body))
                    .await
                    .status
                    .as_u16()
            })
        })
        .collect();
    let mut answers = Vec::new();
    for write in writes {
        answers.push(write.await.expect("ended"));
    }
    answers.sort_unstable();
    assert_eq!((answers[0], &answers[1..]), (200, [412; 19].as_slice()));
    assert_eq!(state(&client, &path).await.0, 2);
}
