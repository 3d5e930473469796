"""As many landmarks as a stated error needs."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402

N = 1500


class ErrorGoal(CairnTest):
    points = ["--data.generate", "normal", "--data.points", N, "--data.dimension", 3]
    rbf = ["approximate", *points, "--similarity.kind", "rbf", "--similarity.gamma", 0.2, "--output.path", "r.h5"]
    sigmoid = ["approximate", *points, "--similarity.kind", "sigmoid", "--similarity.gamma", 0.3, "--output.path", "r.h5"]

    paths = ["approximate", "--data.kind", "graph", "--data.path", "ring.edges", "--similarity.kind", "path-length", "--error", 0.2,
             "--output.path", "r.h5"]

    def write_ring(self, n=400):
        self.write("ring.edges", "".join(f"{i} {(i + 1) % n} {1 + i % 3}\n{i} {(i * 7 + 3) % n} 9\n" for i in range(n)))

    def exact_error(self):
        return self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=2)["relative_error"]

    def test_the_error_holds_and_is_stored(self):
        report = self.json(*self.rbf, "--error", 0.02, ranks=2)
        self.assertEqual(("certified", 0.02, 0.99),
                         (report["error_promise"], report["error_goal"], report["error_confidence"]))
        self.assertLessEqual(report["error_limit"], 0.02)
        self.assertLessEqual(self.exact_error(), report["error_limit"])
        self.assertEqual("rpcholesky", report["landmark_selection"])
        growth = report["error_growth"]
        self.assertEqual((32, report["s1"]), (growth[0]["landmarks"], growth[-1]["landmarks"]))
        self.assertLessEqual(growth[-1]["relative_error"], 0.02)
        self.assertEqual(growth, self.json("info", "r.h5")["error_growth"])
        text = self.cairn("info", "r.h5").out
        self.assertRegex(text, r"error that was asked for +0\.02: at most 0\.0\d+ with probability 0\.99, certified")
        self.assertEqual(report["error_limit"], self.json("info", "r.h5")["error_limit"])

    def test_a_confidence_costs_landmarks(self):
        few, many = (self.json(*self.rbf, "--error", 0.02, "--confidence", c, "--overwrite")["s1"] for c in (0.5, 0.999999))
        self.assertLess(few, many)

    def test_an_indefinite_matrix_has_an_estimate(self):
        report = self.json(*self.sigmoid, "--error", 0.05)
        self.assertEqual(("estimated", "uniform"), (report["error_promise"], report["landmark_selection"]))
        self.assertLessEqual(self.exact_error(), 0.05)

    def test_a_largest_number_ends_it(self):
        goal = [*self.rbf, "--error", 0.001, "--landmarks.count", 60]
        outcome = self.cairn(*goal, ranks=2)
        self.assertRegex(outcome.out, r"error that was asked for +0\.001: not reached, at most 0\.\d+")
        self.assertIn("warning: landmarks.error = 0.001 is not reached", outcome.out)
        self.assertEqual(60, self.json("info", "r.h5")["s1"])
        outcome = self.cairn(*goal, "--require-error", "--overwrite", expect=6, ranks=3)
        self.assertRegex(outcome.message(), "landmarks.error is not reached: the relative error is at most .* r.h5 has the result")
        self.assertEqual("not reached", self.json("info", "r.h5")["provenance"]["error_promise"])

    def test_path_lengths_and_embeddings(self):
        self.write_ring()
        report = self.json(*self.paths, ranks=2)
        self.assertEqual("nystrom", report["method"])
        self.assertEqual("estimated", report["error_promise"])
        self.assertLessEqual(self.exact_error(), 0.2)
        report = self.json(*self.rbf, "--error", 0.05, "--approximation.embedding", "true", "--overwrite")
        self.assertEqual(("certified", "identity"), (report["error_promise"], report["joining_layout"]))

    def test_a_restart_goes_on_with_the_columns_that_are_there(self):
        goal = [*self.rbf, "--error", 0.02, "--run.checkpoint", "ck"]
        self.cairn(*goal, "--run.max-time", 0, expect=75, ranks=2)
        report = self.json(*goal, "--restart", ranks=2)
        self.assertGreater(report["checkpoint"]["restored_tiles"], 0)
        whole = self.json(*self.rbf, "--error", 0.02, "--overwrite", ranks=2)
        for name in ("s1", "error_limit", "evaluations"):
            self.assertEqual(whole[name], report[name], name)

    def test_restarts_at_every_tile_give_the_numbers_of_one_run(self):
        self.write_ring(110)
        goal = [*self.paths, "--run.checkpoint", "ck", "--run.max-time", 0, "--json", "r.json"]
        starts = 1
        while self.cairn(*goal, *(["--restart"] if starts > 1 else []), expect=(0, 75), ranks=2).code == 75:
            starts += 1
            self.assertLess(starts, 400)
        self.assertGreater(starts, 3)
        with open(self.path("r.json"), encoding="utf-8") as file:
            report = json.load(file)
        whole = self.json(*self.paths, "--overwrite", ranks=2)
        for name in ("s1", "error_limit", "evaluations"):
            self.assertEqual(whole[name], report[name], name)

    def test_a_time_limit_ends_it_with_the_best_so_far(self):
        for ranks in (1, 3):
            report = self.json(*self.rbf, "--error", 0.001, "--run.max-time", 0, "--overwrite", ranks=ranks)
            self.assertEqual(("not reached", 32), (report["error_promise"], report["s1"]))
            self.assertRegex("\n".join(report["warnings"]), r"not reached.*--run\.max-time = 0 leaves no time for 4\d landmarks")
            self.cairn(*self.rbf, "--error", 0.001, "--run.max-time", 0, "--require-error", "--overwrite", expect=6, ranks=ranks)
            report = self.json(*self.rbf, "--error", 0.1, "--run.max-time", "1h", "--overwrite", ranks=ranks)
            self.assertEqual("certified", report["error_promise"])

    def test_a_memory_limit_ends_it_with_what_fits(self):
        report = self.json("approximate", "--data.generate", "normal", "--data.points", 20000, "--data.dimension", 3, "--similarity.kind",
                           "rbf", "--similarity.gamma", 5, "--error", 0.001, "--landmarks.count", 5000, "--run.memory", "180M",
                           "--output.path", "r.h5")
        self.assertEqual("not reached", report["error_promise"])
        self.assertTrue(100 < report["s1"] < 1000, report["s1"])
        self.assertLess(report["peak_bytes"], 180e6)

    def test_new_rows_have_no_promise_of_the_old_ones(self):
        self.write("old.csv", "".join(f"{i % 7},{i % 11},{i % 5}\n" for i in range(300)))
        self.write("new.csv", "1.5,2,3\n4,5,2.5\n")
        self.cairn("approximate", "--data.path", "old.csv", "--similarity.kind", "rbf", "--similarity.gamma", 0.1, "--error", 0.1,
                   "--output.path", "r.h5")
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--output.path", "n.h5")
        info = self.json("info", "n.h5")
        self.assertNotIn("error_limit", info)
        self.assertNotIn("error_promise", info["provenance"])

    def test_what_is_given_beside_an_error(self):
        self.refused(2, "core-rows, which follows from the landmarks here", *self.sigmoid, "--error", 0.1,
                     "--approximation.core-rows", 200, ranks=[1])
        report = self.json("approximate", *self.points, "--similarity.kind", "euclidean", "--error", 0.004, "--output.path", "r.h5")
        self.assertEqual("certified", report["error_promise"])  # the default tolerance of indefinite K ends above it
        self.assertLessEqual(self.exact_error(), 0.004)
        report = self.json(*self.rbf[:-4], "--similarity.gamma", 20, "--error", 0.001, "--landmarks.count", 60, "--output.path",
                           "r.h5", "--overwrite")
        self.assertEqual("not reached", report["error_promise"])
        self.assertLess(self.exact_error(), report["error_limit"])
        self.assertLess(report["error_limit"], 100)  # a number, if a wide one

    def test_few_objects(self):
        self.write("three.csv", "0,1\n2,3\n1,0\n")
        report = self.json("approximate", "--data.path", "three.csv", "--similarity.kind", "rbf", "--error", 0.01, "--output.path",
                           "r.h5", ranks=2)
        self.assertEqual(3, report["s1"])
        self.assertEqual("certified", report["error_promise"])

    def test_a_table_over_errors(self):
        self.cairn("sweep", *self.points, "--similarity.kind", "rbf", "--similarity.gamma", 0.2, "--vary",
                   "landmarks.error=0.1,0.02", "--output.csv", "s.csv", ranks=2)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            self.assertEqual(3, len(file.readlines()))
        self.cairn("sweep", *self.points, "--similarity.kind", "rbf", "--similarity.gamma", 0.2, "--vary", "landmarks.count=20,600",
                   "--error", 0.02, "--require-error", "--output.csv", "t.csv", ranks=2)
        with open(self.path("t.csv"), encoding="utf-8") as file:
            _, few, many = file.readlines()
        self.assertIn("landmarks.error is not reached", few)
        self.assertNotIn("not reached", many)

    def test_a_plan_says_how_many_landmarks_it_will_take(self):
        for run in (self.rbf, self.sigmoid):
            plan = self.json("plan", *run[1:], "--error", 0.02, ranks=2)
            report = self.json(*run, "--error", 0.02, "--overwrite", ranks=2)
            least, expected, most = (plan["landmarks"][name] for name in ("least", "expected", "most"))
            self.assertTrue(least <= expected <= most, plan["landmarks"])
            self.assertLess(abs(expected - report["s1"]), 0.5 * report["s1"])
        outcome = self.cairn("plan", *self.rbf[1:], "--error", 0.02)
        self.assertRegex(outcome.out, r"landmarks +about \d+, \d+ to \d+, for landmarks.error = 0.02, on a sample of 1,500 objects")

    def test_bad_input(self):
        for more, why in ((["--error", 0], "landmarks.error = 0 is not above 0"), (["--error", 1], "landmarks.error = 1 is not below 1"),
                          (["--error", "nan"], "landmarks.error"), (["--error", 1e-9], "below what numbers in double precision can certify"),
                          (["--error", 1e-5, "--run.precision", "single"], "in single precision can certify, 0.0001"),
                          (["--error", 0.1, "--confidence", 1], "landmarks.confidence = 1 is not below 1"),
                          (["--confidence", 0.9, "--landmarks.count", 9], "landmarks.confidence has no effect without landmarks.error"),
                          (["--error", 0.1, "--approximation.method", "sicur"], "it is for nystrom"),
                          (["--error", 0.1, "--landmarks.selection", "file", "--landmarks.list", "l.txt"], "it is for uniform, farthest, rpcholesky"),
                          ([], "landmarks.count is missing; give it, or landmarks.error")):
            with self.subTest(more=more):
                self.refused(2, why, *self.rbf, *more, ranks=[1])
        self.assertFalse(os.path.exists(self.path("r.h5")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
