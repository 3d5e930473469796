// Landmarks whose number grows.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cairn/landmark/landmarks.hpp"

namespace cairn {

/// Landmarks and their columns of K, to which more are added. No column is evaluated twice.
template <class T>
class LandmarkGrowth {
 public:
  virtual ~LandmarkGrowth() = default;
  LandmarkGrowth(const LandmarkGrowth&) = delete;
  LandmarkGrowth& operator=(const LandmarkGrowth&) = delete;

  /// Adds landmarks until there are `count`, and evaluates their columns. @return false if there are fewer because
  /// these determine K. @pre the columns are here, and `count` objects may be landmarks @throws as the selection; the
  /// landmarks are then those before the call, or some more. Collective.
  [[nodiscard]] virtual bool grow(Index count) = 0;
  [[nodiscard]] Index count() const { return std::ssize(indices_); }

  /// The landmarks with their columns, which move out. Memory: the columns twice if fewer than asked for were found.
  /// Collective.
  [[nodiscard]] Landmarks<T> take();
  /// take() with the factor and the trace of the error, if there is a factor; then nothing can be added. Collective.
  [[nodiscard]] Landmarks<T> finish();
  /// Takes the columns back.
  void give_back(RowBlock<T> columns) { columns_ = std::move(columns); }

  /// F with K S (SᵀKS)⁺ SᵀK = F Fᵀ, n x count(), which may be moved out and back before the next growth; null: the
  /// selection does not factorize K. Collective.
  [[nodiscard]] virtual RowBlock<T>* factor() { return nullptr; }
  /// The diagonal of K - F Fᵀ at the own rows. @pre factor() Local.
  [[nodiscard]] virtual std::span<const double> residual() const { return {}; }
  /// The trace of K. @pre factor() Collective.
  [[nodiscard]] virtual double trace() const { return 0.0; }

 protected:
  LandmarkGrowth(const Execution& execution, const ObjectSet& objects) : execution_(execution), objects_(objects) {}
  /// `block` with `width` columns, of which the first `held` are kept. Collective.
  [[nodiscard]] RowBlock<T> resized(const RowBlock<T>& block, Index held, Index width) const;

  const Execution& execution_;
  const ObjectSet& objects_;
  std::vector<Index> indices_;
  RowBlock<T> columns_;  // K S, and perhaps room for more
};

/// A growth whose landmarks are chosen without the columns in `entries`, which are evaluated afterwards.
template <class T>
class ChosenGrowth : public LandmarkGrowth<T> {
 public:
  bool grow(Index count) final;

 protected:
  ChosenGrowth(const Execution& execution, const ObjectSet& objects, const Similarity<T>& entries)
      : LandmarkGrowth<T>(execution, objects), entries_(entries) {}
  /// The first `count` landmarks, of which the first are always the same. Collective.
  [[nodiscard]] virtual std::vector<Index> first(Index count) = 0;

 private:
  const Similarity<T>& entries_;
};

}  // namespace cairn
