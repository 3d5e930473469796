#!/usr/bin/env python3
"""Evaluations that --error takes, beside an oracle that knows the error of every number of landmarks.

error_goal.py --cairn build/release/apps/cairn/cairn --letter letter.csv.xz --segment segment.svm.xz --out error-goal.csv
error_goal.py --print error-goal.csv [--picture error-goal.png]

The oracle is the smallest number of landmarks, of rpcholesky where it is possible, whose error on 400 rows is below the one asked for. Other
methods and numbers of landmarks are run for the picture: relative error against evaluations / n².
"""
import collections
import csv
import statistics

from measuring import main, run

FIELDS = ["matrix", "n", "method", "goal", "seed", "landmarks", "evaluations", "error"]
GOALS = (0.03, 0.01)
RPCHOLESKY = ["--landmarks.selection", "rpcholesky"]
CORE = ["--approximation.core-rows"]


def matrices(options):
    """Name, similarity is a distance or definite, and the arguments that give K."""
    letter = ["--data.path", options.letter, "--data.label", "Letter", "--data.scaling", "standard"]
    segment = ["--data.path", options.segment, "--data.scaling", "standard"]
    rbf = ["--similarity.kind", "rbf", "--similarity.gamma"]
    tanh = ["--similarity.kind", "sigmoid", "--similarity.gamma", "0.0625", "--similarity.coef0", "-0.2"]
    return [("letter, rbf", True, [*letter, *rbf, "0.03"]), ("letter, euclidean", True, [*letter, "--similarity.kind", "euclidean"]),
            ("letter, tanh", False, [*letter, *tanh]), ("segment, rbf", True, [*segment, *rbf, "0.05"]),
            ("segment, euclidean", True, [*segment, "--similarity.kind", "euclidean"])]


def measure(options, folder):
    for name, certified, arguments in matrices(options):
        if options.only and name not in options.only:
            continue
        selection = RPCHOLESKY if certified else []

        def one(*more, seed):
            report = run([options.cairn, "approximate", *arguments, *more, "--run.seed", seed, "--output.path", folder / "r.h5",
                          "--overwrite", "true"], folder / "report.json")
            spent = sum(phase["evaluations"] for phase in report["phases"].values()) - report["probe_evaluations"]
            return report["n"], report["s1"], spent, report["relative_error"]

        def record(method, goal, seed, found):
            n, landmarks, evaluations, error = found
            return dict(zip(FIELDS, (name, n, method, goal, seed, landmarks, evaluations, error)))

        rows = ["--evaluation.rows", "400"]
        for seed in range(1, options.seeds + 1):
            for goal in GOALS:
                found = one("--error", goal, *rows, seed=seed)
                yield record("--error", goal, seed, found)
                low, high = 1, found[1]
                while not certified and one("--landmarks.count", high, *rows, seed=seed)[3] > goal:
                    low, high = high, 2 * high  # plain landmarks may need more than --error with its better core matrix
                while high - low > max(1, high // 50):
                    middle = (low + high) // 2
                    tried = one(*selection, "--landmarks.count", middle, *rows, seed=seed)
                    low, high = (low, middle) if tried[3] <= goal else (middle, high)
                yield record("oracle", goal, seed, one(*selection, "--landmarks.count", high, *rows, seed=seed))
            for count in (40, 80, 160, 320):
                for method, more in (("nystrom", []), ("nystrom, rpcholesky", RPCHOLESKY), ("nystrom, core rows", [*CORE, 4 * count]),
                                     ("sicur", ["--approximation.method", "sicur"])):
                    if more is RPCHOLESKY and not certified:
                        continue
                    yield record(method, "", seed, one("--landmarks.count", count, *more, *rows, seed=seed))


def table(path, options):
    found = collections.defaultdict(list)
    with open(path, newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines:
        found[line["matrix"], line["method"], line["goal"]].append(line)
    print("| K | n | e | landmarks | oracle | evaluations over the oracle's | error / e |\n|---|---|---|---|---|---|---|")
    for (name, method, goal), taken in found.items():
        if method != "--error":
            continue
        oracle = found[name, "oracle", goal]
        median = lambda field, of: statistics.median(float(line[field]) for line in of)
        print(f"| {name} | {int(taken[0]['n']):,} | {goal} | {median('landmarks', taken):.0f} | {median('landmarks', oracle):.0f} | "
              f"{median('evaluations', taken) / (median('landmarks', oracle) * float(taken[0]['n'])):.2f} | "
              f"{median('error', taken) / float(goal):.2f} |")
    if options.picture:
        draw(lines, options.picture)


def draw(lines, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    names = list(dict.fromkeys(line["matrix"] for line in lines))
    figure, plots = pyplot.subplots(1, len(names), figsize=(3.4 * len(names), 3.4), sharey=True, constrained_layout=True)
    methods = [method for method in dict.fromkeys(line["method"] for line in lines) if method != "oracle"]
    for plot, name in zip(plots, names):
        for number, method in enumerate(methods):
            points = collections.defaultdict(list)
            for line in lines:
                if (line["matrix"], line["method"]) != (name, method):
                    continue
                share = float(line["evaluations"]) / float(line["n"]) ** 2
                points[line["goal"] or round(float(line["landmarks"]))].append((share, float(line["error"])))
            curve = sorted(tuple(statistics.median(values) for values in zip(*of)) for of in points.values())
            plot.loglog(*zip(*curve), marker="*" if method == "--error" else "o", markersize=9 if method == "--error" else 4,
                        linestyle="" if method == "--error" else "-", color=f"C{number}", label=method) if curve else None
        plot.set_title(name)
        plot.set_xlabel("evaluations / n²")
        plot.grid(alpha=0.3)
    plots[0].set_ylabel("relative error")
    plots[0].legend(fontsize=8)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    def arguments(parser):
        for name in ("--letter", "--segment"):
            parser.add_argument(name)
        parser.add_argument("--picture")
        parser.add_argument("--only", nargs="*", help="names of matrices")
    main(__doc__, FIELDS, arguments, measure, table)
