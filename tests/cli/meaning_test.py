"""What a precomputed matrix or a scorer means: similarities, or distances of which the smaller is nearer."""

import csv
import math
import os
import unittest

from cairn_program import CairnTest, points, write_npy

N = 60
SCORER = """import json, math, os, sys
log = open(f"log.{os.getpid()}", "w", buffering=1)
def place(i):
    return i * 0.37, math.sin(i)
for line in sys.stdin:
    for i, j in json.loads(line):
        log.write(f"{i} {j}\\n")
        print(math.dist(place(i), place(j)))
    print(flush=True)
"""


def place(i):
    return i * 0.37, math.sin(i)


class Meaning(CairnTest):
    def setUp(self):
        super().setUp()
        self.points = [[x + 1e-3 * math.sin(i * i), y + 1e-3 * math.cos(3 * i * i)] for i, (x, y) in enumerate(points(N, 2))]
        self.points[41] = [self.points[5][0] + 1e-3, self.points[5][1]]  # the pair that is joined first
        self.distances = [[math.dist(a, b) for b in self.points] for a in self.points]
        write_npy(self.path("d.npy"), self.distances)
        self.write("score.py", SCORER)

    matrix = ["approximate", "--data.kind", "matrix", "--data.path", "d.npy", "--landmarks.count", N]
    ids = ["approximate", "--data.kind", "ids", "--data.count", N, "--similarity.kind", "external", "--similarity.command",
           "python3 score.py", "--landmarks.count", 40]
    distance = ["--similarity.meaning", "distance"]

    def nearest(self, result, row):
        found = self.json("query", result, "--nearest", row, "--k", 3, ranks=2)["nearest"]["nearest"]
        return [neighbor["object"] for neighbor in found]

    def logged(self):
        """Pairs that the scorer was asked for."""
        pairs = 0
        for name in os.listdir(self.folder):
            if name.startswith("log."):
                with open(self.path(name), encoding="utf-8") as file:
                    pairs += len(file.readlines())
        return pairs

    def test_a_matrix_that_looks_like_distances_asks_what_it_means(self):
        self.refused(3, "d.npy looks like distances: .* Give similarity.meaning = distance", *self.matrix, "--output.path", "r.h5")
        gram = [[max(d * d + 1e-7 * math.sin(i * N + j), 0) ** 0.5 for j, d in enumerate(row)]
                for i, row in enumerate(self.distances)]  # as inner products round them: the diagonal is about 3e-4
        symmetric = [[gram[min(i, j)][max(i, j)] for j in range(N)] for i in range(N)]
        write_npy(self.path("d.npy"), symmetric)
        self.refused(3, "Give similarity.meaning = distance", *self.matrix, "--output.path", "r.h5")

    def test_what_has_a_diagonal_above_zero_or_values_below_it_is_not_asked(self):
        write_npy(self.path("d.npy"), [[math.exp(-d) for d in row] for row in self.distances])
        self.assertEqual("similarity", self.json(*self.matrix, "--output.path", "r.h5")["meaning"])
        write_npy(self.path("d.npy"), [[-d for d in row] for row in self.distances])
        self.assertEqual("similarity", self.json(*self.matrix, "--output.path", "r.h5")["meaning"])

    def test_the_nearest_of_a_matrix_of_distances_are_near(self):
        outcome = self.cairn(*self.matrix, *self.distance, "--output.path", "r.h5", ranks=2)
        self.assertIn("meaning                     distance", outcome.out)
        true = sorted((j for j in range(N) if j != 7), key=lambda j: self.distances[7][j])[:3]
        self.assertEqual(true, self.nearest("r.h5", 7))
        self.assertEqual("distance", self.json("info", "r.h5")["meaning"])
        self.cairn("evaluate", "r.h5", "--evaluation.rows", "all")
        self.cairn(*self.matrix, "--similarity.meaning", "similarity", "--output.path", "s.h5")
        self.assertNotIn(true[0], self.nearest("s.h5", 7))

    def test_the_nearest_are_joined(self):
        self.cairn(*self.matrix, *self.distance, "--output.path", "r.h5")
        for more in ([], ["--exact", "true"]):
            self.cairn("cluster", "r.h5", "--clusters", N - 1, "--out", "c.csv", *more, ranks=2)
            with open(self.path("c.csv"), encoding="utf-8") as file:
                clusters = [row["cluster"] for row in csv.DictReader(file)]
            self.assertEqual(clusters[5], clusters[41], more)

    def test_a_scorer_of_distances(self):
        outcome = self.cairn(*self.ids, "--output.path", "r.h5", ranks=3, expect=3)
        self.assertRegex(outcome.message(), "the scorer .* looks like distances: .* Give similarity.meaning = distance")
        self.assertEqual(20, self.logged())
        self.json(*self.ids, *self.distance, "--output.path", "r.h5", ranks=2)
        true = sorted((j for j in range(N) if j != 30), key=lambda j: math.dist(place(30), place(j)))[:3]
        self.assertEqual(true, self.nearest("r.h5", 30))
        self.cairn("evaluate", "r.h5", "--similarity.command", "python3 score.py", "--evaluation.rows", "all")

    def test_the_sample_of_a_scorer_is_counted_and_planned(self):
        self.write("score.py", SCORER.replace("print(math", "print(1 - 0.01 * math"))
        planned = self.json("plan", *self.ids[1:])["evaluations"]
        report = self.json(*self.ids, "--evaluation.pairs", 0, "--output.path", "r.h5", ranks=2)
        self.assertEqual([N * 40 + 20] * 2, [planned, report["evaluations"]])
        self.assertEqual(N * 40 + 20, self.logged())

    def test_a_part_of_a_sum_is_asked_by_its_own_key(self):
        parts = [*self.matrix, "--similarity.kind", "sum", "--similarity.parts", "noise,matrix", "--similarity.1.sigma", 0,
                 "--similarity.1.sigma-diagonal", 0, "--similarity.2.path", "d.npy", "--output.path", "r.h5"]
        self.refused(3, "Give similarity.2.meaning = distance", *parts)
        self.assertEqual("distance", self.json(*parts, "--similarity.2.meaning", "distance")["meaning"])
        self.cairn("evaluate", "r.h5", "--evaluation.rows", "all", ranks=2)

    def test_pivots_of_given_distances(self):
        pivots = [*self.distance, "--landmarks.selection", "rpcholesky", "--output.path", "r.h5"]
        self.assertEqual("rpcholesky", self.json(*self.matrix, *pivots, ranks=2)["landmark_selection"])
        write_npy(self.path("d.npy"), [[d ** 4 for d in row] for row in self.distances])
        self.refused(4, "the distance matrix is not of negative type: .* use landmarks.selection = farthest or uniform",
                     *self.matrix, *pivots)
        self.assertTrue(os.path.exists(self.path("r.h5")))  # the earlier one

    def test_rules_for_distances_hold_for_those_that_are_given(self):
        self.refused(2, "similarity.meaning .*similarity.kind is noise", *self.matrix, *self.distance, "--similarity.kind",
                     "noise", "--output.path", "r.h5", ranks=[1])
        self.refused(2, "similarity.meaning", *self.matrix, "--similarity.meaning", "near", "--output.path", "r.h5", ranks=[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
