"""How the error is measured: until it is known, a fixed number of entries, or not at all; and what is said of it."""

import csv
import math
import random
import unittest

import h5py

from cairn_program import UNHURRIED, CairnTest, csv_text

RBF = ["--similarity.kind", "rbf", "--similarity.gamma", "0.3"]


def normal_points(count, dimension=4, seed=5):
    generator = random.Random(seed)
    return [[generator.gauss(0.0, 1.0) for _ in range(dimension)] for _ in range(count)]


def social_edges(vertices, links, seed=3):
    """Preferential attachment: a new vertex links to `links` others, each with probability proportional to its degree."""
    generator = random.Random(seed)
    ends = [v for v in range(links + 1) for _ in range(links)]
    edges = [(u, v) for u in range(links + 1) for v in range(u)]
    for vertex in range(links + 1, vertices):
        chosen = set()
        while len(chosen) < links:
            chosen.add(generator.choice(ends))
        for other in sorted(chosen):
            edges.append((vertex, other))
            ends += [vertex, other]
    return edges


def grid_edges(side, reach):
    """A grid where each vertex is joined to all that are at most `reach` rows and columns away: its mean degree is high."""
    edges = []
    for r in range(side):
        for c in range(side):
            for dr in range(reach + 1):
                for dc in range(-reach, reach + 1):
                    if (dr, dc) > (0, 0) and r + dr < side and 0 <= c + dc < side:
                        edges.append((r * side + c, (r + dr) * side + c + dc))
    return edges


def edge_text(edges):
    return "# a graph\n" + "".join(f"{u}\t{v}\n" for u, v in edges)


class FromPoints(CairnTest):
    N = 1500

    def setUp(self):
        super().setUp()
        self.write("points.csv", csv_text(normal_points(self.N)))
        self.data = ["--data.path", "points.csv", *RBF]

    def approximate(self, *arguments, ranks=0, count=30):
        return self.json("approximate", *self.data, "--landmarks.count", count, "--output.path", "r.h5", *arguments,
                         ranks=ranks)


