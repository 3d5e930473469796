#!/usr/bin/python3
"""Falkon [Rudi, Carratino and Rosasco 2017] in PyTorch on the processor: one line of JSON.

Kernel ridge regression on M of the rows: conjugate gradients on (K_nm^T K_nm + lambda K_mm) beta = K_nm^T y, preconditioned by
K_mm. Blocks of K_nm are single precision, in a buffer that is used again; K_mm and its factors are double."""
import argparse
import json
import resource
import time

import numpy as np
import torch

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--points", required=True, help=".npy, single precision")
parser.add_argument("--targets", required=True, help="CSV of one column with a header")
parser.add_argument("--split", required=True, help="a line for each row: train, or another word")
parser.add_argument("--gamma", type=float, required=True)
parser.add_argument("--centers", type=int, required=True)
parser.add_argument("--ridge", type=float, required=True, help="lambda")
parser.add_argument("--residual", type=float, default=1e-4, help="in the norm of the preconditioner")
parser.add_argument("--block", type=int, default=4096, help="rows of a block")
options = parser.parse_args()

start = time.perf_counter()
points = torch.from_numpy(np.load(options.points))
targets = torch.from_numpy(np.loadtxt(options.targets, skiprows=1, dtype=np.float32))
with open(options.split, encoding="utf-8") as file:
    train = torch.tensor([line.strip() == "train" for line in file])
x, y = points[train], targets[train]
n, m = len(x), options.centers
mean = y.mean()
y = y - mean
centers = x[torch.randperm(n, generator=torch.Generator().manual_seed(1))[:m]].contiguous()
turned, squares = centers.T.contiguous(), (centers * centers).sum(1)
buffer = torch.empty(options.block, m)


def kernel(rows):
    block = buffer[:len(rows)]
    torch.mm(rows, turned, out=block)
    block.mul_(-2).add_(squares).add_((rows * rows).sum(1, keepdim=True))
    return block.mul_(-options.gamma).exp_()


def blocks(rows):
    return ((begin, kernel(rows[begin:begin + options.block])) for begin in range(0, len(rows), options.block))


def solve(factor, right, transposed=False):
    matrix = factor.T if transposed else factor
    return torch.linalg.solve_triangular(matrix, right.unsqueeze(1), upper=not transposed).squeeze(1)


wide = centers.double()
among = torch.exp(-options.gamma * torch.cdist(wide, wide)**2)
among.diagonal().add_(1e-7 * m)
first = torch.linalg.cholesky(among).T.contiguous()
del among
second = torch.linalg.cholesky(first @ first.T / m + options.ridge / n * torch.eye(m, dtype=torch.float64)).T.contiguous()
preconditioned = time.perf_counter()


def product(v):
    v, total = v.float(), torch.zeros(m, dtype=torch.float64)
    for _, block in blocks(x):
        total += (block.T @ (block @ v)).double()
    return total


def system(v):
    inner = solve(second, v)
    return solve(second, solve(first, product(solve(first, inner)) / n, True) + options.ridge / n * inner, True)


right = torch.zeros(m, dtype=torch.float64)
for begin, block in blocks(x):
    right += (block.T @ y[begin:begin + options.block]).double()
r = solve(second, solve(first, right / n, True), True)
beta, p, square = torch.zeros_like(r), r.clone(), r @ r
goal, iterations = square * options.residual**2, 0
while square > goal and iterations < 200:
    q = system(p)
    step = square / (p @ q)
    beta += step * p
    r -= step * q
    p, square = r + (r @ r) / square * p, r @ r
    iterations += 1
fitted = time.perf_counter()
coefficients = solve(first, solve(second, beta)).float()
others, expected = points[~train], targets[~train]
found = torch.cat([block @ coefficients for _, block in blocks(others)]) + mean
print(json.dumps({
    "seconds": time.perf_counter() - start, "preconditioner_seconds": preconditioned - start, "iterations": iterations,
    "pass_seconds": (fitted - preconditioned) / (iterations + 1),
    "r_squared": float(1 - ((expected - found)**2).sum() / ((expected - expected.mean())**2).sum()),
    "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
