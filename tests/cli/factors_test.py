"""Two factors U and V on the command line: a K whose columns stand for other objects than its rows."""

import unittest

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

from cairn_program import UNHURRIED, CairnTest, csv_text


@unittest.skipIf(h5py is None, "h5py is missing")
class Factors(CairnTest):
    ROWS, COLUMNS, D = 60, 45, 4

    def setUp(self):
        super().setUp()
        draw = numpy.random.default_rng(11)
        self.u = 0.4 * draw.standard_normal((self.ROWS, self.D))
        self.v = draw.standard_normal((self.COLUMNS, self.D)) * (2, 1, 0.5, 0.1)
        numpy.save(self.path("u.npy"), self.u)
        self.write("v.csv", csv_text(self.v.tolist()))
        numpy.savez(self.path("both.npz"), u=self.u, v=self.v)
        with h5py.File(self.path("both.h5"), "w") as file:
            file["u"], file["v"] = self.u, self.v

    LOGISTIC = ("--similarity.kind", "function", "--similarity.function", "logistic")
    METHOD = ("--approximation.method", "poly-tensorsketch", "--approximation.features", 71)

    def arguments(self, *more, output="f.h5"):
        return ["approximate", "--data.kind", "factors", "--data.path", "u.npy", "--data.right-path", "v.csv", *self.LOGISTIC, *self.METHOD,
                "--output.path", output, *UNHURRIED, *more]

    def exact(self, u=None, v=None):
        return 1 / (1 + numpy.exp(-(self.u if u is None else u) @ (self.v if v is None else v).T))

    def approximated(self, path="f.h5"):
        with h5py.File(self.path(path), "r") as file:
            left, joining, right = file["left"][:], file["joining"][:], file["right"][:]
            self.assertEqual((2, True, False), (file.attrs["format_version"], file.attrs["rectangular"], file.attrs["symmetric"]))
        return (left * joining if len(joining) else left) @ right.T

    def test_from_files_to_the_error_and_back(self):
        exact, before = self.exact(), None
        for ranks in (1, 2, 3, 4):
            report = self.json(*self.arguments(), ranks=ranks)
            self.assertEqual((self.ROWS, self.COLUMNS, self.ROWS * self.COLUMNS), (report["n"], report["right_n"], report["evaluations"]))
            found = self.approximated()
            error = numpy.linalg.norm(found - exact) / numpy.linalg.norm(exact)
            self.assertLess(error, 0.01)
            self.assertAlmostEqual(1, report["relative_error"] / error, delta=1e-6)  # few entries: all are compared
            self.assertAlmostEqual(1, report["predicted_error"] / error, delta=1e-6)
            if before is not None:
                numpy.testing.assert_allclose(found, before, atol=1e-12)
            before = found
            again = self.json("evaluate", "f.h5", ranks=ranks)
            self.assertAlmostEqual(1, again["relative_error"] / error, delta=1e-6)
            self.assertAlmostEqual(1, again["mean_squared_ratio"] / (((found - exact) / exact) ** 2).mean(), delta=1e-6)

    def test_rows_entries_and_neighbors(self):
        self.cairn(*self.arguments(), ranks=2)
        found = self.approximated()
        last = self.COLUMNS - 1
        for ranks in (1, 3):
            answer = self.json("query", "f.h5", "--entry", f"{self.ROWS - 1},{last}", "--entry", "2,2", "--row", self.ROWS - 1, "--nearest", 2, "--k", 4,
                               ranks=ranks)
            for entry in answer["entries"]:
                self.assertAlmostEqual(found[entry["row"], entry["column"]], entry["value"], delta=1e-12)
            numpy.testing.assert_allclose(answer["row"]["values"], found[-1], atol=1e-12)
            self.assertEqual(numpy.argsort(-found[2])[:4].tolist(), [one["object"] for one in answer["nearest"]["nearest"]])
            self.cairn("evaluate", "f.h5", "--row", self.ROWS - 1, "--out", "row.csv", ranks=ranks)
            table = numpy.loadtxt(self.path("row.csv"), delimiter=",", skiprows=1)
            numpy.testing.assert_allclose(table[:, 1:].T, [self.exact()[-1], found[-1]], atol=1e-12)
        self.assertIn(f"{self.COLUMNS} x 71", self.cairn("info", "f.h5").out)
        for option in (["--entry", f"0,{self.COLUMNS}"], ["--entry", f"{self.ROWS},0"], ["--nearest", self.ROWS], ["--nearest", 0, "--by-angle", "true"]):
            self.refused(2, "--(entry|nearest|by-angle)", "query", "f.h5", *option)

    def test_new_rows_of_either_factor(self):
        self.cairn(*self.arguments())
        draw = numpy.random.default_rng(12)
        new = 0.3 * draw.standard_normal((33, self.D))
        numpy.save(self.path("new.npy"), new)
        for ranks in (1, 3):
            self.cairn("extend", "f.h5", "--data.path", "new.npy", "--output.path", "rows.h5", ranks=ranks)
            self.assertLess(numpy.abs(self.approximated("rows.h5") - self.exact(u=new)).max(), 0.05)
            self.cairn("extend", "f.h5", "--data.path", "new.npy", "--side", "columns", "--output.path", "columns.h5", ranks=ranks)
            found = self.approximated("columns.h5")
            self.assertEqual((self.ROWS, 33), found.shape)
            self.assertLess(numpy.abs(found - self.exact(v=new)).max(), 0.05)
        self.refused(2, "rows.h5 has new rows of one factor", "evaluate", "rows.h5", "--data.path", "new.npy", "--data.right-path", "v.csv")
        numpy.save(self.path("wide.npy"), numpy.ones((3, self.D + 1)))
        self.refused(3, "wide.npy: the new rows have 5 columns", "extend", "f.h5", "--data.path", "wide.npy", "--output.path", "x.h5")

    def test_the_error_of_new_rows_beside_the_other_factor(self):
        self.cairn(*self.arguments())
        draw = numpy.random.default_rng(12)
        new = 0.3 * draw.standard_normal((33, self.D))
        numpy.save(self.path("new.npy"), new)
        for side, exact in (("rows", self.exact(u=new)), ("columns", self.exact(v=new))):
            base = ["extend", "f.h5", "--data.path", "new.npy", "--side", side, "--output.path", "new.h5"]
            self.assertIsNone(self.json(*base)["relative_error"])  # nothing is read again unless it is asked for
            for ranks in (1, 3):
                report = self.json(*base, "--pairs", 100000, ranks=ranks)
                error = numpy.linalg.norm(self.approximated("new.h5") - exact) / numpy.linalg.norm(exact)
                self.assertAlmostEqual(1, report["relative_error"] / error, delta=0.02)
                self.assertEqual([], report["warnings"])
        self.refused(2, "new.h5 has new rows itself", "extend", "new.h5", "--data.path", "new.npy", "--pairs", 10, "--output.path", "x.h5")

    def test_new_rows_that_are_longer_than_all_old_ones(self):
        self.cairn(*self.arguments())
        new = numpy.vstack([self.u, 3 * self.u[:2] * numpy.linalg.norm(self.u, axis=1).max() / numpy.linalg.norm(self.u[:2], axis=1)[:, None]])
        numpy.save(self.path("new.npy"), new)
        for ranks in (1, 3):
            warnings = self.json("extend", "f.h5", "--data.path", "new.npy", "--output.path", "new.h5", ranks=ranks)["warnings"]
            self.assertEqual(1, len(warnings))
            self.assertIn("2 of 62 new rows are longer than all of those", warnings[0])
        numpy.save(self.path("old.npy"), self.u)
        self.assertEqual([], self.json("extend", "f.h5", "--data.path", "old.npy", "--output.path", "new.h5")["warnings"])

    def test_compressed_rows(self):
        import scipy.sparse

        sparse = self.u * (numpy.random.default_rng(1).random(self.u.shape) < 0.4)
        sparse[3] = 0
        rows = scipy.sparse.csr_matrix(sparse)
        with h5py.File(self.path("sparse.h5"), "w") as file:  # as anndata writes it
            group = file.create_group("X")
            group.attrs["encoding-type"], group.attrs["shape"] = "csr_matrix", rows.shape
            group["data"], group["indices"], group["indptr"] = rows.data, rows.indices, rows.indptr
        with h5py.File(self.path("root.h5"), "w") as file:  # as PyTorch's and others' examples do
            file["data"], file["indices"], file["indptr"], file["shape"] = rows.data.astype("f4"), rows.indices, rows.indptr, rows.shape
        numpy.save(self.path("dense.npy"), sparse)
        base = ["approximate", "--data.kind", "factors", "--data.right-path", "v.csv", *self.LOGISTIC, *self.METHOD]
        self.cairn(*base, "--data.path", "dense.npy", "--output.path", "d.h5")
        for ranks in (1, 2, 3, 4):
            for path, places in (("sparse.h5", 12), ("root.h5", 5)):
                self.cairn(*base, "--data.path", path, "--output.path", "s.h5", ranks=ranks)
                numpy.testing.assert_allclose(self.approximated("s.h5"), self.approximated("d.h5"), atol=10 ** -places)
        self.cairn("convert", "sparse.h5", "--data.dataset", "X", "--data.columns", "4,2", "two.h5")  # points of any command
        with h5py.File(self.path("two.h5")) as file:
            numpy.testing.assert_array_equal(file["points"][:], sparse[:, [3, 1]])
        for name, values, says in (("indices", [self.D] * rows.nnz, "'X/indices': entry 0 is column 4, outside 0 to 3"),
                                   ("indptr", rows.indptr[::-1], r"'X/indptr': ?goes from \d+ to 0; it must go from 0"),
                                   ("indptr", numpy.minimum(rows.indptr, rows.nnz - 1), r"'X/indptr': ?goes from 0 to"),
                                   ("indptr", rows.indptr[[0, 2, 1, *range(3, 61)]], "'X/indptr': entry"), ("indptr", rows.indptr[:-1], "its shape says 60 rows")):
            with h5py.File(self.path("bad.h5"), "w") as file:
                group = file.create_group("X")
                group.attrs["shape"] = rows.shape
                for part in ("data", "indices", "indptr"):
                    group[part] = values if part == name else getattr(rows, part)
            self.refused(3, says, *base, "--data.path", "bad.h5", "--output.path", "x.h5", ranks=(1, 3))
        with h5py.File(self.path("bad.h5"), "w") as file:
            group = file.create_group("X")
            group.attrs["encoding-type"], group.attrs["shape"] = "csc_matrix", rows.shape
            group["data"], group["indices"], group["indptr"] = rows.data, rows.indices, rows.indptr
        self.refused(3, "holds compressed columns", *base, "--data.path", "bad.h5", "--output.path", "x.h5")

    def test_factors_of_a_result(self):
        points = ["approximate", "--data.path", "v.csv", "--similarity.kind", "rbf", "--similarity.gamma", 0.3, "--landmarks.count", 12]
        for method in ("nystrom", "sicur", "optimal"):
            self.cairn(*points, "--approximation.method", method, "--output.path", "r.h5")
            with h5py.File(self.path("r.h5"), "r") as file:
                left, joining, right = file["left"][:], file["joining"][:], (file["right"] if "right" in file else file["left"])[:]
            inner = left @ joining @ right.T if joining.ndim == 2 else (left * joining if len(joining) else left) @ right.T
            for ranks in (1, 3):
                self.cairn("approximate", "--data.kind", "factors", "--data.path", "r.h5", "--data.format", "result", "--similarity.kind", "linear",
                           *self.METHOD, "--output.path", "f.h5", ranks=ranks)
                numpy.testing.assert_allclose(self.approximated(), inner, atol=1e-9 * numpy.abs(inner).max())
            self.cairn("evaluate", "f.h5", ranks=2)  # finds the result again
        # U from a result, V from another file, and the other way about.
        numpy.save(self.path("wide.npy"), 0.1 * numpy.random.default_rng(5).standard_normal((20, right.shape[1])))
        self.cairn("approximate", "--data.kind", "factors", "--data.path", "wide.npy", "--data.right-path", "r.h5", "--data.right-format", "result",
                   "--similarity.kind", "linear", *self.METHOD, "--output.path", "f.h5")
        numpy.testing.assert_allclose(self.approximated(), numpy.load(self.path("wide.npy")) @ right.T, atol=1e-9)
        base = ["approximate", "--data.kind", "factors", *self.LOGISTIC, *self.METHOD, "--output.path", "x.h5", "--data.format", "result"]
        self.refused(3, "both.h5: is no result of cairn", *base, "--data.path", "both.h5", ranks=(1, 3))
        self.refused(2, "data.dataset.*has no effect beside data.format = result", *base, "--data.path", "r.h5", "--data.dataset", "left")

    def test_labels_of_both_sides(self):
        for name, rows, letter in (("u.csv", self.u, "a"), ("w.csv", self.v, "b")):
            self.write(name, "name,x,y,z,w\n" + "".join(f"{letter}{i}," + ",".join(map(repr, map(float, row))) + "\n" for i, row in enumerate(rows)))
        base = ["approximate", "--data.kind", "factors", "--data.label", "name", *self.LOGISTIC, *self.METHOD, "--output.path", "f.h5"]
        self.cairn(*base, "--data.path", "u.csv", "--data.right-path", "w.csv", ranks=2)
        found = self.approximated()
        for ranks in (1, 3):
            answer = self.json("query", "f.h5", "--entry", "a3,b5", "--nearest", "a2", "--k", 2, ranks=ranks)
            self.assertAlmostEqual(found[3, 5], answer["entries"][0]["value"], delta=1e-12)
            self.assertEqual(("a3", "b5"), (answer["entries"][0]["row_label"], answer["entries"][0]["column_label"]))
            self.assertEqual([f"b{k}" for k in numpy.argsort(-found[2])[:2]], [one["label"] for one in answer["nearest"]["nearest"]])
        self.refused(2, "no column has the label 'a5'", "query", "f.h5", "--entry", "a3,a5")
        numpy.save(self.path("new.npy"), self.v[:7])
        self.cairn("extend", "f.h5", "--data.path", "new.npy", "--output.path", "new.h5")
        self.json("query", "new.h5", "--entry", "0,b5")  # V and its labels stay
        self.cairn("extend", "f.h5", "--data.path", "new.npy", "--side", "columns", "--output.path", "new.h5")
        self.json("query", "new.h5", "--entry", "a3,6")
        # A V without a column of labels.
        self.cairn(*base, "--data.path", "u.csv", "--data.right-path", "v.csv")
        self.json("query", "f.h5", "--entry", "a3,5")
        self.refused(2, "b5 is not a column number", "query", "f.h5", "--entry", "a3,b5")

    def test_both_factors_in_one_file_and_one_factor_alone(self):
        self.cairn(*self.arguments())
        expected = self.approximated()
        for file in ("both.npz", "both.h5"):
            self.cairn("approximate", "--data.kind", "factors", "--data.path", file, "--data.dataset", "u", "--data.right-dataset", "v", *self.LOGISTIC,
                       *self.METHOD, "--output.path", "b.h5", ranks=2)
            numpy.testing.assert_allclose(self.approximated("b.h5"), expected, atol=1e-12)
        # U alone: K is symmetric, and any method will do.
        alone = ["approximate", "--data.kind", "factors", "--data.path", "u.npy", *self.LOGISTIC, "--output.path", "a.h5"]
        self.cairn(*alone, "--approximation.method", "nystrom", "--landmarks.count", 40)
        with h5py.File(self.path("a.h5"), "r") as file:
            self.assertTrue(file.attrs["symmetric"])
            self.assertEqual(1, file.attrs["format_version"])
            self.assertNotIn("right", file)

    def test_random_frequencies_of_differences(self):
        self.cairn("approximate", "--data.kind", "factors", "--data.path", "u.npy", "--data.right-path", "v.csv", "--similarity.kind", "rbf",
                   "--similarity.gamma", 0.3, "--approximation.method", "rff", "--approximation.features", 4000, "--output.path", "f.h5", ranks=2)
        distances = ((self.u[:, None, :] - self.v[None, :, :]) ** 2).sum(2)
        self.assertLess(numpy.abs(self.approximated() - numpy.exp(-0.3 * distances)).max(), 0.1)

    def test_what_needs_the_same_objects_in_rows_and_columns(self):
        base = ["approximate", "--data.kind", "factors", "--data.path", "u.npy", "--data.right-path", "v.csv", *self.LOGISTIC, "--output.path", "x.h5"]
        self.refused(2, "methods for it: rff, poly-tensorsketch", *base, "--approximation.method", "nystrom", "--landmarks.count", 5)
        self.refused(2, "evaluation.rows has no effect", *base, *self.METHOD, "--evaluation.rows", 5)
        self.cairn(*self.arguments())
        self.refused(2, "the columns of f.h5 stand for others", "embed", "f.h5", "--dimension", 2, "--out", "e.h5")
        for option in (["--pairs", "u.npy"], ["--spectrum", 5]):
            self.refused(2, "no effect if the columns of K stand for other objects", "evaluate", "f.h5", *option)

    def test_given_polynomials_keep_the_degrees_that_fit(self):
        self.write("c.txt", "0.5\n0.25\n0\n-0.0208\n")
        product = self.u @ (30 * self.v).T
        numpy.save(self.path("long.npy"), 30 * self.v)  # where the polynomial is far from the function
        for ranks in (1, 3):
            self.cairn("approximate", "--data.kind", "factors", "--data.path", "u.npy", "--data.right-path", "long.npy", *self.LOGISTIC, *self.METHOD,
                       "--approximation.coefficients", "file", "--approximation.coefficients-file", "c.txt", "--approximation.degree", 3,
                       "--output.path", "p.h5", ranks=ranks)
            exact = 0.5 + 0.25 * product - 0.0208 * product ** 3
            self.assertLess(numpy.abs(self.approximated("p.h5") - exact).max() / numpy.abs(exact).max(), 1e-12)

    def test_lengths_beyond_the_numbers(self):
        base = ["approximate", "--data.kind", "factors", *self.LOGISTIC, *self.METHOD, "--output.path", "x.h5", "--data.path", "u.npy"]
        for factor, says in ((1e200, "one of the rows of V is not finite"), (1e-170, "all rows of V are 0, or their squares are")):
            numpy.save(self.path("far.npy"), factor * self.v)
            self.refused(4, says, *base, "--data.right-path", "far.npy", ranks=(1, 3))

    def test_commands_that_take_points_take_no_factors(self):
        self.write("w.csv", "1,2\n3,4\n")
        self.refused(2, "a transport is between points", "transport", "--data.kind", "factors", "--data.path", "u.npy", "--target.path", "v.csv",
                     "--epsilon", 1, "--output.path", "x.h5")

    def test_files_that_do_not_fit(self):
        numpy.save(self.path("wide.npy"), numpy.ones((3, self.D + 1)))
        base = ["approximate", "--data.kind", "factors", *self.LOGISTIC, *self.METHOD, "--output.path", "x.h5"]
        self.refused(3, "u.npy has 4 columns and wide.npy has 5", *base, "--data.path", "u.npy", "--data.right-path", "wide.npy", ranks=(1, 3))
        self.refused(3, "missing.npy", *base, "--data.path", "u.npy", "--data.right-path", "missing.npy")
        self.refused(2, "has no effect without data.right-path", *base, "--data.path", "u.npy", "--data.right-format", "npy")
        self.refused(3, "both.npz.*'w'", *base, "--data.path", "both.npz", "--data.dataset", "u", "--data.right-dataset", "w")
        self.write("bad.csv", "1,2,3,4\n1,2,x,4\n")
        self.refused(3, "bad.csv:2", *base, "--data.path", "u.npy", "--data.right-path", "bad.csv")

    def test_the_plan_counts_both_sides(self):
        sizes = ["--data.kind", "factors", "--data.generate", "normal", "--data.points", 3000, "--data.right-points", 500, "--data.dimension", 4,
                 *self.LOGISTIC, *self.METHOD]
        plan = self.json("plan", *sizes)
        run = self.json("approximate", *sizes, "--output.path", "g.h5")
        self.assertEqual((3000, 500), (run["n"], run["right_n"]))
        self.assertAlmostEqual(1, plan["result_bytes"] / (3500 * 71 * 8), delta=0.01)


if __name__ == "__main__":
    unittest.main()
