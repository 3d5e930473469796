// Requests for objects that other ranks own, by object number.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// The data that each owner sent.
template <class T>
class Answers {
 public:
  /// One array per owner.
  explicit Answers(std::vector<std::vector<T>> parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) spans_.emplace_back(part);
  }
  /// One array for all owners, with `sizes` entries per owner.
  Answers(std::vector<T> all, const std::vector<Index>& sizes) : all_(std::move(all)) {
    std::size_t begin = 0;
    for (const Index size : sizes) {
      spans_.push_back(std::span<const T>(all_).subspan(begin, size));
      begin += static_cast<std::size_t>(size);
    }
  }
  Answers(Answers&&) noexcept = default;
  Answers& operator=(Answers&&) noexcept = default;
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  ~Answers() = default;

  [[nodiscard]] std::size_t size() const { return spans_.size(); }
  [[nodiscard]] std::span<const T> operator[](std::size_t owner) const { return spans_[owner]; }

 private:
  std::vector<std::vector<T>> parts_;
  std::vector<T> all_;
  std::vector<std::span<const T>> spans_;
};

/// True if all ranks request the same objects in the same order, as for landmarks. Collective.
[[nodiscard]] bool same_on_all_ranks(const Communicator& communicator, std::span<const Index> ids);

/// Requests objects from the ranks that own them.
/// @param ids     any order, repeats allowed, may differ between ranks
/// @param answer  answer(ids): the data that this rank sends for its own objects, in their order; std::vector<T>; local
/// @return per owner, its data for those of `ids` that it owns, in their order
/// If all ranks have the same list, each owner answers once and the answers are gathered. Otherwise each rank is sent
/// its own answer. Collective. @throws what `answer` throws, on all ranks.
template <class T, class Answer>
[[nodiscard]] Answers<T> ask_owners(const Communicator& communicator, const RowPartition& partition,
                                    std::span<const Index> ids, Answer answer) {
  const auto own = static_cast<std::size_t>(communicator.rank());
  auto wanted = collectively(communicator, [&] {
    std::vector<std::vector<Index>> by_owner(communicator.size());
    for (const Index id : ids) by_owner[partition.owner(id)].push_back(id);
    return by_owner;
  });
  if (same_on_all_ranks(communicator, ids)) {
    std::vector<T> mine = collectively(communicator, [&] { return answer(std::span<const Index>(wanted[own])); });
    if (communicator.size() == 1) {
      std::vector<std::vector<T>> parts;
      parts.push_back(std::move(mine));
      return Answers<T>(std::move(parts));
    }
    const std::vector<Index> sizes = communicator.all_gather_one(static_cast<Index>(mine.size()));
    return Answers<T>(communicator.all_gather(mine), sizes);
  }
  // What a rank asks itself needs no message.
  const std::vector<Index> asked_here = std::exchange(wanted[own], {});
  const auto asked = communicator.exchange(wanted);
  auto answers = collectively(communicator, [&] {
    std::vector<std::vector<T>> by_rank;
    for (std::size_t r = 0; r < asked.size(); ++r) {
      by_rank.push_back(answer(std::span<const Index>(r == own ? asked_here : asked[r])));
    }
    return by_rank;
  });
  std::vector<T> mine = std::exchange(answers[own], {});
  auto received = communicator.exchange(answers);
  received[own] = std::move(mine);
  return Answers<T>(std::move(received));
}

}  // namespace cairn
