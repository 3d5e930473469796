"""Runs the program as a user would: a folder of its own, a command, its exit code and what it said."""

import json
import os
import re
import resource
import shlex
import signal
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["CAIRN_PROGRAM"]
MPIEXEC = shlex.split(os.environ["CAIRN_MPIEXEC"])
CONFIGS = os.environ["CAIRN_CONFIGS"]
SECONDS = 120


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def message(self):
        """The one message from Cairn; mpirun's banner is not ours."""
        lines = [line for line in self.err.splitlines() if line.startswith("cairn: error: ")]
        return lines[0][len("cairn: error: "):] if len(lines) == 1 else f"{len(lines)} messages: {self.err}"


class CairnTest(unittest.TestCase):
    """A test that works in a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        """Text, or bytes as they are."""
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def cairn(self, *arguments, ranks=0, expect=0, file_limit=None):
        """Runs cairn on `ranks` ranks (up to 1: without mpirun) and checks its exit code."""
        command = [PROGRAM, *map(str, arguments)]
        if ranks > 1:
            command = [*MPIEXEC, "-n", str(ranks), *command]

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, check=False,
                              preexec_fn=limit if file_limit else None)
        outcome = Outcome(done.returncode, done.stdout, done.stderr)
        self.assertEqual(expect, outcome.code, f"{shlex.join(command)}\n{outcome.out}\n{outcome.err}")
        self.assertNotIn("mca_", outcome.err, "the MPI library complains")
        return outcome

    def refused(self, code, pattern, *arguments, ranks=(1, 2), file_limit=None):
        """The command fails with this code, one message that matches, and leaves no file, on each number of ranks."""
        before = sorted(os.listdir(self.folder))
        for count in ranks:
            with self.subTest(arguments=arguments, ranks=count):
                outcome = self.cairn(*arguments, ranks=count, expect=code, file_limit=file_limit)
                self.assertRegex(outcome.message(), pattern)
                self.assertEqual(before, sorted(os.listdir(self.folder)), "files were left behind")

    def json(self, *arguments, ranks=0):
        """Runs a command with --json and returns the object."""
        self.cairn(*arguments, "--json", "report.json", ranks=ranks)
        with open(self.path("report.json"), encoding="utf-8") as file:
            return json.load(file)

    def lines(self, text, pattern):
        return [match for line in text.splitlines() if (match := re.fullmatch(pattern, line))]


# An estimate of the error that no busy machine cuts short: what it compares is then the same in every run.
UNHURRIED = ("--evaluation.seconds", "1000")


def with_fixed_estimate(arguments, *fixed):
    """The arguments, and `fixed` where they say nothing of the estimate: one that stops by time differs from run to run."""
    given = any(str(argument).startswith("--evaluation.") for argument in arguments)
    return [*arguments, *([] if given else fixed)]


def points(count, dimension=3):
    """Points that need no random numbers: coordinates in [0, 1), no two alike."""
    return [[((i * 7919 + 31) * (j + 2) * 104729 % 1009) / 1009 for j in range(dimension)] for i in range(count)]


def csv_text(rows, labels=None):
    names = [f"x{j}" for j in range(len(rows[0]))] + (["class"] if labels else [])
    lines = [",".join(names)]
    for i, row in enumerate(rows):
        fields = [repr(value) for value in row] + ([labels[i]] if labels else [])
        lines.append(",".join(fields))
    return "\n".join(lines) + "\n"


def write_npy(path, rows):
    """A matrix of doubles as NumPy writes it."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in rows:
            file.write(struct.pack(f"<{len(row)}d", *row))
