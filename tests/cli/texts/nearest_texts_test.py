"""The nearest texts by word mover's distance, exactly: query --nearest-exact, output.near-exact and the task knn."""

import collections
import csv
import math
import os
import random
import sys
import unittest

try:
    import h5py
    import numpy
    import scipy.optimize
    import scipy.sparse
except ImportError:
    print("no h5py, or no scipy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from cairn_program import CairnTest, csv_text, points  # noqa: E402

N, NEW, K, GAMMA = 36, 5, 4, 0.5


def transport(costs, supply, demand):
    """Least cost, by linear programming."""
    m, k = costs.shape
    sums = numpy.vstack([numpy.kron(numpy.eye(m), numpy.ones(k)), numpy.kron(numpy.ones(m), numpy.eye(k))])
    return scipy.optimize.linprog(costs.ravel(), A_eq=sums, b_eq=numpy.concatenate([supply, demand]), method="highs").fun


class NearestTexts(CairnTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(3)
        words = [f"w{j}" for j in range(14)]
        self.vectors = {word: numpy.float32([draw.gauss(0, 1) for _ in range(3)]) for word in words}
        self.write("v.txt", "".join(f"{w} {' '.join(repr(float(x)) for x in v)}\n" for w, v in self.vectors.items()))
        old = words[:10]  # new texts have words that the old ones have not
        self.texts = [[draw.choice(old) for _ in range(draw.randint(1, 5))] for _ in range(N)]
        self.texts[20] = list(self.texts[7])  # at the same distances
        self.unseen = [[draw.choice(words) for _ in range(draw.randint(1, 5))] for _ in range(NEW)]
        self.labels = ["ab"[int(self.vectors[text[0]][0] > 0)] for text in self.texts]
        self.write("old.tsv", "".join(f"{l}\t{' '.join(t)}\n" for l, t in zip(self.labels, self.texts)))
        self.write("new.tsv", "".join(f"a\t{' '.join(t)}\n" for t in self.unseen))
        self.data = ["--data.kind", "documents", "--data.path", "old.tsv", "--data.format", "tsv", "--data.label", 1,
                     "--data.vectors", "v.txt"]
        self.base = ["approximate", *self.data, "--landmarks.count", 8, "--evaluation.pairs", 50, "--output.path", "r.h5"]
        self.extend = ["extend", "r.h5", "--data.path", "new.tsv", "--data.format", "tsv", "--data.label", 1,
                       "--output.path", "n.h5"]

    def distance(self, one, other):
        a, b = (collections.Counter(text) for text in (one, other))
        costs = numpy.array([[numpy.linalg.norm(self.vectors[x].astype(float) - self.vectors[y].astype(float))
                              for y in b] for x in a])
        shares = [numpy.array(list(c.values())) / sum(c.values()) for c in (a, b)]
        return transport(costs, *shares)

    def order(self, text, others, own=None):
        """Numbers and distances, nearest first, ties by number."""
        found = [(round(self.distance(text, other), 7), j) for j, other in enumerate(others) if j != own]
        return [(j, d) for d, j in sorted(found)]

    def rows(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def check(self, rows, expected, value):
        """Lines of a table against lists of neighbors."""
        lines = [(i, j, d) for i, order in enumerate(expected) for j, d in order[:K]]
        self.assertEqual([(i, j) for i, j, _ in lines], [(int(r["object"]), int(r["nearest"])) for r in rows])
        for row, (_, _, d) in zip(rows, lines):
            self.assertAlmostEqual(value(d), float(row["value"]), delta=1e-6)

    def test_every_text_has_those_of_all_distances(self):
        expected = [self.order(text, self.texts, i) for i, text in enumerate(self.texts)]
        for kind, value in (("wmd-distance", lambda d: d), ("wmd", lambda d: math.exp(-GAMMA * d))):
            gamma = ["--similarity.gamma", GAMMA] if kind == "wmd" else []
            for precision in ("double", "single"):
                self.cairn(*self.base, "--similarity.kind", kind, *gamma, "--run.precision", precision, ranks=2)
                for ranks in (1, 2, 3, 4):
                    report = self.json("query", "r.h5", "--nearest-exact", "true", "--k", K, "--out", "n.csv", ranks=ranks)
                    self.assertEqual({"by": "value", "exact": True, "count": N, "out": "n.csv"}, report["nearest"])
                    self.check(self.rows("n.csv"), expected, value)
        self.assertEqual(self.labels[5], self.rows("n.csv")[5 * K]["object_label"])
        for ranks in (1, 3):
            report = self.json("query", "r.h5", "--nearest-exact", "true", "--nearest", 7, "--k", 3, ranks=ranks)["nearest"]
            self.assertEqual([j for j, _ in expected[7][:3]], [one["object"] for one in report["nearest"]])
            self.assertTrue(all(one["exact"] for one in report["nearest"]))
        self.assertEqual(20, expected[7][0][0])
        more = self.json("query", "r.h5", "--nearest-exact", "true", "--nearest", 7, "--k", 100, ranks=2)["nearest"]["nearest"]
        self.assertEqual([j for j, _ in expected[7]], [one["object"] for one in more])
        said = self.cairn("query", "r.h5", "--nearest-exact", "true", "--nearest", 7, "--k", 100)
        self.assertIn(f"--k 100: there are {N - 1} objects to compare with", said.err)
        self.assertEqual(N * K, len(self.cairn("query", "r.h5", "--nearest-exact", "true", "--k", K).out.splitlines()))

    def test_new_texts_have_those_of_all_distances(self):
        self.cairn(*self.base, "--similarity.kind", "wmd-distance", ranks=2)
        self.cairn(*self.extend, ranks=2)
        expected = [self.order(text, self.texts) for text in self.unseen]
        for ranks in (1, 2, 3, 4):
            report = self.json("query", "r.h5", "--nearest-exact", "true", "--nearest-to", "n.h5", "--k", K, "--out", "n.csv",
                               ranks=ranks)
            self.assertEqual((NEW, True), (report["nearest_to"]["count"], report["nearest_to"]["exact"]))
            self.check(self.rows("n.csv"), expected, lambda d: d)
        exact = ["query", "r.h5", "--nearest-exact", "true", "--nearest-to", "n.h5"]
        for name in ("old.tsv", "new.tsv", "v.txt"):
            self.refused(2, f"--out.*{name}", *exact, "--out", name, "--overwrite", "true")
        self.assertIn("new.tsv", self.cairn("info", "n.h5").out)
        self.write("new.tsv", "a\tw1 w2\n" * NEW)
        self.refused(3, "n.h5.*extend the result again", "query", "r.h5", "--nearest-exact", "true", "--nearest-to", "n.h5")

    def test_kept_entries_are_those_of_all_distances(self):
        patterns = []
        for ranks in (1, 2, 3, 4):
            report = self.json(*self.base, "--similarity.kind", "wmd", "--similarity.gamma", GAMMA, "--output.near", K,
                               "--output.near-exact", "true", ranks=ranks)
            self.assertEqual(1.0, report["near_found"])
            with h5py.File(self.path("r.h5")) as file:
                near = file["near"]
                kept = scipy.sparse.csr_matrix((numpy.ones(near["indices"].shape), near["indices"][:], near["indptr"][:]),
                                               shape=(N, N)).toarray()
            patterns.append(kept)
        for i, text in enumerate(self.texts):
            order = self.order(text, self.texts, i)
            for j, d in order:
                if d < order[K - 1][1] - 1e-6:
                    self.assertEqual((1, 1), (kept[i, j], kept[j, i]), f"{i}, {j}")
        self.assertEqual(4, sum((one == kept).all() for one in patterns))
        plan = self.cairn("plan", *self.base[1:-2], "--similarity.kind", "wmd", "--similarity.gamma", GAMMA,
                          "--output.near", K, "--output.near-exact", "true").out
        self.assertIn("near entries: bounds of distances", plan)

    def test_what_cannot_be_asked_is_refused(self):
        self.write("p.csv", csv_text(points(20)))
        self.cairn("approximate", "--data.path", "p.csv", "--similarity.kind", "rbf", "--similarity.gamma", 1,
                   "--landmarks.count", 4, "--output.path", "p.h5")
        self.refused(2, "--nearest-exact is for wmd and wmd-distance: of rbf", "query", "p.h5", "--nearest-exact", "true")
        self.refused(2, "output.near-exact is for wmd and wmd-distance: of rbf", "approximate", "--data.path", "p.csv",
                     "--similarity.kind", "rbf", "--landmarks.count", 4, "--output.path", "q.h5", "--output.near", 2,
                     "--output.near-exact", "true")
        self.cairn(*self.base, "--similarity.kind", "wmd-distance")
        self.refused(2, "output.near-exact has no effect without output.near", *self.base[:-2], "--output.path", "q.h5",
                     "--similarity.kind", "wmd-distance", "--output.near-exact", "true")
        exact = ["query", "r.h5", "--nearest-exact", "true"]
        self.refused(2, "--row has no effect beside --nearest-exact", *exact, "--row", 1)
        self.refused(2, "--by-angle has no effect beside --nearest-exact", *exact, "--by-angle", "true")
        self.refused(2, "one of --nearest and --nearest-to", *exact, "--nearest", 1, "--nearest-to", "r.h5")
        self.refused(2, "object 99", *exact, "--nearest", 99)
        self.refused(2, "--k", *exact, "--k", 0)
        self.refused(3, "r.h5 is no extension of r.h5", *exact, "--nearest-to", "r.h5")
        os.rename(self.path("old.tsv"), self.path("moved.tsv"))
        self.refused(3, "old.tsv", *exact)
        moved = ["--data.path", "moved.tsv"]
        self.assertEqual(N, self.json(*exact, *moved, "--out", "n.csv", ranks=2)["nearest"]["count"])
        self.write("moved.tsv", "a\tw1\n" * N)
        self.refused(3, "r.h5.*name its data with --data.path", *exact, *moved)

    def test_a_text_without_known_words_has_no_neighbors(self):
        self.texts[3] = ["unknown"]
        self.write("old.tsv", "".join(f"{l}\t{' '.join(t)}\n" for l, t in zip(self.labels, self.texts)))
        self.cairn(*self.base, "--similarity.kind", "wmd-distance")
        self.refused(2, "3", "query", "r.h5", "--nearest-exact", "true", "--nearest", 3, "--by-number", "true")
        report = self.json("query", "r.h5", "--nearest-exact", "true", "--k", 2, "--out", "n.csv", ranks=2)
        self.assertEqual(N - 1, report["nearest"]["count"])

    def votes(self, order, k, weighted):
        shares = collections.defaultdict(float)
        zero = weighted and order[0][1] == 0
        for j, d in order[:k]:
            shares[self.labels[j]] += 1 if not weighted else float(d == 0) if zero else 1 / d
        return {label: share / sum(shares.values()) for label, share in shares.items()}

    def test_knn_votes_as_the_neighbors_do(self):
        self.cairn(*self.base, "--similarity.kind", "wmd-distance", ranks=2)
        self.cairn(*self.extend, ranks=2)
        for ranks in (1, 2, 3, 4):
            weights = "distance" if ranks % 2 else "equal"
            report = self.json("train", "r.h5", "--task", "knn", "--k", 3, "--weights", weights, "--output.path", "m.h5",
                               ranks=ranks)
            self.assertEqual((3, weights, N), (report["k"], report["weights"], report["training_rows"]))
            self.json("predict", "m.h5", "--result", "n.h5", "--out", "c.csv", ranks=ranks)
            for row, text in zip(self.rows("c.csv"), self.unseen):
                shares = self.votes(self.order(text, self.texts), 3, weights == "distance")
                for label in "ab":
                    self.assertAlmostEqual(shares.get(label, 0), float(row[f"score {label}"]), delta=1e-5)
                self.assertAlmostEqual(max(shares.values()), float(row[f"score {row['predicted']}"]), delta=1e-5)
            self.json("predict", "m.h5", "--out", "c.csv", ranks=ranks)  # a row is not its own neighbor
            for i, row in enumerate(self.rows("c.csv")):
                shares = self.votes(self.order(self.texts[i], self.texts, i), 3, weights == "distance")
                self.assertAlmostEqual(shares.get("a", 0), float(row["score a"]), delta=1e-5)
        info = self.cairn("info", "m.h5").out
        self.assertIn("neighbors", info)

    def test_knn_chooses_k_in_folds(self):
        self.cairn(*self.base, "--similarity.kind", "wmd-distance", ranks=2)
        reports = []
        for ranks in (1, 3, 4):
            reports.append(self.json("train", "r.h5", "--task", "knn", "--k", "1,3,9", "--fold-order", "file", "--folds", 4,
                                     "--output.path", "m.h5", ranks=ranks))
        right = {k: 0 for k in (1, 3, 9)}
        for i, text in enumerate(self.texts):
            others = [(j, d) for j, d in self.order(text, self.texts, i) if j * 4 // N != i * 4 // N]
            for k in right:
                shares = self.votes(others, k, False)
                best = next(self.labels[j] for j, _ in others[:k] if shares[self.labels[j]] == max(shares.values()))
                right[k] += best == self.labels[i]
        for report in reports:
            self.assertEqual([(k, count / N) for k, count in right.items()],
                             [(one["k"], one["accuracy"]) for one in report["candidates"]])
            self.assertEqual(max(right, key=lambda k: (right[k], -k)), report["k"])
        self.refused(2, "--k 30: 30 neighbors are more than the 27 rows", "train", "r.h5", "--task", "knn", "--k", 30, "--folds", 4,
                     "--output.path", "q.h5")
        self.refused(2, "--k 0: each must be an integer of 1 or more", "train", "r.h5", "--task", "knn", "--k", 0, "--output.path", "q.h5")
        self.refused(2, "has no effect without cross-validation", "train", "r.h5", "--task", "knn", "--k", 3, "--fold-order", "file",
                     "--output.path", "q.h5")
        os.rename(self.path("old.tsv"), self.path("moved.tsv"))
        self.refused(3, "old.tsv", "predict", "m.h5", "--out", "c.csv")

    def test_knn_of_points_takes_all_entries(self):
        rows = points(40)
        labels = ["xy"[int(row[0] > 0.5)] for row in rows]
        self.write("p.csv", csv_text(rows, labels))
        self.cairn("approximate", "--data.path", "p.csv", "--data.label", "class", "--similarity.kind", "rbf", "--similarity.gamma", 1,
                   "--landmarks.count", 4, "--output.path", "p.h5")
        x = numpy.array(rows)
        squares = ((x[:, None] - x[None]) ** 2).sum(axis=2)
        numpy.fill_diagonal(squares, numpy.inf)
        for ranks in (1, 2, 3, 4):
            self.json("train", "p.h5", "--task", "knn", "--k", 5, "--output.path", "m.h5", ranks=ranks)
            self.json("predict", "m.h5", "--out", "c.csv", ranks=ranks)
            for i, row in enumerate(self.rows("c.csv")):
                nearest = numpy.argsort(squares[i], kind="stable")[:5]
                share = sum(labels[j] == "x" for j in nearest) / 5
                self.assertAlmostEqual(share, float(row["score x"]), delta=1e-12)

    def test_knn_of_new_objects_that_have_other_symbols(self):
        words = "who what city river name king rome bird stone tree".split()
        trees = [f"(S(N({words[k % 10]}))(V({words[(k * k + 3) % 10]})(N({words[(k // 3) % 7]}))))" for k in range(24)]
        sentences = [" ".join(words[(k * j + j) % 10] for j in range(1, 6)) for k in range(24)]
        others = ["(S(N(zebra))(V(aster)(N(rome))))", "aster zebra rome king aster"]
        for kind, objects, line in (("trees", trees, "{} |BT:t| {} |ET|"), ("sequences", sentences, "{}\t{}")):
            old, new = ("o.tsv", "n.tsv") if kind == "sequences" else ("o.klp", "n.klp")
            known = sorted(set(objects))
            labels = ["ab"[k % 2] for k in range(len(known))]
            unseen = [others[kind == "sequences"], *known[::-2]]
            self.write(old, "".join(line.format(*row) + "\n" for row in zip(labels, known)))
            self.write(new, "".join(line.format("?", text) + "\n" for text in unseen))
            columns = ["--data.label", 1, "--data.text", 2] if kind == "sequences" else ["--data.tree", "t"]
            self.cairn("approximate", "--data.kind", kind, "--data.path", old, *columns, "--landmarks.count", 3, "--output.path", "o.h5")
            self.cairn("train", "o.h5", "--task", "knn", "--k", 1, "--output.path", "m.h5", ranks=2)
            for ranks in (1, 2, 3, 4):
                with self.subTest(kind=kind, ranks=ranks):
                    self.cairn("extend", "o.h5", "--data.path", new, "--output.path", "e.h5", ranks=ranks)
                    self.cairn("predict", "m.h5", "--result", "e.h5", "--out", "c.csv", ranks=ranks)
                    found = [row["predicted"] for row in self.rows("c.csv")]
                    self.assertEqual(labels[::-2], found[1:])  # the nearest text is the same one
                    self.assertIn(found[0], "ab")


if __name__ == "__main__":
    unittest.main()
