"""The page of a result: its error, spectrum, coordinates, nearest objects, cost and config."""

import os
from collections import Counter
from html import escape

import numpy as np

from cairn_plot import drawings
from cairn_plot.coordinates import REFERENCES, coordinates_of, read_positions
from cairn_plot.factors import Factors, Table
from cairn_plot.hierarchy import Lengths, keeps_lengths
from cairn_plot.pages import exactly, figure, given, number, pairs, section, size, table
from cairn_plot.provenance import again, footer_of, phases, provenance_of, source_of, texts
from cairn_plot.problem import text_of
from cairn_plot.spectra import SPECTRUM_OF

NOUNS = {"graph": "vertices", "mesh": "vertices of a surface", "corpus": "words", "matrix": "rows of a matrix", "ids": "objects",
         "pairs": "pairs of texts"}
DEVIATIONS = 2.2  # standard errors on both sides: the interval of cairn, of probability 95 %
SHOWN = 5000      # points of a map, at most
NEAREST = 5
WORK = 1e11       # products for eigenvalues, at most
GROWTH = "landmarks and the relative errors with them:"  # a note that says what the section of the growth shows


def result(file, positions=None, plan=None):
    """What document() takes."""
    facts = provenance_of(file)
    factors = Factors(file)
    found = file["report"]
    method, landmarks = text_of(found.attrs["method"]), int(found.attrs["s1"])
    rows, columns = factors.left.rows, factors.right.rows
    kind = text_of(file.attrs["object_kind"])
    similarity = text_of(file["similarity"].attrs["kind"])
    title = f"{similarity} of {rows:,} {NOUNS.get(kind, kind)}" + (f" and {columns:,} others" if factors.rectangular else "") + f", by {method}"
    subtitle = subtitle_of(file, facts, landmarks)
    evaluated = int(file.attrs["evaluations"])
    whole = rows * columns
    key_figures = [("rank", exactly(int(found.attrs["rank"]))), ("entries evaluated", f"{number(100 * evaluated / whole, 3)}&nbsp;%"),
                   ("file", size(os.path.getsize(file.filename))), ("K in full", size(8 * whole))]
    if landmarks:
        key_figures.insert(0, ("landmarks", exactly(landmarks)))
    if "evaluation" in file:
        key_figures[:0] = [("relative error", number(file["evaluation"].attrs["relative_error"]))]
    notes = texts(found["notes"])
    growth = growth_section(found)
    sections = [error_section(file, facts, found), growth, map_section(file, factors, positions),
                spectrum_section(found, factors, method), size_section(file, factors, evaluated), phases(file, plan),
                notes_section([note for note in notes if not (growth and note.startswith(GROWTH))]), nearest_section(file, factors, kind),
                again(facts)]
    return title, subtitle, key_figures, texts(found["warnings"]), sections, footer_of(file, facts)


def subtitle_of(file, facts, landmarks):
    names = zip(texts(file["similarity/names"]), texts(file["similarity/values"]))
    parameters = ", ".join(f"{escape(name)} = {escape(short(value))}" for name, value in names)
    parts = [f"Data: {escape(source)}." if (source := source_of(facts)) else "",
             f"Parameters: {parameters}." if parameters else "",
             f"{landmarks:,} landmarks ({escape(text_of(file['landmarks'].attrs['selection']))})." if landmarks else "",
             f"Rank {int(file['report'].attrs['rank']):,}."]
    return " ".join(filter(None, parts))


def short(text):
    """A parameter with the digits that people read."""
    try:
        return given(float(text)) if "." in text or "e" in text else text
    except ValueError:
        return text


def further(found):
    """Figures that a method adds: name -> value."""
    return dict(zip(texts(found["names"]), found["values"][:].tolist())) if "names" in found else {}


def error_section(file, facts, found):
    if "evaluation" not in file:
        return section("Error", "<p>It was not measured. <code>cairn evaluate</code> measures it.</p>", tall=2)
    error = {name: value.item() if hasattr(value, "item") else value for name, value in file["evaluation"].attrs.items()}
    value, deviation = error["relative_error"], error["relative_error_standard_error"]
    low, high = max(0.0, value - DEVIATIONS * deviation), value + DEVIATIONS * deviation
    constant = error.get("constant_error", float("nan"))
    over = facts.get("error_over", "pairs")
    on = (f"{number(error['diagonal'])} whole rows" if over == "rows" else
          f"{number(error['pairs'])} pairs and {number(error['diagonal'])} diagonal entries" if error["diagonal"] else f"{number(error['pairs'])} pairs")
    rows = [("relative error", f"{exactly(value)} ± {number(deviation, 2)}" if deviation > 0 else f"{exactly(value)}, exact")]
    if deviation > 0:
        rows.append(("interval", f"{exactly(low)} to {exactly(high)}, with probability 95&nbsp;%, estimated"))
    rows.append(("measured on", "all entries" if error.get("stopped_by") == "all" else on))
    drawn = ""
    if np.isfinite(constant):
        spread = DEVIATIONS * error.get("constant_error_standard_error", 0.0)
        rows.append(("of the best constant", exactly(constant)))
        drawn = figure(drawings.bars([("relative error", value, low, high),
                                      ("error of the best constant", constant, max(0.0, constant - spread), constant + spread)],
                                     f"The relative error, {number(value)}, beside that of the best constant, {number(constant)}"))
    rows += [("relative squared error", exactly(error["relative_squared_error"])), ("largest entry error", exactly(error["largest_entry_error"]))]
    more = further(found)
    if "error_goal" in more:
        promise = facts.get("error_promise", "estimated")
        held = {"certified": f"it is at most {{}} with probability {given(more['error_confidence'])}, certified",
                "estimated": "it is at most {}, estimated (with four standard errors)"}.get(promise, promise + ", at most {}")
        rows.append(("asked for", f"{given(more['error_goal'])}: {held.format(exactly(more['error_limit']))}"))
    if "near_relative_error" in more:
        rows.append(("with near entries", f"{exactly(more['near_relative_error'])}, on 16 rows, {number(100 * more['near_found'], 3)}&nbsp;% of the nearest found"))
    note = '<p class="soft">‖K − K̃‖ / ‖K‖ in the Frobenius norm; ± is one standard error.' + (
        " The best constant has the mean of K in place of every entry.</p>" if drawn else "</p>")
    return section("Error", drawn + pairs(rows) + note, tall=13)


