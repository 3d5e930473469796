#include "cairn/approximation/error/error_estimate.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace cairn {

namespace {

constexpr std::array<std::pair<StoppedBy, const char*>, 5> names = {{{StoppedBy::count, "count"},
                                                                     {StoppedBy::precision, "precision"},
                                                                     {StoppedBy::time, "time"},
                                                                     {StoppedBy::limit, "limit"},
                                                                     {StoppedBy::all, "all"}}};

}  // namespace

std::string name_of(StoppedBy reason) {
  for (const auto& [value, name] : names) {
    if (value == reason) return name;
  }
  return {};
}

std::optional<StoppedBy> stopped_by(const std::string& name) {
  for (const auto& [value, other] : names) {
    if (name == other) return value;
  }
  return std::nullopt;
}

std::optional<StoppedBy> EstimateLooks::stop(const ErrorEstimate& estimate, bool trusted) const {
  const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - start_;
  Index spent = 2.0 * so_far.count() > effort_.seconds ? 1 : 0;
  communicator_.broadcast(std::span(&spent, 1), 0);
  if (trusted && estimate.relative_error_standard_error <= effort_.precision * estimate.relative_error) {
    return StoppedBy::precision;
  }
  if (spent == 1) return StoppedBy::time;
  return std::nullopt;
}

}  // namespace cairn
