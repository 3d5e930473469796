"""Results of every method and kind of data: their entries by NumPy from the file alone, and files that lack a part."""

import glob
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402

try:
    import h5py
    import numpy
    from stored_entries import entries
except ImportError:
    h5py = None

# The table of methods, and the folder in which it kept its results.
TABLE, RESULTS = os.environ["CAIRN_METHOD_TABLE"], os.environ["CAIRN_KEEP_RESULTS"]
TREES = "".join(f"t{k % 2} |BT:t| (S(N(w{k}))(V(v{k % 3}))) |ET|\n" for k in range(8))
PAIRS = "".join(f"true |<| |BT:t| (a(b{k % 3})) |ET| |,| |BT:t| (a(c{k})) |ET| |>| |BV:f| x:{k + 1} |EV|\n" for k in range(8))
LINES = "".join(f"a b c{k} d{k % 3}\n" for k in range(8))
KINDS = {"trees": ([], "t.klp", TREES), "sequences": (["--data.format", "lines"], "s.txt", LINES),
         "pairs": (["--data.format", "kelp", "--similarity.kind", "sstk"], "p.klp", PAIRS)}
COMMON = {"trees": "tree-labels/names", "sequences": "sequences/names", "pairs": "pairs/trees"}


@unittest.skipIf(h5py is None, "h5py or numpy is missing")
class MethodResults(CairnTest):
    def test_entries_are_those_of_the_factors_in_the_file(self):
        tests = "--gtest_filter=*EveryCommand/*:*Keeps*:*Embeds*:*Transforms*"
        listed = subprocess.run([TABLE, "--gtest_list_tests", tests], capture_output=True, text=True, check=True).stdout
        seen = set()
        for path in glob.glob(os.path.join(RESULTS, "*.h5")):
            with open(path + ".json", encoding="utf-8") as file:
                told = json.load(file)
            seen.add(told["test"])
            found = numpy.array(told["entries"])
            expected, known, tolerance, lengths = entries(path)
            self.assertEqual(expected.shape, found.shape, told["keys"])
            difference = numpy.abs(found - expected)
            if lengths:  # roots of sums that cancel: two of almost 0 agree in their squares
                difference = numpy.where((found >= 0) & (expected >= 0),
                                         numpy.minimum(difference, numpy.abs(found**2 - expected**2)), difference)
            error = difference[known].max() / max(1, numpy.abs(expected).max())
            self.assertLess(error, tolerance, " ".join(told["keys"]))
        names = {line.split()[0] for line in listed.splitlines() if line.startswith("  ")}
        self.assertEqual(set(), {name for name in names if "EveryCommand" in name} - seen)
        # The others may be refused for a kind of data, not for all.
        self.assertEqual(set(), {name.split("/")[0] for name in names} - {name.split("/")[0] for name in seen})

    def test_factors_without_landmarks_are_read_whatever_the_objects_are(self):
        for kind, (keys, name, text) in KINDS.items():
            data = ["--data.kind", kind, *keys, "--data.path", self.write(name, text)]
            for method in ("optimal", "adam", "dc"):
                size = ["--landmarks.count", 4] if method == "optimal" else ["--approximation.dimension", 2]
                self.cairn("approximate", *data, "--approximation.method", method, *size, "--output.path", "r.h5", ranks=2)
                for ranks in (1, 3):
                    self.cairn("query", "r.h5", "--entry", "0,1", "--row", 2, "--nearest", 3, "--k", 2, ranks=ranks)
                    self.cairn("evaluate", "r.h5", ranks=ranks)
                self.cairn("info", "r.h5", "--verify", "true")
                self.refused(2, "r.h5|extend", "extend", "r.h5", "--data.path", name, "--output.path", "e.h5")

    def test_what_landmarks_need_is_missed_before_it_is_used(self):
        for kind, (keys, name, text) in KINDS.items():
            self.cairn("approximate", "--data.kind", kind, *keys, "--data.path", self.write(name, text), "--approximation.method",
                       "nystrom", "--landmarks.count", 4, "--output.path", "r.h5")
            with h5py.File(self.path("r.h5"), "r+") as file:
                del file[COMMON[kind]]
            self.refused(3, f"{COMMON[kind]} is missing", "info", "r.h5", "--verify", "true")
            self.refused(3, f"{COMMON[kind]} is missing", "query", "r.h5", "--entry", "0,1")


if __name__ == "__main__":
    unittest.main()
