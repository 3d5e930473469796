"""cairn distances: tables of path lengths against Dijkstra's algorithm; sizes, scales, stops and mistakes."""

import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import PROGRAM, CairnTest  # noqa: E402
from graph_test import N, edge_text, grid_edges, path_lengths  # noqa: E402
from path_queries_test import dijkstra  # noqa: E402

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: needs NumPy and h5py")
    sys.exit(77)

RANKS = (0, 2, 3, 4)
HEADER = 136  # bytes of the list of blocks before the first
BAY = os.path.join(os.environ.get("CAIRN_DATA", ""), "roads", "USA-BAY.gr.xz")


class TableTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.edges = grid_edges()
        self.write("grid.txt", edge_text(self.edges))

    def vertices(self, name, numbers):
        return self.write(name, "".join(f"{v}\n" for v in numbers))

    def weighted(self, length):
        """The grid with lengths, in DIMACS' format, whose vertices begin at 1."""
        edges = [(u, v, length(k)) for k, (u, v) in enumerate(self.edges)]
        lines = [f"a {u + 1} {v + 1} {w!r}\na {v + 1} {u + 1} {w!r}\n" for u, v, w in edges]
        self.write("w.gr", f"p sp {N} {2 * len(edges)}\n" + "".join(lines))
        return edges


