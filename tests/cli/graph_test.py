"""Graphs from a file to a result and its use, against path lengths that Python finds by itself; and graphs, options and
combinations that cannot be used."""

import csv
import math
import os
import unittest
from collections import deque

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

from cairn_program import CairnTest, with_fixed_estimate

SIDE = 20  # of the grid that tests work on
N = SIDE * SIDE


def grid_edges(side=SIDE):
    """A square grid, vertex = row * side + column, every seventh edge left out where the grid stays in one piece."""
    across = [(r * side + c, r * side + c + 1) for r in range(side) for c in range(side - 1)]
    down = [(r * side + c, (r + 1) * side + c) for r in range(side - 1) for c in range(side)]
    return across + [edge for k, edge in enumerate(down) if k % side == 0 or k % 7]


def edge_text(edges):
    return "# a graph\n" + "".join(f"{u}\t{v}\n" for u, v in edges)


def path_lengths(edges, source, vertices):
    neighbors = [[] for _ in range(vertices)]
    for u, v in edges:
        neighbors[u].append(v)
        neighbors[v].append(u)
    lengths = [math.inf] * vertices
    lengths[source] = 0
    queue = deque([source])
    while queue:
        u = queue.popleft()
        for v in neighbors[u]:
            if lengths[v] == math.inf:
                lengths[v] = lengths[u] + 1
                queue.append(v)
    return lengths


class FromGrid(CairnTest):
    def setUp(self):
        super().setUp()
        self.edges = grid_edges()
        self.write("grid.txt", edge_text(self.edges))
        self.data = ["--data.kind", "graph", "--data.path", "grid.txt", "--data.format", "edges"]

    def approximate(self, *arguments, ranks=0, count=60):
        return self.json("approximate", *self.data, "--landmarks.count", count, "--output.path", "r.h5",
                         *with_fixed_estimate(arguments, "--evaluation.rows", "all"), ranks=ranks)


