"""Fields on vertices as CSV, HDF5 and XDMF, against what NumPy makes of the result file and of the graph itself; and
requests that cannot be met.

Exits with 77 (skipped) where h5py is missing; without meshio nothing but it reads the XDMF files a second time."""

import csv
import math
import os
import sys
import unittest
import xml.etree.ElementTree as xml

from cairn_program import CairnTest, csv_text, points
from graph_test import edge_text, grid_edges, path_lengths

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-h5py)")
    sys.exit(77)
try:
    import meshio
except ImportError:
    meshio = None

SIDE = 12
N = SIDE * SIDE
RANKS = (0, 2, 3, 4)  # 0: one rank without mpirun
CELLS = {"Triangle": 3, "Polyline": 2, "Polyvertex": 1}


def position(vertex):
    """Of a grid's vertex, unlike any other's in both coordinates."""
    return vertex % SIDE + 0.01 * (vertex // SIDE), vertex // SIDE - 0.02 * (vertex % SIDE)


def factors(path):
    """P and W of a result as dense matrices, and the landmarks."""
    with h5py.File(path) as file:
        left = file["left"]
        p = numpy.zeros(left.attrs["shape"])
        starts, columns, values = left["indptr"][:], left["indices"][:], left["data"][:]
        for i in range(len(p)):
            p[i, columns[starts[i]:starts[i + 1]]] = values[starts[i]:starts[i + 1]]
        lower = numpy.tril(file["joining"][:]).astype(float)
        return p, lower + numpy.tril(lower, -1).T, file["landmarks/indices"][:]


class FieldsTest(CairnTest):
    def fields(self, name):
        """The fields of an HDF5 file by name, in their order."""
        with h5py.File(self.path(name)) as file:
            self.assertEqual(("cairn-fields", 1), (file.attrs["format"], file.attrs["format_version"]))
            return {field: file["fields/" + field][:] for field in file.attrs["names"].split()}

    def check_xdmf(self, name):
        """Every reference of the text names a data set of the stated shape and number type; meshio agrees. @return the
        kind of the cells, positions, cells"""
        root = xml.parse(self.path(name)).getroot()
        self.assertEqual(("Xdmf", "3.0"), (root.tag, root.get("Version")))
        found = {}
        for item in root.iter("DataItem"):
            file, dataset = item.text.split(":/")
            with h5py.File(self.path(file)) as hdf5:
                table = hdf5[dataset]
                self.assertEqual(tuple(map(int, item.get("Dimensions").split())), table.shape)
                self.assertEqual({"Float": "f", "Int": "i"}[item.get("NumberType")], table.dtype.kind)
                self.assertEqual(int(item.get("Precision")), table.dtype.itemsize)
                found[dataset] = table[:]
        topology = root.find(".//Topology")
        kind = topology.get("TopologyType")
        cells = found[topology.find("DataItem").text.split(":/")[1]]
        self.assertEqual((int(topology.get("NumberOfElements")), CELLS[kind]), cells.shape)
        attributes = {a.get("Name"): found[a.find("DataItem").text.split(":/")[1]] for a in root.iter("Attribute")}
        self.assertIn("landmark", attributes)
        if meshio is None:
            print("meshio is missing (Debian: python3-meshio): the file is not read a second time")
        else:
            seen = meshio.read(self.path(name))
            numpy.testing.assert_array_equal(found["geometry/positions"], seen.points)
            numpy.testing.assert_array_equal(cells, seen.cells[0].data)
            self.assertEqual(set(attributes), set(seen.point_data))
            for field, values in attributes.items():
                numpy.testing.assert_array_equal(values, seen.point_data[field])
        return kind, found["geometry/positions"], cells


class GridTest(FieldsTest):
    def setUp(self):
        super().setUp()
        self.edges = grid_edges(SIDE)
        self.write("grid.txt", edge_text(self.edges))
        self.write("xy.csv", "".join("{!r},{!r}\n".format(*position(v)) for v in range(N)))
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "grid.txt", "--data.format", "edges",
                   "--landmarks.count", 20, "--approximation.p-row", 8, "--output.path", "r.h5", ranks=2)

    def shape(self, name):
        kind, positions, cells = self.check_xdmf(name)
        self.assertEqual("Polyline", kind)
        numpy.testing.assert_array_equal([(*position(v), 0) for v in range(N)], positions)
        self.assertEqual(sorted(self.edges), sorted(map(tuple, cells)))


