// Shortest path lengths in graphs.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cairn/data/graph/graph.hpp"
#include "cairn/parameters/key_names.hpp"
#include "cairn/similarity/shortest_paths/length_rows.hpp"
#include "cairn/similarity/shortest_paths/stored_hierarchy.hpp"
#include "cairn/similarity/similarity_descriptor.hpp"

namespace cairn {

/// Length of the shortest path between two vertices: the least sum of arc lengths, or the number of edges if all are 1.
/// Exact; integer lengths give integers.
class PathLength : public SourceSimilarity {
 public:
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const final {
    return {{"method", method_}};
  }
  /// hierarchy, breadth-first or dijkstra.
  [[nodiscard]] const std::string& method() const { return method_; }
  /// Reason for this method: one sentence.
  [[nodiscard]] const std::string& choice() const { return choice_; }
  void set_choice(std::string choice) { choice_ = std::move(choice); }
  /// Names of the parameters of the graph's source in messages.
  void set_data_keys(KeyNames keys) { data_keys_ = std::move(keys); }
  /// Part `part` of `parts` of the hierarchy, for a file; nothing if there is none. Parts are consecutive. Local.
  [[nodiscard]] virtual std::optional<StoredHierarchy> stored_hierarchy(int part, int parts) const;

  /// Upper bound of path lengths; infinity if unknown.
  [[nodiscard]] double longest() const { return longest_; }
  /// True if every edge length is an integer; sums may be 2^32 or more, then SourceTraits::integral is false.
  [[nodiscard]] bool whole() const { return whole_; }
  /// Bytes of a length during a search from many sources at once.
  [[nodiscard]] virtual Index length_bytes() const { return sizeof(double); }
  /// Bytes on a node of labels for pairs (expect_pairs); 0: there are none.
  [[nodiscard]] virtual Index label_bytes() const { return 0; }
  /// Positions in `sources` in the best order for batches of SourceTraits::batch. Local.
  [[nodiscard]] virtual std::vector<Index> order_of(std::span<const Index> sources) const;
  /// out(a, b) = length between sources[a] and targets.targets[b], divided by `scale`, as in write_lengths: a pair
  /// without a path is not an error. Thread-safe, local. Memory: length_bytes() per entry of SourceTraits::batch rows.
  /// @param sources  may repeat @param targets  from prepare() of this object
  [[nodiscard]] LengthsFound write_rows(std::span<const Index> sources, const TargetSet& targets, double scale,
                                        const LengthRows& out) const;
  /// out[k] = length between first[k] and second[k]; infinity if there is no path, which is no error. Thread-safe,
  /// local.
  void pair_lengths(std::span<const Index> first, std::span<const Index> second, std::span<double> out) const;

 protected:
  PathLength(std::string method, Index vertices, bool whole, bool integral, Index batch,
             double longest = std::numeric_limits<double>::infinity())
      : SourceSimilarity({.name = "path-length", .size = vertices, .integral = integral, .batch = batch}),
        whole_(whole),
        method_(std::move(method)),
        longest_(longest) {}
  /// write_rows without counting.
  [[nodiscard]] virtual LengthsFound compute_rows(std::span<const Index> sources, const TargetSet& targets,
                                                  double scale, const LengthRows& out) const = 0;
  /// pair_lengths() without counting; by default pairs of one source are computed together.
  virtual void compute_pair_lengths(std::span<const Index> first, std::span<const Index> second,
                                    std::span<double> out) const;
  void compute_pairs(std::span<const Index> first, std::span<const Index> second, std::span<double> out) const final;
  /// @throws Error(numeric) always: there is no path from `source` to `target`
  [[noreturn]] void report_no_path(Index source, Index target) const;

 private:
  bool whole_;
  std::string method_, choice_;
  double longest_;
  KeyNames data_keys_;
};

/// Path lengths in `graph` by the method of that name:
/// - breadth-first: one search per source, unit lengths only;
/// - dijkstra: one search per source;
/// - hierarchy: sweeps over a contraction hierarchy, many sources at a time (see contraction_hierarchy.hpp), for graphs
///   with small separators, such as roads;
/// - auto: hierarchy if it has few arcs, else one of the others.
/// @param keys  names of the parameters (search)
/// The graph is kept as it is, once per node. Rank 0 makes the hierarchy, which is also held once per node.
/// @throws Error(usage) for an unknown method, or breadth-first with lengths; Error(input) for a length that is
///   negative or not finite; Error(resource) if the hierarchy has too many arcs. Collective.
[[nodiscard]] std::unique_ptr<PathLength> make_path_length(const Communicator& communicator, const SharedGraph& graph,
                                                           const std::string& method, const KeyNames& keys = {});

[[nodiscard]] const SimilarityDescriptor& path_length_similarity();

/// True if these values of that similarity permit a hierarchy. Local.
[[nodiscard]] bool may_use_hierarchy(const Values& values);

}  // namespace cairn
