// A similarity that does not evaluate the same pair twice.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cairn/similarity/similarity.hpp"

namespace cairn {

/// Another similarity, whose pairs are kept: candidates are compared on one probe and it is evaluated once. It
/// counts no evaluations itself: the similarity behind it does. Memory: some 50 bytes a pair.
template <class T>
class RememberedPairs final : public Similarity<T> {
 public:
  /// `similarity` outlives this.
  explicit RememberedPairs(const Similarity<T>& similarity) : similarity_(similarity) {}

  [[nodiscard]] std::string name() const override { return similarity_.name(); }
  [[nodiscard]] Meaning meaning() const override { return similarity_.meaning(); }
  [[nodiscard]] bool defined_for_unseen() const override { return similarity_.defined_for_unseen(); }
  [[nodiscard]] bool one_sided() const override { return similarity_.one_sided(); }
  [[nodiscard]] bool rounds_to_single() const override { return similarity_.rounds_to_single(); }
  [[nodiscard]] int evaluations_per_entry() const override { return 0; }
  [[nodiscard]] Index most_entries_in_tile() const override { return similarity_.most_entries_in_tile(); }
  [[nodiscard]] double longest_seconds(Index entries) const override { return similarity_.longest_seconds(entries); }
  [[nodiscard]] std::string base_name() const override { return similarity_.base_name(); }
  bool from_base(T* values, Index n) const override { return similarity_.from_base(values, n); }
  [[nodiscard]] DistanceTable<T>* distances() const override { return similarity_.distances(); }
  [[nodiscard]] double cost(const ObjectBlock& rows) const override { return similarity_.cost(rows); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    return similarity_.parameters();
  }
  /// Counts those that it did not know.
  void take_restored(std::span<const Index> first, std::span<const Index> second,
                     std::span<const T> values) const override {
    const std::scoped_lock lock(mutex_);
    Index unknown = 0;
    for (std::size_t a = 0; a < values.size(); ++a)
      unknown += values_.try_emplace({first[a], second[a]}, values[a]).second ? 1 : 0;
    similarity_.count_restored(unknown);
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    similarity_.tile(rows, columns, out);
  }
  void compute_base_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    similarity_.base_tile(rows, columns, out);
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    const std::scoped_lock lock(mutex_);
    bool known = true;
    for (std::size_t a = 0; a < out.size() && known; ++a) {
      const auto found = values_.find({first.ids[a], second.ids[a]});
      known = found != values_.end();
      if (known) out[a] = found->second;
    }
    if (known) return;
    similarity_.pairs(first, second, out);
    for (std::size_t a = 0; a < out.size(); ++a) values_.insert_or_assign({first.ids[a], second.ids[a]}, out[a]);
  }

 private:
  struct Hash {
    std::size_t operator()(const std::pair<Index, Index>& pair) const {
      return std::hash<Index>{}(pair.first) * 0x9E3779B97F4A7C15U ^ std::hash<Index>{}(pair.second);
    }
  };
  const Similarity<T>& similarity_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::pair<Index, Index>, T, Hash> values_;
};

}  // namespace cairn
