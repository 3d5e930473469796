"""What ranks are told: one command line, one config, the same files; launchers; signals, stops and two runs on one checkpoint."""

import os
import signal
import subprocess
import sys
import time
import unittest

try:
    import h5py
except ImportError:
    h5py = None

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import MPIEXEC, PROGRAM, CairnTest, csv_text, points  # noqa: E402

RFF = ["approximate", "--data.path", "p.csv", "--quiet", "--similarity.kind", "rbf", "--similarity.gamma", "1", "--approximation.method", "rff",
       "--approximation.features", "200"]
RBF = ["approximate", "--data.path", "p.csv", "--quiet", "--similarity.kind", "rbf", "--similarity.gamma", "1", "--landmarks.count", "20"]
LONG = ["approximate", "--data.generate", "gaussian-mixture", "--data.points", "100000", "--data.dimension", "100", "--similarity.kind",
        "laplacian", "--landmarks.count", "200", "--evaluation.pairs", "10000"]


class Ranks(CairnTest):
    OWN_PROCESSES = True

    def setUp(self):
        super().setUp()
        self.write("p.csv", csv_text(points(300)))

    def run_parts(self, *parts, stdin=None, environment=None):
        """One mpirun with a part of the ranks for each (ranks, words of mpirun, words of cairn)."""
        command = list(MPIEXEC)
        for ranks, before, words in parts:
            command += [":"] if len(command) > len(MPIEXEC) else []
            command += ["-n", str(ranks), *before, PROGRAM, *words]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=100, check=False, input=stdin,
                              env={**os.environ, **(environment or {})})

    def check_refused(self, code, pattern, done):
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        messages = [line for line in done.stderr.splitlines() if line.startswith("cairn: error: ")]
        self.assertEqual(1, len(messages), done.stderr)
        self.assertRegex(messages[0], pattern)

    def values(self, name):
        with h5py.File(self.path(name)) as file:
            return file["left"][:]


class CommandLines(Ranks):
    def test_that_differ_are_refused_before_anything_else(self):
        before = sorted(os.listdir(self.folder))
        for pattern, first, second in [
                ("rank 1 on .* has 'b.h5' where rank 0 has 'a.h5'; two runs need a launcher each",
                 [*RBF, "--output.path", "a.h5"], [*RBF, "--output.path", "b.h5"]),
                ("rank 1 on .* has '6' where rank 0 has '5'", [*RFF, "--output.path", "a.h5", "--run.seed", "5"],
                 [*RFF, "--output.path", "a.h5", "--run.seed", "6"]),
                ("rank 1 on .* has nothing where rank 0 has '--run.threads'", [*RBF, "--output.path", "a.h5", "--run.threads", "2"],
                 [*RBF, "--output.path", "a.h5"]),
                ("rank 1 on .* has 'p.csv' where rank 0 has '--help'", ["info", "--help"], ["info", "p.csv"]),
                ("rank 1 on .* has '--nothing' where rank 0 has nothing", [*RBF, "--output.path", "a.h5"],
                 [*RBF, "--output.path", "a.h5", "--nothing"])]:
            with self.subTest(pattern):
                self.check_refused(2, f"all ranks of a run need one command line: {pattern}", self.run_parts((1, [], first), (1, [], second)))
        self.assertEqual(before, sorted(os.listdir(self.folder)))

    def test_flags_take_no_file_for_their_value(self):
        self.cairn(*RBF, "--output.path", "a.h5")
        self.cairn("embed", "-q", "a.h5", "--dimension", "2", "--out", "e.h5")
        self.cairn("embed", "--quiet", "true", "a.h5", "--dimension", "2", "--out", "e.h5")
        self.assertEqual(1, self.cairn("query", "--by-number", "a.h5", "--entry", "0,1", ranks=2).out.count("entry 0 1"))
        self.refused(2, "quiet = yes is neither true nor false", "embed", "-q", "yes", "a.h5", "--dimension", "2", "--out", "f.h5", ranks=[1])
        self.refused(2, "'maybe' was not expected", *RBF, "--output.path", "b.h5", "--approximation.embedding", "maybe", ranks=[1])


