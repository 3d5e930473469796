// Networks of dense layers, read from files.
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
  std::string activation;              ///< name of f: exp, logistic, softplus or tanh; empty: not in the file
  std::vector<std::string> layers;     ///< layers of the file, for people: "Gemm 784 x 1024", "Sigmoid"
  std::vector<std::string> notes;      ///< sentences on what was left out
};

/// Reads a network from .onnx, or from .npz with arrays W1, b1, W2, b2; a missing b1 is 0, and a note reports it. Rank
/// 0 reads.
/// @param format  onnx or npz; empty: from the ending of the name
/// @throws Error(usage) for another ending of the name; Error(input) if the file is missing, truncated or damaged, has
/// other layers than these, shapes that do not match, weights in other files that are missing, or numbers that are not
/// finite; or if it is .onnx and this program was built without the library that reads it. Collective.
[[nodiscard]] DenseNetwork read_network(const Communicator& communicator, const std::string& path,
                                        const std::string& format = {});

}  // namespace cairn
