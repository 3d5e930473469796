"""Files of which a bit has changed: what reads them refuses them by name, or gives the same answer."""

import os
import random
import subprocess
import unittest

from cairn_program import PROGRAM, CairnTest, Outcome, csv_text, points

try:
    import h5py
except ImportError:
    h5py = None

N = 60


class Damage(CairnTest):
    def setUp(self):
        super().setUp()
        rows = points(N)
        self.write("p.csv", csv_text(rows, ["ab"[int(x > 0.5)] for x, _, _ in rows]))
        self.write("t.csv", "t\n" + "".join(f"{x + y}\n" for x, y, _ in rows))
        self.cairn("approximate", "--data.path", "p.csv", "--data.label", "class", "--similarity.kind", "rbf", "--landmarks.count",
                   10, "--approximation.embedding", "true", "--output.path", "r.h5")

    def flipped(self, name, bit):
        with open(self.path(name), "r+b") as file:
            file.seek(bit // 8)
            byte = file.read(1)[0]
            file.seek(bit // 8)
            file.write(bytes([byte ^ (1 << bit % 8)]))

    def check(self, name, commands, flips=40):
        """Random bits of a file; the answer of a command is what it prints, or the CSV that it writes."""
        seed = int(os.environ.get("CAIRN_TEST_SEED", random.SystemRandom().randrange(10**9)))
        print(f"{name}: seed {seed} (CAIRN_TEST_SEED)")
        draw = random.Random(seed)
        noticed = 0
        answers = [self.answer(command) for command in commands]
        for k in range(flips):
            bit = draw.randrange(8 * os.path.getsize(self.path(name)))
            self.flipped(name, bit)
            which = k % len(commands)
            with self.subTest(file=name, bit=bit, seed=seed, command=commands[which]):
                code, answer = self.answer(commands[which])
                self.assertIn(code, (0, 3), answer)
                if code == 0:
                    self.assertEqual(answers[which], (code, answer))
                else:
                    noticed += 1
                    self.assertIn(name, answer)
            self.flipped(name, bit)
        self.assertGreater(noticed, 0)

    def answer(self, command):
        """The code, and what was found out or the one message."""
        done = subprocess.run([PROGRAM, *map(str, command), "--json", "answer.json"], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=False)
        if done.returncode != 0:
            return done.returncode, Outcome(done.returncode, done.stdout, done.stderr).message()
        if "--out" in command:
            with open(self.path(command[command.index("--out") + 1]), encoding="utf-8") as file:
                return 0, file.read()
        with open(self.path("answer.json"), encoding="utf-8") as file:
            lines = [line for line in file if '"seconds' not in line and '"date"' not in line and "peak" not in line]
        return 0, "".join(lines) if command[0] == "info" else [line for line in lines if '"value' in line or '"object"' in line]

    def test_a_result(self):
        self.check("r.h5", [["query", "r.h5", "--row", 7], ["query", "r.h5", "--nearest", 3], ["info", "r.h5"]], 60)

    def test_models(self):
        for arguments in (["--targets", "t.csv:t", "--lambda", "0.1"], ["--task", "svm", "--cost", "1"]):
            self.cairn("train", "r.h5", *arguments, "--output.path", "m.h5")
            predict = ["predict", "m.h5", "--out", "y.csv"]
            self.check("m.h5", [predict, ["info", "m.h5"]], 40)

    def test_an_embedding(self):
        self.cairn("embed", "r.h5", "--dimension", 2, "--out", "y.h5")
        self.check("y.h5", [["info", "y.h5"], ["info", "y.h5", "--verify", "true"]])

    @unittest.skipIf(h5py is None, "h5py is not there")
    def test_info_verifies_and_landmarks_are_checked(self):
        verified = self.json("info", "r.h5", "--verify", "true", ranks=3)
        self.assertEqual(0, verified["without_checksum"])
        self.assertGreater(verified["data_sets"], 10)
        with h5py.File(self.path("r.h5"), "r") as file:
            places = {name: file[name].id.get_offset() for name in ("left", "landmarks/indices", "landmarks/objects", "labels")}
        for name, place in places.items():
            self.flipped("r.h5", 8 * place + 3)
            self.refused(3, rf"r\.h5 is not a sound .*/{name} is damaged", "info", "r.h5", "--verify", "true")
            if name == "landmarks/indices":
                self.refused(3, r"r\.h5.*/landmarks/indices is damaged", "approximate", "--data.path", "p.csv", "--data.label",
                             "class", "--similarity.kind", "linear", "--landmarks.selection", "file", "--landmarks.path", "r.h5",
                             "--output.path", "x.h5")
            self.flipped("r.h5", 8 * place + 3)

    @unittest.skipIf(h5py is None, "h5py is not there")
    def test_a_file_without_checksums_is_read_with_a_warning(self):
        before = self.json("query", "r.h5", "--row", 7)["row"]
        with h5py.File(self.path("r.h5"), "r+") as file:
            del file["crc32"]
        outcome = self.cairn("query", "r.h5", "--row", 7, "--json", "q.json", ranks=2)
        self.assertEqual(1, outcome.err.count("r.h5 has no checksums"), outcome.err)
        self.assertEqual(before, self.json("query", "r.h5", "--row", 7)["row"])
        self.assertEqual(0, self.json("info", "r.h5", "--verify", "true")["checked_bytes"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
