"""Far more ranks than cores: every method and task gives what one rank gives, in memory and messages that hardly grow."""

import math
import os
import re
import sys
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "methods")]

import cairn_program  # noqa: E402
from cairn_program import CairnTest, CommandServer, csv_text, points  # noqa: E402

try:
    import numpy
    from stored_entries import entries
except ImportError:
    numpy = None

MANY = int(os.environ.get("CAIRN_MANY_RANKS", "16"))
FEW = max(2, MANY // 8)
ROWS = 400
MOST_BYTES = 90e6  # of a rank, resident
DEALT = {"landmarks", "landmark matrix", "interpolation", "similarities"}  # phases whose tiles go to ranks that have none left
CommandServer.RANKS = MANY
cairn_program.SECONDS = 600  # of ranks that take turns on few cores

RBF = ["--data.path", "p.csv", "--data.label", "class", "--similarity.kind", "rbf", "--similarity.gamma"]
POINTS = [*RBF, 40]  # what is solved for is then well conditioned
GRID = ["--data.kind", "graph", "--data.generate", "grid", "--data.points", ROWS]
WORDS = ["--data.kind", "documents", "--data.path", "d.tsv", "--data.vectors", "v.txt", "--similarity.kind", "wmd"]
COUNT = ["--landmarks.count", 25]
VECTORS = [*POINTS, "--approximation.dimension", 2]
METHODS = {
    "nystrom": [*POINTS, *COUNT], "sms-nystrom": [*POINTS, *COUNT], "skeleton": [*POINTS, *COUNT], "sicur": [*POINTS, *COUNT],
    "stacur": [*POINTS, *COUNT], "optimal": [*POINTS, *COUNT], "auto": [*POINTS, *COUNT],
    "wme": [*WORDS, *COUNT], "rff": [*POINTS, "--approximation.features", 200],
    "poly-tensorsketch": [*RBF, 2, "--approximation.features", 65, "--approximation.degree", 4],
    "biharmonic": [*GRID, *COUNT], "gbu": [*VECTORS, *COUNT], "dc": VECTORS, "pmi-eigs": VECTORS, "adam": [*VECTORS, *COUNT]}
TASKS = {
    "krr": ["train", "r.h5", "--task", "krr", "--targets", "y.csv", "--lambda", "0.1,1", "--output.path", "m.h5"],
    "gp": ["train", "r.h5", "--task", "gp", "--targets", "y.csv", "--output.path", "m.h5"],
    "svm": ["train", "r.h5", "--task", "svm", "--cost", "1,10", "--folds", 4, "--output.path", "m.h5"],
    "kernel-svm": ["train", "r.h5", "--task", "kernel-svm", "--cost", 1],
    "knn": ["train", "r.h5", "--task", "knn", "--k", 3, "--output.path", "m.h5"],
    "average-linkage": ["cluster", "r.h5", "--clusters", 5, "--out", "c.csv"],
    "classical-scaling": ["embed", "r.h5", "--dimension", 2, "--out", "e.csv"],
    "evaluate": ["evaluate", "r.h5"],
    "extend": ["extend", "r.h5", "--data.path", "p.csv", "--data.label", "class", "--output.path", "x.h5"],
    "query": ["query", "r.h5", "--entry", "0,1", "--row", 2, "--nearest", 3, "--k", 5],
    "transport": ["transport", "--data.path", "p.csv", "--data.label", "class", "--target.path", "p.csv", "--epsilon", 0.5, "--output.path", "t.h5"]}
# Parts of a report that say where and how a command ran, and not what it found.
RUNNING = re.compile("phases|seconds|.*_seconds|ranks|.*bytes.*|version|date|command|evaluations|write_.*|traffic")


def phase_sums(report):
    return {name: (phase["collectives"] + phase["messages"], phase["collective_bytes"] + phase["message_bytes"])
            for name, phase in report["phases"].items()}


@unittest.skipIf(numpy is None, "h5py or numpy is missing")
class ManyRanks(CairnTest):
    def setUp(self):
        super().setUp()
        rows = points(ROWS)
        self.write("p.csv", csv_text(rows, [f"c{int(3 * row[0])}" for row in rows]))
        self.write("y.csv", "y\n" + "".join(f"{math.sin(3 * a) + b * b - c!r}\n" for a, b, c in rows))
        self.write("v.txt", "".join(f"w{k} " + " ".join(f"{x:.4f}" for x in row) + "\n" for k, row in enumerate(points(60))))
        self.write("d.tsv", "".join(f"c{i % 3}\t" + " ".join(f"w{(7 * i + j * j) % 60}" for j in range(4 + i % 5)) + "\n" for i in range(ROWS)))

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def alike(self, one, many, at=""):
        """Reports are the same but for how they came about."""
        if isinstance(one, dict):
            self.assertEqual(one.keys(), many.keys(), at)
            for key in one:
                if not RUNNING.fullmatch(key):
                    self.alike(one[key], many[key], f"{at}/{key}")
        elif isinstance(one, list):
            self.assertEqual(len(one), len(many), at)
            for k, (a, b) in enumerate(zip(one, many)):
                self.alike(a, b, f"{at}/{k}")
        elif isinstance(one, float):
            self.assertTrue(math.isclose(one, many, rel_tol=1e-6, abs_tol=1e-9), (at, one, many))
        else:
            self.assertEqual(one, many, at)

    def check_growth(self, name, few, many):
        """Eight times the ranks: each sends few more messages and bytes."""
        tiles = 8 * ROWS * (25 if COUNT[0] in METHODS[name] else ROWS)
        for phase, (messages, moved) in phase_sums(many).items():
            before, moved_before = phase_sums(few)[phase]
            # Where few ranks have rows, each other one may ask these for tiles.
            self.assertLessEqual(messages, 3 * before + 2 * MANY + 140, (name, phase))
            # Which rank computes a tile depends on the clock: one may send the results of all.
            self.assertLessEqual(moved, 3 * moved_before + 2000 * MANY + (tiles if phase in DEALT else 0), (name, phase))

    def check_memory(self, method, many):
        """What Open MPI and libraries keep of earlier commands is not this one's: if it is too much, in new processes."""
        peak = many["peak_bytes"]
        if peak > MOST_BYTES:
            CommandServer.close()
            os.remove(self.path(f"{MANY}.h5"))
            peak = self.compute(method, MANY)[0]["peak_bytes"]
        print(f"{method}, {MANY} ranks: {peak / 1e6:.1f} MB", file=sys.stderr, flush=True)
        self.assertLessEqual(peak, MOST_BYTES, method)

    def compute(self, method, ranks):
        pairs = [] if method == "biharmonic" else ["--evaluation.pairs", 2000]
        report = self.json("approximate", *METHODS[method], "--approximation.method", method, "--output.path", f"{ranks}.h5", *pairs,
                           ranks=ranks)
        print(f"{method}, {ranks} ranks: {report['seconds']['total']:.1f} s", file=sys.stderr, flush=True)
        return report, entries(self.path(f"{ranks}.h5"))

    def test_every_method(self):
        listed = set(re.findall(r"^  (\S+)$", self.cairn("help", "method").out, re.MULTILINE))
        self.assertEqual(listed, set(METHODS))
        for method in METHODS:
            with self.subTest(method=method):
                alone, (expected, known, *_) = self.compute(method, 1)
                few, _ = self.compute(method, FEW)
                many, (found, *_) = self.compute(method, MANY)
                scale = numpy.abs(expected).max()
                self.assertLess(numpy.abs(found - expected)[known].max() / scale, 1e-10, method)
                self.assertTrue(math.isclose(alone["relative_error"], many["relative_error"], rel_tol=1e-8), method)
                self.check_growth(method, few, many)
                self.check_memory(method, many)
                for ranks in (1, FEW, MANY):
                    os.remove(self.path(f"{ranks}.h5"))

    def test_every_task(self):
        listed = set(re.findall(r"^  (\S+) \(cairn ", self.cairn("help", "task").out, re.MULTILINE))
        self.assertEqual(listed - {"linearize"}, listed & set(TASKS))  # linearize takes a network, and trains as krr does
        self.cairn("approximate", *METHODS["nystrom"], "--output.path", "r.h5")
        groups = set()
        for task, command in TASKS.items():
            with self.subTest(task=task):
                alone = self.json(*command, ranks=1)
                again = [] if task in ("query", "evaluate", "kernel-svm") else ["--overwrite", "true"]
                if task == "average-linkage":
                    groups.add(self.text("c.csv"))
                many = self.json(*command, *again, ranks=MANY)
                print(f"{task}: done", file=sys.stderr, flush=True)
                self.alike(alone, many, task)
        self.assertEqual(groups, {self.text("c.csv")})


if __name__ == "__main__":
    unittest.main(verbosity=2)
