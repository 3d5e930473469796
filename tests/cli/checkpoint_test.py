"""Runs that are stopped, killed and gone on with: the result is that of a run which nobody disturbed."""

import json
import os
import signal
import subprocess
import time
import unittest

from cairn_program import MPIEXEC, PROGRAM, CairnTest, csv_text, points

GRID = ["--data.kind", "graph", "--data.generate", "grid", "--data.points", "900", "--data.largest-component", "true"]
JOBS = {
    "entries": ["--data.path", "p.csv", "--similarity.kind", "rbf", "--similarity.gamma", "2", "--landmarks.count", "12",
                "--approximation.method", "nystrom", "--evaluation.pairs", "10000"],
    "entries, farthest": ["--data.path", "p.csv", "--similarity.kind", "rbf", "--similarity.gamma", "2",
                          "--landmarks.count", "6", "--approximation.method", "sms-nystrom", "--landmarks.selection",
                          "farthest", "--evaluation.pairs", "10000"],
    "entries, auto": ["--data.path", "p.csv", "--similarity.kind", "rbf", "--similarity.gamma", "2", "--landmarks.count",
                      "12", "--approximation.method", "auto", "--evaluation.pairs", "10000"],
    "sources": [*GRID, "--similarity.kind", "path-length", "--landmarks.count", "20", "--approximation.method",
                "nystrom", "--evaluation.rows", "20"],
    "P and W, local": [*GRID, "--landmarks.count", "300", "--approximation.p-row", "5", "--approximation.solver",
                       "local", "--evaluation.rows", "20"],
    "P and W, petsc": [*GRID, "--landmarks.count", "20", "--approximation.p-row", "5", "--approximation.solver",
                           "petsc", "--evaluation.rows", "20"],
    "P by rows, local": [*GRID, "--landmarks.count", "300", "--approximation.p-row", "5", "--approximation.solver",
                         "local", "--approximation.sparsity", "rows", "--evaluation.rows", "20"],
    "dense P, petsc": [*GRID, "--landmarks.count", "60", "--approximation.solver", "petsc",
                           "--evaluation.rows", "20"],
    "P and W, direct": [*GRID, "--landmarks.count", "70", "--approximation.p-row", "50", "--evaluation.rows", "20"],
    "harmonic functions, P and W, direct": [*GRID, "--landmarks.count", "140", "--approximation.p-row", "50",
                                            "--evaluation.rows", "20"],
}


MIXTURE = ["--data.generate", "gaussian-mixture", "--data.dimension", "16", "--similarity.kind", "rbf", "--similarity.gamma",
           "2", "--approximation.method", "nystrom", "--evaluation.pairs", "100000"]


