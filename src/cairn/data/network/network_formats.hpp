// The formats of networks. Private to this folder.
#pragma once

#include <string>

#include "cairn/data/network/dense_network.hpp"

namespace cairn {

/// Each throws Error(input) that begins with the path. Local.
[[nodiscard]] DenseNetwork read_npz_network(const std::string& path);
[[nodiscard]] DenseNetwork read_onnx_network(const std::string& path);

}  // namespace cairn