class UnitLengths(TableTest):
    def test_lists_on_any_ranks_with_repeats_and_comments(self):
        sources = [(k * 37) % N for k in range(150)]  # more than two sweeps, some twice
        targets = [(k * 91 + 5) % N for k in range(90)] + [5, 5, 96]
        self.write("s.txt", "# from\n\n" + "".join(f" {v} # here\n" for v in sources))
        self.write("t.txt.xz", lzma.compress("".join(f"{v}\n" for v in targets).encode()))
        lengths = {s: path_lengths(self.edges, s, N) for s in set(sources)}
        truth = numpy.array([[lengths[s][t] for t in targets] for s in sources])
        before = None
        for ranks in RANKS:
            report = self.json("distances", "grid.txt", "--sources", "s.txt", "--targets", "t.txt.xz", "--out", "t.npy",
                               "--run.threads", 1 + ranks % 3, ranks=ranks)
            table = numpy.load(self.path("t.npy"), mmap_mode="r")
            self.assertEqual((numpy.uint16, "uint16", 0, truth.max()),
                             (table.dtype, report["number"], report["without_path"], report["longest"]))
            numpy.testing.assert_array_equal(truth, table)
            with open(self.path("t.npy"), "rb") as file:
                written = file.read()
            self.assertEqual(written, before or written)
            before = written
        self.assertEqual(["grid.txt", "report.json", "s.txt", "t.npy", "t.txt.xz"], sorted(os.listdir(self.folder)))

    def test_all_targets_in_hdf5_with_the_vertices_beside(self):
        sources = [17, 0, 399]
        self.vertices("s.txt", sources)
        truth = numpy.array([path_lengths(self.edges, s, N) for s in sources])
        for ranks in (0, 3):
            for search in ("hierarchy", "breadth-first", "dijkstra"):
                self.cairn("distances", "grid.txt", "--sources", "s.txt", "--out", "t.h5", "--similarity.search", search,
                           "--bits", 32, ranks=ranks)
                with h5py.File(self.path("t.h5")) as file:
                    self.assertIsNotNone(file["distances"].id.get_offset(), "contiguous: numpy.memmap reads it")
                    self.assertEqual(numpy.uint32, file["distances"].dtype)
                    numpy.testing.assert_array_equal(truth, file["distances"][:])
                    self.assertEqual(sources, list(file["sources"]))
                    self.assertEqual(list(range(N)), list(file["targets"]))
        self.assertIn("distances", self.cairn("info", "t.h5").out)

    def test_columns_are_cut_where_memory_is_short(self):
        sources = list(range(0, N, 3))
        self.vertices("s.txt", sources)
        truth = numpy.array([path_lengths(self.edges, s, N) for s in sources])
        for ranks in (0, 2):  # a sweep of all columns takes 102 kB: pieces of 97 columns
            self.cairn("distances", "grid.txt", "--sources", "s.txt", "--out", "t.npy", "--run.memory", "50kB", ranks=ranks)
            numpy.testing.assert_array_equal(truth, numpy.load(self.path("t.npy")))

    def test_a_result_has_the_lengths_without_the_graph(self):
        shifted = [(u + 1000, v + 1000) for u, v in self.edges]
        self.write("part.txt", edge_text([(1, 2)] + shifted))
        graph = ["--data.kind", "graph", "--data.path", "part.txt", "--data.format", "edges"]
        self.cairn("approximate", *graph, "--data.largest-component", "true", "--landmarks.count", 20, "--output.path",
                   "r.h5", "--evaluation.rows", 2)
        self.vertices("s.txt", [1017, 1399])
        os.remove(self.path("part.txt"))
        for ranks in RANKS:
            self.cairn("distances", "r.h5", "--sources", "s.txt", "--out", "t.npy", ranks=ranks)
            numpy.testing.assert_array_equal([path_lengths(self.edges, s, N) for s in (17, 399)],
                                             numpy.load(self.path("t.npy")))
        self.vertices("u.txt", [1017, 2])
        self.refused(3, "u.txt:2: the graph has no vertex 2", "distances", "r.h5", "--sources", "u.txt", "--out", "u.npy")
        self.write("h.txt", "vertex\n1017\n")
        self.refused(3, r"h.txt:1: 'vertex' is not an integer .*; a line that names the column begins with #$",
                     "distances", "r.h5", "--sources", "h.txt", "--out", "u.npy")
        self.write("h.txt", "# vertex\n1017\n")
        self.cairn("distances", "r.h5", "--sources", "h.txt", "--out", "u.npy")
        self.refused(2, "--data.weighted has no effect: r.h5 is a result", "distances", "r.h5", "--sources", "s.txt",
                     "--out", "u.npy", "--data.weighted", "false")

    def test_pieces_have_no_path(self):
        self.write("two.txt", edge_text(self.edges + [(500, 501)]))
        self.vertices("s.txt", [500, 3])
        self.vertices("t.txt", [501, 4, 500, 501])
        near = path_lengths(self.edges, 3, N)[4]
        for ranks in (0, 3):
            for search in ("hierarchy", "breadth-first"):
                for bits, none in ((16, 65535), (32, 4294967295), (64, numpy.inf)):
                    report = self.json("distances", "two.txt", "--sources", "s.txt", "--targets", "t.txt", "--out", "t.npy",
                                       "--bits", bits, "--similarity.search", search, ranks=ranks)
                    self.assertEqual([[1, none, 0, 1], [none, near, none, none]], numpy.load(self.path("t.npy")).tolist())
                    self.assertEqual((4, 4), (report["without_path"], report["targets"]))


    def test_a_symbolic_link_stays(self):
        self.vertices("s.txt", [17, 0])
        for name, target in (("t.npy", "numbers"), ("t.h5", "table")):
            os.symlink(target, self.path(name))
            self.cairn("distances", "grid.txt", "--sources", "s.txt", "--out", name, ranks=2)
            self.assertTrue(os.path.islink(self.path(name)))
        self.assertEqual((2, N), numpy.load(self.path("numbers")).shape)
        with h5py.File(self.path("table")) as file:
            self.assertEqual((2, N), file["distances"].shape)


