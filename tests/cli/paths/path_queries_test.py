"""Results that keep the hierarchy of path lengths: exact entries, rows, neighbors and pairs, without the graph."""

import gzip
import heapq
import lzma
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest, points  # noqa: E402
from graph_test import N, edge_text, grid_edges, path_lengths  # noqa: E402

RANKS = (0, 2, 3, 4)


def dijkstra(edges, source, vertices):
    """Lengths from one vertex; edges are (u, v, length)."""
    neighbors = [[] for _ in range(vertices)]
    for u, v, length in edges:
        neighbors[u].append((v, length))
        neighbors[v].append((u, length))
    lengths, queue = {}, [(0, source)]
    while queue:
        length, u = heapq.heappop(queue)
        if u in lengths:
            continue
        lengths[u] = length
        for v, more in neighbors[u]:
            heapq.heappush(queue, (length + more, v))
    return [lengths[v] for v in range(vertices)]


class PathQueries(CairnTest):
    method = "biharmonic"

    def setUp(self):
        super().setUp()
        self.edges = grid_edges()
        self.write("grid.txt", edge_text(self.edges))

    def approximate(self, *arguments, ranks=2, data="grid.txt", expect=0):
        return self.cairn("approximate", "--data.kind", "graph", "--data.path", data, "--data.format", "edges",
                          "--landmarks.count", 20, "--output.path", "r.h5", "--evaluation.rows", 2,
                          "--approximation.method", self.method, *arguments, ranks=ranks, expect=expect)

    def values(self, text):
        return [float(line) for line in text.splitlines()]


