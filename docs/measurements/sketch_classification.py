#!/usr/bin/python3
"""Table 1 of Han, Avron and Shin (2020): classification by the features of sketches, beside the kernel itself.

    docs/measurements/sketch_classification.py --data DATA --cairn build/release/apps/cairn/cairn --out docs/measurements/sketch-classification.csv
    docs/measurements/sketch_classification.py --print docs/measurements/sketch-classification.csv

DATA holds points/segment.svm.xz, satimage.svm.xz and usps.train.gz. Points in [-1, 1] are divided by sqrt(10 d); the kernel is
exp(-|x - y|²); C = 1000, ten folds, one class against one other by LIBSVM. 61 columns: 20 for each of the degrees 1 to 3 and a
constant. Folds in the order of the file, as in the paper, or at random ("shuffled"). Wrong %, means over seeds.
"""
import collections
import csv
import gzip
import io
import lzma
import math
import pathlib
import statistics

import measuring

PAPER = ("--approximation.method", "poly-tensorsketch", "--approximation.allocation", "equal", "--approximation.sketch-columns", 20,
         "--approximation.degree", 3, "--approximation.coefficients", "coreset", "--approximation.sample-rows", 10,
         "--approximation.penalty", "printed", "--approximation.weigh", "false", "--approximation.center", "false")
METHODS = {
    "exact": None,
    "paper's sketch": PAPER,
    "paper's sketch, positive": (*PAPER, "--approximation.signs", "positive"),
    "default, 61 columns": ("--approximation.method", "poly-tensorsketch", "--approximation.features", 61),
    "rff, phase": ("--approximation.method", "rff", "--approximation.features", 61, "--approximation.fourier", "phase"),
    "rff, pairs": ("--approximation.method", "rff", "--approximation.features", 60),
    "nystrom, 61 landmarks": ("--approximation.method", "nystrom", "--landmarks.count", 61, "--approximation.embedding", "true"),
}
FIELDS = ("set", "method", "order", "seed", "wrong", "seconds")


def read(data, name):
    """Points and labels."""
    import numpy
    if name == "usps":
        rows = numpy.loadtxt(io.StringIO(gzip.open(data / "points/usps.train.gz", "rt").read()))
        return rows[:, 1:], rows[:, 0].astype(int)
    lines = [line.split() for line in lzma.open(data / f"points/{name}.svm.xz", "rt")]
    width = max(int(entry.split(":")[0]) for line in lines for entry in line[1:])
    points = numpy.zeros((len(lines), width))
    for i, line in enumerate(lines):
        for entry in line[1:]:
            column, value = entry.split(":")
            points[i, int(column) - 1] = float(value)
    return points, numpy.array([int(float(line[0])) for line in lines])


def run(options, folder, *arguments):
    return measuring.run((options.cairn, *arguments), folder / "report.json")


def measure(options, folder):
    for name in options.sets.split(","):
        points, labels = read(options.data, name)
        with (folder / "x.csv").open("w") as file:
            for point, label in zip(points / math.sqrt(10 * points.shape[1]), labels):
                file.write(",".join(f"{value:.17g}" for value in point) + f",c{label}\n")
        for method, arguments in METHODS.items():
            draws = 1 if arguments is None else options.seeds
            for seed in range(1, draws + 1):
                run(options, folder, "approximate", "--data.path", folder / "x.csv", "--data.label", points.shape[1] + 1, "--similarity.kind", "rbf",
                    "--similarity.gamma", 1, "--run.seed", seed, *(arguments or METHODS["nystrom, 61 landmarks"]), "--output.path", folder / "r.h5")
                for order in ("file", "random"):
                    exact = arguments is None
                    report = run(options, folder, "train", folder / "r.h5", "--task", "kernel-svm" if exact else "svm", "--cost", 1000, "--folds", 10,
                                 "--fold-order", order, *([] if exact else ["--multiclass", "one-vs-one", "--output.path", folder / "m.h5"]),
                                 *(["--run.seed", seed] if order == "random" else []))
                    score = next(one for one in report["scores"] if one["on"] == "cross-validation")
                    yield {"set": name, "method": method, "order": "file" if order == "file" else "shuffled", "seed": seed,
                           "wrong": 100 * (1 - score["accuracy"]), "seconds": report["seconds"]["total"]}
            print(name, method, flush=True)


def table(path, _options):
    runs = collections.defaultdict(list)
    for one in csv.DictReader(path.open()):
        runs[one["method"], one["set"], one["order"]].append(float(one["wrong"]))
    columns = list(dict.fromkeys((of, order) for _, of, order in runs))
    print("| method | " + " | ".join(f"{of}, {order}" for of, order in columns) + " |\n|---|" + "---|" * len(columns))
    for method in dict.fromkeys(key[0] for key in runs):
        print(f"| {method} | " + " | ".join(f"{statistics.mean(runs[method, of, order]):.2f}" if runs[method, of, order] else "" for of, order in columns) + " |")


def add_arguments(parser):
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--sets", default="segment,satimage,usps")


if __name__ == "__main__":
    measuring.main(__doc__, FIELDS, add_arguments, measure, table)
