#!/usr/bin/python3
"""Figure 1 of Han, Avron and Shin (2020): the error of sketches against their columns m and the degree r.

    docs/measurements/sketch_sweep.py --data DATA --cairn build/release/apps/cairn/cairn --seeds 5 --out docs/measurements/sketch-sweep.csv
    docs/measurements/sketch_sweep.py --draw docs/measurements/sketch-sweep.csv -o docs/images/sketch-sweep.png

Sets, points, kernel and error are those of sketch_errors.py: synthetic, segment and usps, exp(-|x - y|²). m = 10 and r = 10
unless they vary; the coreset has 10 rows. Random frequencies have as many columns as the sketches, m r. Means over seeds.
"""
import argparse
import collections
import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile

from sketch_errors import error_of, points_of

SETS = ("synthetic", "segment", "usps")
COLUMNS, DEGREES = (10, 20, 30, 40, 50), (2, 4, 6, 8, 10)
PAPER = ("--approximation.method", "poly-tensorsketch", "--approximation.allocation", "equal", "--approximation.weigh", "false",
         "--approximation.center", "false")


def sketch(coefficients, *more):
    def arguments(m, r):
        return (*PAPER, "--approximation.sketch-columns", m, "--approximation.degree", r, "--approximation.coefficients", coefficients, *more)
    return arguments


METHODS = {
    "coreset (the paper's)": sketch("coreset", "--approximation.sample-rows", 10, "--approximation.penalty", "printed"),
    "Taylor": sketch("taylor"),
    "Chebyshev": sketch("chebyshev"),
    "rff, phase (the paper's)": lambda m, r: ("--approximation.method", "rff", "--approximation.features", m * r, "--approximation.fourier", "phase"),
    "rff, pairs": lambda m, r: ("--approximation.method", "rff", "--approximation.features", m * r),
    "poly-tensorsketch, default": lambda m, r: ("--approximation.method", "poly-tensorsketch", "--approximation.features", m * r + 1,
                                                "--approximation.degree", r),
}
FIELDS = ("set", "method", "m", "r", "seed", "error")


def measure(chosen):
    import numpy
    places = sorted({(m, 10) for m in COLUMNS} | {(10, r) for r in DEGREES})
    with tempfile.TemporaryDirectory() as name, open(chosen.out, "w", newline="", encoding="utf-8") as file:
        folder = pathlib.Path(name)
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for of in SETS:
            try:
                x = points_of(chosen.data, of)
            except FileNotFoundError as missing:
                print(f"{of} is left out: {missing}", flush=True)
                continue
            numpy.save(folder / "x.npy", x)
            for method, arguments in METHODS.items():
                for m, r in places:
                    for seed in range(1, chosen.seeds + 1):
                        command = [chosen.cairn, "approximate", "--data.path", folder / "x.npy", "--similarity.kind", "rbf", "--similarity.gamma", 1,
                                   *arguments(m, r), "--evaluation.pairs", 0, "--run.seed", seed, "--output.path", folder / "r.h5"]
                        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
                        if done.returncode != 0:
                            sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
                        writer.writerow({"set": of, "method": method, "m": m, "r": r, "seed": seed, "error": error_of(x, folder / "r.h5")[0]})
                file.flush()
                print(of, method, flush=True)


def draw(path, output):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    errors = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            errors[row["set"], row["method"], int(row["m"]), int(row["r"])].append(float(row["error"]))
    sets = [of for of in SETS if any(key[0] == of for key in errors)]
    figure, axes = pyplot.subplots(2, len(sets), figsize=(3.6 * len(sets), 6), sharey="col", squeeze=False)
    for column, of in enumerate(sets):
        for axis, places, label in ((axes[0][column], [(m, 10) for m in COLUMNS], "columns of a degree, m (r = 10)"),
                                    (axes[1][column], [(10, r) for r in DEGREES], "degree, r (m = 10)")):
            for method in METHODS:
                known = [place for place in places if (of, method, *place) in errors]
                axis.semilogy([place[0] if axis is axes[0][column] else place[1] for place in known],
                              [statistics.mean(errors[(of, method, *place)]) for place in known], marker="o", markersize=3, label=method)
            axis.set_xlabel(label)
            axis.grid(alpha=0.3)
        axes[0][column].set_title(of)
    for row in axes:
        row[0].set_ylabel("mean of ((K~ - K) / K)²")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=3, frameon=False)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(output, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, help="The folder DATA.")
    parser.add_argument("--cairn", default="cairn", help="The program.")
    parser.add_argument("--seeds", type=int, default=5, help="Seeds 1 to this. Default: 5.")
    parser.add_argument("--out", default="sketch-sweep.csv", help="The CSV file that is written.")
    parser.add_argument("--draw", metavar="CSV", help="Draw a file that was written before, and measure nothing.")
    parser.add_argument("-o", "--output", default="sketch-sweep.png", help="The picture.")
    chosen = parser.parse_args()
    if chosen.draw:
        draw(chosen.draw, chosen.output)
    elif chosen.data is None:
        sys.exit("sketch_sweep.py: --data is missing")
    else:
        measure(chosen)


if __name__ == "__main__":
    main()
