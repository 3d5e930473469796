"""Coordinates that `cairn embed` found, as a cloud of dots."""

from cairn_plot.colors import COLORS
from cairn_plot.problem import INPUT, Problem, open_hdf5, text_of


def is_embedding(path):
    with open_hdf5(path) as file:
        return text_of(file.attrs.get("format", "")) == "cairn-embedding"


def read_embedding(path):
    """Two columns of coordinates, the shares of the trace that belong to them (percent), and labels or None."""
    with open_hdf5(path) as file:
        if file["embedding"].shape[1] < 2:
            raise Problem(INPUT, f"{path}: has one dimension, and a plot needs two")
        report = dict(zip((text_of(name) for name in file["report/names"][:]), file["report/values"][:]))
        shares = [100 * value / report["trace"] for value in file["eigenvalues"][:2]]
        labels = [text_of(label) for label in file["labels"][:]] if "labels" in file else None
        return file["embedding"][:, :2], shares, labels


def plot_embedding(axes, path):
    coordinates, shares, labels = read_embedding(path)
    dots = {"s": min(20, max(0.05, 4e4 / len(coordinates))), "linewidths": 0, "rasterized": True}
    classes = sorted(set(labels)) if labels else []
    if 1 < len(classes) <= len(COLORS):
        for color, name in zip(COLORS, classes):
            chosen = coordinates[[label == name for label in labels]]
            axes.scatter(chosen[:, 0], chosen[:, 1], color=color, label=name, **dots)
        axes.legend(markerscale=(20 / dots["s"]) ** 0.5)
    else:
        axes.scatter(coordinates[:, 0], coordinates[:, 1], color=COLORS[0], **dots)
    axes.set_aspect("equal")
    axes.set_xlabel(f"coordinate 1, {shares[0]:.3g} % of the trace")
    axes.set_ylabel(f"coordinate 2, {shares[1]:.3g} % of the trace")
