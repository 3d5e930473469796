"""Classifiers on stored factors: what train and predict say of them, on any number of ranks; and what cannot be learned."""

import csv
import math
import os
import re
import unittest

from cairn_program import CONFIGS, CairnTest, csv_text, points

N = 90
RBF = ["--similarity.kind", "rbf", "--similarity.gamma"]


def label_of(point):
    x, y = point
    return "in, side" if (x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.08 else "left" if x < 0.5 else "right"


class SvmCase(CairnTest):
    def setUp(self):
        super().setUp()
        self.points = points(N, 2)
        self.labels = [label_of(point) for point in self.points]
        self.write_points(self.labels)

    def write_points(self, labels, name="points.csv"):
        quoted = [f'"{label}"' if "," in label else label for label in labels]
        self.write(name, csv_text(self.points, quoted))

    def approximate(self, name="r.h5", gamma=8.0, count=25, *arguments, path="points.csv"):
        self.cairn("approximate", "--data.path", path, "--data.label", "class", *RBF, gamma, "--landmarks.count",
                   count, "--approximation.embedding", "true", "--output.path", name, *arguments)

    def train(self, *arguments, ranks=0, results=("r.h5",), task="svm"):
        output = ["--output.path", "m.h5"] if task == "svm" else []
        return self.json("train", *results, "--task", task, *output, *arguments, ranks=ranks)

    def predicted(self, *arguments, ranks=0):
        report = self.json("predict", "m.h5", "--out", "p.csv", *arguments, ranks=ranks)
        with open(self.path("p.csv"), encoding="utf-8") as file:
            return report, list(csv.DictReader(file))

    def score(self, report, on):
        return next(score for score in report["scores"] if score["on"] == on)


class SvmTest(SvmCase):
    def test_models_and_scores_do_not_depend_on_the_ranks(self):
        self.approximate()
        arguments = ["--cost", "0.1,1,10", "--folds", "4", "--train-fraction", "0.7", "--run.seed", "3"]
        before = None
        for ranks in (0, 2, 4):
            report = self.train(*arguments, ranks=ranks)
            _, rows = self.predicted(ranks=ranks)
            train = self.score(report, "train")
            self.assertEqual(N, train["rows"] + self.score(report, "test")["rows"])
            self.assertEqual(train["rows"], self.score(report, "cross-validation")["rows"])
            self.assertEqual(["in, side", "left", "right"], report["classes"])
            best = max(one["accuracy"] for one in report["candidates"])
            self.assertEqual([0.1, 1.0, 10.0], [one["cost"] for one in report["candidates"]])
            self.assertEqual(next(one["cost"] for one in report["candidates"] if one["accuracy"] == best), report["cost"])
            self.assertEqual(best, self.score(report, "cross-validation")["accuracy"])
            right = sum(row["label"] == row["predicted"] for row in rows)
            both = sum(self.score(report, on)["accuracy"] * self.score(report, on)["rows"] for on in ("train", "test"))
            self.assertAlmostEqual(right, both, delta=1e-6)
            self.assertGreater(right, 0.8 * N)
            for row in rows:
                scores = {name: float(row[f"score {name}"]) for name in report["classes"]}
                self.assertEqual(max(scores, key=scores.get), row["predicted"])
            found = (report["cost"], report["scores"], [row["predicted"] for row in rows])
            before = before or found
            self.assertEqual(before, found)

    def test_one_class_against_one_other(self):
        self.approximate()
        before = None
        for ranks in (0, 3):
            report = self.train("--multiclass", "one-vs-one", "--cost", "1,100", "--folds", "5", "--fold-order", "file", ranks=ranks)
            self.assertEqual(("one-vs-one", "hinge", None, "free"), tuple(report[key] for key in ("multiclass", "loss", "bias", "intercept")))
            _, rows = self.predicted(ranks=ranks)
            right = sum(row["label"] == row["predicted"] for row in rows)
            self.assertAlmostEqual(right, self.score(report, "train")["accuracy"] * N, delta=1e-6)
            self.assertGreater(right, 0.9 * N)
            for row in rows:
                votes = {name: float(row[f"score {name}"]) for name in report["classes"]}
                self.assertEqual(3, sum(votes.values()))
                self.assertEqual(max(votes, key=votes.get), row["predicted"])
            found = (report["cost"], report["scores"], [row["predicted"] for row in rows])
            before = before or found
            self.assertEqual(before, found)
        self.assertRegex(self.cairn("info", "m.h5").out, r"loss, intercept +hinge, free, one class against one other")

    def test_features_of_an_indefinite_matrix_are_noted(self):
        note = r"K~ of i.h5 is indefinite: (\d+) of (\d+) columns of L have a negative sign in it, which the features, rows of L, do not"
        self.approximate()
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", "--similarity.kind", "sigmoid",
                   "--similarity.gamma", 3, "--similarity.coef0", -1, "--landmarks.count", 25, "--approximation.embedding", "true",
                   "--output.path", "i.h5")
        self.write("y.csv", "y\n" + "".join(f"{x!r}\n" for x, _ in self.points))
        for ranks in (0, 3):
            for task in (["svm"], ["svm", "--cost", "1,2", "--folds", 3], ["gp", "--targets", "y.csv"]):
                train = ["--task", *task, "--output.path", "t.h5"]
                said = re.findall(note, " ".join(self.cairn("train", "i.h5", *train, ranks=ranks).out.split()))
                self.assertEqual(1, len(said), task)
                self.assertTrue(0 < int(said[0][0]) < int(said[0][1]))
                self.assertNotIn("indefinite", self.cairn("train", "r.h5", *train, ranks=ranks).out)
        out = self.cairn("train", "r.h5", "i.h5", "--task", "svm", "--cost", "1,2", "--output.path", "t.h5").out
        self.assertEqual(1, len(re.findall(note, " ".join(out.split()))))

    def test_scores_are_those_of_the_confusion_matrix(self):
        self.approximate()
        report = self.train("--cost", "1", "--train-fraction", "0.6")
        for score in report["scores"]:
            size = len(report["labels"])
            matrix = [score["confusion"][size * i:size * (i + 1)] for i in range(size)]
            self.assertEqual(score["rows"], sum(map(sum, matrix)))
            self.assertAlmostEqual(score["accuracy"], sum(matrix[i][i] for i in range(size)) / score["rows"])
            f1 = [2 * matrix[i][i] / (sum(matrix[i]) + sum(row[i] for row in matrix)) for i in range(size)]
            self.assertAlmostEqual(score["macro_f1"], sum(f1) / size)
        self.assertNotIn("cross-validation", [score["on"] for score in report["scores"]])
        validated = self.train("--cost", "1", "--folds", "3")
        self.assertIn("cross-validation", [score["on"] for score in validated["scores"]])

    def test_the_similarity_is_chosen_with_c(self):
        self.approximate("narrow.h5", 8)
        self.approximate("wide.h5", 1e-3)
        for ranks in (0, 3):
            report = self.train("--cost", "0.1,10", results=("wide.h5", "narrow.h5"), ranks=ranks)
            self.assertEqual(4, len(report["candidates"]))
            self.assertTrue(report["result"].endswith("narrow.h5"))
            self.assertEqual("8", report["similarity_parameters"]["gamma"])
        _, rows = self.predicted("--result", "narrow.h5")
        self.assertGreater(sum(row["label"] == row["predicted"] for row in rows), 0.8 * N)
        self.refused(3, "wide.h5: its left factor is not the one that the model was trained on", "predict", "m.h5", "--result",
                     "wide.h5", "--out", "q.csv")

    def test_repeats_have_a_mean_and_a_deviation(self):
        self.approximate()
        report = self.train("--cost", "1", "--train-fraction", "0.5", "--repeats", "4", "--run.seed", "20", ranks=2)
        runs = report["repeats"]["runs"]
        self.assertEqual([20, 21, 22, 23], [run["seed"] for run in runs])
        accuracies = [self.score(run, "test")["accuracy"] for run in runs]
        mean = sum(accuracies) / 4
        deviation = math.sqrt(sum((a - mean) ** 2 for a in accuracies) / 3)
        found = next(one for one in report["repeats"]["means"] if one["on"] == "test")
        self.assertAlmostEqual(mean, found["accuracy_mean"])
        self.assertAlmostEqual(deviation, found["accuracy_deviation"])
        single = self.train("--cost", "1", "--train-fraction", "0.5", "--run.seed", "22")
        self.assertEqual(runs[2]["scores"], single["scores"])

    def test_unseen_objects_have_classes(self):
        self.approximate()
        self.train("--cost", "10")
        self.write_points(["elsewhere" if i == 7 else label for i, label in enumerate(self.labels)], "new.csv")
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.label", "class", "--output.path", "new.h5")
        _, old = self.predicted()
        for ranks in (0, 3):
            report, rows = self.predicted("--result", "new.h5", ranks=ranks)
            self.assertEqual([row["predicted"] for row in old], [row["predicted"] for row in rows])
            self.assertIn("does not know the label 'elsewhere' of 1 rows", report["warnings"][0])
            self.assertEqual(N, report["scores"][0]["rows"])
            right = sum(row["label"] == row["predicted"] for row in rows)
            self.assertAlmostEqual(right / N, report["scores"][0]["accuracy"])
        self.write("rows.txt", "7\n20\n")
        _, rows = self.predicted("--result", "new.h5", "--rows", "rows.txt", ranks=2)
        self.assertEqual(["7", "20"], [row["row"] for row in rows])

    def test_splits_that_were_made_before(self):
        self.approximate()
        uses = ["-" if i % 9 == 0 else "train" if i % 3 else "test" for i in range(N)]
        self.write("split.txt", "".join(f"{use}\n" for use in uses))
        for ranks in (0, 3):
            report = self.train("--cost", "1", "--split", "split.txt", ranks=ranks)
            self.assertEqual(uses.count("train"), self.score(report, "train")["rows"])
            self.assertEqual(uses.count("test"), self.score(report, "test")["rows"])
        self.write("rows.txt", "".join(f"{i}\n" for i in range(N) if i % 3))
        listed = self.train("--cost", "1", "--train-rows", "rows.txt")
        self.assertEqual(sum(1 for i in range(N) if i % 3), listed["training_rows"])

    def test_rows_without_label_and_labels_of_one_split_alone(self):
        labels = ["" if i % 10 == 0 else label for i, label in enumerate(self.labels)]
        test = [i for i in range(N) if i % 4 == 1 and labels[i]]
        for i in test[:3]:
            labels[i] = "late"
        train = [i for i in range(N) if labels[i] and i not in test]
        labels[train[0]] = labels[train[1]] = "early"
        self.write_points(labels)
        self.approximate()
        self.write("split.txt", "".join("test\n" if i in test else "train\n" for i in range(N)))
        report = self.train("--cost", "1", "--split", "split.txt", ranks=2)
        self.assertEqual(labels.count(""), report["unlabelled_rows"])
        self.assertEqual(len(train), report["training_rows"])
        self.assertEqual("late", report["labels"][-1])
        warnings = " ".join(report["warnings"])
        self.assertIn("no row to train on has the label 'late' of 3 tested rows", warnings)
        self.assertIn("no tested row has the label 'early' of 2 rows", warnings)
        self.assertEqual(len(test), self.score(report, "test")["rows"])
        matrix = self.train("--cost", "1", "--folds", "3", "--split", "split.txt", ranks=2, task="kernel-svm")
        self.assertEqual(labels.count(""), matrix["unlabelled_rows"])
        self.assertIn("the class 'early' has 2 rows to train on, fewer than the 3 folds", " ".join(matrix["warnings"]))

    def test_info_knows_a_classifier(self):
        self.approximate()
        trained = self.train("--cost", "0.1,1", "--loss", "logistic", "--bias", "0")
        self.assertIn("a model of cairn train, task svm", self.cairn("info", "m.h5").out)
        info = self.json("info", "m.h5", ranks=2)
        for key in ("classes", "labels", "cost", "scores", "candidates", "loss", "bias", "basis_digest"):
            self.assertEqual(trained[key], info[key])
        self.assertEqual("logistic", info["loss"])

    def test_the_lines_of_the_document_predict(self):
        try:
            import h5py  # pylint: disable=unused-import
        except ImportError:
            self.skipTest("needs h5py")
        self.approximate("result.h5")
        self.cairn("train", "result.h5", "--task", "svm", "--cost", "1", "--output.path", "m.h5")
        _, rows = self.predicted()
        document = os.path.join(CONFIGS, "..", "docs", "file-format.md")
        with open(document, encoding="utf-8") as file:
            code = next(block for block in re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
                        if "argmax" in block)
        variables = {}
        exec(code.replace("model.h5", self.path("m.h5")).replace("result.h5", self.path("result.h5")), variables)
        self.assertEqual([row["predicted"] for row in rows], list(variables["predicted"]))

    def test_the_matrix_itself(self):
        self.approximate()
        self.approximate("flat.h5", 1e-4)
        before = None
        for ranks in (0, 2, 3):
            report = self.train("--cost", "1,100", "--train-fraction", "0.7", "--folds", "3", ranks=ranks,
                                results=("flat.h5", "r.h5"), task="kernel-svm")
            self.assertEqual(2 * N * N, report["evaluations"] + report["evaluations_saved"])
            trained, tested = (self.score(report, on)["rows"] for on in ("train", "test"))
            self.assertEqual(0, (report["evaluations"] - 2 * trained ** 2) % tested)
            self.assertGreaterEqual(report["evaluations"], 2 * trained ** 2 + tested * report["support_vectors"])
            self.assertEqual("r.h5", report["result"])
            self.assertGreater(self.score(report, "test")["accuracy"], 0.8)
            before = before or report["scores"]
            self.assertEqual(before, report["scores"])
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", *RBF, 3, "--approximation.method", "optimal",
                   "--approximation.rank", 5, "--output.distances", "true", "--output.path", "all.h5")
        reused = self.train("--cost", "1,100", "--train-fraction", "0.7", "--folds", "3", "--similarity.reuse", "all.h5", ranks=3,
                            results=("flat.h5", "r.h5"), task="kernel-svm")
        self.assertEqual(0, reused["evaluations"])
        self.assertEqual(before, reused["scores"])
        for ranks in (1, 2):
            self.refused(5, "K of 90 rows takes .* of run.memory left. Choose fewer rows", "train", "r.h5", "--task",
                         "kernel-svm", "--run.memory", "1MB", ranks=[ranks])


