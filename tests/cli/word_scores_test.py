"""Vectors of words against what people say of words: correlations with scored pairs, QVEC and QVEC-CCA."""

import gzip
import json
import lzma
import math
import os
import struct
import unittest

try:
    import h5py
except ImportError:
    h5py = None

from cairn_program import CairnTest, points

DATA = os.environ.get("CAIRN_DATA")
LETTERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "letter.csv.xz")
WORDS = ["cat", "dog", "owl", "Rome", "rome", "null", "ärzte", "new"] + [f"w{i}" for i in range(42)]
DIMENSION = 4
# With more landmarks than dimensions, K = L Lᵀ exactly: rows of L are the points, turned.
LINEAR = ["--similarity.kind", "linear", "--approximation.method", "nystrom", "--approximation.embedding", "true",
          "--landmarks.count", 12]
SIMLEX = """word1\tword2\tPOS\tSimLex999\tconc(w1)
cat\tdog\tN\t7\t1
cat\towl\tN\t2\t1
Dog\tw3\tN\t2\t1
Rome\tcat\tN\t5.5\t1
ROME\tcat\tN\t1\t1
w5\tÄRZTE\tN\t3\t1
cat\twolf\tN\t3\t1
cat\tnull\tN\t3\t1
cat\tcat\tN\t10\t1
"""


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


def pearson(a, b):
    x, y = ([value - sum(values) / len(values) for value in values] for values in (a, b))
    norms = math.sqrt(sum(v * v for v in x) * sum(v * v for v in y))
    return sum(v * w for v, w in zip(x, y)) / norms if norms > 0 else 0.0


def spearman(a, b):
    return pearson(*[[sum(v < value for v in values) + (1 + sum(v == value for v in values)) / 2 for value in values]
                     for values in (a, b)])


def write_vectors(test, vectors, labels=WORDS):
    """A CSV file of coordinates and words, and the result of approximating their products."""
    lines = [",".join([f"x{j}" for j in range(len(vectors[0]))] + ["word"])]
    lines += [",".join([*map(repr, vector), label]) for vector, label in zip(vectors, labels)]
    test.write("points.csv", "\n".join(lines) + "\n")


class WordsTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.vectors = [[x - 0.4 for x in row] for row in points(len(WORDS), DIMENSION)]
        self.vectors[WORDS.index("null")] = [0.0] * DIMENSION
        write_vectors(self, self.vectors)
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "word", *LINEAR, "--output.path", "r.h5")
        self.write("simlex.txt", SIMLEX)
        self.write("plain.csv.gz", gzip.compress(b"# people\ncat,dog,5\ncat,owl,3\ndog,w1,4\nw1,w2,1\n"))
        self.features = {word: {"a": i % 3 / 2, "b": i % 7 / 3, "c": (i * i) % 5} for i, word in enumerate(WORDS)}
        oracle = "unknown\t{\"a\": 1}\n" + "".join(
            f"{word}\t{json.dumps({name: value for name, value in row.items() if value})}\n"
            for word, row in self.features.items())
        self.write("oracle", oracle)
        self.write("oracle.xz", lzma.compress(oracle.encode()))

    def vector(self, word):
        return self.vectors[WORDS.index(word if word in WORDS else word.lower())]

    def spearman(self, pairs):
        return spearman([cosine(self.vector(a), self.vector(b)) for a, b, _ in pairs], [score for _, _, score in pairs])

    def test_correlations_are_those_of_the_vectors(self):
        expected = [self.spearman([("cat", "dog", 7), ("cat", "owl", 2), ("dog", "w3", 2), ("Rome", "cat", 5.5),
                                   ("rome", "cat", 1), ("w5", "ärzte", 3), ("cat", "cat", 10)]),
                    self.spearman([("cat", "dog", 5), ("cat", "owl", 3), ("dog", "w1", 4), ("w1", "w2", 1)])]
        reports = [self.json("evaluate", "r.h5", "--words", "simlex.txt,plain.csv.gz", ranks=ranks) for ranks in (0, 3)]
        for report in reports:
            self.assertNotIn("qvec", report)
            self.assertEqual((len(WORDS), DIMENSION), (report["n"], report["dimension"]))
            first, second = report["words"]
            self.assertEqual({"file": "simlex.txt", "pairs": 9, "known": 8, "zero_vectors": 1, "separator": "tab",
                              "comment_lines": 0, "header": ["word1", "word2", "SimLex999"]},
                             {key: value for key, value in first.items() if key != "spearman"})
            self.assertEqual({"file": "plain.csv.gz", "pairs": 4, "known": 4, "zero_vectors": 0, "separator": "comma",
                              "comment_lines": 1, "header": []},
                             {key: value for key, value in second.items() if key != "spearman"})
            for one, value in zip((first, second), expected):
                self.assertAlmostEqual(value, one["spearman"], delta=1e-9)
        out = self.cairn("evaluate", "r.h5", "--words", "simlex.txt, plain.csv.gz").out
        self.assertRegex(out, rf"(?m)^ *simlex.txt +9 +8 +1 +{expected[0]:.4f} +tab +0 +word1, word2, SimLex999$")
        self.assertRegex(out, rf"(?m)^ *plain.csv.gz +4 +4 +0 +{expected[1]:.4f} +comma +1 +none$")

    def test_qvec_is_that_of_the_rows(self):
        reports = [self.json("evaluate", "r.h5", "--qvec", "oracle.xz", "--words", "simlex.txt", ranks=ranks)["qvec"]
                   for ranks in (0, 3)]
        for report in reports:
            self.assertEqual((len(WORDS), len(WORDS) + 1, 3, 4, 3),
                             tuple(report[key] for key in ("words", "listed", "features", "vector_rank",
                                                           "feature_rank")))
            self.assertAlmostEqual(reports[0]["score"], report["score"], delta=1e-12)
            self.assertAlmostEqual(reports[0]["cca"], report["cca"], delta=1e-12)
        # The first canonical correlation is at least that of each pair of columns, and the same for the points.
        self.assertGreater(reports[0]["cca"], max(abs(pearson([v[k] for v in self.vectors], column))
                                                  for k in range(DIMENSION) for column in self.columns()))
        self.assertLess(reports[0]["cca"], 1)
        out = self.cairn("evaluate", "r.h5", "--qvec", "oracle").out
        self.assertRegex(out, rf"(?m)^ *oracle +51 +50 +3 +{reports[0]['score']:.4f} +{reports[0]['cca']:.4f}$")
        self.assertNotIn("too few", out)

    def columns(self):
        return [[row[name] for row in self.features.values()] for name in "abc"]

    @unittest.skipIf(h5py is None, "h5py is not there")
    def test_qvec_is_that_of_the_columns_of_the_file(self):
        with h5py.File(self.path("r.h5")) as file:
            left = file["left"][:].tolist()
        expected = sum(max(0.0, *(pearson([row[k] for row in left], column) for column in self.columns()))
                       for k in range(DIMENSION))
        self.assertAlmostEqual(expected, self.json("evaluate", "r.h5", "--qvec", "oracle")["qvec"]["score"], delta=1e-9)

    def test_few_words_are_told(self):
        self.write("few", "".join(f"w{i}\t{{\"a\": {i * i % 5}, \"b\": {i % 3}}}\n" for i in (0, 5, 11)))
        outcome = self.cairn("evaluate", "r.h5", "--qvec", "few")
        self.assertRegex(outcome.out, r"(?m)^  note: QVEC-CCA is 1 for any vectors: 3 words are too few")

    def test_no_data_are_read(self):
        os.remove(self.path("points.csv"))
        self.json("evaluate", "r.h5", "--words", "simlex.txt", "--qvec", "oracle", ranks=2)

    def test_other_parts_of_the_result_are_told(self):
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "word", "--similarity.kind", "linear",
                   "--landmarks.count", DIMENSION, "--output.path", "plain.h5")
        self.assertIn("note: the vectors are rows of the left factor; the core matrix of this result has no effect",
                      self.cairn("evaluate", "plain.h5", "--words", "simlex.txt").out)
        self.assertNotIn("note:", self.cairn("evaluate", "r.h5", "--words", "simlex.txt").out)

    def test_options_without_effect_are_refused(self):
        for option in (["--evaluation.rows", 3], ["--spectrum", 4], ["--row", 0], ["--pairs", "p.csv"], ["--by-label"],
                       ["--threshold-pairs", "p.csv"], ["--out", "o.csv"], ["--by-vertex", "v.csv"], ["--run.seed", 3],
                       ["--data.path", "points.csv"]):
            self.refused(2, f"^{option[0]} has no effect beside --words$", "evaluate", "r.h5", "--words", "simlex.txt",
                         "--qvec", "oracle", *option, ranks=(1,))
        self.refused(2, "^--run.seed has no effect beside --qvec$", "evaluate", "r.h5", "--qvec", "oracle",
                     "--run.seed", 1)
        self.cairn("evaluate", "r.h5", "--words", "simlex.txt", "--run.threads", 1, "--run.memory", "1GB")
        self.refused(2, "--words is a list of files", "evaluate", "r.h5", "--words", "simlex.txt,", ranks=(1,))
        for read, option in (("plain.csv.gz", ["--words", "simlex.txt,plain.csv.gz"]),
                             ("oracle", ["--qvec", "oracle"])):
            self.refused(2, read, "evaluate", "r.h5", *option, "--json", read)

    def test_bad_files_are_refused(self):
        self.write("bad.txt", "cat dog 1\ncat owl x\n")
        self.write("few.txt", "cat dog 1\ncat wolf 2\n")
        self.write("bad", "cat\t{\"a\": 1}\ndog\t{\"a\": \"1\"}\n")
        self.refused(3, r"bad.txt:2: 'x' is not a number", "evaluate", "r.h5", "--words", "simlex.txt,bad.txt")
        self.refused(3, "missing.txt", "evaluate", "r.h5", "--words", "missing.txt")
        self.refused(3, r"few.txt: of its 2 pairs, 1 have two words that are labels", "evaluate", "r.h5", "--words",
                     "few.txt")
        self.refused(3, r"bad:2: its field 'a' is a text, not a number", "evaluate", "r.h5", "--qvec", "bad")
        self.refused(3, r"few.txt:1: is not a word, a tab", "evaluate", "r.h5", "--qvec", "few.txt")
        self.refused(3, r"oracle:1: '1}' is not a number", "evaluate", "r.h5", "--words", "oracle")

    def test_results_without_vectors_of_words_are_refused(self):
        self.write("bare.csv", "x,y\n" + "".join(f"{i},{i * i % 7}\n" for i in range(20)))
        self.cairn("approximate", "--data.path", "bare.csv", "--similarity.kind", "linear", "--landmarks.count", 2,
                   "--output.path", "bare.h5")
        self.refused(3, "bare.h5: its rows have no labels", "evaluate", "bare.h5", "--words", "simlex.txt")
        self.write("g.txt", "".join(f"{i} {i + 1}\n" for i in range(30)))
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "g.txt", "--data.format", "edges",
                   "--landmarks.count", 5, "--output.path", "graph.h5")
        self.refused(3, "graph.h5: its rows have no labels", "evaluate", "graph.h5", "--qvec", "oracle")
        if h5py is None:
            return
        with h5py.File(self.path("graph.h5"), "r+") as file:
            file.create_dataset("labels", data=[f"w{i:02}".encode() for i in range(31)], dtype="S3")
            del file["crc32"]
        self.refused(3, "graph.h5: its factors are sparse", "evaluate", "graph.h5", "--qvec", "oracle")

    def test_labels_that_are_classes(self):
        self.cairn("approximate", "--data.path", LETTERS, "--data.label", "Letter", *LINEAR, "--evaluation.pairs", 0,
                   "--output.path", "letter.h5")
        self.write("letters.txt", "Q X 1\nB A 2\nC A 3\n")
        self.refused(3, r"letters.txt:1: the label 'Q' is a duplicate: 783 rows of the result have it", "evaluate",
                     "letter.h5", "--words", "letters.txt")
        self.refused(3, r"simlex.txt: of its 9 pairs, 0 have", "evaluate", "letter.h5", "--words", "simlex.txt")


