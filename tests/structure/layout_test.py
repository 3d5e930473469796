#!/usr/bin/env python3
"""How many files a folder has, and which rooms include which. The argument is the folder of the project."""

import pathlib
import re
import sys
import unittest

PROJECT = pathlib.Path(sys.argv.pop()).resolve()
MOST_FILES = 40
MOST_PAIRS = 13

# Each includes what precedes it.
ROOMS = ["base", "parameters", "linalg", "data", "operator", "similarity", "landmark", "approximation", "store",
         "evaluation", "task", "plan", "run"]
PROGRAM_ROOMS = ["report", "pipeline", "commands", "models", "cli"]
INCLUDE = re.compile(r'^\s*#\s*include "(?:cairn/)?(\w+)/', re.MULTILINE)


def sources(folder, *endings):
    return sorted(path for path in folder.rglob("*") if path.suffix in endings and "__pycache__" not in path.parts)


def folder_pairs():
    """Pairs of folders of src that include each other."""
    arrows = set()
    for path in sources(PROJECT / "src", ".cpp", ".hpp"):
        own = str(path.parent.relative_to(PROJECT / "src"))
        for included in re.findall(r'^#include "(cairn/[^"]+)/[^/"]+"', path.read_text(encoding="utf-8"), re.MULTILINE):
            arrows.add((own, included))
    return sorted((a, b) for a, b in arrows if a < b and (b, a) in arrows)


def wrong_includes(folder, rooms):
    """Includes of a room that does not precede the file's own."""
    found = []
    for path in sources(folder, ".cpp", ".hpp"):
        own = path.relative_to(folder).parts[0]
        if own not in rooms:
            continue  # main.cpp
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if name in rooms and rooms.index(name) > rooms.index(own):
                found.append(f"{path.relative_to(PROJECT)} includes {name}/")
    return found


class Layout(unittest.TestCase):
    def test_folders_are_small(self):
        folders = [folder for top in ("src", "apps", "tests") for folder in (PROJECT / top).rglob("*") if folder.is_dir()]
        counts = {folder: sum(path.is_file() for path in folder.iterdir()) for folder in folders
                  if "earlier" not in folder.parts and "__pycache__" not in folder.parts}  # files of earlier versions
        self.assertIn(PROJECT / "src" / "cairn" / "run", counts)
        self.assertEqual([], [f"{folder}: {count}" for folder, count in counts.items() if count > MOST_FILES])

    def test_every_folder_is_described(self):
        described = re.findall(r"`([\w/]+)`", (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
        described = {name.removeprefix("src/cairn/") for name in described}
        for top, prefix in (("src/cairn", ""), ("apps/cairn", "apps/cairn/")):
            folders = {prefix + str(path.parent.relative_to(PROJECT / top)) for path in sources(PROJECT / top, ".cpp", ".hpp")}
            self.assertGreater(len(folders), 5)
            self.assertEqual(set(), folders - described - {"apps/cairn/."})

    def test_few_folders_include_each_other(self):
        pairs = folder_pairs()
        self.assertLessEqual(len(pairs), MOST_PAIRS, pairs)

    def test_rooms_include_those_before_them_only(self):
        self.assertEqual([], wrong_includes(PROJECT / "src" / "cairn", ROOMS))
        self.assertEqual([], wrong_includes(PROJECT / "apps" / "cairn", PROGRAM_ROOMS))
        self.assertEqual(set(ROOMS), {path.name for path in (PROJECT / "src" / "cairn").iterdir() if path.is_dir()})


if __name__ == "__main__":
    unittest.main()
