"""Kernel features through scikit-learn's interface: beside K itself, on new points, in a pipeline, and its mistakes."""
import copy
import gc
import os
import pathlib
import pickle
import shlex
import subprocess
import sys
import tempfile
import unittest
import warnings

if not os.path.exists(os.path.join(os.environ.get("CAIRN_PYTHON_PACKAGE", ""), "cairn")):
    print("skipped: built without pybind11, mpi4py or the development files of Python (pybind11-dev, python3-mpi4py, python3-dev)")
    sys.exit(77)
try:
    import joblib
    import numpy
    import scipy.sparse
    from mpi4py import MPI
    from sklearn.base import BaseEstimator, clone
    from sklearn import cluster, decomposition, gaussian_process, kernel_approximation, kernel_ridge, svm
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import kernels
    from sklearn.linear_model import RidgeClassifier
    from sklearn.metrics import adjusted_rand_score, pairwise_distances
    from sklearn.metrics.pairwise import euclidean_distances, laplacian_kernel, pairwise_kernels, rbf_kernel
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.estimator_checks import check_estimator
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
sys.dont_write_bytecode = True
ENVIRONMENT = dict(os.environ)  # before MPI adds to it what makes a child a rank of this process
PROJECT = pathlib.Path(__file__).parents[2]
PACKAGE = os.environ["CAIRN_PYTHON_PACKAGE"]
sys.path.insert(0, PACKAGE)
import cairn  # noqa: E402
import cairn.sklearn  # noqa: E402
from cairn.sklearn import (MDS, SVC, AgglomerativeClustering, GaussianProcessRegressor, KernelPCA, KernelRidge, LinearSVC,  # noqa: E402
                           Nystroem, OTTransport, PolynomialCountSketch, RBFSampler)

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
        rough, smooth = (Nystroem("matern", n_components=50, kernel_params={"nu": nu}).fit_transform(POINTS) for nu in (0.5, 2.5))
        self.assertGreater(numpy.abs(rough @ rough.T - smooth @ smooth.T).max(), 0.05)
        drawn = Nystroem(gamma=0.3, n_components=10, random_state=numpy.random.RandomState(1)).fit_transform(POINTS)
        self.assertEqual((120, 10), drawn.shape)

    def test_follow_the_seed(self):
        one, again, other = (Nystroem(gamma=0.3, n_components=20, random_state=seed).fit_transform(POINTS) for seed in (5, 5, 6))
        numpy.testing.assert_array_equal(one, again)
        self.assertGreater(numpy.abs(one @ one.T - other @ other.T).max(), 1e-3)

    def test_of_random_frequencies_are_the_same_map_for_new_points(self):
        for orthogonal in (False, True):
            map_ = RBFSampler(gamma=0.3, n_components=2000, orthogonal=orthogonal, random_state=1)
            features = map_.fit_transform(POINTS)
            self.assertEqual((120, 2000), features.shape)
            self.assertLess(numpy.abs(map_.transform(NEW) @ features.T - rbf_kernel(NEW, POINTS, gamma=0.3)).max(), 0.15)

    def test_of_a_function_and_of_a_matrix_are_those_of_the_kernel(self):
        expected = Nystroem(gamma=0.3, n_components=20, random_state=1).fit(POINTS)

        def kernel(x, y):
            return numpy.exp(-0.3 * ((x - y) ** 2).sum())
        for map_, old, new in ((Nystroem(kernel, n_components=20, random_state=1), POINTS, NEW),
                               (Nystroem("precomputed", n_components=20, random_state=1), rbf_kernel(POINTS, gamma=0.3),
                                rbf_kernel(NEW, POINTS, gamma=0.3))):
            features = map_.fit_transform(old)
            numpy.testing.assert_array_equal(expected.component_indices_, map_.component_indices_)
            numpy.testing.assert_allclose(map_.transform(new) @ features.T, expected.transform(NEW) @ expected.transform(POINTS).T, atol=1e-7)
            numpy.testing.assert_allclose(map_.transform(old), features, atol=1e-6)

    def test_of_float32_are_float32(self):
        map_ = Nystroem(gamma=0.3, n_components=20, random_state=1)
        features = map_.fit_transform(POINTS.astype(numpy.float32))
        self.assertEqual((numpy.float32, numpy.float32), (features.dtype, map_.transform(NEW).dtype))
        double = Nystroem(gamma=0.3, n_components=20, random_state=1).fit_transform(POINTS)
        numpy.testing.assert_allclose(features @ features.T, double @ double.T, atol=1e-4)

    def test_take_lists_columns_in_fortran_order_and_single_precision(self):
        expected = Nystroem(gamma=0.3, n_components=10, random_state=0).fit_transform(POINTS)
        for points in (POINTS.tolist(), numpy.asfortranarray(POINTS)):
            numpy.testing.assert_array_equal(expected, Nystroem(gamma=0.3, n_components=10, random_state=0).fit_transform(points))

    def test_classify_in_a_pipeline(self):
        classes = (numpy.linalg.norm(POINTS, axis=1) > 2.2).astype(int)
        pipeline = make_pipeline(StandardScaler(), Nystroem(gamma=0.2, n_components=80), RidgeClassifier(alpha=0.1))
        self.assertGreater(clone(pipeline).fit(POINTS, classes).score(POINTS, classes), 0.95)


