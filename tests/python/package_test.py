"""The package cairn: arrays in, factors out, beside what NumPy computes, on any number of ranks."""

import ctypes
import gc
import io
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

import numpy as np
import scipy.sparse
from mpi4py import MPI
from shared import COORDINATES, EXACT, GAMMA, POINTS, RANKS, cairn, kernel, own, own_of, product, rbf, relative_error, resident, whole

with open("/proc/cpuinfo", encoding="utf-8") as file:  # what the processor can do
    PROCESSOR = set(next((line.split(":")[1] for line in file if line.startswith("flags")), "").split())


class Factors(unittest.TestCase):
    def test_of_nystrom_have_the_columns_of_the_landmarks(self):
        result = kernel().approximate("nystrom", landmarks=20)
        columns = result.landmarks
        self.assertEqual(len(set(columns)), 20)
        np.testing.assert_allclose(product(result)[:, columns], EXACT[:, columns], atol=1e-6)
        rows, others = np.array([3, 5]), np.array([140, 2])
        np.testing.assert_allclose(result.entries(rows, others), product(result)[rows, others], atol=1e-12)

    def test_give_the_error_that_is_measured_on_all_pairs(self):
        for method in ("nystrom", "sms-nystrom", "sicur"):
            result = kernel().approximate(method, landmarks=20, precision=1e-12)
            expected = relative_error(product(result))
            self.assertGreater(expected, 1e-3)
            self.assertTrue(result.error["exact"])
            self.assertAlmostEqual(result.error["relative_error"], expected, places=8, msg=method)
            self.assertIn(method, repr(result))
            self.assertIn("<table>", result._repr_html_())

    def test_of_a_python_function_are_those_of_the_similarity(self):
        points = cairn.points(own(COORDINATES))
        named = kernel().approximate("nystrom", landmarks=20)
        for similarity in (points.similarity(rbf), cairn.matrix(EXACT),
                           cairn.similarity(lambda a, b: rbf(np.array(a), np.array(b)), list(COORDINATES))):
            np.testing.assert_allclose(product(similarity.approximate("nystrom", landmarks=20)), product(named), atol=1e-7)

    def test_are_views_that_outlive_all_else(self):
        result = kernel().approximate("nystrom", landmarks=20)
        left, expected = result.left, np.array(result.left)
        self.assertFalse(left.flags.writeable)
        self.assertEqual("PyCapsule", type(left.base).__name__)
        del result
        gc.collect()
        kernel().approximate("nystrom", landmarks=20)
        np.testing.assert_array_equal(left, expected)

    def test_of_float32_are_float32(self):
        result = cairn.points(own(COORDINATES.astype(np.float32))).similarity("rbf", gamma=GAMMA).approximate("nystrom", landmarks=20)
        self.assertEqual(result.left.dtype, np.float32)
        self.assertEqual(result.facts["precision"], "single")
        self.assertLess(relative_error(product(result), product(kernel().approximate("nystrom", landmarks=20))), 1e-4)

    def test_follow_a_stated_error(self):
        result = cairn.points(own(COORDINATES)).approximate("rbf", "nystrom", similarity_gamma=GAMMA, error=0.1, confidence=0.99)
        self.assertLess(relative_error(product(result)), 0.1)
        growth = result.facts["growth"]
        self.assertEqual(len(result.landmarks), growth[-1][0])
        self.assertTrue(all(error > 0.09 for _, error in growth[:-1]) and growth[-1][1] < 0.1)
        with tempfile.TemporaryDirectory() as folder:
            path = RANKS.bcast(os.path.join(folder, "r"))
            result.save(path + ".h5")
            self.assertEqual(growth, cairn.load(path + ".h5").facts["growth"])
            self.assertEqual([], cairn.load(path + ".h5").extend(own(COORDINATES)).facts["growth"])
            result.report(path + ".html")
            with open(path + ".html", encoding="utf-8") as file:
                self.assertEqual(len(growth) > 1, "Error against landmarks" in file.read())
            RANKS.barrier()


