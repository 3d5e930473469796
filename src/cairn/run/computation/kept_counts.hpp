// Co-occurrences of an earlier run.
#pragma once

#include <string>

#include "cairn/approximation/approximation.hpp"
#include "cairn/data/data_kind.hpp"
#include "cairn/run/computation/run_keys.hpp"

namespace cairn {

/// Gives words the co-occurrences of a result of the same corpus, so that they are not counted again.
/// @param path  empty: there is no such result @return false if the objects are not words
/// @throws Error(input) for a result of another corpus, one whose co-occurrences were counted differently, or one
/// without co-occurrences. Collective.
template <class T>
bool reuse_counts(const Execution& execution, const Data<T>& data, const std::string& path, const RunKeys& keys);

/// The same from the result that these data belong to, if it has co-occurrences. Collective.
template <class T>
void take_stored_counts(const Execution& execution, const Data<T>& data, const std::string& path);

/// Adds the sizes of word co-occurrences to the report, as a sentence and metrics. No effect for other objects.
/// Collective.
template <class T>
void describe_counts(const Execution& execution, const Data<T>& data, MethodReport& report);

}  // namespace cairn
