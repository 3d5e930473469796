"""Files that others wrote: headers, columns, missing values, NumPy's arrays, and the columns of new points."""

import os
import unittest

from cairn_program import CairnTest, csv_text, points

try:
    import h5py
    import numpy
except ImportError:
    raise SystemExit(77)  # the test is skipped

N = 60
LABELS = [f"c{i % 3}" for i in range(N)]
RBF = ["--similarity.kind", "rbf", "--similarity.gamma", "1", "--landmarks.count", "10", "--output.path", "r.h5"]


class ReadersTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.points = points(N)
        self.array = numpy.array(self.points)
        self.write("p.csv", csv_text(self.points, LABELS))

    def approximate(self, *keys, ranks=0):
        return self.json("approximate", *RBF, *keys, ranks=ranks)

    def digest(self, *keys, ranks=0):
        self.cairn("approximate", *RBF, *keys, ranks=ranks)
        return self.json("info", "r.h5")["data_digest"]


class HeaderTest(ReadersTest):
    def test_a_mixed_first_line_is_an_error_and_no_header(self):
        for line, column in [("1,NA,2", 2), ("3,,4", 2), ("0x10,2,3", 1)]:
            self.write("q.csv", line + "\n" + "\n".join(f"{i},{i * i % 7},{i % 3}" for i in range(30)) + "\n")
            self.refused(3, f"q.csv:1: column {column}: .* other fields of this line are numbers", "approximate",
                         "--data.path", "q.csv", *RBF)

    def test_the_report_says_what_was_read(self):
        out = self.cairn("approximate", "--data.path", "p.csv", "--data.label", "class", *RBF, ranks=2).out
        for line in [r"  header +x0, x1, x2", r"  label column +class", r"  data +csv, 4 columns"]:
            self.assertTrue(self.lines(out, line), out)
        self.write("q.csv", "\n".join(",".join(map(str, row)) for row in self.points))
        self.assertTrue(self.lines(self.cairn("approximate", "--data.path", "q.csv", *RBF).out, r"  header +none.*"))
        data = self.approximate("--data.path", "p.csv", "--data.label", "class")["data"]
        self.assertEqual((["x0", "x1", "x2"], "class", True), (data["names"], data["label"], data["has_header"]))

    def test_targets_with_a_mixed_first_line(self):
        self.cairn("approximate", "--data.path", "p.csv", "--data.label", "class", *RBF)
        self.write("y.csv", "1,NA\n" + "\n".join(f"{i},{i}" for i in range(N - 1)))
        self.refused(3, "y.csv:1: column 2: 'NA'", "train", "r.h5", "--targets", "y.csv", "--lambda", "1",
                     "--output.path", "m.h5")
        self.assertNotIn("data.missing", self.cairn("train", "r.h5", "--targets", "y.csv", "--lambda", "1",
                                                    "--output.path", "m.h5", expect=3).err)


