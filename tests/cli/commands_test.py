"""Every command, on one rank and on three, against figures that Python computes by itself."""

import csv
import json
import math
import os
import unittest

from cairn_program import CONFIGS, CairnTest, csv_text, points, with_fixed_estimate, write_npy

N, GAMMA = 120, 0.7
LABELS = ["ab"[i % 2] for i in range(N)]
RBF = ["--similarity.kind", "rbf", "--similarity.gamma", GAMMA]


def rbf(x, y):
    return math.exp(-GAMMA * sum((a - b) ** 2 for a, b in zip(x, y)))


class FromPoints(CairnTest):
    """A result of 120 points, exact because every point is a landmark (up to the tolerance of the core matrix)."""

    def setUp(self):
        super().setUp()
        self.points = points(N)
        self.write("points.csv", csv_text(self.points, LABELS))
        self.data = ["--data.path", "points.csv", "--data.label", "class"]

    def approximate(self, *arguments, ranks=0, count=40):
        return self.json("approximate", *self.data, *RBF, "--landmarks.count", count, "--output.path", "r.h5",
                         *with_fixed_estimate(arguments, "--evaluation.pairs", 2000), ranks=ranks)


class ApproximateTest(FromPoints):
    def test_report_holds_what_it_did(self):
        report = self.approximate()
        self.assertEqual((N, 3, 40, "nystrom", 1), (report["n"], report["dimension"], report["s1"], report["method"],
                                                    report["ranks"]))
        self.assertEqual(N * 40, report["evaluations"])
        self.assertAlmostEqual(40 / N, report["share"])
        self.assertGreater(report["probe_evaluations"], 0)
        self.assertLess(report["relative_error"], 1e-3)
        self.assertGreater(report["relative_error_standard_error"], 0)
        self.assertGreaterEqual(report["seconds"]["total"], report["seconds"]["probe"])
        self.assertGreater(report["peak_bytes"], 1e6)
        self.assertEqual(["points.csv", "r.h5", "report.json"], sorted(os.listdir(self.folder)))

    def test_log_has_header_phases_and_file(self):
        out = self.cairn("approximate", *self.data, *RBF, "--landmarks.count", 30, "--output.path", "r.h5", ranks=3).out
        self.assertRegex(out, r"^cairn \S+ \(\S+\), \d{4}-\d\d-\d\d .*, 3 ranks x 1 thread\ncairn approximate --data.path")
        self.assertEqual(1, out.count("relative error "))
        self.assertRegex(out, r"(?m)^  phase +seconds +max/mean +evaluations +bytes +peak memory +messages +moved +waiting$")
        self.assertRegex(out, r"(?m)^  result +r.h5, [0-9.]+ k?B$")

    def test_answer_does_not_depend_on_ranks(self):
        for method in ["nystrom", "sicur"]:
            errors = [self.approximate("--approximation.method", method, "--approximation.tolerance", "1e-4",
                                       ranks=ranks)["relative_error"] for ranks in (1, 3)]
            self.assertAlmostEqual(errors[0], errors[1], delta=1e-9 * errors[0] + 1e-12)

    def test_every_method_and_selection_runs(self):
        for method in ["sms-nystrom", "skeleton", "stacur", "optimal", "auto"]:
            report = self.approximate("--approximation.method", method, count=30, ranks=2)
            self.assertTrue(math.isfinite(report["relative_error"]), method)
        self.write("landmarks.txt", "# mine\n3\n1\n4\n15\n92\n65\n")
        for selection, more in [("farthest", []), ("rpcholesky", []), ("file", ["--landmarks.path", "landmarks.txt"])]:
            report = self.approximate("--landmarks.selection", selection, *more, count=6, ranks=2)
            self.assertEqual((selection, 6), (report["landmark_selection"], report["s1"]))

    def test_what_auto_tried_is_told_and_kept(self):
        made = self.approximate("--approximation.method", "auto", count=20)
        self.assertGreater(len(made["notes"]), 0)
        told = self.cairn("info", "r.h5").out
        self.assertEqual(made["notes"], self.json("info", "r.h5")["notes"])
        for note in made["notes"]:
            self.assertIn(note, told)

    def test_an_approximation_that_is_worse_than_none_is_told(self):
        noise = ["--data.kind", "ids", "--data.count", 200, "--similarity.kind", "noise", "--approximation.tolerance", 1e-15]
        rbf = [*self.data, "--similarity.kind", "rbf"]
        for data, worse in ((noise, True), (rbf, False)):
            report = self.json("approximate", *data, "--landmarks.count", 40, "--output.path", "r.h5", ranks=2)
            self.assertEqual(worse, report["relative_error"] > 1)
            self.assertEqual(worse, any("worse than none" in warning for warning in report["warnings"]))

    def test_the_read_phase_counts_the_bytes_of_the_file(self):
        size = os.path.getsize(self.path("points.csv"))
        for ranks in (0, 3):
            self.assertEqual(size, self.approximate(ranks=ranks)["phases"]["read"]["bytes"])

    def test_single_precision_and_embedding(self):
        report = self.approximate("--run.precision", "single", "--approximation.embedding", "true", ranks=2)
        self.assertEqual("single", report["precision"])
        self.assertLess(report["relative_error"], 1e-2)

    def test_more_ranks_than_rows(self):
        self.write("few.csv", csv_text(points(2)))
        self.cairn("approximate", "--data.path", "few.csv", *RBF, "--landmarks.count", 2, "--output.path", "few.h5",
                   ranks=4)
        found = self.json("query", "few.h5", "--entry", "0,1", ranks=4)
        self.assertAlmostEqual(rbf(*points(2)), found["entries"][0]["value"], delta=1e-12)

    def test_shipped_configs_are_understood(self):
        for name in ["letter", "segment", "bay", "large/points-10m", "repro/rbf-noise", "repro/dgp-synthetic",
                     *(f"repro/biharmonic-{data}" for data in "brain bunny ensemble roads roads-100k swissroll".split())]:
            self.refused(2, "evaluation.pairs", "approximate", "--config", f"{CONFIGS}/{name}.cfg", "--evaluation.pairs",
                         "1", "--output.path", "r.h5", ranks=[1])

    def test_shipped_configs_of_documents_run_on_other_texts(self):
        texts = ["cat sat", "dog sat owl", "cat", "owl ran", "dog cat", "ran sat"]
        self.write("v.txt", "".join(f"{word} {k} {k * k % 5}\n" for k, word in enumerate("cat dog owl sat ran".split())))
        table = "".join(f"{'C01' if k % 2 else 'C02'}\t{text}\n" for k, text in enumerate(texts))
        self.write("d.tsv", table)
        for name in ("train.tsv", "test.tsv"):
            self.write(name, table.replace("\t", "\t17\t"))
        self.write("d.json", json.dumps([{"cuisine": f"c{k % 2}", "ingredients": text.split()} for k, text in enumerate(texts)]))
        for name, path, more in [("twitter", "d.tsv", []), ("recipe", "d.json", []), ("errors", "d.tsv", []),
                                 ("ohsumed", "train.tsv", ["--data.test-path", "test.tsv"]),
                                 ("20news", "train.tsv", ["--data.test-path", "test.tsv"])]:
            report = self.json("approximate", "--config", f"{CONFIGS}/repro/sms-{name}.cfg", "--data.path", path, *more,
                               "--data.vectors", "v.txt", "--similarity.gamma", 1, "--landmarks.count", 2, "--output.path", "r.h5")
            self.assertEqual(12 if more else 6, report["n"])
        write_npy(self.path("k.npy"), [[1 / (1 + abs(i - j)) for i in range(9)] for j in range(9)])
        for name in ("errors-matrix", "coreference"):
            report = self.json("approximate", "--config", f"{CONFIGS}/repro/sms-{name}.cfg", "--data.path", "k.npy",
                               "--landmarks.count", 3, "--output.path", "r.h5")
            self.assertEqual((9, "rows"), (report["n"], report["error_over"]))


