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

/// Identity of the data set to which objects belong. Each set has its own identity; copies of it are equal. Two object
/// numbers mean the same object only within one set. Identities are local to a process: ranks do not compare them.
class SetIdentity {
 public:
  /// An identity different from all others of this process. Thread-safe.
  SetIdentity();
  [[nodiscard]] bool operator==(const SetIdentity&) const = default;

 private:
  std::uint64_t number_;
};

/// Kind of objects, for the similarities that compare them. Other programs may add kinds. Kinds are equal if their
/// names are.
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

/// Texts that belong to the objects of a rank: one per object, or none on every rank.
struct ObjectTexts {
  std::vector<std::string> labels{};
  std::vector<std::string> splits{};  ///< "train", "test"
  std::vector<std::string> groups{};  ///< a group: objects ranked against each other, such as the thread of a comment
  std::vector<std::string> identifiers{};  ///< names of the objects in other programs, such as the id of a comment
  std::vector<std::string> texts{};        ///< contents of the objects, for people
};

class ArrayWriter;
class ObjectSet;
struct DataSize;

/// Data that blocks of objects share and a file stores once: the words of documents.
class CommonObjects {
 public:
  virtual ~CommonObjects() = default;
  /// Writes the data as arrays of the whole file, whose names begin with a name of the objects' kind. One rank.
  virtual void write(ArrayWriter& arrays) const = 0;
};

/// A few objects held entirely by one rank: their set and their numbers in it. Derived classes hold the contents.
///
/// A block that is not made by a set is a set of its own: none of its objects is in another block. Results store
/// landmarks as their blocks write them; DataKind defines how they are read back. Objects identified by their numbers
/// alone need none of the virtual functions. All are local.
struct ObjectBlock {
  SetIdentity set;
  std::vector<Index> ids;  ///< number in the set
  ObjectBlock() = default;
  ObjectBlock(SetIdentity of, std::vector<Index> numbers) : set(of), ids(std::move(numbers)) {}
  virtual ~ObjectBlock() = default;
  [[nodiscard]] Index size() const { return static_cast<Index>(ids.size()); }

  /// Data that this block and `other`, or null, share; null: none. It refers to both, which must outlive it.
  [[nodiscard]] virtual std::unique_ptr<CommonObjects> common_with(const ObjectBlock* other) const;
  /// Writes the contents of the objects, without their numbers, as arrays; by default there are none. All calls write
  /// the same.
  /// @param common  result of common_with() for this block and another
  virtual void write(ArrayWriter& arrays, const CommonObjects* common) const;
  /// 64-bit hash of the objects that does not depend on how their parts are numbered. It is needed for objects outside
  /// the data (random documents). None by default: the objects are identified by their numbers.
  [[nodiscard]] virtual std::optional<std::uint64_t> digest() const;
  /// The same objects, converted for comparison with `others` (words get the numbers that they have there); null: no
  /// conversion is needed.
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
  ObjectSet(const ObjectSet&) = default;
  ObjectSet(ObjectSet&&) = default;
  ObjectSet& operator=(const ObjectSet&) = default;
  ObjectSet& operator=(ObjectSet&&) = default;

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  /// The identity that all blocks of this set carry.
  [[nodiscard]] SetIdentity identity() const { return identity_; }
  [[nodiscard]] Index size() const { return partition_.rows(); }
  [[nodiscard]] Range range() const { return range_; }

  /// Number of coordinates of a point or of a word vector; 0 if the objects have none. Local.
  [[nodiscard]] virtual Index dimension() const { return 0; }
  /// Labels of this rank's objects, and the names of their splits; none if they have none. Local.
  [[nodiscard]] const std::vector<std::string>& labels() const { return texts_.labels; }
  [[nodiscard]] const std::vector<std::string>& splits() const { return texts_.splits; }
  /// Their groups and identifiers, as in ObjectTexts; none if they have none. Local.
  [[nodiscard]] const std::vector<std::string>& groups() const { return texts_.groups; }
  [[nodiscard]] const std::vector<std::string>& identifiers() const { return texts_.identifiers; }
  /// Replaces these four. @throws Error(internal) unless each has a text for every own object, or none. Local.
  void set_texts(ObjectTexts texts);
  /// Contents of this rank's objects, for people; none if they have none. Local.
  [[nodiscard]] virtual std::vector<std::string> texts() const { return {}; }

  /// Adds what plans need to know of the objects besides their number and labels: bytes of an object, further texts.
  /// @param value_bytes  of a number of the run. Collective.
  virtual void add_sizes(const Communicator& communicator, Index value_bytes, DataSize& sizes) const;

  /// A block of objects that this rank owns. It refers to the set where possible: use it only while the set lives.
  /// Local.
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> block(Range rows) const = 0;
  /// The same objects as bytes, for another rank, and back. Local.
  [[nodiscard]] virtual std::vector<std::byte> pack(Range rows) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const = 0;
  /// The objects with these numbers, from all ranks (any order, repeats allowed, lists may differ between ranks).
  /// Collective.
  [[nodiscard]] virtual std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                            std::span<const Index> ids) const = 0;
  /// The same for pairs of objects (lists of equal length). The blocks may hold less than those of gather(): only what
  /// Similarity::pairs() of first[a] and second[a] uses. Collective.
  [[nodiscard]] virtual ObjectPairs gather_pairs(const Communicator& communicator, std::span<const Index> first,
                                                 std::span<const Index> second) const {
    return {gather(communicator, first), gather(communicator, second)};
  }

 protected:
  ObjectSet(const RowPartition& partition, int rank) : partition_(partition), range_(partition.range(rank)) {}
  /// @throws Error(internal) as set_texts()
  ObjectSet(const RowPartition& partition, int rank, ObjectTexts texts) : ObjectSet(partition, rank) {
    set_texts(std::move(texts));
  }
  RowPartition partition_;
  Range range_;

 private:
  SetIdentity identity_;
  ObjectTexts texts_;
};

/// Copies of all texts of a set. Local.
[[nodiscard]] ObjectTexts texts_of(const ObjectSet& objects);

/// Objects identified by their numbers only: rows of a precomputed matrix, vertices.
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
