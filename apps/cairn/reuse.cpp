#include "reuse.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "store/result_file.hpp"
#include "stored.hpp"

namespace cairn::app {

namespace {

ResultShape biharmonic_shape(const Communicator& communicator, const std::string& path) {
  ResultShape shape = read_result_shape(communicator, path);
  if (shape.sparse && shape.joining_layout == "symmetric-tiles") return shape;
  throw Error(ErrorKind::input, fmt::format("approximation.reuse: {} holds no P: it was made by {}", path,
                                            read_result_report(communicator, path).method));
}

}  // namespace

ReusedShape reused_shape(const Communicator& communicator, const std::string& path) {
  const ResultShape shape = biharmonic_shape(communicator, path);
  return {shape.left_columns, shape.left_entries};
}

template <class T>
ReusedInterpolation<T> read_reused(const Execution& execution, const Settings& settings, const Data<T>& data) {
  const Communicator& communicator = execution.communicator;
  const auto phase = execution.phases.enter("read P");
  const std::string& path = settings.text("approximation.reuse");
  const ResultShape shape = biharmonic_shape(communicator, path);
  const ResultDescription description = read_result_description(communicator, path);
  // Before the digest, which is one of the numbers in this precision.
  if (shape.precision != settings.text("run.precision")) {
    throw Error(ErrorKind::usage, fmt::format("approximation.reuse: {} holds P in {} precision; set run.precision = {}",
                                              path, shape.precision, shape.precision));
  }
  require_same_data(description, shape.rows, data.digest, data.objects->size(), path, "approximation.reuse needs them");
  if (description.scaling != data.scaling.kind) {
    throw Error(ErrorKind::input,
                fmt::format("approximation.reuse: {} was made with data.scaling = {}, and this run has "
                            "data.scaling = {}",
                            path, description.scaling, data.scaling.kind));
  }
  StoredResult<T> stored = read_left_factor<T>(communicator, path);
  if (!stored.approximation.left_origin) {
    throw Error(ErrorKind::input, fmt::format("approximation.reuse: {} does not say its landmarks", path));
  }
  return {std::move(stored.approximation.left.sparse()), stored.approximation.left_origin->indices,
          description.landmark_selection};
}

template ReusedInterpolation<float> read_reused(const Execution&, const Settings&, const Data<float>&);
template ReusedInterpolation<double> read_reused(const Execution&, const Settings&, const Data<double>&);

}  // namespace cairn::app
