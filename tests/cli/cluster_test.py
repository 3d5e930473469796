"""Clusters of the objects of a result, and scores of pairs, against what Python finds in K~ itself."""

import csv
import math
import unittest

from cairn_program import CairnTest, csv_text, points

N = 40
RBF = ["--similarity.kind", "rbf", "--similarity.gamma", "3"]


def averages(matrix, stop):
    """Average linkage from its definition: clusters that are left, and the last average."""
    clusters = [[i] for i in range(len(matrix))]
    last = None
    while len(clusters) > 1:
        def mean(a, b):
            return sum((matrix[i][j] + matrix[j][i]) / 2 for i in clusters[a] for j in clusters[b]) / (
                len(clusters[a]) * len(clusters[b]))
        value, a, b = max((mean(a, b), -a, -b) for b in range(len(clusters)) for a in range(b))
        a, b = -a, -b
        if stop(len(clusters), value):
            break
        last = value
        clusters[a] += clusters.pop(b)
    return sorted(sorted(cluster) for cluster in clusters), last


class ClusterCase(CairnTest):
    def setUp(self):
        super().setUp()
        # Off the lattice that points() are on: with equal distances several clusterings are right.
        self.points = [[x + 1e-3 * math.sin(i * i), y + 1e-3 * math.cos(3 * i * i)]
                       for i, (x, y) in enumerate(points(N, 2))]
        self.labels = ["abc"[min(2, int(3 * abs(x)))] for x, _ in self.points]
        self.write("points.csv", csv_text(self.points, self.labels))

    def approximate(self, name="r.h5", *arguments):
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "class", *RBF, "--landmarks.count", 12,
                   "--output.path", name, *arguments)

    def kernel(self, name="r.h5"):
        entries = self.json("query", name, *[word for i in range(N) for j in range(N)
                                             for word in ("--entry", f"{i},{j}")])["entries"]
        matrix = [[0.0] * N for _ in range(N)]
        for entry in entries:
            matrix[entry["row"]][entry["column"]] = entry["value"]
        return matrix

    def exact(self):
        return [[math.exp(-3 * sum((a - b) ** 2 for a, b in zip(x, y))) for y in self.points] for x in self.points]

    def clusters(self, *arguments, ranks=0, result="r.h5"):
        report = self.json("cluster", result, "--out", "c.csv", *arguments, ranks=ranks)
        with open(self.path("c.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(range(N)), [int(row["row"]) for row in rows])
        groups = {}
        for row in rows:
            groups.setdefault(int(row["cluster"]), []).append(int(row["row"]))
        self.assertEqual(list(range(report["clusters"])), list(groups))  # numbered by their first rows
        return report, sorted(groups.values())


class ClusterTest(ClusterCase):
    def test_kept_distances_serve_the_matrix_itself(self):
        self.approximate("k.h5", "--output.distances", "true")
        for ranks in (1, 3):
            plain = self.json("cluster", "k.h5", "--clusters", 5, "--exact", "true", "--out", "a.csv", ranks=ranks)
            reused = self.json("cluster", "k.h5", "--clusters", 5, "--exact", "true", "--similarity.reuse", "k.h5",
                               "--out", "b.csv", ranks=ranks)
            self.assertEqual((N * N, N * (N - 12)), (plain["evaluations"], reused["evaluations"]))
            self.assertEqual([], plain["warnings"])
            self.assertRegex(reused["warnings"][0], "28 of 40 columns of distances were evaluated")
            with open(self.path("a.csv"), encoding="utf-8") as a, open(self.path("b.csv"), encoding="utf-8") as b:
                self.assertEqual(a.read(), b.read())

    def test_the_data_of_the_result_are_not_replaced(self):
        self.approximate()
        before = open(self.path("points.csv"), encoding="utf-8").read()
        for command in (["cluster", "r.h5", "--clusters", 3, "--out"], ["embed", "r.h5", "--dimension", 2, "--out"],
                        ["train", "r.h5", "--task", "svm", "--output.path"]):
            self.refused(2, "data.path of r.h5 name the same file, points.csv", *command, "points.csv")
        self.cairn("train", "r.h5", "--task", "svm", "--output.path", "m.h5")
        self.refused(2, "points.csv exists and holds no table of cairn", "predict", "m.h5", "--out", "points.csv")
        self.refused(2, "data.path of .*r.h5 name the same file", "predict", "m.h5", "--out", "points.csv", "--overwrite", "true")
        self.assertEqual(before, open(self.path("points.csv"), encoding="utf-8").read())

    def test_clusters_are_those_of_the_definition(self):
        for name, *method in [("r.h5",), ("cur.h5", "--approximation.method", "sicur", "--approximation.s2", "24"),
                              ("z.h5", "--approximation.embedding", "true")]:
            self.approximate(name, *method)
            matrix = self.kernel(name)
            expected, last = averages(matrix, lambda count, value: count == 6)
            for ranks in (0, 2, 4):
                _, found = self.clusters("--clusters", "6", ranks=ranks, result=name)
                self.assertEqual(expected, found)
            for ranks in (0, 3):
                report, found = self.clusters("--threshold", repr(last - 1e-9), ranks=ranks, result=name)
                self.assertEqual((expected, 6), (found, report["clusters"]))
                report, found = self.clusters("--threshold", repr(last + 1e-9), ranks=ranks, result=name)
                self.assertEqual(7, report["clusters"])

    def test_clusters_of_the_matrix_itself(self):
        self.approximate()
        expected, _ = averages(self.exact(), lambda count, value: count == 5)
        for ranks in (0, 3):
            report, found = self.clusters("--clusters", "5", "--exact", "true", ranks=ranks)
            self.assertEqual(expected, found)
            sizes = sorted(map(len, found))
            self.assertEqual((sizes[-1], sizes.count(1)), (report["largest_cluster"], report["single_rows"]))
            out = self.cairn("cluster", "r.h5", "--clusters", "5", "--exact", "true", "--out", "c.csv").out
            self.assertIn(f"{sizes[-1]} in the largest, {sizes[2]} in the median; {sizes.count(1)} of one row", out)
            self.assertEqual(N * N, report["evaluations"])

    def test_scores_against_gold(self):
        self.approximate()
        self.write("gold.txt", "".join(f"{label}\n" for label in self.labels))
        thresholds = ["--threshold", "0.9,0.5,0.05"]
        report, _ = self.clusters(*thresholds, "--gold", "gold.txt", ranks=2)
        by_labels, _ = self.clusters(*thresholds, "--gold-labels", "true")
        self.assertEqual(report["cuts"], by_labels["cuts"])
        best = max(cut["scores"]["conll_f1"] for cut in report["cuts"])
        self.assertEqual(best, report["scores"]["conll_f1"])
        _, found = self.clusters("--threshold", report["threshold"])
        sizes = [len(group) for group in found]
        precision = sum(sum(sum(self.labels[i] == self.labels[j] for j in group) for i in group) / len(group)
                        for group in found) / N
        self.assertAlmostEqual(precision, report["scores"]["b_cubed"]["precision"])
        self.assertEqual(N, sum(sizes))
        scores = report["scores"]
        self.assertAlmostEqual(sum(scores[name]["f1"] for name in ("muc", "b_cubed", "ceaf_e")) / 3, scores["conll_f1"])

    def test_hdf5_has_the_merges(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("needs h5py")
        self.approximate()
        _, found = self.clusters("--clusters", "4")
        self.cairn("cluster", "r.h5", "--clusters", "4", "--out", "c.h5", ranks=3)
        with h5py.File(self.path("c.h5")) as file:
            cluster, merges, means = file["cluster"][:], file["merges"][:], file["averages"][:]
        self.assertEqual(found, sorted([i for i in range(N) if cluster[i] == c] for c in range(4)))
        self.assertEqual((N - 1, 2), merges.shape)
        self.assertTrue(all(means[i] >= means[i + 1] for i in range(N - 2)))
        self.assertTrue(all(into < other for into, other in merges))
        self.assertEqual([{"name": "averages", "rows": N - 1, "type": "float64"},
                          {"name": "cluster", "rows": N, "type": "int64"},
                          {"name": "labels", "rows": N, "type": "texts of at most 1 bytes"},
                          {"name": "merges", "rows": N - 1, "type": "int64", "columns": 2}],
                         self.json("info", "c.h5", ranks=2)["tables"])
        self.assertIn("c.h5: clusters of cairn", self.cairn("info", "c.h5").out)
        with h5py.File(self.path("foreign.h5"), "w") as file:
            file.create_dataset("points", data=means, chunks=(10,))
        self.refused(3, "foreign.h5 is not a sound cairn file: .*make it again with the command that wrote it", "info", "foreign.h5")


class BadClusters(ClusterCase):
    def test_options(self):
        self.approximate()
        base = ["cluster", "r.h5", "--out", "c.csv"]
        for pattern, *arguments in [
                ("give one of --threshold and --clusters", *base),
                ("give one of --threshold and --clusters", *base, "--threshold", "1", "--clusters", "2"),
                ("--threshold 1,x: each must be a finite number", *base, "--threshold", "1,x"),
                ("--threshold takes several numbers only with --gold", *base, "--threshold", "1,2"),
                ("--clusters 41 is more than there are rows, 40", *base, "--clusters", "41"),
                ("--data.path has no effect without --exact", *base, "--clusters", "4", "--data.path", "points.csv"),
                ("--gold and --gold-labels exclude", *base, "--clusters", "4", "--gold", "points.csv", "--gold-labels",
                 "true"),
                ("must end in .h5, .hdf5 or .csv", "cluster", "r.h5", "--clusters", "4", "--out", "c.txt"),
                ("out is missing", "cluster", "r.h5", "--clusters", "4")]:
            self.refused(2, pattern, *arguments, ranks=[1])
        self.refused(5, "takes .* of each of 2 ranks .* of run.memory left", *base, "--clusters", "4", "--run.memory",
                     "1MB", ranks=[2])

    def test_gold(self):
        self.approximate()
        for pattern, text in [("gold.txt has lines for 1 rows, but there are 40", "a\n"),
                              ("gold.txt:41: there are only 40 rows", "a\n" * 41),
                              ("gold.txt names no cluster", "\n" * 40)]:
            self.write("gold.txt", text)
            self.refused(3, pattern, "cluster", "r.h5", "--out", "c.csv", "--clusters", "4", "--gold", "gold.txt")


def mean_ranks(values):
    """Places of the values in their order, from 1; equal ones share the mean of theirs."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) + 1) / 2 for value in values]


class PairTest(ClusterCase):
    def scored(self, *arguments, ranks=0, result="r.h5"):
        return self.json("evaluate", result, "--pairs", *arguments, ranks=ranks)["pairs"]

    def pearson(self, a, b):
        mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
        top = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
        return top / math.sqrt(sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b))

    def test_correlations(self):
        self.approximate()
        kernel, exact = self.kernel(), self.exact()
        pairs = [(i, (7 * i + 3) % N) for i in range(N)]
        scores = [round(5 * exact[i][j] + (i % 3) / 10, 1) for i, j in pairs]
        self.write("pairs.csv", "what,i,j,score\n" + "".join(
            f"{k},{i},{j},{s}\n" for k, ((i, j), s) in enumerate(zip(pairs, scores))))
        for ranks in (0, 2, 4):
            found = self.scored("pairs.csv:i,j,score", ranks=ranks)
            self.assertEqual((N, N), (found["count"], found["evaluations"]))
            for name, matrix in (("approximate", kernel), ("exact", exact)):
                self.assertAlmostEqual(self.pearson([matrix[i][j] for i, j in pairs], scores), found[name]["pearson"],
                                       delta=1e-9)
                self.assertAlmostEqual(self.pearson(mean_ranks([matrix[i][j] for i, j in pairs]), mean_ranks(scores)),
                                       found[name]["spearman"], delta=1e-9)
                self.assertNotIn("f1", found[name])

    def test_yes_or_no(self):
        self.approximate()
        exact = self.exact()
        pairs = [(i, (11 * i + 5) % N) for i in range(N)]
        truth = [int(exact[i][j] > 0.4) for i, j in pairs]
        text = [f"{i}\t{j}\t{t}\n" for (i, j), t in zip(pairs, truth)]
        self.write("pairs.tsv", "".join(text))
        for ranks in (0, 3):
            found = self.scored("pairs.tsv", ranks=ranks)
            self.assertEqual("first-half", found["thresholds_from"])
            threshold = found["exact"]["accuracy_threshold"]
            decisions = [exact[i][j] >= threshold for i, j in pairs[N // 2:]]
            right = sum(d == bool(t) for d, t in zip(decisions, truth[N // 2:]))
            self.assertAlmostEqual(right / (N - N // 2), found["exact"]["accuracy"])
            decisions = [exact[i][j] >= found["exact"]["f1_threshold"] for i, j in pairs[N // 2:]]
            both = sum(d and t for d, t in zip(decisions, truth[N // 2:]))
            self.assertAlmostEqual(2 * both / (sum(decisions) + sum(truth[N // 2:])), found["exact"]["f1"])
        self.write("first.tsv", "".join(text[:N // 2]))
        self.write("second.tsv", "".join(text[N // 2:]))
        other = self.scored("second.tsv", "--threshold-pairs", "first.tsv", ranks=2)
        self.assertEqual("threshold-pairs", other["thresholds_from"])
        for name in ("f1", "f1_threshold", "accuracy", "accuracy_threshold"):
            self.assertEqual(found["exact"][name], other["exact"][name])
            self.assertAlmostEqual(found["approximate"][name], other["approximate"][name], delta=1e-12)

    def test_path_lengths_come_by_source(self):
        edges = [f"{i} {i + 1}\n" for i in range(29)]
        self.write("line.edges", "".join(edges))
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "line.edges", "--landmarks.count", "6",
                   "--output.path", "g.h5")
        pairs = [(i, (5 * i + 1) % 30) for i in range(30)]
        self.write("pairs.csv", "".join(f"{i},{j},{-abs(i - j)}\n" for i, j in pairs))
        found = self.scored("pairs.csv", ranks=2, result="g.h5")
        self.assertAlmostEqual(1.0, found["exact"]["pearson"], delta=1e-12)
        self.assertEqual(30, found["evaluations"])

    def test_bad_pairs(self):
        self.approximate()
        base = ["evaluate", "r.h5", "--pairs", "pairs.csv"]
        for pattern, text in [(r"pairs.csv: pair 2 \(lines without the header\) names row 40; rows are integers from 0 to 39",
                               "i,j,score\n0,1,2\n1,40,2\n"),
                              ("pairs.csv: pair 1 .* names row 0.5", "0.5,1,2\n"),
                              ("pairs.csv has 2 columns of numbers; pairs have three", "0,1\n"),
                              ("pairs.csv:2: column 3: 'x' is not a number", "0,1,2\n0,1,x\n")]:
            self.write("pairs.csv", text)
            self.refused(3, pattern, *base)
        self.write("pairs.csv", "0,1,1\n2,3,0\n")
        self.write("others.csv", "0,1,0.5\n")
        self.refused(3, "--threshold-pairs goes with scores that are all 0 or 1", *base, "--threshold-pairs", "others.csv")
        for pattern, *arguments in [("--row has no effect beside --pairs", *base, "--row", "1", "--out", "o.csv"),
                                    ("--evaluation.rows has no effect beside --pairs", *base, "--evaluation.rows", "5"),
                                    ("--threshold-pairs has no effect without --pairs", "evaluate", "r.h5",
                                     "--threshold-pairs", "pairs.csv")]:
            self.refused(2, pattern, *arguments, ranks=[1])


if __name__ == "__main__":
    unittest.main()
