"""Cairn: low-rank approximations of huge symmetric similarity matrices, K ~= L J R', from a few of their entries.

    import numpy, cairn
    K = cairn.points(X).similarity("rbf", gamma="median")      # nothing is evaluated yet
    r = K.approximate("nystrom", landmarks=500)
    print(r)                                                    # the report, with the error and its interval
    Z = r.left                                                  # n x s, a view

One process needs no launcher. Under `mpirun -n 4 python -m mpi4py job.py` every rank runs the same program; functions that
take or make objects are collective: all ranks call them in the same order, with the same arguments but for the rows that
each holds. `r.left` are the rows of this rank.

Parameters have the names of `cairn help`: "p-row" is p_row here, landmarks.selection is landmarks_selection, and landmarks
alone is landmarks.count. A dict takes the names as they are: `approximate("biharmonic", **{"landmarks.count": 50})`.

Errors: UsageError and InputError are ValueErrors, NotConverged is an ArithmeticError, ResourceError a MemoryError,
ErrorNotReached, Interrupted and InternalError are RuntimeErrors. All ranks raise the same one with the same text, also for what a function
of yours raises on one of them. Ctrl-C on one of several ranks ends the call on all, as KeyboardInterrupt and Interrupted; end the program then.
"""
import atexit as _atexit
import os as _os
import weakref as _weakref

import numpy as _numpy
from mpi4py import MPI as _MPI

from . import _arguments, _cairn, _tasks
from ._tasks import Findings
from ._cairn import ErrorNotReached, InputError, InternalError, Interrupted, NotConverged, ResourceError, UsageError

__all__ = ["ErrorNotReached", "Findings", "InputError", "InternalError", "Interrupted", "NotConverged", "Objects", "ResourceError", "Result", "Session",
           "Similarity", "UsageError", "approximate", "describe", "distances", "documents", "graph", "load", "matrix", "mesh", "names", "own_rows",
           "plan", "points", "predict", "read", "similarity", "task", "transport"]

_sessions = _weakref.WeakSet()
_of_several_ranks = []  # in the order in which all ranks close them


