#include "cairn/similarity/sequences/subsequence_lanes.hpp"

#include <algorithm>

#include "cairn/base/each_level.hpp"
#include "cairn/base/octet.hpp"

namespace cairn {

namespace {

#define CAIRN_INLINE [[gnu::always_inline]] inline

using Lane = Octet<double>;
using Symbols = Octet<std::int64_t>;
static_assert(sizeof(Lane) == SubsequenceLanes::lanes * sizeof(double));

constexpr std::int64_t no_x = -1, no_y = -2;  // beyond the end of a sequence: equal to no symbol

// Places of x and y in lanes. sums[(length - 1) * place + l] is the sum of s^{l+1} at y's place, decayed along x.
struct Lanes {
  const std::int64_t* x;
  const std::int64_t* y;
  Index x_places, y_places;
  bool one;  // x has one number per place, for all lanes
  double decay;
  double* sums;
};

// Subsequences of at most `length` symbols, a constant for which the loops over lengths are unrolled. 0: at most `any`.
template <int length>
CAIRN_INLINE void sum_up(const Lanes& in, int any, double* out) {
  const int more = (length > 0 ? length : any) - 1;
  const double squared = in.decay * in.decay;
  constexpr int most = length > 0 ? length : 64;
  constexpr Index lanes = SubsequenceLanes::lanes;
  Lane total;
  std::fill_n(in.sums, lanes * in.y_places * more, 0.0);
  for (Index i = 0; i < in.x_places; ++i) {
    const Symbols symbol = in.one ? Symbols::all(in.x[i]) : Symbols::load(in.x + lanes * i);
    Lane before[most] = {};  // p^l of the places before this one
    double* sums = in.sums;
    for (Index j = 0; j < in.y_places; ++j, sums += lanes * more) {
      const Lane weight = where(Symbols::load(in.y + lanes * j) == symbol, Lane::all(squared));
      Lane term = weight;
      total += term;
#pragma GCC unroll 8
      for (int l = 0; l < more; ++l) {
        const Lane next = weight * before[l];
        const Lane sum = Lane::load(sums + lanes * l);
        before[l] = in.decay * before[l] + sum;
        (in.decay * sum + term).store(sums + lanes * l);
        term = next;
        total += term;
      }
    }
  }
  for (Index k = 0; k < lanes / 2; ++k) out[k] = total.low[k], out[lanes / 2 + k] = total.high[k];
}

CAIRN_EACH_LEVEL void sum_of_lanes(const Lanes& in, int length, double* out) {
  switch (length) {
    case 1:
      return sum_up<1>(in, length, out);
    case 2:
      return sum_up<2>(in, length, out);
    case 3:
      return sum_up<3>(in, length, out);
    case 4:
      return sum_up<4>(in, length, out);
    case 5:
      return sum_up<5>(in, length, out);
    case 6:
      return sum_up<6>(in, length, out);
    default:
      return sum_up<0>(in, length, out);
  }
}

Index longest(std::span<const SubsequenceLanes::Sequence> sequences) {
  std::size_t most = 0;
  for (const auto& sequence : sequences) most = std::max(most, sequence.size());
  return static_cast<Index>(most);
}

void reserve(Buffer<std::int64_t>& buffer, Index size) {
  if (buffer.size() < size) buffer = Buffer<std::int64_t>(size);
}

void place(std::span<const SubsequenceLanes::Sequence> sequences, std::int64_t none, Index places,
           Buffer<std::int64_t>& out) {
  constexpr Index lanes = SubsequenceLanes::lanes;
  reserve(out, places * lanes);
  for (Index k = 0; k < lanes; ++k) {
    const auto sequence = k < std::ssize(sequences) ? sequences[k] : SubsequenceLanes::Sequence();
    for (Index i = 0; i < std::ssize(sequence); ++i) out[i * lanes + k] = sequence[i];
    for (Index i = std::ssize(sequence); i < places; ++i) out[i * lanes + k] = none;
  }
}

}  // namespace

void SubsequenceLanes::compute(bool one, Values& out) {
  const Index wanted = y_places_ * (rule_.length - 1) * lanes;
  if (sums_.size() < wanted) sums_ = Buffer<double>(wanted);
  sum_of_lanes({x_.data(), y_.data(), x_places_, y_places_, one, rule_.decay, sums_.data()}, rule_.length, out.data());
}

void SubsequenceLanes::pairs(std::span<const Sequence> x, std::span<const Sequence> y, Values& out) {
  x_places_ = longest(x);
  y_places_ = longest(y);
  place(x, no_x, x_places_, x_);
  place(y, no_y, y_places_, y_);
  compute(false, out);
}

void SubsequenceLanes::row(Sequence x, std::span<const Sequence> y, Values& out) {
  x_places_ = std::ssize(x);
  y_places_ = longest(y);
  reserve(x_, x_places_);
  std::ranges::copy(x, x_.data());
  place(y, no_y, y_places_, y_);
  compute(true, out);
}

}  // namespace cairn
