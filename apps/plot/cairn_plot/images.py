"""Pictures as points, and pictures whose colors a plan of transport has moved."""

import os

from .output import replacing
from .problem import INPUT, RESOURCE, USAGE, Problem, open_hdf5, text_of


def import_image():
    try:
        from PIL import Image
    except ImportError:
        raise Problem(RESOURCE, "the Python module PIL is missing; Debian's package is python3-pil")
    return Image


def colors_of(picture):
    """The pixels of an open picture, height x width x 3, in [0, 1]."""
    import numpy
    # PIL clips what has more than 8 bits to 255 where it makes colors of it. Greys of 16 bits have the mode I in some files.
    if picture.mode.startswith("I;16") or (picture.mode == "I" and picture.format in ("PNG", "PPM")):
        greys = numpy.asarray(picture).astype(numpy.float64) / 65535
        return numpy.repeat(greys[:, :, None], 3, axis=2)
    if picture.mode in ("I", "F"):
        raise ValueError(f"numbers of 32 bits a pixel (mode {picture.mode}), whose white is not known; save it with 8 or 16 bits")
    return numpy.asarray(picture.convert("RGB"), dtype=numpy.float64) / 255


def read_image(path):
    """Its pixels, height x width x 3, in [0, 1]."""
    image = import_image()
    try:
        with image.open(path) as picture:
            return colors_of(picture)
    except (OSError, ValueError, SyntaxError, image.DecompressionBombError) as error:
        raise Problem(INPUT, f"{path}: {error}")


def write(output, save):
    """By a function that writes to an open file."""
    with replacing(output) as partial, open(partial, "wb") as file:
        save(file)


def write_pixels(path, output):
    """The pixels of a picture, row by row, as a NumPy file of n x 3 numbers in [0, 1]. What was written, in words."""
    import numpy
    if not output.endswith(".npy"):
        raise Problem(USAGE, f"{output}: pixels are written as .npy")
    pixels = read_image(path)
    height, width, _ = pixels.shape
    write(output, lambda file: numpy.save(file, pixels.reshape(-1, 3)))
    return f"{output}: {height * width} pixels ({width} x {height}), 3 colors in [0, 1]"


def is_transport(path):
    with open_hdf5(path) as file:
        return text_of(file.attrs.get("format", "")) == "cairn-transport"


def recolored(plan, picture):
    """The pixels of the picture that the plan's sources are, each with the mean color that it is moved to."""
    import numpy
    pixels = read_image(picture)
    try:
        with open_hdf5(plan) as file:
            groups, colors, points = (file["source/" + name][:] for name in ("groups", "barycentres", "points"))
    except (KeyError, OSError) as error:
        raise Problem(INPUT, f"{plan}: {error}")
    if len(groups) and (groups.max() >= len(points) or len(points) != len(colors)):
        raise Problem(INPUT, f"{plan}: its groups are not of its {len(points)} points")
    if len(groups) != pixels.shape[0] * pixels.shape[1] or colors.shape[1] != 3:
        raise Problem(INPUT, f"{plan}: its {len(groups)} source points with {colors.shape[1]} coordinates are not the "
                             f"{pixels.shape[1]} x {pixels.shape[0]} pixels of {picture}")
    kept = groups >= 0
    own = pixels.reshape(-1, 3)
    if numpy.abs(points[groups[kept]] - own[kept]).max(initial=0) > 1 / 512:
        raise Problem(INPUT, f"{plan}: its source points are not the pixels of {picture}")
    moved = own.copy()
    moved[kept] = colors[groups[kept]]
    return moved.reshape(pixels.shape).clip(0, 1)


def write_recolored(plan, picture, output):
    import numpy
    image = import_image()
    form = image.registered_extensions().get(os.path.splitext(output)[1].lower())
    if form is None:
        raise Problem(USAGE, f"{output}: the name must end as that of a picture, in .png or .jpg")
    colors = numpy.rint(255 * recolored(plan, picture)).astype(numpy.uint8)
    write(output, lambda file: image.fromarray(colors).save(file, format=form))
    return output
