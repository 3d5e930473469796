"""Meshes and points approximated by biharmonic interpolation, against distances that Python computes by itself; and
meshes that cannot be used."""

import csv
import math
import unittest

try:
    import h5py
except ImportError:
    h5py = None

from cairn_program import CairnTest, csv_text, points


class Spheres(CairnTest):
    data = ["--data.kind", "mesh", "--data.generate", "sphere", "--data.points", "700"]

    def approximate(self, *arguments, ranks=0, count=80):
        return self.json("approximate", *self.data, "--landmarks.count", count, "--output.path", "r.h5", *arguments,
                         ranks=ranks)

    def test_geodesics_of_a_sphere(self):
        for ranks in (1, 3):
            report = self.approximate(ranks=ranks)
            self.assertEqual(("geodesic", "cotangent", "biharmonic"),
                             (report["similarity"], report["operator"], report["method"]))
            self.assertLess(report["relative_squared_error"], 1e-3)
        row = self.json("query", "r.h5", "--row", 0)["row"]["values"]
        self.assertAlmostEqual(math.pi, max(row), delta=0.1 * math.pi)  # the farthest point of the unit sphere
        again = self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=2)
        self.assertLess(again["relative_squared_error"], 1e-3)

    def test_euclidean_distances_with_either_operator(self):
        for kind in ("cotangent", "neighbours"):
            report = self.approximate("--similarity.kind", "euclidean", "--approximation.operator", kind)
            self.assertEqual(kind, report["operator"])
            self.assertLess(report["relative_squared_error"], 1e-2)

    def test_options_that_do_not_go_with_a_mesh(self):
        base = ["approximate", *self.data, "--landmarks.count", "9", "--output.path", "r.h5"]
        for pattern, *arguments in [
                ("similarity.kind = path-length is incompatible with", "--similarity.kind", "path-length"),
                ("approximation.neighbours has no effect", "--approximation.neighbours", "5"),
                ("similarity.time-factor has no effect", "--similarity.kind", "rbf", "--similarity.time-factor", "2")]:
            self.refused(2, pattern, *base, *arguments, ranks=[1])


def sphere_text(rings, around, x, y):
    """A sphere of circles of latitude as OBJ, its vertices moved to x(p), y(p) and p[2]: thin triangles near the poles."""
    vertices = [(0, 0, 1)]
    for r in range(1, rings):
        for a in range(around):
            latitude, longitude = math.pi * r / rings, 2 * math.pi * (a + r % 2 / 2) / around
            vertices.append((math.sin(latitude) * math.cos(longitude), math.sin(latitude) * math.sin(longitude),
                             math.cos(latitude)))
    vertices.append((0, 0, -1))

    def number(r, a):
        return 2 + (r - 1) * around + a % around
    faces = []
    for a in range(around):
        faces += [(1, number(1, a), number(1, a + 1)), (len(vertices), number(rings - 1, a + 1), number(rings - 1, a))]
        for r in range(1, rings - 1):
            faces += [(number(r, a), number(r + 1, a), number(r + 1, a + 1)),
                      (number(r, a), number(r + 1, a + 1), number(r, a + 1))]
    moved = [(x(p), y(p), p[2]) for p in vertices]
    return moved, "".join(f"v {u!r} {v!r} {w!r}\n" for u, v, w in moved) + "".join(f"f {i} {j} {k}\n" for i, j, k in faces)


