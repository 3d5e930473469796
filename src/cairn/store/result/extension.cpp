#include "cairn/store/result/extension.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cairn/approximation/factor_digest.hpp"
#include "cairn/base/error.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/catalog/similarities.hpp"

namespace cairn {

namespace {

constexpr const char* base_error = "base_relative_error";
constexpr const char* base_standard_error = "base_relative_error_standard_error";

// Errors among new objects are slightly larger than among old ones, some of which are landmarks. An error three times
// as large indicates other data or wrong rows. Below `rounding` both are exact.
constexpr double much_larger = 3.0;
constexpr double rounding = 1e-6;

bool is_much_larger(const ErrorEstimate& rows, const ErrorEstimate& base) {
  const double low = rows.relative_error - 2 * rows.relative_error_standard_error;
  const double high = base.relative_error + 2 * base.relative_error_standard_error;
  return low > rounding && low > much_larger * high;
}

// True for similarities for which, until version 0.2.0, extend confused new objects with landmarks of the same number.
bool could_be_wrong(const ResultDescription& description) {
  const auto affected = [](const std::string& kind) {
    const SimilarityTraits& traits = similarity_named(kind).traits;
    return !traits.base.empty() && !traits.word_vectors;
  };
  if (affected(description.similarity)) return true;
  return std::ranges::any_of(description.similarity_parameters, [&](const auto& parameter) {
    return parameter.first.ends_with(".kind") && affected(parameter.second);
  });
}

}  // namespace

void describe_extension(ResultDescription& description, const ExtensionError& error) {
  description.error = error.rows;
  description.metrics.erase(base_error);
  description.metrics.erase(base_standard_error);
  if (!error.base) return;
  description.metrics[base_error] = error.base->relative_error;
  description.metrics[base_standard_error] = error.base->relative_error_standard_error;
}

ExtensionError extension_error(const ResultDescription& description) {
  ExtensionError error;
  error.rows = description.error;
  const auto base = description.metrics.find(base_error), doubt = description.metrics.find(base_standard_error);
  if (base == description.metrics.end() || doubt == description.metrics.end()) return error;
  error.base.emplace();
  error.base->relative_error = base->second;
  error.base->relative_error_standard_error = doubt->second;
  return error;
}

bool is_extension(const ResultDescription& description) {
  const auto kind = description.provenance.find("kind");
  return kind != description.provenance.end() && kind->second == "extension";
}

void describe_base(ResultDescription& description, std::uint64_t digest) {
  description.provenance["base_digest"] = fmt::format("{:016x}", digest);
}

std::optional<std::uint64_t> base_digest(const ResultDescription& description) {
  const auto found = description.provenance.find("base_digest");
  std::uint64_t digest = 0;
  if (found == description.provenance.end()) return std::nullopt;
  const char *begin = found->second.data(), *end = begin + found->second.size();
  if (std::from_chars(begin, end, digest, 16).ptr != end || begin == end) return std::nullopt;
  return digest;
}

template <class T>
std::uint64_t columns_digest(const Communicator& communicator, const Approximation<T>& approximation,
                             const ResultDescription& description) {
  const bool of_landmarks = approximation.left_origin && !approximation.left.is_sparse();
  const auto base = base_digest(description);
  if (is_extension(description) && !of_landmarks && base) return *base;
  return basis_digest(communicator, approximation, description.similarity_parameters);
}

template <class T>
std::vector<std::uint64_t> digests_of_columns(const Communicator& communicator, const Approximation<T>& approximation,
                                              const ResultDescription& description) {
  std::vector<std::uint64_t> digests{basis_digest(communicator, approximation, description.similarity_parameters)};
  const auto base = base_digest(description);
  if (is_extension(description) && base) digests.push_back(*base);
  return digests;
}

template <class T>
std::string extendable_file(const Approximation<T>& approximation, const ResultDescription& description,
                            const std::string& path) {
  const DataKind* kind = find_data_kind(description.object_kind);
  const auto& origin = approximation.left_origin;
  const bool of_landmarks = origin && (origin->objects || origin->features) && !approximation.left.is_sparse();
  const bool extends =
      kind == nullptr ? of_landmarks : !kind->extended_by.empty() || (kind->extendable && of_landmarks);
  if (extends) return path;
  const auto base = description.provenance.find("extended_from");
  return is_extension(description) && base != description.provenance.end() ? base->second : "";
}

std::vector<std::string> extension_warnings(const ResultDescription& description, const std::string& path) {
  if (!is_extension(description)) return {};
  std::vector<std::string> warnings;
  const auto version = description.provenance.find("version");
  if (version != description.provenance.end() && version->second == "0.1.0" && could_be_wrong(description)) {
    warnings.push_back(
        fmt::format("{} was made by cairn extend of version 0.1.0, which could compute wrong rows for this similarity "
                    "(CHANGELOG.md): make it again, and what was computed from it",
                    path));
  }
  const ExtensionError error = extension_error(description);
  if (error.rows && error.base && is_much_larger(*error.rows, *error.base)) {
    warnings.push_back(fmt::format(
        "the rows of {} have a relative error of {:.3g}, those of the result that it extends {:.3g}: the new objects "
        "are unlike the old ones, or are scaled otherwise; do not trust what is computed from them",
        path, error.rows->relative_error, error.base->relative_error));
  }
  return warnings;
}

#define CAIRN_INSTANTIATE(T)                                                                                     \
  template std::uint64_t columns_digest(const Communicator&, const Approximation<T>&, const ResultDescription&); \
  template std::vector<std::uint64_t> digests_of_columns(const Communicator&, const Approximation<T>&,           \
                                                         const ResultDescription&);                              \
  template std::string extendable_file(const Approximation<T>&, const ResultDescription&, const std::string&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn
