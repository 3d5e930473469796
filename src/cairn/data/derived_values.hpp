// Numbers of single objects that are computed once, by whoever asks first.
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

/// What similarities derive from objects that stay as they are: K(x, x), an index of a block. Each is made once and
/// kept under a name that says what it is and with which parameters. Copies share. Thread-safe.
class DerivedValues {
 public:
  DerivedValues() : state_(std::make_shared<State>()) {}

  /// The numbers of the `count` objects from number `first` of `total` on. Those that nobody asked for yet are
  /// computed: compute(positions, out), positions from 0 within these. Two threads may compute the same number.
  void numbers(const std::string& name, Index total, Index first, std::span<double> out,
               const std::function<void(std::span<const Index>, std::span<double>)>& compute) const;

  /// Names that begin so are of numbers that depend on more than the objects: they stay in the run.
  static constexpr const char* of_run = "run: ";

  /// Appends the numbers of the `count` objects from number `first` on, as far as they are known.
  void pack(Index first, Index count, std::vector<std::byte>& bytes) const;
  /// Takes what pack() appended of `count` objects. @throws Error(internal) if it is something else
  void unpack(Index count, std::span<const std::byte> bytes) const;
  /// The arrays prefix + "derived/names" and "derived/values", names x objects: numbers that are known of all `count`
  /// objects from number `first` on; nothing if there are none.
  void write(ArrayWriter& arrays, const std::string& prefix, Index first, Index count) const;
  /// Takes them, if they are there, of `count` objects. @throws Error(input) if they are not sound
  void read(const ArrayReader& arrays, const std::string& prefix, Index count) const;

  /// The object that make() made for the first who asked; others wait for it.
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
