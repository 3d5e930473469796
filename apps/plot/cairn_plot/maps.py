"""Fields on graphs and points in the plane: a road map colored by values."""

from cairn_plot.fields import add_color_bar, norm_and_map
from cairn_plot.problem import USAGE, Problem

SIZE = 5.2  # inches of a panel's longer side


def draw(pyplot, scene, fields, zoom):
    """A map a field, beside each other, by the first two coordinates."""
    flat = scene.positions[:, :2]
    spread = flat.max(axis=0) - flat.min(axis=0)
    longest = spread.max() or 1.0
    width, height = (max(SIZE * side / longest, SIZE / 3) for side in spread)
    figure = pyplot.figure(figsize=((width + 0.9) * len(fields), height + 0.8), layout="constrained")
    for axes, field in zip(figure.subplots(1, len(fields), squeeze=False)[0], fields):
        norm, colors, extend = norm_and_map(fields, field)
        drawn = (draw_edges if scene.cells_name == "edges" else draw_points)(axes, scene, flat, field, norm, colors)
        draw_landmarks(axes, flat, scene.landmarks, field.vertex)
        add_color_bar(figure, drawn, axes, field, extend)
        axes.set_title(field.title, fontsize="medium")
        axes.set_aspect("equal")
        axes.set_axis_off()
        show_part(axes, flat, longest, field, zoom)
    return figure


def draw_edges(axes, scene, flat, field, norm, colors):
    """Each edge in the color of the mean of its ends; those with the largest magnitude last, on top."""
    from matplotlib.collections import LineCollection
    values = field.values[scene.cells].mean(axis=1)
    colors = "coolwarm" if field.scale == "diverging" else colors  # thin lines that are nearly white would not show
    order = abs(values).argsort(kind="stable")
    width = min(1.5, max(0.15, 150.0 / len(values) ** 0.5))
    lines = LineCollection(flat[scene.cells[order]], array=values[order], norm=norm, cmap=colors, linewidths=width,
                           capstyle="round", rasterized=True)
    axes.add_collection(lines)
    axes.autoscale_view()
    return lines


def draw_points(axes, scene, flat, field, norm, colors):
    order = abs(field.values).argsort(kind="stable")
    size = min(20.0, max(0.5, 20000.0 / len(flat)))
    return axes.scatter(*flat[order].T, c=field.values[order], s=size, norm=norm, cmap=colors, linewidths=0,
                        rasterized=True)


def draw_landmarks(axes, flat, landmarks, vertex):
    if len(landmarks):
        size = min(3.0, max(0.5, 30.0 / len(landmarks) ** 0.5))
        axes.plot(*flat[landmarks].T, linestyle="none", marker="o", markersize=size, color="black", markeredgewidth=0)
    if vertex >= 0:
        axes.plot(*flat[[vertex]].T, linestyle="none", marker="o", markersize=9, markerfacecolor="none",
                  markeredgecolor="black", markeredgewidth=1.2)


def show_part(axes, flat, longest, field, zoom):
    """The square about the field's vertex whose side is the map's divided by `zoom`."""
    if zoom is None:
        return
    if field.vertex < 0:
        raise Problem(USAGE, f"--zoom shows what lies around a vertex, and {field.name} belongs to none")
    x, y = flat[field.vertex]
    half = longest / (2 * zoom)
    axes.set_xlim(x - half, x + half)
    axes.set_ylim(y - half, y + half)
