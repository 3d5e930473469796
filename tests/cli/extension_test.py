"""cairn extend by points that are not in the data, and cairn predict on them, against the same computed here."""

import csv
import gzip
import math
import os
import random
import sys
import unittest

try:
    import h5py
    import numpy as np
except ImportError:
    print("skipped: python3-h5py and python3-numpy are not installed")
    sys.exit(77)

from cairn_program import CairnTest, csv_text

QUESTIONS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "questions.tsv.gz")


def clouds(count, seed):
    """Points around three centres, and the number of the centre of each."""
    generator = np.random.default_rng(seed)
    centre = generator.integers(0, 3, count)
    return np.array([[0, 0, 0], [2, 0, 1], [0, 2, -1]])[centre] + 0.8 * generator.standard_normal((count, 3)), centre


def rbf(x, y, gamma=0.2):
    return np.exp(-gamma * ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))


class ExtensionTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.old, self.old_centre = clouds(300, 1)
        self.new, self.new_centre = clouds(240, 2)
        np.save(self.path("old.npy"), self.old)
        np.save(self.path("new.npy"), self.new)

    def approximate(self, *options):
        return self.json("approximate", "--data.path", "old.npy", "--similarity.kind", "rbf", "--similarity.gamma", 0.2,
                         "--landmarks.count", 40, "--output.path", "r.h5", *options)

    def extend(self, *options, ranks=0):
        return self.json("extend", "r.h5", "--data.path", "new.npy", "--output.path", "n.h5", *options, ranks=ranks)

    def test_every_row_is_that_of_its_own_similarities(self):
        self.approximate("--approximation.method", "nystrom")
        with h5py.File(self.path("r.h5")) as file:
            landmarks = self.old[file["landmarks/indices"][:]]
            joining = file["joining"][:]
        columns = rbf(self.new, landmarks)
        for ranks in (0, 2, 3):
            report = self.extend(ranks=ranks)
            with h5py.File(self.path("n.h5")) as file:
                left = file["left"][:]
            self.assertLess(abs(left - columns).max(), 1e-12)
            k = rbf(self.new, self.new)
            error = np.linalg.norm(columns @ joining @ columns.T - k) / np.linalg.norm(k)
            self.assertLess(abs(report["relative_error"] - error), 5 * report["relative_error_standard_error"])

    def test_the_error_of_the_rows_stands_beside_that_of_the_result(self):
        base = self.approximate("--approximation.method", "sicur")
        report = self.extend()
        self.assertEqual(base["relative_error"], report["base_relative_error"])
        self.assertLess(report["relative_error"], 3 * base["relative_error"])
        self.assertEqual([], report["warnings"])
        self.assertEqual(240 * 80, report["evaluations"])
        self.assertEqual(1000 + 240, report["probe_evaluations"])
        self.assertEqual(report["relative_error"], self.json("info", "n.h5")["relative_error"])
        again = self.json("extend", "n.h5", "--data.path", "new.npy", "--output.path", "m.h5")
        self.assertEqual(base["relative_error"], again["base_relative_error"])

    def test_rows_that_fit_much_worse_are_a_warning_there_and_in_predict(self):
        # Nystrom of an indefinite similarity extrapolates badly: points far from all landmarks.
        self.approximate("--approximation.method", "nystrom")
        np.save(self.path("new.npy"), 6 * self.new)
        report = self.extend()
        self.assertGreater(report["relative_error"], 3 * report["base_relative_error"])
        self.assertRegex(report["warnings"][0], "the rows of n.h5 have a relative error of .* unlike the old ones")
        self.assertIn(report["warnings"][0], self.json("info", "n.h5")["warnings"])
        self.write("t.csv", "y\n" + "".join(f"{y}\n" for y in self.old[:, 0]))
        self.cairn("train", "r.h5", "--task", "krr", "--targets", "t.csv", "--lambda", 0.1, "--output.path", "m.h5")
        outcome = self.cairn("predict", "m.h5", "--result", "n.h5", "--out", "p.csv")
        self.assertRegex(outcome.out, "warning: the rows of n.h5 have a relative error of")

    def test_the_probe_can_be_left_out(self):
        self.approximate("--approximation.method", "nystrom")
        report = self.extend("--pairs", 0)
        self.assertIsNone(report["relative_error"])
        self.assertEqual(0, report["probe_evaluations"])
        self.refused(2, "--pairs 1: an error with a standard error needs at least 2 pairs", "extend", "r.h5",
                     "--data.path", "new.npy", "--output.path", "x.h5", "--pairs", 1)

    def test_landmarks_of_a_file_count_in_the_data_that_it_was_made_from(self):
        self.approximate("--approximation.method", "nystrom")
        self.extend()
        landmarks = ["--similarity.kind", "rbf", "--similarity.gamma", 0.2, "--landmarks.count", 40, "--landmarks.selection",
                     "file", "--output.path", "x.h5"]
        self.refused(3, "the landmarks in n.h5 are objects of the data that it extends", "approximate", "--data.path",
                     "new.npy", "--landmarks.path", "n.h5", *landmarks)
        self.refused(3, "the landmarks in r.h5 are numbers of rows in a data set of 300 objects, and there are 240 here",
                     "approximate", "--data.path", "new.npy", "--landmarks.path", "r.h5", *landmarks)
        np.save(self.path("other.npy"), self.old + 1)
        outcome = self.cairn("approximate", "--data.path", "other.npy", "--landmarks.path", "r.h5", *landmarks)
        self.assertRegex(outcome.err, "r.h5 was made from other data")
        outcome = self.cairn("approximate", "--data.path", "old.npy", "--landmarks.path", "r.h5", *landmarks)
        self.assertNotIn("other data", outcome.err)

    def test_a_single_new_point(self):
        self.approximate("--approximation.method", "nystrom")
        np.save(self.path("new.npy"), self.new[:1])
        report = self.extend()
        self.assertEqual((1, None, []), (report["n"], report["relative_error"], report["warnings"]))
        self.assertRegex(report["notes"][0], "the error of the rows was not measured: 1 new object makes too few pairs")
        self.assertEqual(report["notes"], self.json("info", "n.h5")["notes"])
        self.assertEqual([], self.extend("--pairs", 0)["notes"])

    def test_few_new_points_have_the_error_of_many(self):
        """A narrow kernel: K is its diagonal, above all, and K~ of a point with itself is small."""
        base = self.json("approximate", "--data.path", "old.npy", "--similarity.kind", "rbf", "--similarity.gamma", 2,
                         "--landmarks.count", 40, "--approximation.method", "nystrom", "--output.path", "r.h5")["relative_error"]
        many = self.extend()
        self.assertLess(many["relative_error"], 2 * base)
        for first, count in ((0, 4), (4, 4), (8, 10), (18, 25)):
            np.save(self.path("new.npy"), self.new[first:first + count])
            few = [self.extend(ranks=ranks) for ranks in (1, 3)]
            self.assertEqual([], few[0]["warnings"])
            self.assertEqual(min(100, count * (count - 1) // 2), few[0]["probe_evaluations"] - count)
            self.assertLess(abs(few[0]["relative_error"] - many["relative_error"]), 3 * few[0]["relative_error_standard_error"])
            self.assertAlmostEqual(few[0]["relative_error"], few[1]["relative_error"], delta=1e-12)

    def test_few_new_texts_are_no_alarm(self):
        """Texts of the training folder itself; K of a text with itself is 1, and K~ much less where it is no landmark."""
        draw = random.Random(5)
        words = [f"w{k}" for k in range(60)]
        self.write("v.txt", "".join(f"{word} {' '.join(f'{draw.gauss(0, 1):.4f}' for _ in range(6))}\n" for word in words))
        for k in range(120):
            os.makedirs(self.path("old"), exist_ok=True)
            self.write(f"old/{k:03}.txt", " ".join(draw.choices(words, k=6)) + "\n")
        data = ["--data.kind", "documents", "--data.vectors", "v.txt"]
        base = self.json("approximate", *data, "--data.path", "old", "--similarity.kind", "wmd", "--similarity.gamma", 1,
                         "--landmarks.count", 20, "--landmarks.selection", "uniform", "--output.path", "r.h5")["relative_error"]
        for count in (1, 2, 5, 10, 25):
            os.makedirs(self.path(f"new{count}"))
            for k in range(count):
                with open(self.path(f"old/{119 - k:03}.txt"), encoding="utf-8") as file:
                    self.write(f"new{count}/{k:03}.txt", file.read())
            report = self.json("extend", "r.h5", "--data.path", f"new{count}", "--data.vectors", "v.txt", "--output.path", "e.h5")
            self.assertEqual([], report["warnings"], count)
            if count < 4:
                self.assertIsNone(report["relative_error"])
                self.assertRegex(report["notes"][0], "the error of the rows was not measured")
            else:
                self.assertLess(abs(report["relative_error"] - base), max(4 * report["relative_error_standard_error"], 0.3 * base), count)

    def test_an_error_that_is_not_defined_is_said(self):
        self.json("approximate", "--data.path", "old.npy", "--similarity.kind", "euclidean", "--landmarks.count", 20,
                  "--approximation.method", "sicur", "--output.path", "r.h5")
        np.save(self.path("new.npy"), np.zeros((4, 3)))  # all distances are 0
        self.assertRegex(self.extend()["warnings"][0], "the error of the rows could not be measured: .* are 0")

    def test_classes_and_values_of_new_points_are_those_of_the_same_model_here(self):
        self.write("old.csv", csv_text(self.old.tolist(), [f"c{c}" for c in self.old_centre]))
        self.write("new.csv", csv_text(self.new.tolist(), [f"c{c}" for c in self.new_centre]))
        self.json("approximate", "--data.path", "old.csv", "--data.label", "class", "--similarity.kind", "rbf",
                  "--similarity.gamma", 0.2, "--landmarks.count", 40, "--approximation.method", "nystrom",
                  "--approximation.embedding", "true", "--output.path", "r.h5")
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.label", "class", "--output.path", "n.h5", ranks=2)
        self.cairn("train", "r.h5", "--task", "svm", "--cost", 1, "--output.path", "m.h5")
        report = self.json("predict", "m.h5", "--result", "n.h5", "--out", "p.csv", ranks=2)
        nearest = [np.argmin([((x - m) ** 2).sum() for m in np.array([[0, 0, 0], [2, 0, 1], [0, 2, -1]])]) for x in self.new]
        bayes = np.mean(nearest == self.new_centre)  # the best that there is for such clouds
        accuracy = report["scores"][0]["accuracy"]
        self.assertGreater(accuracy, bayes - 4 * math.sqrt(bayes * (1 - bayes) / 240))
        self.assertIn("base_relative_error", report)
        with open(self.path("p.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(accuracy, np.mean([row["label"] == row["predicted"] for row in rows]))

    def nearest_lines(self, *options, ranks=0):
        outcome = self.cairn("query", "r.h5", "--nearest-to", "n.h5", *options, ranks=ranks)
        return [line.split(" ") for line in outcome.out.splitlines()]

    def check_nearest(self, lines, values, k, tolerance):
        """The lines are the k largest of each row of `values`, which may be exchanged within rounding."""
        self.assertEqual(len(values) * k, len(lines))
        for at, (new, old, value, *_) in enumerate(lines):
            self.assertEqual(at // k, int(new))
            row = values[int(new)]
            self.assertAlmostEqual(float(value), row[int(old)], delta=tolerance)
            self.assertAlmostEqual(float(value), np.sort(row)[::-1][at % k], delta=tolerance)

    def test_the_nearest_old_points_of_new_ones(self):
        for method in ("nystrom", "sicur", "skeleton"):
            self.approximate("--approximation.method", method)
            self.extend()
            with h5py.File(self.path("r.h5")) as file, h5py.File(self.path("n.h5")) as new:
                right = file["right"][:] if "right" in file else file["left"][:]
                values = new["left"][:] @ file["joining"][:] @ right.T
            for ranks in (0, 2, 3):
                with self.subTest(method=method, ranks=ranks):
                    lines = self.nearest_lines("--k", 3, ranks=ranks)
                    self.check_nearest(lines, values, 3, 1e-9)
        # Most of the nearest by K~ are the nearest by K.
        nearest = rbf(self.new, self.old).argmax(axis=1)
        self.json("approximate", "--data.path", "old.npy", "--similarity.kind", "rbf", "--similarity.gamma", 0.2,
                  "--landmarks.count", 150, "--approximation.method", "nystrom", "--output.path", "r.h5")
        self.extend()
        found = [int(line[1]) for line in self.nearest_lines("--k", 1)]
        self.assertGreater(np.mean(nearest == found), 0.5)

    def test_the_nearest_by_angle_and_by_distance_in_a_file_with_labels(self):
        self.write("old.csv", csv_text(self.old.tolist(), [f"c{c}" for c in self.old_centre]))
        self.write("new.csv", csv_text(self.new.tolist(), [f"d{c}" for c in self.new_centre]))
        self.json("approximate", "--data.path", "old.csv", "--data.label", "class", "--similarity.kind", "euclidean",
                  "--landmarks.count", 60, "--approximation.method", "nystrom", "--output.path", "r.h5")
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.label", "class", "--output.path", "n.h5", ranks=2)
        with h5py.File(self.path("r.h5")) as file, h5py.File(self.path("n.h5")) as new:
            left, unseen, joining = file["left"][:], new["left"][:], file["joining"][:]
        for ranks in (0, 2, 3):
            report = self.json("query", "r.h5", "--nearest-to", "n.h5", "--k", 2, "--out", "n.csv", ranks=ranks)
            self.assertEqual({"file": "n.h5", "by": "value", "exact": False, "count": 240, "out": "n.csv"}, report["nearest_to"])
            with open(self.path("n.csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            lines = [[row["object"], row["nearest"], -float(row["value"])] for row in rows]
            self.check_nearest(lines, -(unseen @ joining @ left.T), 2, 1e-9)  # distances: the least
            for row in rows:
                self.assertEqual(f"d{self.new_centre[int(row['object'])]}", row["object_label"])
                self.assertEqual(f"c{self.old_centre[int(row['nearest'])]}", row["label"])
        cosines = (unseen @ left.T) / np.linalg.norm(unseen, axis=1)[:, None] / np.linalg.norm(left, axis=1)
        self.check_nearest(self.nearest_lines("--k", 4, "--by-angle", "true", ranks=2), cosines, 4, 1e-12)

    def test_only_an_extension_has_new_objects(self):
        self.approximate("--approximation.method", "nystrom")
        self.extend()
        query = ["query", "r.h5", "--nearest-to"]
        self.refused(3, "r.h5 is no extension of r.h5; make it with cairn extend r.h5", *query, "r.h5")
        self.json("approximate", "--data.path", "old.npy", "--similarity.kind", "rbf", "--similarity.gamma", 0.2,
                  "--landmarks.count", 40, "--run.seed", 9, "--output.path", "q.h5")
        self.cairn("extend", "q.h5", "--data.path", "new.npy", "--output.path", "o.h5")
        self.refused(3, "o.h5 is no extension of r.h5", *query, "o.h5")
        self.refused(3, "missing.h5", *query, "missing.h5")
        self.refused(2, "--out holds one of", *query, "n.h5", "--row", 1, "--out", "x.csv")
        self.refused(2, "--k has no effect without --nearest or --nearest-to", "query", "r.h5", "--row", 1, "--k", 3)
        self.refused(2, "--approximate has no effect", *query, "n.h5", "--approximate", "true")


class TextsOfWordsTest(CairnTest):
    """Rows of texts are means of rows of words: questions of TREC."""

    def words(self, *more, output):
        return ["approximate", "--data.kind", "corpus", "--data.path", QUESTIONS, "--data.text", 2, "--data.minimum-count", 3,
                "--data.window", 5, "--approximation.method", "gbu", "--approximation.dimension", 20, "--evaluation.pairs", 2000,
                *more, "--output.path", output]

    def test_a_model_of_texts_goes_with_other_texts_of_the_same_words(self):
        self.cairn(*self.words("--landmarks.count", 60, output="w.h5"))
        with gzip.open(QUESTIONS, "rt", encoding="utf-8") as file:
            lines = file.readlines()
        self.write("old.tsv", "".join(lines[:200]))
        self.write("new.tsv", "".join(lines[200:]))
        for data in ("old", "new"):
            self.cairn("extend", "w.h5", "--data.path", f"{data}.tsv", "--data.text", 2, "--data.label", 1, "--output.path", f"{data}.h5")
        with h5py.File(self.path("old.h5")) as old, h5py.File(self.path("new.h5")) as new:
            rows, other = new["left"][:], old["left"][:]
            self.assertEqual("identity", new["joining"].attrs["layout"])
        for task in (["--task", "svm", "--cost", 1], ["--task", "krr", "--targets", self.write("y.csv", "y\n" + "".join(f"{k % 7}\n" for k in range(len(other)))), "--lambda", 0.1]):
            self.cairn("train", "old.h5", *task, "--output.path", "m.h5")
            for ranks in (1, 3):
                self.cairn("predict", "m.h5", "--result", "new.h5", "--out", "p.csv", ranks=ranks)
                with open(self.path("p.csv"), encoding="utf-8") as file:
                    predicted = list(csv.DictReader(file))
                with h5py.File(self.path("m.h5")) as file:
                    model = file["model/0"] if "model/0" in file else file
                    expected = rows @ np.reshape(model["coefficients"][:], (rows.shape[1], -1)) + model["intercepts"][:]
                names = [name for name in predicted[0] if name.startswith("score ")] or ["y"]
                np.testing.assert_allclose([[float(line[name]) for name in names] for line in predicted], expected, rtol=1e-9, atol=1e-9)
            self.cairn("predict", "m.h5", "--out", "p.csv")  # the rows of its training
            # Of other words, or the same with other vectors: another base.
            self.cairn(*self.words("--landmarks.count", 50, output="v.h5"))
            self.cairn("extend", "v.h5", "--data.path", "new.tsv", "--data.text", 2, "--output.path", "o.h5")
            self.refused(3, r"o.h5: its left factor is not the one that .* was trained on; give \S*old.h5 or an extension of it", "predict", "m.h5",
                         "--result", "o.h5", "--out", "x.csv")
        for ranks in (1, 3):
            self.cairn("query", "old.h5", "--nearest-to", "new.h5", "--k", 2, "--out", "n.csv", ranks=ranks)
            with open(self.path("n.csv"), encoding="utf-8") as file:
                lines = list(csv.DictReader(file))
            values = rows @ other.T
            for line in lines[::2]:
                self.assertAlmostEqual(float(line["value"]), values[int(line["object"])].max(), delta=1e-9)
                self.assertAlmostEqual(float(line["value"]), values[int(line["object"]), int(line["nearest"])], delta=1e-9)
        self.refused(3, "o.h5 is no extension of old.h5; make it with cairn extend w.h5", "query", "old.h5", "--nearest-to", "o.h5")
        self.refused(2, "cannot be extended; extend the result that they extend: w.h5", "extend", "old.h5", "--data.path", "new.tsv",
                     "--data.text", 2, "--output.path", "x.h5")


if __name__ == "__main__":
    unittest.main()
