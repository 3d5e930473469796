"""scripts/compare-results: a program equals itself; other seeds, changed files, refusals and absent data are told."""

import os
import re
import stat
import subprocess
import sys
import unittest

try:
    import h5py  # noqa: F401, which the script needs
except ImportError:
    print("skipped: python3-h5py is not installed")
    sys.exit(77)

from cairn_program import CONFIGS, PROGRAM, SECONDS, CairnTest

SCRIPT = os.path.join(os.path.dirname(CONFIGS), "scripts", "compare-results")
NOISE = os.path.join(CONFIGS, "repro", "rbf-noise.cfg")
FILES = "left joining landmarks/indices landmarks/objects".split()

# A program that passes its arguments on to cairn, of which `BEFORE` may change some, and does `AFTER` with its result.
WRAPPER = """#!{python}
import subprocess, sys
arguments = sys.argv[1:]
{before}
code = subprocess.run([{program!r}, *arguments]).returncode
if code == 0 and "--output.path" in arguments:
    result = arguments[arguments.index("--output.path") + 1]
    {after}
sys.exit(code)
"""


class CompareResultsTest(CairnTest):
    def compare(self, old, new, *arguments, expect):
        command = [sys.executable, SCRIPT, old, new, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertEqual(expect, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def program(self, name, before="", after="pass"):
        self.write(name, WRAPPER.format(python=sys.executable, program=PROGRAM, before=before, after=after))
        os.chmod(self.path(name), stat.S_IRWXU)
        return self.path(name)

    def small(self, *configs):
        return [*(configs or [NOISE]), "--objects", 120, "--landmarks", 12]

    def test_a_program_is_equal_to_itself_on_one_rank_and_on_two(self):
        said = self.compare(PROGRAM, PROGRAM, *self.small(), expect=0)
        self.assertRegex(said, r"(?m)^equal    1 rank   configs/repro/rbf-noise.cfg: \d+ data sets")
        self.assertRegex(said, r"(?m)^equal    2 ranks  configs/repro/rbf-noise.cfg: \d+ data sets")
        self.assertIn("2 equal, 0 differs, 0 skipped", said)

    def test_another_seed_gives_other_landmarks_and_factors(self):
        change = 'if "--run.seed" in arguments: arguments[arguments.index("--run.seed") + 1] = "2"'
        other = self.program("other", before=change)
        said = self.compare(PROGRAM, other, *self.small(), expect=1)
        self.assertIn("0 equal, 2 differs", said)
        for name in FILES:
            self.assertRegex(said, rf"(?m)^differs  1 rank .*\b{name} by ")

    def test_one_bit_of_any_factor_is_a_difference(self):
        for name in FILES:
            change = (f"import h5py, numpy; f = h5py.File(result, 'r+'); d = f['{name}']; x = d[()]; y = x.reshape(-1);"
                      "y[3] = y[3] + 1 if x.dtype.kind == 'i' else numpy.nextafter(y[3], 9); d[()] = x")
            said = self.compare(PROGRAM, self.program("doctored", after=change), *self.small(), "--ranks", 1, expect=1)
            self.assertRegex(said, rf"(?m)^differs  1 rank   \S+/rbf-noise.cfg: {name} by \S+ \(.*\) in 1 of \d+$")

    def test_of_tiles_the_lower_triangle_is_compared(self):
        graph = ["--only", "^graph path-length biharmonic$", "--objects", 120, "--landmarks", 12, "--ranks", 1]
        change = "import h5py; f = h5py.File(result, 'r+'); f['joining'][{}] = 77"
        said = self.compare(PROGRAM, self.program("below", after=change.format("5, 2")), *graph, expect=1)
        self.assertRegex(said, "differs  1 rank   graph path-length biharmonic: joining by .* in 1 of 196")  # 12 landmarks, two rows of trees
        self.compare(PROGRAM, self.program("above", after=change.format("2, 5")), *graph, expect=0)

    def test_times_and_texts_are_not_compared(self):
        change = ("import h5py; f = h5py.File(result, 'r+'); f['provenance/phases/seconds'][0] = 99;"
                  "f.attrs['transform'] = 'other'; f['crc32/left'][0] += 1")
        self.compare(PROGRAM, self.program("later", after=change), *self.small(), "--ranks", 1, expect=0)

    def test_a_missing_data_set_is_a_difference(self):
        change = "import h5py; f = h5py.File(result, 'r+'); del f['joining']"
        said = self.compare(PROGRAM, self.program("less", after=change), *self.small(), "--ranks", 1, expect=1)
        self.assertRegex(said, r"(?m)^differs  1 rank .*: joining is only in the old result$")

    def test_what_the_old_program_refuses_is_skipped_and_what_the_new_one_refuses_differs(self):
        strict = self.program("strict", before='if "approximate" in arguments: arguments.append("--no-such-key=1")')
        said = self.compare(PROGRAM, strict, *self.small(), "--ranks", 1, expect=1)
        self.assertRegex(said, "differs  1 rank .*: the new program ends with 2: .*no-such-key")
        said = self.compare(strict, PROGRAM, *self.small(), expect=2)
        self.assertRegex(said, "skipped  2 ranks .*: the old program ends with 2: .*no-such-key")
        self.assertIn("0 equal, 0 differs, 2 skipped", said)

    def test_a_run_that_takes_too_long_is_skipped(self):
        slow = self.program("slow", before="import time; time.sleep(60)")
        said = self.compare(slow, PROGRAM, *self.small(), "--ranks", 1, "--time-limit", 1, expect=2)
        self.assertIn(": the old program takes more than 1 s", said)

    def test_absent_data_are_skipped_with_a_line(self):
        self.write("a.cfg", "[data]\npath = nothing.csv\n[landmarks]\ncount = 5\n")
        self.write("b.cfg", "[data]\nkind = documents\n[landmarks]\ncount = 5\n")
        said = self.compare(PROGRAM, PROGRAM, *self.small("a.cfg", "b.cfg", NOISE), "--ranks", 1, expect=0)
        self.assertIn("a.cfg: nothing.csv is absent\n", said)
        self.assertIn("b.cfg: it names no data\n", said)
        self.assertIn("1 equal, 0 differs, 2 skipped", said)

    def test_every_method_and_similarity_of_the_program_has_a_case(self):
        said = self.compare(PROGRAM, PROGRAM, "--list", expect=0)
        self.assertNotIn("no case has", said)
        for folder, _, files in os.walk(CONFIGS):
            for config in (file for file in files if file.endswith(".cfg")):
                self.assertIn(os.path.relpath(os.path.join(folder, config), os.path.dirname(CONFIGS)) + "\n", said)
        more = self.program("more", before='if arguments[0] == "help": print("  toy")')
        said = self.compare(PROGRAM, more, "--list", expect=0)
        self.assertEqual([("similarity", "toy"), ("method", "toy")], re.findall(r"no case has the (\w+) (\w+)", said))


if __name__ == "__main__":
    unittest.main()
