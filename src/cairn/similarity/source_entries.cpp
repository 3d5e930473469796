#include "cairn/similarity/source_entries.hpp"

#include <algorithm>

#include "cairn/base/buffer.hpp"

namespace cairn {

template <class T>
void SourceEntries<T>::compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const {
  const bool from_rows = rows.size() < columns.size();
  const ObjectBlock& sources = from_rows ? rows : columns;
  const auto targets = sources_.prepare(from_rows ? columns.ids : rows.ids);
  const auto width = static_cast<Index>(targets->targets.size());
  Buffer<double> values(sources.size() * width);
  sources_.to_targets(sources.ids, *targets, MatrixView<double>(values.data(), sources.size(), width));
  for (Index a = 0; a < out.rows; ++a) {
    for (Index b = 0; b < out.columns; ++b) {
      out(a, b) = static_cast<T>(from_rows ? values[a * width + b] : values[b * width + a]);
    }
  }
}

template <class T>
void SourceEntries<T>::compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const {
  Buffer<double> values(first.size());
  sources_.pairs(second.ids, first.ids, values.span());
  std::ranges::transform(values.span(), out.begin(), [](double value) { return static_cast<T>(value); });
}

template class SourceEntries<float>;
template class SourceEntries<double>;

}  // namespace cairn
