"""Ray, Monath, McCallum and Musco (2022): matrices of texts, their spectra and the errors of their approximations."""
import importlib
import sys

import numpy as np

from ..runs import MEASUREMENTS, measured

CONFIG = "repro/sms-errors-matrix.cfg"
WORDS = ("words/glove100.f32le.gz", "words/glove100.words.txt.gz", "documents/stop-words.txt")
TWEETS, STS, MRPC = "documents/twitter.txt.xz", "pairs/sts-dev.tsv.xz", "pairs/mrpc-test.tsv.xz"
MATRICES = ("twitter", "stsb", "mrpc", "stsb-match", "stsb-logistic", "mrpc-logistic", "psd")
QUICK = 600  # texts


def figures():
    sys.path.insert(0, str(MEASUREMENTS))
    return importlib.import_module("sms_figures")


# Matrices, made once each

def texts(run, name, full):
    """A file of texts, a number before each, and the pairs of a set of pairs by these numbers."""
    import lzma
    path = run.path(f"{name}-{'all' if full else QUICK}.tsv")
    if name == "twitter":
        with lzma.open(run.data(TWEETS), "rt", encoding="utf-8", errors="replace") as file:
            lines, pairs = [line.rstrip("\n").split("\t")[-1] for line in file], []
    else:
        lines, pairs = figures().read_pairs(run, name)
    lines = lines if full else lines[:QUICK]
    path.write_text("".join(f"{number}\t{' '.join(text.split())}\n" for number, text in enumerate(lines)), encoding="utf-8")
    return path, lines, [pair for pair in pairs if max(pair[:2]) < len(lines)]


def words_of(run):
    return ("--data.stop-words", run.data(WORDS[2]), "--data.vectors", run.data(WORDS[0]))


def distances(run, name, full):
    """Word mover's distances of all texts that have a known word, evaluated once, and the numbers of these texts."""
    import h5py
    base = run.path(f"{name}-{'all' if full else QUICK}-base.h5")
    if not base.exists():
        path, _, _ = texts(run, name, full)
        data = ("--data.path", path, *words_of(run))
        count = run.approximate("repro/sms-errors.cfg", *data, "--approximation.method", "nystrom", "--output.distances", "false")["n"]
        run.approximate("repro/sms-errors.cfg", *data, "--approximation.s2", count, "--output.path", base)
    with h5py.File(base) as file:
        columns = file["base/columns"][:]
        found = np.empty_like(columns)
        found[:, file["base/indices"][:]] = columns
        kept = [int(label) for label in file["labels"].asstr()[:]]
    return (found + found.T) / 2, kept


def matrix(run, name, full):
    """K as a file, and its size."""
    path = run.path(f"{name}-{'all' if full else QUICK}.npy")
    if not path.exists():
        np.save(path, made(run, name, full))
    return path, len(np.load(path, mmap_mode="r"))


def made(run, name, full):
    if name == "psd":
        z = np.random.default_rng(1).standard_normal((1000, 1000) if full else (300, 300))
        return z @ z.T
    source, _, kind = name.partition("-")
    found, kept = distances(run, source, full)
    if not kind:
        return np.exp(-0.2 * found)
    _, lines, _ = texts(run, source, full)
    matches = figures().greedy_matches(run, [lines[number] for number in kept])
    if kind == "logistic":
        matches = 1 / (1 + np.exp(-10 * (matches - 0.6)))
    return (matches + matches.T) / 2


# Figures 1 and 2

def figure_1(run, full):
    for name in MATRICES if full else ("twitter", "stsb-logistic"):
        values = np.linalg.eigvalsh(np.load(matrix(run, name, full)[0]))
        values = values[np.argsort(-np.abs(values))]
        for place in range(2, 202) if full else (2, 3, 5, 10, 20, 50, 100):
            yield name, "eigenvalues", place, 1, "eigenvalue", values[place - 1]
        below = values[values < -1e-12 * abs(values[0])]
        yield name, "all", "", 1, "negative, share of squares", np.sum(below**2) / np.sum(values**2)


