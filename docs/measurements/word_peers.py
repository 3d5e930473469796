#!/usr/bin/python3
"""Words of film reviews by Cairn's methods, fastText, word2vec (gensim) and GloVe: the same tokens, two cores, the same scores.

    docs/measurements/word_peers.py --data DATA --work FOLDER --cairn cairn --glove GLOVE/build --out docs/measurements/word-peers.csv
    docs/measurements/word_peers.py --print docs/measurements/word-peers.csv

DATA holds corpus/imdb-unlabelled.tsv.gz (Maas et al. 2011), corpus/subjectivity.txt.xz (Pang and Lee 2004), documents/stop-words.txt,
words/EN-WS-353-ALL.txt, words/EN-SIMLEX-999.txt and words/qvec-supersenses.xz. Debian packages: fasttext, python3-gensim,
python3-sklearn, python3-scipy. GLOVE is a build of github.com/stanfordnlp/GloVe; without --glove it is left out, which is said.

Scores are computed here, of each program's vectors in word2vec's text format: Spearman's correlation of cosines with the
scores of pairs whose words are both known, QVEC-CCA, and macro F1 of a linear SVM on the mean vectors of sentences in 5
folds. Seconds are of the whole program; core-seconds are those of all its threads or ranks.
"""
import argparse
import csv
import gzip
import json
import lzma
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

WORD = re.compile(r"[^\W_]+")
TAG = re.compile(r"<[^>]*>")
DIMENSION = 200


def tokens_of(text, stop):
    return [word for word in WORD.findall(TAG.sub(" ", text).lower()) if word not in stop]


def write_tokens(data, path):
    stop = set((data / "documents/stop-words.txt").read_text(encoding="utf-8").split())
    count = 0
    with gzip.open(data / "corpus/imdb-unlabelled.tsv.gz", "rt", encoding="utf-8", errors="replace") as texts, open(path, "w", encoding="utf-8") as out:
        for line in texts:
            words = tokens_of(line.rstrip("\n").split("\t", 1)[1], stop)
            count += len(words)
            out.write(" ".join(words) + "\n")
    return count


