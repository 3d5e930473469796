#include "cairn/approximation/biharmonic/harmonic/node_factor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/free_memory.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/sparse/cholmod_factor.hpp"

namespace cairn {

namespace {

// The scalar fields of a factor, broadcast to the other ranks of the node.
struct Header {
  cholmod_factor factor;
  Index entries;
};

std::string operator_name(Index size) { return fmt::format("the Laplacian on {} vertices", size); }

constexpr const char* advice = "take more landmarks, or another solver";

// The arrays of a factor: the address of each pointer, and its size in bytes.
struct FactorArray {
  void** pointer;
  std::size_t bytes;
};

std::vector<FactorArray> arrays_of(cholmod_factor& f) {
  constexpr std::size_t word = 8;  // size of integers and values alike
  if (f.is_super != 0) {
    return {{&f.Perm, f.n * word},          {&f.super, (f.nsuper + 1) * word},
            {&f.pi, (f.nsuper + 1) * word}, {&f.px, (f.nsuper + 1) * word},
            {&f.s, f.ssize * word},         {&f.x, f.xsize * word}};
  }
  return {{&f.Perm, f.n * word},
          {&f.p, (f.n + 1) * word},
          {&f.nz, f.n * word},
          {&f.i, f.nzmax * word},
          {&f.x, f.nzmax * word}};
}

}  // namespace

void NodeFactor::require_budget(Index size, double bytes, double memory) {
  if (2.0 * bytes <= 0.8 * memory) return;
  throw Error(ErrorKind::resource,
              fmt::format("the factor of the Laplacian on {} vertices would take {:.1f} GB, and as much "
                          "again while it is made, of the {:.1f} GB that it may take; use more landmarks or another "
                          "solver",
                          size, bytes / 1e9, memory / 1e9));
}

NodeFactor::Workspace::Workspace() {
  cholmod_l_start(&common_);
  common_.print = 0;
}

NodeFactor::Workspace::~Workspace() {
  cholmod_l_free_dense(&solution_, &common_);
  cholmod_l_free_dense(&permuted_, &common_);
  cholmod_l_free_dense(&extra_, &common_);
  cholmod_l_finish(&common_);
}

NodeFactor::NodeFactor(const Communicator& communicator,
                       const std::function<LowerTriangle<SuiteSparse_long>(double)>& matrix, Index memory) {
  const Communicator& node = communicator.node();
  const double allowed =
      memory == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(memory * node.size());
  std::unique_ptr<CholmodFactor<SuiteSparse_long>> own;
  Header header{};
  // The other ranks wait for the first rank of the node; its own grace period ends at the expected end of the
  // factorization.
  const Watchdog::Patience patience(node.is_root() ? 0.0 : Watchdog::longest_patience);
  collectively(communicator, [&] {
    if (!node.is_root()) return;
    const FreeMemory free = free_memory();
    const double budget = std::min(allowed, static_cast<double>(std::min(free.shared, free.own)));
    LowerTriangle<SuiteSparse_long> triangle = matrix(budget);
    const cholmod_sparse view = cholmod_view(triangle.starts, triangle.rows, triangle.values, StoredHalf::lower);
    own = std::make_unique<CholmodFactor<SuiteSparse_long>>(operator_name(static_cast<Index>(view.nrow)), advice);
    own->settings().final_ll = 1;
    own->analyze(view);
    const auto entries = static_cast<Index>(own->entries());
    const cholmod_factor& pattern =
        own->factor();  // a factor that is not supernodal grows by its values and row numbers
    require_budget(static_cast<Index>(view.nrow),
                   pattern.is_super != 0 ? 8.0 * static_cast<double>(pattern.xsize + pattern.ssize)
                                         : 16.0 * static_cast<double>(entries),
                   budget);
    own->factorize(view);
    header = {own->factor(), entries};
  });
  Index bytes = 0;
  if (own) {
    for (const FactorArray& array : arrays_of(own->factor())) bytes += static_cast<Index>(array.bytes);
  }
  node.broadcast(std::span(&header, 1), 0);
  node.broadcast(std::span(&bytes, 1), 0);
  memory_ = NodeArray<std::byte>(communicator, std::max<Index>(bytes, 1));
  factor_ = header.factor;
  factor_.ColCount = factor_.IPerm = factor_.next = factor_.prev = nullptr;
  entries_ = header.entries;
  size_ = static_cast<Index>(factor_.n);
  std::byte* place = memory_.writable().data();
  const auto targets = arrays_of(factor_);
  const auto sources = own ? arrays_of(own->factor()) : targets;
  for (std::size_t a = 0; a < targets.size(); ++a) {
    if (own && targets[a].bytes > 0) std::memcpy(place, *sources[a].pointer, targets[a].bytes);
    *targets[a].pointer = place;
    place += targets[a].bytes;
  }
  memory_.publish();
}

void NodeFactor::solve(std::span<double> right_hand_sides, Index columns, Workspace& workspace) const {
  cholmod_dense view{};
  view.nrow = view.d = static_cast<std::size_t>(size_);
  view.ncol = static_cast<std::size_t>(columns);
  view.nzmax = view.nrow * view.ncol;
  view.x = right_hand_sides.data();
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  cholmod_factor factor = factor_;  // a solve does not modify its arrays
  cholmod_l_solve2(CHOLMOD_A, &factor, &view, nullptr, &workspace.solution_, nullptr, &workspace.permuted_,
                   &workspace.extra_, &workspace.common_);
  require_cholmod_success(workspace.common_, operator_name(size_), advice);
  std::memcpy(right_hand_sides.data(), workspace.solution_->x, view.nzmax * sizeof(double));
}

}  // namespace cairn
