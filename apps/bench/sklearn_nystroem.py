#!/usr/bin/python3
"""scikit-learn's Nystroem (fit_transform) on a .npy file of points: one line of JSON, as bench_nystrom prints."""
import argparse
import json
import os
import time

import numpy as np
from sklearn.kernel_approximation import Nystroem

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--points", required=True)
parser.add_argument("--gamma", type=float, required=True)
parser.add_argument("--landmarks", type=int, required=True)
parser.add_argument("--pairs", type=int, default=0, help="pairs of the error probe (not timed)")
parser.add_argument("--save", help="file that numpy.save writes the embedding to, then flushed to the disk (each timed apart)")
options = parser.parse_args()

points = np.load(options.points)
model = Nystroem(kernel="rbf", gamma=options.gamma, n_components=options.landmarks, random_state=1)
start = time.perf_counter()
embedding = model.fit_transform(points)
line = {"seconds": time.perf_counter() - start, "n": len(points), "dimension": points.shape[1]}
if options.save:
    start = time.perf_counter()
    np.save(options.save, embedding)
    line["save_seconds"] = time.perf_counter() - start
    with open(options.save, "rb") as file:  # as Cairn does before it renames its file
        os.fsync(file.fileno())
    line["flush_seconds"] = time.perf_counter() - start - line["save_seconds"]
if options.pairs:
    draw = np.random.default_rng(1)
    i, j = draw.integers(len(points), size=(2, options.pairs))
    i, j = i[i != j], j[i != j]
    true = np.exp(-options.gamma * ((points[i] - points[j]) ** 2).sum(1))
    error = np.einsum("ij,ij->i", embedding[i], embedding[j]) - true
    line["relative_error"] = float(np.sqrt((error**2).sum() / (true**2).sum()))
print(json.dumps(line))
