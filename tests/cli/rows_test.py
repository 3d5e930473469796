"""Row numbers, labels, and numbers in the file of the data: 1-based graphs, dropped vertices and documents."""

import csv
import unittest

try:
    import h5py
except ImportError:
    h5py = None

from cairn_program import CairnTest, csv_text, points

WORDS = "cat 1 0\ndog 0 1\nowl 1 1\nsat 2 1\n"
RANKS = (1, 3)


@unittest.skipIf(h5py is None, "h5py is not there")
class RowsTest(CairnTest):
    def table(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            return reader.fieldnames, list(reader)

    def numbers(self, result):
        with h5py.File(self.path(result)) as file:
            return file["numbers"][:].tolist() if "numbers" in file else None

    def graph(self, text, *options, count=4, ranks=1):
        self.write("g.txt", text)
        return self.json("approximate", "--data.kind", "graph", "--data.path", "g.txt", "--data.format", "edges", *options,
                         "--landmarks.count", count, "--output.path", "r.h5", ranks=ranks)


class QuotedLabelsTest(RowsTest):
    def test_names_with_commas_stand_in_quotes(self):
        names = [f'"Lake, {k}"' if k % 2 else f"Town {k}" for k in range(12)]
        self.write("p.csv", csv_text(points(12), names))
        self.cairn("approximate", "--data.path", "p.csv", "--data.label", "class", "--similarity.kind", "rbf", "--landmarks.count", 4,
                   "--output.path", "r.h5")
        for entry in ('"Lake, 3",Town 4', '"Lake, 3", Town 4'):
            report = self.json("query", "r.h5", "--entry", entry, "--by-label", "true")
            self.assertEqual((3, 4), (report["entries"][0]["row"], report["entries"][0]["column"]))
        self.refused(2, "--entry Lake, 3,Town 4 is not two labels, I,J; a name with a comma stands in quotes", "query", "r.h5",
                     "--entry", "Lake, 3,Town 4", "--by-label", "true")
        self.refused(2, '--entry "Lake, 3,Town 4 cannot be read: a quote is not closed', "query", "r.h5",
                     "--entry", '"Lake, 3,Town 4', "--by-label", "true", ranks=[1])


class OneBasedGraphTest(RowsTest):
    """A circle of the vertices 1 to 12: row v is vertex v + 1."""

    def setUp(self):
        super().setUp()
        edges = "".join(f"{v} {v % 12 + 1}\n" for v in range(1, 13))
        self.report = self.graph(edges, count=12, ranks=2)

    def test_numbers_in_the_file_are_stored_and_told(self):
        self.assertEqual(list(range(1, 13)), self.numbers("r.h5"))
        info = self.json("info", "r.h5")
        self.assertEqual((True, False), (info["has_numbers"], info["has_labels"]))
        self.assertIn("other numbers in the file", " ".join(self.report["notes"]))

    def test_rows_are_printed_with_their_labels(self):
        for ranks in RANKS:
            outcome = self.cairn("query", "r.h5", "--entry", "0,3", "--nearest", 4, "--k", 2, "--by-number", "false", ranks=ranks)
            self.assertRegex(outcome.out, r"(?m)^entry 0 3 \S+ \(1\) \(4\)$")
            self.assertRegex(outcome.out, r"(?m)^3 \S+ 4$")
            self.assertIn("rows are counted from 0 and have other numbers in the file", outcome.err)  # stdout holds values only
            entry = self.json("query", "r.h5", "--entry", "0,3", "--by-number", "false", ranks=ranks)["entries"][0]
            self.assertEqual((0, "1", 3, "4"), tuple(entry[key] for key in ("row", "row_label", "column", "column_label")))

    def test_labels_are_taken(self):
        for ranks in RANKS:
            for flag in ("--by-label", "--by-number"):
                report = self.json("query", "r.h5", "--entry", "1,4", "--row", 1, "--nearest", 12, "--k", 2, flag, "true",
                                   ranks=ranks)
                self.assertEqual((0, 3), (report["entries"][0]["row"], report["entries"][0]["column"]))
                self.assertAlmostEqual(3, report["entries"][0]["value"], delta=1e-6)
                self.assertEqual((0, "1"), (report["row"]["row"], report["row"]["label"]))
                self.assertEqual([str(v) for v in range(1, 13)], report["row"]["labels"])
                self.assertEqual((11, "12"), (report["nearest"]["object"], report["nearest"]["label"]))
                self.assertEqual({"11", "1"}, {one["label"] for one in report["nearest"]["nearest"]})
            self.cairn("evaluate", "r.h5", "--row", 12, "--by-label", "true", "--out", "row.csv", ranks=ranks)
            names, lines = self.table("row.csv")
            self.assertEqual(["column", "exact", "approximate", "label"], names)
            self.assertEqual([("0", "1", "1"), ("11", "0", "12")],
                             [(lines[k]["column"], lines[k]["exact"], lines[k]["label"]) for k in (0, 11)])

    def test_what_names_no_row_is_refused(self):
        self.refused(2, "--row: no row has the label '0'", "query", "r.h5", "--row", 0, "--by-label", "true")
        self.refused(2, "--entry: no row has the number '13'", "query", "r.h5", "--entry", "1,13", "--by-number", "true")
        self.refused(2, "--row names object 12; the result has the objects 0 to 11", "query", "r.h5", "--row", 12, "--by-number", "false")
        self.refused(2, "--row: rows are counted from 0 and have other numbers in the file: give --by-number", "query", "r.h5", "--row", 1)
        self.refused(2, "--row: rows are counted from 0", "evaluate", "r.h5", "--row", 1, "--out", "x.csv")
        self.refused(2, "--row x is not a row number", "query", "r.h5", "--row", "x")
        self.refused(2, "--entry 1 is not two labels", "query", "r.h5", "--entry", "1", "--by-label", "true", ranks=[1])
        self.refused(2, "exclude each other", "query", "r.h5", "--row", 1, "--by-label", "true", "--by-number", "true", ranks=[1])
        self.refused(2, "--by-label has no effect without --entry or --row or --nearest", "query", "r.h5", "--left-column", 1,
                     "--by-label", "true", ranks=[1])
        self.refused(2, "--by-label has no effect without --row", "evaluate", "r.h5", "--by-label", "true", ranks=[1])

    def test_files_of_rows_have_labels(self):
        for command, file in ((["query", "r.h5", "--row", 0, "--by-number", "false", "--out"], "row.csv"),
                              (["query", "r.h5", "--left-column", 0, "--out"], "row.csv"),
                              (["evaluate", "r.h5", "--evaluation.rows", 3, "--by-vertex"], "vertices.csv")):
            self.cairn(*command, file, ranks=3)
            names, lines = self.table(file)
            self.assertEqual("label", names[-1])
            self.assertEqual([(str(v), str(v + 1)) for v in range(12)], [(line[names[0]], line["label"]) for line in lines])


class LargestComponentTest(RowsTest):
    def test_dropped_vertices_leave_their_numbers_to_others(self):
        path = list(range(7, 107))  # a path of 100 vertices, from vertex 7 on, beside a pair of others
        edges = "0 1\n" + "".join(f"{u} {v}\n" for u, v in zip(path, path[1:]))
        for ranks in RANKS:
            self.graph(edges, "--data.largest-component", "true", count=100, ranks=ranks)
            self.assertEqual(path, self.numbers("r.h5"))
            report = self.json("query", "r.h5", "--entry", "7,106", "--by-label", "true", ranks=ranks)["entries"][0]
            self.assertEqual((0, 99, "7", "106"), tuple(report[k] for k in ("row", "column", "row_label", "column_label")))
            self.assertAlmostEqual(99, report["value"], delta=1e-6)
            self.refused(2, "--row: no row has the label '1'", "query", "r.h5", "--row", 1, "--by-label", "true", ranks=[ranks])

    def test_vertices_that_keep_their_numbers_have_no_others(self):
        self.graph("".join(f"{v} {v + 1}\n" for v in range(9)) + "20 21\n", "--data.largest-component", "true")
        self.assertIsNone(self.numbers("r.h5"))
        outcome = self.cairn("query", "r.h5", "--entry", "0,3").out
        self.assertRegex(outcome, r"^entry 0 3 \S+\n$")


class DocumentsTest(RowsTest):
    """Of six documents the second and the fourth have no known word."""

    texts = [("x", "cat sat"), ("y", "umu"), ("x", "dog"), ("z", "emu"), ("y", "owl, dog"), ("x", "cat")]

    def approximate(self, *options, ranks=1):
        self.write("v.txt", WORDS)
        self.write("d.csv", "kind,text\n" + "".join(f'{label},"{text}"\n' for label, text in self.texts))
        return self.json("approximate", "--data.kind", "documents", "--data.path", "d.csv", "--data.text", "text", "--data.vectors",
                         "v.txt", "--similarity.kind", "wmd", "--similarity.gamma", 1, "--landmarks.count", 3, *options,
                         "--output.path", "r.h5", ranks=ranks)

    def test_without_labels_their_numbers_are_the_labels(self):
        for ranks in RANKS:
            self.approximate(ranks=ranks)
            self.assertEqual([0, 2, 4, 5], self.numbers("r.h5"))
            report = self.json("query", "r.h5", "--entry", "2,5", "--by-label", "true", ranks=ranks)["entries"][0]
            self.assertEqual((1, 3, "2", "5"), tuple(report[k] for k in ("row", "column", "row_label", "column_label")))
            self.cairn("cluster", "r.h5", "--clusters", 2, "--out", "c.csv", ranks=ranks)
            names, lines = self.table("c.csv")
            self.assertEqual(["row", "label", "cluster"], names)
            self.assertEqual(["0", "2", "4", "5"], [line["label"] for line in lines])
        self.cairn("cluster", "r.h5", "--clusters", 2, "--out", "c.h5", ranks=2)
        self.assertEqual([0, 2, 4, 5], self.numbers("c.h5"))

    def test_labels_are_classes_and_numbers_tell_documents_apart(self):
        for ranks in RANKS:
            self.approximate("--data.label", "kind", ranks=ranks)
            outcome = self.cairn("query", "r.h5", "--entry", "1,3", "--by-number", "false", ranks=ranks).out
            self.assertRegex(outcome, r"(?m)^entry 1 3 \S+ \(x, 2\) \(x, 5\)$")
            self.refused(2, "--row: 3 rows have the label 'x', the first of them is row 0", "query", "r.h5", "--row", "x",
                         "--by-label", "true", ranks=[ranks])
            self.assertEqual(2, self.json("query", "r.h5", "--row", "y", "--by-label", "true", ranks=ranks)["row"]["row"])
            self.assertEqual(2, self.json("query", "r.h5", "--row", 4, "--by-number", "true", ranks=ranks)["row"]["row"])
            self.cairn("cluster", "r.h5", "--clusters", 2, "--out", "c.csv", ranks=ranks)
            names, lines = self.table("c.csv")
            self.assertEqual(["row", "label", "cluster", "number"], names)
            self.assertEqual([("x", "0"), ("x", "2"), ("y", "4"), ("x", "5")], [(line["label"], line["number"]) for line in lines])
            self.cairn("query", "r.h5", "--row", 0, "--by-number", "false", "--out", "row.csv", ranks=ranks)
            self.assertEqual(["column", "value", "label", "number"], self.table("row.csv")[0])

    def test_numbers_name_rows_but_are_no_classes(self):
        self.approximate(ranks=2)
        self.cairn("embed", "r.h5", "--dimension", 2, "--out", "e.csv", ranks=2)
        self.assertEqual(["0", "2", "4", "5"], [line["label"] for line in self.table("e.csv")[1]])
        train = ["train", "r.h5", "--task", "krr", "--lambda", "1e-6", "--output.path", "m.h5"]
        self.refused(2, "has no labels to learn", *train)
        self.write("t.csv", "id,y\n5,1.5\n0,2.5\n2,0.5\n4,1\n")
        self.cairn(*train, "--targets", "t.csv:y", "--targets-key", "id")
        self.cairn("predict", "m.h5", "--out", "p.csv")
        names, lines = self.table("p.csv")
        self.assertEqual((["row", "label", "y"], ["0", "2", "4", "5"]), (names, [line["label"] for line in lines]))

    def test_other_classes_leave_their_numbers_to_others(self):
        self.approximate("--data.label", "kind", "--data.classes", "x", ranks=2)
        self.assertEqual([0, 2, 5], self.numbers("r.h5"))

    def test_kept_documents_are_their_rows(self):
        report = self.approximate("--data.empty", "keep")
        self.assertIsNone(self.numbers("r.h5"))
        self.assertNotIn("other numbers", " ".join(report["notes"]))

    def test_new_documents_have_numbers_of_their_file(self):
        self.approximate()
        self.write("new.csv", "text\numu\ndog\ncat\n")
        report = self.json("extend", "r.h5", "--data.path", "new.csv", "--data.text", "text", "--data.vectors", "v.txt",
                           "--output.path", "e.h5", ranks=2)
        self.assertEqual([1, 2], self.numbers("e.h5"))
        self.assertIn("other numbers in the file", " ".join(report["notes"]))


class LabelsOfPointsTest(RowsTest):
    def test_a_digit_of_many_points_names_none_of_them(self):
        self.write("p.csv", csv_text(points(30), [f"{i % 10}" if i else "only" for i in range(30)]))
        self.cairn("approximate", "--data.path", "p.csv", "--data.label", "class", "--similarity.kind", "rbf", "--similarity.gamma", 1,
                   "--landmarks.count", 5, "--output.path", "r.h5", ranks=2)
        for ranks in RANKS:
            self.refused(2, "--nearest: 3 rows have the label '7', the first of them is row 7", "query", "r.h5", "--nearest", 7,
                         "--by-label", "true", ranks=[ranks])
            report = self.json("query", "r.h5", "--nearest", "only", "--k", 1, "--by-label", "true", ranks=ranks)["nearest"]
            self.assertEqual((0, "only"), (report["object"], report["label"]))
            self.assertEqual(7, self.json("query", "r.h5", "--nearest", 7, "--by-number", "true", ranks=ranks)["nearest"]["object"])
        self.write("q.csv", csv_text(points(30)))
        self.cairn("approximate", "--data.path", "q.csv", "--similarity.kind", "rbf", "--similarity.gamma", 1, "--landmarks.count", 5,
                   "--output.path", "u.h5")
        self.refused(2, "--by-label: the result holds no labels", "query", "u.h5", "--row", 7, "--by-label", "true")


class SkippedPointsTest(RowsTest):
    """Rows with missing values are left out of files: what is written of the others names them by their lines."""

    def setUp(self):
        super().setUp()
        rows = points(40)
        self.values = [repr(3 * row[0] - row[1]) for row in rows]
        self.kept = [i for i in range(40) if i not in (3, 11, 12)]
        lines = [f"{repr(row[0]) if i in self.kept else 'NA'},{row[1]!r},{self.values[i]}" for i, row in enumerate(rows)]
        self.write("new.csv", "a,b,y\n" + "\n".join(lines) + "\n")
        old = points(60)[::-1]
        self.write("old.csv", "a,b,y\n" + "\n".join(f"{row[0]!r},{row[1]!r},{3 * row[0] - row[1]!r}" for row in old) + "\n")
        self.cairn("approximate", "--data.path", "old.csv", "--data.label", "y", "--similarity.kind", "rbf", "--similarity.gamma", 1,
                   "--landmarks.count", 20, "--output.path", "r.h5")

    def test_predictions_have_the_numbers_of_the_file(self):
        self.cairn("train", "r.h5", "--task", "krr", "--lambda", "1e-6", "--output.path", "m.h5")
        for ranks in RANKS:
            self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.label", "y", "--data.missing", "skip", "--output.path",
                       "n.h5", ranks=ranks)
            out = self.cairn("predict", "m.h5", "--result", "n.h5", "--out", "p.csv", ranks=ranks).out
            names, lines = self.table("p.csv")
            self.assertEqual(["row", "label", "number", "predicted"], names)
            self.assertEqual([(k, i, self.values[i]) for k, i in enumerate(self.kept)],
                             [(int(line["row"]), int(line["number"]), line["label"]) for line in lines])
            for line in lines:
                self.assertAlmostEqual(float(self.values[int(line["number"])]), float(line["predicted"]), delta=0.3)
            self.assertRegex(out, r"rows are counted from 0 and have other numbers in the file: the column number has those")
        self.write("rows.txt", "3\n10\n")
        self.cairn("predict", "m.h5", "--result", "n.h5", "--rows", "rows.txt", "--out", "p.csv")
        self.assertEqual([("3", "4"), ("10", "13")], [(line["row"], line["number"]) for line in self.table("p.csv")[1]])
        self.cairn("embed", "n.h5", "--dimension", 1, "--out", "e.csv")
        self.assertEqual(["y1", "label", "number"], self.table("e.csv")[0])
        self.assertEqual(self.kept, [int(line["number"]) for line in self.table("e.csv")[1]])

    def test_numbers_are_no_labels_to_score(self):
        self.cairn("train", "r.h5", "--task", "krr", "--lambda", "1e-6", "--output.path", "m.h5")
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.columns", "a,b", "--data.missing", "skip", "--output.path", "n.h5")
        report = self.json("predict", "m.h5", "--result", "n.h5", "--out", "p.csv")
        self.assertNotIn("score", report)
        self.assertEqual(["row", "label", "predicted"], self.table("p.csv")[0])
        self.assertEqual(self.kept, [int(line["label"]) for line in self.table("p.csv")[1]])

    def test_rows_that_are_their_numbers_get_no_column(self):
        self.cairn("train", "r.h5", "--task", "krr", "--lambda", "1e-6", "--output.path", "m.h5")
        self.assertNotIn("other numbers", self.cairn("predict", "m.h5", "--out", "p.csv").out)
        self.assertEqual(["row", "label", "predicted"], self.table("p.csv")[0])


if __name__ == "__main__":
    unittest.main()
