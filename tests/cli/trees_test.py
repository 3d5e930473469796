"""Trees from files to factors, to new objects and to their classes, and files of trees that cannot be used."""

import csv
import os
import unittest

try:
    import h5py
except ImportError:
    h5py = None

from cairn_program import CairnTest

TREES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "trees")
TRAIN, TEST = (os.path.join(TREES, name) for name in ("train_5500.coarse.klp.gz", "TREC_10.coarse.klp.gz"))
REAL = ["--data.kind", "trees", "--data.path", TEST, "--landmarks.count", 60, "--output.path", "r.h5"]
SMALL = [*REAL, "--data.tree", "grct", "--data.text", "quest"]
LEMMAS = "what who be city country river name do\n".split()


class QuestionsTest(CairnTest):
    def test_factors_are_the_same_on_any_ranks(self):
        for kernel in ("stk", "sstk", "ptk"):
            values = []
            for ranks in (1, 2, 3, 4):
                report = self.json("approximate", *SMALL, "--similarity.kind", kernel, "--evaluation.pairs", 1000, ranks=ranks)
                self.assertEqual((500, 30000), (report["n"], report["evaluations"]))
                entries = self.json("query", "r.h5", "--entry", "7,250", "--entry", "499,3", ranks=ranks)["entries"]
                values.append([report["relative_error"]] + [entry["value"] for entry in entries])
            for other in values[1:]:
                for one, same in zip(values[0], other):
                    self.assertAlmostEqual(one, same, delta=1e-9)

    def test_the_first_commands_of_the_page_classify_new_questions(self):
        config = os.path.join(os.environ["CAIRN_CONFIGS"], "trec.cfg")
        self.cairn("approximate", "--config", config, "--evaluation.pairs", 100, ranks=2)
        self.cairn("extend", "trec.h5", "--data.path", TEST, "--output.path", "new.h5", ranks=3)
        self.cairn("train", "trec.h5", "--task", "svm", "--cost", 10, "--output.path", "model.h5")
        self.cairn("predict", "model.h5", "--result", "new.h5", "--out", "classes.csv")
        with open(self.path("classes.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(500, len(rows))
        right = sum(row["label"] == row["predicted"] for row in rows) / len(rows)
        self.assertGreater(right, 0.83)
        self.assertLess(right, 0.90)

    def test_new_objects_are_compared_as_the_old_ones_are(self):
        self.cairn("approximate", *SMALL, ranks=2)
        for ranks in (1, 3):
            self.cairn("extend", "r.h5", "--data.path", TEST, "--output.path", "e.h5", ranks=ranks)
            one = self.json("query", "r.h5", "--entry", "7,250", "--entry", "499,3")["entries"]
            two = self.json("query", "e.h5", "--entry", "7,250", "--entry", "499,3")["entries"]
            for a, b in zip(one, two):
                self.assertAlmostEqual(a["value"], b["value"], delta=1e-10)

    def test_labels_that_the_landmarks_lack_are_new_ones(self):
        old = "".join(f"a |BT:t| (S(N(w{k}))(V(x))) |ET|\n" for k in range(30))
        self.cairn("approximate", "--data.kind", "trees", "--data.path", self.write("o.klp", old),
                   "--landmarks.count", 30, "--output.path", "r.h5")
        new = self.write("n.klp", "b |BT:t| (S(A(q))(N(w3))) |ET|\nb |BT:t| (Z(q)) |ET|\n")
        self.cairn("extend", "r.h5", "--data.path", new, "--output.path", "e.h5")
        entries = self.json("query", "e.h5", "--entry", "1,0", "--entry", "0,1", "--entry", "0,0")["entries"]
        self.assertAlmostEqual(0, entries[0]["value"], delta=1e-12)
        self.assertAlmostEqual(0, entries[1]["value"], delta=1e-12)
        self.assertGreater(entries[2]["value"], 0.1)

    def test_nearest_objects_say_what_they_are(self):
        self.cairn("approximate", *SMALL, ranks=3)
        for ranks in (1, 3):
            lines = self.cairn("query", "r.h5", "--nearest", 2, "--k", 3, ranks=ranks).out.splitlines()
            self.assertEqual(3, len(lines))
            self.assertRegex(lines[0], r"^\d+ [\d.]+ HUM  Who is Duke Ellington \?$")
        report = self.json("query", "r.h5", "--nearest", 2, "--k", 1)["nearest"]
        self.assertEqual("Who was Galileo ?", report["text"])
        self.assertEqual("Who is Duke Ellington ?", report["nearest"][0]["text"])

    @unittest.skipIf(h5py is None, "needs h5py")
    def test_landmarks_and_their_labels_are_in_the_file(self):
        self.cairn("approximate", *SMALL, ranks=2)
        with h5py.File(self.path("r.h5")) as file:
            objects, names = file["landmarks/objects"], [name.decode() for name in file["tree-labels/names"]]
            self.assertEqual(sorted(names), names)
            self.assertEqual(61, len(objects["starts"]))
            self.assertEqual(objects["starts"][1], objects["sizes"][0])
            self.assertEqual("SYNT##root", names[objects["labels"][0]])
            self.assertEqual([b"kelp", b"grct", b"quest"], list(file["tree-labels/origin"]))
            self.assertEqual("Who was Galileo ?", file["texts"][2].decode())

    def test_words_are_compared_by_vectors_which_the_result_keeps(self):
        self.write("v.txt", "".join(f"{word} {k % 3 + 1} {k % 2} {k}\n" for k, word in enumerate(LEMMAS)))
        words = ["--data.tree", "lct", "--similarity.kind", "sptk", "--data.vectors", "v.txt"]
        values = []
        for ranks in (1, 3):
            self.cairn("approximate", *REAL, *words, ranks=ranks)
            self.cairn("extend", "r.h5", "--data.path", TEST, "--data.vectors", "v.txt", "--output.path", "e.h5", ranks=ranks)
            for file in ("r.h5", "e.h5"):
                values.append(self.json("query", file, "--entry", "7,250")["entries"][0]["value"])
        for value in values[1:]:
            self.assertAlmostEqual(values[0], value, delta=1e-9)
        os.remove(self.path("e.h5"))
        outcome = self.cairn("extend", "r.h5", "--data.path", TEST, "--output.path", "e.h5")
        self.assertIn("v.txt, as in r.h5", outcome.out)
        os.remove(self.path("e.h5"))
        self.refused(2, "v.txt", "extend", "r.h5", "--data.path", TEST, "--output.path", "v.txt")
        other = self.write("w.txt", "".join(f"{word} 1 {k} 3\n" for k, word in enumerate(LEMMAS)))
        self.refused(3, "another one than that of the result", "extend", "r.h5", "--data.path", TEST, "--data.vectors",
                     other, "--output.path", "e.h5")


class GeneratedTest(CairnTest):
    def test_they_are_the_same_on_any_ranks(self):
        data = ["--data.kind", "trees", "--data.generate", "dependencies", "--data.points", 400]
        errors = [self.json("approximate", *data, "--landmarks.count", 20, "--evaluation.pairs", 500, "--output.path", "r.h5",
                            ranks=ranks)["relative_error"] for ranks in (1, 2, 3)]
        for error in errors[1:]:
            self.assertAlmostEqual(errors[0], error, delta=1e-9)


    def test_a_plan_is_made_from_them(self):
        data = ["--data.kind", "trees", "--data.generate", "dependencies", "--data.points", 3000, "--landmarks.count", 20]
        plan = self.json("plan", *data, ranks=2)
        self.assertEqual(60000, plan["evaluations"])
        self.assertEqual(3000, plan["n"])


class MistakesTest(CairnTest):
    def refuse(self, code, message, text, *options):
        self.refused(code, message, "approximate", "--data.kind", "trees", "--data.path", self.write("t.klp", text),
                     "--landmarks.count", 1, "--output.path", "r.h5", *options, ranks=(1, 3))

    def test_faults_are_named_by_line_and_column(self):
        good = "a |BT:t| (S(A)) |ET|\n"
        self.refuse(3, r"t.klp:2: column 16: a closing bracket is missing", good + "a |BT:t| (S(A) |ET|\n")
        self.refuse(3, r"t.klp:2: has no tree 'u' \(data.tree\); there are t", good.replace(":t", ":u") + good, "--data.tree", "u")
        self.refuse(3, r"t.klp:1: has several trees: choose one with data.tree: t, u", good[:-1] + " |BT:u| (S) |ET|\n")
        self.refuse(3, r":2: has no label", good + good[2:])

    def test_parameters_are_in_their_range(self):
        good = "a |BT:t| (S(A)) |ET|\n"
        for key, value in (("lambda", 0), ("lambda", 1.5), ("mu", -1), ("terminal-factor", 0)):
            self.refuse(2, f"similarity.{key}", good, f"--similarity.{key}", value)
        self.refuse(2, "similarity.threshold", good, "--similarity.threshold", 0.5)
        self.refuse(2, "similarity.mu", good, "--similarity.kind", "sstk", "--similarity.mu", 0.5)
        self.refuse(2, "vectors", good, "--similarity.kind", "sptk")
        self.refuse(3, "LEX##word::p", good, "--similarity.kind", "sptk", "--data.vectors", self.write("v.txt", "a 1 2\n"))

    def test_an_object_that_cannot_be_normalized_is_named(self):
        self.refuse(4, "object 1: its kernel with itself is 0", "a |BT:t| (S(A)) |ET|\na |BT:t| (A) |ET|\n",
                    "--similarity.kind", "sstk", "--similarity.leaves", "false")


if __name__ == "__main__":
    unittest.main()
