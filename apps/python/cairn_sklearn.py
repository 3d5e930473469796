"""Cairn for scikit-learn: kernel features of points as a transformer, computed by the program `cairn`.

    from cairn_sklearn import Nystroem
    features = Nystroem("rbf", gamma="scale", n_components=500).fit_transform(X)      # numpy, n x 500

It writes X to a temporary file, runs `cairn approximate` (with mpirun if ranks > 1), and reads the features from the result file.
`transform` is `cairn extend`. Any key of a config is an argument of `options`.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import weakref

import h5py
import numpy
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state

# Kernels that scikit-learn has as well, with the parameters that they use; as there, other parameters have no effect, and gamma=None means
# 1 / n_features.
SHARED_KERNELS = {"rbf": ("gamma",), "laplacian": ("gamma",), "polynomial": ("gamma", "degree", "coef0"), "sigmoid": ("gamma", "coef0"),
                  "cosine": (), "linear": ()}
ALIASES = {"poly": "polynomial"}


class CairnError(RuntimeError):
    """The program refused its input or failed: its message."""


class Nystroem(TransformerMixin, BaseEstimator):
    """Features Z of points with K ~= Z J Z', J = diag(signs_). All signs are 1 if K is positive semidefinite.

    kernel        a similarity of `cairn help similarity` that compares points: rbf, laplacian, polynomial, cosine, ...
    gamma         its parameter of that name, a number or a rule (scale, median). None: 1 / n_features for the kernels that scikit-learn
                  has, as there; the default of the similarity for others. It has no effect on cosine and linear, as there
    n_components  landmarks; the number of features is at most this
    method        nystrom, sms-nystrom, rff or poly-tensorsketch
    ranks         MPI processes
    options       more keys of a config: {"landmarks.selection": "rpcholesky", "similarity.degree": 3}
    random_state  the seed of landmarks and features, an integer: the same seed gives the same features on any number of ranks; None or a
                  RandomState draws one
    program       path of `cairn`; None: the environment variable CAIRN_PROGRAM, else the one on PATH
    degree, coef0 parameters of polynomial (and sigmoid: coef0), as in scikit-learn; None: 3 and 1
    kernel_params more parameters of the kernel, by name: {"nu": 1.5} of matern; gamma, degree and coef0 come before it
    n_jobs        threads of a process, as run.threads; -1: those of the machine; None: the program's default

    A callable kernel, or precomputed, raises a ValueError.

    After fit: result_ (path of the result file, which lives as long as this object), signs_, relative_error_ (estimated, of K)
    and n_features_in_.
    """

    def __init__(self, kernel="rbf", gamma=None, n_components=100, method="nystrom", ranks=1, options=None, random_state=0, program=None,
                 degree=None, coef0=None, kernel_params=None, n_jobs=None):
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.method = method
        self.ranks = ranks
        self.options = options
        self.random_state = random_state
        self.program = program
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        self._fit(X)
        return self

    def fit_transform(self, X, y=None):
        self._fit(X)
        return _features(self.result_)

    def transform(self, X):
        points = _points(X)
        if points.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {points.shape[1]} columns, the points of fit had {self.n_features_in_}")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            numpy.save(folder / "new.npy", points)
            self._run("extend", self.result_, "--data.path", folder / "new.npy", "--output.path", folder / "new.h5")
            return _features(folder / "new.h5")

    def _fit(self, X):
        points = _points(X)
        similarity = self._similarity(points.shape[1])
        seed = self.random_state
        if seed is None or not isinstance(seed, (int, numpy.integer)):
            seed = check_random_state(seed).randint(2**31 - 1)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        numpy.save(folder / "points.npy", points)
        options = {"data.path": folder / "points.npy", **similarity, "approximation.method": self.method,
                   "run.seed": seed, "output.path": folder / "result.h5", **self._threads()}
        if self.method in ("rff", "poly-tensorsketch"):
            options["approximation.features"] = self.n_components
        else:
            options["approximation.embedding"] = "true"
            options["landmarks.count"] = min(self.n_components, len(points))
        options.update(self.options or {})
        try:
            self._run("approximate", *(part for key, value in options.items() for part in ("--" + key, value)))
        finally:
            os.remove(folder / "points.npy")
        self.result_ = str(folder / "result.h5")
        self.n_features_in_ = points.shape[1]
        with h5py.File(self.result_, "r") as file:
            joining = file["joining"]
            self.signs_ = joining[:] if joining.attrs["layout"] == "diagonal" else numpy.ones(file["left"].shape[1])
            self.relative_error_ = float(file["evaluation"].attrs["relative_error"]) if "evaluation" in file else None

    def _similarity(self, columns):
        if not isinstance(self.kernel, str) or self.kernel == "precomputed":
            raise ValueError("kernel must be the name of a similarity between points: the program takes no function and no matrix "
                             "(cairn approximate --data.kind matrix does)")
        kernel = ALIASES.get(self.kernel, self.kernel)
        values = dict(self.kernel_params or {})
        values.update({name: value for name in ("gamma", "degree", "coef0") if (value := getattr(self, name)) is not None})
        if kernel in SHARED_KERNELS:
            unknown = sorted(set(values) - {"gamma", "degree", "coef0"})
            if unknown:
                raise ValueError(f"kernel_params names {', '.join(unknown)}, which the kernel {kernel} has not")
            values = {name: value for name, value in values.items() if name in SHARED_KERNELS[kernel]}
            if "gamma" in SHARED_KERNELS[kernel]:
                values.setdefault("gamma", 1.0 / columns)
        return {"similarity.kind": kernel, **{f"similarity.{name}": value for name, value in values.items()}}

    def _threads(self):
        if self.n_jobs is None:
            return {}
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        threads = self.n_jobs if self.n_jobs > 0 else cores + 1 + self.n_jobs
        if self.n_jobs == 0 or threads < 1:
            raise ValueError(f"n_jobs = {self.n_jobs}: it must be a positive number of threads, or -1 for all {cores} of this machine")
        return {"run.threads": threads}

    def _run(self, *arguments):
        program = self.program or os.environ.get("CAIRN_PROGRAM") or shutil.which("cairn")
        if program is None:
            raise CairnError("the program cairn is not on PATH; name it with program=")
        launcher = ["mpirun", "-n", str(self.ranks)] if self.ranks > 1 else []
        outcome = subprocess.run([*launcher, program, *map(str, arguments)], capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            message = [line for line in outcome.stderr.splitlines() if line.startswith("cairn: error: ")]
            raise CairnError(message[0].removeprefix("cairn: error: ") if message else outcome.stderr or outcome.stdout)


def _points(X):
    points = numpy.ascontiguousarray(X, dtype=numpy.float64)
    if points.ndim != 2:
        raise ValueError(f"X must be a matrix of points x coordinates, not of shape {points.shape}")
    return points


def _features(path):
    with h5py.File(path, "r") as file:
        return file["left"][:]
