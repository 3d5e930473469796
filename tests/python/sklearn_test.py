"""Kernel features through scikit-learn's interface: beside K itself, on new points, in a pipeline, and its mistakes."""
import contextlib
import copy
import gc
import io
import os
import pathlib
import pickle
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import warnings

try:
    import h5py  # noqa: F401
    import joblib
    import numpy
    import scipy.sparse
    from sklearn.base import clone
    from sklearn import kernel_approximation
    from sklearn.linear_model import RidgeClassifier
    from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels, rbf_kernel
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.estimator_checks import check_estimator
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
sys.dont_write_bytecode = True
PROJECT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "apps" / "python"))
from cairn_sklearn import CairnError, Nystroem  # noqa: E402

DRAWS = numpy.random.default_rng(3)
POINTS, NEW = DRAWS.normal(size=(120, 5)), DRAWS.normal(size=(30, 5))


class Features(unittest.TestCase):
    def test_of_all_landmarks_are_those_of_the_kernel(self):
        for kernel, exact in (("rbf", rbf_kernel), ("laplacian", laplacian_kernel)):
            with self.subTest(kernel):
                map_ = Nystroem(kernel, gamma=0.3, n_components=120)
                features = map_.fit_transform(POINTS)
                numpy.testing.assert_allclose(features * map_.signs_ @ features.T, exact(POINTS, gamma=0.3), atol=1e-6)
                numpy.testing.assert_allclose(map_.transform(NEW) * map_.signs_ @ features.T, exact(NEW, POINTS, gamma=0.3), atol=1e-6)
                self.assertLess(map_.relative_error_, 1e-6)

    def test_without_gamma_are_those_of_scikit_learn(self):
        scaled = POINTS * [0.3, 0.7, 1, 0.5, 1.2] / 3  # a variance that is not 1, and inner products that sigmoid can tell apart
        cases = [("rbf", {}), ("laplacian", {}), ("polynomial", {}), ("poly", {"degree": 2, "coef0": 0.5}), ("cosine", {"gamma": 0.3}),
                 ("linear", {"gamma": 0.3, "degree": 2}), ("rbf", {"coef0": 3}), ("sigmoid", {"coef0": 0.2}),
                 ("polynomial", {"kernel_params": {"gamma": 0.2, "degree": 2}})]
        for kernel, given in cases:
            with self.subTest(kernel, **given):
                parameters = {**given.get("kernel_params", {}), **{k: v for k, v in given.items() if k != "kernel_params"}}
                exact = pairwise_kernels(scaled, metric=kernel, filter_params=True, **parameters)
                map_ = Nystroem(kernel, n_components=120, n_jobs=1, **given)
                features = map_.fit_transform(scaled)
                numpy.testing.assert_allclose(features * map_.signs_ @ features.T, exact, atol=0.01 if kernel == "sigmoid" else 1e-5)
                if kernel != "sigmoid":  # an indefinite matrix, of which that class takes other roots
                    theirs = kernel_approximation.Nystroem(kernel, n_components=120, **given).fit_transform(scaled)
                    numpy.testing.assert_allclose(features * map_.signs_ @ features.T, theirs @ theirs.T, atol=1e-5)

    def test_of_kernels_of_its_own_take_their_parameters(self):
        rough, smooth = (Nystroem("matern", None, 50, kernel_params={"nu": nu}).fit_transform(POINTS) for nu in (0.5, 2.5))
        self.assertGreater(numpy.abs(rough @ rough.T - smooth @ smooth.T).max(), 0.05)
        drawn = Nystroem(gamma=0.3, n_components=10, random_state=numpy.random.RandomState(1)).fit_transform(POINTS)
        self.assertEqual((120, 10), drawn.shape)

    def test_do_not_depend_on_ranks_and_follow_the_seed(self):
        one = Nystroem(gamma=0.3, n_components=20, random_state=5).fit_transform(POINTS)
        two = Nystroem(gamma=0.3, n_components=20, random_state=5, ranks=2).fit_transform(POINTS)
        other = Nystroem(gamma=0.3, n_components=20, random_state=6).fit_transform(POINTS)
        numpy.testing.assert_allclose(numpy.abs(one), numpy.abs(two), atol=1e-7)
        self.assertGreater(numpy.abs(one @ one.T - other @ other.T).max(), 1e-3)

    def test_of_random_frequencies_come_from_the_file_for_new_points(self):
        map_ = Nystroem(gamma=0.3, n_components=2000, method="rff", options={"approximation.fourier": "orthogonal"})
        features = map_.fit_transform(POINTS)
        self.assertEqual((120, 2000), features.shape)
        self.assertLess(numpy.abs(map_.transform(NEW) @ features.T - rbf_kernel(NEW, POINTS, gamma=0.3)).max(), 0.1)

    def test_take_lists_columns_in_fortran_order_and_single_precision(self):
        expected = Nystroem(gamma=0.3, n_components=10).fit_transform(POINTS)
        for points in (POINTS.tolist(), numpy.asfortranarray(POINTS)):
            numpy.testing.assert_array_equal(expected, Nystroem(gamma=0.3, n_components=10).fit_transform(points))

    def test_classify_in_a_pipeline(self):
        classes = (numpy.linalg.norm(POINTS, axis=1) > 2.2).astype(int)
        pipeline = make_pipeline(StandardScaler(), Nystroem(gamma=0.2, n_components=80), RidgeClassifier(alpha=0.1))
        self.assertGreater(clone(pipeline).fit(POINTS, classes).score(POINTS, classes), 0.95)


