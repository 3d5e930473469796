#include "cairn/data/data_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <type_traits>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/io/same_files.hpp"
#include "cairn/parameters/missing_value.hpp"
#include "cairn/parameters/suggestion.hpp"

namespace cairn {

namespace {

// One line per kind.
std::vector<const DataKind*>& table() {
  static std::vector<const DataKind*> all = {
      &point_data(), &factor_data(),   &matrix_data(), &graph_data(),  &mesh_data(),     &document_data(),
      &tree_data(),  &sequence_data(), &pair_data(),   &corpus_data(), &numbered_data(),
  };
  return all;
}

bool has(const DataKind& kind, const std::string& name) {
  return std::ranges::any_of(kind.parameters, [&](const Parameter& own) { return own.name == name; });
}

// Bytes of a file that count for this rank; the sum over all ranks is the size of the file.
Index own_share_of_file(const Communicator& communicator, const std::string& path) {
  std::error_code failed;  // nothing is read if the objects are generated
  const auto bytes = path.empty() ? 0 : std::filesystem::file_size(path, failed);
  if (failed || !communicator.is_root()) return 0;
  return static_cast<Index>(bytes);
}

}  // namespace

const std::vector<const DataKind*>& data_kinds() { return table(); }

const DataKind& data_kind_named(const std::string& name) {
  std::vector<std::string> names;
  for (const DataKind* kind : table()) {
    if (kind->name == name) return *kind;
    names.push_back(kind->name);
  }
  throw Error(ErrorKind::usage, fmt::format("no kind of data is called '{}'{}", name, suggestion(name, names)));
}

const DataKind* find_data_kind(const std::string& name) {
  const auto found = std::ranges::find(table(), name, [](const DataKind* kind) { return kind->name; });
  return found == table().end() ? nullptr : *found;
}

void add_data_kind(const DataKind& kind) {
  if (find_data_kind(kind.name) != nullptr) {
    throw Error(ErrorKind::usage, fmt::format("there is a kind of data called '{}'", kind.name));
  }
  table().push_back(&kind);
}

void check_choices(const DataKind& kind, const Values& values) {
  for (const Parameter& own : kind.parameters) {
    if (own.choices.empty() || !values.given(own.name) || contains(own.choices, values.text(own.name))) continue;
    values.refuse(own.name, fmt::format("is incompatible with {} = {}; it can be {}", values.keys()("kind"), kind.name,
                                        joined(own.choices, ", ")));
  }
}

void check_parameters(const DataKind& kind, const Values& values) {
  check_choices(kind, values);
  const bool read = has(kind, "path") && values.given("path");
  const bool generated = has(kind, "generate") && values.given("generate");
  if (read && generated) {
    throw Error(ErrorKind::usage,
                fmt::format("give one of {} and {}, not both", values.keys()("path"), values.keys()("generate")));
  }
  if (has(kind, "generate") && !read && !generated) {
    throw MissingValue(values.keys()("path"), fmt::format("there are no data; give {} or {}", values.keys()("path"),
                                                          values.keys()("generate")));
  }
  if (kind.check != nullptr) kind.check(values);
}

std::vector<UnusedParameter> unused_parameters(const DataKind& kind, const Values& values) {
  std::vector<UnusedParameter> unused;
  const bool generated = has(kind, "generate") && values.given("generate");
  const std::string why =
      generated ? fmt::format("{} makes the {}", values.keys()("generate"), kind.name)
                : fmt::format("the {} read from a file ({} is not given)", kind.subject, values.keys()("generate"));
  for (const std::string& name : generated ? kind.of_files : kind.of_generators) unused.push_back({name, why});
  if (kind.unused == nullptr) return unused;
  for (UnusedParameter& more : kind.unused(values)) unused.push_back(std::move(more));
  return unused;
}

template <class T>
Data<T> read_data(const DataKind& kind, const DataInput& input) {
  collectively(input.execution.communicator, [&] { check_parameters(kind, input.values); });
  require_same_files(input.execution.communicator, files_read(kind.parameters, input.values));
  auto phase = input.execution.phases.enter("read");
  Data<T> data;
  if constexpr (std::is_same_v<T, float>) {
    data = kind.read_single(input);
  } else {
    data = kind.read_double(input);
  }
  data.kind = &kind;
  data.keys = input.values.keys();
  for (const Parameter& own : kind.parameters) {
    if (own.type != ValueType::input_path) continue;
    phase.count_bytes(own_share_of_file(input.execution.communicator, input.values.text(own.name)));
  }
  return data;
}

template Data<float> read_data(const DataKind&, const DataInput&);
template Data<double> read_data(const DataKind&, const DataInput&);

}  // namespace cairn
