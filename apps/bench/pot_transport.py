#!/usr/bin/python3
"""Sinkhorn iterations by POT: one line of JSON. dense: seconds an iteration on a matrix that is there. lazy: seconds an entry
where it is computed block by block. pixels: POT's example of color transfer, 1,000 pixels of each picture to all."""
import argparse
import json
import pathlib
import time

import numpy as np
import ot

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--mode", choices=("dense", "lazy", "pixels"), required=True)
parser.add_argument("--source", type=pathlib.Path, required=True, help=".npy")
parser.add_argument("--target", type=pathlib.Path, required=True, help=".npy")
parser.add_argument("--epsilon", type=float, required=True)
parser.add_argument("--iterations", type=int, default=20)
options = parser.parse_args()

x, y = np.load(options.source), np.load(options.target)
a, b = ot.unif(len(x)), ot.unif(len(y))


def seconds(iterations):
    start = time.perf_counter()
    if options.mode == "dense":
        ot.sinkhorn(a, b, matrix, options.epsilon, numItermax=iterations, stopThr=0, warn=False)
    else:
        ot.bregman.empirical_sinkhorn(x, y, options.epsilon, numIterMax=iterations, isLazy=True, stopThr=0, warn=False)
    return time.perf_counter() - start


if options.mode == "pixels":
    draw = np.random.default_rng(1)
    start = time.perf_counter()
    transport = ot.da.SinkhornTransport(reg_e=options.epsilon)
    transport.fit(Xs=x[draw.integers(len(x), size=1000)], Xt=y[draw.integers(len(y), size=1000)])
    transport.transform(Xs=x)
    print(json.dumps({"seconds": time.perf_counter() - start}))
else:
    matrix = ot.dist(x, y) if options.mode == "dense" else None
    once, more = seconds(1), seconds(1 + options.iterations)
    each = (more - once) / options.iterations
    print(json.dumps({"seconds_per_iteration": each, "nanoseconds_per_entry": 1e9 * each / len(x) / len(y)}))
