"""Benchmarks of texts: documents, words, sequences and trees."""
import json
import statistics
import sys
import time

from measures.base import ROOT


def word_movers(bench, data):
    """A tile of pairs of documents, which both sides compute on one core each: (kind, rows, columns)."""
    peer_script = ROOT / "apps" / "bench" / "pot_word_movers.py"
    for kind, rows, columns in (("tweets", 20, 1000), ("recipes", 20, 500), ("abstracts", 8, 250), ("messages", 8, 100)):
        ours, peer = [], []
        for _ in range(bench.repeats):
            ours.append(bench.ranks(1, "bench_word_movers", kind, data, rows, columns, bench.folder))
            peer.append(json.loads(bench.output([sys.executable, peer_script, "--folder", bench.folder, "--dimension",
                                                 ours[0]["dimension"], "--pairs", rows * columns])))
        line = ours[0]
        rate, theirs, gflops = (statistics.median(r[name] for r in runs) for runs, name in (
            (ours, "pairs_a_second"), (peer, "pairs_a_second"), (ours, "gemm_gflops")))
        above, below = (max(r[name] for r in peer) for name in ("above", "below"))
        bench.row(f"word mover's distance, {kind} of {line['words_a_document']:.1f} words, one core",
                  f"{rate:,.0f} pairs/s", f"POT ot.emd2 with SciPy's cdist or ot.dist: {theirs:,.0f} pairs/s",
                  f"{rate / theirs:.1f} x",
                  f"{1e6 / rate:.2f} µs per pair; only distances of words, at {gflops:.0f} GFLOP/s and none shared: "
                  f"{1e-3 * line['ground_flops_a_pair'] / gflops:.2f} µs; POT's costs are above by up to {above:.1g}, "
                  f"below by up to {below:.1g}")


def nearest_texts(bench, data):
    """The ten nearest of every text, exactly, against all distances (of 200 texts) and the entries that K~ finds."""
    for kind, config in (("tweets", "twitter"), ("recipes", "recipe")):
        line = bench.ranks(2, "bench_nearest_texts", kind, data, 10, 200)
        if line["differences"]:
            sys.exit(f"{line['differences']} of the nearest {kind} differ from those of all distances")
        what = f"10 nearest of {line['documents']:,} {kind} of {line['words_a_document']:.1f} words, 2 ranks"
        bench.row(what, f"{line['seconds']:.2f} s", f"all distances, from {line['sample']}: {line['seconds_by_all_distances']:.0f} s",
                  f"{line['seconds_by_all_distances'] / line['seconds']:.0f} x",
                  f"{line['distances_a_text']:.1f} of {line['documents'] - 1:,} distances a text; the same neighbors")
        path = data / "documents" / {"tweets": "twitter.txt.xz", "recipes": "recipe.json.zip"}[kind]
        ours, factors = (bench.cairn(2, "approximate", "--config", ROOT / "configs" / "repro" / f"sms-{config}.cfg", "--data.path", path,
                                     "--data.stop-words", data / "documents" / "stop-words.txt", "--data.vectors",
                                     data / "words" / "glove100.f32le.gz", "--similarity.gamma", 0.4, "--evaluation.pairs", 20000,
                                     "--output.near", 10, "--output.near-exact", exact, "--output.path", bench.folder / "near.h5")
                         for exact in ("true", "false"))
        bench.row(f"entries of the {what}", f"{ours['seconds']['near entries']:.1f} s, {100 * ours['near_found']:.0f} % found",
                  f"among 30 candidates that K~ calls near: {factors['seconds']['near entries']:.1f} s, {100 * factors['near_found']:.0f} % found",
                  f"{factors['seconds']['near entries'] / ours['seconds']['near entries']:.2f} x",
                  f"{ours['near_evaluations']:,.0f} and {factors['near_evaluations']:,.0f} distances")


def counting(bench, corpus):
    """Windows of 10 tokens, texts in memory."""
    lines = [bench.ranks(1, "bench_counting", corpus, 10, bench.repeats), bench.ranks(2, "bench_counting", corpus, 10, bench.repeats)]
    one, two = (line["cairn"] for line in lines)
    size = f"{lines[0]['tokens']:,} tokens, {lines[0]['pairs']:,} pairs"
    for peer, name in (("unordered_map", "std::unordered_map of pairs"), ("open_addressing", "a table with open addressing")):
        bench.row(f"co-occurrences, {size}, 1 rank, against {name}", f"{one:.0f} ns per token",
                  f"{name}: {lines[0][peer]:.0f} ns", f"{lines[0][peer] / one:.1f} x",
                  f"finding the windows alone: {lines[0]['windows']:.0f} ns")
    bench.row(f"co-occurrences, {size}, 2 ranks", f"{two:.0f} ns per token", f"1 rank: {one:.0f} ns", f"{one / two:.2f} x", "2 x")


