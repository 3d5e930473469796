// The objects that a similarity compares, distributed over ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// Which data set objects belong to. Every set has an identity of its own, copies of which are equal; numbers of
/// objects mean the same object only within one set. It is local to a process: ranks do not compare theirs.
class SetIdentity {
 public:
  /// Of a set that is unlike every other one of this process. Thread-safe.
  SetIdentity();
  [[nodiscard]] bool operator==(const SetIdentity&) const = default;

 private:
  std::uint64_t number_;
};

/// What objects are, for those that compare them. A program of one's own may add kinds: they are equal if
/// their names are.
struct ObjectKind {
  std::string_view name;
  [[nodiscard]] bool operator==(const ObjectKind&) const = default;
};

namespace objects {
inline constexpr ObjectKind points{"points"};
inline constexpr ObjectKind documents{"documents"};
inline constexpr ObjectKind graph_vertices{"vertices of a graph"};
inline constexpr ObjectKind mesh_vertices{"vertices of a mesh"};
inline constexpr ObjectKind matrix_rows{"rows of a matrix"};
inline constexpr ObjectKind numbers{"numbers"};
}  // namespace objects

/// The numbers in `rows`, as a list.
[[nodiscard]] std::vector<Index> numbers_of(Range rows);

/// A few objects held whole by one rank: their set and their numbers in it; what they are, in a derived class.
///
/// A block that is not made by a set is a set of its own: none of its objects is one of another block.
struct ObjectBlock {
  SetIdentity set;
  std::vector<Index> ids;  ///< number in the set
  ObjectBlock() = default;
  ObjectBlock(SetIdentity of, std::vector<Index> numbers) : set(of), ids(std::move(numbers)) {}
  virtual ~ObjectBlock() = default;
  [[nodiscard]] Index size() const { return static_cast<Index>(ids.size()); }
};

/// n objects, contiguous over ranks.
class ObjectSet {
 public:
  virtual ~ObjectSet() = default;

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  /// The identity that all blocks of this set carry.
  [[nodiscard]] SetIdentity identity() const { return identity_; }
  [[nodiscard]] Index size() const { return partition_.rows(); }
  [[nodiscard]] Range range() const { return range_; }

  /// Labels of this rank's objects, and the names of their splits; none if they have none. Local.
  [[nodiscard]] virtual const std::vector<std::string>& labels() const { return no_texts(); }
  [[nodiscard]] virtual const std::vector<std::string>& splits() const { return no_texts(); }

  /// Objects that this rank owns. Points into the set where it can: use it while the set lives. Local.
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> block(Range rows) const = 0;
  /// The same as bytes, for another rank, and back. Local.
  [[nodiscard]] virtual std::vector<std::byte> pack(Range rows) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const = 0;
  /// The objects with these numbers (any order, repeats allowed, another list on every rank), whoever owns them.
  /// Collective.
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                            std::span<const Index> ids) const = 0;

 protected:
  ObjectSet(const RowPartition& partition, int rank) : partition_(partition), range_(partition.range(rank)) {}
  RowPartition partition_;
  Range range_;

 private:
  static const std::vector<std::string>& no_texts();
  SetIdentity identity_;
};

/// Objects known by their numbers only: rows of a precomputed matrix, vertices.
class NumberedObjects : public ObjectSet {
 public:
  NumberedObjects(const RowPartition& partition, int rank) : ObjectSet(partition, rank) {}
  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;
};

}  // namespace cairn
