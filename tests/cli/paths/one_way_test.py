"""One-way arcs and new lengths of edges: tables against Dijkstra's algorithm, symmetric matrices, files and mistakes."""

import heapq
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402
from graph_test import N, grid_edges  # noqa: E402

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: needs NumPy and h5py")
    sys.exit(77)

NO_PATH = 65535


def dijkstra(arcs, source):
    """Lengths from one vertex along arcs {(u, v): length}; NO_PATH where there is none."""
    heads = {}
    for (u, v), length in arcs.items():
        heads.setdefault(u, []).append((v, length))
    lengths, queue = {}, [(0, source)]
    while queue:
        length, u = heapq.heappop(queue)
        if u not in lengths:
            lengths[u] = length
            for v, more in heads.get(u, ()):
                heapq.heappush(queue, (length + more, v))
    return [lengths.get(v, NO_PATH) for v in range(N)]


def one_way_arcs(seed, share=0.3):
    draw = random.Random(seed)
    arcs = {}
    for u, v in grid_edges():
        kind = draw.random()
        if kind >= share / 2:
            arcs[u, v] = draw.randrange(1, 40)
        if kind < share / 2 or kind >= share:
            arcs[v, u] = draw.randrange(1, 40)
    return arcs


def both_ways(lengths):
    return {**lengths, **{(v, u): length for (u, v), length in lengths.items()}}


def new_lengths(arcs, seed, most=40):
    draw = random.Random(seed)
    return {arc: draw.randrange(1, most) for arc in arcs}


class OneWayTest(CairnTest):
    sources, targets = [0, 7, 133, 250, 399], [3, 77, 0, 398, 201, 200, 399]

    def setUp(self):
        super().setUp()
        self.write("s.txt", "".join(f"{v + 1}\n" for v in self.sources))
        self.write("t.txt", "".join(f"{v + 1}\n" for v in self.targets))
        self.lists = ["--sources", "s.txt", "--targets", "t.txt", "--out", "t.npy", "--bits", "16"]

    def dimacs(self, name, arcs):
        text = "".join(f"a {u + 1} {v + 1} {length}\n" for (u, v), length in arcs.items())
        return self.write(name, f"p sp {N} {len(arcs)}\n{text}")

    def expect_table(self, arcs, *arguments, ranks=0):
        """The table of this command has the lengths along these arcs. Returns the report."""
        report = self.json("distances", *arguments, *self.lists, ranks=ranks)
        truth = numpy.array([[row[t] for t in self.targets] for row in (dijkstra(arcs, s) for s in self.sources)])
        numpy.testing.assert_array_equal(truth, numpy.load(self.path("t.npy")))
        self.assertEqual((truth == NO_PATH).sum(), report["without_path"])
        return report