class StretchedSpheres(CairnTest):
    shapes = {"stretched": (lambda p: 10 * p[0], lambda p: p[1]),
              "sheared": (lambda p: 10 * p[0] + 10 * p[1], lambda p: p[1] + 2 * p[2]),
              "flattened": (lambda p: 10 * p[0], lambda p: 10 * p[1])}

    def approximate(self, shape, *arguments, ranks=0):
        self.vertices, text = sphere_text(24, 32, *self.shapes[shape])
        self.write("m.obj", text)
        return self.json("approximate", "--data.kind", "mesh", "--data.path", "m.obj", "--landmarks.count", 100,
                         "--output.path", "r.h5", *arguments, ranks=ranks)

    def exact_row(self, row):
        self.cairn("evaluate", "r.h5", "--row", row, "--out", "row.csv", ranks=2)
        with open(self.path("row.csv"), encoding="utf-8") as file:
            return [float(line["exact"]) for line in csv.DictReader(file)]

    def test_distances_are_no_shorter_than_straight_lines(self):
        for shape, flips in (("stretched", 1300), ("sheared", 1300), ("flattened", 400)):
            report = self.approximate(shape, ranks=2)
            self.assertEqual(2208, report["surface_edges"])
            self.assertGreater(report["flipped_edges"], flips)
            self.assertIn("of 2,208 edges of the surface were flipped", " ".join(report["notes"]))
            self.assertEqual([], report["warnings"])
            check = report["geodesic_check"]
            self.assertEqual(32, check["sources"])
            for bound in ("negative", "below_line", "above_edges", "asymmetric"):
                self.assertLessEqual(check[bound], 0.01)
            for row in (0, 300, 500):
                exact = self.exact_row(row)
                below = sum(value < 0.9 * math.dist(p, self.vertices[row]) for value, p in zip(exact, self.vertices))
                self.assertLess(below, 0.03 * len(exact), (shape, row))

    def test_the_check_is_the_same_on_any_number_of_ranks(self):
        checks = [self.approximate("sheared", "--similarity.time-factor", 16, ranks=ranks) for ranks in (1, 2, 3, 4)]
        for report in checks:
            self.assertEqual(checks[0]["geodesic_check"], report["geodesic_check"])
            self.assertEqual(checks[0]["warnings"], report["warnings"])
        self.assertRegex(" ".join(checks[0]["warnings"]), r"some geodesic distances are wrong: .* 32 vertices .* "
                         r"[1-9]\.\d\d % shorter than the straight line.*similarity\.time-factor")
        again = self.cairn("evaluate", "r.h5", ranks=2)
        self.assertIn("some geodesic distances are wrong", again.err)
        swept = self.cairn("sweep", "--data.kind", "mesh", "--data.path", "m.obj", "--vary", "landmarks.count=30,40",
                           "--similarity.time-factor", 16, "--output.csv", "s.csv")
        self.assertIn("some geodesic distances are wrong", swept.err)

    def test_distances_that_are_useless_are_refused(self):
        self.approximate("sheared")
        for command in (["approximate", "--output.path", "s.h5"], ["plan"]):
            self.refused(4, r"the heat method fails on this mesh: .*direction .*half a mean edge\). Change similarity\.time-factor \(now 10000",
                         *command, "--data.kind", "mesh", "--data.path", "m.obj", "--landmarks.count", 50,
                         "--similarity.time-factor", 10000)

    def test_flips_are_reported_where_only_the_operator_needs_them(self):
        report = self.approximate("flattened", "--similarity.kind", "euclidean")
        self.assertGreater(report["flipped_edges"], 400)
        self.assertIn("edges of the surface were flipped", " ".join(report["notes"]))
        self.assertNotIn("geodesic_check", report)


