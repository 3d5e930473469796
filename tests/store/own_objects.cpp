// Objects of a sort that is not Cairn's, and what compares them: one file, and two lines that put them in the tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/similarity/catalog/similarities.hpp"

namespace cairn {
namespace {

constexpr ObjectKind toy_intervals{"toy intervals"};
constexpr const char* colors_path = "toy-intervals/colors";

using Colors = std::vector<std::string>;

struct Interval {
  double begin = 0, end = 0;
  Index color = 0;  // number among colors; -1: none of them
};

// Colors by their numbers: what the intervals of a set have in common.
class CommonColors final : public CommonObjects {
 public:
  explicit CommonColors(std::shared_ptr<const Colors> all) : all_(std::move(all)) {}
  [[nodiscard]] const std::shared_ptr<const Colors>& all() const { return all_; }
  void write(ArrayWriter& arrays) const override {
    const std::vector<std::string_view> names(all_->begin(), all_->end());
    arrays.write_words(colors_path, names);
  }

 private:
  std::shared_ptr<const Colors> all_;
};

struct IntervalBlock final : ObjectBlock {
  using ObjectBlock::ObjectBlock;
  std::vector<Interval> intervals;
  std::shared_ptr<const Colors> colors;

  [[nodiscard]] std::unique_ptr<CommonObjects> common_with(const ObjectBlock* /*other*/) const override {
    return std::make_unique<CommonColors>(colors);
  }
  void write(ArrayWriter& arrays, const CommonObjects* /*common*/) const override {
    std::vector<double> begins, ends;
    std::vector<Index> numbers;
    for (const Interval& one : intervals)
      begins.push_back(one.begin), ends.push_back(one.end), numbers.push_back(one.color);
    arrays.write_list<double>("begins", begins);
    arrays.write_list<double>("ends", ends);
    arrays.write_list<Index>("colors", numbers);
  }
  [[nodiscard]] std::unique_ptr<ObjectBlock> matched_to(const ObjectSet& others) const override;
};

class Intervals final : public ObjectSet {
 public:
  Intervals(const RowPartition& partition, int rank, std::vector<Interval> own, std::shared_ptr<const Colors> colors)
      : ObjectSet(partition, rank), own_(std::move(own)), colors_(std::move(colors)) {}

  [[nodiscard]] const std::shared_ptr<const Colors>& colors() const { return colors_; }
  [[nodiscard]] std::unique_ptr<ObjectBlock> block(Range rows) const override {
    const auto first = own_.begin() + (rows.begin - range_.begin);
    return make(numbers_of(rows), {first, first + rows.size()});
  }
  [[nodiscard]] std::vector<std::byte> pack(Range rows) const override {
    const auto bytes = std::as_bytes(std::span(own_).subspan(rows.begin - range_.begin, rows.size()));
    return {bytes.begin(), bytes.end()};
  }
  [[nodiscard]] std::unique_ptr<ObjectBlock> unpack(Range rows, std::span<const std::byte> bytes) const override {
    const auto* const first = reinterpret_cast<const Interval*>(bytes.data());
    return make(numbers_of(rows), {first, first + rows.size()});
  }
  [[nodiscard]] std::unique_ptr<ObjectBlock> gather(const Communicator& communicator,
                                                    std::span<const Index> ids) const override {
    const std::vector<Interval> all = communicator.all_gather(own_);
    std::vector<Interval> some;
    for (const Index id : ids) some.push_back(all[id]);
    return make({ids.begin(), ids.end()}, std::move(some));
  }

