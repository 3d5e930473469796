"""Khalife, Gonçalves and Liberti (2022): vectors of words and proteins by distance geometry."""
import gzip
import importlib
import lzma
import re
import sys

import numpy as np

from ..entry import Entry, Paper
from ..runs import MEASUREMENTS, Failed, measured

REVIEWS, SUBJECTIVITY, WEBKB = "corpus/imdb-unlabelled.tsv.gz", "corpus/subjectivity.txt.xz", "corpus/webkb.tsv.xz"
STOPS, ORACLE = "documents/stop-words.txt", "words/qvec-supersenses.xz"
PROTEINS = tuple(f"protein/{name}.txt.xz" for name in ("uniprot-1000", "T50", "localization"))


# Tables 1 and 2

def program():
    sys.path.insert(0, str(MEASUREMENTS))
    return importlib.import_module("dgp_tables")


def synthetic(number):
    def measure(run, full):
        tables = program()
        cells = [cell for cell in tables.PAPER if cell[0] == number and (full or (cell[1] == 500 and cell[2] < 200))]
        for cell in cells:
            for draw in range(1, 11 if full else 2):
                for series, words in (("gbu", ("gbu", "--approximation.loss", "true")), ("adam, rate .1", ("adam", "--approximation.rate", 0.1))):
                    try:
                        found = tables.run(run.program, run.folder, cell, draw, "--approximation.method", *words)
                    except SystemExit as ended:
                        raise Failed(str(ended)) from ended
                    yield from cell_rows(cell, series, draw, found)
    return measure


def cell_rows(cell, series, draw, found):
    _, n, dimension, eta = cell
    failed = bool(found.get("error"))
    yield f"n = {n}, eta = {eta:g}", series, dimension, draw, "fails", int(failed)
    if not failed:
        yield f"n = {n}, eta = {eta:g}", series, dimension, draw, score_of(series, eta), found["score"]
        yield f"n = {n}, eta = {eta:g}", series, dimension, draw, "seconds", found["seconds"]


def score_of(series, eta):
    """gbu's score on exact data is rounding, and differs from machine to machine."""
    return "score, rounding" if series == "gbu" and eta == 0 else "score"


def synthetic_stored(number):
    def stored():
        for line in measured("dgp-tables.csv"):
            adam = line["method"] == "adam" and float(line["rate"]) == 0.1
            if int(line["table"]) == number and (line["method"] == "gbu" or adam):
                cell = (number, int(line["n"]), int(line["K"]), float(line["eta"]))
                yield from cell_rows(cell, "adam, rate .1" if adam else "gbu", line["draw"], line)
    return stored


def synthetic_paper(number):
    found = {}
    for (table, n, dimension, eta), values in program().PAPER.items():
        if table == number:
            for series, score, seconds in (("gbu", *values[:2]), ("adam, rate .1", *values[2:])):
                place = (f"n = {n}, eta = {eta:g}", series, str(dimension))
                found |= {(*place, "fails"): 1} if score is None else {(*place, score_of(series, eta)): score, (*place, "seconds"): seconds}
    return found


# Table 4

TARGETS = {"T50": "T50", "localization": "log_GFP"}


def table_4(run, full):
    del full  # it is short
    for task, target in TARGETS.items():
        table = run.data(f"protein/{task}.txt.xz")
        for window in (3, 7):
            made = run.approximate("t50.cfg", "--data.path", run.data(PROTEINS[0]), "--data.more", table, "--data.window", window)
            run.cairn("extend", run.path("result.h5"), "--data.path", table, "--data.format", "protein", "--data.split", "is_train",
                      "--output.path", run.path("proteins.h5"))
            report = run.cairn("train", run.path("proteins.h5"), "--task", "gp", "--targets", f"{table}:{target}", "--output.path", run.path("model.h5"))
            score = next(one for one in report["scores"] if one["on"] == "held-out")
            yield task, f"gbu, w = {window}", "", 1, "R2", score["r_squared"]
            yield task, f"gbu, w = {window}", "", 1, "MAE", score["mean_absolute_error"]
            yield task, f"gbu, w = {window}", "", 1, "seconds", made["seconds"]["total"]


