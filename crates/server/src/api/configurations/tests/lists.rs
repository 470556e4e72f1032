//! Lists: of configurations, and of what is in one.

use super::*;

fn names(page: &Value) -> Vec<&str> {
    let all = page["configurations"].as_array().expect("a list");
    all.iter().filter_map(|one| one["name"].as_str()).collect()
}

fn empty(name: &str) -> Value {
    json!({"name": name, "components": [], "containers": [], "applications": [], "links": [], "globalParameters": {},
        "topology": {"type": "clos", "name": null, "allowedComponents": ["switch", "pod", "layer"], "components": [],
            "appDistribution": {"description": null, "randomApplicationDistribution": []}}})
}

#[tokio::test]
async fn many_come_in_pages_newest_first() {
    let client = Client::new().await;
    for number in 0..250 {
        stored(&client, &empty(&format!("number {number}"))).await;
    }
    let mut seen = Vec::new();
    let mut sizes = Vec::new();
    let mut last = String::from("~");
    let mut next = String::new();
    loop {
        // More than 100 are taken as 100.
        let page = client
            .get(&format!("/configurations?limit=1000{next}"))
            .await
            .ok();
        let items = page["configurations"].as_array().expect("a list");
        for item in items {
            let created = item["createdAt"].as_str().expect("a time").to_owned();
            assert!(created <= last, "{created} after {last}");
            last = created;
            assert!(item.get("topology").is_none() && item.get("components").is_none());
        }
        seen.extend(names(&page).into_iter().map(str::to_owned));
        sizes.push(items.len());
        assert_eq!(page["pagination"]["count"], items.len());
        let more = page["pagination"]["hasMore"] == true;
        match page["pagination"]["nextCursor"].as_str() {
            Some(cursor) => next = format!("&next={cursor}"),
            None => break assert!(!more),
        }
        assert!(more);
    }
    // 100 + 100 + 50.
    assert_eq!(sizes, [100, 100, 50]);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 250);
}