class Directed(OneWayTest):
    def test_tables_have_the_lengths_from_rows_to_columns(self):
        arcs = one_way_arcs(1)
        self.dimacs("g.gr", arcs)
        for ranks, search in ((0, "hierarchy"), (1, "dijkstra"), (2, "hierarchy"), (3, "auto"), (4, "hierarchy")):
            report = self.expect_table(arcs, "g.gr", "--data.directed", "true", "--similarity.search", search, ranks=ranks)
            self.assertEqual("uint16", report["number"])
        self.expect_table(both_ways({(min(arc), max(arc)): min(arcs.get(way, 99) for way in (arc, arc[::-1])) for arc in arcs}), "g.gr")
        told = self.cairn("distances", "g.gr", "--sources", "s.txt", "--targets", "t.txt", "--out", "u.npy")
        self.assertRegex(told.out, r"the graph is undirected, and all count both ways \(data\.directed = true takes directions\)")
        told = self.cairn("distances", "g.gr", "--data.directed", "true", "--sources", "s.txt", "--targets", "t.txt", "--out", "u.npy")
        self.assertRegex(told.out, rf"{N} vertices, {len(arcs):,} arcs, ")
        self.assertRegex(told.out, r"\d+ of \d+ pairs of neighbors have an arc in one direction only")

    def test_pairs_without_a_path_are_named_with_their_direction(self):
        self.write("g.csv", "from,to,length\n" + "".join(f"{v},{v + 1},{v % 9 + 1}\n" for v in range(N - 1)))
        self.write("s.txt", "5\n")
        self.write("t.txt", "4\n6\n")
        told = self.cairn("distances", "g.csv", "--data.directed", "true", *self.lists)
        self.assertRegex(told.out, r"1, written as 65535: no path leads from 5 to 4")
        self.assertEqual([[NO_PATH, 6]], numpy.load(self.path("t.npy")).tolist())

    def test_of_two_lengths_of_an_arc_the_shorter_is_taken_and_counted(self):
        self.write("g.txt", "0 1 5\n0 1 3\n1 0 9\n1 2 4\n2 0 1\n")
        self.write("s.txt", "0\n1\n")
        told = self.cairn("distances", "g.txt", "--data.directed", "true", "--sources", "s.txt", "--out", "t.npy")
        self.assertRegex(told.out, r"1 arcs that came more than once were taken once")
        self.assertRegex(told.out, r"1 arcs had two different lengths; the shorter is taken")
        self.assertEqual([[0, 3, 7], [5, 0, 4]], numpy.load(self.path("t.npy")).tolist())

    def test_matrices_have_to_be_symmetric(self):
        arcs = {**one_way_arcs(2), **{(v, (v + 1) % N): 60 for v in range(N)}}
        self.dimacs("g.gr", arcs)
        job = ["approximate", "--data.kind", "graph", "--data.path", "g.gr", "--data.directed", "true", "--landmarks.count", "60",
               "--output.path", "r.h5"]
        for method in ("nystrom", "sicur", "biharmonic"):
            self.refused(2, rf"data\.directed are not symmetric, and {method} takes a symmetric K: similarity\.symmetrize = true",
                         *job, "--approximation.method", method)
            report = self.json(*job, "--approximation.method", method, "--similarity.symmetrize", "true", ranks=2)
            self.assertLess(report["relative_error"], 0.5)
            measured = self.json("evaluate", "r.h5")
            self.assertLess(measured["relative_error"], 0.5)
            self.cairn("evaluate", "r.h5", "--row", "7", "--by-number", "false", "--out", "row.csv", "--overwrite", "true")
            with open(self.path("row.csv"), encoding="utf-8") as file:
                exact = [float(line.split(",")[1]) for line in file.read().splitlines()[1:]]
            back = [dijkstra(arcs, v)[7] for v in range(0, N, 50)]
            there = dijkstra(arcs, 7)
            self.assertEqual([(there[v] + back[k]) / 2 for k, v in enumerate(range(0, N, 50))], exact[::50])
            os.remove(self.path("r.h5"))
        self.refused(2, r"symmetrize.*has no effect on an undirected graph", *job[:5], *job[7:], "--similarity.symmetrize", "true")
        self.refused(2, r"search.*counts edges both ways", *job, "--similarity.symmetrize", "true", "--similarity.search", "breadth-first")

    def test_a_plan_counts_both_directions(self):
        self.dimacs("g.gr", {**one_way_arcs(2), **{(v, (v + 1) % N): 60 for v in range(N)}})
        job = ["plan", "--data.kind", "graph", "--data.path", "g.gr", "--approximation.method", "nystrom", "--landmarks.count", "20"]
        one, both = (self.json(*job, *keys)["bytes"]["hierarchy of path lengths, once per node"]
                     for keys in ([], ["--data.directed", "true", "--similarity.symmetrize", "true"]))
        self.assertGreater(both, 1.5 * one)

    def test_pieces_are_strong_components(self):
        self.write("g.txt", "0 1 1\n1 0 2\n1 2 3\n2 3 4\n3 4 5\n4 2 6\n4 5 7\n")
        job = ["approximate", "--data.kind", "graph", "--data.path", "g.txt", "--data.directed", "true", "--similarity.symmetrize", "true",
               "--landmarks.count", "2", "--output.path", "r.h5"]
        self.refused(3, r"the graph is in 3 pieces.*no path leads from one to another and back.*data\.largest-component = true", *job)
        self.cairn(*job, "--data.largest-component", "true", "--approximation.method", "nystrom")
        with h5py.File(self.path("r.h5")) as file:
            self.assertEqual([2, 3, 4], list(file["numbers"]))


