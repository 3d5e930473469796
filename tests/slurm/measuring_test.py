"""slurm/sweep.sbatch and slurm/scaling.sbatch: an array of jobs, and curves over ranks and nodes."""

import os
import subprocess
import unittest

from slurm_cluster import PROGRAM, REPOSITORY, SlurmTest, run_tests

LETTER = os.path.join(REPOSITORY, "configs", "letter.cfg")
VARY = ["--vary", "landmarks.count=10,20,30", "--repeats", "2"]
KEYS = ("landmarks.count", "run_seed", "settings", "evaluations", "rank", "error")


class SweepTest(SlurmTest):
    def same_lines(self, expected, found):
        self.assertEqual([[line[key] for key in KEYS] for line in expected],
                         [[line[key] for key in KEYS] for line in found])
        for one, other in zip(expected, found):
            self.assertAlmostEqual(1, float(one["relative_error"]) / float(other["relative_error"]), delta=1e-7)

    def test_an_array_gives_the_lines_of_one_sweep(self):
        subprocess.run([PROGRAM, "sweep", "--config", LETTER, *VARY, "--output.csv", self.path("whole.csv")], check=True,
                       stdout=subprocess.DEVNULL)
        job = self.submit(["--array=1-4", "--output=%A-%a.log"], "sweep.sbatch", LETTER, "--output.csv", "sweep.csv", *VARY)
        self.ended(job)
        logs = "".join(self.text(f"{job}-{part}.log") for part in range(1, 5))
        self.assertEqual(1, logs.count("sweep.sbatch: 6 runs in sweep.csv"), logs)
        self.assertEqual(["sweep.csv"], self.left("sweep.csv"))
        self.same_lines(self.csv("whole.csv"), self.csv("sweep.csv"))

    def test_there_is_no_sweep_before_all_of_it_is_there(self):
        def submit(options):
            return self.submit(options, "sweep.sbatch", LETTER, "--output.csv", "sweep.csv", *VARY)

        # Part 2 runs out of memory; the array is submitted again with more.
        job = self.submit(["--array=1-2", "--output=%A-%a.log"], "sweep.sbatch", LETTER, "--output.csv", "sweep.csv", *VARY,
                          CAIRN=self.failing_in_part_2())
        self.ended(job)
        self.assertEqual(["sweep.csv.1-of-2", f"sweep.csv.1-of-2.finished-by-{job}"], self.left("sweep.csv"))
        first = self.text("sweep.csv.1-of-2")
        again = submit(["--array=1-2", "--output=%A-%a.log"])
        self.ended(again)
        self.assertEqual(6, len(self.csv("sweep.csv")))
        for line in first.splitlines():
            self.assertIn(line, self.text("sweep.csv"))  # was not run again
        self.assertEqual(["sweep.csv"], self.left("sweep.csv."[:-1]))
        wrong = submit(["--array=1,3", "--output=%A-%a.log"])
        self.ended(wrong)
        self.assertIn("must be numbers in a row", self.text(f"{wrong}-3.log"))

    def failing_in_part_2(self):
        path = self.path("failing")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/bash\n[ "$SLURM_ARRAY_TASK_ID" = 2 ] && exit 5\nexec {PROGRAM} "$@"\n')
        os.chmod(path, 0o755)
        return path

    def test_a_sweep_goes_on_after_its_time_limit(self):
        # The second run rests, as one that takes too long, until the warning comes.
        path = self.path("slow")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"""#!/bin/bash
{PROGRAM} "$@" & run=$!
trap 'kill -CONT $run; kill -TERM $run' TERM
while [ "${{SLURM_RESTART_COUNT:-0}}" = 0 ] && kill -0 $run; do
  if [ "$(cat sweep.csv.1-of-1 2>/dev/null | wc -l)" -gt 1 ]; then kill -STOP $run; break; fi
  sleep 0.02
done
wait $run; code=$?; wait $run 2>/dev/null
exit $code
""")
        os.chmod(path, 0o755)
        job = self.submit(["--array=1-1", "--time=1", "--signal=B:USR1@20"], "sweep.sbatch", LETTER, "--output.csv",
                          "sweep.csv", "--vary", "landmarks.count=20,30,40,50", CAIRN=path)
        log = self.completed(job)
        self.assertIn("the job goes back into the queue", log)
        self.assertEqual("1", self.fields(job)["Restarts"])
        self.assertEqual(["20", "30", "40", "50"],
                         [line["landmarks.count"] for line in self.csv("sweep.csv")])


class ScalingTest(SlurmTest):
    POINTS = ["--data.generate", "gaussian-mixture", "--data.dimension", "16", "--similarity.kind", "rbf",
              "--landmarks.count", "20"]

    def setUp(self):
        super().setUp()
        with open(self.path("points.cfg"), "w", encoding="utf-8") as file:
            file.write("[data]\npoints = 4000\n")

    def test_it_ends_in_a_table_and_a_plot(self):
        job = self.submit(["--nodes=2", "--ntasks-per-node=2"], "scaling.sbatch", "points.cfg", *self.POINTS,
                          CAIRN_WEAK="data.points=1000", CAIRN_REPEATS="2")
        log = self.completed(job)
        table = self.csv(f"scaling-{job}/scaling.csv")
        self.assertEqual([(kind, nodes, ranks, "2", n) for kind, sizes in (("strong", (4000, 4000, 4000)),
                                                                        ("weak", (1000, 2000, 4000)))
                          for nodes, ranks, n in zip("112", "124", map(str, sizes))],
                         [tuple(row[key] for key in ("scaling", "nodes", "ranks", "repeats", "n")) for row in table])
        for kind in (table[:3], table[3:]):
            for row in kind:
                ratio = float(kind[0]["seconds"]) / float(row["seconds"])
                ideal = int(row["ranks"])
                self.assertAlmostEqual(ratio / ideal if row["scaling"] == "strong" else ratio, float(row["efficiency"]),
                                       delta=1e-4 * ratio)
                self.assertAlmostEqual(float(row["efficiency"]) * ideal, float(row["speedup"]), delta=1e-4 * ratio * ideal)
        self.assertIn("efficiency", log)
        with open(self.path(f"scaling-{job}/scaling.png"), "rb") as file:
            self.assertEqual(b"\x89PNG", file.read(4))
        self.assertEqual([], [name for name in os.listdir(self.path(f"scaling-{job}")) if name.endswith(".h5")])

    def test_what_does_not_fit_is_left_out_and_what_fails_ends_it(self):
        job = self.submit(["--nodes=1", "--ntasks-per-node=2"], "scaling.sbatch", "points.cfg", *self.POINTS,
                          "--run.memory", "1MB")
        self.assertEqual(("FAILED", 5), self.ended(job), self.text(f"{job}.log"))
        self.assertIn("no run was possible", self.text(f"{job}.log"))
        job = self.submit([], "scaling.sbatch", "points.cfg", "--landmarks.cuont", "3")
        self.assertEqual(("FAILED", 2), self.ended(job), self.text(f"{job}.log"))
        job = self.submit([], "scaling.sbatch", "points.cfg", CAIRN_RANKS="1 9")
        self.assertEqual(("FAILED", 2), self.ended(job), self.text(f"{job}.log"))
        self.assertIn("'9' is none of 1 to 2 ranks", self.text(f"{job}.log"))


if __name__ == "__main__":
    run_tests()
