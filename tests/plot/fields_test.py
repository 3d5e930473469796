"""Pictures of fields: what is drawn, where and in which colors, and files that cannot be drawn.

fields_test.py PROGRAM; exits with 77 (skipped) where the optional modules are missing."""

import os
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import matplotlib
    import numpy
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-matplotlib, python3-h5py)")
    sys.exit(77)

PROGRAM = sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(PROGRAM))
from cairn_plot import fields, maps, surfaces  # noqa: E402  (beside the program)
from cairn_plot.problem import Problem  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

# A cube of side 2 about 0 but thinner along x, two triangles a side, outward.
CORNERS = numpy.array([(x, y, z) for x in (-0.5, 0.5) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CUBE = numpy.array([t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))])
# A path 0 - 1 - 2 - 3 along x.
PATH = numpy.array([(0, 1), (1, 2), (2, 3)])
LINE = numpy.array([(v, 0.1 * v, 0.0) for v in range(4)])


class FieldsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(pyplot.close, "all")

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, positions, cells, values, scale="diverging", vertex=-1, landmarks=(), name="f.h5", unit=""):
        kind = {1: "points", 2: "edges", 3: "triangles"}[cells.shape[1]]
        with h5py.File(self.path(name), "w") as file:
            file.attrs.update({"format": "cairn-fields", "format_version": 1, "cells": kind, "names": " ".join(values)})
            file["geometry/positions"], file["geometry/" + kind] = positions, cells
            file["landmarks"] = numpy.array(landmarks, dtype=int)
            for field, numbers in values.items():
                file["fields/" + field] = numpy.array(numbers, dtype=float)
                file["fields/" + field].attrs.update({"title": "title of " + field, "unit": unit, "scale": scale,
                                                      "vertex": vertex})
        return self.path(name)

    def plot(self, *arguments):
        return subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True, check=False)


class Colors(FieldsTest):
    def norm(self, *values, scale, unit=""):
        made = [fields.Field(f"f{k}", "", unit, scale, -1, numpy.array(v, dtype=float)) for k, v in enumerate(values)]
        return fields.norm_and_map(made, made[0])

    def test_differences_are_symmetric_about_zero(self):
        norm, colors, extend = self.norm([-1.0, 0.5, 3.0], scale="diverging")
        self.assertAlmostEqual(-norm.vmin, norm.vmax)
        self.assertAlmostEqual(3.0, norm.vmax, delta=0.01)
        self.assertEqual("both", extend)
        middle = matplotlib.colormaps[colors](norm(0.0))
        self.assertLess(max(middle[:3]) - min(middle[:3]), 0.02)  # neither red nor blue
        self.assertGreater(matplotlib.colormaps[colors](norm(3.0))[0], matplotlib.colormaps[colors](norm(3.0))[2])

    def test_errors_are_logarithmic_and_may_be_zero(self):
        norm, _, _ = self.norm([0.01, 0.1, 1.0], scale="logarithmic")
        self.assertAlmostEqual(0.5, float(norm(0.1)), delta=0.02)
        norm, _, _ = self.norm([0.0, 0.0], scale="logarithmic")
        self.assertEqual(0.0, float(norm(0.0)))

    def test_exact_and_approximate_share_their_range(self):
        norm, _, _ = self.norm([1.0, 5.0], [0.0, 7.0], scale="sequential")
        self.assertEqual((0.0, 7.0), (norm.vmin, norm.vmax))


class Maps(FieldsTest):
    def test_edges_have_the_mean_of_their_ends_and_the_strongest_lie_on_top(self):
        path = self.file(LINE, PATH, {"weight": [1.0, 3.0, -1.0, 0.0]}, vertex=1, landmarks=[1, 3])
        figure = fields.plot_fields(pyplot, path, None, None)
        lines = figure.axes[0].collections[0]
        numpy.testing.assert_allclose(lines.get_array(), [-0.5, 1.0, 2.0])
        numpy.testing.assert_allclose([s[:, 0] for s in lines.get_segments()], [[2, 3], [1, 2], [0, 1]])
        dots, ring = figure.axes[0].lines
        numpy.testing.assert_allclose(dots.get_xydata(), LINE[[1, 3], :2])
        numpy.testing.assert_allclose(ring.get_xydata(), LINE[[1], :2])
        self.assertEqual("title of weight", figure.axes[0].get_title())
        self.assertEqual("weight", figure.axes[1].get_ylabel())

    def test_zoom_shows_what_lies_about_the_vertex(self):
        path = self.file(LINE, PATH, {"weight": [1.0, 3.0, -1.0, 0.0]}, vertex=1)
        axes = fields.plot_fields(pyplot, path, None, 3.0).axes[0]
        numpy.testing.assert_allclose(axes.get_xlim(), (0.5, 1.5))
        numpy.testing.assert_allclose(axes.get_ylim(), (-0.4, 0.6))
        path = self.file(LINE, PATH, {"error": [1.0, 3.0, 1.0, 0.0]})
        self.assertEqual(2, self.plot(path, "--zoom", "3").returncode)

    def test_the_color_bar_names_the_unit(self):
        path = self.file(LINE, PATH, {"exact": [0, 1, 2, 3], "approximate": [0, 1, 2, 4]}, scale="sequential", unit="edges")
        figure = fields.plot_fields(pyplot, path, ["approximate"], None)
        self.assertEqual("approximate (edges)", figure.axes[1].get_ylabel())
        figure = fields.plot_fields(pyplot, path, None, None)
        self.assertEqual(["title of exact", "title of approximate"], [a.get_title() for a in figure.axes[:2]])
        self.assertEqual([(0.0, 4.0)] * 2, [a.collections[0].get_clim() for a in figure.axes[:2]])


