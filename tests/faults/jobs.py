"""The jobs that are disturbed: one of each kind of long loop, short ones and such of five to ten seconds."""

GRID = ["--data.kind", "graph", "--data.generate", "grid", "--data.largest-component", "true"]
MIXTURE = ["--data.generate", "gaussian-mixture", "--similarity.kind", "rbf", "--similarity.gamma", "2",
           "--approximation.method", "nystrom"]


def entries(points, dimension, landmarks):
    """Similarities of points, in tiles of the n x s block, and the probe's."""
    return [*MIXTURE, "--data.points", str(points), "--data.dimension", str(dimension), "--landmarks.count",
            str(landmarks)]


def sources(points, landmarks):
    """Path lengths, a tile for 64 sources each, and whole rows for the error."""
    return [*GRID, "--data.points", str(points), "--similarity.kind", "path-length", "--landmarks.count",
            str(landmarks), "--approximation.method", "nystrom", "--evaluation.rows", "20"]


def biharmonic(points, landmarks, solver):
    """Columns of P, then tiles of W; P's columns come from a solver of the whole graph or, from 4,200 landmarks on, of patches."""
    tolerance = ["--approximation.tolerance", "1e-4"] if solver == "local" else []
    return [*GRID, "--data.points", str(points), "--landmarks.count", str(landmarks), "--approximation.p-row", "20",
            "--approximation.solver", solver, *tolerance, "--evaluation.rows", "20"]


SHORT = {  # well under a second
    "entries": entries(6000, 20, 60),
    "sources": sources(2500, 60),
    "P direct": biharmonic(2500, 150, "direct"),
    "P and W": biharmonic(2500, 300, "local"),
}
LONG = {  # five to ten seconds on two cores
    "entries": entries(90000, 1000, 400),
    "sources": sources(60000, 800),
    "P direct": biharmonic(60000, 1000, "direct"),
    "P and W": biharmonic(160000, 5000, "local"),
}
MIDDLE = {  # a second or two: enough for a kill to hit any phase
    "entries": entries(40000, 400, 200),
    "sources": sources(30000, 640),
    "P direct": biharmonic(16000, 500, "direct"),
    "P and W": biharmonic(40000, 4500, "local"),
}

_POINTS = ["--data.path", "p.csv", "--similarity.kind", "rbf", "--similarity.gamma", "2", "--landmarks.count", "12",
           "--approximation.method", "nystrom"]
SMALL = {  # a tenth of a second of work: for faults, of which there are many
    "entries": _POINTS,
    "entries, gone on with": _POINTS,
    "sources": sources(900, 20),
    "P and W": biharmonic(900, 100, "local"),
    "P direct, gone on with": biharmonic(900, 70, "direct"),
}


def write_points(path, count):
    """A file of points that needs no random numbers."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("x0,x1,x2\n")
        for i in range(count):
            file.write(",".join(repr(((i * 7919 + 31) * (j + 2) * 104729 % 1009) / 1009) for j in range(3)) + "\n")


COMMANDS = {  # name: the file that is written, the command, and one that writes an older file of the name
    "sweep": ("out.csv", ["sweep", *(_POINTS[:-4]), *_POINTS[-2:], "--vary", "landmarks.count=9,12", "--output.csv",
                          "out.csv", "--restart"], None),  # the older file has the first of the two runs
    "evaluate": ("out.csv", *(["evaluate", "in.h5", "--row", row, "--out", "out.csv"] for row in ("5", "4"))),
    "query": ("out.csv", *(["query", "in.h5", "--row", row, "--out", "out.csv"] for row in ("5", "4"))),
    "extend": ("out.h5", *(["extend", "in.h5", "--data.path", path, "--output.path", "out.h5"]
                           for path in ("p.csv", "q.csv"))),
    "embed": ("out.h5", *(["embed", "in.h5", "--dimension", dimension, "--out", "out.h5"] for dimension in ("2", "3"))),
    "convert": ("out.h5", *(["convert", path, "out.h5"] for path in ("p.csv", "q.csv"))),
}