@unittest.skipIf(h5py is None, "h5py is not installed")
class Configs(Ranks):
    def test_come_from_rank_0_and_may_be_pipes(self):
        """A pipe's text comes to one rank; a file on another node may be another one."""
        for text in ("[run]\nseed = 5\n", "[approximation]\nfeatures = 100\n", "[data]\nscaling = standard\n", "[run]\nprecision = single\n"):
            with self.subTest(text):
                words = [word for word in RFF]
                if "features" in text:
                    words = words[:-2]
                self.write("c.cfg", text)
                self.cairn(*words, "--config", "c.cfg", "--output.path", "file.h5", ranks=2)
                done = self.run_parts((2, [], [*words, "--config", "/dev/stdin", "--output.path", "pipe.h5"]), stdin=text)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertTrue((self.values("file.h5") == self.values("pipe.h5")).all())
                self.cairn(*words, "--config", "c.cfg", "--output.path", "one.h5")
                self.assertLess(abs(self.values("one.h5") - self.values("pipe.h5")).max(), 1e-5)

    def test_of_a_node_are_not_read(self):
        for folder, seed in (("a", 5), ("b", 6)):
            os.mkdir(self.path(folder))
            self.write(f"{folder}/c.cfg", f"[run]\nseed = {seed}\n")
            self.write(f"{folder}/p.csv", csv_text(points(300)))
        words = [*RFF, "--config", "c.cfg"]
        done = self.run_parts(*((1, ["--wdir", self.path(folder)], [*words, "--output.path", self.path("both.h5")]) for folder in "ab"))
        self.assertEqual(0, done.returncode, done.stderr)
        self.cairn(*RFF, "--run.seed", "5", "--output.path", "right.h5", ranks=2)
        self.assertTrue((self.values("right.h5") == self.values("both.h5")).all())

    def test_that_rank_0_cannot_read_are_refused_once(self):
        self.check_refused(3, "cannot read none.cfg: No such file", self.run_parts((3, [], [*RFF, "--config", "none.cfg", "--output.path", "a.h5"])))
        self.check_refused(2, "/dev/stdin:2: no key is called 'run.sed'",
                           self.run_parts((2, [], [*RFF, "--config", "/dev/stdin", "--output.path", "a.h5"]), stdin="[run]\nsed = 5\n"))


class Files(Ranks):
    """Two folders as the disks of two nodes: files of one name and other bytes."""

    def setUp(self):
        super().setUp()
        for folder in "ab":
            os.mkdir(self.path(folder))

    def both(self, name, text, other):
        self.write(f"a/{name}", text)
        self.write(f"b/{name}", other)

    def parts(self, *words):
        return self.run_parts(*((1, ["--wdir", self.path(folder)], words) for folder in "ab"))

    def test_of_data_that_differ_are_refused(self):
        rows = points(300)
        other = [row[:] for row in rows]
        other[150][0] += 0.5
        self.both("p.csv", csv_text(rows), csv_text(rows))
        self.assertEqual(0, self.parts(*RBF, "--output.path", self.path("r.h5")).returncode)
        self.both("p.csv", csv_text(rows), csv_text(other))
        self.check_refused(3, rf"data.path: the ranks see different files: rank 1 on .* reads {self.path('b/p.csv')} \(\d+ bytes\), rank 0 on "
                           rf".* reads {self.path('a/p.csv')} \(\d+ bytes\)", self.parts(*RBF, "--output.path", self.path("r.h5")))
        self.both("l.txt", "1\n2\n3\n", "1\n2\n4\n")
        self.both("p.csv", csv_text(rows), csv_text(rows))
        self.check_refused(3, "landmarks.path: the ranks see different files", self.parts(
            *RBF[:-2], "--landmarks.selection", "file", "--landmarks.path", "l.txt", "--output.path", self.path("r.h5")))

    def test_of_results_models_and_targets_that_differ_are_refused(self):
        self.write("y.csv", "y\n" + "\n".join(str(row[0]) for row in points(300)) + "\n")
        for folder, seed in (("a", "1"), ("b", "2")):
            self.cairn(*RBF, "--run.seed", seed, "--output.path", f"{folder}/r.h5")
            self.cairn("train", f"{folder}/r.h5", "--task", "krr", "--targets", "y.csv", "--lambda", seed, "--output.path", f"{folder}/m.h5")
        differ = "the argument {}: the ranks see different files"
        self.check_refused(3, differ.format("r.h5"), self.parts("query", "r.h5", "--entry", "0,1"))
        self.check_refused(3, differ.format("r.h5"), self.parts("extend", "r.h5", "--data.path", self.path("p.csv"), "--output.path", self.path("e.h5")))
        self.check_refused(3, differ.format("m.h5"), self.parts("predict", "m.h5", "--result", self.path("a/r.h5"), "--out", self.path("y.out.csv")))
        self.both("y.csv", "y\n" + "1\n2\n" * 150, "y\n" + "1\n3\n" * 150)
        self.check_refused(3, "targets: the ranks see different files", self.parts(
            "train", self.path("a/r.h5"), "--task", "krr", "--targets", "y.csv", "--lambda", "1", "--output.path", self.path("m.h5")))

    def test_that_stand_for_those_of_a_result_are_compared_too(self):
        self.both("p.csv", csv_text(points(300)), csv_text(points(301)))
        self.cairn(*RBF, "--output.path", "r.h5")
        self.check_refused(3, "data.path: the ranks see different files", self.parts("evaluate", self.path("r.h5"), "--data.path", "p.csv"))

    def test_that_are_pipes_are_for_one_rank(self):
        os.mkfifo(self.path("pipe.csv"))
        self.check_refused(2, "data.path: pipe.csv is a pipe or a device, which ranks cannot read together", self.run_parts(
            (2, [], [word.replace("p.csv", "pipe.csv") for word in RBF] + ["--data.format", "csv", "--output.path", "r.h5"])))


