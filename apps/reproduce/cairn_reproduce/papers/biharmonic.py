"""Turek and Huth (2022): biharmonic interpolation on meshes, points and graphs."""
import numpy as np

from ..entry import Entry, Paper
from ..runs import measured, read

BRAIN, BUNNY, BIG, ROADS = "meshes/brain-7502.obj.xz", "meshes/bunny-14290.obj.xz", "meshes/brain-151487.gii.xz", "roads/USA-NE.gr.xz"
METHOD, ALL = "--approximation.method", ("--approximation.p-row", 2000)  # all of P here
UNIFORM = ("--landmarks.selection", "uniform")


def vary(key, values):
    return "--vary", f"{key}={','.join(map(str, values))}"


def squared_error(line):
    """Against the mean of both directions where K_ij from i and from j differ."""
    return line["symmetric_relative_squared_error"] or line["relative_squared_error"]


# Figure 1

def curves(run, config, mesh, landmarks, ranks, repeats):
    data, along = ("--data.path", mesh, *(() if ranks else ("--evaluation.rows", 300))), (*vary("landmarks.count", landmarks), "--repeats", repeats)
    known = (*data, *UNIFORM, *ALL, *along)
    for series, words in (("known operator", (*known, "--approximation.flip-edges", "false")),
                          ("known operator, Delaunay triangles", (*known, "--similarity.flip-edges", "true")),
                          ("estimated operator", (*known, "--approximation.operator", "neighbours")),
                          ("nystrom, tolerance 1e-4", (*data, METHOD, "nystrom", "--approximation.tolerance", "1e-4", *along)),
                          ("nystrom, plain", (*data, METHOD, "nystrom", "--approximation.tolerance", 0, *along))):
        for line in run.sweep(config, *words):
            yield "", series, line["landmarks.count"], line["run_seed"], "squared error", squared_error(line)
    if ranks:
        for line in run.sweep(config, *data, METHOD, "optimal", *vary("landmarks.count", ranks)):
            yield "", "best of rank l", line["landmarks.count"], 1, "squared error", squared_error(line)


def figure_1_brain(run, full):
    counts = (10, 30, 100, 300, 1000, 2000)
    return curves(run, "repro/biharmonic-brain.cfg", run.data(BRAIN), counts if full else (30, 100, 300), counts if full else (), 10 if full else 1)


def figure_1_bunny(run, full):
    counts = (10, 30, 100, 300, 1000, 2000)
    return curves(run, "repro/biharmonic-bunny.cfg", run.data(BUNNY), counts if full else (100,), counts if full else (), 10 if full else 1)


def figure_1_stored(name):
    series = {"cotangent": "known operator", "neighbours": "estimated operator"}
    for line in measured(f"biharmonic-{name}-operators.csv"):
        yield "", series[line["approximation.operator"]], line["landmarks.count"], line["run_seed"], "squared error", squared_error(line)
    for line in measured(f"biharmonic-{name}-nystrom.csv"):
        tolerance = float(line["approximation.tolerance"])
        label = "nystrom, tolerance 1e-4" if tolerance else "nystrom, plain"
        yield "", label, line["landmarks.count"], line["run_seed"], "squared error", squared_error(line)
    if name == "brain":
        for line in measured("biharmonic-brain-optimal.csv"):
            yield "", "best of rank l", line["landmarks.count"], 1, "squared error", squared_error(line)


# Figures 2 and 7

ROLL = ("--approximation.neighbours", 10, "--approximation.perplexity", 20)
SURFACE = ("--approximation.flip-edges", "false", *UNIFORM, "--approximation.normalize", "false")


def sparse(run, sets, p_rows, landmarks, repeats, more=()):
    for name, words in sets.items():
        for line in run.sweep(f"repro/biharmonic-{name}.cfg", *words, *more, *vary("approximation.p-row", p_rows),
                              *vary("landmarks.count", landmarks), "--repeats", repeats):
            kept = int(line["approximation.p-row"])
            series = "dense" if kept >= 2000 else f"p-row {kept}"
            yield name, series, line["landmarks.count"], line["run_seed"], "squared error", squared_error(line)
            yield name, series, line["landmarks.count"], line["run_seed"], "nonzeros a row", line["nonzeros_per_row"]


def sparsity(run, full, *more):
    sets = {"swissroll": ROLL, "brain": (*SURFACE, "--data.path", run.data(BRAIN))}
    if full:
        sets["bunny"] = (*SURFACE, "--data.path", run.data(BUNNY))
        return sparse(run, sets, (10, 20, 50, 100, 2000), (100, 300, 1000, 2000), 3, more)
    return sparse(run, sets, (10, 50, 2000), (300,), 1, (*more, "--evaluation.rows", 300))


