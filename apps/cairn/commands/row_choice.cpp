#include "commands/row_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn::app {

void require_object(Index object, Index objects, const std::string& option) {
  if (object >= 0 && object < objects) return;
  throw Error(ErrorKind::usage,
              fmt::format("--{} names object {}; the result has the objects 0 to {}", option, object, objects - 1));
}

void check_naming(const Settings& settings, const std::vector<std::string>& options) {
  const bool label = settings.flag("by-label"), number = settings.flag("by-number");
  if (label && number) throw Error(ErrorKind::usage, "--by-label and --by-number exclude each other");
  if (!label && !number) return;
  if (std::ranges::any_of(options, [&](const std::string& option) { return settings.given(option); })) return;
  throw Error(ErrorKind::usage, fmt::format("--{} has no effect without --{}", label ? "by-label" : "by-number",
                                            joined(options, " or --")));
}

void require_labels(const RowNames& names, const Settings& settings) {
  if (!settings.flag("by-label") || names.any()) return;
  throw Error(ErrorKind::usage,
              fmt::format("--by-label: the result holds no labels of {0}s; name {0}s by their numbers "
                          "from 0",
                          names.what()));
}

void require_numbering(const RowNames& names, const Settings& settings, const std::string& option) {
  if (!names.numbered() || settings.given("by-number") || settings.flag("by-label")) return;
  throw Error(ErrorKind::usage,
              fmt::format("--{}: {}s are counted from 0 and have other numbers in the file: give --by-number true to "
                          "name them by those, or false",
                          option, names.what()));
}

std::vector<Index> find_rows(const RowNames& names, const Settings& settings, const std::string& option,
                             const std::vector<std::string>& texts) {
  require_labels(names, settings);
  if (settings.flag("by-label")) return names.look_up(RowNames::By::label, texts, "--" + option);
  if (settings.flag("by-number") && names.numbered()) {
    return names.look_up(RowNames::By::number, texts, "--" + option);
  }
  // A text that is not a number is an identifier, a text or a label.
  const bool words = std::ranges::any_of(texts, [](const std::string& text) { return !parse_integer(text); });
  if (words && !settings.flag("by-number") && (names.said() || names.labelled())) {
    return names.look_up_words(texts, "--" + option);
  }
  if (!words) require_numbering(names, settings, option);
  std::vector<Index> rows;
  for (const std::string& text : texts) {
    const auto row = parse_integer(text);
    if (!row) throw Error(ErrorKind::usage, fmt::format("--{} {} is not a {} number", option, text, names.what()));
    require_object(*row, names.partition().rows(), option);
    rows.push_back(*row);
  }
  return rows;
}

void add_name(nlohmann::ordered_json& json, const RowName& name, const std::string& prefix) {
  if (!name.label.empty()) json[prefix + "label"] = name.label;
  if (!name.number.empty()) json[prefix + "number"] = name.number;
  if (!name.text.empty()) json[prefix + "text"] = name.text;
}

}  // namespace cairn::app
