"""Fields on triangle meshes and points in space: shaded, seen from both sides of their thinnest direction."""

from cairn_plot.fields import add_color_bar, norm_and_map

SIZE = 3.6  # inches of a view's longer side
AMBIENT = 0.45  # light that reaches what faces away


def views(positions):
    """Two views, each (right, up, towards the viewer), orthonormal: along the axis with the least extent, from both its
    ends. Up is z, or y where one looks along z: what stands upright in most files."""
    import numpy
    extent = positions.max(axis=0) - positions.min(axis=0)
    axis = int(extent.argmin())
    up = numpy.eye(3)[1 if axis == 2 else 2]
    found = []
    for sign in (1.0, -1.0):
        forward = sign * numpy.eye(3)[axis]
        found.append((numpy.cross(up, forward), up, forward))
    return found


def draw(pyplot, scene, fields, zoom):
    """A row of two views a field; `zoom` is None."""
    import numpy
    from matplotlib.cm import ScalarMappable
    del zoom
    both = views(scene.positions)
    plane = scene.positions @ numpy.array(both[0][:2]).T
    spread = plane.max(axis=0) - plane.min(axis=0)
    width, height = (max(SIZE * side / (spread.max() or 1.0), SIZE / 3) for side in spread)
    figure = pyplot.figure(figsize=(2 * width + 1.2, (height + 0.3) * len(fields)), layout="constrained")
    grid = figure.subplots(len(fields), 2, squeeze=False)
    for row, field in zip(grid, fields):
        norm, colors, extend = norm_and_map(fields, field)
        for axes, view in zip(row, both):
            draw_view(axes, scene, field, view, norm, colors)
        add_color_bar(figure, ScalarMappable(norm, colors), list(row), field, extend)
        row[0].set_title(field.title, loc="left", fontsize="medium")
    return figure


def draw_view(axes, scene, field, view, norm, colors):
    import numpy
    right, up, forward = view
    plane = scene.positions @ numpy.stack([right, up]).T
    depth = scene.positions @ forward
    if scene.cells_name == "triangles":
        draw_triangles(axes, scene, field.values, plane, view, norm, colors)
    else:
        order = depth.argsort(kind="stable")  # the farthest first
        axes.scatter(*plane[order].T, c=field.values[order], s=min(12.0, max(0.5, 20000.0 / len(plane))), norm=norm,
                     cmap=colors, linewidths=0, rasterized=True)
    draw_landmarks(axes, plane[scene.landmarks[visible(plane, depth, scene.landmarks)]])
    if field.vertex >= 0 and visible(plane, depth, numpy.array([field.vertex]))[0]:
        axes.plot(*plane[[field.vertex]].T, linestyle="none", marker="o", markersize=8, markerfacecolor="none",
                  markeredgecolor="black", markeredgewidth=1.2)
    axes.set_aspect("equal")
    axes.set_axis_off()


def facing_triangles(positions, triangles, forward):
    """Numbers of the triangles that face the viewer, the farthest first, and the cosine of the angle at which they do.
    Where a surface has both orientations, or none (a boundary), its back is drawn too."""
    import numpy
    corners = positions[triangles]
    normals = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = numpy.linalg.norm(normals, axis=1)
    cosines = numpy.divide(normals @ forward, lengths, out=numpy.zeros(len(lengths)), where=lengths > 0)
    volume = numpy.einsum("ij,ij->i", corners[:, 0], numpy.cross(corners[:, 1], corners[:, 2])).sum()
    if is_closed(triangles):
        cosines *= 1.0 if volume >= 0 else -1.0  # inside out in the file
        chosen = numpy.flatnonzero(cosines > 0)
    else:
        cosines = abs(cosines)
        chosen = numpy.arange(len(triangles))
    order = (corners[chosen] @ forward).mean(axis=1).argsort(kind="stable")
    return chosen[order], cosines[chosen[order]]


def is_closed(triangles):
    """Whether every edge comes once in each direction: a closed surface whose triangles turn the same way."""
    import numpy
    count = int(triangles.max()) + 1
    ends = numpy.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(numpy.int64)
    there, back = numpy.sort(ends[:, 0] * count + ends[:, 1]), numpy.sort(ends[:, 1] * count + ends[:, 0])
    return bool((there == back).all() and (there[1:] != there[:-1]).all())


def draw_triangles(axes, scene, values, plane, view, norm, colors):
    """Flat colors by the mean of the corners, darker where the surface turns away from the viewer."""
    import matplotlib
    from matplotlib.collections import PolyCollection
    chosen, cosines = facing_triangles(scene.positions, scene.cells, view[2])
    triangles = scene.cells[chosen]
    faces = matplotlib.colormaps[colors](norm(values[triangles].mean(axis=1)))
    faces[:, :3] *= (AMBIENT + (1 - AMBIENT) * cosines)[:, None]
    axes.add_collection(PolyCollection(plane[triangles], facecolors=faces, edgecolors=faces, linewidths=0.2,
                                       antialiaseds=False, rasterized=True))
    axes.autoscale_view()


def visible(plane, depth, chosen):
    """Which of the chosen vertices nothing hides: those at most a fiftieth of the extent behind the nearest vertex of
    their cell, in a grid with about eight vertices a cell."""
    import numpy
    low = plane.min(axis=0)
    extent = (plane.max(axis=0) - low).max() or 1.0
    cells = max(1, int((len(plane) / 8) ** 0.5))
    places = numpy.minimum((plane - low) / extent * cells, cells - 1).astype(int) @ [1, cells]
    nearest = numpy.full(cells * cells, -numpy.inf)
    numpy.maximum.at(nearest, places, depth)
    return depth[chosen] >= nearest[places[chosen]] - extent / 50


def draw_landmarks(axes, places):
    if len(places):
        axes.plot(*places.T, linestyle="none", marker="o", markersize=min(3.0, max(0.8, 40.0 / len(places) ** 0.5)),
                  color="black", markeredgewidth=0)