class ColumnsTest(ReadersTest):
    def test_columns_are_chosen_and_ignored(self):
        rows = [f"{i + 100},{','.join(map(repr, row))},2024-01-{i % 28 + 1}" for i, row in enumerate(self.points)]
        self.write("q.csv", "key,x0,x1,x2,date\n" + "\n".join(rows) + "\n")
        plain = self.digest("--data.path", "p.csv", "--data.label", "class")
        for keys in [["--data.columns", "x0,x1,x2"], ["--data.columns", "2-4"], ["--data.ignore", "key,date"],
                     ["--data.columns", "2-5", "--data.ignore", "date"], ["--data.ignore", "1,5"]]:
            self.assertEqual(plain, self.digest("--data.path", "q.csv", *keys, ranks=2), keys)
        info = self.json("info", "r.h5")
        self.assertEqual((["x0", "x1", "x2"], "1,5"), (info["columns"], info["ignored_columns"]))

    def test_keys_that_have_no_effect_are_refused(self):
        self.write("p.svm", "".join(f"1 1:{row[0]} 2:{row[1]}\n" for row in self.points))
        self.refused(2, "data.columns: p.svm is of format svm", "approximate", "--data.path", "p.svm",
                     "--data.columns", "1", *RBF)
        numpy.save(self.path("p.npy"), self.array)
        self.refused(2, "data.missing = skip: p.npy is of format npy", "approximate", "--data.path", "p.npy",
                     "--data.missing", "skip", *RBF)
        graph = ["--data.kind", "graph", "--data.generate", "grid", "--data.points", "100", "--landmarks.count", "5",
                 "--output.path", "g.h5"]
        for key, value in [("columns", "1"), ("ignore", "1"), ("missing", "skip")]:
            self.refused(2, f"data.{key} ", "approximate", *graph, f"--data.{key}", value, ranks=[1])
            self.refused(2, f"data.{key} ", "approximate", "--data.generate", "normal", "--data.points", "100",
                         "--data.dimension", "2", *RBF, f"--data.{key}", value, ranks=[1])
        self.refused(2, "has an empty name", "approximate", "--data.path", "p.csv", "--data.columns", "x0,,x1", *RBF)

    def test_a_column_of_row_numbers_is_warned_of(self):
        self.write("q.csv", ",x0,x1\n" + "".join(f"{i},{row[0]},{row[1]}\n" for i, row in enumerate(self.points)))
        warning = self.cairn("approximate", "--data.path", "q.csv", *RBF, ranks=3).err
        self.assertIn("q.csv: a column without a name is read as a coordinate; data.ignore leaves it out", warning)
        self.assertNotIn("coordinate;", self.cairn("approximate", "--data.path", "q.csv", "--data.ignore", "1", *RBF).err)
        numpy.save(self.path("q.npy"), numpy.column_stack([numpy.arange(N), self.array]))
        self.assertIn("numbers the rows", self.cairn("approximate", "--data.path", "q.npy", *RBF).err)

    def test_missing_values_are_refused_or_skipped(self):
        lines = csv_text(self.points).splitlines()
        lines[5], lines[40] = "0.5,NA,0.25", ",1,2"
        self.write("q.csv", "\n".join(lines))
        self.refused(3, "q.csv:6: column 2: 'NA' .* data.missing = skip", "approximate", "--data.path", "q.csv", *RBF)
        for ranks in (0, 3):
            report = self.approximate("--data.path", "q.csv", "--data.missing", "skip", ranks=ranks)
            self.assertEqual((N - 2, 2), (report["n"], report["data"]["skipped_rows"]))
            self.assertIn("2 rows with missing values were skipped", " ".join(report["notes"]))
            with h5py.File(self.path("r.h5")) as file:
                self.assertEqual([i for i in range(N) if i not in (4, 39)], list(file["numbers"]))
            self.assertEqual("41", self.json("query", "r.h5", "--entry", "39,0")["entries"][0]["row_label"])
        lines[40] = lines[39]
        self.write("q.csv", "\n".join(lines))
        self.assertIn("1 row with missing values was skipped",
                      self.approximate("--data.path", "q.csv", "--data.missing", "skip")["notes"])

    def test_coordinates_of_one_name_are_said(self):
        self.write("q.csv", "a,b,a\n" + "\n".join(",".join(map(str, row)) for row in self.points))
        self.assertIn("several coordinates are columns called a", self.approximate("--data.path", "q.csv")["notes"])


