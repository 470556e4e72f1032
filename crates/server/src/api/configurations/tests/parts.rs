//! Components, containers, the topology, applications and attributes.

use super::*;

async fn post(client: &Client, path: &str) -> Answer {
    ask(client, "POST", path, None, None).await
}

#[tokio::test]
async fn components_are_added_where_they_belong_and_taken_away_everywhere() {
    let client = Client::new().await;
    let path = stored(&client, &template("rdma-16-hosts")).await;
    // What holds nothing has no list of what it may hold.
    for (kind, model, list, allowed) in [
        ("switch", "ScalaSwitch", "components", Value::Null),
        ("nic", "ScalaRoceNic", "components", Value::Null),
        (
            "server",
            "ScalaHost",
            "components",
            json!(["nic", "gpu", "application"]),
        ),
        ("rack", "ScalaRack", "containers", json!(["switch", "server"])),
        ("pod", "ScalaPod", "containers", json!(["switch", "rack"])),
        ("layer", "ScalaLayer", "links", json!(["switch"])),
    ] {
        let answer = post(
            &client,
            &format!("{path}/components?modelId={model}&type={kind}&name=New-{kind}"),
        )
        .await;
        let new = answer.is(201);
        assert_eq!(
            (&new["type"], &new["allowedComponents"]),
            (&json!(kind), &allowed)
        );
        assert!(answer.headers.contains_key("etag"));
        let shown = client.get(&format!("{path}/{list}")).await.ok();
        let names = shown[list]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|c| c["name"] == format!("New-{kind}"));
        assert_eq!(names.count(), 1, "{kind}");
    }
    // By its identifier, in the version offered.
    let id = Kind::Model.fixed_id("ScalaSwitch");
    let new = post(
        &client,
        &format!("{path}/components?modelId={id}&type=switch&name=ById&version=3.7.0"),
    )
    .await
    .is(201);
    // Full leaves, with the defaults of the model.
    let leaf = &new["typedParameters"]["EcmpHashMethod"];
    assert!(
        leaf["type"] == "string" && leaf["enum"].is_array() && leaf["description"].is_string(),
        "{leaf}"
    );
    for (query, part) in [
        ("modelId=ScalaToaster&type=switch&name=x", "ScalaToaster"),
        ("modelId=ScalaSwitch&type=nic&name=x", "ScalaSwitch"),
        ("modelId=ScalaSwitch&type=application&name=x", "type"),
        ("modelId=ScalaSwitch&type=switch&name=x&version=1.0.0", "3.7.0"),
        ("modelId=ScalaSwitch&type=switch&name=", "name"),
        ("modelId=ScalaSwitch&type=switch", "name"),
        // A name is one thing's only, of whatever list.
        ("modelId=ScalaSwitch&type=switch&name=Rack", "Rack"),
        ("modelId=ScalaSwitch&type=switch&name=Rdma", "Rdma"),
        ("modelId=ScalaSwitch&type=switch&name=New-layer", "New-layer"),
        ("modelId=ScalaSwitch&type=switch&name=Nic", "Nic"),
    ] {
        let message = post(&client, &format!("{path}/components?{query}"))
            .await
            .fails(400, "VALIDATION_ERROR");
        assert!(message.contains(part), "{query}: {message}");
    }

    let topology = json!({"name": "RackSwitch", "type": "switch", "count": 2});
    patch(&client, &format!("{path}/topology"), &topology).await.ok();
    for gone in ["Nic", "RackSwitch"] {
        let answer = delete(&client, &format!("{path}/components/{gone}")).await;
        assert_eq!((answer.status.as_u16(), answer.bytes.len()), (204, 0));
        delete(&client, &format!("{path}/components/{gone}"))
            .await
            .fails(404, "NOT_FOUND");
    }
    let now = client.get(&path).await.ok();
    let whole = now.to_string();
    assert!(
        !whole.contains("\"Nic\"") && !whole.contains("\"RackSwitch\""),
        "{whole}"
    );
}