class BadClassifiers(SvmCase):
    base = ["train", "r.h5", "--task", "svm", "--output.path", "n.h5"]

    def test_options(self):
        self.approximate()
        exact = ["train", "r.h5", "--task", "kernel-svm"]
        for pattern, *arguments in [
                ("--cost 0: each must be a number above 0", *self.base, "--cost", "0"),
                ("--cost 1,x: each", *self.base, "--cost", "1,x"),
                ("--cost 1,2,1: a number is a duplicate", *self.base, "--cost", "1,2,1"),
                ("--lambda has no effect with --task svm", *self.base, "--lambda", "1"),
                ("--targets has no effect with --task svm", *self.base, "--targets", "points.csv"),
                ("--cost has no effect with --task krr", "train", "r.h5", "--cost", "1", "--output.path", "n.h5"),
                ("--data.path has no effect with --task svm", *self.base, "--data.path", "points.csv"),
                ("--output.path has no effect with --task kernel-svm", *exact, "--output.path", "n.h5"),
                ("--loss has no effect with --task kernel-svm", *exact, "--loss", "hinge"),
                ("--run.seed has no effect without", *self.base, "--cost", "1", "--run.seed", "3"),
                ("--repeats has no effect without", *self.base, "--cost", "1", "--repeats", "3"),
                ("--train-fraction and --split exclude", *self.base, "--train-fraction", "0.5", "--split", "points.csv"),
                ("tolerance must be above 0", *self.base, "--tolerance", "0"),
                ("folds = 1 is below 2", *self.base, "--folds", "1"),
                ("--folds = 91 is more than the 90 rows to train on", *self.base, "--cost", "1", "--folds", "91"),
                ("--folds = 91 is more than the 90 rows to train on", *exact, "--cost", "1", "--folds", "91", "--fold-order", "file"),
                ("loss = square is not known", *self.base, "--loss", "square"),
                ("--loss has no effect with --multiclass one-vs-one", *self.base, "--multiclass", "one-vs-one", "--loss", "logistic"),
                ("--bias has no effect with --multiclass one-vs-one", *self.base, "--multiclass", "one-vs-one", "--bias", "2"),
                ("--fold-order has no effect without cross-validation", *self.base, "--cost", "1", "--fold-order", "file"),
                ("--run.seed has no effect without", *self.base, "--fold-order", "file", "--run.seed", "3"),
                ("output.path is missing", "train", "r.h5", "--task", "svm")]:
            self.refused(2, pattern, *arguments, ranks=[1])

    def test_classes(self):
        self.write_points(["one"] * N)
        self.approximate()
        self.refused(3, "all 90 rows to train on have the label 'one'", *self.base)
        self.refused(3, "all rows to train on have the label 'one'", "train", "r.h5", "--task", "kernel-svm")
        self.write_points(["rare" if i == 41 else self.labels[i] for i in range(N)])
        self.approximate()
        self.refused(3, "the class 'rare' has one row to train on, row 41", *self.base)
        self.refused(3, "the class 'rare' has one row to train on, row 41", "train", "r.h5", "--task", "kernel-svm")
        self.assertIn("rare", self.train("--cost", "1", ranks=2)["classes"])
        self.write_points(["rare" if i in (41, 50) else self.labels[i] for i in range(N)])
        self.approximate()
        report = self.train("--cost", "0.1,1")
        self.assertIn("the class 'rare' has 2 rows to train on, fewer than the 5 folds", report["warnings"][0])
        self.write("none.csv", csv_text(self.points))
        self.cairn("approximate", "--data.path", "none.csv", *RBF, "1", "--landmarks.count", "5", "--output.path", "u.h5")
        self.refused(3, "u.h5 has no labels to learn", "train", "u.h5", "--task", "svm", "--output.path", "n.h5")
        self.write_points(self.labels)
        self.approximate("other.h5")
        self.refused(3, "r.h5 and other.h5 have different labels", "train", "r.h5", "other.h5", "--task", "svm",
                     "--output.path", "n.h5")

    def test_splits(self):
        self.approximate()
        lines = ["train\n"] * N
        for pattern, text in [
                ("split.txt has lines for 89 rows, but there are 90", "".join(lines[1:])),
                ("split.txt:91: there are only 90 rows; this line is too many", "".join(lines) + "test\n"),
                ("split.txt:3: 'dev' is neither train nor test", "".join(lines[:2]) + "dev\n" + "".join(lines[3:])),
                ("split.txt:90: '' is neither", "".join(lines[:-1]) + "\n"),
                ("no labelled row to train on", "test\n" * N)]:
            self.write("split.txt", text)
            self.refused(3, pattern, *self.base, "--split", "split.txt")

    def test_memory(self):
        self.approximate()
        for ranks in (1, 3):
            self.refused(5, "LIBLINEAR takes the features of all rows to train on: .* of run.memory left", *self.base,
                         "--run.memory", "1MB", ranks=[ranks])

    def test_ranks_wait_for_the_one_that_trains(self):
        self.points = points(8000, 2)
        self.write_points([f"{i * i % 7 < 3}" for i in range(8000)])
        self.approximate("r.h5", 8, 100, "--evaluation.pairs", "0")  # some 4 s of training on one rank
        report = self.json("train", "r.h5", "--task", "svm", "--output.path", "m.h5", "--loss", "hinge", "--cost", "1e7", "--tolerance",
                           "1e-12", "--run.stall-timeout", "1", ranks=2)
        self.assertIn("training stopped after its largest number of iterations", " ".join(report["warnings"]))

    def test_splits_without_rows_to_train_on(self):
        self.write("splits.tsv", "".join(f"{label}\t{'one' if i < 40 else 'two'}\tw{i % 7} w{i % 5}\n"
                                         for i, label in enumerate(self.labels)))
        self.write("vectors.txt", "".join(f"w{k} {k}.5 {k * k}\n" for k in range(7)))
        self.cairn("approximate", "--data.kind", "documents", "--data.path", "splits.tsv", "--data.label", 1, "--data.split", 2,
                   "--data.text", 3, "--data.vectors", "vectors.txt", "--similarity.kind", "wmd", "--landmarks.count", 9, "--output.path", "d.h5")
        self.refused(3, "no row is of the split 'train'", "train", "d.h5", "--task", "svm", "--output.path", "m.h5")

    def test_rows_of_other_splits_are_told(self):
        splits = ["train" if i < 50 else "dev" if i < 57 else "test" for i in range(N)]
        self.write("splits.tsv", "".join(f"{label}\t{split}\tw{i % 7} w{i % 5}\n"
                                         for i, (label, split) in enumerate(zip(self.labels, splits))))
        self.write("vectors.txt", "".join(f"w{k} {k}.5 {k * k}\n" for k in range(7)))
        self.cairn("approximate", "--data.kind", "documents", "--data.path", "splits.tsv", "--data.label", 1, "--data.split", 2,
                   "--data.text", 3, "--data.vectors", "vectors.txt", "--similarity.kind", "wmd", "--landmarks.count", 9, "--output.path", "d.h5")
        told = "7 rows belong to splits other than train and test, such as 'dev': they are neither trained on nor tested"
        for task, more in (("svm", ["--output.path", "m.h5"]), ("kernel-svm", [])):
            report = self.json("train", "d.h5", "--task", task, "--cost", 1, *more, ranks=3)
            self.assertIn(told, report["warnings"])
            self.assertEqual(splits.count("test"), self.score(report, "test")["rows"])
        self.write("y.csv", "y\n" + "".join(f"{i}\n" for i in range(N)))
        ridge = self.json("train", "d.h5", "d.h5", "--task", "krr", "--lambda", 1, "--targets", "y.csv", "--output.path", "k.h5", ranks=2)
        self.assertEqual([[told], []], [model["warnings"] for model in ridge["models"]])
        self.assertEqual([], self.json("train", "d.h5", "--task", "svm", "--cost", 1, "--train-fraction", 0.8, "--output.path",
                                       "m.h5")["warnings"])

    def test_labels_that_are_no_classes_are_not_compared_with(self):
        self.approximate()
        self.train("--cost", "1")
        self.write("new.csv", "x0,x1,class\n" + "".join(f"{i % 7},{i % 5},name{i}\n" for i in range(1100)))
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.label", "class", "--output.path", "e.h5")
        report = self.json("predict", "m.h5", "--result", "e.h5", "--out", "p.csv", ranks=2)
        self.assertIn("more than 1000 different labels", report["warnings"][0])
        self.assertEqual([], report["scores"])
        with open(self.path("p.csv"), encoding="utf-8") as file:
            self.assertEqual(1101, len(file.readlines()))

    def test_models(self):
        self.approximate()
        self.train("--cost", "1")
        self.refused(2, "--result is given 2 times, and the file has one model", "predict", "m.h5", "--result", "r.h5",
                     "--result", "r.h5", "--out", "q.csv")
        self.refused(3, "points.csv", "predict", "points.csv", "--out", "q.csv", ranks=[1])


if __name__ == "__main__":
    unittest.main()
