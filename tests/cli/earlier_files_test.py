"""Files that earlier versions of cairn wrote (tests/data/earlier): the present program reads each of them, and says of
it what the program of that day said."""

import csv
import json
import os
import shlex
import unittest

from cairn_program import CairnTest

EARLIER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "earlier")
VERSIONS = sorted(name for name in os.listdir(EARLIER) if os.path.isdir(os.path.join(EARLIER, name)))
SINGLE = ("single.h5", "streets.h5", "ensemble.h5")  # single precision: other orders of summation differ by more


def value_of(text):
    """The number that a text is, or the text."""
    try:
        return float(text)
    except ValueError:
        return text


class FromEarlierFiles(CairnTest):
    def link(self, version):
        """The files of a version in the folder of the test, in which commands run."""
        for name in os.listdir(os.path.join(EARLIER, version)):
            os.symlink(os.path.join(EARLIER, version, name), self.path(name))
        with open(self.path("expected.json"), encoding="utf-8") as file:
            return json.load(file)

    def compare(self, expected, found, share, where):
        """Numbers within `share` of the expected ones, all else alike. A report may have become richer."""
        if isinstance(expected, dict):
            self.assertIsInstance(found, dict, where)
            for key, value in expected.items():
                self.assertIn(key, found, where)
                self.compare(value, found[key], share, f"{where}.{key}")
        elif isinstance(expected, list):
            self.assertEqual(len(expected), len(found), where)
            for i, (one, other) in enumerate(zip(expected, found)):
                self.compare(one, other, share, f"{where}[{i}]")
        elif isinstance(expected, float):
            self.assertAlmostEqual(expected, found, delta=share * abs(expected) + 1e-3 * share, msg=where)
        else:
            self.assertEqual(expected, found, where)

    def compare_tables(self, expected, share):
        """The columns of that day; a table may have got further ones."""
        for name, (heads, *rows) in expected.items():
            with open(self.path(name), encoding="utf-8") as file:
                found = list(csv.DictReader(file))
            rows = [{head: value_of(text) for head, text in zip(heads, row)} for row in rows]
            self.compare(rows, [{head: value_of(text) for head, text in row.items()} for row in found], share, name)


def as_it_was(words):
    """The command with the defaults of that day where they are others now."""
    return [*words, "--intercept", "false"] if words[0] == "train" and "krr" in words else words


class EveryFileTest(FromEarlierFiles):
    def repeat(self, version, ranks, without=()):
        """Runs each command of expected.json, in their order, but those of the commands in `without`."""
        for one in self.link(version):
            if one["command"].split()[0] in without:
                continue
            with self.subTest(version=version, command=one["command"], ranks=ranks):
                words = shlex.split(one["command"])
                share = 1e-5 if any(word in SINGLE for word in words) else 1e-9
                self.compare(one["report"], self.json(*as_it_was(words), ranks=ranks), share, one["command"])
                self.compare_tables(one.get("tables", {}), share)

    def test_every_file_is_read_on_one_rank(self):
        for version in VERSIONS:
            self.repeat(version, 0)

    def test_every_file_is_read_on_three_ranks(self):
        for version in VERSIONS:
            self.repeat(version, 3, without=["info"])  # reads the same attributes on every rank

    def test_every_file_has_a_command(self):
        for version in VERSIONS:
            asked = {word for one in self.link(version) for word in shlex.split(one["command"])}
            stored = [name for name in os.listdir(self.folder) if name.endswith(".h5")]
            self.assertGreater(len(stored), 0)
            self.assertEqual([], [name for name in stored if name not in asked])


class Version010Test(FromEarlierFiles):
    """What 0.1.0 did otherwise is told."""

    def setUp(self):
        super().setUp()
        self.link("0.1.0-5d1bd8a")

    def test_rows_of_extend_that_may_be_wrong_are_told_and_made_anew(self):
        wrong = "version 0.1.0, which could compute wrong rows"
        self.assertIn(wrong, self.cairn("info", "extension-rbf.h5").out)
        self.assertIn(wrong, self.cairn("query", "extension-rbf.h5", "--entry", "0,1", ranks=3).err)
        for right in ("extension-sicur.h5", "extension-documents.h5", "nystrom.h5"):
            self.assertNotIn(wrong, self.cairn("info", right).out, right)
        self.cairn("extend", "nystrom.h5", "--data.path", "inputs/new-points.csv", "--data.label", "class",
                   "--output.path", "again.h5")
        # Rows 7, 10, 25 and 26 of the old points are landmarks, for which the new points of these numbers were taken.
        entries = ["--entry", "7,10", "--entry", "25,26", "--entry", "0,1", "--entry", "6,3"]
        old, new = (self.json("query", name, *entries)["entries"] for name in ("extension-rbf.h5", "again.h5"))
        wrong_rows = [abs(a["value"] - b["value"]) > 1e-3 for a, b in zip(old, new)]
        self.assertEqual([True, True, False, False], wrong_rows)

    def test_files_without_checksums_are_said_to_have_none(self):
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".h5"):
                report = self.json("info", name, "--verify", "true")
                self.assertGreater(report["data_sets"], 0, name)
                self.assertEqual(report["data_sets"], report["without_checksum"], name)


if __name__ == "__main__":
    unittest.main()
