"""Meshes and points approximated by biharmonic interpolation, against distances that Python computes by itself; and
meshes that cannot be used."""

import csv
import math
import unittest

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
        self.assertRegex(" ".join(checks[0]["warnings"]), r"some geodesics cannot be right: .* 32 vertices .* "
                         r"[1-9]\.\d\d % shorter than the straight line.*similarity\.time-factor")
        again = self.cairn("evaluate", "r.h5", ranks=2)
        self.assertIn("some geodesics cannot be right", again.err)
        swept = self.cairn("sweep", "--data.kind", "mesh", "--data.path", "m.obj", "--vary", "landmarks.count=30,40",
                           "--similarity.time-factor", 16, "--output.csv", "s.csv")
        self.assertIn("some geodesics cannot be right", swept.err)

    def test_distances_that_are_useless_are_refused(self):
        self.approximate("sheared")
        for command in (["approximate", "--output.path", "s.h5"], ["plan"]):
            self.refused(4, r"the heat method fails on this mesh: .*direction. Change similarity\.time-factor \(now 10000",
                         *command, "--data.kind", "mesh", "--data.path", "m.obj", "--landmarks.count", 50,
                         "--similarity.time-factor", 10000)

    def test_flips_are_reported_where_only_the_operator_needs_them(self):
        report = self.approximate("flattened", "--similarity.kind", "euclidean")
        self.assertGreater(report["flipped_edges"], 400)
        self.assertIn("edges of the surface were flipped", " ".join(report["notes"]))
        self.assertNotIn("geodesic_check", report)


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

    def test_neighbours_and_perplexity_that_cannot_be(self):
        self.write("p.csv", csv_text(points(30, 2)))
        base = ["approximate", "--data.path", "p.csv", "--similarity.kind", "euclidean", "--approximation.method",
                "biharmonic", "--landmarks.count", "5", "--output.path", "r.h5"]
        self.refused(2, "perplexity", *base, "--approximation.neighbours", "10")
        self.refused(2, "(?i)neighbours", *base, "--approximation.neighbours", "30")
        self.refused(2, "perplexity", *base, "--approximation.perplexity", "1")
        self.write("p.csv", csv_text(points(1, 2)))
        self.refused(2, "a single point has no neighbours", *base[:-3], "1", *base[-2:])

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