class Session:
    """Where Cairn computes: the ranks of a communicator of mpi4py, threads, the seed of random draws.

    comm           None: MPI.COMM_WORLD. MPI.COMM_SELF makes a session of this process alone
    threads        of each rank
    memory         largest number of bytes a rank; None: what is free
    precision      "double" or "single": of objects that are read, and of those without a number type
    progress       True: the first rank shows loops that take longer than a second, and how far they are, on the standard error; or a function
                   that is called on each rank after each of its tiles: progress(loop, finished, tiles), with its finished tiles, and those
                   of all ranks

    A rank whose program ends by an exception keeps the others waiting, unless it was started by `python -m mpi4py`. approximate() by keys
    takes run_checkpoint="file" and restart=True, as the program does.

    Collective, as are close() and the end of a with block, after which nothing of the session can be used but arrays.
    """

    def __init__(self, comm=None, *, threads=1, seed=1, memory=None, precision="double", scratch_folder="", progress=None):
        if precision not in ("double", "single"):
            raise UsageError(f"precision is double or single, not {precision}")
        if memory is not None and memory <= 0:
            raise UsageError(f"memory is a number of bytes above 0, not {memory}")
        self._digits = "32" if precision == "single" else "64"
        self._comm = _MPI.COMM_WORLD if comm is None else comm
        if progress is True:
            progress = _arguments.Progress(self._comm.rank == 0, self._comm.size)
        elif progress is not None and not callable(progress):
            raise UsageError(f"progress is True, None or a function, not {progress!r}")
        self._handle = _cairn.Session(self._comm, threads, seed, 0 if memory is None else int(memory),
                                      str(scratch_folder), progress)
        _sessions.add(self)
        if self.ranks > 1:
            _of_several_ranks.append(self)

    rank = property(lambda self: self._handle.rank, doc="Number of this rank, from 0.")
    ranks = property(lambda self: self._handle.ranks, doc="Number of ranks.")

    def close(self):
        """Frees all that was made in the session. Collective."""
        if self._handle.is_open:
            self._handle.close()
            if self in _of_several_ranks:
                _of_several_ranks.remove(self)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self._handle.is_open and (kind is None or self.ranks == 1):  # another rank may wait in a call
            self.close()

    def __repr__(self):
        return f"<cairn.Session of {self.ranks} rank{'s' if self.ranks > 1 else ''}>" if self._handle.is_open else "<cairn.Session, closed>"

    def _call(self, name, digits, *arguments):
        return getattr(_cairn, name + (digits or self._digits))(self._handle, *arguments)

    def _prepared(self, prepare):
        """What prepare() gives on this rank, or the same error on all ranks if it fails on one. Collective."""
        if self.ranks == 1:
            return prepare()
        found, error = None, None
        try:
            found = prepare()
        except Exception as caught:  # noqa: BLE001 - whatever it is, the other ranks must know
            error = caught
        texts = self._comm.allgather(None if error is None else str(error))
        text = next((text for text in texts if text is not None), None)
        if text is None:
            return found
        raise UsageError(text) from error

    def own_rows(self, count):
        """Rows of `count` that this rank has, a range: who passes just these to points() has them taken without a copy."""
        return range(*self._handle.own_rows(count))

    def points(self, rows, labels=None, scaling="none", *, copy=False):
        """Points: an array n x d (float32 stays so), or a matrix of scipy.sparse. Each rank passes its own rows, in the order of the ranks.

        An array or memmap of float64 or float32 in C order is not copied if each rank passes the rows of own_rows(n) (of one rank: always) and
        nothing scales them; otherwise it is copied once. What is not copied must stay as it is: if it has changed, approximate() and all else
        that computes from the points raises an InputError. copy=True copies it.

        scaling: none, center, standard, min-max or unit-norm. NaN and infinity raise an InputError that names the row."""
        def prepare():
            texts = _arguments.texts("labels", labels)
            if hasattr(rows, "tocsr"):
                compressed, *arrays = _arguments.compressed("points", rows)
                return "sparse_points", _arguments.digits(compressed.dtype), (*arrays, compressed.shape[1], texts, str(scaling))
            dense = _arguments.rows("points", rows)
            return "points", _arguments.digits(dense.dtype), (dense, texts, str(scaling), bool(copy))
        name, digits, arguments = self._prepared(prepare)
        return Objects(self._call(name, digits, *arguments), self)

    def graph(self, edges, *, largest_component=False):
        """Vertices of an undirected graph: a matrix of scipy.sparse with the lengths of edges, a graph of networkx, or a file.

        An edge may be listed in one direction or in both; of several lengths of it the smallest counts. Each rank passes its own rows of a
        matrix; of networkx rank 0 passes all."""
        if isinstance(edges, (str, bytes)) or hasattr(edges, "__fspath__"):
            return self.read("graph", path=_os.fsdecode(edges), largest_component=largest_component)

        def prepare():
            matrix = edges
            if hasattr(matrix, "adjacency"):
                if matrix.is_directed():
                    raise UsageError("the graph is directed: edges of Cairn count both ways; take graph.to_undirected()")
                import networkx
                matrix = networkx.to_scipy_sparse_array(matrix, dtype=float, multigraph_weight=min)
                if self.rank > 0:
                    matrix = matrix[:0]
            if not hasattr(matrix, "tocsr"):
                raise UsageError(f"a graph is a matrix of scipy.sparse, a graph of networkx or a file, not {type(edges).__name__}")
            compressed, *arrays = _arguments.compressed("lengths of edges", matrix)
            return compressed.shape, arrays
        shape, arrays = self._prepared(prepare)
        vertices = self._comm.allreduce(shape[0])
        if vertices != shape[1]:
            raise UsageError(f"the matrix of a graph has as many rows as columns, not {vertices} x {shape[1]}")
        return Objects(self._call("graph", None, *arrays, bool(largest_component)), self)

    def mesh(self, vertices, triangles=None, **given):
        """Vertices of a triangle mesh: V, n x 3, and F, m x 3, from 0; or a file."""
        if triangles is None:
            return self.read("mesh", path=_os.fsdecode(vertices), **given)

        def prepare():
            faces = _arguments.integers("triangles", triangles)
            if faces.ndim != 2 or faces.shape[1] != 3:
                raise UsageError(f"triangles are an array of 3 columns, not of the shape {faces.shape}")
            return _arguments.rows("vertices", vertices, 3).astype(float).reshape(-1), faces.reshape(-1)
        return Objects(self._call("triangle_mesh", None, *self._prepared(prepare), _arguments.pairs(given)), self)

    def documents(self, texts, labels=None, **given):
        """Texts, a list of str (of a file: read("documents", path=...)). With vectors="glove.txt" they are bags of words with vectors."""
        arguments = self._prepared(lambda: (_arguments.texts("documents", texts), _arguments.texts("labels", labels)))
        return Objects(self._call("documents", None, *arguments, _arguments.pairs(given)), self)

    def read(self, kind="points", **given):
        """Objects of a file or generated ones: read("points", path="letter.csv", label="Letter"); `cairn help data` lists all."""
        return Objects(self._call("read", None, kind, _arguments.pairs(given)), self)

    def matrix(self, values, *, distance=False, name="matrix"):
        """K itself: an array or a memmap n x n, symmetric, of which only the needed blocks are read. All ranks pass the same one."""
        def prepare():
            array = _arguments.numbers("a matrix", values)
            if array.ndim != 2 or array.shape[0] != array.shape[1]:
                raise UsageError(f"a matrix has as many rows as columns, not the shape {array.shape}")
            return array
        array = self._prepared(prepare)
        objects = Objects(self._call("numbered", _arguments.digits(array.dtype), array.shape[0]), self)

        def block(rows, columns):
            if len(rows) <= len(columns):
                return array[rows][:, columns]
            return array[columns][:, rows].T
        return Similarity(_cairn.similarity_of_function(block, lambda rows, columns: array[rows, columns], objects._handle, True, name, distance, False),
                          objects)

    def similarity(self, function, objects, *, pairs=None, distance=False, definite=False, name="own-function"):
        """K from a function of two blocks of any objects: function(left, right) returns an array len(left) x len(right), symmetric in its
        arguments. All ranks pass the same list, whole.

        pairs: a function of two lists of the same length, which returns a value for each pair: estimates of the error call it once where they
        would call `function` for each pair. distance: a smaller value is nearer. definite: K is positive semidefinite in every case."""
        whole = self._prepared(lambda: list(objects))
        numbered = Objects(self._call("numbered", None, len(whole)), self)

        def block(rows, columns):
            return function([whole[i] for i in rows], [whole[j] for j in columns])
        of_pairs = None if pairs is None else lambda rows, columns: pairs([whole[i] for i in rows], [whole[j] for j in columns])
        return Similarity(_cairn.similarity_of_function(block, of_pairs, numbered._handle, True, name, distance, definite), numbered)

    def approximate(self, **keys):
        """What `cairn approximate` does with a config of these keys: approximate(data_path="x.csv", similarity_kind="rbf", landmarks=500).

        Threads, seed, precision and memory are those of the session."""
        return Result(self._call("approximate_keys", None, _arguments.pairs(keys)), self, None)

    def plan(self, ranks=0, nodes=0, seconds=True, **keys):
        """What such a run will take, before it, as `cairn plan` prints it: a dict of peak_bytes, peak_phase, items (bytes of each), evaluations,
        result_bytes, and seconds by phase, which are measured on pieces of the run (seconds=False: they are not). With an error in place of
        landmarks.count also landmarks: (least, expected, most). ranks, nodes: where it will run; 0: here."""
        return self._call("plan", None, _arguments.pairs(keys), ranks, nodes, seconds)

    def transport(self, source, target, source_weights=None, target_weights=None, **given):
        """A plan of transport between two sets of points: transport(a, b, epsilon=0.1, kernel="nystrom", landmarks=300). `cairn help transport`
        lists the parameters. Weights are those of the rows that this rank has passed; None: all are equal.

        Returns a dict: cost, rounded_cost, entropic_cost, dual, violation (of both marginals), divergence (with debiased=True), iterations,
        converged, kernel, columns, evaluations, notes, warnings; and source and target: dicts of points (distinct, those of this rank),
        weights, potentials f and g (P_ij = a_i b_j exp((f_i + g_j - cost) / epsilon)), groups (the point of each row of Objects.range; -1: its weight is 0),
        range (numbers of this rank's points), and of source barycenters, where each point goes on average."""
        if source._handle.session is not self._handle:
            raise UsageError("these belong to different sessions")
        if type(source._handle) is not type(target._handle):
            raise UsageError("the sources and the targets are of different precision")
        weights = self._prepared(lambda: [None if one is None else _arguments.numbers("weights", _numpy.asarray(one, dtype=float) if _numpy.size(
            one) == 0 else one).astype(float).reshape(-1) for one in (source_weights, target_weights)])
        for k, (objects, what) in enumerate(((source, "sources"), (target, "targets"))):
            counts = self._comm.allgather(None if weights[k] is None else len(weights[k]))
            if any(count is not None for count in counts):
                if None in counts:
                    raise UsageError(f"rank {counts.index(None)} passes no weights of the {what}, and others do")
                if sum(counts) != len(objects):
                    raise UsageError(f"there are {sum(counts)} weights for {len(objects)} {what}")
            weights[k] = _numpy.empty(0) if weights[k] is None else weights[k]
        return _cairn.transport(source._handle, target._handle, _arguments.pairs(given), *weights)

    def task(self, name, results=(), *, output=None, points=None, method=None, **given):
        """A task of `cairn help task` on results, or on their files: task("krr", [r1, r2], targets=Y) learns an ensemble. Of linearize `results`
        is the file of the network, `points` and `method` are dicts of parameters: points={"path": "x.csv"}, method={"features": 300}.

        Arrays may stand for files: targets (n or n x targets) and gold or split (n texts) are those of this rank's rows as they were passed to
        points(), train_rows are numbers of rows. output: where the file of the task stays; without, in a folder that all ranks see (TMPDIR)
        while it runs. Returns Findings. Collective."""
        return _tasks.run(self, name, results, output, given, points, method)

    def predict(self, model, unseen=None):
        """Predictions of a model file of a task: for the rows that it was trained on, those of a Result (which may be an extension), or
        points (an array) for a model that takes these. Returns what Findings.predict() does. Collective."""
        return _tasks.predict(self, model, unseen)

    def distances(self, path, sources, targets=None, *, out=None, search=None, graph=None, **given):
        """Exact lengths of paths between vertices of the graph in a file, or of a result that keeps its hierarchy, as `cairn distances` has them
        (of a graph that the program holds, Similarity.block() gives them).

        sources, targets  numbers of vertices as in the file, the same on all ranks, or the file that lists them; None: all vertices
        out               a file .npy or .h5 for the whole table; None: the rows of own_rows(number of sources), an array
        search            hierarchy, breadth-first or dijkstra; graph: a dict of parameters of the graph's file; bits, scale, resume

        Returns an array, with out="x.npy" a memmap of all rows, and with out="x.h5" None. Collective."""
        return _tasks.distances(self, path, sources, targets, out, search, graph or {}, given)

    def load(self, path):
        """The result of a file."""
        path = _os.fsdecode(path)
        return Result(self._call("load", "32" if _cairn.precision_of(self._handle, path) == "single" else "64", path), self, None)


_default = None


def _session():
    """The session of functions that are called without one: all ranks of MPI.COMM_WORLD."""
    global _default
    if _default is None or not _default._handle.is_open:
        _default = Session()
    return _default


def _close_sessions():
    for session in [*_of_several_ranks, *_sessions]:
        session.close()


_atexit.register(_close_sessions)  # before mpi4py ends MPI


class _Held:
    """What is held of a session. A with block lets it go at its end: it is freed at the next call after all ranks have let it go."""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self._handle.release()

    def _gone(self, session):
        """A text for repr() of what cannot be used any more, or None."""
        name = type(self).__name__
        if not session._handle.is_open:
            return f"<cairn.{name} of a session that has ended>"
        return f"<cairn.{name} that has been let go>" if self._handle.is_released else None


class Objects(_Held):
    """n objects of one kind; each rank has its rows."""

    def __init__(self, handle, session):
        self._handle, self.session = handle, session

    def __len__(self):
        return self._handle.size

    kind = property(lambda self: self._handle.kind, doc="points, graph, mesh, documents, ...")
    dimension = property(lambda self: self._handle.dimension, doc="Coordinates of points, 3 of a mesh, else 0.")
    labels = property(lambda self: self._handle.labels, doc="Labels of this rank's rows; empty: there are none.")
    range = property(lambda self: range(*self._handle.range), doc="Numbers of this rank's rows.")

    def __repr__(self):
        return self._gone(self.session) or f"<cairn.Objects: {len(self):,} {self.kind}" + (f" of {self.dimension} coordinates>" if self.dimension else ">")

    def similarity(self, kind, *, parts=None, pairs=None, distance=None, definite=None, name=None, **given):
        """K by the name of a similarity (`cairn help similarity` lists them; sum and product take parts=["linear", ("rbf", {"gamma": 0.1})]), or by a function of two arrays of points, which returns an
        array with a row for each point of the first and a column for each of the second. pairs, distance, definite, name: of a function, as
        in Session.similarity().

        A compiled function (of ctypes or cffi, or a cfunc of numba) runs on all threads of the session, without Python's lock. It is
        void f(const T *left, int64_t n, const T *right, int64_t m, int64_t dimension, T *tile), T the type of the points, arrays in C order:
        tile[i * m + j] becomes the similarity of the points left + i * dimension and right + j * dimension. A NaN ends the call."""
        if callable(kind):
            _arguments.refuse([] if parts is None else ["parts"], "a function has no parts")
        compiled = _arguments.compiled(kind)
        if compiled is not None:
            _arguments.refuse(given, "a function has no parameters")
            _arguments.refuse([] if pairs is None else ["pairs"], "a compiled function computes pairs by itself")
            digits = type(self._handle).__name__[-2:]
            self.session._prepared(lambda: _arguments.require_signature(kind, digits))
            return Similarity(_cairn.similarity_of_compiled(*compiled, self._handle, name or "own-function", bool(distance), bool(definite)), self)
        if callable(kind):
            _arguments.refuse(given, "a function has no parameters")
            return Similarity(_cairn.similarity_of_function(kind, pairs, self._handle, False, name or "own-function", bool(distance), bool(definite)),
                              self)
        _arguments.refuse([key for key, value in (("pairs", pairs), ("distance", distance), ("definite", definite), ("name", name)) if value is not None],
                f"{kind} is a similarity of Cairn")
        named = self.session._prepared(lambda: _arguments.parts(parts))
        if named:
            given["parts"] = [part for part, _ in named]
        return Similarity(_cairn.similarity(kind, _arguments.pairs(given), named, self._handle), self)

    def approximate(self, similarity, method=None, **given):
        """What `cairn approximate` does, the error included, for these objects: approximate("rbf", landmarks=500, error=0.01).

        Parameters of the method have the prefix approximation, those of the similarity the prefix similarity: similarity_gamma="median"."""
        keys = {"similarity.kind": similarity, "approximation.method": method}
        if "error" in given:
            keys["landmarks.error"] = given.pop("error")
        if "confidence" in given:
            keys["landmarks.confidence"] = given.pop("confidence")
        return Result(_cairn.approximate_objects(self._handle, _arguments.pairs({**keys, **given})), self.session, None)


