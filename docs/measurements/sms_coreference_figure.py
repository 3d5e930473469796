#!/usr/bin/env python3
"""Figure 4 of Ray, Monath, McCallum and Musco (2022) from the table of sms_coreference.py.

usage: sms_coreference_figure.py TABLE.csv OUTPUT.png

Above the relative error, below the CoNLL F1 at the threshold that is best for K itself, against the share of columns.
Curves are means over seeds, bands their range; the dashed line is K itself.
"""
import csv
import sys
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

METHODS = {  # colour and marker
    "optimal": ("#000000", "X"), "nystrom": ("#0072B2", "o"), "nystrom plain": ("#56B4E9", "P"),
    "sms-nystrom": ("#D55E00", "s"), "sms-nystrom rescaled": ("#E69F00", "v"), "sicur": ("#009E73", "^"),
    "stacur": ("#CC79A7", "D"),
}
NAMES = {"optimal": "best of rank s", "nystrom": "Nyström", "nystrom plain": "Nyström, plain",
         "sms-nystrom": "SMS-Nyström", "sms-nystrom rescaled": "SMS-Nyström, rescaled", "sicur": "SiCUR",
         "stacur": "StaCUR"}


def read(path):
    """Kind of mentions -> method -> share -> lines of the table, of scores by aligned words over the whole corpus."""
    lines = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    with open(path, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if (line["similarity"], line["scope"]) == ("aligned", "corpus"):
                lines[line["mentions"]][line["method"]][float(line["share"] or 0)].append(line)
    return lines


def curves(axes, methods, figure):
    for method, (colour, marker) in METHODS.items():
        shares = sorted(methods.get(method, {}))
        values = [[float(line[figure]) for line in methods[method][share]] for share in shares]
        axes.plot(shares, [sum(v) / len(v) for v in values], color=colour, marker=marker, markersize=4,
                  label=NAMES[method])
        axes.fill_between(shares, [min(v) for v in values], [max(v) for v in values], color=colour, alpha=0.15, lw=0)
    axes.grid(alpha=0.3)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    kinds = read(sys.argv[1])
    figure, panels = plt.subplots(2, len(kinds), figsize=(5.2 * len(kinds), 7.6), squeeze=False, sharex="col")
    for (above, below), (kind, methods) in zip(panels.T, kinds.items()):
        exact = methods["exact"][0.0][0]
        curves(above, methods, "relative_error")
        above.set_yscale("log")
        above.set_ylim(bottom=0.01)
        above.set_title(f"{kind}, n = {int(exact['n']):,} (GloVe 100)")
        curves(below, methods, "conll_f1")
        below.axhline(float(exact["conll_f1"]), color="black", linestyle="--", linewidth=1, label="K itself")
        below.set_xlabel("s / n")
    panels[0][0].set_ylabel("relative error")
    panels[1][0].set_ylabel("CoNLL F1 at the threshold of K")
    panels[1][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
