"""Tables of a run: a CSV file, text beside the paper's numbers, and the comparison of a fresh run with a kept one."""
import csv
import math

from .entry import Row, key, means, number

COLUMNS = ("panel", "series", "at", "seed", "measure", "value", "paper")


def paper_text(entry, row):
    value = entry.paper.get((row.panel, row.series, str(row.at), row.measure))
    return "" if value is None else repr(value)


def digits(row):
    """A value as tables have it."""
    return f"{float(row.value):.6g}"


def write(path, entry, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow([row.panel, row.series, row.at, row.seed, row.measure, digits(row), paper_text(entry, row)])


def read(path):
    """The rows of a table, and what it says the paper has, by row."""
    rows, paper = [], {}
    with open(path, newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file)
        if tuple(lines.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}: its columns are not {', '.join(COLUMNS)}")
        for line in lines:
            row = Row(*(line[name] for name in COLUMNS[:5]), float(line["value"]))
            rows.append(row)
            paper[key(row)] = line["paper"]
    return rows, paper


def beside(entry, rows):
    """Lines of text: ours, the mean over seeds, and the paper's."""
    found = means(rows)
    lines = [("panel", "series", "at", "measure", "here", "paper")]
    for place, (mean, spread) in found.items():
        printed = entry.paper.get(place)
        lines.append((*place, number(mean) + (f" ± {number(spread)}" if spread else ""), "" if printed is None else number(printed)))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return ["  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines]


def differences(entry, fresh, path):
    """Sentences: where a fresh quick run is not the table that was kept."""
    try:
        kept, paper = read(path)
    except (OSError, ValueError, TypeError) as error:
        return [f"{path.name}: {error}"]
    old, new = {key(row): row for row in kept}, {key(row): row for row in fresh}
    told = [f"{' / '.join(place)}: is not in {path.name}" for place in new if place not in old]
    told += [f"{' / '.join(place)}: only in {path.name}" for place in old if place not in new]
    if len(old) != len(kept):
        told.append(f"{path.name} has a line twice")
    for place, row in new.items():
        if place not in old:
            continue
        if paper[place] != paper_text(entry, row):
            told.append(f"{' / '.join(place)}: {path.name} says that the paper has {paper[place] or 'nothing'}")
        bound = entry.bounds[row.measure]
        was, now = old[place].value, float(digits(row))
        near = math.isfinite(was) and math.isfinite(now) if bound is None else abs(now - was) <= bound * max(abs(was), 1e-12)
        if not near:
            told.append(f"{' / '.join(place)}: {now:.6g}, kept: {was:.6g}" + ("" if bound is None else f", bound {bound:g}"))
    return told
