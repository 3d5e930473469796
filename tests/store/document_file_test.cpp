// Landmark documents in a result file: what is written is what is read, and what is not sound is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "cairn/data/documents/document_set.hpp"
#include "edited_file.hpp"

namespace cairn::test::document_file_test {
namespace {

const std::vector<std::string> words = {"zebra", "unused", "ärger", "of", "a", "cat", "unused too"};
constexpr Index dimension = 2;

std::shared_ptr<const WordVectors> make_vectors() {
  std::vector<float> values;
  for (std::size_t k = 0; k < words.size() * static_cast<std::size_t>(dimension); ++k) {
    values.push_back(static_cast<float>(k) / 4.0F);
  }
  return std::make_shared<const WordVectors>(world(), words, dimension, values);
}

// Document i uses words of i alone; its text says its number.
DocumentBags bags_of(const std::vector<Index>& ids, bool with_words, bool texts) {
  DocumentBags bags;
  if (texts) bags.text_starts = {0};
  for (const Index i : ids) {
    const std::vector<std::int32_t> used =
        i % 2 == 0 ? std::vector<std::int32_t>{0, 3, 5} : std::vector<std::int32_t>{2, 4};
    for (const std::int32_t word : used) {
      if (!with_words) break;
      bags.words.push_back(word);
      bags.counts.push_back(static_cast<float>(i + word + 1) / 2.0F);
    }
    bags.starts.push_back(std::ssize(bags.words));
    if (!texts) continue;
    const std::string text = "Nº " + std::to_string(i);
    bags.characters.insert(bags.characters.end(), text.begin(), text.end());
    bags.text_starts.push_back(std::ssize(bags.characters));
  }
  return bags;
}

struct Sample {
  bool with_words = true, texts = false, right = true, splits = false;
};

ResultDescription describe(const Sample& sample) {
  ResultDescription description = sample_description("double", dimension);
  description.object_kind = "documents";
  description.scaling = "none";
  description.columns.reset();
  description.scaling_shift = description.scaling_factor = {};
  if (!sample.with_words) description.dimension = 0;
  if (sample.with_words) description.tokenization = Tokenization{"letters", false, {"the", "größe"}};
  return description;
}

Approximation<double> write(const Sample& sample, const std::string& path) {
  Approximation<double> approximation = sample_approximation<double>({.right = sample.right});
  const auto vectors = sample.with_words ? make_vectors() : nullptr;
  for (auto* origin : {&approximation.left_origin, &approximation.right_origin}) {
    if (!*origin) continue;
    const std::vector<Index>& ids = (*origin)->indices;
    (*origin)->objects = make_document_block(ids, bags_of(ids, sample.with_words, sample.texts), vectors);
  }
  Context context;
  const Execution execution{world(), context.phases, context.ledger};
  const std::vector<std::string> labels = sample_labels(approximation.left.rows());
  const ObjectTexts texts{
      .labels = labels,
      .splits = sample.splits ? std::vector<std::string>(labels.size(), "train") : std::vector<std::string>()};
  write_result(execution, path, approximation, describe(sample), texts);
  return approximation;
}

void expect_documents(const FactorOrigin& read, const FactorOrigin& written) {
  const auto& one = dynamic_cast<const DocumentBlock&>(*read.objects);
  const auto& other = dynamic_cast<const DocumentBlock&>(*written.objects);
  ASSERT_EQ(one.ids, other.ids);
  EXPECT_EQ(one.texts, other.texts);
  ASSERT_TRUE(std::ranges::equal(one.starts, other.starts));
  EXPECT_TRUE(std::ranges::equal(one.counts, other.counts));
  for (std::size_t e = 0; e < one.words.size(); ++e) {
    EXPECT_EQ(one.vectors->word(one.words[e]), other.vectors->word(other.words[e]));
    for (Index j = 0; j < dimension; ++j) {
      EXPECT_EQ(one.vectors->vectors()(one.words[e], j), other.vectors->vectors()(other.words[e], j));
    }
  }
}

TEST(DocumentFile, HoldsLandmarksTheirWordsAndHowTextsAreCut) {
  const TemporaryFolder folder;
  for (const bool texts : {false, true}) {
    for (const bool right : {false, true}) {
      const Sample sample{.texts = texts, .right = right, .splits = right};
      const std::string path = folder.file("x.h5");
      const Approximation<double> written = write(sample, path);
      const StoredResult<double> stored = read_result<double>(world(), path);
      expect_documents(*stored.approximation.left_origin, *written.left_origin);
      if (right) expect_documents(*stored.approximation.right_origin, *written.right_origin);
      const auto& block = dynamic_cast<const DocumentBlock&>(*stored.approximation.left_origin->objects);
      EXPECT_EQ(block.vectors->size(), 5) << "words that no landmark uses";
      ASSERT_TRUE(stored.description.tokenization.has_value());
      EXPECT_EQ(stored.description.tokenization->pieces, "letters");
      EXPECT_FALSE(stored.description.tokenization->lower_case);
      EXPECT_EQ(stored.description.tokenization->stop_words, (std::vector<std::string>{"the", "größe"}));
      EXPECT_EQ(read_result_shape(world(), path).has_splits, right);
      EXPECT_EQ(stored.splits.size(), right ? stored.labels.size() : 0U);
    }
  }
}

TEST(DocumentFile, HoldsTextsAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  const Approximation<double> written = write({.with_words = false, .texts = true}, path);
  const StoredResult<double> stored = read_result<double>(world(), path);
  expect_documents(*stored.approximation.left_origin, *written.left_origin);
  EXPECT_FALSE(stored.description.tokenization.has_value());
}

// Changes a sound file and expects the reason in the message.
void expect_refused(const std::function<void(hid_t)>& change, const std::string& reason) {
  static int number = 0;
  SCOPED_TRACE("change " + std::to_string(++number));
  const TemporaryFolder folder;
  const std::string path = folder.file("x.h5");
  static_cast<void>(write({.texts = true}, path));
  edit(path, change);
  try {
    static_cast<void>(read_result<double>(world(), path));
    ADD_FAILURE() << "nothing was thrown; expected: " << reason;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what() << "\nlacks: " << reason;
  }
}

TEST(DocumentFile, IsCheckedBeforeItIsTrusted) {
  const std::string objects = "landmarks/objects/";
  expect_refused([&](hid_t f) { set_first<Index>(f, objects + "starts", H5T_NATIVE_INT64, 1); },
                 "where 9 documents begin");
  expect_refused([&](hid_t f) { replace(f, objects + "starts", {9}, H5T_STD_I64LE); }, "where 9 documents begin");
  expect_refused([&](hid_t f) { replace(f, objects + "starts", {10}, H5T_STD_I32LE); },
                 "of the type that it should have");
  expect_refused([&](hid_t f) { set_first<int>(f, objects + "words", H5T_NATIVE_INT, 5); }, "holds word 5");
  expect_refused([&](hid_t f) { set_first<int>(f, objects + "words", H5T_NATIVE_INT, -1); }, "holds word -1");
  expect_refused([&](hid_t f) { set_first<float>(f, objects + "counts", H5T_NATIVE_FLOAT, 0); }, "comes 0 times");
  expect_refused([&](hid_t f) { set_first<float>(f, objects + "counts", H5T_NATIVE_FLOAT, INFINITY); },
                 "comes inf times");
  expect_refused([&](hid_t f) { replace(f, objects + "counts", {3}, H5T_IEEE_F32LE); }, "does not hold one count per word");
  expect_refused([&](hid_t f) { set_first<float>(f, "words/vectors", H5T_NATIVE_FLOAT, NAN); },
                 "/words/vectors holds nan");
  expect_refused([&](hid_t f) { replace(f, "words/vectors", {5, 3}, H5T_IEEE_F32LE); }, "words and their vectors of 2");
  expect_refused([&](hid_t f) { replace(f, "words/vectors", {4, 2}, H5T_IEEE_F32LE); }, "words and their vectors of 2");
  const hdf5::Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(text.id(), 6);
  H5Tset_cset(text.id(), H5T_CSET_UTF8);
  H5Tset_strpad(text.id(), H5T_STR_NULLPAD);
  const std::array<char, 6> second = {'\xC3', '\xA4', 'r', 'g', 'e', 'r'};
  expect_refused([&](hid_t f) { set_first(f, "words/names", text.id(), second); }, "holds a word twice");
  expect_refused([&](hid_t f) { set_text(f, "tokenization", "tokens", "syllables"); }, "syllables");
  expect_refused([&](hid_t f) { add(f, "splits", {3}, text.id()); }, "/splits are not one text a row");
  expect_refused([&](hid_t f) { H5Ldelete(f, (objects + "words").c_str(), H5P_DEFAULT); }, "objects/words");
  expect_refused([&](hid_t f) { H5Ldelete(f, "words", H5P_DEFAULT); }, "of 0");
}

}  // namespace
}  // namespace cairn::test::document_file_test
