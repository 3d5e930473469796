"""Sequences and pairs of texts, from files to rankings, on any number of ranks."""

import os
import unittest

try:
    import h5py
except ImportError:
    h5py = None

from cairn_program import CairnTest

DATA = os.environ.get("CAIRN_DATA")

QUESTIONS, COMMENTS = 12, 4
WORDS = ["bank", "car", "visa", "school", "rent", "food"]


def forum(first, count):
    """The XML of threads: a comment is good if it has the word of the question."""
    text, chunks = ["<xml>"], []

    def add(name, words, speech="NN"):
        chunks.append(f"# id = {name}\n" + "".join(f"{w}\t{speech}\t{'B' if k == 0 else 'I'}-NP\n" for k, w in enumerate(words)) + "\n")

    for q in range(first, first + count):
        word, name = WORDS[q % len(WORDS)], f"Q{q}_R1"
        text.append(f'<OrgQuestion ORGQ_ID="Q{q}"><OrgQSubject>{word}</OrgQSubject><OrgQBody>which</OrgQBody><Thread THREAD_SEQUENCE="{name}">'
                    f'<RelQuestion RELQ_ID="{name}" RELQ_RANKING_ORDER="1" RELQ_USERID="U{q}" RELQ_RELEVANCE2ORGQ="Relevant">'
                    f"<RelQSubject>{word}</RelQSubject><RelQBody>which {word}</RelQBody></RelQuestion>")
        add(f"Q{q}", [word, "which"])
        add(name, [word, "which", word])
        for c in range(COMMENTS):
            good = (q + c) % 3 == 0
            words = [f"w{(q * 5 + c) % 7}", word if good else WORDS[(q + 1 + c) % len(WORDS)] + "s"]
            text.append(f'<RelComment RELC_ID="{name}_C{c}" RELC_USERID="U{c}" RELC_RELEVANCE2ORGQ="Bad" '
                        f'RELC_RELEVANCE2RELQ="{"Good" if good else "Bad"}"><RelCText>{" ".join(words)}</RelCText></RelComment>')
            add(f"{name}_C{c}", words)
        text.append("</Thread></OrgQuestion>")
    return "".join(text) + "</xml>\n", "".join(chunks)


