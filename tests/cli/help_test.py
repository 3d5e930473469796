"""Help by command, topic and key, the page of all keys, completion, the manual page, short options and --quiet."""

import os
import re
import shlex
import subprocess
import unittest

from cairn_program import CONFIGS, PROGRAM, CairnTest, csv_text, points

PROJECT = os.path.dirname(CONFIGS)


def keys_of_all_help(text):
    return set(re.findall(r"(?m)^  --([\w.-]+)", text))


def processor():
    """What the processor can do, as Linux names it."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return set(next((line.split(":")[1] for line in file if line.startswith("flags")), "").split())


class Kernels(unittest.TestCase):
    def kernels(self, **environment):
        """Of OpenBLAS, by --version."""
        without = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
        text = subprocess.run([PROGRAM, "--version"], env=without | environment, check=True, capture_output=True, text=True).stdout
        found = re.search(r"OpenBLAS with kernels for (\w+)", text)
        return found[1] if found else self.skipTest("the BLAS is not OpenBLAS")

    @unittest.skipUnless({"avx2", "fma"} <= processor(), "an old processor")
    def test_a_processor_newer_than_openblas_does_not_get_the_oldest_kernels(self):
        self.assertNotEqual("Prescott", self.kernels())

    def test_kernels_that_the_user_names_are_used(self):
        self.assertEqual("Prescott", self.kernels(OPENBLAS_CORETYPE="Prescott"))


class Help(CairnTest):
    def help(self, *words, **options):
        return self.cairn("help", *words, **options).out

    def test_a_command_is_short_by_default_and_whole_on_request(self):
        short, whole = self.cairn("approximate", "--help").out, self.cairn("approximate", "--help", "all").out
        required = short.split("\nRequired\n")[1].split("\nMost used\n")[0]
        self.assertEqual({"data.path", "similarity.kind", "landmarks.count", "output.path"}, keys_of_all_help(required))
        self.assertLess(short.count("\n"), 80)
        self.assertIn("cairn approximate --config configs/segment.cfg", short)
        self.assertGreater(whole.count("\n"), 300)
        self.assertIn("--run.stall-timeout TIME", whole)
        self.assertLessEqual(keys_of_all_help(short), keys_of_all_help(whole))
        self.assertEqual(short, self.help("approximate"))
        self.assertEqual(whole, self.help("approximate", "all"))
        self.assertEqual({"out"}, keys_of_all_help(
            self.cairn("predict", "--help").out.split("\nRequired\n")[1].split("\nMost used\n")[0]))

    def test_a_key_is_described_with_values_commands_and_examples(self):
        text = self.help("landmarks.count")
        for expected in ["--landmarks.count N, -n", "an integer, at least 1", "Commands: approximate", "plan", "sweep",
                         "[landmarks]\n  count = 200", "--landmarks.count 200"]:
            self.assertIn(expected, text)
        self.assertEqual(text, self.help("--landmarks.count"))
        self.assertEqual(text, self.cairn("plan", "--help", "landmarks.count").out)
        self.assertIn("--similarity.gamma", self.help("gamma"))
        row = self.help("row")  # an option of two commands, which says another thing in each
        self.assertIn("Commands: evaluate.", row)
        self.assertIn("Commands: query.", row)

    def test_topics_are_sections_and_names_of_descriptors(self):
        for topic, key in [("landmarks", "landmarks.selection"), ("output", "output.path"), ("run", "run.seed"),
                           ("evaluation", "evaluation.pairs"), ("documents", "data.vectors"), ("graph", "data.weighted"),
                           ("points", "data.scaling"), ("sicur", "approximation.s2"), ("farthest", "landmarks.split"),
                           ("krr", "lambda"), ("rbf", "similarity.gamma")]:
            self.assertIn(f"--{key}", self.help(topic), topic)
        self.assertNotIn("--data.vectors", self.help("points"))
        self.assertIn("cairn approximate --data.kind trees --data.path FILE --landmarks.count", self.help("trees"))
        self.assertIn("--data.kind documents", self.help("method", "wme").split("Examples")[1])
        self.assertIn("--output.counts", self.help("similarity", "pmi"))
        self.assertIn("--output.hierarchy", self.help("path-length"))
        self.refused(2, "no help on 'landmark.count'; did you mean 'landmarks.count'", "help", "landmark.count", ranks=[1])
        self.refused(2, "no help on 'documnets'; did you mean 'documents'", "help", "documnets", ranks=[1])
        self.refused(2, "'more' was not expected", "help", "landmarks", "more", ranks=[1])

    def test_every_key_has_a_page(self):
        keys = re.findall(r"(?m)^  ([\w.-]+) ", self.help("keys"))
        self.assertGreater(len(keys), 150)
        self.assertIn("similarity.gamma", keys)
        for key in keys[::20]:
            self.assertIn(f"--{key} ", self.help(key))

    def test_the_page_of_all_keys_is_what_the_program_prints(self):
        with open(os.path.join(PROJECT, "docs", "keys.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.help("keys", "--markdown"),
                             "write it anew: cairn help keys --markdown > docs/keys.md")

    def test_the_manual_page_names_commands_keys_and_exit_codes(self):
        text = self.help("--man")
        self.assertTrue(text.startswith(".TH CAIRN 1 "))
        for expected in [".SH NAME\ncairn \\- ", ".SS [landmarks]\n", "\\fB\\-\\-landmarks.count\\fR \\fIN\\fR", ".SH EXIT STATUS"]:
            self.assertIn(expected, text)
        known = {".TH", ".SH", ".SS", ".TP", ".PP", ".br", ".nf", ".fi", ".RS", ".RE"}
        self.assertEqual(set(), {line.split()[0] for line in text.splitlines() if line.startswith((".", "'"))} - known)


class Completion(CairnTest):
    def completed(self, *words):
        """What bash offers for the last word."""
        script = ('eval "$("$1" help --completion bash)"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cairn; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", PROGRAM, *words], capture_output=True, text=True, check=True,
                              cwd=self.folder)
        self.assertEqual("", done.stderr)
        return done.stdout.split()

    def test_commands_options_and_values_are_offered(self):
        self.assertEqual(["approximate"], self.completed("cairn", "app"))
        self.assertEqual(["--landmarks.count"], self.completed("cairn", "approximate", "--landmarks.cou"))
        self.assertEqual(["--spectrum"], self.completed("cairn", "evaluate", "r.h5", "--sp"))
        self.assertEqual(["rbf"], self.completed("cairn", "approximate", "--similarity.kind", "rb"))
        self.assertEqual(["true", "false"], self.completed("cairn", "approximate", "--restart", ""))
        self.assertEqual(["kernel-svm"], self.completed("cairn", "train", "r.h5", "--task", "ker"))
        self.assertEqual(["landmarks.fraction"], self.completed("cairn", "help", "landmarks.f"))
        self.assertEqual([], self.completed("cairn", "approximate", "--data.path", "x"))  # bash completes files


class ShortOptions(CairnTest):
    def setUp(self):
        super().setUp()
        self.write("x.csv", csv_text(points(40)))
        self.write("c.cfg", "[data]\npath = x.csv\n[similarity]\nkind = rbf\n")

    def test_letters_stand_for_options(self):
        self.cairn("approximate", "-c", "c.cfg", "-n", "9", "-o", "r.h5")
        self.assertIn("40 x 9", self.cairn("info", "r.h5").out)
        self.cairn("query", "r.h5", "--row", "3", "-o", "row.csv")
        self.assertTrue(os.path.exists(self.path("row.csv")))
        self.cairn("sweep", "-c", "c.cfg", "-n", "5", "--repeats", "2", "-o", "s.csv")
        self.refused(2, "--landmarks.count is given twice", "plan", "-c", "c.cfg", "-n", "5", "--landmarks.count", "6", ranks=[1])
        self.refused(2, "cairn evaluate has no option -n", "evaluate", "r.h5", "-n", "5", ranks=[1])
        self.refused(2, "cairn plan has no option -x", "plan", "-x", ranks=[1])

    def test_version_has_three_names(self):
        self.assertEqual(self.cairn("--version").out, self.cairn("-V").out)
        self.assertEqual(self.cairn("--version").out, self.cairn("version").out)

    def test_quiet_leaves_results_and_warnings(self):
        for ranks in (1, 2):
            done = self.cairn("approximate", "-c", "c.cfg", "-n", "9", "-o", "r.h5", "-q", ranks=ranks)
            self.assertEqual("", done.out)
            rows = self.cairn("query", "r.h5", "--entry", "3,3", "--quiet", ranks=ranks).out.split()
            self.assertEqual(self.cairn("query", "r.h5", "--entry", "3,3", ranks=ranks).out.split(), rows)
            measured = self.cairn("evaluate", "r.h5", "-q", ranks=ranks).out
            self.assertIn("relative error", measured)
            self.assertNotIn("cairn ", measured)
            self.assertNotIn("seconds", measured)
        self.cairn("approximate", "-c", "c.cfg", "--similarity.kind", "euclidean", "-n", "9", "-o", "d.h5", "-q")
        self.write("y.csv", "y\n" + "".join(f"{i}\n" for i in range(40)))
        trained = self.cairn("train", "d.h5", "--targets", "y.csv", "--lambda", "1e6", "-o", "m.h5", "-q")
        self.assertIn("R^2", trained.out)
        self.assertNotIn("warning", trained.out)
        self.assertRegex(trained.err, "warning.*: K~ holds distances")


class Missing(CairnTest):
    def test_all_missing_keys_are_named_at_once_with_examples(self):
        self.refused(2, r"data\.path, similarity\.kind, landmarks\.count and output\.path are missing; give for example "
                        r"--data\.path \S+ --similarity\.kind rbf --landmarks\.count \d+ --output\.path \S+$", "approximate")
        self.refused(2, r"data\.path, landmarks\.count and output\.path are missing", "approximate", "--data.kind", "graph", ranks=[1])
        self.refused(2, r"data\.vectors, similarity\.kind and landmarks\.count are missing; .*--similarity\.kind wm", "plan",
                     "--data.kind", "documents", "--data.path", "t.tsv", ranks=[1])
        self.refused(2, r"data\.path, similarity\.kind, landmarks\.count and output\.csv are missing", "sweep",
                     "--repeats", "2", ranks=[1])
        self.refused(2, r"^output\.path is missing; give --output\.path FILE$", "train", "r.h5", ranks=[1])
        self.refused(2, r"target\.path.*epsilon", "transport", "--data.path", "x.csv", ranks=[1])
        self.refused(2, r"^landmarks\.count is missing; give it, or landmarks\.error, from which it follows$", "approximate", "--data.path", "x.csv",
                     "--similarity.kind", "rbf", "--output.path", "r.h5", ranks=[1])

    def test_the_example_of_the_message_is_a_run(self):
        for name in ("tests", "configs"):
            os.symlink(os.path.join(PROJECT, name), self.path(name))
        words = shlex.split(self.cairn("approximate", expect=2).message().split("for example ")[1])
        self.cairn("plan", *words)


class Examples(CairnTest):
    """The examples of help are commands that work, in the order in which help has them."""

    def test_run(self):
        for name in ("tests", "configs"):
            os.symlink(os.path.join(PROJECT, name), self.path(name))
        commands = re.findall(r"(?m)^  (\w+)$", self.cairn("--help").out.split("\nHelp\n")[0])
        count = 0
        for command in commands:
            text = self.cairn("help", command).out
            text = text.replace(" \\\n     ", "")
            examples = re.findall(r"(?m)^  (.*\bcairn .*)$", text.split("\nExamples\n")[1]) if "\nExamples\n" in text else []
            for example in examples:
                words = shlex.split(example)
                ranks = int(words[words.index("-n") + 1]) if words[0] == "mpirun" else 0
                self.cairn(*words[words.index("cairn") + 1:], ranks=ranks)
                count += 1
        self.assertGreater(count, 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
