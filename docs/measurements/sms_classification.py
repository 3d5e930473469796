#!/usr/bin/env python3
"""Table 2 and table 6 of Ray, Monath, McCallum and Musco (2022): classes of documents from word mover's distances, by
embeddings of several methods and linear support vector machines. See configs/repro/sms-*.cfg.

usage: sms_classification.py DATASET --data FOLDER --out TABLE.csv [options]

DATASET is twitter, recipe, ohsumed or 20news. Distances are evaluated once a seed, by the run of SMS-Nystrom, and kept;
the other gammas and methods take them from there, and what a method needs beyond them is evaluated and counted. Gamma and
C are chosen by cross-validation on the training rows. A line of the table is a method with one seed.

With --whole all distances are evaluated once, by the best approximation of rank R, for all seeds; then the methods may be
optimal (R the rank) and kernel-svm (all of K), too: one run where the data have a split, by the folds of the first seed.
--subset N takes N documents, the same ones each time.
"""
import argparse
import csv
import gzip
import json
import lzma
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "configs", "repro")
COLUMNS = ["dataset", "method", "rank", "seed", "gamma", "longest_document", "cost", "cross_validation", "accuracy", "macro_f1", "documents",
           "evaluations", "similarity_seconds", "approximation_seconds", "training_seconds"]
FILES = {  # below documents/
    "twitter": ["twitter.txt.xz"],
    "recipe": ["recipe.json.zip"],
    "ohsumed": ["ohsumed.training.tsv.gz", "ohsumed.test.tsv.gz"],
    "20news": ["20news.train.tsv.gz", "20news.test.tsv.gz"],
}
WHOLE = {"optimal", "kernel-svm"}  # methods that need all distances
# Columns of K that a method of rank R takes: the paper counts s2 for SiCUR.
COUNTS = {"sms-nystrom": 1.0, "stacur": 1.0, "sicur": 0.5, "wme": 1.0}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", choices=sorted(FILES))
    parser.add_argument("--data", required=True, help="the folder with documents/ and words/")
    parser.add_argument("--out", required=True, help="the table; lines are appended")
    parser.add_argument("--cairn", default="cairn")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--mpi", default="mpirun --bind-to none", help="what starts the ranks; -n follows")
    parser.add_argument("--rank", type=int, help="columns (the config's landmarks.count)")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--methods", default="sms-nystrom,sicur,stacur")
    parser.add_argument("--gammas", default="0.05,0.1,0.2,0.4,0.8,1.58")
    parser.add_argument("--costs", default="0.1,1,10,100,1000")
    parser.add_argument("--longest", default="6", help="wme: words of its random documents at most, one of these")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--tune-first", action="store_true", help="later seeds take the first one's gamma and C")
    parser.add_argument("--tuned-by", help="a table of this script: a method takes what its last line of the dataset, or of a "
                                           "subset of it, has, and chooses from its C and ten times that")
    parser.add_argument("--whole", action="store_true", help="evaluate all distances first")
    parser.add_argument("--subset", type=int, help="this many documents")
    chosen = parser.parse_args()
    if not chosen.whole and set(chosen.methods.split(",")) & WHOLE:
        parser.error(f"the methods {' and '.join(sorted(WHOLE))} need all distances: give --whole")
    return chosen


