#include "cairn/task/training_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "cairn/base/error.hpp"
#include "cairn/base/random.hpp"
#include "cairn/task/task_parameters.hpp"

namespace cairn {

namespace {

// Accepts train and test, and the values of a column is_train.
RowUse use_of_split(const std::string& split) {
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::ranges::find(names, split) != names.end();
  };
  if (is({"train", "true", "True", "TRUE"})) return RowUse::train;
  return is({"test", "false", "False", "FALSE"}) ? RowUse::test : RowUse::none;
}

// True for each own row that a list names. @throws Error(input) for a named row without target
std::vector<char> listed_rows(const Communicator& communicator, const std::string& path, const RowPartition& partition,
                              const std::vector<char>& known) {
  const Range own = partition.range(communicator.rank());
  std::vector<char> chosen(known.size(), 0);
  for (const Index row : read_row_list(communicator, path, partition)) {
    chosen[row - own.begin] = 1;
  }
  Index missing = partition.rows();
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (chosen[i] != 0 && known[i] == 0) missing = std::min(missing, own.begin + static_cast<Index>(i));
  }
  missing = communicator.minimum(missing);
  if (missing < partition.rows()) {
    throw Error(ErrorKind::input, fmt::format("{} names row {}, which has no target", path, missing));
  }
  return chosen;
}

}  // namespace

bool is_held_out(std::uint64_t seed, Index row) {
  constexpr Index one_of = 10;
  return Random(seed, Stream::held_out_rows).below(one_of, static_cast<std::uint64_t>(row)) == 0;
}

std::vector<RowUse> row_uses(const Communicator& communicator, const Values& values, const RowPartition& partition,
                             const std::vector<char>& known, const std::vector<std::string>& splits,
                             std::uint64_t seed) {
  const Range own = partition.range(communicator.rank());
  std::vector<RowUse> uses(known.size(), RowUse::train);
  if (values.given("split")) {
    uses = read_split(communicator, values.text("split"), partition);
  } else if (values.given("train-rows")) {
    const std::vector<char> chosen = listed_rows(communicator, values.text("train-rows"), partition, known);
    for (std::size_t i = 0; i < uses.size(); ++i) uses[i] = chosen[i] != 0 ? RowUse::train : RowUse::test;
  } else if (values.given("train-fraction")) {
    const double fraction = values.number("train-fraction");
    const Random random(seed, Stream::evaluation_rows);
    constexpr std::uint64_t held_out = 1;  // separates these draws from those of whole rows for evaluation
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const bool train = random.uniform(static_cast<std::uint64_t>(own.begin) + i, held_out) < fraction;
      uses[i] = train ? RowUse::train : RowUse::test;
    }
  } else if (communicator.maximum(static_cast<Index>(splits.size())) > 0) {
    for (std::size_t i = 0; i < uses.size(); ++i) uses[i] = use_of_split(splits[i]);
    const auto trained = static_cast<Index>(std::count(uses.begin(), uses.end(), RowUse::train));
    if (communicator.sum(trained) == 0) {
      const KeyNames& keys = values.keys();
      throw Error(
          ErrorKind::input,
          fmt::format("the data have splits, and no row is of the split 'train'; say by {}, {} or {} which rows "
                      "are to be trained on",
                      keys("train-rows"), keys("split"), keys("train-fraction")));
    }
  }
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (known[i] == 0) uses[i] = RowUse::none;
  }
  return uses;
}

std::vector<std::string> split_notices(const Communicator& communicator, const Values& values,
                                       const std::vector<std::string>& splits) {
  for (const Parameter& parameter : task_parameters::rows()) {
    if (values.given(parameter.name)) return {};
  }
  const auto other = [](const std::string& split) { return use_of_split(split) == RowUse::none; };
  const Index count = communicator.sum(static_cast<Index>(std::count_if(splits.begin(), splits.end(), other)));
  if (count == 0) return {};
  const auto first = std::find_if(splits.begin(), splits.end(), other);
  const std::string own = first == splits.end() ? "" : *first + '\0';
  const std::vector<char> names = communicator.all_gather(std::span<const char>(own));
  return {fmt::format(
      "{} rows belong to splits other than train and test, such as '{}': they are neither trained on nor tested", count,
      names.data())};
}

}  // namespace cairn
