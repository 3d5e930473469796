"""Tables of reproduce: curves beside the numbers of a paper. Curves are told apart by marker and line, also in grey."""

import csv
import math
import statistics
import sys
from collections import defaultdict

from cairn_plot.colors import COLORS, MARKERS
from cairn_plot.problem import INPUT, Problem

COLUMNS = ("panel", "series", "at", "seed", "measure", "value", "paper")
LINES = ["-", "--", "-.", ":"]


def is_reproduction(path):
    with open(path, "rb") as file:
        return file.readline(256).rstrip(b"\r\n") == ",".join(COLUMNS).encode()


def read_reproduction(path):
    """(panel, measure) -> series -> place along it -> values over seeds, and the paper's number or None."""
    panels = {}
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for line in reader:
            try:
                value, paper = float(line["value"]), float(line["paper"]) if line["paper"] else None
            except (TypeError, ValueError):
                raise Problem(INPUT, f"{path}:{reader.line_num}: value and paper must be numbers")
            place = panels.setdefault((line["panel"], line["measure"]), {}).setdefault(line["series"], {}).setdefault(line["at"], ([], paper))
            place[0].append(value)
    if not panels:
        raise Problem(INPUT, f"{path}: holds no numbers")
    return panels


def is_along(series):
    """Whether the series are curves over numbers."""
    places = {place for points in series.values() for place in points}
    try:
        return len({float(place) for place in places if place}) > 1
    except ValueError:
        return False


def style(number):
    return {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)], "markersize": 5}


def set_scale(setter, values):
    if values and min(values) > 0 and max(values) / min(values) > 20:
        setter("log")


def plot_curves(axes, series):
    shown = defaultdict(list)
    for number, (name, points) in enumerate(series.items()):
        along = sorted((float(place), *found) for place, found in points.items() if place)
        means = [statistics.fmean(values) for _, values, _ in along]
        axes.plot([place for place, *_ in along], means, linestyle=LINES[number % len(LINES)], label=name, **style(number))
        axes.fill_between([place for place, *_ in along], [min(values) for _, values, _ in along], [max(values) for _, values, _ in along],
                          color=COLORS[number % len(COLORS)], alpha=0.15, linewidth=0)
        printed = [(place, paper) for place, _, paper in along if paper is not None]
        if printed:
            axes.scatter(*zip(*printed), marker=MARKERS[number % len(MARKERS)], s=70, facecolors="none", edgecolors="black", zorder=3)
        shown["x"] += [place for place, *_ in along]
        shown["y"] += means + [paper for _, paper in printed]
        for place, (values, _) in points.items():
            if not place:  # a value that belongs to no place along
                axes.axhline(statistics.fmean(values), color="0.4", linewidth=0.8, linestyle=LINES[number % len(LINES)])
    set_scale(axes.set_xscale, shown["x"])
    set_scale(axes.set_yscale, shown["y"])
    axes.legend(fontsize=7)


def plot_dots(axes, series):
    """A line of the picture for each series (and place), ours a filled dot, the paper's an open one."""
    names, values = [], []
    for name, points in series.items():
        for place, (found, paper) in points.items():
            height = -len(names)
            names.append(", ".join(part for part in (name, place) if part))
            axes.plot(found, [height] * len(found), "o", color=COLORS[0], markersize=5)
            if paper is not None:
                axes.scatter([paper], [height], marker="D", s=60, facecolors="none", edgecolors="black", zorder=3)
            values += found + ([paper] if paper is not None else [])
    axes.set_yticks([-place for place in range(len(names))], names, fontsize=7)
    set_scale(axes.set_xscale, values)


def worth_drawing(series):
    """Whether there is more than one number, the paper's included."""
    return sum(1 + (paper is not None) for points in series.values() for _, paper in points.values()) > 1


def plot_reproduction(pyplot, path):
    everything = read_reproduction(path)
    panels = {place: series for place, series in everything.items() if worth_drawing(series)} or everything
    if len(panels) < len(everything):
        print(f"cairn-plot: {path}: {len(everything) - len(panels)} numbers that stand alone are left out", file=sys.stderr)
    columns = min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = pyplot.figure(figsize=(1 + 4.2 * columns, 0.6 + 3.2 * rows), layout="constrained")
    for number, ((panel, measure), series) in enumerate(panels.items()):
        axes = figure.add_subplot(rows, columns, number + 1)
        if is_along(series):
            plot_curves(axes, series)
            axes.set_ylabel(measure)
        else:
            plot_dots(axes, series)
            axes.set_xlabel(measure)
        axes.set_title(panel, fontsize=9)
        axes.grid(True, linewidth=0.4, alpha=0.6)
    figure.supxlabel("open marks: the paper" if any(paper is not None for series in panels.values() for points in series.values()
                                                    for _, paper in points.values()) else "", fontsize=8)
    return figure
