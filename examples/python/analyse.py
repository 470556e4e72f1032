#!/usr/bin/env python3
"""Three plots of a run from its Parquet files, and a table of its requests.

    packetloom run template:mixed-rdma-tcp --format csv,parquet --out runs/mixed
    python3 examples/python/analyse.py runs/mixed --out plots

writes into plots/

- latency.png: which part of the requests took at most how long, with the tail drawn out
- goodput.png: payload carried over time, by application
- utilization.png: how full each link was in each report interval

and prints the latency of each application: the figures of `packetloom summary`, from the same records. It wants polars and
matplotlib (requirements.txt), and the program built with the feature `parquet`.
"""

import argparse
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # into files, without a display

import matplotlib.pyplot as plt
import polars as pl
from matplotlib.ticker import FixedLocator, FuncFormatter

# The palette of Okabe and Ito, which the colour-blind can tell apart.
COLORS = ["#0072b2", "#d55e00", "#009e73", "#b0588b", "#b07900", "#56b4e9"]
TIERS = {0: "spine", 1: "fabric", 2: "rack", 3: "nic"}
QUANTILES = [0.5, 0.9, 0.99, 0.999]


class Run:
    """What a run's folder holds."""

    def __init__(self, folder: Path):
        self.folder = folder
        files = sorted(folder.glob("*-run.json"))
        if len(files) != 1:
            sys.exit(f"error: {folder} holds {len(files)} files *-run.json; give the folder of one run")
        self.about = json.loads(files[0].read_text())
        self.start = files[0].name.removesuffix("run.json")
        # Picoseconds of simulated time, both ends included.
        self.window = [ps / 1e12 for ps in self.about["recording_window_ps"]]

    def record(self, name: str) -> pl.LazyFrame | None:
        """All shards of a record; None if there is none."""
        files = sorted(self.folder.glob(f"{self.start}{name}-[0-9]*.parquet"))
        return pl.scan_parquet(files) if files else None

    def application(self, connection: pl.Expr) -> pl.Expr:
        """The application that a connection's number belongs to."""
        found = pl.lit(None, dtype=pl.String)
        for one in self.about["applications"]:
            first, last = one["first_connection"], one["first_connection"] + one["connections"] - 1
            found = pl.when(connection.is_between(first, last)).then(pl.lit(one["name"])).otherwise(found)
        return found

    def requests(self) -> pl.DataFrame:
        """Completed requests: `application`, `done` and `took` in seconds and microseconds, `size` in bytes if known."""
        parts = []
        for name, size in [("rdma-perf", pl.col("transfer_size")), ("perf", pl.lit(None))]:
            rows = self.record(name)
            if rows is None:
                continue
            # An instance's name ends with the number of its connection.
            connection = pl.col("application_name").str.extract(r"-(\d+)$").cast(pl.Int64)
            parts.append(
                rows.select(
                    application=self.application(connection),
                    done=pl.col("sim_time_sec"),
                    took=pl.col("perf_metric_usec"),
                    size=size.cast(pl.Float64),
                )
            )
        if not parts:
            sys.exit(
                f"error: {self.folder} holds no Parquet file of rdma-perf or perf; run with --format csv,parquet"
            )
        return pl.concat(parts).collect()


