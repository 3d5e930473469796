"""The error of sweeps against the share of the matrix that was evaluated."""

import csv
import statistics
import sys
from collections import defaultdict

from cairn_plot.colors import COLORS, MARKERS
from cairn_plot.problem import INPUT, Problem

COLUMNS = ("method", "n", "s1", "s2", "evaluations", "relative_error")
# Columns named after keys of a config tell curves apart where they vary; these vary along a curve or between repeats.
ALONG_A_CURVE = {"approximation.method", "approximation.s2", "approximation.rank", "approximation.budget",
                 "landmarks.count", "landmarks.fraction", "run.seed"}


def read_sweep(path):
    """The runs of a sweep that did not fail: dictionaries of texts, checked to hold what is plotted."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
        if missing:
            raise Problem(INPUT, f"{path}: not a sweep of cairn: no column {', '.join(missing)}")
        runs, failed = [], 0
        for run in reader:
            if None in run:
                raise Problem(INPUT, f"{path}:{reader.line_num}: more fields than columns")
            if run.get("error"):
                failed += 1
                continue
            try:
                run["share"] = float(run["evaluations"]) / float(run["n"]) ** 2
                run["relative_error"] = float(run["relative_error"])
            except (TypeError, ValueError, ZeroDivisionError):
                raise Problem(INPUT, f"{path}:{reader.line_num}: n, evaluations and relative_error must be numbers")
            runs.append(run)
    if not runs:
        raise Problem(INPUT, f"{path}: holds no runs" + (" but failed ones" if failed else ""))
    if failed:
        print(f"cairn-plot: {path}: {failed} failed runs are left out", file=sys.stderr)
    return runs


def curves_of(runs):
    """Label of a curve -> its points, each a list of repeats, by growing share."""
    keys = sorted({key for run in runs for key in run if "." in key} - ALONG_A_CURVE)
    varied = [key for key in keys if len({run.get(key) for run in runs}) > 1]
    curves = defaultdict(lambda: defaultdict(list))
    for run in runs:
        label = ", ".join([run["method"]] + [f"{key.rsplit('.', 1)[1]} {run.get(key)}" for key in varied])
        curves[label][run["n"], run["s1"], run["s2"]].append(run)
    return {label: sorted(points.values(), key=share_of) for label, points in curves.items()}


def share_of(repeats):
    return statistics.median(run["share"] for run in repeats)


def quartiles(values):
    """Lower quartile, median, upper quartile."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def plot_sweeps(axes, paths):
    curves = curves_of([run for path in paths for run in read_sweep(path)])
    for number, (label, points) in enumerate(curves.items()):
        shares = [share_of(repeats) for repeats in points]
        low, middle, high = zip(*(quartiles([run["relative_error"] for run in repeats]) for repeats in points))
        color = COLORS[number % len(COLORS)]
        axes.plot(shares, middle, color=color, marker=MARKERS[number % len(MARKERS)], markersize=5, label=label)
        axes.fill_between(shares, low, high, color=color, alpha=0.2, linewidth=0)
    most = max(len(repeats) for points in curves.values() for repeats in points)
    axes.set_xscale("log")
    axes.set_yscale("log")
    label_decades(axes.xaxis)
    axes.set_xlabel("evaluations / n²")
    axes.set_ylabel("relative error (Frobenius)" + (f", median and quartiles of {most} repeats" if most > 1 else ""))
    axes.legend()


def label_decades(axis):
    """Numbers at 1, 2 and 5 of every decade: a sweep often spans one decade or less."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
