"""A Slurm of two nodes for the tests of a file, and jobs in it. CAIRN_PROGRAM names the cairn to run."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.environ["CAIRN_PROGRAM"]
SKIPPED = 77
SECONDS = 240  # for a job to do what is expected of it, on a busy machine, too


def run_tests():
    """Runs the tests of the main module while a Slurm is there. It is stopped however this process ends: the script that
    keeps it reads from this process, and stops it when there is nothing more to read."""
    with tempfile.TemporaryDirectory(prefix="cairn-slurm-") as folder:
        keeper = subprocess.Popen([os.path.join(HERE, "cluster"), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True, start_new_session=True)
        try:
            said = keeper.stdout.readline().strip()
            if said != "ready":
                print(said, flush=True)
                sys.exit(keeper.wait() or 1)
            os.environ.update(SLURM_CONF=os.path.join(folder, "slurm.conf"), OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
                              OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                              # Both nodes are this machine; of others no network is needed.
                              OMPI_MCA_btl_tcp_if_include="lo", OMPI_MCA_oob_tcp_if_include="lo")
            for name in ("CAIRN_LAUNCHER", "CAIRN_CHECKPOINT", "CAIRN_WEAK", "CAIRN_RANKS", "CAIRN_REPEATS"):
                os.environ.pop(name, None)
            passed = unittest.main(verbosity=2, exit=False).result.wasSuccessful()
        finally:
            keeper.stdin.close()
            keeper.wait()
        sys.exit(0 if passed else 1)


class SlurmTest(unittest.TestCase):
    """A test with a folder of its own, from which it submits jobs."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.addCleanup(self.cancel_all)

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def json(self, name):
        return json.loads(self.text(name))

    def csv(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def left(self, part):
        """Files whose names hold `part`."""
        return sorted(name for name in os.listdir(self.folder) if part in name)

    def command(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(0, done.returncode, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def submit(self, options, script, *arguments, **environment):
        """Submits a script of the project; its log is JOB.log. Returns the job's number."""
        environment = {"CAIRN": PROGRAM, **environment}
        before = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            out = self.command("sbatch", "--parsable", "--output=%j.log", *options,
                               os.path.join(REPOSITORY, "slurm", script), *map(str, arguments))
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        return out.strip()

    def fields(self, job):
        """What Slurm says of a job: JobState, ExitCode, Restarts and so on."""
        words = self.command("scontrol", "show", "--oneliner", "job", job).splitlines()[0].split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def until(self, what, condition):
        """Waits until condition() holds. @param what  what is waited for, for the message"""
        end = time.monotonic() + SECONDS
        while not (value := condition()):
            if time.monotonic() > end:
                self.fail(f"waited {SECONDS} s for {what}\n{self.command('squeue')}\n" +
                          "\n".join(self.text(name) for name in self.left(".log")))
            time.sleep(0.2)
        return value

    def ended(self, *jobs):
        """Waits until the jobs have ended for good; the last one's state and exit code."""
        self.until(f"the end of {jobs}", lambda: self.all_over(jobs))
        fields = self.fields(jobs[-1])
        return fields["JobState"], int(fields["ExitCode"].split(":")[0])

    def all_over(self, jobs):
        out = self.command("squeue", "--noheader", "--array", "--states=all", "--format=%T", f"--jobs={','.join(jobs)}")
        return not {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED", "REQUEUED"} & set(out.split())

    def completed(self, *jobs):
        """Waits for the jobs, which are to end well; the last one's log."""
        self.assertEqual(("COMPLETED", 0), self.ended(*jobs), self.text(f"{jobs[-1]}.log"))
        return self.text(f"{jobs[-1]}.log")

    def cancel_all(self):
        self.command("scancel", "--partition=low,high")
        self.until("an empty queue", lambda: not self.command("squeue", "--noheader").strip())

    def assert_same_run(self, expected, report):
        """Two reports of the same computation, on whatever ranks and after however many restarts."""
        self.assertEqual(expected["evaluations"], report["evaluations"])
        for figure in ("relative_error", "relative_squared_error"):
            self.assertAlmostEqual(1, report[figure] / expected[figure], delta=1e-9)