class EvaluateTest(FromPoints):
    def test_all_rows_agree_with_brute_force_and_the_probe(self):
        estimate = self.approximate(count=4)
        exact = self.json("evaluate", "r.h5", "--evaluation.rows", "all", ranks=3)
        self.assertEqual(0, exact["relative_error_standard_error"])
        spread = estimate["relative_error_standard_error"]
        self.assertAlmostEqual(estimate["relative_error"], exact["relative_error"], delta=5 * spread)
        entries = [f"{i},{j}" for i in range(0, N, 10) for j in range(N)]
        answers = self.json("query", "r.h5", *[word for e in entries for word in ("--entry", e)])["entries"]
        error = sum((a["value"] - rbf(self.points[a["row"]], self.points[a["column"]])) ** 2 for a in answers)
        norm = sum(rbf(self.points[a["row"]], self.points[a["column"]]) ** 2 for a in answers)
        self.assertAlmostEqual(math.sqrt(error / norm), exact["relative_error"], delta=0.5 * exact["relative_error"])

    def test_another_matrix_of_the_same_size_is_noticed(self):
        for name, gamma in [("k.npy", 1.0), ("other.npy", 1.001)]:
            write_npy(self.path(name), [[rbf(x, y) ** gamma for y in self.points] for x in self.points])
        self.cairn("approximate", "--data.kind", "matrix", "--data.path", "k.npy", "--landmarks.count", 9,
                   "--evaluation.rows", 10, "--output.path", "k.h5")
        self.assertEqual("rows", self.json("info", "k.h5")["error_over"])
        self.cairn("evaluate", "k.h5", ranks=2)
        self.refused(3, "not those that k.h5 was made from", "evaluate", "k.h5", "--data.path", "other.npy")

    def test_pairs_and_spectrum(self):
        self.approximate(count=8)
        report = self.json("evaluate", "r.h5", "--evaluation.pairs", 500, "--spectrum", 50, ranks=2)
        self.assertEqual(500, report["probe_pairs"])
        self.assertEqual(50, len(report["sample_spectrum"]))
        self.assertAlmostEqual(N, sum(report["sample_spectrum"]), delta=1e-6 * N)  # the trace: K(x, x) = 1

    def test_data_that_moved_are_named_and_other_data_refused(self):
        self.approximate()
        os.rename(self.path("points.csv"), self.path("moved.csv"))
        self.refused(3, "points.csv", "evaluate", "r.h5")
        self.cairn("evaluate", "r.h5", "--data.path", "moved.csv")
        other = points(N)
        other[7][1] += 1e-3
        self.write("other.csv", csv_text(other, LABELS))
        self.refused(3, "not those that r.h5 was made from", "evaluate", "r.h5", "--data.path", "other.csv")
        self.write("short.csv", csv_text(other[:50], LABELS[:50]))
        self.refused(3, "the data have 50 objects", "evaluate", "r.h5", "--data.path", "short.csv", ranks=[1])


