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

    def coefficients_of(self, path="r.h5"):
        with h5py.File(self.path(path), "r") as file:
            found = []
            file.visititems(lambda name, item: found.append(item) if name.endswith("coefficients") else None)
            scale = [item for item in (file[name] for name in self.names(file)) if item.name.endswith("numbers") and item.shape == (4,)]
            return found[0][:] * scale[0][1] ** (2 * numpy.arange(len(found[0])))

    @staticmethod
    def names(file):
        names = []
        file.visit(names.append)
        return names

    def test_polynomials_that_are_given(self):
        method = ("--approximation.method", "poly-tensorsketch", "--approximation.features", 1001)
        sketch = (*method, "--approximation.degree", 6)
        equal = ("--approximation.allocation", "equal")
        rbf = ("--similarity.kind", "rbf", "--similarity.gamma", 0.8)
        a = 1 / math.sqrt(1 + math.exp(-0.3))  # any number: Taylor's coefficients at a shift, against differences
        functions = {"exp": numpy.exp, "logistic": lambda t: 1 / (1 + numpy.exp(-t)), "tanh": numpy.tanh, "softplus": lambda t: numpy.log1p(numpy.exp(t))}
        for name, function in functions.items():
            self.cairn(*self.arguments("--similarity.kind", "function", "--similarity.function", name, "--similarity.scale", 0.7,
                                       "--similarity.shift", a, *sketch, *equal, "--approximation.coefficients", "taylor"), ranks=2)
            t = 1e-1 * numpy.exp(2j * math.pi * numpy.arange(64) / 64)  # Cauchy's integral on a circle
            values = function(0.7 * t + a)
            expected = [(values * t ** -float(k)).mean().real for k in range(7)]
            numpy.testing.assert_allclose(self.coefficients_of(), expected, rtol=1e-8, atol=1e-9)
        for arguments, coefficients in ((("polynomial", "--similarity.gamma", 2, "--similarity.degree", 3, "--similarity.coef0", 1), [1, 6, 12, 8, 0, 0, 0]),
                                        (("function", "--similarity.function", "series", "--similarity.coefficients", "1,2,3", "--similarity.shift", 1), [6, 8, 3, 0, 0, 0, 0]),
                                        (rbf[1:], [1.6 ** k / math.factorial(k) for k in range(7)])):
            self.cairn(*self.arguments("--similarity.kind", *arguments, *sketch, *equal, "--approximation.coefficients", "taylor", "--approximation.center", "false"))
            numpy.testing.assert_allclose(self.coefficients_of(), coefficients, rtol=1e-10, atol=1e-12)
        # Chebyshev: the values in the nodes, up to the longest product.
        self.cairn(*self.arguments(*rbf, *sketch, *equal, "--approximation.coefficients", "chebyshev", "--approximation.center", "false"))
        largest = max((numpy.array(self.points) ** 2).sum(1))
        nodes = largest * numpy.cos(math.pi * (numpy.arange(7) + 0.5) / 7)
        numpy.testing.assert_allclose(numpy.polynomial.polynomial.polyval(nodes, self.coefficients_of()), numpy.exp(1.6 * nodes), rtol=1e-9)
        # The predicted error is that of the polynomial, and of its sketches. Few coordinates meet in all rows or in none.
        self.points = [[(value - 0.5) / 3 for value in row] for row in points(self.N, 40)]
        self.write("points.csv", csv_text(self.points))
        self.write("c.txt", "# of t\n0.9\n1.5\n\n1.2\n")
        for allocation in (equal, ()):
            for coefficients in (["taylor"], ["chebyshev"], ["file", "--approximation.coefficients-file", "c.txt"]):
                with self.subTest(allocation=allocation, coefficients=coefficients):
                    exact = self.matrix(lambda p, d: numpy.exp(-0.8 * d))
                    squares, predicted = 0.0, 0.0
                    for seed in range(5):
                        report = self.json(*self.arguments(*rbf, *method, *allocation, "--approximation.center", "false", "--approximation.degree", 4,
                                                           "--approximation.coefficients", *coefficients, "--run.seed", seed), ranks=1 + seed % 2)
                        squares += (numpy.linalg.norm(self.approximated() - exact) / numpy.linalg.norm(exact)) ** 2 / 5
                        predicted += report["predicted_error"] / 5
                    self.assertLess(abs(math.sqrt(squares) / predicted - 1), 0.3, (squares, predicted))
        self.cairn(*self.arguments(*rbf, *sketch, *equal, "--approximation.center", "false", "--approximation.coefficients", "file",
                                   "--approximation.coefficients-file", "c.txt"), ranks=3)
        numpy.testing.assert_allclose(self.coefficients_of(), [0.9, 1.5, 1.2, 0, 0, 0, 0], rtol=1e-12, atol=1e-12)

    def test_polynomials_that_cannot_be_given(self):
        method = ("--approximation.method", "poly-tensorsketch", "--approximation.degree", 3)
        given = ("--approximation.coefficients", "file", "--approximation.coefficients-file", "c.txt")
        rbf = ("--similarity.kind", "rbf", "--similarity.gamma", 0.8)
        self.refused(2, "coefficients-file", *self.arguments(*rbf, *method, "--approximation.coefficients", "file", output="bad.h5"))
        self.write("c.txt", "1\n2\nx\n")
        self.refused(3, "c.txt:3: 'x' is not a finite number", *self.arguments(*rbf, *method, *given, output="bad.h5"), ranks=(1, 3))
        self.write("c.txt", "1\n2\n3\n4\n5\n")
        self.refused(3, "c.txt:5: there are more than 4 coefficients", *self.arguments(*rbf, *method, *given, output="bad.h5"))
        self.write("c.txt", "# none\n")
        self.refused(3, "c.txt: holds no coefficients", *self.arguments(*rbf, *method, *given, output="bad.h5"))
        self.refused(2, "coefficients-file has no effect", *self.arguments(*rbf, *method, "--approximation.coefficients-file", "c.txt", output="bad.h5"))
        for option, value in (("signs", "positive"), ("penalty", "degree")):
            self.refused(2, f"{option} has no effect", *self.arguments(*rbf, *method, "--approximation.coefficients", "taylor", f"--approximation.{option}", value,
                                                                    "--approximation.allocation", "equal", output="bad.h5"))

    def test_trees(self):
        sketch = ("--similarity.kind", "rbf", "--similarity.gamma", 0.8, "--approximation.method", "poly-tensorsketch", "--approximation.sketch", "tree",
                  "--approximation.allocation", "equal")
        exact = self.matrix(lambda p, d: numpy.exp(-0.8 * d))
        ratios = []
        for seed in range(6):
            report = self.json(*self.arguments(*sketch, "--approximation.degree", 3, "--run.seed", seed), ranks=1 + seed % 3)
            ratios.append(numpy.linalg.norm(self.approximated() - exact) / numpy.linalg.norm(exact) / report["predicted_error"])
        self.assertLess(abs(math.sqrt(numpy.mean(numpy.square(ratios))) - 1), 0.2, ratios)
        self.write("new.csv", csv_text([self.points[7], self.points[3]]))
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--output.path", "e.h5", ranks=2)
        with h5py.File(self.path("r.h5"), "r") as old, h5py.File(self.path("e.h5"), "r") as new:
            numpy.testing.assert_allclose(new["left"][:], old["left"][:][[7, 3]], atol=1e-12)
        self.refused(2, "hashes has no effect", *self.arguments(*sketch, "--approximation.hashes", "shared", output="bad.h5"))
        # Columns of many degrees are chosen by the variance of trees.
        self.write("wide.csv", csv_text([[value - 0.5 for value in row] for row in points(self.N, 40)]))
        ratios = []
        for seed in range(5):
            optimal = self.json(*self.arguments("--similarity.kind", "polynomial", "--similarity.gamma", 0.3, "--similarity.degree", 6, "--run.seed", seed,
                                                "--approximation.method", "poly-tensorsketch", "--approximation.features", 2001, "--approximation.sketch", "tree",
                                                "--approximation.coefficients", "taylor", path="wide.csv"))
            ratios.append(optimal["relative_error"] / optimal["predicted_error"])
        self.assertLess(abs(math.sqrt(numpy.mean(numpy.square(ratios))) - 1), 0.4, ratios)

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
        self.refused(3, ": its left factor is not the one that model 1 was trained on", "predict", "m1.h5", "--result", "e2.h5", "--out", "p2.csv")

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
        for code, kind, pattern in ((4, "linear", "all points are 0"), (4, "rbf", "all points are the same"), (3, "cosine", "row 0 is 0")):
            gamma = ("--similarity.gamma", 1) if kind == "rbf" else ()
            self.refused(code, pattern, *self.arguments("--similarity.kind", kind, *gamma, *self.SKETCH, path="zero.csv", output="bad.h5"))


if __name__ == "__main__":
    unittest.main()
