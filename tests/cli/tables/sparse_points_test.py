"""Sparse points: formats that name their entries, their results, what they take, and what is refused."""

import io
import os
import random
import struct
import sys
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402

POINTS, WIDTH = 90, 3000


def entries(count, width, seed=1):
    """Rows of (column, value), columns ascending; all meet in the first three."""
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        columns = sorted({0, 1, 2, *draw.sample(range(width), 12)})
        rows.append([(column, draw.randint(1, 40) / 8) for column in columns])
    return rows


def svm_text(rows):
    return "".join(f"{i % 2} " + " ".join(f"{k + 1}:{x!r}" for k, x in row) + "\n" for i, row in enumerate(rows))


def csv_text(rows, width):
    lines = []
    for row in rows:
        values = dict(row)
        lines.append(",".join(repr(values.get(k, 0.0)) for k in range(width)))
    return "\n".join(lines) + "\n"


def npy(kind, values, shape=None):
    code = {"<f8": "d", "<f4": "f", "<i4": "i", "<i8": "q"}[kind]
    shape = f"({len(values)},)" if shape is None else shape
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)


def npy_of_text(text):
    header = f"{{'descr': '|S{len(text)}', 'fortran_order': False, 'shape': (), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + text


def npz(rows, width, kind=b"csr", index="<i4", packing=zipfile.ZIP_DEFLATED, number="<f8", **changed):
    """As scipy.sparse.save_npz writes it. @param changed  arrays by name, in place of those of the rows"""
    if kind == b"csc":
        lines = [[] for _ in range(width)]
        for i, row in enumerate(rows):
            for column, value in row:
                lines[column].append((i, value))
    else:
        lines = rows
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    arrays = {"indices": [place for line in lines for place, _ in line], "indptr": starts,
              "shape": [len(rows), width], "data": [value for line in lines for _, value in line]}
    arrays.update(changed)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as archive:
        for name in ("indices", "indptr"):
            archive.writestr(f"{name}.npy", npy(index, arrays[name]))
        archive.writestr("format.npy", npy_of_text(kind))
        archive.writestr("shape.npy", npy("<i8", arrays["shape"]))
        archive.writestr("data.npy", npy(number, arrays["data"]))
    return packed.getvalue()


NYSTROM = ("--landmarks.count", 20, "--evaluation.pairs", 200)