#[tokio::test]
async fn servers_containers_and_the_topology_keep_their_rules() {
    let client = Client::new().await;
    let path = stored(&client, &template("rdma-16-hosts")).await;
    post(
        &client,
        &format!("{path}/components?modelId=ScalaRoceNic&type=nic&name=Second"),
    )
    .await
    .is(201);
    let at = |rest: &str| format!("{path}/{rest}");
    let grown = patch(
        &client,
        &at("configurations/Server"),
        &json!({"name": "Second", "type": "nic", "group": "g"}),
    )
    .await
    .ok();
    // 1 if left out.
    assert_eq!(
        (&grown["components"][1]["count"], &grown["components"][1]["group"]),
        (&json!(1), &json!("g"))
    );
    let changed = patch(
        &client,
        &at("configurations/Server/components/Second"),
        &json!({"count": 3, "group": "h"}),
    )
    .await
    .ok();
    assert_eq!(
        (
            &changed["components"][1]["count"],
            &changed["components"][1]["group"]
        ),
        (&json!(3), &json!("h"))
    );
    let changed = patch(
        &client,
        &at("containers/Rack/components/Server"),
        &json!({"count": 4}),
    )
    .await
    .ok();
    assert_eq!(changed["components"][1]["count"], 4);
    let changed = patch(&client, &at("topology/Pod"), &json!({"count": 2}))
        .await
        .ok();
    assert_eq!(
        (&changed["components"][0]["count"], &changed["type"]),
        (&json!(2), &json!("clos"))
    );
    let changed = patch(
        &client,
        &at("topology"),
        &json!({"name": "FabricSwitch", "type": "switch", "count": 4}),
    )
    .await
    .ok();
    assert_eq!(changed["components"][1]["count"], 4);
    let role = json!({"name": "RdmaInitiator", "type": "application", "parentApplicationName": "Rdma"});
    patch(&client, &at("configurations/Server"), &role).await.ok();

    for (rest, body, status) in [
        (
            "configurations/Server",
            json!({"name": "Nic", "type": "nic"}),
            400,
        ),
        (
            "configurations/Server",
            json!({"name": "RackSwitch", "type": "switch"}),
            400,
        ),
        (
            "configurations/Server",
            json!({"name": "Nobody", "type": "nic"}),
            404,
        ),
        (
            "configurations/Server",
            json!({"name": "Role", "type": "application"}),
            400,
        ),
        (
            "configurations/Server",
            json!({"name": "Role", "type": "application", "parentApplicationName": "Tcp"}),
            404,
        ),
        ("configurations/Server", json!({"type": "nic"}), 400),
        (
            "configurations/Nobody",
            json!({"name": "Nic", "type": "nic"}),
            404,
        ),
        ("configurations/Nic", json!({"name": "Nic", "type": "nic"}), 400),
        ("configurations/Server/components/Nic", json!({}), 400),
        ("configurations/Server/components/Nic", json!({"count": 0}), 400),
        ("configurations/Server/components/Nic", json!({"count": -1}), 400),
        ("configurations/Server/components/Nic", json!({"count": 1.5}), 400),
        (
            "configurations/Server/components/Nobody",
            json!({"count": 1}),
            404,
        ),
        ("containers/Rack", json!({"name": "Nic", "type": "nic"}), 400),
        (
            "containers/Rack",
            json!({"name": "Server", "type": "server"}),
            400,
        ),
        (
            "containers/Rack",
            json!({"name": "FabricSwitch", "type": "switch", "count": 0}),
            400,
        ),
        (
            "containers/Rack",
            json!({"name": "Nobody", "type": "switch"}),
            404,
        ),
        ("containers/Pod", json!({"name": "Server", "type": "server"}), 400),
        (
            "containers/Shelf",
            json!({"name": "Server", "type": "server"}),
            404,
        ),
        ("containers/Rack/components/Server", json!({}), 400),
        ("containers/Rack/components/Server", json!({"count": 0}), 400),
        ("containers/Rack/components/Nic", json!({"count": 1}), 404),
        ("containers/Shelf/components/Server", json!({"count": 1}), 404),
        ("topology", json!({"name": "Pod", "type": "pod"}), 400),
        ("topology", json!({"name": "Rack", "type": "rack"}), 400),
        ("topology", json!({"name": "Pod", "type": "house"}), 400),
        ("topology", json!({"name": "Nic", "type": "switch"}), 404),
        (
            "topology",
            json!({"name": "RackSwitch", "type": "switch", "count": 0}),
            400,
        ),
        ("topology/Pod", json!({"count": 0}), 400),
        ("topology/Pod", json!({}), 400),
        ("topology/Rack", json!({"count": 1}), 404),
    ] {
        let answer = patch(&client, &at(rest), &body).await;
        assert_eq!(
            answer.status,
            status,
            "{rest} {body}: {}",
            String::from_utf8_lossy(&answer.bytes)
        );
        answer.fails(
            status,
            if status == 400 {
                "VALIDATION_ERROR"
            } else {
                "NOT_FOUND"
            },
        );
    }
    for rest in [
        "configurations/Server/components/Second",
        "containers/Rack/components/Server",
        "topology/FabricSwitch",
    ] {
        assert_eq!(delete(&client, &at(rest)).await.status, 204);
        delete(&client, &at(rest)).await.fails(404, "NOT_FOUND");
    }
    // Each reference that went leaves the declaration.
    let all = client.get(&at("components")).await.ok();
    assert_eq!(all["pagination"]["count"], 5);
}

