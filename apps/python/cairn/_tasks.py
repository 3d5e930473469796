"""Tasks on results, predictions and tables of path lengths as a program calls them: files between, arrays at the end."""
import contextlib
import csv
import itertools
import os
import shutil
import tempfile

import numpy

from . import _arguments, _cairn
from ._cairn import UsageError

TEXTS = ("label", "name", "predicted")  # columns that are texts, whatever they look like
OF_ROWS = ("targets", "gold", "split")  # parameters that name a file with a line for each row of the data


@contextlib.contextmanager
def shared_folder(session):
    """A folder of all ranks, which the first one removes."""
    own = session._prepared(lambda: tempfile.mkdtemp(prefix="cairn-") if session.rank == 0 else None)
    folder = session._comm.bcast(own)
    try:
        yield folder
    finally:
        session._comm.barrier()
        if session.rank == 0:
            shutil.rmtree(folder, ignore_errors=True)


def write_in_turn(session, path, heading, lines):
    """A file of the heading, and of the lines of all ranks in their order. Collective."""
    for rank in range(session.ranks):
        def write():
            if rank == session.rank:
                with open(path, "a", encoding="utf-8", newline="") as file:
                    file.writelines(itertools.chain([heading] if rank == 0 else [], lines))
        session._prepared(write)


def files_of(session, folder, given):
    """The parameters, with files in place of arrays. Collective."""
    found = dict(given)
    for name in OF_ROWS + ("train_rows", "train-rows"):
        value = given.get(name)
        if value is None or isinstance(value, (str, os.PathLike)):
            continue
        found[name] = f"{folder}/{name}.csv"
        if name == "targets":
            def table():
                array = _arguments.numbers(name, value)
                if array.ndim not in (1, 2) or array.ndim == 2 and array.shape[1] == 0:
                    raise UsageError(f"targets are an array n or n x targets, not of the shape {array.shape}")
                return array.reshape(len(array), -1).astype(float)
            rows = session._prepared(table)
            columns = session._comm.allgather(rows.shape[1])
            if len(set(columns)) > 1:
                raise UsageError(f"the targets of one rank have {columns[0]} columns, those of another {next(c for c in columns if c != columns[0])}")
            heading = ",".join(f"y{k + 1}" for k in range(columns[0])) + "\n"
            write_in_turn(session, found[name], heading, (",".join(map(repr, row)) + "\n" for row in rows.tolist()))
        elif name in OF_ROWS:
            texts = session._prepared(lambda: _arguments.texts(name, value))
            write_in_turn(session, found[name], "", (text + "\n" for text in texts))
        else:
            rows = session._prepared(lambda: _arguments.lists(train_rows=value)[0])
            write_in_turn(session, found[name], "", (f"{row}\n" for row in rows.tolist()) if session.rank == 0 else ())
    return found


