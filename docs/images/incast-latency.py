#!/usr/bin/env python3
"""Draws incast-latency.svg from two runs; see README.md in this folder."""

import csv
import sys

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 880, 340, 74, 40, 24, 56
X_END, Y_END = 13.0, 1500.0  # ms since the start of data transfer, us
START = 0.003  # s, the start of data transfer


def points(path, sender):
    """Milliseconds since data start and latency in us of every write of a sender."""
    with open(path) as file:
        for row in csv.DictReader(file):
            if f"-S:{sender}-" in row["application_name"]:
                yield (float(row["sim_time_sec"]) - START) * 1e3, float(row["perf_metric_usec"])


def x(ms):
    return LEFT + ms / X_END * (WIDTH - LEFT - RIGHT)


def y(us):
    return HEIGHT - BOTTOM - us / Y_END * (HEIGHT - TOP - BOTTOM)


def dots(path, sender, name):
    marks = "".join(f"M{x(ms):.1f} {y(us):.1f}h0" for ms, us in points(path, sender))
    return f'<path class="{name}" d="{marks}"/>'


one, three = sys.argv[1:3]
grid, labels = [], []
for us in range(0, 1501, 250):
    grid.append(f"M{LEFT} {y(us):.1f}H{WIDTH - RIGHT}")
    labels.append(f'<text x="{LEFT - 8}" y="{y(us) + 4.5:.1f}" text-anchor="end">{us:,}</text>')
for ms in range(0, 14):
    grid.append(f"M{x(ms):.1f} {HEIGHT - BOTTOM}v5")
    labels.append(f'<text x="{x(ms):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{ms}</text>')
print(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" \
font-family="'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13" role="img" aria-labelledby="t">
<title id="t">Latency of each write over time: incast of 8 senders with 1 and with 3 connections each</title>
<style>
  .page {{ fill: #ffffff; }} .grid {{ stroke: #d4dae1; fill: none; }} .ink {{ fill: #1b2430; }}
  .one, .three, .late {{ fill: none; stroke-width: 3.5; stroke-linecap: round; }}
  .one {{ stroke: #1f6fd1; }} .three {{ stroke: #b4541a; }} .late {{ stroke: #8a3fb0; }}
  .t1 {{ fill: #1f6fd1; }} .t3 {{ fill: #b4541a; }} .t2 {{ fill: #8a3fb0; }}
  @media (prefers-color-scheme: dark) {{
    .page {{ fill: #11161d; }} .grid {{ stroke: #323c49; }} .ink {{ fill: #e8edf3; }}
    .one {{ stroke: #5aa2f5; }} .three {{ stroke: #e8935c; }} .late {{ stroke: #c48be4; }}
    .t1 {{ fill: #5aa2f5; }} .t3 {{ fill: #e8935c; }} .t2 {{ fill: #c48be4; }}
  }}
</style>
<rect class="page" width="{WIDTH}" height="{HEIGHT}" rx="10"/>
<path class="grid" d="{''.join(grid)}"/>
<g class="ink">{''.join(labels)}
<text x="{LEFT - 54}" y="22">latency [us]</text>
<text x="{WIDTH - RIGHT}" y="{HEIGHT - 14}" text-anchor="end">time since the start of data transfer [ms]</text></g>
{dots(three, 3, "late")}
{dots(three, 1, "three")}
{dots(one, 1, "one")}
<g font-weight="bold"><text class="t2" x="{x(6):.0f}" y="{y(1425):.1f}">3 connections a sender, sender 3</text>
<text class="t3" x="{x(6):.0f}" y="{y(1090):.1f}">3 connections a sender, sender 1</text>
<text class="t1" x="{x(6):.0f}" y="{y(295):.1f}">1 connection a sender, sender 1</text></g>
</svg>""")
