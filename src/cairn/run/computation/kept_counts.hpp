// Co-occurrences of an earlier run.
#pragma once

#include <string>

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/run/run_keys.hpp"

namespace cairn {

/// Gives words the co-occurrences of a result of the same corpus, so that they are not counted again.
/// @param path  empty: there is no such result @return false if the objects are no words
/// @throws Error(input) for a result of another corpus, or whose co-occurrences were counted otherwise, or that holds
/// none. Collective.
template <class T>
bool reuse_counts(const Execution& execution, const Data<T>& data, const std::string& path, const RunKeys& keys);

/// The same from the result whose data these are, if it holds co-occurrences. Collective.
template <class T>
void take_stored_counts(const Execution& execution, const Data<T>& data, const std::string& path);

/// Sizes of the co-occurrences of words: a sentence, and figures of the report. Nothing for other objects. Collective.
template <class T>
void describe_counts(const Execution& execution, const Data<T>& data, MethodReport& report);

}  // namespace cairn