class SparsePoints(CairnTest):
    def setUp(self):
        super().setUp()
        self.rows = entries(POINTS, WIDTH)
        self.write("p.svm", svm_text(self.rows))
        self.write("p.csv", csv_text(self.rows, WIDTH))

    def values(self, path):
        entries = [word for i in range(20) for word in ("--entry", f"{i},{7 * i % 20}")]
        return [entry["value"] for entry in self.json("query", path, *entries)["entries"]]

    def test_all_forms_give_the_same(self):
        self.write("stored.npz", npz(self.rows, WIDTH, packing=zipfile.ZIP_STORED, index="<i8"))
        self.write("deflated.npz", npz(self.rows, WIDTH))
        self.write("columns.npz", npz(self.rows, WIDTH, kind=b"csc"))
        shuffled = [list(reversed(row[:5])) + row[5:] + [(row[-1][0], 0.0)] for row in self.rows]
        self.write("unsorted.npz", npz(shuffled, WIDTH))
        files = ["stored.npz", "deflated.npz", "columns.npz", "unsorted.npz", "p.svm"]
        try:
            import h5py
        except ImportError:
            h5py = None
        if h5py:
            with h5py.File(self.path("rows.h5"), "w") as file:
                starts = [0]
                for row in self.rows:
                    starts.append(starts[-1] + len(row))
                file["indptr"], file["shape"] = starts, [POINTS, WIDTH]
                file["indices"] = [k for row in self.rows for k, _ in row]
                file["data"] = [x for row in self.rows for _, x in row]
            files.append("rows.h5")
        for similarity in ("cosine", "rbf"):
            run = ("--similarity.kind", similarity, *NYSTROM)
            self.cairn("approximate", "--data.path", "p.csv", *run, "--output.path", "dense.h5")
            expected = self.values("dense.h5")
            for ranks, file in [(1 + 2 * (k % 2), file) for k, file in enumerate(files)]:
                with self.subTest(file=file, similarity=similarity):
                    dimension = ("--data.dimension", WIDTH) if file.endswith("svm") else ()
                    self.cairn("approximate", "--data.path", file, *dimension, *run, "--output.path", "s.h5", ranks=ranks)
                    for one, other in zip(self.values("s.h5"), expected):
                        self.assertAlmostEqual(one, other, delta=1e-9)
                    self.assertLess(os.path.getsize(self.path("s.h5")), os.path.getsize(self.path("dense.h5")) / 3)

    def test_a_result_is_used_as_any_other(self):
        run = ("--similarity.kind", "linear", *NYSTROM, "--approximation.embedding", "true")
        self.cairn("approximate", "--data.path", "p.svm", "--data.dimension", WIDTH, "--data.label", "first", *run,
                   "--output.path", "s.h5")
        self.cairn("approximate", "--data.path", "p.csv", *run, "--output.path", "d.h5")
        new = entries(30, WIDTH, seed=2)
        self.write("new.npz", npz(new, WIDTH, number="<f4"))
        self.write("new.csv", csv_text(new, WIDTH))
        self.cairn("extend", "d.h5", "--data.path", "new.csv", "--output.path", "de.h5")
        expected = self.values("de.h5")
        for file in ("new.npz", "new.csv"):
            self.cairn("extend", "s.h5", "--data.path", file, "--output.path", f"{file}.h5", ranks=2)
            for one, other in zip(self.values(f"{file}.h5"), expected):
                self.assertAlmostEqual(one, other, delta=1e-6 * abs(other) + 1e-9)
        # The same points in another form are the same data.
        self.write("p.npz", npz(self.rows, WIDTH))
        self.cairn("approximate", "--data.path", "p.npz", *run, "--output.path", "n.h5")
        for result in ("s.h5", "n.h5", "d.h5"):
            self.cairn("evaluate", result, "--data.path", "p.svm", "--data.dimension", WIDTH, "--data.label", "first",
                       "--evaluation.pairs", 100)
        for result in ("n.h5", "d.h5"):
            self.cairn("evaluate", result, "--data.path", "p.csv", "--evaluation.pairs", 100)
        self.cairn("train", "s.h5", "--task", "svm", "--cost", "1", "--output.path", "m.h5")

    def test_the_width_takes_no_memory(self):
        wide = entries(60, 30_000_000, seed=3)
        self.write("wide.svm", svm_text(wide))  # 14 GB with all coordinates
        report = self.json("approximate", "--data.path", "wide.svm", "--similarity.kind", "cosine", "--output.path", "w.h5",
                           "--landmarks.count", 10, "--evaluation.pairs", 100)
        self.assertLess(report["peak_bytes"], 400e6)
        self.assertLess(os.path.getsize(self.path("w.h5")), 1e6)

        self.write("wide.npz", npz(entries(60, 2_000_000_000, seed=4), 2_000_000_000, index="<i8"))
        report = self.json("approximate", "--data.path", "wide.npz", "--similarity.kind", "cosine", "--output.path", "n.h5",
                           "--landmarks.count", 10, "--evaluation.pairs", 100)
        self.assertLess(report["peak_bytes"], 400e6)
        self.write("beyond.svm", "1 1:1 3000000000:1\n0 1:2 2:2\n")
        self.refused(3, "beyond.svm: its largest index, 3000000000, is beyond 2\\^31", "approximate", "--data.path", "beyond.svm",
                     "--similarity.kind", "linear", *NYSTROM, "--output.path", "b.h5")

    def test_points_without_entries(self):
        self.write("z.svm", "1\n" + svm_text(self.rows[1:]))
        self.write("z.csv", csv_text([[], *self.rows[1:]], WIDTH))
        for kind in ("laplacian", "rbf", "linear"):
            for data in ("z.svm", "z.csv"):
                self.cairn("approximate", "--data.path", data, "--similarity.kind", kind, "--output.path", f"{data}.h5", *NYSTROM)
            for s, d in zip(self.values("z.svm.h5"), self.values("z.csv.h5")):
                self.assertAlmostEqual(s, d, delta=1e-5 * max(1, abs(d)), msg=kind)
        cosine = ("approximate", "--data.path", "z.svm", "--similarity.kind", "cosine", "--output.path", "c.h5")
        self.refused(3, "point 0 .* is the zero vector: its cosine is undefined", *cosine, *NYSTROM)
        self.refused(3, "row 0 is 0: it has no direction", *cosine, "--approximation.method", "poly-tensorsketch")
        self.refused(3, "point 0 is the zero vector", *cosine, *NYSTROM, "--data.scaling", "unit-norm")
        for method in ("nystrom", "poly-tensorsketch"):
            self.cairn(*cosine, "--similarity.zero-vector", 0, "--approximation.method", method,
                       *(NYSTROM if method == "nystrom" else NYSTROM[2:]), "--overwrite", "true")
            found = self.json("query", "c.h5", "--entry", "0,5", "--entry", "0,0")["entries"]
            for entry in found:
                self.assertAlmostEqual(0, entry["value"], places=9, msg=method)

    def test_times_in_a_sparse_file(self):
        rows = [[(1, 1.7e9 + 1000.0 * (i * 37 % 90)), *((k + 5, x) for k, x in row)] for i, row in enumerate(self.rows)]
        self.write("t.svm", svm_text(rows))
        self.write("t.csv", csv_text(rows, WIDTH + 5))
        run = ("--similarity.kind", "rbf", "--similarity.gamma", "1e-9", *NYSTROM)
        out = self.cairn("approximate", "--data.path", "t.svm", "--run.precision", "single", "--output.path", "s.h5", *run).out
        self.assertIn("the mean of the points is subtracted before they are rounded", out)
        self.cairn("approximate", "--data.path", "t.csv", "--output.path", "d.h5", *run)
        for s, d in zip(self.values("s.h5"), self.values("d.h5")):
            self.assertAlmostEqual(s, d, delta=1e-4)
        self.assertEqual(4, self.json("info", "s.h5")["format_version"])
        self.assertEqual(1, self.json("info", "d.h5")["format_version"])
        linear = ("approximate", "--data.path", "t.svm", "--run.precision", "single", "--similarity.kind", "linear", *NYSTROM)
        warned = self.cairn(*linear, "--output.path", "l.h5")
        self.assertIn("the mean of coordinate 2 is", warned.out + warned.err)
        self.assertEqual(self.json("info", "s.h5")["data_digest"], self.json("info", "l.h5")["data_digest"])

    def test_all_coordinates_are_announced(self):
        run = ("--output.path", "s.h5", *NYSTROM)
        out = self.cairn("approximate", "--data.path", "p.svm", "--data.scaling", "standard", "--similarity.kind", "rbf", *run).out
        self.assertRegex(out, r"the points are held with all [\d,]+ coordinates, which takes .*: data.scaling = standard moves those that are 0")
        out = self.cairn("approximate", "--data.path", "p.svm", "--data.scaling", "unit-norm", "--similarity.kind", "rbf", *run).out
        self.assertNotIn("with all", out)
        out = self.cairn("convert", "p.svm", "c.h5", "--data.label", "first")
        self.assertIn("are held with all", out.out + out.err)
        err = self.cairn("approximate", "--data.path", "p.svm", "--similarity.kind", "rbf", "--approximation.method",
                         "poly-tensorsketch", "--output.path", "t.h5", "--evaluation.pairs", 100).err
        self.assertRegex(err, "all [\\d,]+ coordinates of the sparse points are held beside their entries, which takes")

    def test_archives_that_do_not_fit_are_refused(self):
        def refused(pattern, archive):
            self.write("bad.npz", archive)
            self.refused(3, pattern, "approximate", "--data.path", "bad.npz", "--similarity.kind", "linear", *NYSTROM,
                         "--output.path", "s.h5")
        count = sum(map(len, self.rows))
        starts = [sum(map(len, self.rows[:i])) for i in range(POINTS + 1)]
        refused("holds a sparse matrix of the format 'coo'; .*tocsr", npz(self.rows, WIDTH, kind=b"coo"))
        refused(f"indices.npy: entry 3 is {WIDTH}, outside 0 to {WIDTH - 1}",
                npz(self.rows, WIDTH, indices=[0, 1, 2, WIDTH] + [4] * (count - 4)))
        refused("indptr.npy: entry 1 is -1; they must ascend", npz(self.rows, WIDTH, indptr=[0, -1, *starts[2:]]))
        refused("indptr.npy: begins with 1", npz(self.rows, WIDTH, indptr=[1, *starts[1:]]))
        refused(f"indptr.npy: ends with {count - 1}; there are {count} entries", npz(self.rows, WIDTH, indptr=[*starts[:-1], count - 1]))
        refused("indptr.npy: has 90 entries; the 90 x 3000 matrix has 91", npz(self.rows, WIDTH, indptr=starts[:-1]))
        refused("data.npy: has 2 entries, and indices", npz(self.rows, WIDTH, data=[1.0, 2.0]))
        refused("its shape is 0 x 3000", npz(self.rows, WIDTH, shape=[0, WIDTH]))
        refused(r"entry \(0, 0\) is nan", npz(self.rows, WIDTH, data=[float("nan")] + [1.0] * (count - 1)))
        self.write("good.npz", npz(self.rows, WIDTH))
        self.refused(3, "holds a sparse matrix .* read as points only", "approximate", "--data.kind", "matrix", "--data.path",
                     "good.npz", "--landmarks.count", 5, "--output.path", "s.h5")


if __name__ == "__main__":
    unittest.main()
