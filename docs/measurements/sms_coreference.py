#!/usr/bin/env python3
"""Figure 4 of Ray, Monath, McCallum and Musco (2022): mentions of ECB+ clustered by approximations of their similarities.
GloVe vectors of 100 dimensions stand in for the paper's trained model. See docs/reproduction-coreference.md.

usage: sms_coreference.py run events|entities --data FOLDER --out TABLE.csv [options]   lines are appended
       sms_coreference.py external events|entities --data FOLDER [options]              one run with mention_scorer.py

A line of the table is a method with a share of landmarks and a seed. All methods of a kind of mentions are cut at one
threshold, the one with the best CoNLL F1 by K itself; beside it stands the best of each line.
"""
import argparse
import collections
import csv
import gzip
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIG = os.path.join(HERE, "..", "..", "configs", "repro", "sms-coreference.cfg")
COLUMNS = ["mentions", "similarity", "scope", "method", "share", "seed", "n", "evaluations", "relative_error", "shift",
           "threshold", "clusters", "muc_f1", "b_cubed_f1", "ceaf_e_f1", "conll_f1", "best_threshold", "best_conll_f1"]
THRESHOLDS = [round(0.02 * i, 2) for i in range(1, 50)]
OWN, CONTEXT, OFFSET = 10.0, 5.0, 12.0  # of the score: 1 / (1 + exp(OFFSET - OWN a - CONTEXT b))
METHODS = {  # a share of columns -> s1 (the paper counts s2 for SiCUR), and keys of its own
    "nystrom": ("nystrom", 1.0, []), "nystrom plain": ("nystrom", 1.0, ["--approximation.tolerance", "1e-14"]),
    "sms-nystrom": ("sms-nystrom", 1.0, []),
    "sms-nystrom rescaled": ("sms-nystrom", 1.0, ["--approximation.rescale", "true"]),
    "sicur": ("sicur", 0.5, []), "stacur": ("stacur", 1.0, []), "optimal": ("optimal", 1.0, []),
}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["run", "external"])
    parser.add_argument("mentions", choices=["events", "entities"])
    parser.add_argument("--data", required=True, help="the folder with coreference/, words/ and documents/")
    parser.add_argument("--out", help="the table")
    parser.add_argument("--cairn", default="cairn")
    parser.add_argument("--mpi", default="mpirun --bind-to none -n 1", help="what starts the ranks")
    parser.add_argument("--similarity", choices=["aligned", "rbf"], default="aligned")
    parser.add_argument("--scope", choices=["corpus", "topics"], default="corpus", help="one matrix, or one a topic")
    parser.add_argument("--methods", default="nystrom,sms-nystrom,sms-nystrom rescaled,sicur,stacur")
    parser.add_argument("--shares", default="0.05,0.1,0.2,0.3,0.5,0.9")
    parser.add_argument("--seeds", type=int, default=3)
    return parser.parse_args()


def words_of(text):
    return re.findall(r"[a-z0-9]+", text.lower())


class Corpus:
    """Sentences, word vectors of unit length, and weights of words: the logarithm of 1 / their share of documents."""

    def __init__(self, folder):
        self.sentences, documents = collections.defaultdict(dict), collections.defaultdict(set)
        with lzma.open(os.path.join(folder, "coreference", "ecb-dev-corpus.txt.xz"), "rt", encoding="utf-8") as file:
            for parts in (line.rstrip("\n").split("\t") for line in file):
                if len(parts) > 1:  # document, sentence, number of the word, word, chain
                    self.sentences[parts[0], int(parts[1])][int(parts[2])] = words_of(parts[3])
                    documents[parts[0]].update(words_of(parts[3]))
        counts = collections.Counter(word for words in documents.values() for word in words)
        with gzip.open(os.path.join(folder, "words", "glove100.words.txt.gz"), "rt", encoding="utf-8") as file:
            rows = {word: row for row, word in enumerate(line.rstrip("\n") for line in file) if word in counts}
        with gzip.open(os.path.join(folder, "words", "glove100.f32le.gz")) as file:
            vectors = np.frombuffer(file.read(), "<f4").reshape(-1, 100)
        self.number = {word: number for number, word in enumerate(rows)}
        self.vectors = vectors[list(rows.values())].astype(float)
        self.vectors /= np.linalg.norm(self.vectors, axis=1)[:, None]
        self.weights = np.array([np.log(len(documents) / counts[word]) + 0.1 for word in rows])
        with open(os.path.join(folder, "documents", "stop-words.txt"), encoding="utf-8") as file:
            self.stop = set(file.read().split())

    def words(self, tokens, keep_stop_words):
        known = [word for token in tokens for word in token if word in self.number]
        telling = [word for word in known if word not in self.stop]
        return [self.number[word] for word in telling or (known if keep_stop_words else [])]


