#!/usr/bin/python3
"""The peer of pmi-eigs: SciPy's eigsh of the same matrix, built from the co-occurrences in a result file. One line of JSON."""
import argparse
import json
import time

import h5py
import numpy
import scipy.sparse
import scipy.sparse.linalg


def pmi(path):
    """log(C_ij S / (r_i r_j)) where C_ij > 0, symmetric, from the lower triangle in the file."""
    with h5py.File(path) as file:
        group = file["counts"]
        starts, others, counts = group["indptr"][:], group["indices"][:], group["data"][:].astype(float)
    n = len(starts) - 1
    lower = scipy.sparse.csr_matrix((counts, others, starts), shape=(n, n))
    full = (lower + scipy.sparse.tril(lower, -1).T).tocoo()
    sums = numpy.asarray(full.sum(axis=1)).ravel()
    values = numpy.log(full.data * sums.sum() / (sums[full.row] * sums[full.col]))
    return scipy.sparse.csr_matrix((values, (full.row, full.col)), shape=(n, n))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("file", help="a result with /counts")
parser.add_argument("--dimension", type=int, default=200)
parser.add_argument("--tolerance", type=float, default=1e-4)
options = parser.parse_args()

matrix = pmi(options.file)
start = time.perf_counter()
product = matrix @ numpy.ones((matrix.shape[1], 1))
product_seconds = time.perf_counter() - start
start = time.perf_counter()
values, vectors = scipy.sparse.linalg.eigsh(matrix, k=options.dimension, which="LA", tol=options.tolerance)
seconds = time.perf_counter() - start
residual = numpy.linalg.norm(matrix @ vectors - vectors * values, axis=0).max() / values.max()
print(json.dumps({"seconds": seconds, "product_seconds": product_seconds, "entries": matrix.nnz, "residual": residual,
                  "largest": values.max(), "smallest": values.min()}))
