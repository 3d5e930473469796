#!/usr/bin/python3
"""The heat method with SciPy's SuperLU, factors made once: one line of JSON, as bench_geodesics prints.

The mesh is what bench_geodesics wrote: vertices.f64, triangles.i32. Both of SuperLU's orderings that suit a symmetric
matrix are tried; the faster one counts.
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

vertices = np.fromfile(options.folder / "vertices.f64").reshape(-1, 3)
triangles = np.fromfile(options.folder / "triangles.i32", dtype=np.int32).reshape(-1, 3)
n, m = len(vertices), len(triangles)


def operators():
    """Stiffness, mass, the gradient by component, its adjoint with areas, the time step."""
    corners = [vertices[triangles[:, k]] for k in range(3)]
    normals = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    twice_area = np.linalg.norm(normals, axis=1)
    mass = np.bincount(triangles.ravel(), np.repeat(twice_area / 6, 3), n)
    hats = [np.cross(normals, corners[(k + 2) % 3] - corners[(k + 1) % 3]) / twice_area[:, None] ** 2 for k in range(3)]
    rows, columns = np.tile(np.arange(m), 3), triangles.T.ravel()
    gradient = [sparse.csr_matrix((np.concatenate([h[:, axis] for h in hats]), (rows, columns)), shape=(m, n))
                for axis in range(3)]
    adjoint = [g.multiply(twice_area[:, None] / 2).T.tocsr() for g in gradient]
    stiffness = sum(a @ g for a, g in zip(adjoint, gradient)).tocsc()
    edges = np.unique(np.sort(np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1), axis=0)
    length = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1).mean()
    return stiffness, mass, gradient, adjoint, length * length


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