class ExtendTest(ReadersTest):
    def extend(self, text, *keys, expect=0):
        self.write("new.csv", text)
        return self.cairn("extend", "r.h5", "--data.path", "new.csv", "--output.path", "e.h5", *keys, expect=expect)

    def test_other_columns_or_another_order_are_an_error(self):
        self.cairn("approximate", "--data.path", "p.csv", "--data.label", "class", *RBF)
        swapped = "x1,x0,x2\n" + "".join(f"{y},{x},{z}\n" for x, y, z in self.points)
        for ranks in (1, 3):
            self.write("new.csv", swapped)
            self.refused(3, "new.csv: coordinate 1 is the column 'x1', and in r.h5 it is 'x0'; data.columns", "extend",
                         "r.h5", "--data.path", "new.csv", "--output.path", "e.h5", ranks=[ranks])
        self.extend(swapped, "--data.columns", "x0,x1,x2")
        value = self.json("query", "e.h5", "--entry", "3,8")["entries"][0]["value"]
        self.assertAlmostEqual(self.json("query", "r.h5", "--entry", "3,8")["entries"][0]["value"], value, delta=1e-12)
        self.assertIn("coordinate 3 is the column 'height', and in r.h5 it is 'x2'",
                      self.extend("x0,x1,height\n1,2,3\n", expect=3).message())
        without = "".join(",".join(map(repr, row)) + "\n" for row in self.points)
        self.assertIn("names no columns; they are taken to be those of r.h5", self.extend(without).out)

    def test_a_forgotten_label_is_named(self):
        labels = [str(i % 3) for i in range(N)]
        self.write("p.csv", csv_text(self.points, labels))
        for scaling in ("none", "standard"):
            self.cairn("approximate", "--data.path", "p.csv", "--data.label", "class", "--data.scaling", scaling, *RBF)
            self.refused(3, "the new points have 4 columns, those of r.h5 3 and a label: give data.label", "extend",
                         "r.h5", "--data.path", "p.csv", "--output.path", "e.h5")

    def test_the_choice_of_columns_is_that_of_the_result(self):
        rows = "key,x0,x1,x2\n" + "".join(f"{i + 7},{x},{y},{z}\n" for i, (x, y, z) in enumerate(self.points))
        self.write("q.csv", rows)
        self.cairn("approximate", "--data.path", "q.csv", "--data.ignore", "key", *RBF)
        self.assertIn("ignored columns             key", self.extend(rows).out)
        self.assertEqual(["x0", "x1", "x2"], self.json("info", "e.h5")["columns"])
        out = self.extend("x0,x1,x2\n1,2,3\n").out
        self.assertNotIn("ignored columns", out)
        self.assertEqual(["x0", "x1", "x2"], self.json("info", "e.h5")["columns"])
        self.assertIn("there is no column key",
                      self.cairn("approximate", "--data.path", "p.csv", "--data.ignore", "key", *RBF, expect=3).message())

    def test_names_pass_through_convert(self):
        self.cairn("convert", "p.csv", "p.h5", "--data.label", "class", ranks=2)
        self.cairn("approximate", "--data.path", "p.h5", *RBF)
        self.assertIn("coordinate 1 is the column 'x1'", self.extend("x1,x0,x2\n1,2,3\n", expect=3).message())


class ArrayTest(ReadersTest):
    def test_what_numpy_writes_is_read(self):
        wanted = self.digest("--data.path", "p.csv", "--data.label", "class")
        numpy.save(self.path("f.npy"), numpy.asfortranarray(self.array))
        numpy.save(self.path("t.npy"), numpy.ascontiguousarray(self.array.T).T)
        numpy.savez(self.path("a.npz"), self.array)
        numpy.savez(self.path("b.npz"), X=self.array.T.copy().T, y=numpy.arange(N))
        numpy.savez_compressed(self.path("c.npz"), y=numpy.arange(N), X=self.array)
        for ranks in (0, 2, 3):
            for name, keys in [("f.npy", []), ("t.npy", []), ("a.npz", []), ("b.npz", ["--data.dataset", "X"]),
                               ("c.npz", ["--data.dataset", "X"])]:
                self.assertEqual(wanted, self.digest("--data.path", name, *keys, ranks=ranks), name)
        self.refused(3, "b.npz: holds 2 arrays: X, y; name one with data.dataset", "approximate", "--data.path", "b.npz",
                     *RBF)

    def test_a_similarity_matrix_in_fortran_order(self):
        kernel = numpy.exp(-((self.array[:, None] - self.array[None]) ** 2).sum(2))
        numpy.save(self.path("c.npy"), kernel)
        numpy.save(self.path("f.npy"), numpy.asfortranarray(kernel))
        numpy.savez(self.path("k.npz"), kernel)
        errors = [self.json("approximate", "--data.kind", "matrix", "--data.path", name, "--approximation.method", "sicur",
                            "--landmarks.count", "9", "--evaluation.rows", "all", "--output.path", "k.h5",
                            ranks=2)["relative_error"] for name in ("c.npy", "f.npy", "k.npz")]
        self.assertEqual(1, len(set(errors)), errors)

    def test_convert_writes_hdf5_alone(self):
        for name in ("x.npy", "x.csv", "x"):
            self.refused(2, f"{name} cannot be the output: convert writes HDF5", "convert", "p.csv", name,
                         "--data.label", "class", ranks=[1])


