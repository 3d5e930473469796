"""Whether two result files hold the same approximation."""

import h5py
import numpy as np

CLOSE = 1e-10  # of the largest number


class Different(AssertionError):
    """Two results differ."""


def _require_close(name, one, other):
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if one.shape != other.shape:
        raise Different(f"{name}: {one.shape} and {other.shape}")
    if one.size == 0:
        return 0.0
    scale = np.abs(other).max() or 1.0
    difference = np.abs(one - other).max() / scale
    if not difference <= CLOSE:
        raise Different(f"{name} differs by {difference:.2e} of the largest number")
    return difference


def _sample(file):
    """K~ on a block of rows x columns that are spread over the matrix (factors alone are not unique)."""
    left, joining = file["left"], file["joining"]
    right = file["right"] if "right" in file else left
    rows = np.linspace(0, left.shape[0] - 1, 300).astype(int)
    rows = np.unique(rows)
    middle = {"identity": lambda j: np.eye(left.shape[1]), "diagonal": np.diag, "dense": np.array}
    return left[rows] @ middle[joining.attrs["layout"]](joining[:]) @ right[rows[::3]].T


def difference(path, other_path):
    """The largest relative difference of two results. @raises Different where it is more than CLOSE, OSError where a
    file is no sound HDF5 file."""
    with h5py.File(path, "r") as file, h5py.File(other_path, "r") as other:
        largest = _require_close("landmarks", file["landmarks/indices"], other["landmarks/indices"])
        if isinstance(file["left"], h5py.Group):
            for part in ("indptr", "indices", "data"):
                largest = max(largest, _require_close(f"left/{part}", file["left"][part], other["left"][part]))
            for name, tiles in (("W", file["joining"]),):
                largest = max(largest, _require_close(name, np.tril(tiles[:]), np.tril(other["joining"][:])))
        else:
            largest = max(largest, _require_close("left", file["left"], other["left"]))
            largest = max(largest, _require_close("K~", _sample(file), _sample(other)))
        return largest


def _columns(path):
    """The numbers of a CSV file; of a sweep's, the column of errors alone (others are times)."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text.endswith("\n"):
        raise Different(f"{path}: its last line is half of one")
    lines = [line.split(",") for line in text.splitlines()]
    if "relative_error" in lines[0]:
        column = lines[0].index("relative_error")
        return [[float(line[column])] for line in lines[1:]]
    return [[float(field) for field in line] for line in lines[1:]]


def output_difference(path, other_path):
    """difference() of what the other commands write: CSV, embeddings (signs of columns are free), points, results."""
    if path.endswith(".csv"):
        return _require_close("a column", _columns(path), _columns(other_path))
    with h5py.File(path, "r") as file, h5py.File(other_path, "r") as other:
        name = next(name for name in ("left", "embedding", "points") if name in other)
        return _require_close(name, np.abs(file[name][:]), np.abs(other[name][:]))