@unittest.skipIf(h5py is None, "h5py is missing")
class IntegerFactorsTest(FromGrid):
    """Factors that are whole columns of path lengths, which stay integers in the file."""

    def factor(self, *arguments, **options):
        return self.approximate("--approximation.method", "nystrom", *arguments, **options)

    def widened(self, path="r.h5", wide="w.h5"):
        """The same result as earlier versions wrote it: L in double precision. Without checksums, which would differ."""
        with h5py.File(self.path(path)) as file, h5py.File(self.path(wide), "w") as copy:
            for name, value in file.attrs.items():
                copy.attrs.create(name, value, dtype=file.attrs.get_id(name).dtype)
            for name in file:
                if name not in ("left", "right", "crc32"):
                    file.copy(name, copy)
            for name in {"left", "right"} & set(file):
                copy[name] = file[name][:].astype("f8")
            copy.attrs["format_version"] = numpy.int64(1)

    def test_columns_are_stored_as_they_come(self):
        exact, before = numpy.array([path_lengths(self.edges, v, N) for v in range(N)]), None
        for ranks in (1, 2, 3, 4):
            for name, arguments, bits in (("hierarchy", [], 16), ("dijkstra", ["--similarity.search", "dijkstra"], 32)):
                self.factor(*arguments, ranks=ranks)
                info = self.json("info", "r.h5")
                self.assertEqual((bits, 0, "double", 5), (info["left_integer_bits"], info["right_integer_bits"], info["precision"],
                                                          info["format_version"]), name)
                self.assertIn(f"400 x 60, double precision, stored as {bits}-bit integers", self.cairn("info", "r.h5").out)
                with h5py.File(self.path("r.h5")) as file:
                    left, landmarks = file["left"], file["landmarks/indices"][:]
                    self.assertEqual(f"<u{bits // 8}", left.dtype.str)
                    numpy.testing.assert_array_equal(left[:], exact[:, landmarks])
                    core = file["joining"][:]
                if before is not None:
                    numpy.testing.assert_allclose(core, before, rtol=0, atol=1e-9 * abs(before).max())
                before = core
                self.cairn("info", "r.h5", "--verify", "true", ranks=ranks)

    def test_both_factors_of_two_samples_are(self):
        self.approximate("--approximation.method", "sicur")
        info = self.json("info", "r.h5")
        self.assertEqual((16, 16), (info["left_integer_bits"], info["right_integer_bits"]))
        self.assertIn("400 x 120, stored as 16-bit integers", self.cairn("info", "r.h5").out)

    def test_what_is_no_whole_column_stays_a_number(self):
        self.factor("--approximation.embedding", "true")
        self.assertEqual(0, self.json("info", "r.h5")["left_integer_bits"])
        self.assertNotIn("integers", self.cairn("info", "r.h5").out)

    def test_whatever_reads_them_finds_what_numbers_give(self):
        self.write("targets.csv", "value\n" + "".join(f"{v // SIDE + v % SIDE}\n" for v in range(N)))
        for method in ("nystrom", "sicur"):
            self.approximate("--approximation.method", method, "--run.precision", "double", "--output.hierarchy", "false")
            self.widened()
            commands = [["query", "--entry", "0,399", "--entry", "17,300", "--nearest", "5"],
                        ["query", "--row", "7"],
                        ["evaluate", "--evaluation.rows", "all"],
                        ["cluster", "--clusters", 4, "--out", "c.csv"]]
            if method == "nystrom":
                commands += [["query", "--nearest", "5", "--by-angle", "true"],
                             ["query", "--entry", "3,4", "--approximate", "true"],
                             ["train", "--task", "krr", "--targets", "targets.csv", "--lambda", "0.1", "--output.path", "m.h5"],
                             ["train", "--task", "gp", "--targets", "targets.csv", "--output.path", "m.h5"]]
            for command, *arguments in commands:
                with self.subTest(method=method, command=[command, *arguments]):
                    for ranks in (1, 3):
                        found = [self.json(command, file, *arguments, "--overwrite", "true", ranks=ranks) for file in ("r.h5", "w.h5")]
                        self.same(*map(without_times, found))

    def same(self, ours, others):
        self.assertEqual(type(ours), type(others))
        if isinstance(ours, dict):
            self.assertEqual(ours.keys(), others.keys())
            for key in ours:
                with self.subTest(key=key):
                    if key != "file":
                        self.same(ours[key], others[key])
        elif isinstance(ours, list):
            self.assertEqual(len(ours), len(others))
            for own, other in zip(ours, others):
                self.same(own, other)
        elif isinstance(ours, float):
            self.assertAlmostEqual(ours, others, delta=1e-9 * max(1, abs(others)))
        else:
            self.assertEqual(ours, others)

    def test_plan_counts_their_bytes(self):
        plan = lambda *arguments: self.json("plan", *self.data, "--approximation.method", "nystrom", "--landmarks.count", 300, *arguments)
        for arguments, size in (([], 2), (["--similarity.search", "dijkstra"], 4), (["--approximation.embedding", "true"], 8)):
            self.assertEqual(N * 300 * size, plan(*arguments)["bytes"]["left factor"], arguments)
        written = self.factor(count=300)["result_bytes"]
        self.assertLess(abs(plan()["result_bytes"] - written), 0.1 * written)

    def test_damage_is_noticed(self):
        self.factor()
        with h5py.File(self.path("r.h5"), "r+") as file:
            file["left"][7, 3] += 1
        self.refused(3, "/left is damaged: rows 0 to 399 have another checksum", "query", "r.h5", "--row", "7", "--approximate", "true")


def without_times(report):
    changing = ("seconds", "phases", "peak", "file", "path", "bytes", "date", "command", "result", "digest", "config")
    return {key: value for key, value in report.items() if not any(word in key for word in changing)}


