"""Gaussian processes on stored factors, against systems that Python solves by itself; what cannot be learned; and real
data."""

import csv
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest, csv_text, points  # noqa: E402
from train_test import solve  # noqa: E402

N = 60
RBF = ["--similarity.kind", "rbf", "--similarity.gamma"]
SHIPPED = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "data")
DATA = os.environ.get("CAIRN_DATA")


def noise(i):
    """Deviates that need no random numbers: of mean 0 and standard deviation .1, about."""
    return 0.1 * math.sqrt(3) * (2 * (i * 7919 % 1009) / 1009 - 1)


def covariance(process, distance):
    """Of the function at two rows, by the parameters of a report."""
    t = math.sqrt(5) * distance / process["length"]
    return process["sigma"] ** 2 * (1 + t + t * t / 3) * math.exp(-t)


class ProcessCase(CairnTest):
    def setUp(self):
        super().setUp()
        self.points = points(N, 2)
        self.target = [50 + 10 * (math.sin(5 * x) + y * y + noise(i)) for i, (x, y) in enumerate(self.points)]
        self.other = [1 - x * y for x, y in self.points]
        self.labels = [f"p{(7 * i) % N}" for i in range(N)]
        self.write("points.csv", csv_text(self.points, self.labels))
        self.write("y.csv", "name,y,z\n" + "".join(
            f"{name},{y!r},{z!r}\n" for name, y, z in zip(self.labels, self.target, self.other)))

    # Rows of an embedding: K~ holds their products.
    def approximate(self, name="r.h5", *arguments, gamma=2.0, count=20):
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", *RBF, gamma,
                   "--landmarks.count", count, "--approximation.embedding", "true", "--approximation.tolerance", "1e-6",
                   "--output.path", name, *arguments)

    def train(self, *arguments, ranks=0, result="r.h5"):
        return self.json("train", result, "--task", "gp", "--output.path", "m.h5", *arguments, ranks=ranks)

    def predicted(self, *arguments, ranks=0):
        report = self.json("predict", "m.h5", "--out", "p.csv", *arguments, ranks=ranks)
        with open(self.path("p.csv"), encoding="utf-8") as file:
            return report, list(csv.DictReader(file))

    def score(self, report, on, target="y"):
        return next(score for score in report["scores"] if (score["on"], score["target"]) == (on, target))

    def distances(self, name="r.h5"):
        """Between rows of L, from their products."""
        entries = self.json("query", name, *[word for i in range(N) for j in range(i + 1)
                                             for word in ("--entry", f"{i},{j}")])["entries"]
        product = {(entry["row"], entry["column"]): entry["value"] for entry in entries}
        return [[math.sqrt(max(0.0, product[i, i] + product[j, j] - 2 * product[max(i, j), min(i, j)]))
                 for j in range(N)] for i in range(N)]

    def system(self, distances, rows, process):
        return [[covariance(process, distances[i][j]) + (process["noise"] ** 2 if i == j else 0.0) for j in rows]
                for i in rows]

    def weights(self, distances, rows, process, target):
        return solve(self.system(distances, rows, process), [target[i] - process["mean"] for i in rows])

    def reference(self, distances, rows, process, target):
        """Mean and standard deviation at every row, by the report's parameters."""
        system = self.system(distances, rows, process)
        weights = self.weights(distances, rows, process, target)
        found = []
        for i in range(N):
            across = [covariance(process, distances[i][j]) for j in rows]
            variance = process["sigma"] ** 2 + process["noise"] ** 2
            variance -= sum(a * s for a, s in zip(across, solve(system, across)))
            found.append((process["mean"] + sum(a * w for a, w in zip(across, weights)), math.sqrt(variance)))
        return found

    def without_times(self, report):
        """What does not differ from run to run."""
        names = ("n", "training_rows", "held_out_rows", "columns", "targets", "processes", "scores", "warnings", "fits")
        return {name: report[name] for name in names}

    def assert_alike(self, a, b, where=""):
        if isinstance(a, dict):
            self.assertEqual(a.keys(), b.keys(), where)
            for key in a:
                self.assert_alike(a[key], b[key], f"{where}.{key}")
        elif isinstance(a, list):
            self.assertEqual(len(a), len(b), where)
            for i, (one, other) in enumerate(zip(a, b)):
                self.assert_alike(one, other, f"{where}[{i}]")
        elif isinstance(a, float):
            # Where nothing is left to chance, densities magnify what rounding leaves.
            self.assertAlmostEqual(a, b, delta=(1e-6 if where.endswith("log_score") else 1e-9) * (1 + abs(a)), msg=where)
        else:
            self.assertEqual(a, b, where)


