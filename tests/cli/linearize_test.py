"""A network made linear on the command line: from its file to predictions, against the network in NumPy."""

import os
import shutil
import unittest

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

from cairn_program import CairnTest

NETWORKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "networks")


def network_outputs(network, function, x):
    return function(x @ network["W1"].T + network["b1"]) @ network["W2"].T + network["b2"]


def logistic(t):
    return 1 / (1 + numpy.exp(-t))


@unittest.skipIf(h5py is None, "h5py is missing")
class Linearize(CairnTest):
    N, D, HIDDEN, CLASSES = 300, 6, 20, 3

    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(4)
        self.x = random.standard_normal((self.N, self.D)) + 0.3
        self.network = {"W1": 0.4 * random.standard_normal((self.HIDDEN, self.D)), "b1": 0.3 * random.standard_normal(self.HIDDEN),
                        "W2": random.standard_normal((self.CLASSES, self.HIDDEN)), "b2": random.standard_normal(self.CLASSES)}
        self.network["b2"] -= network_outputs(self.network, logistic, self.x).mean(0)  # all classes occur
        numpy.savez(self.path("net.npz"), **self.network)
        self.exact = network_outputs(self.network, logistic, self.x)
        noisy = self.exact + 0.3 * random.standard_normal(self.exact.shape)
        self.labels = noisy.argmax(1)
        self.write_points("x.csv", self.x, [("red", "green", "blue")[k] for k in self.labels])
        self.write_points("new.csv", self.x[:50])

    def write_points(self, name, x, labels=None):
        names = [f"c{k}" for k in range(x.shape[1])]
        lines = [",".join(names + (["label"] if labels else []))]
        for i, row in enumerate(x):
            lines.append(",".join([repr(float(value)) for value in row] + ([labels[i]] if labels else [])))
        self.write(name, "\n".join(lines) + "\n")

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def arguments(self, *more, network="net.npz", output="m.h5"):
        return ["linearize", network, "--data.path", "x.csv", "--data.label", "label", "--classes", "red,green,blue",
                "--output.path", output, *more]

    def predicted(self, *more, ranks=0, model="m.h5", path="new.csv"):
        self.cairn("predict", model, "--data.path", path, "--out", "p.csv", *more, ranks=ranks)
        with open(self.path("p.csv"), encoding="utf-8") as file:
            lines = [line.split(",") for line in file.read().splitlines()]
        return lines[0], lines[1:]

    def test_a_polynomial_network_is_its_linear_model(self):
        def cubic(t):
            return 1 - 0.5 * t + 0.25 * t**2 + 0.125 * t**3
        exact = network_outputs(self.network, cubic, self.x)
        for components in ((), ("--components", self.D)):
            for ranks in (1, 2, 3, 4):
                with self.subTest(components=components, ranks=ranks):
                    report = self.json(*self.arguments("--tuning", "none", "--activation", "series", "--series", "1,-0.5,0.25,0.125",
                                                       "--approximation.features", 200, "--approximation.degree", 3, *components),
                                       ranks=ranks)
                    self.assertEqual((self.D, self.HIDDEN, self.CLASSES, "series"),
                                     tuple(report[key] for key in ("inputs", "hidden", "outputs", "activation")))
                    [compared] = report["comparisons"]
                    self.assertLess(compared["output_error"], 1e-10)
                    self.assertEqual((1, self.N, self.N), tuple(compared[key] for key in ("agreement", "rows", "labelled")))
                    self.assertAlmostEqual((exact.argmax(1) != self.labels).mean(), compared["network_wrong"])
                    self.assertEqual(compared["network_wrong"], compared["model_wrong"])
                    os.rename(self.path("x.csv"), self.path("hidden.csv"))  # the model needs nothing but itself
                    os.rename(self.path("net.npz"), self.path("hidden.npz"))
                    heading, rows = self.predicted(ranks=5 - ranks)
                    os.rename(self.path("hidden.csv"), self.path("x.csv"))
                    os.rename(self.path("hidden.npz"), self.path("net.npz"))
                    self.assertEqual(["row", "predicted", "score red", "score green", "score blue"], heading)
                    numpy.testing.assert_allclose(numpy.array([row[2:] for row in rows], float), exact[:50], rtol=0, atol=1e-9)
                    self.assertEqual([("red", "green", "blue")[k] for k in exact[:50].argmax(1)], [row[1] for row in rows])

    def test_the_same_model_is_made_on_every_number_of_ranks(self):
        for tune, *more in (("none",), ("ridge",), ("logistic", "--penalty", 0.01, "--iterations", 1000)):
            found = []
            for ranks in (1, 2, 3, 4):
                self.cairn(*self.arguments("--tuning", tune, *more, "--approximation.features", 40, "--speed-rows", 0), ranks=ranks)
                with h5py.File(self.path("m.h5"), "r") as file:
                    found.append(numpy.vstack([file["coefficients"][:], file["intercepts"][:]]))
            for other in found[1:]:
                numpy.testing.assert_allclose(other, found[0], rtol=1e-3 if tune == "logistic" else 1e-6,
                                              atol=1e-3 if tune == "logistic" else 1e-6)

    def test_learning_brings_the_model_closer(self):
        base = ("--approximation.features", 30, "--approximation.allocation", "equal", "--approximation.degree", 3)
        none = self.json(*self.arguments("--tuning", "none", *base))["comparisons"][0]
        outputs = self.json(*self.arguments("--tuning", "ridge", "--learn", "outputs", *base))["comparisons"][0]
        self.assertLess(outputs["output_error"], none["output_error"])
        for tune in ("ridge", "logistic"):
            report = self.json(*self.arguments("--tuning", tune, *base, "--train-fraction", 0.7, "--run.precision", "single"))
            self.assertEqual(["train", "test"], [one["on"] for one in report["comparisons"]])
            self.assertEqual(self.N, sum(one["rows"] for one in report["comparisons"]))
            self.assertEqual("labels", report["learned_from"])
            self.assertLess(report["comparisons"][1]["model_wrong"], none["model_wrong"] + 0.02)
            self.assertIsNone(report["comparisons"][0]["output_error"])

    def test_labels_beside_the_points_are_compared(self):
        self.write_points("test.csv", self.x[:40], [("red", "green", "blue")[k] for k in self.labels[:40]])
        report = self.json(*self.arguments("--test.path", "test.csv", "--data.scaling", "standard"))
        self.assertEqual("test file", report["comparisons"][1]["on"])
        self.assertEqual(40, report["comparisons"][1]["labelled"])
        outcome = self.cairn("predict", "m.h5", "--data.path", "test.csv", "--data.label", "label", "--json", "p.json")
        self.assertIn("labelled rows", outcome.out)
        wrong = report["comparisons"][1]["model_wrong"]
        self.assertRegex(outcome.out, rf"labelled rows\s+40\s+{1 - wrong:.4f}")
        described = self.cairn("info", "m.h5").out
        for part in ("a model of cairn linearize", "features", "standard", "ridge", "logistic"):
            self.assertIn(part, described)

    def test_a_test_file_of_another_format(self):
        self.write_points("test.csv", self.x[:50], [("red", "green", "blue")[k] for k in self.labels[:50]])
        first = self.json(*self.arguments("--test.path", "test.csv"))["comparisons"]
        self.x[:50].astype("<f4").tofile(self.path("new.bin"))
        for ranks in (1, 3):
            again = self.json(*self.arguments("--test.path", "new.bin", "--test.format", "raw32"), ranks=ranks)["comparisons"]
            self.assertEqual([first[-1][key] for key in ("on", "rows", "agreement")], [again[-1][key] for key in ("on", "rows", "agreement")])
        self.refused(2, "the name does not tell the format; give --test.format", *self.arguments("--test.path", "new.bin"))
        self.refused(2, "--test.format has no effect without --test.path", *self.arguments("--test.format", "csv"))

    def test_memory_is_refused_before_it_is_taken(self):
        for more, says in ((["--approximation.features", 5001], "stage tuning, most of it for 4 matrices features x features"),
                           (["--approximation.features", 5001, "--penalty", 0.1], "3 matrices features x features")):
            self.refused(5, says, *self.arguments("--run.memory", "250MB", *more), ranks=(1, 3))

    def test_labels_of_the_test_file_name_no_output(self):
        """Labels 1 to 3 are the outputs, whatever else a test file holds; labels that do not name outputs are told."""
        self.write_points("numbered.csv", self.x, [str(k + 1) for k in self.labels])
        self.write_points("other.csv", self.x[:40], [str(k + 1) for k in self.labels[:39]] + ["4"])
        arguments = ["linearize", "net.npz", "--data.path", "numbered.csv", "--data.label", "label", "--output.path", "m.h5"]
        alone = self.json(*arguments)
        beside = self.json(*arguments, "--test.path", "other.csv", "--test.label", "label", ranks=2)
        self.assertAlmostEqual(alone["comparisons"][0]["model_wrong"], beside["comparisons"][0]["model_wrong"], delta=1e-12)
        self.assertRegex(" ".join(beside["warnings"]), "1 labels of the test file are not among the outputs of the network, '4'")
        self.write_points("four.csv", self.x, ["4"] + [str(k + 1) for k in self.labels[1:]])
        arguments[3] = "four.csv"
        told = " ".join(self.json(*arguments)["warnings"])
        self.assertRegex(told, "the points have 4 labels and the network has 3 outputs, which are called 0 to 2")
        self.assertIn("are left out", told)

    def test_without_labels_outputs_are_learned(self):
        report = self.json("linearize", "net.npz", "--data.path", "new.csv", "--output.path", "m.h5")
        self.assertEqual("outputs", report["learned_from"])
        self.assertEqual(["0", "1", "2"], report["classes"])
        self.assertIsNone(report["comparisons"][0]["model_wrong"])

    def test_onnx_is_the_same_network(self):
        self.write_points("five.csv", self.x[:, :5])
        shutil.copy(os.path.join(NETWORKS, "gemm.onnx"), self.path("gemm.onnx"))
        shutil.copy(os.path.join(NETWORKS, "network.npz"), self.path("five.npz"))
        common = ("--data.path", "five.csv", "--tuning", "none", "--output.path", "m.h5")
        self.cairn("linearize", "five.npz", *common)
        expected = self.predicted(path="five.csv")
        done = self.cairn("linearize", "gemm.onnx", *common, expect=None) if self.has_onnx() else None
        if done is None:
            self.refused(3, "gemm.onnx: this program was built without libonnx", "linearize", "gemm.onnx", *common)
            return
        self.assertEqual(expected, self.predicted(path="five.csv"))

    def has_onnx(self):
        return "built without libonnx" not in self.cairn("linearize", "gemm.onnx", "--data.path", "five.csv", "--output.path", "o.h5",
                                                          expect=None).err

    def cairn(self, *arguments, expect=0, **more):
        if expect is not None:
            return super().cairn(*arguments, expect=expect, **more)
        try:
            return super().cairn(*arguments, expect=0, **more)
        except AssertionError:
            return super().cairn(*arguments, expect=3, **more)

    def test_without_hidden_biases_they_are_0(self):
        network = dict(self.network, b1=numpy.zeros(self.HIDDEN))
        numpy.savez(self.path("zeros.npz"), **network)
        numpy.savez(self.path("none.npz"), **{name: network[name] for name in ("W1", "W2", "b2")})
        rows = {}
        for name in ("zeros", "none"):
            for ranks in (1, 3):
                report = self.json(*self.arguments(network=f"{name}.npz", output=f"{name}.h5"), ranks=ranks)
                said = [note for note in report["notes"] if "b1" in note]
                self.assertEqual(["none.npz holds no array 'b1': the hidden layer has no biases, b1 = 0"] if name == "none" else [], said)
            self.cairn("predict", f"{name}.h5", "--data.path", "new.csv", "--out", f"{name}.csv")
            rows[name] = self.read(f"{name}.csv")
        self.assertEqual(rows["zeros"], rows["none"])

    def test_bad_input_is_named(self):
        out = ("--output.path", "bad.h5")
        base = ("--data.path", "x.csv", "--data.label", "label", *out)
        self.refused(3, "nothing.npz", "linearize", "nothing.npz", *base)
        self.refused(2, "net.txt.*must end in .onnx or .npz", "linearize", "net.txt", *base)
        whole = self.read("net.npz")
        self.write("cut.npz", whole[:len(whole) // 2])
        self.refused(3, "cut.npz", "linearize", "cut.npz", *base)
        numpy.savez(self.path("three.npz"), **{name: self.network[name] for name in ("W1", "b1", "W2")})
        self.refused(3, "three.npz.*'b2'", "linearize", "three.npz", *base)
        numpy.savez(self.path("chain.npz"), **dict(self.network, W2=self.network["W2"][:, 1:]))
        self.refused(3, "chain.npz: shapes do not chain: W1 is 20 x 6, W2 is 3 x 19", "linearize", "chain.npz", *base)
        numpy.savez(self.path("turned.npz"), **dict(self.network, W1=self.network["W1"].T))
        self.refused(3, "turned.npz: shapes do not chain.*W1 is 6 x 20, b1 is 20 x 1", "linearize", "turned.npz", *base)
        numpy.savez(self.path("nan.npz"), **dict(self.network, b2=numpy.array([1, numpy.nan, 2])))
        self.refused(3, "nan.npz", "linearize", "nan.npz", *base)
        numpy.savez(self.path("one.npz"), **dict(self.network, W2=self.network["W2"][:1], b2=self.network["b2"][:1]))
        self.refused(3, "one.npz: the network has one output", "linearize", "one.npz", *base)
        self.write_points("wide.csv", numpy.hstack([self.x, self.x]))
        self.refused(3, "net.npz takes 6 numbers, and the points have 12 coordinates", "linearize", "net.npz", "--data.path",
                     "wide.csv", *out)
        self.refused(3, "--learn = labels: the points have none", "linearize", "net.npz", "--data.path", "new.csv", "--learn",
                     "labels", *out)
        self.refused(2, "--classes.*names 2 classes, and the network has 3 outputs", "linearize", "net.npz", *base, "--classes", "a,b")
        self.refused(3, "no row can be learned from: no label of the points \\('blue' for one\\) is an output of the network, 'a' to 'c'; "
                     "--classes names the outputs", "linearize", "net.npz", *base, "--classes", "a,b,c")
        self.refused(2, "7 components", "linearize", "net.npz", *base, "--components", 7)
        self.refused(2, "--penalty", "linearize", "net.npz", *base, "--penalty", "1,-1")
        self.refused(2, "--penalty has no effect if --tuning is none", "linearize", "net.npz", *base, "--tuning", "none", "--penalty", 1)
        self.refused(2, "--iterations has no effect", "linearize", "net.npz", *base, "--iterations", 5)
        self.refused(2, "--series has no effect if the activation is logistic", "linearize", "net.npz", *base, "--series", "1,2")
        self.refused(2, "--test.label has no effect without --test.path", "linearize", "net.npz", *base, "--test.label", "label")
        self.refused(2, "approximation.alpha has no effect", "linearize", "net.npz", *base, "--approximation.alpha", 2)
        self.refused(2, "data.kind = graph", "linearize", "net.npz", "--data.kind", "graph", "--data.path", "x.gr", *out)

    def test_other_networks_are_named(self):
        for name in ("relu", "deep", "shapes", "external", "gemm"):
            shutil.copy(os.path.join(NETWORKS, f"{name}.onnx"), self.path(f"{name}.onnx"))
        self.write_points("five.csv", self.x[:, :5])
        if not self.has_onnx():
            self.skipTest("built without libonnx")
        os.remove(self.path("o.h5"))
        base = ("--data.path", "five.csv", "--output.path", "bad.h5")
        self.refused(3, "relu.onnx: the layer Relu is not known", "linearize", "relu.onnx", *base)
        self.refused(3, "deep.onnx: the layer Tanh .again. makes a second hidden layer", "linearize", "deep.onnx", *base)
        self.refused(3, "shapes.onnx: shapes do not chain", "linearize", "shapes.onnx", *base)
        self.refused(3, "external.onnx: the weights W1 are in .*external.weights, which is missing", "linearize", "external.onnx", *base)
        self.refused(2, "--activation has no effect: gemm.onnx says that the activation is logistic", "linearize", "gemm.onnx", *base,
                     "--activation", "tanh")
        whole = self.read("gemm.onnx")
        self.write("cut.onnx", whole[:-30])
        self.refused(3, "cut.onnx: is truncated", "linearize", "cut.onnx", *base)

    def test_predictions_ask_for_what_the_model_takes(self):
        self.cairn(*self.arguments("--approximation.features", 30))
        self.refused(2, "the model m.h5 takes points with 6 coordinates", "predict", "m.h5", "--out", "p.csv")
        self.refused(2, "--result has no effect: the model m.h5 takes points", "predict", "m.h5", "--data.path", "new.csv", "--result",
                     "m.h5", "--out", "p.csv")
        self.write_points("wide.csv", numpy.hstack([self.x, self.x]))
        self.write("short.csv", "1,2\n3,4\n")
        self.refused(3, "short.csv", "predict", "m.h5", "--data.path", "short.csv", "--out", "p.csv")
        self.cairn("approximate", "--data.path", "x.csv", "--data.label", "label", "--similarity.kind", "rbf",
                   "--similarity.gamma", 0.1, "--landmarks.count", 20, "--output.path", "k.h5")
        self.cairn("train", "k.h5", "--task", "svm", "--output.path", "svm.h5")
        self.refused(2, "data.path has no effect: the model svm.h5 takes rows of a result", "predict", "svm.h5", "--data.path",
                     "new.csv", "--out", "p.csv")
        self.refused(2, "--out", "predict", "svm.h5")


if __name__ == "__main__":
    unittest.main()