class Interface(unittest.TestCase):
    def test_is_that_of_scikit_learn_in_all_its_checks(self):
        checks = list(check_estimator(Nystroem(), generate_only=True))
        self.assertGreaterEqual(len(checks), 30)
        for estimator, check in checks:
            with self.subTest(getattr(check, "func", check).__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(estimator)

    def test_names_features_and_landmarks(self):
        map_ = Nystroem(gamma=0.3, n_components=10).fit(POINTS)
        self.assertEqual([f"nystroem{k}" for k in range(10)], list(map_.get_feature_names_out()))
        self.assertEqual((10, 10), (len(set(map_.component_indices_)), map_.transform(NEW).shape[1]))
        landmarks = POINTS[map_.component_indices_]  # K among them and with all points is exact
        numpy.testing.assert_allclose(map_.transform(landmarks) @ map_.transform(POINTS).T, rbf_kernel(landmarks, POINTS, gamma=0.3), atol=1e-6)
        self.assertFalse(hasattr(map_.set_params(method="rff").fit(POINTS), "component_indices_"))

    def test_takes_sparse_points_as_the_same_dense_ones(self):
        sparse = scipy.sparse.random(80, 6, 0.4, "csr", random_state=1)
        expected = Nystroem(gamma=0.3, n_components=10).fit_transform(sparse.toarray())
        for form in (sparse, sparse.tocsc(), sparse.tocoo()):
            numpy.testing.assert_array_equal(expected, Nystroem(gamma=0.3, n_components=10).fit_transform(form))

    def test_takes_many_sparse_columns_as_the_same_dense_ones(self):
        sparse = scipy.sparse.random(80, 300, 0.05, "csr", random_state=1)
        dense = Nystroem(gamma=0.3, n_components=10).fit(sparse.toarray())
        for form in (sparse, sparse.tocsc(), sparse.tocoo()):
            map_ = Nystroem(gamma=0.3, n_components=10).fit(form)
            numpy.testing.assert_allclose(map_.transform(form), dense.transform(sparse.toarray()), atol=1e-9)
            numpy.testing.assert_allclose(map_.transform(sparse.toarray()), dense.transform(form), atol=1e-9)
        nothing = scipy.sparse.csr_matrix((3, 300))
        numpy.testing.assert_allclose(dense.transform(nothing), dense.transform(nothing.toarray()), atol=1e-9)

    def test_says_that_there_are_fewer_points_than_components(self):
        with self.assertWarnsRegex(UserWarning, "n_components = 500 is more than the 120 points"):
            self.assertEqual((120, 120), Nystroem(gamma=0.3, n_components=500).fit_transform(POINTS).shape)


class Copies(unittest.TestCase):
    def setUp(self):
        self.map = Nystroem(gamma=0.3, n_components=20).fit(POINTS)
        self.expected = self.map.transform(NEW)

    def let_go(self):
        path = self.map.result_
        self.map = None
        gc.collect()
        self.assertFalse(os.path.exists(path))

    def test_outlive_the_original(self):
        copies = [copy.deepcopy(self.map), pickle.loads(pickle.dumps(self.map))]
        self.let_go()
        for other in copies:
            numpy.testing.assert_array_equal(self.expected, other.transform(NEW))
        copies[0] = None
        gc.collect()
        numpy.testing.assert_array_equal(self.expected, copies[1].transform(NEW))

    def test_transform_in_another_process(self):
        with tempfile.TemporaryDirectory() as folder:
            joblib.dump(make_pipeline(self.map), folder + "/map.joblib")
            numpy.save(folder + "/new.npy", NEW)
            self.let_go()
            script = ("import sys; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import joblib, numpy;"
                      "numpy.save('Z.npy', joblib.load('map.joblib').transform(numpy.load('new.npy')))")
            subprocess.run([sys.executable, "-c", script, str(PROJECT / "apps" / "python")], cwd=folder, check=True)
            numpy.testing.assert_array_equal(self.expected, numpy.load(folder + "/Z.npy"))

    def test_of_one_that_was_not_fitted_are_not_fitted(self):
        self.assertEqual(5, copy.deepcopy(Nystroem(n_components=5)).n_components)


class TasksOfALauncher(unittest.TestCase):
    """Two tasks of mpirun that use it: each gets the features of its own points, and no task becomes a rank of the other's run."""

    SCRIPT = """
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
{first}
import numpy
from cairn_sklearn import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
points = numpy.random.default_rng(rank).normal(size=(200, 4)) * (1 + rank)
features = Nystroem(gamma=0.2, n_components=200, ranks={ranks}).fit_transform(points)
exact = rbf_kernel(points, gamma=0.2)
print("exact" if numpy.linalg.norm(features @ features.T - exact) < 1e-6 * numpy.linalg.norm(exact) else "wrong", flush=True)
"""

    def check(self, first="", ranks=1):
        launcher = shlex.split(os.environ.get("CAIRN_MPIEXEC", "mpirun --oversubscribe --bind-to none"))
        done = subprocess.run([*launcher, "-n", "2", sys.executable, "-c", self.SCRIPT.format(first=first, ranks=ranks),
                               str(PROJECT / "apps" / "python")], capture_output=True, text=True, timeout=100, check=False,
                              env={**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1"})
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual((2, 0), (done.stdout.count("exact"), done.stdout.count("wrong")), done.stdout)  # lines of two tasks may mix

    def test_have_features_of_their_own(self):
        self.check()

    def test_may_start_ranks_of_their_own(self):
        self.check(ranks=2)

    def test_may_use_mpi_themselves(self):
        try:
            import mpi4py  # noqa: F401
        except ImportError:
            self.skipTest("mpi4py is not installed")
        self.check("from mpi4py import MPI")


class Page(unittest.TestCase):
    def test_shows_code_that_runs(self):
        page = (PROJECT / "docs" / "notebook.md").read_text(encoding="utf-8")
        first, second = re.findall(r"```python\n(.*?)```", page, re.S)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(first, {})
        score, error = re.fullmatch(r"(0\.\d+)\nerror of K: (0\.\d+)\n", printed.getvalue()).groups()
        self.assertEqual((0.97, 0.02), (round(float(score), 2), round(float(error), 2)))
        found = {}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            os.symlink(os.environ["CAIRN_PROGRAM"], "cairn")
            path, os.environ["PATH"] = os.environ["PATH"], folder + ":" + os.environ["PATH"]
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(second.replace("check=True", "check=True, capture_output=True"), found)
            finally:
                os.environ["PATH"] = path
        self.assertEqual((5000, 200), found["Z"].shape)


class Mistakes(unittest.TestCase):
    def test_are_the_program_s_messages(self):
        with self.assertRaisesRegex(CairnError, "gaussian.*(is not known|rbf)"):
            Nystroem("gaussian").fit(POINTS)
        with self.assertRaisesRegex(CairnError, "gamma"):
            Nystroem(gamma=-1).fit(POINTS)
        with self.assertRaisesRegex(CairnError, "no room for 99999 ranks"):
            Nystroem(ranks=99999).fit(POINTS)

    def test_of_parameters_that_cannot_be_honoured_are_named(self):
        for pattern, given in [("takes no function", {"kernel": rbf_kernel}), ("takes no function", {"kernel": "precomputed"}),
                               ("kernel_params names width", {"kernel_params": {"width": 2}}), ("n_jobs = 0", {"n_jobs": 0}),
                               ("n_jobs = -999", {"n_jobs": -999})]:
            with self.assertRaisesRegex(ValueError, pattern):
                Nystroem(**given).fit(POINTS)

    def test_of_shapes_are_found_before_it_runs(self):
        map_ = Nystroem(gamma=0.3, n_components=10).fit(POINTS)
        for pattern, wrong in [("X has 4 features.*expecting 5", NEW[:, :4]), ("Expected 2D array", NEW[0]), ("contains NaN", NEW * numpy.nan),
                               ("contains infinity", NEW * numpy.inf), ("0 sample", NEW[:0]), ("Complex data", NEW + 1j)]:
            with self.assertRaisesRegex(ValueError, pattern):
                map_.transform(wrong)
        for pattern, wrong in [("Expected 2D array", POINTS[0]), ("contains NaN", POINTS * numpy.nan), ("0 feature", POINTS[:, :0])]:
            with self.assertRaisesRegex(ValueError, pattern):
                map_.fit(wrong)

    def test_name_a_program_that_is_not_there(self):
        before = os.environ.pop("CAIRN_PROGRAM", None)
        path, os.environ["PATH"] = os.environ["PATH"], ""
        try:
            with self.assertRaisesRegex(CairnError, "not on PATH"):
                Nystroem().fit(POINTS)
        finally:
            os.environ["PATH"] = path
            if before:
                os.environ["CAIRN_PROGRAM"] = before


if __name__ == "__main__":
    unittest.main()