class ProcessTest(ProcessCase):
    def test_predictions_are_those_of_the_dense_system(self):
        self.approximate()
        distances = self.distances()
        rows = [i for i in range(N) if i % 3]
        held = [i for i in range(N) if i % 3 == 0]
        self.write("rows.txt", "".join(f"{i}\n" for i in reversed(rows)))
        before = None
        for ranks in (0, 2, 3, 4):
            report = self.train("--targets", "y.csv:y,z", "--train-rows", "rows.txt", ranks=ranks)
            before = before or self.without_times(report)
            self.assert_alike(before, self.without_times(report))
            self.assertEqual((N, 40, 20, ["y", "z"]), (report["n"], report["training_rows"], report["held_out_rows"],
                                                       report["targets"]))
            told, found = self.predicted(ranks=ranks)
            self.assertEqual(N, told["rows"])
            for process, target in zip(report["processes"], (self.target, self.other)):
                name = process["target"]
                mean = sum(target[i] for i in rows) / len(rows)
                self.assertAlmostEqual(mean, process["mean"], delta=1e-10 * mean)
                expected = self.reference(distances, rows, process, target)
                for (mean, deviation), row in zip(expected, found):
                    self.assertAlmostEqual(mean, float(row[name]), delta=1e-5 * process["scale"])
                    self.assertAlmostEqual(deviation, float(row[f"sd {name}"]), delta=1e-5 * process["scale"])
                score = self.score(report, "held-out", name)
                missed = [abs(expected[i][0] - target[i]) for i in held]
                near = 1e-4 * process["scale"]
                self.assertAlmostEqual(sum(missed) / len(held), score["mean_absolute_error"], delta=near)
                widths = [2 * 1.959963984540054 * expected[i][1] for i in held]
                self.assertAlmostEqual(sum(widths) / len(held), score["mean_interval_width"], delta=near)
                inside = sum(2 * m <= w for m, w in zip(missed, widths))
                self.assertAlmostEqual(inside / len(held), score["interval_coverage"], delta=1e-9)
        self.assertEqual([str(i) for i in range(N)], [row["row"] for row in found])
        self.assertEqual(self.labels, [row["label"] for row in found])
        # The noise that was added, in the target's units: 40 rows tell it to some tenth.
        self.assertAlmostEqual(1.0, report["processes"][0]["noise"], delta=0.4)
        self.assertGreater(self.score(report, "held-out")["r_squared"], 0.9)
        self.assertEqual([4, 4], [len(fit["starts"]) for fit in report["fits"]])

    def test_leave_one_out_is_scored_without_rows_held_out(self):
        self.approximate()
        report = self.train("--targets", "y.csv:y", ranks=2)
        self.assertEqual(["train", "leave-one-out"], [score["on"] for score in report["scores"]])
        self.assertRegex(" ".join(report["warnings"]),
                         "no row is held out, so .*--train-fraction, --train-rows or --split")
        distances, process = self.distances(), report["processes"][0]
        missed = []
        for i in range(N):
            rows = [j for j in range(N) if j != i]
            weights = self.weights(distances, rows, process, self.target)
            mean = process["mean"] + sum(w * covariance(process, distances[i][j]) for j, w in zip(rows, weights))
            missed.append(abs(mean - self.target[i]))
        self.assertAlmostEqual(sum(missed) / N, self.score(report, "leave-one-out")["mean_absolute_error"], delta=1e-4)
        self.assertGreater(self.score(report, "leave-one-out")["r_squared"], 0.9)
        self.assertGreater(self.score(report, "train")["r_squared"], self.score(report, "leave-one-out")["r_squared"])

    def test_unseen_objects_have_means_and_deviations(self):
        self.approximate()
        self.train("--targets", "y.csv", "--targets-key", "name", "--train-fraction", "0.6", "--run.seed", "4", ranks=3)
        _, old = self.predicted()
        self.cairn("extend", "r.h5", "--data.path", "points.csv", "--data.label", "class", "--output.path", "new.h5")
        self.write("rows.txt", "3\n17\n59\n")
        for ranks in (0, 2):
            _, new = self.predicted("--result", "new.h5", "--rows", "rows.txt", ranks=ranks)
            self.assertEqual(["3", "17", "59"], [row["row"] for row in new])
            for row in new:
                for name in ("y", "sd y", "z", "sd z"):
                    self.assertAlmostEqual(float(old[int(row["row"])][name]), float(row[name]), delta=1e-6)
        self.approximate("other.h5", gamma=0.5)
        self.refused(3, "other.h5: its left factor is not the one that the model was trained on", "predict", "m.h5", "--result",
                     "other.h5", "--out", "q.csv")
        self.refused(2, "--result is given 2 times, and the file has one model", "predict", "m.h5", "--result", "r.h5",
                     "--result", "r.h5", "--out", "q.csv", ranks=[1])
        self.refused(2, "--out and the result of a model name the same file", "predict", "m.h5", "--out", "r.h5", "--overwrite", "true")

    def test_info_says_what_training_said(self):
        self.approximate()
        report = self.train("--targets", "y.csv:y", "--train-fraction", "0.7")
        stored = self.json("info", "m.h5", ranks=2)
        self.assertEqual("gp", stored["task"])
        for name in ("processes", "scores", "warnings", "targets", "training_rows", "columns", "basis_digest"):
            self.assertEqual(report[name], stored[name])
        out = self.cairn("info", "m.h5").out
        self.assertIn("a model of cairn train, task gp", out)
        for label in ("sigma", "length l", "noise", "log marginal likelihood", "inside 95 % intervals"):
            self.assertIn(label, out)
        self.assertIn("no damage was found", self.cairn("info", "m.h5", "--verify", "true").out)

    def test_splits_and_labels_of_the_data(self):
        texts = [f"{y!r}\t{'train' if i % 4 else 'test'}\t{' '.join(f'w{(i * k) % 11}' for k in range(1, 5))}\n"
                 for i, y in enumerate(self.target)]
        self.write("texts.tsv", "".join(texts))
        self.write("scorer.py", "\n".join([
            "import json, sys", "for line in sys.stdin:", "    for first, second in json.loads(line):",
            "        a, b = set(first.split()), set(second.split())", "        print(len(a & b) / len(a | b))",
            "    print(flush=True)"]))
        self.cairn("approximate", "--data.kind", "documents", "--data.path", "texts.tsv", "--data.label", 1,
                   "--data.split", 2, "--data.text", 3, "--similarity.kind", "external", "--similarity.command",
                   "python3 scorer.py", "--landmarks.count", 12, "--output.path", "d.h5")
        report = self.train(ranks=2, result="d.h5")
        self.assertEqual((45, 15, ["label"]), (report["training_rows"], report["held_out_rows"], report["targets"]))

    def test_equal_rows(self):
        self.points = [self.points[i % 20] for i in range(N)]
        self.write("points.csv", csv_text(self.points, self.labels))
        self.approximate(count=10)
        report = self.train("--targets", "y.csv:y", "--train-fraction", "0.8", ranks=2)
        self.assertTrue(math.isfinite(report["processes"][0]["log_marginal_likelihood"]))
        self.assertGreater(report["processes"][0]["noise"], 0)
        _, rows = self.predicted()
        for i in range(20):
            self.assertAlmostEqual(float(rows[i]["y"]), float(rows[i + 20]["y"]), delta=1e-6)