#[tokio::test]
async fn filters_hold_and_wrong_ones_are_refused() {
    let client = Client::new().await;
    let lab = client.post("/workspaces", &json!({"name": "Lab"})).await.is(201)["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let mut body = template("rdma-one-rack");
    body["name"] = json!("Right_100%");
    body["workspaceId"] = json!(lab);
    let right = stored(&client, &body).await;
    client.post(&format!("{right}/validate"), &json!({})).await.ok();
    let wrong = stored(&client, &empty("Wrong")).await;
    client.post(&format!("{wrong}/validate"), &json!({})).await.ok();
    stored(&client, &empty("Fresh")).await;
    let at = client.get(&right).await.ok()["createdAt"]
        .as_str()
        .expect("a time")
        .to_owned();
    for (query, expected) in [
        ("status=validated", vec!["Right_100%"]),
        ("status=draft,invalid", vec!["Fresh", "Wrong"]),
        ("search=WRONG", vec!["Wrong"]),
        ("search=t_100%25", vec!["Right_100%"]),
        ("search=%25", vec!["Right_100%"]),
        ("search=x'%20OR%20'1'='1", vec![]),
        (&format!("workspaceId={lab}"), vec!["Right_100%"]),
        (&format!("workspaceId={lab}&status=draft"), vec![]),
        (
            &format!("workspaceId={lab}&createdAfter={at}"),
            vec!["Right_100%"],
        ),
        (&format!("workspaceId={lab}&createdBefore={at}"), vec![]),
        ("createdAfter=2999-01-01", vec![]),
    ] {
        let page = client.get(&format!("/configurations?{query}")).await.ok();
        let mut found = names(&page);
        found.sort_unstable();
        assert_eq!(found, expected, "{query}");
    }
    for query in [
        "status=valid",
        "status=draft,valid",
        "limit=0",
        "limit=-1",
        "limit=x",
        "next=zz",
        "createdAfter=soon",
        "workspaceId=ws_1",
    ] {
        client
            .get(&format!("/configurations?{query}"))
            .await
            .fails(400, "VALIDATION_ERROR");
    }
    let nobody = Kind::Workspace.new_id();
    let page = client
        .get(&format!("/configurations?workspaceId={nobody}"))
        .await
        .ok();
    assert_eq!(names(&page).len(), 0);
}

#[tokio::test]
async fn declarations_are_listed_used_or_not() {
    let client = Client::new().await;
    let path = stored(&client, &template("rdma-16-hosts")).await;
    let new = ask(
        &client,
        "POST",
        &format!("{path}/components?modelId=ScalaSwitch&type=switch&name=Spare"),
        None,
        None,
    )
    .await;
    new.is(201);
    // The view has only what is used, the count and the list all.
    let view = client.get(&path).await.ok();
    let shown: Vec<_> = view["components"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| c["name"].clone())
        .collect();
    assert_eq!(shown, ["RackSwitch", "FabricSwitch", "Nic", "Server"]);
    assert_eq!(view["componentCount"], 5);
    let all = client.get(&format!("{path}/components")).await.ok();
    let items = all["components"].as_array().expect("a list");
    let held: Vec<_> = items
        .iter()
        .map(|c| (c["name"].as_str(), c["container"].as_str()))
        .collect();
    assert_eq!(
        held,
        [
            (Some("RackSwitch"), Some("Rack")),
            (Some("FabricSwitch"), Some("Pod")),
            (Some("Nic"), None),
            (Some("Server"), Some("Rack")),
            (Some("Spare"), None)
        ]
    );
    assert!(items.iter().all(|c| c["typedParameters"] == json!({})));
    let full = client
        .get(&format!("{path}/components?type=nic&withDetails=true"))
        .await
        .ok();
    assert_eq!(
        full["components"][0]["typedParameters"]["ScalaRoceQpManager"]["MSS"]["value"],
        4096
    );
    for kind in ["host", "server"] {
        let servers = client.get(&format!("{path}/components?type={kind}")).await.ok();
        assert_eq!(
            (&servers["components"][0]["name"], &servers["pagination"]["count"]),
            (&json!("Server"), &json!(1))
        );
    }
    let first = client
        .get(&format!("{path}/components?type=switch&limit=2"))
        .await
        .ok();
    let cursor = first["pagination"]["nextCursor"]
        .as_str()
        .expect("more")
        .to_owned();
    let second = client
        .get(&format!("{path}/components?type=switch&limit=2&next={cursor}"))
        .await
        .ok();
    assert_eq!(
        (&second["components"][0]["name"], &second["pagination"]["hasMore"]),
        (&json!("Spare"), &json!(false))
    );
    for query in ["type=rack", "limit=0", "next=1", "withDetails=perhaps"] {
        client
            .get(&format!("{path}/components?{query}"))
            .await
            .fails(400, "VALIDATION_ERROR");
    }
    // A cursor belongs to its list.
    client
        .get(&format!("{path}/containers?next={cursor}"))
        .await
        .fails(400, "VALIDATION_ERROR");

    let containers = client.get(&format!("{path}/containers")).await.ok();
    assert_eq!(containers["pagination"]["count"], 2);
    let pods = client.get(&format!("{path}/containers?type=pod")).await.ok();
    assert_eq!(
        (
            pods["containers"].as_array().map(Vec::len),
            &pods["containers"][0]["name"]
        ),
        (Some(1), &json!("Pod"))
    );
    client
        .get(&format!("{path}/containers?type=layer"))
        .await
        .fails(400, "VALIDATION_ERROR");
    let allowed = client.get(&format!("{path}/containers/Pod/allowed")).await.ok();
    assert_eq!(
        allowed,
        json!({"containerName": "Pod", "containerType": "pod", "allowedComponents": ["switch", "rack"]})
    );
    client
        .get(&format!("{path}/containers/Shelf/allowed"))
        .await
        .fails(404, "NOT_FOUND");

    let applications = client.get(&format!("{path}/applications")).await.ok();
    assert_eq!(applications["applications"][0]["typedParameters"], json!({}));
    let applications = client
        .get(&format!("{path}/applications?withDetails=true"))
        .await
        .ok();
    assert_eq!(
        applications["applications"][0]["typedParameters"]["MaxPendingWQEs"]["value"],
        10
    );
    let version = client.get(&format!("{path}/software-version")).await.ok();
    assert_eq!(version, json!({"version": env!("CARGO_PKG_VERSION")}));

    let path = stored(&client, &template("rdma-three-tier")).await;
    let links = client.get(&format!("{path}/links")).await.ok();
    assert_eq!(
        (&links["links"][0]["type"], &links["links"][0]["typedParameters"]),
        (&json!("layer"), &json!({}))
    );
    client
        .get(&format!("{path}/links?withDetails=7"))
        .await
        .fails(400, "VALIDATION_ERROR");
}
