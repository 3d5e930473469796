#!/usr/bin/env python3
"""Who may know which names: the libraries do not know the keys of the command line, and nobody but their own file the
names of methods and similarities. The argument is the folder of the project."""

import pathlib
import re
import sys
import unittest

from source_text import literals, sources

PROJECT = pathlib.Path(sys.argv.pop()).resolve()
LIBRARY = PROJECT / "src" / "cairn"

SECTIONS = "data|similarity|landmarks|approximation|evaluation|run|output"
KEY = re.compile(rf"(?<![\w.])(?:{SECTIONS})\.[a-z]|^(?:{SECTIONS})\.$")
# Help texts of descriptors are shown by the command line alone.
DESCRIPTION = re.compile(r"\.(?:help|summary)\s*=\s*(?:fmt::format\(\s*)?$")
DESCRIPTOR = re.compile(r"const\s+(?:Method|Similarity)Descriptor\s+\w+\s*\{\s*\.name\s*=\s*$")
VALUE = re.compile(r"\.(?:fallback\s*=\s*|choices\s*=\s*\{)$")

# Literals in src/cairn and apps that are the name of a method or similarity outside its own file. It may only fall.
MOST_NAMES = 6


def key_literals(folder):
    """Places of literals that hold a key of the command line, outside of descriptions."""
    return [f"{path.relative_to(PROJECT)}:{literal.line}: \"{literal.text}\""
            for path in sources(folder) if path.stem != "landmark_selections"  # which programs know by these names, too
            for literal in literals(path.read_text())
            if KEY.search(literal.text) and not DESCRIPTION.search(literal.before)]


def described_names(folder):
    """Names of methods and similarities, each with the file (without ending) that describes it. Names that are also
    the value of a parameter ("auto") say nothing where they stand."""
    owners, values = {}, set()
    for path in sources(folder):
        for literal in literals(path.read_text()):
            if DESCRIPTOR.search(literal.before):
                owners[literal.text] = path.with_suffix("")
            if VALUE.search(literal.before):
                values.add(literal.text)
    return {name: owner for name, owner in owners.items() if name not in values}


def name_literals(folder, owners):
    """Places of literals that are a name of `owners` outside of its own files."""
    return [f"{path.relative_to(PROJECT)}:{literal.line}: \"{literal.text}\""
            for path in sources(folder) for literal in literals(path.read_text())
            if literal.text in owners and path.with_suffix("") != owners[literal.text]]


class Names(unittest.TestCase):
    def test_the_libraries_do_not_know_the_keys_of_the_command_line(self):
        found = key_literals(LIBRARY)
        self.assertEqual([], found, "hand in a KeyNames (cairn/parameters/key_names.hpp):\n" + "\n".join(found))

    def test_methods_and_similarities_are_named_in_their_own_files(self):
        owners = described_names(LIBRARY)
        self.assertTrue({"nystrom", "biharmonic", "rbf", "path-length"} <= set(owners), sorted(owners))
        found = [place for folder in (LIBRARY, PROJECT / "apps") for place in name_literals(folder, owners)]
        print(f"{len(found)} names of methods and similarities outside their own files, at most {MOST_NAMES}")
        self.assertLessEqual(len(found), MOST_NAMES, "take the descriptor's name, or ask a trait:\n" + "\n".join(found))


class Scanner(unittest.TestCase):
    """What the tests above look for is found, and nothing else."""

    def texts(self, source):
        return [(literal.line, literal.text) for literal in literals(source)]

    def test_literals_are_joined_and_comments_skipped(self):
        source = '#include "data.hpp"\n// "data.a"\nf("data." /* "x" */\n  "path", \'"\', 10\'000, R"(run.a)", "a\\"b");\n'
        self.assertEqual([(3, "data.path"), (4, "run.a"), (4, 'a\\"b')], self.texts(source))

    def test_keys_are_found_in_messages_and_not_in_help(self):
        def keys(text):
            return [literal.text for literal in literals(text)
                    if KEY.search(literal.text) and not DESCRIPTION.search(literal.before)]
        self.assertEqual(["give --data.path FILE"], keys('throw Error(usage, "give --data.path FILE");'))
        self.assertEqual(["{} (run.seed)"], keys('fmt::format("{} (run.seed)", x)'))
        self.assertEqual(["similarity."], keys('Values(own, settings, "similarity.")'))
        self.assertEqual([], keys('{.name = "seed", .help = "Its seed; by "\n "default run.seed."}'))
        self.assertEqual([], keys('log("other data. rerun.all of the data.")'))


if __name__ == "__main__":
    unittest.main()
