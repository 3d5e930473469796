"""What is known of a table or figure of a paper, and the lines that all of them are made of."""
import collections
import dataclasses
import statistics
import typing

# One number: panel and series (a curve, a row of a table), the place along it, the seed, what was measured, its value.
Row = collections.namedtuple("Row", "panel series at seed measure value")


@dataclasses.dataclass(frozen=True)
class Entry:
    """A table or figure.

    measure(run, full) gives rows; it is None where nothing can be computed, and `deviation` says why.
    bounds: measure -> how far a fresh quick run may be from the one that is kept, relative to it; None for what differs
    from machine to machine, such as seconds, which must be there and be a number.
    paper: (panel, series, at, measure) -> the number that the paper prints.
    stored(): the same rows from measurements of full size that were kept, if any.
    """
    name: str
    shows: str                    # "table 3", as the paper numbers it
    title: str
    deviation: str                # from the paper, and why; a sentence or two
    measure: typing.Callable = None
    config: str = ""              # in configs/
    bounds: dict = dataclasses.field(default_factory=dict)
    paper: dict = dataclasses.field(default_factory=dict)
    headline: tuple = ()          # keys as in `paper`, of the numbers that the index shows
    needs: tuple = ()             # files under DATA
    seconds: tuple = (0, 0)       # of one core: quick, full
    stored: typing.Callable = None
    stored_in: str = ""           # the table in docs/measurements that `stored` reads
    page: str = ""                # in docs/, where more is said
    says: str = ""                # the statement of the paper, where it prints no number


@dataclasses.dataclass(frozen=True)
class Paper:
    short: str
    cites: str
    entries: tuple


def key(row):
    """All but the value, as texts."""
    return tuple(str(part) for part in row[:5])


def means(rows):
    """(panel, series, at, measure) -> mean and standard deviation over seeds (None: one value), in the order of the rows."""
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row.panel, row.series, str(row.at), row.measure].append(float(row.value))
    return {place: (statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)
            for place, values in groups.items()}


def number(value):
    """Three digits, as tables print them."""
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        text = f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
        return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
    return f"{value:.2e}".replace("e-0", "e-").replace("e+0", "e")
