"""How a file came about, for pages: its config, its command, and the seconds of its phases."""

import json
import os
import re
import zlib
from html import escape

from cairn_plot.pages import number, pairs, section, size, table
from cairn_plot.problem import INPUT, Problem, text_of


def texts(data):
    """Of a list of texts, or of one. HDF5 trusts the places where it says that they are: these are compared with their
    checksum before."""
    if "crc32" in data.attrs and data.id.get_offset() is not None:
        with open(data.file.filename, "rb") as raw:
            raw.seek(data.id.get_offset())
            if zlib.crc32(raw.read(data.id.get_storage_size())) != int(data.attrs["crc32"]):
                raise Problem(INPUT, f"{data.file.filename}: {data.name} does not agree with its checksum: the file is damaged")
    values = data[()]
    return [text_of(value) for value in (values if data.shape else [values])]


def provenance_of(file):
    """Name -> text."""
    group = file["provenance"]
    return {name: texts(group[name])[0] for name in group if name != "phases"}


def setting(config, section_name, key):
    """The value of a key in the text of a config, or None."""
    part = re.search(rf"^\[{section_name}\]$(.*?)(?=^\[|\Z)", config, re.M | re.S)
    line = part and re.search(rf"^{re.escape(key)} *= *(.*)$", part.group(1), re.M)
    return line.group(1).strip() if line else None


def source_of(facts):
    """The name of the data, without its folder, or None."""
    config = facts.get("config", "")
    path = setting(config, "data", "path")
    return os.path.basename(path) if path else setting(config, "data", "generate")


def footer_of(file, facts):
    version = f" {escape(facts['version'])}" if "version" in facts else ""
    return f"Made by cairn-plot from {escape(os.path.basename(file.filename))}, which cairn{version} wrote."


def again(facts):
    """The section about how to make the file once more."""
    parts = []
    ranks = facts.get("ranks", "1")
    launcher = f"mpirun -n {ranks} " if ranks != "1" else ""
    if "command_line" in facts:
        parts.append(f"<p>The command:</p><pre>{escape(launcher + facts['command_line'])}</pre>")
    if facts.get("config", "").strip():
        of_data = " of the result that it comes from" if "command_line" in facts and "approximate" not in facts["command_line"] else ""
        parts.append(f"<p>The config{of_data} (<code>cairn approximate --config FILE</code>):</p><pre>{escape(facts['config'].strip())}</pre>")
    if not parts:
        parts.append("<p>By a program: the file has neither a command nor a config.</p>")
    names = (("version", "version"), ("commit", "commit"), ("date", "date"), ("ranks", "ranks"), ("threads", "threads of each"),
             ("seed", "seed"), ("operator", "operator"), ("solver", "solver"), ("extended_from", "extends"), ("source", "made of"),
             ("libraries", "libraries"))
    parts.append(pairs([(shown, escape(facts[name])) for name, shown in names if name in facts]))
    return section("How it was made", "".join(parts))


def planned_seconds(path, file):
    """Phase -> seconds, of the plan in a JSON file of `cairn plan`."""
    try:
        with open(path, encoding="utf-8") as text:
            plan = json.load(text)
        seconds = {name: float(value) for name, value in plan["seconds"].items()}
        objects, ranks = int(plan["n"]), str(int(plan["ranks"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Problem(INPUT, f"{path}: is no plan that cairn plan --json wrote: {' '.join(str(error).split())}")
    left = file["left"]
    rows = int(left.attrs["shape"][0]) if hasattr(left, "keys") else len(left)
    if "trees" not in file and objects != rows:
        raise Problem(INPUT, f"{path}: is a plan for {objects:,} objects, and {file.filename} has {rows:,}")
    made = texts(file["provenance/ranks"])[0]
    if ranks != made:
        raise Problem(INPUT, f"{path}: is a plan for {ranks} ranks, and {file.filename} was made by {made}")
    return seconds


def shown_seconds(time):
    return f"{time:.3f}" if time >= 5e-4 or not time else "&lt; 0.001"


def phases(file, plan=None):
    """The section of seconds by phase, or None. `plan`: a JSON file of `cairn plan`, whose seconds stand beside."""
    if "provenance/phases/name" not in file:
        return None
    group = file["provenance/phases"]
    names = texts(group["name"])
    if not names:
        return None
    seconds, imbalance, evaluations, many = (group[key][:].tolist() for key in ("seconds", "imbalance", "evaluations", "bytes"))
    planned = planned_seconds(plan, file) if plan else {}
    columns = [("phase", [escape(name) for name in names], "<strong>total</strong>"),
               ("seconds", [shown_seconds(time) for time in seconds], f"<strong>{sum(seconds):.3f}</strong>")]
    if plan:
        columns.append(("planned", [shown_seconds(planned[name]) if name in planned else "" for name in names],
                        shown_seconds(sum(planned.get(name, 0) for name in names))))
    ranked = texts(file["provenance/ranks"]) != ["1"]
    if ranked:
        columns.append(("slowest/mean", [f"{uneven:.2f}" for uneven in imbalance], ""))
    columns += [("evaluations", [number(count) if count else "" for count in evaluations], number(sum(evaluations))),
                ("read", [size(read) if read else "" for read in many], size(sum(many)))]
    heads = [head for head, _, _ in columns]
    rows = [*zip(*(cells for _, cells, _ in columns)), tuple(total for _, _, total in columns)]
    note = ("The slowest rank over the mean of the ranks. " if ranked else "") + "Writing the file comes after these."
    note += " Planned: by cairn plan, of these phases." if plan else ""
    return section("Seconds by phase", table(heads, rows, range(1, len(heads))) + f'<p class="soft">{note}</p>', tall=3 + len(names))
