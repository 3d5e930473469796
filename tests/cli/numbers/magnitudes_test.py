"""Numbers far from 1: points far from the origin in single precision, values near the ends of the range, zeros."""

import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest, csv_text, points, write_npy  # noqa: E402

OFFSET = 1e7
N = 200


def rbf(x, y, gamma):
    return math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, y)))


class SinglePrecision(CairnTest):
    common = ["approximate", "--evaluation.rows", "all"]
    base = [*common, "--run.precision", "single"]

    def setUp(self):
        super().setUp()
        self.near = points(N)
        self.far = [[OFFSET + 3 * value for value in row] for row in self.near]
        self.write("far.csv", csv_text(self.far))
        write_npy(self.path("far.npy"), self.far)
        self.write("far.svm", "".join("0 " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row)) + "\n"
                                      for row in self.far))

    def entries(self, name, pairs, *more):
        self.write("pairs.csv", "".join(f"{i},{j}\n" for i, j in pairs))
        return [float(line) for line in self.cairn("query", name, "--pairs", "pairs.csv", *more).out.split()]

    def test_the_error_is_that_against_the_points_of_the_file(self):
        pairs = [(i, (7 * i + 3) % N) for i in range(0, N, 3)]
        for source, more in (("far.csv", []), ("far.npy", []), ("far.svm", ["--data.label", "first"])):
            for ranks in (1, 3):
                outcome = self.cairn(*self.base, "--data.path", source, *more, "--similarity.kind", "rbf",
                                     "--similarity.gamma", 0.5, "--landmarks.count", N, "--output.path", "r.h5", ranks=ranks)
                self.assertIn("the mean of the points is subtracted before they are rounded", outcome.out)
                self.assertNotIn("single precision rounds", outcome.out + outcome.err)
                for (i, j), value in zip(pairs, self.entries("r.h5", pairs)):
                    self.assertAlmostEqual(rbf(self.far[i], self.far[j], 0.5), value, delta=2e-3)
        self.assertIn("none, but the mean is subtracted", self.cairn("info", "r.h5").out)
        self.cairn("evaluate", "r.h5", "--evaluation.rows", "all", ranks=2)

    def test_new_points_are_moved_alike(self):
        self.cairn(*self.base, "--data.path", "far.csv", "--similarity.kind", "rbf", "--similarity.gamma", 0.5,
                   "--landmarks.count", 60, "--output.path", "r.h5")
        self.write("new.csv", csv_text(self.far[:20]))
        for ranks in (1, 2):
            self.cairn("extend", "r.h5", "--data.path", "new.csv", "--output.path", "n.h5", ranks=ranks)
            pairs = [(i, j) for i in range(0, 20, 4) for j in range(20)]
            for one, other in zip(self.entries("r.h5", pairs), self.entries("n.h5", pairs)):
                self.assertAlmostEqual(one, other, delta=1e-3)

    def test_scaling_comes_before_rounding(self):
        report = self.json(*self.base, "--data.path", "far.npy", "--data.scaling", "standard", "--similarity.kind", "rbf",
                           "--similarity.gamma", 0.5, "--landmarks.count", 80, "--output.path", "r.h5")
        whole = self.json(*self.common, "--data.path", "far.npy", "--data.scaling", "standard",
                          "--similarity.kind", "rbf", "--similarity.gamma", 0.5, "--landmarks.count", 80, "--output.path",
                          "d.h5")
        pairs = [(i, (11 * i + 5) % N) for i in range(0, N, 5)]
        for one, other in zip(self.entries("r.h5", pairs), self.entries("d.h5", pairs)):
            self.assertAlmostEqual(one, other, delta=0.02)
        self.assertLess(report["relative_error"], 2 * whole["relative_error"] + 1e-3)

    def test_a_similarity_of_products_is_warned_of(self):
        outcome = self.cairn(*self.base, "--data.path", "far.npy", "--similarity.kind", "linear", "--landmarks.count", 20,
                             "--output.path", "r.h5", ranks=2)
        self.assertRegex(outcome.out, r"far.npy: single precision rounds the coordinates: the mean of coordinates 1, 2, 3 "
                         r"is up to .* times the spread.*data.scaling = center")
        double = self.cairn(*self.common, "--data.path", "far.npy", "--similarity.kind", "linear",
                            "--landmarks.count", 20, "--output.path", "r.h5")
        self.assertNotIn("single precision rounds", double.out)

    def test_word_vectors_far_from_the_origin_are_warned_of(self):
        for offset in (0.0, OFFSET):
            self.write("v.txt", "".join(f"w{i} {' '.join(repr(offset + value) for value in row)}\n"
                                        for i, row in enumerate(self.near[:50])))
            self.write("t.txt", "".join(f"w{i % 50} w{(7 * i + 1) % 50}\n" for i in range(60)))
            out = self.cairn("approximate", "--data.kind", "documents", "--data.path", "t.txt", "--data.format", "lines",
                             "--data.vectors", "v.txt", "--similarity.kind", "wmd-distance", "--landmarks.count", 9,
                             "--output.path", "r.h5", ranks=2).out
            self.assertEqual(offset > 0, "v.txt: single precision rounds the coordinates" in out, out)

    def test_a_sweep_over_similarities_reads_anew(self):
        self.cairn("sweep", "--run.precision", "single", "--data.path", "far.npy", "--vary", "similarity.kind=linear,rbf",
                   "--landmarks.count", 60, "--output.csv", "s.csv", "--evaluation.rows", "all")
        self.cairn(*self.base, "--data.path", "far.npy", "--similarity.kind", "rbf", "--landmarks.count", 60, "--output.path",
                   "r.h5")


