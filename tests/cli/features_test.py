"""Random features and sketches of points on the command line."""

import math
import unittest

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

from cairn_program import CairnTest, csv_text, points


@unittest.skipIf(h5py is None, "h5py is missing")
class Features(CairnTest):
    N = 150

    def setUp(self):
        super().setUp()
        self.points = [[value - 0.5 for value in row] for row in points(self.N, 4)]
        self.write("points.csv", csv_text(self.points))

    def arguments(self, *more, path="points.csv", output="r.h5"):
        return ["approximate", "--data.path", path, "--output.path", output, *more]

    def matrix(self, function):
        x = numpy.array(self.points)
        products, norms = x @ x.T, (x * x).sum(1)
        return function(products, norms[:, None] + norms - 2 * products)

    def approximated(self, path="r.h5"):
        with h5py.File(self.path(path), "r") as file:
            left, joining = file["left"][:], file["joining"][:]
        return (left * joining if len(joining) else left) @ left.T

    SKETCH = ("--approximation.method", "poly-tensorsketch", "--approximation.features", 40)

    def test_functions_of_inner_products(self):
        for arguments, function in ((["rbf", "--similarity.gamma", 0.8], lambda p, d: numpy.exp(-0.8 * d)),
                                    (["function", "--similarity.function", "logistic", "--similarity.scale", 2], lambda p, d: 1 / (1 + numpy.exp(-2 * p))),
                                    (["function", "--similarity.function", "softplus"], lambda p, d: numpy.log1p(numpy.exp(p))),
                                    (["function", "--similarity.function", "power", "--similarity.exponent", 3], lambda p, d: p ** 3),
                                    (["sigmoid", "--similarity.gamma", 1, "--similarity.coef0", 0.3], lambda p, d: numpy.tanh(p + 0.3))):
            exact = self.matrix(function)
            for ranks in (1, 3):
                with self.subTest(arguments=arguments, ranks=ranks):
                    report = self.json(*self.arguments("--similarity.kind", *arguments, *self.SKETCH), ranks=ranks)
                    self.assertEqual((self.N ** 2, 0), (report["evaluations"], report["s1"]))  # fewer than 400 rows: all
                    found = numpy.linalg.norm(self.approximated() - exact) / numpy.linalg.norm(exact)
                    self.assertLess(found, 0.02)
                    self.assertAlmostEqual(found, report["relative_error"], delta=0.3 * found)
                    self.assertLess(abs(found - report["predicted_error"]), 0.5 * found + 1e-7)

    def test_complex_sketches(self):
        sketch = ("--similarity.kind", "rbf", "--similarity.gamma", 0.8, "--approximation.method", "poly-tensorsketch", "--approximation.sketch", "complex")
        for degree, columns in ((3, 32), (4, 24)):  # a third of 100 is odd, a fourth, too
            report = self.json(*self.arguments(*sketch, "--approximation.allocation", "equal", "--approximation.degree", degree), ranks=2)
            self.assertEqual(1 + degree * columns, report["rank"])
            self.assertNotIn("has no effect", " ".join(report["notes"]))
        report = self.json(*self.arguments(*sketch))
        self.assertIn("--approximation.sketch has no effect: no power is sketched", " ".join(report["notes"]))

    def test_the_mean_of_squared_ratios(self):
        exact = self.matrix(lambda p, d: numpy.exp(-0.8 * d))
        self.cairn(*self.arguments("--similarity.kind", "rbf", "--similarity.gamma", 0.8, "--approximation.method", "rff", "--approximation.features", 100))
        expected = (((self.approximated() - exact) / exact) ** 2).mean()
        for ranks, within, *more in ((1, 1e-9, "--evaluation.rows", "all"), (3, 1e-9, "--evaluation.rows", "all"), (2, 0.1)):
            report = self.json("evaluate", "r.h5", *more, ranks=ranks)
            self.assertAlmostEqual(1, report["mean_squared_ratio"] / expected, delta=within)
        self.assertIn("mean of ((K~ - K) / K)^2", self.cairn("evaluate", "r.h5").out)

    def test_differences(self):
        exact = self.matrix(lambda p, d: numpy.exp(-0.8 * d))
        for draw, most in (("pairs", 0.08), ("phase", 0.12), ("orthogonal", 0.06)):
            self.cairn(*self.arguments("--similarity.kind", "rbf", "--similarity.gamma", 0.8, "--approximation.method", "rff",
                                       "--approximation.features", 500, "--approximation.fourier", draw), ranks=2)
            self.assertLess(numpy.linalg.norm(self.approximated() - exact) / numpy.linalg.norm(exact), most, draw)

    def test_new_points_from_the_file_alone(self):
        for method in (self.SKETCH, ("--approximation.method", "rff", "--approximation.features", 30)):
            for precision in ("single", "double"):
                self.cairn(*self.arguments("--similarity.kind", "rbf", "--similarity.gamma", 0.8, "--data.scaling", "standard", *method,
                                           "--run.precision", precision), ranks=2)
                self.write("new.csv", csv_text([self.points[7], [0.1, 0.2, -0.3, 0.4], self.points[3]]))
                report = self.json("extend", "r.h5", "--data.path", "new.csv", "--output.path", "e.h5", ranks=3)
                self.assertEqual(0, report["evaluations"])
                with h5py.File(self.path("r.h5"), "r") as old, h5py.File(self.path("e.h5"), "r") as new:
                    numpy.testing.assert_allclose(new["left"][0], old["left"][7], atol=1e-6 if precision == "single" else 1e-13)
                    numpy.testing.assert_allclose(new["left"][2], old["left"][3], atol=1e-6 if precision == "single" else 1e-13)
                again = self.json("extend", "e.h5", "--data.path", "new.csv", "--output.path", "f.h5")
                self.assertEqual(0, again["evaluations"])

    def test_other_commands(self):
        self.cairn(*self.arguments("--similarity.kind", "rbf", "--similarity.gamma", 0.8, *self.SKETCH))
        self.assertIn("poly-tensorsketch", self.cairn("info", "r.h5").out)
        self.assertLess(self.json("evaluate", "r.h5", ranks=2)["relative_error"], 0.02)
        entry = self.json("query", "r.h5", "--entry", "3,7")["entries"][0]["value"]
        self.assertAlmostEqual(math.exp(-0.8 * math.dist(self.points[3], self.points[7]) ** 2), entry, delta=0.05)
        plan = self.json("plan", *self.arguments("--similarity.kind", "rbf", *self.SKETCH)[1:])
        self.assertEqual(self.N ** 2, plan["evaluations"])
        plan = self.json("plan", "--data.path", "points.csv", "--similarity.kind", "rbf", "--approximation.method", "rff")
        self.assertEqual(0, plan["evaluations"])
        self.write("y.csv", "y\n" + "".join(f"{sum(row)}\n" for row in self.points))
        self.cairn("train", "r.h5", "--task", "krr", "--targets", "y.csv", "--lambda", 1e-6, "--output.path", "m.h5")
        self.write("new.csv", csv_text([[0.1, 0.2, -0.3, 0.4]]))
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--output.path", "e.h5")
        self.cairn("predict", "m.h5", "--result", "e.h5", "--out", "p.csv")
        with open(self.path("p.csv"), encoding="utf-8") as file:
            self.assertAlmostEqual(0.4, float(file.read().split()[-1].split(",")[-1]), delta=0.05)
        # Other hashes are another basis.
        for seed in (1, 2):
            self.cairn(*self.arguments("--similarity.kind", "rbf", "--similarity.gamma", 0.8, *self.SKETCH, "--approximation.allocation", "equal",
                                       "--approximation.degree", 3, "--run.seed", seed, output=f"r{seed}.h5"))
            self.cairn("extend", f"r{seed}.h5", "--data.path", "new.csv", "--output.path", f"e{seed}.h5", ranks=2)
        self.cairn("train", "r1.h5", "--task", "krr", "--targets", "y.csv", "--lambda", 1e-6, "--output.path", "m1.h5")
        self.cairn("predict", "m1.h5", "--result", "e1.h5", "--out", "p1.csv", ranks=2)
        self.refused(3, "has not the factor that model 1 was trained on", "predict", "m1.h5", "--result", "e2.h5", "--out", "p2.csv")

    def test_bad_input(self):
        rff = ("--approximation.method", "rff")
        for code, pattern, arguments in (
                (2, "positive definite function of their differences", ("--similarity.kind", "cosine", *rff)),
                (2, "needs a function of the Euclidean distance", ("--similarity.kind", "laplacian", *rff, "--approximation.fourier", "orthogonal")),
                (2, "features = 7 is odd", ("--similarity.kind", "rbf", *rff, "--approximation.features", 7)),
                (2, "function of their inner products", ("--similarity.kind", "euclidean", *self.SKETCH)),
                (2, "takes no landmarks", ("--similarity.kind", "rbf", *self.SKETCH, "--landmarks.count", 20)),
                (4, r"^the function is not finite at .*smaller gamma or scale", ("--similarity.kind", "function", "--similarity.function", "power", "--similarity.exponent", 0.5, *self.SKETCH)),
                (2, "coefficients = 1,x holds 'x'", ("--similarity.kind", "function", "--similarity.function", "series", "--similarity.coefficients",
                                               "1,x", *self.SKETCH)),
                (2, "exponent .* has no effect if the function is exp", ("--similarity.kind", "function", "--similarity.exponent", 3, *self.SKETCH)),
                (2, "degree = 31", ("--similarity.kind", "rbf", *self.SKETCH, "--approximation.degree", 31)),
                (2, "penalty has no effect if columns are allocated", ("--similarity.kind", "rbf", *self.SKETCH, "--approximation.penalty", "exact")),
                (2, "sketch-columns = 15 is odd", ("--similarity.kind", "rbf", "--approximation.method", "poly-tensorsketch", "--approximation.allocation",
                                                   "equal", "--approximation.sketch", "complex", "--approximation.sketch-columns", 15)),
                (2, "leaves fewer than 2 columns", ("--similarity.kind", "rbf", "--approximation.method", "poly-tensorsketch", "--approximation.features", 9,
                                                    "--approximation.allocation", "equal"))):
            self.refused(code, pattern, *self.arguments(*arguments, output="bad.h5"))
        self.write("same.csv", csv_text([[1.0, 2.0]] * 5 + [[2.0, 2.0]]))
        self.refused(2, "sample-rows = 3 is more than the 2 different rows",
                     *self.arguments("--similarity.kind", "rbf", *self.SKETCH, "--approximation.coefficients", "coreset",
                                     "--approximation.sample-rows", 3, path="same.csv", output="bad.h5"))

    def test_all_points_alike(self):
        self.write("zero.csv", csv_text([[0.0, 0.0]] * 4))
        for kind, pattern in (("linear", "all points are 0"), ("rbf", "all points are the same"), ("cosine", "row 0 is 0")):
            gamma = ("--similarity.gamma", 1) if kind == "rbf" else ()
            self.refused(4, pattern, *self.arguments("--similarity.kind", kind, *gamma, *self.SKETCH, path="zero.csv", output="bad.h5"))


if __name__ == "__main__":
    unittest.main()
