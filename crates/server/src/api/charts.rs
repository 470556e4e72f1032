//! Charts that the records can be drawn as.

use super::error::ApiResult;
use crate::platform::App;
use axum::Json;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list))
}

/// The version of the shape of definitions: it changes when a reader of the one before could not read the next.
const SCHEMA_VERSION: &str = "1";

/// What becomes of the rows that share a place on the x axis and a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Aggregation {
    /// The sum of the y columns.
    Sum,
    /// Their mean.
    Mean,
    /// The share of all rows whose x is this or less; there are no y columns.
    Cdf,
}

/// A chart: which columns of which record it draws, and how.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartDefinition {
    /// Its identifier.
    id: &'static str,
    /// Its title.
    title: &'static str,
    /// The record it draws, by the name that stands in the names of files.
    record: &'static str,
    /// The column on the x axis.
    x: &'static str,
    /// The columns on the y axis.
    y: Vec<&'static str>,
    /// A line for each combination of the values of these columns.
    group_by: Vec<&'static str>,
    /// Only rows in which these columns have these values.
    #[schema(value_type = Object)]
    filter: Map<String, Value>,
    /// What becomes of the rows that share x and group.
    aggregation: Aggregation,
    /// The unit of the y axis, or for `cdf` of the x axis; empty for a count.
    unit: &'static str,
}

/// All charts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartDefinitions {
    /// The version of the shape of definitions.
    schema_version: &'static str,
    /// The definitions, ordered by identifier.
    definitions: Vec<ChartDefinition>,
}

/// Rows of NICs alone: tier 3.
fn of_nics() -> Map<String, Value> {
    Map::from_iter([("tier".to_owned(), json!(3))])
}

fn over_time(
    id: &'static str,
    title: &'static str,
    record: &'static str,
    y: &[&'static str],
    group_by: &[&'static str],
    aggregation: Aggregation,
    unit: &'static str,
) -> ChartDefinition {
    ChartDefinition {
        id,
        title,
        record,
        x: "sim_time_sec",
        y: y.to_vec(),
        group_by: group_by.to_vec(),
        filter: Map::new(),
        aggregation,
        unit,
    }
}

fn distribution(
    id: &'static str,
    title: &'static str,
    record: &'static str,
    group_by: &[&'static str],
) -> ChartDefinition {
    ChartDefinition {
        x: "perf_metric_usec",
        ..over_time(id, title, record, &[], group_by, Aggregation::Cdf, "us")
    }
}

/// All of them, ordered by identifier.
fn definitions() -> Vec<ChartDefinition> {
    use Aggregation::{Mean, Sum};
    vec![
        over_time(
            "drops",
            "Packets dropped since the start, by tier",
            "nd-stats",
            &["tx_drops", "rx_drops"],
            &["tier"],
            Sum,
            "packets",
        ),
        over_time(
            "ecn-marks",
            "Packets marked by ECN since the start, by tier",
            "ecn-pfc-stats",
            &["pkts_ecn_marked"],
            &["tier"],
            Sum,
            "packets",
        ),
        ChartDefinition {
            filter: of_nics(),
            ..over_time(
                "host-throughput",
                "Rates of all hosts together",
                "nd-stats",
                &["tx_rate_Gbps", "rx_rate_Gbps"],
                &[],
                Sum,
                "Gbps",
            )
        },
        distribution(
            "latency-rdma",
            "Latency of RDMA work requests",
            "rdma-perf",
            &["metric_name"],
        ),
        distribution(
            "latency-tcp",
            "Latency of requests over TCP",
            "perf",
            &["metric_name"],
        ),
        over_time(
            "pauses",
            "Time paused by PFC in the interval, by tier and traffic class",
            "ecn-pfc-stats",
            &["interval_total_time_xoff_usec"],
            &["tier", "priority"],
            Sum,
            "us",
        ),
        over_time(
            "tcp-retransmissions",
            "Retransmissions of TCP since the start",
            "tcp-stats",
            &["NumFastRetrans", "NumRTO"],
            &[],
            Sum,
            "",
        ),
        over_time(
            "tcp-throughput",
            "Payload of all TCP connections together",
            "tcp-stats",
            &[
                "tx_interval_throughput_rate_MBps",
                "rx_interval_throughput_rate_MBps",
            ],
            &[],
            Sum,
            "MB/s",
        ),
        over_time(
            "utilization",
            "Utilization of links, by tier and direction",
            "nd-stats",
            &["tx_link_percent_util"],
            &["tier", "uldl"],
            Mean,
            "%",
        ),
    ]
}

/// List the charts that the records can be drawn as: all at once, under one version.
#[utoipa::path(get, path = "/chart-definitions", tag = "Charts", responses((status = 200, description = "They", body = ChartDefinitions)))]
async fn list() -> ApiResult<Json<ChartDefinitions>> {
    Ok(Json(ChartDefinitions {
        schema_version: SCHEMA_VERSION,
        definitions: definitions(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::client::Client;
    use packetloom_records::Record;

    #[test]
    fn every_record_and_column_is_there_with_that_unit() {
        for chart in definitions() {
            let record = Record::by_name(chart.record).expect(chart.record);
            let schema = record.schema();
            let named = std::iter::once(chart.x)
                .chain(chart.y.iter().copied())
                .chain(chart.group_by.iter().copied())
                .chain(chart.filter.keys().map(String::as_str));
            for column in named {
                assert!(schema.find(column).is_some(), "{}: {column}", chart.id);
            }
            let measured = match chart.aggregation {
                Aggregation::Cdf => vec![chart.x],
                Aggregation::Sum | Aggregation::Mean => chart.y.clone(),
            };
            assert!(!measured.is_empty(), "{}", chart.id);
            for column in measured {
                let unit = schema.columns[schema.at(column)].unit;
                assert_eq!(unit, chart.unit, "{}: {column}", chart.id);
            }
        }
    }

    #[tokio::test]
    async fn they_come_ordered_by_identifier() {
        let body = Client::new().await.get("/chart-definitions").await.ok();
        assert_eq!(body["schemaVersion"], "1");
        let ids: Vec<&str> = body["definitions"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one["id"].as_str())
            .collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
        assert_eq!(ids.len(), 9);
        assert_eq!(body["definitions"][2]["filter"], json!({"tier": 3}));
        assert_eq!(
            body["definitions"][3],
            json!({"id": "latency-rdma", "title": "Latency of RDMA work requests", "record": "rdma-perf", "x": "perf_metric_usec",
                "y": [], "groupBy": ["metric_name"], "filter": {}, "aggregation": "cdf", "unit": "us"})
        );
    }
}