def figure_1_stored():
    for line in measured("sms-spectra.csv"):
        if int(line["place"]) > 1:
            yield line["matrix"], "eigenvalues", line["place"], 1, "eigenvalue", line["eigenvalue"]
    for line in measured("sms-matrices.csv"):
        yield line["matrix"], "all", "", 1, "negative, share of squares", line["negative_share_of_squares"]


def figure_2(run, full):
    """Eigenvalues of 50 samples of 200 rows and the same columns."""
    edges = np.arange(-2.05, 5.051, 0.1)
    for name in ("twitter", "stsb", "mrpc", "stsb-match", "stsb-logistic", "mrpc-logistic") if full else ("twitter", "stsb-logistic"):
        whole = np.load(matrix(run, name, full)[0])
        random = np.random.default_rng(1)
        rows = [random.choice(len(whole), 200, replace=False) for _ in range(50)]
        values = np.concatenate([np.linalg.eigvalsh(whole[np.ix_(some, some)]) for some in rows])
        for share, what in ((np.abs(values) < 1e-3, "below .001 in magnitude, %"), (np.abs(values) < 1e-2, "below .01 in magnitude, %"), (values < -1e-10, "negative, %")):
            yield name, "50 samples", "", 1, what, 100 * np.mean(share)
        if full:
            counts, _ = np.histogram(values, edges)
            for center, count in zip((edges[1:] + edges[:-1]) / 2, counts):
                yield name, "histogram", f"{center:.1f}", 1, "share of the eigenvalues", count / len(values)


# Figures 3 and 9, tables 3 and 5

VARIANTS = ("nystrom-plain", "nystrom", "sms-nystrom", "sicur", "skeleton", "stacur-s", "stacur-d")
SHARES = (.02, .05, .1, .2, .3)


def errors(run, path, variant, counts, seeds):
    method, share, more = figures().VARIANTS[variant]
    scaled = {max(1, round(count * share)): count for count in counts}
    for line in run.sweep(CONFIG, "--data.path", path, "--approximation.method", method, *more,
                          "--vary", "landmarks.count=" + ",".join(map(str, scaled)), "--repeats", seeds):
        yield scaled[int(line["landmarks.count"])], line["run_seed"], line["relative_error"]


def figure_3(run, full):
    for name in MATRICES if full else ("twitter", "stsb-logistic", "psd"):
        path, n = matrix(run, name, full)
        for variant in VARIANTS:
            for count, seed, error in errors(run, path, variant, [round(share * n) for share in (SHARES if full else (.1, .2))], 10 if full else 1):
                yield name, variant, round(count / n, 3), seed, "relative error", error


def figure_3_stored():
    for line in measured("sms-errors.csv"):
        yield line["matrix"], line["method"], round(int(line["s"]) / int(line["n"]), 2), line["seed"], "relative error", line["relative_error"]


def figure_9(run, full):
    for name in ("stsb-match", "stsb-logistic", "mrpc-logistic") if full else ("stsb-logistic",):
        path, n = matrix(run, name, full)
        for share in SHARES[:4] if full else (.1,):
            for multiple in (1, 2, 3):
                count = round(share * n)
                for line in run.sweep(CONFIG, "--data.path", path, "--approximation.s2", multiple * count, "--vary", f"landmarks.count={count}",
                                      "--vary", "approximation.alpha=0.5,1,1.5,2", "--repeats", 3 if full else 1):
                    series = f"alpha {line['approximation.alpha']}, s2 = {multiple} s1"
                    yield name, series, share, line["run_seed"], "relative error", line["relative_error"]


def figure_9_stored():
    for line in measured("sms-shift.csv"):
        multiple = round(int(line["s2"]) / int(line["s"]))
        yield line["matrix"], f"alpha {line['alpha']}, s2 = {multiple} s1", round(int(line["s"]) / int(line["n"]), 2), line["seed"], "relative error", line["relative_error"]


RANKS = {"stsb-logistic": (250, 350, 700), "mrpc": (100, 250, 500), "mrpc-logistic": (100, 250, 500)}
SCORED = {"sms-nystrom": "sms-nystrom", "stacur-s": "stacur", "sicur": "sicur", "nystrom": "nystrom"}