def documents_of(dataset, paths):
    """(file, label, text) of each document."""
    for number, path in enumerate(paths):
        if dataset == "recipe":
            with zipfile.ZipFile(path) as archive:
                for recipe in json.loads(archive.read(archive.namelist()[0])):
                    yield number, recipe["cuisine"], " ".join(recipe["ingredients"])
            continue
        with (lzma.open if path.endswith(".xz") else gzip.open)(path, "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
            for line in lines:
                fields = line.rstrip("\n").split("\t")
                if dataset != "ohsumed" or "C01" <= fields[0] <= "C10":
                    yield number, fields[0], fields[-1]


def write_subset(dataset, paths, count, folder):
    """A table of labels and texts for each file, of `count` documents in all."""
    documents = list(documents_of(dataset, paths))
    chosen = sorted(random.Random(2022).sample(range(len(documents)), count))
    names = [os.path.join(folder, f"subset-{number}.tsv") for number in range(len(paths))]
    for number, name in enumerate(names):
        with open(name, "w", encoding="utf-8") as out:
            out.writelines(f"{label}\t{' '.join(text.split())}\n"
                           for file, label, text in map(documents.__getitem__, chosen) if file == number)
    return names


def has_no_split(chosen):
    return len(FILES[chosen.dataset]) == 1


class Runs:
    def __init__(self, chosen, folder):
        self.chosen, self.folder = chosen, folder
        documents = [os.path.join(chosen.data, "documents", name) for name in FILES[chosen.dataset]]
        table = []
        if chosen.subset:
            documents = write_subset(chosen.dataset, documents, chosen.subset, folder)
            table = ["--data.format", "tsv", "--data.label", 1, "--data.text", 2]
        self.data = [*table, "--config", os.path.join(CONFIGS, f"sms-{chosen.dataset}.cfg"), "--data.path", documents[0],
                     "--data.stop-words", os.path.join(chosen.data, "documents", "stop-words.txt"),
                     "--data.vectors", os.path.join(chosen.data, "words", "glove100.f32le.gz")]
        if len(documents) > 1:
            self.data += ["--data.test-path", documents[1]]

    def path(self, name):
        return os.path.join(self.folder, name)

    def cairn(self, *words):
        """Runs a command; its report, and the seconds that a clock counts."""
        report = self.path("report.json")
        command = [*self.chosen.mpi.split(), "-n", str(self.chosen.ranks), self.chosen.cairn, *map(str, words),
                   "--json", report]
        begin = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        with open(report, encoding="utf-8") as file:
            return json.load(file), time.perf_counter() - begin

    def approximate(self, method, count, gamma, seed, name, *more):
        embedding = [] if method == "wme" else ["--approximation.embedding", "true"]
        return self.cairn("approximate", *self.data, *embedding, "--approximation.method", method, "--landmarks.count", count,
                          "--similarity.gamma", gamma, "--run.seed", seed, "--output.path", self.path(name), *more)

    def train(self, task, files, costs, seed, *more):
        split = ["--train-fraction", "0.7"] if has_no_split(self.chosen) else []
        single = len(files) == 1 and "," not in costs
        folds = [] if single else ["--folds", self.chosen.folds]
        drawn = ["--run.seed", seed] if split or folds else []
        return self.cairn("train", "--task", task, *map(self.path, files), "--cost", costs, *folds, *drawn, *split, *more)


def score(report, on, figure):
    return next((line[figure] for line in report["scores"] if line["on"] == on), "")


class Spent:
    """What was spent since the last line."""

    def __init__(self):
        self.evaluations, self.similarity_seconds, self.seconds = 0, 0.0, 0.0

    def add(self, report, seconds):
        self.evaluations += report["evaluations"]
        self.similarity_seconds += report["seconds"].get("similarities", 0.0)
        self.seconds += seconds


def base_of(runs, chosen, rank, seed, spent):
    method = "optimal" if chosen.whole else "sms-nystrom"
    spent.add(*runs.approximate(method, rank, chosen.gammas.split(",")[0], seed, "base.h5", "--output.distances", "true"))


def embed_randomly(runs, gammas, lengths, rank, seed, spent):
    """The files of wme, one for each gamma and length of documents; distances of a length are evaluated once."""
    files = []
    for longest in lengths:
        kept = ["--output.distances", "true"]
        for gamma in gammas:
            files.append(f"wme-{gamma}-{longest}.h5")
            spent.add(*runs.approximate("wme", rank, gamma, seed, files[-1], "--approximation.longest-document", longest, *kept))
            if gamma == gammas[0]:
                kept = ["--similarity.reuse", runs.path(files[-1])]
    return files


def embed(runs, method, gammas, rank, seed, spent):
    files = []
    for gamma in gammas:
        files.append(f"{method}-{gamma}-.h5")
        if os.path.exists(runs.path(files[-1])):  # the best approximation is that of all seeds
            continue
        # A kernel machine takes data and gamma alone from a result.
        maker, count = ("nystrom", 1) if method == "kernel-svm" else (method, round(rank * COUNTS.get(method, 1.0)))
        spent.add(*runs.approximate(maker, max(1, count), gamma, seed, files[-1], "--similarity.reuse", runs.path("base.h5")))
    return files


def line_of_method(runs, chosen, method, rank, seed, spent, tuned):
    gammas, costs, lengths = tuned.get(method, (chosen.gammas.split(","), chosen.costs, chosen.longest.split(",")))
    if method == "wme":
        files = embed_randomly(runs, gammas, lengths, rank, seed, spent)
    else:
        files = embed(runs, method, gammas, rank, seed, spent)
    task = "kernel-svm" if method == "kernel-svm" else "svm"
    more = ["--similarity.reuse", runs.path("base.h5")] if task == "kernel-svm" else ["--output.path", runs.path("model.h5")]
    trained, training = runs.train(task, files, costs, seed, *more)
    for name in files if method != "optimal" else []:
        os.remove(runs.path(name))
    gamma, longest = os.path.basename(trained["result"])[len(method) + 1:-3].rsplit("-", 1)
    if chosen.tune_first:
        tuned[method] = ([gamma], str(trained["cost"]), [longest])
    return {"dataset": chosen.dataset + (f"-{chosen.subset}" if chosen.subset else ""), "method": method, "rank": rank, "seed": seed,
            "gamma": gamma, "longest_document": longest, "cost": trained["cost"],
            "cross_validation": score(trained, "cross-validation", "accuracy"), "accuracy": score(trained, "test", "accuracy"),
            "macro_f1": score(trained, "test", "macro_f1"), "documents": trained.get("n", trained.get("rows")),
            "evaluations": spent.evaluations, "similarity_seconds": spent.similarity_seconds,
            "approximation_seconds": spent.seconds, "training_seconds": training}


def tuned_by(chosen):
    """{method: (gammas, costs, lengths of random documents)} after an earlier table."""
    tuned = {}
    if chosen.tuned_by:
        with open(chosen.tuned_by, newline="", encoding="utf-8") as table:
            for line in csv.DictReader(table):
                if line["dataset"].split("-")[0] == chosen.dataset:
                    cost = float(line["cost"])
                    tuned[line["method"]] = ([line["gamma"]], f"{cost},{10 * cost}", [line.get("longest_document") or "6"])
        missing = set(chosen.methods.split(",")) - set(tuned)
        if missing:
            sys.exit(f"{chosen.tuned_by} has no line of {chosen.dataset} with {', '.join(sorted(missing))}")
    return tuned


def lines(runs, chosen, rank):
    spent, tuned = Spent(), tuned_by(chosen)
    for seed in range(chosen.first_seed, chosen.first_seed + chosen.seeds):
        if chosen.methods != "wme" and (not chosen.whole or seed == chosen.first_seed):
            base_of(runs, chosen, rank, seed, spent)
        for method in chosen.methods.split(","):
            if method in WHOLE and seed > chosen.first_seed and not has_no_split(chosen):
                continue  # no landmarks and no split are drawn for them
            yield line_of_method(runs, chosen, method, rank, seed, spent, tuned)
            spent = Spent()  # what was spent on the base is counted once


def print_means(found):
    for method in dict.fromkeys(line["method"] for line in found):
        accuracies = [100 * line["accuracy"] for line in found if line["method"] == method]
        spread = f"+- {statistics.stdev(accuracies):.1f} " if len(accuracies) > 1 else ""
        print(f"{method:<12} mean of {len(accuracies)}: {statistics.mean(accuracies):.1f} {spread}%")


def main():
    chosen = options()
    found = []
    rank = chosen.rank or {"twitter": 421, "recipe": 532, "ohsumed": 500, "20news": 550}[chosen.dataset]
    new = not os.path.exists(chosen.out)
    with tempfile.TemporaryDirectory() as folder, open(chosen.out, "a", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, COLUMNS)
        if new:
            table.writeheader()
        runs = Runs(chosen, folder)
        for line in lines(runs, chosen, rank):
            found.append(line)
            table.writerow(line)
            out.flush()
            print(f"{line['method']:<12} seed {line['seed']}: {100 * line['accuracy']:.1f} % (gamma {line['gamma']}, C "
                  f"{line['cost']:g}), {line['evaluations']:,} distances in {line['similarity_seconds']:.1f} s",
                  flush=True)
    print_means(found)


if __name__ == "__main__":
    main()