class Range(CairnTest):
    def test_lengths_near_the_ends_of_the_range(self):
        edges = [(i, i + 1) for i in range(39)] + [(i, i + 8) for i in range(0, 32, 3)]
        errors = []
        for unit in (1.0, 1e-150, 1e150, 1e-300, 1e300):
            self.write("g.edges", "".join(f"{u} {v} {(1 + u % 3) * unit!r}\n" for u, v in edges))
            report = self.json("approximate", "--data.kind", "graph", "--data.path", "g.edges", "--landmarks.count", 30, "--evaluation.rows", "all", "--output.path", "r.h5", ranks=2)
            errors.append(report["relative_error"])
        for error in errors[1:]:
            self.assertAlmostEqual(errors[0], error, delta=1e-6)

    def test_a_linear_kernel_of_small_points(self):
        errors = []
        for unit in (1.0, 1e-100, 1e100):
            write_npy(self.path("p.npy"), [[unit * value for value in row] for row in points(60, 5)])
            report = self.json("approximate", "--data.path", "p.npy", "--similarity.kind", "linear", "--landmarks.count", 3,
                               "--evaluation.rows", "all", "--output.path", "r.h5", ranks=2)
            errors.append(report["relative_error"])
        for error in errors[1:]:
            self.assertAlmostEqual(errors[0], error, delta=1e-9)

    def test_a_matrix_of_zeros_has_no_relative_error_and_a_result(self):
        self.write("p.csv", csv_text([[1.0, 2.0, 3.0]] * 30))
        for kind, more in (("euclidean", []), ("linear", ["--data.scaling", "center"])):
            outcome = self.cairn("approximate", "--data.path", "p.csv", "--similarity.kind", kind, *more, "--landmarks.count",
                                 4, "--output.path", "r.h5", ranks=2)
            self.assertIn("there is no relative error: all entries of K that it was to be measured on are 0", outcome.out)
            self.assertEqual(0, self.json("query", "r.h5", "--entry", "3,7")["entries"][0]["value"])
            self.refused(4, "there is no relative error", "evaluate", "r.h5")

    def test_neighbors_of_points_whose_squares_are_0(self):
        rows = points(80)
        for unit, words in ((1e-160, "squared distances underflow; scale the data .data.scaling."),
                            (1e160, "beyond the range of numbers; scale the data .data.scaling.")):
            write_npy(self.path("p.npy"), [[unit * value for value in row] for row in rows])
            self.refused(4, words, "approximate", "--data.path", "p.npy", "--similarity.kind", "laplacian",
                         "--similarity.gamma", 1, "--approximation.method", "biharmonic", "--landmarks.count", 20,
                         "--output.path", "r.h5")


class ZeroVectors(CairnTest):
    def setUp(self):
        super().setUp()
        self.rows = points(50)
        self.rows[17] = [0.0] * 3
        self.base = ["approximate", "--data.path", "p.npy", "--similarity.kind", "cosine", "--landmarks.count", 50,
                     "--output.path", "r.h5"]

    def test_the_cosine_of_the_zero_vector_names_it(self):
        write_npy(self.path("p.npy"), self.rows)
        words = "point 17 .counted from 0. is the zero vector: its cosine is undefined; .*similarity.zero-vector = 0"
        self.refused(3, words, *self.base)
        self.refused(3, words, *self.base, "--run.precision", "single")
        self.refused(3, "row 17 is 0", *self.base[:-4], "--output.path", "r.h5", "--approximation.method",
                     "poly-tensorsketch")
        self.refused(3, "data.scaling = unit-norm: point 17 is the zero vector", *self.base, "--data.scaling", "unit-norm")

    def test_or_it_is_0(self):
        write_npy(self.path("p.npy"), self.rows)
        self.cairn(*self.base, "--similarity.zero-vector", "0", ranks=2)
        entries = self.json("query", "r.h5", "--entry", "17,17", "--entry", "17,4", "--entry", "4,4")["entries"]
        for value, entry in zip((0, 0, 1), entries):
            self.assertAlmostEqual(value, entry["value"], places=9)
        self.assertEqual("0", self.json("info", "r.h5")["similarity_parameters"]["zero-vector"])
        self.cairn("evaluate", "r.h5", "--evaluation.rows", "all")

    def test_a_point_whose_squares_are_0_is_named_and_unit_norm_takes_it(self):
        self.rows[17] = [1e-170, 2e-170, 0.0]
        write_npy(self.path("p.npy"), self.rows)
        self.refused(3, "the squares of point 17 .counted from 0. are beyond the range of double precision", *self.base)
        self.cairn(*self.base, "--data.scaling", "unit-norm")
        expected = sum(a * b for a, b in zip((1, 2, 0), self.rows[4])) / math.sqrt(5) / math.hypot(*self.rows[4])
        found = self.json("query", "r.h5", "--entry", "17,4")["entries"][0]["value"]
        self.assertAlmostEqual(expected, found, places=9)


if __name__ == "__main__":
    unittest.main(verbosity=2)
