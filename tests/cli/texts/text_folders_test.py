"""Folders of texts: encodings, links, what is said of them, and names that are not found."""

import csv
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402

VECTORS = "cat 1 0\ndog 0 1\nsat 1 1\nthe .5 .5\nowl -1 0\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x10\x08\x06\x00\x00\x00\x1f\xf3\xffa"


class FolderTest(CairnTest):
    ranks = (1, 3)

    def setUp(self):
        super().setUp()
        self.write("v.txt", VECTORS)

    def texts(self, **files):
        """Files of texts; a double underscore in a name is a slash, and the ending is .txt."""
        for name, text in files.items():
            self.put(name.replace("__", "/") + ".txt", text)

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.path("texts/" + name)), exist_ok=True)
        self.write("texts/" + name, text)

    def classes(self, names=("politics", "sport"), count=3):
        for name in names:
            for k in range(count):
                self.put(f"{name}/{k:03}.txt", "cat dog\n" * (k + 1))

    def read(self, *more, path="texts", landmarks=2, output="r.h5"):
        return ["approximate", "--data.kind", "documents", "--data.path", path, "--data.vectors", "v.txt", "--similarity.kind", "wmd",
                "--similarity.gamma", 1, "--landmarks.count", landmarks, "--output.path", output, *more]