class ApproximateTest(FromGrid):
    def test_report_says_how_p_and_w_were_made(self):
        report = self.approximate()
        self.assertEqual((N, 60, "biharmonic", "path-length", "graph", "symmetric-tiles"),
                         (report["n"], report["s1"], report["method"], report["similarity"], report["operator"],
                          report["joining_layout"]))
        self.assertIn(report["solver"], ["direct", "local", "petsc"])
        self.assertTrue(report["solver_reason"])
        self.assertEqual("uint16", report["w_number"])
        self.assertLess(report["row_sum_error"], 1e-8)
        self.assertEqual("rows", report["error_over"])
        self.assertEqual(report["probe_diagonal"] * N, report["probe_evaluations"])
        self.assertLess(report["relative_squared_error"], 1e-2)
        self.assertAlmostEqual(report["relative_error"] ** 2, report["relative_squared_error"], delta=1e-12)
        out = self.cairn("approximate", *self.data, "--landmarks.count", 30, "--output.path", "r.h5").out
        for words in ["relative squared error", "solver  ", "nonzeros", "uint16", "whole rows"]:
            self.assertIn(words, out)

    def test_report_says_how_paths_were_searched_where_auto_chose(self):
        def searches(*arguments):
            return [note for note in self.approximate(*arguments)["notes"] if note.startswith("search ")]

        for method in ("biharmonic", "nystrom"):
            self.assertRegex(searches("--approximation.method", method)[0], "^search .*: (separators are small|a hierarchy)")
        self.assertEqual([], searches("--similarity.search", "dijkstra"))

    def test_answer_does_not_depend_on_ranks_or_search(self):
        errors = [self.approximate(*search, ranks=ranks)["relative_squared_error"]
                  for ranks in (1, 3) for search in ([], ["--similarity.search", "dijkstra"])]
        for error in errors:
            self.assertAlmostEqual(errors[0], error, delta=1e-9 * errors[0])

    def test_w_on_disk_gives_the_same(self):
        kept = self.approximate("--output.compression", "none")
        query = ["query", "r.h5", "--entry", "0,399", "--entry", "17,300", "--nearest", "5",
                 "--approximate", "true"]
        entries = self.json(*query, ranks=2)["entries"]
        for ranks in (1, 2, 3, 4):
            report = self.approximate("--approximation.joining-storage", "disk", ranks=ranks)
            self.assertEqual((False, True), (kept["w_on_disk"], report["w_on_disk"]))
            self.assertAlmostEqual(kept["relative_squared_error"], report["relative_squared_error"],
                                   delta=1e-9 * kept["relative_squared_error"])
            # Where a rank has no room, tiles are read from the file as they are needed.
            for memory in ([], ["--run.memory", "1kB"]):
                for old, new in zip(entries, self.json(*query, *memory, ranks=ranks)["entries"]):
                    self.assertAlmostEqual(old["value"], new["value"], delta=1e-9 * abs(old["value"]))
            error = self.json("evaluate", "r.h5", "--run.memory", "1kB", "--evaluation.rows", "all",
                              ranks=ranks)["relative_squared_error"]
            self.assertAlmostEqual(kept["relative_squared_error"], error, delta=1e-9 * error)
        self.assertEqual(["grid.txt", "r.h5"],
                         sorted(name for name in os.listdir(self.folder) if not name.endswith(".json")))

    def test_memory_that_does_not_suffice_takes_w_to_disk(self):
        plan = self.json("plan", *self.data, "--landmarks.count", 300)
        self.assertEqual(0, plan["scratch_bytes"])
        limited = self.json("plan", *self.data, "--landmarks.count", 300, "--run.memory", "100MB",
                            "--approximation.joining-storage", "disk")
        self.assertGreater(limited["scratch_bytes"], 300 * 300)
        # The program itself is measured anew by each command.
        own = [report["peak_bytes"] - report["bytes"]["program and libraries"] for report in (limited, plan)]
        self.assertLessEqual(*own)
        for phase in ("operator", "interpolation", "landmark matrix", "evaluation", "write"):
            self.assertIn(phase, plan["seconds"])

    def test_a_result_is_planned_and_compressed(self):
        plan = self.json("plan", *self.data, "--landmarks.count", 200, "--approximation.p-row", 10)
        small = self.approximate("--approximation.p-row", 10, count=200)["result_bytes"]
        whole = self.approximate("--approximation.p-row", 10, "--output.compression", "none", count=200)["result_bytes"]
        self.assertLess(small, whole)
        self.assertLess(abs(plan["result_bytes"] - small), 0.6 * small)

    def test_all_vertices_as_landmarks_are_exact(self):
        report = self.approximate(count=N)
        self.assertEqual(0, report["relative_error"])

    def test_dense_p_is_said_to_be_dense_and_is_no_worse(self):
        dense = self.approximate("--approximation.p-row", 60)
        sparse = self.approximate("--approximation.p-row", 10)
        self.assertLessEqual(dense["relative_squared_error"], sparse["relative_squared_error"])
        self.assertTrue(any("P is dense" in note for note in dense["notes"]), dense)
        self.assertEqual([], dense["warnings"])

    def test_one_landmark_makes_all_entries_alike(self):
        self.assertRegex(" ".join(self.approximate(count=1)["warnings"]), "K~ is 0 everywhere")
        self.assertNotRegex(" ".join(self.approximate(count=2)["warnings"]), "K~ is 0 everywhere")
        self.approximate(count=1)
        report = self.json("query", "r.h5", "--entry", "0,399", "--entry", "17,17", "--approximate", "true")
        self.assertEqual([0, 0], [entry["value"] for entry in report["entries"]])

    def test_options_of_the_method(self):
        for option in (["--approximation.transform", "sqrt"], ["--approximation.sparsity", "rows"],
                       ["--approximation.normalize", "false"], ["--approximation.solver", "direct"],
                       ["--approximation.solver", "local"], ["--approximation.p-row", "5"]):
            with self.subTest(option):
                self.assertLess(self.approximate(*option, count=80)["relative_squared_error"], 0.05)

    def test_landmarks_from_a_file_and_from_a_result(self):
        self.write("landmarks.txt", "".join(f"{v}\n" for v in range(0, N, 5)))
        self.approximate("--landmarks.selection", "file", "--landmarks.path", "landmarks.txt", count=80)
        first = self.json("info", "r.h5")
        os.rename(self.path("r.h5"), self.path("first.h5"))
        self.approximate("--landmarks.selection", "file", "--landmarks.path", "first.h5", count=80)
        self.assertEqual(first["relative_error"], self.json("info", "r.h5")["relative_error"])

    def test_the_largest_component_keeps_numbers_of_the_file(self):
        self.write("two.txt", edge_text([(0, 1)] + [(u + 2, v + 2) for u, v in self.edges]))
        report = self.json("approximate", "--data.kind", "graph", "--data.path", "two.txt", "--data.largest-component",
                           "true", "--landmarks.count", 60, "--output.path", "r.h5")
        self.assertEqual(N, report["n"])
        self.assertTrue(any("2 vertices outside the largest of 2" in note for note in report["notes"]), report["notes"])
        info = self.json("info", "r.h5")
        self.assertEqual((False, True), (info["has_labels"], info["has_numbers"]))