class Scores:
    def __init__(self, data):
        self.pairs = {}
        for name in ("EN-WS-353-ALL", "EN-SIMLEX-999"):
            lines = (data / f"words/{name}.txt").read_text(encoding="utf-8").splitlines()
            self.pairs[name] = [(a, b, float(score)) for a, b, score in (line.split("\t") for line in lines if not line.startswith("#"))]
        with lzma.open(data / "words/qvec-supersenses.xz", "rt", encoding="utf-8") as file:
            self.features = {word: json.loads(text) for word, text in (line.rstrip("\n").split("\t") for line in file)}
        with lzma.open(data / "corpus/subjectivity.txt.xz", "rt", encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n").split(" ", 1) for line in file]
        self.labels = [label for label, _ in lines]
        self.sentences = [WORD.findall(text.lower()) for _, text in lines]

    def spearman(self, vectors, name):
        import numpy
        from scipy.stats import spearmanr

        def find(word):
            return vectors.get(word, vectors.get(word.lower()))

        known = [(find(a), find(b), score) for a, b, score in self.pairs[name] if find(a) is not None and find(b) is not None]
        cosines = [float(a @ b / (numpy.linalg.norm(a) * numpy.linalg.norm(b))) for a, b, _ in known]
        return float(spearmanr(cosines, [score for *_, score in known]).statistic), len(known)

    def qvec_cca(self, vectors):
        import numpy
        words = [word for word in self.features if word in vectors]
        names = sorted({name for features in self.features.values() for name in features})
        x = numpy.array([vectors[word] for word in words], dtype=float)
        s = numpy.array([[self.features[word].get(name, 0.0) for name in names] for word in words])

        def basis(columns):
            u, d, _ = numpy.linalg.svd(columns - columns.mean(0), full_matrices=False)
            return u[:, d > 1e-6 * d[0]]

        return float(numpy.linalg.svd(basis(x).T @ basis(s), compute_uv=False)[0])

    def subjectivity(self, vectors):
        import numpy
        from sklearn.model_selection import StratifiedKFold, cross_val_score
        from sklearn.svm import LinearSVC
        zero = numpy.zeros(len(next(iter(vectors.values()))))
        rows = numpy.array([numpy.mean([vectors[w] for w in words if w in vectors] or [zero], 0) for words in self.sentences])
        rows /= rows.std()
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        return float(cross_val_score(LinearSVC(C=1.0, dual=False), rows, self.labels, cv=folds, scoring="f1_macro").mean())

    def all(self, vectors):
        (ws, ws_known), (simlex, simlex_known) = (self.spearman(vectors, name) for name in self.pairs)
        return {"words": len(vectors), "ws353": ws, "ws353_known": ws_known, "simlex": simlex, "simlex_known": simlex_known,
                "qvec_cca": self.qvec_cca(vectors), "subjectivity_f1": self.subjectivity(vectors)}


def read_vectors(path):
    import numpy
    vectors = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, *numbers = line.rstrip().split(" ")
            if len(numbers) == DIMENSION:  # not the line with the sizes
                vectors[word] = numpy.array(numbers, dtype=float)
    return vectors


def timed(commands, folder):
    """Runs programs one after the other; seconds and core-seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    for command, source, target in commands:
        with open(source or os.devnull, "rb") as given, open(target or folder / "log", "wb") as taken:
            subprocess.run([str(word) for word in command], stdin=given, stdout=taken, stderr=subprocess.DEVNULL, check=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cores = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - started, cores


GENSIM = """
import sys
from gensim.models.word2vec import LineSentence, Word2Vec
model = Word2Vec(LineSentence(sys.argv[1]), vector_size={dimension}, window=5, min_count=5, sg={sg}, epochs=5, workers=2, seed=1)
model.wv.save_word2vec_format(sys.argv[2])
"""


def programs(chosen, folder, tokens):
    """Name and commands (words, file of the standard input, of the output) of each; they write NAME.vec."""
    data = ["--config", pathlib.Path(__file__).resolve().parents[2] / "configs/imdb.cfg", "--data.path", tokens, "--data.format", "lines",
            "--evaluation.pairs", 0]

    def cairn(name, *arguments):
        command = ["mpirun", "-n", 2, chosen.cairn, "approximate", *data, *arguments, "--output.path", f"{name}.h5", "--output.vectors",
                   f"{name}.vec"]
        return name, [(command, None, None)]

    yield cairn("gbu", "--output.counts", "true")
    reuse = ("--similarity.reuse", "gbu.h5", "--output.counts", "false")
    yield cairn("gbu-stored", *reuse)
    yield cairn("gbu-20k", *reuse, "--landmarks.count", 20 * DIMENSION)
    yield cairn("dc", *reuse, "--approximation.method", "dc", "--approximation.residual", "1e-3")
    yield cairn("pmi-eigs", *reuse, "--approximation.method", "pmi-eigs")
    yield "fasttext", [(["fasttext", "skipgram", "-input", tokens, "-output", "fasttext", "-dim", DIMENSION, "-epoch", 5, "-thread", 2,
                         "-minCount", 5], None, None)]
    yield "fasttext-words", [(["fasttext", "skipgram", "-input", tokens, "-output", "fasttext-words", "-dim", DIMENSION, "-epoch", 5,
                               "-thread", 2, "-minCount", 5, "-maxn", 0], None, None)]
    for name, sg in (("gensim-skipgram", 1), ("gensim-cbow", 0)):
        yield name, [([sys.executable, "-c", GENSIM.format(dimension=DIMENSION, sg=sg), tokens, f"{name}.vec"], None, None)]
    if not chosen.glove:
        print("GloVe is left out: --glove is not given", flush=True)
        return
    vocabulary, counts, shuffled = folder / "vocabulary", folder / "counts", folder / "shuffled"
    yield "glove", [
        ([chosen.glove / "vocab_count", "-min-count", 5, "-verbose", 0], tokens, vocabulary),
        ([chosen.glove / "cooccur", "-memory", 4.0, "-vocab-file", vocabulary, "-verbose", 0, "-window-size", 10], tokens, counts),
        ([chosen.glove / "shuffle", "-memory", 4.0, "-verbose", 0], counts, shuffled),
        ([chosen.glove / "glove", "-save-file", folder / "glove", "-threads", 2, "-input-file", shuffled, "-x-max", 10, "-iter", 15,
          "-vector-size", DIMENSION, "-binary", 0, "-vocab-file", vocabulary, "-verbose", 0, "-write-header", 1], None, None)]


def measure(chosen):
    folder = chosen.work.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tokens = folder / "tokens.txt"
    print(f"{write_tokens(chosen.data, tokens):,} tokens", flush=True)
    scores = Scores(chosen.data)
    rows = []
    for name, commands in programs(chosen, folder, tokens):
        seconds, cores = timed(commands, folder)
        written = folder / f"{name}.vec"
        found = scores.all(read_vectors(written if written.exists() else folder / f"{name}.txt"))
        rows.append({"program": name, "seconds": seconds, "core_seconds": cores} | found)
        print(rows[-1], flush=True)
        with open(chosen.out, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)


def show(path):
    print("| program | seconds | core-seconds | words | WS-353 (pairs) | SimLex-999 (pairs) | QVEC-CCA | F1, subjectivity |")
    print("|---|---|---|---|---|---|---|---|")
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            numbers = {key: float(value) for key, value in row.items() if key != "program"}
            print(f"| {row['program']} | {numbers['seconds']:.1f} | {numbers['core_seconds']:.0f} | {numbers['words']:,.0f} "
                  f"| {numbers['ws353']:.3f} ({numbers['ws353_known']:.0f}) | {numbers['simlex']:.3f} ({numbers['simlex_known']:.0f}) "
                  f"| {numbers['qvec_cca']:.3f} | {numbers['subjectivity_f1']:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, help="The folder DATA.")
    parser.add_argument("--work", type=pathlib.Path, default="word-peers", help="A folder for tokens and vectors. Default: word-peers.")
    parser.add_argument("--cairn", default="cairn", help="The program.")
    parser.add_argument("--glove", type=lambda text: pathlib.Path(text).resolve(), help="The folder with GloVe's programs.")
    parser.add_argument("--out", default="word-peers.csv", help="The CSV file that is written.")
    parser.add_argument("--print", metavar="CSV", help="Print the table of a file that was written before, and measure nothing.")
    chosen = parser.parse_args()
    if not chosen.print:
        if chosen.data is None:
            sys.exit("word_peers.py: --data is missing")
        measure(chosen)
    show(chosen.print or chosen.out)


if __name__ == "__main__":
    main()
