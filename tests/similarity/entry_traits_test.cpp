// What is known of every similarity of the table, and of what is made of it.
#include "cairn/similarity/entry_traits.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>

#include "cairn/data/sequences/sequence_set.hpp"
#include "cairn/data/trees/tree_set.hpp"
#include "cairn/similarity/catalog/composite_similarity.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/points/point_similarities.hpp"
#include "cairn/similarity/points/point_sources.hpp"
#include "cairn/similarity/source_entries.hpp"
#include "cairn/similarity/symmetrized_similarity.hpp"
#include "function_sources.hpp"
#include "point_objects.hpp"
#include "random_documents.hpp"
#include "shared_graphs.hpp"
#include "word_objects.hpp"

namespace cairn {

void PrintTo(const EntryTraits& traits, std::ostream* out) {
  *out << traits.name << (traits.meaning == Meaning::distance ? ", a distance" : ", a similarity")
       << (traits.defined_for_unseen ? ", defined for unseen objects" : "") << (traits.one_sided ? ", one-sided" : "")
       << (traits.rounds_to_single ? ", rounded to single precision" : "") << ", " << traits.evaluations_per_entry
       << " evaluations an entry, tiles of " << traits.most_entries_in_tile << ", base '" << traits.base << "'";
}

namespace {

using test::world;

constexpr Index n = 12, d = 3;

// A matrix of ones as an .npy file, while the object lives.
class MatrixOfOnes {
 public:
  MatrixOfOnes() : path_((std::filesystem::temp_directory_path() / "cairn-entry-traits.npy").string()) {
    std::string header =
        "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(n) + ", " + std::to_string(n) + "), }";
    header.resize(117, ' ');
    header += '\n';
    const auto length = static_cast<std::uint16_t>(header.size());
    std::ofstream file(path_, std::ios::binary);
    file.write("\x93NUMPY\x01\x00", 8).write(reinterpret_cast<const char*>(&length), sizeof(length)) << header;
    const std::vector<double> ones(n * n, 1.0);
    file.write(reinterpret_cast<const char*>(ones.data()), static_cast<std::streamsize>(ones.size() * sizeof(double)));
  }
  ~MatrixOfOnes() { std::filesystem::remove(path_); }
  MatrixOfOnes(const MatrixOfOnes&) = delete;
  MatrixOfOnes& operator=(const MatrixOfOnes&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool compares(const SimilarityDescriptor& descriptor, ObjectKind kind) {
  return !descriptor.objects.empty() && descriptor.objects.front() == kind;
}
bool of_sequences(const SimilarityDescriptor& descriptor) { return compares(descriptor, objects::sequences); }
bool of_trees(const SimilarityDescriptor& descriptor) { return compares(descriptor, objects::trees); }

TreeSet make_trees() {
  const RowPartition partition(n, world().size());
  auto labels = std::make_shared<TreeLabels>(std::vector<std::string>{"LEX##a::n", "LEX##b::n", "S"});
  labels->use_vectors(std::make_shared<const WordVectors>(world(), std::vector<std::string>{"a", "b"}, 2,
                                                          std::vector<float>{1, 0, 0.6F, 0.8F}));
  TreeRecords own(1, 0, 0);
  const Range range = partition.range(world().rank());
  for (Index i = range.begin; i < range.end; ++i) {
    TreeBuilder tree(own.forests[0]);
    tree.open(2);
    tree.leaf(static_cast<std::int32_t>(i % 2));
    tree.close();
    tree.finish();
    ++own.count;
  }
  return {partition, world().rank(), std::move(labels), std::move(own), {}};
}

SequenceSet make_sequences() {
  const RowPartition partition(n, world().size());
  Sequences own;
  const Range range = partition.range(world().rank());
  for (Index i = range.begin; i < range.end; ++i) {
    own.append(std::vector<std::int32_t>{static_cast<std::int32_t>(i % 3), 0, static_cast<std::int32_t>(i % 2)});
  }
  const auto alphabet = std::make_shared<const Alphabet>(std::vector<std::string>{"a", "b", "c"});
  return {partition, world().rank(), alphabet, std::move(own)};
}

// One of each similarity that compares two objects, and of each that comes by source.
template <class T>
class AllSimilarities {
 public:
  AllSimilarities() {
    for (const SimilarityDescriptor* descriptor : similarities()) {
      if (!descriptor->traits.single_source) entries_.push_back(descriptor);
    }
  }

  [[nodiscard]] const std::vector<const SimilarityDescriptor*>& entries() const { return entries_; }
  [[nodiscard]] const PointSet<T>& points() const { return points_; }

  [[nodiscard]] std::unique_ptr<Similarity<T>> make(const SimilarityDescriptor& descriptor) const {
    SimilarityChoice choice(descriptor.name);
    if (descriptor.name == "matrix") choice.set("path", matrix_.path()).set("meaning", "distance");
    if (descriptor.name == "external") choice.set("command", "cat").set("send", "ids").set("meaning", "similarity");
    if (descriptor.traits.composite) choice.parts = {SimilarityChoice("rbf"), SimilarityChoice("euclidean")};
    return make_similarity<T>(context_.execution, choice, objects_of(descriptor));
  }

 private:
  [[nodiscard]] const ObjectSet& objects_of(const SimilarityDescriptor& descriptor) const {
    if (descriptor.traits.word_vectors) return documents_;
    if (descriptor.traits.counts) return words_;
    if (of_sequences(descriptor)) return sequences_;
    if (of_trees(descriptor)) return trees_;
    return points_;
  }

  mutable test::Context context_;
  MatrixOfOnes matrix_;
  PointSet<T> points_ = test::make_points<T>(n, d, test::normal_coordinate);
  DocumentSet documents_ = test::make_documents(n, 9, test::make_word_vectors(40, 4));
  WordSet words_ = test::make_counted_words();
  SequenceSet sequences_ = make_sequences();
  TreeSet trees_ = make_trees();
  std::vector<const SimilarityDescriptor*> entries_;
};

template <class T>
class TraitsOf : public testing::Test {
 protected:
  AllSimilarities<T> all_;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(TraitsOf, Precisions);

TYPED_TEST(TraitsOf, AMadeSimilarityAreThoseOfItsDescriptor) {
  const std::set<std::string> only_in_data = {"matrix", "noise", "external",
                                              "pmi"};  // of numbers, not of what objects are
  for (const SimilarityDescriptor* descriptor : this->all_.entries()) {
    const auto made = this->all_.make(*descriptor);
    const EntryTraits& traits = made->traits();
    const bool distance = descriptor->traits.distance || descriptor->name == "matrix" || descriptor->traits.composite;
    EXPECT_EQ(traits.name, descriptor->name);
    EXPECT_EQ(traits.meaning == Meaning::distance, distance) << traits.name;
    EXPECT_EQ(traits.base, descriptor->traits.base) << traits.name;
    EXPECT_EQ(traits.base.empty(), made->base_distance() == nullptr) << traits.name;
    EXPECT_EQ(traits.evaluations_per_entry, descriptor->traits.evaluations_per_entry) << traits.name;
    EXPECT_EQ(traits.defined_for_unseen, !only_in_data.contains(traits.name)) << traits.name;
    const bool single = std::is_same_v<TypeParam, float> || descriptor->name == "external";
    EXPECT_EQ(traits.rounds_to_single, single) << traits.name;
    EXPECT_FALSE(traits.one_sided) << traits.name;
    const bool small_tiles = descriptor->traits.word_vectors || descriptor->traits.runs_program ||
                             of_sequences(*descriptor) || of_trees(*descriptor);
    EXPECT_EQ(traits.most_entries_in_tile < EntryTraits().most_entries_in_tile, small_tiles) << traits.name;
    EXPECT_EQ(made->by_source(), nullptr);
  }
}

TYPED_TEST(TraitsOf, TheMeanOfBothDirectionsAreThoseOfOne) {
  for (const SimilarityDescriptor* descriptor : this->all_.entries()) {
    auto directed = this->all_.make(*descriptor);
    EntryTraits expected = directed->traits();
    expected.evaluations_per_entry = 2;
    expected.base.clear();
    const auto mean = make_symmetrized<TypeParam>(std::move(directed));
    EXPECT_EQ(mean->traits(), expected);
    EXPECT_EQ(mean->base_distance(), nullptr);
  }
}

// A part that has nothing but defaults, before and behind.
TYPED_TEST(TraitsOf, ASumOrProductAreThoseOfThePartThatHasAny) {
  for (const SimilarityDescriptor* descriptor : this->all_.entries()) {
    for (const bool first : {true, false}) {
      const auto parts = [&] {
        std::vector<std::unique_ptr<Similarity<TypeParam>>> both;
        both.push_back(make_linear<TypeParam>(d));
        both.push_back(this->all_.make(*descriptor));
        if (first) std::swap(both[0], both[1]);
        return both;
      };
      EntryTraits expected = this->all_.make(*descriptor)->traits();
      expected.base.clear();
      expected.name = "sum";
      EXPECT_EQ(make_sum<TypeParam>(parts(), {1.0, 1.0})->traits(), expected) << descriptor->name;
      expected.name = "product";
      EXPECT_EQ(make_product<TypeParam>(parts())->traits(), expected) << descriptor->name;
    }
  }
}

TYPED_TEST(TraitsOf, WholeRowsOfPointsAreThoseOfTheirSimilarity) {
  for (const SimilarityDescriptor* descriptor : this->all_.entries()) {
    if (!descriptor->traits.whole_rows) continue;
    auto similarity = this->all_.make(*descriptor);
    const SourceTraits expected{
        .name = descriptor->name, .meaning = similarity->traits().meaning, .size = n, .batch = point_sources_batch};
    const auto sources = make_point_sources<TypeParam>(world(), std::move(similarity), this->all_.points());
    EXPECT_EQ(sources->traits(), expected) << descriptor->name;
  }
}

// Whatever sources are given as entries.
template <class T>
EntryTraits entries_of(const SourceTraits& sources) {
  EntryTraits expected{.name = sources.name, .meaning = sources.meaning, .defined_for_unseen = false};
  expected.one_sided = !sources.symmetric_by_construction;
  expected.rounds_to_single = std::is_same_v<T, float>;
  return expected;
}

TYPED_TEST(TraitsOf, EntriesBySourceAreThoseOfTheSources) {
  const SharedGraph graph = test::share(n, test::random_graph(n, 10, 3, 1), true);
  const TriangleMesh mesh = read_mesh(world(), {.generator = "sphere", .points = 42});
  Index found = 0;
  for (const SimilarityDescriptor* descriptor : similarities()) {
    if (!descriptor->traits.single_source) continue;
    ++found;
    const SimilarityChoice choice(descriptor->name);
    const bool of_graph = descriptor->objects.front() == objects::graph_vertices;
    const auto sources = make_source_similarity(
        choice, {world(), choice.values, of_graph ? &graph : nullptr, of_graph ? nullptr : &mesh});
    EXPECT_EQ(sources->traits().name, descriptor->name);
    EXPECT_EQ(sources->traits().meaning, Meaning::distance);
    EXPECT_EQ(sources->size(), of_graph ? n : mesh.size());
    EXPECT_EQ(sources->traits().integral, of_graph);
    EXPECT_EQ(sources->traits().symmetric_by_construction, of_graph);
    EXPECT_GT(sources->traits().batch, 1);
    const SourceEntries<TypeParam> entries(*sources);
    EXPECT_EQ(entries.traits(), entries_of<TypeParam>(sources->traits()));
    EXPECT_EQ(entries.by_source(), sources.get());
  }
  EXPECT_EQ(found, 2);
  for (const bool symmetric : {true, false}) {
    const test::FunctionSources sources(
        n, [](Index i, Index j) { return static_cast<double>(i + j); }, symmetric, Meaning::similarity);
    EXPECT_EQ(SourceEntries<TypeParam>(sources).traits(), entries_of<TypeParam>(sources.traits()));
  }
}

// No trait of it is the default.
class Odd final : public Similarity<double> {
 public:
  Odd() : Similarity<double>(all()) {}
  [[nodiscard]] static EntryTraits all() {
    return {.name = "odd",
            .meaning = Meaning::distance,
            .defined_for_unseen = false,
            .one_sided = true,
            .rounds_to_single = true,
            .evaluations_per_entry = 3,
            .most_entries_in_tile = 17,
            .base = "odd-distance"};
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

 protected:
  void compute_tile(const ObjectBlock& /*rows*/, const ObjectBlock& /*columns*/,
                    MatrixView<double> out) const override {
    std::fill_n(out.data, out.rows * out.columns, 1.0);
    count_more(1);
  }
  void compute_pairs(const ObjectBlock& /*first*/, const ObjectBlock& /*second*/,
                     std::span<double> out) const override {
    std::ranges::fill(out, 1.0);
  }
};

TEST(TraitsOfOddSimilarity, PassThroughWhatIsMadeOfIt) {
  EXPECT_EQ(Odd().traits(), Odd::all());
  EntryTraits expected = Odd::all();
  expected.base.clear();
  std::vector<std::unique_ptr<Similarity<double>>> parts;
  parts.push_back(make_linear<double>(d));
  parts.push_back(std::make_unique<Odd>());
  expected.name = "product";
  EXPECT_EQ(make_product<double>(std::move(parts))->traits(), expected);
  expected.name = "odd";
  expected.one_sided = false;
  expected.evaluations_per_entry = 2;
  EXPECT_EQ(make_symmetrized<double>(std::make_unique<Odd>())->traits(), expected);
}

TEST(Symmetrized, CountsWithWhatItIsMadeOf) {
  auto directed = std::make_unique<Odd>();
  const Odd& odd = *directed;
  const auto mean = make_symmetrized<double>(std::move(directed));
  const auto block = test::make_block<double>(test::numbers(0, 4), d, test::normal_coordinate);
  std::vector<double> values(16);
  mean->tile(*block, *block, MatrixView<double>(values.data(), 4, 4));
  EXPECT_EQ(mean->evaluations(), 2 * 16 + 2);
  EXPECT_EQ(odd.evaluations(), mean->evaluations());
  mean->count_restored(5);
  EXPECT_EQ(mean->restored(), 10);
}

}  // namespace
}  // namespace cairn
