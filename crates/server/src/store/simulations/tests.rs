//! Tests of what the database says of simulations.

use super::*;
use SimulationStatus::{Provisioning, Running, Terminated, Validating};

#[tokio::test]
async fn turns_are_taken_in_the_order_of_asking() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path()).await.expect("a store");
    for (id, created_at) in [("sim_c", 3), ("sim_a", 1), ("sim_b", 2)] {
        let row = SimulationRow {
            id: id.to_owned(),
            workspace_id: String::new(),
            configuration_id: String::new(),
            configuration_version: 1,
            name: id.to_owned(),
            status: Validating,
            duration: "1ms".to_owned(),
            created_at,
            started_at: None,
            completed_at: None,
            failure_reason: None,
            reached: Reached::default(),
            summary: None,
        };
        let queued = store.create_simulation(&row, "{}", 3).await;
        assert_eq!(queued.expect("written"), Queued::Yes);
    }
    let next = async || store.next_simulation().await.expect("read");
    let step = async |id, from, to| assert!(store.move_simulation(id, from, to).await.expect("written"));
    // The second is checked first, but waits for the first.
    step("sim_b", Validating, Provisioning).await;
    assert_eq!(next().await, None);
    step("sim_a", Validating, Provisioning).await;
    assert_eq!(next().await.as_deref(), Some("sim_a"));
    step("sim_a", Provisioning, Running).await;
    assert_eq!(next().await.as_deref(), Some("sim_b"));
    // One that has gone holds nobody up.
    step("sim_b", Provisioning, Terminated).await;
    assert_eq!(next().await, None);
    step("sim_c", Validating, Provisioning).await;
    assert_eq!(next().await.as_deref(), Some("sim_c"));
    // What is no longer so does not happen.
    let again = store.move_simulation("sim_a", Provisioning, Running).await;
    assert!(!again.expect("read"));
}
