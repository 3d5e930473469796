"""Learners as estimators of scikit-learn, on the features of Nystroem or on factors: cairn.sklearn has the public ones."""
import warnings

import numpy
import scipy.optimize
import scipy.sparse
import sklearn.svm
from mpi4py import MPI
from sklearn.base import (BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, ClusterMixin, RegressorMixin,
                          TransformerMixin)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import PAIRED_DISTANCES, euclidean_distances, paired_distances, pairwise_distances
from sklearn.multiclass import OneVsOneClassifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

import cairn
from cairn._maps import ALIASES, MAP, SHARED_KERNELS, Nystroem, landmarks_of, parameters, relative_error, seed_of, tell_warnings, threads, validate_data, warn

TYPES = [numpy.float64, numpy.float32]


def session_of(estimator):
    """A session of this process alone, with the seed and the threads of the estimator."""
    return cairn.Session(MPI.COMM_SELF, threads=threads(estimator.n_jobs), seed=seed_of(estimator.random_state))


class OnFeatures(BaseEstimator):
    """What learners on the features Z of Nystroem share: features_ is the fitted one, with the parameters of the learner."""

    _types = TYPES

    def _more_tags(self):
        return {"pairwise": self.kernel == "precomputed"}

    def __sklearn_tags__(self):  # from scikit-learn 1.6 on
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.pairwise = True, self.kernel == "precomputed"
        return tags

    def _features(self, X, landmarks="n_components"):
        given = {name: getattr(self, name) for name in MAP if name != "n_components"}
        if given["gamma"] == "scale" and (callable(self.kernel) or ALIASES.get(self.kernel, self.kernel) not in SHARED_KERNELS):
            given["gamma"] = None  # the default of SVC, for the kernels of scikit-learn
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="n_components = ")  # of few points all are landmarks
            self.features_ = Nystroem(**given, n_components=getattr(self, landmarks))
            return self.features_.fit_transform(X).astype(float, copy=False)

    def _features_of_new(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=self._types, reset=False)
        return self.features_.transform(X).astype(float, copy=False)


@parameters(1, alpha=1.0, **{**MAP, "kernel": "linear"})
class KernelRidge(RegressorMixin, OnFeatures):
    """Kernel ridge regression on K ~= Z diag(signs_) Z', in place of K: (K~ + alpha I)^-1 y, through the features Z alone.

    alpha         the ridge, above 0: a number, or one for each target
    kernel, gamma, degree, coef0, kernel_params, n_components, random_state, n_jobs, method, options: as of Nystroem

    There is no intercept, as in sklearn.kernel_ridge. sample_weight weights the squared residuals. After fit: coef_ (of the features; n_features
    or n_features x n_targets), features_ (the fitted Nystroem) and n_features_in_.
    """

    def fit(self, X, y, sample_weight=None):
        """Learns the targets y, n or n x targets."""
        X, y = validate_data(self, X, y=y, accept_sparse="csr", multi_output=True, y_numeric=True, dtype=TYPES)
        alpha = numpy.atleast_1d(numpy.asarray(self.alpha, dtype=float))
        if not (alpha > 0).all() or alpha.ndim != 1 or len(alpha) not in (1, 1 if y.ndim == 1 else y.shape[1]):
            raise ValueError(f"alpha = {self.alpha}: it must be a number above 0, or one for each target")
        features = self._features(X)
        targets = y.reshape(len(y), -1).astype(float)
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=float)
            if (weights < 0).any():
                raise ValueError("sample_weight has negative weights")
            root = numpy.sqrt(weights)[:, None]
            features, targets = features * root, targets * root
        signs = self.features_.signs_
        products, right = (features.T @ features) * signs, features.T @ targets
        ridges = numpy.broadcast_to(alpha, targets.shape[1])
        solved = {ridge: numpy.linalg.solve(products + ridge * numpy.eye(len(signs)), right[:, ridges == ridge]) for ridge in set(ridges)}
        self.coef_ = numpy.empty(right.shape)
        for ridge, columns in solved.items():
            self.coef_[:, ridges == ridge] = signs[:, None] * columns
        if y.ndim == 1:
            self.coef_ = self.coef_[:, 0]
        return self

    def _more_tags(self):
        return {**super()._more_tags(), "multioutput": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(self, X):
        """The targets of other points."""
        return self._features_of_new(X) @ self.coef_


def best_on_grid(function, grid, tolerance):
    """Where a function is largest: at the best number of the grid, and then between its neighbors."""
    values = [function(x) for x in grid]
    best = int(numpy.argmax(values))
    found = scipy.optimize.minimize_scalar(lambda x: -function(x), method="bounded", options={"xatol": tolerance},
                                           bounds=(grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]))
    return found.x if -found.fun > values[best] else grid[best]


