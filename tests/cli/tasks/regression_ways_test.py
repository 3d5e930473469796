"""Kernel ridge regression on K itself and on centers, and the choice between them, against systems that Python solves."""

import math
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CONFIGS, csv_text  # noqa: E402
from train_test import N, RBF, TrainCase, solve  # noqa: E402


class FullTraining(TrainCase):
    """Regression on K itself: exp(-2 |x - y|^2), which Python computes."""

    full = ["--krr-method", "full", "--target-residual", "1e-10"]

    def exact(self, gamma=2.0):
        return [[math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(x, y))) for y in self.points] for x in self.points]

    def values(self, found, name="y"):
        return [float(row[name]) for row in found]

    def assert_near(self, expected, found, delta):
        self.assertEqual(len(expected), len(found))
        for a, b in zip(expected, found):
            self.assertAlmostEqual(a, b, delta=delta)

    def test_predictions_are_those_of_the_dense_system(self):
        self.approximate(count=8)
        rows = [i for i in range(N) if i % 3]
        self.write("rows.txt", "".join(f"{i}\n" for i in rows))
        new = [(0.3, -0.2), *self.points[:5]]
        self.write("new.csv", csv_text(new))
        for ranks in (0, 3):
            report = self.train(*self.full, "--targets", "y.csv:y,z", "--lambda", "0.01", "--train-rows", "rows.txt",
                                ranks=ranks)
            model = report["models"][0]
            self.assertEqual((40, 20, "full"), (report["training_rows"], report["held_out_rows"], model["krr_method"]))
            self.assertLessEqual(model["residual"], 1e-10)
            self.assertGreater(model["iterations"], 2)
            for name, target in (("y", self.target), ("z", self.other)):
                expected = self.reference(self.exact(), rows, 0.01, target)
                self.assert_near(expected, self.values(self.predicted(ranks=ranks), name), 1e-6)
                score = [s for s in model["scores"] if (s["target"], s["on"]) == (name, "held-out")][0]
                rmse = math.sqrt(sum((expected[i] - target[i]) ** 2 for i in range(0, N, 3)) / 20)
                self.assertAlmostEqual(rmse, score["root_mean_squared_error"], delta=1e-6 * rmse)
            os.rename(self.path("r.h5"), self.path("away.h5"))  # points need the model alone
            found = self.predicted("--data.path", "new.csv", ranks=ranks)
            os.rename(self.path("away.h5"), self.path("r.h5"))
            expected = self.reference(self.exact(), rows, 0.01, self.target)
            self.assert_near(expected[:5], self.values(found)[1:], 1e-6)
        text = self.cairn("info", "m.h5").out
        self.assertIn("full, K between an object and 40 rows, in double precision", text)
        self.assertNotIn("condition of", text)

    def test_the_lines_of_the_document_predict(self):
        try:
            import h5py  # pylint: disable=unused-import
            import numpy  # pylint: disable=unused-import
        except ImportError:
            self.skipTest("needs h5py")
        self.approximate(count=8)
        self.train(*self.full, "--targets", "y.csv:y", "--lambda", "0.1")
        with open(os.path.join(CONFIGS, "..", "docs", "file-format.md"), encoding="utf-8") as file:
            code = next(block for block in re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL) if "centers/objects" in block)
        variables = {"h5py": h5py, "np": numpy}
        exec(code.replace("model.h5", self.path("m.h5")), variables)
        self.assert_near(self.values(self.predicted()), [float(variables["value"](numpy.array(point))[0]) for point in self.points], 1e-9)

    def test_single_precision_and_no_preconditioner(self):
        self.approximate("r.h5", 2.0, 8, "--run.precision", "single")
        expected = self.reference(self.exact(), range(N), 0.1, self.target)
        for more in ([], ["--precondition", "false"]):
            model = self.train("--krr-method", "full", "--targets", "y.csv:y", "--lambda", "0.1", *more, ranks=2)["models"][0]
            self.assertEqual("single", model["precision"])
            self.assertEqual(more == [], model["preconditioner_rank"] > 0)
            self.assert_near(expected, self.values(self.predicted()), 1e-3)

    def test_lambda_is_chosen_by_rows_that_are_held_out(self):
        self.approximate(count=8)
        rows = [i for i in range(N) if i % 3]
        self.write("rows.txt", "".join(f"{i}\n" for i in rows))
        report = self.train(*self.full, "--targets", "y.csv:y", "--lambda", "1e-3,1,100", "--train-rows", "rows.txt", ranks=2)
        model = report["models"][0]
        errors = []
        for candidate in model["candidates"]:
            found = self.reference(self.exact(), rows, candidate["lambda"], self.target)
            errors.append(math.sqrt(sum((found[i] - self.target[i]) ** 2 for i in range(0, N, 3)) / 20))
            self.assertAlmostEqual(errors[-1], candidate["scores"][0]["root_mean_squared_error"], delta=1e-6 * errors[-1])
        self.assertEqual([1e-3, 1.0, 100.0][errors.index(min(errors))], model["lambda"])
        self.assertIn("have chosen lambda", " ".join(model["warnings"]))

    def test_a_tenth_chooses_where_none_is_held_out(self):
        self.approximate(count=8)
        found = []
        for ranks in (1, 3):
            model = self.train(*self.full, "--targets", "y.csv:y", "--lambda", "1e-3,100", "--run.seed", 4, ranks=ranks)["models"][0]
            chosen = model["candidates"][0]["scores"][0]["rows"]
            self.assertTrue(0 < chosen < N / 3, chosen)
            self.assertEqual(["train"], [score["on"] for score in model["scores"]])
            self.assertEqual(N, model["scores"][0]["rows"])
            found.append((model["lambda"], chosen))
            self.assert_near(self.reference(self.exact(), range(N), model["lambda"], self.target),
                             self.values(self.predicted(ranks=ranks)), 1e-6)
        self.assertEqual([found[0]] * 2, found)

    def test_objects_that_are_no_points(self):
        self.write("words.txt", "".join(f"x{'ab' * (i % 7)}{'c' * (i % 5)}\n" for i in range(40)))
        self.write("v.csv", "y\n" + "".join(f"{i % 7}\n" for i in range(40)))
        self.cairn("approximate", "--data.kind", "sequences", "--data.path", "words.txt", "--similarity.kind", "subsequence",
                   "--landmarks.count", 10, "--output.path", "s.h5")
        report = self.train("--krr-method", "full", "--targets", "v.csv", "--lambda", 0.1, results=("s.h5",), ranks=2)
        self.assertFalse(report["models"][0]["points"])
        found = self.values(self.predicted(ranks=2))
        mean = sum((i % 7 - y) ** 2 for i, y in enumerate(found)) / 40
        self.assertAlmostEqual(report["models"][0]["scores"][0]["root_mean_squared_error"], math.sqrt(mean), 6)
        self.refused(2, "--data.path has no effect: the objects of the model m.h5 are no points", "predict", "m.h5", "--data.path",
                     "words.txt", "--out", "q.csv")

    def test_what_it_refuses(self):
        self.approximate(count=8)
        known = ["train", "r.h5", "--output.path", "n.h5", "--targets", "y.csv:y", "--lambda", "0.01", "--krr-method", "full"]
        for pattern, *arguments in [
                ("--leave-one-out is not available with --krr-method full", *known, "--leave-one-out", "true"),
                ("--krr-method full takes one result, not 2", "train", "r.h5", *known[1:]),
                ("--target-residual has no effect with --krr-method factors", *known[:-2], "--target-residual", "1e-3"),
                ("--max-iterations has no effect with --krr-method factors", *known[:-2], "--max-iterations", "3"),
                ("--target-residual = 0 is below", *known, "--target-residual", "0"),
                ("--max-iterations = 0 is below 1", *known, "--max-iterations", "0"),
                ("krr-method = whole is not known", *known[:-1], "whole"),
                ("--data.path has no effect with --krr-method factors", *known[:-2], "--data.path", "points.csv"),
                ("--lambda 0: each must be", *[word.replace("0.01", "0") for word in known])]:
            self.refused(2, pattern, *arguments, ranks=[1])
        self.refused(4, "2 iterations reached a residual of .* for lambda = 0.01, not 1e-06; raise --max-iterations", *known,
                     "--max-iterations", "2", ranks=[1, 3])
        self.refused(5, "ridge regression on K itself of 60 rows takes .* for 1 right side.* a rank has 0 B of run.memory left", *known,
                     "--run.memory", "1MB", ranks=[2])
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", "--similarity.kind", "euclidean",
                   "--landmarks.count", 8, "--output.path", "d.h5")
        self.refused(2, "needs a kernel: euclidean is a distance", "train", "d.h5", *known[2:])
        self.write("points.csv", csv_text([(x + 0.5, y) for x, y in self.points], self.labels))
        self.refused(3, "the data are not those that r.h5 was made from", *known)

    def test_a_kernel_that_is_not_definite(self):
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", "--similarity.kind", "sigmoid",
                   "--similarity.gamma", 2, "--similarity.coef0", -1, "--landmarks.count", 8, "--output.path", "t.h5")
        train = ["train", "t.h5", "--krr-method", "full", "--targets", "y.csv:y", "--output.path", "n.h5"]
        for ranks in (1, 3):
            outcome = self.cairn(*train, "--lambda", "0.01", ranks=ranks, expect=4).message()
            self.assertRegex(outcome, "not positive definite for lambda = 0.01: K has a negative eigenvalue of about -")
            self.assertFalse(os.path.exists(self.path("n.h5")))
        enough = outcome.split("take lambda above about ")[1].split(",")[0]
        self.cairn(*train, "--lambda", enough)


