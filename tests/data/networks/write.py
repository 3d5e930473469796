#!/usr/bin/python3
"""Writes the networks of this folder with NumPy and the Python package onnx: write.py [FOLDER]. Five inputs, four hidden
units, three outputs; weights are multiples of 1/8, row by row from -1.5 in steps of 1/8."""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def weights():
    hidden = (np.arange(20) / 8 - 1.5).reshape(4, 5)
    outputs = (np.arange(12) / 8 - 1.5).reshape(3, 4)
    return {"W1": hidden, "b1": np.array([0.5, -0.25, 0.125, 1]), "W2": outputs, "b2": np.array([0.25, 0, -0.75])}


def save(path, nodes, tensors, external=False, dtype=np.float32):
    kind = TensorProto.FLOAT if dtype == np.float32 else TensorProto.DOUBLE
    graph = helper.make_graph(nodes, "network", [helper.make_tensor_value_info("x", kind, ["rows", 5])],
                              [helper.make_tensor_value_info("y", kind, ["rows", 3])],
                              [numpy_helper.from_array(np.ascontiguousarray(array, dtype), name) for name, array in tensors.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    onnx.checker.check_model(model)
    if external:
        onnx.save_model(model, str(path), save_as_external_data=True, all_tensors_to_one_file=True, location=path.stem + ".weights",
                        size_threshold=0)
    else:
        onnx.save(model, str(path))


def gemm(function="Sigmoid"):
    return [helper.make_node("Gemm", ["x", "W1", "b1"], ["u"], transB=1, name="first"), helper.make_node(function, ["u"], ["h"]),
            helper.make_node("Gemm", ["h", "W2", "b2"], ["y"], transB=1, name="second")]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    arrays = weights()
    np.savez(folder / "network.npz", **arrays)
    np.savez_compressed(folder / "network-float-fortran.npz",
                        **{name: np.asfortranarray(array.astype(np.float32)) for name, array in arrays.items()})
    save(folder / "gemm.onnx", gemm(), arrays)
    save(folder / "external.onnx", gemm(), arrays, external=True)
    turned = dict(arrays, W1=arrays["W1"].T, W2=arrays["W2"].T)
    chain = [helper.make_node("Flatten", ["x"], ["flat"]), helper.make_node("MatMul", ["flat", "W1"], ["u"]),
             helper.make_node("Add", ["u", "b1"], ["v"]), helper.make_node("Tanh", ["v"], ["h"]),
             helper.make_node("MatMul", ["h", "W2"], ["s"]), helper.make_node("Add", ["b2", "s"], ["t"]),
             helper.make_node("Softmax", ["t"], ["y"])]
    save(folder / "matmul-double.onnx", chain, turned, dtype=np.float64)
    rounded = gemm()
    rounded[1].output[0] = "f"
    rounded[2:2] = [helper.make_node("Cast", ["f"], ["i"], to=TensorProto.INT32, name="rounded"),
                    helper.make_node("Cast", ["i"], ["h"], to=TensorProto.FLOAT)]
    save(folder / "integers.onnx", rounded, arrays)
    save(folder / "relu.onnx", gemm("Relu"), arrays)
    deep = gemm()
    deep[2].output[0] = "z"
    deep += [helper.make_node("Tanh", ["z"], ["g"], name="again"), helper.make_node("Gemm", ["g", "W3", "b2"], ["y"], name="third")]
    save(folder / "deep.onnx", deep, dict(arrays, W3=np.eye(3)))
    save(folder / "shapes.onnx", gemm(), dict(arrays, W2=arrays["W2"][:, :3]))


if __name__ == "__main__":
    main()
