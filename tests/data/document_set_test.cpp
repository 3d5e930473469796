// Sets of documents: their blocks, what travels, and their digest.
#include "cairn/data/documents/document_set.hpp"

#include <random>

#include "cairn/data/digest.hpp"
#include "cairn/data/documents/common_words.hpp"
#include "whole_documents.hpp"

namespace cairn::test::document_set_test {
namespace {

std::shared_ptr<const WordVectors> make_vectors(float first = 1) {
  const Labels words{"a", "bb", "ccc", "d", "ee"};
  std::vector<float> values(10, 0.5F);
  values[0] = first;
  return std::make_shared<const WordVectors>(world(), words, 2, values);
}

// Document i of any length up to 3, made of i alone.
void add_document(DocumentBags& bags, Index i) {
  for (Index w = i % 3; w < 5; w += 2) {
    bags.words.push_back(static_cast<std::int32_t>(w));
    bags.counts.push_back(static_cast<float>(i % 7 + 1));
  }
  bags.starts.push_back(std::ssize(bags.words));
  const std::string text = "text " + std::to_string(i);
  bags.characters.insert(bags.characters.end(), text.begin(), text.end());
  bags.text_starts.push_back(std::ssize(bags.characters));
}

DocumentBags bags_of(const std::vector<Index>& ids) {
  DocumentBags bags;
  bags.text_starts = {0};
  for (const Index i : ids) add_document(bags, i);
  return bags;
}

DocumentSet make_set(Index size, const std::shared_ptr<const WordVectors>& vectors) {
  const RowPartition partition(size, world().size());
  const Range own = partition.range(world().rank());
  std::vector<Index> ids;
  for (Index i = own.begin; i < own.end; ++i) ids.push_back(i);
  return {partition, world().rank(), vectors, bags_of(ids)};
}

void expect_documents(const ObjectBlock& objects, const std::vector<Index>& ids) {
  const auto& block = dynamic_cast<const DocumentBlock&>(objects);
  ASSERT_EQ(block.ids, ids);
  ASSERT_EQ(block.starts.size(), ids.size() + 1);
  ASSERT_EQ(block.texts.size(), ids.size());
  for (std::size_t a = 0; a < ids.size(); ++a) {
    const auto expected = make_document_block({ids[a]}, bags_of({ids[a]}), block.vectors);
    EXPECT_EQ(bag_of(block, static_cast<Index>(a)), bag_of(*expected, 0));
    EXPECT_EQ(block.texts[a], "text " + std::to_string(ids[a]));
  }
}

TEST(DocumentSet, GivesBlocksAndTheSameFromBytes) {
  const DocumentSet set = make_set(100, make_vectors());
  const Range own = set.range();
  for (Index begin = own.begin; begin < own.end; begin += 7) {
    const Range rows{begin, std::min(begin + 7, own.end)};
    std::vector<Index> ids;
    for (Index i = rows.begin; i < rows.end; ++i) ids.push_back(i);
    expect_documents(*set.block(rows), ids);
    expect_documents(*set.unpack(rows, set.pack(rows)), ids);
  }
}

TEST(DocumentSet, GathersAnyDocumentsOnAnyRank) {
  constexpr unsigned seed = 7;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  const DocumentSet set = make_set(333, make_vectors());
  std::mt19937 draw(seed + static_cast<unsigned>(world().rank()));
  std::vector<Index> ids(20 + static_cast<std::size_t>(world().rank()));
  for (Index& id : ids) id = static_cast<Index>(draw() % 333);
  expect_documents(*set.gather(world(), ids), ids);
}

TEST(DocumentSet, IsRenumberedByItsWords) {
  const auto other = std::make_shared<const WordVectors>(world(), Labels{"ee", "x", "d", "ccc", "bb", "a"}, 1,
                                                         std::vector<float>(6, 1.0F));
  const auto block = make_document_block({3, 4, 5}, bags_of({3, 4, 5}), make_vectors());
  const auto moved = renumbered(*block, other);
  EXPECT_EQ(moved->vectors, other);
  for (Index a = 0; a < 3; ++a) EXPECT_EQ(bag_of(*moved, a), bag_of(*block, a));
  EXPECT_EQ(moved->texts[1], "text 4");
  const auto few = std::make_shared<const WordVectors>(world(), Labels{"ee"}, 1, std::vector<float>{1});
  expect_error([&] { (void)renumbered(*block, few); }, ErrorKind::internal, {"a word of a document"});
}

TEST(DocumentSet, RefusesPartsThatDoNotFit) {
  const auto make = [&](DocumentBags bags, Labels labels) {
    (void)DocumentSet(RowPartition(3, 1), 0, nullptr, std::move(bags), {.labels = std::move(labels)});
  };
  expect_error([&] { make(bags_of({1, 2}), {}); }, ErrorKind::internal, {"of other numbers"});
  expect_error([&] { make(bags_of({1, 2, 3}), {"x"}); }, ErrorKind::internal, {"of other numbers"});
  make(bags_of({1, 2, 3}), {"x", "y", "z"});
}

TEST(DocumentDigest, DependsOnBagsWordsVectorsAndTexts) {
  const std::uint64_t digest = data_digest(world(), make_set(100, make_vectors()));
  EXPECT_EQ(digest, data_digest(world(), make_set(100, make_vectors())));
  EXPECT_NE(digest, data_digest(world(), make_set(99, make_vectors())));
  EXPECT_NE(digest, data_digest(world(), make_set(100, make_vectors(2))));
  const auto other =
      std::make_shared<const WordVectors>(world(), Labels{"a", "bb", "cccc", "d", "ee"}, 2,
                                          std::vector<float>{1, .5F, .5F, .5F, .5F, .5F, .5F, .5F, .5F, .5F});
  EXPECT_NE(digest, data_digest(world(), make_set(100, other)));
  EXPECT_EQ(digest, 9581865510421506622U) << "the same on any number of ranks";
}

// New texts beside old ones: words of both, in other orders and numbers.
TEST(DocumentsOfCommonWords, HaveTheSameWordsUnderOneNumber) {
  const auto vectors = make_vectors();
  const auto others = std::make_shared<const WordVectors>(
      world(), Labels{"z", "ee", "d", "ccc", "a"}, 2, std::vector<float>{7, 8, .5F, .5F, .5F, .5F, .5F, .5F, 1, .5F});
  const DocumentSet first = make_set(40, vectors), second = make_set(30, others);
  const DocumentsOfCommonWords both = with_common_words(world(), first, second);
  EXPECT_EQ(both.first->vectors(), both.second->vectors());
  EXPECT_EQ(6, both.first->vectors()->size());
  EXPECT_EQ("z", both.first->vectors()->word(5));
  EXPECT_EQ(8.0F, both.first->vectors()->vectors()(5, 1));
  for (const auto& [made, given] : {std::pair(both.first.get(), &first), std::pair(both.second.get(), &second)}) {
    const auto block = made->block(made->range()), as = given->block(given->range());
    for (Index d = 0; d < block->size(); ++d) {
      EXPECT_EQ(bag_of(dynamic_cast<const DocumentBlock&>(*as), d),
                bag_of(dynamic_cast<const DocumentBlock&>(*block), d));
    }
  }
  expect_error([&] { (void)with_common_words(world(), first, make_set(30, make_vectors(2))); }, ErrorKind::input,
               {"the word 'a' has two different vectors"});
  const auto longer = std::make_shared<const WordVectors>(world(), Labels{"a", "bb", "ccc", "d", "ee"}, 1,
                                                          std::vector<float>{1, 2, 3, 4, 5});
  expect_error([&] { (void)with_common_words(world(), first, make_set(30, longer)); }, ErrorKind::input,
               {"vectors of 2 numbers", "of 1"});
}

TEST(WordVectors, AreGatheredFromAllRanks) {
  WordVectors::Part part;
  constexpr Index words = 20000;
  for (Index w = words - 1 - world().rank(); w >= 0; w -= world().size()) {
    part.numbers.push_back(w);
    part.words.push_back("w" + std::to_string(w));
    part.values.insert(part.values.end(), {static_cast<float>(w), static_cast<float>(-w), 1.0F});
  }
  const WordVectors vectors(world(), 3, part);
  ASSERT_EQ(vectors.size(), words);
  for (Index w = 0; w < words; ++w) {
    ASSERT_EQ(vectors.word(w), "w" + std::to_string(w));
    ASSERT_EQ(vectors.vectors()(w, 1), static_cast<float>(-w));
  }
  part.numbers.assign(part.numbers.size(), 0);
  expect_error([&] { (void)WordVectors(world(), 3, part); }, ErrorKind::internal, {"each once"});
}

}  // namespace
}  // namespace cairn::test::document_set_test