class UnsharedVertices(CairnTest):
    """A sphere whose triangles have vertices of their own, and one that is cut along a seam."""

    def setUp(self):
        super().setUp()
        self.vertices, self.text = sphere_text(14, 16, lambda p: 1.5 * p[0], lambda p: p[1])
        self.faces = [[int(v) - 1 for v in line.split()[1:]] for line in self.text.splitlines() if line.startswith("f")]
        self.write("m.obj", self.text)
        corners = [v for face in self.faces for v in face]
        self.soup = "".join("v {!r} {!r} {!r}\n".format(*self.vertices[v]) for v in corners) + "".join(
            f"f {3 * t + 1} {3 * t + 2} {3 * t + 3}\n" for t in range(len(self.faces)))
        self.write("soup.obj", self.soup)
        self.first = {}  # of the soup, for each vertex
        for k, v in enumerate(corners):
            self.first.setdefault(v, k)

    def approximate(self, name, *arguments, ranks=0):
        self.write("l.txt", "".join(f"{row}\n" for row in range(0, 200, 5)))
        return self.json("approximate", "--data.kind", "mesh", "--data.path", name, "--landmarks.selection", "file",
                         "--landmarks.path", "l.txt", "--output.path", "r.h5", *arguments, ranks=ranks)

    def test_they_are_named_and_merged(self):
        extra = len(self.first) - len(self.vertices)
        self.assertEqual(0, extra)
        repeated = 3 * len(self.faces) - len(self.vertices)
        self.refused(3, f"the mesh is in {len(self.faces)} pieces, .*{repeated:,} vertices lie exactly where others do, and are not joined to "
                     r"these; data.merge-vertices = true makes them one. data.largest-component = true keeps only the largest",
                     "approximate", "--data.kind", "mesh", "--data.path", "soup.obj", "--landmarks.count", 3, "--output.path", "r.h5")
        cut = self.json("approximate", "--data.kind", "mesh", "--data.path", "soup.obj", "--landmarks.count", 3, "--similarity.kind",
                        "euclidean", "--data.largest-component", "true", "--output.path", "r.h5")
        self.assertRegex(" ".join(cut["warnings"]), f"the surface may be cut: {repeated:,} vertices lie exactly where others do.*data.merge-vertices")
        self.approximate("m.obj")
        self.cairn("evaluate", "r.h5", "--row", 7, "--out", "row.csv")
        with open(self.path("row.csv"), encoding="utf-8") as file:
            row = [float(line["exact"]) for line in csv.DictReader(file)]
        order = sorted(self.first, key=self.first.get)  # rows of the merged soup
        for ranks in (1, 3):
            report = self.approximate("soup.obj", "--data.merge-vertices", "true", ranks=ranks)
            self.assertEqual((len(self.vertices), []), (report["n"], report["warnings"]))
            self.assertIn(f"{repeated:,} vertices at the positions of others were merged with these", report["notes"])
            self.cairn("evaluate", "r.h5", "--row", order.index(7), "--by-number", "false", "--out", "soup.csv",
                       ranks=ranks)
            with open(self.path("soup.csv"), encoding="utf-8") as file:
                soup = [float(line["exact"]) for line in csv.DictReader(file)]
            for k, v in enumerate(order):
                self.assertAlmostEqual(row[v], soup[k], delta=1e-9)
        self.assertEqual(str(self.first[order[50]]), self.json("query", "r.h5", "--entry", "50,0", "--by-number", "false")["entries"][0]["row_label"])

    def test_a_seam_is_a_warning(self):
        """Faces beyond x = 0 have vertices of their own, but for one: the surface is in one piece, and cut."""
        twins, lines = {}, []
        for face in self.faces:
            beyond = sum(self.vertices[v][0] for v in face) > 0
            lines.append([twins.setdefault(v, len(self.vertices) + len(twins)) if beyond and v != 0 else v for v in face])
        every = list(self.vertices) + [self.vertices[v] for v in twins]
        used = sorted({v for face in lines for v in face})
        place = {v: k + 1 for k, v in enumerate(used)}
        self.write("seam.obj", "".join("v {!r} {!r} {!r}\n".format(*every[v]) for v in used) + "".join(
            "f {} {} {}\n".format(*(place[v] for v in face)) for face in lines))
        equal = len(used) - len(self.vertices)
        report = self.json("approximate", "--data.kind", "mesh", "--data.path", "seam.obj", "--landmarks.count", 20, "--output.path", "r.h5", ranks=2)
        self.assertRegex(" ".join(report["warnings"]), f"the surface may be cut: {equal} vertices lie exactly")
        report = self.json("approximate", "--data.kind", "mesh", "--data.path", "seam.obj", "--landmarks.count", 20, "--output.path", "r.h5",
                           "--data.merge-vertices", "true", ranks=2)
        self.assertEqual((len(self.vertices), []), (report["n"], report["warnings"]))

    def test_triangles_with_a_vertex_twice_are_counted_or_left_out(self):
        self.write("bad.obj", self.text + "f 1 1 2\nf 3 2 3\nf 4 4 4\n")
        line = len(self.text.splitlines()) + 1
        command = ["approximate", "--data.kind", "mesh", "--data.path", "bad.obj", "--landmarks.count", 20, "--output.path", "r.h5"]
        self.refused(3, rf"bad.obj:{line}: a triangle has vertex 1 twice \(the first of 3 triangles that have one twice\); "
                     "data.drop-degenerate = true leaves them out", *command, ranks=(1, 3))
        report = self.json(*command, "--data.drop-degenerate", "true", ranks=2)
        self.assertEqual(len(self.vertices), report["n"])
        self.assertIn("3 triangles of zero area were dropped", report["notes"])


