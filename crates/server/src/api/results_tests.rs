//! Results, links and data of simulations that are rows and files alone.

use super::client::{Answer, Client};
use crate::id::Kind;
use crate::store::simulations::{Queued, Reached, SimulationRow, SimulationStatus};
use packetloom_records::{Microseconds, RdmaPerfRow, Record, RecordFiles, Seconds};
use serde_json::{Value, json};
use std::fs;

/// What a run came to: 3 requests of 2 us and 1 of 6 us, 30 frames sent, 10 dropped, 1.2 Tbps and 300 Gbps.
fn summary() -> Value {
    json!({
        "packet_hops": 30, "drops": 10, "interrupted": false,
        "applications": [
            {"recorded": 3, "latency_us": {"mean": 2.0}, "goodput_gbps": 1_200.0},
            {"recorded": 1, "latency_us": {"mean": 6.0}, "goodput_gbps": 300.0},
            {"recorded": 0, "latency_us": null, "goodput_gbps": 0.0},
        ],
    })
}

/// A simulation that has come to stand so, with a folder of files.
async fn simulation(client: &Client, status: SimulationStatus) -> String {
    let row = SimulationRow {
        id: Kind::Simulation.new_id(),
        workspace_id: crate::id::DEFAULT_WORKSPACE.to_owned(),
        configuration_id: Kind::Configuration.new_id(),
        configuration_version: 1,
        name: "t".to_owned(),
        status: SimulationStatus::Validating,
        duration: "1ms".to_owned(),
        created_at: 1,
        started_at: None,
        completed_at: None,
        failure_reason: None,
        reached: Reached::default(),
        summary: None,
    };
    let store = &client.app.store;
    assert_eq!(
        store.create_simulation(&row, "{}", 10).await.expect("made"),
        Queued::Yes
    );
    if status == SimulationStatus::Validating {
        return row.id;
    }
    let (validating, provisioning) = (SimulationStatus::Validating, SimulationStatus::Provisioning);
    assert!(
        store
            .move_simulation(&row.id, validating, provisioning)
            .await
            .expect("moved")
    );
    assert!(
        store
            .move_simulation(&row.id, provisioning, SimulationStatus::Running)
            .await
            .expect("moved")
    );
    if status != SimulationStatus::Running {
        let summary = summary().to_string();
        assert!(
            store
                .end_simulation(&row.id, status, None, None, Some(&summary))
                .await
                .expect("ended")
        );
    }
    let folder = client.app.results.of(&row.id);
    let mut files = RecordFiles::create(&folder, "t", 0, &[Record::RdmaPerf]).expect("created");
    for us in 1..=10 {
        files.write(&request(us)).expect("written");
    }
    files.flush_and_sync().expect("flushed");
    fs::write(folder.join("summary.json"), "{}").expect("written");
    fs::create_dir(folder.join("deep")).expect("made");
    fs::write(folder.join("deep/a b.bin"), (0..100).collect::<Vec<u8>>()).expect("written");
    row.id
}

fn request(us: u64) -> RdmaPerfRow<'static> {
    RdmaPerfRow {
        sim_time_sec: Seconds::from_ps(1_000_000_000),
        metric_name: "RDMA-WRITE",
        perf_metric_usec: Microseconds::from_ps(us * 1_000_000),
        transfer_size: 1_000,
        start_time_sec: Seconds::from_ps(1_000_000_000 - us * 1_000_000),
        application_name: "a-1",
        node_id: 1,
        rdma_verb: "RDMA_VERB_POST_WRITE",
        wqe_id: us,
        num_wqe_sent: 1,
        num_wqe_complete: us,
    }
}

fn names(results: &Value) -> Vec<&str> {
    let files = results["files"].as_array().expect("a list");
    files
        .iter()
        .map(|file| file["name"].as_str().expect("a name"))
        .collect()
}

/// Path and query of a link.
fn path(link: &Value) -> String {
    let link = link.as_str().expect("a link");
    link[link.find("/api/").expect("a path")..].to_owned()
}

async fn open(client: &Client, link: &str, headers: &[(&str, &str)]) -> Answer {
    client.ask("GET", link, headers, None).await
}

