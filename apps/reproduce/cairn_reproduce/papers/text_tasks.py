"""Ray, Monath, McCallum and Musco (2022): classes of documents and coreference from approximated similarities."""
import collections
import gzip
import lzma

from ..runs import measured, read
from .text_matrices import QUICK, WORDS, figures, texts, words_of

SETS = {"twitter": ("documents/twitter.txt.xz",), "recipe": ("documents/recipe.json.zip",),
        "ohsumed": ("documents/ohsumed.training.tsv.gz", "documents/ohsumed.test.tsv.gz"),
        "20news": ("documents/20news.train.tsv.gz", "documents/20news.test.tsv.gz")}
SMALL = {"twitter": 421, "recipe": 532, "ohsumed": 500, "20news": 550}
LARGE = {"twitter": 1631, "recipe": 4061, "ohsumed": 2500, "20news": 3872}
# What cross-validation chose in docs/measurements/sms-classification.csv: gamma, C and, for wme, the longest random document.
CHOSEN = {"twitter": {"sms-nystrom": (.1, 1), "stacur": (.05, 1), "sicur": (.05, 10), "wme": (.4, 100, 18)},
          "recipe": {"sms-nystrom": (.03, 10), "stacur": (.1, 1), "sicur": (.03, 100), "wme": (.3, 1000, 6)},
          "ohsumed": {"sms-nystrom": (.1, 1), "stacur": (.03, 1), "sicur": (.03, 10), "wme": (.9, 10000, 18)},
          "20news": {"sms-nystrom": (.03, 100), "stacur": (.03, 10), "sicur": (.1, 100), "wme": (.9, 100000, 18)}}
ONE_RANK = ("--ranks", 1, "--mpi", "mpirun --oversubscribe --bind-to none")


def table_1(run, full):
    """Documents with a known word, classes, and the words of a text (different ones that are known, stop words left out)."""
    for name in SETS if full else ("twitter",):
        files = [run.data(path) for path in SETS[name]]
        test = ("--data.test-path", files[1]) if len(files) > 1 else ()
        made = run.approximate(f"repro/sms-{name}.cfg", "--data.path", files[0], *test, *words_of(run), "--approximation.method", "nystrom",
                               "--landmarks.count", 1)
        yield name, "here", "", 1, "documents", made["n"]
        yield name, "here", "", 1, "classes", classes(name, files)


