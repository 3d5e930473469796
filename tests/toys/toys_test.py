"""A method, a similarity, a kind of data and a task that are one file each: what the program does with its own it does
with them."""

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
        text = " ".join(self.cairn("approximate", "--help", "all").out.split())
        self.assertIn("--approximation.toy-scale NUMBER toy: The number. Default: 1.", text)
        self.assertIn("--similarity.toy-width NUMBER toy-cauchy: The width, above 0. Default: 1.", text)
        self.assertIn("pmi-eigs, adam, toy.", text)
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


WORDS = ("cairn stone tower heap marker path trail ridge summit valley river lake forest meadow cloud rain snow wind "
         "storm light shadow dawn dusk noon night winter spring summer autumn pebble boulder gravel sand clay slate "
         "granite marble basalt chalk flint quartz").split()


def letters(words, count=26):
    return np.array([[word.count(chr(ord("a") + k)) for k in range(count)] for word in words], dtype=float)


class ToyDataTest(CairnTest):
    def setUp(self):
        super().setUp()
        with open(self.path("old.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(WORDS[:30]))
        with open(self.path("new.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(WORDS[30:]))

    def options(self, *more):
        return ["--data.kind", "toy-words", "--data.path", "old.txt", *TOYS, "--similarity.toy-width", "2",
                "--landmarks.count", "8", *more]

    def test_help_describes_it(self):
        text = " ".join(self.cairn("approximate", "--help", "all").out.split())
        self.assertIn("--data.toy-letters N toy-words: How many letters of the alphabet count. Default: 26.", text)
        self.assertIn("toy-words: The file with the words.", text)
        own = self.cairn("help", "data", "toy-words").out
        self.assertIn("Words in a text file, by their letters.", own)
        self.assertIn("toy-cauchy", own)
        self.assertIn("toy-words", self.cairn("help", "data").out)

    def test_later_commands_know_it_on_any_number_of_ranks(self):
        for ranks in (0, 2, 3, 4):
            report = self.json("approximate", *self.options("--output.path", "r.h5"), ranks=ranks)
            self.assertEqual(report["data"], {"first": "cairn"})
            self.json("extend", "r.h5", "--data.path", "new.txt", "--output.path", "n.h5", ranks=ranks)
            with h5py.File(self.path("r.h5")) as file, h5py.File(self.path("n.h5")) as rows:
                old, new = letters(WORDS[:30]), letters(WORDS[30:])
                landmarks = old[file["landmarks/indices"][:]]
                self.assertLess(abs(file["left"][:] - cauchy(old, landmarks, 2)).max(), 1e-12)
                self.assertLess(abs(rows["left"][:] - cauchy(new, landmarks, 2)).max(), 1e-12)
            again = self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=ranks)
            self.assertGreater(again["relative_error"], 0)
        self.assertIn("toy-words", self.cairn("info", "r.h5").out)
        self.assertIn(" rain\n", self.cairn("query", "r.h5", "--nearest", "cairn", "--by-label").out)

    def test_it_is_planned_varied_and_gone_on_with(self):
        self.assertEqual(self.json("plan", *self.options())["evaluations"], 30 * 8)
        self.cairn("sweep", *self.options("--vary", "data.toy-letters=5,26", "--output.csv", "s.csv"))
        with open(self.path("s.csv"), encoding="utf-8") as file:
            self.assertEqual([line["data.toy-letters"] for line in csv.DictReader(file)], ["5", "26"])
        stopped = self.options("--output.path", "r.h5", "--run.checkpoint", "c")
        self.cairn("approximate", *stopped, "--run.max-time", "0", expect=75)
        self.json("approximate", *stopped, "--restart")

    def test_mistakes_are_named(self):
        run = ["approximate", *TOYS, "--landmarks.count", "8", "--output.path", "x.h5"]
        self.refused(2, "data.toy-letters has no effect if data.kind is points", *run, "--data.path", "old.txt",
                     "--data.toy-letters", "4")
        self.refused(2, "data.toy-letters = 27 is above 26", "approximate", *self.options("--data.toy-letters", "27"))
        self.refused(2, "data.scaling has no effect if data.kind is toy-words", "approximate",
                     *self.options("--data.scaling", "standard", "--output.path", "x.h5"))
        self.refused(2, "there are no data", *run)
        self.refused(3, "none.txt: cannot be opened", "approximate", "--data.kind", "toy-words", "--data.path",
                     "none.txt", *run[1:])


class ToyTaskTest(CairnTest):
    def setUp(self):
        super().setUp()
        np.save(self.path("old.npy"), np.random.default_rng(7).standard_normal((120, 3)))
        self.cairn("approximate", "--data.path", "old.npy", "--similarity.kind", "rbf", "--similarity.gamma", "1",
                   "--landmarks.count", "20", "--output.path", "r.h5")

    def test_help_describes_it(self):
        own = self.cairn("help", "task", "toy").out
        self.assertIn("A toy: columns of the left factor over rows", own)
        self.assertIn("--toy-weight NUMBER", own)
        self.assertIn("of one result", own)
        self.assertIn("  toy (cairn train)\n", self.cairn("help", "task").out)
        text = " ".join(self.cairn("train", "--help", "all").out.split())
        self.assertIn("--toy-weight NUMBER toy: The number. Default: 1.", text)
        self.assertIn("krr, gp, svm, kernel-svm, knn, toy.", text)

    def test_it_runs_on_any_number_of_ranks(self):
        for ranks in (0, 2, 3):
            report = self.json("train", "r.h5", "--task", "toy", "--toy-weight", "3", ranks=ranks)
            self.assertEqual((report["task"], report["ratio"]), ("toy", 0.5))
        self.assertRegex(self.cairn("train", "r.h5", "--task", "toy").out, "columns per row +0.1667 of 120 rows")

    def test_mistakes_are_named(self):
        train = ["train", "r.h5", "--task"]
        for pattern, *arguments in [
                ("--toy-weight has no effect with --task krr", "krr", "--toy-weight", "2", "--lambda", "1"),
                ("--lambda has no effect with --task toy", "toy", "--lambda", "1"),
                ("--split has no effect with --task toy", "toy", "--split", "old.npy"),
                ("--data.path has no effect with --task toy", "toy", "--data.path", "old.npy"),
                ("--output.path has no effect with --task toy", "toy", "--output.path", "m.h5"),
                ("--run.seed has no effect with a toy", "toy", "--run.seed", "2"),
                ("--toy-weight = 101 is more than anything weighs here", "toy", "--toy-weight", "101"),
                ("toy-weight = 0 is not above 0", "toy", "--toy-weight", "0")]:
            self.refused(2, pattern, *train, *arguments, ranks=[1])
        self.refused(2, "the task toy takes one result, not 2", "train", "r.h5", "r.h5", "--task", "toy", ranks=[1])
        self.refused(2, "no task is called 'toi'; did you mean 'toy'", "help", "task", "toi", ranks=[1])


if __name__ == "__main__":
    unittest.main()