class Objects(unittest.TestCase):
    def test_in_compressed_rows_are_those_in_full(self):
        sparse = scipy.sparse.random(200, 5000, density=0.01, random_state=3, format="csr")
        exact = (sparse @ sparse.T).toarray()
        result = cairn.points(own_of(sparse)).similarity("linear").approximate("nystrom", landmarks=60, measure=False)
        columns = result.landmarks
        np.testing.assert_allclose(product(result)[:, columns], exact[:, columns], atol=1e-6)

    def test_can_be_a_graph_as_a_matrix(self):
        ring = scipy.sparse.csr_array((np.ones(90), (np.arange(90), (np.arange(90) + 1) % 90)), shape=(90, 90))
        graph = cairn.graph(own_of(ring.tocsr()))
        self.assertEqual((90, "graph"), (len(graph), graph.kind))
        lengths = graph.similarity("path-length")
        np.testing.assert_array_equal([45, 1], lengths.entries(np.array([0, 89]), np.array([45, 0])))
        result = lengths.approximate("biharmonic", landmarks=30)
        steps = np.abs(np.subtract.outer(np.arange(90), np.arange(90)))
        self.assertAlmostEqual(result.error["relative_error"], relative_error(product(result), np.minimum(steps, 90 - steps)), delta=0.01)
        self.assertTrue(scipy.sparse.issparse(result.left))

    def test_can_be_a_mesh_and_texts(self):
        u, v = (part.ravel() for part in np.meshgrid(np.arange(12), np.arange(10)))
        vertices = np.stack([u, v, np.zeros_like(u)], axis=1).astype(float)
        corner = np.array([12 * y + x for y in range(9) for x in range(11)])
        triangles = np.concatenate([np.stack([corner, corner + 1, corner + 12], 1), np.stack([corner + 1, corner + 13, corner + 12], 1)])
        first = RANKS.rank == 0
        mesh = cairn.mesh(vertices if first else vertices[:0], triangles if first else triangles[:0])
        self.assertEqual(120, len(mesh))
        flat = mesh.similarity("geodesic").entries(np.array([0]), np.array([119]))
        np.testing.assert_allclose(flat, np.hypot(11, 9), rtol=0.03)
        texts = cairn.documents(own([f"word{k} and word{k % 7}" for k in range(60)]))
        self.assertEqual((60, "documents"), (len(texts), texts.kind))

    def test_that_are_new_are_those_of_a_larger_set(self):
        result = kernel().approximate("nystrom", landmarks=20)
        more = np.random.default_rng(8).normal(size=(40, 4))
        extended = result.extend(own(more))
        self.assertEqual(40, len(extended))
        landmarks = COORDINATES[result.landmarks]
        np.testing.assert_allclose(whole(extended.left) @ result.core() @ whole(result.left)[result.landmarks].T, rbf(more, landmarks),
                                   atol=1e-5)

    def test_are_the_same_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = RANKS.bcast(os.path.join(folder, "r.h5"))
            result = kernel().approximate("nystrom", landmarks=20)
            result.save(path)
            loaded = cairn.load(path)
            np.testing.assert_array_equal(loaded.left, result.left)
            cairn.points(own(COORDINATES.astype(np.float32))).similarity("rbf", gamma=1).approximate("nystrom", landmarks=9).save(path + ".32")
            self.assertEqual(cairn.load(path + ".32").left.dtype, np.float32)
            self.assertEqual(loaded.error["relative_error"], result.error["relative_error"])
            RANKS.barrier()

    def test_serve_tasks_and_keep_exact_entries(self):
        with tempfile.TemporaryDirectory() as folder:
            path = RANKS.bcast(folder)
            if RANKS.rank == 0:
                np.savetxt(os.path.join(path, "y.csv"), np.sin(COORDINATES[:, :1]), header="y", comments="")
            RANKS.barrier()
            result = kernel().approximate("nystrom", landmarks=80)
            report = result.task("krr", targets=os.path.join(path, "y.csv"), output=os.path.join(path, "m.h5"), **{"lambda": 0.01})
            self.assertTrue(report)
            self.assertTrue(os.path.exists(os.path.join(path, "m.h5")))
            RANKS.barrier()
        pair = np.array([7]), np.array([7])
        result = kernel().approximate("nystrom", landmarks=5)
        self.assertGreater(abs(result.entries(*pair)[0] - 1), 1e-3)
        result.keep_near(3)
        np.testing.assert_allclose(result.entries(*pair), [1], atol=1e-12)

    def test_have_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(RANKS.bcast(folder), "r.html")
            result = kernel().approximate("nystrom", landmarks=20)
            result.report(path)
            with open(path, encoding="utf-8") as file:
                page = file.read()
            self.assertIn("</html>", page)
            self.assertIn("nystrom", page)
            with self.assertRaisesRegex((cairn.UsageError, OSError), "no-such-folder"):
                result.report(os.path.join(folder, "no-such-folder", "r.html"))
            RANKS.barrier()

    def test_on_the_matrix_itself_evaluate_it(self):
        labels = [str(int(x > 0)) for x in COORDINATES[:, 0]]
        result = cairn.points(own(COORDINATES), labels=own(labels)).similarity("rbf", gamma=GAMMA).approximate("nystrom", landmarks=5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(RANKS.bcast(folder), "c.csv")
            report = result.task("average-linkage", exact=True, clusters=2, gold_labels=True, output=path)
            self.assertTrue(report)
            self.assertTrue(os.path.exists(path))
            RANKS.barrier()

    def test_in_blocks_are_those_of_the_kernel(self):
        rows, columns = [3, 140, 3, RANKS.rank], [0, 149, 0]
        np.testing.assert_allclose(kernel().block(rows, columns), EXACT[np.ix_(rows, columns)], atol=1e-12)
        self.assertEqual((4, 0), kernel().block(rows, []).shape)
        with self.assertRaisesRegex(cairn.UsageError, "no object 150"):
            kernel().block([0], [150])

    def test_of_pairs_at_once_serve_estimates_of_the_error(self):
        calls = [0, 0]

        def counted(k, values):
            calls[k] += 1
            return values
        words = [f"{a}{b}" for a in "bcdfghjklmnp" for b in ("an", "ander", "ette", "o")]

        def different(left, right):
            return counted(0, np.array([[abs(len(a) - len(b)) + (a[0] != b[0]) for b in right] for a in left], dtype=float))

        def of_pairs(left, right):
            return counted(1, np.array([abs(len(a) - len(b)) + (a[0] != b[0]) for a, b in zip(left, right)], dtype=float))
        alone = cairn.similarity(different, words, distance=True).approximate("nystrom", landmarks=4)
        without = calls[0]
        both = cairn.similarity(different, words, pairs=of_pairs, distance=True).approximate("nystrom", landmarks=4)
        self.assertEqual(alone.error["relative_error"], both.error["relative_error"])
        self.assertGreater(RANKS.allreduce(calls[1]), 0)
        self.assertLess(RANKS.allreduce(calls[0] - without), RANKS.allreduce(without) / 4)
        wrong = cairn.similarity(different, words, pairs=lambda left, right: np.zeros(len(left) + 1), distance=True)
        with self.assertRaisesRegex(cairn.UsageError, "array of shape"):
            wrong.approximate("nystrom", landmarks=4)

    def test_of_a_transport_have_the_marginals_of_the_weights(self):
        targets, weights = COORDINATES[:60] * 0.7 + 0.2, np.random.default_rng(2).uniform(1, 2, POINTS)
        plan = cairn.transport(cairn.points(own(COORDINATES)), cairn.points(own(targets)), own(weights), epsilon=1.0, tolerance=1e-10,
                               kernel="exact")
        sources, onto = ({name: np.concatenate(RANKS.allgather(plan[side][name])) for name in ("points", "weights", "potentials")}
                         for side in ("source", "target"))
        cost = ((sources["points"][:, None] - onto["points"][None]) ** 2).sum(axis=2)
        joint = sources["weights"][:, None] * onto["weights"] * np.exp(sources["potentials"][:, None] + onto["potentials"] - cost)
        np.testing.assert_allclose(joint.sum(axis=0), onto["weights"], atol=1e-8)
        np.testing.assert_allclose(joint.sum(axis=1), sources["weights"], atol=1e-8)
        self.assertAlmostEqual((joint * cost).sum(), plan["cost"], 8)
        np.testing.assert_allclose((joint @ onto["points"] / joint.sum(axis=1)[:, None])[slice(*plan["source"]["range"])],
                                   plan["source"]["barycenters"], atol=1e-8)
        groups = np.concatenate(RANKS.allgather(plan["source"]["groups"]))
        np.testing.assert_allclose(sources["points"][groups], COORDINATES, atol=0)
        np.testing.assert_allclose(sources["weights"][groups], weights / weights.sum(), atol=1e-12)
        with self.assertRaisesRegex(cairn.InputError, "weights are at least 0"):
            cairn.transport(cairn.points(own(COORDINATES)), cairn.points(own(targets)), -own(weights), epsilon=1.0)

    def test_are_read_by_the_keys_of_a_config(self):
        result = cairn.approximate(data_generate="gaussian-mixture", data_points=500, data_dimension=3, similarity_kind="rbf",
                                   similarity_gamma=0.1, approximation_method="nystrom", landmarks=40)
        points = cairn.read("points", generate="gaussian-mixture", points=500, dimension=3)
        again = points.approximate("rbf", "nystrom", similarity_gamma=0.1, landmarks=40)
        self.assertEqual(500, len(result))
        np.testing.assert_allclose(result.left, again.left, atol=1e-9)
        with self.assertRaisesRegex(cairn.UsageError, "run.seed is an option of the session"):
            cairn.approximate(data_generate="gaussian-mixture", run_seed=3)

    def test_are_planned(self):
        plan = cairn.plan(ranks=4, data_generate="gaussian-mixture", data_points=100000, data_dimension=8, similarity_kind="rbf", landmarks=500)
        self.assertGreater(plan["peak_bytes"], 100000 // 4 * 500 * 8)
        self.assertEqual(100000 * 500, plan["evaluations"])
        self.assertEqual((4, 1), (plan["ranks"], plan["nodes"]))
        phases = dict(plan["seconds"])
        self.assertAlmostEqual(phases.pop("total"), sum(phases.values()), places=6)
        self.assertGreater(phases["similarities"], 0)

    def test_are_planned_without_seconds_or_for_an_error(self):
        keys = {"data_generate": "gaussian-mixture", "data_points": 3000, "data_dimension": 3, "similarity_kind": "rbf"}
        plan = cairn.plan(seconds=False, landmarks_error=0.05, **keys)
        self.assertNotIn("seconds", plan)
        least, expected, most = plan["landmarks"]
        self.assertTrue(0 < least <= expected <= most, plan["landmarks"])
        with self.assertRaisesRegex(cairn.UsageError, "nodes = 9 is more than the 4 ranks of the plan"):
            cairn.plan(ranks=4, nodes=9, landmarks=50, **keys)


class Mistakes(unittest.TestCase):
    def test_are_errors_of_python_on_every_rank(self):
        rows = own(COORDINATES).copy()
        if RANKS.rank == RANKS.size - 1:
            rows[0, 2] = np.nan
        for error, text, call in (
                (cairn.UsageError, "parameter alpha = -1", lambda: kernel().approximate("sms-nystrom", landmarks=9, alpha=-1)),
                (ValueError, "no method is called 'nystrm'", lambda: kernel().approximate("nystrm", landmarks=9)),
                (ValueError, "no parameter is called 'gama'", lambda: cairn.points(own(COORDINATES)).similarity("rbf", gama=1)),
                (cairn.InputError, "column 2", lambda: cairn.points(rows)),
                (ValueError, "2 dimensions, not of 1", lambda: cairn.points(np.arange(3.0))),
                (ValueError, "array of numbers, not of complex128", lambda: cairn.points(COORDINATES * 1j)),
                (ValueError, "as many rows as columns", lambda: cairn.matrix(np.zeros((3, 4)))),
                (ValueError, "is none of|no such|cannot|not there|missing", lambda: cairn.load("/nowhere/r.h5")),
                (ValueError, r"shape \(2, 2\) for a block", lambda: cairn.points(own(COORDINATES)).similarity(
                    lambda a, b: np.zeros((2, 2))).approximate("nystrom", landmarks=9))):
            with self.assertRaisesRegex(error, text) as caught:
                call()
            self.assertEqual(1, len(set(RANKS.allgather(str(caught.exception)))), "all ranks raise the same")

    def test_of_a_function_on_one_rank_are_raised_on_all(self):
        def function(left, right):
            if RANKS.rank == RANKS.size - 1:
                raise KeyError("here")
            return rbf(left, right)
        with self.assertRaisesRegex(cairn.UsageError, "the function raised KeyError: 'here'") as caught:
            cairn.points(own(COORDINATES)).similarity(function).approximate("nystrom", landmarks=9)
        if RANKS.rank == RANKS.size - 1:
            self.assertIsInstance(caught.exception.__cause__, KeyError)

    @unittest.skipIf(RANKS.size == 1, "on one rank: two ranks run it")
    def test_of_arguments_that_differ_name_the_rank(self):
        last = RANKS.rank == RANKS.size - 1
        points = cairn.points(own(COORDINATES))
        for call in (lambda: kernel().approximate("nystrom", landmarks=9 + RANKS.rank),
                     lambda: cairn.points(own(COORDINATES).astype(np.float32 if last else np.float64)),
                     lambda: cairn.matrix(EXACT.astype(np.float32 if last else np.float64)),
                     lambda: points.similarity(rbf, distance=last)):
            with self.assertRaisesRegex(cairn.UsageError, "rank [12]"):
                call()

    def test_on_one_rank_are_raised_on_all(self):
        last = RANKS.rank == RANKS.size - 1
        rows = own(COORDINATES)
        for text, call in (("2 dimensions, not of 1", lambda: cairn.points(rows[:, 0] if last else rows)),
                           ("array of integers, not of float64", lambda: kernel().entries([0.5] if last else [0], [1])),
                           ("list of texts, not one text", lambda: cairn.documents("text" if last else ["text"])),
                           ("surrogates not allowed", lambda: cairn.points(rows, ["\udc80" if last else "a"] * len(rows)))):
            with self.assertRaisesRegex(ValueError, text):
                call()

    def test_of_arrays_of_another_kind_are_named(self):
        ring = scipy.sparse.csr_array(np.eye(4, k=1))
        result = kernel().approximate("nystrom", landmarks=9)
        for text, call in (("mask", lambda: cairn.points(np.ma.masked_less(COORDINATES, 0))),
                           ("mask", lambda: cairn.matrix(np.ma.masked_less(EXACT, 0.5))),
                           ("not of complex128", lambda: cairn.points(scipy.sparse.csr_array(COORDINATES * 1j))),
                           ("not of complex128", lambda: cairn.graph(ring * 1j)),
                           ("as many rows as columns", lambda: cairn.graph(own_of(scipy.sparse.csr_array(np.ones((4, 9)))))),
                           ("2 dimensions with 3 columns, not of 5 columns", lambda: cairn.mesh(np.zeros((3, 5)), [[0, 1, 2]])),
                           ("3 columns, not of the shape", lambda: cairn.mesh(np.zeros((4, 3)), [[0, 1, 2, 3]])),
                           ("integers, not of float64", lambda: cairn.mesh(np.zeros((4, 3)), [[0, 1, 2.5]])),
                           ("distance has no effect", lambda: cairn.points(own(COORDINATES)).similarity("rbf", distance=True)),
                           ("path has no effect", lambda: result.extend(own(COORDINATES), path="x.csv")),
                           ("above 0, not -1", lambda: cairn.Session(memory=-1)),
                           ("an array that is not one of numbers, or has a mask", lambda: cairn.points(own(COORDINATES)).similarity(
                               lambda a, b: np.ma.masked_less(rbf(a, b), 0.5)).approximate("nystrom", landmarks=9))):
            with self.assertRaisesRegex(cairn.UsageError, text):
                call()

    def test_leave_the_caller_s_arrays_alone(self):
        rows = scipy.sparse.csr_matrix((np.ones(3), np.array([4, 1, 4]), np.array([0, 3])), shape=(1, 70))
        cairn.points(rows)
        self.assertEqual([4, 1, 4], list(rows.indices))

    def test_of_calls_within_calls_are_named(self):
        def function(left, right):
            for inner in (cairn.load, lambda _: session.close()):
                with self.assertRaisesRegex(cairn.UsageError, "within a function|while a call runs"):
                    inner("r.h5")
            return rbf(left, right)
        with cairn.Session() as session:
            session.points(own(COORDINATES)).similarity(function).approximate("nystrom", landmarks=9)


class Sessions(unittest.TestCase):
    def test_end_what_was_made_in_them(self):
        with cairn.Session(seed=3) as session:
            points = session.points(own(COORDINATES))
            result = points.similarity("rbf", gamma=1).approximate("nystrom", landmarks=5)
            left = result.left
        self.assertIn("closed", repr(session))
        for call in (lambda: len(points), lambda: result.left, lambda: session.points(own(COORDINATES))):
            with self.assertRaisesRegex(cairn.UsageError, "session (that )?has ended|has ended"):
                call()
        self.assertTrue(np.isfinite(left).all())

    @unittest.skipUnless(PROCESSOR >= {"avx2", "fma"}, "an old processor")
    @unittest.skipIf("OPENBLAS_CORETYPE" in os.environ, "the kernels of OpenBLAS are given")
    def test_take_the_kernels_of_the_processor(self):
        with cairn.Session():
            pass
        try:
            name = ctypes.CDLL("libopenblas.so.0").openblas_get_corename
        except OSError:
            self.skipTest("the BLAS is not OpenBLAS")
        name.restype = ctypes.c_char_p
        self.assertNotEqual(b"Prescott", name())
        self.assertNotIn("OPENBLAS_CORETYPE", os.environ)

    def test_do_not_mix(self):
        with cairn.Session() as one, cairn.Session() as other:
            result = one.points(own(COORDINATES)).similarity("rbf", gamma=1).approximate("nystrom", landmarks=5)
            with self.assertRaisesRegex(cairn.UsageError, "different sessions"):
                result.extend(other.points(own(COORDINATES)))

    @unittest.skipIf(RANKS.size > 1, "on several ranks: threads would call in another order on each; one process runs it")
    def test_take_calls_of_several_threads_one_at_a_time(self):
        similarity, found = kernel(), []

        def run():
            for _ in range(10):
                found.append(similarity.approximate("nystrom", landmarks=20).left.shape)
        threads = [threading.Thread(target=run) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([(POINTS, 20)] * 60, found)

    def test_of_one_rank_are_independent_of_the_others(self):
        with cairn.Session(MPI.COMM_SELF, seed=RANKS.rank + 1) as session:
            for _ in range(1 + RANKS.rank):
                result = session.points(COORDINATES).similarity("rbf", gamma=GAMMA).approximate("nystrom", landmarks=20)
            self.assertEqual((POINTS, 20), result.left.shape)

    def test_free_graphs_that_ranks_let_go_at_different_times(self):
        ring = scipy.sparse.csr_array((np.ones(60), (np.arange(60), (np.arange(60) + 1) % 60)), shape=(60, 60)).tocsr()
        held = []
        for k in range(12):
            graph = cairn.graph(own_of(ring))
            if (k + RANKS.rank) % 3 == 0:
                held.append(graph)
            if len(held) > 2:
                held.pop(0)
        self.assertEqual(60, len(cairn.graph(own_of(ring))))

    def test_do_not_grow(self):
        rows = own(np.random.default_rng(9).normal(size=(2000, 8)))

        def cycles(count):
            for _ in range(count):
                cairn.points(rows).similarity("rbf", gamma=0.1).approximate("nystrom", landmarks=20, measure=False)
        cycles(50)
        gc.collect()
        before = resident()
        cycles(300)
        gc.collect()
        self.assertLess(resident() - before, 8e6)  # each of them holds half a megabyte

    def test_show_how_far_they_are(self):
        seen = {}

        def progress(loop, finished, tiles):
            seen[loop] = finished, tiles
        session = cairn.Session(progress=progress)
        session.points(own(COORDINATES)).similarity("rbf", gamma=GAMMA).approximate("nystrom", landmarks=20, measure=False)
        self.assertTrue(seen)
        for loop in seen:
            finished, tiles = RANKS.allreduce(seen[loop][0]), seen[loop][1]
            self.assertEqual(tiles, finished, loop)
        session.close()
        with self.assertRaisesRegex(cairn.UsageError, "progress is True, None or a function"):
            cairn.Session(progress=3)

    def test_show_a_line_that_a_terminal_rewrites(self):
        from cairn import _arguments
        for terminal, expected in ((True, "\rcolumns:  10%, 18 s left      \rcolumns:  60%, 8 s left      \rcolumns: 100%      \n"),
                                   (False, "columns:  60%, 8 s left\ncolumns: 100%\n")):
            stream = io.StringIO()
            stream.isatty = lambda: terminal
            times = iter([0.0, 0.5, 2.0, 2.1, 12.0, 12.5])
            with mock.patch("sys.stderr", stream), mock.patch("time.monotonic", lambda: next(times)):
                show = _arguments.Progress(True, 2)
                for finished in (0, 1, 1, 2, 6, 10):
                    show("columns", finished, 20)
                self.assertEqual(expected, stream.getvalue())

    def test_end_on_all_ranks_where_the_progress_of_one_fails(self):
        for begins in (True, False):
            def progress(loop, finished, tiles):
                if RANKS.rank == RANKS.size - 1 and (finished == 0) == begins and loop.startswith("probe"):
                    raise RuntimeError("this rank has had enough")
            with cairn.Session(progress=progress) as session:
                similarity = session.points(own(COORDINATES)).similarity("rbf", gamma=GAMMA)
                with self.assertRaisesRegex(cairn.UsageError, "interrupted between two tiles"):
                    similarity.approximate("nystrom", landmarks=20)
                self.assertEqual(POINTS, len(session.points(own(COORDINATES))))

    def test_go_on_from_a_checkpoint(self):
        stops = [True]

        def progress(loop, finished, tiles):
            if stops and tiles > 4 and finished == 2:
                raise RuntimeError("no time left")
            counts.append(finished)
        keys = dict(data_generate="gaussian-mixture", data_points=20000, data_dimension=3, similarity_kind="rbf", similarity_gamma=0.1,
                    approximation_method="nystrom", landmarks=40)
        with tempfile.TemporaryDirectory() as folder, cairn.Session(progress=progress) as session:
            keys["run_checkpoint"] = os.path.join(RANKS.bcast(folder), "tiles")
            counts = []
            with self.assertRaises(cairn.UsageError) as caught:
                session.approximate(**keys)
            self.assertIn("interrupted between two tiles", str(caught.exception))
            # A rank that another one is faster than may have no third tile.
            causes = RANKS.allgather(str(caught.exception.__cause__))
            self.assertIn("no time left", " ".join(causes))
            stops.clear()
            result = session.approximate(restart=True, **keys)
            reference = session.approximate(**{name: value for name, value in keys.items() if name != "run_checkpoint"})
            np.testing.assert_array_equal(result.left, reference.left)
            RANKS.barrier()

    @unittest.skipIf(RANKS.size > 1, "on several ranks: a launcher takes the signal; one process runs it")
    def test_end_at_a_signal_between_two_tiles(self):
        rows = np.random.default_rng(9).normal(size=(20000, 8))

        def slow(left, right):
            time.sleep(0.05)
            return left @ right.T
        similarity = cairn.points(rows).similarity(slow)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.time()
        with self.assertRaises(KeyboardInterrupt):
            similarity.approximate("nystrom", landmarks=2000)
        self.assertLess(time.time() - start, 20)
        self.assertEqual(POINTS, len(cairn.points(COORDINATES)))


if __name__ == "__main__":
    unittest.main()
