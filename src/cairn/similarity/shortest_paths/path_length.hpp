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

/// The length of the shortest path between two vertices: the least sum of arc lengths, of edges where all are 1. Exact;
/// lengths that are integers give integers.
class PathLength : public SourceSimilarity {
 public:
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const final {
    return {{"method", method_}};
  }
  /// hierarchy, breadth-first or dijkstra.
  [[nodiscard]] const std::string& method() const { return method_; }
  /// Why this method: one sentence.
  [[nodiscard]] const std::string& choice() const { return choice_; }
  void set_choice(std::string choice) { choice_ = std::move(choice); }
  /// What messages call the parameters of the graph's source.
  void set_data_keys(KeyNames keys) { data_keys_ = std::move(keys); }
  /// Part `part` of `parts` of the hierarchy that is searched, for a file; nothing if none is. Parts come one after
  /// another. Local.
  [[nodiscard]] virtual std::optional<StoredHierarchy> stored_hierarchy(int part, int parts) const;

  /// No path is longer than this; infinity where it is not known.
  [[nodiscard]] double longest() const { return longest_; }
  /// Every length of an edge is an integer; sums may be of 2^32 or more, then SourceTraits::integral is false.
  [[nodiscard]] bool whole() const { return whole_; }
  /// Bytes of a length while many sources are searched from at once.
  [[nodiscard]] virtual Index length_bytes() const { return sizeof(double); }
  /// Positions in `sources` in the order in which they are best taken, SourceTraits::batch at a time. Local.
  [[nodiscard]] virtual std::vector<Index> order_of(std::span<const Index> sources) const;
  /// out(a, b) = length between sources[a] and targets.targets[b], divided by `scale`, as write_lengths does: a pair
  /// without a path is no error. Thread-safe, local. Memory: length_bytes() an entry of SourceTraits::batch rows.
  /// @param sources  may repeat @param targets  of prepare() of this object
  [[nodiscard]] LengthsFound write_rows(std::span<const Index> sources, const TargetSet& targets, double scale,
                                        const LengthRows& out) const;

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
  /// @throws Error(numeric) always: there is no path from `source` to `target`
  [[noreturn]] void report_no_path(Index source, Index target) const;

 private:
  bool whole_;
  std::string method_, choice_;
  double longest_;
  KeyNames data_keys_;
};

/// Path lengths in `graph` by a method by name:
/// - breadth-first: one search a source, unit lengths only;
/// - dijkstra: one search a source;
/// - hierarchy: sweeps over a contraction hierarchy, many sources at a time (see contraction_hierarchy.hpp), for graphs
///   with small separators, as roads are;
/// - auto: hierarchy where its arcs are few, else one of the others.
/// @param keys  of the method (search)
/// The graph is kept as it is, once per node; the hierarchy is made by one rank of each node and shared too.
/// @throws Error(usage) for a name that is none of these, or breadth-first with lengths; Error(input) for a length that
///   is not positive and finite; Error(resource) if the hierarchy has too many arcs. Collective.
[[nodiscard]] std::unique_ptr<PathLength> make_path_length(const Communicator& communicator, const SharedGraph& graph,
                                                           const std::string& method, const KeyNames& keys = {});

[[nodiscard]] const SimilarityDescriptor& path_length_similarity();

/// Whether these values of that similarity let a hierarchy be made. Local.
[[nodiscard]] bool may_use_hierarchy(const Values& values);

}  // namespace cairn
