// The objects that a similarity compares, distributed over ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/communicator.hpp"
#include "base/row_partition.hpp"

namespace cairn {

/// A few objects held whole by one rank: their global numbers; what they are, in a derived class.
struct ObjectBlock {
  std::vector<Index> ids;  ///< number in the data set; negative for objects that are not in it
  virtual ~ObjectBlock() = default;
  [[nodiscard]] Index size() const { return static_cast<Index>(ids.size()); }
};

/// n objects, contiguous over ranks.
class ObjectSet {
 public:
  virtual ~ObjectSet() = default;

  [[nodiscard]] const RowPartition& partition() const { return partition_; }
  [[nodiscard]] Index size() const { return partition_.rows(); }
  [[nodiscard]] Range range() const { return range_; }

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
};

/// Objects known by their number alone: rows of a precomputed matrix.
class NumberedObjects final : public ObjectSet {
 public:
  NumberedObjects(const RowPartition& partition, int rank) : ObjectSet(partition, rank) {}
  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override;
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override;
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override;
};

}  // namespace cairn
