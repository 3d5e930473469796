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


def blocks_of(document):
    """The blocks of Python in the document that read results: for dense factors and for sparse ones."""
    blocks = re.findall(r"```python\n(.*?)```", pathlib.Path(document).read_text(), re.DOTALL)
    return [block for block in blocks if "entry = " in block]


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

    variables["f"].close()
    with h5py.File(path, "r+") as file:  # some of these entries are below 0: roots of them are 0
        file.attrs["transform"] = "sqrt"
    exec(code.replace("result.h5", str(path)), variables)
    roots = numpy.array([variables["entry"](int(i), int(j)) for i, j, _ in expected])
    if layout != "identity":
        assert (expected[:, 2] < 0).any(), "no entry is below 0"
    assert numpy.abs(roots - numpy.sqrt(numpy.maximum(expected[:, 2], 0))).max() < 1e-6, f"{layout}: roots differ"

    with h5py.File(path) as file:
        labels = file["labels"][:]
        assert labels[3].decode() == "é3" and labels[5] == b"", labels[:6]
        assert file["provenance/seed"].asstr()[()] == "7"
        assert file.attrs["symmetric"] == (side == "left")
        if layout == "symmetric-tiles":
            check_tiles(file)
        else:
            assert file["landmarks/indices"].shape[0] == file["landmarks/objects"].shape[0]
    print(f"{layout:15} {side:6} {len(expected)} entries, largest difference {difference:.1e}")


def check_tiles(file):
    """The sample's core matrix is |i - j|: read tile by tile, as the document says."""
    joining = file["joining"]
    size, order = joining.attrs["size"], joining.attrs["order"]
    assert joining.dtype.name == joining.attrs["number"] == "uint16" and joining.shape == (size, size)
    for first in range(0, size, order):
        for left in range(0, first + 1, order):
            tile = joining[first:first + order, left:left + order]
            rows, columns = numpy.indices(tile.shape)
            assert (tile == numpy.abs(rows + first - columns - left)).all(), (first, left)
    assert "objects" not in file["landmarks"]


def check_checksums(code, launcher, writer, folder, layout):
    """`sound` of the document tells all data sets that hold numbers, and one that was changed."""
    path = pathlib.Path(folder) / "sums.h5"
    subprocess.run([*launcher, "-n", "3", writer, str(path), layout, "left"], check=True, capture_output=True, timeout=120)
    variables = {}
    exec(code, variables)
    with h5py.File(path, "r+") as file:
        names = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        names = [name for name in names if not name.startswith("crc32/") and file[name].dtype.kind != "O"
                 and "crc32_tiles" not in file[name].attrs]
        assert len(names) > 5, names
        for name in names:
            assert variables["sound"](file, name), name
        for name in ("left/data" if layout == "symmetric-tiles" else "left", "landmarks/indices"):
            file[name][(0,) * file[name].ndim] += 1
            assert not variables["sound"](file, name), name
    print(f"{layout:15} checksums of {len(names)} data sets")


def main():
    document, writer, *launcher = sys.argv[1:]
    dense, sparse = blocks_of(document)
    sound, = re.findall(r"```python\n([^`]*def sound.*?)```", pathlib.Path(document).read_text(), re.DOTALL)
    for code in (dense, sparse):
        assert len([line for line in code.splitlines() if line.strip()]) <= 5, "the document promises five lines"
    with tempfile.TemporaryDirectory() as folder:
        for layout in ("dense", "symmetric-tiles"):
            check_checksums(sound, launcher, writer, folder, layout)
        for layout in ("identity", "diagonal", "dense"):
            for side in ("left", "right"):
                check(dense, launcher, writer, folder, layout, side)
        try:
            import scipy.sparse  # pylint: disable=unused-import,import-outside-toplevel
        except ImportError as missing:
            print(f"sparse factors skipped: {missing}")
            return
        check(sparse, launcher, writer, folder, "symmetric-tiles", "left")


main()
