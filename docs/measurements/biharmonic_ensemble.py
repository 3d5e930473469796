#!/usr/bin/env python3
"""Figure 8 of Turek and Huth (2022): seconds for q = 1 ... 8 kernel ridge regressions on one mesh, by biharmonic
interpolation with one P for all kernels and by a Nystrom approximation each. See configs/repro/biharmonic-ensemble.cfg.

usage: biharmonic_ensemble.py run --cairn PROGRAM --mesh FILE [options] TABLE.csv
       biharmonic_ensemble.py plot TABLE.csv PICTURE.png

A line of the table is one ensemble: seconds of computing (approximations without reading, writing and the error
probe; Gram matrices, factorizations and coefficients of the models), as the programs' phases say, and of everything,
as a clock says. Ensembles of q and q + 1 kernels share their first q runs, so that q = 8 costs no more than its own.
"""
import argparse
import base64
import csv
import gzip
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from xml.etree import ElementTree

import numpy as np

CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "configs", "repro", "biharmonic-ensemble.cfg")
COLUMNS = ["method", "l", "q", "repeat", "seconds", "approximation_seconds", "training_seconds", "wall_seconds",
           "held_out_r_squared", "factor_bytes"]
# Phases that are no part of the method: files and the measurement of the error.
APART = {"total", "read", "write", "probe", "error", "rows", "evaluation", "targets", "predict"}


class Runs:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.launch = [options.mpiexec, *options.mpi_options.split(), "-n", str(options.ranks)] if options.ranks > 1 else []

    def path(self, name):
        return os.path.join(self.folder, name)

    def cairn(self, *words):
        """Runs a command; its report and the seconds that a clock counts."""
        report = self.path("report.json")
        command = [*self.launch, os.path.abspath(self.options.cairn), *map(str, words), "--json", report]
        begin = time.perf_counter()
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - begin
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        with open(report, encoding="utf-8") as file:
            return json.load(file), seconds

    def approximate(self, method, l, gamma, seed, first):
        name = self.path(f"{method}-{gamma:g}.h5")
        words = ["approximate", "--config", CONFIG, "--data.path", os.path.abspath(self.options.mesh),
                 "--similarity.gamma", repr(gamma), "--run.seed", seed, "--output.path", name]
        if method == "nystrom":
            words += ["--approximation.method", "nystrom", "--approximation.tolerance", "1e-6", "--landmarks.count", l]
            self.drop_config_keys(words)
        elif first is None:
            words += ["--landmarks.count", l, "--approximation.p-row", self.options.p_row]
        else:
            words += ["--approximation.reuse", first]
            self.drop_config_keys(words, "count", "selection")
        return name, *self.cairn(*words)

    def drop_config_keys(self, words, *more):
        """A copy of the config without the keys that would have no effect."""
        dropped = {"p-row", "normalize", *more}
        with open(CONFIG, encoding="utf-8") as file:
            lines = [line for line in file if line.split("=")[0].strip() not in dropped]
        with open(self.path("ensemble.cfg"), "w", encoding="utf-8") as file:
            file.writelines(lines)
        words[words.index("--config") + 1] = self.path("ensemble.cfg")


def computing(report):
    return sum(seconds for phase, seconds in report["seconds"].items() if phase not in APART)


def positions(path):
    """Vertices of an OBJ or GIFTI file, which may be compressed, one a row."""
    opened = lzma.open if path.endswith(".xz") else gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        if ".gii" in os.path.basename(path):
            for array in ElementTree.parse(file).iter("DataArray"):
                if array.get("Intent") != "NIFTI_INTENT_POINTSET":
                    continue
                data = base64.b64decode(array.find("Data").text)
                if array.get("Encoding") == "GZipBase64Binary":
                    data = zlib.decompress(data)
                return np.frombuffer(data, "<f4").reshape(-1, 3).astype(float)
        return np.array([line.split()[1:4] for line in file if line.startswith(b"v ")], dtype=float)


def targets(options, runs):
    """A CSV file with the values to learn: waves across the surface, unless --targets names one."""
    if options.targets is not None:
        return os.path.abspath(options.targets)
    x = positions(options.mesh)
    x = (x - x.mean(axis=0)) / x.std()
    np.savetxt(runs.path("targets.csv"), np.sin(3 * x[:, 0]) + np.cos(2 * x[:, 1] * x[:, 2]), header="wave", comments="")
    return runs.path("targets.csv")


