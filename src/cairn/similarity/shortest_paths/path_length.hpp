// Shortest path lengths in graphs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cairn/data/graph/graph.hpp"
#include "cairn/parameters/key_names.hpp"
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

 protected:
  PathLength(std::string method, Index vertices, bool integral, Index batch)
      : SourceSimilarity({.name = "path-length", .size = vertices, .integral = integral, .batch = batch}),
        method_(std::move(method)) {}
  /// @throws Error(numeric) always: there is no path from `source` to `target`
  [[noreturn]] void report_no_path(Index source, Index target) const;

 private:
  std::string method_, choice_;
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
