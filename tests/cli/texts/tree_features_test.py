"""A tree kernel beside the bag of words of the same line of KeLP, against sums of kernels that Python computes."""

import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

from cairn_program import CairnTest  # noqa: E402

WORDS = ["bank", "car", "visa", "school", "rent", "food", "Äpfel"]
N = 36


def line(k, shift=0):
    """A label, a tree and two vectors; the tree's leaves are two of the words in its bag."""
    a, b, c = WORDS[k % 7], WORDS[(k * k + shift) % 7], WORDS[(3 * k + 1) % 7]
    bag = {}
    for word in (a, b, c):
        bag[word] = bag.get(word, 0) + 1
    bag["length"] = 0.25 * (k % 5) - 0.5
    tree = f"(S(N({a}))(V({b})))"
    text = " ".join(f"{name}:{value}" for name, value in bag.items())
    return f"l{k % 2} |BT:t| {tree} |ET| |BV:bow| {text} |EV| |BV:other| z{k % 3}:1 |EV|\n", (a, b), bag


def subset_trees(x, y, decay=0.4):
    """Collins and Duffy's kernel of two of these trees: S(N(a))(V(b))."""
    same = [x[0] == y[0], x[1] == y[1]]
    of_leaves = sum(decay for a in x for b in y if a == b)
    of_preterminals = [decay if equal else 0 for equal in same]
    of_root = decay * (1 + of_preterminals[0]) * (1 + of_preterminals[1])
    return of_root + sum(of_preterminals) + of_leaves


def linear(x, y):
    return sum(value * y.get(name, 0) for name, value in x.items())


class TreeFeaturesTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.lines = [line(k) for k in range(N)]
        self.write("t.klp", "".join(text for text, _, _ in self.lines))
        self.new = [line(k, 3) for k in range(20)]
        strange = self.new[4][0].replace("|BV:bow| ", "|BV:bow| unknown:7 ")
        self.write("n.klp", "".join(strange if k == 4 else text for k, (text, _, _) in enumerate(self.new)))
        self.data = ["--data.kind", "trees", "--data.path", "t.klp", "--data.features", "bow"]
        self.sum = ["--similarity.kind", "sum", "--similarity.parts", "sstk,linear", "--similarity.weights", "1,0.5",
                    "--similarity.1.normalize", "true"]

    def expected(self, x, y):
        trees = subset_trees(x[1], y[1]) / math.sqrt(subset_trees(x[1], x[1]) * subset_trees(y[1], y[1]))
        return trees + 0.5 * linear(x[2], y[2])

    def extended(self, x, y):
        """K(x, all) K^+ K(all, y), as all objects are landmarks."""
        whole = numpy.array([[self.expected(a, b) for b in self.lines] for a in self.lines])
        left, right = (numpy.array([self.expected(new, old) for old in self.lines]) for new in (x, y))
        return left @ numpy.linalg.pinv(whole, 1e-10) @ right

    def entries(self, path, pairs, ranks=0):
        asked = [option for i, j in pairs for option in ("--entry", f"{i},{j}")]
        return [entry["value"] for entry in self.json("query", path, *asked, ranks=ranks)["entries"]]

    @unittest.skipIf(h5py is None, "h5py or NumPy is missing")
    def test_the_sum_is_that_of_both_kernels(self):
        pairs = [(0, 0), (3, 7), (11, 30), (35, 2), (5, 19)]
        for ranks in (0, 2, 3):
            report = self.json("approximate", *self.data, *self.sum, "--landmarks.count", N, "--output.path", "r.h5", ranks=ranks)
            self.assertEqual(8, report["trees"]["features"])
            for (i, j), value in zip(pairs, self.entries("r.h5", pairs, ranks)):
                self.assertAlmostEqual(self.expected(self.lines[i], self.lines[j]), value, delta=1e-5)
            # New objects, whose unknown words count nothing, and the exact error of a stored result.
            self.cairn("extend", "r.h5", "--data.path", "n.klp", "--output.path", "n.h5", ranks=ranks)
            new_pairs = [(0, 1), (4, 9), (19, 4)]
            for (i, j), value in zip(new_pairs, self.entries("n.h5", new_pairs, ranks)):
                self.assertAlmostEqual(self.extended(self.new[i], self.new[j]), value, delta=1e-4)
            self.assertLess(self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=ranks)["relative_error"], 1e-5)
        few = self.json("approximate", *self.data, *self.sum, "--landmarks.count", 9, "--output.path", "few.h5", ranks=2)
        self.assertGreater(few["relative_error"], 1e-5)
        self.cairn("extend", "few.h5", "--data.path", "t.klp", "--output.path", "again.h5", ranks=3)
        for value, other in zip(self.entries("few.h5", pairs), self.entries("again.h5", pairs)):
            self.assertAlmostEqual(value, other, delta=1e-6)

    @unittest.skipIf(h5py is None, "h5py is missing")
    def test_the_file_keeps_the_numbers_of_the_landmarks(self):
        self.cairn("approximate", *self.data, *self.sum, "--landmarks.count", 9, "--output.path", "r.h5", ranks=3)
        with h5py.File(self.path("r.h5")) as file:
            names = [name.decode() if isinstance(name, bytes) else name for name in file["tree-labels/features"][:]]
            self.assertEqual(sorted([*WORDS, "length"], key=lambda name: name.encode()), names)
            numbers = file["landmarks/objects/features"][:]
            for row, number in zip(numbers, file["landmarks/indices"][:]):
                self.assertEqual([self.lines[int(number)][2].get(name, 0) for name in names], row.tolist())

    def test_other_similarities_of_points_take_them_too(self):
        for parts, value in (("cosine", lambda x, y: linear(x, y) / math.sqrt(linear(x, x) * linear(y, y))),
                             ("rbf", lambda x, y: math.exp(-0.3 * (linear(x, x) + linear(y, y) - 2 * linear(x, y))))):
            gamma = ["--similarity.gamma", 0.3] if parts == "rbf" else []
            self.cairn("approximate", *self.data, "--similarity.kind", parts, *gamma, "--landmarks.count", N, "--output.path", "r.h5", ranks=2)
            for (i, j), found in zip([(1, 2), (8, 31)], self.entries("r.h5", [(1, 2), (8, 31)])):
                self.assertAlmostEqual(value(self.lines[i][2], self.lines[j][2]), found, delta=1e-5)

    def test_what_does_not_fit_is_refused(self):
        out = ["--landmarks.count", 5, "--output.path", "r.h5"]
        self.refused(2, "the similarity linear compares features, and the trees were read without", "approximate", "--data.kind", "trees",
                     "--data.path", "t.klp", *self.sum, *out)
        self.refused(3, r"t.klp:1: has no vector 'x' \(data.features\); there are bow, other", "approximate", *self.data[:-1], "x", *self.sum,
                     *out)
        self.refused(3, "t.klp:1: has several vectors: choose one with data.features: bow, other", "approximate", *self.data[:-1], "all",
                     *self.sum, *out)
        self.write("b.klp", "".join(text for text, _, _ in self.lines) + "l0 |BT:t| (S(N(a))(V(b))) |ET| |BV:bow| a:b |EV|\n")
        self.refused(3, f"b.klp:{N + 1}: the feature a: 'b' is not a number", "approximate", *self.data[:-3], "b.klp", "--data.features", "bow",
                     *self.sum, *out)
        self.write("t.penn", "(S (N a) (V b))\n(S (N b) (V a))\n")
        self.refused(2, "data.features = bow has no effect if data.format is penn", "approximate", "--data.kind", "trees", "--data.path",
                     "t.penn", "--data.features", "bow", "--similarity.kind", "sstk", *out)


if __name__ == "__main__":
    unittest.main()
