"""Pages of results: what earlier versions of cairn wrote, files that are made here, and files that have no page.

report_test.py PROGRAM; exits with 77 (skipped) where the optional modules are missing."""

import glob
import html.parser
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-h5py)")
    sys.exit(77)

PROGRAM = sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(PROGRAM))
from cairn_plot import pages  # noqa: E402  (beside the program)
from cairn_plot.coordinates import coordinates_of  # noqa: E402
from cairn_plot.drawings import Axis, tick_text  # noqa: E402
from cairn_plot.factors import Factors  # noqa: E402
from cairn_plot.hierarchy import Lengths  # noqa: E402
from cairn_plot.problem import Problem  # noqa: E402
from cairn_plot.report import report, write_report  # noqa: E402

EARLIER = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "earlier", "*", "")))[0]
WITHOUT_END = {"meta", "link", "br"}


def expected():
    """Command -> its report, as that version printed it."""
    with open(os.path.join(EARLIER, "expected.json"), encoding="utf-8") as file:
        return {one["command"]: one["report"] for one in json.load(file)}


class Page(html.parser.HTMLParser):
    """What a page holds; refuses tags that do not close each other."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.numbers, self.attributes, self.sections = [], [], [], [], {}
        self.heading = None
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.attributes += [value for _, value in attrs if value]
        if tag == "data":
            self.numbers.append(float(dict(attrs)["value"]))
        if tag not in WITHOUT_END:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in WITHOUT_END:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "h2":
            self.heading = data
            self.sections[data] = ""
        elif "section" in self.open:
            self.sections[self.heading] += data

    def count(self, tag):
        return sum(name == tag for name, _ in self.tags)


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def copy(self, name):
        shutil.copy(EARLIER + name, self.path(name))
        os.chmod(self.path(name), 0o644)
        return self.path(name)

    def run_program(self, *arguments):
        return subprocess.run([sys.executable, PROGRAM, "report", *arguments], capture_output=True, text=True, check=False)


class Pages(ReportTest):
    def test_every_kind_of_file_has_one(self):
        formats = set()
        for path in sorted(glob.glob(EARLIER + "*.h5")):
            with h5py.File(path) as file:
                name = file.attrs.get("format", "")
            if name not in ("cairn-approximation", "cairn-embedding", "cairn-model"):
                continue
            formats.add(name)
            with self.subTest(file=os.path.basename(path)):
                text = report(path)
                page = Page(text)
                self.assertEqual((1, 0), (page.count("h1"), page.count("script")))
                self.assertTrue(text.startswith("<!DOCTYPE html>"))
                for words in ("://", "url(", "@import", ">nan", ">None", ">inf"):
                    self.assertNotIn(words, text)
                self.assertEqual([], [attributes for _, attributes in page.tags if {"src", "href"} & set(attributes)])
                self.assertTrue(page.sections)
                self.assertEqual([], [heading for heading, content in page.sections.items() if len(content.strip()) < 3])
                drawn = [attributes for tag, attributes in page.tags if tag == "svg"]
                self.assertTrue(all("aria-label" in one or "aria-hidden" in one for one in drawn))
                self.assertIn("How it was made", page.sections)
        self.assertEqual(3, len(formats))

    def test_numbers_are_those_of_info(self):
        told = expected()
        names = ("relative_error", "relative_squared_error", "largest_entry_error", "s1", "rank", "evaluations")
        for name in ("nystrom.h5", "mesh.h5", "sicur.h5", "documents.h5", "single.h5"):
            with self.subTest(name=name):
                page, info = Page(report(EARLIER + name)), told["info " + name]
                self.assertEqual([], [key for key in names if info[key] not in page.numbers])
        model = Page(report(EARLIER + "krr.h5"))
        self.assertIn(told["info krr.h5"]["training_rows"], model.numbers)
        self.assertTrue({score["r_squared"] for score in told["info krr.h5"]["models"][0]["scores"]} <= set(model.numbers))
        self.assertIn(told["info kernel-pca.h5"]["dimension"], Page(report(EARLIER + "kernel-pca.h5")).numbers)

    def test_nearest_objects_are_those_of_the_factors(self):
        page = Page(report(EARLIER + "nystrom.h5"))
        with h5py.File(EARLIER + "nystrom.h5") as file:
            left = file["left"][:]
            row = left[45] @ file["joining"][:] @ left.T
        row[45] = -numpy.inf
        best = row.argsort()[::-1][:5]
        self.assertTrue(all(any(abs(row[i] - number) < 1e-12 for number in page.numbers) for i in best))
        self.assertIn("Of row 45", page.sections["Nearest objects of three examples"])

    def test_errors_of_a_growth_are_drawn_with_their_goal(self):
        path = self.copy("nystrom.h5")
        with h5py.File(path, "a") as file:
            del file["report/notes"], file["report/names"], file["report/values"]
            file["report/notes"] = ["landmarks and the relative errors with them: 4: 0.7, 1,200: 0.6", "other <note>"]
            file["report/growth_landmarks"], file["report/growth_errors"] = [4, 1200], [0.4, 0.1]
            file["report/names"] = ["error_goal", "error_limit", "error_confidence"]
            file["report/values"] = [0.125, 0.11, 0.99]
            file["provenance/error_promise"] = "certified"
            file["evaluation"].attrs.update({"constant_error": 0.5, "constant_error_standard_error": 0.01, "relative_error_standard_error": 0.01})
        text = report(path)
        page = Page(text)
        self.assertIn("The relative error falls from 0.4000 with 4 landmarks to 0.1000 with 1,200", page.attributes)
        self.assertIn("asked for, 0.125", page.sections["Error against landmarks"])
        self.assertIn("0.125: it is at most 0.1100 with probability 0.99, certified", page.sections["Error"])
        self.assertIn("error of the best constant", page.sections["Error"])
        self.assertIn("0.1032 ± 0.010", page.sections["Error"])
        self.assertIn("0.08115 to 0.1252, with probability 95\u00a0%, estimated", page.sections["Error"])
        self.assertEqual("other <note>", page.sections["Notes of the run"])
        with h5py.File(path, "a") as file:
            del file["evaluation"]
        self.assertIn("not measured", Page(report(path)).sections["Error"])

    def test_planned_seconds_stand_beside_those_of_the_run(self):
        with h5py.File(EARLIER + "nystrom.h5") as file:
            names, ranks, objects = file["provenance/phases/name"].asstr()[:], file["provenance/ranks"].asstr()[()], len(file["left"])
        plan = {"n": objects, "ranks": int(ranks), "seconds": {**{name: 12.0 for name in names}, "total": 99.0}}
        for change, text in (({}, ""), ({"n": objects + 1}, "is a plan for"), ({"ranks": int(ranks) + 1}, "was made by"), ({"seconds": 3}, "is no plan")):
            with self.subTest(change=change):
                with open(self.path("plan.json"), "w", encoding="utf-8") as file:
                    json.dump({**plan, **change}, file)
                done = self.run_program(EARLIER + "nystrom.h5", "--plan", self.path("plan.json"), "-o", self.path("p.html"))
                self.assertEqual(3 if text else 0, done.returncode, done.stderr)
                self.assertIn(text, done.stderr)
        with open(self.path("p.html"), encoding="utf-8") as file:
            shown = Page(file.read()).sections["Seconds by phase"]
        self.assertEqual(len(names), shown.count("12.000"))
        self.assertIn("planned", shown)
        self.assertIn(f"{12 * len(names)}.000", shown)
        self.assertEqual(2, self.run_program(EARLIER + "krr.h5", "--plan", self.path("plan.json"), "-o", self.path("k.html")).returncode)

    def test_a_map_has_the_places_of_a_file(self):
        for positions in ("inputs/places.csv", "streets.npy", "streets.h5"):
            with self.subTest(positions=positions):
                if positions.endswith(".npy"):
                    positions = self.path(positions)
                    numpy.save(positions, numpy.arange(162.0).reshape(81, 2))
                elif positions.endswith(".h5"):
                    positions = self.path(positions)
                    with h5py.File(positions, "w") as file:
                        file["embedding"] = numpy.arange(243.0).reshape(81, 3)
                else:
                    positions = EARLIER + positions
                done = self.run_program(EARLIER + "streets.h5", "--positions", positions, "-o", self.path("m.html"))
                self.assertEqual((0, ""), (done.returncode, done.stderr))
                with open(self.path("m.html"), encoding="utf-8") as file:
                    self.assertIn("Places from " + os.path.basename(positions), Page(file.read()).sections["Map"])

    def test_texts_of_the_file_are_no_tags(self):
        path = self.copy("texts.h5")
        with h5py.File(path, "a") as file:
            labels = file["labels"][:].astype("S20")
            labels[:] = b"<b>&\"x"
            del file["labels"]
            file["labels"] = labels
            file["provenance/config"][()] = "[data]\npath = /a/<i>.csv\n"
        text = report(path)
        Page(text)
        self.assertNotIn("<b>", text)
        self.assertIn("&lt;i&gt;.csv", text)


class Values(ReportTest):
    """What a page is made of."""

    def test_entries_are_those_of_query(self):
        compared = 0
        for command, told in expected().items():
            words = command.split()
            if words[0] != "query" or "--nearest" not in words or "entries" not in told or not os.path.exists(EARLIER + words[1]):
                continue
            with self.subTest(command=command), h5py.File(EARLIER + words[1]) as file:
                factors = Factors(file)
                for entry in told["entries"]:
                    row = factors.whole_rows(numpy.array([entry["row"]]))[0]
                    self.assertAlmostEqual(entry["value"], row[entry["column"]], delta=1e-6 * max(1, abs(row).max()))
                compared += 1
        self.assertGreater(compared, 10)

    def test_coordinates_are_those_of_embed(self):
        for name, result in (("kernel-pca.h5", "nystrom.h5"), ("scaling.h5", "mesh.h5")):
            with self.subTest(name=name), h5py.File(EARLIER + name) as found, h5py.File(EARLIER + result) as file:
                points, shares = coordinates_of(Factors(file), numpy.arange(len(found["embedding"])))
                numpy.testing.assert_allclose(points, found["embedding"][:, :2], atol=1e-6)
                trace = dict(zip(found["report/names"].asstr()[:], found["report/values"][:]))["trace"]
                numpy.testing.assert_allclose(shares, found["eigenvalues"][:2] / trace, rtol=1e-6)

    def test_eigenvalues_are_those_of_the_product(self):
        for name in ("nystrom.h5", "single.h5", "grid.h5"):
            with self.subTest(name=name), h5py.File(EARLIER + name) as file:
                factors = Factors(file)
                whole = factors.whole_rows(numpy.arange(factors.left.rows))
                values = numpy.linalg.eigvalsh((whole + whole.T) / 2)
                largest = numpy.sort(numpy.abs(values))[::-1][:5]
                found = numpy.sort(numpy.abs(factors.eigenvalues(1e9)))[::-1][:5]
                numpy.testing.assert_allclose(found, largest, rtol=1e-6)
                self.assertIsNone(factors.eigenvalues(10))

    def test_rows_of_hanging_trees_follow_from_their_roots(self):
        path = self.copy("grid.h5")
        with h5py.File(path, "w") as file:  # a core of two, 4 apart, and a tree 0 - 2 - 3, 2 - 4 with lengths 1, 2, 3
            file.attrs.update({"transform": "none", "meaning": "distance", "symmetric": True, "symmetrize": False})
            left = file.create_group("left")
            left.attrs["shape"] = [2, 2]
            left["data"], left["indices"], left["indptr"] = [1.0, 1.0], [0, 1], [0, 1, 2]
            file["trees/parents"], file["trees/heights"] = numpy.array([-1, -1, 0, 2, 2], numpy.int32), [0.0, 0, 1, 3, 4]
            core = file.create_dataset("joining", data=[[0.0, 4, 0, 1], [4, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 0]], chunks=(2, 2))
            core[:] = [[0, 4, 0, 0], [4, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
            core.attrs.update({"layout": "symmetric-tiles", "rows": 4, "columns": 4, "size": 4, "order": 2})
        with h5py.File(path) as file:
            factors = Factors(file)
            numpy.testing.assert_allclose([[0, 4, 1, 3, 4], [3, 7, 2, 0, 5]], factors.whole_rows(numpy.array([0, 3])))
            numpy.testing.assert_allclose([[4], [7]], factors.block(numpy.array([0, 3]), numpy.array([1])))

    def test_a_hierarchy_gives_path_lengths(self):
        with h5py.File(self.path("h.h5"), "w") as file:  # 0 - 1 - 2 with lengths 1 and 2, and 1 - 3 - 4 with 5 and 1
            group = file.create_group("hierarchy")
            for name, values in (("vertices", [1, 0, 2, 3, 4]), ("depths", [0, 1, 1, 1, 2]), ("degrees", [0, 1, 1, 1, 1]),
                                 ("heads", [0, 0, 0, 1]), ("lengths", [1, 2, 5, 1])):
                group[name] = values
            lengths = Lengths(file)
            numpy.testing.assert_array_equal([0, 1, 3, 6, 7], lengths.to_all(0))
            numpy.testing.assert_array_equal([7, 6, 8, 1, 0], lengths.to_all(4))

    def test_numbers_have_three_or_four_digits(self):
        for value, text in ((0.046350587, "0.04635"), (1234567, "1,234,567"), (3.2e11, "3.200 × 10¹¹"), (2.5e-7, "2.500 × 10⁻⁷"), (-0.5, "−0.5000"),
                            (12345.678, "12,346"), (float("nan"), "unknown"), (0.0, "0"), (99999.9, "100,000")):
            self.assertEqual(text, pages.number(value))
        self.assertEqual(("0.05", "0.99", "3"), (pages.given(0.05), pages.given(0.99), pages.given(3.0)))
        self.assertEqual(("27.3 MB", "1 kB", "999 bytes", "826 GB"), tuple(pages.size(count) for count in (27289215, 1000, 999, 8.257e11)))
        self.assertEqual(("10⁻⁶", "1,000", "−0.5"), (tick_text(1e-6), tick_text(1000.0), tick_text(-0.5)))

    def test_ticks_lie_on_the_axis(self):
        for values, logarithmic in (((0, 1), False), ((-3, 250), False), ((5, 5), False), ((1e-8, 10), True), ((2, 3), True), ((0.04, 0.3), True)):
            axis = Axis(values, 0, 100, logarithmic)
            places = [axis.place(tick) for tick in axis.ticks()]
            self.assertTrue(2 <= len(places) <= 10, (values, places))
            self.assertTrue(all(-1e-9 <= place <= 100 + 1e-9 for place in places))


class BadFiles(ReportTest):
    def refused(self, code, words, *arguments):
        before = sorted(os.listdir(self.folder))
        done = self.run_program(*arguments)
        self.assertEqual(code, done.returncode, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(1, len(done.stderr.splitlines()), done.stderr)
        self.assertEqual(before, sorted(os.listdir(self.folder)))

    def test_usage_and_output(self):
        good = EARLIER + "nystrom.h5"
        self.refused(2, "must end in .html", good, "-o", self.path("r.png"))
        self.refused(5, "cannot be written: No such file or directory", good, "-o", self.path("no/r.html"))
        self.refused(3, "No such file", self.path("none.h5"))
        self.refused(2, "--positions is for results", EARLIER + "krr.h5", "--positions", good, "-o", self.path("r.html"))
        with open(self.path("other.html"), "w", encoding="utf-8") as file:
            file.write("mine, and no page")
        self.refused(2, "is not replaced", good, "-o", self.path("other.html"))
        os.mkdir(self.path("d.html"))
        self.refused(5, "cannot be written", good, "-o", self.path("d.html"))

    def test_a_page_is_replaced(self):
        path = self.copy("nystrom.h5")
        for _ in range(2):
            done = self.run_program(path)
            self.assertEqual((0, self.path("nystrom.html") + "\n"), (done.returncode, done.stdout), done.stderr)
        self.assertEqual(["nystrom.h5", "nystrom.html"], sorted(os.listdir(self.folder)))

    def test_files_without_a_page(self):
        out = self.path("r.html")
        for name in ("fields.h5", "points.h5", "clusters.h5", "mesh-operator.h5"):
            self.refused(3, "is no result, coordinates or model", EARLIER + name, "-o", out)
        self.refused(3, "is no HDF5 file", __file__, "-o", out)
        path = self.copy("nystrom.h5")
        with h5py.File(path, "a") as file:
            file.attrs["format_version"] = 99
        self.refused(3, "newer version", path, "-o", out)

    def test_damaged_files(self):
        out = self.path("r.html")
        path = self.copy("nystrom.h5")
        with open(path, "r+b") as file:
            file.truncate(9000)
        self.refused(3, "cannot be read as HDF5", path, "-o", out)
        path = self.copy("nystrom.h5")
        with h5py.File(path, "a") as file:
            del file["joining"]
        self.refused(3, "is not a whole file of cairn", path, "-o", out)
        path = self.copy("sicur.h5")
        with h5py.File(path, "a") as file:
            rows = file["left"][:]
            file["left"].attrs["crc32_rows"] = 50
            file["crc32/left"] = numpy.array([zlib.crc32(rows[:50].tobytes()), zlib.crc32(rows[50:].tobytes())], numpy.uint32)
        self.assertIn("sicur", report(path))
        with h5py.File(path, "a") as file:
            file["left"][77, 3] += 1
        self.refused(3, "/left does not agree with its checksum", path, "-o", out)

    def test_positions_that_do_not_fit(self):
        numpy.save(self.path("p.npy"), numpy.zeros((3, 2)))
        with open(self.path("p.csv"), "w", encoding="utf-8") as file:
            file.write("1,2\n1,2,3\n")
        with open(self.path("q.csv"), "w", encoding="utf-8") as file:
            file.write("x,y\n")
        for name, words in (("p.npy", "needs 90 rows"), ("p.csv", "cannot be read as positions"), ("q.csv", "needs 90 rows")):
            self.refused(3, words, EARLIER + "nystrom.h5", "--positions", self.path(name), "-o", self.path("r.html"))
        self.refused(3, "is of other objects", EARLIER + "nystrom.h5", "--positions", EARLIER + "scaling.h5", "-o", self.path("r.html"))

    def test_the_function_raises_problems(self):
        with self.assertRaises(Problem) as raised:
            write_report(EARLIER + "nystrom.h5", self.path("r.txt"))
        self.assertEqual(2, raised.exception.code)


if __name__ == "__main__":
    unittest.main(verbosity=2)
