#!/usr/bin/env python3
"""Who may know which names: the libraries below run/keys do not know the keys of a config, and nobody but their own file the
names of methods, similarities, kinds of data, selections of landmarks and tasks. The argument is the folder of the project."""

import pathlib
import re
import sys
import unittest

from source_text import literals, sources, types

PROJECT = pathlib.Path(sys.argv.pop()).resolve()
LIBRARY = PROJECT / "src" / "cairn"

SECTIONS = "data|similarity|landmarks|approximation|evaluation|run|output"
KEY = re.compile(rf"(?<![\w.])(?:{SECTIONS})\.[a-z]|^(?:{SECTIONS})\.$")
# Help texts of descriptors are shown by the command line alone.
DESCRIPTION = re.compile(r"\.(?:help|summary|details)\s*=\s*(?:fmt::format\(\s*)?$")
DESCRIPTOR = re.compile(r"const\s+(?:(?:Method|Similarity|Task)Descriptor|DataKind|LandmarkSelection)\s+\w+\s*(?:=\s*)?\{"
                        r"\s*\.name\s*=\s*$")
# Of parameters: their names, and what they may be.
VALUE = re.compile(r"(?:\.fallback\s*=\s*|\.(?:choices|operators)\s*=\s*\{|Parameter\s*\{|\{\s*\.name\s*=\s*|\b(?:format|generate)\(\{)$")
LIST = re.compile(r"(?:\.(?:choices|operators)\s*=\s*\{|\b(?:format|generate)\(\{)$")
# Names that are also words of every day, which say nothing where they stand.
WORDS = {"file", "documents", "sequences", "trees", "noise", "factors"}


def key_literals(folder):
    """Places of literals that hold a key of the command line, outside of descriptions."""
    return [f"{path.relative_to(PROJECT)}:{literal.line}: \"{literal.text}\""
            for path in sources(folder) if "keys" not in path.parts
            if path.stem not in {"landmark_selections", "approximate"}  # which programs know by these names, too
            for literal in literals(path.read_text())
            if KEY.search(literal.text) and not DESCRIPTION.search(literal.before)]


def described_names(folder):
    """Names of methods, similarities, kinds of data, selections and tasks, each with the files (without ending) that
    describe something of that name. Names that are also a value, or the name of a parameter, say nothing where they
    stand."""
    owners, values = {}, {}
    for path in sources(folder):
        listed = False
        for literal in literals(path.read_text()):
            if DESCRIPTOR.search(literal.before):
                owners.setdefault(literal.text, set()).add(path.with_suffix(""))
            elif VALUE.search(literal.before) or (listed and literal.before.strip() == ","):
                values.setdefault(literal.text, set()).add(path.with_suffix(""))
            listed = bool(LIST.search(literal.before)) or (listed and literal.before.strip() == ",")
    # The traits of what is described have its name, too, in the same file.
    ambiguous = {name for name, files in values.items() if files - owners.get(name, set())} | WORDS
    return {name: files for name, files in owners.items() if name not in ambiguous}


def name_literals(folder, owners):
    """Places of literals that are a name of `owners` outside of its own files."""
    return [f"{path.relative_to(PROJECT)}:{literal.line}: \"{literal.text}\""
            for path in sources(folder) for literal in literals(path.read_text())
            if literal.text in owners and path.with_suffix("") not in owners[literal.text]]


class Names(unittest.TestCase):
    def test_the_libraries_do_not_know_the_keys_of_the_command_line(self):
        found = key_literals(LIBRARY)
        self.assertEqual([], found, "hand in a KeyNames (cairn/parameters/key_names.hpp):\n" + "\n".join(found))

    def test_what_has_a_descriptor_is_named_in_its_own_file(self):
        owners = described_names(LIBRARY)
        known = {"nystrom", "biharmonic", "rbf", "path-length", "mesh", "farthest", "rpcholesky", "krr",
                 "average-linkage"}
        self.assertTrue(known <= set(owners), sorted(owners))
        found = [place for folder in (LIBRARY, PROJECT / "apps") for place in name_literals(folder, owners)]
        self.assertEqual([], found, "take the descriptor's name, or ask a trait:\n" + "\n".join(found))


    def test_no_type_is_defined_twice(self):
        """Two types of one name in one program: the linker keeps one destructor for both."""
        places = {}
        for path in sources(LIBRARY) + sources(PROJECT / "apps"):
            for name in types(path.read_text()):
                places.setdefault(name, []).append(str(path.relative_to(PROJECT)))
        self.assertTrue({"cairn::Approximation", "cairn::Error", "cairn::app::Job"} <= set(places), sorted(places))
        found = [f"{name}: {', '.join(files)}" for name, files in places.items() if len(files) > 1]
        self.assertEqual([], found, "give each a name of its own:\n" + "\n".join(found))


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

    def test_types_are_found_in_named_namespaces_alone(self):
        source = """namespace a { namespace b {
template <class T> class X final : public Y<T> { struct Inner {}; };
enum class E : int { one };
struct Declared;  // struct Comment {
} template <> struct Special<int> {}; void f() { struct Local {}; }
namespace { struct Hidden {}; } const char* text = "struct Text {"; }
"""
        self.assertEqual(["a::b::X", "a::b::E"], types(source))


if __name__ == "__main__":
    unittest.main()
