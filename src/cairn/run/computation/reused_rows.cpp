#include "cairn/run/computation/reused_rows.hpp"

#include <fmt/format.h>

#include "cairn/base/error.hpp"
#include "cairn/run/computation/same_data.hpp"
#include "cairn/similarity/shortest_paths/path_length.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

namespace {

const std::string reuse = "reuse";  // parameter of some methods

ResultShape shape_with_rows(const Communicator& communicator, const MethodChoice& method) {
  const std::string& path = method.values.text(reuse);
  ResultShape shape = read_result_shape(communicator, path);
  if (shape.sparse && shape.core_layout == "symmetric-tiles") return shape;
  throw Error(ErrorKind::input, fmt::format("{}: {} holds no P: it was made by {}", method.values.keys()(reuse), path,
                                            read_result_report(communicator, path).method));
}

}  // namespace

ReusedShape reused_shape(const Communicator& communicator, const MethodChoice& method, const std::string& similarity) {
  const ResultShape shape = shape_with_rows(communicator, method);
  const bool rooted = method.values.text("transform") == "sqrt";
  if (shape.has_trees() && (rooted || similarity != path_length_similarity().name)) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: the trees of {} are exact for path lengths alone, not for {}{}; make it again with "
                            "{} = false",
                            method.values.keys()(reuse), method.values.text(reuse), similarity,
                            rooted ? " and transform = sqrt" : "", method.values.keys()("exact-trees")));
  }
  return {shape.landmarks > 0 ? shape.landmarks : shape.left_columns, shape.left_entries};
}

template <class T>
ReusedRows<T> read_reused_rows(const Execution& execution, const Data<T>& data, const MethodChoice& method,
                               const RunKeys& keys) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("read P");
  const std::string& path = method.values.text(reuse);
  const std::string parameter = method.values.keys()(reuse);
  static_cast<void>(shape_with_rows(communicator, method));
  require_reusable(communicator, data, path, parameter, keys.run);
  StoredResult<T> stored = read_left_factor<T>(communicator, path);
  if (!stored.approximation.left_origin) {
    throw Error(ErrorKind::input, fmt::format("{}: {} does not say its landmarks", parameter, path));
  }
  return {std::move(stored.approximation.left.sparse()),
          {.indices = stored.approximation.left_origin->indices},
          read_result_description(communicator, path).landmark_selection,
          path,
          std::move(stored.approximation.trees)};
}

template ReusedRows<float> read_reused_rows(const Execution&, const Data<float>&, const MethodChoice&, const RunKeys&);
template ReusedRows<double> read_reused_rows(const Execution&, const Data<double>&, const MethodChoice&,
                                             const RunKeys&);

}  // namespace cairn
