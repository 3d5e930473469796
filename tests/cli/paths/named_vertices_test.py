"""Graphs whose vertices have names: questions, tables of lengths and targets name them."""

import os
import sys
import unittest

try:
    import h5py
    import numpy
except ImportError:
    print("no numpy or no h5py")
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
                self.write("pairs.csv", "Chur,St. Gallen\n\"Zug\",Bern\n")
                self.assertEqual("95\n120\n", self.cairn("distances", graph, "--pairs", "pairs.csv", ranks=ranks).out)
            self.cairn("distances", "rail.csv", "--sources", "from.txt", "--out", "t.h5", ranks=ranks)
            with h5py.File(self.path("t.h5")) as table:
                self.assertEqual(["Chur", "Zug"], [name.decode() for name in table["source_names"]])
                self.assertEqual(self.names, [name.decode() for name in table["target_names"]])
                self.assertEqual([self.exact[3], self.exact[0]], table["distances"][:].tolist())
            self.write("y.csv", "place,height\nChur,593\nBern,540\nZug,425\nSt. Gallen,675\n")
            report = self.json("train", "r.h5", "--task", "krr", "--targets", "y.csv:height", "--targets-key", "place", "--lambda", 1,
                               "--output.path", "m.h5", ranks=ranks)
            self.assertEqual(4, report["training_rows"])
            self.refused(3, r"y\.csv: its first column holds what the rows of r\.h5 are called, in another order.*--targets-key 1", "train", "r.h5",
                         "--task", "krr", "--targets", "y.csv:height", "--lambda", 1, "--output.path", "x.h5", ranks=[ranks])

    def test_names_that_begin_as_comments_do(self):
        edges = "#cat,#dog,3\n#dog,fish,2\nfish,#cat,9\n"
        self.write("s.txt", "fish\n#cat\n")
        table = ["distances", "h.csv", "--sources", "s.txt", "--targets", "s.txt", "--out", "t.npy"]
        self.write("h.csv", edges)
        self.refused(3, "'#cat,#dog,3' stands above the first edge and begins as a comment, and is like an edge", *table)
        self.write("h.csv", "# a,b,7\n#\n## of,us,1\n#from,to,length\nu,v,length\n" + edges)
        self.cairn(*table, ranks=2)
        self.assertEqual([[0, 5], [5, 0]], numpy.load(self.path("t.npy")).tolist())
        self.write("h.csv", "#cat,#dog\nfish,#dog\nfish,#cat\n")
        self.assertIn("h.csv: '#cat,#dog' is taken for a comment", self.cairn(*table).err)

    def test_pieces_are_called_by_names(self):
        self.write("two.csv", "from,to,km\nZug,Bern,120\nChur,Ilanz,34\n")
        self.write("from.txt", "Zug\n")
        for ranks in (1, 3):
            outcome = self.cairn("distances", "two.csv", "--sources", "from.txt", "--out", "t.npy", ranks=ranks)
            self.assertIn("Zug and Chur are in different pieces", outcome.out)
            self.assertIn("a table in HDF5 (.h5) holds the names", outcome.out)

    def test_columns_of_a_wider_table(self):
        self.write("wide.csv", "id,metres,a,b\n9,10.5,1,2\n8,20,2,3\n")
        self.write("from.txt", "1\n")
        self.refused(3, r"wide\.csv: its header 'id,metres,a,b' is not that of u v \[length\]: data.columns = U,V", "distances", "wide.csv",
                     "--sources", "from.txt", "--out", "t.npy", ranks=(1, 3))
        outcome = self.cairn("distances", "wide.csv", "--data.columns", "a,b,metres", "--sources", "from.txt", "--out", "t.npy")
        self.assertIn("ends of edges are in the columns 'a' and 'b', lengths in 'metres'; the others of 4 are ignored", outcome.out)
        self.assertEqual([[0, 10.5, 30.5]], numpy.load(self.path("t.npy")).tolist())


if __name__ == "__main__":
    unittest.main(verbosity=2)
