#include "cairn/approximation/biharmonic/direct/node_factor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/free_memory.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

// The parts of a factor that go to the other ranks of the node.
struct Header {
  cholmod_factor factor;
  Index entries;
  double norm;
};

void check(const cholmod_common& common, Index size) {
  if (common.status == CHOLMOD_NOT_POSDEF) {
    throw Error(ErrorKind::numeric, fmt::format("the biharmonic operator on {} vertices is singular to double "
                                                "precision; take more landmarks",
                                                size));
  }
  if (common.status == CHOLMOD_OUT_OF_MEMORY || common.status == CHOLMOD_TOO_LARGE) {
    throw Error(ErrorKind::resource, fmt::format("the factor of the biharmonic operator on {} vertices does not fit "
                                                 "into memory; use more landmarks or another solver",
                                                 size));
  }
  if (common.status < 0) throw Error(ErrorKind::internal, fmt::format("CHOLMOD failed with status {}", common.status));
}

// CHOLMOD's view of the matrix.
cholmod_sparse view_of(LowerTriangle<std::int64_t>& matrix) {
  cholmod_sparse view{};
  view.nrow = view.ncol = matrix.starts.size() - 1;
  view.nzmax = matrix.rows.size();
  view.p = matrix.starts.data();
  view.i = matrix.rows.data();
  view.x = matrix.values.data();
  view.stype = -1;
  view.itype = CHOLMOD_LONG;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = view.packed = 1;
  return view;
}

// The arrays of a factor: where each pointer stands, and how many bytes it needs.
struct FactorArray {
  void** pointer;
  std::size_t bytes;
};

std::vector<FactorArray> arrays_of(cholmod_factor& f) {
  constexpr std::size_t word = 8;  // of integers and values alike
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

// The factor of one rank, freed at its end.
class OwnFactor {
 public:
  OwnFactor(LowerTriangle<std::int64_t> matrix, double memory) : norm_(matrix.norm) {
    cholmod_l_start(&common_);
    common_.print = 0;
    common_.final_ll = 1;
    cholmod_sparse view = view_of(matrix);
    const auto size = static_cast<Index>(view.nrow);
    const Watchdog::Patience patience(seconds_of_analysis(static_cast<double>(view.nzmax)));
    factor_ = cholmod_l_analyze(&view, &common_);
    try {
      check(common_, size);
      NodeFactor::require_room(size, common_.lnz, memory);
      entries_ = static_cast<Index>(common_.lnz);
      const Watchdog::Patience longer(silent_seconds(common_.fl, 1));
      cholmod_l_factorize(&view, factor_, &common_);
      check(common_, size);
    } catch (...) {
      release();
      throw;
    }
  }
  ~OwnFactor() { release(); }
  OwnFactor(const OwnFactor&) = delete;
  OwnFactor& operator=(const OwnFactor&) = delete;

  [[nodiscard]] cholmod_factor& factor() { return *factor_; }
  [[nodiscard]] Index entries() const { return entries_; }
  [[nodiscard]] double norm() const { return norm_; }

 private:
  void release() {
    cholmod_l_free_factor(&factor_, &common_);
    cholmod_l_finish(&common_);
  }

  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  Index entries_ = 0;
  double norm_ = 0.0;
};

}  // namespace

void NodeFactor::require_room(Index size, double entries, double memory) {
  const double bytes = 16.0 * entries;
  if (2.0 * bytes <= 0.8 * memory) return;
  throw Error(ErrorKind::resource,
              fmt::format("the factor of the biharmonic operator on {} vertices would take {:.1f} GB, and as much "
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
                       const std::function<LowerTriangle<std::int64_t>(double)>& matrix, Index memory) {
  const Communicator& node = communicator.node();
  const double allowed =
      memory == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(memory * node.size());
  std::unique_ptr<OwnFactor> own;
  // The others wait for the first rank of the node, whose own patience ends when it should have the factor.
  const Watchdog::Patience patience(node.is_root() ? 0.0 : Watchdog::longest_patience);
  collectively(communicator, [&] {
    if (!node.is_root()) return;
    const FreeMemory free = free_memory();
    const double room = std::min(allowed, static_cast<double>(std::min(free.shared, free.own)));
    own = std::make_unique<OwnFactor>(matrix(room), room);
  });
  Header header{};
  Index bytes = 0;
  if (own) {
    header = {own->factor(), own->entries(), own->norm()};
    for (const FactorArray& array : arrays_of(own->factor())) bytes += static_cast<Index>(array.bytes);
  }
  node.broadcast(std::span(&header, 1), 0);
  node.broadcast(std::span(&bytes, 1), 0);
  memory_ = NodeArray<std::byte>(communicator, std::max<Index>(bytes, 1));
  factor_ = header.factor;
  factor_.ColCount = factor_.IPerm = factor_.next = factor_.prev = nullptr;
  entries_ = header.entries;
  norm_ = header.norm;
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
  cholmod_factor factor = factor_;  // a solve changes nothing in its arrays
  cholmod_l_solve2(CHOLMOD_A, &factor, &view, nullptr, &workspace.solution_, nullptr, &workspace.permuted_,
                   &workspace.extra_, &workspace.common_);
  check(workspace.common_, size_);
  std::memcpy(right_hand_sides.data(), workspace.solution_->x, view.nzmax * sizeof(double));
}

double NodeFactor::condition_estimate(Workspace& workspace) const {
  const auto size = static_cast<std::size_t>(size_);
  if (size == 0) return 1.0;
  std::vector<double> x(size, 1.0 / static_cast<double>(size)), signs(size);
  double estimate = 0.0;
  for (int step = 0; step < 5; ++step) {
    solve(x, 1, workspace);
    double norm = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      norm += std::abs(x[i]);
      signs[i] = x[i] < 0.0 ? -1.0 : 1.0;
    }
    if (norm <= estimate) break;
    estimate = norm;
    solve(signs, 1, workspace);
    const auto largest = std::ranges::max_element(signs, {}, [](double v) { return std::abs(v); });
    const auto place = static_cast<std::size_t>(largest - signs.begin());
    std::ranges::fill(x, 0.0);
    x[place] = 1.0;
  }
  return norm_ * estimate;
}

}  // namespace cairn
