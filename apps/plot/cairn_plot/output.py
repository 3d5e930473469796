"""A file that is written: beside its name first, then under it, so that it is complete or not there."""

import contextlib
import os
import shutil

from .problem import RESOURCE, USAGE, Problem, reason_of

# What files of each ending begin with.
BEGINNINGS = {".png": (b"\x89PNG",), ".pdf": (b"%PDF",), ".svg": (b"<?xml", b"<svg"), ".npy": (b"\x93NUMPY",),
              ".jpg": (b"\xff\xd8",), ".jpeg": (b"\xff\xd8",), ".html": (b"<!DOCTYP",)}


def require_replaceable(output):
    """A file that is there is replaced if it is empty or of the same kind as what is written."""
    beginnings = BEGINNINGS.get(os.path.splitext(output)[1])
    if beginnings is None or not os.path.isfile(output) or os.path.getsize(output) == 0:
        return
    try:
        with open(output, "rb") as file:
            if file.read(8).startswith(beginnings):
                return
    except OSError:
        pass
    raise Problem(USAGE, f"{output} exists and is no file of that kind, so it is not replaced; give another name, or remove it")


def take_permissions(partial, target):
    """The mode and the group of the file that is replaced."""
    old = os.stat(target)
    mode = old.st_mode & 0o777
    try:
        os.chown(partial, old.st_uid if os.geteuid() == 0 else -1, old.st_gid)
    except OSError:
        mode &= ~0o070 | (mode & 0o7) << 3  # another group gets no more than others have
    os.chmod(partial, mode)


@contextlib.contextmanager
def replacing(output):
    """The name of a new, empty file in the folder of `output`, which takes its place in the end, behind a link, too; a
    device or a pipe is written as it is."""
    require_replaceable(output)
    partial = None
    try:
        if os.path.exists(output) and not os.path.isfile(output):
            yield output
            return
        target = os.path.realpath(output)
        folder, name = os.path.split(target)
        there = os.path.exists(target)
        path = os.path.join(folder, f".{name[:200]}.partial-{os.getpid()}")
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if there else 0o666))
        partial = path
        yield partial
        if there:
            take_permissions(partial, target)
        with open(partial, "rb") as file:
            os.fsync(file.fileno())
        os.replace(partial, target)
        partial = None
    except (OSError, ValueError, KeyError) as error:
        raise Problem(RESOURCE, f"{output}: cannot be written: {reason_of(error)}")
    finally:
        if partial is not None:
            with contextlib.suppress(OSError):
                os.remove(partial)
