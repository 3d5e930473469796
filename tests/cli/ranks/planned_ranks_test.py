"""What a plan says of other numbers of ranks: messages beside those that a run counts, seconds and node hours, a recommendation."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402

POINTS = ["--data.generate", "uniform", "--data.points", 2000, "--data.dimension", 8, "--similarity.kind", "rbf", "--similarity.gamma", 1]


class PlannedRanks(CairnTest):
    def job(self, method, count, *more):
        return [*POINTS, "--approximation.method", method, "--landmarks.count", count, *more]

    def compare(self, job, ranks, phases):
        plan = self.json("plan", *job, "--ranks", ranks)["traffic"]
        run = self.json("approximate", *job, "--output.path", "r.h5", "--overwrite", "true", ranks=ranks)["phases"]
        for phase in phases:
            for what in (("collectives", "messages"), ("collective_bytes", "message_bytes")):
                planned, counted = (sum(of[phase][key] for key in what) for of in (plan, run))
                self.assertTrue(counted / 2.5 <= planned <= 2.5 * counted, (job, ranks, phase, what, planned, counted))

    def test_messages_are_those_that_a_run_counts(self):
        embedding = ["--approximation.embedding", "true"]
        for method, more in [("nystrom", []), ("nystrom", embedding), ("sms-nystrom", []), ("sicur", []), ("stacur", [])]:
            for ranks, count in [(2, 100), (3, 150), (4, 150), (8, 100)]:
                self.compare(self.job(method, count, *more), ranks, ("landmarks", "joining", "probe"))

    def test_messages_of_whole_rows_are_those_that_a_run_counts(self):
        graph = ["--data.kind", "graph", "--data.generate", "grid", "--data.points", 10_000, "--data.largest-component", "true",
                 "--approximation.method", "nystrom", "--similarity.search", "hierarchy"]
        for ranks, count in [(2, 60), (3, 90), (4, 90), (8, 60)]:
            job = [*graph, "--landmarks.count", count, "--evaluation.rows", 100]
            self.compare(job, ranks, ("similarities", "evaluation"))

    def test_a_run_of_one_rank_moves_nothing(self):
        self.assertNotIn("traffic", self.json("plan", *self.job("nystrom", 50)))
        run = self.json("approximate", *self.job("nystrom", 50), "--output.path", "r.h5")
        self.assertEqual(0, sum(phase["collectives"] + phase["messages"] for phase in run["phases"].values()))

    def test_one_number_of_ranks_is_recommended(self):
        job = ["plan", *self.job("nystrom", 100), "--ranks", 100, "--nodes", 4]
        report = self.json(*job)
        rows = report["by_ranks"]
        self.assertEqual([(1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (32, 2), (64, 3), (100, 4)], [(row["ranks"], row["nodes"]) for row in rows])
        for row in rows:
            self.assertAlmostEqual(row["seconds"] * row["nodes"] / 3600, row["node_hours"])
        self.assertAlmostEqual(report["seconds"]["total"], rows[-1]["seconds"])
        fitting = [row for row in rows if row["fits"]]
        cheap = [row["ranks"] for row in fitting if row["node_hours"] <= 1.5 * min(row["node_hours"] for row in fitting)]
        self.assertEqual(cheap[-1], report["recommended_ranks"])
        best = next(row for row in rows if row["ranks"] == cheap[-1])
        self.assertRegex(report["sbatch"], rf"^--nodes={best['nodes']} --ntasks={best['ranks']} --ntasks-per-node=\d+ --cpus-per-task=1 --mem=\d+M --time=\d+$")
        self.assertRegex(self.cairn(*job).out, r"recommended +\d+ ranks? on \d nodes?: the most that take at most 1.5 x the node hours of the cheapest")

    def test_options_for_slurm_alone(self):
        job = ["plan", *self.job("nystrom", 100), "--ranks", 100, "--nodes", 4]
        self.assertRegex(self.cairn(*job, "--slurm").out, r"^--nodes=\d --ntasks=\d+ --ntasks-per-node=\d+ --cpus-per-task=1 --mem=\d+M --time=\d+\n$")
        self.refused(2, r"^--slurm needs --nodes N: the most nodes", *job[:-2], "--slurm")
        self.refused(2, r"^--slurm writes no other output", *job, "--slurm", "--json", "p.json")
        large = ["plan", "--data.generate", "uniform", "--data.points", 10**10, "--data.dimension", 100, *POINTS[6:], "--landmarks.count", 1000]
        self.refused(5, r"^a node has .*, and needs more with each number of ranks up to 4 on 2 nodes; plan more nodes", *large, "--ranks", 4,
                     "--nodes", 2, "--slurm")

    def test_a_node_too_small_is_said(self):
        job = ["plan", "--data.generate", "uniform", "--data.points", 1_000_000_000, "--data.dimension", 100, *POINTS[6:], "--landmarks.count", 1000,
               "--ranks", 4096, "--nodes", 1024]
        report = self.json(*job)
        self.assertFalse(report["by_ranks"][0]["fits"])
        smallest = next(row["ranks"] for row in report["by_ranks"] if row["fits"])
        self.assertIn(f"; the smallest that fit are {smallest:,}", self.cairn(*job).out)

    def test_mistakes(self):
        self.refused(2, r"--nodes = 5 is more than the 4 ranks of the plan", "plan", *self.job("nystrom", 50), "--ranks", 4, "--nodes", 5)
        self.refused(2, r"--nodes is for methods whose seconds follow from rates", "plan", "--data.kind", "graph", "--data.generate", "grid",
                     "--data.points", 100, "--approximation.method", "biharmonic", "--landmarks.count", 10, "--ranks", 4, "--nodes", 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
