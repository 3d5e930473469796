"""Matrices of which a file holds one triangle, condensed distances, and what symmetry allows for rounding."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

try:
    import numpy
except ImportError:
    print("no numpy")
    sys.exit(77)

from cairn_program import CairnTest, points  # noqa: E402

N = 40


class Triangles(CairnTest):
    def setUp(self):
        super().setUp()
        x = numpy.array(points(N))
        self.distances = numpy.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
        self.kernel = numpy.exp(-self.distances)
        self.base = ["approximate", "--data.kind", "matrix", "--data.path", "k.npy", "--landmarks.count", N,
                     "--output.path", "r.h5", "--evaluation.rows", "all"]
        self.distance = ["--similarity.meaning", "distance", "--approximation.tolerance", "1e-13"]

    def save(self, matrix):
        numpy.save(self.path("k.npy"), matrix)

    def expect(self, matrix, *more):
        """K~ of all rows as landmarks is K."""
        for ranks in (1, 3):
            report = self.json(*self.base, *more, ranks=ranks)
            self.assertLess(report["relative_error"], 1e-6)
            pairs = ((0, 39), (39, 0), (7, 7), (20, 5))
            asked = [word for i, j in pairs for word in ("--entry", f"{i},{j}")]
            for (i, j), entry in zip(pairs, self.json("query", "r.h5", *asked)["entries"]):
                self.assertAlmostEqual(matrix[i, j], entry["value"], places=6)
            self.cairn("evaluate", "r.h5", "--evaluation.rows", "all", ranks=ranks)

    def test_a_triangle_is_named_and_read(self):
        for name, matrix, place in (("upper", numpy.triu(self.kernel), "below"), ("lower", numpy.tril(self.kernel), "above")):
            self.save(matrix)
            words = (f"k.npy holds only one triangle, .*: all 780 sampled entries {place} the diagonal are 0; "
                     f"set similarity.triangle = {name} to read")
            self.refused(3, words, *self.base)
            self.refused(3, "would halve it.*" + words[len("k.npy holds only one triangle, .*"):], *self.base,
                         "--similarity.symmetrize", "true")
            other = "lower" if name == "upper" else "upper"
            self.refused(3, "is not in the triangle that is read", *self.base, "--data.triangle", other)
            self.expect(self.kernel, "--data.triangle", name)
            ones = numpy.ones((N, N))
            self.save(matrix + 7 * (numpy.tril(ones, -1) if name == "upper" else numpy.triu(ones, 1)))
            self.expect(self.kernel, "--data.triangle", name)  # whatever stands in the other one
        self.refused(2, "symmetrize.* has no effect on a triangle", *self.base, "--data.triangle", "upper",
                     "--similarity.symmetrize", "true", ranks=[1])

    def test_what_is_not_read_may_be_missing(self):
        matrix = self.kernel.copy()
        matrix[numpy.tril_indices(N, -1)] = numpy.nan
        self.save(matrix)
        self.expect(self.kernel, "--data.triangle", "upper")
        self.refused(3, "nan", *self.base)

    def test_a_triangle_of_distances(self):
        self.save(numpy.triu(self.distances))
        self.expect(self.distances, "--data.triangle", "upper", *self.distance)

    def test_the_file_in_fortran_order_and_as_a_similarity_of_points(self):
        self.save(numpy.asfortranarray(numpy.tril(self.kernel)))
        self.expect(self.kernel, "--data.triangle", "lower")
        self.write("p.csv", "x\n" + "".join(f"{i}\n" for i in range(N)))
        report = self.json("approximate", "--data.path", "p.csv", "--similarity.kind", "matrix", "--similarity.path",
                           "k.npy", "--similarity.triangle", "lower", "--landmarks.count", N, "--output.path", "r.h5")
        self.assertLess(report["relative_error"], 1e-6)

    def test_condensed_distances(self):
        for shape in ((-1,), (1, -1)):
            self.save(self.distances[numpy.triu_indices(N, 1)].reshape(shape))
            self.refused(3, "as many numbers as a condensed matrix of the distances between 40 objects .*"
                         "similarity.meaning = distance", *self.base)
            self.expect(self.distances, *self.distance)
            out = self.cairn(*self.base, *self.distance).out
            self.assertIn("is the condensed matrix of the distances between 40 objects: the diagonal is 0", out)
        self.refused(3, "data.triangle has an effect only for a square matrix", *self.base, *self.distance,
                     "--data.triangle", "upper")
        self.save(numpy.ones(781))
        self.refused(3, "781 x 1: a matrix of similarities must be square", *self.base)

    def test_rounding_beside_large_entries_is_symmetric(self):
        rng = numpy.random.default_rng(3)
        a = rng.normal(size=(N, 8))
        blocks = numpy.kron(numpy.eye(2), numpy.ones((N // 2, N // 2)))
        matrix = 100 * (a @ a.T) * blocks + 3e-15 * rng.normal(size=(N, N)) * (1 - blocks)
        self.save((matrix + matrix.T * blocks) / (1 + blocks))
        self.assertLess(self.json(*self.base)["relative_error"], 1e-6)
        matrix = self.kernel.copy()
        matrix[3, 30] += 1e-6
        self.save(matrix)
        self.refused(3, "is not symmetric: .*similarity.symmetrize = true", *self.base)

    def test_counts_are_no_rounded_numbers(self):
        matrix = numpy.full((N, N), 3.0) + numpy.diag(numpy.full(N, 1e7))
        matrix[2, 9] = 5
        self.save(matrix.astype("<f4"))
        self.refused(3, "is not symmetric", *self.base)


if __name__ == "__main__":
    unittest.main(verbosity=2)
