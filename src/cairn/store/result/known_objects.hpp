// Settings with which the objects of a stored result were read, for the same or new objects.
#pragma once

#include <string>

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// Sets the data properties stored in a result: kind, digest, scaling, columns, tokenization, dimension. Local.
template <class T>
void describe_data(const Data<T>& data, ResultDescription& description);

/// Settings for reading the data of a result again. @param path  of the result, for messages. Local.
[[nodiscard]] KnownObjects known_objects(const ResultDescription& description, const std::string& path);

/// Settings for reading other objects that are compared with the landmarks of a result. Local.
template <class T>
[[nodiscard]] KnownObjects known_for_new_objects(const ResultDescription& description, const std::string& path,
                                                 const Approximation<T>& approximation);

/// Converts landmarks so that they can be compared with these objects (ObjectBlock::matched_to): the words of documents
/// are renumbered as in these objects, whose vectors include all of them. Local.
template <class T>
void match_landmarks(const ObjectSet& objects, Approximation<T>& approximation);

}  // namespace cairn
