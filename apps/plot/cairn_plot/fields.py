"""Numbers on the vertices of a mesh, a graph or a set of points, as cairn writes them (.h5)."""

from dataclasses import dataclass

from cairn_plot.problem import INPUT, USAGE, Problem, open_hdf5, text_of

CORNERS = {"points": 1, "edges": 2, "triangles": 3}


@dataclass
class Field:
    """One number a vertex; `scale` is sequential, diverging or logarithmic, `vertex` the one that it belongs to or -1."""
    name: str
    title: str
    unit: str
    scale: str
    vertex: int
    values: object

    def label(self):
        """Of the color bar: name and unit."""
        return self.name.replace("_", " ") + (f" ({self.unit})" if self.unit else "")


@dataclass
class Scene:
    """Positions n x 3, cells m x 1, 2 or 3, landmarks in their order, fields in the order of the file: numpy arrays."""
    cells_name: str
    positions: object
    cells: object
    landmarks: object
    fields: list


def is_fields(path):
    with open_hdf5(path) as file:
        return text_of(file.attrs.get("format", "")) == "cairn-fields"


def read_scene(path):
    """All of a file of fields, checked: shapes agree, numbers are finite, vertices are in range."""
    import numpy
    with open_hdf5(path) as file:
        try:
            if int(file.attrs["format_version"]) > 1:
                raise Problem(INPUT, f"{path}: is of a newer version than 1, which this program reads")
            cells_name = text_of(file.attrs["cells"])
            positions, cells = file["geometry/positions"][:], file["geometry/" + cells_name][:]
            fields = [read_field(file, name) for name in text_of(file.attrs["names"]).split()]
            scene = Scene(cells_name, positions, cells, file["landmarks"][:], fields)
            corners = CORNERS[cells_name]
        except (KeyError, OSError, ValueError) as error:
            raise Problem(INPUT, f"{path}: is not a whole file of fields: {error}")
    count = len(positions)
    good = (count > 0 and bool(fields) and positions.shape == (count, 3) and cells.ndim == 2 and cells.shape[1] == corners
            and all(field.values.shape == (count,) for field in fields))
    if not good or not all(numpy.isfinite(array).all() for array in [positions, *(f.values for f in fields)]):
        raise Problem(INPUT, f"{path}: its shapes do not agree, or numbers are not finite")
    for numbers in (cells, scene.landmarks):
        if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
            raise Problem(INPUT, f"{path}: names vertices outside 0 to {count - 1}")
    return scene


def read_field(file, name):
    table = file["fields/" + name]
    attributes = {key: table.attrs[key] for key in ("title", "unit", "scale", "vertex")}
    return Field(name, text_of(attributes["title"]), text_of(attributes["unit"]), text_of(attributes["scale"]),
                 int(attributes["vertex"]), table[:])


def chosen_fields(scene, names):
    """Those with these names in this order, or all."""
    known = {field.name: field for field in scene.fields}
    for name in names or []:
        if name not in known:
            raise Problem(USAGE, f"there is no field {name}; there are {', '.join(known)}")
    return [known[name] for name in names] if names else scene.fields


def norm_and_map(fields, field):
    """How values become colors: the norm, the name of the color map, and how the color bar ends. Sequential fields
    of one unit share their range, so that pictures side by side can be compared."""
    import numpy
    from matplotlib.colors import LogNorm, Normalize
    if field.scale == "diverging":
        magnitudes = numpy.abs(field.values)
        most = float(numpy.quantile(magnitudes, 0.999)) or float(magnitudes.max()) or 1.0
        return Normalize(-most, most), "RdBu_r", "both" if magnitudes.max() > most else "neither"
    if field.scale == "logarithmic" and (positive := field.values[field.values > 0]).size:
        low, high = float(numpy.quantile(positive, 0.01)), float(positive.max())
        return LogNorm(min(low, high / 2), high), "YlOrRd", "min" if field.values.min() < low else "neither"
    alike = [f.values for f in fields if f.scale == field.scale and f.unit == field.unit] or [field.values]
    low, high = min(float(v.min()) for v in alike), max(float(v.max()) for v in alike)
    return Normalize(low, high if high > low else low + 1.0), "viridis", "neither"


def add_color_bar(figure, drawn, axes, field, extend):
    """Beside the axes, with plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
    bar = figure.colorbar(drawn, ax=axes, label=field.label(), extend=extend, shrink=0.85)
    if field.scale == "logarithmic":
        bar.ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        bar.ax.yaxis.set_minor_formatter(NullFormatter())


def plot_fields(pyplot, path, names, zoom):
    """A figure with a panel a field: two views of a surface beside each other, or a map. @return the figure"""
    from cairn_plot import maps, surfaces  # which take from this module
    scene = read_scene(path)
    fields = chosen_fields(scene, names)
    solid = bool(scene.positions[:, 2].any()) and scene.cells_name != "edges"
    if zoom is not None and solid:
        raise Problem(USAGE, "--zoom is for maps; a surface is shown whole")
    return (surfaces if solid else maps).draw(pyplot, scene, fields, zoom)
