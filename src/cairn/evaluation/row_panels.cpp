#include "cairn/evaluation/row_panels.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/reused_arrays.hpp"
#include "cairn/base/process/watchdog.hpp"
#include "cairn/evaluation/exact_error.hpp"

namespace cairn {

RowPanels::RowPanels(const SourceSimilarity& similarity, Index most)
    : similarity_(similarity),
      panels_(dynamic_cast<const PanelSource*>(&similarity)),
      bytes_(panels_ != nullptr ? panels_->panel_value_bytes() : static_cast<Index>(sizeof(double))),
      values_(most * similarity.size() * bytes_) {}

void RowPanels::compute(const std::vector<Index>& sources, int threads) {
  rows_ = std::ssize(sources);
  const Index together = std::clamp<Index>((rows_ + threads - 1) / threads, 1, similarity_.traits().batch);
  width_ = panels_ != nullptr ? together : 1;
  std::optional<Error> failure;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (Index begin = 0; begin < rows_; begin += together) {
    const Index count = std::min(together, rows_ - begin);
    const auto some = std::span(sources).subspan(begin, count);
    try {
      if (panels_ != nullptr) {
        panels_->to_panel(some, piece(begin));
      } else {
        similarity_.to_all(some, {reinterpret_cast<double*>(piece(begin)), count, similarity_.size()});
      }
    } catch (...) {
#pragma omp critical(cairn_row_panels)
      if (!failure) failure = current_error();
    }
    Watchdog::beat();
  }
  if (failure) throw *failure;
}

// Collects the values of each vertex in all rows.
template <class Number>
void RowPanels::pack(Range vertices, std::vector<Number>& out) const {
  out.resize(vertices.size() * rows_);
  if (out.empty()) return;
  for (Index begin = 0; begin < rows_; begin += width_) {
    const Index width = std::min(width_, rows_ - begin);
    const auto* from =
        reinterpret_cast<const Number*>(values_.data() + begin * similarity_.size() * bytes_) + vertices.begin * width;
    Number* to = out.data() + begin;
    for (Index v = vertices.begin; v < vertices.end; ++v, from += width, to += rows_) std::copy_n(from, width, to);
  }
}

template <class Number>
void RowPanels::deliver_numbers(const Communicator& communicator, const RowPartition& partition, Index rows,
                                const Take& take) const {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto me = static_cast<std::size_t>(communicator.rank());
  const Index row_bytes = std::max<Index>(rows, 1) * static_cast<Index>(sizeof(Number));
  const Index together = std::max<Index>(travelling_row_bytes / row_bytes, 1);  // vertices per rank
  Index most = 0;
  for (std::size_t r = 0; r < ranks; ++r) most = std::max(most, partition.range(static_cast<int>(r)).size());
  std::vector<std::vector<Number>> send(ranks);
  std::vector<Number> own;
  std::vector<double> values(rows);
  ReusedArrays<Number> received;
  for (Index begin = 0; begin < most; begin += together) {
    const auto part = [&](std::size_t rank) {
      const Range all = partition.range(static_cast<int>(rank));
      return Range{std::min(all.begin + begin, all.end), std::min(all.begin + begin + together, all.end)};
    };
    collectively(communicator, [&] {
      for (std::size_t r = 0; r < ranks; ++r) pack(part(r), r == me ? own : send[r]);
    });
    communicator.exchange(send, received);
    collectively(communicator, [&] {
      const Range vertices = part(me);
      for (Index v = vertices.begin; v < vertices.end; ++v) {
        for (std::size_t r = 0; r < ranks; ++r) {
          const std::size_t count = (values.size() + ranks - 1 - r) / ranks;
          const Number* const from =
              (r == me ? own.data() : received[r].data()) + static_cast<std::size_t>(v - vertices.begin) * count;
          for (std::size_t k = 0; k < count; ++k) values[k * ranks + r] = static_cast<double>(from[k]);
        }
        take(v, values);
      }
    });
    Watchdog::beat();
  }
}

void RowPanels::deliver(const Communicator& communicator, const RowPartition& partition, Index rows,
                        const Take& take) const {
  with_panel_number(bytes_,
                    [&]<class Number>(Number) { deliver_numbers<Number>(communicator, partition, rows, take); });
}

}  // namespace cairn
