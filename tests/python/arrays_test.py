"""What the package is handed and hands out: memory of points, compiled functions, how long things live, and Ctrl-C."""

import ctypes
import gc
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import numpy as np
from shared import COORDINATES, EXACT, GAMMA, POINTS, RANKS, cairn, kernel, own, peak_of, product, relative_error, resident, whole

LAST = RANKS.rank == RANKS.size - 1


class HandedPoints(unittest.TestCase):
    MANY = 400_000

    def dealt(self, dtype=np.float64):
        """As many rows of 16 coordinates as this rank owns: 51 MB of doubles over all ranks."""
        rows = cairn.own_rows(self.MANY)
        return np.random.default_rng(RANKS.rank).normal(size=(len(rows), 16)).astype(dtype)

    def test_are_not_copied_where_they_lie_as_the_program_deals_them(self):
        cairn.points(self.dealt()[:10])  # whatever is made once
        for dtype in (np.float64, np.float32):
            array = self.dealt(dtype)
            kept = []
            self.assertLess(peak_of(lambda: kept.append(cairn.points(array))), array.nbytes / 3 + 2e6)
            self.assertTrue(kept[0]._handle.lent)
            self.assertLess(peak_of(lambda: kept.append(cairn.points(array, copy=True))), 1.4 * array.nbytes + 2e6)
            self.assertFalse(kept[1]._handle.lent)

    def test_are_copied_once_otherwise(self):
        every = self.dealt()
        for array in (np.asfortranarray(every), every[::2], every.astype(">f8"), every.astype(np.int32)):
            rows = len(array)
            grown = peak_of(lambda: cairn.points(array))
            self.assertLess(grown, 1.4 * rows * 16 * 8 + 2e6 + (0 if RANKS.size == 1 else 48e6))
        uneven = np.random.default_rng(1).normal(size=(self.MANY // 2 * (RANKS.rank == 0), 16))
        points = cairn.points(uneven)
        self.assertEqual(self.MANY // 2, len(points))
        self.assertEqual(RANKS.size == 1, points._handle.lent)
        sent = peak_of(lambda: cairn.points(uneven, copy=True))
        self.assertLess(sent, 1.4 * self.MANY // 2 * 16 * 8 / RANKS.size + 64e6)

    def test_in_a_file_are_mapped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.npy")
            np.save(path, self.dealt())
            mapped = np.load(path, mmap_mode="r")
            points = cairn.points(mapped)
            self.assertTrue(points._handle.lent)
            del mapped
            similarity = points.similarity("rbf", gamma=0.01)
            rows = np.array([0, len(points) - 1])
            first = np.concatenate(RANKS.allgather(np.load(path)[[0, -1]]))[[0, -1]]
            expected = np.exp(-0.01 * ((first[0] - first[1])**2).sum())
            np.testing.assert_allclose(similarity.block(rows, rows)[0, 1], expected, rtol=1e-12)
            RANKS.barrier()

    def test_are_the_same_whoever_holds_them(self):
        rows = np.random.default_rng(5).normal(size=(1000, 3))
        of_ranks = cairn.own_rows(1000)
        factors = []
        for held, lent in ((rows[of_ranks.start:of_ranks.stop], True), (own(rows), RANKS.size == 1), (rows if LAST else rows[:0], RANKS.size == 1)):
            points = cairn.points(np.array(held))
            self.assertEqual(lent, points._handle.lent)
            factors.append(points.similarity("rbf", gamma=0.2).approximate("nystrom", landmarks=10).left)
        for factor in factors[1:]:
            np.testing.assert_array_equal(factors[0], factor)

    def test_that_change_are_refused(self):
        mine = np.array(COORDINATES[cairn.own_rows(POINTS).start:cairn.own_rows(POINTS).stop])
        points = cairn.points(mine)
        similarity = points.similarity("rbf", gamma=GAMMA)
        result = similarity.approximate("nystrom", landmarks=9, measure=False)
        copied = cairn.points(mine, copy=True)
        if LAST:
            mine[-1, 0] += 1
        for call in (lambda: similarity.approximate("nystrom", landmarks=9), lambda: points.approximate("rbf", landmarks=9), result.measure_error,
                     lambda: result.keep_near(3), lambda: result.extend(points), lambda: cairn.transport(points, copied, epsilon=1.0),
                     lambda: result.task("average-linkage", exact=True, clusters=2)):
            with self.assertRaisesRegex(cairn.InputError, "has changed coordinates"):
                call()
        copied.similarity("rbf", gamma=GAMMA).approximate("nystrom", landmarks=9)

    def test_that_are_scaled_are_left_alone(self):
        mine = np.array(COORDINATES)
        with cairn.Session(cairn._MPI.COMM_SELF) as session:
            points = session.points(mine, scaling="standard")
            self.assertFalse(points._handle.lent)
            np.testing.assert_array_equal(COORDINATES, mine)
            result = session.points(mine, scaling="standard").similarity("rbf", gamma=GAMMA).approximate("nystrom", landmarks=9)
            result.extend(mine)
            np.testing.assert_array_equal(COORDINATES, mine)


SOURCE = """
#include <math.h>
#include <stdint.h>
void kernel_TYPE(const TYPE *left, int64_t n, const TYPE *right, int64_t m, int64_t d, TYPE *tile) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) {
      TYPE sum = 0;
      for (int64_t k = 0; k < d; ++k) { TYPE x = left[i * d + k] - right[j * d + k]; sum += x * x; }
      tile[i * m + j] = exp(-GAMMA * sum);
    }
}
void fails(const double *left, int64_t n, const double *right, int64_t m, int64_t d, double *tile) {
  for (int64_t i = 0; i < n * m; ++i) tile[i] = NAN;
}
"""


class CompiledFunctions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if shutil.which("cc") is None:
            raise unittest.SkipTest("there is no C compiler")
        with tempfile.TemporaryDirectory() as folder:
            source = SOURCE.replace("GAMMA", repr(GAMMA))
            one, *others = (source[:source.index("void fails")].replace("TYPE", kind) for kind in ("float", "double"))
            others = [other[other.index("void"):] for other in others]
            with open(folder + "/k.c", "w", encoding="ascii") as file:
                file.write(one + "".join(others) + source[source.index("void fails"):])
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", folder + "/k.c", "-o", folder + "/k.so", "-lm"], check=True)
            cls.library = ctypes.CDLL(folder + "/k.so")

    def test_give_the_kernel_on_several_threads(self):
        for kind, dtype, tolerance in (("double", np.float64, 1e-12), ("float", np.float32, 1e-4)):
            with cairn.Session(threads=2) as session:
                points = session.points(own(COORDINATES.astype(dtype)))
                compiled = points.similarity(getattr(self.library, "kernel_" + kind), definite=True)
                np.testing.assert_allclose(compiled.block(range(POINTS), range(POINTS)), EXACT, atol=tolerance)
                result = compiled.approximate("nystrom", landmarks=20)
                named = points.similarity("rbf", gamma=GAMMA).approximate("nystrom", landmarks=20)
                np.testing.assert_allclose(whole(result.left) @ result.core() @ whole(result.left).T,
                                           whole(named.left) @ named.core() @ whole(named.left).T, atol=1e-3 if kind == "float" else 1e-7)

    def test_do_not_hold_the_lock_of_python(self):
        waits = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p, ctypes.c_int64] * 2, ctypes.c_int64, ctypes.c_void_p)
        seen = []

        def function(left, n, right, m, d, tile):  # a function of ctypes that is one of Python takes the lock by itself
            seen.append((n, m, d))
            array = np.ctypeslib.as_array(ctypes.cast(tile, ctypes.POINTER(ctypes.c_double)), (n, m))
            a, b = (np.ctypeslib.as_array(ctypes.cast(part, ctypes.POINTER(ctypes.c_double)), (k, d)) for part, k in ((left, n), (right, m)))
            array[:] = a @ b.T
        similarity = cairn.points(own(COORDINATES)).similarity(waits(function))
        np.testing.assert_allclose(similarity.block([1, 2], [0]), COORDINATES[[1, 2]] @ COORDINATES[[0]].T, rtol=1e-12)
        self.assertIn((2, 1, 4), seen)
        counted = threading.Event()
        count = [0]

        def run():
            while not counted.is_set():
                count[0] += 1
                time.sleep(0.001)
        thread = threading.Thread(target=run)
        thread.start()
        cairn.points(np.random.default_rng(RANKS.rank).normal(size=(6000, 40))).similarity(self.library.kernel_double).approximate(
            "nystrom", landmarks=600, measure=False)
        counted.set()
        thread.join()
        self.assertGreater(count[0], 5)

    def test_that_cannot_be_are_refused(self):
        points = cairn.points(own(COORDINATES))
        wrong = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_float))
        for text, call in (("its argument 1 is", lambda: points.similarity(wrong(lambda _: None))),
                           ("gamma has no effect", lambda: points.similarity(self.library.kernel_double, gamma=1)),
                           ("pairs has no effect", lambda: points.similarity(self.library.kernel_double, pairs=lambda a, b: a)),
                           ("finite|nan|NaN", lambda: points.similarity(self.library.fails).approximate("nystrom", landmarks=5))):
            with self.assertRaisesRegex((cairn.UsageError, cairn.InputError, cairn.NotConverged), text):
                call()

    def test_take_the_place_of_a_cfunc_of_numba(self):
        class Compiled:  # as numba's: an address, and the function as one of ctypes
            ctypes = self.library.kernel_double
            address = ctypes and 1
        np.testing.assert_allclose(cairn.points(own(COORDINATES)).similarity(Compiled()).block([3], range(POINTS))[0], EXACT[3], atol=1e-12)


