// The parameters of how texts become words, for the kinds of data that read texts.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// tokens, lower-case, kmer-length, letters.
[[nodiscard]] std::vector<Parameter> tokenization_parameters();
/// What they say, but for stop words, which are in a file. If `format` is protein and tokens is not given, k-mers.
[[nodiscard]] Tokenization tokenization_of(const Values& values);
/// Those of the parameters that have no effect beside the others, and stop-words and markup beside k-mers.
[[nodiscard]] std::vector<UnusedParameter> unused_tokenization(const Values& values);

/// For people: "words, in small letters, 3 stop words". Local.
[[nodiscard]] std::string description_of(const Tokenization& tokenization);

}  // namespace cairn
