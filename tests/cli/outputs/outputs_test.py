"""What is written: whole or not at all, under its own name, over nothing that is not Cairn's."""

import grp
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import cairn_program  # noqa: E402
from cairn_program import PROGRAM, csv_text, points  # noqa: E402

RBF = ("--similarity.kind", "rbf", "--similarity.gamma", "1", "--landmarks.count", "12", "--evaluation.pairs", "0")


class OutputsTest(cairn_program.CairnTest):
    def setUp(self):
        super().setUp()
        self.write("p.csv", csv_text(points(60), ["a", "b"] * 30))
        self.data = ("--data.path", "p.csv", "--data.label", "class")

    def approximate(self, *arguments, **keys):
        return self.cairn("approximate", *self.data, *RBF, *arguments, **keys)

    def text(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def result(self):
        if not os.path.exists(self.path("p.h5")):
            self.approximate("--output.path", "p.h5")

    def commands(self):
        """Commands by what they write, with the text or HDF5 output last but for --json."""
        self.result()
        self.write("ij.csv", "".join(f"{i},{(7 * i) % 60}\n" for i in range(60)))
        self.cairn("extend", "p.h5", "--data.path", "p.csv", "--data.label", "class", "--output.path", "x.h5")
        self.cairn("train", "p.h5", "--task", "krr", "--targets", "p.csv:x0", "--output.path", "m.h5")
        self.write("g.edges", "".join(f"{i} {i + 1}\n" for i in range(30)))
        self.cairn("approximate", "--data.kind", "graph", "--data.path", "g.edges", "--approximation.method", "nystrom",
                   "--landmarks.count", 5, "--evaluation.rows", 5, "--output.path", "g.h5")
        return {
            "result": ("approximate", *self.data, *RBF, "--output.path", "out.h5"),
            "result, as numbers": ("convert", "p.csv", "out.h5", "--data.label", "class"),
            "graph": ("convert", "g.edges", "out.h5", "--data.kind", "graph"),
            "extension": ("extend", "p.h5", "--data.path", "p.csv", "--data.label", "class", "--output.path", "out.h5"),
            "embedding": ("embed", "p.h5", "--dimension", 2, "--out", "out.h5"),
            "coordinates": ("embed", "p.h5", "--dimension", 2, "--out", "out.csv"),
            "model": ("train", "p.h5", "--task", "krr", "--targets", "p.csv:x0", "--output.path", "out.h5"),
            "predictions": ("predict", "m.h5", "--result", "p.h5", "--out", "out.csv"),
            "clusters": ("cluster", "p.h5", "--clusters", 3, "--out", "out.csv"),
            "row": ("query", "p.h5", "--row", 3, "--out", "out.csv"),
            "values": ("query", "p.h5", "--pairs", "ij.csv", "--out", "out.csv"),
            "nearest": ("query", "p.h5", "--nearest-to", "x.h5", "--out", "out.csv"),
            "compared row": ("evaluate", "p.h5", "--row", 3, "--out", "out.csv"),
            "errors by vertex": ("evaluate", "g.h5", "--evaluation.rows", 5, "--by-vertex", "out.csv"),
            "lengths": ("distances", "g.edges", "--sources", "s.txt", "--out", "out.npy"),
            "lengths in HDF5": ("distances", "g.edges", "--sources", "s.txt", "--out", "out.h5"),
            "sweep": ("sweep", *self.data, *RBF, "--vary", "landmarks.count=5,6", "--output.csv", "out.csv"),
            "plan": ("transport", "--data.path", "p.csv", "--data.label", "class", "--target.path", "p.csv",
                     "--epsilon", "1", "--output.path", "out.h5"),
            "report": ("info", "p.h5", "--json", "out.json"),
        }

    def test_the_same_command_again_replaces_what_it_wrote_and_nothing_else(self):
        commands = self.commands()
        self.write("s.txt", "1\n4\n")
        for name, command in commands.items():
            with self.subTest(name):
                output = next(word for word in map(str, command) if word.startswith("out."))
                self.cairn(*command)
                first = os.stat(self.path(output)).st_mtime_ns
                self.cairn(*command)
                self.assertNotEqual(first, os.stat(self.path(output)).st_mtime_ns, "it was written again")
                os.remove(self.path(output))
                self.write(output, "thesis, chapter 1\n")
                pattern = r"out\.csv:1: is not a run of this sweep.*--overwrite" if name == "sweep" else \
                    rf"{re.escape(output)} exists and holds no .* of cairn.*--overwrite true"
                self.refused(2, pattern, *command, ranks=(1,))
                self.assertEqual("thesis, chapter 1\n", self.text(output))
                self.cairn(*command, "--overwrite", "true")
                self.assertNotIn("thesis", self.text(output))
                os.remove(self.path(output))
                self.write(output, "")  # as mktemp makes it
                self.cairn(*command)
                os.remove(self.path(output))

    def test_one_kind_of_hdf5_replaces_no_other(self):
        kinds = {"result": "result", "extension": "result", "model": "model", "plan": "transport plan", "embedding": "data",
                 "result, as numbers": "data"}
        commands = {name: command for name, command in self.commands().items() if name in kinds}
        for name, command in commands.items():
            self.cairn(*command, "--overwrite", "true")
            for other, wanted in kinds.items():
                if kinds[name] == wanted:
                    continue
                with self.subTest(there=name, written=other):
                    before = os.stat(self.path("out.h5")).st_mtime_ns
                    self.refused(2, f"out.h5 exists and holds no {wanted} of cairn", *commands[other], ranks=(1,))
                    self.assertEqual(before, os.stat(self.path("out.h5")).st_mtime_ns)

    def test_rates_replace_no_other_file(self):
        self.write("rates.json", '{\n  "thesis": "chapter 1"\n}\n')
        self.refused(2, "rates.json exists and holds no JSON of cairn", "plan", "--calibrate", "rates.json")

    def test_a_result_is_no_report(self):
        self.result()
        self.approximate("--output.path", "other.h5")
        self.refused(2, "other.h5 exists and holds no JSON of cairn", "info", "p.h5", "--json", "other.h5")
        self.write("data.csv", csv_text(points(5)))
        self.refused(2, "data.csv exists and holds no table of cairn", "query", "p.h5", "--row", 1, "--out", "data.csv")
        self.refused(2, "--overwrite has no effect", "info", "p.h5", "--overwrite", "true", ranks=(1,))

    def test_two_runs_on_one_name_leave_one_of_their_files(self):
        self.OWN_PROCESSES = True
        self.result()
        for name, count in (("few.csv", 20_000), ("many.csv", 30_000)):
            self.write(name, "".join(f"{i % 60},{(i * 7) % 60}\n" for i in range(count)))
        for _ in range(3):
            said = {}

            def ask(pairs):
                said[pairs] = self.cairn("query", "p.h5", "--pairs", pairs, "--out", "both.csv", "-q").out
            threads = [threading.Thread(target=ask, args=(name,)) for name in ("few.csv", "many.csv")]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual({"few.csv": "20,000 values in both.csv\n", "many.csv": "30,000 values in both.csv\n"}, said)
            self.assertIn(self.text("both.csv").count("\n"), (20_000, 30_000))
        self.assertEqual([], [name for name in os.listdir(self.folder) if "partial" in name])

    def test_links_are_followed_and_neighbors_are_left_alone(self):
        self.result()
        os.mkdir(self.path("real"))
        self.write("precious.txt", "precious")
        for option, name in (("--json", "report.json"), ("--out", "row.csv")):
            self.write(f"real/{name}", "")
            os.symlink(f"real/{name}", self.path(name))
            self.write(f"{name}.partial", "mine")
            os.symlink("../precious.txt", self.path(f"real/{name}.partial"))
            asked = ("query", "p.h5", "--row", 0) if option == "--out" else ("info", "p.h5")
            self.cairn(*asked, option, name, ranks=2)
            self.assertTrue(os.path.islink(self.path(name)))
            self.assertGreater(os.path.getsize(self.path(f"real/{name}")), 100)
            self.assertEqual("mine", self.text(f"{name}.partial"))
            self.assertEqual("precious", self.text("precious.txt"))

    def test_a_table_of_lengths_leaves_other_files_alone(self):
        self.write("g.edges", "".join(f"{i} {i + 1}\n" for i in range(30)))
        self.write("s.txt", "1\n4\n")
        self.write("precious.txt", "precious")
        table = ("distances", "g.edges", "--sources", "s.txt", "--out", "t.npy")
        os.symlink("precious.txt", self.path("t.npy.partial.blocks"))
        self.refused(2, r"t\.npy\.partial\.blocks .*remove it", *table)
        os.remove(self.path("t.npy.partial.blocks"))
        for name in ("t.npy.partial", "t.npy.partial.blocks"):
            self.write(name, "not a table, and longer than nothing")
            self.refused(2, rf"{re.escape(name)} .*remove it", *table, "--resume", "true")
            os.remove(self.path(name))
        self.assertEqual("precious", self.text("precious.txt"))
        self.cairn(*table)

    def test_one_file_in_two_words_is_refused(self):
        os.mkdir(self.path("sub"))
        os.symlink("al.h5", self.path("link.json"))
        os.symlink(".", self.path("here"))
        for other in ("al.h5", "./al.h5", "sub/../al.h5", "here/al.h5", self.path("al.h5"), "link.json"):
            self.refused(2, "name the same file", "approximate", *self.data, *RBF, "--output.path", "al.h5", "--json", other,
                         ranks=(1, 2))
        self.refused(2, "the same file", "convert", "p.csv", "c.h5", "--json", "./c.h5")
        self.assertFalse(os.path.exists(self.path("al.h5")))
        self.approximate("--output.path", "al.h5", "--json", "al.json", ranks=2)

    def test_devices_and_pipes_are_written_as_they_are(self):
        self.OWN_PROCESSES = True  # their standard output is a pipe
        self.result()
        report = json.loads(subprocess.run([PROGRAM, "info", "p.h5", "-q", "--json", "/dev/stderr"], cwd=self.folder, check=True,
                                           capture_output=True).stderr)
        self.assertEqual("p.h5", report["file"])
        with open(self.path("both.txt"), "wb") as file:  # a file behind /dev/stdout is not replaced
            subprocess.run([PROGRAM, "info", "p.h5", "--json", "/dev/stdout"], cwd=self.folder, check=True, stdout=file)
        text = self.text("both.txt")
        self.assertIn("rbf", text.split('{\n  "program"')[0])
        self.assertEqual("p.h5", json.loads(text[text.index('{\n  "program"'):])["file"])
        self.cairn("info", "p.h5", "--json", "/dev/null", ranks=2)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        os.mkfifo(self.path("pipe"))
        read = []
        reader = threading.Thread(target=lambda: read.append(self.text("pipe")), daemon=True)
        reader.start()
        self.cairn("query", "p.h5", "--row", 0, "--out", "pipe", expect=2)  # the ending says the form
        self.cairn("info", "p.h5", "--json", "pipe", ranks=2)
        reader.join(60)
        self.assertEqual("p.h5", json.loads(read[0])["file"])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
        self.refused(2, "exists and is not a file", "approximate", *self.data, *RBF, "--output.path", "pipe")
        self.refused(2, "exists and is not a file", "info", "p.h5", "--json", ".")
        self.refused(2, "/dev/stdout exists and is not a file", "approximate", *self.data, *RBF, "--output.path", "/dev/stdout")
        os.symlink("loop2", self.path("loop1"))
        os.symlink("loop1", self.path("loop2"))
        self.refused(2, "loop1 is a symbolic link that leads back to itself", "approximate", *self.data, *RBF, "--output.path", "loop1")
        self.assertTrue(os.path.islink(self.path("loop1")))

    def test_mode_and_group_stay(self):
        self.result()
        for command, output in ((("approximate", *self.data, *RBF, "--output.path", "p.h5"), "p.h5"),
                                (("query", "p.h5", "--row", 0, "--out", "r.csv"), "r.csv"),
                                (("info", "p.h5", "--json", "r.json"), "r.json")):
            self.cairn(*command)
            for mode in (0o600, 0o640, 0o444):
                os.chmod(self.path(output), mode)
                group = next((one.gr_gid for one in grp.getgrall() if one.gr_gid not in (0, os.getgid())), 0) if os.getuid() == 0 else -1
                os.chown(self.path(output), -1, group)
                before = os.stat(self.path(output))
                self.cairn(*command, ranks=2)
                after = os.stat(self.path(output))
                self.assertNotEqual(before.st_ino, after.st_ino)
                self.assertEqual((before.st_mode, before.st_gid), (after.st_mode, after.st_gid))

    def test_long_paths(self):
        deep = "d" * 150
        os.makedirs(self.path(os.path.join(deep, deep)))
        self.result()
        long = os.path.join(self.folder, deep)
        for ranks in (1, 2):
            for length in (225, 230, 240, 256, 300):
                folder = long if len(long) + 6 < length else self.folder
                name = "f" * (length - len(folder) - 4) + ".h5"
                if len(name) > 250:
                    folder, name = long, "f" * 90 + ".h5"
                with self.subTest(length=length, ranks=ranks):
                    self.approximate("--output.path", os.path.join(folder, name), ranks=ranks)
                    self.cairn("query", os.path.join(folder, name), "--entry", "0,1")
        for k, command in enumerate((("approximate", *self.data, *RBF, "--output.path"), ("embed", "p.h5", "--dimension", 2, "--out"),
                        ("extend", "p.h5", "--data.path", "p.csv", "--data.label", "class", "--output.path"), ("convert", "--data.label", "class", "p.csv"))):
            self.cairn(*command, os.path.join(deep, deep, "f" * 200 + f"{k}.h5"), ranks=2)

    def test_long_names(self):
        self.result()
        for bytes_ in (236, 245, 255):
            self.approximate("--output.path", "n" * (bytes_ - 3) + ".h5", ranks=2)
            self.cairn("info", "p.h5", "--json", "ü" * ((bytes_ - 5) // 2) + ".json")
        self.refused(2, "too long", "approximate", *self.data, *RBF, "--output.path", "n" * 253 + ".h5")
        self.refused(2, "too long", "info", "p.h5", "--json", "n" * 256)
        self.assertEqual([], [name for name in os.listdir(self.folder) if "partial" in name])

    def test_colons(self):
        os.mkdir(self.path("dir:x"))
        known = subprocess.run(["ompi_info", "--param", "io", "romio321"], capture_output=True, text=True, check=False) \
            if shutil.which("ompi_info") else None
        ways = ["ompio", *(["romio321"] if known and "romio" in known.stdout else [])]
        self.addCleanup(os.environ.pop, "OMPI_MCA_io", None)
        for way in ways:
            os.environ["OMPI_MCA_io"] = way
            for name in ("ufs:y.h5", "a:b.h5", "dir:x/c.h5"):
                with self.subTest(way=way, name=name):
                    self.approximate("--output.path", name, ranks=2)
                    self.cairn("query", name, "--entry", "0,1", ranks=2)

    def test_options_of_petsc_in_files_and_variables_are_not_taken(self):
        self.write("evil", "#!/bin/sh\ntouch ran\n")
        os.chmod(self.path("evil"), 0o755)
        self.result()
        options = f"-start_in_debugger\n-debug_terminal {self.path('evil')}\n-log_view\n-help\n"
        for name in (".petscrc", "petscrc"):
            self.write(name, options)
        os.environ["PETSC_OPTIONS"] = options.replace("\n", " ")
        os.environ["HOME"], home = self.folder, os.environ.get("HOME", "/")
        self.addCleanup(os.environ.__setitem__, "HOME", home)
        self.addCleanup(os.environ.pop, "PETSC_OPTIONS")
        self.write("g.edges", "".join(f"{i} {(i + k) % 200}\n" for i in range(200) for k in (1, 14)))
        iterative = ("approximate", "--data.kind", "graph", "--data.path", "g.edges", "--approximation.method", "biharmonic",
                     "--approximation.solver", "petsc", "--landmarks.count", 20, "--evaluation.rows", 5, "--output.path", "g.h5")
        for command in (iterative, ("embed", "p.h5", "--dimension", 2, "--out", "e.h5")):
            for ranks in (1, 2):
                said = self.cairn(*command, ranks=ranks)
                self.assertNotIn("PETSc", said.out + said.err)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_labels_obey_no_terminal(self):
        self.write("esc.csv", csv_text(points(20), [f"\x1b]0;title{k}\x07\x1b[2J" for k in range(20)]))
        self.cairn("approximate", "--data.path", "esc.csv", "--data.label", "class", *RBF, "--output.path", "e.h5")
        for command in (("query", "e.h5", "--nearest", 1), ("query", "e.h5", "--entry", "1,2"), ("query", "e.h5", "--row", 1),
                        ("info", "e.h5", "--json", "i.json")):
            for ranks in (1, 2):
                said = self.cairn(*command, ranks=ranks)
                self.assertNotIn("\x1b", said.out + said.err)
        self.assertIn(r"\x1b]0;title", self.cairn("query", "e.h5", "--row", 1).out)
        self.cairn("query", "e.h5", "--nearest", 1, "--json", "n.json")
        self.assertIn("\\u001b]0;title", self.text("n.json"))
        self.assertTrue(json.loads(self.text("n.json"))["nearest"]["nearest"][0]["label"].startswith("\x1b]0;title"))
        self.cairn("query", "e.h5", "--row", 1, "--out", "r.csv")
        self.assertIn("\x1b]0;title", self.text("r.csv"))

    def test_dates_say_what_they_are_ahead_of_utc(self):
        self.result()
        os.environ["TZ"] = "XYZ-5:30"
        self.addCleanup(os.environ.pop, "TZ")
        self.approximate("--output.path", "zone.h5", "--json", "zone.json")
        self.assertRegex(json.loads(self.text("zone.json"))["date"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0530$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
