"""Comments of threads, ranked by a classifier: from a table with groups to the scorer's file, on any number of ranks."""

import csv
import unittest

try:
    import h5py
except ImportError:
    h5py = None

from cairn_program import CairnTest, points

THREADS, COMMENTS = 12, 9
N = THREADS * COMMENTS
FEATURES = ["--data.path", "c.csv", "--data.label", "kind", "--data.split", "set", "--data.group", "thread", "--data.id",
            "comment", "--similarity.kind", "rbf", "--similarity.gamma", 6]


def scores_of(ranked):
    """MAP, AvgRec and MRR of the first ten of each thread, from lists of whether a comment is good, as the scorer of
    SemEval 2016, task 3 sums them up."""
    average_precision = reciprocal = 0.0
    found, most = [0] * 10, [0] * 10
    for goods in ranked:
        precisions, first = [], 0.0
        for place, good in enumerate(goods[:10], 1):
            if good:
                precisions.append((len(precisions) + 1) / place)
                first = first or 1 / place
        average_precision += sum(precisions) / len(precisions) if precisions else 0.0
        reciprocal += first
        for i in range(10):
            found[i] += sum(goods[:i + 1])
            most[i] += min(i + 1, sum(goods))
    return {"map": average_precision / len(ranked), "reciprocal_rank": reciprocal / len(ranked),
            "average_recall": sum(f / m for f, m in zip(found, most)) / 10}


class RankingTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.points = points(N, 3)
        # The first thread of the test set has no good comment.
        self.good = [(x - 0.5) ** 2 + y * z < 0.4 and i // COMMENTS != 8 for i, (x, y, z) in enumerate(self.points)]
        self.split = ["train" if i // COMMENTS < 8 else "test" for i in range(N)]
        lines = ["comment,thread,x,y,z,kind,set"]
        for i, point in enumerate(self.points):
            lines.append(",".join([f"Q{i // COMMENTS}_C{i % COMMENTS}", f"Q{i // COMMENTS}", *map(repr, point),
                                   "Good" if self.good[i] else "Bad", self.split[i]]))
        self.write("c.csv", "\n".join(lines) + "\n")

    def kinds(self):
        return ["Good" if good else "Bad" for good, split in zip(self.good, self.split) if split == "train"]

    def lines_of(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read().splitlines()

    def approximate(self, *arguments, ranks=0):
        return self.json("approximate", *FEATURES, "--approximation.embedding", "true", "--landmarks.count", 20, "--output.path",
                         "r.h5", *arguments, ranks=ranks)

    def train(self, *arguments, task="svm", cost=10, ranks=0):
        output = ["--output.path", "m.h5"] if task == "svm" else []
        return self.json("train", "r.h5", "--task", task, "--cost", cost, *output, *arguments, ranks=ranks)

    def expect_scores(self, ranked, found):
        for name, value in scores_of(ranked).items():
            self.assertAlmostEqual(value, found[name], places=12)

    def threads(self, rows, score=lambda i: 0.0):
        """Whether each comment of each thread is good, by score; equal ones in the thread's order."""
        by_thread = {}
        for i in rows:
            by_thread.setdefault(i // COMMENTS, []).append(i)
        return [[self.good[i] for i in sorted(its, key=lambda i: -score(i))] for its in by_thread.values()]

    def test_from_a_table_to_the_file_of_the_scorer(self):
        self.approximate()
        tested = [i for i in range(N) if self.split[i] == "test"]
        before = None
        for ranks in (0, 2, 3, 4):
            report = self.train("--loss", "hinge", "--passes", 30, ranks=ranks)
            self.assertEqual("Good", report["positive"])
            self.assertEqual(30, report["passes"])
            predicted = self.json("predict", "m.h5", "--out", "p.tsv", "--format", "semeval", ranks=ranks)
            with open(self.path("p.tsv"), encoding="utf-8") as file:
                lines = [line.rstrip("\n").split("\t") for line in file]
            self.assertEqual([[f"Q{i // COMMENTS}", f"Q{i // COMMENTS}_C{i % COMMENTS}", "0"] for i in range(N)],
                             [line[:3] for line in lines])
            score = [float(line[3]) for line in lines]
            self.assertEqual(["true" if s > 0 else "false" for s in score], [line[4] for line in lines])
            test = next(one for one in report["rankings"] if one["on"] == "test")
            self.assertEqual((4, 36), (test["groups"], test["rows"]))
            self.expect_scores(self.threads(tested, lambda i: score[i]), test["by_score"])
            self.expect_scores(self.threads(tested), test["by_order"])
            self.expect_scores(self.threads(range(N), lambda i: score[i]), predicted["rankings"][0]["by_score"])
            hits = sum(self.good[i] and score[i] > 0 for i in tested)
            self.assertAlmostEqual(2 * hits / sum(self.good[i] + (score[i] > 0) for i in tested), test["f1"])
            self.assertAlmostEqual(sum(self.good[i] == (score[i] > 0) for i in tested) / 36, test["accuracy"])
            before = before or (lines, report["rankings"])
            self.assertEqual(before, (lines, report["rankings"]), f"{ranks} ranks")
        self.assertGreater(before[1][1]["by_score"]["map"], before[1][1]["by_order"]["map"])
        told = self.cairn("info", "m.h5").out
        self.assertRegex(told, r"test +score +4 +0\.\d{4} ")
        self.assertRegex(told, r"test +order +4 +0\.\d{4} .* - +-")
        self.assertRegex(self.cairn("info", "r.h5").out, "splits, groups +yes, yes")

    def test_new_comments_are_ranked_too(self):
        self.approximate("--landmarks.split", "train")
        self.train()
        lines = self.lines_of("c.csv")
        self.write("new.csv", "\n".join([lines[0], *lines[-2 * COMMENTS:]]) + "\n")
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.label", "kind", "--data.group", "thread", "--data.split", "set",
                   "--data.id", "comment", "--output.path", "e.h5", ranks=2)
        whole = self.json("predict", "m.h5", "--out", "whole.tsv", "--format", "semeval")
        part = self.json("predict", "m.h5", "--result", "e.h5", "--out", "part.tsv", "--format", "semeval", ranks=2)
        self.assertEqual(2, part["rankings"][0]["groups"])
        self.assertEqual(THREADS, whole["rankings"][0]["groups"])
        with open(self.path("whole.tsv"), encoding="utf-8") as a, open(self.path("part.tsv"), encoding="utf-8") as b:
            for one, other in zip(a.read().splitlines()[-2 * COMMENTS:], b.read().splitlines()):
                one, other = one.split("\t"), other.split("\t")
                self.assertEqual((one[:2], one[4]), (other[:2], other[4]))
                self.assertAlmostEqual(float(one[3]), float(other[3]), places=9)

    def test_landmarks_of_one_split(self):
        for selection in ("uniform", "farthest", "rpcholesky"):
            first = None
            for ranks in (0, 3):
                self.approximate("--landmarks.split", "train", "--landmarks.selection", selection, ranks=ranks)
                landmarks = self.landmarks("r.h5")
                self.assertTrue(all(self.split[i] == "train" for i in landmarks), landmarks)
                first = first or landmarks
                self.assertEqual(first, landmarks)
        self.refused(2, "--landmarks.split has no effect if landmarks.selection is file; it belongs to uniform, farthest, rpcholesky",
                     "approximate", *FEATURES, "--landmarks.selection", "file", "--landmarks.path", "r.h5",
                     "--landmarks.split", "train", "--output.path", "x.h5")
        self.refused(3, "landmarks.split = dev: no object is of this split", "approximate", *FEATURES, "--landmarks.split", "dev",
                     "--landmarks.count", 5, "--output.path", "x.h5")
        self.refused(2, "landmarks.count is 80; it must be between 1 and the number of objects of the split 'train', 72",
                     "approximate", *FEATURES, "--landmarks.split", "train", "--landmarks.count", 80, "--output.path", "x.h5")

    def test_a_second_sample_is_of_the_same_split(self):
        train = {i for i in range(N) if self.split[i] == "train"}
        split = ["--landmarks.split", "train"]
        for method in (["sicur"], ["skeleton"], ["stacur", "--approximation.samples", "different"],
                       ["auto", "--approximation.budget", 40 * N]):
            first = None
            for ranks in (0, 3):
                more = [] if method[0] == "auto" else ["--approximation.s2", 60]
                self.approximate("--approximation.method", *method, *split, *more, ranks=ranks)
                if h5py is None:
                    continue
                with h5py.File(self.path("r.h5")) as file:
                    samples = [list(file[place][:]) for place in ("landmarks/indices", "landmarks/right/indices") if place in file]
                if method[0] != "auto":
                    self.assertEqual([20, 60], [len(sample) for sample in samples])
                self.assertLessEqual({i for sample in samples for i in sample}, train)
                first = first or samples
                self.assertEqual(first, samples)
        for method in (["sicur"], ["skeleton"], ["sms-nystrom"], ["stacur", "--approximation.samples", "different"]):
            self.refused(2, "--approximation.s2 = 73 is more than the number of objects of the split 'train', 72", "approximate", *FEATURES,
                         "--approximation.method", *method, *split, "--landmarks.count", 20, "--approximation.s2", 73, "--output.path",
                         "x.h5")

    def test_the_shift_is_that_of_the_split(self):
        # A kernel that is indefinite; S2 is all of the split, then all of a file that has nothing else.
        indefinite = ["--similarity.kind", "sigmoid", "--similarity.gamma", 2, "--similarity.coef0", -1, "--approximation.method",
                      "sms-nystrom", "--landmarks.count", 10, "--approximation.s2", 72]
        data = FEATURES[:FEATURES.index("--similarity.kind")]
        lines = self.lines_of("c.csv")
        self.write("train.csv", "\n".join(line for i, line in enumerate(lines) if i == 0 or self.split[i - 1] == "train") + "\n")
        shifts = []
        for ranks in (0, 2):
            report = self.json("approximate", *data, *indefinite, "--landmarks.split", "train", "--output.path", "s.h5", ranks=ranks)
            shifts.append(report["shift"])
        alone = self.json("approximate", *[word.replace("c.csv", "train.csv") for word in data], *indefinite, "--output.path", "t.h5")
        every = self.json("approximate", *data, *indefinite, "--output.path", "e.h5")
        for shift in shifts:
            self.assertAlmostEqual(alone["shift"], shift, places=9)
        self.assertGreater(shifts[0], 0)
        self.assertGreater(abs(every["shift"] - shifts[0]), 1e-6)

    def test_cross_validation_keeps_threads_whole_and_chooses_by_map(self):
        self.approximate()
        for task, more in (("svm", ["--tolerance", 1e-4]), ("kernel-svm", [])):
            before = None
            for ranks in (0, 2, 3):
                report = self.train(*more, "--folds", 4, task=task, cost="0.01,1,100", ranks=ranks)
                maps = [one["map"] for one in report["candidates"]]
                self.assertEqual("MAP", report["chosen_by"])
                self.assertEqual(report["cost"], report["candidates"][maps.index(max(maps))]["cost"])
                held_out = report["rankings"][0]
                self.assertEqual(("cross-validation", 8, 72), (held_out["on"], held_out["groups"], held_out["rows"]))
                self.assertEqual(max(maps), held_out["by_score"]["map"])
                before = before or report["candidates"]
                for one, other in zip(before, report["candidates"]):
                    self.assertAlmostEqual(one["map"], other["map"], places=9)
            self.refused(2, "--folds = 9 is more than the 8 groups of rows to train on", "train", "r.h5", "--task", task, "--folds", 9,
                         *(["--output.path", "x.h5"] if task == "svm" else []))
        told = self.cairn("train", "r.h5", "--task", "kernel-svm", "--cost", "0.01,1,100")
        self.assertRegex(told.out, r"chosen by +MAP in 5-fold cross-validation")
        told = self.cairn("train", "r.h5", "--task", "svm", "--cost", "0.01,1,100", "--output.path", "m.h5").out
        self.assertRegex(told, r"the best of 3 candidates by MAP in 5-fold cross-validation")
        self.assertRegex(told, r"result +C +accuracy +macro F1 +MAP")
        self.assertEqual(self.json("info", "m.h5")["candidates"], self.train(cost="0.01,1,100")["candidates"])

    def test_a_fold_tests_whole_threads(self):
        # Comments of a thread are copies of each other, and labels belong to threads: from other threads nothing can be
        # learned, from comments of the same one all.
        lines = self.lines_of("c.csv")
        thread = points(THREADS, 3)
        kinds = ["Good" if i % 2 else "Bad" for i in range(THREADS)]
        rows = [lines[0]]
        for i in range(N):
            rows.append(",".join([f"Q{i}", f"T{i // COMMENTS}", *map(repr, thread[i // COMMENTS]), kinds[i // COMMENTS], "train"]))
        self.write("c.csv", "\n".join(rows) + "\n")
        self.json("approximate", *FEATURES[:-1], 50, "--approximation.embedding", "true", "--landmarks.count", 20, "--output.path", "r.h5")
        whole = self.train("--folds", 4, cost="10")
        self.assertLess(next(s for s in whole["scores"] if s["on"] == "cross-validation")["accuracy"], 0.8)
        self.json("approximate", *["--data.ignore" if w == "--data.group" else w for w in FEATURES[:-1]], 50, "--approximation.embedding", "true",
                  "--landmarks.count", 20, "--output.path", "r.h5")
        apart = self.train("--folds", 4, cost="10")
        self.assertEqual("accuracy", apart["chosen_by"])
        self.assertEqual(1.0, next(s for s in apart["scores"] if s["on"] == "cross-validation")["accuracy"])

    def test_passes_over_similarities_are_warned_of(self):
        self.cairn("approximate", *FEATURES, "--landmarks.count", 20, "--output.path", "r.h5")
        self.assertIn("are similarities with landmarks, C = K S, and no features Z", " ".join(self.train("--passes", 30)["warnings"]))
        self.assertNotIn("similarities with landmarks", " ".join(self.train()["warnings"]))
        self.approximate()
        self.assertNotIn("similarities with landmarks", " ".join(self.train("--passes", 30)["warnings"]))
        self.assertIn("--passes 1 leave the objective of", " ".join(self.train("--passes", 1)["warnings"]))
        self.assertNotIn("objective", " ".join(self.train("--passes", 300)["warnings"]))

    def landmarks(self, name):
        if h5py is None:
            return []
        with h5py.File(self.path(name)) as file:
            self.assertEqual(N, len(file["groups"]))
            return list(file["landmarks/indices"][:])

    def test_the_matrix_itself_ranks_and_counts_its_support_vectors(self):
        self.approximate()
        before = None
        for ranks in (0, 2):
            for more in ([], ["--multiclass", "one-vs-rest"]):
                report = self.train(*more, task="kernel-svm", ranks=ranks)
                self.assertEqual(["train", "test"], [one["on"] for one in report["rankings"]])
                self.assertAlmostEqual(1 - 20 / report["support_vectors"], report["share_saved"])
                before = before or report["rankings"]
                self.assertEqual(before, report["rankings"])
        told = self.cairn("train", "r.h5", "--task", "kernel-svm", "--cost", 10).out
        self.assertRegex(told, r"support vectors +\d+; 20 landmarks save -?\d+\.\d % of the evaluations for a new object")

    def test_balanced_weights_find_more_of_the_few(self):
        self.approximate()
        found, rare = {}, min(("Good", "Bad"), key=lambda label: self.kinds().count(label))
        for task in ("svm", "kernel-svm"):
            for weights in ("none", "balanced"):
                more = ["--multiclass", "one-vs-rest"] if task == "kernel-svm" else []
                report = self.train("--class-weights", weights, "--positive", rare, *more, task=task, cost=0.05, ranks=2)
                self.assertEqual((weights, rare), (report["class_weights"], report["positive"]))
                row = report["labels"].index(rare)
                found[task, weights] = report["scores"][0]["confusion"][row * 2 + row]
            self.assertGreater(found[task, "balanced"], found[task, "none"])

    def test_what_is_refused(self):
        self.approximate()
        train = ["train", "r.h5", "--task", "svm", "--output.path", "x.h5", "--cost", 1]
        kernel = ["train", "r.h5", "--task", "kernel-svm", "--cost", 1]
        self.refused(2, "--passes = 0", *train, "--passes", 0)
        self.refused(2, "--tolerance has no effect with --passes", *train, "--passes", 3, "--tolerance", 1e-3)
        self.refused(2, "--passes is for the losses hinge and squared-hinge", *train, "--passes", 3, "--loss", "logistic")
        self.refused(2, "--passes has no effect with --multiclass one-vs-one", *train, "--passes", 3, "--multiclass", "one-vs-one")
        self.refused(2, "--class-weights balanced is for one class against the rest", *train, "--class-weights", "balanced",
                     "--multiclass", "one-vs-one")
        self.refused(2, "--class-weights balanced is for one class against the rest", *kernel, "--class-weights", "balanced")
        self.refused(3, "--positive = Fair: no row has this label", *train, "--positive", "Fair")
        self.refused(2, "--class-weights", *train, "--class-weights", "even")
        self.write("plain.csv", "\n".join(",".join(line.split(",")[2:6]) for line in self.lines_of("c.csv")))
        self.cairn("approximate", "--data.path", "plain.csv", "--data.label", "kind", "--similarity.kind", "rbf", "--similarity.gamma",
                   6, "--landmarks.count", 20, "--output.path", "plain.h5")
        self.cairn("train", "plain.h5", "--task", "svm", "--cost", 1, "--output.path", "plain-model.h5")
        self.refused(3, "--format = semeval: the rows have no groups", "predict", "plain-model.h5", "--out", "p.tsv", "--format",
                     "semeval")
        self.refused(3, "--data.group = threads: there is no such column|data.group = threads: there is no such column", "approximate",
                     *["threads" if word == "thread" else word for word in FEATURES], "--landmarks.count", 5, "--output.path", "x.h5")
        self.write("y.csv", "y\n" + "".join(f"{i}\n" for i in range(N)))
        self.cairn("train", "r.h5", "--task", "krr", "--lambda", 1, "--targets", "y.csv", "--output.path", "k.h5")
        self.refused(2, "--format = semeval is for ranks of classifiers", "predict", "k.h5", "--out", "p.tsv", "--format", "semeval")
        self.write("c.csv", "\n".join(self.lines_of("c.csv")).replace(",Bad,", ",Good,"))
        self.approximate()
        self.refused(3, "have the label 'Good': there is nothing to learn", *train, "--passes", 3)
        self.refused(3, "have the label 'Good': there is nothing to learn", *kernel, "--multiclass", "one-vs-rest")

    def test_three_labels_have_no_positive_one_unless_it_is_said(self):
        with open(self.path("c.csv"), encoding="utf-8") as file:
            rows = list(csv.reader(file))
        for i, row in enumerate(rows[1:]):
            if i % 5 == 0:
                row[5] = "Fair"
        self.write("c.csv", "\n".join(",".join(row) for row in rows) + "\n")
        self.approximate()
        self.assertEqual([], self.train("--passes", 20)["rankings"])
        # Passes without end are LIBLINEAR's optimum, one class against the rest.
        one = self.train("--passes", 5000, ranks=3)
        self.assertEqual(self.train("--tolerance", 1e-6)["scores"], one["scores"])
        self.assertEqual(3, len(one["classes"]))
        self.assertEqual(2, len(self.train("--passes", 20, "--positive", "Good")["rankings"]))
        self.assertEqual(2, len(self.train("--positive", "Good", "--multiclass", "one-vs-rest", task="kernel-svm")["rankings"]))
        self.train("--passes", 20)
        self.refused(2, "has no positive label; train with --positive", "predict", "m.h5", "--out", "p.tsv", "--format", "semeval")


if __name__ == "__main__":
    unittest.main()
