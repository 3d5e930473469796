#include "cairn/base/each_level.hpp"
#include "cairn/similarity/word_movers/transport_sizes.hpp"

namespace cairn::transport {

CAIRN_EACH_LEVEL double solve_of_few_columns(Arrays& arrays) {
  switch (arrays.stride / lanes) {
    case 1:
      return Simplex<1, 1>{arrays}.solve();
    case 2:
      return Simplex<2, 1>{arrays}.solve();
    default:
      return Simplex<3, 1>{arrays}.solve();
  }
}

}  // namespace cairn::transport
