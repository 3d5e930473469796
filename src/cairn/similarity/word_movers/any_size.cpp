#include "cairn/base/each_level.hpp"
#include "cairn/similarity/word_movers/transport_sizes.hpp"

namespace cairn::transport {

CAIRN_EACH_LEVEL double solve_of_any_size(Arrays& arrays) {
  return arrays.sets > 1 ? Simplex<0, 0>{arrays}.solve() : Simplex<0, 1>{arrays}.solve();
}

}  // namespace cairn::transport
