#include "cairn/similarity/word_movers/document_transport.hpp"

#include <algorithm>

namespace cairn {

void DocumentTransport::Side::make_room(Index size) {
  count = 0;
  if (static_cast<Index>(mass.size()) >= size) return;
  mass.resize(static_cast<std::size_t>(size));
  at.resize(static_cast<std::size_t>(size));
}

// A merge of the two ascending lists without branches: every step writes to both sides and keeps what is positive.
void DocumentTransport::cancel_shared(const WeightedWords& x, const WeightedWords& y, MatrixView<const double> costs) {
  constexpr double rounding = 4.5e-16;  // of counts that are not integers
  supply_.make_room(x.size + 1);
  demand_.make_room(y.size + 1);
  double *const supply = supply_.mass.data(), *const demand = demand_.mass.data();
  std::int64_t *const from = supply_.at.data(), *const to = demand_.at.data();
  const Index stride = costs.stride;
  Index i = 0, j = 0, supplies = 0, demands = 0;
  while (i < x.size && j < y.size) {
    const std::int32_t a = x.words[i], b = y.words[j];
    const double mass_x = a <= b ? x.counts[i] * y.total : 0.0;
    const double mass_y = b <= a ? y.counts[j] * x.total : 0.0;
    const double left = mass_x - mass_y;
    supply[supplies] = left;
    from[supplies] = x.numbers[i] * stride;
    supplies += left > rounding * mass_x ? 1 : 0;
    demand[demands] = -left;
    to[demands] = y.numbers[j];
    demands += -left > rounding * mass_y ? 1 : 0;
    i += a <= b ? 1 : 0;
    j += b <= a ? 1 : 0;
  }
  for (; i < x.size; ++i, ++supplies) {
    supply[supplies] = x.counts[i] * y.total;
    from[supplies] = x.numbers[i] * stride;
  }
  for (; j < y.size; ++j, ++demands) {
    demand[demands] = y.counts[j] * x.total;
    to[demands] = y.numbers[j];
  }
  supply_.count = supplies;
  demand_.count = demands;
}

double DocumentTransport::from_one(const Side& one, const Side& others, const double* costs) {
  const double* const row = costs + one.at[0];
  double sum = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(others.count); ++k) sum += others.mass[k] * row[others.at[k]];
  return sum;
}

double DocumentTransport::transport(const Side& few, const Side& many, const double* costs) {
  solver_.open(few.count, many.count);
  const MatrixView<double> to = solver_.costs();
  for (Index i = 0; i < few.count; ++i) {
    const double* const row = costs + few.at[static_cast<std::size_t>(i)];
    double* const values = to.row(i);
    for (Index j = 0; j < many.count; ++j) values[j] = row[many.at[static_cast<std::size_t>(j)]];
  }
  std::copy_n(few.mass.data(), few.count, solver_.supply().data());
  std::copy_n(many.mass.data(), many.count, solver_.demand().data());
  return solver_.solve();
}

double DocumentTransport::distance(const WeightedWords& x, const WeightedWords& y, MatrixView<const double> costs) {
  cancel_shared(x, y, costs);
  const bool x_has_fewer = supply_.count <= demand_.count;
  const Side& few = x_has_fewer ? supply_ : demand_;
  const Side& many = x_has_fewer ? demand_ : supply_;
  if (few.count == 0) return 0.0;  // what the other has left is rounding
  const double cost = few.count == 1 ? from_one(few, many, costs.data) : transport(few, many, costs.data);
  return cost / (x.total * y.total);
}

}  // namespace cairn
