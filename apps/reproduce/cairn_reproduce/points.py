"""Points and their classes as the papers scale them."""
import csv
import gzip
import io
import lzma
import math

import numpy as np

FILES = {"segment": "points/segment.svm.xz", "satimage": "points/satimage.svm.xz", "usps": "points/usps.train.gz", "letter": "points/letter.csv.xz"}


def raw(run, name):
    """Points and labels of a set of FILES, or `synthetic`: 1,000 points of 50 standard normal coordinates."""
    if name == "synthetic":
        return np.random.default_rng(1).standard_normal((1000, 50)), np.zeros(1000, int)
    path = run.data(FILES[name])
    if name == "usps":
        rows = np.loadtxt(io.StringIO(gzip.open(path, "rt").read()))
        return rows[:, 1:], rows[:, 0].astype(int)
    if name == "letter":
        with lzma.open(path, "rt") as file:
            lines = list(csv.reader(file))[1:]
        label = 0 if lines[0][0].isalpha() else len(lines[0]) - 1
        points = np.array([[float(value) for place, value in enumerate(line) if place != label] for line in lines])
        return points / 7.5 - 1, np.array([ord(line[label]) for line in lines])
    lines = [line.split() for line in lzma.open(path, "rt")]
    width = max(int(entry.split(":")[0]) for line in lines for entry in line[1:])
    points = np.zeros((len(lines), width))
    for row, line in enumerate(lines):
        for entry in line[1:]:
            column, value = entry.split(":")
            points[row, int(column) - 1] = float(value)
    return points, np.array([int(float(line[0])) for line in lines])


def scaled(run, name):
    """A CSV file of points / sqrt(10 d) with a label in its last column, and words that name it to cairn; made once."""
    path = run.path(f"{name}-scaled.csv")
    points, labels = raw(run, name)
    if not path.exists():
        with open(path, "w", encoding="utf-8") as file:
            for point, label in zip(points / math.sqrt(10 * points.shape[1]), labels):
                file.write(",".join(f"{value:.17g}" for value in point) + f",c{label}\n")
    return ("--data.path", path, "--data.label", points.shape[1] + 1, "--similarity.kind", "rbf", "--similarity.gamma", 1)