def ensembles(runs, options, method, l, repeat, write):
    files, approximation, wall, made_bytes, known = [], 0.0, 0.0, 0, None
    for q in range(1, options.models + 1):
        gamma = options.gamma * 2.0 ** (q - 1)
        first = files[0] if files and method == "biharmonic" else None
        name, report, seconds = runs.approximate(method, l, gamma, 1 + repeat, first)
        files.append(name)
        approximation += computing(report)
        wall += seconds
        made_bytes += report.get("p_bytes", 0) * (first is None) + report.get("w_bytes", 0) or os.path.getsize(name)
        known = known or targets(options, runs)
        trained, seconds = runs.cairn("train", *files, "--targets", known, "--lambda", options.lambda_,
                                      "--train-fraction", options.train_fraction, "--output.path", runs.path("model.h5"))
        scores = trained["ensemble"] or trained["models"][0]["scores"]
        held = [score["r_squared"] for score in scores if score["on"] == "held-out"]
        write({"method": method, "l": l, "q": q, "repeat": repeat, "approximation_seconds": approximation,
               "training_seconds": computing(trained), "seconds": approximation + computing(trained),
               "wall_seconds": wall + seconds, "held_out_r_squared": held[0] if held else "",
               "factor_bytes": made_bytes})
    for name in files:
        os.remove(name)


def run(options):
    with open(options.table, "w", newline="", encoding="utf-8") as file, \
            tempfile.TemporaryDirectory(dir=options.folder) as folder:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        runs = Runs(options, folder)

        def write(line):
            table.writerow(line)
            file.flush()
            print(line, flush=True)

        for repeat in range(options.repeats):
            for l in map(int, options.landmarks.split(",")):
                for method in ("biharmonic", "nystrom"):
                    ensembles(runs, options, method, l, repeat, write)


def plot(options):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    points = defaultdict(lambda: defaultdict(list))
    with open(options.table, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            points[int(line["l"])][line["method"], int(line["q"])].append(float(line["seconds"]))
    figure, panels = plt.subplots(1, len(points), figsize=(3.6 * len(points), 3.2), squeeze=False)
    for axes, l in zip(panels[0], sorted(points)):
        for method, label, style in (("biharmonic", "biharmonic, one P", "o-"), ("nystrom", "Nyström", "s--")):
            known = sorted(q for m, q in points[l] if m == method)
            axes.plot(known, [sum(v := points[l][method, q]) / len(v) for q in known], style, label=label)
        axes.set(title=f"l = {l:,}", xlabel="models q", ylabel="seconds" if l == min(points) else "", ylim=(0, None))
        axes.grid(alpha=0.3)
    panels[0][0].legend()
    figure.tight_layout()
    figure.savefig(options.picture, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--cairn", required=True)
    runner.add_argument("--mesh", required=True)
    runner.add_argument("--targets", help="a CSV file; by default waves across the surface (the mesh as OBJ or GIFTI)")
    runner.add_argument("--landmarks", default="1000,1500,2000")
    runner.add_argument("--models", type=int, default=8)
    runner.add_argument("--repeats", type=int, default=3)
    runner.add_argument("--p-row", type=int, default=50)
    runner.add_argument("--gamma", type=float, default=1e-4, help="of the first kernel; each next one has twice that")
    runner.add_argument("--lambda", dest="lambda_", default="1e-2")
    runner.add_argument("--train-fraction", default="0.9")
    runner.add_argument("--ranks", type=int, default=2)
    runner.add_argument("--mpiexec", default="mpirun")
    runner.add_argument("--mpi-options", default="--oversubscribe --bind-to none")
    runner.add_argument("--folder", help="where results stand while they are needed; Nystrom takes 8 n l bytes a model")
    runner.add_argument("table")
    plotter = commands.add_parser("plot")
    plotter.add_argument("table")
    plotter.add_argument("picture")
    options = parser.parse_args()
    run(options) if options.command == "run" else plot(options)


if __name__ == "__main__":
    main()
