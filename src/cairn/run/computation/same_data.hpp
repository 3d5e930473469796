// Whether a stored result was made from the data of a run.
#pragma once

#include <string>

#include "cairn/data/data_kind.hpp"
#include "cairn/run/run_keys.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// @param rows  of the stored factors @param path  of their file @param advice  what the user can do
/// @throws Error(input) unless the data, `objects` objects with this digest, are those that the result was made from.
/// Local.
void require_same_data(const ResultDescription& description, Index rows, std::uint64_t digest, Index objects,
                       const std::string& path, const std::string& advice);

/// Whether what the file at `path` holds can be used again in a run on these data. @param parameter  how messages name
/// the path @throws Error(usage) for another precision, Error(input) for other data or another scaling. Collective.
template <class T>
void require_reusable(const Communicator& communicator, const Data<T>& data, const std::string& path,
                      const std::string& parameter, const KeyNames& run_keys);

}  // namespace cairn
