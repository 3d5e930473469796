#!/usr/bin/python3
"""Tables 1 and 2 of Khalife, Gonçalves and Liberti (2022): gbu and adam on Gram matrices of random points (their Algorithm 3).

    docs/measurements/dgp_tables.py --cairn build/release/apps/cairn/cairn --draws 10 --out docs/measurements/dgp-tables.csv
    docs/measurements/dgp_tables.py --print docs/measurements/dgp-tables.csv

n points V of K normal coordinates, centered; G_ij = V_i . V_j (1 + eta z_ij), z symmetric and standard normal: the standard
deviation of the noise is eta |G_ij|. Draw d has data.seed = run.seed = d. Table 1 has m = K + 1 references, table 2 m = 1.5 K.
Three learning rates; then, for table 2, the seconds that adam takes to gbu's score at each rate (one draw).
"""
import argparse
import collections
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

CONFIG = pathlib.Path(__file__).resolve().parents[2] / "configs/repro/dgp-synthetic.cfg"
RATES = (0.01, 0.1, 0.3)
# Score and seconds as printed in the paper, (table, n, K, eta): (gbu, seconds, adam, seconds); None: failed.
PAPER = {
    (1, 500, 3, 0): (4.480e-32, 0.0193, 1.224e-3, 14.85), (1, 500, 50, 0): (1.931e-28, 0.0465, 1.009e-2, 15.93),
    (1, 500, 200, 0): (7.437e-29, 0.120, 1.266e-2, 17.19), (1, 500, 3, 0.01): (7.181e-7, 0.0195, 1.500e-3, 13.94),
    (1, 500, 50, 0.01): (9.932e-6, 0.0215, 1.069e-2, 15.95), (1, 500, 200, 0.01): (None, None, 1.306e-2, 17.06),
    (1, 500, 3, 0.02): (3.762e-6, 0.0201, 1.182e-3, 13.64), (1, 500, 50, 0.02): (6.148e-6, 0.00409, 1.055e-2, 15.99),
    (1, 500, 200, 0.02): (None, None, 1.416e-2, 17.05), (1, 1000, 3, 0): (1.794e-32, 0.0460, 1.121e-3, 45.96),
    (1, 1000, 50, 0): (5.105e-30, 0.0939, 1.335e-2, 55.43), (1, 1000, 200, 0): (6.757e-29, 0.299, 2.680e-2, 59.43),
    (1, 1000, 3, 0.01): (3.360e-7, 0.0457, 1.167e-3, 50.54), (1, 1000, 50, 0.01): (4.960e-6, 0.0190, 1.367e-2, 56.00),
    (1, 1000, 200, 0.01): (None, None, 2.743e-2, 59.90), (1, 1000, 3, 0.02): (1.757e-6, 0.0481, 1.434e-3, 51.89),
    (1, 1000, 50, 0.02): (None, None, 1.336e-2, 57.74), (1, 1000, 200, 0.02): (None, None, 2.892e-2, 59.39),
    (2, 500, 3, 0.02): (3.617e-6, 0.0195, 1.350e-3, 14.70), (2, 500, 50, 0.02): (5.275e-4, 0.0525, 1.230e-2, 15.92),
    (2, 500, 200, 0.02): (5.609e-3, 0.121, 1.621e-2, 17.11), (2, 1000, 3, 0.02): (2.203e-6, 0.0459, 1.061e-3, 45.41),
    (2, 1000, 50, 0.02): (5.587e-4, 0.107, 1.646e-2, 56.47), (2, 1000, 200, 0.02): (7.524e-3, 0.367, 3.525e-2, 60.39)}
FIELDS = ("table", "n", "K", "eta", "draw", "method", "rate", "target", "score", "relative", "seconds", "steps", "error")


def run(cairn, folder, cell, draw, *arguments):
    """One run of a method: its row of the file, without the method."""
    table, n, dimension, eta = cell
    references = dimension + 1 if table == 1 else math.ceil(1.5 * dimension)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    command = [cairn, "approximate", "--config", CONFIG, "--data.points", n, "--data.dimension", dimension, "--data.seed", draw,
               "--run.seed", draw, "--similarity.2.sigma", eta, "--similarity.2.sigma-diagonal", eta, "--approximation.dimension", dimension,
               "--landmarks.count", references, "--output.path", folder / "r.h5", "--json", report, *arguments]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    row = dict(zip(FIELDS, (*cell, draw)))
    if done.returncode == 4:  # numeric: what the paper marks with a star
        return row | {"error": done.stderr.strip().splitlines()[-1]}
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    read = json.loads(report.read_text())
    phases = read["seconds"]
    outside = ("total", "read", "write", "similarity")
    return row | {"score": read.get("loss", ""), "relative": read.get("relative_loss", ""), "steps": int(read.get("steps", 0)),
                  "seconds": sum(value for name, value in phases.items() if name not in outside)}


