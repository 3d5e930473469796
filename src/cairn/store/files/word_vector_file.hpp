// Word vectors for other programs: the two formats of word2vec.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/schedule/execution.hpp"
#include "cairn/linalg/tall/row_block.hpp"
#include "cairn/store/output_path.hpp"

namespace cairn {

/// Writes "ROWS COLUMNS", then one line per word with its vector. If the name ends in .bin, after the first line each
/// row is the word, a blank, COLUMNS values as float32 in the byte order of this machine, and a line end. gensim and
/// others read both. Blanks in a word become underscores; rows without words get their numbers, from 0.
/// @param columns  number of leading columns to write @param words  words of own rows, or empty on every rank
/// The file is complete or absent. Works by windows of rows: no rank ever holds those of n rows. @throws
/// Error(resource) if the disk is full. Collective.
template <class T>
void write_word_vectors(const Execution& execution, const OutputPath& path, const RowBlock<T>& rows, Index columns,
                        const std::vector<std::string>& words);

}  // namespace cairn
