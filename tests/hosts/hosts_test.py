"""The program on two hosts: its results are those of one host, also by a slow cable; where the cable is cut it ends in time,
nothing stays behind, and its checkpoint gives the right result."""

import os
import re
import subprocess
import sys
import time
import unittest

import two_hosts

if REASON := two_hosts.cannot_run():
    print(f"hosts_test: skipped: {REASON}")
    sys.exit(77)
try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"hosts_test: skipped: needs the Python module {missing.name}")
    sys.exit(77)

from cairn_program import PROGRAM, CairnTest, csv_text, points
from checkpoint_test import GRID, MIXTURE
from checkpoint_test import JOBS as RUNS

# A job of each kind. Conjugate gradients wait for all ranks several times an iteration: few columns of a small graph.
SMALL = ["300" if word == "900" else word for word in GRID]
JOBS = {**RUNS, "P and W, petsc": [*SMALL, "--landmarks.count", "4", "--approximation.p-row", "3", "--approximation.solver",
                                       "petsc", "--evaluation.rows", "5"]}


def numbers(path):
    """{name: values} of the numbers that make up the approximation in a result file."""
    found = {}

    def take(name, item):
        part = name.split("/")[0]
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" and part in ("left", "joining", "right", "landmarks"):
            found[name] = item[()]

    with h5py.File(path, "r") as file:
        file.visititems(take)
    return found


class HostsTest(CairnTest):
    def setUp(self):
        super().setUp()
        self.write("p.csv", csv_text(points(400)))

    def start(self, hosts, settings, ranks, *arguments):
        """Starts cairn on `ranks` ranks, on the hosts in turn; what it says goes to the file out."""
        with open(self.path("out"), "w", encoding="utf-8") as out:
            started = subprocess.Popen([*hosts.mpirun("-wdir", self.folder, *settings), "-n", str(ranks), PROGRAM, *arguments],
                                       cwd=self.folder, env=hosts.environment(), stdout=out, stderr=subprocess.STDOUT)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)  # in the opposite order, and nothing where it has ended
        return started

    def said(self):
        with open(self.path("out"), encoding="utf-8") as out:
            return out.read()

    def on_hosts(self, hosts, ranks, *arguments, settings=(), seconds=300):
        self.assertEqual(0, self.start(hosts, settings, ranks, *arguments).wait(seconds), self.said())
        self.assertIn(f"{ranks} ranks x 1 thread on 2 hosts", self.said())
        return self.said()

    def assert_same(self, one, other, tolerance):
        """Two result files hold the same approximation, within a part of the largest number of each array."""
        ours, theirs = numbers(self.path(one)), numbers(self.path(other))
        self.assertEqual(ours.keys(), theirs.keys())
        self.assertIn("landmarks/indices", ours)
        for name, values in ours.items():
            self.assertEqual(values.shape, theirs[name].shape, name)
            if values.dtype.kind != "f":
                self.assertTrue(numpy.array_equal(values, theirs[name]), name)
            elif values.size:
                largest = numpy.abs(values - theirs[name]).max()
                self.assertLessEqual(largest, tolerance * numpy.abs(values).max(), name)


class TwoHosts(HostsTest):
    @classmethod
    def setUpClass(cls):
        cls.hosts = cls.enterClassContext(two_hosts.TwoHosts())

    def test_results_are_those_of_one_host(self):
        """Two ranks are each alone on their host; of three, two share one."""
        for name, ranks in [*((name, 3) for name in JOBS), ("entries", 2), ("P and W, local", 2)]:
            with self.subTest(name, ranks=ranks):
                self.cairn("approximate", *JOBS[name], "--output.path", "one.h5", ranks=ranks)
                self.on_hosts(self.hosts, ranks, "approximate", *JOBS[name], "--output.path", "two.h5")
                self.assert_same("one.h5", "two.h5", 1e-10)

    def test_without_windows_of_mpi_the_ranks_of_a_host_share_files_in_memory(self):
        job = JOBS["P and W, direct"]
        self.cairn("approximate", *job, "--output.path", "one.h5", ranks=4)
        for component in ("pt2pt", "^sm,rdma,ucx"):
            said = self.on_hosts(self.hosts, 4, "approximate", *job, "--output.path", "two.h5",
                                 settings=["--mca", "osc", component])
            self.assertEqual(1, said.count("MPI has no shared-memory windows here (MPI_ERR_"), said)
            self.assert_same("one.h5", "two.h5", 1e-10)

    def test_memory_is_not_shared_between_hosts(self):
        """Each host has a memory of its own; after a run nothing is left in either."""
        self.on_hosts(self.hosts, 4, "approximate", *JOBS["P and W, local"], "--output.path", "two.h5")
        for host in self.hosts.hosts:
            left = subprocess.run(host.command(["ls", "-A", "/dev/shm"]), capture_output=True, text=True, check=True).stdout
            self.assertEqual("", left, host.name)


