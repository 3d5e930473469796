// Landmarks of a stored result that are documents.
#pragma once

#include <optional>

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/data/documents/document_set.hpp"

namespace cairn::app {

/// What is known of the landmarks of a stored result; nothing if they are no documents. Local.
template <class T>
[[nodiscard]] std::optional<KnownDocuments> known_documents(const std::optional<Tokenization>& tokenization,
                                                            const Approximation<T>& approximation);

/// Numbers the words of the landmark documents as in `documents`, whose vectors have all of them. Local.
template <class T>
void renumber_landmarks(const DocumentSet& documents, Approximation<T>& approximation);

}  // namespace cairn::app
