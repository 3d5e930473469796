#include "cairn/data/derived_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "cairn/base/error.hpp"

namespace cairn {

void DerivedValues::numbers(const std::string& name, Index total, Index first, std::span<double> out,
                            const std::function<void(std::span<const Index>, std::span<double>)>& compute) const {
  std::atomic<double>* kept = nullptr;
  {
    const std::scoped_lock lock(state_->mutex);
    auto found = state_->numbers.find(name);
    if (found == state_->numbers.end()) {
      std::vector<std::atomic<double>> unknown(total);
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

std::vector<double> DerivedValues::known(const std::vector<std::atomic<double>>& of, Index first, Index count) const {
  std::vector<double> values;
  for (Index k = first; k < first + count; ++k) {
    values.push_back(of[k].load(std::memory_order_relaxed));
  }
  return values;
}

void DerivedValues::take(const std::string& name, std::span<const double> values) const {
  std::vector<std::atomic<double>> kept(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) kept[k].store(values[k], std::memory_order_relaxed);
  const std::scoped_lock lock(state_->mutex);
  state_->numbers.insert_or_assign(name, std::move(kept));
}

// For each name: its length, the name, its values.
void DerivedValues::pack(Index first, Index count, std::vector<std::byte>& bytes) const {
  const auto append = [&](const void* from, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), begin, begin + size);
  };
  const std::scoped_lock lock(state_->mutex);
  for (const auto& [name, of] : state_->numbers) {
    const std::vector<double> values = known(of, first, count);
    if (std::ranges::all_of(values, [](double value) { return std::isnan(value); })) continue;
    const auto length = static_cast<Index>(name.size());
    append(&length, sizeof length);
    append(name.data(), name.size());
    append(values.data(), values.size() * sizeof(double));
  }
}

void DerivedValues::unpack(Index count, std::span<const std::byte> bytes) const {
  const auto take_bytes = [&](void* to, std::size_t size) {
    if (size > bytes.size()) throw Error(ErrorKind::internal, "packed numbers of objects are truncated");
    if (size > 0) std::memcpy(to, bytes.data(), size);
    bytes = bytes.subspan(size);
  };
  while (!bytes.empty()) {
    Index length = 0;
    take_bytes(&length, sizeof length);
    if (length < 0 || static_cast<std::size_t>(length) > bytes.size()) {
      throw Error(ErrorKind::internal, "packed numbers of objects are truncated");
    }
    std::string name(static_cast<std::size_t>(length), ' ');
    take_bytes(name.data(), name.size());
    std::vector<double> values(count);
    take_bytes(values.data(), values.size() * sizeof(double));
    take(name, values);
  }
}

void DerivedValues::write(ArrayWriter& arrays, const std::string& prefix, Index first, Index count) const {
  std::vector<std::string> names;
  std::vector<double> values;
  {
    const std::scoped_lock lock(state_->mutex);
    for (const auto& [name, of] : state_->numbers) {
      const std::vector<double> its = known(of, first, count);
      if (name.starts_with(of_run) || !std::ranges::all_of(its, [](double value) { return std::isfinite(value); })) {
        continue;
      }
      names.push_back(name);
      values.insert(values.end(), its.begin(), its.end());
    }
  }
  if (names.empty() || count == 0) return;
  const std::vector<std::string_view> texts(names.begin(), names.end());
  arrays.write_texts(prefix + "derived/names", texts);
  arrays.write_matrix(prefix + "derived/values", MatrixView<const double>(values.data(), std::ssize(names), count));
}

void DerivedValues::read(const ArrayReader& arrays, const std::string& prefix, Index count) const {
  const std::string place = prefix + "derived/values";
  if (!arrays.has(place)) return;
  const std::vector<std::string> names = arrays.read_texts(prefix + "derived/names");
  if (arrays.shape(place) != ArrayShape{ArrayNumber::float64, std::ssize(names), count}) {
    arrays.refuse(fmt::format("{} does not hold one number per name and object", arrays.called(place)));
  }
  std::vector<double> values(names.size() * static_cast<std::size_t>(count));
  arrays.read(place, values.data());
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    arrays.refuse(fmt::format("{} holds numbers that are not finite", arrays.called(place)));
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto own = static_cast<std::size_t>(count);
    take(names[k], std::span<const double>(values).subspan(k * own, own));
  }
}

}  // namespace cairn
