"""Kernel ridge regression on stored factors, against systems that Python solves by itself; and what cannot be learned."""

import csv
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest, csv_text, points  # noqa: E402

N = 60
RBF = ["--similarity.kind", "rbf", "--similarity.gamma"]


def solve(matrix, right):
    """Gaussian elimination with pivoting."""
    size = len(matrix)
    rows = [list(row) + [b] for row, b in zip(matrix, right)]
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, size):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    x = [0.0] * size
    for k in reversed(range(size)):
        x[k] = (rows[k][size] - sum(rows[k][j] * x[j] for j in range(k + 1, size))) / rows[k][k]
    return x


class TrainCase(CairnTest):
    def setUp(self):
        super().setUp()
        self.points = points(N, 2)
        self.target = [math.sin(3 * x) + y * y for x, y in self.points]
        self.other = [10 - x * y for x, y in self.points]
        self.labels = [f"p{(7 * i) % N}" for i in range(N)]
        self.write("points.csv", csv_text(self.points, self.labels))
        self.write("y.csv", "name,y,z\n" + "".join(
            f"{name},{y!r},{z!r}\n" for name, y, z in zip(self.labels, self.target, self.other)))

    def approximate(self, name="r.h5", gamma=2.0, count=15, *arguments):
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", *RBF, gamma, "--landmarks.count",
                   count, "--approximation.tolerance", "1e-6", "--output.path", name, *arguments)

    def train(self, *arguments, ranks=0, results=("r.h5",)):
        return self.json("train", *results, "--output.path", "m.h5", *arguments, ranks=ranks)

    def predicted(self, *arguments, ranks=0, model="m.h5"):
        self.cairn("predict", model, "--out", "p.csv", *arguments, ranks=ranks)
        with open(self.path("p.csv"), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def kernel(self, name="r.h5"):
        entries = self.json("query", name, *[word for i in range(N) for j in range(i + 1)
                                             for word in ("--entry", f"{i},{j}")])["entries"]
        matrix = [[0.0] * N for _ in range(N)]
        for entry in entries:
            matrix[entry["row"]][entry["column"]] = matrix[entry["column"]][entry["row"]] = entry["value"]
        return matrix

    def reference(self, kernel, rows, lambda_, target, intercept=True):
        """Targets less their mean over the rows, which predictions add, unless there is no intercept."""
        mean = sum(target[i] for i in rows) / len(rows) if intercept else 0.0
        system = [[kernel[i][j] + (lambda_ if i == j else 0.0) for j in rows] for i in rows]
        alpha = solve(system, [target[i] - mean for i in rows])
        return [mean + sum(kernel[i][j] * a for j, a in zip(rows, alpha)) for i in range(N)]


class TrainTest(TrainCase):
    def test_predictions_are_those_of_the_dense_system(self):
        self.approximate()
        kernel = self.kernel()
        rows = [i for i in range(N) if i % 3]
        self.write("rows.txt", "# these\n" + "".join(f"{i}\n" for i in reversed(rows)))
        for ranks in (0, 3):
            report = self.train("--targets", "y.csv:y,z", "--lambda", "0.01", "--train-rows", "rows.txt", ranks=ranks)
            self.assertEqual((40, 20, ["y", "z"]),
                             (report["training_rows"], report["held_out_rows"], report["targets"]))
            found = self.predicted(ranks=ranks)
            for name, target in (("y", self.target), ("z", self.other)):
                expected = self.reference(kernel, rows, 0.01, target)
                for i, row in enumerate(found):
                    self.assertEqual((str(i), self.labels[i]), (row["row"], row["label"]))
                    self.assertAlmostEqual(expected[i], float(row[name]), delta=1e-7)
                held = [i for i in range(N) if i % 3 == 0]
                rmse = math.sqrt(sum((expected[i] - target[i]) ** 2 for i in held) / len(held))
                score = [s for s in report["models"][0]["scores"] if (s["target"], s["on"]) == (name, "held-out")][0]
                self.assertAlmostEqual(rmse, score["root_mean_squared_error"], delta=1e-6 * rmse)

    def test_without_an_intercept_targets_are_learned_as_they_are(self):
        self.approximate()
        self.train("--targets", "y.csv:z", "--lambda", "0.5", "--intercept", "false")
        expected = self.reference(self.kernel(), range(N), 0.5, self.other, intercept=False)
        for value, row in zip(expected, self.predicted()):
            self.assertAlmostEqual(value, float(row["z"]), delta=1e-7)
        self.assertIn("intercept                   none", self.cairn("info", "m.h5").out)
        self.train("--targets", "y.csv:z", "--lambda", "1e9")  # nothing but the intercept is left
        mean = sum(self.other) / N
        for row in self.predicted():
            self.assertAlmostEqual(mean, float(row["z"]), delta=1e-5)

    def test_the_best_lambda_leaves_one_out(self):
        self.approximate()
        kernel = self.kernel()
        report = self.train("--targets", "y.csv:2", "--lambda", "1e-3,1,100", ranks=2)
        model = report["models"][0]
        errors = []
        for candidate in model["candidates"]:
            squares = 0.0
            for i in range(0, N):
                others = [j for j in range(N) if j != i]
                squares += (self.reference(kernel, others, candidate["lambda"], self.target)[i] - self.target[i]) ** 2
            errors.append(math.sqrt(squares / N))
            self.assertAlmostEqual(errors[-1], candidate["scores"][0]["root_mean_squared_error"], delta=1e-5 * errors[-1])
        self.assertEqual([1e-3, 1.0, 100.0][errors.index(min(errors))], model["lambda"])

    def test_ensemble_is_the_mean_and_unseen_objects_have_values(self):
        self.approximate("a.h5", 2.0)
        self.approximate("b.h5", 0.5)
        report = self.train("--targets", "y.csv:y", "--lambda", "1e-3,1e-2", "--train-fraction", "0.7", "--run.seed", "5",
                            results=("a.h5", "b.h5"), ranks=3)
        self.assertEqual(2, len(report["models"]))
        self.assertEqual(N, report["training_rows"] + report["held_out_rows"])
        self.assertEqual({"train", "held-out", "leave-one-out"}, {score["on"] for score in report["ensemble"]})
        mean = [float(row["y"]) for row in self.predicted()]
        for name in ("a.h5", "b.h5"):
            self.train("--targets", "y.csv:y", "--lambda", "1e-3,1e-2", "--train-fraction", "0.7", "--run.seed", "5",
                       results=(name,))
            single = [float(row["y"]) for row in self.predicted()]
            mean = [m - s / 2 for m, s in zip(mean, single)]
        self.assertLess(max(map(abs, mean)), 1e-7)
        self.cairn("extend", "b.h5", "--data.path", "points.csv", "--data.label", "class", "--output.path", "new.h5")
        self.write("rows.txt", "3\n17\n59\n")
        new = self.predicted("--result", "new.h5", "--rows", "rows.txt", ranks=2)
        self.assertEqual(["3", "17", "59"], [row["row"] for row in new])
        for row in new:
            self.assertAlmostEqual(single[int(row["row"])], float(row["y"]), delta=1e-9)
        self.refused(3, "a.h5: its left factor is not the one that model 1 was trained on", "predict", "m.h5", "--result", "a.h5",
                     "--out", "q.csv")
        self.assertIn("model 1: ", self.cairn("info", "m.h5").out)
        self.assertEqual("krr", self.json("info", "m.h5", ranks=2)["task"])

    def test_values_find_rows_by_their_labels(self):
        self.approximate()
        self.train("--targets", "y.csv:y", "--lambda", "0.1")
        in_order = [row["y"] for row in self.predicted()]
        lines = [f"{name},{y!r}" for name, y in zip(self.labels, self.target)]
        self.write("shuffled.csv", "\n".join(["who,y", *reversed(lines[:25]), *lines[25:], "nobody,1"]) + "\n")
        out = self.cairn("train", "r.h5", "--targets", "shuffled.csv:y", "--targets-key", "who", "--lambda", "0.1",
                         "--output.path", "m.h5", ranks=3).out
        self.assertIn("note: 1 rows of shuffled.csv:y have a key that no row has", out)
        for a, b in zip(in_order, self.predicted()):
            self.assertAlmostEqual(float(a), float(b["y"]), delta=1e-9)
        self.write("few.csv", "\n".join(["who,y", *lines[:25]]) + "\n")
        report = self.train("--targets", "few.csv", "--targets-key", "who", "--lambda", "0.1", ranks=2)
        self.assertEqual((25, 0), (report["training_rows"], report["held_out_rows"]))
        self.write("twice.csv", "\n".join(["who,y", *lines[:9], lines[3]]) + "\n")
        self.refused(3, "twice.csv: the key 'p21' is a duplicate", "train", "r.h5", "--targets", "twice.csv",
                     "--targets-key", "who", "--lambda", "0.1", "--output.path", "n.h5")

    def test_labels_of_the_data_are_targets(self):
        self.write("points.csv", csv_text(self.points, [repr(y) for y in self.target]))
        self.approximate()
        report = self.train("--lambda", "0.01", "--leave-one-out", "true", ranks=2)
        self.assertEqual(["label"], report["targets"])
        self.assertGreater(report["models"][0]["scores"][-1]["r_squared"], 0.9)
        rows = self.predicted("--result", "r.h5", ranks=2)
        self.assertEqual(["row", "label", "predicted"], list(rows[0]))
        values = [(float(row["label"]), float(row["predicted"])) for row in rows]
        mean = sum(y for y, _ in values) / len(values)
        expected = 1 - sum((y - p) ** 2 for y, p in values) / sum((y - mean) ** 2 for y, _ in values)
        for ranks in (1, 3):
            score = self.json("predict", "m.h5", "--out", "p.csv", ranks=ranks)["score"]
            self.assertEqual(N, score["rows"])
            self.assertAlmostEqual(expected, score["r_squared"], 9)

    def test_lambda_is_chosen_by_default(self):
        self.approximate()
        report = self.train("--targets", "y.csv:y")
        self.assertEqual([0.001, 0.01, 0.1, 1, 10, 100], [one["lambda"] for one in report["models"][0]["candidates"]])

    def test_a_target_that_is_a_coordinate_is_named(self):
        self.write("all.csv", "a,b,y\n" + "".join(f"{x!r},{y!r},{t!r}\n" for (x, y), t in zip(self.points, self.target)))
        self.cairn("approximate", "--data.path", "all.csv", *RBF, 1, "--landmarks.count", 15, "--output.path", "r.h5")
        out = self.cairn("train", "r.h5", "--targets", "all.csv:y", "--lambda", 1, "--output.path", "m.h5").out
        self.assertIn("y is a coordinate of the objects, too", out)
        self.assertNotIn("is a coordinate", self.cairn("train", "r.h5", "--targets", "y.csv:z", "--lambda", 1, "--output.path", "m.h5").out)

    def test_models_on_a_mesh_share_its_interpolation(self):
        sphere = ["--data.kind", "mesh", "--data.generate", "sphere", "--data.points", "400", "--landmarks.count", "60"]
        for name, gamma in (("a.h5", 1), ("b.h5", 4)):
            self.cairn("approximate", *sphere, *RBF, gamma, "--output.path", name)
        rows = int(self.json("info", "a.h5")["n"])
        self.write("y.csv", "y\n" + "".join(f"{math.cos(i / rows * math.pi)!r}\n" for i in range(rows)))
        for ranks in (0, 3):
            report = self.train("--targets", "y.csv", "--lambda", "1e-2", "--train-fraction", "0.5",
                                results=("a.h5", "b.h5"), ranks=ranks)
            self.assertEqual([False, True], [model["shares_gram"] for model in report["models"]])
            self.assertGreater(report["ensemble"][1]["r_squared"], 0.75)
        self.assertEqual(rows, len(self.predicted("--result", "b.h5", ranks=2)))
        for ranks in (1, 2):
            self.refused(5, "training on b.h5 takes .* dense matrices of its 60 landmarks.*left of run.memory", "train",
                         "b.h5", "--targets", "y.csv", "--lambda", "1e-2", "--output.path", "n.h5", "--run.memory",
                         "1MB", ranks=[ranks])


class BadTraining(TrainCase):
    base = ["train", "r.h5", "--output.path", "n.h5"]

    def test_options(self):
        self.approximate()
        known = [*self.base, "--targets", "y.csv:y"]
        for pattern, *arguments in [
                ("--lambda 0: each must be a number above 0", *known, "--lambda", "0"),
                ("--lambda 1,-2: each", *known, "--lambda", "1,-2"),
                ("--lambda 1,x: each", *known, "--lambda", "1,x"),
                ("exclude each other", *known, "--lambda", "1", "--train-fraction", "0.5", "--train-rows", "y.csv"),
                ("train-fraction must be above 0", *known, "--lambda", "1", "--train-fraction", "0"),
                ("train-fraction = 2 is above 1", *known, "--lambda", "1", "--train-fraction", "2"),
                ("--run.seed has no effect", *known, "--lambda", "1", "--run.seed", "3"),
                ("--targets-key has no effect", *self.base, "--targets-key", "a", "--lambda", "1"),
                ("--leave-one-out false is incompatible with several", *known, "--lambda", "1,2", "--leave-one-out", "false"),
                ("output.path is missing", "train", "r.h5", "--lambda", "1"),
                ("cairn train needs FILE", "train", "--lambda", "1"),
                ("task = svn is not known", *known, "--lambda", "1", "--task", "svn"),
                ("out is missing", "predict", "m.h5")]:
            self.refused(2, pattern, *arguments, ranks=[1])

    def test_targets(self):
        self.approximate()
        values = [f"{y!r}\n" for y in self.target]
        for pattern, text in [
                (r"bad.csv has values for 59 rows, and there are 60", "y\n" + "".join(values[:-1])),
                (r"bad.csv:4: column 1 \(y\): 'nan' is not a finite number", "y\n" + "".join(values[:2]) + "nan\n"),
                (r"bad.csv:3: column 1 \(y\): 'tall' is not a number", "y\n" + values[0] + "tall\n"),
                (r"bad.csv", "")]:
            self.write("bad.csv", text)
            self.refused(3, pattern, *self.base, "--targets", "bad.csv", "--lambda", "1")
        self.refused(3, "y.csv: there is no column w", *self.base, "--targets", "y.csv:w", "--lambda", "1", ranks=[1])
        self.refused(3, r"y.csv:2: column 1 \(\w+\): 'p0' is not a number", *self.base, "--targets", "y.csv", "--lambda", "1")
        self.refused(3, "the label 'p0' of row 0 is no finite number; give --targets", *self.base, "--lambda", "1")

    def test_what_is_read_is_not_replaced(self):
        self.approximate()
        self.train("--targets", "y.csv:y", "--lambda", "1")
        os.symlink(self.path("r.h5"), self.path("link.h5"))
        os.mkdir(self.path("sub"))
        self.write("c.cfg", "[data]\npath = points.csv\n")
        train = ["train", "r.h5", "--targets", "y.csv:y", "--lambda", "1", "--output.path"]
        approximate = ["approximate", "--config", "c.cfg", "--data.label", "class", *RBF, "1", "--landmarks.count", "5",
                       "--output.path"]

        def contents():
            found = {}
            for name in ("r.h5", "m.h5", "y.csv", "points.csv", "c.cfg"):
                with open(self.path(name), "rb") as file:
                    found[name] = file.read()
            return found

        before = contents()
        for pattern, arguments in [
                ("--output.path and the argument r.h5 name the same file, sub/../r.h5", [*train, "sub/../r.h5"]),
                ("--output.path and the argument r.h5 name the same file, link.h5", [*train, "link.h5"]),
                ("--output.path and --targets name the same file, ./y.csv", [*train, "./y.csv"]),
                ("--json and the argument r.h5 name the same file", [*train, "n.h5", "--json", "r.h5"]),
                ("--out and the argument m.h5 name the same file", ["predict", "m.h5", "--out", "m.h5"]),
                ("--out and --result name the same file", ["predict", "m.h5", "--result", "r.h5", "--out", "r.h5"]),
                ("--out and the result of a model name the same file", ["predict", "m.h5", "--out", "r.h5", "--overwrite", "true"]),
                ("--output.path and c.cfg:2: data.path name the same file", [*approximate, "points.csv"]),
                ("--output.path and --config name the same file", [*approximate, "c.cfg"]),
                ("--out and the argument r.h5 name the same file", ["query", "r.h5", "--row", "0", "--out", "./r.h5"]),
                ("the argument points.csv and the argument ./points.csv name the same file",
                 ["convert", "./points.csv", "points.csv"])]:
            self.refused(2, pattern, *arguments, ranks=[3] if "result of a model" in pattern else [1])
        self.assertEqual(before, contents())

    def test_rows(self):
        self.approximate()
        for pattern, text in [(r"rows.txt:2: row 60 does not exist; rows go from 0 to 59", "3\n60\n"),
                              (r"rows.txt:4: row 7 is a duplicate", "7\n# x\n8\n7\n"),
                              (r"rows.txt:1: 'three' is not an integer .*; a line that names the column begins with #$", "three\n"),
                              (r"rows.txt: holds no row number", "# none\n")]:
            self.write("rows.txt", text)
            self.refused(3, pattern, *self.base, "--targets", "y.csv:y", "--lambda", "1", "--train-rows", "rows.txt")

    def test_results(self):
        self.approximate()
        self.approximate("sicur.h5", 2.0, 15, "--approximation.method", "sicur")
        self.refused(2, "sicur.h5: the factors .* not symmetric", "train", "sicur.h5", "--targets", "y.csv:y", "--lambda",
                     "1", "--output.path", "n.h5")
        self.write("points.csv", csv_text(self.points[:50], self.labels[:50]))
        self.approximate("few.h5")
        self.refused(3, "r.h5 has 60 rows and few.h5 has 50", "train", "r.h5", "few.h5", "--targets", "y.csv:y",
                     "--lambda", "1", "--output.path", "n.h5")
        self.refused(3, "r.h5 is an HDF5 file, but no model", "predict", "r.h5", "--out", "q.csv")
        self.train("--targets", "y.csv:y", "--lambda", "1")
        self.refused(3, "m.h5 is an HDF5 file, but no result", "query", "m.h5", "--entry", "0,0")
        self.refused(2, "--result is given 2 times, and the file has 1 models", "predict", "m.h5", "--result", "r.h5",
                     "--result", "r.h5", "--out", "q.csv", ranks=[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
