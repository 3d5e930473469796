// Single-source similarities that deliver values in narrow number types, grouped by object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "cairn/base/index.hpp"

namespace cairn {

/// Optional interface of a SourceSimilarity: columns of K take its values as they are, without another copy.
class PanelSource {
 public:
  virtual ~PanelSource() = default;
  PanelSource(const PanelSource&) = delete;
  PanelSource& operator=(const PanelSource&) = delete;

  /// Bytes of a value: 2, 4 or 8, as in with_panel_number(). Local.
  [[nodiscard]] virtual Index panel_value_bytes() const = 0;
  /// out[v * sources.size() + a] = value of sources[a] and vertex v, for all n vertices. Counts evaluations;
  /// thread-safe.
  /// @param sources  at most SourceTraits::batch @throws as SourceSimilarity::to_all
  virtual void to_panel(std::span<const Index> sources, std::byte* out) const = 0;
  /// The vertices in an order of which each piece can be computed by itself, for about its share of the work; empty if
  /// there is none. Local.
  [[nodiscard]] virtual std::span<const std::int32_t> vertex_order() const { return {}; }
  /// out[(k - places.begin) * sources.size() + a] = value of sources[a] and vertex_order()[k], for k in `places`. As
  /// to_panel otherwise.
  virtual void to_panel_part(std::span<const Index> /*sources*/, Range /*places*/, std::byte* /*out*/) const {}

 protected:
  PanelSource() = default;
};

/// Calls use(Number{}) with the type of a panel's values: unsigned integers of 2 or 4 bytes, or double.
template <class Use>
decltype(auto) with_panel_number(Index bytes, Use&& use) {
  if (bytes == static_cast<Index>(sizeof(std::uint16_t))) return std::forward<Use>(use)(std::uint16_t{});
  if (bytes == static_cast<Index>(sizeof(std::uint32_t))) return std::forward<Use>(use)(std::uint32_t{});
  return std::forward<Use>(use)(double{});
}

}  // namespace cairn