class Launchers(Ranks):
    def test_whose_tasks_are_alone_are_refused(self):
        for variables in ({"SLURM_STEP_NUM_TASKS": "3", "SLURM_STEP_ID": "0"}, {"PMI_SIZE": "3"}):
            name = next(iter(variables))
            done = [subprocess.run([PROGRAM, *RBF, "--output.path", "r.h5"], cwd=self.folder, capture_output=True, text=True, check=False,
                                   timeout=60, env={**os.environ, **variables, "SLURM_PROCID": str(rank), "PMI_RANK": str(rank)})
                    for rank in range(2)]
            self.check_refused(2, rf"the launcher started 3 tasks \({name}\), and MPI sees each of them alone: .*srun --mpi=pmix.* env -u {name} cairn",
                               done[0])
            self.assertEqual((2, ""), (done[1].returncode, done[1].stderr))
        self.assertEqual(["p.csv"], os.listdir(self.folder))

    def test_that_started_no_ranks_are_no_launchers(self):
        """A batch script, and a shell in a terminal of its own."""
        for variables in ({"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "SLURM_PROCID": "0"},
                          {"SLURM_STEP_NUM_TASKS": "4", "SLURM_PTY_PORT": "9", "SLURM_TASK_PID": "1"}):
            subprocess.run([PROGRAM, *RBF, "--output.path", "r.h5"], cwd=self.folder, check=True, timeout=60, env={**os.environ, **variables})

    def test_do_not_reach_the_help(self):
        done = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True, timeout=60,
                              env={**os.environ, "SLURM_STEP_NUM_TASKS": "3", "SLURM_STEP_ID": "0"})
        self.assertIn("Open MPI", done.stdout)


def children_of(process):
    """The ranks under mpirun."""
    with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as file:
        found = [int(word) for word in file.read().split()]
    return [child for child in found if os.path.realpath(f"/proc/{child}/exe") == os.path.realpath(PROGRAM)]


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it does not happen")
        time.sleep(0.02)


