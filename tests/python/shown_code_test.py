"""The pages of the manual that show code with what it prints: it is run, and prints that.

    shown_code_test.py [PAGE ...]      pages by their paths below docs; by default all of them

Every block of Python runs, page by page. A block of shell runs if what it prints stands below it. A line ... of a shown output stands for
any lines.
"""
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

if not os.path.exists(os.path.join(os.environ.get("CAIRN_PYTHON_PACKAGE", ""), "cairn")):
    print("skipped: built without pybind11, mpi4py or the development files of Python (pybind11-dev, python3-mpi4py, python3-dev)")
    sys.exit(77)
try:
    import matplotlib  # noqa: F401
    import h5py  # noqa: F401
    import scipy.sparse  # noqa: F401
    import sklearn  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
sys.dont_write_bytecode = True
PROJECT = pathlib.Path(__file__).parents[2]
PACKAGE = os.environ["CAIRN_PYTHON_PACKAGE"]
PATHS = [str(pathlib.Path(os.environ["CAIRN_PROGRAM"]).parent), str(PROJECT / "apps" / "plot"), os.environ.get("PATH", "")]
ENVIRONMENT = {**os.environ, "PATH": os.pathsep.join(PATHS)}  # before MPI adds to it what makes a child a rank of this process
sys.path.insert(0, PACKAGE)
import cairn  # noqa: E402, F401

DOCS = PROJECT / "docs"
PAGES = sys.argv[1:] or ["python.md", *sorted(str(page.relative_to(DOCS)) for page in (DOCS / "tutorials").glob("*.md"))]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.M | re.S)
FEWEST = {"python.md": 5}  # blocks; by default 1


def blocks(page):
    """(language, code, output) of a page; no output: None."""
    return [(found[1], found[2], found[3]) for found in BLOCK.finditer((DOCS / page).read_text(encoding="utf-8"))]


def numbers_apart(text):
    """The words of a text without its digits, which differ between machines in the last places."""
    return re.sub(r"[-+\d.,e]*\d", "#", text).split()


def agrees(shown, printed):
    """Whether a shown output, a line ... of which stands for any lines, is the printed one."""
    parts = [numbers_apart(part) for part in re.split(r"^\.\.\.$", shown, flags=re.M)]
    words = numbers_apart(printed)
    if len(parts) == 1:
        return parts[0] == words
    first, *middle, last = parts
    if words[:len(first)] != first or words[len(words) - len(last):] != last or len(words) < len(first) + len(last):
        return False
    words = words[len(first):len(words) - len(last)]
    for part in middle:
        at = next((i for i in range(len(words) - len(part) + 1) if words[i:i + len(part)] == part), None)
        if at is None:
            return False
        words = words[at + len(part):]
    return True


def run_python(code, known):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, code.split("\n")[0], "exec"), known)
    return printed.getvalue()


def run_shell(code):
    done = subprocess.run(["bash", "-euc", code], capture_output=True, text=True, check=False, env=ENVIRONMENT, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class ShownCode(unittest.TestCase):
    def run_page(self, page):
        found = blocks(page)
        self.assertGreaterEqual(len(found), FEWEST.get(page, 1))
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name in ("tests", "configs"):  # as in the folder of the sources
                os.symlink(PROJECT / name, name)
            known = {"__name__": "__main__"}
            for language, code, shown in found:
                if language == "sh" and shown is None:
                    continue
                with self.subTest(code.split("\n")[0]):
                    printed = run_python(code, known) if language == "python" else run_shell(code)
                    if shown is not None and not agrees(shown, printed):
                        self.assertEqual(shown, printed)


def add(page):
    name = "test_" + re.sub(r"\W+", "_", page.removesuffix(".md"))
    setattr(ShownCode, name, lambda self: self.run_page(page))


for page in PAGES:
    add(page)


class Comparison(unittest.TestCase):
    def test_minds_words_and_not_digits(self):
        self.assertTrue(agrees("error 0.5 of a\n", "error 0.73  of a\n"))
        self.assertFalse(agrees("error 0.5 of a\n", "error 0.5 of b\n"))
        self.assertFalse(agrees("error 0.5\n", "error 0.5 of b\n"))

    def test_passes_over_what_dots_stand_for(self):
        printed = "a 1\nb 2\nc 3\nd 4\n"
        for shown in ("a 1\n...\nd 4\n", "...\n", "...\nc 3\n...\n", "a 1\n...\n", "...\nb 2\n...\nd 4\n"):
            self.assertTrue(agrees(shown, printed), shown)
        for shown in ("a 1\n...\nc 3\n", "b 2\n...\n", "...\nc 3\n...\nb 2\n...\n", "a 1\nb 2\nc 3\nd 4\n...\nd 4\n"):
            self.assertFalse(agrees(shown, printed), shown)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
