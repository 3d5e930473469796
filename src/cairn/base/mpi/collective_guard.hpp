// Local work that may fail; all ranks agree on the outcome before any continues.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/communicator.hpp"

namespace cairn {

/// Throws on every rank the error of the lowest rank that has one; returns if no rank has one. Collective.
void agree(const Communicator& communicator, const std::optional<Error>& mine);

/// Runs `work` on this rank, then agrees on the outcome: every rank returns, or every rank throws the same Error.
/// `work` must not communicate (its failure on one rank would leave the others waiting). Collective.
template <class Work>
auto collectively(const Communicator& communicator, Work&& work) -> std::invoke_result_t<Work> {
  using Result = std::invoke_result_t<Work>;
  std::optional<Error> error;
  if constexpr (std::is_void_v<Result>) {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      error = current_error();
    }
    agree(communicator, error);
  } else {
    std::optional<Result> result;
    try {
      result.emplace(std::forward<Work>(work)());
    } catch (...) {
      error = current_error();
    }
    agree(communicator, error);
    return std::move(*result);
  }
}

}  // namespace cairn