class GraphTest(ReadersTest):
    def test_the_report_says_what_the_lengths_are(self):
        self.write("g.txt", "1 2 5\n2 3 0.25\n3 1 2\n2 1 7\n1 2 9\n1 3 2\n")
        for ranks in (0, 3):
            self.cairn("convert", "g.txt", "g.h5", "--data.kind", "graph", ranks=ranks)
            self.cairn("approximate", "--data.kind", "graph", "--data.path", "g.txt", "--landmarks.count", "3",
                       "--output.path", "r.h5", "--json", "g.json", ranks=ranks)
            out = self.cairn("approximate", "--data.kind", "graph", "--data.path", "g.txt", "--landmarks.count", "3",
                             "--output.path", "r.h5", ranks=ranks).out
            self.assertTrue(self.lines(out, r"  graph +3 vertices, 3 edges, 1 component"), out)
            self.assertTrue(self.lines(out, r"  lengths of edges +0.25 to 5"), out)
            self.assertTrue(self.lines(out, r"  note: 1 pairs of vertices had two different lengths; .*"), out)


class PathTest(ReadersTest):
    def test_the_label_file_of_idx_is_relative_to_the_config(self):
        os.mkdir(self.path("sub"))
        def idx(shape, values):
            header = bytes([0, 0, 8, len(shape)]) + b"".join(size.to_bytes(4, "big") for size in shape)
            return header + bytes(values)
        self.write("sub/x.idx", idx([N, 3], [int(200 * value) for row in self.points for value in row]))
        self.write("sub/y.idx", idx([N], [i % 3 for i in range(N)]))
        self.write("sub/c.cfg", "[data]\npath = x.idx\nlabel = y.idx\n")
        self.cairn("approximate", "--config", "sub/c.cfg", *RBF)
        self.assertTrue(self.json("info", "r.h5")["has_labels"])
        self.cairn("evaluate", "r.h5")
        self.cairn("approximate", "--data.path", "sub/x.idx", "--data.label", "sub/y.idx", *RBF)

    def test_a_byte_order_mark_before_a_config(self):
        self.write("c.cfg", b"\xef\xbb\xbf[data]\npath = p.csv\nlabel = class\n")
        self.cairn("approximate", "--config", "c.cfg", *RBF)
        self.write("c.cfg", "[data]\npath = p.csv\n".encode("utf-16"))
        self.refused(2, "c.cfg is UTF-16", "approximate", "--config", "c.cfg", *RBF)


class RealFilesTest(ReadersTest):
    def test_a_header_of_numbers_is_one_if_the_label_is_asked_for_by_name(self):
        folder = os.path.join(os.path.dirname(__file__), "..", "data")
        data = self.approximate("--data.path", os.path.join(folder, "letter.csv.xz"), "--data.label", "Letter",
                                ranks=2)["data"]
        self.assertEqual((17, 16, True), (data["columns"], len(data["names"]), data["has_header"]))
        self.refused(3, "letter.csv.xz:1: column 1: 'Letter' .* other fields of this line are numbers", "approximate", "--data.path", os.path.join(folder, "letter.csv.xz"),
                     *RBF, ranks=[1])


if __name__ == "__main__":
    unittest.main()
