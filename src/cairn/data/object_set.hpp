// The objects that a similarity compares, distributed over ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
inline constexpr ObjectKind pairs{"pairs"};
}  // namespace objects

/// The numbers in `rows`, as a list.
[[nodiscard]] std::vector<Index> numbers_of(Range rows);

/// Texts beside the objects of a rank, one an object, or none on every rank.
struct ObjectTexts {
  std::vector<std::string> labels{};
  std::vector<std::string> splits{};  ///< "train", "test"
  std::vector<std::string> groups{};  ///< objects of one group are ranked against each other: the thread of a comment
  std::vector<std::string> identifiers{};  ///< what other programs call the objects: the id of a comment
  std::vector<std::string> texts{};        ///< what they say, for people
};

class ArrayWriter;
class ObjectSet;

/// What blocks of objects have in common and a file holds once: the words of documents.
class CommonObjects {
 public:
  virtual ~CommonObjects() = default;
  /// As arrays, whose names begin with one of the objects' kind: they are those of the whole file. One rank.
  virtual void write(ArrayWriter& arrays) const = 0;
};

/// A few objects held whole by one rank: their set and their numbers in it; what they are, in a derived class.
///
/// A block that is not made by a set is a set of its own: none of its objects is one of another block.
/// Results keep landmarks as their blocks write them; DataKind says how they are read back. Objects that are known by
/// their numbers alone need none of the virtual functions. All are local.
struct ObjectBlock {
  SetIdentity set;
  std::vector<Index> ids;  ///< number in the set
  ObjectBlock() = default;
  ObjectBlock(SetIdentity of, std::vector<Index> numbers) : set(of), ids(std::move(numbers)) {}
  virtual ~ObjectBlock() = default;
  [[nodiscard]] Index size() const { return static_cast<Index>(ids.size()); }

  /// What this block and `other`, or null, have in common; null: nothing. It refers to both, which must live.
  [[nodiscard]] virtual std::unique_ptr<CommonObjects> common_with(const ObjectBlock* other) const;
  /// What the objects are, but for their numbers, as arrays; by default there are none. The same on every call.
  /// @param common  what common_with() gave for this block and another
  virtual void write(ArrayWriter& arrays, const CommonObjects* common) const;
  /// 64 bits of what the objects are, however their parts are numbered: asked of those that are not of the data (random
  /// documents). Nothing by default: they are known by their numbers.
  [[nodiscard]] virtual std::optional<std::uint64_t> digest() const;
  /// The same objects as they have to be to be compared with `others` (their words have the numbers that they have
  /// there); null: as they are.
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> matched_to(const ObjectSet& others) const;
};

/// Objects that are compared in pairs, first[a] with second[a].
struct ObjectPairs {
  std::unique_ptr<ObjectBlock> first, second;
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

  /// Coordinates of a point, or of a vector of a word; 0 if the objects have no such thing. Local.
  [[nodiscard]] virtual Index dimension() const { return 0; }
  /// Labels of this rank's objects, and the names of their splits; none if they have none. Local.
  [[nodiscard]] virtual const std::vector<std::string>& labels() const { return no_texts(); }
  [[nodiscard]] virtual const std::vector<std::string>& splits() const { return no_texts(); }
  /// Their groups and identifiers, as ObjectTexts says; none if they have none. Local.
  [[nodiscard]] virtual const std::vector<std::string>& groups() const { return no_texts(); }
  [[nodiscard]] virtual const std::vector<std::string>& identifiers() const { return no_texts(); }
  /// What this rank's objects say, for people; none if they say nothing. Local.
  [[nodiscard]] virtual std::vector<std::string> texts() const { return {}; }

  /// Objects that this rank owns. Points into the set where it can: use it while the set lives. Local.
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> block(Range rows) const = 0;
  /// The same as bytes, for another rank, and back. Local.
  [[nodiscard]] virtual std::vector<std::byte> pack(Range rows) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const = 0;
  /// The objects with these numbers (any order, repeats allowed, another list on every rank), whoever owns them.
  /// Collective.
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                            std::span<const Index> ids) const = 0;
  /// The same for pairs of objects (lists of equal length). They may hold less than gather() gives: what
  /// Similarity::pairs() of first[a] and second[a] looks at, and no more. Collective.
  [[nodiscard]] virtual ObjectPairs gather_pairs(const Communicator& communicator, std::span<const Index> first,
                                                 std::span<const Index> second) const {
    return {gather(communicator, first), gather(communicator, second)};
  }

 protected:
  ObjectSet(const RowPartition& partition, int rank) : partition_(partition), range_(partition.range(rank)) {}
  RowPartition partition_;
  Range range_;

 private:
  static const std::vector<std::string>& no_texts();
  SetIdentity identity_;
};

/// Copies of all texts of a set. Local.
[[nodiscard]] ObjectTexts texts_of(const ObjectSet& objects);

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
