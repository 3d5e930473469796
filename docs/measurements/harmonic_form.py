#!/usr/bin/env python3
"""P of biharmonic interpolation by its solvers: with L_uu in harmonic form (direct, petsc), and with M of patches (local).

harmonic_form.py --cairn build/release/apps/cairn/cairn --roads USA-BAY.gr.xz --mesh brain.obj.xz --out harmonic-form.csv
harmonic_form.py --print harmonic-form.csv [--picture harmonic-form.png]

Seconds are those of the solver and of the columns, of one run on 2 ranks. The picture, which needs SciPy and matplotlib, is
made from nothing else: a column of H and of P on a grid.
"""
import csv
import pathlib

from measuring import main, run

FIELDS = ["graph", "n", "landmarks", "solver", "factor_entries", "seconds", "peak_bytes", "iterations", "condition", "row_sum_error"]
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-q", "-n", "2"]


def graphs(options):
    """Name, the arguments that give it, and numbers of landmarks with the solvers that are run for each."""
    lengths = ["--similarity.kind", "path-length"]
    few, many = ("direct", "petsc", "local"), ("direct", "local")
    yield ("USA-BAY", ["--data.kind", "graph", "--data.path", options.roads, *lengths],
           {10: few, 100: many, 1000: many, 20000: ("local",)})
    yield ("grid", ["--data.kind", "graph", "--data.generate", "grid", "--data.points", "250000", "--data.largest-component", "true", *lengths],
           {10: few, 100: many, 1000: many, 20000: ("local",)})
    yield ("brain", ["--data.kind", "mesh", "--data.path", options.mesh, "--similarity.kind", "rbf", "--similarity.gamma", "0.001"],
           {10: few, 100: few, 1000: many})
    yield ("points", ["--data.generate", "gaussian-mixture", "--data.points", "20000", "--data.dimension", "3", "--similarity.kind", "euclidean"],
           {10: few, 100: few, 1000: many})


def measure(options, folder):
    for name, arguments, numbers in graphs(options):
        for landmarks, solvers in numbers.items():
            for solver in solvers:
                report = run([*MPIRUN, options.cairn, "approximate", *arguments, "--approximation.method", "biharmonic",
                              "--approximation.solver", solver, "--landmarks.count", landmarks, "--landmarks.selection", "uniform",
                              "--approximation.p-row", min(50, landmarks), "--evaluation.rows", 0, "--output.path", folder / "r.h5",
                              "--overwrite", "true"], folder / "report.json")
                seconds = report["seconds"]
                yield dict(zip(FIELDS, (name, report["n"], landmarks, solver, report["factor_entries"],
                                        round(seconds["interpolation solver"] + seconds["interpolation"], 3), report["peak_bytes"],
                                        report["iterations"], report["condition_estimate"], report["row_sum_error"])))


def table(path, options):
    print("| graph, n | landmarks | solver | entries of the factor | seconds | peak of a rank | condition | rows sum to 1 within |")
    print("|---|---|---|---|---|---|---|---|")
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            factor = f"{float(row['factor_entries']) / 1e6:.2f} M" if row["factor_entries"] != "0" else f"{row['iterations']} iterations"
            print(f"| {row['graph']}, {int(row['n']):,} | {int(row['landmarks']):,} | `{row['solver']}` | {factor} | "
                  f"{float(row['seconds']):.2g} | {int(row['peak_bytes']) / 1e6:.0f} MB | {float(row['condition']):.1e} | "
                  f"{float(row['row_sum_error']):.0e} |")
    if options.picture:
        draw(options.picture)


def draw(path):
    """Columns of H and of P on a grid of 81 x 81 vertices with 25 landmarks."""
    import matplotlib
    import numpy
    import scipy.sparse
    import scipy.sparse.linalg
    matplotlib.use("Agg")
    from matplotlib import pyplot
    side = 81
    line = scipy.sparse.diags([[1.0] * (side - 1)] * 2, [-1, 1])
    edges = scipy.sparse.kronsum(line, line).tocsr()
    laplacian = (scipy.sparse.diags(numpy.asarray(edges.sum(axis=1)).ravel()) - edges).tocsr()
    places = numpy.arange(8, side, 16)
    landmarks = (places[:, None] * side + places).ravel()
    others = numpy.setdiff1d(numpy.arange(side * side), landmarks)
    solve = scipy.sparse.linalg.factorized(laplacian[others][:, others].tocsc())
    ends = laplacian[others][:, landmarks].toarray()
    harmonic = -solve(ends)
    mass = numpy.eye(len(landmarks)) + harmonic.T @ harmonic
    stiffness = laplacian[landmarks][:, landmarks].toarray() + ends.T @ harmonic
    columns = harmonic + solve(harmonic @ numpy.linalg.solve(mass, stiffness))
    middle = len(landmarks) // 2
    figure, axes = pyplot.subplots(1, 3, figsize=(11, 3.4), constrained_layout=True)
    for axis, values, name in ((axes[0], harmonic, "a column of H"), (axes[1], columns, "a column of P")):
        whole = numpy.zeros(side * side)
        whole[others], whole[landmarks[middle]] = values[:, middle], 1.0
        image = axis.imshow(whole.reshape(side, side), cmap="RdGy_r", vmin=-1, vmax=1)
        axis.plot(landmarks % side, landmarks // side, "k.", markersize=3)
        axis.set(title=name, xticks=[], yticks=[])
        row = side // 2
        axes[2].plot(whole.reshape(side, side)[row], label=name)
    figure.colorbar(image, ax=axes[1])
    axes[2].axhline(0, color="grey", linewidth=0.5)
    axes[2].set(title="along the middle row", xlabel="vertex")
    axes[2].legend()
    figure.savefig(path, dpi=100)


def arguments(parser):
    parser.add_argument("--roads", type=pathlib.Path)
    parser.add_argument("--mesh", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path)


if __name__ == "__main__":
    main(__doc__, FIELDS, arguments, measure, table)