 private:
  [[nodiscard]] std::unique_ptr<ObjectBlock> make(std::vector<Index> ids, std::vector<Interval> intervals) const {
    auto block = std::make_unique<IntervalBlock>(identity(), std::move(ids));
    block->intervals = std::move(intervals);
    block->colors = colors_;
    return block;
  }
  std::vector<Interval> own_;
  std::shared_ptr<const Colors> colors_;
};

Index number_of(const Colors& colors, const std::string& name) {
  const auto found = std::ranges::find(colors, name);
  return found == colors.end() ? -1 : found - colors.begin();
}

// Colors are compared by number: they get those that they have among the others.
std::unique_ptr<ObjectBlock> IntervalBlock::matched_to(const ObjectSet& others) const {
  const auto& theirs = dynamic_cast<const Intervals&>(others).colors();
  auto block = std::make_unique<IntervalBlock>(set, ids);
  block->intervals = intervals;
  block->colors = theirs;
  for (Interval& one : block->intervals) {
    one.color = one.color < 0 ? -1 : number_of(*theirs, (*colors)[one.color]);
  }
  return block;
}

std::unique_ptr<CommonObjects> stored_colors(const Communicator& communicator, const ArrayReader& file,
                                             Index /*dimension*/) {
  return collectively(communicator, [&]() -> std::unique_ptr<CommonObjects> {
    return std::make_unique<CommonColors>(std::make_shared<const Colors>(file.read_words(colors_path)));
  });
}

std::unique_ptr<ObjectBlock> stored_intervals(const StoredObjects& stored) {
  const auto begins = stored.arrays.read_list<double>("begins"), ends = stored.arrays.read_list<double>("ends");
  const auto numbers = stored.arrays.read_list<Index>("colors");
  const std::size_t size = stored.indices.size();
  if (begins.size() != size || ends.size() != size || numbers.size() != size) {
    stored.arrays.refuse(fmt::format("{} are not {} intervals", stored.arrays.called(""), size));
  }
  auto block = std::make_unique<IntervalBlock>(SetIdentity(), stored.indices);
  block->colors = dynamic_cast<const CommonColors&>(*stored.common).all();
  for (std::size_t a = 0; a < size; ++a) block->intervals.push_back({begins[a], ends[a], numbers[a]});
  return block;
}

// A line is where an interval begins and ends, and its color.
template <class T>
Data<T> read(const DataInput& input) {
  const Communicator& communicator = input.execution.communicator;
  std::vector<Interval> all;
  std::vector<std::string> names;
  collectively(communicator, [&] {
    std::ifstream file(input.values.text("path"));
    if (!file) throw Error(ErrorKind::input, fmt::format("{}: cannot be opened", input.values.text("path")));
    std::string name;
    for (Interval one; file >> one.begin >> one.end >> name;) all.push_back(one), names.push_back(name);
  });
  const std::set<std::string> different(names.begin(), names.end());
  const auto colors = std::make_shared<const Colors>(different.begin(), different.end());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].color = number_of(*colors, names[i]);
  const RowPartition partition(std::ssize(all), communicator.size());
  const Range own = partition.range(communicator.rank());
  Data<T> data;
  data.objects = std::make_unique<Intervals>(
      partition, communicator.rank(), std::vector<Interval>(all.begin() + own.begin, all.begin() + own.end), colors);
  data.digest = data_digest(communicator, *data.objects);
  return data;
}

const DataKind& interval_data() {
  static const DataKind kind = {.name = "toy-intervals",
                                .summary = "Colored intervals of numbers, one a line.",
                                .subject = "intervals are",
                                .objects = toy_intervals,
                                .parameters = {data_parameters::path("The file with the intervals.")},
                                .of_new_objects = {"path"},
                                .of_places = {"path"},
                                .extendable = true,
                                .check = [](const Values& values) { static_cast<void>(values.required("path")); },
                                .read_single = read<float>,
                                .read_double = read<double>,
                                .stored_single = stored_intervals,
                                .stored_double = stored_intervals,
                                .stored_common = stored_colors};
  return kind;
}

// The length that two intervals of one color share, as a part of what they cover together.
template <class T>
class Overlap final : public Similarity<T> {
 public:
  Overlap() : Similarity<T>({.name = "toy-overlap"}) {}
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const override { return {}; }

 protected:
  void compute_tile(const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<T> out) const override {
    for (Index a = 0; a < out.rows; ++a) {
      for (Index b = 0; b < out.columns; ++b) out(a, b) = value(rows, a, columns, b);
    }
  }
  void compute_pairs(const ObjectBlock& first, const ObjectBlock& second, std::span<T> out) const override {
    for (Index a = 0; a < std::ssize(out); ++a) out[a] = value(first, a, second, a);
  }

 private:
  static T value(const ObjectBlock& rows, Index a, const ObjectBlock& columns, Index b) {
    const auto& x = dynamic_cast<const IntervalBlock&>(rows).intervals[a];
    const auto& y = dynamic_cast<const IntervalBlock&>(columns).intervals[b];
    const double shared = std::min(x.end, y.end) - std::max(x.begin, y.begin);
    if (x.color != y.color || shared <= 0) return 0;
    return static_cast<T>(shared / (x.end - x.begin + y.end - y.begin - shared));
  }
};

template <class T>
std::unique_ptr<Similarity<T>> overlap_of(const SimilarityInput<T>& /*input*/) {
  return std::make_unique<Overlap<T>>();
}

const SimilarityDescriptor& overlap_similarity() {
  static const SimilarityDescriptor similarity{.name = "toy-overlap",
                                               .summary = "What two intervals share, of what they cover.",
                                               .objects = {toy_intervals},
                                               .default_for = {toy_intervals},
                                               .traits = {.definite = true},
                                               .make_single = overlap_of<float>,
                                               .make_double = overlap_of<double>};
  return similarity;
}

[[maybe_unused]] const bool added = (add_data_kind(interval_data()), add_similarity(overlap_similarity()), true);

}  // namespace
}  // namespace cairn
