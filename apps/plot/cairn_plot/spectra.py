"""The spectra of results."""

import os

from cairn_plot.colors import COLORS
from cairn_plot.problem import INPUT, Problem, open_hdf5, text_of


def read_spectrum(path):
    """Method and values (numpy array) of a result."""
    with open_hdf5(path) as file:
        report = file.get("report")
        if report is None or "spectrum" not in report:
            raise Problem(INPUT, f"{path}: not a file of cairn that can be drawn: it has neither /report/spectrum nor "
                                 "/fields")
        method = text_of(report.attrs.get("method", "an unknown method"))
        values = report["spectrum"][:]
    if not len(values):
        raise Problem(INPUT, f"{path}: holds no spectrum: its core matrix was not decomposed. "
                          "cairn evaluate --spectrum N estimates that of the matrix")
    return method, values


# What /report/spectrum holds where it is not the eigenvalues of the core matrix.
SPECTRUM_OF = {"skeleton": "singular value of S₂ᵀKS₁", "sicur": "singular value of S₂ᵀKS₁",
               "stacur": "eigenvalue of (KS₁)ᵀKS₁", "optimal": "magnitude of the eigenvalue of K"}


def plot_spectra(axes, paths):
    names = set()
    for number, path in enumerate(paths):
        method, values = read_spectrum(path)
        names.add(SPECTRUM_OF.get(method, "magnitude of the eigenvalue of the core matrix"))
        values = values[abs(values).argsort()[::-1]]
        places = range(1, len(values) + 1)
        color = COLORS[2 * number % len(COLORS)]
        label = method if len(paths) == 1 else f"{os.path.basename(path)}: {method}"
        axes.plot(places, abs(values), color=color, linewidth=0.8, alpha=0.5)
        for sign, marker, shade, words in ((1, "o", color, "positive"),
                                           (-1, "v", COLORS[(2 * number + 1) % len(COLORS)], "negative")):
            chosen = [(place, abs(value)) for place, value in zip(places, values) if sign * value > 0]
            if chosen:
                axes.plot(*zip(*chosen), linestyle="none", marker=marker, markersize=3.5, color=shade,
                          label=f"{label}, {len(chosen)} {words}")
    axes.set_yscale("log")
    axes.set_xlabel("place by magnitude")
    axes.set_ylabel(names.pop() if len(names) == 1 else "magnitude of the eigenvalue or singular value")
    axes.legend()