class PairsTest(CairnTest):
    def setUp(self):
        super().setUp()
        for name, first in (("train", 0), ("dev", QUESTIONS)):
            xml, chunks = forum(first, QUESTIONS)
            self.write(f"{name}.xml", xml)
            self.write(f"{name}.conll", chunks)
        self.data = ["--data.kind", "pairs", "--data.path", "train.xml", "--data.trees", "train.conll", "--data.subtask", "A"]
        self.sum = ["--similarity.kind", "sum", "--similarity.parts", "cosine,ptk", "--similarity.weights", "1,0.5",
                    "--similarity.2.pairs", "crossed-sum"]

    def test_comments_are_ranked_and_the_rest_extends_the_result(self):
        before = None
        for ranks in (0, 2, 3, 4):
            both = ["--data.test-path", "dev.xml", "--data.test-trees", "dev.conll", "--data.positive", "Good"]
            report = self.json("approximate", *self.data, *both, *self.sum, "--landmarks.count", 20, "--landmarks.split", "train",
                               "--approximation.embedding", "true", "--output.path", "r.h5", ranks=ranks)
            self.assertEqual(2 * QUESTIONS * COMMENTS, report["n"])
            self.assertEqual(57, len(report["pairs"]["features"]))
            found = self.json("train", "r.h5", "--task", "svm", "--cost", 1, "--output.path", "m.h5", ranks=ranks)
            tested = {one["on"]: one for one in found["rankings"]}["test"]
            self.assertEqual(QUESTIONS, tested["groups"])
            self.assertGreater(tested["by_score"]["map"], tested["by_order"]["map"])
            before = before or tested
            self.assertAlmostEqual(before["by_score"]["map"], tested["by_score"]["map"], places=9)
            self.cairn("approximate", *self.data, "--data.positive", "Good", *self.sum, "--landmarks.count", 20, "--output.path",
                       "old.h5", ranks=ranks)
            self.cairn("extend", "old.h5", "--data.path", "dev.xml", "--data.trees", "dev.conll", "--output.path",
                       "new.h5", ranks=ranks)

    @unittest.skipUnless(DATA, "set CAIRN_DATA to the folder of further inputs to run it")
    def test_the_order_of_threads_and_of_the_search_have_the_published_scores(self):
        files = os.path.join(DATA, "questions", "semeval2016-task3-")
        data = ["--data.kind", "pairs", "--data.path", files + "train-part2.xml.xz", "--data.trees", files + "train-part2.conll.xz",
                "--data.test-path", files + "dev.xml.xz", "--data.test-trees", files + "dev.conll.xz"]
        for subtask, positive, groups, scores in (("A", "Good", 244, (0.5384, 0.7278, 0.6313)),
                                                  ("B", "PerfectMatch,Relevant", 50, (0.7135, 0.8611, 0.7667))):
            self.cairn("approximate", *data, "--data.subtask", subtask, "--data.positive", positive, "--similarity.kind", "linear",
                       "--landmarks.count", 30, "--approximation.embedding", "true", "--evaluation.pairs", 0, "--output.path", "q.h5", ranks=2)
            report = self.json("train", "q.h5", "--task", "svm", "--cost", 0.1, "--output.path", "m.h5")
            test = {one["on"]: one for one in report["rankings"]}["test"]
            self.assertEqual(groups, test["groups"])
            found = [round(test["by_order"][name], 4) for name in ("map", "average_recall", "reciprocal_rank")]
            self.assertEqual(list(scores), found, subtask)

    @unittest.skipUnless(h5py, "needs h5py")
    def test_kernels_of_landmarks_with_themselves_are_kept(self):
        self.cairn("approximate", *self.data, *self.sum, "--similarity.2.mu", 0.3, "--landmarks.count", 20, "--output.path", "r.h5", ranks=2)
        with h5py.File(self.path("r.h5")) as file:
            for side in ("left", "right"):
                group = file[f"landmarks/objects/{side}/0/derived"]
                self.assertEqual([b"ptk lambda=0.4 mu=0.3 terminal-factor=1"], list(group["names"][:]))
                self.assertEqual((1, 20), group["values"].shape)
                self.assertTrue((group["values"][:] > 0).all())
        new = ["--data.path", "dev.xml", "--data.trees", "dev.conll"]
        self.cairn("extend", "r.h5", *new, "--output.path", "known.h5")
        with h5py.File(self.path("known.h5")) as file:
            known = file["left"][:]
            self.assertIn("derived", file["landmarks/objects/left/0"])
        self.cairn("approximate", *self.data, *self.sum, "--similarity.2.mu", 0.3, "--similarity.2.normalize", "false", "--landmarks.count",
                   20, "--output.path", "n.h5")
        with h5py.File(self.path("n.h5")) as file:
            self.assertNotIn("derived", file["landmarks/objects/left/0"])
        self.cairn("extend", "r.h5", *new, "--output.path", "again.h5", ranks=3)
        with h5py.File(self.path("again.h5")) as file:
            self.assertLess(abs(file["left"][:] - known).max(), 1e-13)

    def test_what_does_not_fit_is_refused(self):
        run = ["approximate", *self.data, "--landmarks.count", 5, "--output.path", "r.h5"]
        self.refused(2, r"--similarity.tree = x: the pairs have no such tree; there are chunks", *run, "--similarity.kind", "ptk",
                     "--similarity.tree", "x")
        self.refused(2, r"compares features, and the pairs were read without", *run, "--similarity.kind", "linear", "--data.features", "none")
        self.refused(2, r"'Relevant' is no label of subtask A", *run, "--similarity.kind", "ptk", "--data.positive", "Relevant")
        self.refused(3, r"train.conll:1: no text has the id Q0", "approximate", "--data.kind", "pairs", "--data.path", "dev.xml",
                     "--data.trees", "train.conll", "--data.subtask", "A", "--similarity.kind", "ptk", "--landmarks.count", 5,
                     "--output.path", "r.h5")
        self.write("s.txt", "a b\n\nb c\n" * 40)
        lines = ["approximate", "--data.kind", "sequences", "--data.path", "s.txt", "--landmarks.count", 5, "--output.path", "r.h5"]
        self.refused(4, r"K\(x, x\) = 0 of object \d+ ", *lines, "--evaluation.pairs", 0)
        self.refused(2, r"similarity.pairs", *lines, "--similarity.pairs", "sum")
        self.write("s.txt", b"a b\n\xff\n")
        self.refused(3, r"s.txt:2: byte 1 of the sequence \(0xff\) is not UTF-8", *lines)

    def test_new_sequences_are_cut_as_the_old_ones_were(self):
        self.write("old.txt", "".join(f"{'abc'[i % 3] * (1 + i % 4)}{'xyz'[i % 2]}\n" for i in range(60)))
        self.write("new.txt", "".join(f"{'bcd'[i % 3] * (1 + i % 5)}x\n" for i in range(30)))
        for ranks in (0, 2, 3):
            self.cairn("approximate", "--data.kind", "sequences", "--data.path", "old.txt", "--data.tokens", "characters",
                       "--similarity.kind", "edit", "--similarity.gamma", 0.3, "--landmarks.count", 20, "--output.path", "r.h5", ranks=ranks)
            report = self.json("extend", "r.h5", "--data.path", "new.txt", "--output.path", "n.h5", ranks=ranks)
            self.assertEqual(4, report["sequences"]["longest"] - 2)


if __name__ == "__main__":
    unittest.main()
