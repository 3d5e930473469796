"""Estimators of scikit-learn over Cairn, in this process: names and parameters of scikit-learn.

    from cairn.sklearn import Nystroem
    features = Nystroem("rbf", gamma=0.1, n_components=500).fit_transform(X)

| here | in place of |
|---|---|
| Nystroem, RBFSampler, PolynomialCountSketch | sklearn.kernel_approximation |
| KernelRidge | sklearn.kernel_ridge |
| GaussianProcessRegressor | sklearn.gaussian_process |
| SVC, LinearSVC | sklearn.svm |
| KernelPCA | sklearn.decomposition |
| MDS | sklearn.manifold |
| AgglomerativeClustering | sklearn.cluster |
| OTTransport | ot.da.SinkhornTransport of POT |

Each process computes by itself, on n_jobs threads, also where a launcher has started several. On all ranks together the
functions of the package cairn compute.
"""
from cairn._estimators import (MDS, SVC, AgglomerativeClustering, GaussianProcessRegressor, KernelPCA, KernelRidge, LinearSVC,
                               OTTransport)
from cairn._maps import Nystroem, PolynomialCountSketch, RBFSampler

__all__ = ["AgglomerativeClustering", "GaussianProcessRegressor", "KernelPCA", "KernelRidge", "LinearSVC", "MDS", "Nystroem", "OTTransport",
           "PolynomialCountSketch", "RBFSampler", "SVC"]

for _public in __all__:
    globals()[_public].__module__ = __name__  # where pickle and readers find it
