"""Transformers and a regression of scikit-learn over Cairn, in this process: names and parameters of scikit-learn.

    from cairn.sklearn import Nystroem
    features = Nystroem("rbf", gamma=0.1, n_components=500).fit_transform(X)

Each process computes by itself, on n_jobs threads, also where a launcher has started several. On all ranks together the
functions of the package cairn compute.
"""
import os as _os
import tempfile as _tempfile
import warnings as _warnings

import numpy as _numpy
import scipy.sparse as _sparse
from mpi4py import MPI as _MPI
from sklearn.base import BaseEstimator as _BaseEstimator
from sklearn.base import ClassNamePrefixFeaturesOutMixin as _NamesMixin
from sklearn.base import RegressorMixin as _RegressorMixin
from sklearn.base import TransformerMixin as _TransformerMixin
from sklearn.metrics.pairwise import pairwise_kernels as _pairwise_kernels
from sklearn.utils import check_random_state as _check_random_state
from sklearn.utils.validation import _check_sample_weight
from sklearn.utils.validation import check_is_fitted as _check_is_fitted

import cairn as _cairn
from cairn import _arguments

try:
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:  # before scikit-learn 1.6 it is a method
    def _validate_data(estimator, X, **options):
        return estimator._validate_data(X, **options)

__all__ = ["KernelRidge", "Nystroem", "RBFSampler"]

# Kernels that scikit-learn has as well, with the parameters that they use; as there, other parameters have no effect, and gamma=None means
# 1 / n_features.
_SHARED_KERNELS = {"rbf": ("gamma",), "laplacian": ("gamma",), "polynomial": ("gamma", "degree", "coef0"), "sigmoid": ("gamma", "coef0"),
                   "cosine": (), "linear": ()}
_ALIASES = {"poly": "polynomial"}


def _threads(n_jobs):
    if n_jobs is None:
        return 1
    cores = len(_os.sched_getaffinity(0)) if hasattr(_os, "sched_getaffinity") else _os.cpu_count()
    threads = n_jobs if n_jobs > 0 else cores + 1 + n_jobs
    if n_jobs == 0 or threads < 1:
        raise ValueError(f"n_jobs = {n_jobs}: it must be a positive number of threads, or -1 for all {cores} of this machine")
    return threads


class _Features(_NamesMixin, _TransformerMixin, _BaseEstimator):
    """What the transformers share. _map: a result of one object, whose landmarks or frequencies give the features of others; pickle keeps
    the bytes of its file."""

    def fit(self, X, y=None):
        """Chooses the features. y has no effect."""
        self._fit(X)
        return self

    def fit_transform(self, X, y=None):
        """Chooses the features, and gives those of X."""
        return self._fit(X)

    def _more_tags(self):
        return {"preserves_dtype": [_numpy.float64, _numpy.float32]}

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "_map" in state:
            with _tempfile.TemporaryDirectory() as folder:
                state["_map"].save(folder + "/map.h5")
                with open(folder + "/map.h5", "rb") as file:
                    state["_map"] = file.read()
        return state

    def __setstate__(self, state):
        state = dict(state)
        content = state.pop("_map", None)
        super().__setstate__(state)
        if content is None:
            return
        session = self._session(0, single=state.get("_single", False))
        with _tempfile.TemporaryDirectory() as folder:
            with open(folder + "/map.h5", "wb") as file:
                file.write(content)
            self._map = session.load(folder + "/map.h5")

    def _session(self, seed, single):
        return _cairn.Session(_MPI.COMM_SELF, threads=_threads(getattr(self, "n_jobs", None)), seed=seed,
                              precision="single" if single else "double")

    def _seed(self):
        if isinstance(self.random_state, (int, _numpy.integer)) and self.random_state >= 0:
            return int(self.random_state)
        return int(_check_random_state(self.random_state).randint(2**31 - 1))

    def _points(self, X, reset):
        points = _validate_data(self, X, accept_sparse="csr", dtype=[_numpy.float64, _numpy.float32], reset=reset)
        if _sparse.issparse(points) and points.nnz == 0:
            points = points.toarray()
        if not reset and (points.dtype == _numpy.float32) != self._single:
            points = points.astype(_numpy.float32 if self._single else _numpy.float64)
        return points

    def _approximate(self, similarity, method, given):
        result = similarity.approximate(method, measure=False, **given)
        self.relative_error_ = result.measure_error(precision=0.1)["relative_error"]
        self._n_features_out = result.left.shape[1]
        core = result.core()
        self.signs_ = _numpy.diag(core).copy()
        if (core - _numpy.diag(self.signs_)).any():
            raise ValueError(f"the method {method} has no features: its core matrix is not diagonal")
        return result

    @staticmethod
    def _features(result):
        """L of a result that nobody else has."""
        return result._handle.give_left()

    def _features_of_new(self, X):
        return self._features(self._map.extend(self._points(X, reset=False)))


