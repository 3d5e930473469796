"""What runs take is compared with what there is, and readers keep to it: small files that would take very much."""

import contextlib
import gzip
import json
import lzma
import os
import re
import resource
import subprocess
import sys
import threading
import time
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import PROGRAM, CairnTest, csv_text, points  # noqa: E402

LIMIT = 300e6
SLACK = 1.15  # of the sampled peak over the limit: libraries and the kernel count by pages
PLAIN = ["--data.generate", "gaussian-mixture", "--similarity.kind", "rbf", "--similarity.gamma", "1", "--data.dimension", "2"]


def peak_of(command, folder):
    """Code, messages and the largest resident memory of a process, by looking often: it starts its own peaks anew."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        peak = 0
        ended = threading.Event()

        def look():
            nonlocal peak
            while not ended.is_set():
                with contextlib.suppress(OSError), open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                    sizes = re.findall(r"Vm(?:RSS|HWM):\s+(\d+) kB", status.read())
                    peak = max([peak, *(1024 * int(size) for size in sizes)])
                time.sleep(.005)

        watch = threading.Thread(target=look)
        watch.start()
        try:
            out, err = process.communicate(timeout=300)
        finally:
            process.kill()
            ended.set()
            watch.join()
    return process.returncode, out, err, peak


def repeated(opener, path, first, text, count, last=""):
    """A compressed file of one text many times over."""
    block = (text * 4096).encode()
    with opener(path) as file:
        file.write(first.encode())
        for _ in range(count // 4096):
            file.write(block)
        file.write(last.encode())


def gz(path):
    return gzip.open(path, "wb", compresslevel=1)


def xz(path):
    return lzma.open(path, "wb", preset=1)


# name: how it is opened, its kind and keys, what stands first, what is repeated how often, what stands last.
BOMBS = {
    "rows.csv.gz": (gz, "points", [], "x,y\n", "1,2\n", 16e6, ""),
    "rows.csv.xz": (xz, "points", [], "x,y\n", "1,2\n", 16e6, ""),
    "columns.csv.gz": (gz, "points", [], "", "1,", 40e6, "1\n"),
    "names.csv.gz": (gz, "points", [], "", "a,", 40e6, "b\n1\n"),
    "blanks.csv.gz": (gz, "points", ["--data.separator", "blank"], "", "1 ", 40e6, "1\n"),
    "rows.svm.gz": (gz, "points", [], "", "1 1:1 2:1 3:1 4:1\n", 6e6, ""),
    "labels.csv.gz": (gz, "points", ["--data.label", "c"], "x,c\n", "1,a\n", 10e6, ""),
    "edges.txt.gz": (gz, "graph", ["--data.format", "edges"], "", "1 2\n", 16e6, ""),
    "roads.gr.gz": (gz, "graph", [], "p sp 9 30000000\n", "a 1 2 3\n", 16e6, ""),
    "mesh.obj.gz": (gz, "mesh", [], "", "v 1 2 3\n", 12e6, ""),
    "mesh.off.gz": (gz, "mesh", [], "OFF\n40000000 1 0\n", "1 2 3\n", 12e6, ""),
    "lines.txt.gz": (gz, "documents", ["--data.format", "lines"], "", "a b c\n", 6e6, ""),
    "word.txt.gz": (gz, "documents", ["--data.format", "lines"], "", "ab c ", 60e6, "\n"),
    "texts.csv.gz": (gz, "documents", ["--data.text", "t"], "t\n", "\"a b\"\n", 6e6, ""),
    "record.csv.gz": (gz, "documents", ["--data.text", "t"], "t\n\"", "a\n", 200e6, "\"\n"),
    "texts.jsonl.gz": (gz, "documents", ["--data.text", "t"], "", "{\"t\": \"a b\"}\n", 6e6, ""),
    "texts.json.gz": (gz, "documents", ["--data.text", "t", "--data.format", "json"], "[", "{\"t\": \"a b\"},", 6e6, "{\"t\": \"a\"}]"),
    "trees.klp.gz": (gz, "trees", [], "", "a |BT:t| (A (B)(C)) |ET|\n", 3e6, ""),
    "tree.klp.gz": (gz, "trees", [], "a |BT:t| (A", "(B)", 60e6, ") |ET|\n"),
    "sequences.txt.gz": (gz, "sequences", ["--data.format", "lines"], "", "a b c d e f\n", 10e6, ""),
    "genome.fasta.gz": (gz, "sequences", ["--data.format", "fasta"], ">a\n", "ACGT\n", 100e6, ""),
    "pairs.klp.gz": (gz, "pairs", [], "", "a |<| |BT:t| (A (B)) |ET| |,| |BT:t| (A (C)) |ET| |>| |BV:f| a:1 |EV|\n", 2e6, ""),
    "corpus.txt.gz": (gz, "corpus", ["--data.format", "lines"], "", "a b c d\n", 30e6, ""),
}


class OwnProcesses(CairnTest):
    OWN_PROCESSES = True  # whose memory is theirs alone


class PlanTest(OwnProcesses):
    def plan(self, *arguments, ranks=0):
        return self.json("plan", *PLAIN, *arguments, ranks=ranks)

    def test_a_plan_says_whether_it_fits_here(self):
        small = self.plan("--data.points", 1000, "--landmarks.count", 10)
        self.assertEqual("yes", small["fits"])
        self.assertGreater(small["node"]["there_bytes"], small["node"]["needed_bytes"])
        for ranks, planned in ((1, 1), (2, 2), (1, 3)):
            told = self.cairn("plan", *PLAIN, "--data.points", 4000000, "--landmarks.count", 30000, "--ranks", planned,
                              "--json", "plan.json", ranks=ranks).out
            self.assertIn("fits here      no", told)
            with open(self.path("plan.json"), encoding="utf-8") as file:
                found = json.load(file)
            self.assertEqual(("no", planned), (found["fits"], found["node"]["ranks"]))

    def test_what_does_not_fit_is_refused_by_the_run(self):
        run = [*PLAIN, "--data.points", 4000000, "--landmarks.count", 30000, "--output.path", "r.h5"]
        says = r"the run would take .* of \d ranks? on a node, and it has .* \((the machine|cgroup .*)\); use more nodes"
        self.refused(5, says, "approximate", *run, ranks=(1, 2))
        self.refused(5, says, "approximate", *run, "--run.memory", "90TB", ranks=(1,))
        self.refused(5, "run.memory = 1 MB", "approximate", *run, "--run.memory", "1MB", ranks=(1,))
        sweep = ["sweep", *PLAIN, "--data.points", 4000000, "--vary", "landmarks.count=30000", "--output.csv", "s.csv"]
        self.refused(5, says, *sweep, ranks=(1,))

    def test_a_plan_may_be_for_a_larger_machine(self):
        plan = [*PLAIN, "--data.points", 4000000, "--landmarks.count", 200000, "--ranks", 64, "--run.memory"]
        self.assertIn("fits here      no", self.cairn("plan", *plan, "90TB").out)
        self.refused(5, "on the largest of 64 ranks, more than run.memory = 1 GB", "plan", *plan, "1GB", ranks=(1,))

    def test_unlimited_is_a_word_of_the_user(self):
        self.cairn("approximate", *PLAIN, "--data.points", 2000, "--landmarks.count", 10, "--output.path", "r.h5",
                   "--run.memory", "unlimited")
        self.refused(2, "run.memory = infinite is not a size in bytes, .* nor unlimited", "approximate", *PLAIN,
                     "--run.memory", "infinite", "--output.path", "r.h5")

    def test_limits_of_the_process_count(self):
        """ulimit -d in place of a small machine; MPI itself needs more than ulimit -v leaves on some."""
        run = [PROGRAM, "approximate", *PLAIN, "--data.points", "200000", "--landmarks.count",
               "2000", "--output.path", "r.h5"]
        size = 1 << 30
        done = subprocess.run(run, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (size, size)))
        self.assertEqual(5, done.returncode, done.stderr)
        self.assertRegex(done.stderr, r"the run would take .*RLIMIT_DATA \(ulimit -d\)")


class PeakTest(OwnProcesses):
    def test_a_run_takes_no_more_than_its_plan(self):
        """As measured, in what stage ever: samples put together, embeddings, distances that are kept, the file itself."""
        job = ["--data.generate", "normal", "--data.points", 20000, "--data.dimension", 30, "--similarity.kind", "rbf",
               "--evaluation.rows", 0, "--landmarks.count", 300]
        for method in (["nystrom"], ["nystrom", "--approximation.embedding", "true"], ["skeleton"], ["sicur"], ["stacur"],
                       ["nystrom", "--output.distances", "true"], ["skeleton", "--output.distances", "true"]):
            run = [*job, "--approximation.method", *method]
            planned = self.json("plan", *run)
            found = self.json("approximate", *run, "--output.path", "r.h5", "--overwrite", "true")
            with self.subTest(method=method):
                self.assertLess(found["peak_bytes"], 1.1 * planned["peak_bytes"])
                self.assertLess(planned["peak_bytes"], 1.5 * found["peak_bytes"])
                self.assertLess(abs(planned["result_bytes"] - os.path.getsize(self.path("r.h5"))), 5e6)


class CgroupTest(OwnProcesses):
    """A real cgroup of 400 MB, where the system lets us make one."""

    def setUp(self):
        super().setUp()
        for place, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            group = f"{place}/cairn-cli-test-{os.getpid()}"
            try:
                os.mkdir(group)
            except OSError:
                continue
            self.addCleanup(self.remove, group)
            try:
                with open(f"{group}/{limit}", "w", encoding="utf-8") as file:
                    file.write(str(400 * 10**6))
            except OSError:
                continue
            self.group, self.limit = group, limit
            return
        self.skipTest("this user may not make a cgroup with a limit on memory")

    @staticmethod
    def remove(group):
        for _ in range(100):
            with contextlib.suppress(OSError):
                os.rmdir(group)
                return
            time.sleep(.1)

    def enter(self):
        with open(f"{self.group}/cgroup.procs", "w", encoding="utf-8") as file:
            file.write(str(os.getpid()))

    def run_inside(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              check=False, preexec_fn=self.enter)

    def test_a_run_that_would_be_killed_is_refused(self):
        run = [*PLAIN, "--data.points", 100000, "--landmarks.count", 1500]
        done = self.run_inside("approximate", *run, "--output.path", "r.h5")
        self.assertEqual(5, done.returncode, done.stderr)
        self.assertRegex(done.stderr, rf"the run would take 1\.\d+ GB of 1 rank on a node, and it has \d+ MB "
                                      rf"\(cgroup {self.group} \({self.limit}\)\); use more nodes or memory or fewer")
        self.assertEqual([], os.listdir(self.folder))
        planned = self.run_inside("plan", *run)
        self.assertEqual(0, planned.returncode, planned.stderr)
        self.assertRegex(planned.stdout, r"fits here      no: .*cgroup")
        small = self.run_inside("approximate", *PLAIN, "--data.points", 2000, "--landmarks.count", 10, "--output.path", "r.h5")
        self.assertEqual(0, small.returncode, small.stderr)

    def test_readers_keep_to_the_group(self):
        for name in ("columns.csv.gz", "rows.csv.xz"):
            bomb(self.path(name), name)
            done = self.run_inside("approximate", *keys_of(name), "--output.path", "r.h5")
            self.assertEqual(5, done.returncode, done.stderr)
            self.assertRegex(done.stderr, rf"{name}.*cgroup")


def bomb(path, name):
    opener, _, _, first, text, count, last = BOMBS[name]
    repeated(opener, path, first, text, int(count), last)


def keys_of(name):
    _, kind, keys, *_ = BOMBS[name]
    similarity = {"points": ["--similarity.kind", "rbf"], "graph": ["--similarity.kind", "path-length"],
                  "documents": ["--similarity.kind", "wmd", "--data.vectors", "words.vec"],
                  "pairs": ["--similarity.kind", "ptk", "--similarity.tree", "t"]}.get(kind, [])
    return ["--data.kind", kind, "--data.path", name, *keys, *similarity, "--landmarks.count", "5"]


class BombTest(OwnProcesses):
    def refuse_small(self, name, *arguments):
        """Exit code 5 and one message that names the file, with no more memory than the limit."""
        with self.subTest(file=name):
            self.assertLess(os.path.getsize(self.path(name)), 8e6)
            command = [PROGRAM, *map(str, arguments), "--run.memory", str(int(LIMIT))]
            code, out, err, peak = peak_of(command, self.folder)
            self.assertEqual(5, code, f"{command}\n{out}\n{err}")
            messages = [line for line in err.splitlines() if line.startswith("cairn: error: ")]
            self.assertEqual(1, len(messages), err)
            self.assertIn(name, messages[0])
            self.assertIn("run.memory", messages[0])
            self.assertLess(peak, SLACK * LIMIT, messages[0])

    def test_small_files_that_hold_very_much(self):
        self.write("words.vec", "a 1 2\nb 2 1\nab 1 1\n")
        for name in BOMBS:
            bomb(self.path(name), name)
            self.refuse_small(name, "approximate", *keys_of(name), "--output.path", "r.h5")
            os.remove(self.path(name))

    def test_each_kind_of_data_that_is_read_from_text_has_one(self):
        kinds = set(re.findall(r"^  ([a-z]+)$", self.cairn("help", "data").out, re.MULTILINE))
        no_text_of_their_own = {"factors", "matrix", "ids"}  # factors are points, others are read where they are used
        self.assertEqual(kinds - no_text_of_their_own, {kind for _, kind, *_ in BOMBS.values()})

    def test_word_vectors(self):
        repeated(gz, self.path("wide.vec.gz"), "a ", "1 ", int(80e6), "1\n")
        self.write("d.txt", "a b\nb a\na a\n")
        self.refuse_small("wide.vec.gz", "approximate", "--data.kind", "documents", "--data.path", "d.txt", "--data.format",
                          "lines", "--data.vectors", "wide.vec.gz", "--similarity.kind", "wmd", "--landmarks.count", 2, "--output.path", "r.h5")

    def test_headers_that_state_more_than_there_is(self):
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (60000000, 1), }"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        with gz(self.path("h.npy.gz")) as file:
            file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
            for _ in range(480):
                file.write(bytes(10**6))
        self.write("p.csv", csv_text(points(20)))
        self.cairn("approximate", "--data.path", "p.csv", "--similarity.kind", "rbf", "--landmarks.count", 4,
                   "--output.path", "r.h5")
        self.refuse_small("h.npy.gz", "train", "r.h5", "--targets", "h.npy.gz", "--lambda", 1, "--output.path", "m.h5")

    def test_sparse_matrices(self):
        def npy(descr, shape, blocks):
            header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
            header += " " * (-(len(header) + 11) % 64) + "\n"
            yield b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
            yield from blocks

        rows, each = 100000, 200  # 20 million entries, of which few columns are chosen
        ones = [b"\x01" * (rows * 10)] * (each // 10)
        arrays = {"shape": npy("<i8", "(2,)", [rows.to_bytes(8, "little"), (5000).to_bytes(8, "little")]),
                  "format": npy("|S3", "()", [b"csr"]),
                  "indptr": npy("<i8", f"({rows + 1},)", [b"".join((k * each).to_bytes(8, "little") for k in range(rows + 1))]),
                  "indices": npy("<u1", f"({rows * each},)", [bytes(range(each)) * 1000] * (rows // 1000)),
                  "data": npy("<u1", f"({rows * each},)", ones)}
        with zipfile.ZipFile(self.path("rows.npz"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, blocks in arrays.items():
                archive.writestr(f"{name}.npy", b"".join(blocks))
        self.refuse_small("rows.npz", "approximate", "--data.path", "rows.npz", "--data.columns", "1-50", "--similarity.kind", "linear",
                          "--landmarks.count", 4, "--output.path", "r.h5")

    def test_wide_lines_name_their_line_and_the_key(self):
        repeated(gz, self.path("columns.csv.gz"), "", "1,", int(10e6), "1\n")  # few enough to be read, not to be split
        self.refused(5, r"columns.csv.gz:1: the columns of this line, between which data.separator says what stands, "
                        r"take more than .* run.memory, 300 MB", "approximate", *keys_of("columns.csv.gz"),
                     "--output.path", "r.h5", "--run.memory", "300MB", ranks=(1, 2))


RBF = ["--similarity.kind", "rbf", "--similarity.gamma", 0.7]


class Counts(OwnProcesses):
    def test_what_no_library_counts_is_refused_before_anything_is_evaluated(self):
        # 46,350 squared is above 2^31: the core matrix of one rank. A decomposition takes 2 s^2 numbers.
        for points, landmarks, kernel in ((46400, 46350, "rbf"), (40000, 33000, "rbf"), (40000, 33000, "sigmoid")):
            sizes = ["--data.points", points, "--landmarks.count", landmarks, "--similarity.kind", kernel]
            job = ["--data.generate", "uniform", "--data.dimension", 2, "--run.precision", "single", *sizes]
            for command in (["plan"], ["approximate", "--output.path", "r.h5", "--run.memory", "1TB"]):
                self.refused(5, "more than the 2147483647 that the 32-bit integers", *command, *job, ranks=[1])
        self.refused(2, "data.points = 9000000000000000000 .*1000000000000", "plan", "--data.generate",
                     "uniform", "--data.points", 9 * 10**18, "--data.dimension", 2, *RBF, "--landmarks.count", 10, ranks=[1])
        self.refused(5, "numbers that a plan counts", "plan", "--data.generate", "uniform", "--data.points", "1e12",
                     "--data.dimension", "1e6", *RBF, "--landmarks.count", 10, ranks=[1])
        plan = self.json("plan", "--data.generate", "uniform", "--data.points", "1e12", "--data.dimension", 2, *RBF,
                         "--landmarks.count", 100, "--ranks", 1000)
        self.assertEqual(1e14, plan["evaluations"])
        self.refused(5, "numbers that a plan counts; .*compared rows", "plan", "--data.generate", "uniform", "--data.points", "4e9",
                     "--data.dimension", 2, *RBF, "--landmarks.count", 10, "--evaluation.rows", "all", ranks=[1])

    def test_landmarks_of_a_file_are_planned(self):
        self.write("l.txt", "".join(f"{k}\n" for k in range(4000)))
        job = ["--data.generate", "uniform", "--data.points", 12000, "--data.dimension", 2, *RBF]
        chosen = ["--landmarks.selection", "file", "--landmarks.path", "l.txt"]
        for method in (["nystrom"], ["gbu", "--approximation.dimension", 2], ["adam", "--approximation.dimension", 2]):
            run = [*job, "--approximation.method", *method]
            self.refused(2, "landmarks.count is missing: a plan needs it", "plan", *run, *chosen, ranks=[1])
            for count in (["--landmarks.count", 4000], chosen):
                self.refused(5, r"the run would take .*more than run.memory = 200 MB|run.memory = 200 MB", "approximate", *run, *count,
                             "--output.path", "r.h5", "--run.memory", "200MB", ranks=[1, 2])

    def test_a_second_run_on_counts_is_planned_as_the_first(self):
        corpus = ["--data.kind", "corpus", "--data.generate", "zipf", "--data.points", 60000, "--data.total-tokens", "1e6",
                  "--data.window", 2, "--data.minimum-count", 1, "--similarity.kind", "pmi", "--evaluation.pairs", 100]
        for method, *vary in (["pmi-eigs", "--vary", "approximation.dimension=2,3"],
                              ["dc", "--approximation.dimension", "2", "--approximation.block", 100, "--run.memory", "6GB",
                               "--vary", "approximation.first-block=3000,2000"]):
            self.cairn("sweep", *corpus, "--approximation.method", method, *vary, "--output.csv", f"{method}.csv")
            with open(self.path(f"{method}.csv"), encoding="utf-8") as file:
                self.assertEqual(3, len(file.readlines()), method)


if __name__ == "__main__":
    unittest.main()
