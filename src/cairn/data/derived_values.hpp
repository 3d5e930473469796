// Values of single objects, computed once, at the first request.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "cairn/base/index.hpp"
#include "cairn/data/object_arrays.hpp"

namespace cairn {

/// Values that similarities derive from objects that do not change: K(x, x), an index of a block. Each is computed once
/// and stored under a name that states its meaning and parameters. Copies share the values. Thread-safe.
class DerivedValues {
 public:
  DerivedValues() : state_(std::make_shared<State>()) {}

  /// The values of objects `first`, `first` + 1, ... of `total`, one for each entry of `out`. Unknown values are
  /// computed: compute(positions, out), positions relative to `first`. Two threads may compute the same value.
  void numbers(const std::string& name, Index total, Index first, std::span<double> out,
               const std::function<void(std::span<const Index>, std::span<double>)>& compute) const;

  /// Prefix of names of values that depend on more than the objects; they are not stored beyond the run.
  static constexpr const char* of_run = "run: ";

  /// Appends the values of the `count` objects from number `first` on, as far as they are known.
  void pack(Index first, Index count, std::vector<std::byte>& bytes) const;
  /// Takes what pack() appended for `count` objects. @throws Error(internal) for anything else
  void unpack(Index count, std::span<const std::byte> bytes) const;
  /// Writes the arrays prefix + "derived/names" and "derived/values", names x objects: values that are known for all
  /// `count` objects from number `first` on. Writes nothing if there are none.
  void write(ArrayWriter& arrays, const std::string& prefix, Index first, Index count) const;
  /// Reads these arrays for `count` objects, if present. @throws Error(input) if they are invalid
  void read(const ArrayReader& arrays, const std::string& prefix, Index count) const;

  /// The object that make() returned at the first request; other threads wait for it.
  template <class Value>
  [[nodiscard]] std::shared_ptr<const Value> object(const std::string& name,
                                                    const std::function<std::shared_ptr<const Value>()>& make) const {
    const std::scoped_lock lock(state_->mutex);
    auto& kept = state_->objects[name];
    if (!kept) kept = make();
    return std::static_pointer_cast<const Value>(kept);
  }

 private:
  [[nodiscard]] std::vector<double> known(const std::vector<std::atomic<double>>& of, Index first, Index count) const;
  void take(const std::string& name, std::span<const double> values) const;
  struct State {
    std::mutex mutex;
    std::map<std::string, std::vector<std::atomic<double>>> numbers;
    std::map<std::string, std::shared_ptr<const void>> objects;
  };
  std::shared_ptr<State> state_;
};

}  // namespace cairn
