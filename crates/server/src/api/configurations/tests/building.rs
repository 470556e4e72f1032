//! Building a configuration one endpoint at a time.

use super::*;
use packetloom_config::{Scenario, template as templates, validate};

/// The scenario of what is stored, under the name of a template.
async fn scenario(client: &Client, path: &str, name: &str) -> Scenario {
    let id = path.rsplit('/').next().expect("an id");
    let stored = client
        .app
        .store
        .version(id, None)
        .await
        .expect("read")
        .expect("there");
    let mut document = super::super::stored(&stored.document).expect("a document");
    document.name = name.to_owned();
    validate(&document).unwrap_or_else(|errors| panic!("{errors}"))
}

async fn add(client: &Client, path: &str, rest: &str) {
    ask(client, "POST", &format!("{path}{rest}"), None, None)
        .await
        .is(201);
}

/// Rebuilds a template without layers from nothing but its names, counts and attributes.
async fn build(name: &str) {
    let client = Client::new().await;
    let model = template(name);
    let nothing = json!({"name": name, "components": [], "containers": [], "applications": [], "links": [], "globalParameters": {},
        "topology": {"type": "clos", "name": null, "topologyTiers": model["topology"]["topologyTiers"], "allowedComponents": ["switch", "pod"],
            "components": [], "appDistribution": {"description": null, "randomApplicationDistribution": []}}});
    let path = stored(&client, &nothing).await;
    let verdict = client.post(&format!("{path}/validate"), &json!({})).await.ok();
    assert_eq!(verdict["valid"], false);
    assert_eq!(state(&client, &path).await, (1, "invalid".to_owned()));

    let list = |key: &str| model[key].as_array().expect("a list").clone();
    let mut edits = 0;
    for part in list("components").iter().chain(&list("containers")) {
        let text = |key: &str| part[key].as_str().expect("text");
        add(
            &client,
            &path,
            &format!(
                "/components?modelId={}&type={}&name={}",
                text("model"),
                text("type"),
                text("name")
            ),
        )
        .await;
        edits += 1;
    }
    for part in list("components") {
        let own = part["name"].as_str().expect("a name");
        if part["typedParameters"] != json!({}) {
            let to = format!("{path}/components/{own}/parameters");
            patch(&client, &to, &part["typedParameters"]).await.ok();
            edits += 1;
        }
        for child in part["components"].as_array().into_iter().flatten() {
            let answer = patch(&client, &format!("{path}/configurations/{own}"), child)
                .await
                .ok();
            assert_eq!(
                answer["components"]
                    .as_array()
                    .and_then(|all| all.last())
                    .expect("one")["name"],
                child["name"]
            );
            edits += 1;
        }
    }
    for part in list("containers") {
        let own = part["name"].as_str().expect("a name");
        for child in part["components"].as_array().into_iter().flatten() {
            patch(&client, &format!("{path}/containers/{own}"), child)
                .await
                .ok();
            edits += 1;
        }
    }
    for child in model["topology"]["components"].as_array().into_iter().flatten() {
        patch(&client, &format!("{path}/topology"), child).await.ok();
        edits += 1;
    }
    for part in list("applications") {
        let text = |key: &str| part[key].as_str().expect("text");
        add(
            &client,
            &path,
            &format!("/applications?modelId={}&name={}", text("model"), text("name")),
        )
        .await;
        patch(
            &client,
            &format!("{path}/applications/{}/parameters", text("name")),
            &part["typedParameters"],
        )
        .await
        .ok();
        edits += 2;
    }
    for entry in model["topology"]["appDistribution"]["randomApplicationDistribution"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let share = json!({"parentApplication": entry["parentApplication"], "distributionId": entry["distributionPercent"]["distributionId"], "value": entry["distributionPercent"]["value"]});
        patch(&client, &format!("{path}/distribution"), &share).await.ok();
        edits += 1;
    }
    patch(&client, &format!("{path}/parameters"), &model["globalParameters"])
        .await
        .ok();
    edits += 1;

    // A version each; and what they lead to is what the template says.
    assert_eq!(state(&client, &path).await, (1 + edits, "draft".to_owned()));
    let verdict = client.post(&format!("{path}/validate"), &json!({})).await.ok();
    assert_eq!(verdict["valid"], true, "{verdict}");
    assert_eq!(state(&client, &path).await, (1 + edits, "validated".to_owned()));
    let right = validate(&templates::document(name).expect("a template")).expect("valid");
    assert_eq!(scenario(&client, &path, name).await, right);
}

#[tokio::test]
async fn rdma_step_by_step_is_the_template() {
    build("rdma-16-hosts").await;
}

#[tokio::test]
async fn tcp_step_by_step_is_the_template() {
    build("tcp-16-hosts").await;
}

#[tokio::test]
async fn two_applications_step_by_step_are_the_template() {
    build("mixed-rdma-tcp").await;
}
