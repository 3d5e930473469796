#!/usr/bin/env python3
"""Errors of nystrom with and without approximation.core-rows, at equal numbers of evaluations.

usage: core_rows.py CAIRN SEGMENT [LETTER]     the program; segment.svm of UCI, and letter.csv, as they are or as .xz

Prints a line for each matrix: n objects, s landmarks and 4 s core rows; s' landmarks of plain nystrom that take as many
evaluations; medians of the exact relative errors over five seeds, and their ratio.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

NORMAL = ["--data.generate", "normal", "--data.points", "6000", "--data.dimension", "5"]
NOISE = ["--similarity.kind", "sum", "--similarity.parts", "rbf,noise", "--similarity.1.gamma", ".05"]


def matrices(segment, letter):
    """Name, n, s, and the arguments that give K."""
    points = ["--data.path", segment, "--data.scaling", "standard"]
    letters = ["--data.path", letter, "--data.label", "Letter", "--data.scaling", "standard"] if letter else None
    all_of_them = [
        ("rbf", 6000, 150, [*NORMAL, "--similarity.kind", "rbf", "--similarity.gamma", ".05"]),
        ("rbf, wide", 6000, 150, [*NORMAL, "--similarity.kind", "rbf", "--similarity.gamma", ".005"]),
        ("segment, rbf", 2310, 57, [*points, "--similarity.kind", "rbf", "--similarity.gamma", "median"]),
        ("segment, rbf wide", 2310, 57, [*points, "--similarity.kind", "rbf", "--similarity.gamma", ".0005"]),
        ("rbf + noise", 6000, 150, [*NORMAL, *NOISE, "--similarity.2.sigma", ".01414", "--similarity.2.sigma-diagonal", ".02"]),
        ("rbf + noise / 100", 6000, 150,
         [*NORMAL, *NOISE, "--similarity.2.sigma", ".0001414", "--similarity.2.sigma-diagonal", ".0002"]),
        ("tanh(x·y / 5 + 1)", 6000, 150,
         [*NORMAL, "--similarity.kind", "sigmoid", "--similarity.gamma", ".2", "--similarity.coef0", "1"]),
        ("segment, euclidean", 2310, 57, [*points, "--similarity.kind", "euclidean"]),
    ]
    if letters:
        all_of_them.append(("letter, tanh(x·y / 16 - .2)", 20000, 300,
                            [*letters, "--similarity.kind", "sigmoid", "--similarity.gamma", ".0625",
                             "--similarity.coef0", "-.2"]))
        all_of_them.append(("letter, euclidean", 20000, 300, [*letters, "--similarity.kind", "euclidean"]))
    return all_of_them


def error(cairn, folder, arguments):
    """The exact relative error of a run, and its evaluations."""
    report = os.path.join(folder, "report.json")
    subprocess.run([*cairn, "approximate", *arguments, "--evaluation.rows", "1000", "--output.path", os.path.join(folder, "r.h5"),
                    "--overwrite", "true", "--json", report], check=True, stdout=subprocess.DEVNULL)
    with open(report, encoding="utf-8") as file:
        found = json.load(file)
    return found["relative_error"], found["evaluations"]


def main():
    cairn, segment = sys.argv[1].split(), os.path.abspath(sys.argv[2])
    letter = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
    print("matrix, n, s, s' of plain nystrom, plain, with core rows, ratio")
    with tempfile.TemporaryDirectory() as folder:
        for name, n, s, arguments in matrices(segment, letter):
            core, plain = [], []
            for seed in range(1, 6):
                run = [*arguments, "--run.seed", str(seed), "--approximation.method", "nystrom"]
                found, evaluations = error(cairn, folder, [*run, "--landmarks.count", str(s), "--approximation.core-rows", str(4 * s)])
                core.append(found)
                more = round(evaluations / n)
                plain.append(error(cairn, folder, [*run, "--landmarks.count", str(more)])[0])
            ratio = statistics.median(core) / statistics.median(plain)
            print(f"{name}, {n}, {s}, {more}, {statistics.median(plain):.3g}, {statistics.median(core):.3g}, {ratio:.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
