"""Tasks, predictions, tables of path lengths, and everything that `cairn help` lists, from Python."""

import os
import tempfile
import unittest

import numpy as np
import scipy.sparse
from shared import COORDINATES, EXACT, GAMMA, POINTS, RANKS, cairn, kernel, own, own_of, rbf, whole

TARGETS = np.stack([np.sin(COORDINATES[:, 0]), COORDINATES[:, 1] ** 2], axis=1)
LABELS = [("low", "middle", "high")[int(np.digitize(x, [-0.5, 0.5]))] for x in COORDINATES[:, 0]]
NEW = np.random.default_rng(8).normal(size=(40, 4))


def labelled(landmarks=100, **given):
    points = cairn.points(own(COORDINATES), labels=own(LABELS))
    return points.similarity("rbf", gamma=GAMMA).approximate("nystrom", landmarks=landmarks, measure=False, **given)


def together(arrays):
    return np.concatenate(RANKS.allgather(arrays))


class SharedFolder:
    """A folder of all ranks."""

    def __enter__(self):
        self.own = tempfile.TemporaryDirectory() if RANKS.rank == 0 else None
        return RANKS.bcast(self.own.name if self.own else None)

    def __exit__(self, *_):
        RANKS.barrier()
        if self.own:
            self.own.cleanup()


class Regression(unittest.TestCase):
    def test_by_a_ridge_gives_coefficients_and_predictions(self):
        result = kernel().approximate("nystrom", landmarks=100, measure=False)
        found = result.task("krr", targets=own(TARGETS), lambda_=0.1)
        left = whole(result.left)
        approximated = left @ result.core() @ left.T
        centered = TARGETS - TARGETS.mean(axis=0)
        expected = approximated @ np.linalg.solve(approximated + 0.1 * np.eye(POINTS), centered) + TARGETS.mean(axis=0)
        np.testing.assert_allclose(together(found.predict()), expected, atol=1e-8)
        arrays = found.arrays
        self.assertEqual(["y1", "y2"], arrays["targets"])
        np.testing.assert_allclose(left @ arrays["coefficients"][0] + arrays["intercepts"][0], expected, atol=1e-8)
        self.assertEqual([0.1], arrays["lambdas"])
        new = together(found.predict(own(NEW)))
        extended = result.extend(own(NEW))
        np.testing.assert_array_equal(new, together(found.predict(extended)))
        np.testing.assert_allclose(new, whole(extended.left) @ arrays["coefficients"][0] + arrays["intercepts"][0], atol=1e-8)
        self.assertLess(np.abs(new[:, 0] - np.sin(NEW[:, 0])).mean(), 0.1)

    def test_of_one_target_and_of_several_results(self):
        results = [kernel().approximate("nystrom", landmarks=count, measure=False) for count in (40, 100)]
        found = cairn.task("krr", results, targets=own(TARGETS[:, 0]), lambda_=[0.1, 1], train_rows=range(0, POINTS, 2))
        self.assertEqual(2, len(found.arrays["coefficients"]))
        expected = sum(whole(result.left) @ coefficients + intercepts for result, coefficients, intercepts in zip(
            results, found.arrays["coefficients"], found.arrays["intercepts"])) / 2
        self.assertLess(np.abs(expected[1::2, 0] - TARGETS[1::2, 0]).mean(), 0.2)

    def test_by_a_gaussian_process_gives_deviations(self):
        found = kernel().approximate("nystrom", landmarks=60, measure=False).task("gp", targets=own(TARGETS[:, 0]))
        mean, deviation = found.predict(own(NEW))
        self.assertEqual((len(own(NEW)), 1), mean.shape)
        self.assertGreater(together(np.abs(mean[:, 0] - np.sin(own(NEW)[:, 0])) < 3 * deviation[:, 0]).mean(), 0.8)
        self.assertEqual((POINTS, 1), found.arrays["values"].shape)
        np.testing.assert_allclose(found.arrays["values"][np.argsort(found.arrays["rows"]), 0], TARGETS[:, 0], atol=1e-12)
        self.assertEqual({"means", "scales", "sigmas", "noises", "lengths", "features", "rows", "values", "targets"}, set(found.arrays))

    def test_keeps_its_model(self):
        with SharedFolder() as folder:
            result = kernel().approximate("nystrom", landmarks=50, measure=False)
            result.save(folder + "/r.h5")
            found = result.task("krr", targets=own(TARGETS), lambda_=0.1, output=folder + "/m.h5")
            np.testing.assert_array_equal(found.predict(), cairn.predict(folder + "/m.h5", result))
            np.testing.assert_array_equal(found.predict(), cairn.predict(folder + "/m.h5", cairn.load(folder + "/r.h5")))
            of_file = cairn.task("krr", folder + "/r.h5", targets=own(TARGETS), lambda_=0.1)
            np.testing.assert_allclose(of_file.arrays["coefficients"][0], found.arrays["coefficients"][0], atol=1e-12)

    def test_refuses_what_does_not_belong_together(self):
        result = kernel().approximate("nystrom", landmarks=50, measure=False)
        other = kernel().approximate("nystrom", landmarks=30, measure=False)
        found = result.task("krr", targets=own(TARGETS), lambda_=0.1)
        last = RANKS.rank == RANKS.size - 1
        for text, call in (("not the one that", lambda: found.predict(other)),
                           ("makes no model", lambda: result.task("classical-scaling", dimension=2).predict()),
                           ("lines|rows", lambda: result.task("krr", targets=own(TARGETS)[1:], lambda_=0.1)),
                           ("not of the shape", lambda: result.task("krr", targets=own(TARGETS)[:, :, None] if last else own(TARGETS))),
                           ("no task is called", lambda: result.task("kkr"))):
            with self.assertRaisesRegex((cairn.UsageError, cairn.InputError), text):
                call()


