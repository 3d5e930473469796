"""Coordinates for graphs, points and matrices, from a config to a file, against distances that Python computes."""

import csv
import math
import unittest

from cairn_program import CairnTest, csv_text, points, write_npy


def stress(coordinates, distance):
    """sqrt(sum (|y_i - y_j| - d_ij)^2 / sum d_ij^2) over all pairs."""
    wrong = whole = 0.0
    for i, a in enumerate(coordinates):
        for j in range(i):
            wrong += (math.dist(a, coordinates[j]) - distance(i, j)) ** 2
            whole += distance(i, j) ** 2
    return math.sqrt(wrong / whole)


def centred_eigenvalues(rows):
    """Of the inner products of points about their mean, which are those of their scatter matrix: by Jacobi rotations."""
    n, d = len(rows), len(rows[0])
    means = [math.fsum(row[j] for row in rows) / n for j in range(d)]
    moved = [[row[j] - means[j] for j in range(d)] for row in rows]
    a = [[math.fsum(row[j] * row[k] for row in moved) for k in range(d)] for j in range(d)]
    for _ in range(60):
        for p in range(d):
            for q in range(p + 1, d):
                if a[p][q] == 0:
                    continue
                theta = 0.5 * math.atan2(2 * a[p][q], a[q][q] - a[p][p])
                c, s = math.cos(theta), math.sin(theta)
                for k in range(d):
                    a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
                for k in range(d):
                    a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
    return sorted((a[j][j] for j in range(d)), reverse=True)


