#!/usr/bin/env python3
"""Table 2 and table 6 of Ray, Monath, McCallum and Musco (2022): classes of documents from word mover's distances, by
embeddings of several methods and linear support vector machines. See configs/repro/sms-*.cfg.

usage: sms_classification.py DATASET --data FOLDER --out TABLE.csv [options]

DATASET is twitter, recipe, ohsumed or 20news. Distances are evaluated once a seed, by the run of SMS-Nystrom, and kept;
the other gammas and methods take them from there, and what a method needs beyond them is evaluated and counted. Gamma and
C are chosen by cross-validation on the training rows. A line of the table is a method with one seed.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "configs", "repro")
COLUMNS = ["dataset", "method", "rank", "seed", "gamma", "cost", "cross_validation", "accuracy", "macro_f1", "documents",
           "evaluations", "similarity_seconds", "approximation_seconds", "training_seconds"]
FILES = {  # below documents/
    "twitter": ["twitter.txt.xz"],
    "recipe": ["recipe.json.zip"],
    "ohsumed": ["ohsumed.training.tsv.gz", "ohsumed.test.tsv.gz"],
    "20news": ["20news.train.tsv.gz", "20news.test.tsv.gz"],
}
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
    parser.add_argument("--folds", type=int, default=5)
    return parser.parse_args()


class Runs:
    def __init__(self, chosen, folder):
        self.chosen, self.folder = chosen, folder
        documents = [os.path.join(chosen.data, "documents", name) for name in FILES[chosen.dataset]]
        self.data = ["--config", os.path.join(CONFIGS, f"sms-{chosen.dataset}.cfg"), "--data.path", documents[0],
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
        return self.cairn("approximate", *self.data, "--approximation.method", method, "--landmarks.count", count,
                          "--similarity.gamma", gamma, "--run.seed", seed, "--output.path", self.path(name), *more)

    def train(self, files, seed):
        split = [] if len(FILES[self.chosen.dataset]) > 1 else ["--train-fraction", "0.7"]
        return self.cairn("train", "--task", "svm", *map(self.path, files), "--cost", self.chosen.costs, "--folds",
                          self.chosen.folds, "--run.seed", seed, *split, "--output.path", self.path("model.h5"))


def score(report, on, figure):
    return next(line[figure] for line in report["scores"] if line["on"] == on)


def lines_of_seed(runs, chosen, rank, seed):
    gammas = chosen.gammas.split(",")
    base, seconds = runs.approximate("sms-nystrom", rank, gammas[0], seed, "base.h5", "--output.distances", "true")
    evaluations, similarity_seconds = base["evaluations"], base["seconds"]["similarities"]
    for method in chosen.methods.split(","):
        files, approximating = [], seconds
        for gamma in gammas:
            files.append(f"{method}-{gamma}.h5")
            report, one = runs.approximate(method, max(1, round(rank * COUNTS[method])), gamma, seed, files[-1],
                                           *(["--similarity.reuse", runs.path("base.h5")] if method != "wme" else []))
            approximating += one
            evaluations += report["evaluations"]
            similarity_seconds += report["seconds"]["similarities"]
        trained, training = runs.train(files, seed)
        classifier = trained
        yield {"dataset": chosen.dataset, "method": method, "rank": rank, "seed": seed,
               "gamma": os.path.basename(classifier["result"])[len(method) + 1:-3], "cost": classifier["cost"],
               "cross_validation": score(classifier, "cross-validation", "accuracy"),
               "accuracy": score(classifier, "test", "accuracy"), "macro_f1": score(classifier, "test", "macro_f1"),
               "documents": trained["n"], "evaluations": evaluations, "similarity_seconds": similarity_seconds,
               "approximation_seconds": approximating, "training_seconds": training}
        evaluations, similarity_seconds, seconds = 0, 0.0, 0.0  # those of the base are counted once
        for name in files:
            os.remove(runs.path(name))


def main():
    chosen = options()
    rank = chosen.rank or {"twitter": 421, "recipe": 532, "ohsumed": 500, "20news": 550}[chosen.dataset]
    new = not os.path.exists(chosen.out)
    with tempfile.TemporaryDirectory() as folder, open(chosen.out, "a", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, COLUMNS)
        if new:
            table.writeheader()
        runs = Runs(chosen, folder)
        for seed in range(chosen.first_seed, chosen.first_seed + chosen.seeds):
            for line in lines_of_seed(runs, chosen, rank, seed):
                table.writerow(line)
                out.flush()
                print(f"{line['method']:<12} seed {seed}: {100 * line['accuracy']:.1f} % (gamma {line['gamma']}, C "
                      f"{line['cost']:g}), {line['evaluations']:,} distances in {line['similarity_seconds']:.1f} s",
                      flush=True)


if __name__ == "__main__":
    main()
