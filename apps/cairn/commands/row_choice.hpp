// Resolves rows given in options: by row number, by label, or by number in the file of the data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cairn/approximation/approximation.hpp"
#include "cairn/parameters/settings.hpp"
#include "cairn/store/files/row_names.hpp"
#include "cairn/store/result/result_file.hpp"

namespace cairn::app {

/// @throws Error(usage) that names --option unless 0 <= object < objects. Local.
void require_object(Index object, Index objects, const std::string& option);

/// @throws Error(usage) if --by-label and --by-number are given together, or one without any of `options`. Local.
void check_naming(const Settings& settings, const std::vector<std::string>& options);

/// @throws Error(usage) if --by-label is given but rows have no names. Local.
void require_labels(const RowNames& names, const Settings& settings);

/// @throws Error(usage) if row numbers and numbers in the file differ and the user did not choose which of them
///   `option` uses. Local.
void require_numbering(const RowNames& names, const Settings& settings, const std::string& option);

/// Rows that an option's texts name: by row number, or as --by-label and --by-number request. Each rank searches its
/// own rows. @throws Error(usage) for a text that names no row, or several. Collective.
[[nodiscard]] std::vector<Index> find_rows(const RowNames& names, const Settings& settings, const std::string& option,
                                           const std::vector<std::string>& texts);

/// Names of the columns of a rectangular result. Collective.
template <class T>
[[nodiscard]] RowNames column_names(const Communicator& communicator, const StoredResult<T>& stored) {
  return {communicator, stored.approximation.right_factor().partition(), stored.right_labels, {}, {}, "column"};
}

/// Adds PREFIXlabel and PREFIXnumber to an object, if available. Local.
void add_name(nlohmann::ordered_json& json, const RowName& name, const std::string& prefix = "");

}  // namespace cairn::app