@parameters(1, **{**MAP, "alpha": None, "normalize_y": False, "optimizer": None})
class GaussianProcessRegressor(RegressorMixin, OnFeatures):
    """Gaussian process regression with the covariance amplitude_ (K~ + noise I), K~ = Z Z', and variances of K itself where K~ has none.
    [Rasmussen and Williams 2006, section 8.3: deterministic training conditional]

    kernel, gamma, degree, coef0, kernel_params, n_components, random_state, n_jobs, method, options: as of Nystroem; K is positive semidefinite
    alpha         the variance of the noise, as in scikit-learn; None: noise and amplitude are those of the largest marginal likelihood
    normalize_y   shift and scale the targets to mean 0 and variance 1 before
    optimizer     None, or "bounded": gamma is that of the largest marginal likelihood, too, of 13 within a factor of 1,000 of 1 / n_features
                  and then around the best one; each step approximates K anew, with the same seed

    Everything is computed in double precision. With a precomputed kernel there are no deviations.

    After fit: gamma_ (with optimizer), amplitude_ (for each target), noise_ (its variance, for each target),
    log_marginal_likelihood_value_, features_ (the fitted Nystroem) and n_features_in_.
    """

    _types = [numpy.float64]

    def fit(self, X, y):
        """Learns the targets y, n or n x targets."""
        X, y = validate_data(self, X, y=y, accept_sparse="csr", multi_output=True, y_numeric=True, dtype=self._types)
        if self.alpha is not None and not (numpy.ndim(self.alpha) == 0 and self.alpha > 0):
            raise ValueError(f"alpha = {self.alpha}: it must be a variance above 0, or None")
        if self.optimizer not in (None, "bounded"):
            raise ValueError(f"optimizer = {self.optimizer}: it must be None or bounded")
        if self.optimizer == "bounded":
            named = "" if callable(self.kernel) else ALIASES.get(self.kernel, self.kernel)
            if named in ("", "precomputed") or "gamma" not in SHARED_KERNELS.get(named, ("gamma",)):
                raise ValueError("optimizer = bounded searches for gamma, which this kernel has not")
            if self.gamma is not None:
                raise ValueError("gamma has no effect with optimizer = bounded, which searches for it")
        self._one = y.ndim == 1
        targets = y.reshape(len(y), -1).astype(float)
        self._shift, self._scale = numpy.zeros(targets.shape[1]), numpy.ones(targets.shape[1])
        if self.normalize_y:
            self._shift, self._scale = targets.mean(axis=0), targets.std(axis=0)
            self._scale[self._scale == 0] = 1
        targets = (targets - self._shift) / self._scale
        if self.optimizer == "bounded":
            seed, middle = seed_of(self.random_state), -numpy.log(X.shape[1])
            self.gamma_ = numpy.exp(best_on_grid(lambda log_gamma: self._learn(X, targets, numpy.exp(log_gamma), seed),
                                                 numpy.linspace(middle - numpy.log(1000), middle + numpy.log(1000), 13), 0.01))
            self._learn(X, targets, self.gamma_, seed)
        else:
            self._learn(X, targets, self.gamma, self.random_state)
        return self

    def _learn(self, X, targets, gamma, seed):
        """Learns with one gamma. Returns the log marginal likelihood."""
        kept = self.gamma, self.random_state
        self.gamma, self.random_state = gamma, seed
        try:
            features = self._features(X)
        finally:
            self.gamma, self.random_state = kept
        if (self.features_.signs_ < 0).any():
            raise ValueError(f"kernel = {self.kernel}: it is not positive semidefinite, which a covariance is")
        n = len(targets)
        values, vectors = numpy.linalg.eigh(features.T @ features)
        kept = values > 1e-13 * values[-1]
        values, vectors = values[kept], vectors[:, kept]
        products = vectors.T @ (features.T @ targets)
        squares = products**2 / values[:, None]                   # of the targets in the space of the features, by direction
        beside = numpy.maximum((targets**2).sum(axis=0) - squares.sum(axis=0), 0)

        def quadratic(ridge):                                     # y' (Z Z' + ridge I)^-1 y
            return beside / ridge + (squares / (values + ridge)[:, None]).sum(axis=0)

        def logarithm(ridge):                                     # log det (Z Z' + ridge I)
            return numpy.log(values + ridge).sum() + (n - len(values)) * numpy.log(ridge)

        def likelihood(ridge, amplitude):
            return -0.5 * (quadratic(ridge) / amplitude + n * numpy.log(amplitude) + logarithm(ridge) + n * numpy.log(2 * numpy.pi)).sum()

        def best_amplitude(ridge):
            return numpy.maximum(quadratic(ridge) / n, numpy.finfo(float).tiny)

        if self.alpha is not None:
            ridge, amplitude = float(self.alpha), numpy.ones(targets.shape[1])
        else:
            largest = values[-1]
            ridge = numpy.exp(best_on_grid(lambda log: likelihood(numpy.exp(log), best_amplitude(numpy.exp(log))),
                                           numpy.linspace(numpy.log(1e-12 * largest), numpy.log(largest), 25), 1e-3))
            amplitude = best_amplitude(ridge)
        self._ridge, self.amplitude_ = ridge, amplitude
        self._roots = vectors / numpy.sqrt(values + ridge)        # (Z'Z + ridge I)^-1 = roots roots'
        self._weights = self._roots @ (products / numpy.sqrt(values + ridge)[:, None])
        noise = ridge * amplitude * self._scale**2
        self.noise_ = noise[0] if self._one else noise
        self.log_marginal_likelihood_value_ = float(likelihood(ridge, amplitude))
        return self.log_marginal_likelihood_value_

    def predict(self, X, return_std=False):
        """The means of the targets of other points, and with return_std their standard deviations, without the noise."""
        features = self._features_of_new(X)
        mean = self._shift + self._scale * (features @ self._weights)
        if not return_std:
            return mean[:, 0] if self._one else mean
        beyond = numpy.maximum(self.features_.diagonal(X) - (features**2).sum(axis=1), 0)  # what K has and K~ has not
        variance = beyond + self._ridge * ((features @ self._roots)**2).sum(axis=1)
        deviation = numpy.sqrt(variance)[:, None] * numpy.sqrt(self.amplitude_) * self._scale
        return (mean[:, 0], deviation[:, 0]) if self._one else (mean, deviation)

    def _more_tags(self):
        return {**super()._more_tags(), "multioutput": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class Classifier(ClassifierMixin, OnFeatures):
    """What the classifiers share. classifier_: scikit-learn's, on the features."""

    def _fit(self, X, y, classifier_of, **weights):
        X, y = validate_data(self, X, y=y, accept_sparse="csr", dtype=TYPES)
        check_classification_targets(y)
        classes = len(numpy.unique(y))
        if classes < 2:
            raise ValueError("there is one class only; a classifier needs 2 classes or more")
        self.classifier_ = classifier_of(classes).fit(self._features(X), y, **weights)
        self.classes_ = self.classifier_.classes_
        return self

    def decision_function(self, X):
        """Scores: n of two classes (above 0: the second), n x classes of more."""
        features = self._features_of_new(X)
        return self.classifier_.decision_function(features)

    def predict(self, X):
        """The classes of other points."""
        features = self._features_of_new(X)
        return self.classifier_.predict(features)


@parameters(0, C=1.0, loss="squared_hinge", dual=False, tol=1e-4, class_weight=None, max_iter=1000, fit_intercept=True,
            intercept_scaling=1, **MAP)
class LinearSVC(Classifier):
    """A linear support vector machine on the features of Nystroem, one class against the rest, by LIBLINEAR.

    C, loss, dual, tol, class_weight, max_iter, fit_intercept, intercept_scaling: as of sklearn.svm.LinearSVC; loss = hinge needs dual = True
    kernel, gamma, degree, coef0, kernel_params, n_components, random_state, n_jobs, method, options: as of Nystroem

    An indefinite K counts with the magnitudes of its eigenvalues. After fit: classes_, coef_, intercept_, n_iter_, features_ (the fitted Nystroem),
    classifier_ (scikit-learn's) and n_features_in_.
    """

    coef_ = property(lambda self: self.classifier_.coef_, doc="Weights of the features.")
    intercept_ = property(lambda self: self.classifier_.intercept_, doc="Intercept of each plane.")
    n_iter_ = property(lambda self: self.classifier_.n_iter_, doc="Iterations of LIBLINEAR.")

    def fit(self, X, y, sample_weight=None):
        """Learns the classes y."""
        own = ("C", "loss", "dual", "tol", "class_weight", "max_iter", "fit_intercept", "intercept_scaling", "random_state")
        machine = sklearn.svm.LinearSVC(**{name: getattr(self, name) for name in own})
        return self._fit(X, y, lambda classes: machine, sample_weight=sample_weight)


@parameters(0, C=1.0, tol=1e-3, max_iter=10000, intercept_scaling=1.0, **{**MAP, "gamma": "scale"})
class SVC(Classifier):
    """The support vector machine of sklearn.svm.SVC with K~ in place of K: hinge loss, each two classes against each other, by LIBLINEAR on the
    features of Nystroem.

    C, tol, max_iter: as there (max_iter of LIBLINEAR)
    intercept_scaling  the intercept is penalized as the weight of a feature with this value; a larger one is nearer to SVC, and slower
    kernel, gamma, degree, coef0, kernel_params, n_components, random_state, n_jobs, method, options: as of Nystroem

    An indefinite K counts with the magnitudes of its eigenvalues. After fit: classes_, n_iter_ (the most of a pair), features_ (the fitted
    Nystroem), classifier_ (scikit-learn's OneVsOneClassifier, or LinearSVC of two classes) and n_features_in_.
    """

    n_iter_ = property(lambda self: max(machine.n_iter_ for machine in getattr(self.classifier_, "estimators_", [self.classifier_])))

    def fit(self, X, y):
        """Learns the classes y."""
        machine = sklearn.svm.LinearSVC(C=self.C, loss="hinge", dual=True, tol=self.tol, max_iter=self.max_iter, intercept_scaling=self.intercept_scaling,
                                        random_state=check_random_state(self.random_state).randint(2**31 - 1))
        return self._fit(X, y, lambda classes: machine if classes == 2 else OneVsOneClassifier(machine))


def eigenpairs_of_centered(features, signs, count):
    """The largest positive eigenvalues m of H Z diag(signs) Z' H, H = I - 11'/n, and A with Y = H Z A = V m^(1/2)."""
    centered = features - features.mean(axis=0)
    values, vectors = numpy.linalg.eigh(centered.T @ centered)
    kept = values > 1e-13 * max(values[-1], numpy.finfo(float).tiny)
    root = vectors[:, kept] * numpy.sqrt(values[kept])            # H Z = V root'
    eigenvalues, turned = numpy.linalg.eigh((root.T * signs) @ root)
    largest = max(eigenvalues.max(initial=0.0), 0.0)
    order = numpy.argsort(-eigenvalues)
    order = order[eigenvalues[order] > 1e-12 * largest][:count]
    eigenvalues = eigenvalues[order]
    projection = (signs[:, None] * root) @ turned[:, order] / numpy.sqrt(eigenvalues)
    coordinates = centered @ projection
    largest_of = numpy.abs(coordinates).argmax(axis=0)
    flips = numpy.sign(coordinates[largest_of, numpy.arange(len(order))])
    return eigenvalues, projection * flips, coordinates * flips


@parameters(1, n_components=None, n_landmarks=100, **{name: default for name, default in {**MAP, "kernel": "linear"}.items() if name != "n_components"})
class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OnFeatures):
    """Kernel principal components of K ~= Z diag(signs_) Z', in place of K.      [Schoelkopf, Smola and Mueller 1998]

    n_components  components; None: all with an eigenvalue above 0
    n_landmarks   landmarks of Nystroem
    kernel, gamma, degree, coef0, kernel_params, random_state, n_jobs, method, options: as of Nystroem

    After fit: eigenvalues_, eigenvectors_, features_ (the fitted Nystroem) and n_features_in_.
    """

    def fit(self, X, y=None):
        """Finds the components. y has no effect."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Finds the components, and gives those of X."""
        X = validate_data(self, X, accept_sparse="csr", dtype=self._types)
        if self.n_components is not None and not self.n_components >= 1:
            raise ValueError(f"n_components = {self.n_components}: it must be a number above 0, or None")
        features = self._features(X, "n_landmarks")
        self._mean = features.mean(axis=0)
        self.eigenvalues_, self._projection, found = eigenpairs_of_centered(features, self.features_.signs_, self.n_components)
        self.eigenvectors_ = found / numpy.sqrt(self.eigenvalues_)
        self._n_features_out = found.shape[1]
        return found

    def transform(self, X):
        """The components of other points."""
        return (self._features_of_new(X) - self._mean) @ self._projection


