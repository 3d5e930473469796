"""Entries of K~ by NumPy, from a result file alone."""

import h5py
import numpy


def sparse(group):
    """A matrix in compressed rows, dense."""
    full = numpy.zeros(tuple(group.attrs["shape"]))
    starts = group["indptr"][:]
    for i in range(full.shape[0]):
        some = slice(starts[i], starts[i + 1])
        full[i, group["indices"][some]] = group["data"][some]
    return full


def joining(file, columns):
    values, layout = file["joining"], file["joining"].attrs["layout"]
    if layout == "identity":
        return numpy.eye(columns)
    if layout == "diagonal":
        return numpy.diag(values[:])
    if layout == "dense":
        return values[:]
    lower = numpy.tril(values[:].astype(float))
    return lower + numpy.tril(lower, -1).T


def entries(path):
    """K~ as docs/file-format.md has it; of which entries (not those within one hanging tree); tolerance; whether K~ is a distance."""
    with h5py.File(path, "r") as file:
        left = sparse(file["left"]) if isinstance(file["left"], h5py.Group) else file["left"][:].astype(float)
        roots = None
        if "trees" in file:
            parents, heights = file["trees/parents"][:], file["trees/heights"][:]
            roots = numpy.arange(len(parents))
            while (parents[roots] >= 0).any():
                roots = numpy.where(parents[roots] >= 0, parents[roots], roots)
            core = numpy.searchsorted(numpy.flatnonzero(parents < 0), roots)
            left = numpy.column_stack((left[core], heights, numpy.ones(len(roots))))
        right = file["right"][:].astype(float) if "right" in file else left
        product = left @ joining(file, left.shape[1]) @ right.T
        if file.attrs["transform"] == "sqrt":
            product = numpy.sqrt(numpy.maximum(product, 0))
        if file.attrs["symmetrize"]:
            product = (product + product.T) / 2
        known = numpy.ones(product.shape, bool)
        if roots is not None:
            in_core = numpy.arange(len(roots)) == roots
            known = (roots[:, None] != roots) | in_core[:, None] | in_core
        if "near" in file and "hierarchy" not in file:  # beside a hierarchy, K~ alone was asked for
            product = product + sparse(file["near"])
        return product, known, 1e-4 if file.attrs["precision"] == "single" else 1e-9, file.attrs["meaning"] == "distance"
