"""Points in lists of cairn distances: their nearest vertices against a search of all."""

import csv
import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cairn_program import CairnTest  # noqa: E402
from osm_extract import extract  # noqa: E402
from osm_extracts_test import STREET, OsmTest, meters  # noqa: E402

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: needs NumPy and h5py")
    sys.exit(77)

RANKS = (0, 2, 3, 4)
CALIFORNIA = os.path.join(os.environ.get("CAIRN_DATA", ""), "roads", "california")


class Snapping(CairnTest):
    def ring(self, places, offset=0):
        """A graph that is one ring, vertex k at places[k], and its positions."""
        n = len(places)
        self.write("g.txt", "".join(f"{k + offset} {(k + 1) % n + offset}\n" for k in range(n)))
        self.write("p.csv", "id,longitude,latitude\n" + "".join(f"{k + offset},{x!r},{y!r}\n" for k, (x, y) in enumerate(places)))

    def distances(self, *options, ranks=0, out="t.h5"):
        return self.json("distances", "g.txt", "--sources", "a.csv", "--out", out, "--positions", "p.csv", *options, ranks=ranks)


class Degrees(Snapping):
    def test_points_anywhere_on_the_sphere(self):
        seed = 4
        rng = random.Random(seed)
        anywhere = lambda: (rng.uniform(-180, 180), math.degrees(math.asin(rng.uniform(-1, 1))))  # noqa: E731
        places = [anywhere() for _ in range(700)] + [(179.99, 10.0), (-179.9, -10.0), (12.0, 89.99), (-170.0, -89.99)]
        points = [anywhere() for _ in range(200)] + [(-179.999, 10.0), (179.95, -10.0), (-120.0, 90.0), (77.0, -90.0), places[5]]
        self.ring(places, offset=3)
        self.write("a.csv", "name,latitude,longitude\n" + "".join(f'"p, {k}",{y!r},{x!r}\n' for k, (x, y) in enumerate(points)))
        self.write("b.csv", "# lon lat\n\n" + "".join(f"{x!r} {y!r}\n" for x, y in points[:7]))
        truth = [min((meters(point, place), k) for k, place in enumerate(places)) for point in points]
        n = len(places)
        for ranks in RANKS:
            report = self.distances("--targets", "b.csv", "--snapped", "snapped.csv", "--run.threads", 1 + ranks % 2, ranks=ranks)
            found = report["snapped_sources"]
            self.assertEqual([k + 3 for _, k in truth], found["vertices"], f"seed {seed}")
            numpy.testing.assert_allclose([length for length, _ in truth], found["distances"], rtol=1e-9, atol=1e-6)
            self.assertEqual(("m", list(range(2, len(points) + 2))), (found["unit"], found["lines"]))
            self.assertEqual((found["vertices"][:7], list(range(3, 10))),
                             (report["snapped_targets"]["vertices"], report["snapped_targets"]["lines"]))
            with h5py.File(self.path("t.h5")) as file:
                self.assertEqual(found["vertices"], list(file["sources"]))
                self.assertEqual(found["distances"], list(file["source_snaps"]))
                self.assertEqual([list(point) for point in points], numpy.stack([file["source_longitudes"], file["source_latitudes"]], 1).tolist())
                self.assertEqual(found["distances"][:7], list(file["target_snaps"]))
                rows = [[min((a - b) % n, (b - a) % n) for _, b in truth[:7]] for _, a in truth]
                numpy.testing.assert_array_equal(rows, file["distances"][:])
            with open(self.path("snapped.csv"), newline="", encoding="utf-8") as file:
                lines = list(csv.DictReader(file))
            self.assertEqual(found["vertices"] + found["vertices"][:7], [int(line["vertex"]) for line in lines])
            self.assertEqual(found["distances"], [float(line["meters"]) for line in lines if line["list"] == "sources"])

    def test_of_equal_ones_the_first_is_taken(self):
        self.ring([(5, 5), (1, 1), (1, 1), (1, 1), (2, 2)] + [(1, 1)] * 90)
        self.write("a.csv", "1,1\n1.1,1.1\n2,2\n")
        for ranks in RANKS:
            self.assertEqual([1, 1, 4], self.distances(ranks=ranks, out="t.npy", *["--coordinates", "degrees"])["snapped_sources"]["vertices"])

    def test_a_limit_refuses_what_is_far(self):
        self.ring([(8, 47), (8.1, 47), (8.2, 47)])
        self.write("a.csv", "lon,lat\n8.0001,47\n8.15,47.3\n8.1,47\n9,47\n")
        table = ["distances", "g.txt", "--sources", "a.csv", "--out", "t.npy", "--positions", "p.csv"]
        self.refused(3, r"^a\.csv:3: the point 8\.15, 47\.3 is 335\d\d\.?\d* m from the nearest vertex, [12]: more than --snap-limit = 100 "
                        r"\(and so are those of 1 more lines\)$", *table, "--snap-limit", 100, ranks=RANKS)
        outcome = self.cairn(*table, "--snap-limit", 1e5, ranks=2)
        self.assertRegex(outcome.out, r"sources, snapped +4 points to 3 vertices, .* m apart on average and 6\.06\de\+04 m at most \(a\.csv:5, to 2\)")

    def test_dimacs_coordinates(self):
        self.ring([(-73.5, 41.1), (-73.6, 41.2), (-73.7, 41.3)], offset=1)
        self.write("g.gr", "p sp 3 3\na 1 2 5\na 2 3 5\na 3 1 5\n")
        self.write("p.co", "c places\np aux sp co 3\nv 3 -73700000 41300000\nv 1 -73500000 41100000\nv 2 -73600000 41200000\n")
        self.write("a.csv", "-73.61 41.21\n-73.7 41.3\n")
        table = ["distances", "g.gr", "--sources", "a.csv", "--out", "t.npy", "--positions"]
        for ranks in RANKS:
            report = self.json(*table, "p.co", ranks=ranks)
            self.assertEqual([2, 3], report["snapped_sources"]["vertices"])
            self.assertAlmostEqual(meters((-73.61, 41.21), (-73.6, 41.2)), report["snapped_sources"]["distances"][0], places=5)
        for text, pattern in (("v 1 0 0\nv 2 0\nv 3 0 0\n", "q.co:2: .*latitude"), ("v 1 0 0\nv 2 0 0\n", "q.co: has no position for vertex 3"),
                              ("v 1 0 0\nv 1 0 0\nv 3 0 0\nv 2 0 0\n", "q.co: vertex 1 is a duplicate"), ("v 9 0 0\n", "q.co:1: there is no vertex 9"),
                              ("v 1 -181000000 0\n", "q.co:1: longitude and latitude are in units of 1e-6"), ("1 0 0\n", "q.co:1: a line is `v")):
            self.write("q.co", text)
            self.refused(3, pattern, *table, "q.co", ranks=(1, 3))

    def test_california(self):
        if not os.path.exists(CALIFORNIA + ".cedge.xz"):
            self.skipTest("no data/roads/california")
        self.write("a.csv", "place;lat;lng\nSan Francisco;37.7749;-122.4194\nLos Angeles;34.0522;-118.2437\n")
        for ranks in (1, 3):
            report = self.json("distances", CALIFORNIA + ".cedge.xz", "--sources", "a.csv", "--targets", "a.csv", "--positions",
                               CALIFORNIA + ".cnode.csv.xz", "--snap-limit", 5000, "--out", "t.npy", ranks=ranks)
            self.assertLess(max(report["snapped_sources"]["distances"]), 2000)
            table = numpy.load(self.path("t.npy"))
            self.assertAlmostEqual(6.1, table[0, 1], delta=1)  # degrees


