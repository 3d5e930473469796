"""Folders in which not all may be written, file systems that cannot do all, and programs that write at the same time."""

import json
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import cairn_program  # noqa: E402
from cairn_program import CONFIGS, csv_text, points  # noqa: E402

RBF = ("--similarity.kind", "rbf", "--similarity.gamma", "1", "--landmarks.count", "12", "--evaluation.pairs", "0")
MOUNT = os.environ.get("CAIRN_MOUNT_LIBRARY", "")
ROOT = os.getuid() == 0 and shutil.which("setpriv") is not None
NOBODY = 65534


class ElsewhereTest(cairn_program.CairnTest):
    def setUp(self):
        super().setUp()
        self.write("p.csv", csv_text(points(60)))
        self.write("g.edges", "".join(f"{i} {i + 1}\n" for i in range(30)))
        self.write("s.txt", "1\n4\n")
        self.job = ("approximate", "--data.path", "p.csv", *RBF, "--output.path")

    def restore(self, module, name, value):
        self.addCleanup(setattr, module, name, getattr(module, name))
        setattr(module, name, value)

    def environment(self, **variables):
        for name, value in variables.items():
            self.assertNotIn(name, os.environ)
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name)

    def hidden(self, folder="."):
        return [name for name in os.listdir(self.path(folder)) if name.startswith(".") or "partial" in name]


