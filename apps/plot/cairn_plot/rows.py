"""A row of the matrix beside the approximate one."""

import csv

from cairn_plot.colors import COLORS
from cairn_plot.problem import INPUT, Problem

ROW_COLUMNS = ["column", "exact", "approximate"]


def is_row(path):
    """Whether the columns of a row come first; labels and numbers in the file may follow."""
    with open(path, "rb") as file:
        return file.readline(256).rstrip().split(b",")[:len(ROW_COLUMNS)] == [name.encode() for name in ROW_COLUMNS]


def read_row(path):
    """Exact and approximate values of a row of the matrix, two lists."""
    exact, approximate = [], []
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for line in reader:
            try:
                exact.append(float(line["exact"]))
                approximate.append(float(line["approximate"]))
            except (TypeError, ValueError):
                raise Problem(INPUT, f"{path}:{reader.line_num}: exact and approximate must be numbers")
    if not exact:
        raise Problem(INPUT, f"{path}: holds no values")
    return exact, approximate


def relative_squared_error(exact, approximate):
    whole = sum(value * value for value in exact)
    return sum((a - e) ** 2 for e, a in zip(exact, approximate)) / whole if whole > 0 else float("nan")


def plot_row(figure, path):
    """Returns the axes that a title belongs to."""
    exact, approximate = read_row(path)
    cloud, spread = figure.subplots(1, 2, width_ratios=(1.6, 1))
    low, high = min(exact + approximate), max(exact + approximate)
    cloud.plot((low, high), (low, high), color=COLORS[1], linewidth=0.8, label="exact = approximate")
    cells = cloud.hexbin(exact, approximate, gridsize=120, bins="log", cmap="viridis", mincnt=1, linewidths=0.1)
    figure.colorbar(cells, ax=cloud, label="objects")
    cloud.set_xlabel("exact value")
    cloud.set_ylabel("approximate value, from the factors")
    cloud.legend(loc="upper left")
    differences = sorted(a - e for e, a in zip(exact, approximate))
    most = max(abs(differences[len(differences) // 200]), abs(differences[-1 - len(differences) // 200]), 1e-300)
    spread.hist(differences, bins=101, range=(-most, most), color=COLORS[0])
    spread.set_xlabel("approximate - exact, 99 % of objects")
    spread.set_ylabel("objects")
    spread.set_title(f"relative squared error {relative_squared_error(exact, approximate):.2g}", fontsize="medium")
    spread.grid(True, which="major", linewidth=0.4, alpha=0.6)
    return cloud
