#!/usr/bin/python3
"""The package on several ranks beside the program, from points in memory to factors in memory: seconds of both in turn, their medians and
ratio as one JSON object. The program's phases read and write are left out.

package_ranks.py --package build/release/apps/python --program build/release/apps/cairn/cairn [--rows 100000]"""
import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--package", required=True, help="folder of the package cairn")
parser.add_argument("--program", required=True, help="the program cairn")
parser.add_argument("--rows", type=int, default=1_000_000)
parser.add_argument("--dimension", type=int, default=16)
parser.add_argument("--landmarks", type=int, default=1000)
parser.add_argument("--ranks", type=int, default=2)
parser.add_argument("--repeats", type=int, default=3)
parser.add_argument("--inside", action="store_true", help="one of the ranks")
options = parser.parse_args()
gamma = 1 / (4 * options.dimension)


def inside():
    """The job of a rank: points that it has already become a result in memory."""
    sys.path.insert(0, options.package)
    import numpy
    from mpi4py import MPI
    import cairn
    with cairn.Session() as session:
        rows = session.own_rows(options.rows)
        points = numpy.random.default_rng(session.rank).normal(size=(len(rows), options.dimension))
        MPI.COMM_WORLD.barrier()
        start = time.perf_counter()
        result = session.points(points).similarity("rbf", gamma=gamma).approximate("nystrom", landmarks=options.landmarks, measure=False)
        left = result.left
        MPI.COMM_WORLD.barrier()
        seconds = time.perf_counter() - start
        assert left.shape == (len(rows), options.landmarks)
        if session.rank == 0:
            print(seconds)


def launched(command):
    launcher = shlex.split(os.environ.get("CAIRN_LAUNCHER", "mpirun"))
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run([*launcher, "-n", str(options.ranks), *command], check=True, capture_output=True, text=True, env=environment).stdout


def of_package():
    return float(launched([sys.executable, "-m", "mpi4py", str(pathlib.Path(__file__).resolve()), *sys.argv[1:], "--inside"]).split()[-1])


def of_program():
    with tempfile.TemporaryDirectory() as folder:
        launched([options.program, "approximate", "--data.generate", "normal", "--data.points", str(options.rows), "--data.dimension", str(options.dimension),
                  "--similarity.kind", "rbf", "--similarity.gamma", str(gamma), "--approximation.method", "nystrom",
                  "--landmarks.count", str(options.landmarks), "--evaluation.pairs", "0", "--output.path", folder + "/r.h5",
                  "--quiet", "true", "--json", folder + "/report.json"])
        seconds = json.loads(pathlib.Path(folder, "report.json").read_text(encoding="utf-8"))["seconds"]
    return sum(time for phase, time in seconds.items() if phase not in ("total", "read", "write"))


if options.inside:
    inside()
else:
    runs = [(of_package(), of_program()) for _ in range(options.repeats)]
    package, program = (statistics.median(column) for column in zip(*runs))
    print(json.dumps({"rows": options.rows, "dimension": options.dimension, "landmarks": options.landmarks, "ranks": options.ranks,
                      "package": package, "program": program, "ratio": package / program}))
