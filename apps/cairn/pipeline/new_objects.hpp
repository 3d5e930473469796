// The objects of an extension beside those of the result that it extends, so that K itself can be evaluated between
// them.
#pragma once

#include <memory>
#include <string>

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/documents/common_words.hpp"
#include "cairn/task/prediction.hpp"
#include "pipeline/stored.hpp"

namespace cairn::app {

/// Objects of a result, those of an extension of it, and the similarity between them. Words of documents, symbols of
/// sequences and labels of trees are numbered alike in both.
template <class T>
class NewObjects final : public MatrixOfNewObjects<T> {
 public:
  /// Reads both sets where the configs in the files say, but the objects of the result where keys of [data] in `given`
  /// say, if there are any.
  /// @param known  path of the result @param approximation  its factors @param unseen  path of the extension
  /// @throws Error(input) if the data are elsewhere or have changed; Error(usage) for a similarity that is not defined
  /// for new objects. Collective.
  NewObjects(const Execution& execution, const Settings& given, const std::string& known,
             const Approximation<T>& approximation, const std::string& unseen);

  [[nodiscard]] const ObjectSet& known() const override {
    return words_.first ? *words_.first : matched_ ? *matched_ : *known_.objects;
  }
  [[nodiscard]] const ObjectSet& unseen() const override { return words_.second ? *words_.second : *unseen_.objects; }
  [[nodiscard]] const Similarity<T>& entries() const override { return *similarity_; }

 private:
  Data<T> known_, unseen_;
  DocumentsOfCommonWords words_;        // for documents with vectors
  std::unique_ptr<ObjectSet> matched_;  // known objects of other kinds, if their parts have numbers
  std::unique_ptr<Similarity<T>> similarity_;
};

}  // namespace cairn::app
