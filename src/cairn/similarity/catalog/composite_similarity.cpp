#include "cairn/similarity/catalog/composite_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/buffer.hpp"
#include "cairn/base/error.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/vector_math.hpp"

namespace cairn {

namespace {

template <class T>
EntryTraits traits_of(std::string name, const std::vector<std::unique_ptr<Similarity<T>>>& parts) {
  if (parts.empty()) throw Error(ErrorKind::usage, fmt::format("the similarity {} needs parts", name));
  EntryTraits all = parts.front()->traits();
  for (const auto& part : parts) {
    const EntryTraits& own = part->traits();
    if (own.meaning == Meaning::distance) all.meaning = Meaning::distance;
    all.defined_for_unseen = all.defined_for_unseen && own.defined_for_unseen;
    all.one_sided = all.one_sided || own.one_sided;
    all.rounds_to_single = all.rounds_to_single || own.rounds_to_single;
    all.evaluations_per_entry = std::max(all.evaluations_per_entry, own.evaluations_per_entry);
    all.most_entries_in_tile = std::min(all.most_entries_in_tile, own.most_entries_in_tile);
  }
  all.name = std::move(name);
  all.base.clear();
  return all;
}

template <class T>
class CompositeSimilarity : public Similarity<T> {
 public:
  using Parts = std::vector<std::unique_ptr<Similarity<T>>>;
  CompositeSimilarity(std::string name, Parts parts)
      : Similarity<T>(traits_of(std::move(name), parts)), parts_(std::move(parts)) {}

  [[nodiscard]] double longest_seconds(Index entries) const override {
    double total = 0;
    for (const auto& part : parts_) total += part->longest_seconds(entries);
    return total;
  }
  [[nodiscard]] double cost(const ObjectBlock& rows) const override {
    double total = 0;
    for (const auto& part : parts_) total += part->cost(rows);
    return total;
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    std::vector<std::pair<std::string, std::string>> all;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      all.emplace_back(fmt::format("{}.kind", p + 1), parts_[p]->traits().name);
      for (const auto& [key, value] : parts_[p]->parameters())
        all.emplace_back(fmt::format("{}.{}", p + 1, key), value);
    }
    return all;
  }

 protected:
  // begin() starts with the first part, in place; combine() adds or multiplies another part. False if a result is not
  // finite.
  virtual bool begin(T* values, Index n) const = 0;
  virtual bool combine(std::size_t part, const T* terms, T* values, Index n) const = 0;

  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const final {
    const auto row_id = [&](Index a) { return rows.ids[a]; };
    this->tile_of(*parts_.front(), rows, columns, out);
    for (Index a = 0; a < out.rows; ++a) {
      if (!begin(out.row(a), out.columns)) this->report_not_finite(row_id(a), columns.ids, out.row(a));
    }
    Buffer<T> scratch(parts_.size() > 1 ? out.rows * out.columns : 0);
    const MatrixView<T> terms(scratch.data(), out.rows, out.columns);
    for (std::size_t p = 1; p < parts_.size(); ++p) {
      this->tile_of(*parts_[p], rows, columns, terms);
      for (Index a = 0; a < out.rows; ++a) {
        const bool finite = combine(p, terms.row(a), out.row(a), out.columns);
        if (!finite) this->report_not_finite(row_id(a), columns.ids, out.row(a));
      }
    }
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const final {
    const auto count = static_cast<Index>(out.size());
    this->pairs_of(*parts_.front(), first, second, out);
    begin(out.data(), count);
    Buffer<T> terms(parts_.size() > 1 ? count : 0);
    for (std::size_t p = 1; p < parts_.size(); ++p) {
      this->pairs_of(*parts_[p], first, second, terms.span());
      combine(p, terms.data(), out.data(), count);
    }
  }

 private:
  Parts parts_;
};

template <class T>
class Sum final : public CompositeSimilarity<T> {
 public:
  Sum(typename CompositeSimilarity<T>::Parts parts, std::vector<double> weights)
      : CompositeSimilarity<T>("sum", std::move(parts)), weights_(std::move(weights)) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override {
    auto all = CompositeSimilarity<T>::parameters();
    for (std::size_t p = 0; p < weights_.size(); ++p) {
      all.emplace_back(fmt::format("{}.weight", p + 1), fmt::format("{:.17g}", weights_[p]));
    }
    return all;
  }

 protected:
  bool begin(T* values, Index n) const override {
    return vector_math::multiply(static_cast<T>(weights_.front()), values, n);
  }
  bool combine(std::size_t part, const T* terms, T* values, Index n) const override {
    return vector_math::add(static_cast<T>(weights_[part]), terms, values, n);
  }