fn shares(topology: &Value) -> Vec<f64> {
    let all = topology["randomApplicationDistribution"]
        .as_array()
        .expect("a list");
    all.iter()
        .filter_map(|entry| entry["distributionPercent"]["value"].as_f64())
        .collect()
}

#[tokio::test]
async fn applications_share_the_hosts() {
    let client = Client::new().await;
    let path = stored(&client, &template("rdma-16-hosts")).await;
    let new = post(
        &client,
        &format!("{path}/applications?modelId=ScalaTrafficGeneratorApplication&name=Tcp"),
    )
    .await
    .is(201);
    assert_eq!(
        (&new["type"], &new["trafficType"], &new["name"]),
        (&json!("application"), &json!("non-coordinated"), &json!("Tcp"))
    );
    assert!(
        new["typedParameters"]
            .as_object()
            .is_some_and(|all| !all.is_empty())
    );
    let now = client.get(&path).await.ok();
    let distribution = &now["topology"]["appDistribution"];
    assert_eq!(shares(distribution), [0.25; 4]);
    let of = |at: usize| &distribution["randomApplicationDistribution"][at];
    assert_eq!(
        (&of(2)["parentApplication"], &of(2)["applicationType"]),
        (&json!("Tcp"), &json!("client"))
    );
    for query in [
        "modelId=ScalaRdmaApplication&name=Tcp",
        "modelId=ScalaRdmaApplication&name=Nic",
        "modelId=ScalaSwitch&name=x",
        "modelId=Nothing&name=x",
        "modelId=ScalaRdmaApplication&name=x&version=0.1",
        "name=x",
    ] {
        post(&client, &format!("{path}/applications?{query}"))
            .await
            .fails(400, "VALIDATION_ERROR");
    }
    let to = format!("{path}/distribution");
    let change = |value: Value| json!({"parentApplication": "Rdma", "distributionId": "prScalaRdmaInitiator", "value": value});
    for (value, all) in [(0.0, [0.0, 0.25, 0.25, 0.25]), (1.0, [1.0, 0.25, 0.25, 0.25])] {
        let answer = patch(&client, &to, &change(json!(value))).await.ok();
        assert_eq!(shares(&answer), all);
    }
    // 1.75 already.
    let message = post(
        &client,
        &format!("{path}/applications?modelId=ScalaRdmaApplication&name=x"),
    )
    .await
    .fails(400, "VALIDATION_ERROR");
    assert!(message.contains("1.75"), "{message}");
    for value in [json!(-0.01), json!(1.01), json!("1"), Value::Null] {
        patch(&client, &to, &change(value))
            .await
            .fails(400, "VALIDATION_ERROR");
    }
    for (application, role, status) in [
        ("", "prScalaRdmaInitiator", 400),
        ("Rdma", "", 400),
        ("Rdma", "prScalaTrafficServer", 404),
        ("Nobody", "prScalaRdmaInitiator", 404),
    ] {
        let body = json!({"parentApplication": application, "distributionId": role, "value": 0.5});
        assert_eq!(patch(&client, &to, &body).await.status, status, "{body}");
    }
    patch(&client, &to, &change(json!(0.5))).await.ok();
    let gone = delete(&client, &format!("{path}/applications/Tcp")).await.ok();
    assert_eq!((&gone["id"], &gone["status"]), (&json!("Tcp"), &json!("removed")));
    delete(&client, &format!("{path}/applications/Tcp"))
        .await
        .fails(404, "NOT_FOUND");
    // 0.5 and 0.25 of 0.75.
    let now = client.get(&path).await.ok();
    assert_eq!(
        shares(&now["topology"]["appDistribution"]),
        [0.666666666667, 0.333333333333]
    );
    delete(&client, &format!("{path}/applications/Rdma")).await.ok();
    let none = patch(&client, &to, &change(json!(0.5)))
        .await
        .fails(400, "VALIDATION_ERROR");
    assert!(none.contains("appDistribution"), "{none}");
}

