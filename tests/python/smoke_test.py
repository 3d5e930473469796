"""Arrays in, factors out: what the library gives to Python beside what NumPy computes, on any number of ranks."""

import os
import sys
import unittest

if not os.environ.get("CAIRN_PYTHON_MODULE"):
    print("skipped: built without pybind11 or the development files of Python (pybind11-dev, python3-dev)")
    sys.exit(77)
try:
    import numpy as np
    from mpi4py import MPI
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
sys.path.insert(0, os.environ["CAIRN_PYTHON_MODULE"])
import cairn_python  # noqa: E402

RANKS = MPI.COMM_WORLD
POINTS, GAMMA = 150, 0.2
COORDINATES = np.random.default_rng(7).normal(size=(POINTS, 4))


def rbf(left, right):
    return np.exp(-GAMMA * ((left[:, None, :] - right[None, :, :]) ** 2).sum(axis=2))


EXACT = rbf(COORDINATES, COORDINATES)


def own_rows():
    """The first rank holds a third of them or less."""
    bounds = [POINTS * r * (r + 1) // (RANKS.size * (RANKS.size + 1)) for r in range(RANKS.size + 1)]
    return COORDINATES[bounds[RANKS.rank]:bounds[RANKS.rank + 1]]


def approximation(method, similarity="rbf", rows=None, **values):
    known = {"gamma": GAMMA} if similarity == "rbf" else {}
    values = {"landmarks.count": 20, **values}
    rows = own_rows() if rows is None else rows
    return cairn_python.Approximation(RANKS.py2f(), rows, similarity, known, method, values)


def product(result):
    """L J R^T, whole on every rank."""
    left = np.concatenate(RANKS.allgather(result.left))
    right = np.concatenate(RANKS.allgather(result.right))
    return left @ result.joining @ right.T


class Factors(unittest.TestCase):
    def test_of_nystrom_have_the_columns_of_the_landmarks(self):
        result = approximation("nystrom")
        columns = result.landmarks
        self.assertEqual(len(set(columns)), 20)
        np.testing.assert_allclose(product(result)[:, columns], EXACT[:, columns], atol=1e-6)

    def test_give_the_error_that_is_measured_on_all_pairs(self):
        for method in ("nystrom", "sms-nystrom", "sicur"):
            result = approximation(method)
            expected = np.linalg.norm(product(result) - EXACT) / np.linalg.norm(EXACT)
            self.assertGreater(expected, 1e-3)
            self.assertAlmostEqual(result.error(1e-12), expected, places=8, msg=method)

    def test_of_a_python_function_are_those_of_the_similarity(self):
        named, function = approximation("nystrom"), approximation("nystrom", rbf)
        np.testing.assert_allclose(product(function), product(named), atol=1e-7)


class Mistakes(unittest.TestCase):
    def test_are_errors_of_python_on_every_rank(self):
        with self.assertRaisesRegex(RuntimeError, "parameter alpha = -1"):
            approximation("sms-nystrom", alpha=-1)
        with self.assertRaisesRegex(RuntimeError, "no method is called 'nystrm'"):
            approximation("nystrm")
        rows = own_rows().copy()
        if RANKS.rank == RANKS.size - 1:
            rows[0, 2] = np.nan
        with self.assertRaisesRegex(RuntimeError, "column 2"):
            approximation("nystrom", rows=rows)


if __name__ == "__main__":
    unittest.main()
