"""Methods on path lengths and geodesics, which come by whole rows: from a config to a stored result and its use."""

import csv
import unittest

from cairn_program import CairnTest, with_fixed_estimate
from graph_test import N, FromGrid, path_lengths


class ColumnsOfAGraph(FromGrid):
    def nystrom(self, *arguments, ranks=0):
        return self.approximate("--approximation.method", "nystrom", "--approximation.tolerance", "1e-10", *arguments,
                                ranks=ranks)

    def test_nystrom_is_exact_in_the_columns_of_landmarks(self):
        self.write("landmarks.txt", "".join(f"{v}\n" for v in range(3, N, 7)))
        count = len(range(3, N, 7))
        report = self.json("approximate", *self.data, "--approximation.method", "nystrom", "--approximation.tolerance",
                           "1e-12", "--landmarks.selection", "file", "--landmarks.path", "landmarks.txt",
                           "--output.path", "r.h5", ranks=2)
        self.assertEqual(("nystrom", "path-length", "rows", count * N),
                         (report["method"], report["similarity"], report["error_over"], report["evaluations"]))
        for landmark in (3, 10, 3 + 7 * (count - 1)):
            truth = path_lengths(self.edges, landmark, N)
            row = self.json("query", "r.h5", "--row", landmark, ranks=3)["row"]["values"]
            for value, expected in zip(row, truth):
                self.assertAlmostEqual(expected, value, delta=1e-5)

    def test_answer_does_not_depend_on_ranks_or_search(self):
        errors = [self.nystrom(*search, ranks=ranks)["relative_squared_error"] for ranks, search in
                  [(1, []), (2, []), (3, ["--similarity.search", "breadth-first"]), (4, [])]]
        for error in errors:
            self.assertAlmostEqual(errors[0], error, delta=1e-6 * errors[0])
        whole = self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=2)
        self.assertEqual("rows", whole["error_over"])
        self.assertAlmostEqual(errors[0], whole["relative_squared_error"], delta=1e-6 * errors[0])
        self.assertIn("nystrom", self.cairn("info", "r.h5").out)
        row = self.json("evaluate", "r.h5", "--row", 42, "--out", "row.csv", ranks=3)["row"]
        self.assertLess(row["relative_squared_error"], 0.01)
        spectrum = self.json("evaluate", "r.h5", "--evaluation.rows", 50, "--spectrum", 100)["sample_spectrum"]
        self.assertEqual(100, len(spectrum))
        self.assertLess(spectrum[0], 0)  # distances are not definite
        self.assertAlmostEqual(0, sum(spectrum), delta=1e-6 * spectrum[-1])  # their diagonal is 0

    def test_every_method(self):
        best = self.json("approximate", *self.data, "--approximation.method", "optimal", "--approximation.rank", 60,
                         "--output.path", "r.h5")
        for name in ("nystrom", "sms-nystrom", "skeleton", "sicur", "stacur", "auto"):
            with self.subTest(name):
                report = self.approximate("--approximation.method", name, ranks=2)
                self.assertGreaterEqual(report["relative_error"], 0.99 * best["relative_error"])
                self.assertLess(report["relative_error"], 1)
        self.assertTrue(any("auto chose" in note for note in report["notes"]), report["notes"])

    def test_near_entries_are_path_lengths(self):
        lengths = [path_lengths(self.edges, i, N) for i in range(N)]
        for ranks in (1, 2, 3, 4):
            report = self.approximate("--approximation.method", "nystrom", "--output.near", 4, "--output.hierarchy", "false", ranks=ranks)
            self.assertGreaterEqual(report["near_entries"], 5 * N)
            questions = [word for k in range(0, N, 9) for word in ("--entry", f"{k},{k}")]
            for i in (0, 57, N - 1):
                found = self.json("query", "r.h5", "--nearest", i, "--k", 4, ranks=ranks)["nearest"]["nearest"]
                self.assertEqual([1, 1], [lengths[i][one["object"]] for one in found][:2])
                for one in found:
                    self.assertTrue(one["exact"])
                    self.assertAlmostEqual(lengths[i][one["object"]], one["value"], delta=1e-9)
            for entry in self.json("query", "r.h5", *questions, ranks=ranks)["entries"]:
                self.assertTrue(entry["exact"])
                self.assertAlmostEqual(0, entry["value"], delta=1e-9)
        planned = self.cairn("plan", *self.data, "--landmarks.count", 60, "--approximation.method", "nystrom", "--output.near", 4).out
        self.assertIn("labels of path lengths", planned)

    def test_single_precision_and_embedding(self):
        double = self.approximate("--approximation.method", "nystrom", "--approximation.tolerance", "1e-3")
        single = self.approximate("--approximation.method", "nystrom", "--approximation.tolerance", "1e-3",
                                  "--run.precision", "single", "--approximation.embedding", "true", ranks=3)
        self.assertAlmostEqual(double["relative_error"], single["relative_error"], delta=1e-3 * double["relative_error"])

    def test_farthest_landmarks(self):
        for method in ("biharmonic", "nystrom"):
            errors = [self.approximate("--approximation.method", method, "--landmarks.selection", "farthest",
                                       ranks=ranks)["relative_squared_error"] for ranks in (1, 4)]
            self.assertAlmostEqual(errors[0], errors[1], delta=1e-6 * errors[0])
            self.assertLess(errors[0], 0.05)

    def test_what_does_not_go(self):
        base = ["approximate", *self.data, "--landmarks.count", "9", "--output.path", "r.h5", "--approximation.method",
                "nystrom"]
        self.refused(2, "evaluation.pairs has no effect if similarity.kind is path-length", *base,
                     "--evaluation.pairs", "100")
        self.refused(2, "rpcholesky needs single entries", *base, "--landmarks.selection", "rpcholesky")
        self.refused(2, "p-row has no effect if approximation.method is nystrom", *base, "--approximation.p-row", "5",
                     ranks=[1])

    def test_plan_and_sweep(self):
        plan = self.json("plan", *self.data, "--approximation.method", "nystrom", "--landmarks.count", 60)
        self.assertEqual((60 * N, 64 * N), (plan["evaluations"], plan["probe_evaluations"]))
        self.assertEqual(plan["peak_bytes"], sum(plan["bytes"].values()))
        self.assertIn("graph, once per node", plan["bytes"])
        self.cairn("sweep", *self.data, "--landmarks.count", 40, "--vary", "approximation.method=nystrom,biharmonic,optimal",
                   "--output.csv", "s.csv")