def growth_section(found):
    """Errors that were seen while landmarks were added."""
    if "growth_landmarks" not in found:
        return None
    looks = zip(found["growth_landmarks"][:].tolist(), found["growth_errors"][:].tolist(), strict=True)
    points = [(count, error) for count, error in looks if 0 < error < np.inf]
    if len(points) < 2:
        return None
    goal = further(found).get("error_goal")
    drawn = drawings.curve([points], "landmarks", "relative error", f"The relative error falls from {number(points[0][1])} with {number(points[0][0])} "
                           f"landmarks to {number(points[-1][1])} with {number(points[-1][0])}", logarithmic=(True, True), level=goal)
    return section("Error against landmarks", figure(drawn, f"Dashed: the error that was asked for, {given(goal)}." if goal else ""), tall=11)


def spectrum_section(found, factors, method):
    values = found["spectrum"][:]
    name, note = SPECTRUM_OF.get(method, "eigenvalue of the core matrix"), ""
    if not len(values):
        values = factors.eigenvalues(WORK)
        name = "eigenvalue of L J Lᵀ" if factors.root else "eigenvalue of K̃"
        note = "Computed from the factors."
    if values is None:
        return None
    values = values[np.abs(values) > 1e-12 * np.abs(values).max(initial=0)]
    if len(values) < 2:
        return None
    values = values[np.abs(values).argsort()[::-1]].tolist()
    groups = [[(place, abs(value)) for place, value in enumerate(values, 1) if sign * value > 0] for sign in (1, -1)]
    counted = f"{len(groups[0])} positive, {len(groups[1])} negative" if groups[1] else f"{len(groups[0])} values"
    drawn = drawings.curve(groups, "place by magnitude", "magnitude",
                           f"{name[0].upper()}{name[1:]} by place: {counted}, from {number(abs(values[0]))} to {number(abs(values[-1]))}", line=False)
    names = drawings.legend([f"{len(group)} {sign}" for group, sign in zip(groups, ("positive", "negative"))]) if groups[1] else ""
    return section("Spectrum", figure(drawn + names, f"{name[0].upper()}{name[1:]}, by magnitude. {note}"), tall=11)