class CoarseMeshes(CairnTest):
    def approximate(self, text, *arguments):
        self.write("m.obj", text)
        return self.json("approximate", "--data.kind", "mesh", "--data.path", "m.obj", "--landmarks.count", 4, "--output.path", "r.h5",
                         *arguments, ranks=2)

    def test_a_mesh_whose_edges_are_long_is_a_warning_and_the_check_tells_its_tolerance(self):
        report = self.approximate("v 0 0 0\nv 1 -3 0\nv 2 0 0\nv 1 3 0\nf 1 2 3\nf 1 3 4\n")
        edge = (4 * math.hypot(1, 3) + 2) / 5  # of the Delaunay triangles, which are those of the file
        self.assertRegex(" ".join(report["notes"]), rf"the last three by more than 5 % and {edge / 2:.3g}, half a mean edge")
        self.assertRegex(" ".join(report["warnings"]), rf"the mesh is coarse: its mean edge is {edge:.3g}, \d+ % of the longest path, 6.32;")
        self.assertAlmostEqual(edge, report["geodesic_check"]["mean_edge"], delta=1e-9)
        self.assertAlmostEqual(2 * math.sqrt(10), report["geodesic_check"]["longest_path"], delta=1e-9)
        for command in (["evaluate", "r.h5"], ["sweep", "--data.kind", "mesh", "--data.path", "m.obj", "--vary", "landmarks.count=3,4",
                                               "--output.csv", "s.csv"]):
            self.assertIn("the mesh is coarse", self.cairn(*command).err)

    @unittest.skipIf(h5py is None, "h5py is missing")
    def test_no_edge_is_flipped_if_that_is_not_wanted(self):
        """The operator is then that of the triangles of the file, here by its definition."""
        vertices, text = sphere_text(8, 9, lambda p: 4 * p[0], lambda p: p[1])
        faces = [[int(v) - 1 for v in line.split()[1:]] for line in text.splitlines() if line.startswith("f")]
        weights = {}
        for face in faces:
            for k in range(3):
                i, j, o = face[k], face[(k + 1) % 3], face[(k + 2) % 3]
                u, v = ([p - q for p, q in zip(vertices[end], vertices[o])] for end in (i, j))
                dot = sum(p * q for p, q in zip(u, v))
                sine = math.sqrt(sum(p * p for p in u) * sum(q * q for q in v) - dot * dot)
                for pair in ((i, j), (j, i)):
                    weights[pair] = weights.get(pair, 0) + dot / sine / 2
        self.assertLess(min(weights.values()), -0.1)
        for ranks in (1, 3):
            report = self.approximate(text, "--similarity.kind", "euclidean", "--approximation.flip-edges", "false", "--output.operator", "o.h5")
            self.assertNotIn("flipped_edges", report)
            with h5py.File(self.path("o.h5"), "r") as file:
                starts, neighbors, values = (file["weights"][name][:] for name in ("indptr", "indices", "data"))
            found = {(i, int(neighbors[k])): values[k] for i in range(len(vertices)) for k in range(starts[i], starts[i + 1])}
            for pair, weight in weights.items():
                self.assertAlmostEqual(weight, found.get(pair, 0), delta=1e-12 * 4)
        flipped = self.approximate(text, "--similarity.kind", "euclidean", "--output.operator", "f.h5")
        self.assertGreater(flipped["flipped_edges"], 10)

    def test_geodesics_without_flips_say_so(self):
        text = sphere_text(12, 16, lambda p: p[0], lambda p: p[1])[1]
        report = self.approximate(text, "--similarity.flip-edges", "false", "--approximation.flip-edges", "false",
                                  "--evaluation.rows", "all")
        self.assertIn("no edges of the surface were flipped: its triangles are those of the file", report["notes"])
        again = self.json("evaluate", "r.h5", "--evaluation.rows", "all")  # with the triangles that the result was made on
        self.assertAlmostEqual(report["relative_error"], again["relative_error"], delta=1e-9)
        self.refused(2, "approximation.flip-edges has no effect", "approximate", "--data.kind", "mesh", "--data.path", "m.obj",
                     "--landmarks.count", 4, "--output.path", "r.h5", "--approximation.operator", "graph", "--approximation.flip-edges", "false")


