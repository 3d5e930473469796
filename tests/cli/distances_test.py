"""Distances that are kept apart from the similarities made of them: other parameters cost no evaluation."""

import sys
import unittest

try:
    import h5py
    import numpy
except ImportError:
    print("no h5py")
    sys.exit(77)

from cairn_program import CairnTest, csv_text, points

N = 300


class Distances(CairnTest):
    none = ["--evaluation.pairs", "0"]

    def setUp(self):
        super().setUp()
        self.write("p.csv", csv_text(points(N, 20)))
        self.data = ["--data.path", "p.csv", "--data.scaling", "standard"]

    def run_of(self, output, *arguments, kind="laplacian", gamma="0.1", ranks=0):
        kernel = ["--similarity.kind", kind] + (["--similarity.gamma", gamma] if gamma else [])
        return self.json("approximate", *self.data, *kernel, *arguments, "--output.path", output, ranks=ranks)

    def assert_same(self, one, other, tolerance=0.0):
        """The same factors, or as near as single values of the kernel are."""
        with h5py.File(self.path(one)) as a, h5py.File(self.path(other)) as b:
            for name in ("left", "right"):
                self.assertEqual(name in a, name in b)
                if name in a:
                    self.assertLessEqual(numpy.abs(a[name][...] - b[name][...]).max(), tolerance)
            if tolerance == 0.0:
                self.assertTrue(numpy.array_equal(a["joining"][...], b["joining"][...]))

    def test_another_gamma_or_number_of_landmarks_takes_no_evaluation(self):
        for kind, tolerance, gamma in (("laplacian", 0.0, "0.3"), ("rbf", 1e-13, "0.02"), ("matern", 1e-13, None),
                                       ("euclidean", 1e-12, None)):
            report = self.run_of("base.h5", "--landmarks.count", "40", "--output.distances", "true", kind=kind,
                                 gamma=gamma, ranks=3)
            self.assertEqual(N * 40, report["evaluations"])
            other = "0.7" if gamma else None
            for count, ranks in (("40", 0), ("40", 4), ("13", 2)):
                job = ["--landmarks.count", count]
                self.run_of("fresh.h5", *job, *self.none, kind=kind, gamma=other, ranks=ranks)
                report = self.run_of("reused.h5", *job, *self.none, "--similarity.reuse", "base.h5", kind=kind, gamma=other,
                                     ranks=ranks)
                self.assertEqual(0, report["evaluations"])
                self.assertEqual(0, report["probe_evaluations"])
                self.assert_same("fresh.h5", "reused.h5", tolerance)
        # Functions of one distance share it.
        report = self.run_of("matern.h5", "--landmarks.count", "40", "--similarity.reuse", "base.h5", *self.none, kind="matern",
                             gamma=None)
        self.assertEqual(0, report["evaluations"])

    def test_the_same_method_takes_no_evaluation(self):
        for method, own in (("sms-nystrom", []), ("sicur", []), ("skeleton", []), ("stacur", ["--approximation.samples",
                                                                                              "different"])):
            job = ["--landmarks.count", "20", "--approximation.method", method, *own]
            first = self.run_of("base.h5", *job, "--output.distances", "true", *self.none, ranks=2)
            self.assertGreater(first["evaluations"], 0)
            self.run_of("fresh.h5", *job, *self.none, gamma="0.6", ranks=3)
            report = self.run_of("reused.h5", *job, *self.none, "--similarity.reuse", "base.h5", gamma="0.6", ranks=3)
            self.assertEqual(0, report["evaluations"], method)
            self.assert_same("fresh.h5", "reused.h5")

    def test_another_method_takes_no_evaluation(self):
        self.run_of("base.h5", "--landmarks.count", "60", "--output.distances", "true", ranks=2)
        for method, own in (("stacur", []), ("sicur", ["--approximation.s2", "60"]), ("sms-nystrom", ["--approximation.s2", "60"])):
            count = "60" if method == "stacur" else "30"
            report = self.run_of("reused.h5", "--landmarks.count", count, "--approximation.method", method, *own, "--similarity.reuse",
                                 "base.h5", "--evaluation.pairs", "200", ranks=3)
            self.assertEqual(0, report["evaluations"], method)
            self.assertEqual(N + 200, report["probe_evaluations"])
            self.assertLess(report["relative_error"], 0.9)

    def test_rows_that_an_error_is_measured_on_are_not_kept(self):
        job = ["--landmarks.count", "20", "--evaluation.rows", "all"]
        first = self.run_of("base.h5", *job, "--output.distances", "true", ranks=2)
        reused = self.run_of("more.h5", *job, "--output.distances", "true", "--similarity.reuse", "base.h5", ranks=3)
        self.assertAlmostEqual(first["relative_error"], reused["relative_error"], delta=1e-12)
        for name in ("base.h5", "more.h5"):
            with h5py.File(self.path(name)) as file:
                self.assertEqual((N, 20), file["base/columns"].shape)

    def test_what_the_file_lacks_is_evaluated_and_can_be_kept(self):
        self.run_of("base.h5", "--landmarks.count", "20", "--output.distances", "true")
        report = self.run_of("more.h5", "--landmarks.count", "50", "--similarity.reuse", "base.h5", "--output.distances", "true",
                             *self.none, ranks=2)
        self.assertEqual(N * 30, report["evaluations"])
        self.run_of("fresh.h5", "--landmarks.count", "50", *self.none, ranks=2)
        self.assert_same("fresh.h5", "more.h5")
        report = self.run_of("again.h5", "--landmarks.count", "50", "--similarity.reuse", "more.h5", *self.none)
        self.assertEqual(0, report["evaluations"])
        with h5py.File(self.path("more.h5")) as file:
            base = file["base"]
            self.assertEqual("manhattan", base.attrs["distance"] if isinstance(base.attrs["distance"], str)
                             else base.attrs["distance"].decode())
            self.assertEqual((N, 50), base["columns"].shape)
            expected = numpy.exp(-0.1 * base["columns"][:, 7])
            column = list(file["landmarks/indices"][...]).index(base["indices"][7])
            self.assertLess(numpy.abs(expected - file["left"][:, column]).max(), 1e-14)

    def test_a_stopped_run_keeps_distances(self):
        job = ["--landmarks.count", "30", "--output.distances", "true", "--run.checkpoint", "ck"]
        self.run_of("whole.h5", *job)
        arguments = ["approximate", *self.data, "--similarity.kind", "laplacian", "--similarity.gamma", "0.1", *job,
                     "--output.path", "r.h5", "--restart"]
        self.cairn(*arguments, "--run.max-time", "0", expect=75, ranks=2)
        self.cairn(*arguments, ranks=3)
        self.assert_same("whole.h5", "r.h5")

    def test_plan_counts_them(self):
        job = ["plan", *self.data, "--similarity.kind", "laplacian", "--landmarks.count", "40"]
        plain, kept = self.json(*job, *self.none), self.json(*job, "--output.distances", "true")
        self.assertEqual(0, plain["probe_evaluations"])
        self.assertEqual(N * 40 * 8, kept["bytes"]["distances"])
        self.run_of("base.h5", "--landmarks.count", "50", "--output.distances", "true")
        few = self.json(*job[:-1], "10", "--similarity.reuse", "base.h5")
        self.assertEqual((N * 50 * 8, 0), (few["bytes"]["distances"], few["evaluations"]))
        for method, count, *more in [["nystrom", "60"], ["sicur", "20"], ["auto", "20"], ["sms-nystrom", "40", "--approximation.s2", "55"]]:
            job = ["--similarity.kind", "laplacian", "--similarity.gamma", "0.1", "--landmarks.count", count, *more,
                   "--approximation.method", method, "--similarity.reuse", "base.h5", *self.none]
            run = self.json("approximate", *self.data, *job, "--output.path", "r.h5")
            self.assertEqual(run["evaluations"], self.json("plan", *self.data, *job)["evaluations"], method)
        shifted = ["--landmarks.count", "40", "--approximation.method", "sms-nystrom", "--approximation.s2", "55"]
        self.run_of("base.h5", *shifted, "--output.distances", "true")
        again = [*self.data, "--similarity.kind", "laplacian", "--similarity.gamma", "0.3", *shifted, "--similarity.reuse", "base.h5"]
        self.assertEqual(0, self.json("plan", *again)["evaluations"])
        self.assertEqual(0, self.json("approximate", *again, "--output.path", "r.h5")["evaluations"])
        # Of a sample that is drawn from all objects some may happen to be in the file: no more are evaluated than planned.
        apart = [*self.data, "--similarity.kind", "laplacian", "--similarity.gamma", "0.1", "--landmarks.count", "30", "--approximation.method",
                 "skeleton", "--approximation.s2", "35", "--similarity.reuse", "base.h5", *self.none]
        plan = self.json("plan", *apart)
        self.assertEqual((N * 35, N * (40 + 35) * 8), (plan["evaluations"], plan["bytes"]["distances"]))
        run = self.json("approximate", *apart, "--output.path", "r.h5")["evaluations"]
        self.assertTrue(0 < run <= plan["evaluations"])

    def test_what_does_not_go(self):
        self.run_of("base.h5", "--landmarks.count", "10", "--output.distances", "true")
        self.run_of("without.h5", "--landmarks.count", "10")
        self.write("other.csv", csv_text(points(N, 21)))
        job = ["approximate", "--landmarks.count", "10", "--output.path", "r.h5"]
        own = [*job, *self.data, "--similarity.kind"]
        reuse = ["--similarity.reuse", "base.h5"]
        for code, pattern, arguments in (
                (3, "without.h5 holds no distances", [*own, "laplacian", "--similarity.reuse", "without.h5"]),
                (3, "holds distances called manhattan, and similarity.kind = rbf takes squared-euclidean", [*own, "rbf", *reuse]),
                (3, "digests differ", [*job, "--data.path", "other.csv", "--data.scaling", "standard", "--similarity.kind",
                                       "laplacian", *reuse]),
                (3, "data.scaling", [*job, "--data.path", "p.csv", "--similarity.kind", "laplacian", *reuse]),
                (2, "run.precision", [*own, "laplacian", *reuse, "--run.precision", "single"]),
                (2, "similarity.reuse has no effect if similarity.kind is linear", [*own, "linear", *reuse]),
                (2, "output.distances has no effect if similarity.kind is linear", [*own, "linear", "--output.distances", "true"]),
                (2, "output.distances.* is incompatible with landmarks.selection = farthest",
                 [*own, "laplacian", "--landmarks.selection", "farthest", "--output.distances", "true"]),
                (2, "evaluation.pairs", [*own, "laplacian", "--evaluation.pairs", "1"]),
                (3, "no_such.h5", [*own, "laplacian", "--similarity.reuse", "no_such.h5"])):
            self.refused(code, pattern, *arguments)
        with h5py.File(self.path("base.h5"), "r+") as file:
            file["base/columns"][3, 4] = numpy.nan
        self.refused(3, "/base/columns is damaged: rows 0 to", *own, "laplacian", *reuse)
        with h5py.File(self.path("base.h5"), "r+") as file:
            del file["crc32"]
        self.refused(3, "/base/columns holds a number that is not finite", *own, "laplacian", *reuse)
        with h5py.File(self.path("base.h5"), "r+") as file:
            file["base/indices"][0] = N
        self.refused(3, "/base/indices holds objects twice, or others", *own, "laplacian", *reuse)


if __name__ == "__main__":
    unittest.main()