 private:
  std::vector<double> weights_;
};

template <class T>
class Product final : public CompositeSimilarity<T> {
 public:
  explicit Product(typename CompositeSimilarity<T>::Parts parts)
      : CompositeSimilarity<T>("product", std::move(parts)) {}

 protected:
  bool begin(T* /*values*/, Index /*n*/) const override { return true; }
  bool combine(std::size_t /*part*/, const T* terms, T* values, Index n) const override {
    return vector_math::multiply(terms, values, n);
  }
};

}  // namespace

template <class T>
std::unique_ptr<Similarity<T>> make_sum(std::vector<std::unique_ptr<Similarity<T>>> parts,
                                        std::vector<double> weights) {
  return std::make_unique<Sum<T>>(std::move(parts), std::move(weights));
}

template <class T>
std::unique_ptr<Similarity<T>> make_product(std::vector<std::unique_ptr<Similarity<T>>> parts) {
  return std::make_unique<Product<T>>(std::move(parts));
}

#define CAIRN_INSTANTIATE(T)                                                                       \
  template std::unique_ptr<Similarity<T>> make_sum<T>(std::vector<std::unique_ptr<Similarity<T>>>, \
                                                      std::vector<double>);                        \
  template std::unique_ptr<Similarity<T>> make_product<T>(std::vector<std::unique_ptr<Similarity<T>>>);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

namespace {

constexpr std::size_t most_parts = 9;

template <class T>
std::vector<std::unique_ptr<Similarity<T>>> parts_of(const SimilarityInput<T>& input, Index& preparation) {
  std::vector<std::unique_ptr<Similarity<T>>> parts;
  for (const SimilarityChoice& part : input.choice.parts) {
    parts.push_back(make_similarity<T>(input.execution, part, input.objects));
    preparation += parts.back()->evaluations();
  }
  return parts;
}

std::vector<double> weights_of(const SimilarityChoice& choice) {
  const std::string& text = choice.values.text("weights");
  if (text.empty()) return std::vector<double>(choice.parts.size(), 1.0);
  std::vector<double> weights;
  for (const std::string& item : comma_list(text)) {
    const auto weight = parse_number(item);
    if (!weight) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: '{}' is not a finite number", choice.values.where("weights"), item));
    }
    weights.push_back(*weight);
  }
  if (weights.size() != choice.parts.size()) {
    throw Error(ErrorKind::usage, fmt::format("{} has {} weights for {} parts", choice.values.where("weights"),
                                              weights.size(), choice.parts.size()));
  }
  return weights;
}

void check_parts(const SimilarityChoice& choice) {
  const Values& values = choice.values;
  if (choice.parts.empty()) {
    throw Error(ErrorKind::usage, fmt::format("the similarity {} needs at least one part", choice.name()));
  }
  if (choice.parts.size() > most_parts) {
    throw Error(ErrorKind::usage, fmt::format("{} has {} parts; at most {} are possible", values.where("parts"),
                                              choice.parts.size(), most_parts));
  }
}

void check_sum(const SimilarityChoice& choice) {
  check_parts(choice);
  static_cast<void>(weights_of(choice));
}

template <class T>
std::unique_ptr<Similarity<T>> sum_of(const SimilarityInput<T>& input) {
  Index preparation = 0;
  auto made = make_sum<T>(parts_of(input, preparation), weights_of(input.choice));
  made->count_more(preparation);
  return made;
}

template <class T>
std::unique_ptr<Similarity<T>> product_of(const SimilarityInput<T>& input) {
  Index preparation = 0;
  auto made = make_product<T>(parts_of(input, preparation));
  made->count_more(preparation);
  return made;
}

Parameter parts_parameter() {
  return {.name = "parts",
          .value = "KIND,KIND",
          .help =
              "The kinds of the parts, with commas; the keys of part 1 are similarity.1.gamma and so on (section "
              "[similarity.1] of a config)."};
}

}  // namespace

const SimilarityDescriptor& sum_similarity() {
  static const SimilarityDescriptor similarity{
      .name = "sum",
      .summary = "A weighted sum of other similarities.",
      .parameters = {parts_parameter(),
                     {.name = "weights",
                      .value = "W,W",
                      .help = "A weight for each part, with commas; by default all are 1."}},
      .traits = {.composite = true},
      .check = check_sum,
      .make_single = sum_of<float>,
      .make_double = sum_of<double>};
  return similarity;
}

const SimilarityDescriptor& product_similarity() {
  static const SimilarityDescriptor similarity{.name = "product",
                                               .summary = "The product of other similarities, entry by entry.",
                                               .parameters = {parts_parameter()},
                                               .traits = {.composite = true},
                                               .check = check_parts,
                                               .make_single = product_of<float>,
                                               .make_double = product_of<double>};
  return similarity;
}

}  // namespace cairn