class Points(CairnTest):
    def test_distances_of_points(self):
        rows = points(200, 2)
        self.write("p.csv", csv_text(rows))
        report = self.json("approximate", "--data.path", "p.csv", "--similarity.kind", "euclidean",
                           "--approximation.method", "biharmonic", "--landmarks.count", 60, "--output.path", "r.h5", ranks=3)
        self.assertEqual("neighbours", report["operator"])
        self.assertLess(report["relative_squared_error"], 0.05)
        compared = self.json("evaluate", "r.h5", "--row", 3, "--out", "row.csv")["row"]
        self.assertLess(compared["relative_squared_error"], 0.2)
        with open(self.path("row.csv"), encoding="utf-8") as file:
            exact = [float(line.split(",")[1]) for line in file.read().splitlines()[1:]]
        for value, row in zip(exact, rows):
            self.assertAlmostEqual(math.dist(row, rows[3]), value, delta=1e-6)

    def test_neighbors_and_perplexity_that_cannot_be(self):
        self.write("p.csv", csv_text(points(30, 2)))
        base = ["approximate", "--data.path", "p.csv", "--similarity.kind", "euclidean", "--approximation.method",
                "biharmonic", "--landmarks.count", "5", "--output.path", "r.h5"]
        # Neighbors are counted before they are made symmetric: a perplexity above their number has a meaning.
        for ranks in (1, 3):
            few = self.json(*base, "--approximation.neighbours", "3", "--approximation.perplexity", "2.5", ranks=ranks)
            self.assertNotIn("equal probabilities", " ".join(few["notes"]))
            all_equal = self.json(*base, "--approximation.neighbours", "10", ranks=ranks)
            self.assertIn("30 of 30 points have no more neighbors than the perplexity, 20, and give them equal probabilities",
                          all_equal["notes"])
        self.refused(2, "approximation.neighbours is 30", *base, "--approximation.neighbours", "30")
        self.refused(2, "perplexity", *base, "--approximation.perplexity", "1")
        self.write("p.csv", csv_text(points(1, 2)))
        self.refused(2, "a single point has no neighbors", *base[:-3], "1", *base[-2:])

    def test_all_points_as_landmarks_are_exact(self):
        self.write("p.csv", csv_text(points(30, 2)))
        report = self.json("approximate", "--data.path", "p.csv", "--similarity.kind", "euclidean",
                           "--approximation.method", "biharmonic", "--landmarks.count", 30, "--output.path", "r.h5", ranks=3)
        self.assertEqual(0, report["relative_error"])


class BadMeshes(CairnTest):
    def check(self, pattern, text, *arguments, ranks=(1, 3), name="m.obj"):
        self.write(name, text)
        self.refused(3, pattern, "approximate", "--data.kind", "mesh", "--data.path", name, "--landmarks.count", 2,
                     "--output.path", "r.h5", *arguments, ranks=ranks)

    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\n"

    def test_faces_that_are_wrong(self):
        self.check(r"m\.obj:6: ", self.corners + "f 1 2 6\n")
        self.check(r"m\.obj:6: ", self.corners + "f 1 2 2\n", ranks=[1])
        self.check(r"(?i)edge", self.corners + "f 1 2 3\nf 1 2 4\nf 2 1 5\n", ranks=[1])
        self.check(r"(?i)no triangle|no face|unused|belong", self.corners, ranks=[1])

    def test_numbers_that_are_no_vertices(self):
        for number in ("1e3", "-9", "99999999999", "99999999999999999999"):
            self.check(r"m\.obj:6: ", self.corners + f"f 1 2 {number}\n", ranks=[1])
        self.check(r"m\.obj:2: .*finite", "v 0 0 0\nv 1 nan 0\n", ranks=[1])

    def test_binary_files_that_hold_something_else(self):
        head = (b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                b"property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n")
        self.check(r"m\.ply: is truncated", head + b"0 0 0\n1 0 0\n", name="m.ply")
        self.check(r"m\.ply: triangle 0: vertex \d+ is out of range", head + b"the quick brown fox\n" * 99, name="m.ply")
        self.check(r"m\.obj\.xz: is truncated or damaged", b"\xfd7zXZ\0 and no more", name="m.obj.xz", ranks=[1])
        self.check(r"m\.obj\.gz: is .*damaged", b"\x1f\x8b and no more", name="m.obj.gz", ranks=[1])

    def test_vertices_without_triangle(self):
        self.check(r"drop-unused|drop_unused|unused", self.corners + "f 1 2 3\n", ranks=[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
