"""Drawings for pages: SVG in the colors of the page's style, light or dark."""

import math
from html import escape

from cairn_plot.pages import number, raised

WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 12, 46
# Around a point, in pixels: told apart without color.
MARKS = ["m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0", "m-2.3-2.3h4.6v4.6h-4.6z", "m0-3.2l3 5.2h-6z",
         "m0-3.3l3.3 3.3l-3.3 3.3l-3.3-3.3z", "m0 3.2l3-5.2h-6z",
         "m-1-3.2h2v2.2h2.2v2h-2.2v2.2h-2v-2.2h-2.2v-2h2.2z",
         "m-2.2-3.2l2.2 2.2l2.2-2.2l1 1l-2.2 2.2l2.2 2.2l-1 1l-2.2-2.2l-2.2 2.2l-1-1l2.2-2.2l-2.2-2.2z"]
DOT = "m-1.2 0a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0-2.4 0"


class Axis:
    """From numbers to pixels."""

    def __init__(self, values, begin, end, logarithmic=False, margin=0.04):
        self.logarithmic, self.begin, self.end = logarithmic, begin, end
        low, high = (self.scaled(extreme(values)) for extreme in (min, max))
        spare = margin * (high - low) or 0.5 * (abs(high) or 1)
        self.low, self.high = low - spare, high + spare

    def scaled(self, value):
        return math.log10(value) if self.logarithmic else float(value)

    def place(self, value):
        return self.begin + (self.scaled(value) - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self):
        span = self.high - self.low
        if self.logarithmic and span > 1.2:
            every = math.ceil(span / 6)
            return [10.0**k for k in range(math.ceil(self.low), math.floor(self.high) + 1) if k % every == 0]
        if self.logarithmic:
            ticks = [digit * 10.0**k for k in range(math.floor(self.low), math.ceil(self.high) + 1)
                     for digit in ((1, 2, 5) if span > 0.5 else (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9))]
            return [tick for tick in ticks if self.low <= math.log10(tick) <= self.high]
        step = 10.0**math.floor(math.log10(span / 4))
        step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 6)
        return [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def tick_text(value):
    power = math.log10(abs(value)) if value else 0.0
    if power.is_integer() and not -3 < power < 5:
        return ("−" if value < 0 else "") + raised(int(power))
    if not -3 <= power < 5:
        return number(value, 2)
    return f"{value:,.6g}".replace("-", "−")


def drawing(description, content, height=HEIGHT, width=WIDTH):
    return (f'<svg viewBox="0 0 {width} {height:g}" role="img" aria-label="{escape(description)}">'
            f"<title>{escape(description)}</title>{content}</svg>")


def frame(across, up, horizontal, vertical, bottom):
    """Axes with their numbers and names."""
    parts = []
    for tick in up.ticks():
        y = up.place(tick)
        parts.append(f'<path class="rule" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4.5:.1f}" text-anchor="end">{tick_text(tick)}</text>')
    for tick in across.ticks():
        x = across.place(tick)
        parts.append(f'<path class="axis" d="M{x:.1f} {bottom}v5"/>'
                     f'<text x="{x:.1f}" y="{bottom + 19}" text-anchor="middle">{tick_text(tick)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}"/>'
                 f'<text x="{middle:g}" y="{bottom + 38}" text-anchor="middle">{escape(horizontal)}</text>'
                 f'<text transform="translate(13 {(TOP + bottom) / 2:g}) rotate(-90)" text-anchor="middle">{escape(vertical)}</text>')
    return "".join(parts)


def marks(xs, ys, kind, opacity=1.0, small=False):
    where = "".join(f"M{x:.1f} {y:.1f}{DOT if small else MARKS[kind]}" for x, y in zip(xs, ys))
    return f'<path d="{where}" style="fill: var(--c{kind}); opacity: {opacity:.2g}"/>'


def legend(names, others=""):
    """Of a name for each kind of mark, and of the dots of others."""
    shown = [(name, marks([0], [0], kind)) for kind, name in enumerate(names)]
    if others:
        shown.append((others, marks([0], [0], len(names), small=True)))
    items = "".join(f'<li><svg viewBox="-5 -5 10 10" aria-hidden="true">{mark}</svg>{escape(name)}</li>' for name, mark in shown)
    return f'<ul class="legend">{items}</ul>'


def curve(groups, horizontal, vertical, description, logarithmic=(False, True), line=True, level=None):
    """Points (x, y) of each group with a mark of its own, joined if `line`; and a level that is drawn across."""
    points = [point for group in groups for point in group]
    bottom = HEIGHT - BOTTOM
    across = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT, logarithmic[0])
    up = Axis([y for _, y in points] + ([level] if level else []), bottom, TOP, logarithmic[1])
    parts = [frame(across, up, horizontal, vertical, bottom)]
    if level:
        parts.append(f'<path d="M{LEFT} {up.place(level):.1f}H{WIDTH - RIGHT}" style="stroke: var(--c1); stroke-width: 1.5; stroke-dasharray: 6 4"/>')
    for kind, group in enumerate(groups):
        places = [(across.place(x), up.place(y)) for x, y in group]
        if line and places:
            joined = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            parts.append(f'<path d="M{joined}" style="fill: none; stroke: var(--c{kind}); stroke-width: 1.5"/>')
        if places:
            parts.append(marks(*zip(*places), kind))
    return drawing(description, "".join(parts))