class Groups(unittest.TestCase):
    def test_by_planes_decide_as_the_scores(self):
        result = labelled()
        found = result.task("svm", cost=10)
        classes, scores = found.predict()
        self.assertEqual(["high", "low", "middle"], found.arrays["classes"])
        np.testing.assert_allclose(scores, result.left @ found.arrays["coefficients"] + found.arrays["intercepts"], atol=1e-8)
        np.testing.assert_array_equal(classes, np.array(found.arrays["classes"])[scores.argmax(axis=1)])
        self.assertGreater((together(classes) == np.array(LABELS)).mean(), 0.95)
        of_new, _ = found.predict(own(NEW))
        expected = np.array([("low", "middle", "high")[int(np.digitize(x, [-0.5, 0.5]))] for x in NEW[:, 0]])
        self.assertGreater((together(of_new) == expected).mean(), 0.7)

    def test_on_the_matrix_are_scored(self):
        found = labelled().task("kernel-svm", cost=10, train_fraction=0.5)
        self.assertEqual({}, found.arrays)
        self.assertTrue(found)

    def test_by_linkage_are_numbers(self):
        far = COORDINATES + 30 * (np.arange(POINTS) % 3)[:, None]
        result = cairn.points(own(far)).similarity("euclidean").approximate("nystrom", landmarks=60, measure=False)
        with SharedFolder() as folder:
            for given in ({}, {"output": folder + "/c.csv"}, {"output": folder + "/c.h5"}, {"gold": [str(i % 3) for i in own(np.arange(POINTS))]}):
                found = result.task("average-linkage", clusters=3, **given)
                np.testing.assert_array_equal(together(found.arrays["clusters"]), np.arange(POINTS) % 3)
            self.assertEqual((POINTS - 1, 2), result.task("average-linkage", clusters=3).arrays["merges"].shape)
            RANKS.barrier()

    def test_by_scaling_are_coordinates(self):
        result = kernel().approximate("nystrom", landmarks=100, measure=False)
        left = whole(result.left)
        centered = left - left.mean(axis=0)
        values, vectors = np.linalg.eigh(centered @ result.core() @ centered.T)
        expected = vectors[:, -1:-3:-1] * np.sqrt(values[-1:-3:-1])
        with SharedFolder() as folder:
            for given in ({}, {"output": folder + "/x.csv"}):
                found = result.task("classical-scaling", dimension=2, **given)
                np.testing.assert_allclose(np.abs(together(found.arrays["coordinates"])), np.abs(expected), atol=1e-6)
            RANKS.barrier()
        np.testing.assert_allclose(result.task("classical-scaling", dimension=2).arrays["eigenvalues"], values[-1:-3:-1], rtol=1e-8)


class Distances(unittest.TestCase):
    def test_of_a_file_are_those_of_paths(self):
        with SharedFolder() as folder:
            if RANKS.rank == 0:
                with open(folder + "/ring.txt", "w", encoding="ascii") as file:
                    file.writelines(f"{k} {(k + 1) % 50}\n" for k in range(50))
            RANKS.barrier()
            steps = np.abs(np.subtract.outer(np.arange(50), np.arange(50)))
            expected = np.minimum(steps, 50 - steps)
            sources, targets = [0, 7, 49, 7], np.array([1, 25])
            np.testing.assert_array_equal(together(cairn.distances(folder + "/ring.txt", sources)), expected[sources])
            table = cairn.distances(folder + "/ring.txt", sources, targets, out=folder + "/d.npy", bits=32, search="dijkstra")
            np.testing.assert_array_equal(table, expected[np.ix_(sources, targets)])
            self.assertEqual(np.uint32, table.dtype)
            self.assertIsNone(cairn.distances(folder + "/ring.txt", sources, out=folder + "/d.h5"))
            ring = scipy.sparse.csr_array((np.ones(50), (np.arange(50), (np.arange(50) + 1) % 50)), shape=(50, 50)).tocsr()
            np.testing.assert_array_equal(cairn.graph(own_of(ring)).similarity("path-length").block(sources, targets),
                                          expected[np.ix_(sources, targets)])
            for text, call in (("no vertex|77", lambda: cairn.distances(folder + "/ring.txt", [77])),
                               ("bits", lambda: cairn.distances(folder + "/ring.txt", [7], bits=12)),
                               ("serach", lambda: cairn.distances(folder + "/ring.txt", [7], serach="dijkstra"))):
                with self.assertRaisesRegex((cairn.UsageError, cairn.InputError), text):
                    call()
            RANKS.barrier()


