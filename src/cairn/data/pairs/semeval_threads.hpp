// Threads of questions and comments as SemEval 2016, task 3 has them. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "cairn/base/index.hpp"

namespace cairn {

/// A question (subject and body) or a comment.
struct ForumText {
  std::string id{};
  std::string user{};         ///< id of who wrote it; empty: not said
  std::string text{};         ///< of a question its subject and its body, with a line end between
  std::string of_left{};      ///< its relevance to the question of its thread (comments) or to the original question
  std::string of_original{};  ///< of a comment: to the original question
  Index rank = 0;             ///< of a related question: in the order of the search
  Index line = 0;             ///< where its element begins, from 1
};

/// An original question, one that is related to it, and the comments on that one, in the order of the thread.
struct ForumThread {
  ForumText original, related;
  std::vector<ForumText> comments;
  bool skipped_in_a = false;  ///< the thread is also that of another question (SubtaskA_Skip...)
};

/// Every thread of an XML file, plain, .gz or .xz. The whole file is held.
/// @throws Error(input) with file:line for what is no such file, a text or attribute that is missing, a relevance that
/// is not known, an id that two related questions or two comments have, or two texts of one original question. Local.
[[nodiscard]] std::vector<ForumThread> read_threads(const std::string& path);

}  // namespace cairn
