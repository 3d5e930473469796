// Landmark selections from a file and from a list.
#include <fmt/format.h>

#include <optional>

#include "cairn/base/error.hpp"
#include "cairn/base/log.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/store/files/landmark_file.hpp"
#include "cairn/store/result/extension.hpp"

namespace cairn {

namespace {

const std::string path_name = "path", list_name = "list";

// Warning, as a sentence, if landmarks are taken from a result at `path` that belongs to other data; nothing if `path`
// is a list of row numbers, or a result of the same data. Collective.
std::optional<std::string> doubt_of(const Communicator& communicator, const std::string& where, const std::string& path,
                                    Index objects, std::uint64_t digest) {
  if (!is_result(communicator, path)) return std::nullopt;
  const ResultDescription description = read_result_description(communicator, path);
  const Index rows = read_result_shape(communicator, path).rows;
  const Index population = description.landmark_population > 0 ? description.landmark_population : rows;
  if (is_extension(description)) {
    throw Error(ErrorKind::input, fmt::format("{}: the landmarks in {} are objects of the data that it "
                                              "extends, not of its own; name the result that it was made from",
                                              where, path));
  }
  if (population != objects) {
    throw Error(ErrorKind::input,
                fmt::format("{}: the landmarks in {} are numbers of rows in a data set of {} objects, and "
                            "there are {} here",
                            where, path, grouped(population), grouped(objects)));
  }
  if (description.data_digest == digest) return std::nullopt;
  return fmt::format(
      "{}: {} was made from other data, or from these in another scaling or precision; its landmarks are "
      "taken by row number",
      where, path);
}

template <class T>
Landmarks<T> run(const SelectionInput<T>& input) {
  const Communicator& communicator = input.execution.communicator;
  const Values& values = input.values;
  const std::string path = collectively(communicator, [&] { return values.required(path_name); });
  const auto doubt = doubt_of(communicator, values.keys()(path_name), path, input.objects.size(), input.data_digest);
  if (doubt) log(LogLevel::warning, *doubt);
  return read_landmarks<T>(input.execution, input.objects, path, input.count, values.keys(), input.takes_objects);
}

template <class T>
Landmarks<T> take_listed(const SelectionInput<T>& input) {
  const Values& values = input.values;
  const std::string list = collectively(input.execution.communicator, [&] { return values.required(list_name); });
  return listed_landmarks<T>(input.execution, input.objects, list, input.count, values.keys(), input.takes_objects);
}

}  // namespace

const LandmarkSelection& by_list_selection() {
  static const LandmarkSelection selection = {
      .name = "by-list",
      .summary = "Those of a list.",
      .source = "",
      .parameters = {{.name = list_name, .value = "N,N,...", .help = "Row numbers from 0, separated by commas."}},
      .counts = true,
      .run_single = take_listed<float>,
      .run_double = take_listed<double>};
  return selection;
}

const LandmarkSelection& file_selection() {
  static const LandmarkSelection selection = {
      .name = "file",
      .summary = "Those that a file lists.",
      .source = "",
      .parameters = {{.name = path_name,
                      .value = "FILE",
                      .type = ValueType::input_path,
                      .help = "Row numbers from 0, one per line, or a Cairn result whose landmarks are taken."}},
      .counts = true,
      .run_single = run<float>,
      .run_double = run<double>};
  return selection;
}

}  // namespace cairn
