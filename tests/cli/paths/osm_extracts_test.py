"""Extracts of OpenStreetMap as graphs: path lengths against Dijkstra's algorithm in Python, tags, damage."""

import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cairn_program import CairnTest  # noqa: E402
from osm_extract import block, dense_nodes, extract, field, header, in_parts, plain_nodes, starts_of, ways  # noqa: E402
from path_queries_test import dijkstra  # noqa: E402

try:
    import h5py
    import numpy
except ImportError:
    print("skipped: needs NumPy and h5py")
    sys.exit(77)

RANKS = (0, 2, 3, 4)
STREET = {"highway": "residential"}
HIGHWAYS = ("motorway", "motorway_link", "trunk", "trunk_link", "primary", "primary_link", "secondary", "secondary_link", "tertiary",
            "tertiary_link", "unclassified", "road", "residential", "living_street", "service")


def meters(a, b):
    """Haversine formula; places are (longitude, latitude)."""
    (x, y), (u, v) = (map(math.radians, place) for place in (a, b))
    h = math.sin((v - y) / 2) ** 2 + math.cos(y) * math.cos(v) * math.sin((u - x) / 2) ** 2
    return 2 * 6371008.8 * math.asin(math.sqrt(h))


def half_up(value):
    return max(1, math.floor(value + 0.5))


class OsmTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.write("none.osm.pbf", extract([(1, 0, 0), (2, 0, 1)], [(1, [1, 2], STREET)]))
        self.write("s.txt", "1\n")
        outcome = self.cairn("distances", "none.osm.pbf", "--sources", "s.txt", "--out", "none.npy", expect=(0, 3))
        if "built without libosmium" in outcome.err:
            self.skipTest("built without libosmium")
        for name in ("none.osm.pbf", "none.npy", "s.txt"):
            os.remove(self.path(name))

    def table(self, name, sources, *options, ranks=0):
        """(numbers of all vertices, lengths from the sources to them, report)"""
        self.write("s.txt", "".join(f"{s}\n" for s in sources))
        report = self.json("distances", name, "--sources", "s.txt", "--out", "t.h5", *options, ranks=ranks)
        with h5py.File(self.path("t.h5")) as file:
            return list(file["targets"][:]), file["distances"][:], report

    def edges(self, nodes, all_ways, *options, ranks=0):
        """The lengths of edges between neighbors in a small graph, by ids."""
        self.write("g.osm.pbf", extract(nodes, all_ways))
        first = all_ways[0][1][0]
        numbers, _, _ = self.table("g.osm.pbf", [first], *options, ranks=ranks)
        _, lengths, _ = self.table("g.osm.pbf", numbers, *options, ranks=ranks)
        return {(u, v): int(lengths[i, j]) for i, u in enumerate(numbers) for j, v in enumerate(numbers) if u < v}


def town(rng, count=400, streets=150):
    """Places with ids that ascend in jumps, and ways over them in no order, many of which meet."""
    ids, number = [], 10**9
    for _ in range(count):
        number += rng.randint(1, 10**6)
        ids.append(number)
    nodes = [(one, 9.5 + rng.uniform(-0.1, 0.1), 47.1 + rng.uniform(-0.1, 0.1)) for one in ids]
    all_ways = [(k + 1, rng.sample(ids[:300], rng.randint(2, 9)), STREET) for k in range(streets)]
    all_ways += [(k + 1000, rng.sample(ids, 5), {"highway": "footway"}) for k in range(40)]
    joined = [way[1][0] for way in all_ways[:streets]]  # in one piece
    return nodes, all_ways + [(5000, joined, STREET)]