def spread(count, most):
    """Row numbers, evenly over all."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))


def map_section(file, factors, positions):
    if factors.rectangular or factors.left.rows < 4:
        return None
    rows = spread(factors.left.rows, min(SHOWN, max(200, 20_000_000 // factors.left.columns)))
    if positions:
        points, axes = read_positions(positions, file)[rows], ("first coordinate", "second coordinate")
        heading, note = "Map", f"Places from {escape(os.path.basename(positions))}."
    else:
        points, shares = coordinates_of(factors, rows)
        if points is None:
            return None
        axes, heading = ("coordinate 1", "coordinate 2"), "First two coordinates"
        note = f"{shares_of(shares)} " + (("Classical scaling of the distances" if factors.distances else "Kernel principal components of the similarities") +
                " of the approximation" + (", from a sample of the objects; <code>cairn embed</code> takes all of them." if
                                           factors.left.rows > REFERENCES else "."))
    return section(heading, cloud_of(file, rows, points, axes) + f'<p class="soft">{shown(len(rows), factors.left.rows)} {note}</p>', tall=16)


def shares_of(shares):
    return f"The coordinates have {number(100 * shares[0], 2)} and {number(100 * shares[1], 2)}&nbsp;% of the trace."


def shown(count, whole):
    return f"{count:,} of {whole:,} objects." if count < whole else f"All {whole:,} objects."


def cloud_of(file, rows, points, axes):
    """Dots in the colors of their labels, where these are classes; with their labels, where these are names."""
    labels = [text_of(label) for label in Table(file, "labels").picked(rows)] if "labels" in file else []
    points = points.tolist()
    classes = [name for name, _ in Counter(labels).most_common()]
    groups, kept, words = [points], [], []
    if 1 < len(classes) <= len(labels) / 2:
        kept = classes if len(classes) <= len(drawings.MARKS) else classes[:len(drawings.MARKS) - 1]
        place = {name: kind for kind, name in enumerate(kept)}
        groups = [[] for _ in classes[:len(kept) + 1]]
        for label, point in zip(labels, points):
            groups[place.get(label, len(kept))].append(point)
    elif labels and "numbers" not in file and len(points) <= 1000:
        words = [(*point, label[:24]) for point, label in zip(points[:60], labels)]
    others = len(groups) > len(kept) > 0
    colored = f", in colors of {len(classes)} labels" if kept else ""
    drawn = drawings.cloud(groups, words, axes, f"{len(points):,} objects as dots in the plane{colored}", others)
    return figure(drawn + (drawings.legend(kept, f"{len(classes) - len(kept)} others" if others else "") if kept else ""))


class Objects:
    """What is known of single objects: their number, label, name for other programs, and text."""

    def __init__(self, file, rows, rectangular):
        def column(name):
            return Table(file, name) if name in file else None

        named = {"label": column("right_labels")} if rectangular else {
            "number": column("numbers"), "label": column("labels"), "identifier": column("identifiers"), "text": column("texts")}
        self.columns = {name: found for name, found in named.items() if found is not None}
        self.kept = {}  # texts of landmarks alone
        if not rectangular and "text" not in self.columns and "landmarks/objects/texts" in file:
            if int(file["landmarks"].attrs["population"]) == rows:
                self.kept = dict(zip(file["landmarks/indices"][:].tolist(), texts(file["landmarks/objects/texts"])))

    def heads(self):
        return ["row", *self.columns, *(["text"] if self.kept else [])]

    def cells(self, row):
        found = [str(row)]
        for name, column in self.columns.items():
            value = column.picked(np.array([row]))[0]
            found.append(str(value) if name == "number" else cut(text_of(value)))
        return found + ([cut(self.kept.get(row, ""))] if self.kept else [])


def cut(text, most=90):
    return escape(text if len(text) <= most else text[:most - 1] + "…")


def nearest_section(file, factors, kind):
    count = factors.left.rows
    if count < 2:
        return None
    rows = np.unique([count // 6, count // 2, 5 * count // 6])
    objects = Objects(file, count, factors.rectangular)
    own = Objects(file, count, False)
    by_angle, exact = kind == "corpus" and factors.left is factors.right, keeps_lengths(file)
    if exact:
        lengths = Lengths(file)
        values, said = [lengths.to_all(row) for row in rows], "Exact path lengths, which the file keeps."
    elif by_angle:
        values, said = factors.cosines(rows), "By the cosine of their vectors, which are those of the approximation."
    else:
        values = factors.whole_rows(rows)
        said = ("By the approximation: objects that are nearest by K itself may be missed." if factors.near is None else
                "By the approximation with the exact entries of near objects that the file keeps.")
    if objects.kept:
        said += " The file keeps the texts of landmarks alone."
    tables = []
    for row, found in zip(rows, values):
        order = np.argsort(found if factors.distances and not by_angle else -found, kind="stable")
        order = [i for i in order[:NEAREST + 1].tolist() if factors.rectangular or i != row][:NEAREST]
        what = "cosine" if by_angle else "distance" if factors.distances else "similarity"
        lines = [(*objects.cells(i), exactly(float(found[i]))) for i in order]
        heads = [*objects.heads(), what]
        right = {0, len(heads) - 1} | ({1} if "number" in heads else set())
        title = ", ".join(f"“{cell}”" if head == "text" else f"{head} {cell}" for head, cell in zip(own.heads(), own.cells(int(row))) if cell)
        tables.append(f"<div><h3>Of {title}</h3>{table(heads, lines, right)}</div>")
    return section("Nearest objects of three examples", f'<div class="three">{"".join(tables)}</div><p class="soft">{said}</p>')


def size_section(file, factors, evaluated):
    rows, columns = factors.left.rows, factors.right.rows
    shapes = [("left factor L", f"{factors.left.rows:,} × {factors.left.columns:,}" + (", sparse" if not hasattr(factors.left, "table") else "")),
              ("core J", f"{int(factors.core.data.attrs['rows']):,} × {int(factors.core.data.attrs['columns']):,}, {text_of(factors.core.layout)}")]
    if factors.right is not factors.left:
        shapes.append(("right factor R", f"{columns:,} × {factors.right.columns:,}"))
    return section("Size", pairs([
        *shapes, ("precision", text_of(file.attrs["precision"])), ("file", size(os.path.getsize(file.filename))),
        ("K in full", f"{size(8 * rows * columns)} in double precision"),
        ("evaluations", f"{exactly(evaluated)} for the factors, {number(100 * evaluated / (rows * columns), 3)}&nbsp;% of the entries"),
        *((("exact near entries", exactly(len(file["near/data"]))),) if "near" in file else ())]), tall=8)


def notes_section(notes):
    return section("Notes of the run", "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in notes) + "</ul>", tall=2 + 2 * len(notes)) if notes else None
