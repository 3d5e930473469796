"""Help, version, every way to mistype, and rates that plans take from a file."""

import csv
import json
import os
import unittest
import unittest.mock

from cairn_program import CONFIGS, CairnTest

COMMANDS = ["approximate", "evaluate", "query", "extend", "embed", "train", "predict", "cluster", "plan", "info", "convert", "sweep"]


class HelpTest(CairnTest):
    OWN_PROCESSES = True  # which start no MPI on one rank

    def test_program_help_names_every_command(self):
        text = self.cairn("--help").out
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command}$")

    def test_each_command_explains_its_options_with_defaults(self):
        for command in COMMANDS:
            text = self.cairn(command, "--help", "all").out
            self.assertRegex(text, rf"Usage: \[mpirun -n RANKS\] cairn {command}")
            self.assertIn("--run.stall-timeout TIME", text)
            self.assertIn("Default: 10m.", text)

    def test_version_names_commit_and_libraries(self):
        self.assertRegex(self.cairn("--version").out, r"^cairn \d+\.\d+\.\d+ \(\S+\)\nOpen MPI .*HDF5 .*PETSc ")

    def test_help_is_printed_once_on_three_ranks(self):
        self.assertEqual(1, self.cairn("--help", ranks=3).out.count("Exit codes"))