class UseTest(FromGrid):
    def setUp(self):
        super().setUp()
        self.approximate(count=120, ranks=2)

    def test_queries_agree_with_path_lengths(self):
        truth = path_lengths(self.edges, 17, N)
        os.remove(self.path("grid.txt"))  # the file alone
        for ranks in (1, 3):
            row = self.json("query", "r.h5", "--row", 17, ranks=ranks)["row"]["values"]
            error = sum((a - b) ** 2 for a, b in zip(row, truth)) / sum(b * b for b in truth)
            self.assertLess(error, 0.01)
            entry = self.json("query", "r.h5", "--entry", "17,399", ranks=ranks)["entries"][0]["value"]
            self.assertAlmostEqual(row[399], entry, delta=1e-9)
            nearest = self.json("query", "r.h5", "--nearest", 17, "--k", 3, ranks=ranks)["nearest"]["nearest"]
            self.assertEqual(sorted(row[:17] + row[18:])[:3], [n["value"] for n in nearest])

    def test_a_row_beside_the_exact_one(self):
        truth = path_lengths(self.edges, 42, N)
        report = self.json("evaluate", "r.h5", "--row", 42, "--out", "row.csv", ranks=3)
        with open(self.path("row.csv"), newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(truth, [float(line["exact"]) for line in lines])
        error = sum((float(line["approximate"]) - t) ** 2 for line, t in zip(lines, truth)) / sum(t * t for t in truth)
        self.assertAlmostEqual(error, report["row"]["relative_squared_error"], delta=1e-6 * error)

    def test_evaluate_measures_rows(self):
        whole = self.json("evaluate", "r.h5", "--evaluation.rows", "all")
        stored = self.json("info", "r.h5")
        self.assertAlmostEqual(whole["relative_squared_error"], stored["relative_squared_error"], delta=1e-9)
        some = self.json("evaluate", "r.h5", "--evaluation.rows", 50, ranks=3)
        self.assertEqual(50 * N, some["probe_evaluations"])

    def test_one_row_is_refused_with_keys_that_it_ignores(self):
        for key, value in (("run.seed", 5), ("evaluation.rows", 5), ("spectrum", 9)):
            self.refused(2, f"--{key} has no effect beside --row", "evaluate", "r.h5", "--row", 1, "--out", "x.csv",
                         f"--{key}", value, ranks=[1])

    def test_info_names_method_and_layout(self):
        out = self.cairn("info", "r.h5").out
        for words in ["biharmonic", "symmetric-tiles", "path-length", "graph"]:
            self.assertIn(words, out)

    def test_another_graph_is_not_the_one_that_was_approximated(self):
        self.json("approximate", "--data.kind", "graph", "--data.generate", "grid", "--data.points", "100",
                  "--data.removed", "0.1", "--data.largest-component", "true", "--landmarks.count", "9", "--output.path",
                  "generated.h5")
        self.refused(3, r"the data have 400 objects, generated.h5 was made from", "evaluate", "generated.h5",
                     "--data.path", "grid.txt", "--data.format", "edges", ranks=[1])
        self.write("other.txt", edge_text(self.edges[1:]))
        self.refused(3, "not those that r.h5 was made from", "evaluate", "r.h5", "--data.path", "other.txt",
                     "--data.format", "edges", ranks=[1])

    def test_extend_refuses(self):
        self.refused(2, "r.h5 was made from data of the kind graph", "extend", "r.h5", "--data.path", "p.csv", "--output.path", "x.h5",
                     ranks=[1])

    def test_sweep_and_plan(self):
        self.cairn("sweep", *self.data, "--landmarks.count", 60, "--vary", "landmarks.count=40,80", "--vary",
                   "approximation.p-row=10,40", "--output.csv", "s.csv")
        with open(self.path("s.csv"), newline="", encoding="utf-8") as file:
            runs = list(csv.DictReader(file))
        self.assertEqual(4, len(runs))
        self.assertTrue(all(float(run["relative_squared_error"]) > 0 for run in runs))
        self.assertEqual({("graph", run["landmarks.count"]) for run in runs}, {(run["operator"], run["s1"]) for run in runs})
        dense = [run for run in runs if run["approximation.p-row"] == "40" and run["s1"] == "40"]
        self.assertGreater(float(dense[0]["nonzeros_per_row"]), 35)
        for run in runs:
            entries, l = float(run["nonzeros_per_row"]) * N, int(run["s1"])
            self.assertAlmostEqual(16 * entries + 2 * (l * (l + 1) / 2), float(run["factor_bytes"]), delta=2 * l * l)
            self.assertGreater(float(run["seconds_landmark_matrix"]) + float(run["seconds_interpolation"]), 0)
        for key, value in ("compression", "none"), ("distances", "true"):
            self.refused(2, f"output.{key} has no effect: a sweep writes no result", "sweep", *self.data, "--landmarks.count",
                         60, "--repeats", 2, f"--output.{key}", value, "--output.csv", "s2.csv", ranks=[1])
        plan = self.json("plan", *self.data, "--landmarks.count", 60, "--ranks", 4)
        self.assertEqual(60 * 60, plan["evaluations"])
        self.assertEqual(plan["peak_bytes"], sum(plan["bytes"].values()))
        self.assertIn("P", plan["bytes"])
        self.refused(5, "more than run.memory", "approximate", *self.data, "--landmarks.count", 60, "--output.path",
                     "x.h5", "--run.memory", "1MB", ranks=[1])


class BadGraphs(CairnTest):
    def check(self, pattern, text, *arguments, name="g.txt", ranks=(1, 3)):
        self.write(name, text)
        self.refused(3, pattern, "approximate", "--data.kind", "graph", "--data.path", name, "--landmarks.count", 2,
                     "--output.path", "r.h5", *arguments, ranks=ranks)

    def test_files_that_are_wrong(self):
        self.check(r"(?i)g\.txt.*(empty|no edge|nothing)", "")
        self.check(r"g\.gr:3: ", "p tw 3 2\n1 2\n2 4\n", name="g.gr")
        self.check(r"g\.gr:2: ", "p sp 3 2\na 0 2 5\na 2 3 1\n", name="g.gr")
        self.check(r"g\.txt:2: ", "0 1\n1 x\n", ranks=[1])
        self.check(r"g\.txt:2: ", "0 1\n1 -2\n", ranks=[1])

    def test_lengths_that_are_not_positive(self):
        for length in ("0", "-1", "nan"):
            self.check(r"g\.gr:3: ", f"p sp 3 2\na 1 2 1\na 2 3 {length}\n", name="g.gr", ranks=[1])

    def test_a_graph_in_several_pieces(self):
        self.check(r"2 pieces, the largest of 3, 2 vertices .* in the file.*largest-component", "0 1\n1 2\n3 4\n")
        self.refused(3, r"of the grid, from 0\).*largest-component", "approximate", "--data.kind", "graph",
                     "--data.generate", "grid", "--data.points", "900", "--landmarks.count", 9, "--output.path", "r.h5")


class Convert(FromGrid):
    def test_every_format_becomes_the_same_graph(self):
        lengths = [1 + (u * 7 + v) % 5 for u, v in self.edges]
        lines = [f"{u} {v} {length}" for (u, v), length in zip(self.edges, lengths)]
        self.write("w.txt", "".join(line + "\n" for line in lines))
        self.write("w.cedge", "".join(f"{k} {line}\n" for k, line in enumerate(lines)))
        self.write("w.gr", f"p sp {N} {len(lines)}\n" + "".join(
            f"a {u + 1} {v + 1} {length}\n" for (u, v), length in zip(self.edges, lengths)))
        self.write("w.mtx", f"%%MatrixMarket matrix coordinate real symmetric\n{N} {N} {len(lines)}\n" + "".join(
            f"{v + 1} {u + 1} {length}\n" for (u, v), length in zip(self.edges, lengths)))
        contents = []
        for ranks, name in enumerate(("w.txt", "w.cedge", "w.gr", "w.mtx"), 1):
            report = self.json("convert", name, f"{ranks}.h5", "--data.kind", "graph", ranks=ranks)
            self.assertEqual((N, len(lines), True), (report["n"], report["edges"], report["has_lengths"]))
            with open(self.path(f"{ranks}.h5"), "rb") as file:
                contents.append(file.read())
        self.assertEqual([len(contents[0])] * 4, [len(content) for content in contents])
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "w.gr", "--landmarks.count", 60, "--output.path",
                   "r.h5")
        for ranks, name in ((1, "1.h5"), (3, "2.h5"), (2, "3.h5"), (1, "4.h5")):  # a digest tells that it is the same
            self.json("evaluate", "r.h5", "--data.path", name, "--evaluation.rows", 20, ranks=ranks)

    def test_unit_lengths_are_not_written(self):
        report = self.json("convert", "grid.txt", "g.h5", "--data.kind", "graph", ranks=3)
        self.assertFalse(report["has_lengths"])
        self.json("approximate", "--data.kind", "graph", "--data.path", "g.h5", "--landmarks.count", 60, "--output.path",
                  "r.h5", ranks=2)
        row = self.json("evaluate", "r.h5", "--row", 42, "--out", "row.csv")["row"]
        self.assertLess(row["relative_squared_error"], 0.01)
        with open(self.path("row.csv"), newline="", encoding="utf-8") as file:
            self.assertEqual(path_lengths(self.edges, 42, N), [float(line["exact"]) for line in csv.DictReader(file)])

    def test_what_is_no_graph_or_not_said_to_be_one(self):
        self.write("ragged.txt", "# edges\n1 2\n2 3 5\n")
        self.refused(3, "if it is a graph, give --data.kind graph", "convert", "ragged.txt", "x.h5", ranks=[1])
        self.write("g.gr", "p tw 2 1\n1 2\n")
        self.refused(2, "g.gr is a graph by its name; give --data.kind graph", "convert", "g.gr", "x.h5", ranks=[1])
        self.write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        for kind in ([], ["--data.kind", "mesh"]):
            self.refused(2, "m.obj is a mesh: convert takes points, matrices and graphs", "convert", "m.obj", "x.h5", *kind,
                         ranks=[1])
        self.refused(2, "run.precision has no effect if data.kind is graph", "convert", "g.gr", "x.h5", "--data.kind",
                     "graph", "--run.precision", "single", ranks=[1])
        self.refused(2, "data.weighted has no effect if data.kind is points", "convert", "p.csv", "x.h5",
                     "--data.weighted", "false", ranks=[1])