#[tokio::test]
async fn attributes_are_merged_and_shown_in_full() {
    let client = Client::new().await;
    let path = stored(&client, &template("rdma-three-tier")).await;
    let at = |rest: &str| format!("{path}/{rest}parameters");
    let mss = json!({"ScalaRoceQpManager": {"MSS": {"type": "bytes", "value": 2, "unit": "KB"}}});
    let answer = patch(&client, &at("components/Nic/"), &mss).await;
    let all = answer.ok();
    assert_eq!(answer.headers["etag"], "\"2\"");
    let leaf = &all["ScalaRoceQpManager"]["MSS"];
    assert_eq!(
        (&leaf["value"], &leaf["unit"], &leaf["type"]),
        (&json!(2), &json!("KB"), &json!("bytes"))
    );
    assert!(
        leaf["description"].is_string() && leaf.get("default").is_some(),
        "{leaf}"
    );
    // What the document leaves out is there with its default.
    assert!(all["EnableBufferStats"]["value"].is_boolean());
    let pending = json!({"MaxPendingWQEs": {"type": "uint", "value": 3}});
    let all = patch(&client, &at("applications/Rdma/"), &pending).await.ok();
    assert_eq!(all["MaxPendingWQEs"]["value"], 3);
    let run = json!({"SimulationParameters": {"RunTime": {"type": "double", "value": 0.25}}});
    let all = patch(&client, &at(""), &run).await.ok();
    assert_eq!(all["SimulationParameters"]["RunTime"]["value"], 0.25);
    for section in [
        "SoftwareVersion",
        "ComputeConfiguration",
        "ParallelizationParameters",
    ] {
        assert!(all.get(section).is_none(), "{section}");
        let message = patch(
            &client,
            &at(""),
            &json!({section: {"X": {"type": "uint", "value": 1}}}),
        )
        .await
        .fails(400, "VALIDATION_ERROR");
        assert!(message.contains(section), "{message}");
    }
    let layer = client.get(&format!("{path}/links")).await.ok()["links"][0]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    for (rest, missing) in [
        ("components/Nic/", "components/Nik/"),
        ("applications/Rdma/", "applications/Tcp/"),
        (&format!("links/{layer}/"), "links/Nothing/"),
        ("", ""),
    ] {
        for wrong in [
            json!({}),
            json!([]),
            json!({"Nonsense": {"type": "uint", "value": 1}}),
            json!({"Nonsense": 5}),
        ] {
            patch(&client, &at(rest), &wrong)
                .await
                .fails(400, "VALIDATION_ERROR");
        }
        if !missing.is_empty() {
            patch(&client, &at(missing), &mss).await.fails(404, "NOT_FOUND");
        }
    }
    // All faults at once, each with its place.
    let two = json!({"ScalaRoceQpManager": {"MSS": {"type": "uint", "value": 1}}, "EnableBufferStats": {"type": "bool", "value": "perhaps"}});
    let message = patch(&client, &at("components/Nic/"), &two)
        .await
        .fails(400, "VALIDATION_ERROR");
    assert!(
        message.contains("ScalaRoceQpManager.MSS") && message.contains("EnableBufferStats"),
        "{message}"
    );
    // Nothing of a refused patch is kept.
    assert_eq!(state(&client, &path).await.0, 4);
}