class GridFields(GridTest):
    def test_a_column_of_p_and_its_landmark(self):
        p, _, landmarks = factors(self.path("r.h5"))
        self.assertGreater(numpy.count_nonzero(p[:, 7] == 0), N // 4)
        for ranks in RANKS:
            self.cairn("query", "r.h5", "--left-column", 7, "--out", "c.xdmf", "--positions", "xy.csv", ranks=ranks)
            self.shape("c.xdmf")
            numpy.testing.assert_array_equal(p[:, 7], self.fields("c.h5")["weight"])
            with h5py.File(self.path("c.h5")) as file:
                self.assertEqual(landmarks[7], file["fields/weight"].attrs["vertex"])
                self.assertEqual(("diverging", ""), tuple(file["fields/weight"].attrs[a] for a in ("scale", "unit")))
                numpy.testing.assert_array_equal(landmarks, file["landmarks"][:])
                numbers = file["fields/landmark"][:]
            self.assertEqual(-1, numbers[numpy.setdiff1d(numpy.arange(N), landmarks)].max())
            numpy.testing.assert_array_equal(range(20), numbers[landmarks])
        printed = self.json("query", "r.h5", "--left-column", 7, ranks=3)["left_column"]
        self.assertEqual((7, landmarks[7]), (printed["left_column"], printed["landmark"]))
        numpy.testing.assert_array_equal(p[:, 7], printed["values"])

    def test_a_row_beside_the_exact_one_and_their_difference(self):
        p, w, _ = factors(self.path("r.h5"))
        approximate, exact = p @ w @ p[31], numpy.array(path_lengths(self.edges, 31, N))
        for ranks in RANKS:
            self.cairn("evaluate", "r.h5", "--row", 31, "--out", "e.xdmf", "--positions", "xy.csv", ranks=ranks)
            self.shape("e.xdmf")
            fields = self.fields("e.h5")
            self.assertEqual(["exact", "approximate", "difference"], list(fields))
            numpy.testing.assert_array_equal(exact, fields["exact"])
            numpy.testing.assert_allclose(fields["approximate"], approximate, rtol=0, atol=1e-12)
            numpy.testing.assert_array_equal(fields["approximate"] - fields["exact"], fields["difference"])
            self.cairn("query", "r.h5", "--row", 31, "--out", "q.h5", "--positions", "xy.csv", "--approximate", "true",
                       ranks=ranks)
            numpy.testing.assert_allclose(self.fields("q.h5")["value"], approximate, rtol=0, atol=1e-12)
            self.assertFalse(os.path.exists(self.path("q.xdmf")))
        info = self.json("info", "e.h5", ranks=2)
        self.assertEqual((N, 20, ["exact", "approximate", "difference"], [31, 31, 31]),
                         (info["n"], info["landmarks"], [field["name"] for field in info["fields"]],
                          [field["vertex"] for field in info["fields"]]))
        self.assertIn("fields of cairn on edges", self.cairn("info", "e.h5").out)
        with h5py.File(self.path("e.h5")) as file:
            self.assertEqual((31, "edges"), tuple(file["fields/exact"].attrs[a] for a in ("vertex", "unit")))

    def test_the_error_by_vertex(self):
        p, w, _ = factors(self.path("r.h5"))
        exact = numpy.array([path_lengths(self.edges, v, N) for v in range(N)])
        error = p @ w @ p.T - exact
        for ranks in RANKS:
            self.cairn("evaluate", "r.h5", "--evaluation.rows", "all", "--by-vertex", "v.xdmf", "--positions", "xy.csv",
                       ranks=ranks)
            self.shape("v.xdmf")
            fields = self.fields("v.h5")
            numpy.testing.assert_allclose(fields["error"], numpy.sqrt((error ** 2).mean(axis=0)), rtol=1e-9)
            numpy.testing.assert_allclose(fields["relative_error"],
                                          numpy.linalg.norm(error, axis=0) / numpy.linalg.norm(exact, axis=0), rtol=1e-9)
        report = self.json("evaluate", "r.h5", "--evaluation.rows", 30, "--by-vertex", "v.csv", ranks=2)
        with open(self.path("v.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([str(v) for v in range(N)], [row["vertex"] for row in rows])
        total = sum(float(row["error"]) ** 2 for row in rows)  # the mean over rows of ||K~_i - K_i||²
        squares = sum((float(row["error"]) / float(row["relative_error"])) ** 2 for row in rows)
        self.assertAlmostEqual(report["relative_squared_error"], total / squares, delta=1e-9)
        self.assertEqual("v.csv", report["by_vertex"])

    def test_the_error_by_vertex_has_the_unit_of_the_lengths(self):
        errors = {}
        for exponent in (0, 130, -130, 170):  # squares of the latter are no numbers
            lengths = "".join(f"{v} {(v + 1) % 40} {(1 + v % 7)}e{exponent}\n" for v in range(40))
            self.write("ring.edges", lengths)
            self.cairn("approximate", "--data.kind", "graph", "--data.path", "ring.edges", "--approximation.method", "nystrom",
                       "--landmarks.count", 6, "--evaluation.rows", 5, "--output.path", "ring.h5")
            self.cairn("evaluate", "ring.h5", "--evaluation.rows", "all", "--by-vertex", "ring.csv", ranks=2)
            with open(self.path("ring.csv"), newline="", encoding="utf-8") as file:
                errors[exponent] = numpy.array([float(row["error"]) for row in csv.DictReader(file)]) / 10.0 ** exponent
        self.assertGreater(errors[0].max(), 0.01)
        for exponent in (130, -130, 170):
            numpy.testing.assert_allclose(errors[exponent], errors[0], rtol=1e-6, atol=1e-9, err_msg=str(exponent))  # landmarks have 0

    def test_numbers_alone_need_no_data(self):
        os.remove(self.path("grid.txt"))
        p, _, _ = factors(self.path("r.h5"))
        self.cairn("query", "r.h5", "--left-column", 0, "--out", "c.csv", ranks=3)
        with open(self.path("c.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        numpy.testing.assert_array_equal(p[:, 0], [float(row["weight"]) for row in rows])
        self.refused(3, "grid.txt", "query", "r.h5", "--row", 0, "--out", "c.h5", "--positions", "xy.csv")


class PositionsTest(GridTest):
    def drawn(self, positions, ranks=3):
        self.cairn("query", "r.h5", "--row", 0, "--by-number", "false", "--out", "q.xdmf", "--positions", positions, ranks=ranks)
        return self.check_xdmf("q.xdmf")[1]

    def test_lines_with_numbers_come_in_any_order(self):
        order = sorted(range(N), key=lambda v: v * 89 % N)
        self.write("ids.csv", "Node_ID,x,y\n" + "".join("{},{!r},{!r}\n".format(v, *position(v)) for v in order))
        for ranks in (0, 3):
            numpy.testing.assert_array_equal([(*position(v), 0) for v in range(N)], self.drawn("ids.csv", ranks))

    def test_vertices_that_were_left_out_are_passed_over(self):
        self.write("two.txt", edge_text([(0, 1)] + [(u + 2, v + 2) for u, v in self.edges]))
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "two.txt", "--data.largest-component", "true",
                   "--landmarks.count", 20, "--output.path", "r.h5")
        self.write("ids.csv", "id,x,y\n0,5,5\n1,6,6\n" +
                   "".join("{},{!r},{!r}\n".format(v + 2, *position(v)) for v in range(N)))
        for ranks in (0, 3):
            numpy.testing.assert_array_equal([(*position(v), 0) for v in range(N)], self.drawn("ids.csv", ranks))

    def test_an_embedding_gives_three_coordinates(self):
        coordinates = numpy.array(points(N, 5))
        with h5py.File(self.path("embedding.h5"), "w") as file:
            file["embedding"] = coordinates
        numpy.testing.assert_array_equal(coordinates[:, :3], self.drawn("embedding.h5"))

    def check(self, pattern, text):
        self.write("p.csv", text)
        self.refused(3, pattern, "query", "r.h5", "--row", 0, "--out", "q.xdmf", "--positions", "p.csv")

    def test_positions_that_cannot_be(self):
        lines = ["{},{},{}\n".format(v, *position(v)) for v in range(N)]
        bare = [line.split(",", 1)[1] for line in lines]
        self.check("p.csv: has 143 rows for 144 vertices", "".join(bare[1:]))
        self.check(r"p\.csv:3: ", "".join(bare[:2] + ["1,x\n"] + bare[3:]))
        self.check(r"p\.csv:3: ", "".join(bare[:2] + ["1\n"] + bare[3:]))
        self.check("2 or 3 coordinates, here 1", "1\n" * N)
        self.check("2 or 3 coordinates, here 4", "1,2,3,4\n" * N)
        self.check("row 145: there is no vertex 144; the data have those from 0 to 143", "id,x,y\n" + "".join(lines) + "144,0,0\n")
        self.check("vertex 7 is a duplicate", "id,x,y\n" + "".join(lines[:-1]) + "7,0,0\n")
        self.check("has no position for vertex 142 and 1 others", "id,x,y\n" + "".join(lines[:-2]))
        self.check("row 1: the number of a vertex is 0.5", "id,x,y\n0.5,1,1\n")
        self.refused(3, "no.csv", "query", "r.h5", "--row", 0, "--out", "q.h5", "--positions", "no.csv")


class RefusedTest(GridTest):
    def test_requests_that_cannot_be_met(self):
        drawn = ["--out", "q.xdmf", "--positions", "xy.csv"]
        for pattern, *arguments in [
                ("left factor has the columns 0 to 19", "query", "r.h5", "--left-column", 20, *drawn),
                ("--row names object 144", "query", "r.h5", "--row", N, *drawn),
                ("--row names object 144", "evaluate", "r.h5", "--row", N, *drawn),
                ("vertices of a graph have no positions; .*--positions", "query", "r.h5", "--row", 0, "--out", "q.h5"),
                ("no positions", "evaluate", "r.h5", "--by-vertex", "q.xdmf"),
                ("must end in .csv", "query", "r.h5", "--row", 0, "--out", "q.txt"),
                ("must end in .csv", "evaluate", "r.h5", "--by-vertex", "q"),
                ("no folder no", "query", "r.h5", "--row", 0, "--out", "no/q.xdmf", "--positions", "xy.csv"),
                ("--out and --json name the same file, q.h5", "query", "r.h5", "--row", 0, "--out", "q.xdmf", "--positions", "xy.csv",
                 "--json", "q.h5"),
                ("r.h5 exists and holds no fields", "query", "r.h5", "--row", 0, "--out", "r.xdmf", "--positions", "xy.csv"),
                ("--by-vertex and the argument r.h5 name the same file", "evaluate", "r.h5", "--by-vertex", "r.h5",
                 "--positions", "xy.csv")]:
            self.refused(2, pattern, *arguments)

    def test_options_that_would_do_nothing(self):
        for pattern, *arguments in [
                ("--positions has no effect", "query", "r.h5", "--row", 0, "--out", "q.csv", "--positions", "xy.csv"),
                ("--positions has no effect", "evaluate", "r.h5", "--positions", "xy.csv"),
                ("--data.path has no effect", "query", "r.h5", "--row", 0, "--data.path", "grid.txt"),
                ("holds one of --row, --left-column, --nearest-to and --pairs", "query", "r.h5", "--row", 0, "--left-column", 1, "--out", "q.csv"),
                ("--out has no effect without", "query", "r.h5", "--entry", "0,1", "--out", "q.csv"),
                ("--by-vertex has no effect beside --row", "evaluate", "r.h5", "--row", 0, "--out", "q.csv", "--by-vertex",
                 "v.csv")]:
            self.refused(2, pattern, *arguments, ranks=[1])


class OtherShapes(FieldsTest):
    def test_triangles_of_a_mesh(self):
        self.cairn("approximate", "--data.kind", "mesh", "--data.generate", "sphere", "--data.points", 300,
                   "--landmarks.count", 40, "--output.path", "r.h5")
        for ranks in RANKS:
            self.cairn("evaluate", "r.h5", "--by-vertex", "v.xdmf", ranks=ranks)
            kind, positions, cells = self.check_xdmf("v.xdmf")
            self.assertEqual("Triangle", kind)
            numpy.testing.assert_allclose(numpy.linalg.norm(positions, axis=1), 1, rtol=1e-12)
            self.assertEqual(2 * len(positions) - 4, len(cells))  # Euler, of a closed surface of genus 0
            if ranks == 0:
                first = positions, cells, self.fields("v.h5")
            numpy.testing.assert_array_equal(first[0], positions)
            numpy.testing.assert_array_equal(first[1], cells)
            for name, values in self.fields("v.h5").items():
                numpy.testing.assert_allclose(values, first[2][name], rtol=1e-8)

    def test_points_in_the_plane_and_points_that_cannot_be_drawn(self):
        for dimension in (2, 5):
            self.write("p.csv", csv_text(points(60, dimension)))
            self.cairn("approximate", "--data.path", "p.csv", "--similarity.kind", "euclidean", "--landmarks.count", 10,
                       "--output.path", "r.h5")
            if dimension == 5:
                break
            self.cairn("query", "r.h5", "--row", 4, "--out", "q.xdmf", ranks=3)
            kind, positions, cells = self.check_xdmf("q.xdmf")
            self.assertEqual("Polyvertex", kind)
            numpy.testing.assert_allclose(positions, [(x, y, 0) for x, y in points(60, 2)], rtol=1e-15)
            self.assertEqual(list(range(60)), list(cells[:, 0]))
            self.assertAlmostEqual(math.dist(*points(60, 2)[4:6]), self.fields("q.h5")["value"][5], delta=0.2)
        self.refused(2, "points of 5 dimensions cannot be drawn", "query", "r.h5", "--row", 4, "--out", "x.h5")
        self.refused(2, "--by-vertex needs whole rows", "evaluate", "r.h5", "--by-vertex", "v.csv", ranks=[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