class BadCombinations(CairnTest):
    base = ["approximate", "--data.kind", "graph", "--data.generate", "grid", "--data.points", "100", "--output.path",
            "r.h5", "--data.largest-component", "true"]

    def check(self, pattern, *arguments, base=None, code=2):
        self.refused(code, pattern, *(base or self.base + ["--landmarks.count", "10"]), *arguments, ranks=[1])

    def test_values_out_of_range(self):
        self.check("p-row", "--approximation.p-row", "0")
        self.check("data.removed", "--data.removed", "1")
        self.check("101", "--landmarks.count", "101", base=self.base)
        self.check("tolerance", "--approximation.tolerance", "-1")
        self.check("tolerance = 2 is not below 1", "--approximation.tolerance", "2")
        self.check("tolerance = 0 is not above 0", "--approximation.tolerance", "0")

    def test_similarities_methods_and_data_that_do_not_go_together(self):
        self.check("similarity.kind = rbf is incompatible with data.kind = graph", "--similarity.kind", "rbf")
        points = ["approximate", "--data.generate", "normal", "--data.points", "9", "--data.dimension", "2",
                  "--landmarks.count", "3", "--output.path", "r.h5"]
        self.check("path-length is incompatible with data.kind = points", "--similarity.kind", "path-length", base=points)
        self.check("noise has no whole rows", "--similarity.kind", "noise",
                   "--approximation.method", "biharmonic", base=points)
        self.check("similarity.parts = noise has no whole rows", "--similarity.kind", "sum",
                   "--similarity.parts", "rbf,noise", "--approximation.method", "biharmonic", base=points)
        self.check("transform = sqrt is for distances; rbf is a similarity", "--similarity.kind", "rbf",
                   "--approximation.transform", "sqrt", "--approximation.method", "biharmonic", base=points)
        self.check("data.generate = normal is incompatible with data.kind = graph",
                   base=["approximate", "--data.kind", "graph", "--data.generate", "normal", "--data.points", "9",
                         "--landmarks.count", "3", "--output.path", "r.h5"])

    def test_keys_that_would_do_nothing(self):
        for key, value in [("approximation.embedding", "true"), ("evaluation.pairs", "100"), ("data.dimension", "3"),
                           ("data.label", "x"), ("approximation.spectrum", "all"), ("similarity.gamma", "1")]:
            self.check(f"{key} has no effect if", f"--{key}", value)
        self.check("approximation.p-row has no effect if approximation.method is nystrom", "--approximation.p-row", "5",
                   base=["approximate", "--data.generate", "normal", "--data.points", "9", "--data.dimension", "2",
                         "--similarity.kind", "rbf", "--landmarks.count", "3", "--output.path", "r.h5"])

    def test_landmarks_that_need_single_entries(self):
        self.check("rpcholesky is incompatible with approximation.method = biharmonic, which takes uniform, farthest, file or by-list",
                   "--landmarks.selection", "rpcholesky")
        self.check("rpcholesky needs single entries", "--landmarks.selection", "rpcholesky", "--approximation.method",
                   "nystrom")


if __name__ == "__main__":
    unittest.main(verbosity=2)
