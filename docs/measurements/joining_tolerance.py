#!/usr/bin/env python3
"""The tables of docs/method-nystrom.md: errors of the Nystrom and CUR family by tolerance, in NumPy, independent of Cairn.

usage: joining_tolerance.py SEGMENT     segment.svm or segment.svm.xz (UCI, 2,310 x 19)

Relative Frobenius errors, medians of 5 draws of uniform landmarks, n = 1000.
"""
import lzma
import sys

import numpy as np

N, REPEATS = 1000, 5
SAMPLES = (50, 100, 400)


def read_libsvm(path):
    opened = lzma.open(path, "rt") if path.endswith(".xz") else open(path)
    with opened as lines:
        rows = [dict((int(i), float(v)) for i, v in (t.split(":") for t in line.split()[1:])) for line in lines]
    points = np.zeros((len(rows), max(max(r) for r in rows if r)))
    for i, row in enumerate(rows):
        for j, value in row.items():
            points[i, j - 1] = value
    return points


def squared_distances(points):
    products = points @ points.T
    norms = np.diag(products)
    return np.maximum(norms[:, None] + norms[None] - 2 * products, 0)


def matrices(segment, random):
    normal = random.standard_normal((N, 5))
    noise = np.triu(random.standard_normal((N, N)) * 0.02 / np.sqrt(2), 1)
    noise = noise + noise.T + np.diag(random.standard_normal(N) * 0.02)
    distances = squared_distances(normal)
    yield "rbf", np.exp(-distances / 20)
    yield "rbf, wide", np.exp(-distances / 200)
    yield "rbf + noise", np.exp(-distances / 20) + noise
    yield "rbf + noise / 100", np.exp(-distances / 20) + noise / 100
    yield "tanh(x·y / 5 + 1)", np.tanh(normal @ normal.T / 5 + 1)
    deviation = segment.std(0)
    points = ((segment - segment.mean(0)) / np.where(deviation > 0, deviation, 1))[random.permutation(len(segment))[:N]]
    distances = squared_distances(points)
    yield "segment, rbf", np.exp(-distances / np.median(distances))
    yield "segment, rbf wide", np.exp(-distances / np.median(distances) / 100)
    yield "segment, euclidean", np.sqrt(distances)


def error(matrix, approximation):
    return np.linalg.norm(matrix - approximation) / np.linalg.norm(matrix)


def nystrom(matrix, columns, values, vectors, tolerance, positive=False):
    keep = np.abs(values) > tolerance * np.abs(values).max()
    if positive:
        keep &= values > 0
    joining = (vectors[:, keep] / values[keep]) @ vectors[:, keep].T
    return error(matrix, columns @ joining @ columns.T)


def draw(matrix, s, random):
    """Errors of every variant for one draw of landmarks."""
    sample = random.permutation(N)[: 2 * s]
    first, second, half = sample[:s], sample[s:], sample[: s // 2]
    columns = matrix[:, first]
    block = columns[first]
    values, vectors = np.linalg.eigh(block)
    default = np.clip(-values[0] / np.abs(values).max(), 1e-10, 1e-3)
    result = {f"nystrom {t:g}": nystrom(matrix, columns, values, vectors, t)
              for t in (1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2)}
    result["nystrom default"] = nystrom(matrix, columns, values, vectors, default)
    result["positive default"] = nystrom(matrix, columns, values, vectors, default, True)
    pair = np.linalg.eigvalsh(matrix[np.ix_(sample, sample)])
    shift = max(0, -1.5 * pair[0])
    joining = np.linalg.pinv(block + shift * np.eye(s), rcond=1e-10, hermitian=True)
    shifted = columns.copy()
    shifted[first, range(s)] += shift
    result["sms joining"] = error(matrix, columns @ joining @ columns.T)
    result["sms both"] = error(matrix, shifted @ joining @ shifted.T)
    result["shift / rms eigenvalue"] = shift / np.sqrt((pair ** 2).mean())
    for t in (1e-12, 1e-10, 1e-8, 1e-4, 1e-3):
        joining = np.linalg.pinv(matrix[np.ix_(first, half)], rcond=t)
        result[f"sicur {t:g}"] = error(matrix, matrix[:, half] @ joining @ columns.T)
        joining = np.linalg.pinv(matrix[np.ix_(second, first)], rcond=t)
        result[f"skeleton {t:g}"] = error(matrix, columns @ joining @ matrix[:, second].T)
    for t in (1e-12, 1e-8, 1e-4):
        joining = N / s * np.linalg.pinv(columns.T @ columns, rcond=t, hermitian=True) @ block
        result[f"stacur {t:g}"] = error(matrix, columns @ joining @ columns.T)
    return result


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    random = np.random.default_rng(1)
    for name, matrix in matrices(read_libsvm(sys.argv[1]), random):
        for s in SAMPLES:
            draws = [draw(matrix, s, random) for _ in range(REPEATS)]
            for variant in draws[0]:
                print(f"{name};{s};{variant};{np.median([d[variant] for d in draws]):.2g}", flush=True)


if __name__ == "__main__":
    main()
