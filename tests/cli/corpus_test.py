"""Vectors of words from texts on the command line: 300 real questions of TREC, which ship with the project."""

import collections
import gzip
import math
import os
import re
import unittest

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

from cairn_program import CairnTest

QUESTIONS = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "data", "questions.tsv.gz"))
IMDB = os.path.join(os.environ.get("CAIRN_DATA", ""), "corpus", "imdb-unlabelled.tsv.gz")


def texts():
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t")[1] for line in file]


def window_counts(documents, window):
    """C by enumeration of all windows, in numbers of words."""
    counts = collections.Counter()
    for tokens in documents:
        for begin in range(max(1, len(tokens) - window + 1)):
            times = collections.Counter(tokens[begin:begin + window])
            words = sorted(times)
            for a, i in enumerate(words):
                if times[i] > 1:
                    counts[i, i] += 1
                for j in words[a + 1:]:
                    counts[i, j] += 1
    return counts


class Corpus(CairnTest):
    def arguments(self, *more, output="r.h5", dimension=20, window=5, minimum=3):
        return ["approximate", "--data.kind", "corpus", "--data.path", QUESTIONS, "--data.text", 2, "--data.minimum-count", minimum,
                "--data.window", window, "--approximation.dimension", dimension, "--output.path", output, "--evaluation.pairs", 2000, *more]

    def vocabulary(self):
        """Words by falling count, then bytes, and the texts in their numbers, rare words left out."""
        tokens = [re.findall(r"[a-z0-9]+", text.lower()) for text in texts()]
        times = collections.Counter(word for text in tokens for word in text)
        words = sorted((word for word in times if times[word] >= 3), key=lambda word: (-times[word], word))
        number = {word: k for k, word in enumerate(words)}
        return words, [[number[word] for word in text if word in number] for text in tokens]

    def test_counts_and_values_are_those_of_all_windows(self):
        words, documents = self.vocabulary()
        counts = window_counts(documents, 5)
        report = self.json(*self.arguments(), ranks=2)
        self.assertEqual(len(words), report["corpus"]["vocabulary"])
        self.assertEqual(len(counts), report["count_pairs"])
        self.assertEqual(sum(1 for i, j in counts if i == j), report["count_diagonal"])
        total = sum(count * (1 if i == j else 2) for (i, j), count in counts.items())
        self.assertEqual(total, report["count_sum"])
        with h5py.File(self.path("r.h5")) as file:
            group = file["counts"]
            self.assertEqual(words, [label.decode() for label in file["labels"][:]])
            starts, others, data = group["indptr"][:], group["indices"][:], group["data"][:]
            stored = {(int(others[e]), i): int(data[e]) for i in range(len(words)) for e in range(starts[i], starts[i + 1])}
            self.assertEqual(dict(counts), stored)
            # K of some pairs, and K~ = V Vᵀ by least squares on the columns of the references.
            rows = numpy.zeros(len(words))
            for (i, j), count in counts.items():
                rows[i] += count
                if i != j:
                    rows[j] += count
            references = file["landmarks/indices"][:]
            self.assertEqual(list(range(80)), list(references))
            columns = numpy.zeros((len(words), 80))
            for (i, j), count in counts.items():
                value = math.log(count * total / (rows[i] * rows[j]))
                if i < 80:
                    columns[j, i] = value
                if j < 80:
                    columns[i, j] = value
            values, vectors = numpy.linalg.eigh(columns[:80])
            expected = columns @ vectors[:, ::-1][:, :20] / numpy.sqrt(values[::-1][:20])
            left = file["left"][:]
            numpy.testing.assert_allclose(left @ left.T, expected @ expected.T, atol=1e-8)

    def test_every_method_gives_the_same_on_any_number_of_ranks(self):
        cases = {"gbu": [], "adam": ["--approximation.steps", 3],
                 "pmi-eigs": ["--approximation.residual", "1e-9"],
                 "dc": ["--approximation.first-block", 300, "--approximation.block", 100, "--landmarks.selection", "coreness",
                        "--approximation.residual", "1e-9"]}
        for method, more in cases.items():
            products = []
            for ranks in (1, 3):
                self.cairn(*self.arguments("--approximation.method", method, *more), ranks=ranks)
                with h5py.File(self.path("r.h5")) as file:
                    left = file["left"][:]
                    products.append(left[::7] @ left[::5].T)
            with self.subTest(method=method):
                numpy.testing.assert_allclose(products[0], products[1], atol=1e-6 * numpy.abs(products[0]).max())

    def test_blocks_follow_an_order_in_a_file(self):
        count = len(self.vocabulary()[0])
        self.write("order.txt", "".join(f"{k}\n" for k in range(count)))
        more = ["--approximation.method", "dc", "--approximation.first-block", 300, "--approximation.block", 100,
                "--approximation.residual", "1e-9"]
        products = []
        for ranks, order in ((1, ["frequency"]), (1, ["file", "--landmarks.path", "order.txt"]),
                             (3, ["file", "--landmarks.path", "order.txt"])):
            self.cairn(*self.arguments(*more, "--landmarks.selection", *order), ranks=ranks)
            with h5py.File(self.path("r.h5")) as file:
                left = file["left"][:]
                products.append(left[::7] @ left[::5].T)
        for found in products[1:]:
            numpy.testing.assert_allclose(products[0], found, atol=1e-6 * numpy.abs(products[0]).max())
        self.write("some.txt", "0\n1\n2\n")
        self.refused(2, "needs an order of all", *self.arguments(*more, "--landmarks.selection", "file", "--landmarks.path", "some.txt",
                                                               output="x.h5"))

    def test_co_occurrences_are_counted_once(self):
        first = self.json(*self.arguments("--approximation.method", "pmi-eigs"), ranks=2)
        self.assertIn("count", first["seconds"])
        again = self.json(*self.arguments("--approximation.method", "pmi-eigs", "--similarity.reuse", "r.h5", output="s.h5"),
                          ranks=3)
        self.assertNotIn("count", again["seconds"])
        self.assertEqual(first["count_sum"], again["count_sum"])
        self.assertAlmostEqual(first["relative_error"], again["relative_error"], places=6)
        self.refused(3, "was counted with data.window = 5, and this run has data.window = 4",
                     *self.arguments("--similarity.reuse", "r.h5", output="t.h5", window=4))
        self.refused(3, "the data have .* objects", *self.arguments("--similarity.reuse", "r.h5", output="t.h5", minimum=4))
        self.cairn(*self.arguments("--output.counts", "false"))
        self.refused(3, "holds no co-occurrences: make it again with output.counts = true",
                     *self.arguments("--similarity.reuse", "r.h5", output="t.h5"))

    def test_frequent_words_are_subsampled_alike_on_any_number_of_ranks(self):
        words, documents = self.vocabulary()
        times = collections.Counter(word for text in documents for word in text)
        tokens, rate = sum(times.values()), 0.004
        shares = {word: min(1.0, math.sqrt(rate * tokens / count)) for word, count in times.items()}
        expected = sum(count * (1 - shares[word]) for word, count in times.items())
        deviation = math.sqrt(sum(count * shares[word] * (1 - shares[word]) for word, count in times.items()))
        some = ["--data.subsampling", rate]
        reports = [self.json(*self.arguments(*some, output=f"{ranks}.h5"), ranks=ranks) for ranks in (1, 2, 3)]
        dropped = reports[0]["corpus"]["dropped_tokens"]
        self.assertGreater(expected, 100)
        self.assertAlmostEqual(expected, dropped, delta=5 * deviation)
        for report in reports[1:]:
            self.assertEqual(dropped, report["corpus"]["dropped_tokens"])
            self.assertEqual(reports[0]["count_sum"], report["count_sum"])
        self.assertEqual(len(words), reports[0]["corpus"]["vocabulary"])  # rare words are left out by how often they occur at all
        again = self.json(*self.arguments(*some, "--similarity.reuse", "3.h5", output="s.h5"), ranks=2)
        self.assertNotIn("count", again["seconds"])
        self.assertNotIn("count", self.json("evaluate", "3.h5", "--evaluation.rows", "all")["seconds"])
        for other in ([], ["--data.subsampling", 0.002]):
            self.refused(3, "digests differ", *self.arguments(*other, "--similarity.reuse", "3.h5", output="t.h5"))

    def test_a_stopped_count_goes_on_on_any_number_of_ranks(self):
        job = ["--data.kind", "corpus", "--data.generate", "zipf", "--data.points", 60000, "--data.total-tokens", 3000000,
               "--data.text-tokens", 400, "--data.window", 40, "--approximation.dimension", 5, "--landmarks.count", 400, "--evaluation.pairs", 0,
               "--output.path", "r.h5"]
        whole = self.json("approximate", *job, ranks=2)
        job += ["--run.checkpoint", "ck", "--restart"]
        for ranks in (3, 1):
            stopped = self.cairn("approximate", *job, "--run.max-time", 0, ranks=ranks, expect=75)
            self.assertIn("during 'count states'", stopped.err)
            self.assertNotIn("counted again", stopped.err)
            self.assertTrue(any(name.startswith("ck") for name in os.listdir(self.folder)))
        again = self.json("approximate", *job, ranks=2)
        for figure in ("count_pairs", "count_diagonal", "count_sum", "count_trace"):
            self.assertEqual(whole[figure], again[figure])

    def test_a_stopped_count_of_texts_in_another_order_is_counted_again(self):
        draws = numpy.random.default_rng(5)
        lines = [" ".join(f"w{word}" for word in draws.zipf(1.2, 300) % 60000) + "\n" for _ in range(10000)]
        job = ["approximate", "--data.kind", "corpus", "--data.path", "texts.txt", "--data.format", "lines", "--data.window", 40,
               "--approximation.dimension", 5, "--landmarks.count", 400, "--evaluation.pairs", 0, "--output.path", "r.h5"]
        resumed = [*job, "--run.checkpoint", "ck", "--restart"]
        self.write("texts.txt", "".join(lines))
        self.cairn(*resumed, "--run.max-time", 0, ranks=2, expect=75)
        lines[4000], lines[6000] = lines[6000], lines[4000]  # beyond what the checkpoint compares of the file
        self.write("texts.txt", "".join(lines))
        said = self.cairn(*resumed, ranks=3)
        self.assertIn("in another order; the texts are counted again", said.err)
        counted = r"[\d,]+ pairs of words occur together.*"
        self.assertEqual(re.search(counted, self.cairn(*job).out)[0], re.search(counted, said.out)[0])

    def test_error_is_measured_with_what_the_result_keeps(self):
        written = self.json(*self.arguments(), ranks=2)
        measured = self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=2)
        self.assertNotIn("count", measured["seconds"])
        self.assertAlmostEqual(written["relative_error"], measured["relative_error"],
                               delta=6 * written["relative_error_standard_error"])

    def test_words_are_asked_for_by_name(self):
        self.cairn(*self.arguments("--approximation.method", "pmi-eigs"))
        found = self.json("query", "r.h5", "--nearest", "president", "--k", 5, ranks=2)["nearest"]
        self.assertEqual("angle", found["by"])
        with h5py.File(self.path("r.h5")) as file:
            words, left = [label.decode() for label in file["labels"][:]], file["left"][:]
        unit = left / numpy.maximum(numpy.linalg.norm(left, axis=1, keepdims=True), 1e-300)
        cosines = unit @ unit[words.index("president")]
        cosines[words.index("president")] = -2
        order = numpy.argsort(-cosines)[:5]
        self.assertEqual([words[k] for k in order], [near["label"] for near in found["nearest"]])
        value = self.json("query", "r.h5", "--nearest", "president", "--by-angle", "false")["nearest"]
        self.assertEqual("value", value["by"])
        entry = self.json("query", "r.h5", "--entry", "president,united")["entries"][0]
        self.assertAlmostEqual(left[words.index("president")] @ left[words.index("united")], entry["value"], places=10)
        self.refused(2, "no row has the label 'presidnt'; did you mean 'president'?", "query", "r.h5", "--nearest", "presidnt")

    def test_vectors_are_written_for_other_programs(self):
        self.cairn(*self.arguments("--output.vectors", "v.txt"), ranks=3)
        self.cairn(*self.arguments("--output.vectors", "v.bin"), ranks=1)
        with h5py.File(self.path("r.h5")) as file:
            words, left = [label.decode() for label in file["labels"][:]], file["left"][:]
        with open(self.path("v.txt"), encoding="utf-8") as file:
            self.assertEqual([len(words), 20], [int(field) for field in file.readline().split()])
            for word, row in zip(words, left):
                fields = file.readline().split(" ")
                self.assertEqual(word, fields[0])
                numpy.testing.assert_allclose([float(field) for field in fields[1:]], row, rtol=1e-5, atol=1e-6)
            self.assertEqual("", file.readline())
        with open(self.path("v.bin"), "rb") as file:
            self.assertEqual(f"{len(words)} 20\n".encode(), file.readline())
            for word, row in zip(words, left):
                self.assertEqual(word.encode() + b" ", file.read(len(word) + 1))
                numpy.testing.assert_allclose(numpy.frombuffer(file.read(80), "<f4"), row, rtol=1e-5, atol=1e-6)
                self.assertEqual(b"\n", file.read(1))

    def test_what_was_read_is_said(self):
        outcome = self.cairn(*self.arguments(), ranks=2)
        words, documents = self.vocabulary()
        self.assertRegex(outcome.out, r"corpus +300 texts, ")
        self.assertRegex(outcome.out, rf"vocabulary +{len(words):,} words, {sum(map(len, documents)):,} tokens; from '{words[0]}'")
        self.assertRegex(outcome.out, r"windows of 5 tokens that hold both words")
        self.assertRegex(outcome.out, r"tokens of .* words that are not in the vocabulary were left out before windows were cut")

    def test_plan_names_the_sizes(self):
        plan = self.json("plan", *self.arguments()[1:], ranks=2)
        self.assertGreater(plan["peak_bytes"], 0)

    def test_bytes_that_are_not_utf8_separate_words(self):
        line = b"one two\xff\xfethree four five\n"
        self.write("bytes.txt", (line + b"one two three four five\n") * 40)
        job = ["--data.kind", "corpus", "--data.format", "lines", "--data.path", "bytes.txt", "--approximation.dimension", 1,
               "--landmarks.count", 4, "--approximation.truncate", "true", "--evaluation.pairs", 0, "--output.path", "r.h5"]
        for ranks in (1, 2, 3):
            outcome = self.cairn("approximate", *job, ranks=ranks)
            self.assertRegex(outcome.out, "40 texts hold bytes that are not UTF-8; these separate words .the first: bytes.txt:1; if they are Latin-1")
            self.assertRegex(outcome.out, "vocabulary +5 words, 400 tokens")

    def test_a_compressed_file_that_is_cut_off_is_refused(self):
        """One that is longer than a block, cut where most of it has been read."""
        lines = b"".join(b"word%d and word%d and others\n" % (k % 997, k * k % 9973) for k in range(90000))
        packed = gzip.compress(lines)
        self.write("cut.txt.gz", packed[:len(packed) * 9 // 10])
        self.refused(3, "cut.txt.gz.*(truncated|ends|damaged)", "approximate", "--data.kind", "corpus", "--data.format", "lines",
                     "--data.path", "cut.txt.gz", "--output.path", "x.h5", ranks=(1, 2, 3))

    def test_plan_is_what_the_run_takes(self):
        """Stage by stage; the rows of C, additions and columns are most of it."""
        self.OWN_PROCESSES = True  # peaks are those of a process
        job = ["--data.kind", "corpus", "--data.generate", "zipf", "--data.points", 50000, "--data.total-tokens", 4000000,
               "--data.window", 20, "--approximation.dimension", 100, "--evaluation.pairs", 20000]
        plan = self.json("plan", *job, ranks=2)
        run = self.json("approximate", *job, "--output.path", "r.h5", ranks=2)
        self.assertAlmostEqual(run["peak_bytes"], plan["peak_bytes"], delta=0.15 * run["peak_bytes"])
        for stage in ("count", "joining", "probe"):
            with self.subTest(stage):
                measured = run["phases"][stage]["peak_bytes"]
                self.assertGreater(plan["stages"][stage], 0.85 * measured)
                self.assertLess(plan["stages"][stage], 1.3 * measured)

    def test_texts_are_means_of_their_words(self):
        """New texts: not those that were counted."""
        self.cairn(*self.arguments("--landmarks.count", 60, output="w.h5"))
        new = ["owls and zyx what is the name", "unheard zyx", "who was the first the the president", "What country has the largest"]
        self.write("new.tsv", "".join(f"{'AB'[k % 2]}\t{'train' if k < 2 else 'test'}\t{text}\n" for k, text in enumerate(new)))
        extend = ["extend", "w.h5", "--data.path", "new.tsv", "--data.text", 3, "--data.label", 1, "--data.split", 2]
        with h5py.File(self.path("w.h5")) as file:
            words, rows = [label.decode() for label in file["labels"][:]], file["left"][:]
        number = {word: k for k, word in enumerate(words)}
        bags = [[number[word] for word in re.findall(r"[a-z0-9]+", text.lower()) if word in number] for text in new]
        kept = [k for k in range(len(new)) if bags[k]]
        self.assertEqual([0, 2, 3], kept)
        holding = [sum(1 for k in kept if w in bags[k]) for w in range(len(words))]
        idf = [1 + math.log((1 + len(kept)) / (1 + count)) for count in holding]
        for ranks, weights in ((1, "mean"), (3, "mean"), (2, "tf-idf")):
            outcome = self.cairn(*extend, "--output.path", "t.h5", "--weights", weights, ranks=ranks)
            self.assertRegex(outcome.out, r"new objects +3\n")
            self.assertRegex(outcome.out, "1 documents without a known word were ignored, the first at new.tsv:2")
            with h5py.File(self.path("t.h5")) as file:
                self.assertEqual([b"A", b"A", b"B"], list(file["labels"][:]))
                self.assertEqual([0, 2, 3], list(file["numbers"][:]))
                for row, k in zip(file["left"][:], kept):
                    weight = [1.0 if weights == "mean" else idf[w] for w in bags[k]]
                    numpy.testing.assert_allclose(row, numpy.average(rows[bags[k]], axis=0, weights=weight), rtol=1e-9, atol=1e-12)
        self.assertRegex(self.cairn("info", "t.h5").out, "documents")
        kept_empty = self.cairn(*extend, "--output.path", "t.h5", "--data.empty", "keep")
        self.assertRegex(kept_empty.out, r"new objects +4\n")
        with h5py.File(self.path("t.h5")) as file:
            self.assertTrue((file["left"][1] == 0).all())
        self.refused(2, "data.vectors has no effect: the words of texts", *extend, "--output.path", "x.h5", "--data.vectors", self.write("v.txt", "a 1 2\n"))
        self.refused(2, "pairs has no effect: rows of texts", *extend, "--output.path", "x.h5", "--pairs", 5)
        self.refused(2, "w.h5 was made from corpus, whose new objects are documents", "extend", "w.h5", "--data.path", "new.tsv",
                     "--output.path", "x.h5", "--data.kind", "corpus")
        self.refused(2, "cannot be extended", "extend", "t.h5", "--data.path", "new.tsv", "--data.text", 3, "--output.path", "x.h5")

    def test_sequences_of_proteins(self):
        """k lists of k-mers that do not overlap, in two files; sequences in a third format get means of all k-mers."""
        first, second = ["MKTAYIAKQRQISF", "MKTAYIQRQ-SFVKAY"], ["AKQRQMKTAY", "GGGSSAYIAKMKT"]
        self.write("a.txt", "name,sequence\n" + "".join(f"p{k},{sequence}\n" for k, sequence in enumerate(first)))
        self.write("b.txt", "\n".join(second) + "\n")
        sequences = [[part for part in sequence.split("-")] for sequence in first + second]
        counts, times = collections.Counter(), collections.Counter()
        for run in (run for runs in sequences for run in runs):
            for phase in range(3):
                kmers = [run[at:at + 3] for at in range(phase, len(run) - 2, 3)]
                times.update(kmers)
                for p, later in enumerate(kmers):
                    for earlier in kmers[max(0, p - 2):p]:
                        counts[tuple(sorted((earlier, later)))] += 1
        corpus = ["approximate", "--data.kind", "corpus", "--data.format", "protein", "--data.path", "a.txt", "--data.more", "b.txt",
                  "--data.minimum-count", 1, "--data.counts", "pairs", "--data.window", 2, "--approximation.method", "adam",
                  "--approximation.dimension", 4, "--approximation.steps", 5, "--evaluation.pairs", 0]
        report = self.json(*corpus, "--data.letters", "split", "--output.path", "k.h5", ranks=2)
        self.assertEqual((len(times), sum(times.values()), 4), (report["corpus"]["vocabulary"], report["corpus"]["tokens"], report["corpus"]["texts"]))
        with h5py.File(self.path("k.h5")) as file:
            words = [label.decode() for label in file["labels"][:]]
            self.assertEqual(sorted(times, key=lambda word: (-times[word], word)), words)
            starts, others, data = (file["counts"][name][:] for name in ("indptr", "indices", "data"))
            stored = {tuple(sorted((words[others[e]], words[i]))): int(data[e]) for i in range(len(words)) for e in range(starts[i], starts[i + 1])}
            self.assertEqual(dict(counts), stored)
            rows = file["left"][:]
        self.write("new.fasta", ">x\nMKTAY\nIAK\n>y\nWWWMKT\n")
        self.cairn("extend", "k.h5", "--data.path", "new.fasta", "--data.format", "protein", "--output.path", "s.h5", ranks=2)
        number = {word: k for k, word in enumerate(words)}
        with h5py.File(self.path("s.h5")) as file:
            for sequence, row in zip(("MKTAYIAK", "WWWMKT"), file["left"][:]):
                own = [number[sequence[at:at + 3]] for at in range(len(sequence) - 2) if sequence[at:at + 3] in number]
                numpy.testing.assert_allclose(row, rows[own].mean(axis=0), rtol=1e-9, atol=1e-12)
        self.refused(3, r"a.txt:3: '-' at position 10 of the sequence .*data.letters = keep, split or skip", *corpus, "--output.path", "x.h5")
        self.refused(3, r"short.txt:2: the sequence has 2 letters, fewer than data.kmer-length = 3", *corpus[:5], "--data.path",
                     self.write("short.txt", "MKT\nMK\n"), "--output.path", "x.h5", "--approximation.dimension", 2)
        self.refused(2, "letters has no effect if data.tokens is words", *self.arguments("--data.letters", "keep", output="x.h5"))
        self.refused(2, "stop-words has no effect if data.tokens is k-mers", *corpus, "--data.stop-words", "b.txt", "--output.path", "x.h5")

    def test_bad_input(self):
        self.write("one.txt", "word word word word word\n")
        one = ["approximate", "--data.kind", "corpus", "--data.format", "lines", "--output.path", "x.h5"]
        self.refused(3, "needs at least 2 words", *one, "--data.path", "one.txt")
        self.refused(3, "one.gz|truncated|end", *one, "--data.path", self.write("one.gz", gzip.compress(b"a b c d\n" * 9999)[:60]))
        self.refused(2, "window", *self.arguments(output="x.h5", window=1))
        self.refused(2, "is not below the number of references", *self.arguments("--landmarks.count", 20, output="x.h5"))
        self.refused(2, "is not below the number of objects", *self.arguments(output="x.h5", dimension=99999))
        self.refused(2, "harmonic", *self.arguments("--data.harmonic", "true", output="x.h5"))
        self.refused(2, "frequency needs the words of a corpus",
                     "approximate", "--data.generate", "normal", "--data.points", 50, "--data.dimension", 3, "--similarity.kind",
                     "rbf", "--similarity.gamma", 1, "--landmarks.count", 5, "--landmarks.selection", "frequency",
                     "--output.path", "x.h5")
        self.refused(4, "only [0-9]+ are positive.*truncate = true", *self.arguments("--landmarks.count", 25, output="x.h5"))
        self.refused(2, "no effect", *self.arguments("--approximation.method", "pmi-eigs", "--landmarks.count", 50, output="x.h5"))

    @unittest.skipUnless(os.path.exists(IMDB), "CAIRN_DATA names no folder with corpus/imdb-unlabelled.tsv.gz")
    def test_film_reviews_have_the_known_counts(self):
        """Tokens as Python's [^\\W_]+ has them; stop words kept."""
        pattern = re.compile(r"[^\W_]+")
        with gzip.open(IMDB, "rt", encoding="utf-8") as file:
            lines = [" ".join(word for word in pattern.findall(line.split("\t", 1)[1].lower()) if word != "br") for line in file]
        self.write("words.txt", "\n".join(lines) + "\n")
        report = self.json("approximate", "--data.kind", "corpus", "--data.path", "words.txt", "--data.format", "lines",
                           "--data.tokens", "blanks", "--data.lower-case", "false", "--approximation.dimension", 10, "--output.path", "r.h5", "--output.counts", "false",
                           "--evaluation.pairs", 0, ranks=2)
        self.assertEqual((40286, 11848965), (report["corpus"]["vocabulary"], report["corpus"]["vocabulary_tokens"]))
        self.assertEqual((12913211, 11706), (report["count_pairs"], report["count_diagonal"]))
        self.assertEqual((958560853, 3829337), (report["count_sum"], report["count_trace"]))


if __name__ == "__main__":
    if h5py is None:
        print("numpy and h5py are missing (Debian: python3-numpy, python3-h5py)")
        raise SystemExit(77)
    unittest.main()
