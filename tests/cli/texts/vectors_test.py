"""Files of word vectors that other programs take: a word twice, and a model that is no table."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402

VECTORS = "cat 1 0\ndog 0 1\nsat 1 1\nthe .5 .5\nowl -1 0\n"
AGAIN = "cat -3 5\nunused 1 1\ndog 2 2\ncat 7 7\nunused 2 2\n"
FASTTEXT = b"\xba\x16\x4f\x2f\x0c\x00\x00\x00\x2c\x01\x00\x00" + bytes(64)
WORDS = ["cat", "dog", "sat", "the", "owl"]


class VectorsTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.write("v.txt", VECTORS)
        self.write("twice.txt", VECTORS + AGAIN)
        self.write("d.txt", "".join(f"the {WORDS[k % 5]} sat {WORDS[(k * k + 1) % 5]}\n" for k in range(40)))
        self.write("t.klp", "".join(f"a |BT:t| (S(LEX##{WORDS[k % 5]}::n)(V(LEX##{WORDS[(k * k + 1) % 5]}::n))) |ET|\n" for k in range(40)))
        self.kinds = {"documents": ["--data.path", "d.txt", "--data.format", "lines", "--similarity.kind", "wmd", "--similarity.gamma", 1],
                      "trees": ["--data.path", "t.klp", "--similarity.kind", "sptk"]}
        self.write("p.klp", "".join(
            f"a |<| |BT:t| (S(LEX##{WORDS[k % 5]}::n)) |ET| |,| |BT:t| (S(LEX##{WORDS[(k + 1) % 5]}::n)) |ET| |>|\n" for k in range(40)))
        self.kinds["pairs"] = ["--data.path", "p.klp", "--data.features", "none", "--similarity.kind", "sptk"]

    def read(self, kind, vectors, *more, output="r.h5"):
        return ["approximate", "--data.kind", kind, *self.kinds[kind], "--data.vectors", vectors, "--landmarks.count", 6, "--output.path",
                output, *more]

    def entries(self, path):
        return [entry["value"] for entry in self.json("query", path, "--entry", "1,2", "--entry", "3,9", "--entry", "17,4")["entries"]]

    def test_the_first_vector_of_a_word_counts_if_that_is_asked_for(self):
        for kind in self.kinds:
            self.cairn(*self.read(kind, "v.txt", output="one.h5"))
            expected = self.entries("one.h5")
            for ranks in (1, 3):
                report = self.json(*self.read(kind, "twice.txt", "--data.repeated-words", "first"), ranks=ranks)
                self.assertEqual(["3 vectors were left out: their words have one before them in the file (data.repeated-words = first)"],
                                 [warning for warning in report["warnings"] if "vector" in warning])
                for value, other in zip(expected, self.entries("r.h5")):
                    self.assertAlmostEqual(value, other, delta=1e-6)
            more = ["--data.format", "lines"] if kind == "documents" else []
            new = {"documents": "d.txt", "trees": "t.klp", "pairs": "p.klp"}[kind]
            report = self.json("extend", "r.h5", "--data.path", new, *more, *(["--data.vectors", "twice.txt"] if kind == "pairs" else []),
                               *(["--data.repeated-words", "first"] if kind == "pairs" else []), "--output.path", "n.h5", ranks=2)
            self.assertEqual(40, report["n"])

    def test_a_word_twice_is_refused_by_default(self):
        for kind in self.kinds:
            self.refused(3, "^twice.txt:(6|8|9): the word '(cat|dog)' has a vector already \\(twice.txt:[126]\\); data.repeated-words = first "
                         "takes the first of several", *self.read(kind, "twice.txt"), ranks=(1, 3))
        self.assertNotIn("left out", self.cairn(*self.read("documents", "v.txt", "--data.repeated-words", "first")).out)

    def test_a_model_of_fasttext_is_named(self):
        self.write("wiki.en.bin", FASTTEXT)
        for kind in self.kinds:
            for more in ([], ["--data.vectors-format", "text"]):
                self.refused(3, "^wiki.en.bin: is a model of fastText.*name the file of vectors that fastText writes beside it, wiki.en.vec$",
                             *self.read(kind, "wiki.en.bin", *more), ranks=(1, 3))

    def test_a_bracket_as_a_label_has_a_way_out(self):
        self.write("b.klp", "x |BT:t| (call(name)(\\()(args)) |ET|\ny |BT:t| (call(name)(args)) |ET|\n")
        trees = ["approximate", "--data.kind", "trees", "--data.path", "b.klp", "--landmarks.count", 2, "--output.path", "r.h5"]
        self.refused(3, "^b.klp:1: column 24: a node has no label; a bracket as a label is written -LRB- or -RRB-$", *trees)
        self.write("b.klp", "x |BT:t| (call(name)(-LRB-)(args)) |ET|\ny |BT:t| (call(name)(args)) |ET|\n")
        self.cairn(*trees)


if __name__ == "__main__":
    unittest.main()
