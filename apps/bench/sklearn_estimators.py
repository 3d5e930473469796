#!/usr/bin/python3
"""Estimators of cairn.sklearn beside those of scikit-learn, in one process, in turn: a list of JSON objects with medians of seconds."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--package", required=True, help="folder of the package cairn")
parser.add_argument("--repeats", type=int, default=5)
options = parser.parse_args()
sys.path.insert(0, options.package)

import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402
from sklearn import cluster, decomposition, gaussian_process, kernel_approximation, svm  # noqa: E402
from sklearn.gaussian_process import kernels  # noqa: E402
from sklearn.metrics.pairwise import euclidean_distances  # noqa: E402

import cairn  # noqa: E402
from cairn import sklearn as ours  # noqa: E402


def points(n, d):
    return np.random.default_rng(0).normal(size=(n, d))


def in_turn(what, own, peer, repeats=None):
    """Seconds of both, in turn. own, peer: functions without arguments."""
    seconds = {"own": [], "peer": []}
    for _ in range(repeats or options.repeats):
        for name, run in (("own", own), ("peer", peer)):
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {"what": what, **{name: statistics.median(found) for name, found in seconds.items()}}


def found():
    for n, d, s in ((1000, 8, 100), (20000, 16, 200), (100000, 32, 300)):
        X = points(n, d)
        yield in_turn(f"Nystroem, rbf, {n:,} x {d}, {s} landmarks, fit_transform, error included",
                      lambda: ours.Nystroem(gamma=1 / d, n_components=s).fit_transform(X),
                      lambda: kernel_approximation.Nystroem(gamma=1 / d, n_components=s).fit_transform(X))
    X = points(4000, 8)
    y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=len(X))
    yield in_turn("GaussianProcessRegressor, rbf, 4,000 x 8, 400 landmarks, fit, and means and deviations of 1,000 points",
                  lambda: ours.GaussianProcessRegressor(gamma=0.1, alpha=0.01, n_components=400).fit(X, y).predict(X[:1000], return_std=True),
                  lambda: gaussian_process.GaussianProcessRegressor(kernels.RBF(5**0.5, "fixed"), alpha=0.01).fit(X, y).predict(
                      X[:1000], return_std=True), 3)
    X = points(10000, 8)
    classes = (np.linalg.norm(X, axis=1) > 2.7).astype(int)
    yield in_turn("SVC, rbf, 10,000 x 8, 300 landmarks, fit and predict", lambda: ours.SVC(n_components=300).fit(X, classes).predict(X),
                  lambda: svm.SVC().fit(X, classes).predict(X), 3)
    X = points(4000, 8)
    yield in_turn("KernelPCA, rbf, 4,000 x 8, 10 components, 300 landmarks", lambda: ours.KernelPCA(10, kernel="rbf", n_landmarks=300).fit(X),
                  lambda: decomposition.KernelPCA(10, kernel="rbf", eigen_solver="arpack").fit(X), 3)
    X = points(8000, 8)
    yield in_turn("AgglomerativeClustering, average linkage, 8,000 x 8, 20 clusters, 100 landmarks",
                  lambda: ours.AgglomerativeClustering(20).fit(X), lambda: cluster.AgglomerativeClustering(20, linkage="average").fit(X), 3)


def job(code):
    """Seconds and bytes above the import of one job in a process of its own, without pages of files that are mapped."""
    lines = ("import sys, time, re; sys.path.insert(0, sys.argv[1]); start = time.perf_counter(); import numpy as np, scipy.sparse, cairn;"
             "imported = time.perf_counter() - start; status = lambda key: 1024 * int(re.search(key + r':\\s*(\\d+)', open('/proc/self/status').read())[1]);"
             "cairn.points(np.eye(3)); before = status('RssAnon'); start = time.perf_counter();" + code +
             "; seconds = time.perf_counter() - start; print(imported, seconds, max(0, status('VmHWM') - status('RssFile') - before))")
    return subprocess.run([sys.executable, "-c", lines, options.package], check=True, capture_output=True, text=True).stdout.split()


def alone():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        K = np.exp(-euclidean_distances(points(8000, 3)).astype(np.float32))
        np.save(path / "K.npy", K)
        scipy.sparse.save_npz(path / "X.npz", scipy.sparse.random(2000, 100_000, 2e-4, "csr", random_state=1))
        jobs = {"memmap of 8,000² float32, precomputed, 200 landmarks, error included":
                f"r = cairn.matrix(np.load('{path}/K.npy', mmap_mode='r')).approximate('nystrom', landmarks=200)",
                "CSR 2,000 x 100,000 of 40,000 entries, cosine, 50 landmarks, error included":
                f"X = scipy.sparse.load_npz('{path}/X.npz'); r = cairn.points(X).similarity('cosine', zero_vector=0).approximate('nystrom', landmarks=50)"}
        for what, code in jobs.items():
            runs = [[float(part) for part in job(code)] for _ in range(options.repeats)]
            imported, seconds, peak = (statistics.median(column) for column in zip(*runs))
            yield {"what": what, "own": seconds, "bytes": peak, "import": imported}


print(json.dumps([*found(), *alone()]))
