"""Graphs whose vertices have names: questions, tables of lengths and targets name them."""

import os
import sys
import unittest

try:
    import numpy
except ImportError:
    print("no numpy")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest  # noqa: E402


class NamedVertices(CairnTest):
    edges = [("Zug", "Bern", 120), ("Bern", "St. Gallen", 200.5), ("St. Gallen", "Chur", 95), ("Chur", "Zug", 110)]
    names = ["Zug", "Bern", "St. Gallen", "Chur"]
    exact = [[0, 120, 205, 110], [120, 0, 200.5, 230], [205, 200.5, 0, 95], [110, 230, 95, 0]]

    def setUp(self):
        super().setUp()
        self.write("rail.csv", "from,to,km\n" + "".join(f"{u},{v},{km}\n" for u, v, km in self.edges))

    def test_questions_targets_and_tables_name_them(self):
        for ranks in (1, 3):
            outcome = self.cairn("approximate", "--data.kind", "graph", "--data.path", "rail.csv", "--similarity.kind", "path-length",
                                 "--landmarks.count", 4, "--output.path", "r.h5", ranks=ranks)
            self.assertIn("vertices have names", outcome.out)
            pairs = [(u, v) for u in self.names for v in self.names]
            questions = [word for u, v in pairs for word in ("--entry", f"{u},{v}")]
            entries = self.json("query", "r.h5", "--by-label", "true", *questions, ranks=ranks)["entries"]
            self.assertEqual(pairs, [(entry["row_label"], entry["column_label"]) for entry in entries])
            self.assertEqual(sum(self.exact, []), [entry["value"] for entry in entries])
            found = self.json("query", "r.h5", "--by-label", "true", "--nearest", "Chur", "--k", 2, ranks=ranks)["nearest"]
            self.assertEqual(["St. Gallen", "Zug"], [one["label"] for one in found["nearest"]])
            self.write("from.txt", "Chur\nZug\n")
            self.write("to.txt", "St. Gallen\nBern\nSt. Gallen\n")
            for graph in ("rail.csv", "r.h5"):
                self.cairn("distances", graph, "--sources", "from.txt", "--targets", "to.txt", "--out", "t.npy", ranks=ranks)
                self.assertEqual([[95, 230, 95], [205, 120, 205]], numpy.load(self.path("t.npy")).tolist())
            self.write("y.csv", "place,height\nChur,593\nBern,540\nZug,425\nSt. Gallen,675\n")
            report = self.json("train", "r.h5", "--task", "krr", "--targets", "y.csv:height", "--targets-key", "place", "--lambda", 1,
                               "--output.path", "m.h5", ranks=ranks)
            self.assertEqual(4, report["training_rows"])
            self.refused(3, r"y\.csv: its first column holds what the rows of r\.h5 are called, in another order.*--targets-key 1", "train", "r.h5",
                         "--task", "krr", "--targets", "y.csv:height", "--lambda", 1, "--output.path", "x.h5", ranks=[ranks])


if __name__ == "__main__":
    unittest.main(verbosity=2)
