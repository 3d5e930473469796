#include "cairn/data/documents/tokenization_parameters.hpp"

#include <fmt/format.h>

#include <iterator>

#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr const char* kmers = "k-mers";

}  // namespace

std::vector<Parameter> tokenization_parameters() {
  using enum ValueType;
  return {
      {.name = "tokens",
       .value = "NAME",
       .type = choice,
       .fallback = "words",
       .help =
           "What a word is: words (runs of letters and digits), letters (runs of letters only), blanks (whatever is "
           "between blanks), characters (each letter and each digit by itself, for Chinese and Japanese) or k-mers "
           "(kmer-length letters of a protein that follow each other; the default of format protein).",
       .choices = {"words", "letters", "blanks", "characters", kmers}},
      {"lower-case", "BOOL", flag, "true", "Make capitals small before words are looked up."},
      {.name = "kmer-length",
       .value = "N",
       .type = integer,
       .fallback = "3",
       .help = "Letters of a k-mer.",
       .lowest = 1,
       .highest = 64},
      {.name = "letters",
       .value = "NAME",
       .type = choice,
       .fallback = "refuse",
       .help = "Treatment of letters of a sequence other than the 20 amino acids (gaps, B, O, U, X, Z): refuse (an "
               "error that names the position), keep (as letters like others), split (a new sequence begins behind "
               "them) or skip (they are left out).",
       .choices = {"refuse", "keep", "split", "skip"}},
  };
}

Tokenization tokenization_of(const Values& values) {
  Tokenization tokenization;
  const bool proteins = values.text("format") == "protein" && !values.given("tokens");
  tokenization.pieces = proteins ? kmers : values.text("tokens");
  tokenization.lower_case = values.flag("lower-case");
  tokenization.kmers = {values.integer("kmer-length"), values.text("letters")};
  return tokenization;
}

std::vector<UnusedParameter> unused_tokenization(const Values& values) {
  const std::string pieces = tokenization_of(values).pieces;
  const std::string why = fmt::format("{} is {}", values.keys()("tokens"), pieces);
  if (pieces == kmers) {
    return {{"lower-case", why + ": small letters of sequences are capitals"}, {"stop-words", why}, {"markup", why}};
  }
  return {{"kmer-length", why}, {"letters", why}};
}

std::string description_of(const Tokenization& tokenization) {
  if (tokenization.pieces == kmers) {
    return fmt::format("k-mers of {} letters, other letters: {}", tokenization.kmers.length,
                       tokenization.kmers.letters);
  }
  return fmt::format("{}, {}, {} stop words{}", tokenization.pieces,
                     tokenization.lower_case ? "in small letters" : "as they are written",
                     grouped(std::ssize(tokenization.stop_words)), tokenization.strips_markup ? ", tags stripped" : "");
}

}  // namespace cairn