class PairsTest(FromPoints):
    def test_pairs_are_drawn_until_the_error_is_known(self):
        rough, usual, fine = (self.approximate("--evaluation.precision", p, *UNHURRIED) for p in (0.2, 0.02, 0.01))
        for report, precision in ((rough, 0.2), (usual, 0.02), (fine, 0.01)):
            self.assertEqual("precision", report["probe_stopped_by"])
            self.assertLessEqual(report["relative_error_standard_error"], precision * report["relative_error"])
            self.assertEqual(report["probe_pairs"] + report["probe_diagonal"], report["probe_evaluations"])
            self.assertLess(abs(report["relative_error"] - fine["relative_error"]),
                            4 * report["relative_error_standard_error"])
        self.assertLess(rough["probe_pairs"], fine["probe_pairs"])
        self.assertEqual(self.N, rough["probe_diagonal"])
        for report in (rough, usual, fine):
            low, high = report["relative_error_interval"]
            self.assertTrue(low < report["relative_error"] < high, report)
            self.assertEqual((0.95, False), (report["confidence"], report["certified"]))
        default = self.approximate()
        self.assertLessEqual(default["probe_pairs"], 0.1 * 30 * self.N)
        self.assertLessEqual(default["probe_evaluations"],
                             self.json("plan", *self.data, "--landmarks.count", 30)["probe_evaluations"])
        plan = self.json("plan", *self.data, "--landmarks.count", 30, "--evaluation.precision", 0.01)
        self.assertLessEqual(fine["probe_evaluations"], plan["probe_evaluations"])
        self.assertIn("at most", self.cairn("plan", *self.data, "--landmarks.count", 30).out)

    def test_time_ends_it(self):
        wanted = ("--evaluation.precision", "0.0002")
        report = self.approximate(*wanted, "--evaluation.seconds", 0, ranks=2)
        self.assertEqual(("time", 4080), (report["probe_stopped_by"], report["probe_pairs"]))  # the first look is taken anyway
        self.assertIn("stopped by time before evaluation.precision was reached (see evaluation.seconds)", self.cairn("info", "r.h5").out)
        again = self.json("evaluate", "r.h5", *wanted, "--evaluation.seconds", 0)
        self.assertEqual(("time", 4080), (again["probe_stopped_by"], again["probe_pairs"]))
        self.assertGreater(self.json("evaluate", "r.h5", *wanted)["probe_pairs"], 4080)  # without a limit, and none is kept
        self.assertEqual("limit", self.approximate(*wanted, *UNHURRIED)["probe_stopped_by"])
        first, all_of_them = (self.json("plan", *self.data, "--landmarks.count", 30, "--evaluation.seconds", limit)["seconds"]["probe"]
                              for limit in (0, 1000))
        self.assertTrue(0 < first < all_of_them, (first, all_of_them))
        self.refused(2, "evaluation.seconds", "approximate", *self.data, "--landmarks.count", 30, "--output.path", "x.h5",
                     "--evaluation.seconds", "-1", ranks=(1,))

    def test_the_estimate_does_not_depend_on_the_number_of_ranks(self):
        self.approximate()
        reports = [self.json("evaluate", "r.h5", ranks=ranks) for ranks in (0, 2, 3)]  # without a limit of time
        for report in reports[1:]:
            self.assertAlmostEqual(reports[0]["relative_error"], report["relative_error"],
                                   delta=1e-9 * report["relative_error"])
            for key in ("probe_pairs", "probe_diagonal", "probe_stopped_by"):
                self.assertEqual(reports[0][key], report[key])

    def test_a_fixed_number_is_kept_to(self):
        report = self.approximate("--evaluation.pairs", 700, ranks=2)
        self.assertEqual((700, self.N, "count"), (report["probe_pairs"], report["probe_diagonal"],
                                                  report["probe_stopped_by"]))
        for other in (["--evaluation.pairs", 700], ["--evaluation.rows", 7]):
            self.refused(2, "evaluation.precision", "approximate", *self.data, "--landmarks.count", 30, "--output.path",
                         "x.h5", "--evaluation.precision", "0.1", *other, ranks=(1,))
            self.refused(2, "give one of evaluation.seconds and evaluation", "approximate", *self.data, "--landmarks.count", 30, "--output.path",
                         "x.h5", *UNHURRIED, *other, ranks=(1,))
        for bad in ("0", "1.5", "little"):
            self.refused(2, "evaluation.precision", "approximate", *self.data, "--landmarks.count", 30, "--output.path",
                         "x.h5", "--evaluation.precision", bad, ranks=(1,))

    def test_no_error_is_estimated_where_none_is_wanted(self):
        for off in (["--evaluation.pairs", 0], ["--evaluation.rows", 0]):
            report = self.approximate(*off, ranks=2)
            for key in ("relative_error", "relative_error_standard_error", "constant_error", "probe_stopped_by"):
                self.assertIsNone(report[key])
            self.assertEqual(0, report["probe_evaluations"])
            self.assertNotIn("probe", report["seconds"])
            out = self.cairn("approximate", *self.data, "--landmarks.count", 30, "--output.path", "r.h5", *off).out
            self.assertRegex(out, rf"(?m)^  relative error +not estimated \({off[0][2:]} = 0\)$")
            self.cairn("info", "r.h5")
            report = self.json("evaluate", "r.h5", *off, "--spectrum", 20)
            self.assertIsNone(report["relative_error"])
            self.assertEqual(20, len(report["sample_spectrum"]))
            self.assertEqual(0, self.json("plan", *self.data, "--landmarks.count", 30, *off)["probe_evaluations"])

    def test_a_sweep_goes_without_errors(self):
        out = self.cairn("sweep", *self.data, "--vary", "landmarks.count=5,10", "--evaluation.pairs", 0, "--output.csv",
                         "s.csv").out
        self.assertIn("not estimated", out)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([("5", "", ""), ("10", "", "")],
                         [(row["landmarks.count"], row["relative_error"], row["error"]) for row in rows])
        out = self.cairn("sweep", *self.data, "--vary", "landmarks.count=5,10,15", "--evaluation.pairs", 0,
                         "--output.csv", "s.csv", "--restart", "true").out
        self.assertIn("3/3", out)

    def test_evaluate_takes_the_same_keys(self):
        made = self.approximate()
        again = self.json("evaluate", "r.h5", "--evaluation.precision", "0.01", ranks=2)
        self.assertEqual("precision", again["probe_stopped_by"])
        self.assertLessEqual(again["relative_error_standard_error"], 0.01 * again["relative_error"])
        exact = self.json("evaluate", "r.h5", "--evaluation.rows", "all")
        self.assertEqual("all", exact["probe_stopped_by"])
        for report in (made, again):
            self.assertLess(abs(report["relative_error"] - exact["relative_error"]),
                            4 * report["relative_error_standard_error"])
            self.assertLess(abs(report["constant_error"] - exact["constant_error"]),
                            4 * report["constant_error_standard_error"])


