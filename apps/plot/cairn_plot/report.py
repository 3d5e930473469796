"""A page of what a file of cairn holds: a result, coordinates or a model."""

import os
import zlib

from cairn_plot import model_page, result_page
from cairn_plot.output import replacing
from cairn_plot.pages import document
from cairn_plot.problem import INPUT, RESOURCE, USAGE, Problem, is_hdf5, open_hdf5, text_of

# What writes a page of each format, and its newest version that is read.
PAGES = {"cairn-approximation": (result_page.result, 6), "cairn-embedding": (model_page.embedding, 1),
         "cairn-model": (model_page.model, 5)}


def compare_texts(file):
    """Holds the blocks of texts of variable length against their checksums: HDF5 trusts what these say of themselves."""
    if "crc32/text_blocks" not in file:
        return
    with open(file.filename, "rb") as raw:
        for begin, size, checksum in file["crc32/text_blocks"][:].reshape(-1, 3).tolist():
            raw.seek(begin)
            if zlib.crc32(raw.read(min(size, os.path.getsize(file.filename)))) != checksum:
                raise Problem(INPUT, f"{file.filename}: its texts do not agree with their checksums: the file is damaged")


def report(path, positions=None, plan=None):
    """The page as text. `positions`: a file of coordinates for the objects of a result, where it has a map; `plan`: what `cairn plan --json`
    wrote, whose seconds stand beside those of the run."""
    if not is_hdf5(path):
        raise Problem(INPUT, f"{path}: is no HDF5 file, and results of cairn are")
    with open_hdf5(path) as file:
        try:
            compare_texts(file)
            name = text_of(file.attrs.get("format", ""))
            if name not in PAGES:
                raise Problem(INPUT, f"{path}: is no result, coordinates or model of cairn, of which there are pages")
            write, newest = PAGES[name]
            if int(file.attrs["format_version"]) > newest:
                raise Problem(INPUT, f"{path}: is of a newer version than {newest}, which this program reads")
            given = {name: value for name, value in (("positions", positions), ("plan", plan)) if value is not None}
            if given and write is not result_page.result:
                raise Problem(USAGE, f"--{next(iter(given))} is for results")
            return document(*write(file, **given))
        except (KeyError, OSError, ValueError, TypeError, IndexError, AttributeError, ArithmeticError,
                RuntimeError) as error:
            raise Problem(INPUT, f"{path}: is not a whole file of cairn: {' '.join(str(error).split())}")
        except MemoryError:
            raise Problem(RESOURCE, f"{path}: its page needs more memory than there is")


def write_report(path, output, positions=None, plan=None):
    """Writes the page of the file `path` to `output`, which is complete or not there. Raises Problem."""
    if not output.endswith(".html"):
        raise Problem(USAGE, f"{output}: the name must end in .html")
    page = report(path, positions, plan)
    with replacing(output) as partial, open(partial, "w", encoding="utf-8") as file:
        file.write(page)
