#include "cairn/approximation/random_features/wme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cairn/approximation/column_sampling/landmark_columns.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/random.hpp"
#include "cairn/similarity/catalog/similarities.hpp"
#include "cairn/similarity/columns.hpp"

namespace cairn {

std::unique_ptr<DocumentBlock> draw_random_documents(std::shared_ptr<const WordVectors> vectors, Range numbers,
                                                     const RandomDocuments& drawn) {
  const Random random(drawn.seed, Stream::landmarks);
  DocumentBags bags;
  std::vector<Index> ids;
  for (Index j = numbers.begin; j < numbers.end; ++j) {
    const auto number = static_cast<std::uint64_t>(j);
    std::vector<std::int32_t> words(1 + random.below(drawn.longest, number, 0));
    for (std::size_t w = 0; w < words.size(); ++w) {
      words[w] = static_cast<std::int32_t>(random.below(vectors->size(), number, w + 1));
    }
    std::ranges::sort(words);
    for (auto word = words.begin(); word != words.end();) {
      const auto next = std::upper_bound(word, words.end(), *word);
      bags.words.push_back(*word);
      bags.counts.push_back(static_cast<float>(next - word));
      word = next;
    }
    bags.starts.push_back(static_cast<Index>(bags.words.size()));
    ids.push_back(-1 - j);
  }
  return make_document_block(std::move(ids), std::move(bags), std::move(vectors));
}

namespace {

// Distances to the first random documents may be known from a run with a smaller number of documents; these come first.
template <class T>
RowBlock<T> features(const Problem<T>& input, const DocumentBlock& all, const RandomDocuments& drawn) {
  const auto evaluate = [&](const DocumentBlock& some, RowBlock<T>& out, Index first) {
    evaluate_columns_into(input.execution, input.similarity, input.objects, some, out, first, similarities_phase,
                          "columns");
  };
  const Communicator& communicator = input.execution.communicator;
  auto out = collectively(communicator,
                          [&] { return RowBlock<T>(input.objects.partition(), communicator.rank(), all.size()); });
  Index known = 0;
  if (DistanceTable<T>* const table = input.similarity.distances()) {
    table->use_random_documents(drawn);
    while (known < all.size() && table->has_column(-1 - known)) ++known;
  }
  if (known == 0 || known == all.size()) {
    evaluate(all, out, 0);
    return out;
  }
  evaluate(*draw_random_documents(all.vectors, {0, known}, drawn), out, 0);
  evaluate(*draw_random_documents(all.vectors, {known, all.size()}, drawn), out, known);
  return out;
}

}  // namespace

template <class T>
Approximation<T> word_movers_embedding(Problem<T> input) {
  const auto* documents = dynamic_cast<const DocumentSet*>(&input.objects);
  if (documents == nullptr || documents->vectors() == nullptr ||
      !similarity_named(input.similarity.traits().name).traits.random_documents) {
    throw Error(ErrorKind::usage,
                fmt::format("the method {} needs documents with vectors of words, and a similarity that compares them "
                            "with random ones",
                            word_movers_embedding_method().name));
  }
  const Index count = input.count;
  const RandomDocuments drawn{input.execution.seed, input.parameters.integer("longest-document")};
  const std::shared_ptr<const DocumentBlock> all =
      draw_random_documents(documents->shared_vectors(), {0, count}, drawn);
  Approximation<T> result;
  result.left = features(input, *all, drawn);
  result.core_matrix =
      DiagonalCore{std::vector<double>(static_cast<std::size_t>(count), 1.0 / static_cast<double>(count))};
  result.left_origin = FactorOrigin{all->ids, all, nullptr};
  result.report.s1 = result.report.rank = count;
  result.report.notes.push_back(
      "wme approximates a kernel of its own, not exp(-gamma WMD): its error against that does not tend to 0");
  return result;
}

template Approximation<float> word_movers_embedding(Problem<float>);
template Approximation<double> word_movers_embedding(Problem<double>);

namespace {

// There is no core matrix to compute.
MethodCost cost(const Values& /*values*/, const CostInput& input) {
  return {.left = input.landmarks, .columns = input.landmarks, .random_objects = true};
}

}  // namespace

const MethodDescriptor& word_movers_embedding_method() {
  static const MethodDescriptor method{
      .name = "wme",
      .summary =
          "Word mover's embedding: similarities of documents with random documents as features; landmarks.count "
          "says how many of these.",
      .source = "Wu et al. 2018, algorithm 1",
      .parameters = {{.name = "longest-document",
                      .value = "N",
                      .type = ValueType::integer,
                      .fallback = "6",
                      .help = "The most words of a random document; their number is landmarks.count.",
                      .lowest = 1}},
      .needs = {.landmarks = false, .random_documents = true},
      .cost = cost,
      .run_single = word_movers_embedding<float>,
      .run_double = word_movers_embedding<double>};
  return method;
}

}  // namespace cairn
