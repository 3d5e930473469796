#!/usr/bin/python3
"""Errors of Table 3 and figure 1 of Han, Avron and Shin (2020): sketches and random frequencies for a Gaussian kernel.

    docs/measurements/sketch_errors.py --data DATA --cairn build/release/apps/cairn/cairn --seeds 20 --out docs/measurements/sketch-errors.csv
    docs/measurements/sketch_errors.py --print docs/measurements/sketch-errors.csv

DATA holds points/segment.svm.xz, satimage.svm.xz, letter.csv.xz and usps.train.gz; a set that is missing is left out, which
is said. Points in [-1, 1] (letter: x / 7.5 - 1; synthetic: 1,000 points of 50 standard normal coordinates) are divided by
sqrt(10 d); the kernel is exp(-|x - y|²). The error is that of the paper: the mean over all entries (of letter: over
those of 2,000 rows) of ((K~ - K) / K)². Means over seeds.
"""
import argparse
import collections
import csv
import gzip
import io
import json
import lzma
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

# Name and arguments; D = 101 for all.
EQUAL = ("--approximation.method", "poly-tensorsketch", "--approximation.allocation", "equal", "--approximation.sketch-columns", 10,
         "--approximation.degree", 10, "--approximation.weigh", "false", "--approximation.center", "false")
METHODS = {
    "default": ("--approximation.method", "poly-tensorsketch", "--approximation.features", 101),
    "paper, optimal": (*EQUAL, "--approximation.penalty", "printed", "--approximation.coefficients", "all"),
    "paper, coreset": (*EQUAL, "--approximation.penalty", "printed", "--approximation.coefficients", "coreset", "--approximation.sample-rows", 10),
    "equal, exact penalty": (*EQUAL, "--approximation.penalty", "exact"),
    "equal, degree": (*EQUAL, "--approximation.penalty", "degree"),
    "shared hashes": (*EQUAL, "--approximation.penalty", "printed", "--approximation.hashes", "shared"),
    "rff, phase": ("--approximation.method", "rff", "--approximation.features", 101, "--approximation.fourier", "phase"),
    "rff, pairs": ("--approximation.method", "rff", "--approximation.features", 100),
    "rff, orthogonal": ("--approximation.method", "rff", "--approximation.features", 100, "--approximation.fourier", "orthogonal"),
    "nystrom": ("--approximation.method", "nystrom", "--landmarks.count", 101),
}
FIELDS = ("set", "method", "seed", "error", "relative", "predicted", "seconds")


def svm_points(path):
    import numpy
    rows = [dict(entry.split(":") for entry in line.split()[1:]) for line in lzma.open(path, "rt")]
    width = max(int(column) for row in rows for column in row)
    return numpy.array([[float(row.get(str(k), 0)) for k in range(1, width + 1)] for row in rows])


def points_of(data, name):
    import numpy
    if name == "synthetic":
        x = numpy.random.default_rng(1).standard_normal((1000, 50))
    elif name == "letter":
        text = lzma.open(data / "points/letter.csv.xz", "rt").read()
        x = numpy.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, usecols=range(1, 17)) / 7.5 - 1
    elif name == "usps":
        x = numpy.loadtxt(io.StringIO(gzip.open(data / "points/usps.train.gz", "rt").read()))[:, 1:]
    else:
        x = svm_points(data / f"points/{name}.svm.xz")
    return x / math.sqrt(10 * x.shape[1])