def figure_2_stored():
    for name in ("swissroll", "brain", "bunny"):
        for line in measured(f"biharmonic-{name}-sparsity.csv"):
            kept = int(line["approximation.p-row"])
            series = "dense" if kept >= 2000 else f"p-row {kept}"
            yield name, series, line["landmarks.count"], line["run_seed"], "squared error", squared_error(line)
            yield name, series, line["landmarks.count"], line["run_seed"], "nonzeros a row", line["nonzeros_per_row"]


def figure_7(run, full):
    return sparsity(run, full, "--approximation.sparsity", "rows")


# Figure 3

def roads(run, full):
    name, path = ("USA-NE", ROADS) if full else ("USA-BAY", "roads/USA-BAY.gr.xz")
    return road_curves(run, full, name, ("--config", run.config("repro/biharmonic-roads.cfg"), "--data.path", run.data(path)))


def road_curves(run, full, name, data):
    plain = ("--approximation.normalize", "false", "--approximation.exact-trees", "false")
    rows = () if full else ("--evaluation.rows", 100)
    counts = (1000, 2000, 5000, 10000, 20000, 50000, 100000) if full else (4000,)
    for line in run.sweep("", *data, *plain, *rows, "--approximation.p-row", 100, *vary("landmarks.count", counts)):
        yield from road_rows(name, "biharmonic, p-row 100", line)
    for series, tolerance in (("nystrom, plain", 0), ("nystrom, tolerance 1e-4", "1e-4")):
        for line in run.sweep("", *data, *rows, METHOD, "nystrom", "--run.precision", "single", "--approximation.tolerance", tolerance,
                              *vary("landmarks.count", (100, 300, 1000) if full else (100,))):
            yield from road_rows(name, series, line)


def road_rows(name, series, line):
    yield name, series, line["landmarks.count"], line["run_seed"], "squared error", squared_error(line)
    yield name, series, line["landmarks.count"], line["run_seed"], "gigabytes", float(line["factor_bytes"]) / 1e9


def roads_stored():
    for line in measured("biharmonic-roads-landmarks.csv"):
        yield from road_rows("USA-NE", "biharmonic, p-row 50", line)
    for line in measured("biharmonic-roads-100k.csv"):
        yield from road_rows("USA-NE", "biharmonic, p-row 100", line)
    for line in measured("biharmonic-roads-nystrom.csv"):
        plain = not float(line["approximation.tolerance"])
        yield from road_rows("USA-NE", "nystrom, plain" if plain else "nystrom, tolerance 1e-4", line)


def california(run, full):
    return road_curves(run, full, "roadNet-CA", ("--config", run.config("repro/biharmonic-roadnet-ca.cfg"), "--data.path", run.data("roads/roadNet-CA.txt.gz")))


# Figures 5 and 6: the values of P

def column_shares(values, whole):
    """Shares of a column, or of all of P, that are near 0 and that are below."""
    return np.count_nonzero(np.abs(values) <= 0.00495) / whole + (whole - len(values)) / whole, np.count_nonzero(values < -0.00495) / whole


def figure_5(run, full):
    import h5py
    for neighbours in (20, 60) if full else (20,):
        for seed in range(1, 11 if full else 3):
            run.approximate("repro/biharmonic-swissroll.cfg", "--landmarks.count", 100, "--approximation.p-row", 100, "--approximation.neighbours", neighbours,
                            "--data.seed", seed, "--run.seed", seed, "--evaluation.rows", 10)
            with h5py.File(run.path("result.h5")) as file:
                values, shape = file["left/data"][:], file["left"].attrs["shape"]
            near, _ = column_shares(values, int(shape[0]) * int(shape[1]))
            yield "", f"{neighbours} neighbors, perplexity 20", "", seed, "share in [-.00495, .00495], %", 100 * near


def figure_6(run, full):
    """The same landmark's column as more landmarks join."""
    import h5py
    order = np.random.default_rng(1).permutation(14290)[:300]
    for count in (30, 70, 300):
        result = run.path(f"bunny-{count}.h5")
        run.approximate("", "--data.kind", "mesh", "--data.path", run.data(BUNNY), "--similarity.kind", "geodesic", "--similarity.flip-edges", "false",
                        METHOD, "biharmonic", "--landmarks.selection", "by-list", "--landmarks.list", ",".join(map(str, order[:count])), *ALL, "--approximation.flip-edges", "false", "--evaluation.rows", 10, "--output.path", result)
        with h5py.File(result) as file:
            column = list(file["landmarks/indices"][:]).index(order[0])
            values = file["left/data"][:][file["left/indices"][:] == column]
            rows = int(file["left"].attrs["shape"][0])
        near, below = column_shares(values, rows)
        yield "bunny", "a column of P", count, 1, "near 0, %", 100 * near
        yield "bunny", "a column of P", count, 1, "negative, %", 100 * below


