"""Trees that hang off a graph are exact: results against path lengths that Python finds, and what goes on with them."""

import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402
from graph_test import edge_text, grid_edges, path_lengths  # noqa: E402

CORE = 100  # vertices of a grid of 10 x 10
N = 160


def edges_with_trees(seed=3):
    """A grid, no vertex of which is a leaf, and 60 vertices that hang off it or off each other."""
    rng = random.Random(seed)
    edges = [(r * 10 + c, r * 10 + c + 1) for r in range(10) for c in range(9)]
    edges += [(r * 10 + c, (r + 1) * 10 + c) for r in range(9) for c in range(10)]
    for v in range(CORE, N):
        off = rng.choice([rng.randrange(CORE), rng.randrange(CORE, v) if v > CORE else 0])
        edges.append((off, v))
    return edges


class HangingTrees(CairnTest):
    def setUp(self):
        super().setUp()
        self.edges = edges_with_trees()
        self.write("graph.txt", edge_text(self.edges))

    def approximate(self, *arguments, count=CORE, ranks=0, data="graph.txt", expect=0):
        command = ["approximate", "--data.kind", "graph", "--data.path", data, "--data.format", "edges",
                   "--landmarks.count", count, "--output.path", "r.h5", "--evaluation.rows", "all", *arguments]
        return self.json(*command, ranks=ranks) if expect == 0 else self.cairn(*command, ranks=ranks, expect=expect)

    def row(self, source, ranks=0):
        return self.json("query", "r.h5", "--row", source, "--approximate", "true", ranks=ranks)["row"]["values"]


class ExactTreesTest(HangingTrees):
    def test_all_entries_are_exact_if_the_core_has_landmarks_alone(self):
        # Trees have one vertex at most where there is a landmark for every vertex but them.
        for ranks in (0, 2, 3, 4):
            with self.subTest(ranks=ranks):
                leaves = N - len({u for edge in self.edges for u in edge if self.degree(u) > 1})
                report = self.approximate(count=N - leaves, ranks=ranks)
                self.assertLess(report["relative_error"], 1e-9)
                self.assertRegex(" ".join(report["notes"]), f"{leaves} of {N} vertices are in pendant trees")
                for source in (0, 7, 120, 159):
                    for found, exact in zip(self.row(source, ranks), path_lengths(self.edges, source, N)):
                        self.assertAlmostEqual(found, exact, places=9)
        self.assertLess(self.json("evaluate", "r.h5", "--evaluation.rows", "all")["relative_error"], 1e-9)

    def degree(self, vertex):
        return sum(vertex in edge for edge in self.edges)

    def test_they_are_better_than_interpolated_ones_in_either_precision(self):
        interpolated = self.approximate("--approximation.exact-trees", "false", count=20)
        self.assertFalse(any("hang off" in note for note in interpolated["notes"]))
        for precision in ("double", "single"):
            exact = self.approximate("--run.precision", precision, count=20)
            self.assertLess(exact["relative_squared_error"], 0.7 * interpolated["relative_squared_error"])
            again = self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=3)
            self.assertAlmostEqual(exact["relative_error"], again["relative_error"], delta=1e-6)

    def test_a_graph_may_be_a_tree(self):
        rng = random.Random(5)
        shapes = {"random": [(rng.randrange(max(0, v - 6), v), v) for v in range(1, 200)],
                  "path": [(v - 1, v) for v in range(1, 200)],
                  "star": [(0, v) for v in range(1, 200)]}
        for name, edges in shapes.items():
            with self.subTest(name):
                self.write("tree.txt", edge_text(edges))
                report = self.approximate(data="tree.txt", count=15, ranks=2)
                self.assertLess(report["relative_error"], 0.25)
                exact = self.json("query", "r.h5", "--row", 11)["row"]["values"]
                self.assertEqual(path_lengths(edges, 11, 200), exact)

    def test_landmarks_of_a_file_stay_outside_of_trees(self):
        chosen = sorted({*range(0, CORE, 4), 130, 159})
        self.write("landmarks.txt", "".join(f"{v}\n" for v in chosen))
        report = self.approximate("--landmarks.selection", "file", "--landmarks.path", "landmarks.txt",
                                  count=len(chosen))
        self.assertRegex(" ".join(report["notes"]), "are in pendant trees")
        for source in (130, 159):
            row = self.row(source)
            for other in chosen:
                self.assertAlmostEqual(path_lengths(self.edges, source, N)[other], row[other], places=9)

    def test_results_go_on(self):
        self.approximate(count=30, ranks=2)
        self.write("y.csv", "value\n" + "".join(f"{math.sin(v / 9)}\n" for v in range(N)))
        self.cairn("train", "r.h5", "--targets", "y.csv", "--lambda", "1", "--output.path", "m.h5", ranks=2)
        self.assertEqual(1, self.json("query", "r.h5", "--left-column", 31, ranks=2)["left_column"]["values"][0])
        reused = self.cairn("approximate", "--data.kind", "graph", "--data.path", "graph.txt", "--data.format", "edges",
                            "--approximation.reuse", "r.h5", "--output.path", "s.h5", "--evaluation.rows", 5, ranks=3)
        self.assertTrue(reused.out)
        first, second = (self.json("query", name, "--row", 140, "--approximate", "true")["row"]["values"]
                         for name in ("r.h5", "s.h5"))
        self.assertEqual(first, second)

    def test_plan_knows_them(self):
        plan = self.json("plan", "--data.kind", "graph", "--data.path", "graph.txt", "--data.format", "edges",
                         "--landmarks.count", 20)
        self.assertIn("rows of trees", plan["stages"])


class RefusedTest(HangingTrees):
    def test_squares_do_not_add_up(self):
        self.assertFalse(any("hang off" in note for note in
                             self.approximate("--approximation.transform", "sqrt", count=20)["notes"]))
        refused = self.approximate("--approximation.transform", "sqrt", "--approximation.exact-trees", "true",
                                   expect=2)
        self.assertIn("exact-trees", refused.err)

    def test_their_rows_give_neither_squares_nor_clusters(self):
        self.approximate(count=20)
        self.refused(2, r"approximation.reuse: the trees of r.h5 .* and transform = sqrt; make it again with "
                     r"approximation.exact-trees = false", "approximate", "--data.kind", "graph", "--data.path",
                     "graph.txt", "--data.format", "edges", "--approximation.reuse", "r.h5",
                     "--approximation.transform", "sqrt", "--output.path", "s.h5")
        cluster = ["cluster", "r.h5", "--clusters", 5, "--out", "c.csv"]
        self.refused(2, "exact-trees = false", *cluster)
        self.approximate("--approximation.exact-trees", "false", count=20)
        self.cairn(*cluster)

    def test_only_graphs_have_them(self):
        refused = self.cairn("approximate", "--data.kind", "mesh", "--data.generate", "sphere", "--data.points", 200,
                             "--landmarks.count", 20, "--output.path", "m.h5", "--approximation.exact-trees", "true",
                             expect=2)
        self.assertIn("no graph", refused.err)


if __name__ == "__main__":
    unittest.main()
