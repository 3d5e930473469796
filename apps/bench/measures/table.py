"""docs/benchmarks.md: the table of all rows, by what they are compared with."""
import importlib.metadata
import os
import platform


def peers():
    """Names and versions of what Cairn is compared with."""
    found = []
    for name, package in (("scikit-learn", "scikit-learn"), ("SciPy", "scipy"), ("NumPy", "numpy"), ("POT", "POT"), ("PyTorch", "torch"),
                          ("python-Levenshtein", "python-Levenshtein")):
        try:
            found.append(f"{name} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    return ", ".join(found)


OTHERS, PARTIAL, BOUNDS, RANKS, PLANNED = SECTIONS = (
    "Against other programs: the same job", "Against other programs: a part of the job, or other results",
    "Against what bounds it", "From one rank to two", "Plan against measured")


def section_of(row):
    """The part of the page that a row belongs to, by its first column and its peer."""
    what, _, peer, *_ = row
    if what.startswith("from 1 to 2 ranks"):
        return RANKS
    if what.startswith("plan against"):
        return PLANNED
    if "factors C and J" in what or " kernel, exp(" in what:
        return PARTIAL  # the peer makes an embedding; a matrix that is no product of factors
    if what.startswith(("rbf tiles", "joining step", "writing", "P of grids", "all of P")) or "pairs of" in peer or peer.startswith("floor"):
        return BOUNDS
    return OTHERS


def write_table(bench, path, keep):
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    lines = ["# Benchmarks", "",
             "```sh", "CAIRN_DATA=DATA apps/bench/run      # replaces this page", "```", "",
             "Medians. Both sides of each comparison were run in the same minutes.",
             f"Machine: {model}, {os.cpu_count()} cores; {platform.system()} {platform.release()}.",
             f"Peers: {peers()}."]
    rows = ((rows_before(path) if keep else {}) | {row[0]: row for row in bench.rows}).values()
    for section in SECTIONS:
        own = [row for row in rows if section_of(row) == section]
        if own:
            lines += ["", f"## {section}", "", "| what | Cairn | peer | ratio | floor, notes |", "|---|---|---|---|---|"]
            lines += [f"| {' | '.join(row)} |" for row in own]
    path.write_text("\n".join(lines) + "\n")


def rows_before(path):
    """The rows of the table that is there, by their first column."""
    lines = path.read_text().splitlines() if path.exists() else []
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return {row[0]: row for row in cells if len(row) == 5 and row[0] != "what"}
