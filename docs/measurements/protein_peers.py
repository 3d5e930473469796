#!/usr/bin/python3
"""Vectors of proteins by gbu and by doc2vec (gensim) on the same sequences, and a Gaussian process on either.

    docs/measurements/protein_peers.py --data DATA --work FOLDER --cairn cairn --out docs/measurements/protein-peers.csv

DATA holds protein/uniprot-1000.txt.xz, protein/T50.txt.xz and protein/localization.txt.xz (Yang, Wu, Bedbrook and Arnold 2018).
Debian package: python3-gensim. doc2vec: 64 numbers, window 7, k texts of 3-mers per sequence with the tag of the sequence,
as Yang et al. have it; both of its models, 3 seeds, 25 passes. Its vectors go through the same `cairn train --task gp`, as gbu
of their inner products, which finds them up to a rotation.
"""
import argparse
import csv
import json
import lzma
import pathlib
import statistics
import subprocess
import time

DIMENSION, LENGTH, WINDOW, PASSES, SEEDS = 64, 3, 7, 25, range(1, 4)
TASKS = {"T50": ("T50.txt.xz", "T50"), "localization": ("localization.txt.xz", "log_GFP")}


def rows_of(path):
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cairn(chosen, *arguments):
    report = chosen.work / "report.json"
    command = [chosen.cairn, *arguments, "--json", report]
    subprocess.run([str(word) for word in command], check=True, capture_output=True, cwd=chosen.work)
    return json.loads(report.read_text())


def gp(chosen, result, table, target, *arguments):
    """Figures of the rows that the process was not trained on."""
    report = cairn(chosen, "train", result, "--task", "gp", "--targets", f"{table}:{target}", "--output.path", "model.h5", *arguments)
    score = next(one for one in report["scores"] if one["on"] == "held-out")
    return {"r2": score["r_squared"], "mae": score["mean_absolute_error"], "inside": score["interval_coverage"],
            "likelihood": report["processes"][0]["log_marginal_likelihood"]}


def doc2vec(sequences, model, seed):
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument
    texts = [TaggedDocument([one[at:at + LENGTH] for at in range(phase, len(one) - LENGTH + 1, LENGTH)], [number])
             for number, one in enumerate(sequences) for phase in range(LENGTH)]
    started = time.monotonic()
    trained = Doc2Vec(texts, vector_size=DIMENSION, window=WINDOW, min_count=1, dm=model, epochs=PASSES, seed=seed, workers=1)
    return trained.dv.vectors, time.monotonic() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="The folder DATA.")
    parser.add_argument("--work", type=pathlib.Path, default="protein-peers", help="A folder for what is computed.")
    parser.add_argument("--cairn", default="cairn", help="The program.")
    parser.add_argument("--out", type=pathlib.Path, default="protein-peers.csv", help="The CSV file that is written.")
    chosen = parser.parse_args()
    import numpy
    chosen.work = chosen.work.resolve()
    chosen.work.mkdir(parents=True, exist_ok=True)
    data, out = chosen.data.resolve() / "protein", chosen.out.resolve()
    with lzma.open(data / "uniprot-1000.txt.xz", "rt", encoding="utf-8") as file:
        uniprot = [line.strip() for line in file if line.strip()]
    config = pathlib.Path(__file__).resolve().parents[2] / "configs/t50.cfg"
    rows = []
    for name, (file_name, target) in TASKS.items():
        table = data / file_name
        started = time.monotonic()
        cairn(chosen, "approximate", "--config", config, "--data.path", data / "uniprot-1000.txt.xz", "--data.more", table, "--output.path", "kmers.h5")
        cairn(chosen, "extend", "kmers.h5", "--data.path", table, "--data.format", "protein", "--data.split", "is_train", "--output.path", "gbu.h5")
        seconds = time.monotonic() - started
        rows.append({"task": name, "vectors": "gbu", "seed": "", "seconds": seconds} | gp(chosen, "gbu.h5", table, target))
        sequences = [row["sequence"] for row in rows_of(table)]
        train = [number for number, row in enumerate(rows_of(table)) if row["is_train"] == "True" and row[target]]
        (chosen.work / "train.txt").write_text("".join(f"{number}\n" for number in train))
        for model, label in ((1, "doc2vec, PV-DM"), (0, "doc2vec, PV-DBOW")):
            for seed in SEEDS:
                vectors, seconds = doc2vec([*uniprot, *sequences], model, seed)
                own = vectors[len(uniprot):].astype(float)
                numpy.save(chosen.work / "vectors.npy", own)
                cairn(chosen, "approximate", "--data.path", "vectors.npy", "--similarity.kind", "linear", "--approximation.method", "gbu",
                      "--approximation.dimension", DIMENSION, "--landmarks.count", min(len(own), 4 * DIMENSION), "--output.path", "doc2vec.h5")
                rows.append({"task": name, "vectors": label, "seed": seed, "seconds": seconds}
                            | gp(chosen, "doc2vec.h5", table, target, "--train-rows", "train.txt"))
                print(rows[-1], flush=True)
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    show(rows)


def show(rows):
    print("| task | vectors | seconds | R² | MAE | log marginal likelihood |\n|---|---|---|---|---|---|")
    for task in TASKS:
        for label in dict.fromkeys(row["vectors"] for row in rows):
            own = [row for row in rows if (row["task"], row["vectors"]) == (task, label)]
            figures = [" ".join([f"{statistics.mean(row[key] for row in own):.{digits}f}",
                                 *([f"± {statistics.stdev(row[key] for row in own):.{digits}f}"] if len(own) > 1 else [])])
                       for key, digits in (("seconds", 1), ("r2", 3), ("mae", 3), ("likelihood", 1))]
            print("|", " | ".join([task, label, *figures]), "|")


if __name__ == "__main__":
    main()