class Lifetimes(unittest.TestCase):
    def test_of_thousands_leak_nothing_whenever_ranks_collect(self):
        """Cycles of references, which each rank collects at another time."""
        session = cairn.Session()
        rows = own(np.random.default_rng(9).normal(size=(600, 8)))
        kept = []

        def cycles(count):
            for k in range(count):
                result = session.points(rows).similarity("rbf", gamma=0.1).approximate("nystrom", landmarks=10, measure=False)
                ring = [result, result.left]
                ring.append(ring)
                if k % 7 == RANKS.rank:
                    kept.append(result.left)  # a view that outlives its result
                    del kept[:-2]
                if k % (40 + 30 * RANKS.rank) == 0:
                    gc.collect()
        gc.disable()
        try:
            cycles(100)
            gc.collect()
            before = resident()
            cycles(350)  # of three things each
            gc.collect()
            len(session.points(rows))  # frees what all have let go
            self.assertLess(resident() - before, 6e6)  # each cycle holds 100 kB on two ranks
            self.assertLessEqual(session._handle.kept, 3)
        finally:
            gc.enable()
        session.close()
        self.assertTrue(np.isfinite(kept[-1]).all())

    def test_end_with_a_block(self):
        session = cairn.Session()
        with session.points(own(COORDINATES)) as points, points.similarity("rbf", gamma=GAMMA) as similarity:
            with similarity.approximate("nystrom", landmarks=9) as result:
                left = result.left
            expected = np.array(left)
            self.assertIn("let go", repr(result))
            for call in (lambda: result.left, result.core, lambda: len(result)):
                with self.assertRaisesRegex(cairn.UsageError, "has been let go"):
                    call()
            self.assertEqual(9, similarity.approximate("nystrom", landmarks=9).left.shape[1])
        np.testing.assert_array_equal(expected, left)
        session.points(own(COORDINATES))
        gc.collect()
        session.points(own(COORDINATES))
        self.assertLessEqual(session._handle.kept, 2)
        session.close()

    def test_of_a_factor_are_those_of_the_view(self):
        for _ in range(5):
            left = kernel().approximate("nystrom", landmarks=20).left
            expected = np.array(left)
            gc.collect()
            cairn.points(own(COORDINATES))
            np.testing.assert_array_equal(expected, left)
        self.assertLess(relative_error(product(kernel().approximate("nystrom", landmarks=100))), 0.1)


class Interruptions(unittest.TestCase):
    def test_of_one_rank_end_the_call_on_all(self):
        rows = np.random.default_rng(RANKS.rank).normal(size=(20_000, 30))
        similarity = cairn.points(rows).similarity("matern", nu=1.5)
        for rank in sorted({0, RANKS.size - 1}):
            if RANKS.rank == rank:
                threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(BaseException) as caught:
                similarity.approximate("nystrom", landmarks=4000)
            if RANKS.rank == rank:
                self.assertIsInstance(caught.exception, KeyboardInterrupt)
            else:
                self.assertIsInstance(caught.exception, cairn.Interrupted)
                self.assertIn(f"rank {rank} was interrupted between two tiles, by a signal", str(caught.exception))
            self.assertEqual(POINTS, len(cairn.points(own(COORDINATES))))  # the session goes on


if __name__ == "__main__":
    unittest.main()