class Mentions:
    """Of each: its own words, the other words of its sentence, its chain (the gold cluster) and topic."""

    def __init__(self, folder, kind):
        self.corpus = Corpus(folder)
        with lzma.open(os.path.join(folder, "coreference", f"ecb-dev-{kind}.json.xz"), "rt", encoding="utf-8") as file:
            mentions = json.load(file)
        self.own, self.context = [], []
        for mention in mentions:
            sentence, span = self.corpus.sentences[mention["doc_id"], mention["sent_id"]], mention["tokens_number"]
            self.own.append(self.corpus.words([sentence[i] for i in sorted(span)], True))
            self.context.append(self.corpus.words([sentence[i] for i in sorted(sentence) if i not in span], False))
        self.chains = np.array([mention["coref_chain"] for mention in mentions])
        self.topics = np.array([mention["doc_id"].split("_")[0] for mention in mentions])
        print(f"{len(mentions)} mentions of {len(set(self.chains))} {kind}; {self.own.count([])} have no known word")

    def alignments(self, texts):
        """Entry (i, j): the mean over the words of text i, weighted, of the cosine with the nearest word of text j."""
        cosines = self.corpus.vectors @ self.corpus.vectors.T
        nearest = np.stack([cosines[:, text].max(1) if text else np.zeros(len(cosines)) for text in texts], 1)
        weights = [self.corpus.weights[text] for text in texts]
        return np.stack([w @ nearest[text] / w.sum() if text else np.zeros(len(texts))
                         for text, w in zip(texts, weights)])

    def objects(self, similarity):
        """Scores of all ordered pairs, or of each mention a vector: the means of both texts, each of unit length."""
        if similarity == "aligned":
            return 1 / (1 + np.exp(OFFSET - OWN * self.alignments(self.own) - CONTEXT * self.alignments(self.context)))
        means = [np.array([self.corpus.vectors[t].sum(0) if t else np.zeros(100) for t in texts])
                 for texts in (self.own, self.context)]
        own, context = [m / np.maximum(np.linalg.norm(m, axis=1), 1e-12)[:, None] for m in means]
        return np.hstack([np.sqrt(0.7) * own, np.sqrt(0.3) * context])


class Part:
    """The mentions that one matrix compares: their file for Cairn, and their gold clusters."""

    def __init__(self, folder, name, objects, chains, similarity):
        self.n, self.gold, self.data = len(chains), len(set(chains)), os.path.join(folder, f"{name}.npy")
        np.save(self.data, objects)
        self.gold_file, self.result = os.path.join(folder, f"{name}.gold"), os.path.join(folder, f"{name}.h5")
        with open(self.gold_file, "w", encoding="utf-8") as file:
            file.write("\n".join(chains) + "\n")
        # of the matrices of several parts, whose errors are pooled by their norms; there is one part of rbf
        self.norm = np.linalg.norm(objects + objects.T) if similarity == "aligned" else 1.0


def cairn(chosen, folder, *words):
    report = os.path.join(folder, "report.json")
    command = [*chosen.mpi.split(), chosen.cairn, *map(str, words), "--json", report]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def approximate(chosen, folder, part, method, share, seed):
    name, columns, more = METHODS[method]
    keys = ["--config", CONFIG] if chosen.similarity == "aligned" else [
        "--similarity.kind", "rbf", "--similarity.gamma", "3", "--approximation.embedding", "true",
        "--evaluation.rows", "all"]
    return cairn(chosen, folder, "approximate", *keys, *more, "--data.path", part.data, "--approximation.method", name,
                 "--landmarks.count", max(1, round(columns * share * part.n)), "--run.seed", seed,
                 "--output.path", part.result)


def pooled(parts, reports):
    """Scores of all parts together at each threshold: recalls and precisions are ratios of sums over the parts."""
    results = []
    for number, threshold in enumerate(THRESHOLDS):
        cuts = [report["cuts"][number] for report in reports]
        found = [cut["clusters"] for cut in cuts]
        weights = {"muc": ([p.n - p.gold for p in parts], [p.n - f for p, f in zip(parts, found)]),
                   "b_cubed": ([p.n for p in parts],) * 2, "ceaf_e": ([p.gold for p in parts], found)}
        line = {"threshold": threshold, "clusters": sum(found), "evaluations": sum(r["evaluations"] for r in reports)}
        for name, (of_gold, of_found) in weights.items():
            recall = np.dot(of_gold, [cut["scores"][name]["recall"] for cut in cuts]) / sum(of_gold)
            precision = np.dot(of_found, [cut["scores"][name]["precision"] for cut in cuts]) / max(sum(of_found), 1)
            line[name + "_f1"] = 2 * recall * precision / (recall + precision) if recall + precision > 0 else 0.0
        line["conll_f1"] = (line["muc_f1"] + line["b_cubed_f1"] + line["ceaf_e_f1"]) / 3
        results.append(line)
    return results


