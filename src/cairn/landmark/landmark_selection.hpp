// What a selection of landmarks is: its name, its parameters, what it takes, and how it chooses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cairn/landmark/landmarks.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// What a selection chooses from.
template <class T>
struct SelectionInput {
  const Execution& execution;
  const ObjectSet& objects;
  const Similarity<T>& entries;            ///< K between the objects
  const SourceSimilarity* rows = nullptr;  ///< K from one object to all others, if it comes so
  /// Another of the same rows, which serves searches for the nearest; nothing: `rows` does. Collective.
  std::function<std::unique_ptr<SourceSimilarity>()> nearest{};
  Index count;                    ///< s1; 0: as many as the selection's own parameters say
  const Values& values;           ///< count, fraction, selection, and the parameters of all selections
  std::uint64_t data_digest = 0;  ///< of the objects
  bool takes_objects = true;      ///< whether the method needs the landmarks themselves, not their numbers only
  bool keeps_columns = true;      ///< whether the method can use columns of K that the selection evaluates
};

template <class T>
using SelectLandmarks = Landmarks<T> (*)(const SelectionInput<T>&);

/// A selection of landmarks. Everything that the program knows about it is derived from this.
struct LandmarkSelection {
  std::string name;
  std::string summary;  ///< a sentence for --help
  std::string source;   ///< of the algorithm; empty: there is nothing to cite
  std::vector<Parameter> parameters{};
  std::vector<ObjectKind> objects{};      ///< that it chooses from; empty: any
  std::vector<ObjectKind> default_for{};  ///< objects for which it is the default
  bool evaluates = false;     ///< it evaluates columns of K one by one as it chooses: their distances cannot be kept
  bool semidefinite = false;  ///< it takes single entries of a positive semidefinite K
  bool any_order = false;     ///< a method that takes whole rows may have the landmarks in another order
  bool counts = false;        ///< without a number of landmarks it takes as many as its parameters list
  /// Bytes of a rank with so many rows, while it chooses. Local.
  Index (*work_bytes)(Index rows, Index landmarks, Index value_bytes) = nullptr;
  /// The selection in single and in double precision. @throws Error(usage) unless 1 <= count <= objects. Collective.
  SelectLandmarks<float> run_single = nullptr;
  SelectLandmarks<double> run_double = nullptr;
};

/// The selections of this folder.
[[nodiscard]] const LandmarkSelection& uniform_selection();
[[nodiscard]] const LandmarkSelection& farthest_selection();
[[nodiscard]] const LandmarkSelection& rpcholesky_selection();
[[nodiscard]] const LandmarkSelection& frequency_selection();
[[nodiscard]] const LandmarkSelection& coreness_selection();

}  // namespace cairn