SEQUENCES = "".join(f"{('even', 'odd')[i % 2]}\t{' '.join('abcdefgh'[(i * j) % 8] for j in range(1, 4 + i % 4))}\n" for i in range(30))
TREE = "(S(N(LEX##w{}::n))(V(LEX##w{}::v)))"
PAIRS = "".join(f"{('even', 'odd')[i % 2]} |<| |BT:t| {TREE.format(i % 5, i % 7)} |ET| |,| |BT:t| {TREE.format(i % 3, i % 4)} |ET| |>| "
                f"|BV:f| x:{0.1 + i % 5} y:{0.3 + i % 7} |EV|\n" for i in range(30))
VECTORS = "".join(f"w{k} {k % 3 + 0.5} {k % 5 + 0.2} 1\n" for k in range(8))
SCORER = """import json, sys
def far(x, y): return sum(map(far, x, y)) if isinstance(x, list) else abs(len(x) - len(y)) if isinstance(x, str) else abs(x - y)
for line in sys.stdin:
    for x, y in json.loads(line): print(1 / (1 + far(x, y)))
    print(flush=True)
"""
KINDS = {  # parameters of objects that need some: by default the kind is made of its generators, whatever they are called
    "factors": {"generate": "normal", "points": 30, "dimension": 3}, "matrix": {"path": "k.npy"}, "graph": {"generate": "grid", "points": 36, "largest_component": True},
    "mesh": {"generate": "sphere", "points": 60}, "documents": {"generate": "zipf", "points": 30, "dimension": 3},
    "trees": {"generate": "dependencies", "points": 30}, "sequences": {"path": "lines.tsv", "label": 1, "text": 2},
    "pairs": {"path": "pairs.klp", "vectors": "vectors.txt"}, "corpus": {"generate": "zipf", "points": 60, "total_tokens": 20000, "window": 3, "minimum_count": 1}, "ids": {"count": 30},
    "points": {"generate": "gaussian-mixture", "points": 30, "dimension": 3}}
SIMILARITIES = {"sum": [{"parts": ["linear", ("rbf", {"gamma": 0.3})], "weights": [1, 2]}], "product": [{"parts": "rbf,linear"}],
                "function": [{"function": "logistic"}], "external": [{"command": "python3 score.py", "meaning": "similarity"}],
                "matrix": [{"path": "k.npy", "meaning": "similarity"}]}
METHODS = [{"landmarks": 8}, {"features": 16}, {"dimension": 4}, {"landmarks": 8, "dimension": 4}, {}]  # what methods need, one or another
SELECTIONS = {"file": {"landmarks_path": "landmarks.txt"}, "by-list": {"landmarks_list": "1,4,7,9,12,15,20"}}


