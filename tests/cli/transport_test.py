"""Transport between sets of points on the command line, against Sinkhorn's algorithm in NumPy."""

import json
import os
import subprocess
import unittest

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

from cairn_program import MPIEXEC, PROGRAM, CairnTest, csv_text, points


def sinkhorn(cost, epsilon, a, b, iterations):
    """The plan after so many iterations, from log scalings."""
    logs = -cost / epsilon
    u, v = numpy.log(a), numpy.log(b)
    for _ in range(iterations):
        u = numpy.log(a) - numpy.logaddexp.reduce(logs + v, axis=1)
        v = numpy.log(b) - numpy.logaddexp.reduce(logs + u[:, None], axis=0)
    return numpy.exp(u[:, None] + logs + v)


@unittest.skipIf(h5py is None, "h5py is missing")
class Transport(CairnTest):
    N, M = 140, 230

    def setUp(self):
        super().setUp()
        self.x = numpy.array(points(self.N))
        self.y = numpy.array(points(self.M + 50)[50:]) * [0.7, 0.9, 1] + [0.2, 0, 0.1]
        self.write("x.csv", csv_text(self.x.tolist()))
        self.write("y.csv", csv_text(self.y.tolist()))
        self.squares = ((self.x[:, None] - self.y) ** 2).sum(2)
        self.a, self.b = numpy.full(self.N, 1 / self.N), numpy.full(self.M, 1 / self.M)

    def arguments(self, *more, epsilon=0.1, output="p.h5", target="y.csv"):
        return ["transport", "--data.path", "x.csv", "--target.path", target, "--epsilon", epsilon, "--output.path", output, *more]

    def test_the_exact_kernel_gives_the_plan_of_every_cost(self):
        absolute = numpy.abs(self.x[:, None] - self.y).sum(2)
        for name, cost in (("squared-euclidean", self.squares), ("euclidean", self.squares ** 0.5), ("manhattan", absolute)):
            plan = sinkhorn(cost, 0.05, self.a, self.b, 20)
            for ranks in (1, 2, 3, 4):
                with self.subTest(cost=name, ranks=ranks):
                    report = self.json(*self.arguments("--kernel", "exact", "--cost", name, "--iterations", 20, "--tolerance", 0,
                                                       epsilon=0.05), ranks=ranks)
                    self.assertAlmostEqual(1, report["transport_cost"] / (plan * cost).sum(), delta=1e-11)
                    self.assertEqual((20, False, "exact", 0), tuple(report[key] for key in ("iterations", "converged", "kernel", "columns")))
                    self.assertAlmostEqual(abs(plan.sum(1) - self.a).sum(), report["violation_source"], delta=1e-12)
                    with h5py.File(self.path("p.h5"), "r") as file:
                        f, g = file["source/potentials"][:], file["target/potentials"][:]
                        numpy.testing.assert_allclose(self.a[:, None] * self.b * numpy.exp((f[:, None] + g - cost) / 0.05), plan, rtol=1e-9)
                        numpy.testing.assert_allclose(file["source/barycentres"][:], plan @ self.y / plan.sum(1)[:, None], rtol=1e-10)
                        numpy.testing.assert_array_equal(file["source/points"][:], self.x)
                        numpy.testing.assert_array_equal(file["target/groups"][:], numpy.arange(self.M))

    def test_every_kernel_comes_near(self):
        exact = sinkhorn(self.squares, 1, self.a, self.b, 200)
        cost = (exact * self.squares).sum()
        for kernel, within in ((["auto"], 1e-5), (["nystrom", "--landmarks.count", 60], 1e-6),
                               (["nystrom", "--landmarks.count", 60, "--landmarks.selection", "rpcholesky"], 1e-6),
                               (["poly-tensorsketch", "--approximation.features", 80], 1e-3),
                               (["rff", "--approximation.features", 2000], 0.05), (["positive", "--features", 3000], 0.1)):
            for ranks in (1, 3):
                with self.subTest(kernel=kernel, ranks=ranks):
                    report = self.json(*self.arguments("--kernel", *kernel, epsilon=1), ranks=ranks)
                    self.assertTrue(report["converged"])
                    self.assertAlmostEqual(1, report["transport_cost"] / cost, delta=within)
                    self.assertLess(abs(report["rounded_cost"] / report["transport_cost"] - 1), 1e-3)
                    self.assertEqual((self.N, self.M), (report["exact_violation_source_points"], report["exact_violation_target_points"]))

    def test_auto_takes_factors_where_they_do_and_the_exact_kernel_elsewhere(self):
        smooth = self.json(*self.arguments(epsilon=1))
        self.assertEqual("nystrom", smooth["kernel"])
        self.assertLess(smooth["exact_violation_source"], 1.1e-4 + 2 * smooth["exact_violation_source_standard_error"])
        rough = self.json(*self.arguments(epsilon=0.002))
        self.assertEqual("exact", rough["kernel"])
        self.assertTrue(any("64 landmarks do not do" in note for note in rough["notes"]), rough["notes"])
        self.assertNotIn("exact_violation_source", rough)
        self.assertEqual("exact", self.json(*self.arguments("--cost", "euclidean", epsilon=1))["kernel"])

    def test_weights_and_equal_points(self):
        a = numpy.array([(7 * i) % 5 for i in range(self.N)], dtype=float)  # every fifth is 0
        self.write("a.csv", "\n".join(map(str, a)) + "\n")
        numpy.save(self.path("b.npy"), (1.0 + numpy.arange(self.M) % 3)[:, None])
        b = 1.0 + numpy.arange(self.M) % 3
        plan = sinkhorn(self.squares[a > 0], 0.1, a[a > 0] / a.sum(), b / b.sum(), 300)
        report = self.json(*self.arguments("--kernel", "exact", "--weights", "a.csv", "--target.weights", "b.npy", "--tolerance", 1e-12))
        self.assertAlmostEqual(1, report["transport_cost"] / (plan * self.squares[a > 0]).sum(), delta=1e-10)
        self.assertEqual((int((a > 0).sum()), self.N), (report["source_points"], report["source_rows"]))
        with h5py.File(self.path("p.h5"), "r") as file:
            self.assertEqual([i for i in range(self.N) if a[i] == 0], numpy.flatnonzero(file["source/groups"][:] < 0).tolist())
        self.assertEqual(["28 rows of weight 0 were left out"], [note for note in report["notes"] if "rows" in note])
        numpy.save(self.path("flat.npy"), b)  # of one dimension
        flat = self.json(*self.arguments("--kernel", "exact", "--weights", "a.csv", "--target.weights", "flat.npy", "--tolerance", 1e-12))
        self.assertEqual(report["transport_cost"], flat["transport_cost"])
        # Twice the points are the same measure.
        self.write("x.csv", csv_text(self.x.tolist() + self.x.tolist()))
        twice = self.json(*self.arguments("--kernel", "exact"), ranks=2)
        self.write("x.csv", csv_text(self.x.tolist()))
        once = self.json(*self.arguments("--kernel", "exact"))
        self.assertEqual((self.N, 2 * self.N), (twice["source_points"], twice["source_rows"]))
        self.assertIn(f"{self.N} source rows are equal to others: {self.N} different points are left", twice["notes"])
        self.assertAlmostEqual(once["transport_cost"], twice["transport_cost"], delta=1e-12)

    def test_new_points_are_mapped(self):
        new = numpy.array(points(30))[17:] + 0.05
        self.write("new.csv", csv_text(new.tolist()))
        for kernel, within in ((["exact"], 1e-9), (["nystrom", "--landmarks.count", 100], 1e-3)):
            self.cairn(*self.arguments("--kernel", *kernel, "--map", "new.csv", "--tolerance", 1e-10, epsilon=0.5), ranks=2)
            with h5py.File(self.path("p.h5"), "r") as file:
                g, mapped = file["target/potentials"][:], file["mapped"][:]
            shares = self.b * numpy.exp((g - ((new[:, None] - self.y) ** 2).sum(2)) / 0.5)
            numpy.testing.assert_allclose(mapped, shares @ self.y / shares.sum(1)[:, None], rtol=within)

    def test_the_divergence_of_a_set_with_itself_is_zero(self):
        for kernel in (["exact"], ["nystrom", "--landmarks.count", 100]):
            same = self.json(*self.arguments("--kernel", *kernel, "--debiased", "true", "--tolerance", 1e-9, epsilon=0.5, target="x.csv"))
            self.assertLess(abs(same["sinkhorn_divergence"]), 1e-8)
            other = self.json(*self.arguments("--kernel", *kernel, "--debiased", "true", "--tolerance", 1e-9, epsilon=0.5), ranks=2)
            plans = [sinkhorn(((p[:, None] - q) ** 2).sum(2), 0.5, numpy.full(len(p), 1 / len(p)), numpy.full(len(q), 1 / len(q)), 500)
                     for p, q in ((self.x, self.y), (self.x, self.x), (self.y, self.y))]
            costs = [((p[:, None] - q) ** 2).sum(2) for p, q in ((self.x, self.y), (self.x, self.x), (self.y, self.y))]
            entropic = [(plan * cost).sum() + 0.5 * (plan * numpy.log(plan * plan.size)).sum() for plan, cost in zip(plans, costs)]
            self.assertAlmostEqual(entropic[0] - (entropic[1] + entropic[2]) / 2, other["sinkhorn_divergence"], delta=1e-6)

    def test_single_precision_and_scaling(self):
        double = self.json(*self.arguments("--data.scaling", "standard", "--kernel", "exact", epsilon=0.5))
        single = self.json(*self.arguments("--data.scaling", "standard", "--kernel", "exact", "--run.precision", "single", epsilon=0.5), ranks=2)
        self.assertAlmostEqual(1, single["transport_cost"] / double["transport_cost"], delta=1e-4)
        self.assertIn("scaled by data.scaling = standard", " ".join(double["notes"]))
        with h5py.File(self.path("p.h5"), "r") as file:
            self.assertEqual("standard", file["scaling"].attrs["kind"].decode() if isinstance(file["scaling"].attrs["kind"], bytes) else file["scaling"].attrs["kind"])
            numpy.testing.assert_allclose(file["source/points"][:] / file["scaling/factor"][:] + file["scaling/shift"][:], self.x, atol=1e-6)
        self.cairn("info", "p.h5", "--verify", "true")
        scaled = (self.x - self.x.mean(0)) / self.x.std(0), (self.y - self.x.mean(0)) / self.x.std(0)
        cost = ((scaled[0][:, None] - scaled[1]) ** 2).sum(2)
        self.assertAlmostEqual(1, double["transport_cost"] / (sinkhorn(cost, 0.5, self.a, self.b, 300) * cost).sum(), delta=1e-3)

    def test_info_prints_what_the_run_printed(self):
        run = self.json(*self.arguments(epsilon=1))
        info = self.json("info", "p.h5")
        for key in ("kernel", "columns", "transport_cost", "dual_value", "source_points", "epsilon", "iterations", "notes"):
            self.assertEqual(run[key], info[key], key)
        self.assertIn("a plan of transport", self.cairn("info", "p.h5").out)
        self.assertIn("no damage", self.cairn("info", "p.h5", "--verify", "true").out)
        self.refused(3, "p.h5.*no result of cairn|format", "query", "p.h5", "--entry", "0,0", ranks=(1,))

    def test_no_convergence_is_a_warning(self):
        report = self.json(*self.arguments("--kernel", "exact", "--iterations", 2, epsilon=0.1))
        self.assertRegex(report["warnings"][0], "2 iterations did not converge: the marginals of the plan are off by")

    def test_marginals_that_are_off_by_more_than_1_are_an_error_whatever_the_kernel_is(self):
        """Ten times as far apart, and few iterations of a small epsilon: nearly no mass where it should be."""
        for name, rows in (("x.csv", 10 * self.x), ("y.csv", 10 * self.y + 3)):
            self.write(name, csv_text(rows.tolist()))
        message = r"after 3 iterations the marginals of the plan are off by 1\.\d+ and .*: no plan of exp\(-cost / epsilon\) was found; " \
                  "set --iterations or --epsilon higher"
        for precision in ("double", "single"):
            arguments = self.arguments("--kernel", "exact", "--iterations", 3, "--run.precision", precision, epsilon=0.02, output="none.h5")
            self.refused(4, message, *arguments)
            self.refused(4, message, *arguments, "--tolerance", 0)
        self.assertFalse(os.path.exists(self.path("none.h5")))
        self.refused(4, message, *self.arguments("--cost", "euclidean", "--iterations", 3, epsilon=0.002, output="none.h5"))
        self.refused(4, message, *self.arguments("--kernel", "auto", "--iterations", 3, epsilon=0.02, output="none.h5"))
        self.cairn(*self.arguments("--kernel", "exact", "--iterations", 3, "--tolerance", 2, epsilon=0.02))  # as asked for

    def test_a_small_epsilon_comes_to_the_cost_without_entropy(self):
        """On a line the best plan goes in order."""
        draw = numpy.random.default_rng(5)
        x, y = numpy.sort(draw.normal(size=120)), numpy.sort(draw.normal(size=120) * 1.5 + 0.3)
        numpy.save(self.path("x.npy"), draw.permutation(x)[:, None])
        numpy.save(self.path("y.npy"), draw.permutation(y)[:, None])
        for name, best, epsilon in (("squared-euclidean", ((x - y) ** 2).mean(), 3e-4), ("manhattan", abs(x - y).mean(), 3e-3)):
            arguments = ["transport", "--data.path", "x.npy", "--target.path", "y.npy", "--kernel", "exact", "--cost", name,
                         "--epsilon", epsilon, "--output.path", "p.h5"]
            found = [self.json(*arguments, ranks=ranks) for ranks in (1, 2, 3)]
            for report in found:
                self.assertAlmostEqual(1, report["transport_cost"] / best, delta=0.02)
                self.assertLess(report["violation_source"], 0.02)
                self.assertRegex(" ".join(report["notes"]), r"\d+ of the iterations came down from [\d.]+ to epsilon, by 1\d steps")
                self.assertAlmostEqual(found[0]["transport_cost"], report["transport_cost"], delta=1e-9)
        # A plan that converges without is the same but for the tolerance; none of it with --tolerance 0.
        plan = sinkhorn((x[:, None] - y) ** 2, 0.05, numpy.full(120, 1 / 120), numpy.full(120, 1 / 120), 5000)
        arguments[arguments.index("manhattan")], arguments[arguments.index(epsilon)] = "squared-euclidean", 0.05
        report = self.json(*arguments, "--tolerance", 1e-8, "--iterations", 5000)
        self.assertIn("came down from", " ".join(report["notes"]))
        self.assertAlmostEqual((plan * (x[:, None] - y) ** 2).sum(), report["transport_cost"], delta=1e-7)
        self.assertNotIn("came down", " ".join(self.json(*arguments, "--tolerance", 0, "--iterations", 50)["notes"]))

    def test_a_run_that_is_stopped_goes_on(self):
        for kernel, epsilon in ((["exact"], 0.3), (["auto"], 0.3), (["exact"], 0.01)):  # the last comes down from larger ones
            arguments = self.arguments("--kernel", *kernel, "--tolerance", 1e-9, "--iterations", 400, epsilon=epsilon)
            whole = self.json(*arguments)
            stops = 0
            while True:
                command = [*MPIEXEC, "-n", str(1 + stops % 3), PROGRAM, *map(str, arguments), "--run.checkpoint", "ck", "--restart",
                           "--json", "report.json", *(["--run.max-time", "0"] if stops < 4 else [])]
                done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
                self.assertIn(done.returncode, (0, 75), done.stderr)
                if done.returncode == 0:
                    break
                if kernel == ["exact"]:
                    self.assertRegex(done.stderr, r"stopped by run.max-time during 'Sinkhorn, .*, iteration \d+'; the finished tiles are in ck")
                stops += 1
            self.assertEqual(4, stops)
            with open(self.path("report.json"), encoding="utf-8") as file:
                resumed = json.load(file)
            for key in ("iterations", "kernel", "columns", "evaluations"):
                self.assertEqual(whole[key], resumed[key], key)
            if kernel == ["exact"]:
                self.assertRegex(" ".join(resumed["notes"]), r"the iteration by .* went on after iteration \d+, from a checkpoint")
            self.assertAlmostEqual(1, whole["transport_cost"] / resumed["transport_cost"], delta=1e-9)
            self.assertEqual([], [name for name in os.listdir(self.folder) if name.startswith("ck")])

    def test_a_divergence_that_is_stopped_goes_on(self):
        for kernel in (["exact"], ["nystrom", "--landmarks.count", 60], ["positive", "--features", 50]):
            arguments = self.arguments("--kernel", *kernel, "--tolerance", 1e-5, "--debiased", "true", epsilon=1)
            whole = self.json(*arguments)
            for stops in range(40):
                command = [*MPIEXEC, "-n", str(1 + stops % 2), PROGRAM, *map(str, arguments), "--run.checkpoint", "ck", "--restart",
                           "--json", "report.json", *(["--run.max-time", "0"] if stops < 7 else [])]
                done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
                self.assertIn(done.returncode, (0, 75), done.stderr)
                if done.returncode == 0:
                    break
            self.assertGreater(stops, 5)
            with open(self.path("report.json"), encoding="utf-8") as file:
                self.assertEqual(whole["evaluations"], json.load(file)["evaluations"])
            with open(self.path("report.json"), encoding="utf-8") as file:
                resumed = json.load(file)
            for key in ("transport_cost", "sinkhorn_divergence"):
                self.assertAlmostEqual(1, whole[key] / resumed[key], delta=1e-8)

    def test_a_plan_far_from_the_kernel_is_told(self):
        report = self.json(*self.arguments("--kernel", "positive", "--features", 50, epsilon=1))
        self.assertRegex(report["warnings"][0], "under the kernel itself the marginals are off by 0.0.*take more landmarks")
        self.assertEqual([], self.json(*self.arguments("--kernel", "nystrom", "--landmarks.count", 60, epsilon=1))["warnings"])
        self.write("x.csv", csv_text((4 * self.x).tolist()))
        self.write("y.csv", csv_text((4 * self.y).tolist()))
        self.refused(4, "under the kernel itself the marginals are off by .*no plan of exp",
                     *self.arguments("--kernel", "positive", "--features", 100, epsilon=1, output="none.h5"))

    def test_coefficients_are_chosen_by_pairs_of_a_source_and_a_target(self):
        """Points of one side are far from those of the other: pairs within a side are another matrix."""
        draw = numpy.random.default_rng(8)
        for name, shift in (("near.npy", 0), ("far.npy", 0.4)):
            numpy.save(self.path(name), 0.15 * draw.standard_normal((150, 3)) + shift)
        base = ["transport", "--data.path", "near.npy", "--target.path", "far.npy", "--epsilon", 1, "--iterations", 10, "--tolerance", 0,
                "--output.path", "c.h5", "--kernel"]
        exact = self.json(*base, "exact")["transport_cost"]
        sketch = ("poly-tensorsketch", "--approximation.features", 20, "--approximation.degree", 3)
        of_all = abs(self.json(*base, *sketch, "--debiased", "true")["transport_cost"] / exact - 1)
        costs = [self.json(*base, *sketch, ranks=ranks)["transport_cost"] for ranks in (1, 2, 3, 4)]
        self.assertLess(abs(costs[0] / exact - 1), of_all / 3)
        for cost in costs:
            self.assertAlmostEqual(1, cost / costs[0], delta=1e-10)

    def test_an_epsilon_that_numbers_do_not_resolve_is_refused(self):
        for epsilon in (1e-300, 1e-15):
            self.refused(2, f"--epsilon = {epsilon}.* is too small: costs are up to", *self.arguments("--kernel", "exact", epsilon=epsilon, output="none.h5"))
        self.refused(2, "--epsilon = 1e-06.* is too small", *self.arguments("--kernel", "exact", "--run.precision", "single", epsilon=1e-6, output="none.h5"))
        # Rows of unit length with few entries are near one another in a box with far corners: D = 400 there, at most 4 here.
        draw = numpy.random.default_rng(3)
        for name in ("sparse.npy", "others.npy"):
            rows = numpy.zeros((60, 400))
            for row in rows:
                row[draw.choice(400, 4, replace=False)] = 0.5
            numpy.save(self.path(name), rows)
        sparse = ["transport", "--data.path", "sparse.npy", "--target.path", "others.npy", "--run.precision", "single", "--kernel", "exact",
                  "--output.path", "s.h5", "--epsilon"]
        self.cairn(*sparse, 2e-4, ranks=2)  # 400 / 2e-4 is beyond the limit
        self.refused(2, "is too small: costs are up to 4[,;]", *sparse, 2e-5, ranks=(1, 3))
        for kernel in ("exact", "auto"):
            self.refused(2, r"--epsilon = 1e\+300.* is too large: costs are up to", *self.arguments("--kernel", kernel, epsilon=1e300, output="none.h5"))
        # Within reach the plan is that of the limits.
        self.assertAlmostEqual(self.squares.mean(), self.json(*self.arguments("--kernel", "exact", epsilon=1e6))["transport_cost"], delta=1e-5)
        self.assertGreater(0.01, abs(self.json(*self.arguments("--kernel", "exact", "--iterations", 3, "--tolerance", 2, epsilon=1e-9))["mass"] - 1))
        self.cairn(*self.arguments("--kernel", "exact", epsilon=0.5, target="x.csv"))

    def test_the_config_of_a_plan_gives_it_again(self):
        self.write("w.csv", "".join(f"{1 + i % 3}\n" for i in range(self.N)))
        self.write("plan.cfg", "epsilon = 0.4\nkernel = nystrom\nweights = w.csv\n\n[data]\npath = x.csv\n[target]\npath = y.csv\n"
                   "[landmarks]\ncount = 60\n[output]\npath = p.h5\n")
        first = self.json("transport", "--config", "plan.cfg")
        config = self.json("info", "p.h5")["provenance"]["config"]
        self.assertRegex(config, r"^epsilon = 0.4\nkernel = nystrom\nweights = /.*w.csv\n\n\[data\]\n")
        self.write("again.cfg", config)
        second = self.json("transport", "--config", "again.cfg", "--output.path", "again.h5", ranks=2)
        self.assertAlmostEqual(first["transport_cost"], second["transport_cost"], delta=1e-10)

    def test_files_of_several_data_sets(self):
        self.cairn(*self.arguments("--kernel", "exact", "--map", "x.csv"))
        self.refused(3, "p.h5: has 4 two-dimensional data sets: mapped, source/barycentres, source/points, target/points; name one with data.dataset",
                     "transport", "--data.path", "p.h5", "--target.path", "y.csv", "--epsilon", 1, "--output.path", "q.h5")
        self.refused(3, "p.h5: has 4 .*name one with --target.dataset", *self.arguments(target="p.h5", output="q.h5"))
        self.refused(2, "--target.dataset = a: y.csv is of format csv", *self.arguments("--target.dataset", "a", output="q.h5"))
        out = self.cairn(*self.arguments("--target.dataset", "source/barycentres", target="p.h5", output="q.h5", epsilon=1)).out
        self.assertIn("hdf5 data set source/barycentres, 3 columns", out)

    def test_help_tells_of_points_and_kernels_alone(self):
        out = self.cairn("transport", "--help", "all", ranks=0).out
        self.assertIn("cairn transport [--config FILE] [OPTIONS]", out)
        for key in ("--data.path", "--landmarks.count", "--approximation.features"):
            self.assertIn(key, out)
        for key in ("--data.window", "--approximation.p-row", "--approximation.alpha"):
            self.assertNotIn(key, out)

    def test_bad_input(self):
        base = self.arguments("--kernel", "exact")
        self.refused(2, r"--epsilon = 0 .*above 0", *self.arguments(epsilon=0))
        self.refused(2, "epsilon", "transport", "--data.path", "x.csv", "--target.path", "y.csv", "--output.path", "p.h5", ranks=(1,))
        self.refused(2, "target.path", "transport", "--data.path", "x.csv", "--epsilon", 1, "--output.path", "p.h5", ranks=(1,))
        self.write("flat.csv", "x,y\n1,2\n3,4\n")
        self.refused(3, "flat.csv: the new points have 2 coordinates, those of x.csv have 3", *self.arguments(target="flat.csv"))
        self.write("none.csv", "x0,x1,x2\n")
        self.refused(3, "none.csv", *self.arguments(target="none.csv"))
        for text, pattern in (("-1\n" * self.N, "w.csv: the weight of source row 0.* is -1"), ("0\n" * self.N, "w.csv: .*sum to 0"), ("1\n" * 3, "3 x 1.*140"),
                              ("1,2\n" * self.N, "140 x 2"), ("1\none\n" * self.N, "w.csv:2: .*'one' is not a number$")):
            self.write("w.csv", text)
            self.refused(3, pattern, *base, "--weights", "w.csv")
        self.refused(2, "--kernel = nystrom", *self.arguments("--kernel", "nystrom", "--landmarks.count", 9, "--cost", "euclidean"), ranks=(1,))
        self.refused(2, "--features has no effect", *base, "--features", 9, ranks=(1,))
        self.refused(2, "--sample has no effect", *base, "--sample", 9, ranks=(1,))
        self.refused(2, "--sample has no effect if --cost = manhattan", *self.arguments("--cost", "manhattan", "--sample", 9), ranks=(1,))
        self.refused(2, "--sample = 1 is too few", *self.arguments("--sample", 1), ranks=(1,))
        self.refused(2, "--run.seed has no effect", *base, "--run.seed", 9, ranks=(1,))
        self.refused(2, "--landmarks.count has no effect", *self.arguments("--landmarks.count", 9), ranks=(1,))
        self.refused(2, "--landmarks.count has no effect if --kernel is exact", *base, "--landmarks.count", 9, ranks=(1,))
        self.refused(2, "--approximation.degree has no effect", *self.arguments("--kernel", "nystrom", "--landmarks.count", 9, "--approximation.degree", 3), ranks=(1,))
        self.refused(2, "--approximation.method has no effect", *self.arguments("--approximation.method", "nystrom"), ranks=(1,))
        self.refused(2, "between points", *self.arguments("--data.kind", "graph"), ranks=(1,))
        self.refused(2, "landmarks.count", *self.arguments("--kernel", "nystrom"))
        self.refused(4, "iteration 1: the approximated kernel times the scaling is -.*(source|target) point.*not above 0",
                     *self.arguments("--kernel", "rff", "--approximation.features", 20, epsilon=0.01))


if __name__ == "__main__":
    unittest.main()
