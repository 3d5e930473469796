"""Exact entries of near objects beside the factors: what a file holds of them, and what uses them."""

import csv
import sys
import unittest

try:
    import h5py
    import numpy
    import scipy.sparse
except ImportError:
    print("no h5py, or no scipy")
    sys.exit(77)

from cairn_program import CairnTest, csv_text, points

N, NEAR, GAMMA = 150, 4, 3.0


class Near(CairnTest):
    kernel = ["--similarity.kind", "rbf", "--similarity.gamma", GAMMA]

    def setUp(self):
        super().setUp()
        rows = points(N)
        self.write("p.csv", csv_text(rows))
        x = numpy.array(rows)
        self.squares = ((x[:, None] - x[None]) ** 2).sum(axis=2)
        self.exact = numpy.exp(-GAMMA * self.squares)
        self.base = ["approximate", "--data.path", "p.csv", "--landmarks.count", 12, "--output.near", NEAR]

    def matrices(self, name):
        """K~ and S."""
        with h5py.File(self.path(name)) as file:
            left, joining, near = file["left"][:], file["joining"], file["near"]
            middle = {"identity": numpy.eye(left.shape[1]), "dense": joining[:]}[joining.attrs["layout"]]
            shape = tuple(near.attrs["shape"])
            kept = scipy.sparse.csr_matrix((near["data"][:], near["indices"][:], near["indptr"][:]), shape=shape)
            right = file["right"][:] if "right" in file else left
            self.assertEqual((N, N), shape)
            self.assertEqual(NEAR, near.attrs["near"])
            return left @ middle @ right.T, kept

    def true_nearest(self, i, distance=False):
        order = self.exact[i] if distance else -self.exact[i]
        return [j for j in numpy.argsort(order, kind="stable") if j != i]

    def test_scipy_reads_what_is_kept_on_any_number_of_ranks(self):
        for method in ("nystrom", "sicur"):
            patterns = []
            for ranks in (1, 3, 4):
                report = self.json(*self.base, *self.kernel, "--approximation.method", method, "--output.path", "r.h5",
                                   "--evaluation.pairs", 2000, ranks=ranks)
                approximate, kept = self.matrices("r.h5")
                pattern = kept.copy()
                pattern.data[:] = 1  # a difference that is kept may be 0
                there = (pattern != 0).toarray() | numpy.eye(N, dtype=bool)
                self.assertTrue((there == there.T).all())
                self.assertLess(numpy.abs((approximate + kept.toarray() - self.exact)[there]).max(), 1e-9)
                self.assertEqual(kept.nnz, report["near_entries"])
                self.assertLess(report["near_relative_error"], report["near_factor_error"])
                self.assertGreater(report["near_found"], report["near_found_by_factors"])
                if method == "nystrom":
                    self.assertEqual(N * 12 + report["near_evaluations"], report["evaluations"])
                patterns.append(kept.indices)
            for pattern in patterns[1:]:
                numpy.testing.assert_array_equal(patterns[0], pattern)
            info = self.json("info", "r.h5")
            self.assertEqual((NEAR, kept.nnz), (info["near"], info["near_entries"]))

    def test_queries_say_what_is_exact(self):
        self.cairn(*self.base, *self.kernel, "--output.path", "r.h5", ranks=2)
        approximate, kept = self.matrices("r.h5")
        both = approximate + kept.toarray()
        row = kept[7].indices
        far = next(j for j in range(N) if j not in row)
        self.write("pairs.csv", "".join(f"7,{j}\n" for j in range(N)))
        for ranks in (1, 3):
            entries = self.json("query", "r.h5", "--entry", f"7,{row[0]}", "--entry", f"7,{far}", ranks=ranks)["entries"]
            self.assertEqual([True, False], [entry["exact"] for entry in entries])
            self.assertAlmostEqual(self.exact[7, row[0]], entries[0]["value"], places=9)
            self.assertAlmostEqual(approximate[7, far], entries[1]["value"], places=9)
            outcome = self.cairn("query", "r.h5", "--row", 7, "--json", "q.json", ranks=ranks)
            self.assertIn(f"{len(row)} of {N} values are exact", outcome.err)
            values = self.json("query", "r.h5", "--row", 7, ranks=ranks)["row"]["values"]
            numpy.testing.assert_allclose(values, both[7], atol=1e-9)
            outcome = self.cairn("query", "r.h5", "--pairs", "pairs.csv", ranks=ranks)
            self.assertIn(f"{len(row)} of {N} values are exact", outcome.err)
            numpy.testing.assert_allclose([float(line) for line in outcome.out.splitlines()], both[7], atol=1e-9)
            values = self.json("query", "r.h5", "--row", 7, "--approximate", "true", ranks=ranks)["row"]["values"]
            numpy.testing.assert_allclose(values, approximate[7], atol=1e-9)
        right = by_factors = 0
        for i in range(0, N, 10):
            found = self.json("query", "r.h5", "--nearest", i, "--k", NEAR + 3)["nearest"]["nearest"]
            self.assertEqual([True] * NEAR, [one["exact"] for one in found[:NEAR]])
            self.assertEqual(len(found), len({one["object"] for one in found}))
            for one in found[:NEAR]:
                self.assertAlmostEqual(self.exact[i, one["object"]], one["value"], places=9)
            others = self.json("query", "r.h5", "--nearest", i, "--k", NEAR, "--approximate", "true")["nearest"]["nearest"]
            self.assertFalse(any(one["exact"] for one in others))
            truth = set(self.true_nearest(i)[:NEAR])
            right += len(truth & {one["object"] for one in found[:NEAR]})
            by_factors += len(truth & {one["object"] for one in others})
        self.assertGreater(right, by_factors)

    def test_neighbors_say_what_they_are_worth(self):
        missed = "values are those of K~: objects that are nearest by K may be missed, .*output.near = N keeps"
        left_out = f"the exact entries of the {NEAR} nearest objects of each, which the result keeps, are left out"
        for near in (NEAR, 0):
            self.cairn(*self.base[:-1], near, *self.kernel, "--output.path", "r.h5")
            for options, says in (((), None if near else missed), (("--by-angle", "true"), left_out if near else None),
                                  (("--approximate", "true"), None)):
                for ranks in (1, 3):
                    said = self.cairn("query", "r.h5", "--nearest", 7, *options, ranks=ranks).err
                    for pattern in (missed, left_out):
                        (self.assertRegex if pattern == says else self.assertNotRegex)(said, pattern)

    def test_distances_and_single_precision(self):
        self.exact = numpy.sqrt(self.squares)
        self.cairn(*self.base, "--similarity.kind", "euclidean", "--run.precision", "single", "--output.path", "r.h5", ranks=2)
        approximate, kept = self.matrices("r.h5")
        self.assertEqual(numpy.float32, kept.dtype)
        there = kept.toarray() != 0
        self.assertLess(numpy.abs((approximate + kept.toarray() - self.exact)[there]).max(), 1e-5)
        found = self.json("query", "r.h5", "--nearest", 3, "--k", 2)["nearest"]["nearest"]
        self.assertLessEqual(found[0]["value"], found[1]["value"])

    def test_embeddings_are_those_of_both(self):
        for arguments, size in ((["--output.near", NEAR], NEAR), (["--output.near", 0], 0)):
            self.cairn(*self.base[:-2], *arguments, *self.kernel, "--output.path", "r.h5")
            report = self.json("embed", "r.h5", "--dimension", 2, "--out", "y.csv", ranks=3)
            self.assertEqual(size, report["near"])
            if size > 0:
                approximate, kept = self.matrices("r.h5")
                matrix = approximate + kept.toarray()
            else:
                matrix = approximate
            centre = numpy.eye(N) - 1 / N
            expected = numpy.linalg.eigvalsh(centre @ matrix @ centre)[::-1]
            numpy.testing.assert_allclose(report["eigenvalues"], expected[:2], rtol=1e-9)
            self.assertAlmostEqual(report["trace"], numpy.trace(centre @ matrix @ centre), places=8)

    def test_evaluations_count_them_in(self):
        self.cairn(*self.base, *self.kernel, "--output.path", "r.h5")
        approximate, kept = self.matrices("r.h5")
        both = approximate + kept.toarray()
        for ranks in (1, 3):
            report = self.json("evaluate", "r.h5", ranks=ranks)
            self.assertLess(report["near_relative_error"], report["near_factor_error"])
            self.assertGreater(report["near_found"], report["near_found_by_factors"])
            self.cairn("evaluate", "r.h5", "--row", 9, "--out", "row.csv", ranks=ranks)
            with open(self.path("row.csv"), encoding="utf-8") as file:
                rows = numpy.array([[float(line["exact"]), float(line["approximate"])] for line in csv.DictReader(file)])
            numpy.testing.assert_allclose(rows, numpy.stack([self.exact[9], both[9]], axis=1), atol=1e-9)
        self.cairn(*self.base[:-2], *self.kernel, "--output.path", "r.h5")
        self.assertNotIn("near_found", self.json("evaluate", "r.h5"))

    def test_what_takes_the_factors_alone_says_so(self):
        self.write("y.csv", "y\n" + "".join(f"{i % 5}\n" for i in range(N)))
        train = ["train", "r.h5", "--task", "krr", "--targets", "y.csv", "--lambda", 1, "--output.path", "m.h5"]
        extend = ["extend", "r.h5", "--data.path", "p.csv", "--output.path", "e.h5"]
        for near in (NEAR, 0):
            self.cairn(*self.base[:-1], near, *self.kernel, "--output.path", "r.h5")
            for command, says in ((train, f"the exact entries of the {NEAR} nearest objects in r.h5 have no effect"),
                                  (extend, "near entries are of the old objects")):
                (self.assertIn if near else self.assertNotIn)(says, self.cairn(*command, ranks=2).out)

    def test_results_are_found_again_after_a_stop(self):
        self.cairn(*self.base, *self.kernel, "--output.path", "whole.h5")
        stopped = [*self.base, *self.kernel, "--output.path", "r.h5", "--run.checkpoint", "c"]
        self.cairn(*stopped, "--run.max-time", "0", expect=75, ranks=2)
        report = self.json(*stopped, "--restart", ranks=3)
        self.assertEqual(1, report["checkpoint"]["earlier_runs"])
        (_, kept), (_, again) = self.matrices("whole.h5"), self.matrices("r.h5")
        numpy.testing.assert_array_equal(kept.indices, again.indices)
        numpy.testing.assert_allclose(kept.data, again.data, atol=1e-9)

    def test_what_it_takes_is_planned(self):
        rest = ["--data.path", "p.csv", "--landmarks.count", 12, *self.kernel]
        without, planned = self.json("plan", *rest), self.json("plan", *rest, "--output.near", NEAR)
        self.assertEqual(N * (3 * NEAR + 1), planned["evaluations"] - without["evaluations"])
        self.assertGreater(planned["result_bytes"], without["result_bytes"] + N * NEAR * 12)
        report = self.json(*self.base, *self.kernel, "--output.path", "r.h5")
        self.assertLessEqual(report["evaluations"], planned["evaluations"])

    def test_mistakes(self):
        out = ["--output.path", "x.h5"]
        self.refused(2, rf"output\.near = {N} is too many: each of {N} objects has {N - 1} others", *self.base[:-1], N, *self.kernel, *out)
        self.refused(2, r"output\.near = 3 is not for values that differ between the two ends of a pair, as geodesics do", "approximate",
                     "--data.kind", "mesh", "--data.generate", "sphere", "--data.points", 100, "--similarity.kind", "geodesic",
                     "--output.near", 3, *out)
        self.refused(2, r"output\.near", *self.base[:-1], -1, *self.kernel, *out)
        self.refused(2, r"output\.near has no effect: a sweep writes no result file", "sweep", *self.base[1:], *self.kernel,
                     "--repeats", 2, "--output.csv", "s.csv", ranks=[1])
        self.cairn(*self.base, *self.kernel, "--output.path", "r.h5")
        for name, says in (("data", "near/indices has"), ("indptr", "positions for")):
            with h5py.File(self.path("r.h5"), "r+") as file:
                if "crc32" in file:
                    del file["crc32"]
                values = file["near"][name][:]
                del file["near"][name]
                file["near"][name] = values[:-1]
            self.refused(3, rf"r\.h5.*{says}", "query", "r.h5", "--row", 1)
            with h5py.File(self.path("r.h5"), "r+") as file:
                del file["near"][name]
                file["near"][name] = values