def kill_program(process):
    """Kills a process if it still is one of the program: its number may be another's by now."""
    try:
        if os.path.samefile(f"/proc/{process}/exe", PROGRAM):
            os.kill(process, signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        pass


class Started(Ranks):
    def start(self, *words, ranks=0, **more):
        launch = [*MPIEXEC, "-n", str(ranks)] if ranks else []
        started = subprocess.Popen([*launch, PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        self.addCleanup(started.kill)
        return started


class Stops(Started):
    def test_of_all_ranks_longer_than_the_stall_timeout_do_not_end_the_run(self):
        started = self.start(*LONG, "--run.stall-timeout", "10", "--run.checkpoint", "ck", "--output.path", "r.h5", ranks=2)
        wait_for(lambda: any("segment" in left and os.path.getsize(self.path(left)) > 100_000 for left in os.listdir(self.folder)))
        ranks = children_of(started.pid)
        for rank in ranks:
            os.kill(rank, signal.SIGSTOP)
        self.addCleanup(lambda: [os.kill(rank, signal.SIGCONT) for rank in ranks if os.path.exists(f"/proc/{rank}")])
        time.sleep(16)
        self.assertIsNone(started.poll(), "it had ended before")
        for rank in ranks:
            os.kill(rank, signal.SIGCONT)
        _, said = started.communicate(timeout=100)
        self.assertEqual(0, started.returncode, said)

    def test_of_one_rank_end_the_run(self):
        started = self.start(*LONG, "--run.stall-timeout", "10", "--run.checkpoint", "ck", "--output.path", "r.h5", ranks=2)
        wait_for(lambda: any("segment" in left for left in os.listdir(self.folder)))
        rank = children_of(started.pid)[1]
        os.kill(rank, signal.SIGSTOP)
        self.addCleanup(kill_program, rank)
        _, said = started.communicate(timeout=100)
        self.assertEqual(5, started.returncode, said)
        self.assertRegex(said, r"rank 0 has made no progress for 10 s \(run.stall-timeout\)")

    def test_by_other_signals_leave_nothing_and_say_so(self):
        # 100 MB are written at the end: the partial file is there for some time.
        words = ["approximate", "--data.generate", "normal", "--data.points", "80000", "--data.dimension", "2", "--similarity.kind", "rbf",
                 "--similarity.gamma", "1", "--approximation.method", "rff", "--approximation.features", "160", "--evaluation.pairs", "0",
                 "--output.path", "r.h5"]
        for name in (signal.SIGXCPU, signal.SIGALRM, signal.SIGPIPE):
            with self.subTest(name):
                started = self.start(*words, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
                wait_for(lambda: any("partial" in left for left in os.listdir(self.folder)))
                started.send_signal(name)
                _, said = started.communicate(timeout=60)
                self.assertEqual(128 + name, started.returncode, said)
                self.assertRegex(said, rf"cairn: .*{name.name}.*; nothing half-written was left")
                self.assertEqual(["p.csv"], os.listdir(self.folder))

    def test_by_the_limit_of_processor_time_keep_a_checkpoint(self):
        started = self.start("approximate", "--data.generate", "gaussian-mixture", "--data.points", "20000", "--data.dimension", "400",
                             "--similarity.kind", "laplacian", "--landmarks.count", "600", "--output.path", "r.h5", "--run.checkpoint", "ck")
        wait_for(lambda: any("segment" in left and os.path.getsize(self.path(left)) > 100_000 for left in os.listdir(self.folder)))
        started.send_signal(signal.SIGXCPU)
        _, said = started.communicate(timeout=60)
        self.assertEqual(75, started.returncode, said)
        self.assertRegex(said, "SIGXCPU: the run stops at its next tile")
        self.assertNotIn("ck.lock", os.listdir(self.folder))


class Locks(Started):
    def test_keep_a_second_run_from_the_checkpoint_of_the_first(self):
        job = ["approximate", "--data.generate", "gaussian-mixture", "--data.points", "20000", "--data.dimension", "400", "--similarity.kind",
               "laplacian", "--landmarks.count", "600", "--run.checkpoint", "ck", "--restart"]
        started = self.start(*job, "--output.path", "a.h5")
        wait_for(lambda: "ck" in os.listdir(self.folder))
        started.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        self.assertIn("ck.lock", os.listdir(self.folder))
        before = sorted(os.listdir(self.folder))
        pattern = rf"another run works on the checkpoint ck: process {started.pid} on .*; wait for its end.* remove ck.lock and start again"
        self.refused(2, pattern, *job, "--output.path", "b.h5")
        self.refused(2, pattern, *job[:-1], "--output.path", "b.h5")
        self.assertEqual(before, sorted(os.listdir(self.folder)))
        started.send_signal(signal.SIGCONT)
        _, said = started.communicate(timeout=100)
        self.assertEqual(0, started.returncode, said)
        self.assertEqual(["a.h5", "p.csv"], sorted(os.listdir(self.folder)))

    def test_of_a_killed_run_stop_nobody(self):
        job = ["approximate", "--data.generate", "gaussian-mixture", "--data.points", "100000", "--data.dimension", "16", "--similarity.kind",
               "rbf", "--landmarks.count", "200", "--run.checkpoint", "ck", "--restart", "--output.path", "a.h5"]
        started = self.start(*job)
        wait_for(lambda: any("segment" in left for left in os.listdir(self.folder)))
        started.kill()
        started.communicate()
        self.assertIn("ck.lock", os.listdir(self.folder))
        done = self.cairn(*job, ranks=2)
        self.assertRegex(done.err, r"ck.lock was that of a run that has ended \(process \d+ on .*: that process is gone\): taken over")
        self.assertEqual(["a.h5", "p.csv"], sorted(os.listdir(self.folder)))

    def test_of_a_run_that_is_terminated_go_with_it(self):
        started = self.start("approximate", "--data.generate", "gaussian-mixture", "--data.points", "300000", "--data.dimension", "16",
                             "--similarity.kind", "rbf", "--landmarks.count", "400", "--run.checkpoint", "ck", "--output.path", "a.h5", ranks=2,
                             env={**os.environ, "OMPI_MCA_odls_base_sigkill_timeout": "10"})
        wait_for(lambda: any("segment" in left for left in os.listdir(self.folder)))
        # mpirun sends SIGTERM to its ranks, and SIGKILL after a second by default. A rank that waits for a slow disk does not
        # handle signals for longer than that.
        started.terminate()
        started.communicate(timeout=60)
        self.assertNotIn("ck.lock", os.listdir(self.folder))


if __name__ == "__main__":
    unittest.main()