class Similarity(_Held):
    """K: entries are evaluated on request."""

    def __init__(self, handle, objects):
        self._handle, self.objects = handle, objects

    def __len__(self):
        return self._handle.size

    name = property(lambda self: self._handle.name)
    parameters = property(lambda self: dict(self._handle.parameters), doc="By name, with words such as median resolved.")

    def __repr__(self):
        if gone := self._gone(self.objects.session):
            return gone
        given = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"<cairn.Similarity {self.name}{f' ({given})' if given else ''} of {len(self):,} objects>"

    def entries(self, rows, columns):
        """K(rows[a], columns[a]), exactly. Each rank asks for its own pairs."""
        return self._handle.entries(*self.objects.session._prepared(lambda: _arguments.lists(rows=rows, columns=columns)))

    def block(self, rows, columns):
        """K(rows, columns), exactly, an array len(rows) x len(columns): of path lengths a table of distances. Each rank asks for its own."""
        return self._handle.block(*self.objects.session._prepared(lambda: _arguments.lists(rows=rows, columns=columns)))

    def approximate(self, method="auto", *, measure=True, precision=0.02, **given):
        """K ~= L J R' by a method of `cairn help method`: approximate("nystrom", landmarks=500, landmarks_selection="rpcholesky").

        measure    estimate the error from entries that are evaluated for it
        precision  standard error over estimate at which that ends"""
        result = Result(_cairn.approximate(self._handle, method, _arguments.pairs(given)), self.objects.session, self)
        if measure and result.error is None:
            result.measure_error(precision)
        return result