class MistakeTest(CairnTest):
    OWN_PROCESSES = True  # which start no MPI on one rank

    def test_unknown_names_suggest_the_nearest(self):
        self.refused(2, "no command is called 'aproximate'; did you mean 'approximate'", "aproximate")
        self.refused(2, "no command is called 'regress'; there are approximate, .*train", "regress")
        self.refused(2, "no option --landmark.count; did you mean 'landmarks.count'", "approximate",
                     "--landmark.count", "5", ranks=[1])
        self.refused(2, "approximation.method = nystroem is not known; did you mean 'nystrom'", "approximate",
                     "--approximation.method", "nystroem", ranks=[1])
        self.refused(2, "--hlep", "--hlep", ranks=[1])
        self.refused(2, "a command is missing", ranks=[1])

    def test_what_can_be_seen_without_files_starts_no_mpi(self):
        with unittest.mock.patch.dict(os.environ, {"OMPI_MCA_pml": "none"}):  # MPI could not start
            for pattern, *arguments in [
                    ("similarity.kind.* are missing", "approximate"),
                    ("--restart has no effect", "approximate", "--data.path", "p.csv", "--similarity.kind", "rbf",
                     "--landmarks.count", "5", "--output.path", "r.h5", "--restart"),
                    ("similarity.kind.* are missing", "plan"),
                    ("has no effect without --row", "evaluate", "r.h5", "--out", "row.csv"),
                    ("nothing is asked for", "query", "r.h5"),
                    ("output.path", "extend", "r.h5", "--data.path", "p.csv"),
                    ("dimension", "embed", "r.h5"),
                    ("out is missing", "predict", "m.h5"),
                    ("is a mesh", "convert", "m.obj", "m.h5"),
                    ("nothing is swept", "sweep", "--output.csv", "s.csv")]:
                self.refused(2, pattern, *arguments, ranks=[1])

    def test_values_of_the_wrong_form(self):
        for pattern, *arguments in [
                ("landmarks.count = many is not an integer", "--landmarks.count", "many"),
                ("landmarks.count = 0 is below 1", "--landmarks.count", "0"),
                ("run.threads = 1e10 is above 4096", "--run.threads", "1e10"),
                ("landmarks.count = -5 is below 1", "--landmarks.count", "-5"),
                ("approximation.tolerance = nan is not a finite number", "--approximation.tolerance", "nan"),
                ("run.memory = 4Gb is not a size", "--run.memory", "4Gb"),
                ("run.stall-timeout = soon is not a time", "--run.stall-timeout", "soon"),
                ("approximation.embedding = yes is neither true nor false", "--approximation.embedding", "yes"),
                ("approximation.embedding = True is neither true nor false; did you mean 'true'", "--approximation.embedding", "True"),
                ("similarity.kind = RBF is not known; did you mean 'rbf'", "--similarity.kind", "RBF"),
                ("similarity.kind = gaussian is not known; known are rbf, laplacian", "--similarity.kind", "gaussian"),
                ("--landmarks.count needs a value", "--landmarks.count"),
                ("--landmarks.count needs a value", "--landmarks.count", "--run.seed", "4"),
                ("--run.seed is given twice", "--run.seed", "1", "--run.seed", "2"),
                ("'stray' was not expected", "stray")]:
            self.refused(2, pattern, "approximate", *arguments, ranks=[1])

    def test_selections_of_landmarks_are_described(self):
        for name in ["uniform", "farthest", "rpcholesky", "file", "by-list"]:
            self.assertIn(f"  {name}\n", self.cairn("help", "selection").out)
        self.assertIn("Gonzalez 1985", self.cairn("help", "selection", "farthest").out)
        self.assertIn("--landmarks.path", self.cairn("help", "selection", "file").out)
        self.refused(2, "no selection of landmarks is called 'farhtest'; did you mean 'farthest'", "help", "selection", "farhtest",
                     ranks=[1])

    def test_configs_name_file_and_line(self):
        for pattern, text in [
                (r"c.cfg:2: no key is called 'landmarks.cuont'; did you mean 'landmarks.count'", "[landmarks]\ncuont = 4\n"),
                (r"c.cfg:3: landmarks.count = x is not an integer", "[landmarks]\n\ncount = x\n"),
                (r"c.cfg:2: 'count 4' is neither", "[landmarks]\ncount 4\n"),
                (r"c.cfg:3: landmarks.count is given twice, first on line 2", "[landmarks]\ncount = 4\ncount = 5\n")]:
            self.write("c.cfg", text)
            self.refused(2, pattern, "approximate", "--config", "c.cfg", ranks=[1])
        self.refused(3, "cannot read none.cfg: No such file", "approximate", "--config", "none.cfg")

    def test_keys_that_would_do_nothing_are_refused(self):
        base = ["approximate", "--output.path", "r.h5", "--data.generate", "normal", "--data.points", "9",
                "--data.dimension", "2", "--landmarks.count", "3", "--similarity.kind", "rbf"]
        for pattern, *arguments in [
                ("approximation.alpha has no effect if approximation.method is nystrom", "--approximation.alpha", "2"),
                ("similarity.degree has no effect if similarity.kind is rbf", "--similarity.degree", "2"),
                ("similarity.1.gamma has no effect", "--similarity.1.gamma", "2"),
                ("data.format has no effect if data.generate", "--data.format", "csv"),
                ("evaluation.rows = some is neither 'all' nor an integer above 1", "--evaluation.rows", "some"),
                ("evaluation.rows = 1 is neither", "--evaluation.rows", "1"),
                ("landmarks.selection has no effect if approximation.method is optimal", "--landmarks.selection",
                 "farthest", "--approximation.method", "optimal"),
                ("one of landmarks.count and approximation.rank", "--approximation.rank", "2", "--approximation.method",
                 "optimal"),
                ("landmarks.path has no effect if landmarks.selection is uniform", "--landmarks.path", "x"),
                ("one of landmarks.count and landmarks.fraction", "--landmarks.fraction", "0.5")]:
            self.refused(2, pattern, *base, *arguments, ranks=[1])

    def test_keys_that_a_sweep_varies_are_checked_too(self):
        base = ["sweep", "--data.generate", "normal", "--data.points", "9", "--data.dimension", "2", "--landmarks.count",
                "3", "--similarity.kind", "rbf", "--output.csv", "s.csv"]
        for pattern, vary in [("approximation.alpha has no effect if", "approximation.alpha=1,2"),
                              ("one of landmarks.count and landmarks.fraction", "landmarks.fraction=0.1,0.2")]:
            self.refused(2, pattern, *base, "--vary", vary, ranks=[1])

    def test_a_sweep_is_refused_before_its_first_run_whatever_the_order_of_values(self):
        points = ["sweep", "--data.generate", "normal", "--data.points", "60", "--data.dimension", "2",
                  "--landmarks.count", "9", "--output.csv", "s.csv", "--similarity.kind"]
        graph = ["sweep", "--data.kind", "graph", "--data.generate", "grid", "--data.points", "100",
                 "--data.largest-component", "true", "--landmarks.count", "9", "--output.csv", "s.csv"]
        for pattern, base, vary in [
                ("soft-landmarks = 0 is not above 0", graph, ["approximation.soft-landmarks=1,0"]),
                ("soft-landmarks is incompatible with --vary: approximation.solver = local", graph,
                 ["approximation.solver=direct,local", "approximation.soft-landmarks=1"]),
                ("landmarks.count is 200", graph, ["landmarks.count=9,200"]),
                ("similarity.gamma = x is neither", points + ["rbf"], ["similarity.gamma=1,x"]),
                ("approximation.s2 = 100", points + ["rbf"], ["approximation.s2=20,100", "approximation.method=sicur"]),
                ("landmarks.path is missing", points + ["rbf"], ["landmarks.selection=uniform,file"]),
                ("neighbours is 60", points + ["euclidean"],
                 ["approximation.method=biharmonic", "approximation.neighbours=20,60"]),
                ("tolerance has no effect if the solver is direct.*no other run", graph,
                 ["approximation.solver=direct", "approximation.tolerance=1e-3,1e-4"])]:
            for first in (vary, vary[::-1]):
                arguments = [argument for axis in first for argument in ("--vary", axis)]
                self.refused(2, pattern, *base, *arguments, ranks=[1])
                key, values = vary[0].split("=")
                backwards = [f"{key}={','.join(values.split(',')[::-1])}", *vary[1:]]
                arguments = [argument for axis in backwards for argument in ("--vary", axis)]
                self.refused(2, pattern, *base, *arguments, ranks=[1])

    def test_a_sweep_takes_keys_that_one_of_its_runs_has_a_use_for(self):
        graph = ["sweep", "--data.kind", "graph", "--data.generate", "grid", "--data.points", "100",
                 "--data.largest-component", "true", "--landmarks.count", "9", "--evaluation.rows", "5"]
        self.write("l.txt", "1\n5\n9\n20\n40\n50\n60\n70\n80\n")
        mesh = ["sweep", "--data.kind", "mesh", "--data.generate", "sphere", "--data.points", "100",
                "--landmarks.count", "9", "--evaluation.rows", "5"]
        for k, (base, key, value, vary) in enumerate([
                (graph, "approximation.tolerance", "1e-5", "approximation.solver=direct,local"),
                (mesh, "approximation.neighbours", "25", "approximation.operator=cotangent,neighbours"),
                (graph, "landmarks.path", "l.txt", "landmarks.selection=uniform,file")]):
            name, values = vary.split("=")
            for order in (values, ",".join(values.split(",")[::-1])):
                self.cairn(*base, f"--{key}", value, "--vary", f"{name}={order}", "--output.csv", f"{k}{order}.csv")
                with open(self.path(f"{k}{order}.csv"), encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
                self.assertEqual(order.split(","), [row[name] for row in rows])
                for row in rows:
                    self.assertTrue(0 <= float(row["relative_error"]) < 1, row)

    def test_extend_and_evaluate_refuse_what_they_would_ignore(self):
        self.refused(2, "data.points has no effect if the points are read", "extend", "r.h5", "--data.path", "p.csv",
                     "--data.points", "5", "--output.path", "x.h5", ranks=[1])
        self.refused(2, "no option --data.scaling", "evaluate", "r.h5", "--data.scaling", "standard", ranks=[1])

    def test_what_is_missing_is_named(self):
        self.refused(2, "similarity.kind is missing; give --similarity.kind KIND .one of rbf", "approximate", "--data.path", "x.csv",
                     "--landmarks.count", "5", "--output.path", "r.h5", ranks=[1])
        self.refused(2, "cairn info needs FILE", "info", ranks=[1])
        self.refused(2, "nothing is asked for", "query", "r.h5", ranks=[1])
        self.refused(2, "output.path is missing", "approximate", "--data.path", "x.csv", "--landmarks.count", "5",
                     "--similarity.kind", "rbf", ranks=[1])
        self.refused(2, "nothing is swept", "sweep", "--output.csv", "s.csv", ranks=[1])

    def test_the_command_line_wins_over_the_config(self):
        self.refused(2, "landmarks.count is 99999", "plan", "--config", f"{CONFIGS}/repro/rbf-noise.cfg",
                     "--landmarks.count", "99999", ranks=[1])


class CalibrationTest(CairnTest):
    def test_rates_of_a_file_are_taken(self):
        points = ["--data.generate", "uniform", "--data.points", 100, "--data.dimension", 3, "--similarity.kind", "rbf",
                  "--similarity.gamma", 1]
        rates = {"cairn_calibration": 1, "program": "0.2.0", "host": "node7", "processor": "X", "date": "2026-11-25", "ranks": 2,
                 "threads": 1, "product_flops_per_second": 1e9, "evaluations_per_second": 1e7, "read_bytes_per_second": 1e9,
                 "written_bytes_per_second": 1e3, "cholesky_seconds": {"40": 70}, "eigen_seconds": {"40": 90}}
        self.write("node7.json", json.dumps(rates))
        job = ["plan", *points, "--landmarks.count", 40, "--ranks", 2]
        for ranks in (1, 2):
            plan = self.json(*job, "--calibration", "node7.json", ranks=ranks)
            self.assertAlmostEqual(70, plan["seconds"]["joining"], delta=0.01)
            self.assertAlmostEqual(plan["result_bytes"] / 1e3, plan["seconds"]["write"], delta=0.01)
        self.assertIn("rates          of node7.json, measured on node7 (X) at 2026-11-25 with 2 ranks",
                      self.cairn(*job, "--calibration", "node7.json").out)
        with unittest.mock.patch.dict(os.environ, CAIRN_CALIBRATION="node7.json"):
            self.assertIn("rates          of node7.json", self.cairn(*job).out)
        self.assertIn("us a message, 10 GB/s a node: assumed", self.cairn(*job, "--calibration", "node7.json").out)
        links = {"inside_latency_seconds": 1e-3, "inside_bytes_per_second": 1e9, "between_latency_seconds": 1, "between_bytes_per_second": 1e9,
                 "nodes": 1, "fresh_bytes_per_second": 1e9, "inside_measured": True, "between_measured": True}
        self.write("slow.json", json.dumps({**rates, **links, "cairn_calibration": 2}))
        slow = self.json(*job, "--nodes", 2, "--calibration", "slow.json")
        self.assertAlmostEqual(slow["traffic"]["probe"]["collectives"] + slow["traffic"]["probe"]["messages"], slow["seconds"]["probe"], delta=5)
        self.assertIn("1e+06 us a message, 1 GB/s a node\n", self.cairn(*job, "--calibration", "slow.json").out)
        self.write("cut.json", json.dumps({**rates, **links, "cairn_calibration": 2, "inside_measured": "yes"}))
        self.refused(3, "cut.json is not a calibration .* its 'inside_measured' is neither true nor false", *job, "--calibration", "cut.json")
        self.refused(2, "node7.json was measured with 1 thread a rank", *job, "--calibration", "node7.json", "--run.threads", 2)
        self.write("other.json", json.dumps({**rates, "cairn_calibration": 7}))
        self.refused(3, "other.json is not a calibration that this program can use: its format is 7, not 2", *job,
                     "--calibration", "other.json")
        self.refused(2, "--landmarks.count has no effect if calibrate is given", "plan", "--calibrate", "new.json",
                     "--landmarks.count", 40)


if __name__ == "__main__":
    unittest.main(verbosity=2)
