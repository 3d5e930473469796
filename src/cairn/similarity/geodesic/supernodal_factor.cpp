#include "cairn/similarity/geodesic/supernodal_factor.hpp"

#include <cholmod.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/linalg/library_limits.hpp"

namespace cairn {

namespace {

using Long = SuiteSparse_long;

// CHOLMOD's settings and memory, and the objects of one factorization.
class Cholmod {
 public:
  Cholmod() {
    cholmod_l_start(&common_);
    common_.print = 0;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_METIS;
    common_.postorder = 1;
    common_.supernodal = CHOLMOD_SUPERNODAL;
  }
  ~Cholmod() {
    cholmod_l_free_factor(&factor_, &common_);
    cholmod_l_free_sparse(&matrix_, &common_);
    cholmod_l_finish(&common_);
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;

  void set_pattern(const NodeArray<Index>& starts, const NodeArray<std::int32_t>& neighbours);
  void factorize(const NodeArray<Index>& starts, const NodeArray<std::int32_t>& neighbours,
                 const SymmetricValues& values);
  [[nodiscard]] const cholmod_factor& factor() const { return *factor_; }

 private:
  void check(const char* what) const;
  cholmod_common common_{};
  cholmod_sparse* matrix_ = nullptr;  // its upper half by columns, so the lower half by rows
  cholmod_factor* factor_ = nullptr;
};

void Cholmod::check(const char* what) const {
  if (common_.status == CHOLMOD_OK) return;
  if (common_.status == CHOLMOD_NOT_POSDEF) {
    throw Error(ErrorKind::numeric, fmt::format("{}: the matrix is not positive definite at row {} of its factor", what,
                                                factor_ != nullptr ? static_cast<Index>(factor_->minor) : 0));
  }
  const bool memory = common_.status == CHOLMOD_OUT_OF_MEMORY || common_.status == CHOLMOD_TOO_LARGE;
  throw Error(memory ? ErrorKind::resource : ErrorKind::internal,
              memory ? fmt::format("{}: a sparse factor does not fit into memory", what)
                     : fmt::format("{}: CHOLMOD reports status {}", what, common_.status));
}

void Cholmod::set_pattern(const NodeArray<Index>& starts, const NodeArray<std::int32_t>& neighbours) {
  const Index n = starts.size() - 1;
  const auto entries = static_cast<std::size_t>(neighbours.size() / 2 + n);
  matrix_ = cholmod_l_allocate_sparse(static_cast<std::size_t>(n), static_cast<std::size_t>(n), entries, 1, 1, 1,
                                      CHOLMOD_REAL, &common_);
  check("allocation");
  auto* columns = static_cast<Long*>(matrix_->p);
  auto* rows = static_cast<Long*>(matrix_->i);
  Index k = 0;
  for (Index j = 0; j < n; ++j) {
    columns[j] = k;
    for (Index a = starts[j]; a < starts[j + 1] && neighbours[a] < j; ++a) rows[k++] = neighbours[a];
    rows[k++] = j;
  }
  columns[n] = k;
  const Watchdog::Patience patience(seconds_of_analysis(static_cast<double>(entries)));
  factor_ = cholmod_l_analyze(matrix_, &common_);
  check("ordering");
}

void Cholmod::factorize(const NodeArray<Index>& starts, const NodeArray<std::int32_t>& neighbours,
                        const SymmetricValues& values) {
  auto* x = static_cast<double*>(matrix_->x);
  for (Index j = 0; j + 1 < starts.size(); ++j) {
    for (Index a = starts[j]; a < starts[j + 1] && neighbours[a] < j; ++a)
      *x++ = values.arcs[static_cast<std::size_t>(a)];
    *x++ = values.diagonal[static_cast<std::size_t>(j)];
  }
  const Watchdog::Patience patience(silent_seconds(common_.fl, 1));
  cholmod_l_factorize(matrix_, factor_, &common_);
  check("factorization");
}

// A node's array of what CHOLMOD holds on its first rank. Collective.
template <class T>
NodeArray<T> share(const Communicator& communicator, bool writes, const void* from, std::size_t count,
                   const Communicator& node) {
  auto size = static_cast<Index>(count);
  node.broadcast(std::span(&size, 1), 0);
  NodeArray<T> result(communicator, size);
  if (writes) {
    if constexpr (std::is_floating_point_v<T>)
      std::copy_n(static_cast<const double*>(from), size, result.writable().begin());
    else
      std::transform(static_cast<const Long*>(from), static_cast<const Long*>(from) + size, result.writable().begin(),
                     [](Long value) { return static_cast<T>(value); });
  }
  result.publish();
  return result;
}

std::vector<Long> parents_of(const cholmod_factor& factor) {
  const auto* columns = static_cast<const Long*>(factor.super);
  const auto* row_starts = static_cast<const Long*>(factor.pi);
  const auto* rows = static_cast<const Long*>(factor.s);
  std::vector<Long> owner(factor.n), parents(factor.nsuper, -1);
  for (std::size_t s = 0; s < factor.nsuper; ++s) {
    std::fill(owner.begin() + columns[s], owner.begin() + columns[s + 1], static_cast<Long>(s));
  }
  for (std::size_t s = 0; s < factor.nsuper; ++s) {
    const Long first_below = row_starts[s] + columns[s + 1] - columns[s];
    if (first_below < row_starts[s + 1]) parents[s] = owner[static_cast<std::size_t>(rows[first_below])];
  }
  return parents;
}

std::shared_ptr<const SupernodalStructure> share_structure(const Communicator& communicator, bool writes,
                                                           const cholmod_factor& f, const Communicator& node) {
  const std::vector<Long> parents = writes ? parents_of(f) : std::vector<Long>{};
  auto result = std::make_shared<SupernodalStructure>();
  result->order = share<Index>(communicator, writes, f.Perm, f.n, node);
  result->columns = share<Index>(communicator, writes, f.super, f.nsuper + 1, node);
  result->row_starts = share<Index>(communicator, writes, f.pi, f.nsuper + 1, node);
  result->value_starts = share<Index>(communicator, writes, f.px, f.nsuper + 1, node);
  result->rows = share<std::int32_t>(communicator, writes, f.s, f.ssize, node);
  result->parent = share<std::int32_t>(communicator, writes, parents.data(), parents.size(), node);
  return result;
}

}  // namespace

std::vector<SupernodalFactor> factorize(const Communicator& communicator, const NodeArray<Index>& starts,
                                        const NodeArray<std::int32_t>& neighbours,
                                        const std::vector<SymmetricValues>& matrices) {
  const Communicator& node = starts.node();
  const bool writes = node.is_root();
  Cholmod cholmod;
  std::shared_ptr<const SupernodalStructure> structure;
  std::vector<SupernodalFactor> factors;
  // The others wait for the first rank of the node, whose own patience ends when it should have the factors.
  const Watchdog::Patience patience(writes ? 0.0 : Watchdog::longest_patience);
  collectively(communicator, [&] {
    if (writes) cholmod.set_pattern(starts, neighbours);
  });
  for (const SymmetricValues& values : matrices) {
    collectively(communicator, [&] {
      if (writes) cholmod.factorize(starts, neighbours, values);
    });
    const cholmod_factor none{};
    const cholmod_factor& factor = writes ? cholmod.factor() : none;
    if (!structure) structure = share_structure(communicator, writes, factor, node);
    factors.emplace_back(structure, share<double>(communicator, writes, factor.x, factor.xsize, node));
  }
  return factors;
}

}  // namespace cairn