class Result(_Held):
    """An approximation K ~= L J R'."""

    def __init__(self, handle, session, similarity):
        self._handle, self.session, self._similarity = handle, session, similarity

    def __len__(self):
        return self._handle.size

    @staticmethod
    def _factor(parts):
        if not isinstance(parts, tuple):
            return parts
        import scipy.sparse
        indptr, indices, data, columns = parts
        return scipy.sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, columns))

    left = property(lambda self: self._factor(self._handle.left), doc="L, the rows of this rank: a read-only view, or CSR if it is sparse; a copy if it is held as integers.")
    right = property(lambda self: self._factor(self._handle.right), doc="R, likewise; L itself if K~ is symmetric by construction.")
    range = property(lambda self: range(*self._handle.range), doc="Numbers of this rank's rows.")
    landmarks = property(lambda self: self._handle.landmarks, doc="Numbers of the landmarks; None if there are none.")
    error = property(lambda self: self._handle.error,
                     doc="||K~ - K|| / ||K|| as a dict: relative_error, interval, confidence, pairs, constant_error, exact; None: not measured.")
    facts = property(lambda self: self._handle.facts, doc="What the method found, by name.")

    def core(self):
        """J, whole on every rank. Collective."""
        return self._handle.core()

    def entries(self, rows, columns):
        """K~(rows[a], columns[a]). Each rank asks for its own pairs. Collective."""
        return self._handle.entries(*self.session._prepared(lambda: _arguments.lists(rows=rows, columns=columns)))

    def measure_error(self, precision=0.02):
        """Estimates the error from entries of K. Collective."""
        if self._similarity is None:
            raise UsageError("this result does not come from a similarity of this program, which would give entries of K")
        return self._handle.measure_error(self._similarity._handle, precision)

    def keep_near(self, near, exact=False):
        """Keeps the exact entries for the `near` nearest objects of each: entries() and save() have them. exact: none of the nearest is missed
        (word mover's distance); else they are looked for among those that the factors call near. Collective."""
        if self._similarity is None:
            raise UsageError("this result does not come from a similarity of this program, which would give entries of K")
        self._handle.keep_near(self._similarity._handle, near, exact)

    def extend(self, unseen=None, *, pairs=0, **source):
        """The factors' rows for new objects under the same J: an array of points, Objects, a Similarity between them, or the parameters of
        a file: extend(path="new.csv"). pairs: on how many of them the error is measured. Collective."""
        if unseen is None:
            return Result(self._handle.extend_file(_arguments.pairs(source), pairs), self.session, None)
        _arguments.refuse(source, "the objects are given")
        if not isinstance(unseen, (Similarity, Objects)):
            dtype = _numpy.float32 if self.facts["precision"] == "single" else _numpy.float64
            unseen = self.session.points(unseen.astype(dtype) if hasattr(unseen, "tocsr") else _arguments.numbers("points", unseen).astype(dtype, copy=False))
        if type(unseen._handle).__name__[-2:] != type(self._handle).__name__[-2:]:
            raise UsageError("the result and the new objects are of different precision")
        if isinstance(unseen, Similarity):
            return Result(self._handle.extend_similarity(unseen._handle, pairs), self.session, unseen)
        return Result(self._handle.extend_objects(unseen._handle, pairs), self.session, None)

    def save(self, path):
        """Writes the result to an HDF5 file, which the program `cairn` reads. Collective."""
        self._handle.save(str(path))

    def report(self, path):
        """Writes a page of the result, one file of HTML, as `cairn-plot report` does: error, spectrum, two coordinates, nearest objects, sizes.
        Needs h5py. Collective."""
        with _tasks.shared_folder(self.session) as folder:
            self.save(folder + "/result.h5")

            def write():
                if self.session.rank > 0:
                    return
                from cairn_plot.problem import Problem
                from cairn_plot.report import write_report
                try:
                    write_report(folder + "/result.h5", _os.fsdecode(path))
                except Problem as problem:
                    raise UsageError(str(problem)) from problem
            self.session._prepared(write)

    def task(self, name, *, output=None, **given):
        """A task of `cairn help task` on this result, as Session.task(): task("krr", targets=y, **{"lambda": 0.1}). A task on K itself evaluates
        the similarity. Returns Findings: the figures by name, the arrays, and predictions. Collective."""
        return _tasks.run(self.session, name, [self], output, given)

    def __repr__(self):
        if gone := self._gone(self.session):
            return gone
        facts = self.facts
        lines = [f"cairn.Result: {facts['method']} of {facts['similarity']}, {len(self):,} objects, rank {facts['rank']:,}",
                 f"  entries of K evaluated  {facts['evaluations']:,}"]
        if self.error:
            low, high = self.error["interval"]
            lines.append(f"  relative error          {self.error['relative_error']:.3g}" + (
                " (all entries compared)" if self.error["exact"] else f", between {low:.3g} and {high:.3g} with probability 95 %"))
            if self.error["constant_error"] == self.error["constant_error"]:
                lines.append(f"  of the best constant    {self.error['constant_error']:.3g}")
        lines += [f"  note: {text}" for text in facts["notes"]] + [f"  warning: {text}" for text in facts["warnings"]]
        return "\n".join(lines)

    def _repr_html_(self):
        import html
        head, *rows = repr(self).split("\n")
        cells = "".join("<tr><td colspan=2>" + html.escape(row.strip()) + "</td></tr>" for row in rows)
        return f"<table><caption>{html.escape(head)}</caption>{cells}</table>"


def _on_session(name):
    def call(*arguments, session=None, **given):
        return getattr(session or _session(), name)(*arguments, **given)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = getattr(Session, name).__doc__ + "\n\nIn the session of all ranks, or in `session`."
    return call


(points, own_rows, graph, mesh, documents, read, matrix, similarity, approximate, plan, transport, load, task, predict, distances) = (
    _on_session(name) for name in ("points", "own_rows", "graph", "mesh", "documents", "read", "matrix", "similarity", "approximate", "plan", "transport",
                                   "load", "task", "predict", "distances"))


def names(topic):
    """The names that `cairn help TOPIC` lists: methods, similarities, kinds of data, selections of landmarks, tasks. Local.

    topic  method, similarity, data, selection or task"""
    return _cairn.names(topic)


def describe(topic, name=""):
    """The page of `cairn help TOPIC NAME`, with the parameters of NAME; without a name, the list. Local."""
    return _cairn.help(topic, name)
