#!/usr/bin/env python3
"""Figures 1, 3 and 9 and the measures of table 3 of Ray, Monath, McCallum and Musco (2022). See docs/reproduction-sms.md.

usage: sms_figures.py STEP --data DATA --work FOLDER [options]      STEP: matrices, errors, shift, pairs, tables, all

matrices  evaluates all word mover's distances once and writes each matrix to FOLDER
errors    sweeps of all methods over s / n (figure 3); shift: of alpha and s2 (figure 9). Runs that are there are not repeated
pairs     correlations, F1 and accuracy of K~ on the pairs of STS-B and MRPC (table 3)
tables    gathers the runs, and all eigenvalues, in docs/measurements/sms-*.csv, which sms_figures_draw.py draws
"""
import argparse
import csv
import glob
import gzip
import json
import lzma
import os
import re
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIGS = os.path.join(HERE, "..", "..", "configs", "repro")
GAMMA = 0.2
MATRICES = ["twitter", "stsb", "mrpc", "stsb-match", "stsb-logistic", "twitter-tanh", "psd"]
SHARES = [0.02, 0.05, 0.1, 0.2, 0.3]
# Name -> method, s1 as a share of s, more options. SiCUR's s is its s2, as in the paper.
VARIANTS = {
    "nystrom": ("nystrom", 1, []),
    "nystrom-plain": ("nystrom", 1, ["--approximation.tolerance", "1e-12"]),
    "sms-nystrom": ("sms-nystrom", 1, []),
    "sicur": ("sicur", 0.5, []),
    "skeleton": ("skeleton", 1, []),
    "stacur-s": ("stacur", 1, []),
    "stacur-d": ("stacur", 1, ["--approximation.samples", "different"]),
}
ALPHAS, MULTIPLES, SHIFTED = [0.5, 1, 1.5, 2], [1, 2, 3], ["stsb-match", "stsb-logistic"]
PAIR_RANKS = {**dict.fromkeys(["stsb", *SHIFTED], [250, 350, 700]), "mrpc": [250, 500, 1000]}
PAIR_METHODS = ["sms-nystrom", "stacur-s", "sicur", "nystrom"]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["matrices", "errors", "shift", "pairs", "tables", "all"])
    parser.add_argument("--data", required=True, help="the folder with documents/, pairs/ and words/")
    parser.add_argument("--work", required=True, help="matrices and single runs are kept here")
    parser.add_argument("--cairn", default="cairn")
    parser.add_argument("--mpi", default="mpirun --bind-to none -n 2")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--shift-seeds", type=int, default=3)
    return parser.parse_args()


class Runs:
    def __init__(self, chosen):
        self.chosen = chosen

    def work(self, name):
        return os.path.join(self.chosen.work, name)

    def data(self, name):
        return os.path.join(self.chosen.data, name)

    def cairn(self, *words):
        """Runs a command and returns its report."""
        report = self.work("report.json")
        command = [*self.chosen.mpi.split(), self.chosen.cairn, *map(str, words), "--json", report]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        with open(report, encoding="utf-8") as file:
            return json.load(file)

    def matrix(self, name):
        """Options that name a matrix."""
        if name == "psd":  # Z Z^T
            more = ["--data.kind", "points", "--data.generate", "normal", "--data.points", 1000, "--data.dimension", 1000,
                    "--similarity.kind", "linear"]
        else:
            more = ["--data.path", self.work(f"{name}.npy")]
        return ["--config", os.path.join(CONFIGS, "sms-errors-matrix.cfg"), *more]

    def objects(self, name):
        return 1000 if name == "psd" else np.load(self.work(f"{name}.npy"), mmap_mode="r").shape[0]


# Sentences and their pairs

def read_pairs(runs, name):
    """Distinct sentences in the order of the file, and pairs (number, number, score)."""
    path, columns = {"stsb": ("pairs/sts-dev.tsv.xz", (5, 6, 4)), "mrpc": ("pairs/mrpc-test.tsv.xz", (3, 4, 0))}[name]
    with lzma.open(runs.data(path), "rt", encoding="utf-8-sig") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    numbers, pairs = {}, []
    for line in lines[1:] if name == "mrpc" else lines:  # MRPC has a header
        first, second = (numbers.setdefault(line[column], len(numbers)) for column in columns[:2])
        pairs.append((first, second, float(line[columns[2]])))
    return list(numbers), pairs


