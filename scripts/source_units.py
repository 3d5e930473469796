"""Which sources can be compiled as one translation unit: no name of an unnamed namespace, and no macro, is one of another, or
is declared in a header that another includes. Names in a namespace that is called as their source are of no other.

As a program, what CMake needs for unity builds: source_units.py LARGEST SOURCE... prints the sources unit by unit, those of
one unit in a line, separated by semicolons."""

import collections
import functools
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


UNNAMED = re.compile(r"^namespace {$(.*?)^}  // namespace$", re.MULTILINE | re.DOTALL)
DECLARED = re.compile(r"^(?:struct|class|enum class|union) (\w+)|^using (\w+) =|"
                      r"^(?=[\w\[])(?!using )[\w:<>,&*\[\] ]*?\b(\w+)(?:\(| =|\{|;)", re.MULTILINE)
FURTHER = re.compile(r"^(?:constexpr|const|using) .*?, (\w+) = ", re.MULTILINE)  # a second one in a line
ALIAS = re.compile(r"^(?:using|namespace) (\w+) = (.*);$", re.MULTILINE)
TESTS = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+), (\w+)\)|^(INSTANTIATE_\w+)\((\w+), ", re.MULTILINE)
MACROS = {"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_SUITE", "INSTANTIATE_TEST_SUITE_P"}


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def declared(text):
    """Names that are declared at the left margin."""
    names = {name for found in DECLARED.findall(text) for name in found if name} | set(FURTHER.findall(text))
    return names - MACROS - {"enum", "static_assert", "namespace", "template"} | {"_".join(test) for test in TESTS.findall(text)}


def has_own_namespace(source):
    stem = os.path.splitext(os.path.basename(source))[0]
    return re.search(rf"^namespace (?:\w+::)*{stem} {{$", text_of(source), re.MULTILINE) is not None


def private_names(source):
    """Names that a source declares in its unnamed namespace, and its macros where they stay defined. Another name for a type
    or a namespace comes with what it stands for: two sources may say the same."""
    text = text_of(source)
    unnamed = "" if has_own_namespace(source) else "\n".join(UNNAMED.findall(text))
    aliases = {name: f"{name} = {other}" for name, other in ALIAS.findall(unnamed)}
    macros = set(re.findall(r"^#define (\w+)", text, re.MULTILINE)) - set(re.findall(r"^#undef (\w+)", text, re.MULTILINE))
    return {aliases.get(name, name) for name in declared(unnamed)} | macros


@functools.cache
def included(path):
    """The project's headers that a file includes itself."""
    places = [os.path.join(folder, name) for name in re.findall(r'^#include "([^"]+)"', text_of(path), re.MULTILINE)
              for folder in (*(os.path.join(ROOT, name) for name in ("src", "apps/cairn", "tests")), os.path.dirname(path))]
    return [place for place in places if os.path.exists(place)]


@functools.cache
def public_names(header):
    return declared(text_of(header))


def visible_names(source):
    """Names that the project's headers declare in a source, or that it takes from elsewhere by a using-declaration."""
    headers, left = set(), included(source)
    while left:
        header, *left = left
        if header not in headers:
            headers.add(header)
            left = left + included(header)
    used = [] if has_own_namespace(source) else re.findall(r"^using [\w:]+::(\w+);", text_of(source), re.MULTILINE)
    return set(used).union(*map(public_names, headers))


def collide(private, taken, seen):
    """Whether names of one source are among those that others take for themselves, or see."""
    plain = {name.split(" = ")[0]: name for name in private}
    return any(name in seen or any(other != private_as or " = " not in other for other in taken.get(name, ()))
               for name, private_as in plain.items())


def units_of(sources, largest):
    """The sources, in lists of at most `largest` whose names do not collide: those first that are hardest to place."""
    private = {source: private_names(source) for source in sources}
    visible = {source: visible_names(source) for source in sources}
    uses = collections.Counter(name for source in sources for name in private[source] | visible[source])
    units = []
    for source in sorted(sources, key=lambda s: -sum(uses[name] - 1 for name in private[s])):
        for unit, taken, seen in units:
            if len(unit) < largest and not collide(private[source], taken, seen) and not visible[source] & taken.keys():
                break
        else:
            unit, taken, seen = [], {}, set()
            units.append((unit, taken, seen))
        unit.append(source)
        for name in private[source]:
            taken.setdefault(name.split(" = ")[0], set()).add(name)
        seen |= visible[source]
    return [unit for unit, *_ in units]


if __name__ == "__main__":
    for found in units_of([os.path.abspath(name) for name in sys.argv[2:]], int(sys.argv[1])):
        print(";".join(found))