class Interface(unittest.TestCase):
    def test_is_that_of_scikit_learn_in_all_its_checks(self):
        names = sorted(set(cairn.sklearn.__all__) - {"OTTransport"})  # whose targets are points, not a target for each row of X
        checks = [check for name in names for check in check_estimator(getattr(cairn.sklearn, name)(), generate_only=True)]
        self.assertGreaterEqual(len(checks), 340)
        for estimator, check in checks:
            with self.subTest(type(estimator).__name__ + " " + getattr(check, "func", check).__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(estimator)

    def test_names_features_and_landmarks(self):
        map_ = Nystroem(gamma=0.3, n_components=10, random_state=0).fit(POINTS)
        self.assertEqual([f"nystroem{k}" for k in range(10)], list(map_.get_feature_names_out()))
        self.assertEqual((10, 10), (len(set(map_.component_indices_)), map_.transform(NEW).shape[1]))
        landmarks = POINTS[map_.component_indices_]  # K among them and with all points is exact
        numpy.testing.assert_allclose(map_.transform(landmarks) @ map_.transform(POINTS).T, rbf_kernel(landmarks, POINTS, gamma=0.3), atol=1e-6)
        numpy.testing.assert_array_equal(POINTS[map_.component_indices_], map_.components_)

    def test_takes_sparse_points_as_the_same_dense_ones(self):
        sparse = scipy.sparse.random(80, 6, 0.4, "csr", random_state=1)
        expected = Nystroem(gamma=0.3, n_components=10, random_state=0).fit_transform(sparse.toarray())
        for form in (sparse, sparse.tocsc(), sparse.tocoo()):
            numpy.testing.assert_array_equal(expected, Nystroem(gamma=0.3, n_components=10, random_state=0).fit_transform(form))

    def test_takes_many_sparse_columns_as_the_same_dense_ones(self):
        sparse = scipy.sparse.random(80, 300, 0.05, "csr", random_state=1)
        dense = Nystroem(gamma=0.3, n_components=10, random_state=0).fit(sparse.toarray())
        for form in (sparse, sparse.tocsc(), sparse.tocoo()):
            map_ = Nystroem(gamma=0.3, n_components=10, random_state=0).fit(form)
            numpy.testing.assert_allclose(map_.transform(form), dense.transform(sparse.toarray()), atol=1e-9)
            numpy.testing.assert_allclose(map_.transform(sparse.toarray()), dense.transform(form), atol=1e-9)
        nothing = scipy.sparse.csr_matrix((3, 300))
        numpy.testing.assert_allclose(dense.transform(nothing), dense.transform(nothing.toarray()), atol=1e-9)

    def test_leaves_no_sessions(self):
        before = len(cairn._sessions)
        for _ in range(20):
            Nystroem(n_components=5).fit(POINTS)
        gc.collect()
        self.assertLessEqual(len(cairn._sessions), before + 1)

    def test_takes_options_of_landmarks_by_any_name(self):
        for options in ({"landmarks": 7}, {"landmarks_count": 7}, {"landmarks.count": 7}):
            self.assertEqual(7, Nystroem(options=options).fit_transform(POINTS).shape[1])

    def test_says_that_there_are_fewer_points_than_components(self):
        with self.assertWarnsRegex(UserWarning, "n_components = 500 is more than the 120 points"):
            self.assertEqual((120, 120), Nystroem(gamma=0.3, n_components=500).fit_transform(POINTS).shape)


class Regression(unittest.TestCase):
    def test_with_all_landmarks_is_that_of_scikit_learn(self):
        targets = numpy.stack([numpy.sin(POINTS[:, 0]), POINTS[:, 1] ** 2], axis=1)
        weights = DRAWS.uniform(0.5, 2, size=120)
        for alpha in (0.1, [0.1, 2.0]):
            for weight in (None, weights):
                ours = KernelRidge(alpha, kernel="rbf", gamma=0.3, n_components=120).fit(POINTS, targets, sample_weight=weight)
                theirs = kernel_ridge.KernelRidge(alpha=alpha, kernel="rbf", gamma=0.3).fit(POINTS, targets, sample_weight=weight)
                numpy.testing.assert_allclose(ours.predict(NEW), theirs.predict(NEW), atol=1e-6)
        one = KernelRidge(0.1, kernel="rbf", gamma=0.3, n_components=120).fit(POINTS, targets[:, 0])
        numpy.testing.assert_allclose(one.predict(NEW), kernel_ridge.KernelRidge(alpha=0.1, kernel="rbf", gamma=0.3).fit(
            POINTS, targets[:, 0]).predict(NEW), atol=1e-6)

    def test_of_an_indefinite_kernel_is_that_of_its_approximation(self):
        scaled, target = POINTS * [0.3, 0.7, 1, 0.5, 1.2] / 3, POINTS[:, 0]
        ours = KernelRidge(0.5, kernel="sigmoid", coef0=-0.2, n_components=120).fit(scaled, target)
        features = ours.features_.transform(scaled)
        approximated = features * ours.features_.signs_ @ features.T
        numpy.testing.assert_allclose(ours.predict(scaled), approximated @ numpy.linalg.solve(approximated + 0.5 * numpy.eye(120), target),
                                      atol=1e-7)

    def test_by_a_gaussian_process_is_that_of_scikit_learn(self):
        targets = numpy.sin(POINTS[:, 0]) + 0.1 * DRAWS.normal(size=120)
        for normalize in (False, True):
            ours = GaussianProcessRegressor(gamma=0.1, alpha=0.01, n_components=120, normalize_y=normalize).fit(POINTS, targets)
            theirs = gaussian_process.GaussianProcessRegressor(kernels.RBF(5**0.5, "fixed"), alpha=0.01, normalize_y=normalize).fit(POINTS, targets)
            for one, other in zip(ours.predict(NEW, return_std=True), theirs.predict(NEW, return_std=True)):
                numpy.testing.assert_allclose(one, other, atol=1e-7)
            self.assertAlmostEqual(theirs.log_marginal_likelihood_value_, ours.log_marginal_likelihood_value_, 5)

    def test_by_a_gaussian_process_finds_noise_amplitude_and_gamma(self):
        targets = numpy.stack([3 * numpy.sin(POINTS[:, 0]) + 0.3 * DRAWS.normal(size=120)] * 2, axis=1)
        ours = GaussianProcessRegressor(optimizer="bounded", n_components=120).fit(POINTS, targets)
        theirs = gaussian_process.GaussianProcessRegressor(kernels.ConstantKernel(1) * kernels.RBF(1) + kernels.WhiteKernel(0.1),
                                                           n_restarts_optimizer=2, random_state=0).fit(POINTS, targets[:, 0])
        self.assertAlmostEqual(2 * theirs.log_marginal_likelihood_value_, ours.log_marginal_likelihood_value_, 1)
        self.assertAlmostEqual(1, ours.noise_[0] / theirs.kernel_.k2.noise_level, 1)
        self.assertEqual(((30, 2), (30, 2)), tuple(part.shape for part in ours.predict(NEW, return_std=True)))

    def test_by_a_gaussian_process_finds_the_best_of_several_optima(self):
        draws = numpy.random.default_rng(0)
        points = draws.uniform(size=(400, 1))
        targets = numpy.sin(100 * points[:, 0]) + 0.05 * draws.normal(size=400)
        found = [GaussianProcessRegressor(optimizer="bounded", n_components=150, random_state=numpy.random.RandomState(seed)).fit(points, targets)
                 for seed in (3, 3)]
        self.assertGreater(found[0].log_marginal_likelihood_value_, 400)  # all noise: -420
        self.assertEqual(found[0].gamma_, found[1].gamma_)

    def test_has_the_stated_part_of_targets_within_its_deviations(self):
        draws = numpy.random.default_rng(11)
        old, new = draws.uniform(-3, 3, size=(400, 2)), draws.uniform(-4, 4, size=(2000, 2))
        both = numpy.concatenate([old, new])
        values = numpy.linalg.cholesky(rbf_kernel(both, gamma=0.3) + 1e-8 * numpy.eye(len(both))) @ draws.normal(size=len(both))
        for landmarks in (40, 400):  # with few of them K~ is far from K, which the variance knows
            process = GaussianProcessRegressor(gamma=0.3, n_components=landmarks, random_state=2).fit(old, values[:400] + 0.1 * draws.normal(size=400))
            mean, deviation = process.predict(new, return_std=True)
            self.assertGreater((abs(values[400:] - mean) < 1.96 * deviation).mean(), 0.9)

    def test_of_covariances_that_are_none_is_refused(self):
        with self.assertRaisesRegex(ValueError, "not positive semidefinite"):
            GaussianProcessRegressor(kernel="sigmoid", coef0=-0.2, n_components=120).fit(POINTS * [0.3, 0.7, 1, 0.5, 1.2] / 3, POINTS[:, 0])
        for given in ({"alpha": 0}, {"alpha": -1}, {"optimizer": "fmin"}, {"gamma": 1.0, "optimizer": "bounded"},
                      {"gamma": None, "kernel": "linear", "optimizer": "bounded"}):
            with self.assertRaisesRegex(ValueError, next(iter(given))):
                GaussianProcessRegressor(**given).fit(POINTS, POINTS[:, 0])
        with self.assertRaisesRegex(ValueError, "not known to a precomputed kernel"):
            GaussianProcessRegressor(kernel="precomputed").fit(rbf_kernel(POINTS), POINTS[:, 0]).predict(rbf_kernel(NEW, POINTS), return_std=True)

    def test_refuses_a_ridge_that_is_none(self):
        for alpha in (0, -1, [1, 2]):
            with self.assertRaisesRegex(ValueError, "above 0"):
                KernelRidge(alpha, kernel="rbf").fit(POINTS, POINTS[:, 0])


class Learners(unittest.TestCase):
    """With all points as landmarks they are those of scikit-learn."""

    CLASSES = numpy.digitize(POINTS[:, 0] + POINTS[:, 1] ** 2, [0, 1.5])

    def test_of_classes_decide_as_those_of_the_kernel(self):
        for classes in (self.CLASSES, self.CLASSES > 0):
            ours = SVC(gamma=0.3, C=2, n_components=120, intercept_scaling=10).fit(POINTS, classes)
            theirs = svm.SVC(gamma=0.3, C=2).fit(POINTS, classes)
            numpy.testing.assert_array_equal(ours.predict(NEW), theirs.predict(NEW))
            numpy.testing.assert_allclose(ours.decision_function(NEW), theirs.decision_function(NEW), atol=0.02)
        names = numpy.array(["low", "middle", "high"])[self.CLASSES]
        linear = LinearSVC(gamma=0.3, n_components=120).fit(POINTS, names, sample_weight=DRAWS.uniform(1, 2, 120))
        self.assertGreater(linear.score(POINTS, names), 0.98)
        search = GridSearchCV(SVC(kernel="precomputed", random_state=0), {"C": [0.1, 10]}, cv=3, n_jobs=2).fit(rbf_kernel(POINTS, gamma=0.3), names)
        self.assertGreater(search.best_score_, 0.7)

    def test_of_components_find_those_of_the_kernel(self):
        ours, theirs = KernelPCA(4, kernel="rbf", gamma=0.1, n_landmarks=120), decomposition.KernelPCA(4, kernel="rbf", gamma=0.1)
        numpy.testing.assert_allclose(abs(ours.fit_transform(POINTS)), abs(theirs.fit_transform(POINTS)), atol=1e-8)
        numpy.testing.assert_allclose(abs(ours.transform(NEW)), abs(theirs.transform(NEW)), atol=1e-8)
        numpy.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
        numpy.testing.assert_allclose(abs(ours.eigenvectors_), abs(theirs.eigenvectors_), atol=1e-8)

    def test_of_coordinates_keep_distances(self):
        exact = euclidean_distances(POINTS)
        for scaling, given in ((MDS(5, n_landmarks=12), POINTS), (MDS(5, dissimilarity="precomputed", n_landmarks=12), exact)):
            numpy.testing.assert_allclose(euclidean_distances(scaling.fit_transform(given)), exact, atol=1e-7)
            self.assertLess(scaling.relative_error_, 1e-8)  # squares of distances in 5 dimensions have rank 7

    def test_of_clusters_find_those_of_average_linkage(self):
        for metric in ("euclidean", "cosine", "manhattan"):
            for stop in ({"n_clusters": 6}, {"n_clusters": None, "distance_threshold": numpy.quantile(pairwise_distances(POINTS, metric=metric), 0.3)}):
                ours = AgglomerativeClustering(metric=metric, n_landmarks=120, **stop).fit(POINTS)
                theirs = cluster.AgglomerativeClustering(metric=metric, linkage="average", **stop).fit(POINTS)
                self.assertEqual(1, adjusted_rand_score(theirs.labels_, ours.labels_))
                self.assertEqual(theirs.n_clusters_, ours.n_clusters_)
        numpy.testing.assert_array_equal(AgglomerativeClustering(3, n_landmarks=120).fit_predict(POINTS), AgglomerativeClustering(
            3, metric="precomputed", n_landmarks=120).fit_predict(euclidean_distances(POINTS)))
        for given in ({"n_clusters": None}, {"distance_threshold": 1.0}):
            with self.assertRaisesRegex(ValueError, "exactly one of n_clusters and distance_threshold"):
                AgglomerativeClustering(**given).fit(POINTS)

    def test_of_sketches_have_the_inner_products_of_the_polynomial(self):
        exact = pairwise_kernels(POINTS, metric="polynomial", gamma=0.2, degree=3, coef0=1)
        sketch = PolynomialCountSketch(gamma=0.2, degree=3, coef0=1, n_components=300, random_state=0)
        features = sketch.fit_transform(POINTS)  # 56 monomials
        numpy.testing.assert_allclose(features @ features.T, exact, atol=1e-8)
        numpy.testing.assert_allclose(sketch.transform(NEW) @ features.T,
                                      pairwise_kernels(NEW, POINTS, metric="polynomial", gamma=0.2, degree=3, coef0=1), atol=1e-8)
        few = PolynomialCountSketch(gamma=0.2, degree=3, coef0=1, n_components=30, random_state=0)
        approximated = few.fit_transform(POINTS)
        self.assertLess(numpy.linalg.norm(approximated @ approximated.T - exact), 0.3 * numpy.linalg.norm(exact))

    def test_of_a_transport_move_points_by_the_plan(self):
        targets, weights = NEW * 0.5 + 1, DRAWS.uniform(0.5, 1, 120)
        weights[3] = 0
        for metric, cost in (("sqeuclidean", euclidean_distances(POINTS, targets, squared=True)), ("cityblock", pairwise_distances(POINTS, targets, "l1"))):
            ours = OTTransport(reg_e=2.0, metric=metric, tol=1e-10, kernel="exact")
            moved = ours.fit_transform(POINTS, targets, weights)
            matrix, scaling = numpy.exp(-cost / 2), numpy.ones(120)
            for _ in range(2000):
                other = 1 / len(targets) / (matrix.T @ scaling)
                scaling = weights / weights.sum() / (matrix @ other)
            plan = scaling[:, None] * matrix * other
            self.assertAlmostEqual((plan * cost).sum(), ours.cost_, 6)
            expected = (matrix * other) @ targets / (matrix @ other)[:, None]
            numpy.testing.assert_allclose(ours.transform(POINTS), expected, atol=1e-6)
            self.assertTrue(numpy.isnan(moved[3]).all())
            numpy.testing.assert_allclose(numpy.delete(moved, 3, 0), numpy.delete(expected, 3, 0), atol=1e-6)
            numpy.testing.assert_array_equal(ours.transform(NEW), pickle.loads(pickle.dumps(ours)).transform(NEW))


class Borders(unittest.TestCase):
    def test_of_data_without_differences_are_taken(self):
        ones = numpy.ones((20, 3))
        self.assertTrue(numpy.isnan(MDS().fit(ones).relative_error_))
        self.assertEqual((20,), AgglomerativeClustering(3).fit(ones).labels_.shape)
        numpy.testing.assert_allclose(KernelRidge().fit(numpy.zeros((20, 3)), ones[:, 0]).predict(ones), 0, atol=1e-12)

    def test_of_sparse_points_and_functions_give_the_function_dense_ones(self):
        sparse = scipy.sparse.random(40, 5, 0.5, "csr", random_state=1)
        function = Nystroem(lambda a, b: float(a @ b), n_components=40).fit_transform(sparse)
        numpy.testing.assert_allclose(function @ function.T, (sparse @ sparse.T).toarray(), atol=1e-6)

    def test_of_parameters_are_those_of_the_kernel(self):
        self.assertGreater(SVC(kernel="matern").fit(POINTS, POINTS[:, 0] > 0).score(POINTS, POINTS[:, 0] > 0), 0.9)
        for scaled in ({"landmarks": 7}, {"landmarks.fraction": 0.1}):
            self.assertEqual(120, len(MDS(options=scaled).fit_transform(POINTS)))
        with self.assertRaisesRegex(ValueError, "n_components = -1"):
            KernelPCA(-1).fit(POINTS)
        with self.assertRaisesRegex(ValueError, "negative"):
            KernelRidge().fit(POINTS, POINTS[:, 0], sample_weight=-numpy.ones(120))

    def test_of_rounding_are_those_of_differences(self):
        numpy.testing.assert_allclose(euclidean_distances(MDS(5).fit_transform(POINTS + 1e6)), euclidean_distances(POINTS), atol=1e-6)

    def test_of_iterations_are_said(self):
        with self.assertWarnsRegex(ConvergenceWarning, "after max_iter = 12"):
            OTTransport(reg_e=0.05, kernel="exact", max_iter=12, tol=1e-9).fit(POINTS, POINTS[:50] + 1)


class Copies(unittest.TestCase):
    def setUp(self):
        self.map = Nystroem(gamma=0.3, n_components=20, random_state=0).fit(POINTS)
        self.expected = self.map.transform(NEW)

    def let_go(self):
        self.map = None
        gc.collect()

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
            subprocess.run([sys.executable, "-c", script, PACKAGE], cwd=folder, check=True)
            numpy.testing.assert_array_equal(self.expected, numpy.load(folder + "/Z.npy"))

    def test_of_one_that_was_not_fitted_are_not_fitted(self):
        self.assertEqual(5, copy.deepcopy(Nystroem(n_components=5)).n_components)


class TasksOfALauncher(unittest.TestCase):
    """Two tasks of mpirun that use it: each gets the features of its own points."""

    SCRIPT = """
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import numpy
from cairn.sklearn import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
points = numpy.random.default_rng(rank).normal(size=(200 + rank, 4)) * (1 + rank)
features = Nystroem(gamma=0.2, n_components=200 + rank).fit_transform(points)
exact = rbf_kernel(points, gamma=0.2)
print("exact" if numpy.linalg.norm(features @ features.T - exact) < 1e-6 * numpy.linalg.norm(exact) else "wrong", flush=True)
"""

    def test_have_features_of_their_own(self):
        launcher = shlex.split(os.environ.get("CAIRN_MPIEXEC", "mpirun --oversubscribe --bind-to none"))
        done = subprocess.run([*launcher, "-n", "2", sys.executable, "-c", self.SCRIPT, PACKAGE], capture_output=True, text=True, timeout=100,
                              check=False, env=ENVIRONMENT)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual((2, 0), (done.stdout.count("exact"), done.stdout.count("wrong")), done.stdout)  # lines of two tasks may mix


class Tags(unittest.TestCase):
    """What estimators say of themselves: _more_tags up to scikit-learn 1.5, __sklearn_tags__ from 1.6 on."""

    @staticmethod
    def of_newer_versions(estimator):
        """The tags with a base class that has those of 1.6."""
        from types import SimpleNamespace

        def base(self):
            return SimpleNamespace(input_tags=SimpleNamespace(sparse=False, pairwise=False), target_tags=SimpleNamespace(multi_output=False),
                                   transformer_tags=SimpleNamespace(preserves_dtype=["float64"]))
        if hasattr(BaseEstimator, "__sklearn_tags__"):
            return estimator.__sklearn_tags__()
        BaseEstimator.__sklearn_tags__ = base
        try:
            return estimator.__sklearn_tags__()
        finally:
            del BaseEstimator.__sklearn_tags__

    def test_are_the_same_for_all_versions(self):
        for name in cairn.sklearn.__all__:
            for given in ({}, {"kernel": "precomputed"}, {"metric": "precomputed"}, {"dissimilarity": "precomputed"}):
                estimator = getattr(cairn.sklearn, name)()
                if name == "OTTransport" or not set(given) <= set(estimator.get_params()):
                    continue
                with self.subTest(name, **given):
                    tags = self.of_newer_versions(estimator.set_params(**given))
                    self.assertEqual(bool(given), tags.input_tags.pairwise)
                    self.assertEqual(name != "MDS", tags.input_tags.sparse)
                    self.assertEqual(name in ("KernelRidge", "GaussianProcessRegressor"), tags.target_tags.multi_output)
                    maps = name in ("Nystroem", "RBFSampler", "PolynomialCountSketch")
                    self.assertEqual(["float64", "float32"] if maps else ["float64"], tags.transformer_tags.preserves_dtype)


class Warnings(unittest.TestCase):
    def test_of_results_are_those_of_python_at_the_line_of_the_user(self):
        signs = numpy.where(numpy.arange(120) % 2 == 0, 1.0, -1.0)
        indefinite = rbf_kernel(POINTS) * numpy.outer(signs, signs) - 5 * numpy.eye(120)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Nystroem("precomputed", method="sms-nystrom", n_components=20, random_state=0).fit(indefinite)
        told = cairn.Session(MPI.COMM_SELF, seed=0).matrix(indefinite).approximate("sms-nystrom", landmarks=20, measure=False, embedding=True)
        self.assertEqual(told.facts["warnings"], [str(one.message) for one in caught])
        self.assertTrue(told.facts["warnings"])
        self.assertEqual({__file__}, {one.filename for one in caught})
        sketch = PolynomialCountSketch(degree=7, coef0=1, n_components=30, random_state=0).fit(POINTS)
        with self.assertWarnsRegex(UserWarning, "longer than all of those"):
            sketch.transform(100 * NEW)
        with self.assertWarnsRegex(UserWarning, "n_components = 200") as caught:
            make_pipeline(Nystroem(n_components=200)).fit_transform(POINTS)
        self.assertEqual(__file__, caught.filename)

    def test_of_weights_that_are_none_are_errors(self):
        for weights in ([], [1.0, 2.0]):
            with self.assertRaisesRegex(cairn.UsageError, f"there are {len(weights)} weights for 120 sources"):
                OTTransport(kernel="exact").fit(POINTS, NEW, source_weights=weights)
            with self.assertRaisesRegex(cairn.UsageError, f"there are {len(weights)} weights for 30 targets"):
                OTTransport(kernel="exact").fit(POINTS, NEW, target_weights=weights)


class Mistakes(unittest.TestCase):
    def test_are_the_messages_of_cairn(self):
        with self.assertRaisesRegex(cairn.UsageError, "gaussian.*(is not known|rbf|no similarity)|no similarity.*gaussian"):
            Nystroem("gaussian").fit(POINTS)
        with self.assertRaisesRegex(cairn.UsageError, "gamma"):
            Nystroem(gamma=-1).fit(POINTS)

    def test_of_parameters_that_cannot_be_honoured_are_named(self):
        for pattern, given in [("as many columns as rows, not 120 x 5", {"kernel": "precomputed"}),
                               ("gamma has no effect", {"kernel": rbf_kernel, "gamma": 1}), ("Seed must be", {"random_state": -1}),
                               ("kernel_params names width", {"kernel_params": {"width": 2}}), ("n_jobs = 0", {"n_jobs": 0}),
                               ("n_jobs = -999", {"n_jobs": -999})]:
            with self.assertRaisesRegex(ValueError, pattern):
                Nystroem(**given).fit(POINTS)

    def test_of_shapes_are_found_before_it_runs(self):
        map_ = Nystroem(gamma=0.3, n_components=10, random_state=0).fit(POINTS)
        for pattern, wrong in [("X has 4 features.*expecting 5", NEW[:, :4]), ("Expected 2D array", NEW[0]), ("contains NaN", NEW * numpy.nan),
                               ("contains infinity", NEW * numpy.inf), ("0 sample", NEW[:0]), ("Complex data", NEW + 1j)]:
            with self.assertRaisesRegex(ValueError, pattern):
                map_.transform(wrong)
        for pattern, wrong in [("Expected 2D array", POINTS[0]), ("contains NaN", POINTS * numpy.nan), ("0 feature", POINTS[:, :0])]:
            with self.assertRaisesRegex(ValueError, pattern):
                map_.fit(wrong)


if __name__ == "__main__":
    unittest.main()