class NewLengths(OneWayTest):
    def test_a_stored_hierarchy_takes_new_lengths(self):
        for directed in (False, True):
            arcs = one_way_arcs(3) if directed else new_lengths(grid_edges(), 4)
            keys = ["--data.directed", "true"] if directed else []
            along = (lambda lengths: lengths) if directed else both_ways
            self.dimacs("g.gr", arcs)
            self.cairn("reweigh", "g.gr", *keys, "--out", "g.h5", "--overwrite", "true", ranks=2)
            self.expect_table(along(arcs), "g.h5", ranks=3)
            self.assertEqual((N, len(arcs), directed), tuple(self.json("info", "g.h5")[key] for key in ("vertices", "edges", "directed")))
            self.cairn("info", "g.h5", "--verify", "true")
            for seed in range(10):
                lengths = new_lengths(arcs, seed)
                self.dimacs("new.gr", lengths)
                self.expect_table(along(lengths), "g.h5", "--weights", "new.gr", "--run.threads", 1 + seed % 2, ranks=seed % 5)
            self.cairn("reweigh", "g.h5", "--weights", "new.gr", "--out", "new.h5", "--overwrite", "true", ranks=3)
            self.expect_table(along(lengths), "new.h5", ranks=2)
            self.expect_table(along(lengths), "g.gr", *keys, "--weights", "new.gr", ranks=2)
            self.expect_table(along(arcs), "new.h5", "--weights", "g.gr")

    def test_numbers_of_vertices_are_those_of_the_graph(self):
        self.write("g.txt", "1000000 2000000 4\n2000000 5000000 5\n7 8 1\n")
        self.write("new.csv", "from,to,km\n5000000,2000000,2\n1000000,2000000,1\n")
        self.write("s.txt", "1000000\n")
        self.write("t.txt", "5000000\n")
        self.cairn("reweigh", "g.txt", "--data.largest-component", "true", "--out", "g.h5")
        self.cairn("distances", "g.h5", "--weights", "new.csv", *self.lists, ranks=2)
        self.assertEqual([[3]], numpy.load(self.path("t.npy")).tolist())

    def test_of_two_lengths_the_shorter_is_taken_and_counted(self):
        self.write("g.txt", "0 1 5\n1 2 3\n")
        self.write("new.txt", "0 1 5\n1 0 4\n1 2 6\n1 2 6\n1 1 3\n")
        self.write("s.txt", "0\n")
        self.cairn("reweigh", "g.txt", "--out", "g.h5")
        told = self.cairn("distances", "g.h5", "--weights", "new.txt", "--sources", "s.txt", "--out", "t.npy")
        self.assertRegex(told.out, r"1 edges have more than one length in new\.txt; the least is taken")
        self.assertEqual([[0, 4, 10]], numpy.load(self.path("t.npy")).tolist())

    def test_lengths_of_0(self):
        self.write("g.txt", "0 1 5\n1 2 3\n0 2 9\n")
        self.write("new.txt", "0 1 0\n1 2 0\n0 2 1\n")
        self.write("s.txt", "0\n")
        self.cairn("reweigh", "g.txt", "--out", "g.h5")
        job = ["distances", "g.h5", "--weights", "new.txt", "--sources", "s.txt", "--out", "t.npy"]
        self.refused(3, r"^new\.txt:1: the length 0 is not positive \(the first of 2 such lines\).*data\.zero-lengths = true", *job)
        self.cairn(*job, "--data.zero-lengths", "true", ranks=2)
        self.assertEqual([[0, 0, 0]], numpy.load(self.path("t.npy")).tolist())

    def test_mistakes(self):
        self.write("g.txt", "0 1 5\n1 2 3\n2 3 4\n")
        self.write("s.txt", "0\n")
        self.cairn("reweigh", "g.txt", "--out", "g.h5")
        self.cairn("reweigh", "g.txt", "--data.directed", "true", "--out", "d.h5")
        whole = "0 1 7\n1 2 7\n2 3 7\n"
        for graph, text, pattern in (
                ("g.h5", whole + "0 2 1\n", r"^new\.txt:4: the graph has no edge between 0 and 2$"),
                ("d.h5", "# new\n" + whole + "2 1 1\n", r"^new\.txt:5: the graph has no arc from 2 to 1$"),
                ("g.h5", whole + "0 17 1\n", r"^new\.txt:4: the graph has no vertex 17$"),
                ("g.h5", "0 1 7\n2 3 7\n", r"^new\.txt: has no length for the edge between (1 and 2|2 and 1)$"),
                ("g.h5", "0 1 7\n", r"^new\.txt: has no length for the edge between .* \(one of 2 without one\)$"),
                ("d.h5", "0 1 7\n2 3 7\n", r"^new\.txt: has no length for the arc from 1 to 2$"),
                ("g.h5", "0 1\n1 2\n2 3\n", r"^new\.txt: has no lengths of edges$"),
                ("g.h5", "0 1 7\n1 2 -7\n2 3 7\n", r"^new\.txt:2: the length -7 is not positive"),
                ("g.h5", "0 1 7\n1 2 inf\n2 3 7\n", r"^new\.txt:2: 'inf' is not a finite number$"),
                ("g.h5", "0 1 7\n1 2 x\n2 3 7\n", r"^new\.txt:2: .*x"),
                ("g.h5", "0 1 7\n1 2 1e308\n2 3 7\n", r"the length 1e\+308: paths of such lengths are too large"),
                ("g.h5", "a b 1\nb c 2\n", r"^new\.txt: has names of vertices")):
            self.write("new.txt", text)
            self.refused(3, pattern, "distances", graph, "--weights", "new.txt", "--sources", "s.txt", "--out", "t.npy", ranks=(1, 3))
            if "1e308" not in text:
                self.refused(3, pattern, "reweigh", graph, "--weights", "new.txt", "--out", "other.h5", ranks=(2,))
        self.write("new.txt", whole)
        job = ["distances", "g.h5", "--weights", "new.txt", "--sources", "s.txt", "--out", "t.npy"]
        self.refused(2, r"data\.directed.* has no effect: g\.h5 is a file of cairn reweigh", *job, "--data.directed", "true")
        self.refused(2, r"data\.format.* has no effect: g\.h5 is", "distances", "g.h5", "--data.format", "edges", *job[4:])
        self.refused(2, r"search.*has no hierarchy", "reweigh", "g.txt", "--similarity.search", "dijkstra", "--out", "o.h5")
        self.refused(2, r"the name of a hierarchy ends in \.h5", "reweigh", "g.txt", "--out", "o.npy")
        self.refused(2, r"out", "reweigh", "g.txt")
        self.refused(2, r"g\.h5", "reweigh", "g.h5", "--weights", "new.txt", "--out", "g.h5")
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "g.txt", "--landmarks.count", "2", "--output.path", "r.h5")
        self.refused(3, r"r\.h5 is a result, which keeps only the arcs", "distances", "r.h5", *job[2:])
        with h5py.File(self.path("g.h5"), "r+") as file:
            file["heads"][1] = 0
        self.refused(3, r"^g\.h5 is not a sound cairn file: /heads is damaged", *job)

    def test_graphs_without_separators_are_refused_unless_asked_for(self):
        draw = random.Random(1)
        edges = {tuple(sorted(draw.sample(range(300), 2))) for _ in range(3000)} | {(v, v + 1) for v in range(299)}
        self.write("g.txt", "".join(f"{u} {v} 1\n" for u, v in edges))
        self.refused(5, r"a hierarchy would not pay; similarity\.search = hierarchy makes one", "reweigh", "g.txt", "--out", "g.h5")
        self.cairn("reweigh", "g.txt", "--similarity.search", "hierarchy", "--out", "g.h5")


if __name__ == "__main__":
    unittest.main()
