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

/// Direction of the arcs that paths follow: of both, every edge has one length.
enum class Arcs { both_ways, forward, backward };

/// Length of the shortest path between two vertices: the least sum of arc lengths, or the number of edges if all are 1.
/// Exact; integer lengths give integers. In a directed graph it is that from a source to a target, and not symmetric.
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

  [[nodiscard]] Arcs arcs() const { return arcs_; }
  [[nodiscard]] bool directed() const { return arcs_ != Arcs::both_ways; }
  /// The lengths from targets to sources; for a directed graph. Memory: what depends on the direction. Collective.
  [[nodiscard]] virtual std::unique_ptr<PathLength> reversed(const Communicator& communicator) const = 0;
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
  PathLength(std::string method, Index vertices, bool whole, bool integral, Index batch, Arcs arcs,
             double longest = std::numeric_limits<double>::infinity())
      : SourceSimilarity({.name = "path-length", .size = vertices, .integral = integral, .batch = batch}),
        whole_(whole),
        arcs_(arcs),
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
  /// Copies what messages need.
  void describe_as(const PathLength& other) {
    choice_ = other.choice_;
    data_keys_ = other.data_keys_;
  }

 private:
  bool whole_;
  Arcs arcs_;
  std::string method_, choice_;
  double longest_;
  KeyNames data_keys_;
};

/// @throws Error(input) for a length that is negative or not finite, or so large that the length of a path may exceed
/// the range of numbers. Local.
void require_usable_lengths(const SharedGraph& graph);

/// Limits within which a hierarchy is sure to pay. Local.
[[nodiscard]] HierarchyLimits road_limits(const SharedGraph& graph);

/// Path lengths in `graph` by the method of that name:
/// - breadth-first: one search per source, unit lengths and undirected graphs only;
/// - dijkstra: one search per source;
/// - hierarchy: sweeps over a contraction hierarchy, many sources at a time (see contraction_hierarchy.hpp), for graphs
///   with small separators, such as roads;
/// - auto: hierarchy if it has few arcs, else one of the others.
/// @param keys  names of the parameters (search)
/// The graph is kept as it is, once per node. Rank 0 makes the hierarchy, which is also held once per node.
/// @throws Error(usage) for an unknown method, or breadth-first with lengths or directions; Error(input) for a length
/// that is
///   negative or not finite; Error(resource) if the hierarchy has too many arcs. Collective.
[[nodiscard]] std::unique_ptr<PathLength> make_path_length(const Communicator& communicator, const SharedGraph& graph,
                                                           const std::string& method, const KeyNames& keys = {});

[[nodiscard]] const SimilarityDescriptor& path_length_similarity();

/// True if these values of that similarity permit a hierarchy. Local.
[[nodiscard]] bool may_use_hierarchy(const Values& values);

}  // namespace cairn
