// The nearest objects of a result to new ones, from an extension of it.
#pragma once

#include <functional>
#include <string>

#include "cairn/run/computation/result_answers.hpp"

namespace cairn {

/// Which neighbours of new objects are wanted.
struct NearestQuestion {
  std::string known;          ///< file of the result, for messages
  std::string unseen;         ///< file of its extension, whose rows are the new objects
  std::size_t k = 10;         ///< neighbours of each
  bool by_angle = false;      ///< compare rows of the left factors by their cosine, not by K~
  char separator = ',';       ///< between the fields of a line: a comma, or a blank for people
  Index most_lines = 0;       ///< 0: any number
  Index most_tile_bytes = 0;  ///< as read_result
};

/// Lines "new object, old object, value, label of the new one, label and number of the old one, name of the new one,
/// name of the old one", nearest first, in the order of the new objects; with commas after a heading. Labels, numbers
/// and names are those that the files hold; a name is what a row says for people (the file of a text).
/// @param answers  of the result, with its factors
/// @param take  is handed the lines of a piece of the new objects, on every rank
/// @return how many new objects there were. Memory: at most 64 MB of K~ and as much of neighbours (at least one
/// column), and the factors of both files. Logs the warnings of the extension.
/// @throws Error(usage) for sparse or rectangular factors, or more lines than most_lines; Error(input) if the file is
/// no extension of the result. Collective.
template <class T>
Index answer_nearest(const Execution& execution, const ResultAnswers<T>& answers, const NearestQuestion& question,
                     const std::function<void(const std::string& lines)>& take);

}  // namespace cairn