class EncodingTest(FolderTest):
    marked = {"utf-16": ("UTF-16", "The cat sat.\n".encode("utf-16")), "utf-16-be": ("UTF-16", b"\xfe\xff" + "cat\n".encode("utf-16-be")),
              "utf-32": ("UTF-32", "The cat\n".encode("utf-32")), "utf-32-be": ("UTF-32", b"\x00\x00\xfe\xff" + "cat\n".encode("utf-32-be"))}

    def test_a_byte_order_mark_of_another_encoding_is_refused(self):
        self.classes()
        for name, text in self.marked.values():
            self.put("sport/001.txt", text)
            self.refused(3, rf"^texts/sport/001.txt: is {name} \(its byte order mark says so\); convert it: iconv -f {name} -t UTF-8$",
                         *self.read(), ranks=(1,))
        self.refused(3, "^texts/sport/001.txt: is UTF-32", "approximate", "--data.kind", "corpus", "--data.path", "texts", "--output.path",
                     "r.h5", ranks=self.ranks)

    def test_utf16_without_a_mark_is_known_by_its_bytes_0(self):
        self.classes()
        for name in ("UTF-16LE", "UTF-16BE"):
            self.put("sport/001.txt", "Кошка сидит, и ждёт её.\n".encode(name))
            self.refused(3, f"^texts/sport/001.txt: has bytes 0 as {name} has; convert it: iconv -f {name} -t UTF-8$", *self.read(),
                         ranks=(3,))

    def test_a_picture_among_the_texts_is_named(self):
        self.classes()
        self.put("sport/logo.png", PNG)
        self.refused(3, "^texts/sport/logo.png: holds a byte 0 and is no text: move it away", *self.read(), ranks=(3,))

    def test_every_format_of_texts_refuses_them(self):
        rows = {"tsv": "label\ttext\na\tthe cat\n", "csv": 'label,text\na,"the cat"\n', "jsonl": '{"label": "a", "text": "cat"}\n',
                "json": '[{"label": "a", "text": "cat"}]\n', "lines": "the cat\nthe dog\n"}
        for form, text in rows.items():
            columns = [] if form == "lines" else ["--data.label", "label", "--data.text", "text"]
            job = self.read("--data.format", form, *columns, path="d." + form)
            self.write("d." + form, text.encode("utf-16"))
            self.refused(3, rf"^d.{form}: is UTF-16 \(its byte order mark says so\); convert it: iconv", *job, ranks=(3,))
            self.write("d." + form, text.encode("utf-16-be"))
            self.refused(3, rf"^d.{form}: has bytes 0 as UTF-16BE has; convert it: iconv -f UTF-16BE", *job, ranks=(3,))
        self.write("d.lines", "the cat\nthe d\0og\n")
        self.refused(3, "^d.lines:2: holds a byte 0 and is no text", *self.read("--data.format", "lines", path="d.lines"), ranks=(3,))

    def test_tables_graphs_and_vectors_refuse_them(self):
        self.write("p.csv", "x,y\n1,2\n3,4\n".encode("utf-16"))
        points = ["approximate", "--similarity.kind", "rbf", "--similarity.gamma", 1, "--landmarks.count", 2, "--output.path", "r.h5"]
        self.refused(3, "^p.csv: is UTF-16 .*iconv", *points, "--data.path", "p.csv", ranks=(3,))
        self.write("p.csv", "x,y\n1,2\n3,4\n".encode("utf-16-le"))
        self.refused(3, "^p.csv: has bytes 0 as UTF-16LE has", *points, "--data.path", "p.csv", ranks=(3,))
        self.write("g.csv", "a,b\nb,c\n".encode("utf-16"))
        self.refused(3, "^g.csv: is UTF-16 .*iconv", "approximate", "--data.kind", "graph", "--data.path", "g.csv", "--landmarks.count", 2,
                     "--output.path", "r.h5", ranks=(3,))
        self.write("v.txt", VECTORS.encode("utf-16"))
        self.classes()
        self.refused(3, "^v.txt: is UTF-16 .*iconv", *self.read(), ranks=(3,))

    def test_the_first_text_that_is_not_utf8_is_named(self):
        words = "cat dog sat the owl".split()
        for k in range(70):
            self.put(f"{'politics' if k < 35 else 'sport'}/{k:03}.txt", f"{words[k % 5]} {words[(k + 1) % 5]}\n" * 4)
        self.put("sport/066.txt", "caf\u00e9 cat\n".encode("latin-1"))
        for ranks in self.ranks:
            self.assertIn("1 document holds bytes that are not UTF-8; these separate words (texts/sport/066.txt; if it is Latin-1, convert "
                          "it: iconv -f LATIN1 -t UTF-8)", self.cairn(*self.read(), ranks=ranks).out)
        self.put("politics/033.txt", "\u00e9 cat\n".encode("latin-1"))
        corpus = ["approximate", "--data.kind", "corpus", "--data.path", "texts", "--approximation.dimension", 1, "--landmarks.count", 4,
                  "--approximation.truncate", "true", "--evaluation.pairs", 0, "--output.path", "w.h5"]
        for ranks in self.ranks:
            for job, what in ((self.read(), "documents"), (corpus, "texts")):
                self.assertIn(f"2 {what} hold bytes that are not UTF-8; these separate words (the first: texts/politics/033.txt; if they "
                              "are Latin-1, convert them: iconv -f LATIN1 -t UTF-8)", self.cairn(*job, ranks=ranks).out)


class LinkTest(FolderTest):
    def test_linked_folders_are_read(self):
        self.classes(("sport",))
        os.makedirs(self.path("elsewhere"))
        os.rename(self.path("texts/sport"), self.path("elsewhere/politics"))
        self.classes(("sport",))
        os.symlink("../elsewhere/politics", self.path("texts/politics"))
        os.symlink("texts", self.path("linked"))
        for ranks in self.ranks:
            for path in ("texts", "linked"):
                self.assertEqual({"politics": 3, "sport": 3}, self.json(*self.read(path=path), ranks=ranks)["documents"]["classes"])

    def test_loops_end_and_are_noted(self):
        self.classes()
        os.symlink(".", self.path("texts/sport/self"))
        os.symlink("..", self.path("texts/politics/up"))
        os.symlink("../politics", self.path("texts/sport/other"))
        for ranks in self.ranks:
            outcome = self.cairn(*self.read(), ranks=ranks)
            self.assertRegex(outcome.out, r"classes +2: politics 3, sport 6\n")
            self.assertRegex(outcome.out, r"links to folders that contain them were not followed: texts/politics/up, texts/sport/other/up, "
                                          r"texts/sport/self")
        for name in ("sport/other", "sport/self"):
            os.unlink(self.path("texts/" + name))
        self.assertIn("a link to a folder that contains it was not followed: texts/politics/up\n", self.cairn(*self.read()).out)

    def test_a_link_to_nothing_is_refused(self):
        self.classes()
        for link, target in (("sport/9.txt", "/nowhere/9.txt"), ("business", "../gone"), ("sport/round.txt", "round.txt")):
            os.symlink(target, self.path("texts/" + link))
            self.refused(3, f"^texts/{link}: is a link to {target}, which cannot be read", *self.read(), ranks=(3,))
            os.unlink(self.path("texts/" + link))