@unittest.skipUnless(ROOT, "needs root and setpriv")
class OtherUsersTest(ElsewhereTest):
    """As nobody."""

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)
        done = subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", cairn_program.PROGRAM,
                               "--version"], capture_output=True, check=False, cwd=self.folder)
        if done.returncode != 0:
            self.skipTest("nobody cannot run the program where it is")
        as_nobody = ["env", f"HOME={self.folder}", "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        self.restore(cairn_program, "MPIEXEC", [*as_nobody, *cairn_program.MPIEXEC])
        self.alone = as_nobody

    def nobody(self, *arguments, umask=0o022, **keys):
        """One rank: through `env`, which stands for mpirun."""
        self.restore(cairn_program, "PROGRAM", cairn_program.PROGRAM)
        before = os.umask(umask)
        try:
            if keys.get("ranks", 1) > 1:
                return self.cairn(*arguments, **keys)
            program, cairn_program.PROGRAM = cairn_program.PROGRAM, "env"
            try:
                return self.cairn(*self.alone[1:], program, *arguments, **keys)
            finally:
                cairn_program.PROGRAM = program
        finally:
            os.umask(before)

    def test_a_file_of_another_user_in_a_sticky_folder_is_refused_before_the_run(self):
        os.mkdir(self.path("sticky"))
        os.chmod(self.path("sticky"), 0o1777)
        self.cairn(*self.job, "sticky/out.h5")
        os.chown(self.path("sticky"), 1, 1)
        self.cairn("info", "sticky/out.h5", "--json", "sticky/r.json")
        for ranks in (1, 2):
            said = self.nobody(*self.job, "sticky/out.h5", ranks=ranks, expect=2)
            self.assertRegex(said.message(), r"sticky/out\.h5 is of another user.*sticky bit.*change output\.path")
            said = self.nobody("info", "sticky/out.h5", "--json", "sticky/r.json", ranks=ranks, expect=2)
            self.assertRegex(said.message(), r"sticky/r\.json is of another user")
        self.assertEqual(["out.h5", "r.json"], sorted(os.listdir(self.path("sticky"))))
        self.nobody(*self.job, "sticky/new.h5", ranks=2)
        self.nobody(*self.job, "sticky/new.h5")

    def test_a_folder_that_may_be_written_and_not_read(self):
        os.mkdir(self.path("drop"))
        os.chmod(self.path("drop"), 0o333)
        for ranks in (1, 2):
            said = self.nobody(*self.job, "drop/out.h5", "--run.checkpoint", "drop/ck", "--json", "drop/r.json", ranks=ranks)
            self.assertEqual(1, said.err.count("cannot flush drop to the disk: Permission denied"), said.err)
            self.nobody("query", "drop/out.h5", "--entry", "0,1")
        self.nobody("distances", "g.edges", "--sources", "s.txt", "--out", "drop/t.npy")

    def test_what_may_not_be_read_is_said(self):
        self.cairn(*self.job, "secret.h5")
        os.chmod(self.path("secret.h5"), 0o600)
        for ranks in (1, 2):
            self.assertEqual("cannot open secret.h5: Permission denied",
                             self.nobody("info", "secret.h5", ranks=ranks, expect=3).message())

    def test_a_umask_that_takes_too_much_is_named(self):
        for ranks in (1, 2):
            said = self.nobody(*self.job, "um.h5", ranks=ranks, umask=0o400, expect=2)
            self.assertRegex(said.message(), "gets the permissions 266.*umask")
        self.assertEqual([], self.hidden())


@unittest.skipUnless(MOUNT, "needs the library of what file systems lack")
class MountTest(ElsewhereTest):
    def mount(self, lacks):
        self.environment(LD_PRELOAD=MOUNT, CAIRN_MOUNT=lacks)

    def test_a_folder_that_cannot_be_flushed_is_a_warning(self):
        self.mount("folders")
        for ranks in (1, 2):
            said = self.cairn(*self.job, "out.h5", "--run.checkpoint", "ck", "--json", "r.json", ranks=ranks)
            self.assertEqual(1, said.err.count("cannot flush . to the disk: Invalid argument"), said.err)
            self.assertFalse(os.path.exists(self.path("ck")))
        self.cairn("distances", "g.edges", "--sources", "s.txt", "--out", "t.npy")
        self.cairn("sweep", "--data.path", "p.csv", *RBF, "--vary", "landmarks.count=5,6", "--output.csv", "s.csv")

    def test_a_file_that_cannot_be_renamed_is_kept_and_named(self):
        self.mount("renames")
        for ranks in (1, 2):
            said = self.cairn(*self.job, "out.h5", ranks=ranks, expect=5)
            kept = [name for name in os.listdir(self.folder) if name.startswith(".out.h5.partial-")]
            self.assertEqual(1, len(kept))
            self.assertIn(f"the complete file is ./{kept[0]}", said.message())
            os.rename(self.path(kept[0]), self.path(f"kept{ranks}.h5"))
        os.environ["CAIRN_MOUNT"] = "nothing"
        for ranks in (1, 2):
            self.cairn("info", f"kept{ranks}.h5", "--verify", "true")

    def test_a_file_system_without_locks(self):
        self.mount("locks")
        for ranks in (1, 2):
            self.cairn(*self.job, "out.h5", ranks=ranks)
            self.cairn("query", "out.h5", "--entry", "0,1", ranks=ranks)
            self.cairn("embed", "out.h5", "--dimension", 2, "--out", "e.h5", ranks=ranks)
            self.cairn("train", "out.h5", "--task", "krr", "--targets", "p.csv:x0", "--output.path", "m.h5", ranks=ranks)
            self.cairn("convert", "p.csv", "c.h5", ranks=ranks)
            self.cairn("approximate", "--data.path", "c.h5", *RBF, "--output.path", "d.h5", ranks=ranks)
            self.cairn("distances", "g.edges", "--sources", "s.txt", "--out", "t.h5", ranks=ranks)
        self.environment(HDF5_USE_FILE_LOCKING="TRUE")  # the user's word is the last
        said = self.cairn("query", "out.h5", "--entry", "0,1", expect=3).message()
        self.assertRegex(said, "cannot read out.h5: .*unable to lock file.*HDF5_USE_FILE_LOCKING=FALSE")
        self.assertNotIn("make it again", said)
        self.assertIn("HDF5_USE_FILE_LOCKING=FALSE", self.cairn("approximate", "--data.path", "c.h5", *RBF, "--output.path",
                                                                "f.h5", expect=3).message())


class TogetherTest(ElsewhereTest):
    def test_a_result_that_is_open_elsewhere_is_read(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("needs h5py")
        self.cairn(*self.job, "out.h5")
        expected = self.cairn("query", "out.h5", "--entry", "0,1").out
        with h5py.File(self.path("out.h5"), "r+"):
            for ranks in (1, 2):
                self.assertEqual(expected, self.cairn("query", "out.h5", "--entry", "0,1", ranks=ranks).out)
            self.cairn(*self.job, "out.h5", ranks=2)
            os.environ["HDF5_USE_FILE_LOCKING"] = "TRUE"
            try:
                with h5py.File(self.path("out.h5"), "r+"):
                    said = self.cairn("query", "out.h5", "--entry", "0,1", expect=3).message()
            finally:
                del os.environ["HDF5_USE_FILE_LOCKING"]
        self.assertRegex(said, "another program has it open for writing.*HDF5_USE_FILE_LOCKING=FALSE")
        self.assertNotIn("make it again", said)


class JoiningTest(ElsewhereTest):
    """slurm/sweep.sbatch, with stand-ins for Slurm."""

    def task(self, number, job=77):
        for name, text in (("srun", '#!/bin/bash\nwhile [[ $1 == -* ]]; do shift; done\nexec "$@"\n'),
                           ("fake", '#!/bin/bash\nwhile [ $# -gt 0 ]; do [ "$1" = --output.csv ] && csv=$2; shift; done\n'
                                    'printf "head\\nline %s\\n" "$csv" >"$csv"\n')):
            self.write(name, text)
            os.chmod(self.path(name), 0o755)
        slurm = {"SLURM_JOB_ID": str(job + number), "SLURM_TASKS_PER_NODE": "1", "SLURM_SUBMIT_DIR": self.folder, "SLURM_NTASKS": "1",
                 "SLURM_JOB_NUM_NODES": "1", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_ID": str(number),
                 "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_JOB_ID": str(job), "CAIRN": self.path("fake"),
                 "PATH": f"{self.folder}:{os.environ['PATH']}"}
        script = os.path.join(os.path.dirname(CONFIGS), "slurm", "sweep.sbatch")
        done = subprocess.run(["bash", script, "x.cfg", "--output.csv", "sweep.csv", "--vary", "run.seed=1,2"], cwd=self.folder,
                              env={**os.environ, **slurm}, capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout

    def joined(self):
        if not os.path.exists(self.path("sweep.csv")):
            return False
        with open(self.path("sweep.csv"), encoding="utf-8") as file:
            self.assertEqual("head\nline sweep.csv.1-of-2\nline sweep.csv.2-of-2\n", file.read())
        self.assertEqual([], [name for name in os.listdir(self.folder) if name.startswith("sweep.csv.")])
        os.remove(self.path("sweep.csv"))
        return True

    def test_parts_are_joined_after_a_task_that_was_killed_while_it_joined(self):
        self.task(1)
        self.assertFalse(self.joined())
        self.task(2)
        self.assertTrue(self.joined())
        room = self.path("sweep.csv.joining-77")
        for left, minutes, again, joins in ((1, 0, 2, False), (2, 0, 2, True), (1, 60, 2, True)):
            with self.subTest(left=left, minutes=minutes):
                os.makedirs(room, exist_ok=True)
                self.write("sweep.csv.joining-77/task", f"{left}\n")
                old = os.stat(room).st_mtime - 60 * minutes
                os.utime(room, (old, old))
                self.task(1)
                said = self.task(again)
                self.assertEqual(joins, self.joined(), said)
                if not joins:
                    self.assertIn("remove sweep.csv.joining-77", said)
                    shutil.rmtree(room)
                    self.task(again)
                    self.assertTrue(self.joined())


class ScalingTableTest(ElsewhereTest):
    def table(self, output, expect=0):
        self.write("strong-ranks1-nodes1-1.json", json.dumps(
            {"ranks": 1, "threads": 1, "n": 60, "seconds": {"total": 2.0}, "peak_bytes": 7}))
        script = os.path.join(os.path.dirname(CONFIGS), "slurm", "scaling-table")
        done = subprocess.run([sys.executable, script, "strong-ranks1-nodes1-1.json", "-o", output], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(expect, done.returncode, done.stderr)
        return done

    def test_the_table_follows_links_and_leaves_other_files_alone(self):
        os.mkdir(self.path("real"))
        self.write("real/s.csv", "")
        os.chmod(self.path("real/s.csv"), 0o600)
        os.symlink("real/s.csv", self.path("s.csv"))
        self.write("s.csv.partial", "mine")
        self.write("precious.txt", "precious")
        os.symlink("../precious.txt", self.path("real/s.csv.partial"))
        for _ in range(2):
            self.table("s.csv")
        self.assertTrue(os.path.islink(self.path("s.csv")))
        self.assertEqual(0o600, os.stat(self.path("real/s.csv")).st_mode & 0o777)
        for name, text in (("s.csv.partial", "mine"), ("precious.txt", "precious")):
            with open(self.path(name), encoding="utf-8") as file:
                self.assertEqual(text, file.read())
        self.assertIn("holds no table of scaling", self.table("precious.txt", expect=2).stderr)
        self.assertIn("scaling,nodes,ranks", self.table("/dev/stdout").stdout)
        self.assertEqual([], [name for name in os.listdir(self.path("real")) if name.startswith(".")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
