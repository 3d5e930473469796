#include "cairn/data/word_vectors/vector_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/data/io/byte_stream.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

WordVectorSource vector_source(const Values& values) {
  return {.path = values.text("vectors"),
          .words = values.text("words"),
          .format = values.text("vectors-format"),
          .keys = values.keys(),
          .first_of_repeated = values.text("repeated-words") == "first"};
}

std::string word_vector_format(const WordVectorSource& source) {
  static const std::vector<std::string> known = {"raw32", "npy", "text", "word2vec"};
  if (!source.format.empty()) {
    if (std::find(known.begin(), known.end(), source.format) != known.end()) return source.format;
    throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not known; there are {}", source.keys("vectors-format"),
                                              source.format, joined(known, ", ")));
  }
  const std::string name = without_compression(source.path);
  for (const char* ending : {".f32le", ".f32", ".raw32"}) {
    if (name.ends_with(ending)) return "raw32";
  }
  if (name.ends_with(".npy")) return "npy";
  if (name.ends_with(".txt") || name.ends_with(".vec")) return "text";
  if (name.ends_with(".bin")) return "word2vec";
  throw Error(ErrorKind::usage, fmt::format("{}: the name does not tell the format; name it with {}: {}", source.path,
                                            source.keys("vectors-format"), joined(known, ", ")));
}

// The words of glove.f32le.gz are in glove.words.txt.gz or glove.words.txt.
std::string words_path(const WordVectorSource& source) {
  if (!source.words.empty()) return source.words;
  const std::string name = without_compression(source.path);
  const std::string compression = source.path.substr(name.size());
  const std::string stem = name.substr(0, name.rfind('.'));
  std::error_code none;
  for (const std::string& ending : {compression, std::string(), std::string(".gz"), std::string(".xz")}) {
    const std::string path = stem + ".words.txt" + ending;
    if (std::filesystem::exists(path, none)) return path;
  }
  if (!std::filesystem::exists(source.path, none)) {
    throw Error(ErrorKind::input, fmt::format("{}: {}", source.path, std::strerror(ENOENT)));
  }
  throw Error(ErrorKind::usage, fmt::format("{}: there is no {}.words.txt{} beside it; name the file of its words with "
                                            "{}",
                                            source.path, stem, compression, source.keys("words")));
}

std::vector<Parameter> vector_parameters(const std::string& vectors) {
  using enum ValueType;
  return {
      {"vectors", "FILE", input_path, "", vectors},
      {"words", "FILE", input_path, "",
       "The words of vectors in raw32 or npy, one per line in the order of the rows; by default the file that has "
       ".words.txt in place of the extension of the vectors. Other formats hold their words, and refuse this key."},
      {.name = "vectors-format",
       .value = "FORMAT",
       .type = choice,
       .help = "raw32 (rows of float32), npy, text (GloVe, word2vec, fastText) or word2vec (its binary format); known "
               "from the name unless given.",
       .choices = {"raw32", "npy", "text", "word2vec"}},
      {.name = "repeated-words",
       .value = "NAME",
       .type = choice,
       .fallback = "refuse",
       .help = "What becomes of a word in use that has several vectors: refuse, or first (its first vector in the "
               "file counts, and a warning says how many were left out).",
       .choices = {"refuse", "first"}}};
}

std::string repeated_words_warning(Index count, const KeyNames& keys) {
  return fmt::format("{} vectors were left out: their words have one before them in the file ({} = first)",
                     grouped(count), keys("repeated-words"));
}

}  // namespace cairn