class Lengths(TableTest):
    def check(self, length, number, *options, scale=1.0, within=0.0):
        edges = self.weighted(length)
        sources = [(k * 37) % N for k in range(70)]
        self.vertices("s.txt", [s + 1 for s in sources])
        truth = numpy.array([dijkstra(edges, s, N) for s in sources]) / scale
        for ranks in (0, 3):
            self.cairn("distances", "w.gr", "--sources", "s.txt", "--out", "t.npy", *options, ranks=ranks)
            table = numpy.load(self.path("t.npy"))
            self.assertEqual(number, table.dtype)
            numpy.testing.assert_allclose(table, truth, rtol=within, atol=0.5 if scale != 1.0 else 0)
        return truth

    def test_every_number(self):
        self.check(lambda k: 1 + k * 37 % 90, numpy.uint16)
        self.check(lambda k: 1 + k * 37 % 90, numpy.float64, "--bits", 64)
        self.check(lambda k: 1 + k * 7919 % 100003, numpy.uint32)
        self.check(lambda k: (1 + k * 37 % 90) / 7, numpy.float64, within=1e-13)
        self.check(lambda k: (1 + k * 37 % 90) / 7, numpy.float32, "--bits", 32, within=1e-6)
        self.check(lambda k: (1 + k * 37 % 90) / 7, numpy.uint16, "--bits", 16, "--scale", 0.25, scale=0.25)
        self.check(lambda k: 1 + k * 7919 % 100003, numpy.uint16, "--scale", 1000, scale=1000)

    def test_a_longer_list_of_sources_is_noted(self):
        self.vertices("s.txt", range(9))
        self.vertices("t.txt", [1, 2])
        for search, sources, targets, noted in (("dijkstra", "s.txt", "t.txt", True), ("dijkstra", "t.txt", "s.txt", False),
                                                ("hierarchy", "s.txt", "t.txt", False)):
            out = self.cairn("distances", "grid.txt", "--sources", sources, "--targets", targets, "--out", "t.npy",
                             "--similarity.search", search).out
            self.assertEqual(noted, "a search for each of 9 sources: with sources and targets exchanged 2 searches" in out, out)

    def test_integers_near_the_end_of_32_bits(self):
        self.vertices("s.txt", [0, 1])
        for search in ("hierarchy", "dijkstra"):
            for bits, number in ((32, numpy.uint32), (64, numpy.float64), ("auto", None)):
                self.write("g.txt", "0 1 3000000001\n")
                self.cairn("distances", "g.txt", "--sources", "s.txt", "--out", "t.npy", "--bits", bits, "--similarity.search", search)
                table = numpy.load(self.path("t.npy"))
                self.assertEqual([[0, 3000000001], [3000000001, 0]], table.tolist())
                self.assertIn(table.dtype, [number] if number else [numpy.uint32, numpy.float64])
            self.write("g.txt", "0 1 4294967295\n")
            self.refused(4, "has the length 4294967295, and unsigned integers of 32 bits hold 4294967294 at most", "distances", "g.txt",
                         "--sources", "s.txt", "--out", "u.npy", "--bits", 32, "--similarity.search", search)
            self.refused(4, "of 16 bits hold 65534 at most", "distances", "g.txt", "--sources", "s.txt", "--out", "u.npy", "--bits", 16,
                         "--similarity.search", search)

    def test_too_long_for_16_bits(self):
        truth = self.check(lambda k: 1 + k * 7919 % 100003, numpy.uint32)
        self.assertGreater(truth.max(), 65534)
        os.remove(self.path("t.npy"))
        for ranks in (1, 3):
            outcome = self.cairn("distances", "w.gr", "--sources", "s.txt", "--out", "u.npy", "--bits", 16, ranks=ranks,
                                 expect=4)
            self.assertRegex(outcome.message(), "has the length [0-9]+, and unsigned integers of 16 bits hold 65534 at most")
            words = outcome.message().split()
            at = words.index("vertices")
            source, target = int(words[at + 1]) - 1, int(words[at + 3]) - 1
            edges = [(u, v, 1 + k * 7919 % 100003) for k, (u, v) in enumerate(self.edges)]
            self.assertEqual(dijkstra(edges, source, N)[target], int(words[words.index("length") + 1].rstrip(",")))
            self.assertEqual(["s.txt", "w.gr"], sorted(set(os.listdir(self.folder)) - {"grid.txt"}))
        self.check(lambda k: (1 + k * 37 % 90) / 7, numpy.float64, within=1e-13)
        os.remove(self.path("t.npy"))
        self.refused(2, "--bits = 16 holds integers", "distances", "w.gr", "--sources", "s.txt", "--out", "u.npy", "--bits", 16)


