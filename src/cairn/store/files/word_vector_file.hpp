// Vectors of words for other programs: the two formats of word2vec.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Writes "ROWS COLUMNS", then a word and its vector a line; or, if the name ends in .bin, after that line for each row
/// its word, a blank, COLUMNS values as float32 in the order of bytes of this machine, and a line end. gensim and
/// others read both. Blanks in a word become underscores; rows without words have their numbers, from 0.
/// @param columns  the first so many of each row are written @param words  of own rows, or empty on every rank
/// Complete or not at all; by windows of rows: no rank ever holds those of n. @throws Error(resource) if the disk is
/// full. Collective.
template <class T>
void write_word_vectors(const Execution& execution, const OutputPath& path, const RowBlock<T>& rows, Index columns,
                        const std::vector<std::string>& words);

}  // namespace cairn