@parameters(1, n_components=2, dissimilarity="euclidean", n_landmarks=100, random_state=None, n_jobs=None, method="nystrom", options=None)
class MDS(BaseEstimator):
    """Classical multidimensional scaling of approximated squared dissimilarities.      [Torgerson 1952; Gower 1966]

    n_components   coordinates
    dissimilarity  euclidean, or precomputed: X are the dissimilarities themselves, n x n, of which landmarks' columns are read
    n_landmarks    columns that are read
    random_state, n_jobs, method, options: as of Nystroem

    (scikit-learn's MDS minimizes the stress, by SMACOF.) After fit: embedding_, eigenvalues_, relative_error_ (of the squares) and
    n_features_in_. There is no transform, as there.
    """

    def fit(self, X, y=None):
        """Finds coordinates. y has no effect."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Finds coordinates, n x n_components or fewer."""
        if self.dissimilarity not in ("euclidean", "precomputed"):
            raise ValueError(f"dissimilarity = {self.dissimilarity}: it must be euclidean or precomputed")
        X = validate_data(self, X, dtype=TYPES, ensure_min_samples=2)
        if self.dissimilarity == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"precomputed dissimilarities have as many columns as rows, not {X.shape[0]} x {X.shape[1]}")
        session = session_of(self)
        if self.dissimilarity == "precomputed":
            squares = session.similarity(lambda a, b: X[numpy.ix_(a, b)]**2, range(len(X)), pairs=lambda a, b: X[a, b]**2, distance=True)
        else:
            squares = session.points(X - X.mean(axis=0)).similarity(lambda a, b: euclidean_distances(a, b, squared=True),
                                                   pairs=lambda a, b: ((a - b)**2).sum(axis=1), distance=True)
        result = squares.approximate(self.method, measure=False, embedding=True,
                                     **landmarks_of(self.options, lambda: min(self.n_landmarks, len(X))))
        tell_warnings(result)
        self.relative_error_ = relative_error(result)
        signs = numpy.diag(result.core())
        self.eigenvalues_, _, self.embedding_ = eigenpairs_of_centered(result.left.astype(float), -0.5 * signs, self.n_components)
        return self.embedding_

    def _more_tags(self):
        return {"pairwise": self.dissimilarity == "precomputed"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.dissimilarity == "precomputed"
        return tags


@parameters(1, n_clusters=2, metric="euclidean", distance_threshold=None, n_landmarks=100, random_state=None, n_jobs=None, method="nystrom",
            options=None)
class AgglomerativeClustering(ClusterMixin, BaseEstimator):
    """Clusters by average linkage of an approximated distance.      [Sokal and Michener 1958]

    n_clusters    clusters; None with distance_threshold
    metric        euclidean (l2), cosine, any other of sklearn.metrics.pairwise_distances (also a function of two points), or precomputed: X are
                  the distances themselves, n x n
    distance_threshold  join clusters while their mean distance is at most this
    n_landmarks   landmarks of the approximation
    random_state, n_jobs, method, options: as of Nystroem

    After fit: labels_ (numbered in the order of their first rows), n_clusters_, n_leaves_, relative_error_ and n_features_in_.
    """

    def fit(self, X, y=None):
        """Finds the clusters. y has no effect."""
        X = validate_data(self, X, accept_sparse="csr", dtype=TYPES, ensure_min_samples=2)
        if (self.n_clusters is None) == (self.distance_threshold is None):
            raise ValueError("exactly one of n_clusters and distance_threshold is given, the other one is None")
        session = session_of(self)
        if self.metric == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise ValueError(f"precomputed distances have as many columns as rows, not {X.shape[0]} x {X.shape[1]}")
            distances = session.matrix(X.toarray() if scipy.sparse.issparse(X) else X, distance=True)
        elif self.metric in ("euclidean", "l2", "cosine"):
            distances = session.points(X).similarity("cosine" if self.metric == "cosine" else "euclidean")
        else:
            distances = session.points(X).similarity(lambda a, b: pairwise_distances(a, b, metric=self.metric), distance=True, pairs=(
                lambda a, b: paired_distances(a, b, metric=self.metric)) if self.metric in PAIRED_DISTANCES else None)
        given = landmarks_of(self.options, lambda: min(self.n_landmarks, X.shape[0]))
        result = distances.approximate(self.method, measure=False, **given)
        tell_warnings(result)
        self.relative_error_ = relative_error(result)
        if self.distance_threshold is None:
            stop = {"clusters": int(self.n_clusters)}
        else:
            stop = {"threshold": 1.0 - self.distance_threshold if self.metric == "cosine" else self.distance_threshold}
        self.labels_ = result.task("average-linkage", **stop).arrays["clusters"]
        self.n_clusters_, self.n_leaves_ = int(self.labels_.max()) + 1, X.shape[0]
        return self

    def _more_tags(self):
        return {"pairwise": self.metric == "precomputed"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.pairwise = True, self.metric == "precomputed"
        return tags


@parameters(1, reg_e=1.0, metric="sqeuclidean", max_iter=1000, tol=1e-4, kernel="auto", random_state=None, n_jobs=None, options=None)
class OTTransport(TransformerMixin, BaseEstimator):
    """Transport of sources onto targets by a plan with entropy, as ot.da.SinkhornTransport of POT.      [Cuturi 2013]

    reg_e         weight of the entropy, in units of the cost
    metric        sqeuclidean, euclidean or cityblock
    max_iter, tol iterations, and the violation of marginals at which they end
    kernel        auto, exact, nystrom, rff, poly-tensorsketch or positive: what products with exp(-cost / reg_e) are computed with
    random_state  the seed of landmarks and frequencies
    n_jobs        threads; None: 1; -1: those of the machine
    options       more parameters of `cairn transport`: {"landmarks.count": 300}

    There is no matrix n x m anywhere. After fit: cost_ (of the plan), violation_ (of the marginals, of both sides), n_iter_, converged_,
    kernel_ (that was used), and n_features_in_.
    """

    def fit(self, Xs, Xt, source_weights=None, target_weights=None):
        """Finds the plan between the sources Xs and the targets Xt. Weights are positive numbers; None: all are equal."""
        Xs = validate_data(self, Xs, dtype=TYPES)
        Xt = validate_data(self, Xt, dtype=TYPES, reset=False).astype(Xs.dtype, copy=False)
        costs = {"sqeuclidean": "squared-euclidean", "euclidean": "euclidean", "cityblock": "manhattan"}
        if self.metric not in costs:
            raise ValueError(f"metric = {self.metric}: it must be one of {', '.join(costs)}")
        session = session_of(self)
        plan = session.transport(session.points(Xs), session.points(Xt), source_weights, target_weights, epsilon=self.reg_e,
                                 cost=costs[self.metric], iterations=self.max_iter, tolerance=self.tol, kernel=self.kernel,
                                 **(self.options or {}))
        self.cost_, self.violation_, self.n_iter_, self.converged_, self.kernel_ = (
            plan["cost"], plan["violation"], plan["iterations"], plan["converged"], plan["kernel"])
        for text in plan["warnings"]:
            warn(text)
        if not self.converged_:
            warn(f"the marginals are off by {max(self.violation_):.2g} after max_iter = {self.max_iter} iterations", ConvergenceWarning)
        target = plan["target"]
        self._targets = numpy.array(target["points"])
        self._logarithms = numpy.log(target["weights"]) + target["potentials"] / self.reg_e
        self._groups, self._barycenters = numpy.array(plan["source"]["groups"]), numpy.array(plan["source"]["barycenters"])
        return self

    def fit_transform(self, Xs, Xt, source_weights=None, target_weights=None):
        """Finds the plan, and gives where each source goes on average; NaN for one of weight 0."""
        self.fit(Xs, Xt, source_weights, target_weights)
        moved = numpy.full((len(self._groups), self._barycenters.shape[1]), numpy.nan)
        moved[self._groups >= 0] = self._barycenters[self._groups[self._groups >= 0]]
        return moved

    def transform(self, Xs):
        """Where other points go on average: sum_j k_j y_j / sum_j k_j, k_j = exp(-cost(x, y_j) / reg_e) v_j, with K itself."""
        check_is_fitted(self)
        Xs = validate_data(self, Xs, dtype=TYPES, reset=False)
        moved = numpy.empty((len(Xs), self._targets.shape[1]))
        step = max(1, 2**22 // len(self._targets))
        for first in range(0, len(Xs), step):
            block = Xs[first:first + step]
            if self.metric == "cityblock":
                cost = sum(abs(block[:, k, None] - self._targets[None, :, k]) for k in range(block.shape[1]))
            else:
                cost = euclidean_distances(block, self._targets, squared=self.metric == "sqeuclidean")
            logarithms = self._logarithms - cost / self.reg_e
            shares = numpy.exp(logarithms - logarithms.max(axis=1, keepdims=True))
            moved[first:first + step] = shares @ self._targets / shares.sum(axis=1, keepdims=True)
        return moved
