"""The factors of a result, K~ = g(L J R'), read by blocks of rows that are held against their checksums."""

import zlib

import numpy as np

from cairn_plot.problem import INPUT, Problem

BLOCK = 1 << 24  # bytes of a block of a dense factor


class Table:
    """A data set whose rows are read in blocks, each compared with its checksum."""

    def __init__(self, file, name):
        self.data, self.name, self.path = file[name], name, file.filename
        self.size = self.data.shape[0]
        self.step = int(self.data.attrs.get("crc32_rows", 0))
        self.sums = file["crc32/" + name][:] if self.step else None

    def read(self, begin, end):
        if not self.step:
            rows = self.data[begin:end]
            if (begin, end) == (0, self.size):
                self.compare(rows, self.data.attrs.get("crc32"))
            return rows
        first = begin // self.step
        start = first * self.step
        rows = self.data[start:-(-end // self.step) * self.step]
        for k, at in enumerate(range(0, len(rows), self.step)):
            self.compare(rows[at:at + self.step], self.sums[first + k])
        return rows[begin - start:end - start]

    def compare(self, rows, checksum):
        if checksum is not None and rows.dtype != object and zlib.crc32(rows.tobytes()) != int(checksum):
            raise Problem(INPUT, f"{self.path}: /{self.name} does not agree with its checksum: the file is damaged")

    def all(self):
        return self.read(0, self.size)

    def picked(self, rows):
        """Of ascending rows."""
        step = max(self.step, 4096)
        found = [self.read(at * step, min(self.size, (at + 1) * step))[rows[rows // step == at] - at * step]
                 for at in np.unique(rows // step)]
        return np.concatenate(found) if found else self.data[:0]


class Dense:
    """A factor with all its entries."""

    def __init__(self, file, name):
        self.table = Table(file, name)
        self.rows, self.columns = self.table.data.shape
        step = max(1, BLOCK // max(1, 8 * self.columns))
        self.step = -(-step // self.table.step) * self.table.step if self.table.step else step

    def blocks(self):
        for begin in range(0, self.rows, self.step):
            yield begin, self.table.read(begin, min(self.rows, begin + self.step)).astype(float)

    def times(self, matrix):
        return np.concatenate([block @ matrix for _, block in self.blocks()])

    def picked(self, rows):
        return self.table.picked(rows).astype(float)


class Sparse:
    """A factor in compressed rows."""

    def __init__(self, file, name):
        self.rows, self.columns = map(int, file[name].attrs["shape"])
        self.starts = Table(file, name + "/indptr").all()
        self.places, self.values = Table(file, name + "/indices"), Table(file, name + "/data")
        self.step = max(1, 4 * BLOCK // (8 * max(1, self.columns)))

    def part(self, begin, end):
        """Row (from 0), column and value of each entry."""
        starts = self.starts[begin:end + 1]
        rows = np.repeat(np.arange(end - begin), np.diff(starts))
        return rows, self.places.read(starts[0], starts[-1]), self.values.read(starts[0], starts[-1]).astype(float)

    def blocks(self):
        for begin in range(0, self.rows, self.step):
            end = min(self.rows, begin + self.step)
            yield begin, self.dense(begin, end, np.arange(begin, end))

    def dense(self, begin, end, wanted):
        """Of the wanted rows from `begin` to `end`, ascending."""
        place = np.full(end - begin, -1)
        place[wanted - begin] = np.arange(len(wanted))
        rows, columns, values = self.part(begin, end)
        rows = place[rows]
        chosen = rows >= 0
        block = np.zeros((len(wanted), self.columns))
        block[rows[chosen], columns[chosen]] = values[chosen]
        return block

    def times(self, matrix):
        products = np.zeros((self.rows, matrix.shape[1]))
        for begin, end in self.ranges():
            rows, columns, values = self.part(begin, end)
            for k in range(matrix.shape[1]):
                products[begin:end, k] = np.bincount(rows, values * matrix[columns, k], end - begin)
        return products

    def picked(self, rows):
        """Of ascending rows."""
        found = [self.dense(begin, end, wanted) for begin, end in self.ranges()
                 if len(wanted := rows[(begin <= rows) & (rows < end)])]
        return np.concatenate(found)

    def ranges(self):
        """Of more rows than a block has, which are not made dense together."""
        step = 16 * self.step
        return [(begin, min(self.rows, begin + step)) for begin in range(0, self.rows, step)]


class Hanging:
    """Rows of a core, and those of the trees that hang from it: the row of the root, the height above it, and 1."""

    def __init__(self, file, name):
        self.core = Sparse(file, name)
        self.parents, self.heights = Table(file, "trees/parents").all(), Table(file, "trees/heights").all()
        self.rows, self.columns = len(self.parents), self.core.columns + 2
        self.roots = np.arange(self.rows)
        while (above := self.parents[self.roots] >= 0).any():
            self.roots = np.where(above, self.parents[self.roots], self.roots)
        self.places = np.searchsorted(np.flatnonzero(self.parents < 0), self.roots)

    def times(self, matrix):
        return self.core.times(matrix[:-2])[self.places] + self.heights[:, None] * matrix[-2] + matrix[-1]

    def picked(self, rows):
        places, order = np.unique(self.places[rows], return_inverse=True)
        return np.column_stack([self.core.picked(places)[order.reshape(-1)], self.heights[rows], np.ones(len(rows))])

    def common_heights(self, row):
        """Of the lowest common ancestor of each object and this one; 0 outside of its tree."""
        known = np.full(self.rows, -1.0)
        known[self.roots] = 0
        while row >= 0:
            known[row] = self.heights[row]
            row = self.parents[row]
        places = np.arange(self.rows)
        while (below := known[places] < 0).any():
            places = np.where(below, self.parents[places], places)
        return known[places]


class Core:
    """J, whose tiles are read as they are needed."""

    def __init__(self, file):
        self.file, self.data = file, file["joining"]
        self.layout = self.data.attrs["layout"]

    def before(self, rows):
        """rows J."""
        if self.layout == "identity":
            return rows
        if self.layout == "symmetric-tiles":
            return self.tiles(rows)
        values = Table(self.file, "joining").all()
        return rows * values if self.layout == "diagonal" else rows @ values

    def after(self, rows):
        """rows J', J times the transposed rows."""
        return rows @ Table(self.file, "joining").all().T if self.layout == "dense" else self.before(rows)

    def tiles(self, rows):
        order, size = int(self.data.attrs["order"]), int(self.data.attrs["size"])
        sums = self.file["crc32/joining"][:] if "crc32/joining" in self.file else None
        products = np.zeros((len(rows), size))
        number = 0
        for i in range(0, size, order):
            for j in range(0, i + 1, order):
                tile = self.data[i:i + order, j:j + order]
                if sums is not None and zlib.crc32(tile.tobytes()) != sums[number]:
                    raise Problem(INPUT, f"{self.file.filename}: /joining does not agree with its checksum: the file is damaged")
                number += 1
                products[:, j:j + order] += rows[:, i:i + order] @ tile
                if i != j:
                    products[:, i:i + order] += rows[:, j:j + order] @ tile.T
        return products


class Factors:
    """Entries of the approximation of an open result."""

    def __init__(self, file):
        def factor(name):
            return Dense(file, name) if hasattr(file[name], "shape") else Sparse(file, name)

        if "left" not in file:
            raise Problem(INPUT, f"{file.filename}: keeps no rows of its left factor (store-left = false), of which a page consists; "
                                 "cairn extend computes those of some objects")
        self.left = Hanging(file, "left") if "trees" in file else factor("left")
        self.right = factor("right") if "right" in file else self.left
        self.core = Core(file)
        self.root = file.attrs["transform"] == "sqrt"
        self.distances = file.attrs["meaning"] == "distance"
        self.rectangular = bool(file.attrs.get("rectangular", False))
        self.symmetric = bool(file.attrs["symmetric"])
        self.symmetrize = bool(file.attrs["symmetrize"])
        self.near = Sparse(file, "near") if "near" in file else None

    def values(self, products):
        return np.sqrt(np.maximum(products, 0)) if self.root else products

    def whole_rows(self, rows):
        """Of K~, and the exact entries of near objects where they are kept: len(rows) x n'."""
        found = self.values(self.right.times(self.core.before(self.left.picked(rows)).T).T)
        if self.symmetrize:
            found = (found + self.values(self.left.times(self.core.after(self.right.picked(rows)).T).T)) / 2
        for k, row in enumerate(rows):
            if isinstance(self.left, Hanging):
                found[k] -= 2 * self.left.common_heights(row)
            if self.near is not None:
                _, columns, values = self.near.part(row, row + 1)
                found[k, columns] += values
        return found

    def cosines(self, rows):
        """Of the angles between rows of a dense left factor, these and all: len(rows) x n."""
        lengths = np.concatenate([np.linalg.norm(block, axis=1) for _, block in self.left.blocks()])
        lengths[lengths == 0] = 1
        return self.left.times(self.left.picked(rows).T).T / lengths[rows, None] / lengths

    def block(self, rows, columns):
        """Entries of L J R', or the mean of it and its transpose: rows x columns, of which there are fewer."""
        found = self.left.picked(rows) @ self.core.after(self.right.picked(columns)).T
        if self.symmetric:
            return found
        return (found + self.right.picked(rows) @ self.core.before(self.left.picked(columns)).T) / 2

    def eigenvalues(self, most):
        """Of L J L', from triangular factors of blocks of rows. None if the work exceeds `most` products, or there are
        trees or two factors."""
        size = self.left.columns
        if self.left is not self.right or isinstance(self.left, Hanging) or 2.0 * self.left.rows * size**2 > most:
            return None
        triangle = np.zeros((0, size))
        for _, block in self.left.blocks():
            triangle = np.linalg.qr(np.concatenate([triangle, block]), mode="r")
        product = self.core.before(triangle) @ triangle.T
        return np.linalg.eigvalsh((product + product.T) / 2)[::-1]
