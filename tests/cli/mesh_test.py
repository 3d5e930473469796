"""Meshes and points approximated by biharmonic interpolation, against distances that Python computes by itself; and
meshes that cannot be used."""

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
                ("similarity.kind = path-length does not go with", "--similarity.kind", "path-length"),
                ("approximation.neighbours does nothing", "--approximation.neighbours", "5"),
                ("similarity.time-factor does nothing", "--similarity.kind", "rbf", "--similarity.time-factor", "2")]:
            self.refused(2, pattern, *base, *arguments, ranks=[1])


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
        self.check(r"m\.ply: is cut short", head + b"0 0 0\n1 0 0\n", name="m.ply")
        self.check(r"m\.ply: triangle 0: vertex \d+ is out of range", head + b"the quick brown fox\n" * 99, name="m.ply")
        self.check(r"m\.obj\.xz: is cut short or damaged", b"\xfd7zXZ\0 and no more", name="m.obj.xz", ranks=[1])
        self.check(r"m\.obj\.gz: is .*damaged", b"\x1f\x8b and no more", name="m.obj.gz", ranks=[1])

    def test_vertices_without_triangle(self):
        self.check(r"drop-unused|drop_unused|unused", self.corners + "f 1 2 3\n", ranks=[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
