"""Time and efficiency against ranks: strong and weak scaling."""

import csv

from cairn_plot.colors import COLORS, MARKERS
from cairn_plot.problem import INPUT, Problem

FIRST_COLUMNS = b"scaling,nodes,ranks,"
COLUMNS = ("ranks", "seconds", "efficiency")


def is_scaling(path):
    with open(path, "rb") as file:
        return file.readline(256).startswith(FIRST_COLUMNS)


def read_scaling(path):
    """Kind of scaling -> its points (ranks, seconds, efficiency), by growing ranks."""
    curves = {}
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in reader.fieldnames]
        if missing:
            raise Problem(INPUT, f"{path}: not a table of scaling.sbatch: no column {', '.join(missing)}")
        for line in reader:
            try:
                point = tuple(float(line[name]) for name in COLUMNS)
            except (TypeError, ValueError):
                point = ()
            if not point or min(point) <= 0:
                raise Problem(INPUT, f"{path}:{reader.line_num}: {', '.join(COLUMNS)} must be numbers above 0")
            curves.setdefault(line["scaling"], []).append(point)
    if not curves:
        raise Problem(INPUT, f"{path}: holds no runs")
    return {kind: sorted(points) for kind, points in curves.items()}


def plot_scaling(figure, path):
    """Returns the axes that a title belongs to."""
    times, efficiencies = figure.subplots(1, 2)
    curves = read_scaling(path)
    numbers = sorted({point[0] for points in curves.values() for point in points})
    for number, (kind, points) in enumerate(curves.items()):
        style = {"color": COLORS[number], "marker": MARKERS[number], "markersize": 5, "label": kind}
        ranks, seconds, efficiency = zip(*points)
        ideal = [seconds[0] * (ranks[0] / r if kind == "strong" else 1) for r in ranks]
        times.plot(ranks, seconds, **style)
        times.plot(ranks, ideal, color=COLORS[number], linestyle="--", linewidth=0.8, label=f"{kind}, ideal")
        efficiencies.plot(ranks, efficiency, **style)
    for axes in (times, efficiencies):
        axes.set_xscale("log", base=2)
        axes.set_xticks(numbers, [f"{value:g}" for value in numbers])
        axes.set_xticks([], minor=True)
        axes.set_xlabel("ranks")
    times.set_yscale("log")
    times.set_ylabel("seconds of a run")
    times.legend()
    efficiencies.set_ylim(0, 1.1 * max(1, *(point[2] for points in curves.values() for point in points)))
    efficiencies.set_ylabel("parallel efficiency")
    efficiencies.grid(True, which="major", linewidth=0.4, alpha=0.6)
    efficiencies.legend()
    return times