class BesideTest(FolderTest):
    corpus = ("approximate", "--data.kind", "corpus", "--data.path", "texts", "--approximation.method", "nystrom", "--landmarks.count", 2,
              "--evaluation.pairs", 0, "--output.path", "r.h5")

    def test_a_corpus_leaves_out_files_beside_sub_folders(self):
        self.classes()
        expected = self.json(*self.corpus)
        self.put("categories.txt", "owl owl owl the the sat\n")
        for ranks in self.ranks:
            outcome = self.cairn(*self.corpus, "--json", "report.json", ranks=ranks)
            self.assertIn("a file was beside the sub-folders that hold the texts left out: texts/categories.txt\n", outcome.out)
            with open(self.path("report.json"), encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual((expected["n"], expected["corpus"]), (report["n"], report["corpus"]))
        for name in "abc":
            self.put(f"{name}.md", "owl\n")
        self.assertIn("texts/a.md, texts/b.md, texts/c.md, and 1 more", self.cairn(*self.corpus).out)

    def test_documents_refuse_them_since_they_have_no_label(self):
        self.classes()
        self.put("categories.txt", "owl\n")
        self.refused(3, "^texts/categories.txt: is in no sub-folder and has no label; labels of the other files", *self.read(), ranks=(3,))

    def test_files_alone_are_the_texts(self):
        for name in "abc":
            self.put(f"{name}.txt", "cat dog sat\n" * 4)
        outcome = self.cairn(*self.corpus, ranks=3)
        self.assertNotIn("left out", outcome.out)


class ClassesTest(FolderTest):
    def test_classes_are_listed_with_their_counts(self):
        self.classes([f"class{k:02}" for k in range(14)], count=1)
        self.classes(("class03",), count=5)
        for ranks in self.ranks:
            outcome = self.cairn(*self.read("--json", "report.json"), ranks=ranks)
            self.assertRegex(outcome.out, r"classes +14: class00 1, class01 1, class02 1, class03 5, .*, class11 1, and 2 more\n")
            self.assertEqual(14, len(self.json(*self.read(), ranks=ranks)["documents"]["classes"]))

    def test_one_folder_too_many_is_seen(self):
        self.classes()
        os.makedirs(self.path("above"))
        os.rename(self.path("texts"), self.path("above/texts"))
        self.assertRegex(self.cairn(*self.read(path="above")).out, r"classes +1: texts 6 \(each folder in the first one is a class\)")

    def test_without_classes_the_remedy_is_that_of_a_folder(self):
        self.texts(a="cat dog", b="owl", c="sat the")
        self.cairn(*self.read())
        self.refused(3, "has no labels to learn.*put the texts of each class in a folder of its own", "train", "r.h5", "--task", "svm",
                     "--output.path", "m.h5", ranks=self.ranks)


class NamesTest(FolderTest):
    def setUp(self):
        super().setUp()
        for name in ("politics", "sport"):
            for k in range(1, 8):
                self.put(f"{name}/{16 + k:03}.txt", "cat dog\n" * k + "the\n")
        self.cairn(*self.read())

    def test_the_nearest_names_are_offered(self):
        self.refused(2, r"did you mean 'politics/017.txt' or 'sport/017.txt'\?$", "query", "r.h5", "--nearest", "017.txt", ranks=(1, 2))
        for typed, meant in (("sport/17.txt", "'sport/017.txt'"), ("SPORT/017.txt", "'sport/017.txt'"), ("sport/017", "'sport/017.txt'"),
                             ("texts/sport/017.txt", "'sport/017.txt'"), ("017.txt", "'politics/017.txt' or 'sport/017.txt'"),
                             ("sprot", "'sport'")):
            with self.subTest(typed):
                self.refused(2, rf"--nearest: no row has the name or the label '{typed}'; did you mean {meant}\?$", "query", "r.h5",
                             "--nearest", typed, ranks=(3,))
        self.refused(2, "no row has the name or the label 'something else'$", "query", "r.h5", "--nearest", "something else", ranks=self.ranks)

    def test_a_label_of_many_rows(self):
        self.refused(2, "7 rows have the label 'sport', the first of them is row 7; name one by its row number, or by its own name, as "
                        "'sport/017.txt'$", "query", "r.h5", "--nearest", "sport", ranks=self.ranks)

    def test_evaluate_takes_names_too(self):
        self.cairn("evaluate", "r.h5", "--row", "sport/018.txt", "--out", "row.csv")
        self.refused(2, r"--row: no row has the name or the label 'sport/18.txt'; did you mean 'sport/018.txt'\?$", "evaluate", "r.h5", "--row",
                     "sport/18.txt", "--out", "x.csv", ranks=(1,))

    def rows(self, *command, ranks):
        self.cairn(*command, "--out", "c.csv", ranks=ranks)
        with open(self.path("c.csv"), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_clusters_and_coordinates_have_the_names_of_texts(self):
        names = [f"{16 + k:03}.txt" for k in range(1, 8)]
        self.cairn(*self.read(path="texts/sport", output="flat.h5"))
        for ranks in self.ranks:
            rows = self.rows("cluster", "r.h5", "--clusters", 2, ranks=ranks)
            self.assertEqual([f"{one}/{name}" for one in ("politics", "sport") for name in names], [row["name"] for row in rows])
            self.assertEqual(7 * ["politics"] + 7 * ["sport"], [row["label"] for row in rows])
            self.assertEqual(names, [row["name"] for row in self.rows("cluster", "flat.h5", "--clusters", 2, ranks=ranks)])
            embed = ("embed", "r.h5", "--dimension", 1)
            self.assertEqual(7 * ["politics"] + 7 * ["sport"], [row["label"] for row in self.rows(*embed, ranks=ranks)])
            self.assertEqual(names, [row["label"] for row in self.rows("embed", "flat.h5", *embed[2:], ranks=ranks)])

    def test_names_of_texts_without_classes(self):
        os.rename(self.path("texts/sport"), self.path("flat"))
        self.cairn(*self.read(path="flat"))
        self.refused(2, r"no row has the name '17.txt'; did you mean '017.txt'\?$", "query", "r.h5", "--row", "17.txt", ranks=self.ranks)

    def test_a_file_that_is_one_text(self):
        self.write("one.txt", "the cat\n")
        job = ["extend", "r.h5", "--data.vectors", "v.txt", "--output.path", "e.h5", "--data.path", "one.txt"]
        self.refused(2, "one.txt: the name does not tell the format.*a file that is one text: put it in a folder", *job, ranks=(3,))
        self.refused(3, "one.txt: is a file, not a folder; put the text in a folder", *job, "--data.format", "folder", ranks=(3,))

    def test_stop_words_are_a_file(self):
        self.refused(3, r"english: No such file or directory; stop words are read from a file, one a line", *self.read("--data.stop-words",
                                                                                                              "english"), ranks=(3,))


if __name__ == "__main__":
    unittest.main()
