// What the objects of a stored result were read with, for these or new ones.
#pragma once

#include <string>

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// Sets what a result keeps of its data: kind, digest, scaling, columns, tokenization, dimension. Local.
template <class T>
void describe_data(const Data<T>& data, ResultDescription& description);

/// What the data of a result are read with again. @param path  of the result, for messages. Local.
[[nodiscard]] KnownObjects known_objects(const ResultDescription& description, const std::string& path);

/// What other objects are read with that are compared with the landmarks of a result. Local.
template <class T>
[[nodiscard]] KnownObjects known_for_new_objects(const ResultDescription& description, const std::string& path,
                                                 const Approximation<T>& approximation);

/// Landmarks become what they have to be to be compared with these objects (ObjectBlock::matched_to): of documents the
/// words are numbered as in these, whose vectors have all of them. Local.
template <class T>
void match_landmarks(const ObjectSet& objects, Approximation<T>& approximation);

}  // namespace cairn