# Figure 8 and MNIST: seconds

def figure_8(run, full):
    mesh, landmarks, models, repeats = (BIG, "1000,1500,2000", 8, 10) if full else (BRAIN, "300", 3, 1)
    table = run.path("ensemble.csv")
    run.script("biharmonic_ensemble.py", "run", "--cairn", run.program, "--mesh", run.data(mesh), "--landmarks", landmarks, "--models", models,
               "--repeats", repeats, "--ranks", 1, "--folder", run.folder, table)
    return ensemble_rows(read(table))


def ensemble_rows(lines):
    for line in lines:
        series = {"biharmonic": "biharmonic, one P", "nystrom": "nystrom"}[line["method"]]
        yield f"l = {line['l']}", series, line["q"], int(line["repeat"]) + 1, "seconds", line["seconds"]


def ensemble_stored():
    return ensemble_rows(measured("biharmonic-ensemble.csv"))


def mnist(run, full):
    split = "train" if full else "t10k"
    data = ("--data.path", run.data(f"points/{split}-images-idx3-ubyte.gz"), "--similarity.kind", "euclidean")
    made = run.approximate("", *data, METHOD, "biharmonic", "--approximation.neighbours", 10, "--approximation.perplexity", 20, "--approximation.p-row", 50,
                           "--landmarks.count", 100, "--evaluation.rows", 10)
    seconds = made["seconds"]
    yield "MNIST", "biharmonic", made["n"], 1, "seconds of the neighbors", seconds["operator"]
    yield "MNIST", "biharmonic", made["n"], 1, "seconds of the rest", seconds["total"] - seconds["operator"]
    yield "MNIST", "biharmonic", made["n"], 1, "squared error", made["relative_squared_error"]


