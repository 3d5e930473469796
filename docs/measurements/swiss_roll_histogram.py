#!/usr/bin/env python3
"""Figure 5 of Turek and Huth (2022), supplement: how the values of P are distributed on the Swiss roll.

usage: swiss_roll_histogram.py RESULT... HISTOGRAM.csv OUTPUT.png

Results of `cairn approximate --config configs/repro/biharmonic-swissroll.cfg` with all of P (p-row = l), one a draw; those
of the same neighbours and perplexity are one curve. Bins are 0.0099 wide, as the paper has them.
"""
import configparser
import csv
import sys
from collections import defaultdict

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

WIDTH = 0.0099  # the middle bin is [-0.00495, 0.00495]
EDGES = WIDTH * (np.arange(-40, 122) - 0.5)


def read(path):
    """Neighbours and perplexity, and the counts of P's values by bin; entries that are not stored are zeros."""
    with h5py.File(path, "r") as file:
        config = configparser.ConfigParser()
        config.read_string(file["provenance/config"][()].decode())
        keys = config["approximation"]
        values = file["left/data"][:]
        rows, columns = (int(k) for k in file["left"].attrs["shape"])
    counts, _ = np.histogram(values, EDGES)
    counts[40] += rows * columns - len(values)
    return (keys.get("neighbours", "20"), keys.get("perplexity", "20")), counts, rows * columns


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    draws = defaultdict(list)
    for path in sys.argv[1:-2]:
        setting, counts, entries = read(path)
        draws[setting].append(counts / entries)
    centres = (EDGES[1:] + EDGES[:-1]) / 2
    figure, axes = plt.subplots(figsize=(6.5, 4))
    with open(sys.argv[-2], "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["neighbours", "perplexity", "draws", "bin_centre", "share"])
        for colour, (setting, shares) in zip(["#0072B2", "#D55E00", "#009E73"], sorted(draws.items())):
            mean = np.mean(shares, axis=0)
            label = f"t = {setting[0]}, perplexity {setting[1]}: {100 * mean[40]:.2f} % near 0"
            axes.step(centres, 100 * mean, where="mid", color=colour, label=label)
            for centre, share in zip(centres, mean):
                table.writerow([*setting, len(shares), f"{centre:.4f}", f"{share:.6g}"])
            least, most = (100 * f([s[40] for s in shares]) for f in (min, max))
            print(f"{label} ({len(shares)} draws: {least:.2f} to {most:.2f})")
    axes.set_yscale("log")
    axes.set_xlabel("value of an entry of P")
    axes.set_ylabel("% of all entries, in bins of 0.0099")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(sys.argv[-1], dpi=110)


if __name__ == "__main__":
    main()