class Close(CairnTest):
    """Values that differ in the ninth digit and beyond."""

    count = 400

    def kept(self, name):
        with h5py.File(self.path(name)) as file:
            near = file["near"]
            shape = tuple(near.attrs["shape"])
            return scipy.sparse.csr_matrix((numpy.ones(len(near["data"])), near["indices"][:], near["indptr"][:]), shape=shape)

    def expect_line(self, name):
        """Those that are nearest to a point on a line stand beside it."""
        kept = self.kept(name)
        for i in range(5, self.count - 5):
            for j in (i - 2, i - 1, i + 1, i + 2):
                self.assertEqual(1, kept[i, j], (i, j))
        for ranks in (1, 3):
            outcome = self.cairn("query", name, "--nearest", 200, "--k", 4, ranks=ranks)
            self.assertEqual({"199", "201", "198", "202"}, {line.split()[0] for line in outcome.out.splitlines()})
            self.assertIn("4 of 4 values are exact, but an object that is nearer by K may be missed", outcome.err)

    def test_neighbors_on_a_line_are_found(self):
        self.write("line.csv", "x\n" + "".join(f"{i}\n" for i in range(self.count)))
        for gamma in ("1e-8", "1e-4"):
            self.cairn("approximate", "--data.path", "line.csv", "--similarity.kind", "rbf", "--similarity.gamma", gamma,
                       "--landmarks.count", 20, "--output.near", 4, "--output.path", "r.h5", ranks=2)
            self.expect_line("r.h5")

    def test_a_large_constant_hides_nothing(self):
        i = numpy.arange(self.count)
        numpy.save(self.path("k.npy"), 1e6 + numpy.exp(-((i[:, None] - i[None]) ** 2)))
        self.cairn("approximate", "--data.kind", "matrix", "--data.path", "k.npy", "--landmarks.count", self.count,
                   "--approximation.tolerance", "1e-14", "--output.near", 4, "--output.path", "r.h5")
        self.expect_line("r.h5")

    def test_of_equal_values_the_first_objects_are_kept_on_any_number_of_ranks(self):
        rows = points(15)
        self.write("p.csv", csv_text([rows[i % 15] for i in range(120)]))
        patterns = []
        for ranks in (1, 2, 3, 4):
            self.cairn("approximate", "--data.path", "p.csv", "--similarity.kind", "rbf", "--similarity.gamma", 3,
                       "--landmarks.count", 9, "--output.near", 2, "--output.path", "r.h5", ranks=ranks)
            patterns.append((self.kept("r.h5") != 0).toarray())
        for pattern in patterns[1:]:
            self.assertTrue((pattern == patterns[0]).all())


if __name__ == "__main__":
    unittest.main(verbosity=2)
