"""Arguments of a program as the module _cairn takes them: names of parameters, texts, arrays; and the progress that it shows."""
import ctypes
import itertools
import sys
import time

import numpy

from ._cairn import UsageError

GROUPS = ("landmarks", "approximation", "similarity", "evaluation", "output", "run", "data")


def text(value):
    """A value as the text that a config has."""
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, numpy.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return ",".join(text(item) for item in value)
    return str(value)


def pairs(values):
    """Names and texts of parameters; None leaves one out."""
    found = []
    for name, value in values.items():
        if value is None:
            continue
        if name == "landmarks":
            name = "landmarks.count" if numpy.ndim(value) == 0 else "landmarks.list"
        elif "." not in name:
            group = next((g for g in GROUPS if name.startswith(g + "_")), None)
            name = f"{group}.{name[len(group) + 1:]}" if group else name.rstrip("_")  # lambda_, as lambda is a word of Python
        found.append((name.replace("_", "-"), text(value)))
    return found


def parts(given):
    """Names and parameters of the parts of a similarity: [("rbf", [("gamma", "0.1")])] of [("rbf", {"gamma": 0.1})]."""
    if isinstance(given, str):
        given = given.split(",")
    found = []
    for part in given or []:
        name, values = (part, {}) if isinstance(part, str) else part
        found.append((str(name), pairs(dict(values))))
    return found


def texts(what, texts):
    """A list of str without surrogates, which UTF-8 has not."""
    if texts is None:
        return []
    if isinstance(texts, (str, bytes)):
        raise UsageError(f"{what} are a list of texts, not one text")
    found = [one.decode() if isinstance(one, bytes) else str(one) for one in texts]
    for one in found:
        if not one.isascii():
            one.encode()
    return found


def numbers(what, array, kinds="fiub"):
    """An array of numbers without a mask."""
    if isinstance(array, numpy.ma.MaskedArray):
        raise UsageError(f"{what}: an array with a mask; fill it first")
    array = array if isinstance(array, numpy.ndarray) else numpy.asarray(array)
    if array.dtype.kind not in kinds:
        raise UsageError(f"{what}: an array of {'numbers' if 'f' in kinds else 'integers'}, not of {array.dtype}")
    return array


def integers(what, array):
    array = array if hasattr(array, "dtype") else numpy.asarray(array)
    if array.size == 0:
        array = array.astype(numpy.int64)
    return numpy.ascontiguousarray(numbers(what, array, "iu"), dtype=numpy.int64)


def lists(**given):
    """Lists of integers, one for each name."""
    found = [integers(name, one) for name, one in given.items()]
    for name, array in zip(given, found):
        if array.ndim > 1:
            raise UsageError(f"{name} are a list of numbers, not an array of {array.ndim} dimensions")
    return [array.reshape(-1) for array in found]


def rows(what, array, columns=None):
    """An array of two dimensions, in C order, of float32 or float64."""
    array = numbers(what, array)
    if array.ndim != 2 or columns not in (None, array.shape[1]):
        raise UsageError(f"{what} are an array of 2 dimensions" + (f" with {columns} columns" if columns else "") + ", not of "
                         + (f"{array.ndim}" if array.ndim != 2 else f"{array.shape[1]} columns"))
    return numpy.require(array, numpy.float32 if array.dtype == numpy.float32 else numpy.float64, ["C_CONTIGUOUS", "ALIGNED"])


def compiled(function):
    """(address, what keeps it alive) of a compiled function: of ctypes, a cfunc of numba, a function or pointer of cffi; None: it is none."""
    pointer = getattr(function, "ctypes", function) if hasattr(function, "address") else function  # a cfunc of numba has both
    if isinstance(pointer, ctypes._CFuncPtr):
        return ctypes.cast(pointer, ctypes.c_void_p).value, function
    if type(function).__module__ == "_cffi_backend":
        import _cffi_backend
        return int(_cffi_backend.FFI().cast("uintptr_t", function)), function
    return None


def require_signature(function, digits):
    """Compares the types that a function of ctypes has declared; none are declared otherwise."""
    declared = getattr(function, "argtypes", None)
    if declared is None:
        return
    number = ctypes.c_float if digits == "32" else ctypes.c_double
    array, count = ctypes.POINTER(number), (ctypes.c_int64, ctypes.c_longlong, ctypes.c_long)
    wanted = (array, count, array, count, count, array)
    for k, (given, expected) in enumerate(itertools.zip_longest(declared, wanted)):
        fits = given in expected if isinstance(expected, tuple) else given in (expected, ctypes.c_void_p)
        if not fits:
            raise UsageError(f"a compiled function takes ({number.__name__} *left, int64 n, {number.__name__} *right, int64 m, int64 dimension, "
                             f"{number.__name__} *tile); its argument {k + 1} is {getattr(given, '__name__', given)}")


def compressed(what, matrix):
    """A matrix of scipy.sparse in compressed rows with ascending columns, each once."""
    numbers(what, matrix.data)
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is matrix else csr
        csr.sum_duplicates()
    return (csr, numpy.ascontiguousarray(csr.indptr, dtype=numpy.int64), numpy.ascontiguousarray(csr.indices, dtype=numpy.int64),
            numpy.ascontiguousarray(csr.data, dtype=numpy.float64))


def digits(dtype):
    return "32" if dtype == numpy.float32 else "64"


def refuse(given, why):
    for name in given:
        raise UsageError(f"{name} has no effect: {why}")


class Progress:
    """Shows loops that take longer than a second on one line of the standard error, from the first rank's share of tiles: in a terminal and a
    notebook the line is rewritten, elsewhere there is one every ten seconds."""

    def __init__(self, shows, ranks):
        self.shows, self.ranks, self.loop, self.begun, self.shown = shows, ranks, None, 0.0, 0.0
        self.rewrites = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __call__(self, loop, finished, tiles):
        now = time.monotonic()
        if loop != self.loop or finished == 0:
            self.end()
            self.loop, self.begun = loop, now
        share = min(1.0, finished * self.ranks / tiles) if tiles else 1.0
        first, again = (1, 0.2) if self.rewrites else (10, 10)
        if not self.shows or now - self.begun < first or (now - self.shown < again and (share < 1 or not self.shown)):
            return
        left = f", {(now - self.begun) * (1 - share) / share:.0f} s left" if 0 < share < 1 else ""
        text = f"{loop}: {share:4.0%}{left}"
        print(f"\r{text}      " if self.rewrites else text, end="" if self.rewrites else "\n", file=sys.stderr, flush=True)
        self.shown = now
        if share == 1:
            self.end()

    def end(self):
        if self.shown and self.rewrites:
            print(file=sys.stderr)
        self.shown = 0.0
