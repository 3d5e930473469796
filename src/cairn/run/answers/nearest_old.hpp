// The nearest objects of a result for new objects, from an extension of it.
#pragma once

#include <functional>
#include <string>

#include "cairn/run/answers/result_answers.hpp"

namespace cairn {

/// Request for the neighbors of new objects.
struct NearestQuestion {
  std::string known;          ///< file of the result, for messages
  std::string unseen;         ///< file of its extension, whose rows are the new objects
  std::size_t k = 10;         ///< neighbors per object
  bool by_angle = false;      ///< compare rows of the left factors by their cosine instead of K~
  char separator = ',';       ///< between the fields of a line: a comma, or a blank for people
  Index most_lines = 0;       ///< 0: no limit
  Index most_tile_bytes = 0;  ///< as in read_result
};

/// @param known  of the result, with its factors @param path, unseen_path  of both files, for messages
/// @throws Error(usage) for sparse or rectangular factors; Error(input) if `unseen` is not an extension of the result.
/// Collective.
template <class T>
void require_extension(const Communicator& communicator, const ResultAnswers<T>& known, const std::string& path,
                       const StoredResult<T>& unseen, const std::string& unseen_path);

/// Produces lines "new object, old object, value, label of the new one, label and number of the old one, name of the
/// new one, name of the old one", nearest first, in the order of the new objects. With commas, a heading comes first.
/// Labels, numbers and names are those in the files; a name is the text of a row for people (the file of a text).
/// @param answers  of the result, with its factors
/// @param take  receives the lines of a block of new objects, on every rank
/// @return number of new objects. Memory: at most 64 MB of K~ and as much of neighbors (at least one column), and the
/// factors of both files. Logs the warnings of the extension.
/// @throws Error(usage) for sparse or rectangular factors, or more lines than most_lines; Error(input) if the file is
/// not an extension of the result. Collective.
template <class T>
Index answer_nearest(const Execution& execution, const ResultAnswers<T>& answers, const NearestQuestion& question,
                     const std::function<void(const std::string& lines)>& take);

}  // namespace cairn