class BadProcesses(ProcessCase):
    base = ["train", "r.h5", "--task", "gp", "--output.path", "n.h5"]

    def test_options(self):
        self.approximate()
        known = [*self.base, "--targets", "y.csv:y"]
        for pattern, *arguments in [
                ("exclude each other", *known, "--train-fraction", "0.5", "--train-rows", "y.csv"),
                ("--targets-key has no effect without --targets", *self.base, "--targets-key", "a"),
                ("--lambda has no effect with --task gp", *known, "--lambda", "1"),
                ("--run.seed has no effect without --train-fraction", *known, "--run.seed", "3", "--likelihood", "exact"),
                ("--neighbors has no effect without --likelihood vecchia", *known, "--neighbors", "10"),
                ("--smoothness has no effect without --likelihood vecchia", *known, "--smoothness", "1/2", "--likelihood", "exact"),
                ("--data.path has no effect with --likelihood exact", *known, "--data.path", "points.csv", "--likelihood", "exact"),
                ("--data.path has no effect with --features factors", *known, "--data.path", "points.csv", "--likelihood", "vecchia",
                 "--features", "factors"),
                ("--neighbors = 0 is below 1", *known, "--likelihood", "vecchia", "--neighbors", "0"),
                ("the task gp takes one result, not 2", "train", "r.h5", "r.h5", *self.base[2:]),
                ("output.path is missing", "train", "r.h5", "--task", "gp", "--targets", "y.csv:y")]:
            self.refused(2, pattern, *arguments, ranks=[1])

    def test_targets_and_rows(self):
        self.approximate()
        known = [*self.base, "--targets", "y.csv:y"]
        self.write("constant.csv", "y\n" + "0.3\n" * N)
        self.refused(3, "the target y is 0.3 in all 60 training rows: there is nothing to learn", *self.base,
                     "--targets", "constant.csv")
        self.write("one.txt", "17\n")
        self.refused(3, "there is one row to train on, row 17", *known, "--train-rows", "one.txt")
        self.write("none.txt", "test\n" * N)
        self.refused(3, "there is no row to train on", *known, "--split", "none.txt")
        self.refused(3, "the label 'p0' of row 0 is no finite number; give --targets", *self.base)
        self.refused(5, "a Gaussian process of 60 training rows takes .*; a rank has .* of run.memory left", *known,
                     "--run.memory", "1MB")

    def test_too_many_rows(self):
        count = 10_001
        self.write("points.csv", "x0,class\n" + "".join(f"{i / count!r},{i % 7}\n" for i in range(count)))
        self.approximate(count=3)
        self.refused(5, "takes at most 10,000 of them, not 10,001: .* vecchia", *self.base, "--likelihood", "exact")
        report = self.train("--neighbors", 5, "--likelihood", "vecchia", ranks=2)
        self.assertEqual(("vecchia", 10_001), (report["likelihood"], report["training_rows"]))
        self.assertEqual("vecchia", self.train(ranks=2)["likelihood"])
        self.write("few.txt", "".join(f"{i}\n" for i in range(0, 10_000, 200)))
        self.assertEqual(50, self.train("--train-rows", "few.txt", ranks=2)["training_rows"])


