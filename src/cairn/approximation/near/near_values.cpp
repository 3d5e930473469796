#include "cairn/approximation/near/near_values.hpp"

namespace cairn {

template <class T>
std::vector<double> entries_with_near(const Execution& execution, const Approximation<T>& approximation,
                                      const NearEntries<T>* near, std::span<const Index> rows,
                                      std::span<const Index> columns) {
  std::vector<double> values = approximate_entries(execution, approximation, rows, columns);
  if (near == nullptr) return values;
  const KeptValues kept = kept_values(execution.communicator, *near, rows, columns);
  for (std::size_t p = 0; p < values.size(); ++p) values[p] += kept.values[p];
  return values;
}

template std::vector<double> entries_with_near(const Execution&, const Approximation<float>&, const NearEntries<float>*,
                                               std::span<const Index>, std::span<const Index>);
template std::vector<double> entries_with_near(const Execution&, const Approximation<double>&,
                                               const NearEntries<double>*, std::span<const Index>,
                                               std::span<const Index>);

}  // namespace cairn
