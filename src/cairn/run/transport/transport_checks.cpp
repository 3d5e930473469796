#include "cairn/run/transport/transport_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"

namespace cairn {

void require_weights(const Communicator& communicator, std::span<const double> weights, const std::string& file,
                     const Range& rows, Side side) {
  const std::string where = file.empty() ? "" : file + ": ";
  const bool any = communicator.maximum(static_cast<Index>(weights.size())) > 0;
  double total = any ? 0.0 : 1.0;
  collectively(communicator, [&] {
    if (any && static_cast<Index>(weights.size()) != rows.size()) {
      throw Error(ErrorKind::input, fmt::format("there are {} weights for {} {} points of a rank", weights.size(),
                                                rows.size(), name_of(side)));
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] >= 0.0 && std::isfinite(weights[i])) {
        total += weights[i];
        continue;
      }
      throw Error(ErrorKind::input, fmt::format("{}the weight of {} row {}, from 0, is {}; weights are at least 0",
                                                where, name_of(side), rows.begin + static_cast<Index>(i), weights[i]));
    }
  });
  total = communicator.sum(total);
  if (!(total > 0.0 && std::isfinite(total))) {
    throw Error(ErrorKind::input, fmt::format("{}the weights of the {} points sum to {}", where, name_of(side), total));
  }
}

void require_marginals(const Values& values, const std::string& what, double source, double target,
                       const std::string& remedy) {
  const double off = std::isnan(source) ? source : std::max(target, source);  // NaN if one is
  if (off <= std::max(refused_violation, values.number("tolerance"))) return;
  throw Error(ErrorKind::numeric, fmt::format("{} are off by {:.2g} and {:.2g}: no plan of exp(-cost / epsilon) was "
                                              "found; {}",
                                              what, source, target, remedy));
}

}  // namespace cairn