class ChosenTraining(TrainCase):
    """--krr-method auto."""

    auto = ["--krr-method", "auto", "--targets", "y.csv:y", "--lambda", 0.01]

    def test_it_takes_what_it_says(self):
        self.approximate("r.h5")
        self.approximate("s.h5", 2.0, 15, "--approximation.store-left", "false")
        for result, within, way in (("r.h5", "1h", "full"), ("r.h5", 0, "factors"), ("s.h5", "1h", "centers")):
            expected = self.train("--krr-method", way, *self.auto[2:], "--overwrite", results=(result,), ranks=1)["models"][0]
            for ranks in (1, 2, 3, 4):
                report = self.train(*self.auto, "--within", within, "--overwrite", results=(result,), ranks=ranks)
                self.assertEqual(["full", "factors", "centers"], [one["way"] for one in report["ways"]])
                taken = next(one for one in report["ways"] if one["way"] == way)
                self.assertGreater(taken["seconds"], 0)
                self.assertEqual(way, report["models"][0].get("krr_method", "factors"))
                one, other = (next(s for s in model["scores"] if s["on"] == "train") for model in (expected, report["models"][0]))
                for key in ("r_squared", "mean_absolute_error", "root_mean_squared_error"):
                    self.assertAlmostEqual(one[key], other[key], delta=1e-6)
        said = self.cairn("train", "r.h5", *self.auto, "--within", 0, "--output.path", "m.h5", "--overwrite").out
        self.assertRegex(said, r"factors +0 +\S+ +taken")
        self.assertIn("about 40 products with it end within 0", said)

    def test_what_it_cannot_take(self):
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", "--similarity.kind", "euclidean", "--landmarks.count", 10,
                   "--output.path", "d.h5")
        ways = {one["way"]: one for one in self.train(*self.auto, results=("d.h5",))["ways"]}
        self.assertIn("is a distance", ways["full"]["unable"])
        self.assertIsNone(ways["full"]["seconds"])
        self.approximate()
        self.refused(2, "--solver has no effect with --krr-method auto", "train", "r.h5", *self.auto, "--output.path", "n.h5",
                     "--solver", "direct", ranks=[1])
        self.refused(2, "--within has no effect with --krr-method full", "train", "r.h5", "--krr-method", "full", "--targets", "y.csv:y",
                     "--lambda", 0.01, "--output.path", "n.h5", "--within", "1h", ranks=[1])
        self.refused(2, "--krr-method auto takes one result, not 2", "train", "r.h5", "r.h5", *self.auto, "--output.path", "n.h5", ranks=[1])


