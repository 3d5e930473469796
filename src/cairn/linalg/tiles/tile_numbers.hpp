// Dispatch from the name of a number type to the type. Private to SymmetricTiles.
#pragma once

#include <cstdint>
#include <utility>

#include "cairn/linalg/tiles/symmetric_tiles.hpp"

namespace cairn {

/// use(Number{}) for the type that `number` names.
template <class Use>
decltype(auto) with_number(TileNumber number, Use&& use) {
  switch (number) {
    case TileNumber::uint16:
      return std::forward<Use>(use)(std::uint16_t{});
    case TileNumber::uint32:
      return std::forward<Use>(use)(std::uint32_t{});
    case TileNumber::float32:
      return std::forward<Use>(use)(float{});
    case TileNumber::float64:
      break;
  }
  return std::forward<Use>(use)(double{});
}

}  // namespace cairn
