#include "cairn/approximation/random_features/affine_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "cairn/linalg/dense/row_product.hpp"

namespace cairn {

namespace {

const std::string inner_place = "inner/";

// Adds a prefix to the names of arrays: those of the inner map.
class InnerWriter final : public ArrayWriter {
 public:
  explicit InnerWriter(ArrayWriter& arrays) : arrays_(arrays) {}
  void write(const std::string& name, const ArrayShape& shape, const std::function<Piece(Index)>& piece) override {
    arrays_.write(inner_place + name, shape, piece);
  }
  void write_texts(const std::string& name, std::span<const std::string_view> texts) override {
    arrays_.write_texts(inner_place + name, texts);
  }
  void write_words(const std::string& name, std::span<const std::string_view> words) override {
    arrays_.write_words(inner_place + name, words);
  }

 private:
  ArrayWriter& arrays_;
};

class InnerReader final : public ArrayReader {
 public:
  explicit InnerReader(const ArrayReader& arrays) : arrays_(arrays) {}
  [[nodiscard]] bool has(const std::string& name) const override { return arrays_.has(inner_place + name); }
  [[nodiscard]] ArrayShape shape(const std::string& name) const override { return arrays_.shape(inner_place + name); }
  void read(const std::string& name, void* out) const override { arrays_.read(inner_place + name, out); }
  [[nodiscard]] std::vector<std::string> read_texts(const std::string& name) const override {
    return arrays_.read_texts(inner_place + name);
  }
  [[nodiscard]] std::vector<std::string> read_words(const std::string& name) const override {
    return arrays_.read_words(inner_place + name);
  }
  [[nodiscard]] std::string called(const std::string& name) const override {
    return arrays_.called(inner_place + name);
  }
  [[noreturn]] void refuse(const std::string& what) const override {
    for (;;) arrays_.refuse(what);  // GCC 12 assumes that a virtual function may return
  }

 private:
  const ArrayReader& arrays_;
};

}  // namespace

AffineChange::AffineChange(std::vector<double> center, std::vector<double> basis, double constant)
    : center_(std::move(center)), basis_(std::move(basis)), single_(basis_.begin(), basis_.end()), constant_(constant) {
  if (basis_.empty()) {
    shift_ = center_;
    return;
  }
  const std::size_t kept = basis_.size() / center_.size();
  shift_.assign(kept, 0.0);
  for (std::size_t i = 0; i < center_.size(); ++i) {
    for (std::size_t k = 0; k < kept; ++k) shift_[k] += center_[i] * basis_[i * kept + k];
  }
}

template <class T>
const T* AffineChange::basis() const {
  if constexpr (std::is_same_v<T, float>) {
    return single_.data();
  } else {
    return basis_.data();
  }
}

template <class T>
void AffineChange::apply_as(MatrixView<const T> points, MatrixView<T> out) const {
  const Index last = columns() - 1;
  if (!basis_.empty()) {
    multiply<T>(points, {basis<T>(), dimension(), last}, {out.data, out.rows, last, out.stride});
  }
  for (Index a = 0; a < out.rows; ++a) {
    const T* from = basis_.empty() ? points.row(a) : out.row(a);
    T* to = out.row(a);
    for (Index k = 0; k < last; ++k) to[k] = from[k] - static_cast<T>(shift_[k]);
    to[last] = static_cast<T>(constant_);
  }
}

void AffineChange::apply(MatrixView<const float> points, MatrixView<float> out) const { apply_as(points, out); }
void AffineChange::apply(MatrixView<const double> points, MatrixView<double> out) const { apply_as(points, out); }

void AffineChange::opposite(std::span<const double> w, double bias, std::span<double> v) const {
  const std::size_t kept = shift_.size();
  double at_center = bias;
  for (std::size_t i = 0; i < w.size(); ++i) at_center += center_[i] * w[i];
  if (basis_.empty()) {
    std::ranges::copy(w, v.begin());
  } else {
    std::ranges::fill(v, 0.0);
    for (std::size_t i = 0; i < w.size(); ++i) {
      for (std::size_t k = 0; k < kept; ++k) v[k] += basis_[i * kept + k] * w[i];
    }
  }
  v[kept] = at_center / constant_;
}

void AffineChange::write(ArrayWriter& arrays) const {
  arrays.write_list("center", std::span<const double>(center_));
  arrays.write_list("constant", std::span<const double>(&constant_, 1));
  if (basis_.empty()) return;
  arrays.write_matrix("basis", MatrixView<const double>(basis_.data(), dimension(), columns() - 1));
}

AffineChange AffineChange::read(const ArrayReader& arrays) {
  const auto finite = [](double value) { return std::isfinite(value); };
  std::vector<double> center = arrays.read_list<double>("center"), basis;
  const std::vector<double> constant = arrays.read_list<double>("constant");
  if (center.empty() || constant.size() != 1 || !std::ranges::all_of(center, finite) || !finite(constant.front())) {
    arrays.refuse(fmt::format("{} and the constant beside it are no finite numbers", arrays.called("center")));
  }
  if (arrays.has("basis")) {
    const auto coordinates = static_cast<Index>(center.size());
    const ArrayShape shape = arrays.shape("basis");
    if (shape.number != ArrayNumber::float64 || shape.rows != coordinates || shape.columns < 1) {
      arrays.refuse(fmt::format("{} is no basis of {} coordinates", arrays.called("basis"), coordinates));
    }
    basis.resize(coordinates * shape.columns);
    arrays.read("basis", basis.data());
    if (!std::ranges::all_of(basis, finite)) {
      arrays.refuse(fmt::format("{} holds a number that is not finite", arrays.called("basis")));
    }
  }
  return {std::move(center), std::move(basis), constant.front()};
}

template <class T>
void AffineFeatures::apply_as(MatrixView<const T> points, MatrixView<T> out) const {
  Buffer<T> changed(points.rows * change_.columns());
  const MatrixView<T> to(changed.data(), points.rows, change_.columns());
  change_.apply(points, to);
  inner_->apply(MatrixView<const T>(to.data, to.rows, to.columns), out);
}

void AffineFeatures::write(ArrayWriter& arrays) const {
  change_.write(arrays);
  const std::string kind = inner_->kind();
  const std::string_view kinds[] = {kind};
  arrays.write_texts("kind", kinds);
  InnerWriter inner(arrays);
  inner_->write(inner);
}

std::shared_ptr<const FeatureMap> AffineFeatures::read(const ArrayReader& arrays) {
  AffineChange change = AffineChange::read(arrays);
  const std::vector<std::string> kinds = arrays.read_texts("kind");
  if (kinds.size() != 1 || kinds.front() == name) {
    arrays.refuse(fmt::format("{} does not say what features the changed points have", arrays.called("kind")));
  }
  auto inner = read_feature_map(kinds.front(), InnerReader(arrays));
  if (inner->dimension() != change.columns()) {
    arrays.refuse(fmt::format("{} takes points with {} coordinates, not {}", arrays.called("inner"), inner->dimension(),
                              change.columns()));
  }
  return std::make_shared<const AffineFeatures>(std::move(change), std::move(inner));
}

}  // namespace cairn