class Networks(OsmTest):
    def test_path_lengths_are_those_of_all_nodes(self):
        seed = 7
        rng = random.Random(seed)
        nodes, all_ways = town(rng)
        places = {one: (round(lon, 7), round(lat, 7)) for one, lon, lat in nodes}
        roads = [way[1] for way in all_ways if way[2] == STREET]
        used = sorted({one for road in roads for one in road})
        row = {one: k for k, one in enumerate(used)}
        pieces = [(row[u], row[v], half_up(10 * meters(places[u], places[v]))) for road in roads for u, v in zip(road, road[1:]) if u != v]
        chosen = rng.sample(used, 5)
        truth = numpy.array([dijkstra(pieces, row[s], len(used)) for s in chosen])
        self.write("g.osm.pbf", extract(nodes, all_ways, size=23))
        shuffled = [dense_nodes(part, compressed=k % 2 == 0) for k, part in enumerate(in_parts(rng.sample(nodes, len(nodes)), 31))]
        shuffled += [ways(part) for part in in_parts(all_ways, 17)] + [plain_nodes([(1, 0, 0)])]
        self.write("mixed.osm.pbf", header() + b"".join(rng.sample(shuffled, len(shuffled))))
        for ranks in RANKS:
            for name in ("g.osm.pbf", "mixed.osm.pbf"):
                numbers, lengths, _ = self.table(name, chosen, "--data.contract", "false", ranks=ranks)
                self.assertEqual(used, numbers, f"seed {seed}")
                numpy.testing.assert_array_equal(truth, lengths, f"seed {seed}")

    def test_contracted_nodes_are_those_inside_of_one_way(self):
        seed = 8
        rng = random.Random(seed)
        nodes, all_ways = town(rng, count=900, streets=60)
        places = {one: (round(lon, 7), round(lat, 7)) for one, lon, lat in nodes}
        roads = [way[1] for way in all_ways if way[2] == STREET]
        count = {}
        for road in roads:
            for k, one in enumerate(road):
                count[one] = count.get(one, 0) + (2 if k in (0, len(road) - 1) else 1)
        vertices = sorted(one for one, uses in count.items() if uses > 1)
        row = {one: k for k, one in enumerate(vertices)}
        edges, before = [], None
        for road in roads:
            at, length = road[0], 0.0
            for u, v in zip(road, road[1:]):
                length += meters(places[u], places[v])
                if v in row:
                    edges.append((row[at], row[v], half_up(10 * length)))
                    at, length = v, 0.0
        chosen = rng.sample(vertices, 5)
        truth = numpy.array([dijkstra(edges, row[s], len(vertices)) for s in chosen])
        self.write("g.osm.pbf", extract(nodes, all_ways, size=11))
        for ranks in RANKS:
            numbers, lengths, _ = self.table("g.osm.pbf", chosen, ranks=ranks)
            self.assertEqual(vertices, numbers, f"seed {seed}")
            numpy.testing.assert_array_equal(truth, lengths, f"seed {seed}")
            before = before if before is not None else lengths
        outcome = self.cairn("distances", "g.osm.pbf", "--sources", "s.txt", "--out", "t.npy", ranks=3)
        self.assertIn(f"{len(count) - len(vertices)} nodes that only give roads their shape are no vertices (data.contract = false", outcome.out)

    def test_times_take_maxspeed_or_the_kind_of_road(self):
        nodes = [(k, 9 + k / 100, 47) for k in range(1, 8)]
        a_piece = meters((9.01, 47), (9.02, 47))
        speeds = [("residential", None, 30), ("primary", "50", 50), ("primary", "30 mph", 30 * 1.609344), ("tertiary", "none", 50),
                  ("living_street", "walk", 7), ("motorway", "80 km/h", 80)]
        all_ways = [(k + 1, [k + 1, k + 2], {"highway": kind, **({"maxspeed": limit} if limit else {})})
                    for k, (kind, limit, _) in enumerate(speeds)]
        found = self.edges(nodes, all_ways, "--data.measure", "time", ranks=2)
        for k, (_, _, speed) in enumerate(speeds):
            self.assertAlmostEqual(36 * a_piece / speed, found[k + 1, k + 2], delta=0.6)
        outcome = self.cairn("distances", "g.osm.pbf", "--sources", "s.txt", "--out", "t.npy", "--data.measure", "time")
        self.assertIn("lengths are tenths of a second; 66.7 % of the road length has its own maxspeed", outcome.out)
        self.assertEqual({1}, set(self.edges(nodes[:2], all_ways[:1], "--data.weighted", "false").values()))

    def test_which_ways_are_roads(self):
        nodes = [(1, 9, 47), (2, 9.001, 47), (3, 9.002, 47)]
        base = (1, [1, 2], STREET)
        for tags, is_road in ([({"highway": kind}, True) for kind in HIGHWAYS] +
                              [({"highway": kind}, False) for kind in ("track", "path", "cycleway", "construction", "pedestrian", "")] +
                              [({"railway": "rail"}, False), ({**STREET, "area": "yes"}, False), ({**STREET, "access": "private"}, False),
                               ({**STREET, "access": "no", "motor_vehicle": "yes"}, True), ({**STREET, "motorcar": "no", "access": "yes"}, False),
                               ({**STREET, "vehicle": "destination"}, True), ({**STREET, "bicycle": "no"}, True)]):
            with self.subTest(tags=tags):
                self.assertEqual(is_road, (2, 3) in self.edges(nodes, [base, (2, [2, 3], tags)]))

    def test_one_way_streets_count_both_ways_and_that_is_said(self):
        nodes = [(k, 9 + k / 1000, 47) for k in range(1, 9)]
        tags = [{**STREET, "oneway": value} for value in ("yes", "true", "1", "-1", "no", "reversible")]
        tags += [{"highway": "primary", "junction": "roundabout"}]
        self.write("g.osm.pbf", extract(nodes, [(k + 1, [k + 1, k + 2], one) for k, one in enumerate(tags)]))
        self.write("s.txt", "8\n")
        for ranks in (1, 3):
            outcome = self.cairn("distances", "g.osm.pbf", "--sources", "s.txt", "--out", "t.npy", ranks=ranks)
            self.assertIn("5 of 7 edges are in the file in one direction only; the graph is undirected, and all count both ways", outcome.out)
            self.assertNotIn("more than once", outcome.out)
            self.assertTrue((numpy.load(self.path("t.npy")) < 65535).all())
        self.write("g.osm.pbf", extract(nodes, [(1, [1, 2, 3], STREET), (2, [3, 2, 1], STREET), (3, [1, 1, 2], STREET)]))
        self.write("s.txt", "1\n")
        outcome = self.cairn("distances", "g.osm.pbf", "--sources", "s.txt", "--out", "t.npy", ranks=2)
        self.assertIn("3 edges that came more than once", outcome.out)

    def test_ways_are_cut_where_the_file_ends(self):
        nodes = [(k, 9 + k / 1000, 47) for k in range(1, 8) if k != 4]
        for ranks in (1, 4):
            found = self.edges(nodes, [(1, [1, 2, 3, 4, 5, 6], STREET), (2, [4, 7], STREET)], ranks=ranks)
            self.assertEqual({(1, 3), (1, 5), (1, 6), (3, 5), (3, 6), (5, 6)}, set(found))
            self.assertEqual(65535, found[1, 5])
        outcome = self.cairn("distances", "g.osm.pbf", "--sources", "s.txt", "--out", "t.npy")
        self.assertIn("1 nodes of roads are not in the file", outcome.out)

    def test_rings_and_equal_places(self):
        nodes = [(1, 9, 47), (2, 9.001, 47), (3, 9.001, 47.001), (4, 9.001, 47.001)]
        found = self.edges(nodes, [(1, [1, 2, 3, 1], STREET), (2, [3, 4], STREET)], ranks=2)
        self.assertEqual({(1, 3), (1, 4), (3, 4)}, set(found))
        self.assertEqual(1, found[3, 4])

    def test_other_commands_take_it(self):
        nodes, all_ways = town(random.Random(3))
        self.write("g.osm.pbf", extract(nodes, all_ways))
        for ranks in (1, 2):
            report = self.json("approximate", "--data.kind", "graph", "--data.path", "g.osm.pbf", "--similarity.kind", "path-length",
                               "--landmarks.count", 30, "--evaluation.rows", 3, "--output.path", "r.h5", ranks=ranks)
            self.assertTrue(any("are roads for cars, lengths are decimeters" in note for note in report["notes"]))
        self.cairn("convert", "g.osm.pbf", "g.h5", "--data.kind", "graph")


