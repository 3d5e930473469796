"""Files that others wrote: headers, columns, missing values, NumPy's arrays, and the columns of new points."""

import gzip
import os
import struct
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
        self.refused(3, r"q.csv:6: column 2 \(x1\): 'NA' .* data.missing = skip", "approximate", "--data.path", "q.csv", *RBF)
        for ranks in (0, 3):
            report = self.approximate("--data.path", "q.csv", "--data.missing", "skip", ranks=ranks)
            self.assertEqual((N - 2, 2), (report["n"], report["data"]["skipped_rows"]))
            self.assertIn("2 rows with missing values were skipped", " ".join(report["notes"]))
            with h5py.File(self.path("r.h5")) as file:
                self.assertEqual([i for i in range(N) if i not in (4, 39)], list(file["numbers"]))
            self.assertEqual("41", self.json("query", "r.h5", "--entry", "39,0", "--by-number", "false")["entries"][0]["row_label"])
        lines[40] = lines[39]
        self.write("q.csv", "\n".join(lines))
        self.assertIn("1 row with missing values was skipped",
                      self.approximate("--data.path", "q.csv", "--data.missing", "skip")["notes"])

    def test_columns_that_cost_many_rows_are_named(self):
        lines = csv_text(self.points).splitlines()
        for i in range(1, 41):
            fields = lines[i].split(",")
            fields[1] = "NA"
            lines[i] = ",".join(["" if i < 3 else fields[0], *fields[1:]])
        self.write("q.csv", "\n".join(lines))
        job = ["approximate", "--data.path", "q.csv", "--data.missing", "skip", *RBF]
        for ranks in (0, 3):
            self.assertIn(f"q.csv: 40 of {N} rows are skipped, as values are missing: x1 in 40, x0 in 2; data.ignore leaves a column out",
                          self.cairn(*job, ranks=ranks).err)
        self.assertNotIn("rows are skipped", self.cairn(*job, "--data.ignore", "x1").err)
        self.write("t.csv", "\n".join(csv_text(self.points).splitlines()[:6] + ["1,2,good"]))
        self.refused(3, r"t.csv:7: column 3 \(x2\): 'good' is not a number \(a column of labels is named by data.label; data.ignore leaves columns",
                     "approximate", "--data.path", "t.csv", *RBF)

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