class Planar(Snapping):
    def test_plain_units(self):
        self.ring([(0, 0), (300, 400), (-1000, 7)])
        self.write("p.csv", "id,y,x,z\n0,0,0,0\n2,7,-1000,9\n1,400,300,9\n")
        self.write("a.csv", "x\ty\n297\t396\n-1000\t8\n")
        for ranks in (1, 2):
            report = self.distances("--snapped", "s.csv", ranks=ranks)
            self.assertEqual({"lines": [2, 3], "vertices": [1, 2], "distances": [5.0, 1.0], "unit": None}, report["snapped_sources"])
        with open(self.path("s.csv"), encoding="utf-8") as file:
            self.assertEqual("vertex,distance,list,line,x,y\n1,5,sources,2,297,396\n2,1,sources,3,-1000,8\n", file.read())

    def test_named_vertices_need_a_header(self):
        self.write("g.txt", "from,to,km\nZug,Bern,120\nBern,1 2,7\n")
        self.write("p.csv", "id,x,y\nBern,7.4,46.9\nZug,8.5,47.2\n1 2,0,0\n")
        self.write("a.csv", "x,y\n8.4,47\n7,47\n0,1\n")
        for ranks in RANKS:
            self.assertEqual(["Zug", "Bern", "1 2"], self.distances(ranks=ranks)["snapped_sources"]["vertices"])
            with h5py.File(self.path("t.h5")) as file:
                self.assertEqual([b"Zug", b"Bern", b"1 2"], list(file["source_names"]))
        self.write("a.csv", "1 2\nZug\n")
        self.cairn("distances", "g.txt", "--sources", "a.csv", "--out", "t.npy", ranks=2)
        self.assertEqual([[127, 7, 0], [0, 120, 127]], numpy.load(self.path("t.npy")).tolist())

    def test_a_result_takes_points(self):
        self.ring([(k % 7, k // 7) for k in range(49)])
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "g.txt", "--data.format", "edges", "--landmarks.count", 5, "--output.path", "r.h5")
        self.write("a.csv", "3.1 4.2\n0 0\n")
        report = self.json("distances", "r.h5", "--sources", "a.csv", "--out", "t.npy", "--positions", "p.csv", "--coordinates", "planar", ranks=2)
        self.assertEqual([31, 0], report["snapped_sources"]["vertices"])


class Refusals(Snapping):
    def setUp(self):
        super().setUp()
        self.ring([(8, 47), (8.1, 47), (8.2, 47)])
        self.table = ["distances", "g.txt", "--sources", "a.csv", "--out", "t.npy"]

    def test_bad_lists_of_points(self):
        for text, pattern in (("lon,lat\n8,47\n8.1\n", "a.csv:3: has 1 fields instead of 2"), ("lat,lon\n47,8\n95,8\n", r"a.csv:3: longitude 8 and latitude 95 are no degrees .*90\)$"),
                              ("8 47\n47 98\n", "a.csv:2: .* are no degrees .*; the longitude comes first, unless a header"), ("lon,lat\n8,x\n", "a.csv:2: 'x'"),
                              ("lon,lat\n8,nan\n", "a.csv:2: "), ("lon,lat\n", "a.csv: lists no point"), ('lon,lat\n8,"47\n', "a.csv:[12]: .*quote")):
            self.write("a.csv", text)
            self.refused(3, pattern, *self.table, "--positions", "p.csv", ranks=(1, 3))

    def test_options_that_do_not_go_together(self):
        self.write("a.csv", "8 47\n")
        self.refused(2, r"^a\.csv lists points: positions names a file with the coordinates|^a\.csv lists points: --positions names", *self.table)
        self.refused(3, "no.csv", *self.table, "--positions", "no.csv")
        self.write("a.csv", "lon,lat\n8,47\n")
        self.refused(3, "a.csv: its header names longitude and latitude, and the coordinates in p.csv are taken as planar", *self.table,
                     "--positions", "p.csv", "--coordinates", "planar")
        self.write("a.csv", "1\n")
        for option, value in (("--positions", "p.csv"), ("--snap-limit", "5"), ("--snapped", "x.csv"), ("--coordinates", "planar")):
            self.refused(2, f"{option} has no effect: no list has points", *self.table, option, value)
        self.write("a.csv", "8 47\n")
        self.refused(2, "same file", *self.table, "--positions", "p.csv", "--snapped", "t.npy")
        self.write("q.csv", "id,longitude,latitude\n0,8,47\n1,470,8\n2,8,47\n")
        self.refused(3, "longitude 470 and latitude 8: these are no degrees", *self.table, "--positions", "q.csv")


class OfExtracts(OsmTest):
    def test_points_need_no_positions_beside_an_extract(self):
        nodes = [(10**10 + k, 9.5 + 0.001 * k, 47.1) for k in range(50)]
        self.write("g.osm.pbf", extract(nodes, [(1, [one for one, _, _ in nodes], STREET)], size=9))
        self.write("a.csv", "address,lon,lat\nHome,9.5031,47.1\nWork,9.5402,47.1001\n")
        for ranks in RANKS:
            report = self.json("distances", "g.osm.pbf", "--data.contract", "false", "--sources", "a.csv", "--targets", "a.csv", "--scale", 10,
                               "--out", "t.npy", ranks=ranks)
            self.assertEqual([10**10 + 3, 10**10 + 40], report["snapped_sources"]["vertices"])
            self.assertAlmostEqual(meters((9.503, 47.1), (9.54, 47.1)), numpy.load(self.path("t.npy"))[0, 1], delta=3)
            ends = self.json("distances", "g.osm.pbf", "--sources", "a.csv", "--out", "t.npy", ranks=ranks)
            self.assertEqual([10**10, 10**10 + 49], ends["snapped_sources"]["vertices"])

    def test_fields_are_drawn_where_nodes_are(self):
        nodes = [(10**10 + k, 9.5 + 0.001 * k, 47.1) for k in range(50)]
        self.write("g.osm.pbf", extract(nodes, [(1, [one for one, _, _ in nodes], STREET)], size=9))
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "g.osm.pbf", "--data.contract", "false", "--similarity.kind", "path-length",
                   "--landmarks.count", 9, "--output.path", "r.h5", ranks=2)
        self.cairn("query", "r.h5", "--row", 0, "--out", "row.h5", "--positions", "g.osm.pbf", "--by-number", "false", ranks=3)
        with h5py.File(self.path("row.h5")) as file:
            numpy.testing.assert_allclose([[x, y, 0] for _, x, y in nodes], file["geometry/positions"][:], atol=1e-7)


if __name__ == "__main__":
    unittest.main(verbosity=2)
