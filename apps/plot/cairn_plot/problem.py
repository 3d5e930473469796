"""What goes wrong, and files that cannot be read."""

USAGE, INPUT, RESOURCE = 2, 3, 5  # exit codes, as the program cairn has them


class Problem(Exception):
    """What went wrong, in a sentence for the user, and the exit code that goes with it."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


def is_hdf5(path):
    try:
        with open(path, "rb") as file:
            return file.read(8) == b"\x89HDF\r\n\x1a\n"
    except OSError as error:
        raise Problem(INPUT, f"{path}: {error.strerror}")


def open_hdf5(path):
    """The file, opened to be read by h5py; use it in a `with`."""
    try:
        import h5py
    except ImportError:
        raise Problem(RESOURCE, "the Python module h5py is missing; Debian's package is python3-h5py")
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise Problem(INPUT, f"{path}: cannot be read as HDF5: {error}")


def reason_of(error):
    """Why a file could not be written, without the name that it has until it is whole."""
    return getattr(error, "strerror", None) or str(error)


def text_of(value):
    """An attribute of HDF5 as text."""
    return value.decode() if isinstance(value, bytes) else str(value)
