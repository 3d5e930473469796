#include "cairn/similarity/trees/tree_similarities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/data/trees/tree_set.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/similarity/pairs/pair_similarity.hpp"

namespace cairn {

namespace {

const TreeBlock& trees_of(const ObjectBlock& objects) {
  const auto* trees = dynamic_cast<const TreeBlock*>(&objects);
  if (trees == nullptr) throw Error(ErrorKind::internal, "a tree kernel was given objects that are no trees");
  return *trees;
}

struct Columns {
  std::unique_ptr<const PreparedTrees> prepared;
  std::vector<double> scales;  // 1 / sqrt K(u, u); empty unless normalized
};

// Cost of the most expensive tree.
struct Longest {
  double mean_nanoseconds = 0;  // per value with trees of the sample
  double value_seconds = 0;     // of one value, at most
};

template <class T>
class TreeSimilarity final : public Similarity<T> {
 public:
  TreeSimilarity(EntryTraits traits, std::unique_ptr<TreeKernel> kernel, bool normalize,
                 std::vector<std::pair<std::string, std::string>> parameters, std::string selves,
                 std::unique_ptr<const PreparedTrees> sample, Longest longest)
      : Similarity<T>(std::move(traits)),
        kernel_(std::move(kernel)),
        normalize_(normalize),
        parameters_(std::move(parameters)),
        selves_(std::move(selves)),
        sample_(std::move(sample)),
        longest_(longest) {}

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return parameters_; }

  [[nodiscard]] double cost(const ObjectBlock& rows) const override {
    const TreeBlock& trees = trees_of(rows);
    double sum = 0;
    for (Index a = 0; a < trees.size(); ++a) sum += kernel_->cost(trees.trees.tree(a), *sample_);
    return sum;
  }
  [[nodiscard]] double longest_seconds(Index entries) const override {
    return 4e-9 * static_cast<double>(entries) * longest_.mean_nanoseconds + longest_.value_seconds;
  }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    const TreeBlock &x = trees_of(rows), &y = trees_of(columns);
    require_same_labels(x, y);
    const auto prepared = y.memory.get<Columns>(owner_, [&] {
      return Columns{kernel_->prepare(y.trees), normalize_ ? scales_of(y) : std::vector<double>()};
    });
    const std::vector<double> own = normalize_ ? scales_of(x) : std::vector<double>();
    double seconds = 0;
    for (Index a = 0; a < out.rows; ++a) {
      const TreeView tree = x.trees.tree(a);
      naming(x.ids[a], [&] { kernel_->require_feasible(tree, *prepared->prepared, out.columns); });
      seconds = std::max(seconds, kernel_->seconds(tree, *prepared->prepared));
    }
    const Watchdog::Patience patience(seconds);  // grace period for a row
    std::vector<double> values(out.rows * out.columns);
    const MatrixView<double> all(values.data(), out.rows, out.columns);
    kernel_->compute(x.trees, *prepared->prepared, all);
    for (Index a = 0; a < out.rows; ++a) {
      bool finite = true;
      for (Index b = 0; b < out.columns; ++b) {
        double value = all(a, b);
        if (normalize_) value *= own[a], value *= prepared->scales[b];
        out(a, b) = static_cast<T>(value);
        finite &= std::isfinite(out(a, b));
      }
      if (!finite) this->report_not_finite(rows.ids[a], columns.ids, out.row(a));
    }
  }

  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    const TreeBlock &x = trees_of(first), &y = trees_of(second);
    require_same_labels(x, y);
    const std::vector<double> of_x = normalize_ ? scales_of(x) : std::vector<double>();
    const std::vector<double> of_y = normalize_ ? scales_of(y) : std::vector<double>();
    for (std::size_t a = 0; a < out.size(); ++a) {
      double value = 0;
      naming(x.ids[a],
             [&] { value = kernel_->pair(x.trees.tree(static_cast<Index>(a)), y.trees.tree(static_cast<Index>(a))); });
      out[a] = static_cast<T>(normalize_ ? value * of_x[a] * of_y[a] : value);
    }
    this->require_finite(first, second, out);
  }

 private:
  // Runs an action; its errors name the object.
  template <class Action>
  static void naming(Index object, const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("object {}: {}", object, error.what()));
    }
  }

  [[nodiscard]] std::vector<double> scales_of(const TreeBlock& trees) const {
    std::vector<double> scales(trees.size());
    trees.of_trees.numbers(selves_, trees.of_total, trees.of_first, scales,
                           [&](std::span<const Index> missing, std::span<double> computed) {
                             for (std::size_t k = 0; k < missing.size(); ++k) {
                               const TreeView tree = trees.trees.tree(missing[k]);
                               naming(trees.ids[missing[k]], [&] { computed[k] = kernel_->pair(tree, tree); });
                             }
                           });
    for (std::size_t a = 0; a < scales.size(); ++a) {
      if (!(scales[a] > 0) || !std::isfinite(scales[a])) {
        throw Error(ErrorKind::numeric,
                    fmt::format("object {}: its kernel with itself is {}, and values cannot be normalized by it ({})",
                                trees.ids[a], scales[a], this->keys()("normalize")));
      }
      scales[a] = 1.0 / std::sqrt(scales[a]);
    }
    return scales;
  }

  static void require_same_labels(const TreeBlock& x, const TreeBlock& y) {
    if (x.labels != y.labels)
      throw Error(ErrorKind::internal, "trees whose labels are numbered differently are compared");
  }

  std::unique_ptr<TreeKernel> kernel_;
  bool normalize_;
  std::vector<std::pair<std::string, std::string>> parameters_;
  std::string selves_;  // name of the kernels of trees with themselves
  std::unique_ptr<const PreparedTrees> sample_;
  Longest longest_;
  std::uint64_t owner_ = BlockMemory::new_owner();
};

