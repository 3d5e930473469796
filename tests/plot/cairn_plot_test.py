"""Drives cairn-plot as a user would, and checks the figures that its curves are made of.

cairn_plot_test.py PROGRAM; exits with 77 (skipped) where the optional modules are missing."""

import os
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import matplotlib  # noqa: F401  (imported by cairn-plot)
    import numpy
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-matplotlib, python3-h5py)")
    sys.exit(77)

PROGRAM = sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(PROGRAM))
from cairn_plot import reproductions, rows, scaling, sweeps  # noqa: E402  (beside the program)


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    assert head[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG file"
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


class PlotTest(unittest.TestCase):
    """A test that works in a folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def plot(self, *arguments):
        return subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True, check=False)


class CairnPlot(PlotTest):
    def sweep(self, name="sweep.csv"):
        lines = ["landmarks.count,approximation.tolerance,method,n,s1,s2,evaluations,relative_error"]
        for tolerance in ("1e-3", "1e-6"):
            for count, errors in ((5, (0.1, 0.2, 0.9)), (2, (0.4, 0.3, 0.5))):
                lines += [f"{count},{tolerance},nystrom,10,{count},0,{10 * count},{error}" for error in errors]
        return self.path(name, "\n".join(lines) + "\n")

    def result(self, values):
        path = self.path("result.h5")
        with h5py.File(path, "w") as file:
            report = file.create_group("report")
            report.attrs["method"] = "nystrom"
            report["spectrum"] = numpy.array(values, dtype=float)
        return path

    def test_a_sweep_becomes_a_picture(self):
        out = self.path("error.png")
        done = self.plot(self.sweep(), "-o", out, "--dpi", "100")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(png_size(out), (700, 480))

    def test_points_of_a_curve_are_medians_by_growing_share(self):
        curves = sweeps.curves_of(sweeps.read_sweep(self.sweep()))
        self.assertEqual(list(curves), ["nystrom, tolerance 1e-3", "nystrom, tolerance 1e-6"])
        points = curves["nystrom, tolerance 1e-3"]
        self.assertEqual([sweeps.share_of(repeats) for repeats in points], [0.2, 0.5])
        middles = [sweeps.quartiles([run["relative_error"] for run in repeats])[1] for repeats in points]
        self.assertEqual(middles, [0.4, 0.2])

    def test_a_result_becomes_a_picture_that_counts_negative_eigenvalues(self):
        out = self.path("spectrum.svg")
        done = self.plot(self.result([-0.5, 1.0, 2.0]), "-o", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(out, encoding="utf-8") as file:
            picture = file.read()
        self.assertIn("nystrom, 2 positive", picture)
        self.assertIn("nystrom, 1 negative", picture)

    def test_a_row_becomes_a_picture_with_its_error(self):
        row = self.path("row.csv", "column,exact,approximate\n0,3,3\n1,4,4.5\n")
        self.assertAlmostEqual(rows.relative_squared_error(*rows.read_row(row)), 0.01)
        out = self.path("row.svg")
        done = self.plot(row, "-o", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(out, encoding="utf-8") as file:
            self.assertIn("relative squared error 0.01", file.read())
        self.assertEqual(self.plot(row, row).returncode, 2)
        named = self.path("named.csv", "column,exact,approximate,label,number\n0,3,3,\"a, b\",7\n1,4,4.5,c,9\n")
        self.assertTrue(rows.is_row(named))
        self.assertEqual(rows.read_row(row), rows.read_row(named))
        self.assertFalse(rows.is_row(self.path("other.csv", "label,column,exact,approximate\n")))

    def test_a_scaling_becomes_a_picture_of_its_curves(self):
        table = self.path("scaling.csv", "scaling,nodes,ranks,seconds,efficiency\nstrong,1,2,3,1\nstrong,2,4,2,0.75\n"
                                         "weak,2,4,1.25,0.8\nweak,1,2,1,1\n")
        self.assertEqual({"strong": [(2, 3, 1), (4, 2, 0.75)], "weak": [(2, 1, 1), (4, 1.25, 0.8)]},
                         scaling.read_scaling(table))
        out = self.path("scaling.svg")
        done = self.plot(table, "-o", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(out, encoding="utf-8") as file:
            picture = file.read()
        for words in ("weak, ideal", "parallel efficiency", "<!-- 4 -->"):
            self.assertIn(words, picture)
        self.assertEqual(self.plot(table, table).returncode, 2)

    def test_a_table_of_a_paper_becomes_curves_and_dots_beside_its_numbers(self):
        table = self.path("table.csv", "panel,series,at,seed,measure,value,paper\nroads,ours,10,1,error,0.5,0.4\nroads,ours,10,2,error,0.7,0.4\n"
                                       "roads,ours,100,1,error,0.01,\nroads,theirs,,1,error,0.2,\nletters,rff,,1,\"wrong, %\",5,6\n")
        panels = reproductions.read_reproduction(table)
        self.assertEqual([("roads", "error"), ("letters", "wrong, %")], list(panels))
        self.assertEqual({"10": ([0.5, 0.7], 0.4), "100": ([0.01], None)}, panels["roads", "error"]["ours"])
        self.assertTrue(reproductions.is_along(panels["roads", "error"]))
        self.assertFalse(reproductions.is_along(panels["letters", "wrong, %"]))
        out = self.path("table.svg")
        done = self.plot(table, "-o", out, "--title", "All")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(out, encoding="utf-8") as file:
            picture = file.read()
        for words in ("ours", "wrong, %", "open marks: the paper", "All"):
            self.assertIn(f"<!-- {words} -->", picture)
        self.assertEqual(self.plot(table, table).returncode, 2)
        with open(table, "a", encoding="utf-8") as file:
            file.write("letters,rff,,1,alone,5,\n")
        done = self.plot(table, "-o", out)
        self.assertIn("1 numbers that stand alone are left out", done.stderr)
        with open(out, encoding="utf-8") as file:
            self.assertNotIn("<!-- alone -->", file.read())

    def embedding(self, columns, labels=None):
        path = self.path("embedding.h5")
        with h5py.File(path, "w") as file:
            file.attrs["format"] = "cairn-embedding"
            file["embedding"] = numpy.arange(12.0).reshape(-1, columns)
            file["eigenvalues"] = [6.0, 2.0, 1.0][:columns]
            file.create_group("report")
            file["report/names"] = ["stress", "trace"]
            file["report/values"] = [0.1, 8.0]
            if labels:
                file["labels"] = numpy.array(labels, dtype="S1")
        return path

    def test_an_embedding_becomes_a_cloud_colored_by_labels(self):
        out = self.path("embedding.svg")
        for labels, columns in ((None, 2), (list("aabbab"), 2), (list("xxyy"), 3)):
            path = self.embedding(columns, labels)
            done = self.plot(path, "-o", out)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(out, encoding="utf-8") as file:
                picture = file.read()
            self.assertIn("coordinate 1, 75 % of the trace", picture)
            self.assertEqual(len(set(labels or [])), sum(f"<!-- {label} -->" in picture for label in set(labels or [])))
        self.assertEqual(self.plot(path, path).returncode, 2)

    def test_an_embedding_of_one_dimension_is_refused(self):
        done = self.plot(self.embedding(1))
        self.assertEqual(done.returncode, 3)
        self.assertIn("one dimension", done.stderr)

    def test_failed_runs_are_left_out_and_counted(self):
        sweep = self.path("sweep.csv", "method,n,s1,s2,evaluations,relative_error,error\n"
                                       "nystrom,10,1,0,10,0.5,\n,,,,,,no eigenvalue left\n")
        done = self.plot(sweep)
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 failed run", done.stderr)

    def test_bad_files_are_named(self):
        for name, content, words in (("empty.csv", "", "no column"), ("header.csv", "method,n\n", "no column s1"),
                                  ("text.csv", self.header() + "nystrom,10,1,0,ten,0.5\n", "text.csv:2"),
                                  ("bare.csv", self.header(), "no runs"), ("row.csv", "column,exact,approximate\n0,1,x\n", "row.csv:2"),
                                  ("bare-scaling.csv", "scaling,nodes,ranks,seconds,efficiency\n", "no runs"),
                                  ("short-scaling.csv", "scaling,nodes,ranks,\n", "no column seconds"),
                                  ("scaling.csv", "scaling,nodes,ranks,seconds,efficiency\nweak,1,1,0,1\n", "scaling.csv:2"),
                                  ("table.csv", "panel,series,at,seed,measure,value,paper\na,b,,1,c,d,\n", "table.csv:2"),
                                  ("bare-table.csv", "panel,series,at,seed,measure,value,paper\n", "no numbers"),
                                  ("bare-row.csv", "column,exact,approximate\n", "no values"), ("binary.csv", b"\xff\xfe\x00", "neither")):
            path = self.path(name, content)
            done = self.plot(path)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_result_without_a_spectrum_says_so(self):
        done = self.plot(self.result([]))
        self.assertEqual(done.returncode, 3)
        self.assertIn("holds no spectrum", done.stderr)

    def test_usage_and_output_errors_have_their_codes(self):
        self.assertEqual(self.plot().returncode, 2)
        self.assertEqual(self.plot(self.sweep(), self.result([1.0])).returncode, 2)
        self.assertEqual(self.plot(self.path("missing.csv")).returncode, 3)
        self.assertEqual(self.plot(self.sweep(), "-o", self.path("no/such/folder.png")).returncode, 5)
        self.assertEqual(self.plot(self.sweep(), "-o", self.path("noending")).returncode, 2)

    def test_links_are_followed_and_other_files_left_alone(self):
        sweep = self.sweep()
        os.mkdir(self.path("real"))
        real = self.path("real/a.png", "")
        os.chmod(real, 0o640)
        os.symlink("real/a.png", self.path("a.png"))
        mine = [self.path("a.png.partial", "mine"), self.path("real/a.png.partial", "mine")]
        for _ in range(2):  # the second time there is a picture
            done = self.plot(sweep, "-o", self.path("a.png"))
            self.assertEqual(0, done.returncode, done.stderr)
        self.assertTrue(os.path.islink(self.path("a.png")))
        self.assertEqual(0o640, os.stat(real).st_mode & 0o777)
        self.assertEqual(b"\x89PNG", open(real, "rb").read(4))
        self.assertEqual(["mine", "mine"], [open(path, encoding="utf-8").read() for path in mine])
        self.assertEqual(["a.png", "a.png.partial"], sorted(os.listdir(self.path("real"))))
        thesis = self.path("thesis.pdf", "chapter 1")
        done = self.plot(sweep, "-o", thesis)
        self.assertEqual(2, done.returncode, done.stderr)
        self.assertIn("exists and is no file of that kind", done.stderr)
        self.assertEqual("chapter 1", open(thesis, encoding="utf-8").read())

    @staticmethod
    def header():
        return "method,n,s1,s2,evaluations,relative_error\n"


class Pictures(PlotTest):
    """Pixels as points, and the picture that a plan makes of them."""

    def setUp(self):
        super().setUp()
        try:
            from PIL import Image
        except ImportError as missing:
            self.skipTest(f"{missing} (Debian: python3-pil)")
        colors = numpy.random.default_rng(3).integers(0, 256, (6, 9, 3), dtype=numpy.uint8)
        self.colors = colors
        self.picture = self.path("a.png")
        Image.fromarray(colors).save(self.picture)
        self.image = Image

    def plan(self, groups, points, barycentres, name="plan.h5"):
        path = self.path(name)
        with h5py.File(path, "w") as file:
            file.attrs["format"] = "cairn-transport"
            file["source/groups"], file["source/points"], file["source/barycentres"] = groups, points, barycentres
        return path

    def test_pixels_are_rows_of_numbers(self):
        done = self.plot("--pixels", self.picture, "-o", self.path("a.npy"))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("54 pixels (9 x 6)", done.stdout)
        numpy.testing.assert_array_equal(numpy.load(self.path("a.npy")), self.colors.reshape(-1, 3) / 255)

    def test_greys_of_sixteen_bits_keep_their_values(self):
        greys = (numpy.arange(54).reshape(6, 9) * 1200).astype(numpy.uint16)
        for name in ("deep.png", "deep.tif"):
            self.image.fromarray(greys).save(self.path(name))
            done = self.plot("--pixels", self.path(name), "-o", self.path("deep.npy"))
            self.assertEqual(0, done.returncode, done.stderr)
            numpy.testing.assert_allclose(numpy.load(self.path("deep.npy")), numpy.repeat(greys.reshape(-1, 1), 3, axis=1) / 65535)
        for kind, name in ((numpy.float32, "real.tif"), (numpy.int32, "long.tif")):
            self.image.fromarray(greys.astype(kind)).save(self.path(name))
            done = self.plot("--pixels", self.path(name), "-o", self.path("none.npy"))
            self.assertEqual(3, done.returncode, done.stderr)
            self.assertIn("save it with 8 or 16 bits", done.stderr)

    def test_nothing_that_is_read_is_overwritten(self):
        pixels = self.colors.reshape(-1, 3) / 255
        plan = self.plan(numpy.arange(54), pixels, pixels)
        with open(self.picture, "rb") as file:
            before = file.read()
        done = self.plot(plan, "--image", self.picture, "-o", self.picture)
        self.assertEqual(2, done.returncode, done.stderr)
        self.assertIn("would be overwritten", done.stderr)
        with open(self.picture, "rb") as file:
            self.assertEqual(before, file.read())
        nowhere = self.path(os.path.join("none", "b.png"))
        done = self.plot(plan, "--image", self.picture, "-o", nowhere)
        self.assertEqual(5, done.returncode, done.stderr)
        self.assertIn("b.png: cannot be written: No such file or directory", done.stderr)
        self.assertNotIn("partial", done.stderr)

    def test_a_plan_moves_colors(self):
        pixels = self.colors.reshape(-1, 3) / 255
        points, groups = numpy.unique(pixels, axis=0, return_inverse=True)
        groups = groups.reshape(-1).copy()
        groups[5] = -1  # a pixel of weight 0 keeps its color
        plan = self.plan(groups, points, 1.2 - points)  # beyond 1: cut
        done = self.plot(plan, "--image", self.picture, "-o", self.path("b.png"))
        self.assertEqual(0, done.returncode, done.stderr)
        expected = numpy.rint(255 * (1.2 - pixels).clip(0, 1))
        expected[5] = self.colors.reshape(-1, 3)[5]
        with self.image.open(self.path("b.png")) as picture:
            numpy.testing.assert_array_equal(numpy.asarray(picture).reshape(-1, 3), expected)

    def test_what_does_not_fit_is_refused(self):
        plan = self.plan(numpy.arange(54), numpy.zeros((54, 3)), numpy.zeros((54, 3)))
        short = self.plan(numpy.arange(5), numpy.zeros((5, 3)), numpy.zeros((5, 3)), "short.h5")
        text = self.path("a.txt", "no picture")
        for code, message, arguments in ((3, "not the pixels", (plan, "--image", self.picture)), (3, "5 source points", (short, "--image", self.picture)),
                                         (2, "--image FILE", (plan,)), (3, "a.txt", ("--pixels", text, "-o", self.path("a.npy"))),
                                         (2, "or --dpi", ("--pixels", self.picture, "--dpi", "100")), (2, "above 0", (plan, "--dpi", "0")),
                                         (2, "would be overwritten", (plan, "--image", self.picture, "-o", plan)),
                                         (2, ".npy", ("--pixels", self.picture, "-o", self.path("a.csv"))),
                                         (2, "plans of cairn transport", (self.picture, "--image", self.picture)),
                                         (2, ".png or .jpg", (plan, "--image", self.picture, "-o", self.path("b.what")))):
            done = self.plot(*arguments)
            self.assertEqual(code, done.returncode, (arguments, done.stderr))
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(self.path("b.what")) or os.path.exists(self.path("a.csv")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