def greedy_matches(runs, sentences):
    """B_xw: the mean, over the words of x, of the cosine with the word of w that is most like it. Not symmetric."""
    with gzip.open(runs.data("words/glove100.words.txt.gz"), "rt", encoding="utf-8") as file:
        rows = {word: number for number, word in enumerate(file.read().split("\n"))}
    with gzip.open(runs.data("words/glove100.f32le.gz")) as file:
        vectors = np.frombuffer(file.read(), "<f4").reshape(-1, 100)
    with open(runs.data("documents/stop-words.txt"), encoding="utf-8") as file:
        stops = set(file.read().split())
    bags = [[w for w in re.findall(r"[^\W_]+", text.lower()) if w in rows and w not in stops] for text in sentences]
    words = {word: number for number, word in enumerate(sorted({word for bag in bags for word in bag}))}
    own = vectors[[rows[word] for word in words]].astype(float)
    own /= np.linalg.norm(own, axis=1)[:, None]
    means = np.zeros((len(bags), len(words)))
    for number, bag in enumerate(bags):
        for word in bag:
            means[number, words[word]] += 1 / len(bag)
    columns = [means @ (own @ own[[words[word] for word in bag]].T).max(axis=1) for bag in bags]
    return np.stack(columns, axis=1)


# Matrices and their spectra

def word_movers(runs, name, path):
    """Distances of all documents, evaluated once; and the numbers of the sentences that have a known word."""
    import h5py
    base = runs.work(f"{name}-base.h5")
    if not os.path.exists(base):
        data = ["--config", os.path.join(CONFIGS, "sms-errors.cfg"), "--data.path", path, "--data.stop-words",
                runs.data("documents/stop-words.txt"), "--data.vectors", runs.data("words/glove100.f32le.gz")]
        counted = runs.cairn("approximate", *data, "--approximation.method", "nystrom", "--output.path", runs.work("one.h5"),
                             "--output.distances", "false")
        runs.cairn("approximate", *data, "--approximation.s2", counted["n"], "--output.path", base)
    with h5py.File(base) as file:
        columns = file["base/columns"][:]
        distances = np.empty_like(columns)
        distances[:, file["base/indices"][:]] = columns
        labels = file["labels"].asstr()[:]
    return (distances + distances.T) / 2, labels  # they differ by rounding


def make_matrices(runs):
    distances, _ = word_movers(runs, "twitter", runs.data("documents/twitter.txt.xz"))
    np.save(runs.work("twitter.npy"), np.exp(-GAMMA * distances))
    np.save(runs.work("twitter-tanh.npy"), np.tanh(1 - distances / 5))
    for name in ("stsb", "mrpc"):
        sentences, pairs = read_pairs(runs, name)
        path = runs.work(f"{name}.tsv")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{number}\t{text}\n" for number, text in enumerate(sentences))
        distances, kept = word_movers(runs, name, path)
        np.save(runs.work(f"{name}.npy"), np.exp(-GAMMA * distances))
        row = {int(number): place for place, number in enumerate(kept)}
        known = [(row[i], row[j], score) for i, j, score in pairs if i in row and j in row]
        print(f"{name}: {len(sentences)} sentences, {len(row)} with a known word; {len(known)} of {len(pairs)} pairs")
        for copy in [name, *SHIFTED] if name == "stsb" else [name]:
            with open(runs.work(f"{copy}-pairs.csv"), "w", encoding="utf-8") as file:
                file.writelines(f"{i},{j},{score:g}\n" for i, j, score in known)
        if name == "stsb":
            matches = greedy_matches(runs, [sentences[int(number)] for number in kept])
            logistic = 1 / (1 + np.exp(-10 * (matches - 0.6)))
            np.save(runs.work("stsb-match.npy"), (matches + matches.T) / 2)  # both directions, as the paper takes them
            np.save(runs.work("stsb-logistic.npy"), (logistic + logistic.T) / 2)


def spectrum(runs, name):
    """All eigenvalues, by descending magnitude: those that the optimal approximation comes from."""
    import h5py
    path = runs.work(f"{name}-optimal.h5")
    if not os.path.exists(path):
        runs.cairn("approximate", *runs.matrix(name), "--approximation.method", "optimal", "--approximation.rank", 1,
                   "--output.path", path)
    with h5py.File(path) as file:
        values = file["report/spectrum"][:]
    return values[np.argsort(-np.abs(values))]


# Runs

def sweep(runs, path, name, method, seeds, axes, more=()):
    """Adds what the file lacks of a sweep; a run that is there is not repeated."""
    vary = [word for key, values in axes.items() for word in ("--vary", f"{key}={','.join(map(str, values))}")]
    return runs.cairn("sweep", *runs.matrix(name), "--approximation.method", method, *more, *vary, "--repeats", seeds,
                      "--restart", "true", "--output.csv", path)


def errors(runs):
    for name in MATRICES:
        n = runs.objects(name)
        for variant, (method, share, more) in VARIANTS.items():
            counts = [max(1, round(s * n * share)) for s in SHARES]
            sweep(runs, runs.work(f"errors_{name}_{variant}.csv"), name, method, runs.chosen.seeds,
                  {"landmarks.count": counts}, more)
            print(name, variant, flush=True)