def measure(cairn, draws, out):
    with tempfile.TemporaryDirectory() as name, open(out, "w", newline="", encoding="utf-8") as file:
        folder = pathlib.Path(name)
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()

        def keep(row):
            writer.writerow(row)
            file.flush()
            return row

        for cell in PAPER:
            for draw in range(1, draws + 1):
                gbu = ("--approximation.method", "gbu")
                timed = run(cairn, folder, cell, draw, *gbu)  # without the loss, which takes as long as the vectors
                scored = run(cairn, folder, cell, draw, *gbu, "--approximation.loss", "true") if "error" not in timed else timed
                found = keep(scored | {"method": "gbu", "seconds": timed.get("seconds", "")})
                for rate in RATES:
                    adam = ("--approximation.method", "adam", "--approximation.rate", rate)
                    keep(run(cairn, folder, cell, draw, *adam) | {"method": "adam", "rate": rate, "target": 1e-3})
                    if cell[0] == 2 and draw == 1 and "error" not in found:
                        to_gbu = ("--approximation.target", found["score"], "--approximation.steps", 10000)
                        keep(run(cairn, folder, cell, draw, *adam, *to_gbu)
                             | {"method": "adam to gbu", "rate": rate, "target": found["score"]})
            print(*cell, flush=True)


def mean_text(rows, key, form):
    values = [float(row[key]) for row in rows if row[key] != ""]
    if not values:
        return "fails"
    failed = len(rows) - len(values)
    return format(statistics.mean(values), form) + (f" ({failed} of {len(rows)} fail)" if failed else "")


def show(path):
    cells = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells[int(row["table"]), int(row["n"]), int(row["K"]), float(row["eta"])].append(row)
    print("| table | n | K | η | gbu: score | over mean G² | s | paper | adam, rate .1: score | s | best rate: score | paper |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for cell, rows in cells.items():
        gbu = [row for row in rows if row["method"] == "gbu"]
        by_rate = {rate: [row for row in rows if row["method"] == "adam" and float(row["rate"]) == rate] for rate in RATES}
        best = min(RATES, key=lambda rate: statistics.mean(float(row["score"]) for row in by_rate[rate]))
        paper = PAPER[cell]
        print("|", " | ".join([*map(str, cell), mean_text(gbu, "score", ".2g"), mean_text(gbu, "relative", ".2g"),
                                mean_text(gbu, "seconds", ".3f"), "fails" if paper[0] is None else f"{paper[0]:.2g}",
                                mean_text(by_rate[0.1], "score", ".2g"), mean_text(by_rate[0.1], "seconds", ".2f"),
                                f"{best}: {mean_text(by_rate[best], 'score', '.2g')}", f"{paper[2]:.2g}"]), "|")
    print("\n| n | K | gbu: score, s | adam to that score, s (rate) | ratio |\n|---|---|---|---|---|")
    for cell, rows in cells.items():
        if cell[0] == 1:
            continue
        gbu = [row for row in rows if row["method"] == "gbu"]
        seconds = {}
        for rate in RATES:
            own = [row for row in rows if row["method"] == "adam to gbu" and float(row["rate"]) == rate]
            if own and all(float(row["score"]) <= float(row["target"]) for row in own):
                seconds[rate] = statistics.mean(float(row["seconds"]) for row in own)
        ours = statistics.mean(float(row["seconds"]) for row in gbu)
        if seconds:
            best = min(seconds, key=seconds.get)
            told, ratio = f"{seconds[best]:.2f} ({best})", f"{seconds[best] / ours:.0f}"
        else:
            told, ratio = "not in 10,000 steps", ""
        print("|", " | ".join([str(cell[1]), str(cell[2]), f"{mean_text(gbu, 'score', '.2g')}, {ours:.3f}", told, ratio]), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", default="cairn", help="The program.")
    parser.add_argument("--draws", type=int, default=10, help="Random draws of each cell. Default: 10.")
    parser.add_argument("--out", default="dgp-tables.csv", help="The CSV file that is written.")
    parser.add_argument("--print", metavar="CSV", help="Print the tables of a file that was written before, and measure nothing.")
    chosen = parser.parse_args()
    if not chosen.print:
        measure(chosen.cairn, chosen.draws, chosen.out)
    show(chosen.print or chosen.out)


if __name__ == "__main__":
    main()
