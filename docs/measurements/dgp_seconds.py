#!/usr/bin/python3
"""Score against seconds: gradient descent at three rates beside gbu, on the points of table 2 (dgp_tables.py).

    docs/measurements/dgp_seconds.py --cairn build/release/apps/cairn/cairn --out docs/measurements/dgp-seconds.csv
    docs/measurements/dgp_seconds.py --draw docs/measurements/dgp-seconds.csv docs/images/dgp-seconds.png

n = 1000 points of K normal coordinates, noise of 2 %, m = 1.5 K references. The score is the mean of (v_i . v_j - G_ij)² over the
entries with references (equation 13). Every point is a run of its own with so many steps; its seconds are the least of several runs,
without reading and writing.
"""
import argparse
import collections
import csv
import pathlib
import sys
import tempfile

from dgp_tables import RATES, run

N, DIMENSIONS, ETA = 1000, (50, 200), 0.02
STEPS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)
FIELDS = ("n", "K", "eta", "method", "rate", "steps", "score", "seconds")
COLOURS = {0.01: "#56B4E9", 0.1: "#0072B2", 0.3: "#009E73"}


def measure(cairn, runs, out):
    with tempfile.TemporaryDirectory() as name, open(out, "w", newline="", encoding="utf-8") as file:
        folder = pathlib.Path(name)
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()

        def keep(cell, method, rate, steps, timed, scored):
            seconds = min(row["seconds"] for row in timed)
            writer.writerow(dict(zip(FIELDS, (*cell, method, rate, steps, scored["score"], seconds))))
            file.flush()

        for dimension in DIMENSIONS:
            cell = (2, N, dimension, ETA)
            gbu = ("--approximation.method", "gbu")
            timed = [run(cairn, folder, cell, 1, *gbu) for _ in range(runs)]  # without the loss, which takes as long as the vectors
            keep(cell[1:], "gbu", "", "", timed, run(cairn, folder, cell, 1, *gbu, "--approximation.loss", "true"))
            for rate in RATES:
                for steps in STEPS:
                    adam = ("--approximation.method", "adam", "--approximation.rate", rate, "--approximation.steps", steps,
                            "--approximation.target", 1e-12)
                    timed = [run(cairn, folder, cell, 1, *adam) for _ in range(runs)]
                    keep(cell[1:], "adam", rate, steps, timed, timed[0])
            print(*cell[1:], flush=True)


def draw(table, picture):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    cells = collections.defaultdict(list)
    with open(table, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells[int(row["n"]), int(row["K"])].append(row)
    figure, panels = plt.subplots(1, len(cells), figsize=(5.2 * len(cells), 4), squeeze=False, sharey=True)
    for axes, ((n, dimension), rows) in zip(panels[0], cells.items()):
        for rate, colour in COLOURS.items():
            own = [row for row in rows if row["method"] == "adam" and float(row["rate"]) == rate]
            axes.plot([float(row["seconds"]) for row in own], [float(row["score"]) for row in own], color=colour, marker="o",
                      markersize=3, label=f"adam, rate {rate}")
        for row in rows:
            if row["method"] == "gbu":
                axes.plot(float(row["seconds"]), float(row["score"]), color="#D55E00", marker="*", markersize=14, linestyle="none",
                          label="gbu")
                axes.axhline(float(row["score"]), color="#D55E00", linewidth=0.8, linestyle="--")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("seconds")
        axes.set_title(f"n = {n:,}, K = {dimension}")
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel("score")
    panels[0][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", default="cairn", help="The program.")
    parser.add_argument("--runs", type=int, default=3, help="Runs of each point, of whose seconds the least is taken. Default: 3.")
    parser.add_argument("--out", default="dgp-seconds.csv", help="The CSV file that is written.")
    parser.add_argument("--draw", nargs=2, metavar=("CSV", "PICTURE"), help="Draw a file that was written before, and measure nothing.")
    chosen = parser.parse_args()
    if chosen.draw:
        draw(*chosen.draw)
        return
    measure(chosen.cairn, chosen.runs, chosen.out)


if __name__ == "__main__":
    sys.exit(main())
