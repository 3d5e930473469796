"""Sequences on the command line: what a symbol is, what is said if symbols are too coarse, and normalized values."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402

COARSE = "no sequence has more than one symbol, so that two have everything in common or nothing"
STRANGE = "no symbol occurs twice, so that no two sequences have anything in common"
WAY_OUT = "; data.tokens = characters makes a symbol of each character"


def proteins(count):
    """Sequences that differ in one letter of 30 or so."""
    letters = "MKVLATGRSE"
    texts = []
    for k in range(count):
        text = (letters * 3)[: 28 + k % 3]
        texts.append(text[: k % 20] + letters[(7 * k) % 10] + text[k % 20 + 1:])
    return texts


def kernel(x, y, length, decay):
    """The published recursion."""
    before = [[1.0] * (len(y) + 1) for _ in range(len(x) + 1)]
    total = 0.0
    for _ in range(length):
        after = [[0.0] * (len(y) + 1) for _ in range(len(x) + 1)]
        for i in range(1, len(x) + 1):
            second = 0.0
            for j in range(1, len(y) + 1):
                same = decay * before[i - 1][j - 1] if x[i - 1] == y[j - 1] else 0.0
                total += decay * same
                second = decay * (second + same)
                after[i][j] = decay * after[i - 1][j] + second
        before = after
    return total


class SequencesTest(CairnTest):
    def read(self, path, *more, landmarks=5, output="r.h5"):
        return ["approximate", "--data.kind", "sequences", "--data.path", path, "--landmarks.count", landmarks, "--output.path", output, *more]

    def exact(self, pairs, **more):
        asked = [option for pair in pairs for option in ("--entry", pair)]
        return [entry["value"] for entry in self.json("query", "r.h5", *asked, **more)["entries"]]

    def test_letters_of_fasta_are_symbols(self):
        texts = proteins(30)
        self.write("p.fa", "".join(f">p{k}\n{text[:11]}\n{text[11:]}\n" for k, text in enumerate(texts)))
        for ranks in (0, 3):
            report = self.json(*self.read("p.fa", landmarks=30), ranks=ranks)
            self.assertEqual((10, sum(map(len, texts))), (report["sequences"]["different_symbols"], report["sequences"]["symbols"]))
            self.assertNotIn("symbol", " ".join(report["warnings"]))
            for (a, b), value in zip(((0, 1), (3, 20)), self.exact(("0,1", "3,20"), ranks=ranks)):
                x, y = texts[a], texts[b]
                expected = kernel(x, y, 4, 0.75) / (kernel(x, x, 4, 0.75) * kernel(y, y, 4, 0.75)) ** 0.5
                self.assertAlmostEqual(expected, value, delta=1e-5)
        self.write("new.fa", f">a\n{texts[3]}\n>b\n{texts[4]}\n")
        report = self.json("extend", "r.h5", "--data.path", "new.fa", "--output.path", "n.h5")
        self.assertEqual(max(len(texts[3]), len(texts[4])), report["sequences"]["longest"])
        # And what was the default is a word away.
        report = self.json(*self.read("p.fa", "--data.tokens", "blanks"))
        self.assertEqual(1, report["sequences"]["longest"])
        self.assertEqual([COARSE + WAY_OUT], [warning for warning in report["warnings"] if "symbol" in warning])

    def test_symbols_that_are_too_coarse_are_warned_of(self):
        cases = [("one.txt", "".join(f"{text}\n" for text in proteins(20)), [], COARSE + WAY_OUT),
                 ("one.tsv", "".join(f"dna\t{text}\n" for text in proteins(20)), [], COARSE + WAY_OUT),
                 ("one.klp", "".join(f"a |BSQ:s| ({text}) |ESQ|\n" for text in proteins(20)), [], COARSE + WAY_OUT),
                 ("letters.txt", "a\nb\nc\na\nb\nc\n", ["--data.tokens", "characters"], COARSE),
                 ("other.txt", "".join(f"a{k} b{k} c{k}\n" for k in range(20)), [], STRANGE + WAY_OUT)]
        for name, text, more, expected in cases:
            self.write(name, text)
            for ranks in (1, 3):
                with self.subTest(name=name, ranks=ranks):
                    warnings = self.json(*self.read(name, *more), ranks=ranks)["warnings"]
                    self.assertEqual([expected], [warning for warning in warnings if "symbol" in warning])
        self.write("fine.txt", "".join(f"a b{k}\n" for k in range(20)))
        self.assertEqual([], [warning for warning in self.json(*self.read("fine.txt"))["warnings"] if "symbol" in warning])

    def test_long_sequences_are_normalized(self):
        self.write("a.txt", ("A" * 600 + "\n" + "A" * 560 + "\n") * 2)
        run = self.read("a.txt", "--data.tokens", "characters", "--similarity.length", 64, "--similarity.lambda", 1, landmarks=4)
        for ranks in (1, 3):
            self.cairn(*run, ranks=ranks)
            same, equal = self.exact(("0,0", "0,2"), ranks=ranks)
            self.assertAlmostEqual(1, same, delta=1e-5)
            self.assertAlmostEqual(1, equal, delta=1e-5)
        self.write("a.txt", "A" * 6400 + "\n" + "A" * 10 + "\n" + "A" * 12 + "\n")
        self.refused(4, "K\\(x, x\\) = inf of object 0 under similarity.normalize = true: the 6400 symbols have too many common "
                     "subsequences; take a smaller similarity.length or similarity.lambda",
                     *self.read("a.txt", "--data.tokens", "characters", "--similarity.length", 64, "--similarity.lambda", 1, landmarks=2), ranks=[2])


if __name__ == "__main__":
    unittest.main()