def error_of(x, path):
    """The paper's error, and |K~ - K| / |K|."""
    import h5py
    import numpy
    with h5py.File(path, "r") as file:
        left = file["left"][:]
        joining = file["joining"]
        kind = joining.attrs["layout"]
        kind = kind.decode() if isinstance(kind, bytes) else kind
        right = left * joining[:] if kind == "diagonal" else left if kind == "identity" else left @ joining[:]
    rows = range(len(x)) if len(x) <= 8000 else numpy.random.default_rng(0).choice(len(x), 2000, replace=False)
    norms = (x * x).sum(1)
    squares, missed, whole, count = 0.0, 0.0, 0.0, 0
    for first in range(0, len(rows), 500):
        some = numpy.array(rows[first:first + 500])
        k = numpy.exp(-numpy.maximum(0, norms[some, None] + norms - 2 * x[some] @ x.T))
        difference = left[some] @ right.T - k
        squares += ((difference / k) ** 2).sum()
        missed, whole, count = missed + (difference ** 2).sum(), whole + (k * k).sum(), count + k.size
    return squares / count, math.sqrt(missed / whole)


def measure(chosen):
    import numpy
    with tempfile.TemporaryDirectory() as name, open(chosen.out, "w", newline="", encoding="utf-8") as file:
        folder = pathlib.Path(name)
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for of in chosen.sets.split(","):
            try:
                x = points_of(chosen.data, of)
            except FileNotFoundError as missing:
                print(f"{of} is left out: {missing}", flush=True)
                continue
            numpy.save(folder / "x.npy", x)
            for method, arguments in METHODS.items():
                if chosen.methods and method not in chosen.methods.split(";"):
                    continue
                for seed in range(1, chosen.seeds + 1):
                    command = [chosen.cairn, "approximate", "--data.path", folder / "x.npy", "--similarity.kind", "rbf", "--similarity.gamma", 1,
                               *arguments, "--run.seed", seed, "--output.path", folder / "r.h5", "--json", folder / "r.json"]
                    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
                    if done.returncode != 0:
                        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
                    report = json.loads((folder / "r.json").read_text())
                    error, relative = error_of(x, folder / "r.h5")
                    writer.writerow({"set": of, "method": method, "seed": seed, "error": error, "relative": relative,
                                     "predicted": report.get("predicted_error", ""), "seconds": report["seconds"]["total"]})
                file.flush()
                print(of, method, flush=True)


def show(path):
    groups, methods = collections.defaultdict(list), []
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            groups[row["set"], row["method"]].append(row)
            if row["method"] not in methods:
                methods.append(row["method"])
    sets = list(dict.fromkeys(key[0] for key in groups))
    print("| method | " + " | ".join(sets) + " |\n|---|" + "---|" * len(sets))
    for method in methods:
        print(f"| {method} | " + " | ".join(
            f"{statistics.mean(float(row['error']) for row in groups[of, method]):.3g}" if (of, method) in groups else "" for of in sets) + " |")
    print("\n| set | method | measured, root mean square of the relative error | predicted, mean | ratio |\n|---|---|---|---|---|")
    for (of, method), rows in groups.items():
        if not rows[0]["predicted"]:
            continue
        measured = math.sqrt(statistics.mean(float(row["relative"]) ** 2 for row in rows))
        predicted = statistics.mean(float(row["predicted"]) for row in rows)
        print(f"| {of} | {method} | {measured:.3g} | {predicted:.3g} | {predicted / measured:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, help="The folder DATA.")
    parser.add_argument("--cairn", default="cairn", help="The program.")
    parser.add_argument("--seeds", type=int, default=20, help="Seeds 1 to this. Default: 20.")
    parser.add_argument("--sets", default="segment,satimage,usps,letter,synthetic", help="Which sets, with commas between.")
    parser.add_argument("--methods", help="Which methods of the table, with semicolons between. Default: all.")
    parser.add_argument("--out", default="sketch-errors.csv", help="The CSV file that is written.")
    parser.add_argument("--print", metavar="CSV", help="Print the tables of a file that was written before, and measure nothing.")
    chosen = parser.parse_args()
    if not chosen.print:
        if chosen.data is None:
            sys.exit("sketch_errors.py: --data is missing")
        measure(chosen)
    show(chosen.print or chosen.out)


if __name__ == "__main__":
    main()
