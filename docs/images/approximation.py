#!/usr/bin/python3
"""Draws approximation.svg: K ~ L J R^T, the rows of every tall factor over 4 ranks, landmarks scattered over all of them.

    docs/images/approximation.py > docs/images/approximation.svg
"""

RANKS = ["#3b82c4", "#d9822b", "#3a9a5c", "#a065b8"]
LANDMARKS = [1, 6, 9, 13, 18, 20, 27, 30]  # of 32 rows, two or more a rank
ROWS = 32
UNIT = 7.5  # pixels a row
EDGE = ROWS * UNIT
TOP = 70

STYLE = """
  text { font-family: system-ui, sans-serif; font-size: 14px; fill: #1f2328; }
  .name { font-size: 22px; font-style: italic; text-anchor: middle; }
  .size { font-size: 13px; text-anchor: middle; fill: #59636e; }
  .sign { font-size: 30px; text-anchor: middle; }
  .frame { fill: none; stroke: #59636e; stroke-width: 1; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .size { fill: #9da7b3; }
    .frame { stroke: #9da7b3; }
  }
"""


def rectangle(x, y, width, height, colour, opacity):
    return (f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{colour}" '
            f'fill-opacity="{opacity:g}"/>')


def frame(x, y, width, height):
    return f'<rect class="frame" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"/>'


def text(kind, x, y, words):
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{words}</text>'


def rank_of(row):
    return row * len(RANKS) // ROWS


def bands(x, width, opacity):
    """A tall matrix: its rows in one contiguous block a rank."""
    height = EDGE / len(RANKS)
    return [rectangle(x, TOP + k * height, width, height, colour, opacity) for k, colour in enumerate(RANKS)]


def similarity_matrix(x):
    shapes = bands(x, EDGE, 0.13)
    for column in LANDMARKS:  # what is evaluated: the columns of the landmarks, each rank its own rows
        for rank, colour in enumerate(RANKS):
            shapes.append(rectangle(x + column * UNIT, TOP + rank * EDGE / 4, UNIT, EDGE / 4, colour, 0.85))
    shapes += [frame(x, TOP, EDGE, EDGE)]
    for row in LANDMARKS:  # a landmark is a row, too: a stone beside the matrix
        shapes.append(f'<ellipse cx="{x - 10:g}" cy="{TOP + (row + 0.5) * UNIT:g}" rx="6" ry="3.4" '
                      f'fill="{RANKS[rank_of(row)]}"/>')
    return shapes


def tall_factor(x):
    width = len(LANDMARKS) * UNIT
    lines = [frame(x + k * UNIT, TOP, UNIT, EDGE) for k in range(len(LANDMARKS))]
    return bands(x, width, 0.85) + [line.replace("/>", ' stroke-opacity="0.25"/>') for line in lines] + [
        frame(x, TOP, width, EDGE)]


def joining_matrix(x):
    """Small, in square blocks dealt over a 2 x 2 grid of ranks."""
    width, blocks = len(LANDMARKS) * UNIT, 4
    edge = width / blocks
    shapes = [rectangle(x + j * edge, TOP + i * edge, edge, edge, RANKS[2 * (i % 2) + j % 2], 0.85)
              for i in range(blocks) for j in range(blocks)]
    return shapes + [frame(x, TOP, width, width)]


def wide_factor(x):
    height = len(LANDMARKS) * UNIT
    shapes = [rectangle(x + k * EDGE / 4, TOP, EDGE / 4, height, colour, 0.85) for k, colour in enumerate(RANKS)]
    return shapes + [frame(x, TOP, EDGE, height)]


def legend(x, y):
    shapes = [f'<ellipse cx="{x + 7:g}" cy="{y + 6:g}" rx="7" ry="4" class="frame"/>',
              text("", x + 22, y + 11, "landmarks: their columns alone are evaluated")]
    for rank, colour in enumerate(RANKS):
        shapes += [rectangle(x + 82 * rank, y + 26, 14, 14, colour, 0.85),
                   text("", x + 82 * rank + 22, y + 38, f"rank {rank}")]
    return shapes


def picture():
    narrow = len(LANDMARKS) * UNIT
    k, left, joining, right = 30, 30 + EDGE + 60, 30 + EDGE + 60 + narrow + 40, 30 + EDGE + 60 + 2 * narrow + 80
    width, height = right + EDGE + 20, TOP + EDGE + 40
    shapes = similarity_matrix(k) + tall_factor(left) + joining_matrix(joining) + wide_factor(right)
    for x, words, size in ((k + EDGE / 2, "K", "n × n, never formed"), (left + narrow / 2, "L", "n × s"),
                           (joining + narrow / 2, "J", "s × s"), (right + EDGE / 2, "Rᵀ", "s × n")):
        shapes += [text("name", x, TOP - 34, words), text("size", x, TOP - 12, size)]
    shapes.append(text("sign", k + EDGE + 30, TOP + EDGE / 2 + 8, "≈"))
    for x in (joining - 20, right - 20):
        shapes.append(text("sign", x, TOP + narrow / 2 + 8, "·"))
    shapes += legend(joining, TOP + EDGE - 70)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img">\n'
            "<title>K is approximated by L times J times R transposed; landmarks are scattered over all ranks</title>\n"
            f"<style>{STYLE}</style>\n" + "\n".join(shapes) + "\n</svg>\n")


if __name__ == "__main__":
    print(picture(), end="")