def shift(runs):
    for name in SHIFTED:
        for count in (round(s * runs.objects(name)) for s in SHARES[:4]):
            for multiple in MULTIPLES:
                sweep(runs, runs.work(f"shift_{name}.csv"), name, "sms-nystrom", runs.chosen.shift_seeds,
                      {"landmarks.count": [count], "approximation.s2": [multiple * count], "approximation.alpha": ALPHAS})
        print("alpha and s2 of", name, flush=True)


def pairs(runs):
    for name, ranks in PAIR_RANKS.items():
        for rank in ranks:
            for variant in PAIR_METHODS:
                for seed in range(1, runs.chosen.seeds + 1):
                    pair_run(runs, name, rank, variant, seed)
        print("pairs of", name, flush=True)


def pair_run(runs, name, rank, variant, seed):
    method, share, more = VARIANTS[variant]
    path = runs.work(f"pairs_{name}_{variant}_{rank}_{seed}.json")
    if os.path.exists(path):
        return
    result = runs.work("pairs.h5")
    made = runs.cairn("approximate", *runs.matrix(name), "--approximation.method", method, *more, "--landmarks.count",
                      round(rank * share), "--run.seed", seed, "--output.path", result)
    scored = runs.cairn("evaluate", result, "--pairs", runs.work(f"{name}-pairs.csv"))
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"made": made, "scored": scored}, file)


# Tables

def write_table(name, columns, lines):
    with open(os.path.join(HERE, name), "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(lines)


def read_sweep(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tables(runs):
    spectra, errors_table, summary = [], [], []
    for name in MATRICES:
        n, values = runs.objects(name), spectrum(runs, name)
        spectra += [[name, place, f"{value:.9g}"] for place, value in enumerate(values[:201], 1)]
        below = values[values < -1e-12 * abs(values[0])]
        rest = values[1:]
        summary.append([name, n, *(f"{value:.6g}" for value in (
            values.max(), rest[0], values.min(), np.sum(below**2) / np.sum(values**2),
            np.sum(rest[rest < 0]**2) / np.sum(rest**2))), len(below)])
        for share in SHARES:
            s = round(share * n)
            errors_table.append([name, "optimal", s, n, s, 0, 0, n * n,
                                 f"{np.sqrt(np.sum(values[s:]**2) / np.sum(values**2)):.9g}", 0, s])
        for variant, (_, part, _) in VARIANTS.items():
            for run in read_sweep(runs.work(f"errors_{name}_{variant}.csv")):
                errors_table.append([name, variant, run["s2"] if part < 1 else run["s1"], n, run["s1"], run["s2"], run["run_seed"],
                                     run["evaluations"], run["relative_error"], run["relative_error_standard_error"],
                                     run["rank"]])
    write_table("sms-spectra.csv", ["matrix", "place", "eigenvalue"], spectra)
    write_table("sms-matrices.csv", ["matrix", "n", "largest", "second_by_magnitude", "least", "negative_share_of_squares",
                                     "negative_share_without_largest", "negative"], summary)
    write_table("sms-errors.csv", ["matrix", "method", "s", "n", "s1", "s2", "seed", "evaluations", "relative_error",
                                   "standard_error", "rank"], errors_table)
    write_table("sms-shift.csv", ["matrix", "alpha", "s", "s2", "n", "seed", "relative_error"], [
        [name, run["approximation.alpha"], run["s1"], run["s2"], run["n"], run["run_seed"], run["relative_error"]]
        for name in SHIFTED for run in read_sweep(runs.work(f"shift_{name}.csv"))])
    pair_table(runs)


def pair_table(runs):
    lines = []
    for path in glob.glob(runs.work("pairs_*.json")):
        name, variant, rank, seed = os.path.basename(path)[6:-5].split("_")
        with open(path, encoding="utf-8") as file:
            runs_of = json.load(file)
        made, scores = runs_of["made"], runs_of["scored"]["pairs"]
        for of, key in (("K~", "approximate"), ("K", "exact")):
            if of == "K~" or (seed, variant, int(rank)) == ("1", "sicur", PAIR_RANKS[name][0]):
                figures = [scores[key].get(figure, "") for figure in ("pearson", "spearman", "f1", "accuracy")]
                own = [variant, int(rank), int(seed), made["relative_error"], made["shift"], len(made["warnings"])]
                lines.append([name, *(own if of == "K~" else ["K itself", 0, 0, 0, 0, 0]), *figures, scores["count"]])
    write_table("sms-pairs.csv", ["matrix", "method", "s", "seed", "relative_error", "shift", "warnings", "pearson", "spearman",
                                  "f1", "accuracy", "pairs"], sorted(lines, key=lambda line: line[:4]))


def main():
    chosen = options()
    os.makedirs(chosen.work, exist_ok=True)
    runs = Runs(chosen)
    steps = {"matrices": make_matrices, "errors": errors, "shift": shift, "pairs": pairs, "tables": tables}
    for step in steps if chosen.step == "all" else [chosen.step]:
        steps[step](runs)


if __name__ == "__main__":
    main()
