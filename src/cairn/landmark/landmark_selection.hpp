// Description of a landmark selection: its name, parameters, requirements, and algorithm.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cairn/landmark/landmark_growth.hpp"
#include "cairn/landmark/landmarks.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// Input of a selection.
template <class T>
struct SelectionInput {
  const Execution& execution;
  const ObjectSet& objects;
  const Similarity<T>& entries;            ///< K between the objects
  const SourceSimilarity* rows = nullptr;  ///< K from one object to all others, if K is single-source
  /// Another row oracle for the same rows, for nearest-object searches; empty: use `rows`. Collective.
  std::function<std::unique_ptr<SourceSimilarity>()> nearest{};
  Index count;                    ///< s1; 0: the number that the selection's own parameters give
  const Values& values;           ///< count, fraction, selection, and the parameters of all selections
  std::uint64_t data_digest = 0;  ///< of the objects
  bool takes_objects = true;      ///< true if the method needs the landmarks themselves, not only their numbers
  bool keeps_columns = true;      ///< true if the method can use columns of K that the selection evaluates
};

template <class T>
using SelectLandmarks = Landmarks<T> (*)(const SelectionInput<T>&);

template <class T>
using GrowLandmarks = std::unique_ptr<LandmarkGrowth<T>> (*)(const SelectionInput<T>&);

/// Descriptor of a landmark selection. Everything that the program knows about it is derived from this.
struct LandmarkSelection {
  std::string name;
  std::string summary;  ///< a sentence for --help
  std::string source;   ///< of the algorithm; empty: there is nothing to cite
  std::vector<Parameter> parameters{};
  std::vector<ObjectKind> objects{};      ///< kinds that it accepts; empty: any
  std::vector<ObjectKind> default_for{};  ///< objects for which it is the default
  bool evaluates = false;  ///< evaluates columns of K one by one while it chooses: their distances cannot be kept
  bool entries = false;    ///< uses single entries of K
  bool factors = false;    ///< computes F with K ~ F F^T, in n s² multiplications, and hands it on (Landmarks::factor)
  bool any_order = false;  ///< a method that takes whole rows may reorder the landmarks
  bool counts = false;     ///< without a number of landmarks, takes as many as its parameters list
  /// Bytes that a rank with `rows` rows needs during the selection. Local.
  Index (*work_bytes)(Index rows, Index landmarks, Index value_bytes) = nullptr;
  /// The selection in single and in double precision. @throws Error(usage) unless 1 <= count <= objects. Collective.
  SelectLandmarks<float> run_single = nullptr;
  SelectLandmarks<double> run_double = nullptr;
  /// The same for a number that is not known beforehand (SelectionInput::count is not read); null: it cannot grow. All
  /// references of the input must outlive it. Collective.
  GrowLandmarks<float> grow_single = nullptr;
  GrowLandmarks<double> grow_double = nullptr;
};

/// The selections of this folder.
[[nodiscard]] const LandmarkSelection& uniform_selection();
[[nodiscard]] const LandmarkSelection& farthest_selection();
[[nodiscard]] const LandmarkSelection& rpcholesky_selection();
[[nodiscard]] const LandmarkSelection& frequency_selection();
[[nodiscard]] const LandmarkSelection& coreness_selection();

}  // namespace cairn
