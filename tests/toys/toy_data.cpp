// A kind of data of a program that uses the library: one file, and one line that puts it in the table.
#include <fmt/format.h>

#include <fstream>

#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {
namespace {

std::vector<std::string> words_in(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::input, fmt::format("{}: cannot be opened", path));
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(word);
  if (words.empty()) throw Error(ErrorKind::input, fmt::format("{}: holds no words", path));
  return words;
}

// Words as points: how often each of the first letters of the alphabet is in one.
template <class T>
Data<T> read(const DataInput& input) {
  const Communicator& communicator = input.execution.communicator;
  const auto words = collectively(communicator, [&] { return words_in(input.values.text("path")); });
  const Index letters = input.values.integer("toy-letters");
  RowBlock<T> rows(RowPartition(std::ssize(words), communicator.size()), communicator.rank(), letters);
  std::vector<std::string> labels;
  for (Index i = rows.range().begin; i < rows.range().end; ++i) {
    const std::string& word = labels.emplace_back(words[i]);
    for (Index k = 0; k < letters; ++k) {
      rows.row(i)[k] = static_cast<T>(std::ranges::count(word, static_cast<char>('a' + k)));
    }
  }
  auto points = std::make_unique<PointSet<T>>(std::move(rows), communicator.rank(), std::move(labels));
  Data<T> data;
  data.digest = data_digest(communicator, *points);
  data.facts = {{"words", fmt::format("{}, the first is {}", words.size(), words.front()), "first", words.front()}};
  data.objects = std::move(points);
  return data;
}

const DataKind& toy() {
  static const DataKind kind = {.name = "toy-words",
                                .summary = "Words in a text file, by their letters.",
                                .subject = "words are",
                                .objects = objects::points,
                                .parameters = {data_parameters::path("The file with the words."),
                                               {.name = "toy-letters",
                                                .value = "N",
                                                .type = ValueType::integer,
                                                .fallback = "26",
                                                .help = "How many letters of the alphabet count.",
                                                .lowest = 1,
                                                .highest = 26}},
                                .operators = {"neighbours"},
                                .of_new_objects = {"path", "toy-letters"},
                                .of_places = {"path"},
                                .extendable = true,
                                .check = [](const Values& values) { static_cast<void>(values.required("path")); },
                                .read_single = read<float>,
                                .read_double = read<double>};
  return kind;
}

[[maybe_unused]] const bool added = (add_data_kind(toy()), true);

}  // namespace
}  // namespace cairn
