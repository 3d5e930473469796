// Similarities whose values for many sources come in narrow numbers, those of an object together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "cairn/base/index.hpp"

namespace cairn {

/// A SourceSimilarity that may also be this: then columns of K take its values as they come, with no copy more.
class PanelSource {
 public:
  virtual ~PanelSource() = default;
  PanelSource(const PanelSource&) = delete;
  PanelSource& operator=(const PanelSource&) = delete;

  /// Of a value: 2, 4 or 8, as with_panel_number() says. Local.
  [[nodiscard]] virtual Index panel_value_bytes() const = 0;
  /// out[v * sources.size() + a] = value of sources[a] and vertex v, for all n vertices. Counts evaluations;
  /// thread-safe.
  /// @param sources  at most SourceTraits::batch @throws as SourceSimilarity::to_all
  virtual void to_panel(std::span<const Index> sources, std::byte* out) const = 0;

 protected:
  PanelSource() = default;
};

/// use(Number{}) for the type of a panel's values: unsigned integers of 2 or 4 bytes, or doubles.
template <class Use>
decltype(auto) with_panel_number(Index bytes, Use&& use) {
  if (bytes == static_cast<Index>(sizeof(std::uint16_t))) return std::forward<Use>(use)(std::uint16_t{});
  if (bytes == static_cast<Index>(sizeof(std::uint32_t))) return std::forward<Use>(use)(std::uint32_t{});
  return std::forward<Use>(use)(double{});
}

}  // namespace cairn