#[tokio::test]
async fn results_have_figures_and_files_in_order() {
    let client = Client::new().await;
    let id = simulation(&client, SimulationStatus::Completed).await;
    let get = |query: &str| format!("/simulations/{id}/results{query}");
    let all = client.get(&get("")).await.ok();
    // (3 * 2 + 1 * 6) / 4 = 3 us, 1,500 Gbps, 10 of 40.
    let figures = json!({"totalPackets": 30, "avgLatency": "3us", "throughput": "1.5Tbps", "dropRate": 0.25});
    assert_eq!((&all["summary"], &all["duration"]), (&figures, &json!("1ms")));
    let by_size = client.get(&get("?sort=size&order=desc")).await.ok();
    assert_eq!(
        names(&by_size),
        ["t-rdma-perf-0.csv", "deep/a b.bin", "summary.json"]
    );
    assert_eq!(
        (&by_size["files"][1]["size"], &by_size["files"][1]["sizeBytes"]),
        (&json!("100B"), &json!(100))
    );
    assert_eq!(
        names(&client.get(&get("?type=json")).await.ok()),
        ["summary.json"]
    );
    assert_eq!(
        names(&client.get(&get("?metrics=rdma-perf")).await.ok()),
        ["t-rdma-perf-0.csv"]
    );
    let first = client.get(&get("?sort=size&order=asc&limit=2")).await.ok();
    assert_eq!(names(&first), ["summary.json", "deep/a b.bin"]);
    let next = first["pagination"]["nextCursor"].as_str().expect("more");
    let rest = client
        .get(&get(&format!("?sort=size&order=asc&limit=2&next={next}")))
        .await
        .ok();
    assert_eq!(
        (names(&rest), &rest["pagination"]["hasMore"]),
        (vec!["t-rdma-perf-0.csv"], &json!(false))
    );
    for wrong in [
        "?limit=0",
        "?limit=101",
        "?type=movie",
        "?sort=colour",
        "?order=up",
        &format!("?sort=size&order=desc&next={next}"),
    ] {
        client.get(&get(wrong)).await.fails(400, "VALIDATION_ERROR");
    }
    client
        .get("/simulations/sim_1/results")
        .await
        .fails(400, "VALIDATION_ERROR");
    let waiting = simulation(&client, SimulationStatus::Validating).await;
    client
        .get(&format!("/simulations/{waiting}/results"))
        .await
        .fails(404, "NOT_FOUND");
    // While it runs there are files, and no figures yet.
    let running = simulation(&client, SimulationStatus::Running).await;
    let running = client.get(&format!("/simulations/{running}/results")).await.ok();
    assert_eq!((names(&running).len(), &running["summary"]), (3, &json!({})));
    // A file that cannot be named does not hide the others.
    fs::write(client.app.results.of(&id).join("odd\nname"), "x").expect("written");
    assert_eq!(names(&client.get(&get("")).await.ok()).len(), 3);
}

