// Tokenization parameters for the kinds of data that read texts.
#pragma once

#include <string>
#include <vector>

#include "cairn/data/documents/tokenizer.hpp"
#include "cairn/parameters/values.hpp"

namespace cairn {

/// The parameters tokens, lower-case, kmer-length, letters.
[[nodiscard]] std::vector<Parameter> tokenization_parameters();
/// Tokenization given by the parameters, without stop words, which are in a file. If `format` is protein and tokens is
/// not given, tokens are k-mers.
[[nodiscard]] Tokenization tokenization_of(const Values& values);
/// Parameters that have no effect with the given others, and stop-words and markup with k-mers.
[[nodiscard]] std::vector<UnusedParameter> unused_tokenization(const Values& values);

/// Description for display: "words, in small letters, 3 stop words". Local.
[[nodiscard]] std::string description_of(const Tokenization& tokenization);

}  // namespace cairn
