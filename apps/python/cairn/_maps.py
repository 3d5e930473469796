"""Feature maps as transformers of scikit-learn: cairn.sklearn has the public ones."""
import inspect
import os
import sys
import tempfile
import warnings

import numpy
import scipy.sparse
import sklearn
from mpi4py import MPI
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

import cairn
from cairn import _arguments

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6 it is a method
    def validate_data(estimator, X, **options):
        return estimator._validate_data(X, **options)

OWN_FOLDERS = tuple(os.path.dirname(module.__file__) + os.sep for module in (cairn, sklearn))
# Kernels that scikit-learn has as well, with the parameters that they use; as there, other parameters have no effect, and gamma=None means
# 1 / n_features.
SHARED_KERNELS = {"rbf": ("gamma",), "laplacian": ("gamma",), "polynomial": ("gamma", "degree", "coef0"), "sigmoid": ("gamma", "coef0"),
                   "cosine": (), "linear": ()}
ALIASES = {"poly": "polynomial"}
# Parameters of a kernel and of its landmarks, with the defaults of Nystroem.
MAP = {"kernel": "rbf", "gamma": None, "coef0": None, "degree": None, "kernel_params": None, "n_components": 100, "random_state": None,
       "n_jobs": None, "method": "nystrom", "options": None}


def parameters(positional, /, **defaults):
    """Gives a class an __init__ that keeps these parameters; the first `positional` ones need no name."""
    def kind(k):
        return inspect.Parameter.POSITIONAL_OR_KEYWORD if k < positional else inspect.Parameter.KEYWORD_ONLY

    signature = inspect.Signature([inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
                                   *(inspect.Parameter(name, kind(k), default=defaults[name]) for k, name in enumerate(defaults))])

    def decorate(decorated):
        def __init__(self, *arguments, **given):
            bound = signature.bind(self, *arguments, **given)
            bound.apply_defaults()
            for name in defaults:
                setattr(self, name, bound.arguments[name])
        __init__.__signature__ = signature
        decorated.__init__ = __init__
        return decorated
    return decorate


def threads(n_jobs):
    """Threads of n_jobs, as scikit-learn counts them."""
    if n_jobs is None:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = n_jobs if n_jobs > 0 else cores + 1 + n_jobs
    if n_jobs == 0 or found < 1:
        raise ValueError(f"n_jobs = {n_jobs}: it must be a positive number of threads, or -1 for all {cores} of this machine")
    return found


