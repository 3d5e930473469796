"""Types of numbers in NumPy's arrays: half precision, integers of all sizes, booleans, either byte order."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cairn_program import CairnTest, points  # noqa: E402

try:
    import numpy
except ImportError:
    raise SystemExit(77)  # the test is skipped

RBF = ["--similarity.kind", "rbf", "--similarity.gamma", "1e-4", "--landmarks.count", "10", "--output.path", "r.h5"]


class NumberTypes(CairnTest):
    array = numpy.array(points(60))

    def digest(self, name):
        self.cairn("approximate", *RBF, "--evaluation.pairs", 2, "--data.path", name)
        return self.json("info", "r.h5")["data_digest"]

    def test_every_type_of_numbers(self):
        array = numpy.round(self.array * 100)
        numpy.save(self.path("q.npy"), array)
        expected = self.digest("q.npy")
        for code in ("f2", "f4", "f8", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"):
            for order in "<>":
                for fortran in (False, True) if code == "f2" else (False,):
                    values = numpy.asarray(array, order="F" if fortran else "C").astype(order + code)
                    numpy.save(self.path("q.npy"), values)
                    self.assertEqual(expected, self.digest("q.npy"), (order, code, fortran))
        numpy.savez_compressed(self.path("q.npz"), array.astype(">f2"))
        self.assertEqual(expected, self.digest("q.npz"))
        numpy.savez(self.path("q.npz"), array.astype(">u2"))
        self.assertEqual(expected, self.digest("q.npz"))
        # Fractions, the smallest numbers and signs of half precision, bit by bit.
        halves = numpy.array([[1 / 3, -2.5e-6, 6e-8], [65504.0, -0.0, 6.1e-5]] * 30).astype("f2")
        numpy.save(self.path("q.npy"), halves.astype("f8"))
        expected = self.digest("q.npy")
        numpy.save(self.path("q.npy"), halves)
        self.assertEqual(expected, self.digest("q.npy"))
        numpy.save(self.path("q.npy"), array > 50)
        of_booleans = self.digest("q.npy")
        numpy.save(self.path("q.npy"), (array > 50).astype("f8"))
        self.assertEqual(self.digest("q.npy"), of_booleans)

    def test_types_that_are_no_numbers(self):
        for values, name in ((self.array.astype("c16"), "<c16"), (numpy.array([["a", "b"]]), "<U1"),
                             (self.array.astype(numpy.longdouble), "<f16")):
            numpy.save(self.path("q.npy"), values)
            self.refused(3, f"q.npy: holds numbers of type {name}; Cairn reads f2, f4, f8, integers", "approximate", *RBF,
                         "--data.path", "q.npy")
        half = numpy.full((50, 2), numpy.inf).astype("f2")
        numpy.save(self.path("q.npy"), half)
        self.refused(3, r"q.npy: entry \(0, 0\) is inf", "approximate", *RBF, "--data.path", "q.npy")


if __name__ == "__main__":
    unittest.main(verbosity=2)