class ColumnsOfAMesh(CairnTest):
    data = ["--data.kind", "mesh", "--data.generate", "sphere", "--data.points", "500"]

    def approximate(self, *arguments, method="nystrom", ranks=0):
        return self.json("approximate", *self.data, "--approximation.method", method, "--output.path", "r.h5",
                         "--landmarks.count", 60, *with_fixed_estimate(arguments, "--evaluation.rows", "all"), ranks=ranks)

    def test_geodesics_are_the_mean_of_both_directions(self):
        reports = [self.approximate("--landmarks.selection", "farthest", ranks=ranks) for ranks in (1, 3)]
        for report in reports:
            self.assertEqual(("geodesic", "rows"), (report["similarity"], report["error_over"]))
            self.assertLess(report["symmetric_relative_squared_error"], 1e-2)
        self.assertAlmostEqual(reports[0]["relative_error"], reports[1]["relative_error"], delta=1e-7)
        again = self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=2)
        self.assertIn("symmetric_relative_squared_error", again)
        self.assertEqual(reports[1]["symmetric_relative_squared_error"],
                         self.json("info", "r.h5")["symmetric_relative_squared_error"])

    def test_w_holds_the_mean_of_what_rows_say(self):
        landmarks = sorted({5, 100, 301, *range(0, 490, 9)})
        self.write("landmarks.txt", "".join(f"{v}\n" for v in landmarks))
        self.json("approximate", *self.data, "--approximation.method", "biharmonic", "--output.path", "w.h5",
                  "--landmarks.selection", "file", "--landmarks.path", "landmarks.txt", ranks=2)
        rows = {}
        for row in landmarks[1:4] + [301]:
            self.cairn("evaluate", "w.h5", "--row", row, "--out", "row.csv", ranks=2)
            with open(self.path("row.csv"), encoding="utf-8") as file:
                rows[row] = [float(line["exact"]) for line in csv.DictReader(file)]
        differences = []
        for i in rows:
            for j in rows:  # rows of P at landmarks are those of the identity: K~ is W there
                value = self.json("query", "w.h5", "--entry", f"{i},{j}")["entries"][0]["value"]
                self.assertAlmostEqual((rows[i][j] + rows[j][i]) / 2, value, delta=1e-12)
                differences.append(abs(rows[i][j] - rows[j][i]))
        self.assertGreater(max(differences), 1e-4)

    def test_similarities_of_positions_are_taken_by_entries(self):
        report = self.approximate("--similarity.kind", "rbf", "--similarity.gamma", "1", "--evaluation.pairs", 10000, ranks=3)
        self.assertEqual("pairs", report["error_over"])
        self.assertLess(report["relative_error"], 1e-3)
        rows = self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=2)
        self.assertLess(rows["relative_error"], 1e-3)
        self.assertAlmostEqual(1, self.json("query", "r.h5", "--entry", "7,7")["entries"][0]["value"], delta=5e-3)
        for method, selection in (("nystrom", "rpcholesky"), ("biharmonic", "farthest")):
            report = self.approximate("--similarity.kind", "rbf", "--similarity.gamma", "1", "--landmarks.selection",
                                      selection, method=method, ranks=2)
            self.assertLess(report["relative_error"], 0.1)
        self.json("plan", *self.data, "--similarity.kind", "rbf", "--approximation.method", "nystrom",
                  "--landmarks.count", 60)


