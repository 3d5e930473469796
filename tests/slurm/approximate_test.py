"""slurm/approximate.sbatch: two nodes, memory of a rank, time limits, preemption, cancelling; slurm/command.sbatch."""

import os
import re
import signal
import subprocess
import unittest

from slurm_cluster import HERE, PROGRAM, REPOSITORY, SlurmTest, run_tests

UNHURRIED = ["--evaluation.seconds", "1000"]  # no time cuts the estimates that are compared
LETTER = [os.path.join(REPOSITORY, "configs", "letter.cfg"), "--landmarks.count", "60", *UNHURRIED]
BOTH_NODES = ["--nodes=2", "--ntasks-per-node=1", "--mem-per-cpu=900M"]
# Dear entries: a rank has kept but a part of them when it is made to rest.
LONG = ["--data.generate", "gaussian-mixture", "--data.points", "5000", "--data.dimension", "4000", "--similarity.kind",
        "laplacian", "--landmarks.count", "200", *UNHURRIED]
SIGNAL = r"cairn: {}: the run stops at its next tile, within about \d+ s"


class ApproximateTest(SlurmTest):
    def direct(self, *arguments):
        """The report of a run that Slurm knows nothing of."""
        subprocess.run([PROGRAM, "approximate", *arguments, "--output.path", self.path("direct.h5"), "--json",
                        self.path("direct.json")], check=True, stdout=subprocess.DEVNULL)
        return self.json("direct.json")

    def approximate(self, name, options, *arguments, **environment):
        return self.submit(options, "approximate.sbatch", *arguments, "--output.path", f"{name}.h5", "--json",
                           f"{name}.json", **environment)

    def assert_same_factors(self, name):
        import h5py
        import numpy
        with h5py.File(self.path("direct.h5")) as expected, h5py.File(self.path(f"{name}.h5")) as result:
            for factor in ("left", "landmarks/indices"):
                numpy.testing.assert_allclose(result[factor], expected[factor], rtol=0, atol=1e-10)

    def test_two_nodes_give_what_one_process_gives(self):
        expected = self.direct("--config", *LETTER)
        jobs = {launcher: self.approximate(launcher, BOTH_NODES, *LETTER, CAIRN_LAUNCHER=launcher)
                for launcher in ("srun", "mpirun")}
        more = self.approximate("more", ["--nodes=2", "--ntasks-per-node=2", "--mem=1800M"], *LETTER)
        for launcher, job in jobs.items():
            with self.subTest(launcher):
                log = self.completed(job)
                self.assertIn("2 ranks x 1 thread", log)
                self.assertIn("--run.memory 900MiB", log)
                self.assertEqual("node[1-2]", self.fields(job)["NodeList"])
                self.assert_same_run(expected, self.json(f"{launcher}.json"))
                self.assert_same_factors(launcher)
        log = self.completed(more)
        self.assertIn("--run.memory 900MiB", log)  # of 1800 MB a node, which two ranks share
        self.assertIn("4 ranks x 1 thread", log)
        self.assert_same_run(expected, self.json("more.json"))
        self.assertEqual([], self.left("checkpoint"))

    def test_other_commands_with_the_options_that_a_plan_gives(self):
        plan = [PROGRAM, "plan", "--config", LETTER[0], "--landmarks.count", "60", "--ranks", "2", "--nodes", "2", "--slurm"]
        options = subprocess.run(plan, check=True, capture_output=True, text=True).stdout.split()
        self.assertTrue(all(option.startswith("--") for option in options), options)
        expected = self.direct("--config", *LETTER)
        refused = self.submit([*options, "--mem=900M"], "command.sbatch", "approximate")
        self.assertEqual(("FAILED", 2), self.ended(refused))
        self.assertIn("submit approximate.sbatch for cairn approximate", self.text(f"{refused}.log"))
        scores = self.submit(BOTH_NODES, "command.sbatch", "evaluate", "direct.h5", "--evaluation.pairs", "2000", "--json", "scores.json")
        self.assertIn("--run.memory 900MiB", self.completed(scores))
        self.assertEqual((2, expected["n"]), (self.json("scores.json")["ranks"], self.json("scores.json")["n"]))
        trained = self.submit(BOTH_NODES, "command.sbatch", "train", "direct.h5", "--task", "svm", "--cost", "1", "--output.path", "m.h5")
        self.completed(trained)
        predicted = self.submit(BOTH_NODES, "command.sbatch", "predict", "m.h5", "--out", "p.csv")  # it takes no limit of memory
        self.completed(predicted)
        self.assertTrue(os.path.exists(self.path("p.csv")))

    def test_the_exit_code_of_cairn_is_that_of_the_job(self):
        for code, words, options, arguments in (
                (5, "run.memory", ["--mem-per-cpu=1M"], LETTER),
                (2, "landmarks.cuont", [], [*LETTER, "--landmarks.cuont", "3"]),
                (3, "missing.csv: No such file", [], [*LETTER, "--data.path", "missing.csv"]),
                (2, "usage: sbatch approximate.sbatch", [], [])):
            with self.subTest(code):
                job = self.submit(options, "approximate.sbatch", *arguments)
                self.assertEqual(("FAILED", code), self.ended(job), self.text(f"{job}.log"))
                self.assertRegex(self.text(f"{job}.log"), words)
                self.assertEqual([], self.left(".h5") + self.left("checkpoint"))
                self.assertEqual("0", self.fields(job)["Restarts"])

    def pausing(self, name, options, pauses, **environment):
        """A job that rests in the middle of its work, in each of its first runs, until it is told to stop."""
        return self.approximate(name, [*BOTH_NODES, *options], "long.cfg", *LONG, CAIRN=os.path.join(HERE, "pausing-cairn"),
                                CAIRN_TESTED=PROGRAM, CAIRN_PAUSES=str(pauses), **environment)

    def setUp(self):
        super().setUp()
        with open(self.path("long.cfg"), "w", encoding="utf-8"):
            pass  # all keys are options

    def until_it_rests(self, job, run=0):
        def resting():
            sizes = [os.path.getsize(self.path(name)) for name in self.left(f".segment-{run}-")]
            return len(sizes) == 2 and min(sizes) > 400000
        self.until(f"tiles of job {job}", resting)

    def test_a_time_limit_that_is_hit_three_times_costs_nothing(self):
        expected = self.direct(*LONG)
        limit = ["--time=1", "--signal=B:USR1@20"]
        jobs = {launcher: self.pausing(launcher, limit, 3, CAIRN_LAUNCHER=launcher) for launcher in ("srun", "mpirun")}
        for launcher, job in jobs.items():
            with self.subTest(launcher):
                log = self.completed(job)
                self.assertEqual("3", self.fields(job)["Restarts"])
                self.assertEqual(3, len(re.findall(SIGNAL.format("SIGUSR1"), log)), log)
                self.assertEqual(3, log.count("the job goes back into the queue"))
                report = self.json(f"{launcher}.json")
                self.assertEqual(3, report["checkpoint"]["earlier_runs"])
                self.assertGreater(report["checkpoint"]["restored_tiles"], 0)
                self.assert_same_run(expected, report)
                self.assert_same_factors(launcher)
        self.assertEqual([], self.left("checkpoint"))

    def test_a_preempted_job_goes_on_from_its_checkpoint(self):
        expected = self.direct(*LONG)
        job = self.pausing("low", [], 1)
        self.until_it_rests(job)
        urgent = self.approximate("urgent", [*BOTH_NODES, "--ntasks-per-node=2", "--partition=high"], *LETTER)
        self.completed(urgent)
        log = self.completed(job)
        self.assertRegex(log, SIGNAL.format("SIGTERM"))
        self.assertEqual("1", self.fields(job)["Restarts"])
        report = self.json("low.json")
        self.assertEqual(1, report["checkpoint"]["earlier_runs"])
        self.assertGreater(report["checkpoint"]["restored_tiles"], 0)
        self.assert_same_run(expected, report)
        self.assert_same_factors("low")

    def test_a_cancelled_job_stays_cancelled_and_leaves_no_part_of_a_result(self):
        expected = self.direct(*LONG)
        for launcher in ("srun", "mpirun"):
            with self.subTest(launcher):
                kept = f"{launcher}.checkpoint"
                job = self.pausing(launcher, [], 1, CAIRN_LAUNCHER=launcher, CAIRN_CHECKPOINT=kept)
                self.until_it_rests(job)
                self.command("scancel", job)
                self.assertEqual("CANCELLED", self.ended(job)[0])
                self.assertEqual("0", self.fields(job)["Restarts"], self.text(f"{job}.log"))
                self.assertEqual([], self.left(f"{launcher}.h5") + self.left(f"{launcher}.json"))
                again = self.approximate(launcher, BOTH_NODES, "long.cfg", *LONG, CAIRN_LAUNCHER=launcher,
                                         CAIRN_CHECKPOINT=kept)
                self.completed(again)
                self.assertGreater(self.json(f"{launcher}.json")["checkpoint"]["restored_tiles"], 0)
                self.assert_same_run(expected, self.json(f"{launcher}.json"))
                self.assertEqual([], self.left(kept))

    def test_a_killed_rank_ends_the_job_and_another_goes_on(self):
        job = self.pausing("killed", [], 1, CAIRN_CHECKPOINT="kept")
        self.until_it_rests(job)
        command = f"{PROGRAM} approximate .*--output.path killed.h5"
        ranks = subprocess.run(["pgrep", "-f", f"^{command}"], capture_output=True, text=True, check=True).stdout.split()
        os.kill(int(ranks[-1]), signal.SIGKILL)
        self.assertEqual(("FAILED", 137), self.ended(job), self.text(f"{job}.log"))
        self.assertEqual([], self.left("killed.h5"))
        self.completed(self.approximate("killed", BOTH_NODES, "long.cfg", *LONG, CAIRN_CHECKPOINT="kept"))
        self.assertGreater(self.json("killed.json")["checkpoint"]["restored_tiles"], 0)
        self.assert_same_run(self.direct(*LONG), self.json("killed.json"))


if __name__ == "__main__":
    run_tests()
