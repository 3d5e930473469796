#!/usr/bin/python3
"""Word mover's distances by POT's ot.emd2, cost matrix included: one line of JSON, as bench_word_movers prints.

The documents, the vectors and the distances to compare with are what bench_word_movers wrote. Both ways to the cost matrix
that a user would take are tried, ot.dist and SciPy's cdist; the faster one counts.
"""
import argparse
import json
import pathlib
import time

import numpy as np
import ot
from scipy.spatial.distance import cdist

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--folder", type=pathlib.Path, required=True)
parser.add_argument("--dimension", type=int, required=True)
parser.add_argument("--pairs", type=int, required=True, help="how many are computed: whole rows, but for the last")
options = parser.parse_args()

vectors = np.fromfile(options.folder / "vectors.f32", dtype=np.float32).reshape(-1, options.dimension).astype(float)


def documents(name):
    """A list of (vectors, weights)."""
    starts = np.fromfile(options.folder / name / "starts.i64", dtype=np.int64)
    words = np.fromfile(options.folder / name / "words.i32", dtype=np.int32)
    counts = np.fromfile(options.folder / name / "counts.f32", dtype=np.float32).astype(float)
    parts = [slice(a - starts[0], b - starts[0]) for a, b in zip(starts, starts[1:])]
    return [(vectors[words[p]], counts[p] / counts[p].sum()) for p in parts]


rows, columns = documents("rows"), documents("columns")
pairs = [(a, b) for a in range(len(rows)) for b in range(len(columns))][: options.pairs]
expected = np.fromfile(options.folder / "distances.f64").reshape(len(rows), len(columns))


def measure(ground_costs):
    found = np.empty(len(pairs))
    start = time.perf_counter()
    for k, (a, b) in enumerate(pairs):
        (x, p), (y, q) = rows[a], columns[b]
        found[k] = ot.emd2(p, q, ground_costs(x, y))
    seconds = time.perf_counter() - start
    above = found - [expected[a, b] for a, b in pairs]
    return {"pairs_a_second": len(pairs) / seconds, "above": max(above.max(), 0.0), "below": max(-above.min(), 0.0)}


print(json.dumps(max((measure(g) for g in (lambda x, y: ot.dist(x, y, metric="euclidean"), cdist)),
                     key=lambda line: line["pairs_a_second"])))