class Reuse(CairnTest):
    data = ["--data.kind", "mesh", "--data.generate", "sphere", "--data.points", "500"]
    rbf = ["--similarity.kind", "rbf", "--similarity.gamma", "0.3"]

    def setUp(self):
        super().setUp()
        self.json("approximate", *self.data, "--landmarks.count", 70, "--approximation.p-row", 20, "--output.path",
                  "first.h5", ranks=2)

    def reuse(self, *arguments, ranks=0, output="again.h5"):
        return self.json("approximate", *self.data, "--approximation.reuse", "first.h5", "--output.path", output,
                         *with_fixed_estimate(arguments, "--evaluation.rows", "all"), ranks=ranks)

    def row(self, path):
        return self.json("query", path, "--row", 11)["row"]["values"]

    def test_another_similarity_is_as_from_scratch(self):
        scratch = self.json("approximate", *self.data, *self.rbf, "--landmarks.selection", "file", "--landmarks.path",
                            "first.h5", "--approximation.p-row", 20, "--output.path", "scratch.h5", "--evaluation.rows", "all")
        expected = self.row("scratch.h5")
        for ranks in (1, 3, 4):
            report = self.reuse(*self.rbf, ranks=ranks)
            self.assertEqual(("rbf", 70, "none"), (report["similarity"], report["s1"], report["solver"]))
            self.assertAlmostEqual(scratch["relative_error"], report["relative_error"], delta=1e-12)
            for value, other in zip(self.row("again.h5"), expected):
                self.assertAlmostEqual(other, value, delta=1e-12)
        again = self.json("evaluate", "again.h5", "--evaluation.rows", "all", ranks=2)
        self.assertLess(again["relative_error"], 0.1)
        self.assertIn("first.h5", " ".join(self.json("info", "again.h5")["notes"]))
        out = self.cairn("approximate", *self.data, "--approximation.reuse", "first.h5", "--output.path", "again.h5").out
        self.assertNotIn("rows of dense P", out)

    def test_other_parameters_and_the_root(self):
        report = self.reuse("--similarity.time-factor", "2")
        self.assertEqual("geodesic", report["similarity"])
        self.assertLess(report["relative_squared_error"], 1e-2)
        report = self.reuse("--similarity.kind", "euclidean", "--approximation.transform", "sqrt", ranks=2)
        self.assertLess(report["relative_squared_error"], 1e-2)
        plan = self.json("plan", *self.data, "--approximation.reuse", "first.h5", *self.rbf)
        self.assertEqual(70 * 70, plan["evaluations"])
        self.cairn("sweep", *self.data, "--approximation.reuse", "first.h5", "--similarity.kind", "rbf", "--vary",
                   "similarity.gamma=0.1,0.3", "--output.csv", "s.csv")

    def test_what_cannot_be_reused(self):
        self.refused(3, r"the data have \d+ objects, first.h5 was made from \d+",
                     "approximate", *self.data[:-1], "400", *self.rbf, "--approximation.reuse", "first.h5",
                     "--output.path", "x.h5")
        self.refused(3, r"the data have \d+ objects, first.h5 was made from \d+", "approximate", "--data.kind", "mesh",
                     "--data.generate", "torus", "--data.points", "500", *self.rbf, "--approximation.reuse", "first.h5",
                     "--output.path", "x.h5", ranks=[1])
        base = ["approximate", *self.data, *self.rbf, "--output.path", "x.h5", "--approximation.reuse"]
        for key, value in [("landmarks.count", "9"), ("landmarks.selection", "farthest"), ("approximation.p-row", "5"),
                           ("approximation.solver", "direct"), ("approximation.operator", "neighbours"),
                           ("approximation.tolerance", "1e-3")]:
            self.refused(2, f"{key} has no effect if P and its landmarks are taken from first.h5", *base, "first.h5", f"--{key}", value,
                         ranks=[1])
        self.refused(2, "run.precision = double", *base, "first.h5", "--run.precision", "single")
        self.refused(2, "reuse has no effect if approximation.method is nystrom", *base, "first.h5",
                     "--approximation.method", "nystrom", ranks=[1])
        self.refused(3, "missing.h5", *base, "missing.h5")
        self.json("approximate", *self.data, *self.rbf, "--approximation.method", "nystrom", "--landmarks.count", 9,
                  "--output.path", "dense.h5")
        self.refused(3, "dense.h5 holds no P: it was made by nystrom", *base, "dense.h5")