#[tokio::test]
async fn links_lead_to_one_file_and_nowhere_else() {
    let client = Client::new().await;
    let id = simulation(&client, SimulationStatus::Completed).await;
    let url = |name: &str| format!("/simulations/{id}/results/download-url?fileName={name}");
    let found = client.get(&url("deep%2Fa%20b.bin")).await.ok();
    assert_eq!(
        (&found["fileName"], &found["sizeBytes"]),
        (&json!("deep/a b.bin"), &json!(100))
    );
    // printf of the bytes 0 to 99 | sha256sum.
    let sum = "sha256:bce0aff19cf5aa6a7469a30d61d04e4376e4bbf6381052ee9e7f33925c954d52";
    assert_eq!(found["checksum"], sum);
    let row = client
        .app
        .results
        .find(&id, "deep/a b.bin")
        .await
        .expect("asked")
        .expect("there");
    assert_eq!(
        client
            .app
            .store
            .checksum(&id, &row)
            .await
            .expect("asked")
            .map(|sum| format!("sha256:{sum}"))
            .as_deref(),
        Some(sum)
    );
    for outside in [
        "..%2F..%2Fpacketloom.db",
        "%2Fetc%2Fpasswd",
        "deep%2F..%2F..%2Fx",
        "a%00b",
        "..%5Cx",
        "",
    ] {
        client.get(&url(outside)).await.fails(400, "VALIDATION_ERROR");
    }
    client.get(&url("absent.csv")).await.fails(404, "NOT_FOUND");
    client.get(&url("deep")).await.fails(404, "NOT_FOUND");
    std::os::unix::fs::symlink("/etc/passwd", client.app.results.of(&id).join("link.csv")).expect("linked");
    client.get(&url("link.csv")).await.fails(404, "NOT_FOUND");

    let link = path(&found["downloadUrl"]);
    let whole = open(&client, &link, &[]).await;
    assert_eq!((whole.status.as_u16(), whole.bytes.len()), (200, 100));
    assert_eq!(
        whole.headers["content-disposition"],
        "attachment; filename=\"a b.bin\""
    );
    assert_eq!(whole.headers["accept-ranges"], "bytes");
    let head = client.ask("HEAD", &link, &[], None).await;
    assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0));
    assert_eq!(head.headers["content-length"], "100");
    for (range, status, bytes) in [
        ("bytes=10-19", 206, 10..20),
        ("bytes=90-", 206, 90..100),
        ("bytes=-5", 206, 95..100),
        ("bytes=0-1,5-6", 200, 0..100),
        ("lines=1", 200, 0..100),
    ] {
        let part = open(&client, &link, &[("range", range)]).await;
        assert_eq!(
            (part.status.as_u16(), part.bytes),
            (status, bytes.collect::<Vec<u8>>()),
            "{range}"
        );
    }
    let part = open(&client, &link, &[("range", "bytes=10-19")]).await;
    assert_eq!(part.headers["content-range"], "bytes 10-19/100");
    let outside = open(&client, &link, &[("range", "bytes=100-")]).await;
    assert_eq!(outside.headers["content-range"], "bytes */100");
    outside.fails(416, "RANGE_NOT_SATISFIABLE");
    let tag = whole.headers["etag"].to_str().expect("text");
    assert_eq!(open(&client, &link, &[("if-none-match", tag)]).await.status, 304);
    assert_eq!(
        open(&client, &link, &[("range", "bytes=0-1"), ("if-range", tag)])
            .await
            .status,
        206
    );
    assert_eq!(
        open(
            &client,
            &link,
            &[("range", "bytes=0-1"), ("if-range", "\"other\"")]
        )
        .await
        .status,
        200
    );

    // The same signature for anything else.
    for other in [
        link.replace("a%20b.bin", "b.bin"),
        link.replace("deep/a%20b.bin", "summary.json"),
        link.replace("deep/a%20b.bin", "..%2F..%2Fpacketloom.db"),
        link.replace("expires=", "expires=9"),
        link.replace("signature=", "signature=0"),
        link.replace(&id, &Kind::Simulation.new_id()),
    ] {
        open(&client, &other, &[]).await.fails(403, "FORBIDDEN");
    }
    let old = crate::results::link::sign_at(&client.app.results.key, &id, "summary.json", 0);
    let message = open(&client, &old.path, &[]).await.fails(403, "FORBIDDEN");
    assert!(message.contains("no more"), "{message}");
    // A file that is gone.
    fs::remove_file(client.app.results.of(&id).join("deep/a b.bin")).expect("removed");
    open(&client, &link, &[]).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn data_is_computed_once_and_comes_compressed() {
    let client = Client::new().await;
    let id = simulation(&client, SimulationStatus::Completed).await;
    let get = |query: &str| format!("/simulations/{id}/results/data?{query}");
    // Both at once: the second waits for the first.
    let (one, two) = (get("metric=rdma-perf"), get("metric=rdma-perf"));
    let (one, two) = tokio::join!(client.get(&one), client.get(&two));
    let (one, two) = (one.ok(), two.ok());
    let mut cached = [&one["metadata"]["cached"], &two["metadata"]["cached"]]
        .map(|value| value.as_bool().expect("a truth"));
    cached.sort_unstable();
    assert_eq!(cached, [false, true]);
    assert_eq!(
        (&one["metadata"]["rowsProcessed"], &one["mode"], &one["tier"]),
        (&json!(10), &json!("summary"), &json!("all"))
    );
    assert_eq!(one["file"]["contentType"], "application/zstd");
    let file = open(&client, &path(&one["file"]["downloadUrl"]), &[]).await;
    assert_eq!(one["file"]["size"], file.bytes.len());
    let data: Value =
        serde_json::from_slice(&zstd::decode_all(&*file.bytes).expect("compressed")).expect("JSON");
    // 1 to 10 us.
    assert_eq!(
        (
            &data["applications"][0]["requests"],
            &data["applications"][0]["latencyUsec"]["mean"]
        ),
        (&json!(10), &json!(5.5))
    );
    let series = client.get(&get("metric=rdma-perf&mode=timeSeries")).await.ok();
    assert_eq!(series["file"]["name"], "data/rdma-perf-timeSeries-all.json.zst");
    for wrong in [
        "",
        "metric=colour",
        "metric=rdma-perf&mode=movie",
        "metric=nd-stats&tier=attic",
        "metric=rdma-perf&tier=rack",
        "metric=nd-stats&component=x",
        "metric=rdma-perf&mode=ports",
        "metric=tcp-stats&mode=heatMap",
        "metric=pfc&mode=heatMap&component=x",
    ] {
        client.get(&get(wrong)).await.fails(400, "VALIDATION_ERROR");
    }
    for absent in [
        "metric=nd-stats",
        "metric=tcp-stats&mode=timeSeries",
        "metric=nd-stats&mode=heatMap",
        "metric=roce-transport-stats&mode=ports",
    ] {
        client.get(&get(absent)).await.fails(404, "NOT_FOUND");
    }
    // What was computed is a result like others, without the note beside it.
    let results = client
        .get(&format!("/simulations/{id}/results?type=zstd"))
        .await
        .ok();
    assert_eq!(names(&results).len(), 2);

    // While it runs it is computed anew.
    let running = simulation(&client, SimulationStatus::Running).await;
    let data = format!("/simulations/{running}/results/data?metric=rdma-perf");
    for _ in 0..2 {
        assert_eq!(client.get(&data).await.ok()["metadata"]["cached"], false);
    }
    let waiting = simulation(&client, SimulationStatus::Validating).await;
    client
        .get(&format!("/simulations/{waiting}/results/data?metric=rdma-perf"))
        .await
        .fails(404, "NOT_FOUND");
}
