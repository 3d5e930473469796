"""Kernel features through scikit-learn's interface: beside K itself, on new points, in a pipeline, and its mistakes."""
import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile
import unittest

try:
    import h5py  # noqa: F401
    import numpy
    from sklearn.base import clone
    from sklearn import kernel_approximation
    from sklearn.linear_model import RidgeClassifier
    from sklearn.metrics.pairwise import laplacian_kernel, pairwise_kernels, rbf_kernel
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
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
        with self.assertRaisesRegex(CairnError, "nan|finite"):
            Nystroem(ranks=2).fit(numpy.full((5, 2), numpy.nan))

    def test_of_parameters_that_cannot_be_honoured_are_named(self):
        for pattern, given in [("takes no function", {"kernel": rbf_kernel}), ("takes no function", {"kernel": "precomputed"}),
                               ("kernel_params names width", {"kernel_params": {"width": 2}}), ("n_jobs = 0", {"n_jobs": 0}),
                               ("n_jobs = -999", {"n_jobs": -999})]:
            with self.assertRaisesRegex(ValueError, pattern):
                Nystroem(**given).fit(POINTS)

    def test_of_shapes_are_found_before_it_runs(self):
        map_ = Nystroem(gamma=0.3, n_components=10).fit(POINTS)
        with self.assertRaisesRegex(ValueError, "X has 4 columns, the points of fit had 5"):
            map_.transform(NEW[:, :4])
        with self.assertRaisesRegex(ValueError, "must be a matrix"):
            map_.fit(POINTS[0])

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
