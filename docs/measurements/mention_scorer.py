#!/usr/bin/env python3
"""The scorer of sms_coreference.py, for Cairn (docs/external-scorers.md): pairs of numbers of mentions, a score each.

usage: mention_scorer.py WORDS.json     vectors and weights of words, and the words of each mention

The score of (i, j) is 1 / (1 + exp(12 - 10 a - 5 b)): a is the weighted mean over the words of mention i of the cosine with
the nearest word of mention j, b the same for the other words of their sentences. That of (j, i) is another.
"""
import json
import math
import sys

import numpy as np

with open(sys.argv[1], encoding="utf-8") as stored:
    mentions = json.load(stored)
vectors, weights = np.array(mentions["vectors"]), np.array(mentions["weights"])
factor_own, factor_context, offset = mentions["coefficients"]


def alignment(first, second):
    if not first or not second:
        return 0.0
    return weights[first] @ (vectors[first] @ vectors[second].T).max(1) / weights[first].sum()


def score(i, j):
    own = alignment(mentions["own"][i], mentions["own"][j])
    context = alignment(mentions["context"][i], mentions["context"][j])
    return 1 / (1 + math.exp(offset - factor_own * own - factor_context * context))


for line in sys.stdin:
    for pair in json.loads(line):
        print(repr(float(score(*pair))))
    print(flush=True)