@unittest.skipUnless(DATA, "set CAIRN_DATA to the folder of further inputs to run it")
class GloveTest(CairnTest):
    def test_vectors_of_glove_are_as_good_as_is_known(self):
        """The published correlations of these vectors are .53 and .30 (all figures here: NumPy on the file itself)."""
        folder = os.path.join(DATA, "words")
        files = [os.path.join(folder, name) for name in ("EN-WS-353-ALL.txt", "EN-SIMLEX-999.txt")]
        oracle = os.path.join(folder, "qvec-supersenses.xz")
        wanted = set()
        for name in files:
            with open(name, encoding="utf-8") as file:
                wanted.update(word.lower() for line in file for word in line.split()[:2])
        with lzma.open(oracle, "rt", encoding="utf-8") as file:
            wanted.update(line.split("\t")[0] for line in file)
        with gzip.open(os.path.join(folder, "glove100.words.txt.gz"), "rt", encoding="utf-8") as words, \
                gzip.open(os.path.join(folder, "glove100.f32le.gz")) as vectors:
            found = [(word.rstrip("\n"), struct.unpack("<100f", vectors.read(400))) for word in words]
        found = [(word, vector) for word, vector in found if word in wanted]
        write_vectors(self, [vector for _, vector in found], [f"\"{word}\"" for word, _ in found])
        self.cairn("approximate", "--data.path", "points.csv", "--data.label", "word", *LINEAR[:-1], 300,
                   "--output.path", "r.h5")
        for ranks in (0, 2):
            report = self.json("evaluate", "r.h5", "--words", ",".join(files), "--qvec", oracle, ranks=ranks)
            self.assertEqual([(353, 353), (999, 999)], [(one["pairs"], one["known"]) for one in report["words"]])
            self.assertAlmostEqual(0.532735, report["words"][0]["spearman"], delta=1e-5)
            self.assertAlmostEqual(0.297550, report["words"][1]["spearman"], delta=1e-5)
            qvec = report["qvec"]
            self.assertEqual((4173, 41, 100, 40),
                             tuple(qvec[key] for key in ("words", "features", "vector_rank", "feature_rank")))
            self.assertAlmostEqual(0.882343, qvec["cca"], delta=1e-5)


if __name__ == "__main__":
    unittest.main()
