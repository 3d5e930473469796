"""Exact path lengths from the hierarchy that a result of a graph keeps."""

import numpy as np

from cairn_plot.factors import Table

MOST = 2_000_000  # vertices, for which a search takes seconds


def keeps_lengths(file):
    return "hierarchy" in file and len(file["hierarchy/vertices"]) <= MOST


class Lengths:
    """Searches that go up from a vertex to its ancestors, then down to all vertices."""

    def __init__(self, file):
        def read(name):
            return Table(file, "hierarchy/" + name).all()

        self.vertices, self.depths = read("vertices"), read("depths").astype(int)
        self.starts = np.concatenate([[0], np.cumsum(read("degrees"), dtype=np.int64)]).tolist()
        self.arcs = list(zip(read("heads").tolist(), read("lengths").astype(float).tolist()))
        self.places = np.argsort(self.vertices)

    def ancestors(self, place):
        chain = [int(place)]
        while depth := self.depths[chain[-1]]:
            chain.append(int(np.flatnonzero(self.depths[:chain[-1]] == depth - 1)[-1]))
        return chain

    def to_all(self, vertex):
        """Path lengths from this vertex to each."""
        chain = self.ancestors(self.places[vertex])
        up = [np.inf] * len(chain)
        up[-1] = 0.0
        for place in chain:
            here = up[self.depths[place]]
            for head, length in self.arcs[self.starts[place]:self.starts[place + 1]]:
                up[head] = min(up[head], here + length)
        found = np.full(len(self.vertices), np.inf)
        found[chain[::-1]] = up
        found = found.tolist()
        path = [0] * (int(self.depths.max()) + 1)  # lengths to the ancestors of the place that the sweep is at
        for place, depth in enumerate(self.depths.tolist()):
            best = found[place]
            for head, length in self.arcs[self.starts[place]:self.starts[place + 1]]:
                if path[head] + length < best:
                    best = path[head] + length
            path[depth] = found[place] = best
        lengths = np.empty(len(found))
        lengths[self.vertices] = found
        return lengths
