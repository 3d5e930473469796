"""Starts cairn under mpirun, knows the processes of its ranks, and waits a bounded time for its end."""

import os
import shlex
import signal
import subprocess
import sys
import time

PROGRAM = os.environ.get("CAIRN_PROGRAM", "")
MPIEXEC = shlex.split(os.environ.get("CAIRN_MPIEXEC", "mpirun --oversubscribe --bind-to none -q"))
LAUNCHER = 30  # seconds that the launcher may take to its end when no rank is left
SKIPPED = 77

try:
    import h5py  # noqa: F401
except ImportError:
    print("skipped: the results are compared with h5py, which is not there")
    sys.exit(SKIPPED)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what stands in `finally` is done


class Run:
    """One run of cairn; in a process group of its own, which is ended with it whatever happens."""

    def __init__(self, folder, ranks, arguments, environment=None, program=None):
        forwarded = [word for name, value in (environment or {}).items() for word in ("-x", f"{name}={value}")]
        self.command = [*MPIEXEC, *forwarded, "-n", str(ranks), program or PROGRAM, *map(str, arguments)]
        self.begin = time.monotonic()
        self.process = subprocess.Popen(self.command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True)
        self.code, self.out, self.err, self.hung, self.launcher_hung = None, "", "", False, False

    def rank_pids(self):
        """The processes of the ranks that run now: children of mpirun."""
        pids = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parent = file.read().rsplit(")", 1)[1].split()[1]
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    command = file.read().split(b"\0")[0].decode(errors="replace")
            except OSError:
                continue
            if int(parent) == self.process.pid and "cairn" in os.path.basename(command):
                pids.append(int(name))
        return pids

    def end(self):
        """Ends mpirun, which ends the ranks, then whatever is left of both."""
        ranks = self.rank_pids()
        os.killpg(self.process.pid, signal.SIGTERM)
        time.sleep(2)
        for pid in [*ranks, self.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def finish(self, seconds):
        """Waits for the end; a run that takes longer has hung, and is killed.

        So is a launcher that outlives all its ranks, and `launcher_hung` tells: mpirun of Open MPI 4.1.4 with PMIx 4.2.2 may
        lock itself in PMIx_server_finalize when a rank is killed within MPI_Init, whatever the program (seen once in several hundred).
        """
        alive, deadline = time.monotonic(), time.monotonic() + seconds
        try:
            while self.code is None:
                try:
                    self.out, self.err = self.process.communicate(timeout=1)
                    self.code = self.process.returncode
                except subprocess.TimeoutExpired:
                    now = time.monotonic()
                    if self.rank_pids():
                        alive = now
                    self.launcher_hung = now > alive + LAUNCHER
                    self.hung = now > deadline and not self.launcher_hung
                    if self.hung or self.launcher_hung:
                        self.end()
                        self.out, self.err = self.process.communicate()
                        self.code = self.process.returncode
        except BaseException:  # the test itself is ended
            self.end()
            raise
        self.seconds = time.monotonic() - self.begin
        return self

    def messages(self):
        """The messages of Cairn; the banner of mpirun, and what a rank says that mpirun terminates, are others."""
        return [line for line in self.err.splitlines() if line.startswith("cairn: error: ")]
