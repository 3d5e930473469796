"""Runs the lines of docs/file-format.md on files that Cairn wrote, and compares the entries that they give.

h5py_lines_test.py DOCUMENT WRITER LAUNCHER...   exit code 77: h5py or numpy is not there
"""

import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def lines_of(document):
    """The first block of Python in the document."""
    return re.search(r"```python\n(.*?)```", pathlib.Path(document).read_text(), re.DOTALL).group(1)


def check(code, launcher, writer, folder, layout, side):
    path = pathlib.Path(folder) / "result.h5"
    printed = subprocess.run([*launcher, "-n", "2", writer, str(path), layout, side], check=True, capture_output=True,
                             text=True, timeout=120).stdout
    expected = numpy.loadtxt(printed.splitlines())
    assert len(expected) > 50, "the writer printed too few entries"
    variables = {}
    exec(code.replace("result.h5", str(path)), variables)
    entry = variables["entry"]
    found = numpy.array([entry(int(i), int(j)) for i, j, _ in expected])
    difference = numpy.abs(found - expected[:, 2]).max()
    assert difference < 1e-14, f"{layout}, {side}: entries differ by {difference}"

    with h5py.File(path) as file:
        labels = file["labels"][:]
        assert labels[3].decode() == "é3" and labels[5] == b"", labels[:6]
        assert file["provenance/seed"].asstr()[()] == "7"
        assert file.attrs["symmetric"] == (side == "left")
        assert file["landmarks/indices"].shape[0] == file["landmarks/objects"].shape[0]
    print(f"{layout:9} {side:6} {len(expected)} entries, largest difference {difference:.1e}")


def main():
    document, writer, *launcher = sys.argv[1:]
    code = lines_of(document)
    statements = [line for line in code.splitlines() if line.strip()]
    assert len(statements) <= 5, "the document promises five lines"
    with tempfile.TemporaryDirectory() as folder:
        for layout in ("identity", "diagonal", "dense"):
            for side in ("left", "right"):
                check(code, launcher, writer, folder, layout, side)


main()