def seed_of(random_state):
    """A seed of Cairn for a random_state of scikit-learn."""
    if isinstance(random_state, (int, numpy.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def warn(text, category=UserWarning):
    """Warns at the line of the program that has called this package, perhaps through scikit-learn."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN_FOLDERS):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def tell_warnings(result):
    """The warnings of a result as those of Python."""
    for text in result.facts["warnings"]:
        warn(text)


def landmarks_of(options, count):
    """Parameters of a method with as many landmarks as options say, or else count() says."""
    given = dict(_arguments.pairs(options or {}))
    if not {"landmarks.count", "landmarks.fraction", "landmarks.list", "landmarks.path"} & set(given):
        given["landmarks.count"] = count()
    return given


def relative_error(result):
    """The error of a result, estimated to a tenth of itself; NaN where K is 0 altogether and has none."""
    try:
        return result.measure_error(precision=0.1)["relative_error"]
    except cairn.NotConverged as error:
        if "there is no relative error" not in str(error):
            raise
        return float("nan")


class Features(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
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
        return {"preserves_dtype": [numpy.float64, numpy.float32], "pairwise": getattr(self, "kernel", None) == "precomputed"}

    def __sklearn_tags__(self):  # from scikit-learn 1.6 on
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.pairwise = True, getattr(self, "kernel", None) == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "_map" in state:
            with tempfile.TemporaryDirectory() as folder:
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
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/map.h5", "wb") as file:
                file.write(content)
            self._map = session.load(folder + "/map.h5")

    def _session(self, seed, single):
        return cairn.Session(MPI.COMM_SELF, threads=threads(getattr(self, "n_jobs", None)), seed=seed,
                              precision="single" if single else "double")

    def _points(self, X, reset):
        points = validate_data(self, X, accept_sparse="csr", dtype=[numpy.float64, numpy.float32], reset=reset)
        if scipy.sparse.issparse(points) and points.nnz == 0:
            points = points.toarray()
        if not reset and (points.dtype == numpy.float32) != self._single:
            points = points.astype(numpy.float32 if self._single else numpy.float64)
        return points

    def _approximate(self, similarity, method, given):
        result = similarity.approximate(method, measure=False, **given)
        tell_warnings(result)
        self.relative_error_ = relative_error(result)
        self._n_features_out = result.left.shape[1]
        core = result.core()
        self.signs_ = numpy.diag(core).copy()
        if (core - numpy.diag(self.signs_)).any():
            raise ValueError(f"the method {method} has no features: its core matrix is not diagonal")
        return result

    @staticmethod
    def _features(result):
        """L of a result that nobody else has."""
        return result._handle.give_left()

    def _features_of_new(self, X):
        extended = self._map.extend(self._points(X, reset=False))
        tell_warnings(extended)
        return self._features(extended)


@parameters(1, **MAP)
class Nystroem(Features):
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

    def transform(self, X):
        """The features of other points."""
        check_is_fitted(self)
        if self.kernel == "precomputed":
            return self._points(X, reset=False)[:, self.component_indices_] @ self.normalization_
        if callable(self.kernel):
            return self._between(self._dense(X), self.components_) @ self.normalization_
        return self._features_of_new(X)

    def _fit(self, X):
        points = self._points(X, reset=True)
        self._single = points.dtype == numpy.float32
        session = self._session(seed_of(self.random_state), self._single)
        if callable(self.kernel) and scipy.sparse.issparse(points):
            points = points.toarray()  # as blocks of them are
        given = {"embedding": True, **landmarks_of(self.options, lambda: self._landmarks(points.shape[0]))}
        if self.kernel == "precomputed" or callable(self.kernel):
            without = ("gamma", "coef0", "degree") + (("kernel_params",) if self.kernel == "precomputed" else ())
            for name in without:
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} has no effect on a kernel that is {'precomputed' if self.kernel == 'precomputed' else 'a function'}")
        if self.kernel == "precomputed":
            if points.shape[0] != points.shape[1]:
                raise ValueError(f"a precomputed kernel has as many columns as rows, not {points.shape[0]} x {points.shape[1]}")
            similarity = session.matrix(points.toarray() if scipy.sparse.issparse(points) else points)
        elif callable(self.kernel):
            similarity = session.similarity(lambda a, b: self._between(numpy.array(a), numpy.array(b)),
                                            points.toarray() if scipy.sparse.issparse(points) else points)
        else:
            similarity = self._named(session, points)
            self._resolved = similarity.parameters
        result = self._approximate(similarity, self.method, given)
        self.component_indices_ = result.landmarks
        if self.kernel != "precomputed":
            self.components_ = points[self.component_indices_]
        if self.kernel == "precomputed" or callable(self.kernel):
            among = (points[self.component_indices_][:, self.component_indices_] if self.kernel == "precomputed"
                     else self._between(self.components_, self.components_))
            among = among.toarray() if scipy.sparse.issparse(among) else among
            self.normalization_ = numpy.linalg.lstsq(among, result.left[self.component_indices_], rcond=None)[0]
        else:
            self._map = result.extend(points[:1].copy())  # a view would keep all points
        return self._features(result)

    def diagonal(self, X):
        """K(x, x) of other points."""
        if self.kernel == "precomputed":
            raise ValueError("K(x, x) of other points is not known to a precomputed kernel")
        if callable(self.kernel):
            points = self._dense(X)
            return numpy.array([self._between(points[i:i + 1], points[i:i + 1])[0, 0] for i in range(points.shape[0])])
        points = self._points(X, reset=False)
        similarity = self._session(0, self._single).points(points).similarity(ALIASES.get(self.kernel, self.kernel), **self._resolved)
        return similarity.entries(numpy.arange(points.shape[0]), numpy.arange(points.shape[0]))

    def _dense(self, X):
        points = self._points(X, reset=False)
        return points.toarray() if scipy.sparse.issparse(points) else points

    def _between(self, left, right):
        return pairwise_kernels(left, right, metric=self.kernel, **(self.kernel_params or {}))

    def _named(self, session, points):
        kernel = ALIASES.get(self.kernel, self.kernel)
        values = dict(self.kernel_params or {})
        values.update({name: value for name in ("gamma", "degree", "coef0") if (value := getattr(self, name)) is not None})
        if kernel in SHARED_KERNELS:
            unknown = sorted(set(values) - {"gamma", "degree", "coef0"})
            if unknown:
                raise ValueError(f"kernel_params names {', '.join(unknown)}, which the kernel {kernel} has not")
            values = {name: value for name, value in values.items() if name in SHARED_KERNELS[kernel]}
            if "gamma" in SHARED_KERNELS[kernel]:
                values.setdefault("gamma", 1.0 / points.shape[1])
        return session.points(points).similarity(kernel, **values)

    def _landmarks(self, points):
        if self.n_components > points:
            warn(f"n_components = {self.n_components} is more than the {points} points: there are {points} landmarks")
        return min(self.n_components, points)


class _Drawn(Features):
    """Features that depend on the points alone, not on landmarks."""

    def transform(self, X):
        """The features of other points."""
        check_is_fitted(self)
        return self._features_of_new(X)

    def _fit_to(self, X, kernel, kernel_given, method, given):
        points = self._points(X, reset=True)
        self._single = points.dtype == numpy.float32
        similarity = self._session(seed_of(self.random_state), self._single).points(points).similarity(kernel, **kernel_given)
        result = self._approximate(similarity, method, given)
        self._map = result.extend(points[:1].copy())  # a view would keep all points
        return self._features(result)


@parameters(0, gamma=1.0, n_components=100, random_state=None, n_jobs=None, orthogonal=False)
class RBFSampler(_Drawn):
    """Random Fourier features of exp(-gamma |x - y|²).     [Rahimi and Recht 2007]

    gamma         a number, or a rule (scale, median)
    n_components  features
    random_state  the seed of frequencies
    n_jobs        threads; None: 1; -1: those of the machine
    orthogonal    frequencies orthogonal in blocks, each with a cosine and a sine (n_components is even): less error [Yu et al. 2016]
    """

    def _fit(self, X):
        return self._fit_to(X, "rbf", {"gamma": self.gamma},
                            "rff", {"features": self.n_components, "fourier": "orthogonal" if self.orthogonal else "phase"})


@parameters(0, gamma=1.0, degree=2, coef0=0, n_components=100, random_state=None, n_jobs=None)
class PolynomialCountSketch(_Drawn):
    """Features of (gamma x.y + coef0)^degree: monomials of principal components, or TensorSketches where these have less error.
    [Pham and Pagh 2013; Han, Avron and Shin 2020]

    gamma, coef0  numbers, coef0 at least 0
    degree        a positive integer
    n_components  features, at most; 1 counts as 2, of which one is constant
    random_state  the seed of the sketches
    n_jobs        threads; None: 1; -1: those of the machine
    """

    def _fit(self, X):
        return self._fit_to(X, "polynomial", {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0},
                            "poly-tensorsketch", {"features": max(2, self.n_components), "signs": "positive"})