class CenterTraining(TrainCase):
    """Regression on landmarks or drawn rows whose similarities with all rows are never stored."""

    centers = ["--krr-method", "centers"]

    def values(self, found, name="y"):
        return [float(row[name]) for row in found]

    def assert_near(self, expected, found, delta):
        self.assertEqual(len(expected), len(found))
        for a, b in zip(expected, found):
            self.assertAlmostEqual(a, b, delta=delta)

    def test_predictions_are_those_of_stored_factors(self):
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", *RBF, 20.0, "--landmarks.count", 15,
                   "--output.path", "r.h5")
        self.write("rows.txt", "".join(f"{i}\n" for i in range(N) if i % 3))
        learned = ["--targets", "y.csv:y,z", "--lambda", "0.1", "--train-rows", "rows.txt"]
        stored = self.train(*learned)["models"][0]
        expected = self.predicted()
        new = [(0.3, -0.2), *self.points[:5]]
        self.write("new.csv", csv_text(new))
        for solver in ("direct", "iterative"):
            for ranks in (0, 3):
                more = ["--target-residual", "1e-11"] if solver == "iterative" else []
                model = self.train(*self.centers, *learned, "--solver", solver, *more, ranks=ranks)["models"][0]
                self.assertEqual(("centers", solver, 15), (model["krr_method"], model["solver"], model["columns"]))
                for name in ("y", "z"):
                    self.assert_near(self.values(expected, name), self.values(self.predicted(ranks=ranks), name), 1e-8)
                for score, its in zip(model["scores"], stored["scores"]):
                    self.assertEqual((its["target"], its["on"], its["rows"]), (score["target"], score["on"], score["rows"]))
                    self.assertAlmostEqual(its["r_squared"], score["r_squared"], delta=1e-8)
                os.rename(self.path("r.h5"), self.path("away.h5"))  # points need the model alone
                found = self.predicted("--data.path", "new.csv", ranks=ranks)
                os.rename(self.path("away.h5"), self.path("r.h5"))
                self.assert_near(self.values(expected)[:5], self.values(found)[1:], 1e-8)
                if solver == "direct":
                    self.assertAlmostEqual(stored["condition"] / model["condition"], 1.0, delta=1e-6)
                else:
                    self.assertLess(model["residual"], 1e-10)
                    self.assertGreater(model["products"], model["iterations"])
        text = self.cairn("info", "m.h5").out
        self.assertIn("centers, K between an object and 15 rows, in double precision", text)

    def test_rows_of_the_factor_are_not_needed(self):
        """As many centers as landmarks would be the same model; all rows give K itself."""
        self.approximate(count=3)
        exact = [[math.exp(-2 * sum((a - b) ** 2 for a, b in zip(x, y))) for y in self.points] for x in self.points]
        expected = self.reference(exact, range(N), 1.0, self.target)
        for ranks in (1, 3):
            model = self.train(*self.centers, "--centers", N, "--targets", "y.csv:y", "--lambda", "1", ranks=ranks)["models"][0]
            self.assertEqual(N, model["columns"])
            self.assert_near(expected, self.values(self.predicted(ranks=ranks)), 1e-6)
        found = []
        for ranks in (1, 2, 3):
            self.train(*self.centers, "--centers", 20, "--targets", "y.csv:y", "--lambda", "1", "--run.seed", 3, ranks=ranks)
            found.append(self.values(self.predicted()))
        for other in found[1:]:
            self.assert_near(found[0], other, 1e-8)

    def test_lambda_is_chosen_by_a_tenth_of_the_rows(self):
        self.approximate()
        for solver in ("direct", "iterative"):
            found = []
            for ranks in (1, 3):
                model = self.train(*self.centers, "--solver", solver, "--targets", "y.csv:y", "--lambda", "1e-2,100",
                                   "--run.seed", 4, ranks=ranks)["models"][0]
                chosen = model["candidates"][0]["scores"][0]["rows"]
                self.assertTrue(0 < chosen < N / 3, chosen)
                self.assertEqual([N], [score["rows"] for score in model["scores"]])
                found.append((model["lambda"], chosen))
            self.assertEqual([found[0]] * 2, found)

    def test_single_precision(self):
        self.approximate("r.h5", 40.0, 15, "--run.precision", "single")
        self.train("--targets", "y.csv:y", "--lambda", "0.1")
        expected = self.values(self.predicted())
        for solver, more, error in [("direct", [], 1e-5), ("iterative", ["--target-residual", "1e-4"], 1e-3), ("iterative", [], 1e-2)]:
            model = self.train(*self.centers, "--solver", solver, *more, "--targets", "y.csv:y", "--lambda", "0.1", ranks=2)["models"][0]
            self.assertEqual("single", model["precision"])
            self.assert_near(expected, self.values(self.predicted()), error)

    def test_variances_are_those_of_the_process(self):
        """All rows as centers: K~ is K, and the process of the training rows is exact."""
        self.approximate()
        kernel = [[math.exp(-2 * sum((a - b) ** 2 for a, b in zip(x, y))) for y in self.points] for x in self.points]
        rows, held_out = [i for i in range(N) if i % 4], [i for i in range(N) if i % 4 == 0]
        self.write("rows.txt", "".join(f"{i}\n" for i in rows))
        system = [[kernel[i][j] + (0.1 if i == j else 0.0) for j in rows] for i in rows]
        mean = sum(self.target[i] for i in rows) / len(rows)
        sides = [self.target[i] - mean for i in rows]
        scale = sum(a * y for a, y in zip(solve(system, sides), sides)) / len(rows)
        expected = []
        for i in range(N):
            k = [kernel[i][j] for j in rows]
            expected.append(math.sqrt(scale * (1.1 - sum(a * b for a, b in zip(k, solve(system, k))))))
        new = [(0.3, -0.2), *self.points[:5]]
        self.write("new.csv", csv_text(new))
        self.write("all.txt", "".join(f"{i}\n" for i in range(N)))
        asked = [*self.centers, "--centers", len(rows), "--targets", "y.csv:y,z", "--lambda", "0.1", "--train-rows", "rows.txt",
                 "--variance", "true"]
        for ranks in (1, 3):
            model = self.train(*asked, ranks=ranks)["models"][0]
            variances = model["variances"]
            self.assertAlmostEqual(math.sqrt(scale), variances["sigma"][0], delta=1e-5)
            self.assertAlmostEqual(math.sqrt(0.1 * scale), variances["noise"][0], delta=1e-5)
            found = self.predicted(ranks=ranks)
            self.assertEqual(["row", "label", "y", "sd y", "z", "sd z"], list(found[0]))
            self.assert_near(expected, self.values(found, "sd y"), 1e-5)
            score = variances["scores"][0]
            self.assertEqual(("y", "held-out", len(held_out)), (score["target"], score["on"], score["rows"]))
            inside = [abs(float(found[i]["y"]) - self.target[i]) <= 1.959963984540054 * expected[i] for i in held_out]
            self.assertAlmostEqual(sum(inside) / len(inside), score["interval_coverage"])
            width = sum(2 * 1.959963984540054 * expected[i] for i in held_out) / len(held_out)
            self.assertAlmostEqual(width, score["mean_interval_width"], delta=1e-4)
            self.assertEqual(model["scores"][2]["r_squared"], score["r_squared"])
            os.rename(self.path("r.h5"), self.path("away.h5"))
            of_points = self.predicted("--data.path", "new.csv", ranks=ranks)
            os.rename(self.path("away.h5"), self.path("r.h5"))
            self.assertEqual(["row", "y", "sd y", "z", "sd z"], [name for name in of_points[0] if name not in ("label", "number")])
            self.assert_near(expected[:5], self.values(of_points, "sd y")[1:], 1e-5)
        self.assertIn("inside 95 % intervals", self.cairn("info", "m.h5").out)
        with_several = self.train(*asked[:-6], "--lambda", "0.1,10", "--variance", "true", "--run.seed", 3)["models"][0]
        for candidate in with_several["candidates"]:
            self.assertEqual(2, len(candidate["log_marginal_likelihoods"]))
        self.train(*asked[:-2])
        self.assertNotIn("sd y", self.predicted()[0])

    def test_variances_that_it_refuses(self):
        self.approximate()
        known = ["train", "r.h5", "--output.path", "n.h5", "--targets", "y.csv:y", "--lambda", "0.1", "--variance", "true"]
        centers = [*known, *self.centers]
        self.refused(2, "--variance has no effect with --krr-method factors", *known, ranks=[1])
        self.refused(2, "--variance true needs the direct solver", *centers, "--solver", "iterative", ranks=[1])
        self.refused(5, "15 centers take .* of each of 2 ranks by the direct solver", *centers, "--solver", "direct",
                     "--run.memory", "1MB", ranks=[2])
        self.refused(2, "--variance needs the direct solver, and 15 centers are solved for by the iterative one; give --solver direct",
                     *centers, "--run.memory", "1MB", ranks=[2])
        self.write("same.csv", "name,y\n" + "".join(f"{name},3\n" for name in self.labels))
        self.refused(3, "the target y has the same value at all 60 training rows", *[word.replace("y.csv", "same.csv") for word in centers],
                     ranks=[1, 3])
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", "--similarity.kind", "sigmoid",
                   "--similarity.gamma", 2, "--similarity.coef0", -1, "--landmarks.count", 8, "--output.path", "s.h5")
        self.refused(4, "variances need a positive semidefinite kernel", "train", "s.h5", *centers[2:], ranks=[1, 3])
        self.assertFalse(os.path.exists(self.path("n.h5")))

    def test_what_it_refuses(self):
        self.approximate()
        known = ["train", "r.h5", "--output.path", "n.h5", "--targets", "y.csv:y", "--lambda", "0.01", *self.centers]
        for pattern, *arguments in [
                ("--leave-one-out has no effect with --krr-method centers", *known, "--leave-one-out", "true"),
                ("--krr-method centers takes one result, not 2", "train", "r.h5", *known[1:]),
                ("--centers has no effect with --krr-method factors", *known[:-2], "--centers", "3"),
                ("--solver has no effect with --krr-method full", *known[:-1], "full", "--solver", "direct"),
                ("--target-residual has no effect with --solver direct", *known, "--solver", "direct", "--target-residual", "1e-3"),
                ("--centers is 61, and there are 60 training rows", *known, "--centers", "61"),
                ("--centers = 0 is below 1", *known, "--centers", "0"),
                ("solver = third is not known", *known, "--solver", "third")]:
            self.refused(2, pattern, *arguments, ranks=[1])
        iterative = [*known, "--solver", "iterative"]
        self.refused(4, "lambda = 0.01: conjugate gradients reach .* in 1 iterations", *iterative, "--max-iterations", "1",
                     ranks=[1, 3])
        self.refused(4, "singular to working precision for lambda = 1e-30", *[word.replace("0.01", "1e-30") for word in known],
                     ranks=[1, 3])
        self.refused(5, "15 centers take .* of each of 2 ranks by the direct solver; a rank has 0 B of run.memory left", *known, "--solver", "direct",
                     "--run.memory", "1MB", ranks=[2])
        self.assertFalse(os.path.exists(self.path("n.h5")))
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", *RBF, 2.0, "--approximation.method", "optimal",
                   "--approximation.rank", 5, "--output.path", "o.h5")
        self.refused(2, "o.h5 has no landmarks among its own rows that could be centers; give --centers", "train", "o.h5", *known[2:],
                     ranks=[1])
        self.write("edges.txt", "".join(f"{i} {i + 1}\n" for i in range(N - 1)))
        self.write("v.csv", "y\n" + "".join(f"{i}\n" for i in range(N)))
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "edges.txt", "--similarity.kind", "path-length",
                   "--landmarks.count", 8, "--output.path", "g.h5")
        self.refused(2, "is evaluated from one object to all others", "train", "g.h5", "--output.path", "n.h5", "--targets", "v.csv:y",
                     "--lambda", "1", *self.centers, ranks=[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