TABLE_4 = {("localization", "doc2vec, w = 3"): (.52, .756), ("localization", "doc2vec, w = 7"): (.47, .787), ("localization", "gbu, w = 3"): (.54, .728),
           ("localization", "gbu, w = 7"): (.61, .667), ("T50", "doc2vec, w = 3"): (.35, 3.02), ("T50", "doc2vec, w = 7"): (.45, 2.94),
           ("T50", "gbu, w = 3"): (.42, 3.00), ("T50", "gbu, w = 7"): (.48, 2.69)}


# Tables 5 to 7: words of film reviews

def corpus(run, full):
    """The reviews, of which the quick runs take the first 3,000."""
    if full:
        return run.data(REVIEWS)
    path = run.path("reviews.tsv")
    if not path.exists():
        with gzip.open(run.data(REVIEWS), "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
            path.write_text("".join(line for _, line in zip(range(3000), lines)), encoding="utf-8")
    return path


METHODS = {"gbu": ("gbu",), "dc, coreness": ("dc", "--landmarks.selection", "coreness", "--approximation.residual", "1e-3"),
           "pmi-eigs": ("pmi-eigs",)}


def vectors(run, full):
    """(K, method, file, seconds of the vectors) for all methods; co-occurrences are counted once."""
    counts = run.path(f"counts-{full}.h5")
    data = ("--data.path", corpus(run, full), "--data.stop-words", run.data(STOPS), "--evaluation.pairs", 0)
    if not counts.exists():
        run.approximate("imdb.cfg", *data, "--approximation.dimension", 100, "--output.counts", "true", "--output.path", counts)
    for dimension in (100, 200, 300) if full else (100,):
        for series, method in METHODS.items():
            if not full and series not in ("gbu", "pmi-eigs"):
                continue
            path = run.path(f"words-{full}-{dimension}-{series.split(',')[0]}.h5")
            report = run.approximate("imdb.cfg", *data, "--similarity.reuse", counts, "--output.counts", "false", "--approximation.method", *method,
                                     "--approximation.dimension", dimension, "--output.path", path)
            yield dimension, series, path, report["seconds"]["total"] - report["seconds"]["read"]
        yield dimension, "random", randomly(run, counts, dimension, full), 0.0


def made(run, full):
    return run.once(("vectors", full), lambda: vectors(run, full))


def words_of(path):
    import h5py
    with h5py.File(path) as file:
        return [label for label in file["labels"].asstr()[:]]


def as_points(run, name, words, rows):
    """Points with names as a result whose left factor is the points, turned."""
    source, path = run.path(f"{name}.csv"), run.path(f"{name}.h5")
    with open(source, "w", encoding="utf-8") as file:
        for word, row in zip(words, rows):
            file.write(f"{word}," + ",".join(f"{value:.7g}" for value in row) + "\n")
    run.approximate("", "--data.path", source, "--data.label", 1, "--similarity.kind", "linear", "--approximation.method", "gbu",
                    "--approximation.dimension", rows.shape[1], "--landmarks.count", min(len(rows), 4 * rows.shape[1]), "--evaluation.pairs", 0,
                    "--output.path", path)
    return path


def randomly(run, counts, dimension, full):
    words = words_of(counts)
    return as_points(run, f"random-{full}-{dimension}", words, np.random.default_rng(1).standard_normal((len(words), dimension)))


def table_5(run, full):
    for dimension, series, path, _ in made(run, full):
        found = run.cairn("evaluate", path, "--qvec", run.data(ORACLE))["qvec"]
        yield "", series, dimension, 1, "QVEC", found["score"]
        yield "", series, dimension, 1, "QVEC-CCA", found["cca"]


TABLE_5 = {"random": (14.89, 21.82, 27.08), "gbu": (30.01, 37.41, 42.45), "dc, coreness": (34.21, 41.42, 45.69), "pmi-eigs": (36.55, 43.74, 48.35),
           "glove": (35.43, 42.06, 46.25), "fasttext": (36.06, 43.51, 47.87)}


def labeled(run, name):
    """A file of split, label and text."""
    path = run.path(f"{name}.tsv")
    if not path.exists():
        with lzma.open(run.data({"subjectivity": SUBJECTIVITY, "webkb": WEBKB}[name]), "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
            if name == "webkb":  # some labels lack their last letter
                table = [line.rstrip("\n").split("\t", 2) for line in lines]
                table = [(split, next(whole for whole in ("course", "faculty", "project", "student") if whole.startswith(label)), text) for split, label, text in table]
            else:
                table = [("all", *line.rstrip("\n").split(" ", 1)) for line in lines]
                table = [("test" if number % 5 == 0 else "train", label, text) for number, (_, label, text) in enumerate(table)]
        path.write_text("".join(f"{split}\t{label}\t{text}\n" for split, label, text in table), encoding="utf-8")
    return path


def macro_f1(run, series, path, name, words):
    source = labeled(run, name)
    keys = ("--data.split", 1, "--data.label", 2, "--data.text", 3)
    texts = run.path("texts.h5")
    if series != "random":
        run.cairn("extend", path, "--data.path", source, *keys, "--output.path", texts)
    else:
        texts = random_texts(run, source, words, name)
    report = run.cairn("train", texts, "--task", "svm", "--cost", 10, "--output.path", run.path("model.h5"),
                       *(("--split", run.path("split.txt")) if series == "random" else ()))
    return next(one["macro_f1"] for one in report["scores"] if one["on"] == "test")


def random_texts(run, source, words, name):
    """Means of random vectors of the words of each text; a file of splits beside it."""
    number = {word: place for place, word in enumerate(words[0])}
    rows, labels, splits = [], [], []
    for line in source.read_text(encoding="utf-8").splitlines():
        split, label, text = line.split("\t", 2)
        known = [number[word] for word in re.findall(r"[^\W_]+", text.lower()) if word in number]
        if known:
            rows.append(words[1][known].mean(axis=0))
            labels.append(label)
            splits.append(split)
    run.path("split.txt").write_text("\n".join(splits) + "\n", encoding="utf-8")
    return as_points(run, f"random-{name}", labels, np.array(rows))


def table_6(run, full):
    known = words_of(next(path for _, series, path, _ in made(run, full) if series == "gbu"))
    for dimension, series, path, _ in made(run, full):
        words = (known, np.random.default_rng(1).standard_normal((len(known), dimension)))
        for name in ("subjectivity", "webkb"):
            yield name, series, dimension, 1, "macro F1, %", 100 * macro_f1(run, series, path, name, words)


TABLE_6 = {"random": ((80.09, 81.34, 81.63), (91.12, 91.84, 92.37)), "gbu": ((88.21, 88.05, 88.31), (93.04, 93.68, 93.40)),
           "dc, coreness": ((87.86, 88.28, 87.97), (92.03, 92.65, 92.80)), "pmi-eigs": ((88.17, 88.10, 87.66), (92.19, 92.52, 92.21)),
           "glove": ((87.96, 87.62, 87.81), (93.07, 93.24, 93.22)), "fasttext": ((87.71, 88.02, 88.03), (93.37, 93.57, 93.82))}


def table_7(run, full):
    for dimension, series, _, seconds in made(run, full):
        if series != "random":
            yield "", series, dimension, 1, "seconds", seconds


TABLE_7 = {"gbu": (168, 188, 211), "dc, coreness": (348, 452, 618), "pmi-eigs": (412, 836, 1088), "glove": (4020, 7620, 9720), "fasttext": (1800, 2880, 3840)}


def by_dimension(table, panel, measure):
    return {(panel, series, str(dimension), measure): value for series, values in table.items() for dimension, value in zip((100, 200, 300), values)}


FILMS = ("50,000 film reviews (4.9e6 tokens without stop words) for 10^6 articles of Wikipedia (2.66e8 tokens), which are not here; "
         "fastText, word2vec and GloVe on the same tokens: K = 200 on the page")
WORD_NEEDS = (REVIEWS, STOPS)
SYNTHETIC = "Scores with noise do not follow from the paper's algorithm: 2 % of noise in G alone has a mean square of 4e-4 of G's. Adam's rate is not stated: .1."

PAPER = Paper("dgp", "Khalife, Gonçalves, Liberti 2022: Distance Geometry for Word Representations and Applications", (
    Entry("dgp-figure-1", "figure 1", "an example of the divide step", "An illustration."),
    Entry("dgp-table-1", "table 1", "gbu and Adam on random points with noise, m = K + 1", SYNTHETIC, synthetic(1), "repro/dgp-synthetic.cfg",
          bounds={"score": .05, "score, rounding": None, "seconds": None, "fails": 0}, seconds=(3, 1800), paper=synthetic_paper(1),
          stored=synthetic_stored(1), stored_in="dgp-tables.csv",
          headline=(("n = 1000, eta = 0", "gbu", "50", "score, rounding"), ("n = 1000, eta = 0", "adam, rate .1", "50", "score"), ("n = 1000, eta = 0", "gbu", "50", "seconds"),
                    ("n = 1000, eta = 0.01", "gbu", "200", "fails")), page="reproduction-distance-geometry.md"),
    Entry("dgp-table-2", "table 2", "the same, m = 1.5 K", SYNTHETIC, synthetic(2), "repro/dgp-synthetic.cfg",
          bounds={"score": .05, "score, rounding": None, "seconds": None, "fails": 0}, seconds=(1, 900),
          paper=synthetic_paper(2), stored=synthetic_stored(2), stored_in="dgp-tables.csv", page="reproduction-distance-geometry.md",
          headline=(("n = 1000, eta = 0.02", "gbu", "50", "score"), ("n = 1000, eta = 0.02", "adam, rate .1", "50", "score"), ("n = 1000, eta = 0.02", "gbu", "200", "score"))),
    Entry("dgp-table-3", "table 3", "complexities", "Theory: nothing to compute."),
    Entry("dgp-table-4", "table 4", "proteins: R² and mean absolute error of a Gaussian process, w = 3 and 7",
          "1,000 sequences of UniProt for 524,529; 19 and 36 held-out rows, so that hundredths of R² mean little; doc2vec is on the page, by gensim.", table_4, "t50.cfg",
          bounds={"R2": .02, "MAE": .02, "seconds": None}, needs=PROTEINS, seconds=(3, 6), page="reproduction-distance-geometry.md",
          paper={(*place, "", measure): value for place, pair in TABLE_4.items() for measure, value in zip(("R2", "MAE"), pair)},
          headline=tuple((task, "gbu, w = 7", "", measure) for task in ("T50", "localization") for measure in ("R2", "MAE"))),
    Entry("dgp-table-5", "table 5", "QVEC of words for K = 100, 200, 300", FILMS + ". QVEC grows with the corpus: the order of the methods is the paper's, the values are not.", table_5, "imdb.cfg",
          bounds={"QVEC": .02, "QVEC-CCA": .02}, needs=(*WORD_NEEDS, ORACLE), seconds=(4, 400), paper=by_dimension(TABLE_5, "", "QVEC"),
          page="reproduction-distance-geometry.md",
          headline=tuple(("", series, "100", "QVEC") for series in ("random", "gbu", "dc, coreness", "pmi-eigs"))),
    Entry("dgp-table-6", "table 6", "classes of texts: macro F1 for K = 100, 200, 300",
          FILMS + ". A linear machine on mean vectors takes the place of the convolutional network, so that absolute values are not the paper's; WebKB's words are stems, of which film reviews have few; Amazon's reviews are not here. "
          "Every fifth sentence of the subjectivity data is held out.", table_6, "imdb.cfg", bounds={"macro F1, %": .02},
          needs=(*WORD_NEEDS, SUBJECTIVITY, WEBKB), seconds=(5, 700),
          paper={**{place: value for at, name in enumerate(("subjectivity", "webkb"))
                    for place, value in by_dimension({series: pair[at] for series, pair in TABLE_6.items()}, name, "macro F1, %").items()}},
          headline=tuple((name, series, "100", "macro F1, %") for name in ("subjectivity", "webkb") for series in ("random", "gbu"))),
    Entry("dgp-table-7", "table 7", "seconds of vectors", FILMS + ". Counting is apart (3 s); the convolutional network's training is not computed. One process, which had a quarter of a core.", table_7, "imdb.cfg",
          bounds={"seconds": None},
          needs=WORD_NEEDS, seconds=(4, 400), paper=by_dimension(TABLE_7, "", "seconds"), page="reproduction-distance-geometry.md",
          headline=tuple(("", series, "100", "seconds") for series in METHODS)),
))