class Nystroem(_Features):
    """Features Z of points with K ~= Z diag(signs_) Z'. All signs are 1 if K is positive semidefinite.

    kernel        a similarity of points by its name in `cairn help similarity`: rbf, laplacian, polynomial, sigmoid, cosine, linear,
                  matern, ...; a function of two points; or precomputed: X is K itself, n x n, and K(new, n) in transform()
    gamma         its parameter of that name, a number or a rule (scale, median). None: 1 / n_features for the kernels that scikit-learn
                  has, as there; the default of the similarity for others. It has no effect on cosine and linear, as there
    degree, coef0 parameters of polynomial (and sigmoid: coef0); None: 3 and 1
    kernel_params more parameters of the kernel, by name: {"nu": 1.5} of matern
    n_components  landmarks; the number of features is at most this
    random_state  the seed of landmarks
    n_jobs        threads; None: 1; -1: those of the machine
    method        nystrom, or sms-nystrom for an indefinite K
    options       more parameters of the method and landmarks: {"landmarks.selection": "rpcholesky"}

    float32 stays float32, sparse X stays sparse. After fit: component_indices_ (rows of X that are landmarks), components_ (these rows;
    not of precomputed), signs_, relative_error_ and n_features_in_.
    """

    def __init__(self, kernel="rbf", *, gamma=None, coef0=None, degree=None, kernel_params=None, n_components=100, random_state=None,
                 n_jobs=None, method="nystrom", options=None):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.method = method
        self.options = options

    def transform(self, X):
        """The features of other points."""
        _check_is_fitted(self)
        if self.kernel == "precomputed":
            return self._points(X, reset=False)[:, self.component_indices_] @ self.normalization_
        if callable(self.kernel):
            return self._between(self._points(X, reset=False), self.components_) @ self.normalization_
        return self._features_of_new(X)

    def _fit(self, X):
        points = self._points(X, reset=True)
        self._single = points.dtype == _numpy.float32
        session = self._session(self._seed(), self._single)
        given = {"embedding": True, **dict(_arguments.pairs(self.options or {}))}
        if not {"landmarks.count", "landmarks.fraction", "landmarks.list", "landmarks.path"} & set(given):
            given["landmarks.count"] = self._landmarks(points.shape[0])
        if self.kernel == "precomputed" or callable(self.kernel):
            without = ("gamma", "coef0", "degree") + (("kernel_params",) if self.kernel == "precomputed" else ())
            for name in without:
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} has no effect on a kernel that is {'precomputed' if self.kernel == 'precomputed' else 'a function'}")
        if self.kernel == "precomputed":
            if points.shape[0] != points.shape[1]:
                raise ValueError(f"a precomputed kernel has as many columns as rows, not {points.shape[0]} x {points.shape[1]}")
            similarity = session.matrix(points.toarray() if _sparse.issparse(points) else points)
        elif callable(self.kernel):
            similarity = session.similarity(lambda a, b: self._between(_numpy.array(a), _numpy.array(b)),
                                            points.toarray() if _sparse.issparse(points) else points)
        else:
            similarity = self._named(session, points)
        result = self._approximate(similarity, self.method, given)
        self.component_indices_ = result.landmarks
        if self.kernel != "precomputed":
            self.components_ = points[self.component_indices_]
        if self.kernel == "precomputed" or callable(self.kernel):
            among = (points[self.component_indices_][:, self.component_indices_] if self.kernel == "precomputed"
                     else self._between(self.components_, self.components_))
            among = among.toarray() if _sparse.issparse(among) else among
            self.normalization_ = _numpy.linalg.lstsq(among, result.left[self.component_indices_], rcond=None)[0]
        else:
            self._map = result.extend(points[:1])
        return self._features(result)

    def _between(self, left, right):
        return _pairwise_kernels(left, right, metric=self.kernel, **(self.kernel_params or {}))

    def _named(self, session, points):
        kernel = _ALIASES.get(self.kernel, self.kernel)
        values = dict(self.kernel_params or {})
        values.update({name: value for name in ("gamma", "degree", "coef0") if (value := getattr(self, name)) is not None})
        if kernel in _SHARED_KERNELS:
            unknown = sorted(set(values) - {"gamma", "degree", "coef0"})
            if unknown:
                raise ValueError(f"kernel_params names {', '.join(unknown)}, which the kernel {kernel} has not")
            values = {name: value for name, value in values.items() if name in _SHARED_KERNELS[kernel]}
            if "gamma" in _SHARED_KERNELS[kernel]:
                values.setdefault("gamma", 1.0 / points.shape[1])
        return session.points(points).similarity(kernel, **values)

    def _landmarks(self, points):
        if self.n_components > points:
            _warnings.warn(f"n_components = {self.n_components} is more than the {points} points: there are {points} landmarks", stacklevel=4)
        return min(self.n_components, points)


