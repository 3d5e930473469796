// Points from lines of text. Private to this folder.
#pragma once

#include "data/point_reader.hpp"
#include "data/text_table.hpp"

namespace cairn {

/// Fields separated by comma, tab, semicolon or blanks, whichever the first line has; a first line that is no data is a
/// header; fields may be quoted. Collective. @throws as read_points
/// @param columns  that are read, by name or number from 1, in this order; empty: all but the label
template <class T>
[[nodiscard]] OwnedRows<T> read_csv(const Communicator& communicator, const PointSource& source,
                                    const std::vector<std::string>& columns = {});

/// Names of the columns that read_csv gives: those of the header, or their numbers from 1. Local. @throws Error(input)
[[nodiscard]] std::vector<std::string> csv_column_names(const PointSource& source,
                                                        const std::vector<std::string>& columns);

/// LIBSVM: label index:value ..., indices from 1, ascending; '#' starts a comment. Collective. @throws as read_points,
/// and Error(input) where the largest index makes points of far more values than the file's size lets expect
template <class T>
[[nodiscard]] OwnedRows<T> read_svm(const Communicator& communicator, const PointSource& source);

}  // namespace cairn
