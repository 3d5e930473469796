// The IDX files of MNIST. Private to this folder.
#pragma once

#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// Rows and values a row that the header says. @throws Error(input) if it is no IDX file of bytes, shorts, ints,
/// floats
///   or doubles, or shorter than it says (where that can be told without decompressing it). Local.
[[nodiscard]] PointShape read_idx_shape(const std::string& path);

/// Points (all dimensions but the first flattened), with labels from the IDX file that source.label names. Collective.
template <class T>
[[nodiscard]] PointSet<T> read_idx(const Communicator& communicator, const PointSource& source);

}  // namespace cairn
