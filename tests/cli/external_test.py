"""Similarities that another program computes: docs/external-scorers.md, as a user would follow it."""

import ast
import collections
import json
import os
import re
import signal
import subprocess
import time
import unittest

from cairn_program import MPIEXEC, PROGRAM, CairnTest, csv_text, points

with open(os.path.join(os.environ["CAIRN_DOCS"], "external-scorers.md"), encoding="utf-8") as page:
    EXAMPLES = re.findall(r"```python\n(.*?)```", page.read(), re.DOTALL)

# Scores ids by what the test knows of them, and writes down the pairs that it was asked for, a file a process.
LOGGING = """import json, os, sys, time
log = open(f"log.{os.getpid()}", "w", buffering=1)
for line in sys.stdin:
    for i, j in json.loads(line):
        log.write(f"{i} {j}\\n")
        time.sleep(DELAY)
        print(1 / (1 + abs(i - j)))
    print(flush=True)
"""


def value(i, j):
    return 1 / (1 + abs(i - j))


def alive(marker):
    """Processes whose command line has this word, zombies apart."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().replace(b"\0", b" ").decode(errors="replace")
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            continue
        if marker in words and "cairn approximate" not in words and PROGRAM not in words and state != "Z":
            found.append(words)
    return found


class External(CairnTest):
    scored = ["--similarity.kind", "external", "--similarity.meaning", "similarity"]
    ids = ["--data.kind", "ids", "--data.count", "300", *scored, "--landmarks.count", "10"]

    def scorer(self, text, name="score.py"):
        self.write(name, text)
        return ["--similarity.command", f"python3 {self.path(name)}"]

    def logged(self):
        """How often each pair was asked for."""
        counts = collections.Counter()
        for name in os.listdir(self.folder):
            if name.startswith("log."):
                with open(self.path(name), encoding="utf-8") as file:
                    counts.update(line for line in file.read().split("\n") if line)
        return counts

    def test_ranks_wait_for_a_slow_scorer_as_long_as_it_may_take(self):
        command = self.scorer("import json, sys, time\n"
                              "for line in sys.stdin:\n"
                              "    for i, j in json.loads(line):\n"
                              "        time.sleep(0.8 if i >= 34 else 0)\n"
                              "        print(1 / (1 + abs(i - j)))\n"
                              "    print(flush=True)\n")
        ids = ["--data.kind", "ids", "--data.count", "36", *self.scored, "--landmarks.count", "8", *command,
               "--similarity.batch", "1", "--similarity.time-limit", "3", "--run.stall-timeout", "3"]
        report = self.approximate(*ids, "--evaluation.pairs", "0", ranks=2)
        self.assertEqual(36 * 8, report["evaluations"])

    def approximate(self, *arguments, ranks=0):
        return self.json("approximate", *arguments, "--output.path", "r.h5", ranks=ranks)

    def assert_none_left(self):
        for _ in range(200):
            if not alive(self.folder):
                return
            time.sleep(0.05)
        self.fail(f"left behind: {alive(self.folder)}")

    def test_the_examples_of_the_manual(self):
        self.assertEqual(3, len(EXAMPLES))
        for example in EXAMPLES:
            ast.parse(example)
        self.assertLessEqual(len(EXAMPLES[0].splitlines()), 10)
        self.write("p.csv", csv_text(points(120)))
        job = ["--data.path", "p.csv", *self.scored, "--landmarks.count", "20", *self.scorer(EXAMPLES[0]),
               "--evaluation.pairs", "1000"]
        reports = [self.approximate(*job, ranks=ranks) for ranks in (0, 2, 3, 4)]
        for report in reports:
            self.assertEqual(120 * 20, report["evaluations"])
            self.assertAlmostEqual(1, report["relative_error"] / reports[0]["relative_error"], delta=1e-8)
        exact = self.json("query", "r.h5", "--row", "7")
        close = sum(abs(entry - 1 / (1 + sum((a - b) ** 2 for a, b in zip(points(120)[7], point)))) < 0.05
                    for entry, point in zip(exact["row"]["values"], points(120)))
        self.assertGreater(close, 100)
        self.assert_none_left()

    def test_every_pair_is_sent_once_and_counted(self):
        job = [*self.ids, *self.scorer(LOGGING.replace("DELAY", "0")), "--evaluation.pairs", "50", "--approximation.method",
               "sms-nystrom"]
        report = self.approximate(*job, "--similarity.batch", "7", "--similarity.processes", "2", ranks=3)
        counts = self.logged()
        self.assertEqual(report["evaluations"] + report["probe_evaluations"], sum(counts.values()))
        self.assertEqual(300 * 10 + 10 * 10, report["evaluations"])
        self.assertEqual(300 + 50, report["probe_evaluations"])
        for entry in self.json("query", "r.h5", "--entry", "5,5", "--entry", "200,201")["entries"]:
            self.assertTrue(-1 < entry["value"] < 2)

    def test_asymmetry_is_found_or_averaged(self):
        skewed = LOGGING.replace("DELAY", "0").replace("1 / (1 + abs(i - j))", "1 / (1 + abs(i - j)) + 1e-3 * (i > j)")
        command = self.scorer(skewed)
        before = sorted(os.listdir(self.folder))
        for ranks in (0, 2):
            outcome = self.cairn("approximate", *self.ids, *command, "--output.path", "r.h5", ranks=ranks, expect=3)
            self.assertRegex(outcome.message(), r"not symmetric: K\(\d+, \d+\) = .*similarity.symmetrize = true")
            for name in os.listdir(self.folder):
                if name.startswith("log."):
                    os.remove(self.path(name))
            self.assertEqual(before, sorted(os.listdir(self.folder)))
        report = self.approximate(*self.ids, *command, "--similarity.symmetrize", "true", "--evaluation.pairs", "40", ranks=2)
        self.assertEqual(2 * 300 * 10, report["evaluations"])
        self.assertEqual(2 * (300 + 40), report["probe_evaluations"])
        self.assertEqual(report["evaluations"] + report["probe_evaluations"], sum(self.logged().values()))

    def test_rounding_of_a_scorer_in_single_precision_is_no_asymmetry(self):
        rounded = LOGGING.replace("DELAY", "0").replace("print(1 /", "print((1 + 1e-7 * (i > j)) /")
        self.approximate(*self.ids, *self.scorer(rounded), ranks=2)

    def test_a_score_too_small_for_a_double_is_0(self):
        tiny = LOGGING.replace("DELAY", "0").replace("print(1 /", "print(['1e-400', '1e-5000'][(i + j) % 2] if i != j else 1 /")
        self.approximate(*self.ids, *self.scorer(tiny))
        self.assertEqual(0, self.json("query", "r.h5", "--entry", "3,200")["entries"][0]["value"])

    def test_a_bad_scorer_is_named_on_all_ranks(self):
        dies = LOGGING.replace("DELAY", "0").replace("log.write", "count = globals().get('count', 0) + 1; count < 1000 or 1 / 0; ")
        self.write("dies.py", dies.replace("log = open(f\"log.{os.getpid()}\", \"w\", buffering=1)\n", ""))
        self.write("speaks.py", "print('Loading', flush=True)\nimport sys\nfor line in sys.stdin: pass\n")
        job = [*self.ids, "--output.path", "r.h5", "--similarity.batch", "16", "--evaluation.pairs", "20"]
        for code, pattern, command in (
                (2, "'no-such-program' .*cannot be started .exit code 127.*not found", "no-such-program"),
                (5, "ended with exit code 1, before it answered for the objects \\d+ and \\d+ .*ZeroDivisionError",
                 f"python3 {self.path('dies.py')}"),
                (3, "answered 'Loading' for the objects|printed 'Loading' without a pending request",
                 f"python3 {self.path('speaks.py')}")):
            self.refused(code, pattern, "approximate", *job, "--similarity.command", command)
        self.refused(5, "took longer than 1 s", "approximate", *job, "--similarity.command", "sleep 600",
                     "--similarity.time-limit", "1s")
        self.assert_none_left()

    def test_a_scorer_that_dies_at_its_10_000th_pair(self):
        dies = "import json, sys\ncount = 0\nfor line in sys.stdin:\n    for i, j in json.loads(line):\n        count += 1\n" \
               "        count < 10_000 or 1 / 0\n        print(1 / (1 + abs(i - j)))\n    print(flush=True)\n"
        ids = ["--data.kind", "ids", "--data.count", "1500", *self.scored, "--landmarks.count", "30"]
        self.refused(5, "before it answered for the objects \\d+ and \\d+ .counted from 0.; it had answered 9999 pairs.*ZeroDivisionError",
                     "approximate", *ids, *self.scorer(dies), "--output.path", "r.h5")
        self.assert_none_left()

    def test_a_scorer_that_died_is_started_again(self):
        dies_once = LOGGING.replace("DELAY", "0").replace("    for i, j", "    asked = 0\n    for i, j").replace(
            "        log.write(", "        asked += i == 200\n        if asked == 3 and not os.path.exists('died'):\n"
            "            open('died', 'x').close()\n            sys.exit('done for')\n        log.write(")
        command = [*self.ids, *self.scorer(dies_once), "--similarity.batch", "8", "--evaluation.pairs", "0"]
        report = self.approximate(*command, "--similarity.retries", "1", ranks=2)
        self.assertTrue(os.path.exists(self.path("died")))
        counts = self.logged()
        self.assertEqual((300 * 10, 2), (len(counts), sum(counts.values()) - 300 * 10))  # what its batch had before, again
        self.assertEqual(300 * 10 + 2 * 8, report["evaluations"])  # both batches that it had were sent again
        os.remove(self.path("died"))
        outcome = self.cairn("approximate", *command, "--output.path", "x.h5", expect=5)
        self.assertIn("done for", outcome.message())

    def test_keys_that_do_not_go_together(self):
        ids = ["--data.kind", "ids", "--data.count", "30", "--landmarks.count", "3", "--output.path", "r.h5"]
        external = [*ids, "--similarity.kind", "external"]
        for pattern, arguments in (
                ("similarity.command is missing|needs? similarity.command", external),
                ("similarity.kind = rbf is incompatible with data.kind = ids", [*ids, "--similarity.kind", "rbf"]),
                ("similarity.batch has no effect if similarity.kind is noise", [*ids, "--similarity.kind", "noise",
                                                                                  "--similarity.batch", "3"]),
                ("send = vectors needs points", [*external, "--similarity.command", "cat", "--similarity.send",
                                                            "vectors"]),
                ("similarity.time-limit", [*external, "--similarity.command", "cat", "--similarity.time-limit", "0"]),
                ("similarity.command has more than one line", [*external, "--similarity.command", "set -e\ncat"]),
                ("data.path has no effect if data.kind is ids", [*external, "--similarity.command", "cat", "--data.path",
                                                                   "score.py"]),
                ("approximation.method = biharmonic is incompatible with data.kind = ids",
                 [*external, "--similarity.command", "cat", "--approximation.method", "biharmonic"])):
            self.write("score.py", "")
            self.refused(2, pattern, "approximate", *arguments)

    def test_plan_starts_no_scorer(self):
        plan = self.json("plan", *self.ids, "--similarity.command", "no-such-program", "--similarity.symmetrize", "true")
        self.assertEqual(2 * 300 * 10, plan["evaluations"])

    def test_new_points_are_scored_by_a_command_that_is_named_again(self):
        self.write("p.csv", csv_text(points(60)))
        self.write("new.csv", csv_text(points(70)))
        command = self.scorer(EXAMPLES[0])
        self.approximate("--data.path", "p.csv", *self.scored, "--landmarks.count", "8", *command)
        self.refused(2, "made with the scorer .*Commands stored in files are not run", "extend", "r.h5", "--data.path", "new.csv",
                     "--output.path", "x.h5")
        self.refused(2, "similarity.command is missing; give --similarity.command COMMAND", "evaluate", "r.h5")
        report = self.json("extend", "r.h5", "--data.path", "new.csv", "--output.path", "x.h5", *command, ranks=2)
        self.assertEqual(70 * 8, report["evaluations"])
        self.json("evaluate", "r.h5", *command, "--evaluation.rows", "all", ranks=2)
        same = self.cairn("evaluate", "r.h5", *command, "--evaluation.rows", "all").out
        self.assertNotIn("the scorer is", same)
        self.write("labels.txt", "".join(f"{'ab'[i % 2]}\n" for i in range(60)))
        self.assertEqual(60 * 60, self.json("cluster", "r.h5", "--exact", "true", "--clusters", 4, "--out", "c.csv", *command,
                                                 ranks=2)["evaluations"])
        self.refused(2, "similarity.command", "cluster", "r.h5", "--exact", "true", "--clusters", 4, "--out", "c.csv")
        other = [command[0], command[1] + " --other"]
        for job in (["evaluate", "r.h5", "--evaluation.rows", "all"],
                    ["extend", "r.h5", "--data.path", "new.csv", "--output.path", "y.h5"]):
            self.assertIn(f"note: the scorer is '{other[1]}'; the result was made with '{command[1]}'",
                          self.cairn(*job, *other, ranks=2).out)

    def test_texts_of_documents_and_of_new_ones(self):
        words = "stone path marker hill river \u00fcber \u20ac7 \"quoted\" back\\slash".split()
        texts = [" ".join(words[(i * k + k) % len(words)] for k in range(1, 5 + i % 3)) for i in range(80)]
        self.write("texts.txt", "\n".join(texts) + "\n")
        self.write("new.txt", "\n".join(texts[5:25]) + "\n")
        scorer = self.scorer("import json, sys\n"
                             "for line in sys.stdin:\n"
                             "    for a, b in json.loads(line):\n"
                             "        a, b = set(a.split()), set(b.split())\n"
                             "        print(len(a & b) / len(a | b))\n"
                             "    print(flush=True)\n")
        documents = ["--data.kind", "documents", "--data.format", "lines"]
        report = self.approximate(*documents, "--data.path", "texts.txt", *self.scored, *scorer,
                                  "--landmarks.count", "20", ranks=3)
        self.assertEqual(80 * 20, report["evaluations"])
        for i, j in ((3, 30), (11, 12)):
            a, b = set(texts[i].split()), set(texts[j].split())
            entry = self.json("query", "r.h5", "--entry", f"{i},{j}")["entries"][0]
            self.assertAlmostEqual(len(a & b) / len(a | b), entry["value"], delta=0.3)
        self.assertLess(report["relative_error"], 0.2)
        new = self.json("extend", "r.h5", *documents, "--data.path", "new.txt", "--output.path", "x.h5", *scorer, ranks=2)
        self.assertEqual(20 * 20, new["evaluations"])

    def test_a_killed_run_goes_on_and_asks_for_no_finished_tile_again(self):
        job = [*self.ids, *self.scorer(LOGGING.replace("DELAY", "0.001")), "--evaluation.pairs", "20", "--similarity.batch",
               "4", "--run.checkpoint", "ck", "--run.checkpoint-interval", "0", "--output.path", "r.h5"]
        started = subprocess.Popen([*MPIEXEC, "-n", "2", PROGRAM, "approximate", *job], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while sum(self.logged().values()) < 1200:
            time.sleep(0.05)
        ranks = [pid for pid in os.listdir("/proc") if pid.isdigit() and self.is_rank(pid)]
        self.assertEqual(2, len(ranks))
        for pid in ranks:
            os.kill(int(pid), signal.SIGKILL)
        started.wait()
        self.assert_none_left()
        text = LOGGING.replace("DELAY", "0.001")
        self.write("other.py", text)
        other = [word.replace("score.py", "other.py") for word in job]
        outcome = self.cairn("approximate", *other, "--restart", ranks=2, expect=3)
        self.assertRegex(outcome.message(), "checkpoint of another run: similarity.command was")
        self.write("score.py", text + "# edited since\n")
        outcome = self.cairn("approximate", *job, "--restart", ranks=2, expect=3)
        self.assertRegex(outcome.message(), "checkpoint of another run: similarity.command was")
        self.write("score.py", text)
        report = self.json("approximate", *job, "--restart", ranks=3)
        self.assertEqual(300 * 10, report["evaluations"])
        counts = self.logged()
        pairs = {f"{i} {j}" for i in range(300) for j in range(300)}
        self.assertTrue(set(counts) <= pairs)
        asked = sum(counts.values())
        needed = 300 * 10 + 300 + 20
        tile = 4 * 10  # rows that 16 batches of 4 hold, a power of two of them
        self.assertLessEqual(asked - needed, 2 * tile, "only tiles under way are scored again")

    def is_rank(self, pid):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            return os.path.realpath(words[0].decode()) == os.path.realpath(PROGRAM) and \
                os.readlink(f"/proc/{pid}/cwd") == os.path.realpath(self.folder)
        except (OSError, UnicodeDecodeError):
            return False

    def test_uneven_scorers_share_the_load(self):
        slow = LOGGING.replace("DELAY", "0.004 if os.environ['CAIRN_RANK'] == '0' else 0.001")
        self.approximate(*self.ids, *self.scorer(slow), "--similarity.batch", "4", "--evaluation.pairs", "20", ranks=2)
        sizes = sorted(os.path.getsize(self.path(name)) for name in os.listdir(self.folder) if name.startswith("log."))
        self.assertGreater(sizes[1], 1.8 * sizes[0], "the quick one scores most")


if __name__ == "__main__":
    unittest.main()
