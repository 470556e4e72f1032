//! Every endpoint of templates.

use super::TemplateCategory;
use crate::api::client::Client;
use crate::id::{DEFAULT_WORKSPACE, Kind};
use packetloom_config::template;
use serde_json::{Value, json};

fn names(list: &Value) -> Vec<&str> {
    let templates = list["templates"].as_array().expect("a list");
    templates.iter().filter_map(|one| one["name"].as_str()).collect()
}

#[test]
fn categories_are_spelled_as_in_json() {
    for category in TemplateCategory::ALL {
        assert_eq!(serde_json::to_value(category).expect("JSON"), category.as_str());
        assert_eq!(TemplateCategory::from_text(category.as_str()), Some(category));
    }
}

#[tokio::test]
async fn those_of_the_program_are_listed_filtered_and_paged() {
    let service = Client::new().await;
    let (status, list) = service.see("/templates").await;
    assert_eq!(status, 200);
    assert_eq!(names(&list), template::names().collect::<Vec<_>>());
    let (_, started) = service.see("/templates?category=getting-started").await;
    assert_eq!(names(&started), ["rdma-16-hosts", "tcp-16-hosts"]);
    assert_eq!(
        started["templates"][0]["id"],
        Kind::Template.fixed_id("rdma-16-hosts")
    );
    let (_, found) = service.see("/templates?search=Over+TCP").await;
    assert_eq!(names(&found), ["tcp-16-hosts", "tcp-incast"]);
    let (_, none) = service.see("/templates?search=%25").await;
    assert_eq!(names(&none), [""; 0]);
    for query in ["category=other", "limit=0", "next=00"] {
        assert_eq!(
            service.see(&format!("/templates?{query}")).await.0,
            400,
            "{query}"
        );
    }
}

#[tokio::test]
async fn stored_ones_follow_those_of_the_program_newest_first() {
    let service = Client::new().await;
    for name in ["mine-1", "mine-2", "mine-3"] {
        let body = json!({"name": name, "description": "An example of mine", "category": "tcp"});
        assert_eq!(service.give("/templates", &body).await.0, 201);
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    let (mut seen, mut next) = (Vec::new(), String::new());
    loop {
        let (status, list) = service.see(&format!("/templates?limit=3{next}")).await;
        assert_eq!(status, 200);
        seen.extend(names(&list).into_iter().map(str::to_owned));
        match list["pagination"]["nextCursor"].as_str() {
            Some(cursor) => next = format!("&next={cursor}"),
            None => break,
        }
    }
    let mut expected: Vec<String> = template::names().map(str::to_owned).collect();
    expected.extend(["mine-3", "mine-2", "mine-1"].map(str::to_owned));
    assert_eq!(seen, expected);
    let (_, found) = service
        .see("/templates?category=tcp&search=of+MINE&limit=2")
        .await;
    assert_eq!(names(&found), ["mine-3", "mine-2"]);
    assert_eq!(found["pagination"]["hasMore"], true);
}

#[tokio::test]
async fn a_stored_template_keeps_its_parts_and_the_rest_is_empty() {
    let service = Client::new().await;
    let switch = json!({"type": "switch", "name": "Leaf", "model": "ScalaSwitch", "version": "3.7.0", "typedParameters": {}});
    let body = json!({"name": "a", "description": "", "category": "getting-started", "components": [switch]});
    let (status, made) = service.give("/templates", &body).await;
    assert_eq!(status, 201, "{made}");
    let id = made["id"].as_str().expect("an identifier");
    assert!(Kind::Template.fits(id));
    let configuration = &made["configuration"];
    assert_eq!(configuration["components"], json!([switch]));
    assert_eq!(
        (&configuration["links"], &configuration["globalParameters"]),
        (&json!([]), &json!({}))
    );
    assert_eq!(
        (&configuration["status"], &configuration["version"]),
        (&json!("draft"), &json!(1))
    );
    assert_eq!(
        service.see(&format!("/templates/{id}")).await,
        (200, made.clone())
    );
    let (status, clone) = service
        .give(&format!("/templates/{id}/clone"), &json!({"name": "b"}))
        .await;
    assert_eq!((status, &clone["componentCount"]), (201, &json!(1)));
}

#[tokio::test]
async fn what_is_no_template_is_refused() {
    let service = Client::new().await;
    for (body, says) in [
        (json!([]), "no JSON object"),
        (json!({"name": "a", "category": "tcp"}), "description"),
        (
            json!({"name": "a", "description": "x".repeat(2_001), "category": "tcp"}),
            "2000",
        ),
        (
            json!({"name": "a", "description": "", "category": "udp"}),
            "getting-started",
        ),
        (json!({"description": "", "category": "tcp"}), "name"),
        (
            json!({"name": "a", "description": "", "category": "tcp", "components": 1}),
            "components",
        ),
    ] {
        let (status, error) = service.give("/templates", &body).await;
        let message = error["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(status, 400, "{body}");
        assert!(message.contains(says), "{message}");
    }
}

#[tokio::test]
async fn every_template_can_be_cloned() {
    let service = Client::new().await;
    for name in template::names() {
        let path = format!("/templates/{}/clone", Kind::Template.fixed_id(name));
        let answer = service.post(&path, &json!({"name": "mine"})).await;
        let made = answer.is(201);
        assert_eq!(answer.headers["etag"], "\"1\"");
        assert_eq!(
            (&made["name"], &made["workspaceId"], &made["status"]),
            (&json!("mine"), &json!(DEFAULT_WORKSPACE), &json!("draft"))
        );
        let id = made["id"].as_str().expect("an identifier");
        assert_eq!(
            service.see(&format!("/configurations/{id}")).await,
            (200, made.clone())
        );
    }
}

#[tokio::test]
async fn clones_need_a_template_a_name_and_a_workspace() {
    let service = Client::new().await;
    let known = format!("/templates/{}/clone", Kind::Template.fixed_id("rdma-one-rack"));
    let unknown = Kind::Workspace.new_id();
    for (path, body, expected) in [
        ("/templates/x/clone", json!({"name": "a"}), 404),
        (
            "/templates/template_000000000000000000000000000/clone",
            json!({"name": "a"}),
            404,
        ),
        (known.as_str(), json!({}), 400),
        (known.as_str(), json!({"name": ""}), 400),
        (known.as_str(), json!({"name": "a\nb"}), 400),
        (known.as_str(), json!({"name": "a", "workspaceId": "x"}), 400),
        (known.as_str(), json!({"name": "a", "workspaceId": unknown}), 404),
    ] {
        let (status, answer) = service.give(path, &body).await;
        assert_eq!(status, expected, "{path} {body}: {answer}");
    }
    assert_eq!(service.see("/templates/x").await.0, 404);
}