class ConstantTest(FromPoints):
    def test_the_error_of_the_best_constant_stands_beside_the_error(self):
        self.data = ["--data.path", "points.csv", "--similarity.kind", "rbf", "--similarity.gamma", "1e-5"]  # K is about 1
        report = self.approximate("--evaluation.rows", "all")
        points = normal_points(self.N)
        total = squares = 0.0
        for i in range(0, self.N, 10):
            for j in range(self.N):
                value = math.exp(-1e-5 * sum((a - b) ** 2 for a, b in zip(points[i], points[j])))
                total, squares = total + value, squares + value**2
        expected = math.sqrt(1 - total**2 / (squares * self.N * self.N / 10))
        self.assertAlmostEqual(expected, report["constant_error"], delta=0.1 * expected)
        self.assertEqual(0, report["constant_error_standard_error"])
        out = self.cairn("info", "r.h5").out
        self.assertIn(f"error of a constant         {report['constant_error']:.4g}, exact ", out)
        self.assertRegex(out, r"relative error +\S+, exact ")
        with h5py.File(self.path("r.h5")) as file:
            self.assertEqual(report["constant_error"], file["evaluation"].attrs["constant_error"])

    def known_to_be_worse(self, report):
        doubt = math.hypot(report["relative_error_standard_error"], report["constant_error_standard_error"])
        return report["relative_error"] - report["constant_error"] >= 2 * doubt

    def test_nothing_is_told_of_a_constant_while_it_is_in_doubt(self):
        draw = random.Random(1)
        self.write("normal.csv", csv_text([[draw.gauss(0, 1) for _ in range(3)] for _ in range(400)]))
        self.data = ["--data.path", "normal.csv", "--similarity.kind", "rbf", "--similarity.gamma", 3, "--approximation.method", "nystrom"]
        for pairs, seed, told in ((10, 5, False), (1000, 2, True)):
            report = self.approximate("--evaluation.pairs", pairs, "--run.seed", seed, count=2)
            self.assertGreater(report["relative_error"], report["constant_error"])
            self.assertEqual((told, told), (self.known_to_be_worse(report), any("not better than a constant" in w for w in report["warnings"])))

    def test_an_approximation_that_a_constant_equals_is_told(self):
        self.data = ["--data.path", "points.csv", "--similarity.kind", "euclidean"]  # a distance: 0 on the diagonal
        for method, warned in (("sicur", False), ("stacur", None)):
            report = self.approximate("--approximation.method", method, count=2, ranks=2)
            worse = self.known_to_be_worse(report)
            said = any("not better than a constant" in w or "worse than none" in w for w in report["warnings"])
            self.assertEqual(worse, said, method)


class GraphTest(CairnTest):
    def approximate(self, edges, *arguments, ranks=0):
        self.write("graph.txt", edge_text(edges))
        return self.json("approximate", "--data.kind", "graph", "--data.path", "graph.txt", "--data.format", "edges",
                         "--landmarks.count", 40, "--output.path", "r.h5", *arguments, ranks=ranks)

    def test_a_social_graph_is_not_for_biharmonic_interpolation_and_that_is_said(self):
        edges = social_edges(1200, 6)
        report = self.approximate(edges, ranks=2)
        self.assertEqual("biharmonic", report["method"])
        self.assertTrue(any("no small separators" in note and "nystrom" in note and "sicur" in note
                            for note in report["notes"]), report["notes"])
        self.assertGreater(report["relative_error"], report["constant_error"])
        self.assertTrue(any("nystrom or sicur" in warning for warning in report["warnings"]), report["warnings"])
        kept = self.json("info", "r.h5")
        self.assertEqual((report["notes"], report["warnings"]), (kept["notes"], kept["warnings"]))

    def test_a_graph_with_small_separators_is_left_alone(self):
        report = self.approximate(grid_edges(30, 2), ranks=2)
        self.assertFalse(any("separators" in note for note in report["notes"]), report["notes"])
        self.assertEqual([], report["warnings"])
        self.assertLess(report["relative_error"], report["constant_error"])

    def test_rows_are_compared_until_the_error_is_known(self):
        edges = grid_edges(40, 1)
        rough = self.approximate(edges, "--evaluation.precision", "0.5", ranks=3)
        self.assertEqual(("precision", "rows", 64), (rough["probe_stopped_by"], rough["error_over"], rough["probe_diagonal"]))
        exact = self.approximate(edges, "--evaluation.rows", "all")
        self.assertEqual("all", exact["probe_stopped_by"])
        self.assertLess(abs(rough["relative_error"] - exact["relative_error"]), 4 * rough["relative_error_standard_error"])
        off = self.approximate(edges, "--evaluation.rows", 0)
        self.assertIsNone(off["relative_error"])
        self.assertNotIn("evaluation", off["seconds"])
        self.refused(2, "--by-vertex needs compared rows", "evaluate", "r.h5", "--evaluation.rows", 0, "--by-vertex",
                     "v.csv", ranks=(1,))


if __name__ == "__main__":
    unittest.main()
