#include "cairn/run/reused_rows.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/run/session.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

namespace {

template <class T>
void require_reusable(const ResultShape& shape, const ResultDescription& description, const Objects<T>& objects,
                      const std::string& path) {
  const auto refuse = [&](ErrorKind kind, const std::string& why) {
    throw Error(kind, fmt::format("parameter reuse: {} {}", path, why));
  };
  const std::string precision = std::is_same_v<T, float> ? "single" : "double";
  if (!shape.sparse || shape.joining_layout != "symmetric-tiles") refuse(ErrorKind::input, "holds no P");
  if (shape.precision != precision) {
    refuse(ErrorKind::usage, fmt::format("is in {} precision, these objects in {}", shape.precision, precision));
  }
  const auto& state = objects.data();
  if (shape.rows != objects.size() || description.data_digest != state.digest) {
    refuse(ErrorKind::input, "was made from other data");
  }
  const std::string scaling = state.scaling.kind;
  if (description.scaling != scaling) {
    refuse(ErrorKind::input,
           fmt::format("was made with the scaling '{}', these objects with '{}'", description.scaling, scaling));
  }
}

}  // namespace

template <class T>
ReusedRows<T> read_reused_rows(const Session& session, const Objects<T>& objects, const std::string& path) {
  const Communicator& communicator = session.communicator();
  const auto phase = session.execution().phases.enter("read P");
  const ResultDescription description = read_result_description(communicator, path);
  require_reusable(read_result_shape(communicator, path), description, objects, path);
  StoredResult<T> stored = read_left_factor<T>(communicator, path);
  if (!stored.approximation.left_origin) {
    throw Error(ErrorKind::input, fmt::format("parameter reuse: {} does not say its landmarks", path));
  }
  return {std::move(stored.approximation.left.sparse()),
          {.indices = stored.approximation.left_origin->indices},
          description.landmark_selection,
          path};
}

template ReusedRows<float> read_reused_rows(const Session&, const Objects<float>&, const std::string&);
template ReusedRows<double> read_reused_rows(const Session&, const Objects<double>&, const std::string&);

}  // namespace cairn
