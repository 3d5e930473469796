"""Documents from files to factors and to new documents, and files of documents that cannot be used."""

import csv
import math
import os
import random
import re
import struct
import unittest

try:
    import h5py
except ImportError:
    h5py = None

from cairn_program import CairnTest

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
QUESTIONS = os.path.join(DATA, "questions.tsv.gz")
VECTORS = os.path.join(DATA, "questions.f32le.xz")
WMD = ["--similarity.kind", "wmd", "--similarity.gamma", "0.3", "--landmarks.count", 20, "--output.path", "r.h5"]
REAL = ["--data.kind", "documents", "--data.path", QUESTIONS, "--data.label", 1, "--data.vectors", VECTORS]
SMALL = "cat 1 0\ndog 0 1\nsat 1 1\nthe .5 .5\nowl -1 0\n"


class QuestionsTest(CairnTest):
    def test_factors_are_the_same_on_any_ranks(self):
        errors = []
        for ranks in (1, 2, 3):
            report = self.json("approximate", *REAL, *WMD, "--evaluation.pairs", 1000, ranks=ranks)
            self.assertEqual((300, 6000), (report["n"], report["evaluations"]))
            errors.append(report["relative_error"])
        for error in errors[1:]:
            self.assertAlmostEqual(errors[0], error, delta=1e-9)

    def test_info_says_what_documents_are(self):
        self.cairn("approximate", *REAL, *WMD, "--data.stop-words", self.write("stop.txt", "what\nthe\n"))
        report = self.json("info", "r.h5")
        self.assertEqual(("documents", 100, "words", True, 2, False),
                         tuple(report[key] for key in ("object_kind", "dimension", "tokens", "lower_case", "stop_words",
                                                       "has_splits")))
        self.assertRegex(self.cairn("info", "r.h5").out, r"words +words, in small letters, 2 stop words, vectors of 100")

    def test_extending_by_the_same_documents_gives_the_same_rows(self):
        self.cairn("approximate", *REAL, *WMD)
        for ranks in (1, 3):
            self.cairn("extend", "r.h5", "--data.path", QUESTIONS, "--data.label", 1, "--data.vectors", VECTORS,
                       "--output.path", "e.h5", ranks=ranks)
            one = self.json("query", "r.h5", "--entry", "7,250", "--entry", "299,3")["entries"]
            two = self.json("query", "e.h5", "--entry", "7,250", "--entry", "299,3")["entries"]
            for a, b in zip(one, two):
                self.assertAlmostEqual(a["value"], b["value"], delta=1e-10)

    @unittest.skipIf(h5py is None, "needs h5py")
    def test_landmarks_and_their_words_are_in_the_file(self):
        self.cairn("approximate", *REAL, *WMD, "--data.keep-texts", "true", ranks=2)
        with h5py.File(self.path("r.h5")) as file:
            objects, words = file["landmarks/objects"], file["words"]
            self.assertEqual(21, len(objects["starts"]))
            text = objects["texts"][0].decode()
            first = [words["names"][w].decode() for w in objects["words"][:objects["starts"][1]]]
            self.assertEqual(set(first), {w for w in text.lower().split() if w.isalnum()} & set(first))
            self.assertGreater(len(first), 0)
            self.assertEqual((len(words["names"]), 100), words["vectors"].shape)