class SlowCable(HostsTest):
    def test_results_are_the_same_and_time_is_bounded(self):
        with two_hosts.TwoHosts(delay=0.02, rate=100e6 / 8) as hosts:
            for name in ("entries", "sources", "P and W, local", "P and W, direct"):  # `petsc` waits too often for it
                with self.subTest(name):
                    self.cairn("approximate", *JOBS[name], "--output.path", "one.h5", ranks=3)
                    self.on_hosts(hosts, 3, "approximate", *JOBS[name], "--output.path", "two.h5")
                    self.assert_same("one.h5", "two.h5", 1e-10)


class CutCable(HostsTest):
    """The cable is cut while ranks work. Each side must end by itself: nothing can be told to the other."""

    JOB = [*MIXTURE, "--data.points", "60000", "--landmarks.count", "400", "--run.checkpoint", "ck"]

    def run_and_cut(self, hosts, settings, *arguments):
        """Exit code, seconds from the cut until nothing is left on either host, and what was said."""
        started = self.start(hosts, settings, 4, "approximate", *self.JOB, "--output.path", "two.h5", *arguments)
        while not any("segment" in name and os.path.getsize(self.path(name)) > 100_000 for name in os.listdir(self.folder)):
            time.sleep(0.02)  # until it has begun
            self.assertIsNone(started.poll(), self.said())
        hosts.cut()
        cut = time.monotonic()
        code = started.wait(90)
        while any(host.processes() for host in hosts.hosts):
            self.assertLess(time.monotonic() - cut, 90, [host.processes() for host in hosts.hosts])
            time.sleep(0.1)
        return code, time.monotonic() - cut, self.said()

    def assert_restart_is_right(self):
        self.assertNotIn("two.h5", os.listdir(self.folder))
        self.assertRegex(self.cairn("info", "ck").out, r"columns +[\d,]+ of [\d,]+ tiles")
        resumed = self.cairn("approximate", *self.JOB, "--output.path", "two.h5", "--restart", "--json", "report.json", ranks=2)
        self.assertRegex(resumed.out + resumed.err, "checkpoint")
        self.cairn("approximate", *self.JOB[:-2], "--output.path", "one.h5", ranks=2)
        self.assert_same("one.h5", "two.h5", 1e-10)
        self.assertEqual([], [name for name in os.listdir(self.folder) if name.startswith("ck")])

    def test_the_watchdog_ends_the_ranks_and_the_kernel_frees_mpirun(self):
        with two_hosts.TwoHosts() as hosts:
            hosts.set_retries(4)  # some 6 s; 15, the default, are a quarter of an hour
            code, seconds, said = self.run_and_cut(hosts, [], "--run.stall-timeout", "5")
        self.assertEqual(5, code, said)
        self.assertRegex(said, r"cairn: error: rank \d has made no progress for 5 s \(run\.stall-timeout\): another")
        self.assertLess(seconds, 60)
        self.assert_restart_is_right()

    def test_mpirun_misses_the_other_host_before_the_watchdog_does(self):
        keepalive = {"time": 4, "intvl": 2, "probes": 2}
        settings = [word for name, value in keepalive.items() for word in ("--mca", f"oob_tcp_keepalive_{name}", str(value))]
        with two_hosts.TwoHosts(rate=1e9) as hosts:
            code, seconds, said = self.run_and_cut(hosts, settings)
        self.assertNotIn(code, (0, 75), said)
        self.assertRegex(said, "lost communication with a remote daemon|cairn: terminated")
        self.assertLess(seconds, 45)
        self.assert_restart_is_right()


if __name__ == "__main__":
    unittest.main()