Parameter lambda(const std::string& help) {
  return {.name = "lambda",
          .value = "NUMBER",
          .type = ValueType::number,
          .fallback = "0.4",
          .help = help,
          .highest = 1,
          .above = 0};
}

std::vector<Parameter> production_parameters() {
  return {lambda("Factor of each node of a common tree, so that large ones do not count for everything."),
          {.name = "leaves",
           .value = "BOOL",
           .type = ValueType::flag,
           .fallback = "true",
           .help = "Whether leaves of one label count by themselves."}};
}

std::vector<Parameter> partial_parameters() {
  return {lambda("Factor of each child that is skipped in a common sequence of children."),
          {.name = "mu",
           .value = "NUMBER",
           .type = ValueType::number,
           .fallback = "0.4",
           .help = "Factor of each level of a common tree.",
           .highest = 1,
           .above = 0},
          {.name = "terminal-factor",
           .value = "NUMBER",
           .type = ValueType::number,
           .fallback = "1",
           .help = "Factor of pairs of nodes of which one is a leaf.",
           .above = 0}};
}

std::vector<Parameter> smoothed_parameters() {
  std::vector<Parameter> all = partial_parameters();
  all.push_back({.name = "threshold",
                 .value = "NUMBER",
                 .type = ValueType::number,
                 .fallback = "0.01",
                 .help = "Cosines of word vectors below it count 0.",
                 .highest = 1,
                 .above = 0});
  return all;
}

PartialTreeFactors factors_of(const Values& values) {
  return {values.number("lambda"), values.number("mu"), values.number("terminal-factor")};
}

std::unique_ptr<TreeKernel> smoothed_kernel(const Values& values, const std::shared_ptr<const TreeLabels>& labels) {
  if (labels->vectors() == nullptr) {
    throw Error(ErrorKind::usage,
                "the similarity compares words of lexical labels, and the trees were read without "
                "vectors of words");
  }
  return make_smoothed_tree_kernel(factors_of(values), values.number("threshold"), labels);
}

// A kernel by name.
struct NamedKernel {
  const char* name;
  std::vector<Parameter> parameters;
  std::unique_ptr<TreeKernel> (*make)(const Values&, const std::shared_ptr<const TreeLabels>&);
};