def clusters(chosen, folder, parts, *more):
    return pooled(parts, [cairn(chosen, folder, "cluster", part.result, "--gold", part.gold_file, "--threshold",
                                ",".join(map(str, THRESHOLDS)), "--out", os.path.join(folder, "clusters.csv"), *more)
                          for part in parts])


def lines(chosen, folder, parts):
    """K itself first; its best threshold is that of every approximation."""
    shares, methods = [float(share) for share in chosen.shares.split(",")], chosen.methods.split(",")
    n = sum(part.n for part in parts)
    same = {"mentions": chosen.mentions, "similarity": chosen.similarity, "scope": chosen.scope, "n": n}
    for part in parts:
        approximate(chosen, folder, part, "nystrom", 0.05, 1)
    best = max(clusters(chosen, folder, parts, "--exact", "true"), key=lambda line: line["conll_f1"])
    yield {**same, "method": "exact", "relative_error": 0.0, **best,
           "best_threshold": best["threshold"], "best_conll_f1": best["conll_f1"]}
    for share, method, seed in ((a, m, s) for a in shares for m in methods for s in range(1, chosen.seeds + 1)):
        if method == "optimal" and seed > 1:
            continue
        reports = [approximate(chosen, folder, part, method, share, seed) for part in parts]
        norms = np.array([part.norm for part in parts])
        error = np.linalg.norm([r["relative_error"] * norm for r, norm in zip(reports, norms)]) / np.linalg.norm(norms)
        cuts = clusters(chosen, folder, parts)
        own = max(cuts, key=lambda line: line["conll_f1"])
        yield {**same, **next(line for line in cuts if line["threshold"] == best["threshold"]), "method": method,
               "share": share, "seed": seed, "relative_error": error, "shift": max(r["shift"] for r in reports),
               "evaluations": sum(r["evaluations"] for r in reports),
               "best_threshold": own["threshold"], "best_conll_f1": own["conll_f1"]}


def run(chosen, folder, mentions):
    objects, whole = mentions.objects(chosen.similarity), np.arange(len(mentions.chains))
    rows = [whole] if chosen.scope == "corpus" else [whole[mentions.topics == t] for t in sorted(set(mentions.topics))]
    parts = [Part(folder, f"part{number}", objects[np.ix_(r, r)] if chosen.similarity == "aligned" else objects[r],
                  mentions.chains[r], chosen.similarity) for number, r in enumerate(rows)]
    new = not os.path.exists(chosen.out)
    with open(chosen.out, "a", newline="", encoding="utf-8") as out:
        table = csv.DictWriter(out, COLUMNS)
        if new:
            table.writeheader()
        for line in lines(chosen, folder, parts):
            table.writerow({name: f"{v:.6g}" if isinstance(v, float) else v for name, v in line.items()})
            out.flush()
            print(f"{line['method']:<21} {line.get('share', ''):<5} seed {line.get('seed', '-')}: error "
                  f"{line['relative_error']:.4f}, CoNLL F1 {line['conll_f1']:.4f} at {line['threshold']}, best "
                  f"{line['best_conll_f1']:.4f} at {line['best_threshold']}", flush=True)


def external(chosen, folder, mentions):
    """The same scores, read from a file and asked of mention_scorer.py: one approximation of each."""
    part = Part(folder, "all", mentions.objects("aligned"), mentions.chains, "aligned")
    words, scorer = os.path.join(folder, "words.json"), os.path.join(HERE, "mention_scorer.py")
    with open(words, "w", encoding="utf-8") as file:
        json.dump({"vectors": mentions.corpus.vectors.tolist(), "weights": mentions.corpus.weights.tolist(),
                   "own": mentions.own, "context": mentions.context, "coefficients": [OWN, CONTEXT, OFFSET]}, file)
    keys = ["approximate", "--approximation.method", "sicur", "--landmarks.count", round(0.05 * part.n),
            "--similarity.symmetrize", "true", "--evaluation.pairs", "2000", "--output.path", part.result]
    for name, more in [("from the file", ["--data.kind", "matrix", "--data.path", part.data]),
                       ("by the scorer", ["--data.kind", "ids", "--data.count", part.n, "--similarity.kind", "external",
                                          "--similarity.command", f"{sys.executable} {scorer} {words}"])]:
        report = cairn(chosen, folder, *keys, *more)
        print(f"scores {name}: error {report['relative_error']:.13f} on 2,000 pairs, {report['evaluations']:,} "
              f"evaluations, {report['probe_evaluations']:,} for the error, {report['seconds']['total']:.1f} s")


def main():
    chosen = options()
    if chosen.action == "run" and (not chosen.out or (chosen.similarity, chosen.scope) == ("rbf", "topics")):
        sys.exit("run needs --out, and makes no table of rbf by topics")
    with tempfile.TemporaryDirectory() as folder:
        {"run": run, "external": external}[chosen.action](chosen, folder, Mentions(chosen.data, chosen.mentions))


if __name__ == "__main__":
    main()