class Lists(unittest.TestCase):
    """Whatever `cairn help` lists works from Python: with new entries, too."""

    @classmethod
    def setUpClass(cls):
        cls.shared = SharedFolder()
        cls.folder = cls.shared.__enter__()
        if RANKS.rank == 0:
            for name, text in (("lines.tsv", SEQUENCES), ("pairs.klp", PAIRS), ("vectors.txt", VECTORS), ("score.py", SCORER), ("landmarks.txt", "1\n4\n9\n")):
                with open(os.path.join(cls.folder, name), "w", encoding="ascii") as file:
                    file.write(text)
            np.save(cls.folder + "/k.npy", rbf(COORDINATES[:30], COORDINATES[:30]))
            np.savez(cls.folder + "/net.npz", W1=np.random.default_rng(1).normal(size=(8, 3)), b1=np.zeros(8),
                     W2=np.random.default_rng(2).normal(size=(2, 8)), b2=np.zeros(2))
        cls.addClassCleanup(cls.shared.__exit__)
        before = os.getcwd()
        cls.addClassCleanup(os.chdir, before)
        RANKS.barrier()
        os.chdir(cls.folder)
        cls.objects = {name: cairn.read(name, **KINDS.get(name, {})) for name in cairn.names("data")}

    def first_that_works(self, what, attempts):
        """What the first attempt gives that raises no error of Cairn."""
        reasons = []
        for name, attempt in attempts:
            try:
                return attempt()
            except (cairn.UsageError, cairn.InputError, cairn.NotConverged) as error:
                reasons.append(f"{name}: {error}")
        self.fail(f"{what}: nothing works\n" + "\n".join(reasons))

    def of_any_kind(self, similarity):
        return self.first_that_works(similarity, [(kind, lambda objects=objects, given=given: objects.similarity(similarity, **given))
                                                  for kind, objects in self.objects.items() for given in SIMILARITIES.get(similarity, [{}])])

    def test_have_pages(self):
        for topic in ("method", "similarity", "data", "selection", "task"):
            names = cairn.names(topic)
            self.assertGreater(len(names), 5)
            for name in names:
                self.assertIn(name, cairn.describe(topic))
                self.assertGreater(len(cairn.describe(topic, name)), 60)
        for call in (lambda: cairn.names("methods"), lambda: cairn.describe("method", "nystrm")):
            with self.assertRaisesRegex(cairn.UsageError, "method|nystrom"):
                call()

    def test_of_data(self):
        for name, objects in self.objects.items():
            self.assertGreater(len(objects), 9, name)

    def test_of_similarities(self):
        for name in cairn.names("similarity"):
            with self.subTest(name):
                matrix = self.of_any_kind(name)
                self.assertTrue(np.isfinite(matrix.entries([0, 3], [1, 2])).all())

    def test_of_methods(self):
        matrices = [self.of_any_kind(name) for name in ("rbf", "path-length", "geodesic", "wmd", "wmd-distance", "pmi")]
        for name in cairn.names("method"):
            with self.subTest(name):
                result = self.first_that_works(name, [(matrix.name, lambda matrix=matrix, given=given: matrix.approximate(name, measure=False, **given))
                                                      for matrix in matrices for given in METHODS])
                self.assertGreater(result.left.shape[1], 0)

    def test_of_parts_are_sums_and_products(self):
        points = cairn.points(own(COORDINATES))
        linear = COORDINATES @ COORDINATES.T
        both = ["linear", ("rbf", {"gamma": GAMMA})]
        every = range(POINTS)
        np.testing.assert_allclose(points.similarity("sum", parts=both, weights=[2, 3]).block(every, every), 2 * linear + 3 * EXACT, atol=1e-12)
        np.testing.assert_allclose(points.similarity("product", parts=both).block(every, every), linear * EXACT, atol=1e-12)
        for text, call in (("cannot be a part", lambda: points.similarity("sum", parts=["sum"])),
                           ("no similarity", lambda: points.similarity("sum", parts=["rfb"])),
                           ("parts", lambda: points.similarity("rbf", gamma=1, parts=["linear"])),
                           ("a function has no parts", lambda: points.similarity(rbf, parts=["linear"])),
                           ("gama", lambda: points.similarity("sum", parts=[("rbf", {"gama": 1})]))):
            with self.assertRaisesRegex(cairn.UsageError, text):
                call()

    def test_of_selections(self):
        matrices = [self.of_any_kind(name) for name in ("rbf", "path-length", "wmd-distance", "pmi")]
        for name in cairn.names("selection"):
            with self.subTest(name):
                given = SELECTIONS.get(name, {"landmarks": 7})
                result = self.first_that_works(name, [(f"{matrix.name} {method}", lambda matrix=matrix, method=method: matrix.approximate(
                    method, measure=False, landmarks_selection=name, **given)) for matrix in matrices for method in ("nystrom", "biharmonic", "auto")])
                self.assertGreaterEqual(len(result.landmarks), 2)

    def test_of_tasks(self):
        result = labelled(landmarks=40)
        given = {"average-linkage": {"clusters": 3}, "classical-scaling": {"dimension": 2}, "krr": {"targets": own(TARGETS)}, "gp": {"targets": own(TARGETS[:, 0])}}
        for name in cairn.names("task"):
            with self.subTest(name):
                if "It takes the factors" in cairn.describe("task", name) and name == "linearize":
                    points = {"generate": "normal", "points": 500, "dimension": 3}
                    found = cairn.task(name, self.folder + "/net.npz", points=points, method={"features": 64}, activation="tanh", speed_rows=0)
                    classes, scores = found.predict(own(NEW[:, :3]))
                    self.assertEqual((len(own(NEW)), len(own(NEW))), (len(classes), len(scores)))
                else:
                    found = result.task(name, **given.get(name, {}))
                self.assertTrue(found)


if __name__ == "__main__":
    unittest.main()