def table_of(path, own):
    """Columns of the rows `own` of a table between commas, by the names of its heading."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        heading = next(reader)
        lines = list(itertools.islice(reader, own.start, own.stop))
    columns = zip(*lines) if lines else [()] * len(heading)
    found = {}
    for name, column in zip(heading, columns):
        kind = str if name in TEXTS else numpy.int64 if name in ("row", "number", "cluster") else float
        found.setdefault(name, numpy.array(column, dtype=kind))
    return found


class Findings(dict):
    """What a task has found, by name; and what it has made.

    arrays  by name. A row x of L gives what a model of these says:
            krr      targets (names), coefficients, intercepts and lambdas, one of each for every result: x @ coefficients + intercepts
            svm      classes, coefficients, intercepts: x @ coefficients + intercepts are scores of the classes; with pairs, of pairs of them
            gp       targets, rows and features (to train on), values, means, scales, sigmas, noises, lengths (docs/task-gp.md)
            average-linkage    clusters (of this rank's rows), merges, averages
            classical-scaling  coordinates (of this rank's rows), eigenvalues, residuals
    """

    def __init__(self, found, session, arrays, model, result):
        super().__init__(found)
        self.arrays, self._session, self._model, self._result = arrays, session, model, result

    def predict(self, unseen=None):
        """Predictions for the rows to which the model belongs, for those of a Result that extends its result, or for objects that
        Result.extend() takes: of krr an array n x targets, of gp two, means and standard deviations; of classifiers the classes, n texts, and
        their scores, n x classes. Of this rank's rows: those that it passes of an array, those of Result.range. Collective."""
        if self._model is None:
            raise UsageError("this task makes no model, which would predict")
        from . import Result
        own = None
        if self._result is not None and not isinstance(unseen, Result):
            if hasattr(unseen, "shape"):
                own = rows_as_passed(self._session, unseen)
            unseen = self._result if unseen is None else self._result.extend(unseen)
        with shared_folder(self._session) as folder:
            def write():
                if self._session.rank == 0:
                    with open(folder + "/model.h5", "wb") as file:
                        file.write(self._model)
            self._session._prepared(write)
            return predict(self._session, folder + "/model.h5", unseen, own)


def run(session, name, results, output, given, points=None, method=None):
    """What Session.task() does."""
    from . import Result
    kind = _cairn.output_of_task(name)
    results = [results] if isinstance(results, (str, os.PathLike, Result)) else list(results)
    kept = [one for one in results if isinstance(one, Result)]
    if any(one.session is not session for one in kept):
        raise UsageError("a result belongs to another session")
    with shared_folder(session) as folder:
        paths = []
        for k, one in enumerate(results):
            paths.append(f"{folder}/result-{k}.h5" if isinstance(one, Result) else os.fsdecode(one))
            if isinstance(one, Result):
                one.save(paths[-1])
        path = os.fsdecode(output) if output else {"model": folder + "/model.h5", "table": folder + "/table.h5", "": ""}[kind]
        arguments = (name, paths, _arguments.pairs(files_of(session, folder, given)), path)
        matrix = next((one._similarity for one in kept if one._similarity is not None), None)
        if matrix is not None and _cairn.takes_matrix(name) and points is None and method is None:
            found = _cairn.run_task_on_matrix(matrix._handle, *arguments)
        else:
            found = _cairn.run_task(session._handle, *arguments, _arguments.pairs(points or {}), _arguments.pairs(method or {}),
                                    "single" if session._digits == "32" else "double")
        arrays, model = {}, None
        if kind == "model":
            arrays = _cairn.model_arrays(session._handle, name, path)

            def read():
                if session.rank > 0:
                    return b""
                with open(path, "rb") as file:
                    return file.read()
            model = session._prepared(read)
        elif kind == "table" and path.endswith(".csv"):
            rows = len(kept[0]) if kept else None
            arrays = session._prepared(lambda: {} if rows is None else table_of(path, session.own_rows(rows)))
        elif kind == "table":
            arrays = _cairn.table_arrays(session._handle, path, len(kept[0]) if kept else -1)
    return Findings(found, session, named(arrays), model, kept[0] if len(kept) == 1 == len(results) else None)


def named(arrays):
    """Arrays by the names that Findings has, whatever the form of the file."""
    arrays = {{"cluster": "clusters", "embedding": "coordinates"}.get(name, name): array for name, array in arrays.items()}
    axes = sorted((name for name in arrays if name[:1] == "y" and name[1:].isdigit()), key=lambda name: int(name[1:]))
    if axes:
        arrays["coordinates"] = numpy.stack([arrays.pop(name) for name in axes], axis=1)
    return arrays


def rows_as_passed(session, array):
    """Numbers of this rank's rows, where each passes its own in the order of the ranks. Collective."""
    counts = session._comm.allgather(array.shape[0])
    first = sum(counts[:session.rank])
    return range(first, first + counts[session.rank])


def predict(session, model, unseen, own=None):
    """What Session.predict() does. own: the rows whose predictions this rank wants; None: those of Result.range, or as passed."""
    from . import Result
    model = os.fsdecode(model)
    task = _cairn.task_of_model(session._handle, model)
    with shared_folder(session) as folder:
        results, points = [], []
        if isinstance(unseen, Result):
            if unseen.session is not session:
                raise UsageError("the result belongs to another session")
            results = [folder + "/rows.h5"]
            unseen.save(results[0])
        elif unseen is not None:
            rows = session._prepared(lambda: _arguments.rows("points", unseen))
            points = _arguments.pairs({"path": folder + "/points.npy"})
            write_rows(session, folder + "/points.npy", rows)
            own = rows_as_passed(session, rows)
        count = _cairn.predict(session._handle, model, folder + "/predicted.csv", results, points)["rows"]
        if own is None:
            own = unseen.range if isinstance(unseen, Result) else session.own_rows(count)
        columns = session._prepared(lambda: table_of(folder + "/predicted.csv", own))
        arrays = _cairn.model_arrays(session._handle, task, model)
    if "classes" in arrays:
        return columns["predicted"], numpy.stack([columns[f"score {name}"] for name in arrays["classes"]], axis=1)
    means = numpy.stack([columns[name] for name in arrays["targets"]], axis=1)
    if "features" not in arrays:
        return means
    return means, numpy.stack([columns[f"sd {name}"] for name in arrays["targets"]], axis=1)


def write_rows(session, path, rows):
    """The rows of all ranks in a file of NumPy. Collective."""
    counts = session._comm.allgather(len(rows))
    widths = {width for width, count in zip(session._comm.allgather(rows.shape[1]), counts) if count}
    if len(widths) != 1:
        raise UsageError("no rank has a point" if not widths else f"the points of one rank have {min(widths)} coordinates, those of another {max(widths)}")

    def create():
        if session.rank == 0:
            numpy.lib.format.open_memmap(path, "w+", numpy.float64, (sum(counts), *widths)).flush()

    def write():
        if len(rows):
            whole = numpy.lib.format.open_memmap(path, "r+")
            first = sum(counts[:session.rank])
            whole[first:first + len(rows)] = rows
            whole.flush()
    session._prepared(create)
    session._prepared(write)


def distances(session, path, sources, targets, out, search, graph, given):
    """What Session.distances() does."""
    with shared_folder(session) as folder:
        options = dict(given)
        for name, vertices in (("sources", sources), ("targets", targets)):
            if vertices is None or isinstance(vertices, (str, os.PathLike)):
                options[name] = None if vertices is None else os.fsdecode(vertices)
                continue
            options[name] = f"{folder}/{name}.txt"
            texts = session._prepared(lambda: [str(vertex) for vertex in (vertices.tolist() if hasattr(vertices, "tolist") else vertices)])
            write_in_turn(session, options[name], "", (text + "\n" for text in texts) if session.rank == 0 else ())
        options["out"] = os.fsdecode(out) if out else folder + "/table.npy"
        _cairn.distances(session._handle, os.fsdecode(path), _arguments.pairs(options), _arguments.pairs(graph), search or "")
        if not options["out"].endswith(".npy"):
            return None

        def read():
            table = numpy.load(options["out"], mmap_mode="r")
            if out:
                return table
            own = session.own_rows(len(table))
            return numpy.array(table[own.start:own.stop])
        return session._prepared(read)
