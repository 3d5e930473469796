#!/usr/bin/python3
"""Seconds that `cairn plan` predicts, beside those that ten runs of different kinds take.

    docs/measurements/plan_seconds.py --data DATA --cairn build/release/apps/cairn/cairn --out docs/measurements/plan-seconds.csv
    docs/measurements/plan_seconds.py --print docs/measurements/plan-seconds.csv [--phases]

DATA is the folder of data sets. Each round plans a job and runs it, on as many ranks; medians over rounds are shown. With
--calibration FILE the plans take the rates of that file (`cairn plan --calibrate FILE`). --jobs names some of the ten.
Results are written to TMPDIR and deleted.
"""
import collections
import csv
import os
import pathlib
import statistics
import tempfile

import measuring

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIELDS = ("job", "round", "phase", "planned", "measured")


def jobs(data):
    """The options of each, by name."""
    configs = ROOT / "configs"
    questions, words = data / "questions", data / "words"
    semeval = [(f"--data.{key}", questions / f"semeval2016-task3-{name}.xz") for key, name in
               (("path", "train-part2.xml"), ("trees", "train-part2.conll"), ("test-path", "dev.xml"), ("test-trees", "dev.conll"))]
    mixture = ["--data.generate", "gaussian-mixture", "--data.dimension", 16, "--similarity.kind", "rbf", "--similarity.gamma", 2,
               "--run.precision", "single"]
    return {
        "roads": ["--config", configs / "bay.cfg"],
        "surface": ["--config", configs / "repro/biharmonic-brain.cfg", "--landmarks.count", 2000],
        "path lengths": ["--data.kind", "graph", "--data.path", data / "roads/USA-NE.gr.xz", "--similarity.kind", "path-length",
                         "--approximation.method", "nystrom", "--landmarks.count", 200],
        "images": ["--data.path", data / "points/train-images-idx3-ubyte.gz", "--data.scaling", "min-max", "--similarity.kind", "rbf",
                   "--similarity.gamma", 0.02, "--landmarks.count", 1000],
        "joining 4,000": [*mixture, "--data.points", 100_000, "--landmarks.count", 4000],
        "documents": ["--config", configs / "repro/sms-twitter.cfg", "--data.path", data / "documents/twitter.txt.xz",
                      "--data.vectors", words / "glove100.f32le.gz", "--data.words", words / "glove100.words.txt.gz",
                      "--data.stop-words", data / "documents/stop-words.txt"],
        "trees": ["--config", configs / "trec.cfg", "--landmarks.count", 2000],
        "pairs of texts": ["--config", configs / "repro/cqa.cfg", *(word for option in semeval for word in option),
                           "--data.stop-words", data / "documents/stop-words.txt", "--landmarks.count", 100,
                           "--data.vectors", words / "glove100.f32le.gz", "--data.words", words / "glove100.words.txt.gz"],
        "words": ["--config", configs / "imdb.cfg", "--data.path", data / "corpus/imdb-unlabelled.tsv.gz"],
        "joining 8,000": [*mixture, "--data.points", 40_000, "--landmarks.count", 8000],
    }


def measure(options, _folder):
    chosen = jobs(options.data)
    unknown = [name for name in options.jobs or () if name not in chosen]
    if unknown:
        raise SystemExit(f"no such job: {', '.join(unknown)}; jobs are {', '.join(chosen)}")
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", options.ranks, options.cairn.resolve()]
    rates = ["--calibration", options.calibration] if options.calibration else []
    for turn in range(options.rounds):
        for name, words in chosen.items():
            if options.jobs and name not in options.jobs:
                continue
            with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", ".")) as folder:
                output = ["--output.path", f"{folder}/result.h5"]
                planned = measuring.run([*mpirun, "plan", *words, *output, *rates], f"{folder}/plan.json")["seconds"]
                measured = measuring.run([*mpirun, "approximate", *words, *output], f"{folder}/run.json")["seconds"]
            for phase in list(planned) + [phase for phase in measured if phase not in planned]:
                yield {"job": name, "round": turn, "phase": phase, "planned": f"{planned.get(phase, 0):.4g}",
                       "measured": f"{measured.get(phase, 0):.4g}"}


def table(path, options):
    seconds = collections.defaultdict(lambda: ([], []))
    for line in csv.DictReader(path.open(newline="")):
        for values, column in zip(seconds[line["job"], line["phase"]], ("planned", "measured")):
            values.append(float(line[column]))
    print(f"| {'job':<22} | {'phase':<20} | planned | measured | ratio |\n|---|---|---|---|---|")
    within = []
    for (job, phase), lists in seconds.items():
        planned, measured = (statistics.median(values) for values in lists)
        if phase == "total":
            within.append(1 / 1.3 <= planned / measured <= 1.3)
        if options.phases or phase == "total":
            ratio = f"{planned / measured:.2f}" if measured else ""
            print(f"| {job:<22} | {phase:<20} | {planned:7.2f} | {measured:8.2f} | {ratio:>5} |")
    print(f"{sum(within)} of {len(within)} within 30 %")


def add_arguments(parser):
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--jobs", nargs="+", metavar="NAME")
    parser.add_argument("--calibration", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--phases", action="store_true", help="show every phase, not only the whole job")


if __name__ == "__main__":
    measuring.main(__doc__, FIELDS, add_arguments, measure, table, repeats=("rounds", 3))
