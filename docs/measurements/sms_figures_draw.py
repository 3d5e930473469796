#!/usr/bin/env python3
"""Figures 1, 3 and 9 of Ray, Monath, McCallum and Musco (2022) from the tables of sms_figures.py, beside this file.

usage: sms_figures_draw.py FOLDER      writes sms-spectra.png, sms-errors.png and sms-shift.png to FOLDER

Curves are means over seeds, bands the standard deviation on both sides.
"""
import csv
import os
import statistics
import sys
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

HERE = os.path.dirname(os.path.abspath(__file__))
TITLES = {"twitter": "tweets, exp(-0.2 WMD)", "stsb": "STS-B sentences, exp(-0.2 WMD)",
          "mrpc": "MRPC sentences, exp(-0.2 WMD)", "stsb-match": "STS-B sentences, greedy matching",
          "stsb-logistic": "STS-B sentences, logistic of matching",
          "twitter-tanh": "tweets, tanh(1 - WMD / 5)", "psd": "Z Zᵀ, Z normal, 1,000 x 1,000"}
METHODS = {  # name, colour and marker
    "optimal": ("best of rank s", "#000000", "X"), "nystrom-plain": ("Nyström, pseudoinverse", "#56B4E9", "P"),
    "nystrom": ("Nyström, Cairn's tolerance", "#0072B2", "o"), "sms-nystrom": ("SMS-Nyström", "#D55E00", "s"),
    "sicur": ("SiCUR (s = s2)", "#009E73", "^"), "skeleton": ("skeleton", "#E69F00", "v"),
    "stacur-s": ("StaCUR (s)", "#CC79A7", "D"), "stacur-d": ("StaCUR (d)", "#999999", "p"),
}
SHIFT_COLOURS = {"0.5": "#56B4E9", "1": "#0072B2", "1.5": "#D55E00", "2": "#009E73"}
SHIFT_MARKERS = {1: (":", "v"), 2: ("-", "s"), 3: ("--", "^")}


def read(name):
    """Matrix -> its lines."""
    lines = defaultdict(list)
    with open(os.path.join(HERE, name), newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            lines[line["matrix"]].append(line)
    return lines


def curve(axes, lines, **style):
    points = defaultdict(list)
    for line in lines:
        points[int(line["s"]) / int(line["n"])].append(float(line["relative_error"]))
    shares = sorted(points)
    means = [statistics.mean(points[share]) for share in shares]
    spreads = [statistics.stdev(points[share]) if len(points[share]) > 1 else 0 for share in shares]
    axes.plot(shares, means, markersize=4, **style)
    low = [max(mean - spread, mean / 10) for mean, spread in zip(means, spreads)]  # logarithms of positive numbers
    axes.fill_between(shares, low, [m + s for m, s in zip(means, spreads)], color=style["color"], alpha=0.15, lw=0)


def dress(axes, title, top):
    axes.set_title(title, fontsize=10)
    axes.set_yscale("log")
    axes.set_xlabel("s / n")
    axes.set_ylim(top=min(axes.get_ylim()[1], top))
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(alpha=0.3)


def draw_spectra(lines):
    figure, panels = plt.subplots(2, 4, figsize=(15, 6.4))
    panels[1][3].axis("off")
    for axes, (name, title) in zip(panels.flat, TITLES.items()):
        values = [(int(line["place"]), float(line["eigenvalue"])) for line in lines[name] if int(line["place"]) > 1]
        for sign, colour, word in ((1, "#0072B2", "positive"), (-1, "#D55E00", "negative")):
            chosen = [(place, value) for place, value in values if sign * value > 0]
            axes.vlines([place for place, _ in chosen], 0, [value for _, value in chosen], color=colour, lw=1.2,
                        label=f"{word}: {len(chosen)}")
        axes.axhline(0, color="black", lw=0.5)
        axes.set_yscale("symlog", linthresh=1)
        axes.set_title(title, fontsize=10)
        axes.legend(fontsize=8)
    for axes in panels[1][:3]:
        axes.set_xlabel("place by magnitude")
    for axes in panels[:, 0]:
        axes.set_ylabel("eigenvalue (linear within ±1)")
    return figure


def draw_errors(lines):
    figure, panels = plt.subplots(2, 4, figsize=(16, 7.6))
    panels[1][3].axis("off")
    for axes, (name, title) in zip(panels.flat, TITLES.items()):
        for method, (label, colour, marker) in METHODS.items():
            own = [line for line in lines[name] if line["method"] == method]
            curve(axes, own, color=colour, marker=marker, label=label)
        dress(axes, f"{title}, n = {int(lines[name][0]['n']):,}", 10)
    for axes in panels[:, 0]:
        axes.set_ylabel("relative error (Frobenius)")
    handles = panels[0][0].get_legend_handles_labels()
    panels[1][3].legend(*handles, loc="center", fontsize=10)
    return figure


def draw_shift(lines):
    figure, panels = plt.subplots(1, len(lines), figsize=(6 * len(lines), 4.8), squeeze=False)
    for axes, (name, own) in zip(panels[0], lines.items()):
        for multiple, (dashes, marker) in SHIFT_MARKERS.items():
            for alpha, colour in SHIFT_COLOURS.items():
                chosen = [line for line in own if line["alpha"] == alpha and int(line["s2"]) == multiple * int(line["s"])]
                curve(axes, chosen, color=colour, marker=marker, linestyle=dashes, label=f"*{multiple}, {alpha}")
        dress(axes, f"{TITLES[name]}, n = {int(own[0]['n']):,}", 100)
    panels[0][0].set_ylabel("relative error (Frobenius)")
    panels[0][0].legend(fontsize=7, ncol=3, title="s2 / s1, alpha", title_fontsize=8)
    return figure


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, draw in (("spectra", draw_spectra), ("errors", draw_errors), ("shift", draw_shift)):
        figure = draw(read(f"sms-{name}.csv"))
        figure.suptitle("Words by GloVe vectors of 100 dimensions, in place of the paper's word2vec of 300", fontsize=11)
        figure.tight_layout()
        figure.savefig(os.path.join(sys.argv[1], f"sms-{name}.png"), dpi=100)


if __name__ == "__main__":
    main()