def cloud(groups, words, axes, description, others=False):
    """Points in the plane with equal scales, the last group as dots if it is of others; `words` are (x, y, text), drawn
    where there is room."""
    points = [point for group in groups for point in group]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    spans = [max(values) - min(values) for values in (xs, ys)]
    inner = WIDTH - LEFT - RIGHT
    shape = spans[1] / spans[0] if spans[0] > 0 else 1
    tall = inner * min(1.0, max(0.5, shape))
    bottom = TOP + tall
    across, up = Axis(xs, LEFT, WIDTH - RIGHT), Axis(ys, bottom, TOP)
    scale = max((across.high - across.low) / inner, (up.high - up.low) / tall)
    for axis, length in ((across, inner), (up, tall)):
        middle = (axis.low + axis.high) / 2
        axis.low, axis.high = middle - scale * length / 2, middle + scale * length / 2
    opacity = min(0.9, max(0.5, 30 / len(points)**0.5))
    parts = [frame(across, up, *axes, bottom)]
    for kind, group in sorted(enumerate(groups), reverse=True):  # the first on top
        if len(group):
            parts.append(marks([across.place(x) for x, _ in group], [up.place(y) for _, y in group], kind, opacity,
                               small=others and kind == len(groups) - 1 or len(groups) == 1 and len(points) > 1000))
    taken = []
    for x, y, text in words:
        x, y, wide = across.place(x) + 4, up.place(y) - 3, 7.2 * len(text)
        box = (x, y - 12, x + wide, y + 3)
        if box[2] < WIDTH and all(box[2] < a or box[0] > c or box[3] < b or box[1] > d for a, b, c, d in taken):
            taken.append(box)
            parts.append(f'<text x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>')
    return drawing(description, "".join(parts), bottom + BOTTOM)


def bars(rows, description):
    """(name, value, low, high): a bar to the value, and a line from low to high."""
    most = max(max(value, high) for _, value, _, high in rows) or 1
    def place(value):
        return 4 + (WIDTH - 8) * value / most
    parts = []
    for k, (name, value, low, high) in enumerate(rows):
        y = 20 + 52 * k
        parts.append(f'<text x="4" y="{y - 4}">{escape(name)}: {number(value)}</text>'
                     f'<rect x="4" y="{y + 2}" width="{max(1.0, place(value) - 4):.1f}" height="16" style="fill: var(--c{5 if k else 0})"/>'
                     f'<path d="M{place(low):.1f} {y + 10}H{place(high):.1f}M{place(low):.1f} {y + 4}v12M{place(high):.1f} {y + 4}v12" '
                     f'style="stroke: var(--ink); stroke-width: 1.5"/>')
    return drawing(description, "".join(parts), 20 + 52 * len(rows) - 28)
