"""A method and a similarity that are one file each: whatever the program does with its own it does with them."""

import csv
import sys
import unittest

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: python3-h5py and python3-numpy are not installed")
    sys.exit(77)

from cairn_program import CairnTest

TOYS = ["--approximation.method", "toy", "--similarity.kind", "toy-cauchy"]


def cauchy(x, y, width):
    return 1 / (1 + ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2) / width**2)


class ToysTest(CairnTest):
    def setUp(self):
        super().setUp()
        generator = np.random.default_rng(7)
        self.old, self.new = generator.standard_normal((120, 3)), generator.standard_normal((40, 3)) + 0.5
        np.save(self.path("old.npy"), self.old)
        np.save(self.path("new.npy"), self.new)

    def options(self, *more):
        return ["--data.path", "old.npy", *TOYS, "--similarity.toy-width", "2", "--approximation.toy-scale", "3",
                "--landmarks.count", "20", *more]

    def approximate(self, ranks=0):
        return self.json("approximate", *self.options("--output.path", "r.h5"), ranks=ranks)

    def test_help_describes_them(self):
        text = " ".join(self.cairn("approximate", "--help").out.split())
        self.assertIn("--approximation.toy-scale NUMBER toy: The number. Default: 1.", text)
        self.assertIn("--similarity.toy-width NUMBER toy-cauchy: The width, above 0. Default: 1.", text)
        self.assertIn("wme, biharmonic, toy.", text)
        self.assertIn("Nystrom's approximation times a number.", self.cairn("help", "method", "toy").out)
        self.assertIn("--similarity.toy-width", self.cairn("help", "similarity", "toy-cauchy").out)
        self.assertIn("toy-cauchy", self.cairn("help", "similarity").out)

    def test_a_run_on_any_number_of_ranks_is_the_formula(self):
        for ranks in (0, 2, 3, 4):
            report = self.approximate(ranks)
            self.assertEqual((report["method"], report["similarity"]), ("toy", "toy-cauchy"))
            with h5py.File(self.path("r.h5")) as file:
                landmarks = self.old[file["landmarks/indices"][:]]
                kept = file["left"][:] @ file["joining"][:] @ file["left"][:].T
            columns = cauchy(self.old, landmarks, 2)
            expected = 3 * columns @ np.linalg.pinv(cauchy(landmarks, landmarks, 2), rcond=1e-10) @ columns.T
            self.assertLess(np.linalg.norm(kept - expected), 1e-8 * np.linalg.norm(expected))

    def test_later_commands_know_them(self):
        made = self.approximate()
        again = self.json("evaluate", "r.h5", "--evaluation.rows", "all")
        self.assertAlmostEqual(again["relative_error"], 2, delta=0.1)  # of 3 K against K
        self.assertIn("toy-cauchy", self.cairn("info", "r.h5").out)
        self.json("extend", "r.h5", "--data.path", "new.npy", "--output.path", "n.h5")
        with h5py.File(self.path("r.h5")) as file, h5py.File(self.path("n.h5")) as rows:
            landmarks = self.old[file["landmarks/indices"][:]]
            self.assertLess(abs(rows["left"][:] - cauchy(self.new, landmarks, 2)).max(), 1e-12)
        self.assertGreater(made["evaluations"], 0)

    def test_they_are_planned(self):
        plan = self.json("plan", *self.options())
        self.assertEqual(plan["evaluations"], 120 * 20)

    def test_a_sweep_varies_them_and_is_gone_on_with(self):
        base = [*self.options(), "--vary", "approximation.method=toy,nystrom", "--output.csv", "s.csv"]
        sweep = ["sweep", *base, "--vary", "similarity.toy-width=1,2"]
        sweep.remove("--similarity.toy-width"), sweep.remove("2")
        self.cairn(*sweep)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual([(line["approximation.method"], line["similarity.toy-width"]) for line in lines],
                         [("toy", "1"), ("toy", "2"), ("nystrom", "1"), ("nystrom", "2")])
        self.assertIn("4", self.cairn(*sweep, "--restart").out)

    def test_a_stopped_run_goes_on(self):
        stopped = [*self.options("--output.path", "r.h5", "--run.checkpoint", "c")]
        self.cairn("approximate", *stopped, "--run.max-time", "0", expect=75)
        self.json("approximate", *stopped, "--restart")

    def test_mistakes_are_named(self):
        self.refused(2, "approximation.toy-scale has no effect if approximation.method is nystrom; it belongs to toy",
                     "approximate", "--data.path", "old.npy", "--similarity.kind", "rbf", "--landmarks.count", "9",
                     "--approximation.method", "nystrom", "--approximation.toy-scale", "2", "--output.path", "x.h5")
        self.refused(2, "similarity.toy-width = 0 is not above 0", "approximate", "--data.path", "old.npy", *TOYS,
                     "--similarity.toy-width", "0", "--landmarks.count", "9", "--output.path", "x.h5")
        self.refused(2, "approximation.toy-scale = 200 is above the number of objects", "approximate", "--data.path",
                     "old.npy", *TOYS, "--approximation.toy-scale", "200", "--landmarks.count", "9", "--output.path",
                     "x.h5")


if __name__ == "__main__":
    unittest.main()
