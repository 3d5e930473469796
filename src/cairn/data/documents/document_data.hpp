// Documents that a program passes as texts.
#pragma once

#include "cairn/data/data_kind.hpp"
#include "cairn/data/documents/document_reader.hpp"

namespace cairn {

/// Documents from texts, treated as those of a file. @param input  values of document_data(), without a path
/// @throws as read_documents; Error(input) that counts the texts of all ranks from 0. Collective.
template <class T>
[[nodiscard]] Data<T> data_of(const DataInput& input, GivenTexts texts);

}  // namespace cairn
