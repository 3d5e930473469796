#include "cairn/similarity/symmetrized_similarity.hpp"

#include "cairn/base/buffer.hpp"

namespace cairn {

namespace {

// In double precision, so that the mean of values near the largest T does not overflow.
template <class T>
T mean(T there, T back) {
  return static_cast<T>(0.5 * static_cast<double>(there) + 0.5 * static_cast<double>(back));
}

EntryTraits averaged(EntryTraits traits) {
  traits.one_sided = false;
  traits.evaluations_per_entry = 2;
  traits.base.clear();
  return traits;
}

template <class T>
class Symmetrized final : public Similarity<T> {
 public:
  explicit Symmetrized(std::unique_ptr<Similarity<T>> directed)
      : Similarity<T>(averaged(directed->traits()), *directed), directed_(std::move(directed)) {}

  [[nodiscard]] double cost(const ObjectBlock& rows) const override { return 2 * directed_->cost(rows); }
  [[nodiscard]] double longest_seconds(Index entries) const override { return 2 * directed_->longest_seconds(entries); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    auto parameters = directed_->parameters();
    parameters.emplace_back("symmetrize", "true");
    return parameters;
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    this->tile_of(*directed_, rows, columns, out);
    Buffer<T> values(out.rows * out.columns);
    const MatrixView<T> back(values.data(), out.columns, out.rows);
    this->tile_of(*directed_, columns, rows, back);
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) out(a, b) = mean(out(a, b), back(b, a));
    }
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    finite_pairs(first, second, out);
    Buffer<T> back(static_cast<Index>(out.size()));
    finite_pairs(second, first, back.span());
    for (std::size_t a = 0; a < out.size(); ++a) out[a] = mean(out[a], back[static_cast<Index>(a)]);
  }

 private:
  void finite_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const {
    this->pairs_of(*directed_, first, second, out);
    this->require_finite(first, second, out);
  }

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
