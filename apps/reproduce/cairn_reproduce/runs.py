"""Runs of cairn, and where data, configs and intermediate files are."""
import csv
import json
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[3]
MEASUREMENTS = PROJECT / "docs" / "measurements"
KEPT = MEASUREMENTS / "reproduction"


_ONCE = {}


class Failed(Exception):
    """A command of a run failed."""


class Missing(Exception):
    """A file of the data is not there."""


def find(data, name):
    """A file of DATA, or of those that come with the project."""
    shipped = PROJECT / "tests" / "data" / pathlib.Path(name).name
    path = shipped if shipped.exists() else pathlib.Path(data) / name
    if not path.exists():
        raise Missing(f"{name} is neither in {data} nor in tests/data")
    return path


class Runs:
    """Commands of one measurement. Files that several measurements use stay in `folder`, under names of their own."""

    def __init__(self, cairn, data, folder, mpi=""):
        self.program, self.folder, self.launch = str(cairn), pathlib.Path(folder), mpi.split()
        self.root = pathlib.Path(data)

    def once(self, name, make):
        """Rows that two tables share; the folder's first run computes them."""
        known = _ONCE.setdefault((self.folder, name), [])
        if not known:
            known.extend(make())
        return known

    def data(self, name):
        return find(self.root, name)

    def path(self, name):
        return self.folder / name

    def config(self, name):
        return PROJECT / "configs" / name

    def cairn(self, *words, allowed=()):
        """The report of a command, or None if it ends with an exit code that is allowed."""
        report = self.path("report.json")
        report.unlink(missing_ok=True)
        command = [*self.launch, self.program, *(str(word) for word in words), "--json", str(report)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.folder)
        if done.returncode in allowed:
            return None
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr}")
        return json.loads(report.read_text(encoding="utf-8"))

    def approximate(self, config, *words, **more):
        """cairn approximate; keys that a run sets more than once take the last value."""
        return self.cairn("approximate", *(["--config", self.config(config)] if config else []), *words,
                          *([] if "--output.path" in words else ["--output.path", self.path("result.h5")]), **more)

    def script(self, name, *words):
        """A program of docs/measurements."""
        command = [sys.executable, str(MEASUREMENTS / name), *(str(word) for word in words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.folder)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr}")

    def sweep(self, config, *words):
        """Lines of cairn sweep."""
        table = self.path("sweep.csv")
        table.unlink(missing_ok=True)
        self.cairn("sweep", *(["--config", self.config(config)] if config else []), *words, "--output.csv", table)
        lines = read(table)
        failed = [line["error"] for line in lines if line["error"]]
        if failed:
            raise Failed(f"a run of a sweep failed: {failed[0]}")
        return lines


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measured(name):
    """A table of docs/measurements."""
    return read(MEASUREMENTS / name)