class Refusals(OsmTest):
    def refuse(self, data, pattern, *options, code=3, ranks=(1, 3)):
        self.write("bad.osm.pbf", data)
        self.write("s.txt", "1\n")
        self.refused(code, pattern, "distances", "bad.osm.pbf", "--sources", "s.txt", "--out", "t.npy", *options, ranks=ranks)

    def test_cut_files_say_so(self):
        nodes, all_ways = town(random.Random(5))
        whole = extract(nodes, all_ways, size=50)
        starts = starts_of(whole)
        self.assertEqual(len(whole), starts[-1])
        self.assertGreater(len(starts), 6)
        for size in (3, 5, starts[1] - 1):
            self.refuse(whole[:size], r"^bad\.osm\.pbf: is (no extract of OpenStreetMap in PBF|cut short)", ranks=(1, 2))
        for size in (starts[1] + 2, starts[2] + 9, starts[-2] + 30, len(whole) - 1):
            self.refuse(whole[:size], r"^bad\.osm\.pbf: is cut short: the block at byte \d+ ends at \d+ or later, the file at \d+$")
        self.refuse(whole[:starts[1]], r"^bad\.osm\.pbf: has no roads for cars")
        self.refuse(b"", "bad.osm.pbf")
        self.refuse(b"1 2\n2 3\n" * 50, "is no extract of OpenStreetMap in PBF: it does not begin with a block OSMHeader")

    def test_damaged_bytes_are_found(self):
        seed = 9
        rng = random.Random(seed)
        nodes, all_ways = town(rng)
        whole = extract(nodes, all_ways, size=60)
        self.write("s.txt", f"{all_ways[0][1][0]}\n")
        codes = set()
        for trial in range(60):
            damaged = bytearray(whole)
            damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
            self.write("bad.osm.pbf", bytes(damaged))
            outcome = self.cairn("distances", "bad.osm.pbf", "--sources", "s.txt", "--out", "t.npy", ranks=1 + trial % 4, expect=(0, 3))
            codes.add(outcome.code)
            if outcome.code == 3:
                self.assertTrue(outcome.message().startswith("bad.osm.pbf: "), f"seed {seed}, trial {trial}: {outcome.message()}")
        self.assertIn(3, codes)

    def test_what_is_no_road_network(self):
        nodes = [(1, 9, 47), (2, 9.001, 47)]
        self.refuse(extract(nodes, [(1, [1, 2], {"highway": "path"})]), "has no roads for cars: no way has highway = motorway, ...")
        self.refuse(extract(nodes, [(1, [1, 1], STREET)]), "no road for cars has two nodes whose places are in the file")
        self.refuse(extract(nodes, [(1, [7, 8], STREET)]), "no road for cars has two nodes whose places are in the file")
        self.refuse(extract([(-1, 9, 47), *nodes], [(1, [-1, 2], STREET)]), "node -1 has a negative id")
        self.refuse(extract([*nodes, (2, 9.5, 47)], [(1, [1, 2], STREET)], size=2), "node 2 is there twice, at different places")
        self.refuse(header(("OsmSchema-V0.6", "HistoricalInformation")) + extract(nodes, [(1, [1, 2], STREET)])[len(header()):],
                    "holds the history of its objects")
        self.refuse(header(("OsmSchema-V0.6", "Colors")) + dense_nodes(nodes), "damaged: .*Colors")
        self.refuse(header() + dense_nodes(nodes) + block("OSMData", field(1, b"\x00" * 40)), "^bad.osm.pbf: .* are damaged: ")
        for kind in ("", "OSM", "OSMHeader"):
            self.refuse(header() + dense_nodes(nodes) + block(kind, field(1, b"\x00" * 40)), r"^bad.osm.pbf: is damaged: there is no block at byte \d+$")

    def test_options_of_other_formats(self):
        data = extract([(1, 9, 47), (2, 9.001, 47)], [(1, [1, 2], STREET)])
        self.refuse(data, "data.columns has no effect unless data.format is edges", "--data.columns", "a,b", code=2)
        self.write("g.txt", "1 2\n")
        for option, value in (("measure", "time"), ("contract", "true")):
            self.refused(2, f"data.{option} has no effect unless data.format is osm.pbf", "distances", "g.txt", "--sources", "s.txt", "--out",
                         "t.npy", f"--data.{option}", value)


if __name__ == "__main__":
    unittest.main(verbosity=2)
