#!/usr/bin/env python3
"""Table 1 of Croce, Filice and Basili (2016): comments on questions, ranked and classified by linear machines on Nyström
features of configs/repro/cqa.cfg, by landmarks, over seeds; and what features, trees and marks are worth alone.

usage: cqa.py --data FOLDER --cairn PROGRAM --out TABLE.csv [options], or cqa.py --print TABLE.csv

FOLDER has questions/, words/ and documents/. A line of the table is one run with one seed.
"""
import collections
import csv
import pathlib
import statistics

import measuring

CONFIG = pathlib.Path(__file__).resolve().parents[2] / "configs" / "repro" / "cqa.cfg"
FIELDS = ("variant", "landmarks", "seed", "map", "average_recall", "mrr", "f1", "accuracy", "support_vectors", "read_seconds",
          "kernel_seconds", "train_seconds", "evaluations")
VARIANTS = {"all": (), "features": ("--similarity.weights", "1,0"), "trees": ("--similarity.weights", "0,1"),
            "trees, no marks": ("--similarity.weights", "0,1", "--data.relations", "false")}
RUNS = (*(("all", count) for count in (100, 300, 500, 1000)), ("features", 57), ("trees", 500), ("trees, no marks", 500))


def files(data):
    questions, words = data / "questions", data / "words"
    stem = "semeval2016-task3-"
    return ["--data.path", questions / f"{stem}train-part2.xml.xz", "--data.trees", questions / f"{stem}train-part2.conll.xz",
            "--data.test-path", questions / f"{stem}dev.xml.xz", "--data.test-trees", questions / f"{stem}dev.conll.xz",
            "--data.stop-words", data / "documents" / "stop-words.txt", "--data.vectors", words / "glove100.f32le.gz",
            "--data.words", words / "glove100.words.txt.gz"]


def line_of(variant, landmarks, seed, made, trained):
    test = next(ranking for ranking in trained["rankings"] if ranking["on"] == "test")
    scores = test["by_score"]
    return {"variant": variant, "landmarks": landmarks, "seed": seed, "map": scores["map"], "average_recall": scores["average_recall"],
            "mrr": scores["reciprocal_rank"], "f1": test["f1"], "accuracy": test["accuracy"],
            "support_vectors": trained.get("support_vectors", ""), "read_seconds": made["seconds"]["read"],
            "kernel_seconds": made["seconds"]["similarities"], "train_seconds": trained["seconds"]["total"],
            "evaluations": made["evaluations"]}


def measure(options, folder):
    launch = [*options.mpi.split(), "-n", options.ranks, options.cairn]
    result, model = folder / "cqa.h5", folder / "model.h5"

    def train(*task):
        return measuring.run([*launch, "train", result, *task, "--cost", 1], folder / "trained.json")

    for seed in range(1, options.seeds + 1):
        for variant, landmarks in RUNS:
            made = measuring.run([*launch, "approximate", "--config", CONFIG, *files(options.data), *VARIANTS[variant],
                                  "--landmarks.count", landmarks, "--run.seed", seed, "--evaluation.pairs", 0,
                                  "--output.path", result], folder / "made.json")
            yield line_of(variant, landmarks, seed, made, train("--task", "svm", "--loss", "hinge", "--passes", 30, "--output.path", model))
            if seed == 1 and (variant, landmarks) == RUNS[0]:
                exact = line_of("K itself", "", "", made, train("--task", "kernel-svm"))
                yield {**exact, "read_seconds": "", "kernel_seconds": "", "evaluations": ""}  # those of the landmarks' run


def table(path, _options):
    groups = collections.defaultdict(list)
    for line in csv.DictReader(open(path, newline="")):
        groups[line["variant"], line["landmarks"]].append(line)
    vectors = next(int(line["support_vectors"]) for lines in groups.values() for line in lines if line["support_vectors"])
    print("| kernel | landmarks | MAP | AvgRec | MRR | F1 | accuracy | saved | seconds: kernel, training |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (variant, landmarks), lines in groups.items():
        def mean(field, digits=4):
            values = [float(line[field]) for line in lines if line[field]]
            if not values:
                return ""
            spread = f" ± {statistics.stdev(values):.4f}" if len(values) > 1 and digits == 4 else ""
            return f"{statistics.mean(values):.{digits}f}{spread}"
        scores = " | ".join(mean(field) for field in ("map", "average_recall", "mrr", "f1", "accuracy"))
        saved = f"{100 * (1 - int(landmarks) / vectors):.1f} %" if variant == "all" else ""
        print(f"| {variant} | {landmarks} | {scores} | {saved} | {mean('kernel_seconds', 1)}, {mean('train_seconds', 1)} |")


def add_arguments(parser):
    parser.add_argument("--data", type=pathlib.Path, help="the folder with questions/, words/ and documents/")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--mpi", default="mpirun --bind-to none", help="what starts the ranks; -n follows")


if __name__ == "__main__":
    measuring.main(__doc__, FIELDS, add_arguments, measure, table)
