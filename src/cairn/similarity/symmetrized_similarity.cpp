#include "cairn/similarity/symmetrized_similarity.hpp"

#include "cairn/base/buffer.hpp"

namespace cairn {

namespace {

// In double precision, so that values near the largest of T have a mean.
template <class T>
T mean(T there, T back) {
  return static_cast<T>(0.5 * static_cast<double>(there) + 0.5 * static_cast<double>(back));
}

template <class T>
class Symmetrized final : public Similarity<T> {
 public:
  explicit Symmetrized(std::unique_ptr<Similarity<T>> directed) : directed_(std::move(directed)) {}

  [[nodiscard]] std::string name() const override { return directed_->name(); }
  [[nodiscard]] Meaning meaning() const override { return directed_->meaning(); }
  [[nodiscard]] bool defined_for_unseen() const override { return directed_->defined_for_unseen(); }
  [[nodiscard]] bool rounds_to_single() const override { return directed_->rounds_to_single(); }
  [[nodiscard]] int evaluations_per_entry() const override { return 2; }
  [[nodiscard]] double cost(const ObjectBlock& rows) const override { return 2 * directed_->cost(rows); }
  [[nodiscard]] Index most_entries_in_tile() const override { return directed_->most_entries_in_tile(); }
  [[nodiscard]] double longest_seconds(Index entries) const override { return 2 * directed_->longest_seconds(entries); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    auto parameters = directed_->parameters();
    parameters.emplace_back("symmetrize", "true");
    return parameters;
  }
  /// Those of `directed`, which knows what it made again.
  [[nodiscard]] Index evaluations() const override { return directed_->evaluations(); }
  void count_more(Index evaluations) const override { directed_->count_more(evaluations); }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    directed_->tile(rows, columns, out);
    Buffer<T> values(out.rows * out.columns);
    const MatrixView<T> back(values.data(), out.columns, out.rows);
    directed_->tile(columns, rows, back);
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) out(a, b) = mean(out(a, b), back(b, a));
    }
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    directed_->pairs(first, second, out);
    Buffer<T> back(static_cast<Index>(out.size()));
    directed_->pairs(second, first, back.span());
    for (std::size_t a = 0; a < out.size(); ++a) out[a] = mean(out[a], back[static_cast<Index>(a)]);
  }

 private:
  std::unique_ptr<Similarity<T>> directed_;
};

}  // namespace

template <class T>
std::unique_ptr<Similarity<T>> make_symmetrized(std::unique_ptr<Similarity<T>> directed) {
  return std::make_unique<Symmetrized<T>>(std::move(directed));
}

template std::unique_ptr<Similarity<float>> make_symmetrized<float>(std::unique_ptr<Similarity<float>>);
template std::unique_ptr<Similarity<double>> make_symmetrized<double>(std::unique_ptr<Similarity<double>>);

}  // namespace cairn
