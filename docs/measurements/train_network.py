#!/usr/bin/env python3
"""Trains a dense network with one hidden layer on MNIST, for docs/task-linearize.md:

    docs/measurements/train_network.py DATA FOLDER [--epochs 8] [--hidden 1024] [--seed 18]

DATA holds train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz and the two t10k files. The network is 784-1024-10 with a
logistic hidden layer, trained by Adam on cross-entropy in single precision. FOLDER/mnist-network.npz takes W1, b1, W2 and
b2 for y = W2 f(W1 x + b1) + b2 of pixels x from 0 to 255; FOLDER/mnist-network.onnx has the same network as two Gemm nodes
with a Sigmoid between, if the Python package onnx is there. The draws are fixed; sums depend on the BLAS."""

import argparse
import gzip
import pathlib

import numpy as np


def read_idx(path):
    data = gzip.open(path).read()
    dimensions = data[3]
    shape = tuple(np.frombuffer(data, ">i4", dimensions, 4))
    return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def read_split(folder, name):
    images = read_idx(folder / f"{name}-images-idx3-ubyte.gz")
    return images.reshape(len(images), -1).astype(np.float32), read_idx(folder / f"{name}-labels-idx1-ubyte.gz")


def logistic(values):
    return 1 / (1 + np.exp(-values))


def train(images, labels, hidden, epochs, seed):
    random = np.random.default_rng(seed)
    inputs, classes = images.shape[1], int(labels.max()) + 1
    weights = [random.standard_normal((hidden, inputs)) / np.sqrt(inputs), np.zeros(hidden),
               random.standard_normal((classes, hidden)) / np.sqrt(hidden), np.zeros(classes)]
    weights = [array.astype(np.float32) for array in weights]
    first, second = [np.zeros_like(array) for array in weights], [np.zeros_like(array) for array in weights]
    step, batch, rate = 0, 128, np.float32(5e-4)
    for epoch in range(epochs):
        order = random.permutation(len(images))
        for begin in range(0, len(order), batch):
            rows = order[begin:begin + batch]
            x = images[rows]
            h = logistic(x @ weights[0].T + weights[1])
            scores = h @ weights[2].T + weights[3]
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores /= scores.sum(axis=1, keepdims=True)
            scores[np.arange(len(rows)), labels[rows]] -= 1
            scores /= len(rows)
            inner = (scores @ weights[2]) * h * (1 - h)
            step += 1
            for k, gradient in enumerate([inner.T @ x, inner.sum(axis=0), scores.T @ h, scores.sum(axis=0)]):
                first[k] = np.float32(0.9) * first[k] + np.float32(0.1) * gradient
                second[k] = np.float32(0.999) * second[k] + np.float32(0.001) * gradient**2
                mean = first[k] / np.float32(1 - 0.9**step)
                weights[k] -= rate * mean / (np.sqrt(second[k] / np.float32(1 - 0.999**step)) + np.float32(1e-8))
        print(f"epoch {epoch + 1}: {wrong(weights, images, labels):.2%} of the training rows wrong", flush=True)
    return weights


def wrong(weights, images, labels):
    scores = logistic(images @ weights[0].T + weights[1]) @ weights[2].T + weights[3]
    return float((scores.argmax(axis=1) != labels).mean())


def write_onnx(path, weights):
    try:
        import onnx
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        print("the Python package onnx is not there: no .onnx file was written")
        return
    tensors = [numpy_helper.from_array(array, name) for name, array in zip(("W1", "b1", "W2", "b2"), weights)]
    nodes = [helper.make_node("Gemm", ["pixels", "W1", "b1"], ["inner"], transB=1),
             helper.make_node("Sigmoid", ["inner"], ["hidden"]),
             helper.make_node("Gemm", ["hidden", "W2", "b2"], ["scores"], transB=1)]
    graph = helper.make_graph(nodes, "mnist",
                              [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["rows", weights[0].shape[1]])],
                              [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["rows", len(weights[3])])],
                              tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--hidden", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=18)
    arguments = parser.parse_args()
    images, labels = read_split(arguments.data, "train")
    weights = train(images / np.float32(255), labels, arguments.hidden, arguments.epochs, arguments.seed)
    tests, truth = read_split(arguments.data, "t10k")
    print(f"{wrong(weights, tests / np.float32(255), truth):.2%} of the test rows wrong")
    weights[0] = weights[0] / np.float32(255)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    np.savez(arguments.folder / "mnist-network.npz", **dict(zip(("W1", "b1", "W2", "b2"), weights)))
    write_onnx(arguments.folder / "mnist-network.onnx", weights)


if __name__ == "__main__":
    main()