class TestPath(CairnTest):
    """Points of two files: what data.test-path reads, in every format, is one file with a split."""
    TRAIN, TEST = 23, 9

    def setUp(self):
        super().setUp()
        self.rows = [[round(200 * value) for value in row] for row in points(self.TRAIN + self.TEST, 4)]
        self.labels = [str(i % 3) for i in range(len(self.rows))]
        whole = [[*row, label, "train" if i < self.TRAIN else "test"] for i, (row, label) in enumerate(zip(self.rows, self.labels))]
        self.write("whole.csv", "a,b,c,d,class,set\n" + "".join(",".join(map(str, row)) + "\n" for row in whole))

    def write_both(self, write, name):
        write(name, self.rows[:self.TRAIN], self.labels[:self.TRAIN])
        write("test-" + name, self.rows[self.TRAIN:], self.labels[self.TRAIN:])

    def approximate(self, *data, ranks=0, output="r.h5"):
        self.cairn("approximate", *data, "--data.scaling", "standard", "--similarity.kind", "rbf", "--similarity.gamma", "0.3",
                   "--landmarks.count", "7", "--output.path", output, ranks=ranks)
        with h5py.File(self.path(output)) as file:
            return {name: file[name][:].tolist() for name in ("left", "splits", "labels") if name in file}

    def check_format(self, name, write, *data, labelled=True):
        self.write_both(write, name)
        expected = self.approximate("--data.path", "whole.csv", "--data.label", "class", "--data.split", "set")
        self.assertEqual([b"train"] * self.TRAIN + [b"test"] * self.TEST, expected["splits"])
        if not labelled:
            del expected["labels"]
        for ranks in (1, 3):
            found = self.approximate("--data.path", name, "--data.test-path", "test-" + name, *data, ranks=ranks)
            with self.subTest(name=name, ranks=ranks):
                self.assertEqual(set(expected), set(found))
                self.assertLess(numpy.abs(numpy.array(found.pop("left")) - expected["left"]).max(), 1e-12)
                self.assertEqual({name: expected[name] for name in found}, found)

    def write_csv(self, name, rows, labels):
        self.write(name, csv_text(rows, labels).replace("x0,x1,x2,x3", "a,b,c,d"))

    def test_tables(self):
        self.check_format("x.csv", self.write_csv, "--data.label", "class")

        def compressed(name, rows, labels):
            self.write(name, gzip.compress(csv_text(rows, labels).encode()))
        self.check_format("x.csv.gz", compressed, "--data.label", "class")

    def test_libsvm_whose_test_points_are_shorter(self):
        for row in self.rows[self.TRAIN:]:
            row[3] = 0
        self.setUpWhole()

        def write(name, rows, labels):
            self.write(name, "".join(label + "".join(f" {k + 1}:{value}" for k, value in enumerate(row) if value) + "\n"
                                     for row, label in zip(rows, labels)))
        self.check_format("x.svm", write, "--data.label", "first")

    def setUpWhole(self):
        lines = [[*row, label, "train" if i < self.TRAIN else "test"] for i, (row, label) in enumerate(zip(self.rows, self.labels))]
        self.write("whole.csv", "a,b,c,d,class,set\n" + "".join(",".join(map(str, row)) + "\n" for row in lines))

    def test_matrices(self):
        self.check_format("x.npy", lambda name, rows, _: numpy.save(self.path(name), numpy.array(rows, float)), labelled=False)
        self.check_format("x.npz", lambda name, rows, _: numpy.savez(self.path(name), X=numpy.array(rows, float)), labelled=False)
        for kind, number in (("raw32", "<f4"), ("raw64", "<f8")):
            self.check_format("x." + kind, lambda name, rows, _: self.write(name, numpy.array(rows, number).tobytes()),
                              "--data.format", kind, "--data.dimension", "4", labelled=False)

    def test_hdf5(self):
        def write(name, rows, labels):
            self.write_csv("one.csv", rows, labels)
            self.cairn("convert", "one.csv", name, "--data.label", "class")
        self.check_format("x.h5", write)

    def test_idx_has_two_files_of_labels(self):
        def write(name, rows, labels):
            self.write(name, struct.pack(">BBBBIII", 0, 0, 8, 3, len(rows), 2, 2) + bytes(value for row in rows for value in row))
            self.write(name.replace("images", "labels"), struct.pack(">BBBBI", 0, 0, 8, 1, len(labels)) + bytes(map(int, labels)))
        self.check_format("images.idx", write, "--data.label", "labels.idx", "--data.test-label", "test-labels.idx")
        self.refused(2, "give both of data.label and data.test-label", "plan", "--data.path", "images.idx", "--data.test-path",
                     "test-images.idx", "--data.label", "labels.idx", "--similarity.kind", "rbf", "--landmarks.count", "5", ranks=[1])

    def test_classifiers_train_and_test_on_them_and_new_points_have_splits(self):
        self.write_both(self.write_csv, "x.csv")
        files = ["--data.path", "x.csv", "--data.test-path", "test-x.csv", "--data.label", "class"]
        self.approximate(*files)
        report = self.json("train", "r.h5", "--lambda", "0.1", "--output.path", "m.h5", ranks=2)
        self.assertEqual((self.TRAIN, self.TEST), (report["training_rows"], report["held_out_rows"]))
        plain, moved = self.json("evaluate", "r.h5"), self.json("evaluate", "r.h5", *files[:4], ranks=2)
        self.assertAlmostEqual(plain["relative_error"], moved["relative_error"], delta=1e-12)
        self.cairn("extend", "r.h5", *files, "--output.path", "new.h5", ranks=2)
        with h5py.File(self.path("new.h5")) as file:
            self.assertEqual(self.TEST, list(file["splits"][:]).count(b"test"))

    def test_rows_that_are_skipped_keep_their_numbers_over_both_files(self):
        self.write("x.csv", "a,b\n1,2\nNA,3\n4,5\n2,2\n")
        self.write("t.csv", "a,b\n7,8\n,3\n4,1\n")
        self.cairn("approximate", "--data.path", "x.csv", "--data.test-path", "t.csv", "--data.missing", "skip", "--similarity.kind",
                   "rbf", "--landmarks.count", "2", "--output.path", "r.h5", ranks=2)
        with h5py.File(self.path("r.h5")) as file:
            self.assertEqual([0, 2, 3, 4, 6], file["numbers"][:].tolist())
            self.assertEqual([b"train"] * 3 + [b"test"] * 2, list(file["splits"][:]))

    def test_what_does_not_go_together_is_refused(self):
        base = ["approximate", "--similarity.kind", "rbf", "--landmarks.count", "5", "--output.path", "r.h5", "--data.path", "x.csv",
                "--data.test-path", "t.csv"]
        self.write_csv("x.csv", self.rows[:9], self.labels[:9])
        for code, pattern, text, more in [
                (2, "give one of data.split and data.test-path", "", ["--data.split", "class"]),
                (2, "data.test-label = l has an effect only for idx", "", ["--data.test-label", "l"]),
                (3, r"t\.csv: its points have 2 coordinates, those of x\.csv have 4", "a,b,class\n1,2,0\n3,4,1\n", ["--data.label", "class"]),
                (3, r"t\.csv: coordinate 2 is the column 'e', and in x\.csv it is 'b'", "a,e,c,d,class\n1,2,3,4,0\n", ["--data.label", "class"]),
                (3, r"t\.csv:2: column 1 \(a\): 'one' is not a number", "a,b,c,d,class\none,2,3,4,0\n", ["--data.label", "class"])]:
            self.write("t.csv", text or "a,b,c,d,class\n1,2,3,4,0\n")
            self.refused(code, pattern, *base, *more)
        self.refused(2, "data.test-label has no effect without data.test-path", "plan", "--similarity.kind", "rbf", "--landmarks.count", "5",
                     "--data.path", "x.idx", "--data.test-label", "l", ranks=[1])
        self.refused(2, "data.test-path has no effect if data.generate", "plan", "--similarity.kind", "rbf", "--landmarks.count", "5",
                     "--data.generate", "normal", "--data.points", "9", "--data.dimension", "2", "--data.test-path", "t.csv", ranks=[1])


if __name__ == "__main__":
    unittest.main()
