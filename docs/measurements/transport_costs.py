#!/usr/bin/python3
"""Costs of transport between the colours of two pictures, by kernel and epsilon: figure 2 of Han, Avron and Shin (2020).

    docs/measurements/transport_costs.py --images IMAGES --cairn build/release/apps/cairn/cairn --out docs/measurements/transport-costs.csv
    docs/measurements/transport_costs.py --print docs/measurements/transport-costs.csv

IMAGES holds ocean_day.jpg and ocean_sunset.jpg (of POT). 2,000 pixels of each are drawn with the seed; both directions; ten
iterations, as in the paper (its gamma = 1 is epsilon = 1); the cost over that of the exact kernel. Medians and extremes
over seeds and directions. A kernel that fails is a row without numbers. "all" are all pixels, to convergence.
"""
import collections
import csv
import pathlib
import statistics
import subprocess

import measuring

PAPER = ("poly-tensorsketch", "--approximation.allocation", "equal", "--approximation.sketch-columns", 20, "--approximation.degree", 3,
         "--approximation.penalty", "printed", "--approximation.coefficients", "coreset", "--approximation.sample-rows", 10,
         "--approximation.weigh", "false", "--approximation.center", "false")
KERNELS = {
    "exact": ("exact",),
    "nystrom, 61": ("nystrom", "--landmarks.count", 61),
    "nystrom, 300": ("nystrom", "--landmarks.count", 300),
    "monomials, 20": ("poly-tensorsketch", "--approximation.features", 20, "--approximation.degree", 3),
    "poly-tensorsketch, 61": ("poly-tensorsketch", "--approximation.features", 61),
    "paper's sketch, 61": PAPER,
    "rff, 60": ("rff", "--approximation.features", 60),
    "rff, 61 phases": ("rff", "--approximation.features", 61, "--approximation.fourier", "phase"),
    "positive, 1000": ("positive", "--features", 1000),
}
FIELDS = ("pixels", "epsilon", "kernel", "seed", "direction", "cost", "ratio", "violation", "iterations", "seconds", "columns")


def pixels(cairn, path, folder):
    import numpy
    plot = pathlib.Path(__file__).resolve().parents[2] / "apps" / "plot" / "cairn-plot"
    output = folder / (path.stem + ".npy")
    subprocess.run([str(plot), "--pixels", str(path), "-o", str(output)], check=True, capture_output=True)
    return numpy.load(output)


def run(cairn, folder, ranks, source, target, epsilon, kernel, *more):
    """The report, or None if the kernel failed for a numeric reason."""
    command = [*(["mpirun", "-n", str(ranks)] if ranks > 1 else []), str(cairn), "transport", "--data.path", source, "--target.path", target,
               "--epsilon", epsilon, "--kernel", *kernel, "--output.path", folder / "plan.h5", *more]
    return measuring.run(command, folder / "report.json", allowed=(4,))


def measure(options, folder):
    import numpy
    whole = {name: pixels(options.cairn, options.images / f"ocean_{name}.jpg", folder) for name in ("day", "sunset")}
    for epsilon in options.epsilon:
        for seed in range(1, options.seeds + 1):
            draw = numpy.random.default_rng(seed)
            for name, colours in whole.items():
                numpy.save(folder / f"{name}-some.npy", colours[draw.choice(len(colours), 2000, replace=False)])
            for source, target in (("day", "sunset"), ("sunset", "day")):
                exact = None
                for kernel, arguments in KERNELS.items():
                    report = run(options.cairn, folder, 1, folder / f"{source}-some.npy", folder / f"{target}-some.npy", epsilon, arguments,
                                 "--iterations", 10, "--tolerance", 0, *([] if kernel == "exact" else ["--run.seed", seed]))
                    exact = exact or report["transport_cost"]
                    yield row(2000, epsilon, kernel, seed, f"{source} to {target}", report, exact)
    if not options.all:
        return
    for epsilon in options.epsilon:
        for kernel, arguments in {"auto": ("auto",), "exact": ("exact",), "exact, single": ("exact", "--run.precision", "single")}.items():
            report = run(options.cairn, folder, 2, folder / "ocean_day.npy", folder / "ocean_sunset.npy", epsilon, arguments)
            yield row("all", epsilon, kernel, 1, "day to sunset", report, None)


def row(count, epsilon, kernel, seed, direction, report, exact):
    if report is None:
        return dict(zip(FIELDS, (count, epsilon, kernel, seed, direction, "", "", "", "", "", "")))
    cost = report["transport_cost"]
    return dict(zip(FIELDS, (count, epsilon, kernel, seed, direction, cost, cost / exact if exact else "", report.get("exact_violation_source", report["violation_source"]),
                             report["iterations"], report["seconds"]["total"], report["columns"])))


def table(path, _options):
    runs = collections.defaultdict(list)
    for one in csv.DictReader(path.open()):
        runs[one["pixels"], one["epsilon"], one["kernel"]].append(one)
    print("| pixels | epsilon | kernel | cost over exact: median (least, largest) | violation under K | failed | seconds |\n|---|---|---|---|---|---|---|")
    for (count, epsilon, kernel), all_of in runs.items():
        good = [one for one in all_of if one["cost"]]
        ratios = sorted(float(one["ratio"]) for one in good if one["ratio"])
        spread = f"{statistics.median(ratios):.7g} ({ratios[0]:.7g}, {ratios[-1]:.7g})" if ratios else good and f"cost {float(good[0]['cost']):.6g}" or "-"
        violation = f"{statistics.median(float(one['violation']) for one in good):.1e}" if good else "-"
        seconds = f"{statistics.median(float(one['seconds']) for one in good):.2f}" if good else "-"
        print(f"| {count} | {epsilon} | {kernel} | {spread} | {violation} | {len(all_of) - len(good)} of {len(all_of)} | {seconds} |")


def add_arguments(parser):
    parser.add_argument("--images", type=pathlib.Path)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0, 0.1])
    parser.add_argument("--all", action="store_true", help="also all pixels, on 2 ranks")


if __name__ == "__main__":
    measuring.main(__doc__, FIELDS, add_arguments, measure, table)