class Checkpoints(CairnTest):
    def setUp(self):
        super().setUp()
        self.write("p.csv", csv_text(points(400)))

    def run_on(self, job, ranks, *more):
        """One run with a checkpoint; its exit code and what it said."""
        command = [*MPIEXEC, "-n", str(ranks), PROGRAM, "approximate", *job, "--output.path", "r.h5", "--json",
                   "report.json", "--run.checkpoint", "ck", "--restart", *more]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertIn(done.returncode, (0, 75), done.stderr)
        return done

    def left(self):
        return sorted(name for name in os.listdir(self.folder) if name.startswith("ck"))

    def test_a_run_that_is_stopped_again_and_again_gives_the_same(self):
        for name, job in JOBS.items():
            with self.subTest(name):
                whole = self.json("approximate", *job, "--output.path", "whole.h5")
                stops = 0
                while stops < 3 and self.run_on(job, 1 + stops % 3, "--run.max-time", "0").returncode == 75:
                    stops += 1
                    self.assertIn("ck.previous", self.left())
                self.assertGreaterEqual(stops, 1 if name == "sources" else 2)  # one tile a rank there
                if stops == 3:
                    self.assertEqual(0, self.run_on(job, 2).returncode)
                with open(self.path("report.json"), encoding="utf-8") as file:
                    resumed = json.load(file)
                self.assertEqual(stops, resumed["checkpoint"]["earlier_runs"])
                self.assertGreater(resumed["checkpoint"]["restored_tiles"], 0)
                self.assertEqual(whole["evaluations"], resumed["evaluations"])
                for figure in ("relative_error", "relative_squared_error"):
                    close = 1e-6 if "petsc" in name else 1e-9
                    self.assertAlmostEqual(1, resumed[figure] / whole[figure], delta=close)
                self.assertEqual([], self.left(), "a finished run removes its checkpoint")

    def test_signals_stop_it_with_75(self):
        job = [*MIXTURE, "--data.points", "300000", "--landmarks.count", "400"]
        for run, (ranks, name) in enumerate(((0, signal.SIGUSR2), (0, signal.SIGTERM), (3, signal.SIGUSR1))):
            launch = [*MPIEXEC, "-n", str(ranks)] if ranks else []
            started = subprocess.Popen([*launch, PROGRAM, "approximate", *job, "--output.path", "r.h5",
                                        "--run.checkpoint", "ck", "--restart"],
                                       cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while not any(f"segment-{run}" in left and os.path.getsize(self.path(left)) > 100_000
                          for left in self.left()):  # until it has begun
                time.sleep(0.01)
                self.assertIsNone(started.poll())
            started.send_signal(name)
            _, err = started.communicate(timeout=60)
            self.assertEqual(75, started.returncode, err)
            self.assertRegex(err, rf"cairn: {name.name}: the run stops at its next tile, within about \d+ s")
            self.assertRegex(err, rf"cairn: stopped by {name.name} during 'columns'; .* --restart to resume")
            self.assertNotIn("r.h5", os.listdir(self.folder))
        info = self.cairn("info", "ck").out
        self.assertRegex(info, r"3 runs so far")
        self.assertRegex(info, r"columns +[\d,]+ of [\d,]+ tiles")

    def test_a_killed_rank_costs_what_was_under_way(self):
        job = [*MIXTURE, "--data.points", "60000", "--landmarks.count", "200"]
        whole = self.json("approximate", *job, "--output.path", "whole.h5", ranks=2)
        started = subprocess.Popen([*MPIEXEC, "-n", "2", PROGRAM, "approximate", *job, "--output.path", "r.h5",
                                    "--run.checkpoint", "ck"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not any("segment" in name and os.path.getsize(self.path(name)) > 1_000_000 for name in self.left()):
            time.sleep(0.01)
            self.assertIsNone(started.poll())
        subprocess.run(["pkill", "-KILL", "-f", f"{PROGRAM} approximate .*--run.checkpoint ck"], check=False)
        started.wait(60)
        self.assertNotEqual(0, started.returncode)
        self.run_on(job, 3)
        with open(self.path("report.json"), encoding="utf-8") as file:
            resumed = json.load(file)
        self.assertGreater(resumed["checkpoint"]["restored_tiles"], 0)
        self.assertAlmostEqual(1, resumed["relative_error"] / whole["relative_error"], delta=1e-9)
        self.assertEqual(whole["evaluations"], resumed["evaluations"])

    def test_the_data_may_have_another_name(self):
        job = JOBS["entries"]
        self.run_on(job, 2, "--run.max-time", "0")
        os.rename(self.path("p.csv"), self.path("moved.csv"))
        done = self.run_on(["moved.csv" if word == "p.csv" else word for word in job], 2)
        self.assertEqual(0, done.returncode)
        self.assertIn("gone on from", done.stdout)

    def test_what_is_refused(self):
        base = ["approximate", *JOBS["entries"], "--output.path", "r.h5"]
        self.refused(2, r"restart has no effect without run\.checkpoint", *base, "--restart")
        self.refused(2, r"run\.max-time has no effect without run\.checkpoint or landmarks\.error", *base, "--run.max-time", "1h")
        self.refused(2, r"run\.checkpoint applies only to approximate", "sweep", *JOBS["entries"], "--vary",
                     "landmarks.count=3,4", "--output.csv", "s.csv", "--run.checkpoint", "ck")
        self.run_on(JOBS["entries"], 2, "--run.max-time", "0")
        self.refused(2, "give --restart to resume it", *base, "--run.checkpoint", "ck")
        self.refused(3, "another run: run.seed was not given and is 5", *base, "--run.checkpoint", "ck", "--restart",
                     "--run.seed", "5")
        self.write("p.csv", csv_text(points(401)))
        self.refused(3, "another run: data digest was", *base, "--run.checkpoint", "ck", "--restart")


class TrainedCheckpoints(CairnTest):
    """Regressions by iteration."""

    def setUp(self):
        super().setUp()
        self.rows = points(300)
        self.write("p.csv", csv_text(self.rows))
        self.write_targets(0.5)
        self.cairn("approximate", "--data.path", "p.csv", "--similarity.kind", "rbf", "--similarity.gamma", "9",
                   "--landmarks.count", "20", "--output.path", "r.h5")

    def write_targets(self, last):
        self.write("y.csv", "y,z\n" + "".join(f"{x * x + y!r},{last if x == self.rows[-1][0] else x - 2 * y!r}\n"
                                              for x, y, *_ in self.rows))

    def train(self, ways, name, ranks, *more):
        command = [*MPIEXEC, "-n", str(ranks), PROGRAM, "train", "r.h5", "--targets", "y.csv", *ways, "--output.path", name,
                   "--overwrite", "--json", "report.json", *more]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertIn(done.returncode, (0, 75), done.stderr)
        return done

    def predicted(self, name):
        self.cairn("predict", name, "--out", "f.csv", "--overwrite", "true")
        with open(self.path("f.csv"), encoding="utf-8") as file:
            return [[float(value) for value in line.split(",")] for line in file.read().splitlines()[1:]]

    def test_an_iteration_that_is_stopped_goes_on(self):
        for ways in (["--krr-method", "full", "--lambda", "1e-3,1e-2", "--target-residual", "1e-8"],
                     ["--krr-method", "centers", "--solver", "iterative", "--centers", "90", "--lambda", "1e-3,1e-2", "--target-residual", "1e-7"]):
            with self.subTest(ways=ways):
                self.train(ways, "whole.h5", 2)
                with open(self.path("report.json"), encoding="utf-8") as file:
                    whole = json.load(file)["models"][0]
                stops = 0
                while True:
                    limit = ["--run.max-time", "0"] if stops < 3 else []
                    done = self.train(ways, "m.h5", 1 + stops % 3, "--run.checkpoint", "ck", "--restart", *limit)
                    if stops > 0:
                        self.assertRegex(done.stdout, r"an earlier run made \d+ iterations; this one goes on from there")
                    if done.returncode == 0:
                        break
                    self.assertRegex(done.stderr, r"stopped by run.max-time during 'regression on .*, iteration \d+'; the finished tiles are in ck")
                    stops += 1
                self.assertEqual(3, stops)
                self.assertEqual([], [name for name in os.listdir(self.folder) if name.startswith("ck")])
                with open(self.path("report.json"), encoding="utf-8") as file:
                    resumed = json.load(file)["models"][0]
                self.assertEqual(whole["lambda"], resumed["lambda"])
                self.assertGreater(resumed["candidates"][0]["iterations"], 3)
                for expected, found in zip(self.predicted("whole.h5"), self.predicted("m.h5"), strict=True):
                    for one, other in zip(expected, found, strict=True):
                        self.assertAlmostEqual(one, other, delta=1e-4)

    def test_what_is_refused(self):
        known = ["train", "r.h5", "--targets", "y.csv", "--output.path", "m.h5", "--run.checkpoint", "ck"]
        self.refused(2, "run.checkpoint has no effect with --krr-method factors", *known)
        self.refused(2, "run.checkpoint has no effect with --task gp", *known, "--task", "gp")
        self.refused(2, "run.checkpoint has no effect with --solver direct", *known, "--krr-method", "centers", "--solver", "direct")
        self.refused(2, "run.checkpoint has no effect with --variance true", *known, "--krr-method", "centers", "--variance", "true")
        self.refused(2, "run.checkpoint has no effect with --krr-method auto", *known, "--krr-method", "auto")
        self.refused(2, "20 centers are solved for by the direct solver, in one pass; give --solver iterative", *known,
                     "--krr-method", "centers")
        self.refused(2, "restart has no effect without run.checkpoint", *known[:-2], "--restart")
        self.refused(2, r"run\.max-time has no effect without run\.checkpoint$", *known[:-2], "--run.max-time", "1h")
        ways = ["--krr-method", "full", "--lambda", "1e-3", "--target-residual", "1e-8"]
        self.assertEqual(75, self.train(ways, "m.h5", 2, "--run.checkpoint", "ck", "--run.max-time", "0").returncode)
        self.refused(2, "give --restart to resume it", *known, *ways)
        others = ["0.1" if word == "1e-3" else word for word in ways]
        self.refused(3, r"another run: lambda was 1e-3 and is 0\.1", *known, *others, "--restart")
        self.write_targets(0.75)
        self.refused(3, "another run: data digest was", *known, *ways, "--restart")
        self.write_targets(0.5)
        slow = self.cairn(*known, *ways, "--restart", "--max-iterations", "2", ranks=2, expect=4)
        self.assertIn("2 iterations reached a residual of", slow.err)
        self.cairn(*known, *ways, "--restart")



if __name__ == "__main__":
    unittest.main()
