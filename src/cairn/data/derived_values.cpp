#include "cairn/data/derived_values.hpp"

#include <cmath>
#include <limits>

namespace cairn {

void DerivedValues::numbers(const std::string& name, Index total, Index first, std::span<double> out,
                            const std::function<void(std::span<const Index>, std::span<double>)>& compute) const {
  std::atomic<double>* kept = nullptr;
  {
    const std::scoped_lock lock(state_->mutex);
    auto found = state_->numbers.find(name);
    if (found == state_->numbers.end()) {
      std::vector<std::atomic<double>> unknown(static_cast<std::size_t>(total));
      for (auto& value : unknown) value.store(std::numeric_limits<double>::quiet_NaN(), std::memory_order_relaxed);
      found = state_->numbers.emplace(name, std::move(unknown)).first;
    }
    kept = found->second.data() + first;
  }
  std::vector<Index> missing;
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = kept[k].load(std::memory_order_relaxed);
    if (std::isnan(out[k])) missing.push_back(static_cast<Index>(k));
  }
  if (missing.empty()) return;
  std::vector<double> computed(missing.size());
  compute(missing, computed);
  for (std::size_t k = 0; k < missing.size(); ++k) {
    const auto at = static_cast<std::size_t>(missing[k]);
    out[at] = computed[k];
    kept[at].store(computed[k], std::memory_order_relaxed);
  }
}

}  // namespace cairn