def nearest_rank(values: pl.Series, part: float) -> float:
    """The least value that this part of the values does not exceed."""
    ordered = values.sort()
    rank = -(-part * len(ordered) // 1)
    return ordered[max(0, int(rank) - 1)]


def table(requests: pl.DataFrame, window: list[float]) -> list[dict]:
    """Figures of each application in the recording window."""
    found = []
    # Half a picosecond: times are decimals with twelve digits behind the point.
    inside = requests.filter(pl.col("done").is_between(window[0] - 5e-13, window[1] + 5e-13))
    for (name,), rows in inside.group_by("application", maintain_order=True):
        took, size = rows["took"], rows["size"].sum()
        figures = {"application": name, "requests": len(rows), "mean": took.mean()}
        figures |= {f"p{part * 100:g}": nearest_rank(took, part) for part in QUANTILES}
        figures["max"] = took.max()
        known = rows["size"].null_count() == 0
        figures["goodput_gbps"] = size * 8 / (window[1] - window[0]) / 1e9 if known else None
        found.append(figures)
    return sorted(found, key=lambda one: one["application"])


def latency(requests: pl.DataFrame, window: list[float], path: Path) -> None:
    """The distribution of latency, in which each nine of the tail has as much room as the one before."""
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    inside = requests.filter(pl.col("done").is_between(window[0] - 5e-13, window[1] + 5e-13))
    for n, ((name,), rows) in enumerate(inside.group_by("application", maintain_order=True)):
        took = rows["took"].sort()
        # The part of requests that took longer than each; nothing is above the last, which has no place on the axis.
        above = [1.0] + [1 - i / len(took) for i in range(1, len(took))] + [min(5e-4, 0.5 / len(took))]
        axes.step([took[0], *took], above, where="post", color=COLORS[n % len(COLORS)], label=f"{name} ({len(took):,} requests)")
        for part in QUANTILES:
            axes.plot(nearest_rank(took, part), 1 - part, "o", color=COLORS[n % len(COLORS)], markersize=4)
    axes.set_yscale("log")
    axes.invert_yaxis()
    axes.yaxis.set_major_locator(FixedLocator([1, 0.5, 0.1, 0.01, 0.001, 0.0001]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda above, _: f"{100 * (1 - above):g}"))
    axes.yaxis.minorticks_off()
    axes.set(xlabel="latency [us]", ylabel="requests done [%]", title="Latency of requests in the recording window")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def goodput(requests: pl.DataFrame, path: Path, points: int = 100) -> None:
    """Payload carried over time."""
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    rows = requests.drop_nulls("size")
    if not rows.is_empty():
        end = rows["done"].max()
        width = end / points
        bins = (pl.col("done") / width).floor().clip(0, points - 1).cast(pl.Int64)
        carried = rows.group_by("application", bin=bins).agg(pl.col("size").sum())
        for n, ((name,), part) in enumerate(carried.group_by("application", maintain_order=True)):
            known = dict(zip(part["bin"], part["size"]))
            rates = [known.get(bin, 0) * 8 / width / 1e9 for bin in range(points)]
            times = [(bin + 1) * width * 1e3 for bin in range(points)]
            axes.plot(times, rates, color=COLORS[n % len(COLORS)], label=name)
        axes.legend()
    axes.set(xlabel="simulated time [ms]", ylabel="goodput [Gbps]", title="Payload of completed requests", ylim=(0, None))
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def utilization(ports: pl.DataFrame, path: Path) -> None:
    """Ports by tier and direction, over the reports."""
    times = ports["sim_time_sec"].unique().sort()
    groups = ports.select("tier", "uldl").unique().sort("tier", "uldl").rows()
    heights = [ports.filter(tier=tier, uldl=uldl).select("node_id", "ifid").n_unique() for tier, uldl in groups]
    figure, rows = plt.subplots(
        len(groups), 1, figsize=(8, 6), layout="constrained", sharex=True, squeeze=False, height_ratios=heights
    )
    # Each report is of the interval that ends with it.
    step = times[1] - times[0] if len(times) > 1 else times[0]
    extent = ((times[0] - step) * 1e3, times[-1] * 1e3)
    for (axes,), (tier, uldl) in zip(rows, groups):
        part = ports.filter(tier=tier, uldl=uldl)
        matrix = part.pivot(on="sim_time_sec", index=["node_id", "ifid"], values="tx_link_percent_util").sort(
            "node_id", "ifid"
        )
        values = matrix.drop("node_id", "ifid").to_numpy()
        image = axes.imshow(
            values, aspect="auto", cmap="viridis", vmin=0, vmax=100, interpolation="nearest", extent=(*extent, 0, len(values))
        )
        axes.set(yticks=[])
        axes.set_ylabel(
            f"{TIERS.get(tier, tier)} {'up' if uldl == 'ul' else 'down'}\n{len(values)} ports", rotation=0, ha="right", va="center"
        )
    rows[-1][0].set_xlabel("simulated time [ms]")
    figure.colorbar(image, ax=rows, label="utilization [%]")
    figure.suptitle("What each port sends")
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of a run, with Parquet files")
    parser.add_argument("--out", type=Path, default=Path("."), help="where the plots go (default: here)")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    options = parser.parse_args()
    run = Run(options.folder)
    requests = run.requests()
    options.out.mkdir(parents=True, exist_ok=True)
    latency(requests, run.window, options.out / "latency.png")
    goodput(requests, options.out / "goodput.png")
    ports = run.record("nd-stats")
    if ports is not None:
        columns = ["sim_time_sec", "tier", "uldl", "node_id", "ifid", "tx_link_percent_util"]
        utilization(ports.select(columns).collect(), options.out / "utilization.png")
    figures = table(requests, run.window)
    if options.json:
        print(json.dumps(figures))
    else:
        with pl.Config(tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, float_precision=3, tbl_cols=-1, tbl_width_chars=160):
            print("Latency in us, goodput in Gbps, of requests completed in the recording window")
            print(pl.DataFrame(figures))


if __name__ == "__main__":
    main()