def eigenvectors(bench, corpus):
    """200 eigenpairs of the PMI matrix, from the counts of one run."""
    counts, result = bench.folder / "counts.h5", bench.folder / "eigs.h5"
    words = ["--config", ROOT / "configs" / "imdb.cfg", "--data.path", corpus, "--evaluation.pairs", 0]
    bench.cairn(2, "approximate", *words, "--output.path", counts)
    script = ROOT / "apps" / "bench" / "scipy_eigsh.py"
    for ranks in (2, 1):
        ours = bench.cairn(ranks, "approximate", *words, "--similarity.reuse", counts, "--approximation.method", "pmi-eigs",
                           "--output.path", result)
        peer = json.loads(bench.output([sys.executable, script, counts], threads=ranks))
        seconds = ours["seconds"]["joining"]
        bench.row(f"200 eigenpairs of PMI, {peer['entries']:,} entries, {ranks} rank{'s' if ranks > 1 else ''}",
                  f"{seconds:.1f} s, residual {ours['eigen_residual']:.1g}",
                  f"SciPy eigsh: {peer['seconds']:.1f} s, residual {peer['residual']:.1g}",
                  f"{peer['seconds'] / seconds:.1f} x",
                  f"{ours['eigen_products']:.0f} products at SciPy's {1e3 * peer['product_seconds']:.0f} ms: "
                  f"{ours['eigen_products'] * peer['product_seconds']:.1f} s")


def sequences(bench):
    """Tiles of questions: subsequences against the plain recursion, edits against python3-levenshtein."""
    questions = ROOT / "tests" / "data" / "trees" / "train_5500.coarse.klp.gz"
    for kind in ("words", "letters"):
        line = bench.ranks(1, "bench_sequences", kind, questions, 512 if kind == "words" else 64, 500)
        bench.row(f"subsequence, n = 4, questions of {line['symbols_a_sequence']:.1f} {kind}, 500 landmarks, one core",
                  f"{line['pairs_a_second']:,.0f} pairs/s", f"the published recursion, a pair at a time: {line['plain_pairs_a_second']:,.0f} pairs/s",
                  f"{line['ratio']:.1f} x", f"target: 5 x; values differ by {line['largest_difference']:.0e}")
    lines, rows = bench.folder / "lines.txt", 64
    ours, peer = [], []
    for _ in range(5):
        ours.append(bench.ranks(1, "bench_sequences", "edits", questions, rows, 500, lines))
        peer.append(json.loads(bench.output([sys.executable, ROOT / "apps" / "bench" / "levenshtein_edits.py", "--lines", lines, "--rows", rows])))
    if any(line["all_distances"] != ours[0]["all_distances"] for line in ours + peer):
        sys.exit("python3-levenshtein finds other distances")
    own, theirs = (statistics.median(line["pairs_a_second"] for line in side) for side in (ours, peer))
    bench.row(f"edit-distance, questions of {ours[0]['symbols_a_sequence']:.1f} letters, 500 landmarks, one core", f"{own:,.0f} pairs/s",
              f"python3-levenshtein: {theirs:,.0f} pairs/s", f"{own / theirs:.1f} x", "target: 3 x; the sums of all distances are equal")


def tree_kernels(bench, data):
    """Tiles of questions and of comments against the published recursions, a pair at a time."""
    questions = ROOT / "tests" / "data" / "trees" / "train_5500.coarse.klp.gz"
    cases = [("stk", questions, "grct", 20), ("sstk", questions, "grct", 20), ("ptk", questions, "grct", 10)]
    if data:
        cases.append(("sptk", questions, "lct", 6, data / "words" / "glove100.f32le.gz"))
        cases.append(("ptk", data / "questions" / "semeval2016-task3-dev.conll.xz", "", 4))
    for kernel, path, tree, target, *vectors in cases:
        line = bench.ranks(1, "bench_tree_kernels", kernel, path, tree, 2000, 500, *vectors)
        what = f"{tree} trees of questions" if tree else "shallow trees of comments"
        bench.row(f"{kernel}, {what} ({line['nodes_a_tree']:.0f} nodes), 500 landmarks, one core", f"{line['pairs_a_second']:,.0f} pairs/s",
                  f"the published recursion, a pair at a time: {line['plain_pairs_a_second']:,.0f} pairs/s", f"{line['ratio']:.1f} x",
                  f"target: {target} x; values differ by {line['largest_relative_difference']:.0e}")
