"""What the benchmarks share: the programs that they start, and the rows of the table."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
LAUNCHER = shlex.split(os.environ.get("CAIRN_LAUNCHER", "mpirun"))
N, D, S = 200_000, 64, 1000
GAMMA = 1.0 / 128


class Bench:
    """Starts programs, keeps the rows of the table."""

    def __init__(self, build, folder, repeats):
        self.build, self.folder, self.repeats, self.rows = build, folder, repeats, []
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "OMP_"))}
        self.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        kernels = re.search(r"OpenBLAS with kernels for (\w+)", self.output([build / "apps" / "cairn" / "cairn", "--version"]))
        if kernels:  # for both sides
            self.environment["OPENBLAS_CORETYPE"] = kernels[1]

    def output(self, command, threads=1):
        environment = self.environment | {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
        done = subprocess.run([str(c) for c in command], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\nfailed with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def ranks(self, count, program, *arguments):
        """The last line that a benchmark program prints is JSON."""
        command = [*LAUNCHER, "-n", count, self.build / "apps" / "bench" / program, *arguments]
        return json.loads(self.output(command).strip().splitlines()[-1])

    def cairn(self, count, *arguments):
        """Runs a command of the program; gives what it writes with --json."""
        report = self.folder / "report.json"
        self.output([*LAUNCHER, "-n", count, self.build / "apps" / "cairn" / "cairn", *arguments, "--json", report])
        return json.loads(report.read_text())

    def row(self, what, ours, peer, ratio, floor):
        self.rows.append((what, ours, peer, ratio, floor))
        print(f"{what}\n    ours {ours}; peer {peer}; {ratio}; floor: {floor}", flush=True)


def write_points(path):
    """A mixture of 20 Gaussians, n x d, as .npy."""
    import numpy

    draw = numpy.random.default_rng(0)
    centres = 2 * draw.standard_normal((20, D))
    points = centres[draw.integers(20, size=N)] + draw.standard_normal((N, D))
    numpy.save(path, points)
