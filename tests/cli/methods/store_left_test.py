"""Results whose rows of L are not kept (store-left = false), beside the same ones that keep them."""

import filecmp
import os
import sys
import unittest

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: python3-h5py and python3-numpy are not installed")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402

FIXED = ["--evaluation.pairs", 4000]


class StoreLeftTest(CairnTest):
    def setUp(self):
        super().setUp()
        draw = np.random.default_rng(5)
        self.points = draw.standard_normal((700, 3))
        np.save(self.path("x.npy"), self.points)
        np.save(self.path("new.npy"), draw.standard_normal((90, 3)))
        self.write("y.csv", "y\n" + "".join(f"{np.sin(2 * x):.6f}\n" for x in self.points[:, 0]))

    def approximate(self, path, *options, ranks=0, kept=False):
        rows = [] if kept else ["--approximation.store-left", "false"]
        return self.json("approximate", "--data.path", "x.npy", "--similarity.kind", "rbf", "--similarity.gamma", 0.7, "--landmarks.count", 60,
                         "--approximation.method", "nystrom", "--output.path", path, *rows, *options, ranks=ranks)

    def test_the_error_is_that_of_a_result_that_keeps_its_rows(self):
        for precision, tolerance in (("double", 1e-9), ("single", 1e-3)):
            kept = self.approximate("k.h5", "--run.precision", precision, *FIXED, kept=True)
            for ranks in (1, 2, 3, 4):
                found = self.approximate("r.h5", "--run.precision", precision, *FIXED, ranks=ranks)
                self.assertAlmostEqual(kept["relative_error"], found["relative_error"], delta=tolerance * kept["relative_error"])
                self.assertLess(found["evaluations"], 60 * 60)
                self.assertGreaterEqual(found["probe_evaluations"], 700 * 60)
                again = self.json("evaluate", "r.h5", *FIXED, ranks=ranks)
                expected = self.json("evaluate", "k.h5", *FIXED)
                self.assertAlmostEqual(expected["relative_error"], again["relative_error"], delta=tolerance * kept["relative_error"])
                rows = [self.json("evaluate", path, "--evaluation.rows", 5)["relative_error"] for path in ("k.h5", "r.h5")]
                self.assertAlmostEqual(*rows, delta=tolerance * rows[0])

    def test_the_file_has_landmarks_and_no_rows(self):
        self.approximate("r.h5")
        with h5py.File(self.path("r.h5")) as file:
            self.assertNotIn("left", file)
            self.assertEqual((700, 6), (file.attrs["rows"], file.attrs["format_version"]))
            columns = np.exp(-0.7 * ((self.points[:, None] - self.points[file["landmarks/indices"][:]]) ** 2).sum(axis=2))
            k = np.exp(-0.7 * ((self.points[:, None] - self.points) ** 2).sum(axis=2))
            error = np.linalg.norm(columns @ file["joining"][:] @ columns.T - k) / np.linalg.norm(k)
        self.assertAlmostEqual(error, self.json("info", "r.h5")["relative_error"], delta=.1 * error)
        self.assertIn("not kept: evaluated from the landmarks", self.cairn("info", "r.h5").out)
        self.cairn("info", "r.h5", "--verify", "true")

    def test_values_of_files_and_programs_are_evaluated_from_the_same_ones(self):
        np.save(self.path("k.npy"), np.exp(-0.7 * ((self.points[:, None] - self.points) ** 2).sum(axis=2)))
        self.write("score.py", "import json, math, sys\nfor line in sys.stdin:\n"
                               "    print(*(math.exp(-abs(i - j) / 9) for i, j in json.loads(line)), sep=chr(10), end=chr(10) * 2, flush=True)\n")
        ids = ["--data.kind", "ids", "--data.count", 60, "--similarity.kind", "external"]
        common = ["--landmarks.count", 12, "--approximation.method", "nystrom", "--approximation.store-left", "false", *FIXED]
        command = ["--similarity.command", f"python3 {self.path('score.py')}"]
        for data, place in ((["--data.kind", "matrix", "--data.path", "k.npy"], []), ([*ids, *command], command)):
            made = self.json("approximate", *data, *common, "--output.path", "r.h5", "--overwrite", "true")
            found = self.json("evaluate", "r.h5", *place, *FIXED, ranks=2)
            doubt = made["relative_error_standard_error"] + found["relative_error_standard_error"]
            self.assertAlmostEqual(made["relative_error"], found["relative_error"], delta=5 * doubt + 1e-12)
        self.refused(2, "from its own similarity, external", "evaluate", "r.h5", "--similarity.command", command[1] + " ", *FIXED)

    def test_new_objects_have_the_rows_that_they_would_have_had(self):
        self.approximate("r.h5")
        self.approximate("k.h5", kept=True)
        made = [self.json("extend", path, "--data.path", "new.npy", "--output.path", f"{path}.e.h5") for path in ("r.h5", "k.h5")]
        self.assertAlmostEqual(*(one["relative_error"] for one in made), delta=1e-9)
        with h5py.File(self.path("r.h5.e.h5")) as one, h5py.File(self.path("k.h5.e.h5")) as other:
            self.assertLess(abs(one["left"][:] - other["left"][:]).max(), 1e-12)
        self.json("query", "r.h5.e.h5", "--entry", "0,1")

    def test_a_regression_on_the_kernel_reads_no_rows(self):
        self.approximate("r.h5")
        self.approximate("k.h5", kept=True)
        models = []
        for path in ("r.h5", "k.h5"):
            words = ["train", path, "--task", "krr", "--krr-method", "centers", "--targets", "y.csv", "--lambda", ".01", "--train-fraction", .8]
            made = self.json(*words, "--output.path", f"m-{path}")["models"][0]
            models.append(next(score["r_squared"] for score in made["scores"] if score["on"] == "held-out"))
            self.cairn("predict", f"m-{path}", "--data.path", "new.npy", "--out", f"{path}.csv")
        self.assertGreater(models[0], .85)
        self.assertAlmostEqual(*models, delta=1e-9)
        self.assertTrue(filecmp.cmp(self.path("r.h5.csv"), self.path("k.h5.csv"), shallow=False))

    def test_what_needs_rows_is_refused_with_what_does_not(self):
        self.approximate("r.h5")
        message = r"r.h5 keeps no rows of its left factor \(store-left = false\): cairn extend computes those of some objects; cairn evaluate and cairn train"
        for words in (["query", "r.h5", "--entry", "0,1"], ["query", "r.h5", "--nearest", 3],
                      ["train", "r.h5", "--task", "krr", "--targets", "y.csv", "--output.path", "m.h5"],
                      ["train", "r.h5", "--task", "gp", "--targets", "y.csv", "--output.path", "m.h5"],
                      ["cluster", "r.h5", "--clusters", 3, "--out", "c.csv"], ["embed", "r.h5", "--dimension", 2, "--out", "e.csv"]):
            self.refused(2, message, *words)

    def test_what_takes_all_rows_is_refused_before_it_computes(self):
        common = ["approximate", "--data.path", "x.npy", "--similarity.kind", "rbf", "--approximation.method", "nystrom",
                  "--output.path", "n.h5", "--approximation.store-left", "false"]
        count = ["--landmarks.count", 60]
        for more, why in ((["--output.near", 3, *count], "near"), (["--landmarks.selection", "rpcholesky", *count], "rpcholesky"),
                          (["--error", .1], "error"), (["--output.distances", "true", *count], "distances"), (["--landmarks.selection", "farthest", *count], "farthest"),
                          (["--approximation.embedding", "true", *count], "embedding"), (["--approximation.core-rows", 90, *count], "core matrix")):
            self.refused(2, f"approximation.store-left.*{why}", *common, *more)
        self.refused(2, "approximation.store-left.* has no effect", "approximate", "--data.path", "x.npy", "--similarity.kind", "rbf",
                     "--approximation.method", "sicur", *count, "--output.path", "n.h5", "--approximation.store-left", "false")

    def test_a_plan_has_no_rows(self):
        words = ["plan", "--data.generate", "normal", "--data.points", 10_000_000, "--data.dimension", 3, "--similarity.kind", "rbf", "--similarity.gamma", 1,
                 "--landmarks.count", 100, "--approximation.method", "nystrom", "--run.precision", "single"]
        kept, evaluated = (self.json(*words, *more) for more in ([], ["--approximation.store-left", "false"]))
        self.assertGreater(kept["peak_bytes"] - evaluated["peak_bytes"], 3_000_000_000)
        self.assertLess(evaluated["result_bytes"], 1_000_000)


if __name__ == "__main__":
    unittest.main()
