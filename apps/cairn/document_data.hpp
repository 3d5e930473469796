// Documents as the settings name them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "pipeline.hpp"

namespace cairn::app {

/// What a result says of documents that are to be compared with its landmarks.
struct KnownDocuments {
  Tokenization tokenization;
  std::shared_ptr<const WordVectors> vectors;  ///< of the landmarks' words; null where documents are texts alone
  bool keep_texts = false;
};

/// Reads the documents that [data] names. @param known  where they are to be compared with those of a result: cut into
/// words as those were, and all words of the landmarks are in use. Collective.
template <class T>
[[nodiscard]] Data<T> load_documents(const Execution& execution, const Settings& settings,
                                     const KnownDocuments* known = nullptr);

/// What is known of the landmarks of a stored result, which are documents. Local.
template <class T>
[[nodiscard]] KnownDocuments known_documents(const Tokenization& tokenization, const Approximation<T>& approximation);

/// Numbers the words of the landmark documents as in `documents`, whose vectors have all of them. Local.
template <class T>
void renumber_landmarks(const DocumentSet& documents, Approximation<T>& approximation);

/// What reading left out, in sentences for the user. Local.
[[nodiscard]] std::vector<std::string> notes_of(const DocumentReport& report);
/// Where so many words have no vector that the documents are hardly those that were meant. Local.
[[nodiscard]] std::vector<std::string> warnings_of(const DocumentReport& report);

/// Lines for people: how many documents differ, where their texts stand, how the first begins. Local.
[[nodiscard]] std::string document_lines(const DocumentReport& report, Index documents);
/// The same for programs. Local.
[[nodiscard]] nlohmann::ordered_json document_json(const DocumentReport& report);

}  // namespace cairn::app
