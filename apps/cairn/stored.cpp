#include "stored.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "config_file.hpp"
#include "option_table.hpp"
#include "units.hpp"

namespace cairn::app {

Settings stored_settings(const ResultDescription& description, const std::string& path, const Settings& given) {
  Settings settings(keys_of({"data", "similarity", "landmarks", "approximation", "evaluation", "run", "output"}));
  const auto config = description.provenance.find("config");
  if (config == description.provenance.end()) {
    throw Error(ErrorKind::input, fmt::format("{} holds no config; its data are not known", path));
  }
  try {
    read_config_text(config->second, "the config in " + path, "", settings);
  } catch (const Error& error) {
    throw Error(ErrorKind::input, error.what());
  }
  for (const char* key : {"evaluation.pairs", "evaluation.rows"}) settings.clear(key);
  // Another source of data replaces the old one as a whole.
  if (given.given("data.path") || given.given("data.generate")) {
    for (const char* key :
         {"data.path", "data.format", "data.dataset", "data.generate", "data.points", "data.seed", "data.removed"}) {
      settings.clear(key);
    }
  }
  for (const std::string& name : given.known_names()) {
    if (given.given(name) && settings.knows(name)) settings.set(name, given.text(name), "the command line");
  }
  return settings;
}

Index stored_number(const ResultDescription& description, const std::string& name) {
  const auto entry = description.provenance.find(name);
  return entry == description.provenance.end() ? 0 : parse_integer(entry->second).value_or(0);
}

void require_same_data(const ResultDescription& description, Index rows, std::uint64_t digest, Index objects,
                       const std::string& path, const std::string& advice) {
  if (objects != rows) {
    throw Error(ErrorKind::input, fmt::format("the data have {} objects, {} was made from {}; {}", grouped(objects),
                                              path, grouped(rows), advice));
  }
  if (digest != description.data_digest) {
    throw Error(ErrorKind::input,
                fmt::format("the data are not those that {} was made from (their digests differ); {}", path, advice));
  }
}

template <class T>
Data<T> load_stored_data(const Execution& execution, const Settings& settings, const ResultDescription& description,
                         const std::string& path, Index rows) {
  const Scaling scaling{description.scaling, description.scaling_shift, description.scaling_factor};
  Data<T> data = load_data<T>(execution, settings, &scaling);
  require_same_data(description, rows, data.digest, data.objects->size(), path, "name its data with --data.path");
  return data;
}

template Data<float> load_stored_data(const Execution&, const Settings&, const ResultDescription&, const std::string&,
                                      Index);
template Data<double> load_stored_data(const Execution&, const Settings&, const ResultDescription&, const std::string&,
                                       Index);

}  // namespace cairn::app
