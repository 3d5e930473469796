"""Cairn for scikit-learn: kernel features of points as a transformer, computed by the program `cairn`.

    from cairn_sklearn import Nystroem
    features = Nystroem("rbf", gamma="scale", n_components=500).fit_transform(X)      # numpy, n x 500

It writes X to a temporary file, runs `cairn approximate`, and reads the features from the result file. If ranks > 1 it
starts them by the command in $CAIRN_LAUNCHER with its options, or by mpirun, followed by -n RANKS.
`transform` is `cairn extend`. Any key of a config is an argument of `options`.

A task of mpirun or srun may use it: the program that it runs is a run of its own, and no rank of that launcher.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import warnings
import weakref

import h5py
import numpy
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6 it is a method
    def validate_data(estimator, X, **options):
        return estimator._validate_data(X, **options)

# Kernels that scikit-learn has as well, with the parameters that they use; as there, other parameters have no effect, and gamma=None means
# 1 / n_features.
SHARED_KERNELS = {"rbf": ("gamma",), "laplacian": ("gamma",), "polynomial": ("gamma", "degree", "coef0"), "sigmoid": ("gamma", "coef0"),
                  "cosine": (), "linear": ()}
ALIASES = {"poly": "polynomial"}

# Variables by which launchers tell a process which rank it is, and where the others are. A program that inherits them joins the ranks of
# its parent's launcher. Open MPI's settings (OMPI_MCA_*) stay, but for those that its launcher makes for the rank.
LAUNCHER_PREFIXES = ("OMPI_", "PMIX_", "PMI_", "PRTE_", "PALS_", "HYDI_", "HYDRA_", "MPI_LOCAL", "MV2_COMM_", "SLURM_STEP_", "SLURM_STEPID",
                     "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_TASK_PID", "SLURM_GTIDS", "SLURM_LAUNCH_NODE_IPADDR",
                     "SLURM_SRUN_COMM_", "SLURM_MPI_TYPE", "SLURM_PMI")
USER_PREFIXES = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_")
RANK_SETTINGS = ("OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir", "OMPI_MCA_shmem_RUNTIME",
                 "OMPI_MCA_mpi_oversubscribe")


def environment_without_launcher():
    """The variables of this process without those that make a child of it a rank of the launcher that started it."""
    def stays(name):
        if name.startswith(USER_PREFIXES):
            return not name.startswith(RANK_SETTINGS)
        return not name.startswith(LAUNCHER_PREFIXES)
    return {name: value for name, value in os.environ.items() if stays(name)}


class CairnError(RuntimeError):
    """The program refused its input or failed: its message."""


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
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

    A callable kernel, or precomputed, raises a ValueError. Sparse X stays sparse on its way to the
    program, which holds it so if it has more than 64 columns and at most a tenth of the entries are not 0.

    After fit: result_ (path of the result file, which lives as long as this object), signs_, relative_error_ (estimated, of K),
    component_indices_ (rows of X that are landmarks; not of rff and poly-tensorsketch) and n_features_in_. pickle, joblib and deepcopy
    keep the file itself: a copy in another process transforms as this one does.
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
        check_is_fitted(self)
        points = self._points(X, reset=False)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self._run("extend", self.result_, "--data.path", _saved(points, folder), "--output.path", folder / "new.h5")
            return _features(folder / "new.h5")

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "result_" in state:
            state["result_"] = pathlib.Path(state["result_"]).read_bytes()
        return state

    def __setstate__(self, state):
        state = dict(state)
        content = state.pop("result_", None)
        super().__setstate__(state)
        if content is not None:
            path = self._new_folder() / "result.h5"
            path.write_bytes(content)
            self.result_ = str(path)

    def _new_folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-"))
        weakref.finalize(self, _remove_folder, folder, os.getpid())
        return folder

    def _points(self, X, reset):
        points = validate_data(self, X, accept_sparse=True, dtype=numpy.float64, reset=reset)
        if not scipy.sparse.issparse(points):
            return numpy.ascontiguousarray(points)
        points = scipy.sparse.csr_matrix(points)
        if not points.has_canonical_format:
            points = points.copy()  # it may be the caller's
            points.sum_duplicates()
        return points if points.nnz > 0 else points.toarray()

    def _fit(self, X):
        points = self._points(X, reset=True)
        similarity = self._similarity(points.shape[1])
        seed = self.random_state
        if seed is None or not isinstance(seed, (int, numpy.integer)):
            seed = check_random_state(seed).randint(2**31 - 1)
        folder = self._new_folder()
        path = _saved(points, folder)
        options = {"data.path": path, **similarity, "approximation.method": self.method,
                   "run.seed": seed, "output.path": folder / "result.h5", **self._threads()}
        if self.method in ("rff", "poly-tensorsketch"):
            options["approximation.features"] = self.n_components
        else:
            options["approximation.embedding"] = "true"
            options["landmarks.count"] = self._landmarks(points.shape[0])
        options.update(self.options or {})
        try:
            self._run("approximate", *(part for key, value in options.items() for part in ("--" + key, value)))
        finally:
            os.remove(path)
        self.result_ = str(folder / "result.h5")
        with h5py.File(self.result_, "r") as file:
            joining = file["joining"]
            self._n_features_out = file["left"].shape[1]
            self.signs_ = joining[:] if joining.attrs["layout"] == "diagonal" else numpy.ones(self._n_features_out)
            self.relative_error_ = float(file["evaluation"].attrs["relative_error"]) if "evaluation" in file else None
            self.__dict__.pop("component_indices_", None)  # of another fit
            if len(file.get("landmarks/indices", ())) > 0:
                self.component_indices_ = file["landmarks/indices"][:]

    def _landmarks(self, points):
        if self.n_components > points:
            warnings.warn(f"n_components = {self.n_components} is more than the {points} points: there are {points} landmarks",
                          stacklevel=4)
        return min(self.n_components, points)

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
        launcher = [*shlex.split(os.environ.get("CAIRN_LAUNCHER", "mpirun")), "-n", str(self.ranks)] if self.ranks > 1 else []
        outcome = subprocess.run([*launcher, program, *map(str, arguments)], capture_output=True, text=True, check=False,
                                 env=environment_without_launcher())
        if outcome.returncode != 0:
            message = [line for line in outcome.stderr.splitlines() if line.startswith("cairn: error: ")]
            if not message and "not enough slots" in outcome.stderr:
                raise CairnError(f"mpirun has no room for {self.ranks} ranks here: give fewer, or set OMPI_MCA_rmaps_base_oversubscribe=1")
            raise CairnError(message[0].removeprefix("cairn: error: ") if message else outcome.stderr or outcome.stdout)


def _remove_folder(folder, process):
    if os.getpid() == process:  # a fork of it keeps what is its parent's
        shutil.rmtree(folder, ignore_errors=True)


def _saved(points, folder):
    """The file of points in a folder: .npy, and of a sparse matrix .npz as scipy writes it."""
    path = folder / ("points.npz" if scipy.sparse.issparse(points) else "points.npy")
    if scipy.sparse.issparse(points):
        scipy.sparse.save_npz(path, points, compressed=False)
    else:
        numpy.save(path, points)
    return path


def _features(path):
    with h5py.File(path, "r") as file:
        return file["left"][:]