class VecchiaTest(ProcessCase):
    """Few rows, so that each is conditioned on all others: what follows is that of dense systems."""

    VECCHIA = ["--likelihood", "vecchia", "--neighbors", N]

    def dense(self, process, center, rows, smoothness="5/2"):
        """Mean and standard deviation at every point, from the training rows, by the report's parameters."""
        form = {"5/2": lambda r: (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r), "1/2": lambda r: math.exp(-r)}[smoothness]
        def k(i, j):
            r = math.sqrt(sum(((a - b) / length) ** 2 for a, b, length in zip(self.points[i], self.points[j], process["lengths"])))
            return process["sigma"] ** 2 * form(r)
        def mean(i, data):
            return data["constant"] + sum(slope * (x - c) for slope, x, c in zip(process["slopes"], self.points[i], center))
        system = [[k(i, j) + (process["noise"] ** 2 if i == j else 0) for j in rows] for i in rows]
        return k, mean, system

    def vecchia(self, *arguments, ranks=0):
        return self.train("--targets", "y.csv:y", *self.VECCHIA, *arguments, ranks=ranks)

    def of_points(self, *arguments, ranks=0, path="points.csv"):
        report = self.json("predict", "m.h5", "--data.path", path, "--data.label", "class", "--out", "p.csv", *arguments, ranks=ranks)
        with open(self.path("p.csv"), encoding="utf-8") as file:
            return report, list(csv.DictReader(file))

    def test_predictions_are_those_of_the_dense_system(self):
        self.approximate()
        rows = [i for i in range(N) if i % 3]
        self.write("rows.txt", "".join(f"{i}\n" for i in rows))
        for smoothness in ("5/2", "1/2"):
            report = self.vecchia("--train-rows", "rows.txt", "--smoothness", smoothness, "--mean", "constant", ranks=2)
            process = report["processes"][0]
            k, _, system = self.dense(process, None, rows, smoothness)
            ones = solve(system, [1.0] * len(rows))
            targets = [self.target[i] for i in rows]
            constant = sum(w * y for w, y in zip(ones, targets)) / sum(ones)      # of the largest likelihood
            weights = solve(system, [y - constant for y in targets])
            for ranks in (0, 3):
                _, found = self.of_points(ranks=ranks)
                for i in range(N):
                    across = [k(i, j) for j in rows]
                    variance = process["sigma"] ** 2 + process["noise"] ** 2 - sum(a * s for a, s in zip(across, solve(system, across)))
                    self.assertAlmostEqual(constant + sum(a * w for a, w in zip(across, weights)), float(found[i]["y"]), delta=1e-3)
                    self.assertAlmostEqual(math.sqrt(variance), float(found[i]["sd y"]), delta=1e-6)
        held = self.score(report, "held-out")
        self.assertEqual(20, held["rows"])
        scale, missed = report["processes"][0]["scale"], [(self.target[i] - float(found[i]["y"])) for i in range(0, N, 3)]
        z = [e / float(found[i]["sd y"]) for e, i in zip(missed, range(0, N, 3))]
        densities = [-0.5 * math.log(2 * math.pi) - math.log(float(found[i]["sd y"]) / scale) - x * x / 2 for x, i in zip(z, range(0, N, 3))]
        self.assertAlmostEqual(sum(densities) / 20, held["log_score"], delta=1e-9)
        ranked = [float(found[i]["sd y"]) * (x * math.erf(x / math.sqrt(2)) + 2 * math.exp(-x * x / 2) / math.sqrt(2 * math.pi) - 1 / math.sqrt(math.pi))
                  for x, i in zip(z, range(0, N, 3))]
        self.assertAlmostEqual(sum(ranked) / 20, held["crps"], delta=1e-9)

    def test_ranks_and_precisions_agree(self):
        self.approximate()
        reports = [self.train("--targets", "y.csv:y,z", "--train-fraction", "0.8", "--likelihood", "vecchia", "--neighbors", 8, "--run.seed", 3,
                              ranks=ranks) for ranks in (0, 2, 3, 4)]
        names = ("n", "training_rows", "held_out_rows", "columns", "targets", "processes", "scores", "warnings", "fits")
        for report in reports[1:]:
            self.assert_alike({name: reports[0][name] for name in names}, {name: report[name] for name in names})

    def test_info_says_what_training_said_and_predict_needs_the_file_alone(self):
        self.approximate()
        report = self.vecchia("--train-fraction", "0.8", ranks=2)
        stored = self.json("info", "m.h5", ranks=2)
        for name in ("processes", "scores", "warnings", "targets", "training_rows", "columns", "neighbors", "smoothness", "feature_names"):
            self.assertEqual(report[name], stored[name])
        self.assertEqual(["x0", "x1"], stored["feature_names"])
        out = self.cairn("info", "m.h5").out
        for text in ("Vecchia's", "slope of the mean", "inside 95 % intervals", "log score", "CRPS"):
            self.assertIn(text, out)
        self.assertIn("no damage was found", self.cairn("info", "m.h5", "--verify", "true").out)
        _, before = self.of_points()
        os.remove(self.path("r.h5"))
        os.rename(self.path("points.csv"), self.path("moved.csv"))
        _, after = self.of_points(path="moved.csv", ranks=3)
        for a, b in zip(before, after):
            self.assertAlmostEqual(float(a["y"]), float(b["y"]), delta=1e-9)
        self.write("some.txt", "5\n2\n")
        _, some = self.of_points("--rows", "some.txt", path="moved.csv", ranks=2)
        self.assertEqual([before[2], before[5]], some)

    def test_rows_of_factors_have_one_length(self):
        self.approximate()
        report = self.vecchia("--train-fraction", "0.8", "--features", "factors", ranks=2)
        self.assertEqual(("factors", 1, []), (report["features"], len(report["processes"][0]["lengths"]), report["processes"][0]["slopes"]))
        _, rows = self.predicted(ranks=2)
        self.cairn("extend", "r.h5", "--data.path", "points.csv", "--data.label", "class", "--output.path", "new.h5")
        _, new = self.predicted("--result", "new.h5")
        for a, b in zip(rows, new):
            self.assertAlmostEqual(float(a["y"]), float(b["y"]), delta=1e-4)

    def test_equal_rows_and_constant_columns(self):
        self.points = [(*self.points[i % 20], 4.0) for i in range(N)]
        self.write("points.csv", csv_text(self.points, self.labels))
        self.approximate(count=10)
        report = self.vecchia("--train-fraction", "0.8", ranks=2)
        self.assertIn("the same on all training rows, and therefore without effect there: column x2", report["warnings"])
        self.assertGreater(report["processes"][0]["noise"], 0)
        _, rows = self.of_points()
        self.assertAlmostEqual(float(rows[3]["y"]), float(rows[23]["y"]), delta=1e-6)

    def test_rows_without_targets_are_counted_and_not_trained_on(self):
        self.approximate()
        self.write("gaps.csv", "i,y\n" + "".join(f"{i},{'' if i % 10 == 0 else self.target[i]}\n" for i in range(N)))
        self.assertEqual(54, self.train("--targets", "gaps.csv:y", *self.VECCHIA, ranks=2)["training_rows"])
        out = self.cairn("train", "r.h5", "--task", "gp", "--targets", "gaps.csv:y", *self.VECCHIA, "--output.path", "m2.h5").out
        self.assertIn("54 trained on", out)
        self.assertRegex(out, "note: 6 rows")

    def test_what_cannot_be_learned(self):
        self.approximate()
        known = ["train", "r.h5", "--task", "gp", "--output.path", "n.h5", "--targets", "y.csv:y", *self.VECCHIA]
        self.write("constant.csv", "y\n" + "0.3\n" * N)
        self.refused(3, "the target y is 0.3 in all 60 training rows: there is nothing to learn", *known[:6], "--targets", "constant.csv",
                     *self.VECCHIA)
        self.write("one.txt", "17\n")
        self.refused(3, "there is one row to train on", *known, "--train-rows", "one.txt")
        self.refused(5, "a Gaussian process of 60 training rows with 2 features takes .* run.memory left", *known, "--run.memory", "100kB")
        self.refused(3, "y.csv: data.label = class: there is no such column", *known, "--data.path", "y.csv")
        self.vecchia("--train-fraction", "0.5")
        self.refused(2, "the model m.h5 takes points with 2 coordinates: say which file has them", "predict", "m.h5", "--out", "q.csv")
        self.refused(2, "--result has no effect: the model m.h5 takes points", "predict", "m.h5", "--result", "r.h5", "--out", "q.csv")
        self.write("wide.csv", csv_text([(1.0, 2.0, 3.0)] * 4, ["a"] * 4))
        self.refused(3, "wide.csv", "predict", "m.h5", "--data.path", "wide.csv", "--data.label", "class", "--out", "q.csv")

    def test_more_neighbors_than_rows(self):
        self.approximate()
        self.write("few.txt", "1\n2\n5\n")
        report = self.vecchia("--train-rows", "few.txt", ranks=3)
        self.assertEqual((3, N), (report["training_rows"], report["neighbors"]))
        self.assertEqual(N, len(self.of_points(ranks=2)[1]))