def classes(name, files):
    if name == "recipe":
        import json
        import zipfile
        with zipfile.ZipFile(files[0]) as archive:
            return len({recipe["cuisine"] for recipe in json.loads(archive.read(archive.namelist()[0]))})
    found = set()
    for path in files:
        with (lzma.open if path.suffix == ".xz" else gzip.open)(path, "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
            found |= {line.split("\t")[0] for line in lines}
    return len(found & {f"C{number:02}" for number in range(1, 11)} if name == "ohsumed" else found)


def classify(run, name, rank, methods, seeds):
    """Lines of sms_classification.py with gamma and C as they were chosen before."""
    for method in methods:
        gamma, cost, *longest = CHOSEN[name][method]
        yield from script(run, name, rank, seeds, method, gamma, cost, *(("--longest", *longest) if longest else ()))


def script(run, name, rank, seeds, methods, gammas, costs, *more):
    table = run.path("classes.csv")
    table.unlink(missing_ok=True)
    run.script("sms_classification.py", name, "--data", run.root, "--out", table, "--cairn", run.program, *ONE_RANK, "--rank", rank,
               "--seeds", seeds, "--methods", methods, "--gammas", gammas, "--costs", costs, *more)
    return read(table)


def table_2(run, full):
    if not full:
        for line in classify(run, "twitter", 421, ("sms-nystrom", "stacur", "sicur", "wme"), 1):
            yield "small rank", f"twitter, {line['method']}", "", line["seed"], "accuracy, %", 100 * float(line["accuracy"])
        return
    for size, ranks, seeds in (("small rank", SMALL, 5), ("large rank", LARGE, 1)):
        for name, rank in ranks.items():
            for line in classify(run, name, rank, ("sms-nystrom", "stacur", "sicur", "wme"), seeds):
                yield size, f"{name}, {line['method']}", "", line["seed"], "accuracy, %", 100 * float(line["accuracy"])
    for name, gamma in (("twitter", .4), ("ohsumed", .1)):  # all distances; those of the others take days
        for line in script(run, name, SMALL[name], 1, "optimal,kernel-svm", gamma, "1,10", "--whole"):
            yield "small rank", f"{name}, {line['method']}", "", line["seed"], "accuracy, %", 100 * float(line["accuracy"])


def table_2_stored():
    """Five lines of each: of whole sets the last ones, for those before were tuned again."""
    groups = collections.defaultdict(list)
    for line in measured("sms-classification.csv"):
        groups[line["dataset"], line["method"], line["rank"]].append(line)
    for (dataset, method, rank), lines in groups.items():
        name, _, subset = dataset.partition("-")
        series = f"{name}{', 4,000 of it' if subset else ''}, {method}"
        for line in lines[:5] if subset else lines[-5:]:
            yield "large rank" if int(rank) > 1000 else "small rank", series, "", line["seed"], "accuracy, %", 100 * float(line["accuracy"])


def table_6(run, full):
    for size, ranks in (("small rank", SMALL), ("large rank", LARGE)) if full else (("small rank", {"twitter": 421}),):
        for name, rank in ranks.items():
            for line in classify(run, name, rank, ("wme", "sms-nystrom"), 1):
                yield size, f"{name}, {line['method']}", "", line["seed"], "seconds", line["approximation_seconds"]


def table_6_stored():
    for line in measured("sms-seconds.csv"):
        size = "large rank" if int(line["rank"]) > 1000 else "small rank"
        yield size, f"{line['dataset']}, {line['method']}", "", line["seed"], "seconds", line["approximation_seconds"]


# Figures 7 and 8, and table 7: the search over gamma, C and s

def search(run, name, full, methods, counts, gammas, costs, folds):
    """Validation accuracy of every point of a grid, by distances that are evaluated once."""
    if full:
        data = ["--data.path", run.data(SETS[name][0])]
        if len(SETS[name]) > 1:
            data += ["--data.test-path", run.data(SETS[name][1])]
        config = f"repro/sms-{name}.cfg"
    else:
        path, _, _ = texts(run, name, False)
        with lzma.open(run.data(SETS[name][0]), "rt", encoding="utf-8", errors="replace") as file:
            labels = [line.split("\t")[0] for line in file][:QUICK]
        lines = path.read_text(encoding="utf-8").splitlines()
        labeled = run.path("labeled.tsv")
        labeled.write_text("".join(f"{label}\t{line.partition(chr(9))[2]}\n" for label, line in zip(labels, lines)), encoding="utf-8")
        data, config = ["--data.path", labeled], f"repro/sms-{name}.cfg"
    data += words_of(run)
    base = run.path(f"search-{name}{'' if full else '-quick'}.h5")
    n = run.approximate(config, *data, "--approximation.method", "nystrom", "--landmarks.count", 1)["n"]
    if not base.exists():
        run.approximate(config, *data, "--approximation.method", "sicur", "--landmarks.count", 1, "--approximation.s2", n, "--output.distances", "true",
                        "--output.path", base)
    for method in methods:
        for count in counts:
            for gamma in gammas:
                own = round(count * (0.5 if method == "sicur" else 1))
                run.approximate(config, *data, "--approximation.method", method, "--landmarks.count", own, "--approximation.embedding", "true",
                                "--similarity.gamma", gamma, "--similarity.reuse", base)
                report = run.cairn("train", run.path("result.h5"), "--task", "svm", "--cost", costs, "--folds", folds,
                                   *(("--train-fraction", 0.7) if len(SETS[name]) == 1 else ()), "--output.path", run.path("model.h5"))
                yield method, count, gamma, max(one["accuracy"] for one in report["candidates"])


GAMMAS, COSTS = (.01, .05, .1, .2, .4, .8, 1.58), "1,10,100,1000,10000"


def searches(run, full, large):
    return run.once(("search", full, large), lambda: grid_of(run, full, large))


def grid_of(run, full, large):
    if not full:
        grids = {"twitter": ("sms-nystrom", "stacur"), }
        counts, gammas, costs, folds = ((300,) if large else (50, 150)), (.1, .4), "1,10", 3
    else:
        grids = {"twitter": ("sms-nystrom", "stacur", "sicur"), "ohsumed": ("sms-nystrom", "stacur", "sicur")}
        counts = (900, 1300, 1700) if large else (100, 200, 300, 421, 550)
        gammas, costs, folds = GAMMAS, COSTS, 10
    for name, methods in grids.items():
        for method, count, gamma, accuracy in search(run, name, full, methods, counts, gammas, costs, folds):
            yield name, method, count, gamma, accuracy


def validation(large):
    def measure(run, full):
        for name, method, count, gamma, accuracy in searches(run, full, large):
            yield name, f"{method}, gamma {gamma:g}", count, 1, "validation accuracy, %", 100 * accuracy
    return measure


def table_7(run, full):
    for size, large in (("SR", False), ("LR", True)) if full else (("SR", False),):
        best = {}
        for name, method, count, _, accuracy in searches(run, full, large):
            best[name, method] = max(best.get((name, method), (0, 0)), (accuracy, count))
        for (name, method), (_, count) in best.items():
            yield name, f"{method}({size})", "", 1, "best rank", count


# Coreference: figures 4 and 6

def coreference(run, full):
    table = run.path("coreference.csv")
    for mentions in ("events", "entities") if full else ("events",):
        table.unlink(missing_ok=True)
        run.script("sms_coreference.py", "run", mentions, "--data", run.root, "--out", table, "--cairn", run.program, "--mpi", "",
                   *(() if full else ("--shares", "0.2", "--seeds", 1, "--methods", "sms-nystrom,sms-nystrom rescaled,sicur,stacur")))
        yield from coreference_rows(read(table))


def coreference_rows(lines, rescaled=None):
    for line in lines:
        if line["similarity"] == "aligned" and line["scope"] == "corpus":
            series = "K itself" if line["method"] == "exact" else line["method"]
            if rescaled is not None and not series.startswith("sms"):
                continue
            place = (line["mentions"], series, line["share"], line["seed"] or 1)
            yield *place, "relative error", line["relative_error"]
            yield *place, "CoNLL F1", line["conll_f1"]


def figure_4(run, full):
    return run.once(("coreference", full), lambda: coreference(run, full))


def figure_6(run, full):
    for row in figure_4(run, full):
        if row[1].startswith("sms"):
            yield row


def coreference_stored():
    return coreference_rows(measured("sms-coreference.csv"))


def figure_6_stored():
    return coreference_rows(measured("sms-coreference.csv"), True)


# Table 4

def table_4(run, full):
    for name in ("stsb", "mrpc"):
        sentences, pairs = figures().read_pairs(run, name)
        yield name, "here", "", 1, "sentences", len(sentences)
        yield name, "here", "", 1, "pairs", len(pairs)
