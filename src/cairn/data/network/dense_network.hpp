// Networks of dense layers in files.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// y = W2 f(W1 x + b1) + b2. Matrices are row-major.
struct DenseNetwork {
  Index inputs = 0, hidden = 0, outputs = 0;
  std::vector<double> hidden_weights;  ///< W1, hidden x inputs
  std::vector<double> hidden_biases;   ///< b1
  std::vector<double> output_weights;  ///< W2, outputs x hidden
  std::vector<double> output_biases;   ///< b2
  std::string activation;              ///< f by name: exp, logistic, softplus or tanh; empty: the file does not say
  std::vector<std::string> layers;     ///< of the file, for people: "Gemm 784 x 1024", "Sigmoid"
  std::vector<std::string> notes;      ///< what of the file was left out, in sentences
};

/// Reads a network from .onnx, or from .npz with arrays W1, b1, W2, b2; without b1 it is 0, which a note says. Rank 0
/// reads.
/// @param format  onnx or npz; empty: the name's ending says it
/// @throws Error(usage) for another ending of the name; Error(input) if the file is missing, truncated or damaged, has
/// other layers than these, shapes that do not chain, weights that are elsewhere and missing, or numbers that are not
/// finite; or if it is .onnx and this program was built without the library that reads it. Collective.
[[nodiscard]] DenseNetwork read_network(const Communicator& communicator, const std::string& path,
                                        const std::string& format = {});

}  // namespace cairn