PAPER = Paper("biharmonic", "Turek, Huth 2022: Sparse and low-rank approximations of large symmetric matrices using biharmonic interpolation", (
    Entry("biharmonic-figure-1-bunny", "figure 1", "squared error against l on the Stanford bunny, 14,290 vertices",
          "3 draws of 10 in the kept table, from l = 10 to 2,000; the best of rank l was not run (eigenvalues of 14,290 rows: --full).", figure_1_bunny, "repro/biharmonic-bunny.cfg",
          bounds={"squared error": 1e-3}, needs=(BUNNY,), seconds=(6, 3000), page="method-biharmonic.md",
          headline=tuple(("", series, "300", "squared error") for series in ("known operator", "estimated operator", "nystrom, tolerance 1e-4", "nystrom, plain")),
          stored=lambda: figure_1_stored("bunny"), stored_in="biharmonic-bunny-operators.csv",
          says="known operator better than regularized Nyström for l / n > .09, plain Nyström worse by orders of magnitude, about 1e-5 at l = 2,000"),
    Entry("biharmonic-figure-1-brain", "figure 1", "the same on Brain 7K, 7,502 vertices",
          "The estimated operator is ten times worse than the known one, unlike the paper's: of the 20 nearest neighbors in space 18 % lie across a fold. 3 draws of 10, l from 30 to 1,000 in the kept table.",
          figure_1_brain, "repro/biharmonic-brain.cfg", bounds={"squared error": 1e-3}, needs=(BRAIN,), seconds=(9, 1200),
          page="method-biharmonic.md",
          headline=tuple(("", series, "300", "squared error") for series in ("known operator", "estimated operator", "nystrom, tolerance 1e-4", "best of rank l")),
          stored=lambda: figure_1_stored("brain"), stored_in="biharmonic-brain-operators.csv",
          says="no consistent difference of known and estimated operator"),
    Entry("biharmonic-figure-2", "figure 2", "squared error and nonzeros a row by p-row: Swiss roll, brain, bunny",
          "3 draws; p-row 10, 20, 50, 100. On the Swiss roll 10 neighbors and perplexity 20, as in the paper.", sparsity, "repro/biharmonic-swissroll.cfg",
          bounds={"squared error": 1e-3, "nonzeros a row": 1e-5}, needs=(BRAIN,), seconds=(3, 420), page="method-biharmonic.md",
          headline=(("swissroll", "p-row 50", "1000", "squared error"), ("swissroll", "dense", "1000", "squared error"), ("brain", "p-row 50", "1000", "squared error"),
                    ("brain", "dense", "1000", "squared error")),
          stored=figure_2_stored, stored_in="biharmonic-brain-sparsity.csv", says="p-row 50 is as good as all of P"),
    Entry("biharmonic-figure-3", "figure 3", "path lengths on a million crossings: squared error against l and against gigabytes",
          "USA-NE of DIMACS 9 (1,524,453 crossings) stands in for roadNet-CA (1,957,027), which is not here; Nyström to 1,000 landmarks for 5,000, by memory; quick: USA-BAY.",
          roads, "repro/biharmonic-roads.cfg", bounds={"squared error": 1e-3, "gigabytes": 1e-3}, needs=("roads/USA-BAY.gr.xz",), seconds=(15, 4000),
          page="method-biharmonic.md",
          headline=(("USA-NE", "biharmonic, p-row 50", "20000", "squared error"), ("USA-NE", "biharmonic, p-row 100", "100000", "squared error"),
                    ("USA-NE", "nystrom, plain", "1000", "squared error"), ("USA-NE", "nystrom, tolerance 1e-4", "1000", "squared error")),
          stored=roads_stored, stored_in="biharmonic-roads-landmarks.csv",
          says="biharmonic interpolation beats Nyström at equal memory, and takes 100,000 landmarks"),
    Entry("biharmonic-figure-3-ca", "figure 3", "the same on roadNet-CA itself, where a user has SNAP's file as DATA/roads/roadNet-CA.txt.gz",
          "The file is not here (1,965,206 vertices, 2,766,607 edges, of which the largest component has 1,957,027), so this was run on other graphs in its format alone.",
          california, "repro/biharmonic-roadnet-ca.cfg", bounds={"squared error": 1e-3, "gigabytes": 1e-3}, needs=("roads/roadNet-CA.txt.gz",),
          seconds=(120, 6000)),
    Entry("biharmonic-figure-4", "figure 4", "pictures of three data sets", "Pictures of the inputs; `cairn-plot` draws such surfaces from fields, see the [gallery](gallery.md)."),
    Entry("biharmonic-figure-5", "figure 5", "the values of P on the Swiss roll, l = 100", "The paper does not state the neighbors: 20 and 60 are shown.", figure_5,
          "repro/biharmonic-swissroll.cfg", bounds={"share in [-.00495, .00495], %": 1e-3}, seconds=(1, 60), page="method-biharmonic.md",
          paper={("", "20 neighbors, perplexity 20", "", "share in [-.00495, .00495], %"): 82.75}),
    Entry("biharmonic-figure-6", "figure 6", "a column of P on the bunny at l = 30, 70, 300", "The paper's pictures have no numbers: here the shares of the column that are within .00495 of 0, and below.",
          figure_6, "repro/biharmonic-bunny.cfg", bounds={"near 0, %": 1e-3, "negative, %": 1e-3}, needs=(BUNNY,), seconds=(4, 6),
          says="most of the column goes to 0 as landmarks join"),
    Entry("biharmonic-figure-7", "figure 7", "as figure 2, the p-row largest of every row kept", "As figure 2.", figure_7, "repro/biharmonic-brain.cfg",
          bounds={"squared error": 1e-3, "nonzeros a row": 1e-5}, needs=(BRAIN,), seconds=(4, 420),
          headline=(("brain", "p-row 10", "300", "squared error"), ("brain", "p-row 50", "300", "squared error"), ("brain", "dense", "300", "squared error")),
          says="columns are slightly better for small p-row (figure 2)"),
    Entry("biharmonic-figure-8", "figure 8", "seconds of q kernel ridge regressions on one mesh",
          "A mesh of 151,487 vertices for the paper's 151,191; in the kept table l = 1,000 alone, one repetition of 10, and Nyström to q = 7.", figure_8, "repro/biharmonic-ensemble.cfg",
          bounds={"seconds": None}, needs=(BRAIN,), seconds=(4, 9000), page="task-krr.md",
          headline=tuple(("l = 1000", series, q, "seconds") for q in ("1", "5") for series in ("biharmonic, one P", "nystrom")),
          stored=ensemble_stored, stored_in="biharmonic-ensemble.csv",
          says="biharmonic interpolation is faster from q = 5 on at l = 1,000, from 3 on at 1,500"),
    Entry("biharmonic-mnist", "supplement F", "MNIST by 10 nearest neighbors: seconds", "10,000 test images in the quick run, all 60,000 training ones in the full one; perplexity 20, which the paper does not state.", mnist,
          bounds={"seconds of the neighbors": None, "seconds of the rest": None, "squared error": 1e-2}, needs=("points/t10k-images-idx3-ubyte.gz",),
          seconds=(7, 500),
          says="more than 400 s for the neighbors, a few for the rest"),
))
