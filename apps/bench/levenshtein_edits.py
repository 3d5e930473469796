#!/usr/bin/python3
"""Levenshtein's distances by python3-levenshtein: one line of JSON, as bench_sequences prints.

The lines, those of rows and then those of columns, are what bench_sequences wrote.
"""
import argparse
import json
import pathlib
import time

import Levenshtein

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--lines", type=pathlib.Path, required=True)
parser.add_argument("--rows", type=int, required=True)
options = parser.parse_args()

lines = options.lines.read_text(encoding="utf-8").split("\n")[:-1]
rows, columns = lines[:options.rows], lines[options.rows:]
distance = Levenshtein.distance
start = time.perf_counter()
total = sum(distance(x, y) for x in rows for y in columns)
seconds = time.perf_counter() - start
print(json.dumps({"pairs_a_second": len(rows) * len(columns) / seconds, "all_distances": total}))
