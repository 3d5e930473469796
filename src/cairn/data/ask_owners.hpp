// Objects that other ranks own, by number.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/communicator.hpp"
#include "cairn/base/mpi/row_partition.hpp"

namespace cairn {

/// What each owner sent.
template <class T>
class Answers {
 public:
  /// One array by owner.
  explicit Answers(std::vector<std::vector<T>> parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) spans_.emplace_back(part);
  }
  /// All in one, `sizes` by owner.
  Answers(std::vector<T> all, const std::vector<Index>& sizes) : all_(std::move(all)) {
    std::size_t begin = 0;
    for (const Index size : sizes) {
      spans_.push_back(std::span<const T>(all_).subspan(begin, static_cast<std::size_t>(size)));
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

/// Whether all ranks ask for the same objects in the same order, as for landmarks. Collective.
[[nodiscard]] bool same_on_all_ranks(const Communicator& communicator, std::span<const Index> ids);

/// Asks the owners of objects for them.
/// @param ids     any order, repeats allowed, another list on every rank
/// @param answer  answer(ids): what this rank sends for own objects, in their order; std::vector<T>; local
/// @return by owner, what it has to say on those of `ids` that it owns, in their order
/// A list that is the same on all ranks is answered once and gathered; else every rank is sent its own answer.
/// Collective. @throws what `answer` throws, on all ranks.
template <class T, class Answer>
[[nodiscard]] Answers<T> ask_owners(const Communicator& communicator, const RowPartition& partition,
                                    std::span<const Index> ids, Answer answer) {
  const auto wanted = collectively(communicator, [&] {
    std::vector<std::vector<Index>> by_owner(static_cast<std::size_t>(communicator.size()));
    for (const Index id : ids) by_owner[static_cast<std::size_t>(partition.owner(id))].push_back(id);
    return by_owner;
  });
  if (same_on_all_ranks(communicator, ids)) {
    const std::vector<Index>& own = wanted[static_cast<std::size_t>(communicator.rank())];
    const std::vector<T> mine = collectively(communicator, [&] { return answer(std::span<const Index>(own)); });
    const std::vector<Index> sizes = communicator.all_gather_one(static_cast<Index>(mine.size()));
    return Answers<T>(communicator.all_gather(mine), sizes);
  }
  const auto asked = communicator.exchange(wanted);
  const auto answers = collectively(communicator, [&] {
    std::vector<std::vector<T>> by_rank;
    for (const auto& list : asked) by_rank.push_back(answer(std::span<const Index>(list)));
    return by_rank;
  });
  return Answers<T>(communicator.exchange(answers));
}

}  // namespace cairn
