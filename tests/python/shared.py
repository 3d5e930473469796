"""What tests of the package share: points of all ranks, and a similarity between them."""
import gc
import os
import sys

if not os.path.exists(os.path.join(os.environ.get("CAIRN_PYTHON_PACKAGE", ""), "cairn")):
    print("skipped: built without pybind11, mpi4py or the development files of Python (pybind11-dev, python3-mpi4py, python3-dev)")
    sys.exit(77)
import numpy as np
import scipy.sparse
from mpi4py import MPI

sys.path.insert(0, os.environ["CAIRN_PYTHON_PACKAGE"])
import cairn  # noqa: E402

RANKS = MPI.COMM_WORLD
POINTS, GAMMA = 150, 0.2
COORDINATES = np.random.default_rng(7).normal(size=(POINTS, 4))


def rbf(left, right):
    return np.exp(-GAMMA * ((left[:, None, :] - right[None, :, :]) ** 2).sum(axis=2))


EXACT = rbf(COORDINATES, COORDINATES)


def own(rows):
    """The first rank holds a third of them or less."""
    bounds = [len(rows) * r * (r + 1) // (RANKS.size * (RANKS.size + 1)) for r in range(RANKS.size + 1)]
    return rows[bounds[RANKS.rank]:bounds[RANKS.rank + 1]]


def own_of(matrix):
    """Equal shares of a sparse matrix."""
    bounds = [matrix.shape[0] * r // RANKS.size for r in range(RANKS.size + 1)]
    return matrix[bounds[RANKS.rank]:bounds[RANKS.rank + 1]]


def whole(rows):
    """A factor of all ranks."""
    return np.concatenate(RANKS.allgather(rows.toarray() if scipy.sparse.issparse(rows) else rows))


def product(result):
    """L J R', whole on every rank."""
    return whole(result.left) @ result.core() @ whole(result.right).T


def kernel(**given):
    return cairn.points(own(COORDINATES), **given).similarity("rbf", gamma=GAMMA)


def relative_error(approximated, exact=EXACT):
    return np.linalg.norm(approximated - exact) / np.linalg.norm(exact)


def resident():
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def peak_of(work):
    """Bytes by which the process grows at most while it works."""
    gc.collect()
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # the peak begins anew
    before = resident()
    work()
    with open("/proc/self/status", encoding="ascii") as file:
        peak = next(line for line in file if line.startswith("VmHWM"))
    return int(peak.split()[1]) * 1024 - before
