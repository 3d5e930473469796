"""Runs the program as a user would: a folder of its own, a command, its exit code and what it said."""

import atexit
import json
import os
import re
import resource
import shlex
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
import unittest

PROGRAM = os.environ["CAIRN_PROGRAM"]
MPIEXEC = shlex.split(os.environ["CAIRN_MPIEXEC"])
CONFIGS = os.environ["CAIRN_CONFIGS"]
SERVER = os.environ.get("CAIRN_COMMAND_SERVER")
SECONDS = 120


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def message(self):
        """The one message from Cairn; mpirun's banner is not ours."""
        lines = [line for line in self.err.splitlines() if line.startswith("cairn: error: ")]
        return lines[0][len("cairn: error: "):] if len(lines) == 1 else f"{len(lines)} messages: {self.err}"


class CommandServer:
    """Ranks that wait for commands (command_server.cpp): starts of mpirun take more time than most commands."""

    RANKS = 4
    running = None

    def __init__(self):
        self.environment = dict(os.environ)
        holder = tempfile.TemporaryDirectory()
        self.folder, self.number = holder, 0
        address = os.path.join(holder.name, "socket")
        with socket.socket(socket.AF_UNIX) as listening, open(os.path.join(holder.name, "log"), "wb") as log:
            listening.bind(address)
            listening.listen(self.RANKS)
            listening.settimeout(1)
            self.process = subprocess.Popen([*MPIEXEC, "-n", str(self.RANKS), SERVER, address],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            ranks, self.pids = {}, []
            while len(ranks) < self.RANKS:
                try:
                    connection, _ = listening.accept()
                except TimeoutError:
                    if self.process.poll() is not None:
                        raise AssertionError("no ranks wait for commands: " + self.said(log.name)) from None
                    continue
                connection.settimeout(SECONDS)
                self.pids.append(struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
                ranks[struct.unpack("i", connection.recv(4))[0]] = connection
        self.ranks = [ranks[rank] for rank in range(self.RANKS)]

    @classmethod
    def ready(cls):
        """The one that runs, or a new one."""
        if cls.running is None:
            cls.running = cls()
        return cls.running

    @classmethod
    def close(cls):
        if cls.running is None:
            return
        server, cls.running = cls.running, None
        for rank in server.ranks:
            rank.close()
        try:
            server.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            # When all ranks have ended, mpirun may wait for itself, in PMIx_server_finalize() of PMIx 4.2.
            if any(map(lives, server.pids)):
                server.process.wait(timeout=SECONDS)
        finally:
            server.process.kill()
            server.process.wait()
            server.folder.cleanup()

    def run(self, arguments, ranks, folder):
        """As subprocess.run(): what has the exit code, the standard output and the standard error."""
        self.number += 1
        out, err = (os.path.join(self.folder.name, f"{name}-{self.number}") for name in ("out", "err"))
        words = [str(ranks), folder, out, err, *arguments]
        message = b"".join(os.fsencode(word) + b"\0" for word in words)
        for rank in self.ranks[:ranks]:
            rank.sendall(struct.pack("I", len(message)) + message)
        try:
            answers = [rank.recv(4) for rank in self.ranks[:ranks]]
        except TimeoutError as error:
            self.process.terminate()
            self.close()
            raise subprocess.TimeoutExpired(arguments, SECONDS) from error
        except ConnectionResetError:
            answers = [b""]
        codes = {struct.unpack("i", answer)[0] for answer in answers if answer}
        said = [self.said(name) for name in (out, err)]
        if not all(answers):  # the command ended its process, and so all
            codes = {self.process.wait(timeout=SECONDS)}
            said[1] += self.said(os.path.join(self.folder.name, "log"))
            self.close()
        if len(codes) != 1:
            raise AssertionError(f"the ranks end with different codes: {sorted(codes)}\n{said[0]}\n{said[1]}")
        return subprocess.CompletedProcess(arguments, codes.pop(), *said)

    @staticmethod
    def said(path):
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()


def lives(pid):
    """Whether a process has not ended; one that nobody has waited for has."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@atexit.register
def close_server():
    """Ranks that do not end are a failure, which an exception here alone would not be."""
    try:
        CommandServer.close()
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


class CairnTest(unittest.TestCase):
    """A test that works in a folder of its own. Commands run in ranks that wait for them, and each in processes of its
    own where it needs another environment or a limit, and in classes whose tests are of the processes themselves."""

    OWN_PROCESSES = False

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
        arguments = list(map(str, arguments))
        done = self.run_command(arguments, ranks, file_limit)
        outcome = Outcome(done.returncode, done.stdout, done.stderr)
        command = f"{shlex.join(arguments)} (on {max(ranks, 1)} ranks)"
        self.assertIn(outcome.code, expect if isinstance(expect, tuple) else (expect,), f"{command}\n{outcome.out}\n{outcome.err}")
        self.assertNotIn("mca_", outcome.err, "the MPI library complains")
        return outcome

    def run_command(self, arguments, ranks, file_limit):
        if SERVER and not self.OWN_PROCESSES and not file_limit and ranks <= CommandServer.RANKS:
            server = CommandServer.ready()
            if server.environment == dict(os.environ):
                return server.run(arguments, max(ranks, 1), self.folder)
        command = [PROGRAM, *arguments]
        if ranks > 1:
            command = [*MPIEXEC, "-n", str(ranks), *command]

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, check=False,
                              preexec_fn=limit if file_limit else None)

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
