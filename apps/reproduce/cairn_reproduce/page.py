"""docs/reproduction.md: the index of all tables and figures."""
from . import tables
from .entry import Row, means, number
from .papers import PAPERS
from .runs import KEPT, MEASUREMENTS, PROJECT

IMAGES = PROJECT / "docs" / "images" / "reproduction"

HEAD = """\
# Reproduction: every table and figure of the five papers

```sh
apps/reproduce/reproduce --list                     # names, seconds of one core, bounds of a check, missing data
apps/reproduce/reproduce sketches-table-3           # computes it, writes sketches-table-3.csv, prints it beside the paper
apps/reproduce/reproduce sketches-table-3 --full    # of full size
cairn-plot sketches-table-3.csv                     # draws it, with the paper's numbers as open marks
apps/reproduce/reproduce --show sms-figure-3 --out .       # what was kept of full size: sms-figure-3-full.csv, to be drawn likewise
apps/reproduce/reproduce --check --skip             # fresh quick runs against docs/measurements/reproduction
```

`apps/reproduce/reproduce --index > docs/reproduction.md` prints this page from the list of entries and from the tables that were kept. Needs /usr/bin/python3 with NumPy (Debian: python3-numpy, and python3-h5py where matrices are read back).

- `--data` names the folder of the data (by default `$CAIRN_DATA` or `../shared/data`); files that come with the project are found without it.
- A table is a line for each number: `panel`, `series` (a curve or a row), `at` (the place along it), `seed`, `measure`, `value`, `paper`. Tables of quick runs are in [measurements/reproduction](measurements/reproduction), beside them those of full size that were run (`-full.csv`); older ones of full size are in [measurements](measurements), and `--show` prints them in the same form. The pictures below are `cairn-plot --dpi 60` of these.
- *Here* is the mean over seeds, from the table of full size if there is one, else from the quick one (q). *Paper* is what it prints, after the slash. A figure that the paper shows without numbers has none.
- Quick runs are one process with one thread. A check allows each number the relative difference that `--list` states for its entry; of seconds it asks only that they are there.
"""


def kept_rows(entry, folder=KEPT):
    """Rows of full size, or of the quick run, and the name of the table; None without any."""
    full, quick = folder / f"{entry.name}-full.csv", folder / f"{entry.name}.csv"
    if full.exists():
        return tables.read(full)[0], f"reproduction/{full.name}"
    if entry.stored and (MEASUREMENTS / entry.stored_in).exists():
        return [Row(*row) for row in entry.stored()], entry.stored_in
    if quick.exists():
        return tables.read(quick)[0], f"reproduction/{quick.name}"
    return None, ""


def headline(entry):
    """Our numbers beside the paper's, and the table they are from."""
    rows, source = kept_rows(entry)
    if rows is None:
        return "not run", ""
    found = means(rows)
    keys = [place for place in entry.headline or entry.paper if place in found]
    if entry.headline and len(keys) < len(entry.headline):  # of a smaller table
        keys = keys or [place for place in entry.paper if place in found]
    parts = {}
    for place in (keys or list(found))[:8 if entry.headline else 4]:
        printed = entry.paper.get(place)
        label = ", ".join(text for text in place[:3] if text)
        parts.setdefault(place[3], []).append(f"{label} {number(found[place][0])}" + (f" / {number(printed)}" if printed is not None else ""))
    text = "; ".join(f"{measure}: {', '.join(values)}" for measure, values in parts.items())
    return text + (" (q)" if source == f"reproduction/{entry.name}.csv" else ""), source


def line(entry):
    if entry.measure is None:
        return f"| {entry.shows} | {entry.title} | not computed | | {entry.deviation} |"
    ours, source = headline(entry)
    quick = KEPT / f"{entry.name}.csv"
    files = [f"[quick](measurements/reproduction/{quick.name})"] if quick.exists() else []
    if source and source != f"reproduction/{quick.name}":
        files.append(f"[full](measurements/{source})")
    command = f"`{entry.name}`, {entry.seconds[0]} s, full {minutes(entry.seconds[1])}"
    if entry.config:
        command += f"; [{entry.config.split('/')[-1]}](../configs/{entry.config})"
    says = f" Paper: {entry.says}" if entry.says else ""
    more = f" [More]({entry.page})." if entry.page else ""
    return f"| {entry.shows} | {entry.title} | {'; '.join([command, *files])} | {ours}.{says} | {entry.deviation}{more} |"


def minutes(seconds):
    return f"{seconds} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def index():
    lines = [HEAD]
    for paper in PAPERS:
        lines += [f"\n## {paper.cites}\n", "| | what | name, seconds of one core; config; tables | here / paper | deviation, and why |", "|---|---|---|---|---|"]
        lines += [line(entry) for entry in paper.entries]
        for entry in paper.entries:
            if (IMAGES / f"{entry.name}.png").exists():
                lines.append(f"\n{entry.shows.capitalize()}, {entry.title}:\n\n![{entry.title}: curves of each series, the paper's numbers as open marks](images/reproduction/{entry.name}.png)")
    return "\n".join(lines) + "\n"