class EmbedTest(CairnTest):
    def rows(self, name):
        """Coordinates and labels (or None) of a CSV file that cairn wrote."""
        with open(self.path(name), newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            lines = list(reader)
        columns = [column for column in reader.fieldnames if column != "label"]
        self.assertEqual([f"y{j + 1}" for j in range(len(columns))], columns)
        labels = [line["label"] for line in lines] if "label" in reader.fieldnames else None
        return [[float(line[column]) for column in columns] for line in lines], labels


class Graphs(EmbedTest):
    config = """[data]
kind = graph
generate = grid
points = 400
removed = 0
[landmarks]
count = 120
[approximation]
transform = sqrt
[output]
path = r.h5
"""

    def setUp(self):
        super().setUp()
        self.cairn("approximate", "--config", self.write("grid.cfg", self.config), ranks=2)

    def test_a_grid_becomes_a_square_on_any_number_of_ranks(self):
        found = []
        for ranks in (1, 3):
            report = self.json("embed", "r.h5", "--dimension", 2, "--out", "y.csv", "--pairs", 3000, ranks=ranks)
            self.assertEqual(("classical-scaling", 400, 2), (report["method"], report["n"], report["dimension"]))
            rows, labels = self.rows("y.csv")
            self.assertIsNone(labels)
            # Manhattan distances are no Euclidean ones.
            expected = stress(rows, lambda i, j: abs(i // 20 - j // 20) + abs(i % 20 - j % 20))
            self.assertLess(expected, 0.25)
            self.assertAlmostEqual(expected, report["stress"], delta=0.03)
            self.assertAlmostEqual(sum(report["eigenvalues"]) / report["trace"], report["trace_share"], delta=1e-12)
            self.assertLess(report["smallest_eigenvalue"], 0)
            self.assertLess(max(report["residuals"]), 1e-10)
            found.append(report["eigenvalues"] + [report["trace"], report["stress"]])
        for one, three in zip(*found):
            self.assertAlmostEqual(one, three, delta=1e-7 * abs(one))

    def test_tiles_that_have_no_room_stay_in_the_file(self):
        whole = self.json("embed", "r.h5", "--dimension", 2, "--out", "y.csv")
        for ranks in (1, 3):
            read = self.json("embed", "r.h5", "--dimension", 2, "--out", "y.csv", "--run.memory", "1kB", ranks=ranks)
            for one, other in zip(whole["eigenvalues"], read["eigenvalues"]):
                self.assertAlmostEqual(one, other, delta=1e-7 * abs(one))

    def test_an_hdf5_file_tells_what_it_holds_and_is_read_as_points(self):
        self.cairn("embed", "r.h5", "--dimension", 3, "--out", "y.csv")
        report = self.json("embed", "r.h5", "--dimension", 3, "--out", "y.h5", ranks=2)
        info = self.json("info", "y.h5", ranks=2)
        for key in ("n", "dimension", "method", "eigenvalues", "residuals", "trace", "stress", "smallest_eigenvalue"):
            self.assertEqual(report[key], info[key], key)
        self.assertEqual(("graph", "r.h5"), (info["object_kind"], info["provenance"]["source"]))
        self.assertEqual(self.json("info", "r.h5")["data_digest"], info["data_digest"])
        self.assertIn("an embedding of cairn", self.cairn("info", "y.h5").out)
        self.assertIn("points 400 x 3", self.cairn("convert", "y.h5", "points.h5").out)
        self.refused(3, "y.h5 is an HDF5 file, but no result", "query", "y.h5", "--row", 0)

    def test_more_dimensions_than_there_are(self):
        outcome = self.cairn("embed", "r.h5", "--dimension", 399, "--out", "y.h5", ranks=2, expect=4)
        self.assertRegex(outcome.message(), r"of the 399 largest eigenvalues .* \d+ are positive; ask for \d+ dimensions")
        self.refused(2, "400 objects have coordinates in 1 to 399 dimensions; 400 are asked for", "embed", "r.h5",
                     "--dimension", 400, "--out", "y.h5")

    def test_arguments_that_are_wrong(self):
        self.refused(2, "dimension is missing", "embed", "r.h5", "--out", "y.h5", ranks=[1])
        self.refused(2, "out is missing", "embed", "r.h5", "--dimension", 2, ranks=[1])
        self.refused(2, "below 1", "embed", "r.h5", "--dimension", 0, "--out", "y.h5", ranks=[1])
        self.refused(2, "y.txt: the name must end in .h5, .hdf5 or .csv", "embed", "r.h5", "--dimension", 2, "--out",
                     "y.txt")
        self.refused(2, "--out and the argument r.h5 name the same file", "embed", "r.h5", "--dimension", 2, "--out", "r.h5", ranks=[1])
        self.refused(2, "--squared-distances has no effect", "embed", "r.h5", "--dimension", 2, "--out", "y.h5",
                     "--squared-distances", "true", ranks=[1])
        self.refused(2, "no folder none to write y.h5", "embed", "r.h5", "--dimension", 2, "--out", "none/y.h5")
        self.refused(3, "cannot open none.h5", "embed", "none.h5", "--dimension", 2, "--out", "y.h5")

    def test_plain_distances_are_refused_with_what_to_do(self):
        self.cairn("approximate", "--config", "grid.cfg", "--approximation.transform", "none", "--output.path", "d.h5")
        self.refused(2, "d.h5 holds distances; classical scaling needs squared ones: run approximate with "
                     "approximation.transform = sqrt", "embed", "d.h5", "--dimension", 2, "--out", "y.h5")
        self.write("p.csv", csv_text(points(30)))
        self.cairn("approximate", "--data.path", "p.csv", "--similarity.kind", "euclidean", "--landmarks.count", 9,
                   "--output.path", "e.h5")
        self.refused(2, "approximation.method = biharmonic and approximation.transform = sqrt", "embed", "e.h5",
                     "--dimension", 2, "--out", "y.h5", ranks=[1])


class PointsAndMatrices(EmbedTest):
    def test_similarities_of_points_and_their_labels(self):
        rows = points(60, 4)
        labels = [f"kind {i % 3}, \"{i}\"" if i % 3 else str(i) for i in range(60)]
        with open(self.path("p.csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["a", "b", "c", "d", "class"])
            writer.writerows(row + [label] for row, label in zip(rows, labels))
        for precision, tolerance in (("double", 1e-6), ("single", 1e-2)):
            self.cairn("approximate", "--data.path", "p.csv", "--data.label", "class", "--similarity.kind", "linear",
                       "--landmarks.count", 20, "--run.precision", precision, "--output.path", "k.h5")
            report = self.json("embed", "k.h5", "--dimension", 4, "--out", "y.csv", ranks=3)
            self.assertEqual("kernel-pca", report["method"])
            found, names = self.rows("y.csv")
            self.assertEqual(labels, names)
            self.assertLess(stress(found, lambda i, j: math.dist(rows[i], rows[j])), tolerance)
        self.cairn("embed", "k.h5", "--dimension", 2, "--out", "y.h5")
        self.assertTrue(self.json("info", "y.h5")["has_labels"])

    def test_a_matrix_of_squared_distances(self):
        rows = points(50, 3)
        write_npy(self.path("d2.npy"), [[math.dist(a, b) ** 2 for b in rows] for a in rows])
        for method in ("nystrom", "sicur"):
            self.cairn("approximate", "--data.kind", "matrix", "--data.path", "d2.npy", "--similarity.meaning", "distance",
                       "--landmarks.count", 15, "--approximation.method", method, "--output.path", "m.h5")
            self.cairn("embed", "m.h5", "--dimension", 3, "--out", "y.csv", "--squared-distances", "true", ranks=2)
            self.assertLess(stress(self.rows("y.csv")[0], lambda i, j: math.dist(rows[i], rows[j])), 1e-5)
        self.refused(2, "holds distances; .*give --squared-distances", "embed", "m.h5", "--dimension", 3, "--out", "z.h5")
        self.cairn("approximate", "--data.kind", "matrix", "--data.path", "d2.npy", "--similarity.meaning", "similarity",
                   "--landmarks.count", 15, "--output.path", "s.h5")
        self.refused(4, "of the centred similarities none is positive", "embed", "s.h5", "--dimension", 3, "--out", "z.h5")

    def test_a_full_disk_leaves_nothing(self):
        self.cairn("approximate", "--data.generate", "normal", "--data.points", 200_000, "--data.dimension", 20,
                   "--similarity.kind", "linear", "--landmarks.count", 20, "--output.path", "k.h5")
        for name in ("y.h5", "y.csv"):
            self.refused(5, f"File too large|{name}", "embed", "k.h5", "--dimension", 20, "--pairs", 10, "--out", name, ranks=[2],
                         file_limit=30_000_000)


    def test_similarities_far_from_0_are_centred_first(self):
        """Inner products of points at an offset c: the eigenvalues are those of the points about their mean."""
        normal = [[(j + 1) * math.sin(1 + i * i * (j + 1) + 11 * j) for j in range(5)] for i in range(120)]
        for offset in (0.0, 1e3, 3e4, 1e5, 3e5):
            rows = [[value + offset for value in row] for row in normal]
            expected = centred_eigenvalues(rows)
            self.write("p.csv", csv_text(rows))
            for method, more in (("optimal", []), ("nystrom", ["--approximation.tolerance", "1e-15"])):
                self.cairn("approximate", "--data.path", "p.csv", "--similarity.kind", "linear", "--approximation.method",
                           method, "--landmarks.count", 20, *more, "--output.path", "r.h5", ranks=2)
                report = self.json("embed", "r.h5", "--dimension", 3, "--out", "y.csv", ranks=2)
                # K itself is known to a roundoff of its largest entries.
                tolerance = 1e-9 + 200 * 2.2e-16 * 5 * offset ** 2
                self.assertEqual(offset >= 3e4, bool(report["warnings"]), (method, offset))
                if method == "nystrom" and report["warnings"]:
                    continue  # the cut may have taken directions away, and that was said
                for value, right in zip(report["eigenvalues"], expected):
                    self.assertAlmostEqual(value, right, delta=tolerance * expected[0], msg=(method, offset))
                self.assertLessEqual(report["trace_share"], 1 + tolerance)
                self.assertLess(abs(report["trace"] - sum(expected)), tolerance * sum(expected))
        out = self.cairn("embed", "r.h5", "--dimension", 1, "--out", "y.csv").out
        self.assertIn("centring leaves", out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