class Surfaces(FieldsTest):
    def test_one_looks_along_the_thinnest_direction_from_both_sides(self):
        (right, up, forward), (left, _, backward) = surfaces.views(CORNERS)
        numpy.testing.assert_array_equal(forward, (1, 0, 0))
        numpy.testing.assert_array_equal(backward, (-1, 0, 0))
        numpy.testing.assert_array_equal(up, (0, 0, 1))
        numpy.testing.assert_array_equal(right, -left)
        numpy.testing.assert_array_equal(numpy.cross(right, up), forward)

    def test_what_faces_away_is_not_drawn(self):
        for triangles in (CUBE, CUBE[:, ::-1]):  # outward, and inside out
            chosen, cosines = surfaces.facing_triangles(CORNERS, triangles, numpy.array([1.0, 0, 0]))
            self.assertEqual([2, 3], sorted(chosen))
            numpy.testing.assert_allclose(cosines, 1)

    def test_an_open_surface_is_drawn_from_behind_too_the_farthest_first(self):
        sheets = numpy.concatenate([CUBE[:2], CUBE[2:4]])  # at x = -0.5 and 0.5
        chosen, _ = surfaces.facing_triangles(CORNERS, sheets, numpy.array([1.0, 0, 0]))
        self.assertEqual([0, 1, 2, 3], list(chosen))
        chosen, _ = surfaces.facing_triangles(CORNERS, sheets, numpy.array([-1.0, 0, 0]))
        self.assertEqual([2, 3, 0, 1], list(chosen))

    def test_vertices_behind_are_hidden(self):
        plane, depth = CORNERS[:, 1:], CORNERS[:, 0]
        numpy.testing.assert_array_equal([False, True], surfaces.visible(plane, depth, numpy.array([0, 7])))

    def test_faces_are_colored_by_the_mean_of_their_corners_and_shaded(self):
        values = [-1.0] * 4 + [1.0] * 4
        figure = fields.plot_fields(pyplot, self.file(CORNERS, CUBE, {"weight": values}, landmarks=[7]), None, None)
        for axes, red in zip(figure.axes[:2], (True, False)):
            colors = axes.collections[0].get_facecolors()
            self.assertEqual((2, 4), colors.shape)
            self.assertTrue(((colors[:, 0] > colors[:, 2]) == red).all())
        self.assertEqual(1, len(figure.axes[0].lines))
        self.assertEqual(0, len(figure.axes[1].lines))  # the landmark is on the other side

    def test_a_picture_has_the_colors_of_its_field(self):
        path = self.file(CORNERS, CUBE, {"weight": [-1.0] * 4 + [1.0] * 4})
        done = self.plot(path, "-o", self.path("f.png"), "--dpi", "50")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        picture = matplotlib.image.imread(self.path("f.png"))
        width = picture.shape[1]
        views = picture[:, :int(0.4 * width)], picture[:, int(0.45 * width):int(0.8 * width)]
        for view, strong, weak in ((views[0], 0, 2), (views[1], 2, 0)):
            self.assertGreater((view[..., strong] > view[..., weak] + 0.2).mean(), 0.3)
            self.assertLess((view[..., weak] > view[..., strong] + 0.2).mean(), 0.01)


class BadFiles(FieldsTest):
    def refused(self, code, words, *arguments):
        done = self.plot(*arguments)
        self.assertEqual(code, done.returncode, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(1, len(done.stderr.splitlines()))
        self.assertEqual([], [name for name in os.listdir(self.folder) if not name.endswith((".h5", ".csv"))])

    def test_files_and_options_that_do_not_fit(self):
        good = self.file(LINE, PATH, {"weight": [1.0, 3.0, -1.0, 0.0]})
        self.refused(2, "no field height; there are weight", good, "--field", "height")
        self.refused(2, "drawn alone", good, good)
        self.refused(2, "--zoom is for maps", self.file(CORNERS, CUBE, {"f": range(8)}, name="c.h5"), "--zoom", "2")
        self.refused(3, "do not agree", self.file(LINE, PATH, {"f": [1.0, 2.0]}, name="short.h5"))
        self.refused(3, "not finite", self.file(LINE, PATH, {"f": [1.0, 2.0, numpy.nan, 0]}, name="nan.h5"))
        self.refused(3, "vertices outside 0 to 3", self.file(LINE, PATH + 1, {"f": range(4)}, name="out.h5"))
        with h5py.File(self.path("cut.h5"), "w") as file:
            file.attrs.update({"format": "cairn-fields", "format_version": 1})
        self.refused(3, "not a whole file", self.path("cut.h5"))
        with open(self.path("sweep.csv"), "w", encoding="utf-8") as file:
            file.write("method,n\n")
        self.refused(2, "do not go into one plot", good, self.path("sweep.csv"))
        self.refused(2, "for files of fields", self.path("sweep.csv"), "--field", "x")
        self.assertRaises(Problem, maps.show_part, None, LINE[:, :2], 3.0, fields.Field("f", "", "", "", -1, None), 2.0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
