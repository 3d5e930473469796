"""Word mover's distances from texts and word vectors on the command line."""

import math
import os
import random
import shutil
import struct
import unittest

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

from cairn_program import CONFIGS, CairnTest

DATA = os.environ.get("CAIRN_DATA")


def median_pairs(count, block=25):
    """Distances for the median: blocks of columns, and the rows below the first of each."""
    return sum((count - first - 1) * min(block, count - first) for first in range(0, count, block))


class WordMovers(CairnTest):
    WORDS = 40

    def setUp(self):
        super().setUp()
        draw = random.Random(7)
        self.vectors = {f"w{k}": [draw.gauss(0, 1) for _ in range(6)] for k in range(self.WORDS)}
        self.write("vectors.txt", "".join(f"{word} {' '.join(f'{x:.6f}' for x in vector)}\n"
                                          for word, vector in self.vectors.items()))
        self.vectors = {word: [float(f"{x:.6f}") for x in vector] for word, vector in self.vectors.items()}
        self.texts = [" ".join(draw.choice(list(self.vectors)) for _ in range(draw.randint(1, 12))) for _ in range(90)]
        self.write("texts.txt", "\n".join(self.texts) + "\n")

    def arguments(self, *more, path="texts.txt"):
        return ["approximate", "--data.kind", "documents", "--data.path", path, "--data.format", "lines", "--data.vectors", "vectors.txt",
                "--output.path", "r.h5", *more]

    def distance(self, one, other):
        return math.dist(self.vectors[one], self.vectors[other])

    def test_documents_of_one_word_are_as_far_apart_as_their_words(self):
        words = list(self.vectors)[:30]
        self.write("words.txt", "\n".join(words) + "\n")
        self.json(*self.arguments("--similarity.kind", "wmd-distance", "--landmarks.count", 30, "--approximation.tolerance",
                                  "1e-13", path="words.txt"), ranks=2)
        row = self.json("query", "r.h5", "--row", 4, ranks=3)["row"]["values"]
        for word, value in zip(words, row):
            self.assertAlmostEqual(self.distance(words[4], word), value, delta=1e-4)  # vectors are held in 4 bytes

    def test_shared_words_stay_where_they_are(self):
        self.write("three.txt", "w0 w1\nw0 w2\nw1 w0 w1 w0\n")
        self.json(*self.arguments("--similarity.kind", "wmd", "--similarity.gamma", 0.5, "--approximation.method", "optimal",
                                  "--approximation.rank", 3, path="three.txt"))
        first, second, third = (self.json("query", "r.h5", "--row", k)["row"]["values"] for k in range(3))
        value = math.exp(-0.25 * self.distance("w1", "w2"))
        for found, expected in ((first[1], value), (second[0], value), (first[2], 1), (third[1], value), (first[0], 1)):
            self.assertAlmostEqual(expected, found, delta=1e-5)

    def test_answer_does_not_depend_on_ranks(self):
        errors = []
        for ranks in (1, 2, 3, 4):
            report = self.json(*self.arguments("--similarity.kind", "wmd", "--approximation.method", "sms-nystrom",
                                               "--landmarks.count", 20, "--evaluation.pairs", 2000), ranks=ranks)
            self.assertEqual(("sms-nystrom", "wmd", 90 * 20 + 20 * 20 + median_pairs(90)),  # the last for the median distance
                             (report["method"], report["similarity"], report["evaluations"]))
            errors.append(report["relative_error"])
        for error in errors:
            self.assertAlmostEqual(errors[0], error, delta=1e-9)
        self.assertLess(errors[0], 0.5)
        whole = self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=2)
        self.assertAlmostEqual(errors[0], whole["relative_error"], delta=0.3 * errors[0])

    def test_embedding_with_random_documents(self):
        wme = ["--similarity.kind", "wmd", "--similarity.gamma", 0.3, "--approximation.method", "wme", "--landmarks.count", 60]
        values = []
        for ranks in (1, 3):
            report = self.json(*self.arguments(*wme, "--approximation.longest-document", 3), ranks=ranks)
            self.assertEqual(("wme", 90 * 60), (report["method"], report["evaluations"]))
            values.append(self.json("query", "r.h5", "--row", 11)["row"]["values"])
        for one, other in zip(*values):
            self.assertAlmostEqual(one, other, delta=1e-12)
        self.write("again.txt", self.texts[11] + "\n" + self.texts[3] + "\n")
        self.cairn("extend", "r.h5", "--data.path", "again.txt", "--data.format", "lines", "--data.vectors", "vectors.txt",
                   "--output.path", "e.h5", ranks=2)
        new = self.json("query", "e.h5", "--entry", "0,1")["entries"][0]["value"]
        self.assertAlmostEqual(values[0][3], new, delta=1e-12)
        plan = self.json("plan", *self.arguments(*wme)[1:])
        self.assertEqual(90 * 60, plan["evaluations"])
        self.refused(2, r"wme needs a similarity that compares documents with random ones \(wmd\), not wmd-distance",
                     *self.arguments("--similarity.kind", "wmd-distance", "--approximation.method", "wme", "--landmarks.count", 5))
        self.refused(2, "longest-document has no effect if approximation.method is nystrom",
                     *self.arguments("--similarity.kind", "wmd", "--landmarks.count", 5, "--approximation.longest-document", 3))

    def test_a_model_knows_the_random_documents_that_it_was_trained_on(self):
        self.write("labelled.tsv", "".join(f"{'long' if len(text) > 20 else 'short'}\t{text}\n" for text in self.texts))

        def embed(output, *more, gamma=0.3):
            self.cairn("approximate", "--data.kind", "documents", "--data.path", "labelled.tsv", "--data.label", 1, "--data.vectors",
                       "vectors.txt" if "--data.vectors" not in more else "shifted.txt", "--similarity.kind", "wmd", "--similarity.gamma",
                       gamma, "--approximation.method", "wme", "--landmarks.count", 12, "--evaluation.pairs", 0, "--output.path", output,
                       *(word for word in more if word not in ("--data.vectors", "shifted.txt")))

        embed("r.h5")
        for task in (["svm", "--cost", 1], ["krr", "--lambda", 0.1, "--targets", "lengths.csv"]):
            self.write("lengths.csv", "length\n" + "".join(f"{len(text)}\n" for text in self.texts))
            self.cairn("train", "r.h5", "--task", *task, "--output.path", "m.h5", ranks=2)
            self.cairn("extend", "r.h5", "--data.path", "labelled.tsv", "--data.vectors", "vectors.txt", "--output.path", "e.h5", ranks=3)
            for result in ("r.h5", "e.h5"):
                self.cairn("predict", "m.h5", "--result", result, "--out", f"{result}.csv", ranks=2)
            self.write("shifted.txt", "".join(f"{word} {' '.join(f'{x + 1:.6f}' for x in vector)}\n"
                                              for word, vector in self.vectors.items()))
            for more in (["--run.seed", 9], ["--approximation.longest-document", 4], ["--data.vectors", "shifted.txt"], []):
                embed("other.h5", *more, gamma=0.3 if more else 0.7)
                self.refused(3, "other.h5: its left factor is not the one that", "predict", "m.h5", "--result", "other.h5", "--out", "p.csv",
                             ranks=[1, 2])

    def test_stored_distances_serve_another_gamma(self):
        wmd = ["--similarity.kind", "wmd", "--landmarks.count", 20, "--approximation.method", "sms-nystrom", "--evaluation.pairs", 0]
        self.json(*self.arguments(*wmd, "--similarity.gamma", 0.3, "--output.distances", "true"), ranks=2)
        os.rename(self.path("r.h5"), self.path("base.h5"))
        fresh = self.json(*self.arguments(*wmd, "--similarity.gamma", 0.7))
        row = self.json("query", "r.h5", "--row", 11)["row"]["values"]
        for ranks in (1, 3):
            reused = self.json(*self.arguments(*wmd, "--similarity.gamma", 0.7, "--similarity.reuse", "base.h5"), ranks=ranks)
            self.assertEqual((90 * 20 + 20 * 20, 0), (fresh["evaluations"], reused["evaluations"]))
            for one, other in zip(row, self.json("query", "r.h5", "--row", 11)["row"]["values"]):
                self.assertAlmostEqual(one, other, delta=1e-12)

    def test_stored_distances_serve_other_methods_and_numbers(self):
        # All distances, as the second sample of SiCUR; those of a similarity in another form, too.
        self.json(*self.arguments("--similarity.kind", "wmd", "--similarity.gamma", 0.3, "--approximation.method", "optimal",
                                  "--approximation.rank", 5, "--output.distances", "true"), ranks=2)
        os.rename(self.path("r.h5"), self.path("base.h5"))
        wmd = ["--similarity.kind", "wmd", "--similarity.gamma", 0.7]
        for method, kind in [("nystrom", wmd), ("sms-nystrom", wmd), ("sicur", wmd), ("stacur", wmd),
                             ("nystrom", ["--similarity.kind", "wmd-distance"])]:
            job = [*kind, "--approximation.method", method, "--landmarks.count", 12, "--evaluation.pairs", 0]
            self.assertLess(0, self.json(*self.arguments(*job))["evaluations"])
            rows = [self.json("query", "r.h5", "--row", 11)["row"]["values"]] if method == "nystrom" else []
            for ranks in (1, 3):  # second samples are drawn from what is known first, so they are others than without
                reused = self.json(*self.arguments(*job, "--similarity.reuse", "base.h5"), ranks=ranks)
                self.assertEqual(0, reused["evaluations"], method)
                rows.append(self.json("query", "r.h5", "--row", 11)["row"]["values"])
            for row in rows[1:]:
                for one, other in zip(rows[0], row):
                    self.assertAlmostEqual(one, other, delta=1e-9)

    def test_stored_distances_serve_a_kernel_machine(self):
        lines = [f"{'long' if len(text.split()) > 6 else 'short'}\t{text}\n" for text in self.texts]
        self.write("texts.tsv", "".join(lines))
        data = ["--data.kind", "documents", "--data.path", "texts.tsv", "--data.label", 1, "--data.vectors", "vectors.txt",
                "--similarity.kind", "wmd"]
        self.json("approximate", *data, "--similarity.gamma", 0.3, "--approximation.method", "optimal", "--approximation.rank", 5,
                  "--output.distances", "true", "--output.path", "base.h5", ranks=2)
        self.json("approximate", *data, "--similarity.gamma", 0.7, "--landmarks.count", 5, "--output.path", "r.h5")
        train = ["train", "r.h5", "--task", "kernel-svm", "--cost", 1, "--train-fraction", 0.7]
        fresh = self.json(*train, ranks=2)
        reused = self.json(*train, "--similarity.reuse", "base.h5", ranks=3)
        self.assertLess(0, fresh["evaluations"])
        self.assertEqual((0, fresh["scores"], []), (reused["evaluations"], reused["scores"], reused["warnings"]))
        self.json("approximate", *data, "--similarity.gamma", 0.7, "--landmarks.count", 5, "--output.distances", "true",
                  "--output.path", "few.h5")
        few = self.json(*train, "--similarity.reuse", "few.h5")
        self.assertEqual(fresh["evaluations"], few["evaluations"])
        self.assertRegex(few["warnings"][0], "all distances were evaluated, since not all of them are in few.h5")

    def test_stored_distances_serve_other_random_features(self):
        wme = ["--similarity.kind", "wmd", "--approximation.method", "wme", "--evaluation.pairs", 0]

        def embed(count, gamma, *more, ranks=1):
            report = self.json(*self.arguments(*wme, "--landmarks.count", count, "--similarity.gamma", gamma, *more), ranks=ranks)
            self.notes = report["notes"]
            return report["evaluations"], self.json("query", "r.h5", "--row", 11)["row"]["values"]

        fresh = {(count, gamma): embed(count, gamma) for count, gamma in [(20, 0.7), (30, 0.7)]}
        self.assertEqual(90 * 20, embed(20, 0.3, "--output.distances", "true", ranks=2)[0])
        os.rename(self.path("r.h5"), self.path("base.h5"))
        reuse = ["--similarity.reuse", "base.h5"]
        for ranks in (1, 3):
            for count, evaluations, note in [(20, 0, "of 20 columns of distances 20 were in base.h5"),
                                             (30, 90 * 10, "of 30 columns of distances 20 were in base.h5; the others were evaluated")]:
                reused = embed(count, 0.7, *reuse, ranks=ranks)
                self.assertEqual(evaluations, reused[0])
                self.assertIn(note, self.notes)
                for one, other in zip(fresh[count, 0.7][1], reused[1]):
                    self.assertAlmostEqual(one, other, delta=1e-12)
        # Columns of rows of the data are others; those of random documents stay in the file.
        nystrom = ["--similarity.kind", "wmd", "--similarity.gamma", 0.7, "--landmarks.count", 10, "--evaluation.pairs", 0]
        report = self.json(*self.arguments(*nystrom, *reuse, "--output.distances", "true"), ranks=2)
        self.assertEqual(90 * 10, report["evaluations"])
        os.rename(self.path("r.h5"), self.path("both.h5"))
        self.assertEqual(0, embed(20, 0.7, "--similarity.reuse", "both.h5")[0])
        self.assertEqual(0, self.json(*self.arguments(*nystrom, "--similarity.reuse", "both.h5"))["evaluations"])
        for key, value in [("--run.seed", 2), ("--approximation.longest-document", 5)]:
            self.refused(2, "stored distances belong to random documents of at most 6 words with run.seed",
                         *self.arguments(*wme, "--landmarks.count", 20, "--similarity.gamma", 0.7, *reuse, key, value))

    def test_a_stopped_run_goes_on_with_distances_that_were_read(self):
        wme = ["--similarity.kind", "wmd", "--similarity.gamma", 0.7, "--approximation.method", "wme", "--evaluation.pairs", 0]
        self.json(*self.arguments(*wme, "--landmarks.count", 20, "--output.distances", "true"), ranks=2)
        os.rename(self.path("r.h5"), self.path("base.h5"))
        job = [*wme, "--landmarks.count", 33, "--similarity.reuse", "base.h5", "--output.distances", "true"]
        whole = self.json(*self.arguments(*job))
        row = self.json("query", "r.h5", "--row", 11)["row"]["values"]
        os.remove(self.path("r.h5"))
        stopped = [*self.arguments(*job, "--run.checkpoint", "ck"), "--restart"]
        self.cairn(*stopped, "--run.max-time", 0, expect=75, ranks=2)
        again = self.json(*stopped, ranks=3)
        self.assertEqual((90 * 13, 90 * 13), (whole["evaluations"], again["evaluations"]))
        for one, other in zip(row, self.json("query", "r.h5", "--row", 11)["row"]["values"]):
            self.assertAlmostEqual(one, other, delta=1e-12)
        os.rename(self.path("r.h5"), self.path("more.h5"))
        wme += ["--similarity.reuse", "more.h5", "--landmarks.count"]
        self.assertEqual(0, self.json(*self.arguments(*wme, 33))["evaluations"])
        plan = ["plan", *self.arguments(*wme)[1:]]
        self.assertEqual(90 * 33 * 8, self.json(*plan, 20)["bytes"]["distances"])
        nystrom = [word if word != "wme" else "nystrom" for word in plan]
        self.assertEqual(90 * (33 + 20) * 8, self.json(*nystrom, 20)["bytes"]["distances"])
        self.assertEqual((0, 90 * 7, 90 * 20),
                         (*(self.json(*plan, count)["evaluations"] for count in [20, 40]), self.json(*nystrom, 20)["evaluations"]))

    @unittest.skipIf(h5py is None, "needs h5py")
    def test_damaged_distances_of_random_documents(self):
        wme = ["--similarity.kind", "wmd", "--similarity.gamma", 0.7, "--approximation.method", "wme", "--landmarks.count", 5,
               "--evaluation.pairs", 0]
        self.json(*self.arguments(*wme, "--output.distances", "true"))
        os.rename(self.path("r.h5"), self.path("base.h5"))

        def gap(base):
            base["indices"][4] = -7

        def without(name):
            def remove(base):
                del base.attrs[name]
            return remove

        def of_none(base):
            base.attrs["random_longest"] = numpy.int64(0)

        def of_letters(base):
            base.attrs["random_seed"] = "one"

        def in_sample(base):
            base["sample_indices"] = numpy.array([-1, 3])
            base["sample"] = numpy.zeros((2, 2))

        for damage, pattern in ((gap, "/base/indices holds objects twice, or others than -5 to 89"),
                                (without("random_seed"), "/base/indices holds objects twice, or others than 0 to 89"),
                                (without("random_longest"), "random_longest"), (of_none, "random_longest of /base is 0"),
                                (of_letters, "random_seed"), (in_sample, "/base/sample_indices holds objects twice, or others than 0")):
            shutil.copy(self.path("base.h5"), self.path("bad.h5"))
            with h5py.File(self.path("bad.h5"), "r+") as file:
                del file["crc32"]
                damage(file["base"])
            self.refused(3, pattern, *self.arguments(*wme, "--similarity.reuse", "bad.h5"))

    def test_the_median_counts_its_distances(self):
        wmd = ["--similarity.kind", "wmd", "--landmarks.count", 20, "--evaluation.pairs", 0]
        for ranks in (1, 3):
            report = self.json(*self.arguments(*wmd), ranks=ranks)
            self.assertEqual(90 * 20 + median_pairs(90), report["evaluations"])
        said = self.cairn(*self.arguments(*wmd)).out
        self.assertIn(f"evaluations                 {90 * 20 + median_pairs(90):,}: {median_pairs(90):,} in the similarity setup, 1,800 of "
                      "entries, 22.2 % of the matrix\n", said)
        self.assertEqual(90 * 20 + median_pairs(90), self.json("plan", *self.arguments(*wmd)[1:])["evaluations"])
        parts = ["--similarity.kind", "sum", "--similarity.parts", "wmd,wmd", "--similarity.1.gamma", "median",
                 "--similarity.2.gamma", 0.5, "--landmarks.count", 20, "--evaluation.pairs", 0]
        self.assertEqual(90 * 20 + median_pairs(90), self.json(*self.arguments(*parts), ranks=2)["evaluations"])

    def test_the_splits_of_the_data_are_those_of_the_classifier(self):
        lines = [f"{'long' if len(text.split()) > 6 else 'short'}\t{text}\n" for text in self.texts]
        self.write("train.tsv", "".join(lines[:60]))
        self.write("test.tsv", "".join(lines[60:]))
        self.json("approximate", "--data.kind", "documents", "--data.path", "train.tsv", "--data.test-path", "test.tsv",
                  "--data.label", 1, "--data.vectors", "vectors.txt", "--similarity.kind", "wmd", "--landmarks.count", 30,
                  "--approximation.embedding", "true", "--output.path", "r.h5", ranks=2)
        report = self.json("train", "r.h5", "--task", "svm", "--cost", 1, "--output.path", "m.h5", ranks=2)
        self.assertEqual([("train", 60), ("test", 30)], [(score["on"], score["rows"]) for score in report["scores"]])
        self.write("split.txt", "train\n" * 60 + "test\n" * 30)
        again = self.json("train", "r.h5", "--task", "svm", "--cost", 1, "--split", "split.txt", "--output.path", "n.h5")
        self.assertEqual(report["scores"], again["scores"])

    def test_generated_documents(self):
        few = ["--data.points", 1000, "--data.vocabulary", 500]
        report = self.json("approximate", "--config", os.path.join(CONFIGS, "large", "documents-10m.cfg"), *few, "--output.path",
                           "r.h5", ranks=2)
        self.assertEqual((1000, 1000 * 16 + median_pairs(200)), (report["n"], report["evaluations"]))

    def test_raw_vectors_of_another_length_than_expected(self):
        self.write("raw.words.txt", "".join(f"{word}\n" for word in list(self.vectors)[:20]))
        with open(self.path("raw.f32le"), "wb") as file:
            file.write(b"".join(struct.pack("<6f", *vector) for vector in self.vectors.values()))
        data = ["--data.kind", "documents", "--data.path", "texts.txt", "--data.format", "lines", "--data.vectors", "raw.f32le",
                "--output.path", "r.h5", "--similarity.kind", "wmd", "--landmarks.count", 5]
        self.refused(3, "raw.f32le: its vectors have 12 values, and data.dimension says 6", "approximate", *data,
                     "--data.dimension", 6)

    def test_vectors_may_be_in_another_file_since(self):
        self.write("list.txt", "".join(f"{word}\n" for word in self.vectors))
        rows = b"".join(struct.pack("<6f", *vector) for vector in self.vectors.values())
        for name in ("raw.f32le", "moved.f32le"):
            self.write(name, rows)
        data = ["--data.kind", "documents", "--data.path", "texts.txt", "--data.format", "lines", "--data.vectors", "raw.f32le",
                "--data.words", "list.txt", "--similarity.kind", "wmd", "--similarity.gamma", 0.3, "--landmarks.count", 9]
        self.json("approximate", *data, "--output.path", "r.h5")
        os.remove(self.path("raw.f32le"))
        for name in ("moved.f32le", "vectors.txt"):  # beside the list of words, or with words of its own
            self.json("evaluate", "r.h5", "--data.vectors", name, "--evaluation.rows", 10, ranks=2)

    def test_what_does_not_go(self):
        kind = ["--similarity.kind", "wmd", "--landmarks.count", 5]
        self.refused(2, "similarity.kind = wmd needs data.vectors", "approximate", "--data.kind", "documents", "--data.path",
                     "texts.txt", "--data.format", "lines", "--output.path", "r.h5", *kind)
        self.refused(2, "similarity.kind = wmd is incompatible with data.kind = points; it can be rbf",
                     "approximate", "--data.generate", "gaussian-mixture", "--data.points", 9, "--data.dimension", 2, "--output.path", "r.h5", *kind)
        self.refused(2, "similarity.gamma = scale is neither a number of at least 0 nor median", *self.arguments(*kind, "--similarity.gamma", "scale"))
        self.refused(2, "similarity.gamma has no effect if similarity.kind is wmd-distance",
                     *self.arguments("--similarity.kind", "wmd-distance", "--landmarks.count", 5, "--similarity.gamma", 1))
        self.refused(2, "similarity.kind = linear is incompatible with data.kind = documents; it can be", *self.arguments("--similarity.kind", "linear", "--landmarks.count", 5))
        self.write("same.txt", "w1\nw1\nw1 w1\n")
        self.refused(4, "gamma = median: the median distance between objects is 0",
                     *self.arguments(*kind[:2], "--landmarks.count", 2, path="same.txt"))

    @unittest.skipUnless(DATA, "set CAIRN_DATA to the folder of further inputs to run it")
    def test_tweets(self):
        report = self.json("approximate", "--data.kind", "documents", "--data.path", f"{DATA}/documents/twitter.txt.xz",
                           "--data.format", "tsv", "--data.label", 1, "--data.stop-words",
                           f"{DATA}/documents/stop-words.txt", "--data.vectors", f"{DATA}/words/glove100.f32le.gz",
                           "--similarity.kind", "wmd", "--similarity.gamma", 0.1, "--landmarks.count", 100,
                           "--approximation.method", "sms-nystrom", "--output.path", "r.h5", ranks=2)
        self.assertEqual(3085 * 100 + 100 * 100, report["evaluations"])
        self.assertLess(report["relative_error"], 0.05)
        whole = self.json("evaluate", "r.h5", "--evaluation.rows", 300, ranks=2)
        self.assertAlmostEqual(report["relative_error"], whole["relative_error"], delta=0.2 * report["relative_error"])


if __name__ == "__main__":
    unittest.main()