class PairsTest(TableTest):
    """distances --pairs: lengths of pairs, without a table."""

    def lengths(self, *arguments, ranks=0):
        printed = self.cairn("distances", *arguments, ranks=ranks).out
        return [float(line) for line in printed.splitlines()]

    def test_few_and_many_are_those_of_searches(self):
        pairs = [(k * 7 % N, k * k * 31 % N) for k in range(1000)]
        sources = {i: path_lengths(self.edges, i, N) for i in {i for i, _ in pairs}}
        truth = [float(sources[i][j]) for i, j in pairs]
        self.write("many.csv", "from,to\n" + "".join(f"{i},{j}\n" for i, j in pairs))
        self.write("few.txt", "".join(f"{i} {j}\n" for i, j in pairs[:5]))
        for ranks in RANKS:
            self.assertEqual(truth, self.lengths("grid.txt", "--pairs", "many.csv", ranks=ranks))
            self.assertEqual(truth[:5], self.lengths("grid.txt", "--pairs", "few.txt", ranks=ranks))
            self.assertEqual(truth, self.lengths("grid.txt", "--pairs", "many.csv", "--similarity.search", "breadth-first", ranks=ranks))
            report = self.json("distances", "grid.txt", "--pairs", "many.csv", "--out", "l.txt", "--scale", 2, ranks=ranks)
            self.assertEqual((1000, "l.txt", 0, max(truth)), tuple(report[key] for key in ("pairs", "out", "without_path", "longest")))
            self.assertGreater(report["label_bytes"], 0)
            with open(self.path("l.txt"), encoding="utf-8") as file:
                self.assertEqual(truth, [2 * float(line) for line in file])
        self.assertEqual(0, self.json("distances", "grid.txt", "--pairs", "few.txt", "--out", "l.txt")["label_bytes"])

    def test_numbers_are_those_of_the_file(self):
        edges = self.weighted(lambda k: 1 + k * 37 % 90)
        truth = [float(dijkstra(edges, u, N)[v]) for u, v in ((0, 399), (17, 3))]
        self.write("p.txt", "1 400\n18 4\n")
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "w.gr", "--landmarks.count", 10, "--output.path", "r.h5")
        for graph in ("w.gr", "r.h5"):
            for ranks in (1, 3):
                self.assertEqual(truth, self.lengths(graph, "--pairs", "p.txt", ranks=ranks))
        self.write("p.txt", "1 400\n0 4\n")
        self.refused(3, "p.txt:2: names vertex 0; the graph has the vertices 1 to 400", "distances", "w.gr", "--pairs", "p.txt", ranks=(1, 3))
        self.write("part.txt", edge_text([(1, 2)] + [(u + 1000, v + 1000) for u, v in self.edges]))
        self.write("p.txt", "1017 1399\n1000 1001\n")
        truth = [float(path_lengths(self.edges, i, N)[j]) for i, j in ((17, 399), (0, 1))]
        largest = ["part.txt", "--pairs", "p.txt", "--data.largest-component", "true"]
        self.assertEqual(truth, self.lengths(*largest, ranks=3))
        self.write("p.txt", "1017 1399\n1 1001\n")
        self.refused(3, "p.txt:2: no vertex has the number '1'", "distances", *largest, ranks=(1, 3))

    def test_pieces_have_no_path(self):
        self.write("two.txt", "0 1\n1 2\n3 4\n")
        for pairs in ("0 2\n0 4\n3 3\n", "0 2\n0 4\n3 3\n" * 20):  # searches; labels
            self.write("p.txt", pairs)
            for ranks in (1, 3):
                found = self.lengths("two.txt", "--pairs", "p.txt", ranks=ranks)
                self.assertEqual([2.0, float("inf"), 0.0] * (len(found) // 3), found)
                report = self.json("distances", "two.txt", "--pairs", "p.txt", "--out", "l.txt", ranks=ranks)
                self.assertEqual((len(found) // 3, 2), (report["without_path"], report["longest"]))

    def test_mistakes(self):
        self.write("p.txt", "1 2\n")
        self.vertices("s.txt", [1])
        pairs = ("distances", "grid.txt", "--pairs", "p.txt")
        for option in (("--sources", "s.txt"), ("--targets", "s.txt"), ("--bits", 16), ("--resume", "true")):
            self.refused(2, f"{option[0]}.* has no effect with --pairs", *pairs, *option, ranks=[1])
        self.refused(2, "give one of --sources FILE and --pairs FILE", "distances", "grid.txt", "--out", "t.npy", ranks=[1])
        self.refused(2, "same file|reads", *pairs, "--out", "p.txt", ranks=[1])
        self.write("p.txt", "1 2\n1 400\n")
        self.refused(3, "p.txt:2: names vertex 400; the graph has the vertices 0 to 399", *pairs, "--out", "l.txt", ranks=(1, 3))
        self.assertNotIn("l.txt", os.listdir(self.folder))


class Mistakes(TableTest):
    def test_are_named(self):
        self.vertices("s.txt", [1, 2])
        table = ("distances", "grid.txt", "--sources", "s.txt", "--out", "t.npy")
        self.refused(2, "sources", "distances", "grid.txt", "--out", "t.npy", ranks=[1])
        self.refused(2, "out", "distances", "grid.txt", "--sources", "s.txt", ranks=[1])
        self.refused(2, "ends in .npy, .h5 or .hdf5", *table[:-1], "t.csv", ranks=[1])
        self.vertices("s.npy", [1])
        self.refused(2, "same file|reads", "distances", "grid.txt", "--sources", "s.npy", "--out", "s.npy", ranks=[1])
        self.refused(3, "no.txt", "distances", "no.txt", *table[2:])
        self.write("bad.txt", "1\n\n1x\n")
        self.refused(3, "bad.txt:3: ", *table, "--targets", "bad.txt", ranks=(1, 3))
        self.write("bad.txt", "1\n# two\n400\n")
        self.refused(3, "bad.txt:3: the graph has no vertex 400; its vertices are 0 to 399", *table, "--targets", "bad.txt",
                     ranks=(1, 3))
        self.write("bad.txt", "1\n400\n2\n-3\n777\n")
        self.refused(3, r"bad.txt:2: the graph has no vertex 400 \(nor those of 2 more lines\); its vertices are", *table, "--targets", "bad.txt")
        self.write("bad.txt", "# none\n")
        self.refused(3, "bad.txt: names no vertex", *table, "--targets", "bad.txt", ranks=(1, 3))
        self.vertices("many.txt", list(range(N)) * 50)
        for name in ("t.npy", "t.h5"):
            self.refused(5, f"no room for the table: {name} takes 64.* bytes: ", "distances", "grid.txt", "--sources",
                         "many.txt", "--out", name, "--bits", 64, ranks=(1, 3), file_limit=30_000_000)

    def test_a_partial_file_is_not_replaced(self):
        self.vertices("s.txt", [1, 2])
        self.write("t.npy.partial", "x")
        self.refused(2, "t.npy.partial exists.*--resume", "distances", "grid.txt", "--sources", "s.txt", "--out", "t.npy")
        self.refused(2, "t.npy.partial exists and is not a partial table", "distances", "grid.txt", "--sources", "s.txt", "--out",
                     "t.npy", "--resume")
        self.write("t.npy.partial", bytes(100))  # as it is before anything is written
        outcome = self.cairn("distances", "grid.txt", "--sources", "s.txt", "--out", "t.npy", "--resume", ranks=2)
        self.assertIn("begun anew", outcome.out)
        self.assertEqual((2, N), numpy.load(self.path("t.npy")).shape)


class Stops(TableTest):
    def shifted(self, by):
        self.write("part.txt", edge_text([(1, 2)] + [(u + by, v + by) for u, v in self.edges]))

    def test_a_partial_file_that_was_cut_or_replaced_is_begun_anew(self):
        self.shifted(1000)
        self.vertices("s.txt", list(range(1001, 1400)) * 50)  # 64 MB, a search for each row: it can be stopped
        table = ["distances", "part.txt", "--data.largest-component", "true", "--sources", "s.txt", "--bits", 64,
                 "--run.threads", 1]
        for name in ("t.npy", "t.h5"):
            out = [*table, "--similarity.search", "dijkstra", "--out", name]
            whole = self.json(*table, "--out", f"whole-{name}")
            self.stop(out, name)
            for end in ("", ".blocks"):
                shutil.copy(self.path(f"{name}.partial{end}"), self.path(f"kept{end}"))
            for damage in ("cut", "replaced", "none"):
                for end in ("", ".blocks"):
                    shutil.copy(self.path(f"kept{end}"), self.path(f"{name}.partial{end}"))
                with open(self.path(f"{name}.partial"), "r+b") as file:
                    if damage == "cut":
                        file.truncate(os.path.getsize(file.name) // 2)
                    if damage == "replaced":
                        file.write(bytes(64))
                outcome = self.cairn(*out, "--resume", "--json", "report.json", ranks=2)
                self.assertEqual(damage != "none", "begun anew" in outcome.out, outcome.out)
                with open(self.path("report.json"), encoding="utf-8") as file:
                    report = json.load(file)
                self.assertEqual(damage == "none", report["kept_blocks"] > 0)
                self.assertEqual(whole["longest"], report["longest"])
                self.assertTrue(self.values(f"whole-{name}") == self.values(name), "another table")
                self.assertFalse(os.path.exists(self.path(f"{name}.partial.blocks")))
                os.remove(self.path(name))
            for end in ("", ".blocks"):
                shutil.copy(self.path(f"kept{end}"), self.path(f"{name}.partial{end}"))
            self.shifted(1001)  # the same graph and numbers, other rows
            self.refused(3, "another list of sources", *out, "--resume")
            self.shifted(1000)

    def values(self, name):
        if name.endswith(".npy"):
            return numpy.load(self.path(name)).tobytes()
        with h5py.File(self.path(name)) as file:
            return [file[part][:].tobytes() for part in ("distances", "sources", "targets")]

    @unittest.skipUnless(os.path.isfile(BAY), "needs USA-BAY")
    def test_a_killed_run_goes_on_with_what_it_wrote(self):
        self.write("s.txt", "".join(f"{v}\n" for v in range(1, 321_270, 120)))
        self.write("t.txt", "".join(f"{v}\n" for v in range(1, 321_270, 8)))
        table = ["distances", BAY, "--sources", "s.txt", "--targets", "t.txt"]
        whole = self.json(*table, "--out", "whole.npy", ranks=2)
        self.stop([*table, "--out", "t.npy"], "t.npy")
        self.refused(2, "t.npy.partial exists", *table, "--out", "t.npy", ranks=[2])
        self.refused(3, "another --scale", *table, "--out", "t.npy", "--scale", 2, "--resume", ranks=[2])
        report = self.json(*table, "--out", "t.npy", "--resume", ranks=3)
        self.assertGreater(report["kept_blocks"], 0)
        self.assertLess(report["kept_blocks"], whole["blocks"])
        for figure in ("longest", "without_path"):
            self.assertEqual(whole[figure], report[figure])
        expected = numpy.load(self.path("whole.npy"), mmap_mode="r")
        numpy.testing.assert_array_equal(expected, numpy.load(self.path("t.npy"), mmap_mode="r"))
        self.assertFalse(os.path.exists(self.path("t.npy.partial.blocks")))

    def stop(self, arguments, name):
        """Kills a run that has written a block, but not all."""
        blocks = self.path(f"{name}.partial.blocks")
        for _ in range(5):  # it may end before it is killed
            self.kill_when(lambda: os.path.exists(blocks) and any(open(blocks, "rb").read()[HEADER:]), arguments)
            if not os.path.exists(self.path(name)):
                return
            os.remove(self.path(name))

    def kill_when(self, ready, arguments):
        started = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while started.poll() is None and not ready():
            time.sleep(0.001)
        started.send_signal(signal.SIGKILL)
        started.wait()


if __name__ == "__main__":
    unittest.main()
