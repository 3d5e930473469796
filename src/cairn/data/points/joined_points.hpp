// Points of two files as one set: those to train on, then those to test on. Private to this folder.
#pragma once

#include <string>

#include "cairn/data/points/point_reader.hpp"

namespace cairn {

/// A second file of points, which is read as the first one.
struct TestFile {
  std::string path{};   ///< empty: there is none
  std::string label{};  ///< idx: the path of its labels
};

/// The points of the source, which are of split train if there is a test file; then those of this file, of split test.
/// Numbers in the file go on in the second one. Of svm files the shorter points have further coordinates 0.
/// @throws Error(usage) for a split beside the test file, and labels of it that are superfluous or missing,
/// Error(input)
///   if both have not the same coordinates, or labels in one alone; as read_point_table. Collective.
template <class T>
[[nodiscard]] PointTable<T> read_with_test_points(const Communicator& communicator, const PointSource& source,
                                                  const TestFile& test);

/// The rules about the test file beside the source. @throws Error(usage). Local.
void check_test_file(const PointSource& source, const TestFile& test);

/// The source as that of the test file. Local.
[[nodiscard]] PointSource test_source(const PointSource& source, const TestFile& test);

}  // namespace cairn
