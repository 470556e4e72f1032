#!/usr/bin/env python3
"""Draws tcp-windows.svg from two runs; see README.md in this folder."""

import csv
import sys

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 880, 340, 74, 40, 24, 56
X_END, Y_END = 104.0, 600.0  # ms since the start of the connection, KB
START = 0.002  # s, the start of the connection
FULL = 383.98  # KB, 263 segments: what the queue and the path hold


def points(path):
    """Milliseconds since the start and congestion window in KB of every report."""
    with open(path) as file:
        for row in csv.DictReader(file):
            yield (float(row["sim_time_sec"]) - START) * 1e3, float(row["CongestionWindow"]) / 1e3


def x(ms):
    return LEFT + ms / X_END * (WIDTH - LEFT - RIGHT)


def y(kb):
    return HEIGHT - BOTTOM - kb / Y_END * (HEIGHT - TOP - BOTTOM)


def line(path, name):
    corners = " ".join(f"{x(ms):.1f} {y(kb):.1f}" for ms, kb in points(path))
    return f'<path class="{name}" d="M{corners}"/>'


cubic, newreno = sys.argv[1:3]
grid, labels = [], []
for kb in range(0, 601, 100):
    grid.append(f"M{LEFT} {y(kb):.1f}H{WIDTH - RIGHT}")
    labels.append(f'<text x="{LEFT - 8}" y="{y(kb) + 4.5:.1f}" text-anchor="end">{kb}</text>')
for ms in range(0, 101, 10):
    grid.append(f"M{x(ms):.1f} {HEIGHT - BOTTOM}v5")
    labels.append(f'<text x="{x(ms):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{ms}</text>')
print(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" \
font-family="'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13" role="img" aria-labelledby="t">
<title id="t">Congestion window over time of one TCP connection at a bottleneck, with CUBIC and with NewReno</title>
<style>
  .page {{ fill: #ffffff; }} .grid {{ stroke: #d4dae1; fill: none; }} .ink {{ fill: #1b2430; }}
  .full {{ stroke: #1b2430; stroke-dasharray: 6 5; fill: none; }}
  .cubic, .newreno {{ fill: none; stroke-width: 2; stroke-linejoin: round; }}
  .cubic {{ stroke: #1f6fd1; }} .newreno {{ stroke: #b4541a; }}
  .tc {{ fill: #1f6fd1; }} .tn {{ fill: #b4541a; }}
  @media (prefers-color-scheme: dark) {{
    .page {{ fill: #11161d; }} .grid {{ stroke: #323c49; }} .ink {{ fill: #e8edf3; }} .full {{ stroke: #e8edf3; }}
    .cubic {{ stroke: #5aa2f5; }} .newreno {{ stroke: #e8935c; }}
    .tc {{ fill: #5aa2f5; }} .tn {{ fill: #e8935c; }}
  }}
</style>
<rect class="page" width="{WIDTH}" height="{HEIGHT}" rx="10"/>
<path class="grid" d="{''.join(grid)}"/>
<path class="full" d="M{LEFT} {y(FULL):.1f}H{WIDTH - RIGHT}"/>
<g class="ink">{''.join(labels)}
<text x="{LEFT - 54}" y="22">congestion window [KB]</text>
<text x="{x(44):.0f}" y="{y(FULL) - 8:.1f}">what queue and path hold, 384 KB</text>
<text x="{WIDTH - RIGHT}" y="{HEIGHT - 14}" text-anchor="end">time since the start of the connection [ms]</text></g>
{line(newreno, "newreno")}
{line(cubic, "cubic")}
<g font-weight="bold"><text class="tc" x="{x(37):.0f}" y="{y(240):.1f}">CUBIC</text>
<text class="tn" x="{x(22):.0f}" y="{y(160):.1f}">NewReno</text></g>
</svg>""")
