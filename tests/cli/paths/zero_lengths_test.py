"""Edges of length 0: refused with their number, or taken, by every search, against Dijkstra's algorithm in Python."""

import csv
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402
from graph_test import N, grid_edges  # noqa: E402
from path_queries_test import dijkstra  # noqa: E402


class ZeroLengths(CairnTest):
    """Edges of length 0, which are an error unless they are taken as they are."""

    def setUp(self):
        super().setUp()
        self.edges = [(u, v, (5 * k + u) % 4 * (1 if k % 3 else 2)) for k, (u, v) in enumerate(grid_edges())]
        self.zeros = sum(length == 0 for _, _, length in self.edges)
        self.write("z.txt", "".join(f"{u} {v} {length}\n" for u, v, length in self.edges))
        self.base = ["approximate", "--data.kind", "graph", "--landmarks.count", 60, "--output.path", "r.h5", "--data.path"]

    def test_they_are_refused_with_their_number(self):
        self.assertGreater(self.zeros, 100)
        first = next(k for k, edge in enumerate(self.edges) if edge[2] == 0) + 1
        message = rf"z.txt:{first}: the length 0 is not positive \(the first of {self.zeros} such lines\); .*data.zero-lengths = true"
        self.refused(3, message, *self.base, "z.txt", ranks=(1, 3))
        self.write("n.txt", "0 1 2\n1 2 -1\n2 3 0\n3 4 -2\n")
        self.refused(3, r"n.txt:2: the length -1 is not positive \(the first of 3 such lines\)", *self.base, "n.txt")
        self.refused(3, r"n.txt:2: the length -1 is not positive \(the first of 2 such lines\); below 0 there is no shortest path",
                     *self.base, "n.txt", "--data.zero-lengths", "true")
        self.write("one.txt", "0 1 2\n1 2 0\n")
        self.refused(3, r"one.txt:2: the length 0 is not positive; give", *self.base, "one.txt")

    def test_every_search_is_exact_with_them(self):
        for shift in (0, 0.5):  # broken lengths, too
            edges = [(u, v, length and length + shift) for u, v, length in self.edges]
            self.write("z.txt", "".join(f"{u} {v} {length}\n" for u, v, length in edges))
            rows = {row: dijkstra(edges, row, N) for row in (17, 399)}
            for search in ("hierarchy", "dijkstra"):
                for ranks in (1, 3):
                    report = self.json(*self.base, "z.txt", "--data.zero-lengths", "true", "--similarity.search", search, ranks=ranks)
                    self.assertEqual(N, report["n"])
                    for row, truth in rows.items():
                        self.cairn("evaluate", "r.h5", "--row", row, "--out", "row.csv", ranks=ranks)
                        with open(self.path("row.csv"), newline="", encoding="utf-8") as file:
                            self.assertEqual(truth, [float(line["exact"]) for line in csv.DictReader(file)])
                        if search == "hierarchy":
                            self.assertEqual(truth, self.json("query", "r.h5", "--row", row, ranks=ranks)["row"]["values"])

    def test_they_go_through_hdf5(self):
        self.cairn("convert", "z.txt", "z.h5", "--data.kind", "graph", "--data.zero-lengths", "true", ranks=2)
        self.refused(3, rf"z.h5: data set 'lengths': entry \d+ is 0 \(the first of {2 * self.zeros}\); .*data.zero-lengths = true",
                     *self.base, "z.h5", ranks=(1, 3))
        self.cairn(*self.base, "z.h5", "--data.zero-lengths", "true", ranks=3)
        self.assertEqual(dijkstra(self.edges, 17, N), self.json("query", "r.h5", "--row", 17)["row"]["values"])
        self.cairn(*self.base, "z.h5", "--data.weighted", "false")
        self.write("s.txt", "17\n3\n")
        self.cairn("distances", "z.txt", "--data.zero-lengths", "true", "--sources", "s.txt", "--out", "t.npy", ranks=2)
        self.refused(3, "the first of", "distances", "z.txt", "--sources", "s.txt", "--out", "t.npy")


if __name__ == "__main__":
    unittest.main()
