"""The index of tables and figures is whole and up to date, and a check finds what was altered.

reproduce_test.py PROGRAM; runs the two quickest entries, whose data come with the project."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(PROGRAM.parent))
try:
    from cairn_reproduce import page, tables
    from cairn_reproduce.entry import Row
    from cairn_reproduce.papers import PAPERS
    from cairn_reproduce.runs import KEPT, PROJECT
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-numpy)")
    sys.exit(77)

ENTRIES = {entry.name: entry for paper in PAPERS for entry in paper.entries}
# What the papers have.
FIGURES = {"sms": 9, "biharmonic": 8, "dgp": 1, "cqa": 0, "sketches": 3}
TABLES = {"sms": 7, "biharmonic": 0, "dgp": 7, "cqa": 1, "sketches": 4}
QUICKEST = "biharmonic-figure-5"


def reproduce(*words):
    return subprocess.run([sys.executable, PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


class Index(unittest.TestCase):
    def test_has_every_table_and_figure(self):
        for paper in PAPERS:
            shown = {entry.shows for entry in paper.entries}
            wanted = {f"figure {number + 1}" for number in range(FIGURES[paper.short])}
            wanted |= {f"table {number + 1}" for number in range(TABLES[paper.short])}
            self.assertEqual(set(), wanted - shown, paper.short)
        self.assertEqual(set(FIGURES), {paper.short for paper in PAPERS})

    def test_names_are_of_one_entry_each(self):
        self.assertEqual(len(ENTRIES), sum(len(paper.entries) for paper in PAPERS))

    def test_the_page_is_what_the_program_prints(self):
        printed = reproduce("--index")
        self.assertEqual(0, printed.returncode, printed.stderr)
        self.assertEqual((PROJECT / "docs/reproduction.md").read_text(encoding="utf-8"), printed.stdout,
                         "apps/reproduce/reproduce --index > docs/reproduction.md")

    def test_configs_and_pages_are_there(self):
        for entry in ENTRIES.values():
            for path in ((f"configs/{entry.config}",) if entry.config else ()) + ((f"docs/{entry.page}",) if entry.page else ()):
                self.assertTrue((PROJECT / path).exists(), f"{entry.name}: {path}")

    def test_says_why_what_is_not_computed(self):
        for entry in ENTRIES.values():
            self.assertTrue(entry.deviation.endswith("."), entry.name)


class Kept(unittest.TestCase):
    def test_tables_have_the_measures_and_the_papers_numbers_of_their_entries(self):
        counted = 0
        for path in KEPT.glob("*.csv"):
            entry = ENTRIES[path.stem.removesuffix("-full")]
            rows, paper = tables.read(path)
            self.assertEqual(set(), {row.measure for row in rows} - set(entry.bounds), path.name)
            self.assertEqual([], [row for row in rows if paper[tables.key(row)] != tables.paper_text(entry, row)], path.name)
            counted += 1
        self.assertGreater(counted, 30)

    def test_measurements_of_full_size_are_read(self):
        for entry in ENTRIES.values():
            if entry.stored:
                rows, source = page.kept_rows(entry)
                self.assertGreater(len(rows), 3, entry.name)
                self.assertTrue(source, entry.name)

    def test_every_number_of_the_paper_belongs_to_a_measure(self):
        for entry in ENTRIES.values():
            self.assertEqual(set(), {place[3] for place in entry.paper} - set(entry.bounds), entry.name)


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kept = pathlib.Path(folder.name)
        self.lines = (KEPT / f"{QUICKEST}.csv").read_text(encoding="utf-8").splitlines()

    def differences(self, lines):
        path = self.kept / f"{QUICKEST}.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return tables.differences(ENTRIES[QUICKEST], tables.read(KEPT / f"{QUICKEST}.csv")[0], path)

    def altered(self, column, text, line=1):
        fields = self.lines[line].split(",")
        # the measure of this table has a comma, in quotes: count from the right
        fields[column] = text
        return [*self.lines[:line], ",".join(fields), *self.lines[line + 1:]]

    def test_a_fresh_run_is_as_kept(self):
        done = reproduce("--check", QUICKEST)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn(f"{QUICKEST}: as kept (2 numbers,", done.stdout)

    def test_a_value_that_was_altered_fails(self):
        path = self.kept / f"{QUICKEST}.csv"
        value = float(self.lines[1].split(",")[-2])
        path.write_text("\n".join(self.altered(-2, f"{1.01 * value:.6g}")) + "\n", encoding="utf-8")
        done = reproduce("--check", QUICKEST, "--kept", self.kept)
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertIn("bound 0.001", done.stdout)

    def test_lines_and_papers_numbers_that_were_altered_fail(self):
        self.assertEqual([], self.differences(self.lines))
        self.assertEqual(1, len(self.differences(self.lines[:-1])))
        self.assertEqual(2, len(self.differences(self.altered(0, "roll"))))
        self.assertEqual(2, len(self.differences(self.altered(3, "7"))))
        self.assertEqual(1, len(self.differences(self.altered(-1, "83"))))
        self.assertEqual(1, len(self.differences([*self.lines, self.lines[-1]])))
        self.assertEqual(1, len(self.differences(self.altered(-2, "nan"))))
        self.assertEqual(1, len(self.differences(["value", "1"])))

    def test_values_are_compared_as_tables_have_them(self):
        entry = next(entry for entry in ENTRIES.values() if 0 in entry.bounds.values())
        measure = next(measure for measure, bound in entry.bounds.items() if bound == 0)
        rows, path = [Row("", "", "", 1, measure, 100 / 3)], self.kept / "thirds.csv"
        tables.write(path, entry, rows)
        self.assertEqual([], tables.differences(entry, rows, path))
        self.assertEqual(1, len(tables.differences(entry, [rows[0]._replace(value=33.3334)], path)))

    def test_a_table_that_is_missing_fails(self):
        found = tables.differences(ENTRIES[QUICKEST], [], self.kept / "none.csv")
        self.assertEqual(1, len(found))


class Commands(unittest.TestCase):
    def test_list_names_all(self):
        done = reproduce("--list")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual([], [name for name in ENTRIES if name not in done.stdout])

    def test_a_name_that_is_none_is_refused(self):
        done = reproduce("sms-figure-99")
        self.assertEqual(2, done.returncode)
        self.assertIn("there is no sms-figure-99", done.stderr)

    def test_data_that_are_missing_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            done = reproduce("--data", folder, "sms-table-4")
            self.assertEqual(3, done.returncode)
            self.assertIn("pairs/sts-dev.tsv.xz is neither in", done.stderr)
            done = reproduce("--data", folder, "--check", "--skip", "sms-table-4")
            self.assertEqual(77, done.returncode)

    def test_a_run_that_fails_says_its_command(self):
        done = reproduce("--cairn", "/bin/false", QUICKEST)
        self.assertEqual(4, done.returncode)
        self.assertIn("/bin/false approximate", done.stderr)


if __name__ == "__main__":
    if not os.environ.get("CAIRN_PROGRAM"):
        os.environ["CAIRN_PROGRAM"] = str(PROJECT / "build/release/apps/cairn/cairn")
    unittest.main()
