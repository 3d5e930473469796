"""One page of HTML that needs nothing else: numbers, tables, figures, styles."""

import math
from html import escape
from typing import NamedTuple

from cairn_plot.colors import COLORS

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Of lines and dots on a dark ground: the colors of COLORS, lighter.
DARK = ["#5AB0EA", "#FF9A4D", "#33CFA6", "#E3A8C8", "#F2B84B", "#A5DBF7", "#F2F2F2"]

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa; %s }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171b; --ink: #e6e8ea; --soft: #a3abb4; --line: #3a4149; --panel: #1d2127; %s }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .6rem; }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; }
p { margin: .4rem 0; overflow-wrap: anywhere; }
.soft, figcaption { color: var(--soft); font-size: .9rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: .75rem; margin: 1.2rem 0; padding: 0; }
.facts div { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; }
.facts dt { color: var(--soft); font-size: .85rem; }
.facts dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
section { border: 1px solid var(--line); border-radius: 6px; padding: .9rem 1rem; margin: 0 0 1.2rem; min-width: 0; break-inside: avoid; }
.stacks { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1.2rem; align-items: start; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%%; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
th:last-child, td:last-child { padding-right: 0; }
.names td:first-child { width: 11rem; min-width: 7rem; }
.number { text-align: right; white-space: nowrap; }
.three { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(290px, 100%%), 1fr)); gap: 0 1.8rem; }
.three > div { min-width: 0; }
.warning { border-left: 4px solid var(--c1); background: var(--panel); padding: .4rem .8rem; margin: 0 0 1.2rem; }
figure { margin: 0; }
svg { display: block; width: 100%%; height: auto; }
svg text { fill: var(--ink); font-size: 13px; font-family: inherit; }
svg .axis { stroke: var(--soft); stroke-width: 1; fill: none; }
svg .rule { stroke: var(--line); stroke-width: 1; fill: none; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .7rem; margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .88rem; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; list-style: none; padding: 0; margin: .3rem 0 0; font-size: .9rem; }
.legend svg { display: inline-block; width: 14px; height: 14px; vertical-align: -2px; margin-right: .3rem; }
@media (max-width: 760px) { .stacks { display: flex; flex-direction: column; align-items: stretch; } .stacks > div { display: contents; } svg text { font-size: 15px; } .names td:first-child { width: 8rem; } th, td { padding-right: .35rem; } table { font-size: .84rem; } main { padding: 1rem .6rem 2rem; } section { padding: .7rem; } .facts { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
""" % tuple(" ".join(f"--c{k}: {color};" for k, color in enumerate(colors)) for colors in (COLORS, DARK))


def number(value, digits=4):
    """With thousands between commas, or as a power of ten where that is shorter."""
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e7):
        return f"{int(value):,}".replace("-", "−")
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else str(value)
    if 1e-4 <= abs(value) < 10**max(digits, 5):
        size = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        return f"{value:,.{size}f}".replace("-", "−")
    digit, power = f"{value:.{digits - 1}e}".split("e")
    return f"{digit} × {raised(int(power))}".replace("-", "−")


def raised(power):
    """A power of ten."""
    return "10" + str(power).translate(RAISED)


def given(value):
    """A number that people chose, without zeros at its end."""
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text and "×" not in text else text


def exactly(value, digits=4):
    """A number as it is shown, with all its digits for programs."""
    return f'<data value="{value!r}">{number(value, digits)}</data>'


def size(count):
    """Bytes, with a unit."""
    for unit, name in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}" if count < 999.5 * unit else f"{count / unit:,.0f} {name}"
    return f"{count} bytes"


def table(heads, rows, numbers=(), kind=""):
    """Columns whose places are in `numbers` stand to the right. Cells that are no texts are shown as numbers; texts
    are HTML."""
    def cell(tag, place, content):
        side = ' class="number"' if place in numbers else ""
        scope = ' scope="col"' if tag == "th" else ""
        return f"<{tag}{scope}{side}>{content if isinstance(content, str) else exactly(content)}</{tag}>"

    def line(tag, cells):
        return "<tr>" + "".join(cell(tag, place, content) for place, content in enumerate(cells)) + "</tr>"

    head = f"<thead>{line('th', heads)}</thead>" if heads else ""
    return f'<div class="scroll"><table{kind}>{head}<tbody>{"".join(line("td", row) for row in rows)}</tbody></table></div>'


def pairs(rows):
    """A table of names and what they are; names are texts, the rest HTML."""
    return table((), [(f'<span class="soft">{escape(name)}</span>', content) for name, content in rows], kind=' class="names"')


class Section(NamedTuple):
    """A part of a page, and about how tall it is, in tenths of a picture; 0: it is as wide as the page."""
    html: str
    tall: int


def section(heading, content, tall=0):
    return Section(f"<section><h2>{escape(heading)}</h2>{content}</section>", tall)


def arranged(sections):
    """Wide sections below each other, and between them two stacks side by side of the others."""
    parts = []
    stacks, heights = ([], []), [0, 0]

    def close():
        if stacks[0]:
            parts.append('<div class="stacks">' + "".join(f"<div>{chr(10).join(stack)}</div>" for stack in stacks if stack) + "</div>")
        for stack in stacks:
            stack.clear()
        heights[:] = [0, 0]

    for place, one in enumerate(filter(None, sections)):
        if one.tall:
            lower = heights[1] < heights[0]
            stacks[lower].append(one.html.replace("<section", f'<section style="order: {place}"', 1))
            heights[lower] += one.tall
        else:
            close()
            parts.append(one.html)
    close()
    return "\n".join(parts)


def figure(drawing, caption=""):
    return f"<figure>{drawing}" + (f"<figcaption>{caption}</figcaption>" if caption else "") + "</figure>"


def facts(rows):
    return '<dl class="facts">' + "".join(f"<div><dt>{escape(name)}</dt><dd>{content}</dd></div>" for name, content in rows) + "</dl>"


def document(title, subtitle, key_figures, warnings, sections, footer):
    warned = "".join(f'<p class="warning"><strong>Warning:</strong> {escape(text)}</p>' for text in warnings)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="cairn-plot">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<header><h1>{escape(title)}</h1><p>{subtitle}</p></header>
{facts(key_figures) if key_figures else ""}{warned}
{arranged(sections)}
<footer><p class="soft">{footer}</p></footer>
</main>
</body>
</html>
"""