class RealData(ProcessCase):
    def test_classes_of_segments_by_their_numbers(self):
        self.cairn("approximate", "--data.path", os.path.join(SHIPPED, "segment.svm.xz"), "--data.scaling", "standard",
                   *RBF, "0.05", "--landmarks.count", 100, "--approximation.embedding", "true", "--output.path", "s.h5")
        before = None
        for ranks in (0, 3):
            report = self.train("--train-fraction", "0.15", "--run.seed", "1", ranks=ranks, result="s.h5")
            before = before or self.without_times(report)
            self.assert_alike(before, self.without_times(report))
        held = self.score(report, "held-out", "label")
        self.assertEqual(2310, report["training_rows"] + held["rows"])
        self.assertGreater(held["r_squared"], 0.8)
        self.assertGreater(held["interval_coverage"], 0.88)
        self.assertTrue(all(start["converged"] for start in report["fits"][0]["starts"]))

    @unittest.skipUnless(DATA, "set CAIRN_DATA to the folder of further inputs to run it")
    def test_prices_of_houses(self):
        path = os.path.join(DATA, "points", "california-housing.csv.xz")
        columns = "longitude,latitude,housing_median_age,total_rooms,total_bedrooms,population,households,median_income"
        self.cairn("approximate", "--data.path", path, "--data.columns", columns, "--data.label", "median_house_value",
                   "--data.scaling", "standard", *RBF, "0.1", "--landmarks.count", 200, "--approximation.embedding",
                   "true", "--output.path", "h.h5", ranks=2)
        report = self.train("--train-fraction", "0.03", "--run.seed", "2", ranks=2, result="h.h5")
        held = self.score(report, "held-out", "label")
        self.assertEqual(20640, report["training_rows"] + held["rows"])
        self.assertGreater(held["r_squared"], 0.6)
        self.assertGreater(held["interval_coverage"], 0.9)
        self.assertLess(held["interval_coverage"], 0.98)
        left_out = self.score(report, "leave-one-out", "label")
        self.assertAlmostEqual(held["r_squared"], left_out["r_squared"], delta=0.1)
        report = self.train("--train-fraction", "0.8", "--run.seed", "1", ranks=2, result="h.h5")
        held = self.score(report, "held-out", "label")
        self.assertEqual("vecchia", report["likelihood"])
        self.assertGreater(held["r_squared"], 0.8)
        self.assertGreater(held["log_score"], -0.56)
        self.assertAlmostEqual(held["interval_coverage"], 0.95, delta=0.012)


if __name__ == "__main__":
    unittest.main(verbosity=2)
