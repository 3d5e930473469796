// Weights in ONNX files. Private to this folder, and to builds with libonnx.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// Weights, row-major.
struct OnnxTensor {
  std::vector<Index> shape;
  std::vector<double> values;

  [[nodiscard]] Index rows() const { return shape.size() < 2 ? 1 : shape[shape.size() - 2]; }
  [[nodiscard]] Index columns() const { return shape.empty() ? 1 : shape.back(); }
  [[nodiscard]] bool is_matrix() const { return shape.size() == 2; }
};

/// Reads a tensor of float, double, or 64-bit integers (shapes), if necessary from the file beside this one that it
/// names.
/// @param path  path of the ONNX file @throws Error(input) for other types, and for missing numbers. Local.
[[nodiscard]] OnnxTensor read_onnx_tensor(const std::string& path, const onnx::TensorProto& tensor,
                                          const std::string& name);

}  // namespace cairn
