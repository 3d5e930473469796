"""Places of objects in the plane: from factors, or from a file."""

import numpy as np

from cairn_plot.factors import Hanging, Table
from cairn_plot.problem import INPUT, Problem, is_hdf5, open_hdf5

REFERENCES = 1000   # objects of the sample, fewer if factors have thousands of columns


def coordinates_of(factors, rows):
    """Of these rows, two for each, and their shares of the trace; None, None if there are no two positive eigenvalues.
    The plane is that of a random sample of objects, by classical scaling or kernel principal components; the others
    are placed by their values to the sample."""
    rooted = np.flatnonzero(factors.left.parents < 0) if isinstance(factors.left, Hanging) else np.arange(factors.left.rows)
    count = min(len(rooted), REFERENCES, max(200, 2_000_000 // factors.left.columns))
    sample = np.sort(np.random.default_rng(0).choice(rooted, count, replace=False))

    def products(chosen):
        block = factors.block(chosen, sample)
        if factors.distances:
            return -(block if factors.root else block**2) / 2
        return factors.values(block)

    own = products(sample)
    means = own.mean(axis=0)
    centered = own - means - means[:, None] + own.mean()
    values, vectors = np.linalg.eigh((centered + centered.T) / 2)
    values, vectors = values[::-1][:2], vectors[:, ::-1][:, :2]
    trace = np.trace(centered)
    if len(values) < 2 or not values[1] > 1e-10 * values[0] or not trace > 0:
        return None, None
    points = (products(rows) - means) @ (vectors / np.sqrt(values))
    return points * np.where(points[np.abs(points).argmax(axis=0), [0, 1]] < 0, -1, 1), values / trace


def read_positions(path, file):
    """Two columns of numbers, one row for each object of an open result."""
    if is_hdf5(path):
        with open_hdf5(path) as other:
            if "embedding" not in other:
                raise Problem(INPUT, f"{path}: has no /embedding")
            if other.attrs.get("data_digest", file.attrs["data_digest"]) != file.attrs["data_digest"]:
                raise Problem(INPUT, f"{path}: is of other objects than {file.filename}")
            points = Table(other, "embedding").all()
    else:
        try:
            points = np.load(path) if path.endswith(".npy") else read_text(path, file)
        except (OSError, ValueError) as error:
            raise Problem(INPUT, f"{path}: cannot be read as positions: {' '.join(str(error).split())}")
    count = len(file["trees/parents"]) if "trees" in file else int(file["left"].attrs["shape"][0]) if hasattr(file["left"], "keys") else len(file["left"])
    if points.ndim != 2 or points.shape[1] < 2 or len(points) != count or not np.isfinite(points).all():
        raise Problem(INPUT, f"{path}: needs {count:,} rows of two or more finite numbers, one for each object")
    return points[:, :2].astype(float)


def read_text(path, file):
    """Lines x,y or, with a header whose first name ends in id, the number in the data, x, y."""
    with open(path, encoding="utf-8") as file_of_text:
        lines = [line for line in file_of_text.read().splitlines() if line.strip()]
    first = lines[0] if lines else ""
    headed = any(character.isalpha() for character in first.replace("e", "").replace("E", ""))
    points = np.array([line.replace(",", " ").split() for line in lines[headed:]], dtype=float)
    if headed and first.split(",")[0].strip().lower().endswith("id"):
        numbers = Table(file, "numbers").all() if "numbers" in file else np.arange(len(points))
        if "numbers" not in file and "labels" in file:  # files of 0.1.0
            numbers = Table(file, "labels").all().astype(np.int64)
        order = np.argsort(points[:, 0], kind="stable")
        places = np.searchsorted(points[order, 0], numbers).clip(0, len(points) - 1)
        if not np.array_equal(points[order[places], 0], numbers):
            raise Problem(INPUT, f"{path}: lacks some numbers of the objects")
        return points[order[places], 1:]
    return points
