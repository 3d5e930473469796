"""Input that cannot be used: one clear message, the right exit code, no hang, no partial output, on one rank and three."""

import csv
import gzip
import os
import signal
import subprocess
import time
import unittest

try:
    import h5py
except ImportError:
    h5py = None

from cairn_program import MPIEXEC, PROGRAM, CairnTest, csv_text, points, write_npy

RBF = ["--similarity.kind", "rbf", "--similarity.gamma", "1", "--landmarks.count", "5", "--output.path", "r.h5"]


class PointFiles(CairnTest):
    def check(self, pattern, text, *arguments, name="p.csv"):
        self.write(name, text)
        self.refused(3, pattern, "approximate", "--data.path", name, *RBF, *arguments)

    def test_missing_and_empty_files(self):
        self.refused(3, r"(?i)none\.csv.*no such file", "approximate", "--data.path", "none.csv", *RBF)
        self.check(r"p\.csv.*(empty|no )", "")

    def test_a_second_part_of_a_gzip_file_is_read_or_refused(self):
        text = csv_text(points(200)).encode()
        cut = text.index(b"\n", len(text) // 2) + 1
        first, second = gzip.compress(text[:cut]), gzip.compress(text[cut:])
        for tail in (second, second + bytes(512)):  # zeros fill a block of a tape
            self.write("two.csv.gz", first + tail)
            for ranks in (1, 3):
                self.assertEqual(200, self.json("approximate", "--data.path", "two.csv.gz", *RBF, ranks=ranks)["n"])
        os.remove(self.path("r.h5"))
        os.remove(self.path("report.json"))
        for tail in (b"\x1f\x8a" + second[2:], b"more", second[:-3], second[:30] + b"\xff\xff\xff" + second[33:], second + b"x"):
            self.check(r"two\.csv\.gz: is (damaged behind its part [12]|truncated or damaged)", first + tail, name="two.csv.gz")
        self.check(r"one\.csv\.gz: is (truncated or )?damaged", first[:40], name="one.csv.gz")

    @unittest.skipIf(os.geteuid() == 0, "root reads every file")
    def test_unreadable_files(self):
        os.chmod(self.path(self.write("p.csv", "x\n1\n")), 0)
        self.refused(3, "Permission denied", "approximate", "--data.path", "p.csv", *RBF)

    def test_lines_that_are_wrong_are_named(self):
        rows = csv_text(points(20)).splitlines()
        for pattern, line in [(r"p\.csv:13: ", "1,2"), (r"p\.csv:13: ", "1,2,3,4"), (r"p\.csv:13: .*two", "1,two,3"),
                              (r"(?i)p\.csv:13: .*(nan|finite)", "1,nan,3"), (r"(?i)p\.csv:13: .*(inf|finite)", "1,2,inf")]:
            self.check(pattern, "\n".join(rows[:12] + [line] + rows[13:]) + "\n")

    def test_labels_that_are_not_there(self):
        self.check("class", csv_text(points(20)), "--data.label", "class")

    def test_what_a_terminal_could_obey_is_spelled_out(self):
        self.check(r"p\.csv:2: .*\\x1b\[2J\\x07é\\xff", b"1,2\n3,\x1b[2J\x07\xc3\xa9\xff\n")

    def test_edges_whose_paths_overflow(self):
        self.write("g.txt", "0 1 1e308\n1 2 1e308\n")
        self.refused(3, "the edge between the vertices 0 and 1 has the length 1e\\+308: paths of such lengths are too large", "approximate",
                     "--data.kind", "graph", "--data.path", "g.txt", "--landmarks.count", "2", "--output.path", "g.h5")

    def test_numbers_beyond_single_precision(self):
        single = ["--run.precision", "single"]
        self.check(r"p\.csv: coordinate 1 of point 1 .*too large for single precision", "1,2\n3,1e300\n", *single)
        self.check(r"p\.svm: coordinate 0 of point 1 .*too large for single precision", "a 1:2\nb 1:1e300\n", *single, name="p.svm")

    def test_another_config_of_one_rank(self):
        self.write("here.cfg", "[data]\ngenerate = normal\npoints = 50\ndimension = 2\n")
        started = [PROGRAM, "approximate", *RBF, "--config"]
        done = subprocess.run([*MPIEXEC, "-n", "2", *started, "here.cfg", ":", "-n", "1", *started, "elsewhere.cfg"],
                              cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(2, done.returncode, done.stderr)
        self.assertEqual(1, done.stderr.count("rank 2 on "), done.stderr)
        self.assertIn("has 'elsewhere.cfg' where rank 0 has 'here.cfg'", done.stderr)
        self.assertEqual(["here.cfg"], os.listdir(self.folder))


class Matrices(CairnTest):
    def check(self, code, pattern, rows):
        write_npy(self.path("k.npy"), rows)
        self.refused(code, pattern, "approximate", "--data.kind", "matrix", "--data.path", "k.npy", "--landmarks.count",
                     "4", "--output.path", "r.h5")

    def test_not_square(self):
        self.check(3, "square|4 x 3|4x3", [[1.0, 2.0, 3.0]] * 4)

    def test_not_symmetric_names_the_pair_and_both_values(self):
        rows = [[1.0 if i == j else 0.5 for j in range(4)] for i in range(4)]
        rows[1][2] = 0.75
        self.check(3, r"entry \(2, 1\) is 0\.5 and entry \(1, 2\) is 0\.75|entry \(1, 2\) is 0\.75 and entry \(2, 1\) is 0\.5",
                   rows)

    def test_not_a_number(self):
        rows = [[1.0 if i == j else 0.5 for j in range(4)] for i in range(4)]
        rows[1][2] = rows[2][1] = float("nan")
        self.check(3, r"(?i)nan|finite", rows)


class Landmarks(CairnTest):
    def setUp(self):
        super().setUp()
        self.write("p.csv", csv_text(points(20)))
        self.base = ["approximate", "--data.path", "p.csv", "--similarity.kind", "rbf", "--output.path", "r.h5"]

    def test_counts(self):
        self.refused(2, "landmarks.count is 21; it must be between 1 and the number of objects, 20", *self.base,
                     "--landmarks.count", 21)

    def test_files(self):
        chosen = ["--landmarks.selection", "file", "--landmarks.path", "l.txt"]
        for pattern, text in [(r"l\.txt:3: .*4", "4\n5\n4\n"), (r"l\.txt:2: .*20", "4\n20\n"), (r"l\.txt:1: .*-1", "-1\n"),
                              (r"l\.txt:2: .*four", "3\nfour\n")]:
            self.write("l.txt", text)
            self.refused(3, pattern, *self.base, *chosen)

    def test_negative_gamma(self):
        self.refused(2, "gamma", *self.base, "--landmarks.count", 5, "--similarity.gamma=-1")


class Outputs(CairnTest):
    base = ["approximate", "--data.generate", "normal", "--data.points", "3000", "--data.dimension", "3",
            "--similarity.kind", "rbf", "--similarity.gamma", "1", "--landmarks.count", "200"]

    def test_folders_that_are_missing_or_closed(self):
        self.refused(2, "no/such", *self.base, "--output.path", "no/such/r.h5")
        self.refused(2, "/proc", *self.base, "--output.path", "/proc/r.h5", ranks=[1])
        self.refused(2, "no/such", *self.base, "--output.path", "r.h5", "--json", "no/such/r.json", ranks=[1])
        self.refused(2, "name the same file, r.h5", *self.base, "--output.path", "r.h5", "--json", "r.h5", ranks=[1])

    def test_full_disk(self):
        # A limit on the size of files stands for a full disk: the result has 48 MB. MPI's own files are smaller.
        job = [*self.base[:4], "30000", *self.base[5:], "--output.path", "r.h5"]
        for ranks in (0, 3):
            outcome = self.cairn(*job, ranks=ranks, expect=5, file_limit=30_000_000)
            self.assertIn("cairn: error: ", outcome.err)
            self.assertEqual([], os.listdir(self.folder))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_output_that_is_lost_is_an_error(self):
        for words in ["--version", "--help"]:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((5, "cairn: error: cannot write to the standard output\n"), (done.returncode, done.stderr))

    def test_termination_of_a_sweep_leaves_the_runs_that_ended(self):
        job = ["sweep", *self.base[1:], "--repeats", "100000", "--output.csv", "s.csv"]
        started = subprocess.Popen([PROGRAM, *job], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        for _ in range(4):  # the head, and a run
            started.stdout.readline()
        started.send_signal(signal.SIGTERM)
        started.communicate(timeout=60)
        self.assertEqual(128 + signal.SIGTERM, started.returncode)
        self.assertEqual(["s.csv"], os.listdir(self.folder))
        with open(self.path("s.csv"), newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
        self.assertEqual({len(lines[0])}, set(map(len, lines[1:])))

    def test_two_sweeps_do_not_lose_lines_of_one_file(self):
        job = ["sweep", *self.base[1:], "--repeats", "100000", "--output.csv", "s.csv", "--overwrite", "true"]
        for launch in ([], [*MPIEXEC, "-n", "3"]):
            self.write("s.csv", "of an earlier sweep, which is replaced")
            started = subprocess.Popen([*launch, PROGRAM, *job], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            self.addCleanup(started.kill)
            for _ in range(600):  # until it has written, and then until it has found out
                with open(self.path("s.csv"), encoding="utf-8") as file:
                    if "relative_error" in file.read():
                        self.write("s.csv", "of another sweep")
                if started.poll() is not None:
                    break
                time.sleep(0.05)
            _, err = started.communicate(timeout=60)
            self.assertEqual(5, started.returncode, err)
            self.assertIn("s.csv was written by another program while this sweep ran; it stays as it is", err)
            with open(self.path("s.csv"), encoding="utf-8") as file:
                self.assertEqual("of another sweep", file.read())
            os.remove(self.path("s.csv"))

    def test_termination_leaves_nothing(self):
        job = [*self.base[:4], "4000000", *self.base[5:], "--output.path", "r.h5"]  # seconds of work
        for launch, end in [([], signal.SIGINT), ([], signal.SIGTERM), ([], signal.SIGHUP), ([], signal.SIGUSR1),
                            ([*MPIEXEC, "-n", "3"], signal.SIGTERM)]:
            started = subprocess.Popen([*launch, PROGRAM, *job], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            started.stdout.readline()  # the head of the log: it runs
            time.sleep(0.3)
            started.send_signal(end)
            _, err = started.communicate(timeout=60)
            self.assertNotEqual(0, started.returncode)
            if not launch:  # mpirun kills its ranks soon after the signal, and may end before it passed on what they say
                self.assertEqual(128 + end, started.returncode, err)
                self.assertIn("nothing half-written", err)
            self.assertEqual([], os.listdir(self.folder))


class Results(CairnTest):
    def setUp(self):
        super().setUp()
        self.write("p.csv", csv_text(points(40)))
        self.cairn("approximate", "--data.path", "p.csv", *RBF)

    def test_cut_short_other_format_missing(self):
        with open(self.path("r.h5"), "rb") as file:
            whole = file.read()
        with open(self.path("cut.h5"), "wb") as file:
            file.write(whole[:len(whole) * 2 // 3])
        self.refused(3, r"cut\.h5", "query", "cut.h5", "--entry", "0,1")
        self.refused(3, r"cannot read p\.csv: it is not an HDF5 file, as results, models and other files are", "info", "p.csv")
        self.refused(3, r"none\.h5", "info", "none.h5")
        self.refused(3, r"none\.h5", "extend", "none.h5", "--data.path", "p.csv", "--output.path", "x.h5", ranks=[1])
        self.refused(3, r"none\.h5", "evaluate", "none.h5", ranks=[1])

    @unittest.skipIf(h5py is None, "h5py is not there")
    def test_newer_versions_and_shapes_that_do_not_agree(self):
        for pattern, change in [
                (r"bad\.h5 has format version 7", lambda file: file.attrs.modify("format_version", 7)),
                (r"bad\.h5 is not a sound result file: /joining is \d+ x \d+, but the factors",
                 lambda file: file["joining"].attrs.modify("rows", 3)),
                (r"bad\.h5 is not a sound result file: the data set /left is missing", lambda file: file.pop("left"))]:
            with open(self.path("r.h5"), "rb") as whole, open(self.path("bad.h5"), "wb") as bad:
                bad.write(whole.read())
            with h5py.File(self.path("bad.h5"), "r+") as file:
                change(file)
            for command in ["info", "evaluate"]:
                self.refused(3, pattern, command, "bad.h5", ranks=[1 if command == "info" else 3])


if __name__ == "__main__":
    unittest.main(verbosity=2)