class QueryTest(FromPoints):
    def setUp(self):
        super().setUp()
        self.approximate(count=N)

    def test_entries_rows_and_nearest_are_those_of_the_matrix(self):
        report = self.json("query", "r.h5", "--entry", "3,77", "--entry", "5,5", "--row", 11, "--nearest", 20, "--k", 4,
                           ranks=3)
        self.assertAlmostEqual(rbf(self.points[3], self.points[77]), report["entries"][0]["value"], delta=1e-5)
        self.assertAlmostEqual(1.0, report["entries"][1]["value"], delta=1e-5)
        row = report["row"]["values"]
        self.assertEqual(N, len(row))
        for j in range(N):
            self.assertAlmostEqual(rbf(self.points[11], self.points[j]), row[j], delta=1e-5)
        nearest = sorted((j for j in range(N) if j != 20), key=lambda j: -rbf(self.points[20], self.points[j]))
        found = [n["object"] for n in report["nearest"]["nearest"]]
        self.assertEqual(4, len(set(found)))
        for true, taken in zip(nearest, found):  # neighbors that are equally near to rounding may change places
            self.assertAlmostEqual(rbf(self.points[20], self.points[true]), rbf(self.points[20], self.points[taken]),
                                   delta=2e-5)

    def test_a_row_is_a_row_where_factors_are_two_different_ones(self):
        for symmetrize in ("false", "true"):
            self.approximate("--approximation.method", "skeleton", "--approximation.symmetrize-result", symmetrize, count=30)
            entries = [option for j in range(N) for option in ("--entry", f"11,{j}")]
            report = self.json("query", "r.h5", "--row", 11, *entries, ranks=3)
            for entry, value in zip(report["entries"], report["row"]["values"]):
                self.assertAlmostEqual(entry["value"], value, delta=1e-9)

    def test_distances_are_nearest_where_they_are_small(self):
        self.cairn("approximate", *self.data, "--similarity.kind", "euclidean", "--landmarks.count", N, "--output.path",
                   "d.h5")
        found = self.json("query", "d.h5", "--nearest", 20, "--k", 3, ranks=2)["nearest"]["nearest"]
        distances = sorted(math.dist(self.points[20], self.points[j]) for j in range(N) if j != 20)
        for nearest, neighbor in zip(distances, found):  # points at nearly the same distance may change places
            self.assertAlmostEqual(nearest, math.dist(self.points[20], self.points[neighbor["object"]]), delta=1e-3)

    def test_row_goes_to_a_file(self):
        self.cairn("query", "r.h5", "--row", 0, "--out", "row.csv", ranks=2)
        with open(self.path("row.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([str(j) for j in range(N)], [row["column"] for row in rows])
        self.assertAlmostEqual(rbf(self.points[0], self.points[9]), float(rows[9]["value"]), delta=1e-5)

    def test_objects_that_are_not_there(self):
        self.refused(2, "entry names object 120; the result has the objects 0 to 119", "query", "r.h5", "--entry", "0,120")
        self.refused(2, "--entry 7 is not two row numbers", "query", "r.h5", "--entry", "7", ranks=[1])


class ExtendTest(FromPoints):
    def test_old_points_get_their_old_similarities(self):
        self.approximate("--data.scaling", "standard", count=30)
        self.write("new.csv", csv_text(self.points[40:70], LABELS[40:70]))
        self.cairn("extend", "r.h5", "--data.path", "new.csv", "--data.label", "class", "--output.path", "new.h5", ranks=3)
        old = self.json("query", "r.h5", "--entry", "41,60")["entries"][0]["value"]
        new = self.json("query", "new.h5", "--entry", "1,20")["entries"][0]["value"]
        self.assertAlmostEqual(old, new, delta=1e-9)
        self.assertEqual(30, self.json("info", "new.h5")["n"])

    def test_cur_factors_are_extended_too(self):
        self.write("new.csv", csv_text(self.points[:10]))
        for method, samples, evaluations in (("sicur", [], 40), ("skeleton", [], 40),  # the first sample is in the second
                                             ("stacur", [], 20), ("stacur", ["--approximation.samples", "different"], None)):
            self.approximate("--approximation.method", method, *samples, count=20)
            report = self.json("extend", "r.h5", "--data.path", "new.csv", "--output.path", "new.h5", ranks=2)
            if evaluations:
                self.assertEqual(10 * evaluations, report["evaluations"], method)
            old = self.json("query", "r.h5", "--entry", "2,7")["entries"][0]["value"]
            new = self.json("query", "new.h5", "--entry", "2,7")["entries"][0]["value"]
            self.assertAlmostEqual(old, new, delta=1e-9)

    def test_points_of_another_dimension_are_refused(self):
        self.approximate()
        self.write("new.csv", csv_text(points(5, 4)))
        self.refused(3, "the new points have 4 coordinates, those of r.h5 have 3", "extend", "r.h5", "--data.path",
                     "new.csv", "--output.path", "new.h5")


class PlanTest(FromPoints):
    def test_plan_counts_what_the_run_takes(self):
        plan = self.json("plan", *self.data, *RBF, "--landmarks.count", 40, ranks=2)
        run = self.approximate(ranks=2)
        self.assertEqual(run["evaluations"], plan["evaluations"])
        self.assertLessEqual(run["probe_evaluations"], plan["probe_evaluations"])  # what it may come to
        self.assertEqual(plan["peak_bytes"], sum(plan["bytes"].values()))
        self.assertGreater(plan["seconds"]["total"], 0)

    def test_other_ranks_can_be_planned_for(self):
        config = ["plan", "--config", f"{CONFIGS}/large/points-10m.cfg", "--run.memory", "100GB"]
        two, eight = (self.json(*config, "--ranks", ranks)["peak_bytes"] for ranks in (2, 8))
        self.assertGreater(two, 3 * eight)

    def test_a_run_that_cannot_fit_is_refused_before_it_starts(self):
        limit = ["--run.memory", "1MB"]
        self.refused(5, "the run would take .* more than run.memory = 1 MB; use more ranks", "approximate", *self.data,
                     *RBF, "--landmarks.count", 40, "--output.path", "r.h5", *limit)
        self.refused(5, "run.memory", "plan", *self.data, *RBF, "--landmarks.count", 40, *limit, ranks=[1])


class InfoTest(FromPoints):
    def test_info_tells_what_the_file_holds(self):
        made = self.approximate()
        info = self.json("info", "r.h5", ranks=2)
        self.assertEqual((N, 40, "rbf", "similarity", True), (info["n"], info["left_columns"], info["similarity"],
                                                              info["meaning"], info["has_labels"]))
        self.assertEqual(made["relative_error"], info["relative_error"])
        self.assertIn("count = 40", info["provenance"]["config"])
        self.assertIn("cairn approximate --data.path", self.cairn("info", "r.h5").out)


class ConvertTest(FromPoints):
    def test_converted_points_give_the_same_approximation(self):
        self.cairn("convert", "points.csv", "points.h5", "--data.label", "class", ranks=3)
        from_csv = self.approximate()["relative_error"]
        self.data = ["--data.path", "points.h5"]
        self.assertEqual(from_csv, self.approximate()["relative_error"])

    def test_converted_matrices_too(self):
        write_npy(self.path("k.npy"), [[rbf(x, y) for y in self.points] for x in self.points])
        self.cairn("convert", "k.npy", "k.h5", ranks=2)
        errors = []
        for path in ["k.npy", "k.h5"]:
            report = self.json("approximate", "--data.kind", "matrix", "--data.path", path, "--landmarks.count", 5,
                               "--output.path", "r.h5", "--evaluation.pairs", 2000, ranks=2)
            errors.append(report["relative_error"])
        self.assertEqual(errors[0], errors[1])


class SweepTest(FromPoints):
    def test_a_line_a_run_and_a_summary(self):
        arguments = ["sweep", *self.data, *RBF, "--vary", "landmarks.count=5,10", "--vary",
                     "approximation.method=nystrom,sicur", "--repeats", 3, "--output.csv", "s.csv"]
        summary = self.json(*arguments, ranks=2)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(12, len(rows))
        self.assertEqual({"1", "2", "3"}, {row["run_seed"] for row in rows})
        for row in rows:
            columns = int(row["s2"]) or int(row["s1"])  # the second sample of SiCUR contains the first
            self.assertEqual(N * columns, int(row["evaluations"]))
            self.assertGreater(float(row["seconds_total"]), 0)
        group = [float(row["relative_error"]) for row in rows
                 if (row["landmarks.count"], row["approximation.method"]) == ("10", "sicur")]
        told = next(c for c in summary["combinations"]
                    if c["values"] == {"landmarks.count": "10", "approximation.method": "sicur"})
        self.assertAlmostEqual(sorted(group)[1], told["median_relative_error"], delta=1e-8)

    def test_what_the_last_run_cannot_do_is_said_before_the_first(self):
        self.refused(2, "landmarks.count is 121", "sweep", *self.data, *RBF, "--vary", "landmarks.count=5,121",
                     "--output.csv", "s.csv")
        out = self.cairn("sweep", *self.data, *RBF, "--vary", "landmarks.count=5,121", "--output.csv", "s.csv",
                         expect=2).out
        self.assertNotIn("1/2", out)

    def test_a_numeric_failure_is_a_line(self):
        self.write("linear.csv", csv_text([[1.0 + i, 2.0] for i in range(30)]))
        out = self.cairn("sweep", "--data.path", "linear.csv", "--similarity.kind", "linear", "--landmarks.selection",
                         "rpcholesky", "--vary", "landmarks.count=2,20", "--output.csv", "s.csv").out
        with open(self.path("s.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(["", "20"], [rows[0]["error"], rows[1]["landmarks.count"]])
        self.assertNotEqual("", rows[1]["error"])
        self.assertIn("failed", out)

    def test_a_sweep_goes_on_where_it_stopped(self):
        arguments = ["sweep", *self.data, *RBF, "--repeats", 2, "--output.csv", "s.csv"]
        first = ["--vary", "landmarks.count=5,10"]
        self.cairn(*arguments, *first)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        failed = lines[2].split(",")
        self.write("s.csv", "\n".join([*lines[:2], ",".join(failed[:3] + [""] * (len(failed) - 4) + ['"a, ""b"""'])]) + "\n")
        out = self.cairn(*arguments, "--vary", "landmarks.count=5,10,20", "--restart", "true", ranks=3).out
        self.assertIn("6/6", out)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
            file.seek(0)
            self.assertEqual(lines[1], file.read().splitlines()[1])  # was not run again
        self.assertEqual([("5", "1"), ("5", "2"), ("10", "1"), ("10", "2"), ("20", "1"), ("20", "2")],
                         [(row["landmarks.count"], row["run_seed"]) for row in rows])
        self.assertEqual([""] * 6, [row["error"] for row in rows])  # the failed one was
        self.refused(2, "s.csv holds runs of other settings", *arguments, *first, "--restart", "true",
                     "--evaluation.pairs", "99")
        self.refused(3, r"s\.csv:1: is no line of this sweep", *arguments, "--vary", "landmarks.fraction=0.1",
                     "--restart", "true")
        self.write("s.csv", "\n".join(lines[:2]) + "\n5,1\n")
        self.refused(3, r"s\.csv:3: is no line of this sweep", *arguments, *first, "--restart", "true")

    def test_runs_of_another_sweep_are_not_replaced(self):
        arguments = ["sweep", *self.data, *RBF, "--output.csv", "s.csv"]
        first, other = ["--vary", "landmarks.count=5,10"], ["--vary", "landmarks.count=5,8"]
        self.cairn(*arguments, *first)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            before = file.read()
        refusal = r"s\.csv:%d: is not a run of this sweep, .*--overwrite true .*--restart true"
        self.refused(2, refusal % 3, *arguments, *other)
        self.refused(2, refusal % 2, *arguments, *first, "--evaluation.pairs", 99)
        self.refused(2, refusal % 1, *arguments, "--vary", "landmarks.fraction=0.1,0.2")
        self.refused(2, refusal % 3, *arguments, *first, "--part", "1/2")
        self.refused(2, "give one", *arguments, *first, "--restart", "true", "--overwrite", "true")
        with open(self.path("s.csv"), encoding="utf-8") as file:
            self.assertEqual(before, file.read())
        self.cairn(*arguments, *first)  # the same runs again
        self.cairn(*arguments, *other, "--overwrite", "true", ranks=2)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            self.assertEqual(["5", "8"], [row["landmarks.count"] for row in csv.DictReader(file)])
        self.write("s.csv", "")
        self.cairn(*arguments, *first)

    def test_parts_of_a_sweep_are_every_nth_run(self):
        arguments = ["sweep", *self.data, *RBF, "--vary", "landmarks.count=5,10", "--repeats", 2, "--output.csv"]
        keys = {}
        for name, part in (("whole.csv", []), ("1.csv", ["--part", "1/3"]), ("2.csv", ["--part", "2/3"]),
                           ("3.csv", ["--part", "3/3"])):
            out = self.cairn(*arguments, name, *part).out
            with open(self.path(name), encoding="utf-8") as file:
                keys[name] = [(row["landmarks.count"], row["run_seed"], row["settings"], row["relative_error"])
                              for row in csv.DictReader(file)]
            self.assertIn(f"{len(keys[name])}/{len(keys[name])}", out)
        for part in range(3):
            self.assertEqual(keys["whole.csv"][part::3], keys[f"{part + 1}.csv"])
        for wrong in ("0/3", "4/3", "3", "a/3", "1/"):
            self.refused(2, f"--part {wrong} is not K/N", *arguments, "s.csv", "--part", wrong, ranks=[1])
        self.refused(2, "there are 4 runs, too few", *arguments, "s.csv", "--part", "1/5")


if __name__ == "__main__":
    unittest.main(verbosity=2)