class EdgesTest(PathQueries):
    def test_answers_are_exact_without_the_graph(self):
        self.approximate()
        os.remove(self.path("grid.txt"))
        truth = path_lengths(self.edges, 17, N)
        for ranks in RANKS:
            report = self.json("query", "r.h5", "--entry", "17,399", "--entry", "399,17", "--row", 17, "--nearest", 17,
                               "--k", 10, ranks=ranks)
            self.assertEqual((True, truth), (report["exact"], report["row"]["values"]))
            self.assertEqual([truth[399]] * 2, [entry["value"] for entry in report["entries"]])
            nearest = sorted((length, v) for v, length in enumerate(truth) if v != 17)[:10]
            self.assertEqual(nearest, [(n["value"], n["object"]) for n in report["nearest"]["nearest"]])

    def test_it_is_said_and_may_be_declined(self):
        self.approximate()
        query = ["query", "r.h5", "--entry", "17,399", "--row", 17]
        exact, approximate = self.cairn(*query), self.cairn(*query, "--approximate", "true")
        self.assertIn("values are exact, from the hierarchy of paths in r.h5", exact.err)
        self.assertNotIn("exact", approximate.err)
        self.assertNotEqual(exact.out, approximate.out)
        report = self.json(*query, "--approximate", "true", ranks=3)
        self.assertFalse(report["exact"])
        self.assertNotEqual(path_lengths(self.edges, 17, N), report["row"]["values"])
        self.assertNotIn("exact", self.json("query", "r.h5", "--left-column", 1))

    def test_a_result_may_go_without_or_have_none(self):
        with_it = os.path.getsize(self.path("r.h5")) if self.approximate() else 0
        for arguments in (["--output.hierarchy", "false"], ["--similarity.search", "breadth-first"]):
            self.approximate(*arguments)
            if arguments[0] == "--output.hierarchy":  # searches give columns of 32 bits where a hierarchy gives 16
                self.assertLess(os.path.getsize(self.path("r.h5")), with_it)
            self.assertEqual(0, self.json("info", "r.h5")["hierarchy_arcs"])
            report = self.json("query", "r.h5", "--entry", "17,399", ranks=2)
            self.assertFalse(report["exact"])
            self.write("p.txt", "17 399\n")
            printed = self.values(self.cairn("query", "r.h5", "--pairs", "p.txt").out)
            self.assertAlmostEqual(report["entries"][0]["value"], printed[0], delta=1e-9)
        self.cairn("approximate", "--data.generate", "blobs", "--data.count", 30, "--landmarks.count", 5,
                   "--output.path", "x.h5", "--output.hierarchy", "true", expect=2)
        outcome = self.approximate("--output.hierarchy", "true", "--similarity.search", "dijkstra", expect=2)
        self.assertIn("output.hierarchy has no effect if similarity.search is dijkstra", outcome.message())

    def test_a_result_without_it_says_that_it_answers_the_approximation(self):
        self.approximate("--similarity.search", "dijkstra")
        said = r"values are those of K~, not of K: the result keeps no hierarchy of paths; `cairn distances` has exact"
        self.write("p.txt", "17 399\n")
        for ask in (["--entry", "17,399"], ["--row", 17], ["--pairs", "p.txt"], ["--pairs", "p.txt", "--out", "v.txt"],
                    ["--entry", "1,2", "--nearest", 3]):
            outcome = self.cairn("query", "r.h5", *ask, ranks=3 if "--pairs" in ask else 1)
            self.assertRegex(outcome.err, said)
            self.assertEqual(1, outcome.err.count("not of K:"))
            self.assertNotIn("not of K", self.cairn("query", "r.h5", *ask, "--approximate", "true").err)
            self.assertFalse(self.json("query", "r.h5", *ask)["exact"])
        self.assertIn("values are those of K~: objects that are nearest", self.cairn("query", "r.h5", "--nearest", 3).err)

    def test_info_and_plan_count_it(self):
        self.approximate()
        self.assertGreaterEqual(self.json("info", "r.h5")["hierarchy_arcs"], N - 1)
        self.assertIn("hierarchy of paths", self.cairn("info", "r.h5").out)
        plan = ["plan", "--data.kind", "graph", "--data.path", "grid.txt", "--data.format", "edges", "--landmarks.count", 20]
        for method in ("biharmonic", "nystrom"):
            with_it, without, searched = (
                self.json(*plan, "--approximation.method", method, *more)["result_bytes"]
                for more in ([], ["--output.hierarchy", "false"], ["--similarity.search", "dijkstra"]))
            self.assertEqual(N * 8 + N * 12 // 5 * 4, with_it - without)
            wider = {"biharmonic": 0, "nystrom": N * 20 * 2}[method]  # columns of 32 bits by searches, of 16 by a hierarchy
            self.assertLess(abs(without + wider - searched), 0.01 * without)  # W is sampled to know how well it is compressed

    def test_evaluate_needs_no_data(self):
        self.approximate()
        whole = self.json("evaluate", "r.h5", "--evaluation.rows", "all", "--data.path", "grid.txt")
        self.assertTrue(whole["data_read"])
        os.remove(self.path("grid.txt"))
        truth = path_lengths(self.edges, 42, N)
        for ranks in RANKS:
            report = self.json("evaluate", "r.h5", "--evaluation.rows", "all", "--by-vertex", "v.csv", "--spectrum", 30,
                               ranks=ranks)
            self.assertFalse(report["data_read"])
            self.assertAlmostEqual(whole["relative_squared_error"], report["relative_squared_error"], delta=1e-9)
            self.cairn("evaluate", "r.h5", "--row", 42, "--out", "row.csv", ranks=ranks)
            with open(self.path("row.csv"), encoding="utf-8") as file:
                self.assertEqual(truth, [float(line.split(",")[1]) for line in file.readlines()[1:]])
            self.write("s.csv", "i,j,score\n42,7,1\n0,399,3\n5,6,2\n")
            scores = self.json("evaluate", "r.h5", "--pairs", "s.csv", ranks=ranks)["pairs"]
            self.assertEqual(3, scores["count"])
        self.refused(3, "grid.txt", "evaluate", "r.h5", "--similarity.search", "dijkstra")
        self.refused(3, "elsewhere.txt", "evaluate", "r.h5", "--data.path", "elsewhere.txt")


class PairsTest(PathQueries):
    def setUp(self):
        super().setUp()
        self.approximate()
        self.pairs = [(k * 7 % N, k * k * 31 % N) for k in range(1000)]
        sources = {i: path_lengths(self.edges, i, N) for i in {i for i, _ in self.pairs}}
        self.truth = [sources[i][j] for i, j in self.pairs]

    def test_every_form_of_file_gives_the_same(self):
        lines = {sign: "".join(f"{i}{sign}{j}\n" for i, j in self.pairs) for sign in (",", "\t", "  ")}
        self.write("a.csv", "from,to\n" + lines[","])
        self.write("b.tsv", lines["\t"])
        self.write("c.txt", lines["  "].replace("\n", "\r\n\r\n"))
        self.write("d.csv.gz", gzip.compress(lines[","].encode()))
        self.write("e.csv.xz", lzma.compress(lines[","].encode()))
        for ranks in RANKS:
            for name in ("a.csv", "b.tsv", "c.txt", "d.csv.gz", "e.csv.xz"):
                self.assertEqual(self.truth, self.values(self.cairn("query", "r.h5", "--pairs", name, ranks=ranks).out))
        report = self.json("query", "r.h5", "--pairs", "a.csv", "--out", "values.txt", ranks=3)
        self.assertEqual((1000, "values.txt", True), (report["pairs"]["count"], report["pairs"]["out"], report["exact"]))
        with open(self.path("values.txt"), encoding="utf-8") as file:
            self.assertEqual(self.truth, self.values(file.read()))

    def test_approximate_ones_are_those_of_the_factors(self):
        self.write("p.csv", "17,399\n5,5\n")
        for ranks in RANKS:
            printed = self.values(self.cairn("query", "r.h5", "--pairs", "p.csv", "--approximate", "true", ranks=ranks).out)
            entries = self.json("query", "r.h5", "--entry", "17,399", "--entry", "5,5", "--approximate", "true")["entries"]
            for a, b in zip(printed, entries, strict=True):
                self.assertAlmostEqual(a, b["value"], delta=1e-9)

    def test_bad_lines_are_named(self):
        for text, message in (("1,2\n3\n", "p.csv:2: has 1 field; a pair has two"),
                              ("1,2,3\n", "p.csv:1: has 3 fields"),
                              ("a,b\n\n1,x\n", "p.csv:3: 'x' is not a row number"),
                              ("1,2\n1,400\n", "p.csv:2: names object 400; the result has the objects 0 to 399"),
                              ("1,2\n-1,4\n", "p.csv:2: names object -1"),
                              ("1,2\n3,\n", "p.csv:2: has an empty field"),
                              ('"1,2\n', "p.csv:1: a quote is not closed"),
                              ("", "p.csv: is empty")):
            self.write("p.csv", text)
            self.refused(3, message, "query", "r.h5", "--pairs", "p.csv", "--out", "v.txt", ranks=(1, 3))
        self.refused(3, "no.csv", "query", "r.h5", "--pairs", "no.csv")

    def test_options_that_do_not_go_together(self):
        self.write("p.csv", "1,2\n")
        self.refused(2, "--out holds one of", "query", "r.h5", "--pairs", "p.csv", "--row", 1, "--out", "v.csv", ranks=[1])
        self.refused(2, "--approximate has no effect", "query", "r.h5", "--left-column", 1, "--approximate", "true", ranks=[1])
        self.refused(2, "same file|reads", "query", "r.h5", "--pairs", "p.csv", "--out", "p.csv", ranks=[1])
        self.refused(2, "--by-label: the result holds no labels", "query", "r.h5", "--pairs", "p.csv", "--by-label", "true")


class NumbersInTheFileTest(PathQueries):
    """Vertices of a part of a graph have other numbers in the file."""

    def test_pairs_by_number(self):
        shifted = [(u + 1000, v + 1000) for u, v in self.edges]
        self.write("part.txt", edge_text([(1, 2)] + shifted))
        self.approximate("--data.largest-component", "true", data="part.txt")
        self.write("p.csv", "1017,1399\n1000,1001\n")
        truth = [float(path_lengths(self.edges, i, N)[j]) for i, j in ((17, 399), (0, 1))]
        for ranks in RANKS:
            out = self.cairn("query", "r.h5", "--pairs", "p.csv", "--by-number", "true", ranks=ranks).out
            self.assertEqual(truth, self.values(out))
            self.assertEqual(truth, self.values(self.cairn("query", "r.h5", "--pairs", "p.csv", "--by-label", "true").out))
        self.refused(2, "--pairs: rows are counted from 0 and have other numbers in the file", "query", "r.h5", "--pairs", "p.csv")
        self.refused(2, "--entry: rows are counted .* --by-number", "query", "r.h5", "--entry", "17,399")
        entry = self.json("query", "r.h5", "--entry", "17,399", "--by-number", "false")["entries"][0]
        self.assertEqual((truth[0], "1017", "1399"), (entry["value"], entry["row_label"], entry["column_label"]))
        self.write("h.csv", "from,to\n1017,1399\n1000,1001\n")
        for ranks in RANKS:
            outcome = self.cairn("query", "r.h5", "--pairs", "h.csv", "--by-number", "true", ranks=ranks)
            self.assertEqual(truth, self.values(outcome.out))
            self.assertEqual(1, outcome.err.count("h.csv: the first line, 'from,to', is a heading"))
        self.refused(3, "h.csv:1: no row has the label 'from'.*leave out a line that names the columns", "query", "r.h5",
                     "--pairs", "h.csv", "--by-label", "true", ranks=(1, 3))
        self.write("h.csv", "from,1399\n")
        self.refused(3, "h.csv:1: no row has the number 'from'", "query", "r.h5", "--pairs", "h.csv", "--by-number", "true")
        self.write("q.csv", "1017,1399\n1,1001\n")
        self.refused(3, "q.csv:2: no row has the number '1'", "query", "r.h5", "--pairs", "q.csv", "--by-number", "true")


class LabelsTest(CairnTest):
    """Pairs of labels, of a result that has no exact values."""

    def test_every_similarity_of_points_says_so(self):
        self.write("x.csv", "".join(f"{x},{y},{z}\n" for x, y, z in points(40)))
        for name in ("rbf", "laplacian", "polynomial", "linear", "cosine", "sigmoid", "matern", "euclidean"):
            with self.subTest(name):
                self.cairn("approximate", "--data.path", "x.csv", "--similarity.kind", name, "--landmarks.count", 9,
                           "--approximation.method", "nystrom", "--output.path", "s.h5")
                self.assertRegex(self.cairn("query", "s.h5", "--entry", "0,30").err, "values are those of K~, not of K\n")

    def test_pairs_by_label(self):
        rows = points(30)
        names = [f"w {k % 28}, x" for k in range(30)]  # the last two are those of the first two
        self.write("p.csv", "x,y,z,name\n" + "".join(f'{x},{y},{z},"{name}"\n' for (x, y, z), name in zip(rows, names)))
        self.cairn("approximate", "--data.path", "p.csv", "--data.label", "name", "--similarity.kind", "rbf",
                   "--landmarks.count", 10, "--output.path", "r.h5")
        self.write("q.csv", '"w 5, x","w 9, x"\n"w 27, x","w 5, x"\n')
        for ranks in RANKS:
            entries = self.json("query", "r.h5", "--entry", "5,9", "--entry", "27,5")
            self.assertFalse(entries["exact"])
            out = self.cairn("query", "r.h5", "--pairs", "q.csv", "--by-label", "true", ranks=ranks).out
            for entry, line in zip(entries["entries"], out.splitlines(), strict=True):
                self.assertAlmostEqual(entry["value"], float(line), delta=1e-12)
        for text, message in (("\n\"w 5, x\",\"w 99, x\"\n", "q.csv:2: no row has the label 'w 99, x'; did you mean"),
                              ("\"w 5, x\",\"w 1, x\"\n", "q.csv:1: 2 rows have the label 'w 1, x', the first of them is row 1")):
            self.write("q.csv", text)
            self.refused(3, message, "query", "r.h5", "--pairs", "q.csv", "--by-label", "true", ranks=(1, 3))


class LengthsTest(PathQueries):
    def check_lengths(self, lengths, relative):
        edges = [(u, v, lengths(k)) for k, (u, v) in enumerate(self.edges)]
        self.write("w.txt", "".join(f"{u} {v} {length!r}\n" for u, v, length in edges))
        self.approximate(data="w.txt")
        truth = {i: dijkstra(edges, i, N) for i in (0, 17, 333)}
        self.write("p.txt", "".join(f"{i} {j}\n" for i in truth for j in range(N)))
        flat = [length for row in truth.values() for length in row]
        before = None
        for ranks in RANKS:
            values = self.values(self.cairn("query", "r.h5", "--pairs", "p.txt", ranks=ranks).out)
            self.assertEqual(len(flat), len(values))
            for a, b in zip(flat, values):
                self.assertLessEqual(abs(a - b), relative * a)
            self.assertEqual(values, before or values)
            before = values
            row = self.json("query", "r.h5", "--row", 17, ranks=ranks)["row"]["values"]
            self.assertEqual(values[N:2 * N], row)

    def test_integers_of_16_and_32_bits(self):
        self.check_lengths(lambda k: 1 + k * 37 % 90, 0)
        self.check_lengths(lambda k: 1 + k * 7919 % 1000003, 0)

    def test_broken_lengths(self):
        self.check_lengths(lambda k: (1 + k * 37 % 90) / 7, 1e-13)


class NystromTest(EdgesTest):
    method = "nystrom"


class FormatTest(PathQueries):
    def test_the_lines_of_the_document_find_exact_lengths(self):
        try:
            import h5py  # pylint: disable=unused-import
        except ImportError:
            self.skipTest("needs h5py")
        with open(os.path.join(os.environ["CAIRN_DOCS"], "file-format.md"), encoding="utf-8") as file:
            block, = (text for text in re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL) if "length_of" in text)
        self.approximate()
        lines = {}
        exec(block.replace("result.h5", self.path("r.h5")), lines)
        for source in (0, 17, 399):
            self.assertEqual(path_lengths(self.edges, source, N), [lines["length_of"](source, v) for v in range(N)])


class DamageTest(PathQueries):
    def test_a_damaged_hierarchy_is_refused(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("needs h5py")
        for name, place, value, reason in (("vertices", 3, 400, "the vertex 400 at place 3"),
                                           ("depths", 0, 5, "the depth 5 at place 0"),
                                           ("degrees", 4, 999, "arcs"),
                                           ("heads", 0, 200, "to depth 200"),
                                           ("lengths", 9, 60000, "an arc of length 60000")):
            self.approximate()
            with h5py.File(self.path("r.h5"), "a") as file:
                file["hierarchy"][name][place] = value
            self.refused(3, f"hierarchy/{name}", "query", "r.h5", "--entry", "1,2", ranks=(1, 3))  # by its checksum
            with h5py.File(self.path("r.h5"), "a") as file:
                del file["crc32"]
            self.refused(3, reason, "query", "r.h5", "--entry", "1,2", ranks=(1, 3))
            self.cairn("query", "r.h5", "--entry", "1,2", "--approximate", "true")
        with h5py.File(self.path("r.h5"), "a") as file:
            del file["hierarchy/heads"]
        self.refused(3, "hierarchy/heads", "query", "r.h5", "--entry", "1,2", ranks=(1, 3))


if __name__ == "__main__":
    unittest.main()
