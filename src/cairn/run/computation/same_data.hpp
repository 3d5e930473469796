// Checks that a stored result was made from the data of a run.
#pragma once

#include <string>

#include "cairn/data/data_kind.hpp"
#include "cairn/run/computation/run_keys.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn {

/// @param rows  of the stored factors @param path  of their file @param advice  advice for the user
/// @throws Error(input) unless the result was made from these data: `objects` objects with this digest. Local.
void require_same_data(const ResultDescription& description, Index rows, std::uint64_t digest, Index objects,
                       const std::string& path, const std::string& advice);

/// Checks that the content of the file at `path` can be reused in a run on these data. @param parameter  name of the
/// path in messages @throws Error(usage) for another precision, Error(input) for other data or another scaling.
/// Collective.
template <class T>
void require_reusable(const Communicator& communicator, const Data<T>& data, const std::string& path,
                      const std::string& parameter, const KeyNames& run_keys);

}  // namespace cairn