def scored_pairs(run, name, full):
    """A file of the scored pairs of the texts that K is of."""
    source = name.partition("-")[0]
    _, kept = distances(run, source, full)
    _, _, pairs = texts(run, source, full)
    row = {number: place for place, number in enumerate(kept)}
    path = run.path(f"{source}-pairs.csv")
    known = [(row[i], row[j], score) for i, j, score in pairs if i in row and j in row]
    path.write_text("".join(f"{i},{j},{score:g}\n" for i, j, score in known), encoding="utf-8")
    return path


def pairs(run, full):
    return run.once(("pairs", full), lambda: paired(run, full))


def paired(run, full):
    """(matrix, method, rank, seed, report of the approximation, report of the pairs)"""
    for name, ranks in RANKS.items() if full else (("stsb-logistic", (50,)), ("mrpc", (50,))):
        path, _ = matrix(run, name, full)
        scored = scored_pairs(run, name, full)
        for rank in ranks:
            for variant, series in SCORED.items():
                method, share, more = figures().VARIANTS[variant]
                for seed in range(1, 6 if full else 2):
                    report = run.approximate(CONFIG, "--data.path", path, "--approximation.method", method, *more,
                                             "--landmarks.count", round(rank * share), "--run.seed", seed)
                    yield name, series, rank, seed, report, run.cairn("evaluate", run.path("result.h5"), "--pairs", scored)


def table_3(run, full):
    exact = set()
    for name, series, rank, seed, _, found in pairs(run, full):
        yield from pair_rows(name, series, rank, seed, found["pairs"]["approximate"])
        if name not in exact:
            exact.add(name)
            yield from pair_rows(name, "K itself", "", 1, found["pairs"]["exact"])


def pair_rows(name, series, rank, seed, scores):
    shown = {"Pearson, %": "pearson", "Spearman, %": "spearman"} if name.startswith("stsb") else {"F1, %": "f1", "accuracy, %": "accuracy"}
    for measure, figure in shown.items():
        yield name, series, rank, seed, measure, 100 * scores[figure]


def table_5(run, full):
    for name, series, rank, seed, report, _ in pairs(run, full):
        yield name, series, rank, seed, "relative error", report["relative_error"]


TABLE_3 = {("sms-nystrom", 250): (75.61, 75.27), ("sms-nystrom", 350): (77.32, 76.91), ("sms-nystrom", 700): (79.36, 78.56),
           ("stacur", 250): (28.21, 46.77), ("stacur", 350): (34.18, 49.86), ("stacur", 700): (45.87, 51.73),
           ("sicur", 250): (45.60, 44.91), ("sicur", 350): (57.65, 56.52), ("sicur", 700): (68.84, 68.97)}
TABLE_3_MRPC = {("sms-nystrom", 100): 57.37, ("sms-nystrom", 250): 63.93, ("sms-nystrom", 500): 63.04, ("stacur", 100): 53.78, ("stacur", 250): 64.41,
                ("stacur", 500): 66.97, ("sicur", 100): 69.42, ("sicur", 250): 72.38, ("sicur", 500): 75.53}
TABLE_5 = {("stsb-logistic", "sms-nystrom"): (.1738, .1402, .1349), ("stsb-logistic", "stacur"): (.5353, .5001, .4511), ("stsb-logistic", "sicur"): (.2833, .2264, .1916),
           ("mrpc-logistic", "sms-nystrom"): (.3571, .3138, .3364), ("mrpc-logistic", "stacur"): (.3941, .3339, .2530), ("mrpc-logistic", "sicur"): (.2149, .1854, .1587)}


def table_3_paper():
    found = {("stsb-logistic", series, str(rank), measure): value for (series, rank), pair in TABLE_3.items()
             for measure, value in zip(("Pearson, %", "Spearman, %"), pair)}
    found |= {(name, series, str(rank), "accuracy, %"): value for (series, rank), value in TABLE_3_MRPC.items() for name in ("mrpc", "mrpc-logistic")}
    return found | {("stsb-logistic", "K itself", "", "Pearson, %"): 85.54, ("mrpc", "K itself", "", "accuracy, %"): 83.75}


def table_5_paper():
    return {(name, series, str(rank), "relative error"): value for (name, series), values in TABLE_5.items()
            for rank, value in zip(RANKS[name], values)}