class Pieces(CairnTest):
    def test_pieces_are_named_as_the_file_numbers_them(self):
        # Vertices 7, 8, 9 and 1007, 1009 (the smallest number counts from 7; few numbers have edges: numbered anew).
        self.write("g.txt", "1007 1009\n7 8\n8 9\n")
        self.refused(3, r"2 pieces, the largest of 3, 2 vertices \(those of the vertices 7, 1007 in the file\)",
                     "approximate", "--data.kind", "graph", "--data.path", "g.txt", "--landmarks.count", 2,
                     "--output.path", "r.h5")
        self.write("g.gr", "p tw 5 3\n1 2\n2 3\n4 5\n")
        self.refused(3, r"2 pieces, the largest of 3, 2 vertices \(those of the vertices 1, 4 in the file\)",
                     "approximate", "--data.kind", "graph", "--data.path", "g.gr", "--landmarks.count", 2,
                     "--output.path", "r.h5")

    def test_a_piece_without_landmark(self):
        def sheet(first, x):  # a square of nine vertices, eight triangles
            vertices = "".join(f"v {x + i} {j} 0\n" for i in range(3) for j in range(3))
            faces = ""
            for i in range(2):
                for j in range(2):
                    a = first + 3 * i + j
                    faces += f"f {a} {a + 3} {a + 1}\nf {a + 1} {a + 3} {a + 4}\n"
            return vertices, faces

        (v1, f1), (v2, f2) = sheet(1, 0), sheet(11, 10)
        self.write("m.obj", v1 + "v 50 50 50\n" + v2 + f1 + f2)  # one vertex that no triangle has between the two
        self.write("landmarks.txt", "0\n4\n8\n")
        base = ["approximate", "--data.kind", "mesh", "--data.path", "m.obj", "--data.drop-unused", "true",
                "--landmarks.selection", "file", "--landmarks.path", "landmarks.txt", "--output.path", "r.h5"]
        self.refused(3, r"the piece of the mesh that vertex 10 of the file, from 0, belongs to \(9 vertices\) holds no",
                     *base, "--similarity.kind", "euclidean")
        self.refused(3, r"mesh is in 2 pieces, the largest of 9, 9 vertices \(those of the vertices 0, 10 of the file",
                     *base)
        self.write("landmarks.txt", "0\n4\n8\n12\n")
        self.json(*base, "--similarity.kind", "euclidean", ranks=2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
