// Triangular solves with a supernodal factor. The right-hand sides of one row are contiguous and fill vector registers.
// Four rows (or columns) of L are processed at a time, so that their part of X is read once for all four. On supernodes
// of a few columns, which dominate on surfaces, this costs a fraction of calls to BLAS.
#include <algorithm>

#include "cairn/similarity/geodesic/supernodal_factor.hpp"

#define CAIRN_INLINE [[gnu::always_inline]] inline

namespace cairn {

namespace {

constexpr Index width = SupernodalFactor::width;

// Two registers, a part of the right-hand sides of one row. With four rows, 8 sums stay in registers on any processor.
template <class Vector>
struct Pair {
  static constexpr Index lanes = 2 * static_cast<Index>(sizeof(Vector) / sizeof(double));
  Vector low, high;
};

template <class Vector>
CAIRN_INLINE Pair<Vector> zero() {
  return {Vector{}, Vector{}};
}
template <class Vector>
CAIRN_INLINE Pair<Vector> load(const double* row) {
  const auto* from = reinterpret_cast<const Vector*>(row);
  return {from[0], from[1]};
}
template <class Vector>
CAIRN_INLINE void store(double* row, const Pair<Vector>& value) {
  auto* to = reinterpret_cast<Vector*>(row);
  to[0] = value.low;
  to[1] = value.high;
}
template <class Vector>
CAIRN_INLINE void add(Pair<Vector>& sum, double factor, const Pair<Vector>& value) {
  sum.low += factor * value.low;
  sum.high += factor * value.high;
}
template <class Vector>
CAIRN_INLINE void subtract(Pair<Vector>& from, const Pair<Vector>& value) {
  from.low -= value.low;
  from.high -= value.high;
}

// One supernode: its part of L by columns, and its rows of the factor.
struct Supernode {
  const double* l;
  Index columns, row_count;
  const std::int32_t* rows;
};

// Rows i .. i + count - 1 of L times the first `columns` own rows of X.
template <class Vector, int count>
CAIRN_INLINE void sum_of_rows(const Supernode& s, Index i, Index columns, const double* own, Pair<Vector>* sums) {
  Pair<Vector> local[count];
  for (int q = 0; q < count; ++q) local[q] = zero<Vector>();
  const double* l = s.l + i;
  for (Index j = 0; j < columns; ++j, l += s.row_count) {
    const Pair<Vector> xj = load<Vector>(own + j * width);
    for (int q = 0; q < count; ++q) add(local[q], l[q], xj);
  }
  for (int q = 0; q < count; ++q) sums[q] = local[q];
}

// Columns j .. j + count - 1 of L, transposed, from row `begin` on, times these rows of X.
template <class Vector, int count>
CAIRN_INLINE void sum_of_columns(const Supernode& s, Index j, Index begin, const double* x, Pair<Vector>* sums) {
  Pair<Vector> local[count];
  for (int q = 0; q < count; ++q) local[q] = zero<Vector>();
  const double* l = s.l + j * s.row_count;
  for (Index r = begin; r < s.row_count; ++r) {
    const Pair<Vector> xr = load<Vector>(x + s.rows[r] * width);
    for (int q = 0; q < count; ++q) add(local[q], l[q * s.row_count + r], xr);
  }
  for (int q = 0; q < count; ++q) sums[q] = local[q];
}

// Solves for own rows i .. i + count - 1, given those before them.
template <class Vector, int count>
CAIRN_INLINE void forward_own(const Supernode& s, Index i, double* own) {
  Pair<Vector> sums[count];
  sum_of_rows<Vector, count>(s, i, i, own, sums);
  for (int q = 0; q < count; ++q) {
    const double* row = s.l + i + q;
    Pair<Vector> value = load<Vector>(own + (i + q) * width);
    subtract(value, sums[q]);
    for (Index j = i; j < i + q; ++j) add(value, -row[j * s.row_count], load<Vector>(own + j * width));
    const double inverse = 1.0 / row[(i + q) * s.row_count];
    store<Vector>(own + (i + q) * width, {value.low * inverse, value.high * inverse});
  }
}

template <class Vector, int count>
CAIRN_INLINE void forward_below(const Supernode& s, Index i, const double* own, double* x) {
  Pair<Vector> sums[count];
  sum_of_rows<Vector, count>(s, i, s.columns, own, sums);
  for (int q = 0; q < count; ++q) {
    double* row = x + s.rows[i + q] * width;
    Pair<Vector> value = load<Vector>(row);
    subtract(value, sums[q]);
    store(row, value);
  }
}

// X := L⁻¹ X for the columns of the supernode, and the update of the rows below.
template <class Vector>
CAIRN_INLINE void forward_part(const Supernode& s, double* x) {
  double* own = x + s.rows[0] * width;
  Index i = 0;
  for (; i + 4 <= s.columns; i += 4) forward_own<Vector, 4>(s, i, own);
  for (; i < s.columns; ++i) forward_own<Vector, 1>(s, i, own);
  for (; i + 4 <= s.row_count; i += 4) forward_below<Vector, 4>(s, i, own, x);
  for (; i < s.row_count; ++i) forward_below<Vector, 1>(s, i, own, x);
}

// Solves for own rows j .. j + count - 1, given all rows behind them.
template <class Vector, int count>
CAIRN_INLINE void backward_own(const Supernode& s, Index j, double* own, const double* x) {
  Pair<Vector> sums[count];
  sum_of_columns<Vector, count>(s, j, j + count, x, sums);
  for (int q = count - 1; q >= 0; --q) {
    const double* column = s.l + (j + q) * s.row_count;
    Pair<Vector> value = load<Vector>(own + (j + q) * width);
    subtract(value, sums[q]);
    for (Index r = j + q + 1; r < j + count; ++r) add(value, -column[r], load<Vector>(own + r * width));
    const double inverse = 1.0 / column[j + q];
    store<Vector>(own + (j + q) * width, {value.low * inverse, value.high * inverse});
  }
}

// X := L⁻ᵀ X for the columns of the supernode; the rows below are done.
template <class Vector>
CAIRN_INLINE void backward_part(const Supernode& s, double* x) {
  double* own = x + s.rows[0] * width;
  Index end = s.columns;
  for (; end % 4 != 0; --end) backward_own<Vector, 1>(s, end - 1, own, x);
  for (; end > 0; end -= 4) backward_own<Vector, 4>(s, end - 4, own, x);
}

template <class Vector>
CAIRN_INLINE void step(const Supernode& s, bool down, double* x) {
  for (Index part = 0; part < width; part += Pair<Vector>::lanes) {
    if (down)
      forward_part<Vector>(s, x + part);
    else
      backward_part<Vector>(s, x + part);
  }
}

typedef double Vector2 __attribute__((vector_size(16), may_alias));
void step_default(const Supernode& s, bool down, double* x) { step<Vector2>(s, down, x); }

using Step = void (*)(const Supernode&, bool, double*);

// One function for each level of the processor family, chosen at the first call.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
typedef double Vector4 __attribute__((vector_size(32), may_alias));
typedef double Vector8 __attribute__((vector_size(64), may_alias));
__attribute__((target("arch=x86-64-v3"))) void step_v3(const Supernode& s, bool down, double* x) {
  step<Vector4>(s, down, x);
}
__attribute__((target("arch=x86-64-v4"))) void step_v4(const Supernode& s, bool down, double* x) {
  step<Vector8>(s, down, x);
}
Step best_step() {
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0) return step_v4;
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) return step_v3;
  return step_default;
}
#else
Step best_step() { return step_default; }
#endif

}  // namespace

void SupernodalFactor::solve(double* x, std::span<const Index> filled) const {
  static const Step run = best_step();
  const SupernodalStructure& f = *structure_;
  const Index supernodes = f.supernodes();
  const auto columns = f.columns.values();
  const auto supernode = [&](Index s) {
    return Supernode{values_.values().data() + f.value_starts[s], columns[s + 1] - columns[s],
                     f.row_starts[s + 1] - f.row_starts[s], f.rows.values().data() + f.row_starts[s]};
  };
  std::vector<char> reached(supernodes, filled.empty() ? 1 : 0);
  for (const Index row : filled) {
    const auto s = std::upper_bound(columns.begin(), columns.end(), row) - columns.begin() - 1;
    reached[s] = 1;
  }
  for (Index s = 0; s < supernodes; ++s) {
    if (reached[s] == 0) continue;
    if (f.parent[s] >= 0) reached[f.parent[s]] = 1;
    run(supernode(s), true, x);
  }
  for (Index s = supernodes - 1; s >= 0; --s) run(supernode(s), false, x);
}

}  // namespace cairn