const std::vector<NamedKernel>& kernels() {
  using Labels = std::shared_ptr<const TreeLabels>;
  static const std::vector<NamedKernel> all = {
      {"stk", production_parameters(),
       [](const Values& values, const Labels& /*labels*/) {
         return make_subtree_kernel(values.number("lambda"), values.flag("leaves"));
       }},
      {"sstk", production_parameters(),
       [](const Values& values, const Labels& /*labels*/) {
         return make_subset_tree_kernel(values.number("lambda"), values.flag("leaves"));
       }},
      {"ptk", partial_parameters(),
       [](const Values& values, const Labels& /*labels*/) { return make_partial_tree_kernel(factors_of(values)); }},
      {"sptk", smoothed_parameters(), smoothed_kernel}};
  return all;
}

const NamedKernel& kernel_named(const std::string& name) {
  const auto found = std::ranges::find(kernels(), name, &NamedKernel::name);
  if (found == kernels().end()) throw Error(ErrorKind::internal, fmt::format("no tree kernel is called {}", name));
  return *found;
}

constexpr Index sampled_trees = 200;

// Sample of trees that predicts the cost of rows, the same on any number of ranks. Collective.
std::unique_ptr<const PreparedTrees> sample_of(const Communicator& communicator, const TreeSet& trees,
                                               const TreeKernel& kernel) {
  const Index count = std::min(trees.size(), sampled_trees);
  std::vector<Index> ids;
  for (Index k = 0; k < count; ++k) ids.push_back(k * trees.size() / count);
  const auto block = trees.gather(communicator, ids);
  return collectively(communicator, [&] { return kernel.prepare(trees_of(*block).trees); });
}

// Number of entries of a tile that takes about ten seconds. Sets `longest`. Collective.
Index most_entries(const Communicator& communicator, const TreeSet& trees, const TreeKernel& kernel,
                   const PreparedTrees& sample, Longest& longest) {
  constexpr double nanoseconds = 1e10;
  const auto columns = static_cast<double>(std::min(trees.size(), sampled_trees));
  double sum = 0;
  const ForestView own = trees.trees();
  collectively(communicator, [&] {
    for (Index a = 0; a < own.size(); ++a) {
      const double cost = kernel.cost(own.tree(a), sample);
      sum += cost;
      longest.mean_nanoseconds = std::max(longest.mean_nanoseconds, cost / columns);
      longest.value_seconds = std::max(longest.value_seconds, kernel.self_seconds(own.tree(a)));
    }
  });
  communicator.maximum(std::span(&longest.mean_nanoseconds, 1));
  communicator.maximum(std::span(&longest.value_seconds, 1));
  const double of_entry = std::max(1.0, communicator.sum(sum) / static_cast<double>(trees.size()) / columns);
  // Sums on different numbers of ranks differ by rounding: a power of two is the same for all.
  return Index{1} << static_cast<int>(std::max(0.0, std::floor(std::log2(nanoseconds / of_entry) - 1e-9)));
}

// Normalization compares every tree with itself. Checks the cost before anything is compared. Collective.
void require_selves_feasible(const Communicator& communicator, const TreeSet& trees, const TreeKernel& kernel,
                             const KeyNames& keys) {
  collectively(communicator, [&] {
    const ForestView own = trees.trees();
    for (Index a = 0; a < own.size(); ++a) {
      try {
        kernel.require_self_feasible(own.tree(a));
      } catch (const Error& error) {
        throw Error(error.kind(),
                    fmt::format("object {}: values are normalized by its kernel with itself, and {}; leave it out, or "
                                "say {} = false, with landmarks that are smaller",
                                trees.range().begin + a, error.what(), keys("normalize")));
      }
    }
  });
}