class ClassifiedTextsTest(CairnTest):
    """A folder of texts and vectors of words: embeddings, a classifier, and classes of new documents."""

    def test_new_documents_are_classified_at_the_price_of_their_landmarks(self):
        draw = random.Random(7)
        words = {"animal": "cat dog owl".split(), "motion": "ran sat flew".split()}
        self.write("v.txt", "".join(f"{word} {3 * (kind == 'animal') + draw.random():.4f} {draw.random():.4f}\n"
                                    for kind, own in words.items() for word in own))
        for folder, count in (("old", 30), ("new", 12)):
            for kind, own in words.items():
                os.makedirs(self.path(f"{folder}/{kind}"))
                for k in range(count // 2):
                    self.write(f"{folder}/{kind}/{k:02}.txt", " ".join(draw.choices(own, k=1 + k % 4)) + "\n")
        data = ["--data.kind", "documents", "--data.vectors", "v.txt"]
        report = self.json("approximate", *data, "--data.path", "old", "--similarity.kind", "wmd", "--similarity.gamma", 1,
                           "--approximation.method", "sms-nystrom", "--approximation.embedding", "true", "--landmarks.count", 6,
                           "--output.path", "r.h5", ranks=2)
        self.assertEqual(30, report["n"])
        trained = self.json("train", "r.h5", "--task", "svm", "--cost", "1,10", "--folds", 3, "--output.path", "m.h5", ranks=2)
        self.assertEqual(["animal", "motion"], trained["classes"])
        for ranks in (1, 3):
            new = self.json("extend", "r.h5", "--data.path", "new", "--data.vectors", "v.txt", "--output.path", "e.h5", ranks=ranks)
            self.assertEqual((12, 12 * 6), (new["n"], new["evaluations"]))
            self.cairn("predict", "m.h5", "--result", "e.h5", "--out", "p.csv", ranks=ranks)
            with open(self.path("p.csv"), encoding="utf-8") as file:
                table = csv.DictReader(file)
                rows = list(table)
            self.assertEqual(["animal"] * 6 + ["motion"] * 6, [row["predicted"] for row in rows])
            self.assertEqual("name", table.fieldnames[-1])
            self.assertEqual([f"{row['label']}/{k % 6:02}.txt" for k, row in enumerate(rows)], [row["name"] for row in rows])
            self.cairn("query", "r.h5", "--nearest-to", "e.h5", "--k", 1, "--out", "n.csv", ranks=ranks)
            with open(self.path("n.csv"), encoding="utf-8") as file:
                table = csv.DictReader(file)
                near = list(table)
            self.assertEqual(["object_label", "label", "object_name", "name"], table.fieldnames[-4:])
            self.assertEqual([row["name"] for row in rows], [line["object_name"] for line in near])
            for line in near:
                self.assertEqual(line["label"], line["name"].split("/")[0])


class NewDocumentsTest(CairnTest):
    """New documents are cut as the old ones were; words that the file of vectors lacks come from the result."""

    def setUp(self):
        super().setUp()
        self.write("v.txt", SMALL)
        self.write("d.tsv", "x\tThe cat sat\ny\tthe DOG\nx\tcat dog owl\n")
        self.write("stop.txt", "the\n")
        self.data = ["--data.kind", "documents", "--data.path", "d.tsv", "--data.label", 1, "--data.vectors", "v.txt"]
        self.result = ["--similarity.kind", "wmd", "--similarity.gamma", 1, "--landmarks.count", 3, "--output.path", "r.h5"]
        self.cairn("approximate", *self.data, *self.result, "--data.stop-words", "stop.txt", "--landmarks.selection",
                   "uniform")

    def extend(self, *arguments, expect=0):
        return self.cairn("extend", "r.h5", "--output.path", "e.h5", *arguments, expect=expect)

    def test_the_vectors_may_lack_words_of_the_landmarks(self):
        self.write("few.txt", "cat 1 0\nsat 1 1\n")
        self.write("new.txt", "the cat sat\nowl\n")
        out = self.extend("--data.path", "new.txt", "--data.format", "lines", "--data.vectors", "few.txt").out
        self.assertRegex(out, "1 stop words were ignored")
        info = self.json("info", "e.h5")
        self.assertEqual((2, "1 stop words were ignored"), (info["n"], info["notes"][-1]))
        # Document 0 is document 0 of the old ones but for the stop word, which both lost.
        old = self.json("query", "r.h5", "--entry", "0,0")["entries"][0]["value"]
        new = self.json("query", "e.h5", "--entry", "0,0")["entries"][0]["value"]
        self.assertAlmostEqual(old, new, delta=1e-10)

    def test_texts_are_cut_as_the_result_says(self):
        """Letters alone, upper case apart, words that come twice: of 'CAT cat7cat sat' that is cat cat, of an extension, too."""
        self.write("t.txt", "CAT cat7cat sat\ncat dog\ndog dog\n")
        self.write("v.weird", "3 2\n" + "".join(SMALL.splitlines(True)[:3]))
        cut = ["--data.tokens", "letters", "--data.lower-case", "false", "--data.minimum-count", 2]
        out = self.cairn("approximate", "--data.kind", "documents", "--data.path", "t.txt", "--data.format", "lines", *cut,
                         "--data.vectors", "v.weird", "--data.vectors-format", "text", *self.result, ranks=2).out
        self.assertIn("2 words that are too rare were ignored", out)  # CAT and sat
        self.write("new.txt", "cat\nCAT dog\n")
        self.extend("--data.path", "new.txt", "--data.format", "lines", "--data.vectors", "v.weird", "--data.vectors-format", "text")
        values = [self.json("query", "r.h5", "--entry", f"{i},{j}")["entries"][0]["value"] for i, j in ((0, 0), (0, 2), (2, 2))]
        new = [self.json("query", "e.h5", "--entry", f"{i},{j}")["entries"][0]["value"] for i, j in ((0, 0), (0, 1), (1, 1))]
        for one, other in zip(values, new):
            self.assertAlmostEqual(one, other, delta=1e-10)
        moved = ["--data.vectors", "v.weird", "--data.path", "t.txt", "--data.format", "lines"]
        self.refused(2, "data.vectors-format", "evaluate", "r.h5", *moved)
        self.cairn("evaluate", "r.h5", *moved, "--data.vectors-format", "text", "--evaluation.rows", "all")

    def test_other_vectors_are_refused(self):
        self.write("other.txt", SMALL.replace("cat 1 0", "cat 1 2"))
        self.refused(3, r"other\.txt:1: the vector of 'cat' is another one", "extend", "r.h5", "--output.path", "e.h5",
                     "--data.path", "d.tsv", "--data.vectors", "other.txt")

    def test_what_the_result_says_is_not_said_again(self):
        for ranks in (1, 3):
            out = self.cairn("extend", "r.h5", "--output.path", "e.h5", "--data.path", "d.tsv", "--data.label", 1, ranks=ranks).out
            self.assertEqual(1, len(re.findall(r"data.vectors = \S*v.txt, as in r.h5\n", out)), out)
            self.cairn("extend", "r.h5", "--output.path", "f.h5", "--data.path", "d.tsv", "--data.label", 1, "--data.vectors", "v.txt")
            for entry in ("0,1", "2,2"):
                one, two = (self.json("query", name, "--entry", entry)["entries"][0]["value"] for name in ("e.h5", "f.h5"))
                self.assertAlmostEqual(one, two, delta=1e-12)
        os.rename(self.path("v.txt"), self.path("w.txt"))
        self.refused(3, r"data\.vectors", "extend", "r.h5", "--output.path", "x.h5", "--data.path", "d.tsv", "--data.label", 1)
        os.rename(self.path("w.txt"), self.path("v.txt"))
        self.refused(2, r"data\.scaling|data\.stop-words", "extend", "r.h5", "--output.path", "e.h5", "--data.path", "d.tsv",
                     "--data.vectors", "v.txt", "--data.stop-words", "stop.txt")
        self.refused(3, r"v\.txt: its vectors have 2 values, and data\.dimension says 3", "extend", "r.h5", "--output.path",
                     "e.h5", "--data.path", "d.tsv", "--data.vectors", "v.txt", "--data.dimension", 3)

    def test_moved_data_are_known_by_their_digest(self):
        os.mkdir(self.path("there"))
        for name in ("d.tsv", "v.txt", "stop.txt"):
            os.rename(self.path(name), self.path("there/" + name))
        moved = ["--data.path", "there/d.tsv", "--data.vectors", "there/v.txt", "--data.stop-words", "there/stop.txt"]
        self.cairn("evaluate", "r.h5", *moved, "--evaluation.rows", "all")
        self.write("there/v.txt", SMALL.replace("sat 1 1", "sat 1 2"))
        self.refused(3, "digest", "evaluate", "r.h5", *moved)


class BadDocumentsTest(CairnTest):
    def check(self, code, pattern, text, *arguments, name="d.tsv", vectors=SMALL, vectors_name="v.txt"):
        self.write(name, text)
        self.write(vectors_name, vectors)
        self.refused(code, pattern, "approximate", "--data.kind", "documents", "--data.path", name, "--data.vectors",
                     vectors_name, "--similarity.kind", "wmd", "--similarity.gamma", 1, "--landmarks.count", 1, "--output.path", "r.h5",
                     *arguments)

    def test_a_text_without_a_known_word(self):
        text = "x\tcat\nx\tumu\nx\tdog\n"
        self.check(3, r"d\.tsv:2: the text has no word with a vector", text, "--data.empty", "refuse")
        out = self.cairn("approximate", "--data.kind", "documents", "--data.path", "d.tsv", "--data.vectors", "v.txt",
                         "--similarity.kind", "wmd", "--similarity.gamma", 1, "--landmarks.count", 1, "--output.path", "r.h5",
                         ranks=2).out
        self.assertRegex(out, r"1 documents without a known word were ignored, the first at \S*d\.tsv:2")

    def test_a_text_without_a_known_word_may_be_kept(self):
        self.write("d.tsv", "x\tcat\nx\tumu\nx\tdog the\n")
        self.write("v.txt", SMALL)
        data = ["--data.path", "d.tsv", "--data.vectors", "v.txt", "--data.empty", "keep"]
        for ranks in (1, 2, 3):
            out = self.cairn("approximate", "--data.kind", "documents", *data, "--similarity.kind", "wmd", "--similarity.gamma", 1,
                             "--landmarks.count", 3, "--output.path", "r.h5", ranks=ranks).out
            self.assertRegex(out, r"1 documents without a known word were kept as a word whose vector is 0, the first at \S*d\.tsv:2")
            self.cairn("extend", "r.h5", *data, "--output.path", "e.h5", ranks=ranks)
            for result in ("r.h5", "e.h5"):
                entries = self.json("query", result, "--entry", "0,1", "--entry", "2,1", "--entry", "1,1")["entries"]
                lengths = [-math.log(entry["value"]) for entry in entries]  # cat; dog and the; no word at all
                for length, right in zip(lengths, (1, (1 + math.sqrt(0.5)) / 2, 0)):
                    self.assertAlmostEqual(right, length, delta=1e-6)

    def test_new_documents_may_all_be_without_a_known_word(self):
        self.write("d.tsv", "x\tcat\nx\tdog the\n")
        self.write("new.tsv", "x\tumu\nx\t\n")
        self.write("v.txt", SMALL)
        new = ["--data.path", "new.tsv", "--data.vectors", "v.txt", "--output.path", "e.h5"]
        for method in (["nystrom", "--landmarks.count", 2], ["wme", "--landmarks.count", 2]):
            self.cairn("approximate", "--data.kind", "documents", "--data.path", "d.tsv", "--data.vectors", "v.txt",
                       "--similarity.kind", "wmd", "--similarity.gamma", 1, "--output.path", "r.h5", "--approximation.method", *method)
            self.refused(3, r"v\.txt: none of the 1 words of \S*new\.tsv is among", "extend", "r.h5", *new)
            for ranks in (1, 2):
                self.assertEqual(2, self.json("extend", "r.h5", *new, "--data.empty", "keep", ranks=ranks)["n"])

    def test_texts_without_content_may_be_kept(self):
        self.write("d.txt", "cat\n\ndog\n")
        scorer = self.write("score.py", "import json, sys\nfor line in sys.stdin:\n    for a, b in json.loads(line):\n"
                            "        print(float(a == b))\n    print(flush=True)\n")
        out = self.cairn("approximate", "--data.kind", "documents", "--data.path", "d.txt", "--data.format", "lines", "--data.empty",
                         "keep", "--similarity.kind", "external", "--similarity.command", f"python3 {scorer}", "--landmarks.count", 3,
                         "--output.path", "r.h5").out
        self.assertRegex(out, r"1 documents without content were kept, the first at \S*d\.txt:2")
        entries = self.json("query", "r.h5", "--entry", "1,1", "--entry", "0,1")["entries"]
        self.assertAlmostEqual(1, entries[0]["value"], delta=1e-9)
        self.assertAlmostEqual(0, entries[1]["value"], delta=1e-9)

    def test_vectors_that_cannot_be(self):
        self.check(3, r"v\.txt:2: has 3 numbers", "x\tcat\n", vectors="cat 1 2\ndog 1 2 3\n")
        self.check(3, r"v\.txt:1: says that there are 3 words, and the file has 2", "x\tcat\n", vectors="3 1\ncat 1\ndog 2\n")
        self.check(3, r"v\.txt:2: 'nan' is not a finite number", "x\tdog\n", vectors="cat 1 2\ndog nan 1\n")
        self.check(3, r"v\.txt:3: the word 'cat' has a vector already", "x\tcat\n", vectors="cat 1\ndog 2\ncat 3\n")
        self.check(3, r"v\.txt: none of the 2 words of \S*d\.tsv is among its 5 words", "x\tumu emu\n")

    def test_binary_vectors_that_lie(self):
        two = b"2 2\ncat " + struct.pack("<2f", 1, 2) + b"\ndog " + struct.pack("<2f", 3, 4) + b"\n"
        for pattern, vectors in [(r"v\.bin:1: says that there are 7 words", b"7" + two[1:]),
                                 (r"v\.bin: .* says that there are 1 words, and more follows", b"1" + two[1:]),
                                 (r"v\.bin: is truncated.*this is number 2", two[:-4]),
                                 (r"v\.bin: the vector of 'dog' \(word number 2\) holds nan",
                                  two.replace(struct.pack("<f", 4), struct.pack("<f", float("nan"))))]:
            self.check(3, pattern, "x\tcat dog\n", vectors=vectors, vectors_name="v.bin")

    def test_labels_and_columns(self):
        self.check(3, r"d\.tsv:2: the label is missing", "x\tcat\n\tdog\n", "--data.label", 1)
        self.check(3, r"d\.tsv:2: has 1 columns", "x\tcat\ndog\n", "--data.label", 1)
        self.write("d.tsv", "x\tcat\ny\tdog\nx\towl\n")
        out = self.cairn("approximate", "--data.kind", "documents", "--data.path", "d.tsv", "--data.label", 1, "--data.classes",
                         "x,z1,y,z2", "--similarity.kind", "wmd", "--data.vectors", "v.txt", "--landmarks.count", 2, "--output.path", "r.h5",
                         ranks=2).out
        self.assertIn("no document has the label z1, z2 (data.classes)", out)
        self.check(2, "data.classes names 'x' twice", "x\tcat\n", "--data.label", 1, "--data.classes", "x, y,x")
        self.check(2, "data.classes has an empty name between commas", "x\tcat\n", "--data.label", 1, "--data.classes", "x,")
        self.check(3, r"data\.label = 4: its first line has 2 columns", "x\tcat\n", "--data.label", 4)
        self.check(3, r"d\.jsonl:1: has no field 'kind'", '{"text": "cat"}\n', "--data.label", "kind", name="d.jsonl")

    def test_a_table_of_many_columns_names_that_of_the_texts(self):
        """600 documents of one word each, the label, had an error of 7e-16 and no warning."""
        rows = [(f"the cat {'dog' if k % 2 else 'owl'} w{k}", k, "cat" if k % 3 else "dog") for k in range(600)]
        for name, separator in (("d.tsv", "\t"), ("d.csv", ",")):
            table = "".join(separator.join(map(str, row)) + "\n" for row in rows)
            self.check(2, rf"{name}: has 3 columns; say with data\.text which one holds the texts", table, name=name)
            report = self.json("approximate", "--data.kind", "documents", "--data.path", name, "--data.text", 1, "--data.vectors", "v.txt",
                               "--similarity.kind", "wmd", "--similarity.gamma", 1, "--landmarks.count", 2, "--output.path", "r.h5",
                               ranks=2)["documents"]
            self.assertEqual((2, "column 1 of 3, no header line", "the cat owl w0"),
                             (report["different"], report["text_source"], report["first_words"]))

    def test_the_report_shows_what_was_read(self):
        self.write("v.txt", SMALL)
        self.write("d.csv", 'kind,body\nx,"The ""cat"", sat\non it"\ny,dog\nx,dog\n')
        for ranks in (1, 2, 3):
            out = self.cairn("approximate", "--data.kind", "documents", "--data.path", "d.csv", "--data.label", "kind", "--data.text",
                             "body", "--data.vectors", "v.txt", "--similarity.kind", "wmd", "--similarity.gamma", 1, "--landmarks.count", 2,
                             "--output.path", "r.h5", ranks=ranks).out
            self.assertRegex(out, r"(?m)^  documents +2 of 3 are different$")
            self.assertRegex(out, r"(?m)^  texts +column 'body'; the first: The \"cat\", sat on it$")

    def test_many_unknown_words_are_a_warning(self):
        self.write("v.txt", SMALL)
        run = ["approximate", "--data.kind", "documents", "--data.path", "d.txt", "--data.format", "lines", "--data.vectors", "v.txt",
               "--similarity.kind", "wmd", "--similarity.gamma", 1, "--landmarks.count", 1, "--output.path", "r.h5"]
        told = "of 10 words have no vector and were ignored"
        for unknown, warns in ((2, False), (3, True)):
            self.write("d.txt", "cat\n" * (10 - unknown) + "emu\n" * unknown)
            report = self.json(*run, ranks=2)
            self.assertEqual(warns, any(told in warning for warning in report["warnings"]), report)
            self.assertEqual(not warns, any(told in note for note in report["notes"]), report)
            report = self.json("extend", "r.h5", "--data.path", "d.txt", "--data.format", "lines", "--data.vectors", "v.txt",
                               "--output.path", "e.h5")
            self.assertEqual(warns, any(told in warning for warning in report["warnings"]), report)

    def test_characters_are_tokens(self):
        self.write("v.txt", "我 1 0\n爱 0 1\n你 1 1\n我爱 5 5\n日 2 1\n")
        self.write("d.jsonl", '{"text": "我爱你。"}\n{"text": "你爱日日！"}\n{"text": null}\n')
        run = ["approximate", "--data.kind", "documents", "--data.path", "d.jsonl", "--data.vectors", "v.txt", "--similarity.kind", "wmd",
               "--similarity.gamma", 1, "--landmarks.count", 2, "--output.path", "r.h5"]
        self.refused(3, "none of the 2 words of", *run)
        plan = self.json("plan", *run[1:], "--data.tokens", "characters")
        self.assertEqual(2, plan["n"])
        report = self.json(*run, "--data.tokens", "characters", ranks=2)
        self.assertEqual((2, []), (report["n"], report["warnings"]))
        self.assertIn("1 objects have no text", " ".join(report["notes"]))
        self.assertEqual("characters", self.json("info", "r.h5")["tokens"])
        self.write("new.jsonl", '{"text": "日日，爱你"}\n')
        self.json("extend", "r.h5", "--data.path", "new.jsonl", "--data.vectors", "v.txt", "--output.path", "e.h5")
        row = self.json("query", "r.h5", "--row", 1)["row"]["values"]
        left = [self.json("query", name, "--left-column", j)["left_column"]["values"] for name in ("r.h5", "e.h5") for j in (0, 1)]
        self.assertAlmostEqual(row[1], 1, delta=1e-9)
        for old, new in zip(left[:2], left[2:]):
            self.assertAlmostEqual(old[1], new[0], delta=1e-9)  # the same bag of characters as document 1
        self.cairn("evaluate", "r.h5", "--evaluation.rows", "all")  # the digest is that of characters
        self.refused(2, r"--data\.tokens has no effect if data\.kind is points", "approximate", "--data.path", "d.csv", "--data.tokens",
                     "characters", "--similarity.kind", "linear", "--landmarks.count", 1, "--output.path", "x.h5", ranks=[1])

    def test_a_folder_that_is_not_there(self):
        self.write("v.txt", SMALL)
        self.refused(3, "cannot open nofolder: No such file or directory", "approximate", "--data.kind", "documents", "--data.path", "nofolder",
                     "--data.vectors", "v.txt", "--similarity.kind", "wmd", "--landmarks.count", 1, "--output.path", "r.h5")

    def test_files_of_two_splits(self):
        self.write("t.tsv", "x\tcat\n\tdog\n")
        self.check(3, r"t\.tsv:2: the label is missing", "x\tcat\n", "--data.label", 1, "--data.test-path", "t.tsv")
        self.check(3, r"none\.tsv", "x\tcat\n", "--data.test-path", "none.tsv")

    def test_keys_that_do_nothing(self):
        self.refused(2, r"--data\.vectors has no effect if data\.kind is points", "approximate", "--data.path", "d.csv",
                     "--data.vectors", "v.txt", "--similarity.kind", "linear", "--landmarks.count", 1, "--output.path", "r.h5")
        self.check(2, r"--data\.scaling has no effect if data\.kind is documents", "x\tcat\n", "--data.scaling", "standard")
        self.check(2, r"--data\.format = svm is incompatible with data\.kind = documents", "x\tcat\n", "--data.format", "svm")
        self.check(2, r"--data\.words has no effect if the file of word vectors holds its words itself", "x\tcat\n",
                   "--data.words", "v.txt")
        self.check(2, r"--data\.tokens = syllables is not known", "x\tcat\n", "--data.tokens", "syllables")
        self.check(2, r"--data\.minimum-count = 0 is below 1", "x\tcat\n", "--data.minimum-count", 0)

    def test_convert_says_that_it_takes_none(self):
        self.write("d.tsv", "x\tcat\n")
        self.refused(2, "are documents", "convert", "d.tsv", "d.h5", "--data.kind", "documents")


class PlanTest(CairnTest):
    def test_bytes_and_evaluations_of_documents_are_known(self):
        plan = self.json("plan", *REAL, *WMD, ranks=2)
        self.assertEqual((300, 6000), (plan["n"], plan["evaluations"]))
        self.assertGreater(plan["bytes"]["word vectors, once per node"], 691 * 400)
        self.assertLess(plan["bytes"]["data"], 100000)

    def test_texts_of_a_folder_are_known_by_their_files(self):
        for name, text in (("a/1.txt", "cat dog"), ("a/2.txt", "cat"), ("b/10.txt", "owl the"), ("b/9.txt", "owl")):
            os.makedirs(os.path.dirname(self.path("texts/" + name)), exist_ok=True)
            self.write("texts/" + name, text + "\n")
        self.write("v.txt", SMALL)
        self.cairn("approximate", "--data.kind", "documents", "--data.path", "texts", "--data.vectors", "v.txt", "--similarity.kind", "wmd",
                   "--similarity.gamma", 1, "--landmarks.count", 4, "--output.path", "r.h5")
        for ranks in (1, 3):
            near = self.json("query", "r.h5", "--nearest", "b/9.txt", "--k", 1, ranks=ranks)["nearest"]["nearest"][0]
            self.assertEqual("b/10.txt", near["text"])
        self.refused(2, "no row has the name or the label 'b/8.txt'", "query", "r.h5", "--nearest", "b/8.txt")

    def test_labels_of_folders_take_room(self):
        for name in ("a/1.txt", "b/2.txt", "1.txt", "2.txt"):
            os.makedirs(os.path.dirname(self.path("labelled/" + name)), exist_ok=True)
            self.write("labelled/" + name if "/" in name else name, "cat dog\n")
        self.write("v.txt", SMALL)
        plan = ["plan", "--data.kind", "documents", "--data.vectors", "v.txt", "--similarity.kind", "wmd", "--similarity.gamma", 1,
                "--landmarks.count", 1, "--data.path"]
        os.makedirs(self.path("flat"))
        for name in ("1.txt", "2.txt"):
            os.rename(self.path(name), self.path("flat/" + name))
        self.assertEqual(2 * 32, self.json(*plan, "labelled")["bytes"]["data"] - self.json(*plan, "flat")["bytes"]["data"])


if __name__ == "__main__":
    unittest.main()