class RBFSampler(_Features):
    """Random Fourier features of exp(-gamma |x - y|²).     [Rahimi and Recht 2007]

    gamma         a number, or a rule (scale, median)
    n_components  features
    random_state  the seed of frequencies
    n_jobs        threads; None: 1; -1: those of the machine
    orthogonal    frequencies orthogonal in blocks, each with a cosine and a sine (n_components is even): less error [Yu et al. 2016]
    """

    def __init__(self, *, gamma=1.0, n_components=100, random_state=None, n_jobs=None, orthogonal=False):
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.orthogonal = orthogonal

    def transform(self, X):
        """The features of other points."""
        _check_is_fitted(self)
        return self._features_of_new(X)

    def _fit(self, X):
        points = self._points(X, reset=True)
        self._single = points.dtype == _numpy.float32
        similarity = self._session(self._seed(), self._single).points(points).similarity("rbf", gamma=self.gamma)
        result = self._approximate(similarity, "rff", {"features": self.n_components, "fourier": "orthogonal" if self.orthogonal else "phase"})
        self._map = result.extend(points[:1])
        return self._features(result)


class KernelRidge(_RegressorMixin, _BaseEstimator):
    """Kernel ridge regression on K ~= Z diag(signs_) Z', in place of K: (K~ + alpha I)^-1 y, through the features Z alone.

    alpha         the ridge, above 0: a number, or one for each target
    kernel, gamma, degree, coef0, kernel_params, n_components, random_state, n_jobs, method, options: as of Nystroem

    There is no intercept, as in sklearn.kernel_ridge. sample_weight weights the squared residuals. After fit: coef_ (of the features; n_features
    or n_features x n_targets), features_ (the fitted Nystroem) and n_features_in_.
    """

    def __init__(self, alpha=1.0, *, kernel="linear", gamma=None, degree=None, coef0=None, kernel_params=None, n_components=100,
                 random_state=None, n_jobs=None, method="nystrom", options=None):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.method = method
        self.options = options

    def fit(self, X, y, sample_weight=None):
        """Learns the targets y, n or n x targets."""
        X, y = _validate_data(self, X, y=y, accept_sparse="csr", multi_output=True, y_numeric=True, dtype=[_numpy.float64, _numpy.float32])
        alpha = _numpy.atleast_1d(_numpy.asarray(self.alpha, dtype=float))
        if not (alpha > 0).all() or alpha.ndim != 1 or len(alpha) not in (1, 1 if y.ndim == 1 else y.shape[1]):
            raise ValueError(f"alpha = {self.alpha}: it must be a number above 0, or one for each target")
        given = {name: value for name, value in self.get_params(deep=False).items() if name != "alpha"}
        with _warnings.catch_warnings():
            _warnings.filterwarnings("ignore", message="n_components = ")  # of few points all are landmarks
            self.features_ = Nystroem(**given)
            features = self.features_.fit_transform(X).astype(float, copy=False)
        targets = y.reshape(len(y), -1).astype(float)
        if sample_weight is not None:
            root = _numpy.sqrt(_check_sample_weight(sample_weight, X, dtype=float))[:, None]
            features, targets = features * root, targets * root
        signs = self.features_.signs_
        products, right = (features.T @ features) * signs, features.T @ targets
        ridges = _numpy.broadcast_to(alpha, targets.shape[1])
        solved = {ridge: _numpy.linalg.solve(products + ridge * _numpy.eye(len(signs)), right[:, ridges == ridge]) for ridge in set(ridges)}
        self.coef_ = _numpy.empty(right.shape)
        for ridge, columns in solved.items():
            self.coef_[:, ridges == ridge] = signs[:, None] * columns
        if y.ndim == 1:
            self.coef_ = self.coef_[:, 0]
        return self

    def _more_tags(self):
        return {"multioutput": True}

    def predict(self, X):
        """The targets of other points."""
        _check_is_fitted(self)
        X = _validate_data(self, X, accept_sparse="csr", dtype=[_numpy.float64, _numpy.float32], reset=False)
        return self.features_.transform(X) @ self.coef_