template <class T>
std::unique_ptr<Similarity<T>> tree_similarity_of(const SimilarityInput<T>& input) {
  const auto* trees = dynamic_cast<const TreeSet*>(&input.objects);
  const std::string& name = input.choice.name();
  if (trees == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("the similarity {} compares trees, and these objects are others", name));
  }
  const Communicator& communicator = input.execution.communicator;
  const Values& values = input.choice.values;
  auto kernel = collectively(communicator, [&] { return make_tree_kernel(name, values, trees->tree_labels()); });
  auto sample = sample_of(communicator, *trees, *kernel);
  EntryTraits traits{.name = name};
  Longest longest;
  traits.most_entries_in_tile = most_entries(communicator, *trees, *kernel, *sample, longest);
  const bool normalize = values.flag("normalize");
  if (normalize) require_selves_feasible(communicator, *trees, *kernel, values.keys());
  auto parameters = resolved_tree_kernel(name, values);
  // Kernels of words also depend on their vectors, which may differ in other data.
  std::string selves = trees->tree_labels()->vectors() != nullptr ? DerivedValues::of_run + name : name;
  for (const auto& [parameter, value] : parameters) selves += fmt::format(" {}={}", parameter, value);
  parameters.emplace_back("normalize", normalize ? "true" : "false");
  return std::make_unique<TreeSimilarity<T>>(std::move(traits), std::move(kernel), normalize, std::move(parameters),
                                             std::move(selves), std::move(sample), longest);
}

SimilarityDescriptor descriptor(const std::string& name, const std::string& summary, bool definite) {
  SimilarityDescriptor similarity{.name = name,
                                  .summary = summary,
                                  .parameters = tree_kernel_parameters(name),
                                  .objects = {objects::trees, objects::pairs},
                                  .traits = {.definite = definite, .part = true},
                                  .make_single = tree_similarity_of<float>,
                                  .make_double = tree_similarity_of<double>};
  similarity.parameters.push_back({.name = "normalize",
                                   .value = "BOOL",
                                   .type = ValueType::flag,
                                   .fallback = "true",
                                   .help = "Divide K(x, y) by the root of K(x, x) K(y, y)."});
  for (Parameter& parameter : pair_parameters()) similarity.parameters.push_back(std::move(parameter));
  return similarity;
}

}  // namespace

const std::vector<std::string>& tree_kernel_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const NamedKernel& kernel : kernels()) all.emplace_back(kernel.name);
    return all;
  }();
  return names;
}

const std::vector<Parameter>& tree_kernel_parameters(const std::string& name) { return kernel_named(name).parameters; }

std::unique_ptr<TreeKernel> make_tree_kernel(const std::string& name, const Values& values,
                                             const std::shared_ptr<const TreeLabels>& labels) {
  return kernel_named(name).make(values, labels);
}

std::vector<std::pair<std::string, std::string>> resolved_tree_kernel(const std::string& name, const Values& values) {
  std::vector<std::pair<std::string, std::string>> resolved;
  for (const Parameter& parameter : tree_kernel_parameters(name)) {
    resolved.emplace_back(parameter.name, values.text(parameter.name));
  }
  return resolved;
}

const SimilarityDescriptor& subtree_similarity() {
  static const SimilarityDescriptor similarity =
      descriptor("stk", "Subtree kernel: common subtrees of two trees, each down to its leaves.", true);
  return similarity;
}

const SimilarityDescriptor& subset_tree_similarity() {
  static const SimilarityDescriptor similarity =
      descriptor("sstk", "Subset tree kernel: common parts of two trees that are made of whole productions.", true);
  return similarity;
}

const SimilarityDescriptor& partial_tree_similarity() {
  static const SimilarityDescriptor similarity = [] {
    SimilarityDescriptor made =
        descriptor("ptk", "Partial tree kernel: common parts of two trees, whose nodes may lack children.", true);
    made.default_for = {objects::trees};
    return made;
  }();
  return similarity;
}

const SimilarityDescriptor& smoothed_tree_similarity() {
  static const SimilarityDescriptor similarity = descriptor(
      "sptk", "Smoothed partial tree kernel: the partial tree kernel with words compared by their vectors; indefinite.",
      false);
  return similarity;
}

}  // namespace cairn
