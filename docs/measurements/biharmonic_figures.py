#!/usr/bin/env python3
"""Figures 1 to 3 of Turek and Huth (2022) from sweeps of cairn; the sweeps are named in configs/repro/biharmonic-*.cfg.

usage: biharmonic_figures.py accuracy SWEEP... OUTPUT   squared error against l / n, a curve a method (figure 1)
       biharmonic_figures.py sparsity SWEEP... OUTPUT   the same by p-row, and the nonzeros in a row of P (figure 2)
       biharmonic_figures.py memory SWEEP... OUTPUT     squared error against l / n and bytes of the factors (figure 3)

A sweep is a file biharmonic-DATA-....csv; each DATA gets a panel. Curves are means over repeats, bands their range.
"""
import csv
import os
import sys
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, NullFormatter

TITLES = {"brain": "cortical surface", "bunny": "Stanford bunny", "swissroll": "Swiss roll", "roads": "USA-NE roads"}
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]


def read(paths):
    """Data set -> its runs that did not fail, with numbers where the figures need them."""
    runs = defaultdict(list)
    for path in paths:
        name = os.path.basename(path).split("-")[1]
        with open(path, newline="", encoding="utf-8") as file:
            for run in csv.DictReader(file):
                if run["error"]:
                    continue
                n = int(run["n"])
                # of the mean of both directions where K_ij from i and from j differ, as the authors take it
                run["y"] = float(run["symmetric_relative_squared_error"] or run["relative_squared_error"])
                run["share"] = (int(run["s1"]) or int(run["rank"])) / n  # the optimal one has no landmarks
                run["gigabytes"] = int(run["factor_bytes"]) / 1e9
                run["n"] = n
                runs[name].append(run)
    return runs


def method_of(run):
    if run["method"] == "biharmonic":
        return "biharmonic, estimated operator" if run["operator"] == "neighbours" else "biharmonic, known operator"
    if run["method"] == "nystrom":
        tolerance = float(run.get("approximation.tolerance") or 0)
        return f"Nyström, tolerance {tolerance:g}" if tolerance > 0 else "Nyström, plain"
    return {"optimal": "best of rank l"}.get(run["method"], run["method"])


def p_row_of(run):
    p_row = int(run["approximation.p-row"])
    return (1e9, "dense") if p_row >= 2000 else (p_row, f"p-row = {p_row}")


def memory_of(run):
    if run["method"] == "biharmonic":
        return "biharmonic, p-row = " + run.get("approximation.p-row", "50")
    return method_of(run)


def curves(axes, runs, label_of, x, y="y", order=None):
    """A curve a label: means of y over repeats at the mean x of the runs of equal l, in a band of their range."""
    points = defaultdict(lambda: defaultdict(list))
    for run in runs:
        points[label_of(run)][run["share"]].append(run)
    for number, label in enumerate(sorted(points) if order is None else [name for name in order if name in points]):
        groups = [points[label][share] for share in sorted(points[label])]
        across = [sum(float(run[x]) for run in group) / len(group) for group in groups]
        values = [[float(run[y]) for run in group] for group in groups]
        colour = COLOURS[(number if order is None else order.index(label)) % len(COLOURS)]
        marker = MARKERS[(number if order is None else order.index(label)) % len(MARKERS)]
        name = label[1] if isinstance(label, tuple) else label
        axes.plot(across, [sum(v) / len(v) for v in values], color=colour, marker=marker, markersize=4, label=name)
        axes.fill_between(across, [min(v) for v in values], [max(v) for v in values], color=colour, alpha=0.15, lw=0)
    for axis, scale in [(axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)]:
        scale("log")
        axis.set_major_locator(LogLocator(numticks=20))
        axis.set_minor_formatter(NullFormatter())
    axes.grid(alpha=0.3)


METHODS = ["biharmonic, known operator", "biharmonic, estimated operator", "Nyström, tolerance 0.0001", "Nyström, plain",
           "best of rank l"]


def accuracy(runs):
    figure, panels = plt.subplots(1, len(runs), figsize=(5.2 * len(runs), 4.2), squeeze=False)
    for axes, (name, own) in zip(panels[0], runs.items()):
        curves(axes, own, method_of, "share", order=METHODS)
        axes.set_title(f"{TITLES.get(name, name)}, n = {own[0]['n']:,}")
        axes.set_xlabel("landmarks l / n")
        axes.set_ylim(top=min(axes.get_ylim()[1], 1e3))
    panels[0][0].set_ylabel("relative squared error")
    fullest = max(panels[0], key=lambda axes: len(axes.get_legend_handles_labels()[1]))
    fullest.legend(fontsize=8)
    return figure


def sparsity(runs):
    figure, panels = plt.subplots(2, len(runs), figsize=(4.2 * len(runs), 7), squeeze=False, sharex="col")
    for column, (name, own) in enumerate(runs.items()):
        curves(panels[0][column], own, p_row_of, "share")
        curves(panels[1][column], own, p_row_of, "share", "nonzeros_per_row")
        panels[0][column].set_title(f"{TITLES.get(name, name)}, n = {own[0]['n']:,}")
        panels[1][column].set_xlabel("landmarks l / n")
    panels[0][0].set_ylabel("relative squared error")
    panels[1][0].set_ylabel("nonzeros in a row of P")
    panels[0][-1].legend(fontsize=8)
    return figure


def memory(runs):
    figure, panels = plt.subplots(len(runs), 2, figsize=(10, 4.2 * len(runs)), squeeze=False, sharey="row")
    for row, (name, own) in zip(panels, runs.items()):
        curves(row[0], own, memory_of, "share")
        curves(row[1], own, memory_of, "gigabytes")
        row[0].set_title(f"{TITLES.get(name, name)}, n = {own[0]['n']:,}")
        row[0].set_ylabel("relative squared error")
        row[0].set_xlabel("landmarks l / n")
        row[1].set_xlabel("GB of the factors")
        row[1].legend(fontsize=8)
    return figure


def main():
    families = {"accuracy": accuracy, "sparsity": sparsity, "memory": memory}
    if len(sys.argv) < 4 or sys.argv[1] not in families:
        sys.exit(__doc__)
    figure = families[sys.argv[1]](read(sys.argv[2:-1]))
    figure.tight_layout()
    figure.savefig(sys.argv[-1], dpi=110)


if __name__ == "__main__":
    main()
