#!/usr/bin/python3
"""The heat method with SciPy's SuperLU, factors made once: one line of JSON, as bench_geodesics prints.

The Delaunay triangles of a closed surface are what bench_geodesics wrote: lengths.f64 (of the sides from corner k to
corner k + 1), triangles.i32. Both of SuperLU's orderings that suit a symmetric matrix are tried; the faster one counts.
"""
import argparse
import json
import pathlib
import time

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--folder", type=pathlib.Path, required=True)
parser.add_argument("--sources", type=int, required=True, help="of these every (n // sources)-th vertex, as Cairn takes them")
parser.add_argument("--measured", type=int, default=32, help="how many of them are computed")
parser.add_argument("--block", type=int, default=16, help="right-hand sides at a time")
options = parser.parse_args()

lengths = np.fromfile(options.folder / "lengths.f64").reshape(-1, 3)
triangles = np.fromfile(options.folder / "triangles.i32", dtype=np.int32).reshape(-1, 3)
n, m = int(triangles.max()) + 1, len(triangles)


def operators():
    """Stiffness, mass, the gradient by component, its adjoint with areas, the time step."""
    a, b, c = lengths.T  # each triangle in a plane of its own: corner 0 at the origin, corner 1 at (a, 0)
    x = (a * a + c * c - b * b) / (2 * a)
    y = np.sqrt(c * c - x * x)
    twice_area, zero = a * y, np.zeros(m)
    corners = [np.stack(p, axis=1) for p in ((zero, zero), (a, zero), (x, y))]
    mass = np.bincount(triangles.ravel(), np.repeat(twice_area / 6, 3), n)
    sides = [corners[(k + 2) % 3] - corners[(k + 1) % 3] for k in range(3)]
    hats = [np.stack((-s[:, 1], s[:, 0]), axis=1) / twice_area[:, None] for s in sides]
    rows, columns = np.tile(np.arange(m), 3), triangles.T.ravel()
    gradient = [sparse.csr_matrix((np.concatenate([h[:, axis] for h in hats]), (rows, columns)), shape=(m, n))
                for axis in range(2)]
    adjoint = [g.multiply(twice_area[:, None] / 2).T.tocsr() for g in gradient]
    stiffness = sum(a @ g for a, g in zip(adjoint, gradient)).tocsc()
    return stiffness, mass, gradient, adjoint, lengths.mean() ** 2  # every edge has two sides


def measure(ordering):
    start = time.perf_counter()
    stiffness, mass, gradient, adjoint, step = operators()
    settings = {"permc_spec": ordering}
    if ordering == "MMD_AT_PLUS_A":
        settings |= {"diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    heat = splu((sparse.diags(mass) + step * stiffness).tocsc(), **settings)
    tied = sparse.csc_matrix(([stiffness[0, 0]], ([0], [0])), shape=(n, n))
    poisson = splu((stiffness + tied).tocsc(), **settings)
    prepared = time.perf_counter()
    sums = np.zeros(2)
    sources = (np.arange(options.sources) * (n // options.sources))[: options.measured]
    for first in range(0, len(sources), options.block):
        block = sources[first : first + options.block]
        delta = np.zeros((n, len(block)))
        delta[block, np.arange(len(block))] = 1.0
        u = heat.solve(delta)
        x = [g @ u for g in gradient]
        norm = np.sqrt(sum(part * part for part in x))
        norm[norm == 0] = 1.0
        phi = poisson.solve(-sum(a @ (part / norm) for a, part in zip(adjoint, x)))
        phi -= phi[block, np.arange(len(block))]
        if first == 0:
            sums += phi.sum(), (phi * phi).sum()
    seconds = time.perf_counter() - prepared
    return {"ordering": ordering, "vertices": n, "preparation_seconds": prepared - start,
            "seconds_per_source": seconds / len(sources), "check": sums.tolist()}


print(json.dumps(min((measure(o) for o in ("COLAMD", "MMD_AT_PLUS_A")), key=lambda line: line["seconds_per_source"])))
