#include "cairn/run/computation/same_data.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

void require_same_data(const ResultDescription& description, Index rows, std::uint64_t digest, Index objects,
                       const std::string& path, const std::string& advice) {
  if (objects != rows) {
    throw Error(ErrorKind::input, fmt::format("the data have {} objects, {} was made from {}; {}", grouped(objects),
                                              path, grouped(rows), advice));
  }
  if (digest != description.data_digest) {
    throw Error(ErrorKind::input,
                fmt::format("the data are not those that {} was made from (their digests differ{}); {}", path,
                            description.precision == "single" && description.object_kind == "points"
                                ? "; versions to 0.2.0 took that of points in single precision after rounding"
                                : "",
                            advice));
  }
}

template <class T>
void require_reusable(const Communicator& communicator, const Data<T>& data, const std::string& path,
                      const std::string& parameter, const KeyNames& run_keys) {
  const ResultShape shape = read_result_shape(communicator, path);
  const ResultDescription description = read_result_description(communicator, path);
  // Before the digest, which depends on the precision.
  if (shape.precision != (std::is_same_v<T, float> ? "single" : "double")) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} is in {} precision; set {} = {}", parameter, path, shape.precision,
                            run_keys("precision", "the precision of the data"), shape.precision));
  }
  require_same_data(description, shape.rows, data.digest, data.objects->size(), path, parameter + " needs them");
  if (description.scaling != data.scaling.kind) {
    throw Error(ErrorKind::input,
                fmt::format("{}: {} was made with {} = {}, and this run has {} = {}", parameter, path,
                            data.keys("scaling"), description.scaling, data.keys("scaling"), data.scaling.kind));
  }
}

template void require_reusable(const Communicator&, const Data<float>&, const std::string&, const std::string&,
                               const KeyNames&);
template void require_reusable(const Communicator&, const Data<double>&, const std::string&, const std::string&,
                               const KeyNames&);

}  // namespace cairn
