#include "cairn/task/network/linearize_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cairn/data/points/points_like.hpp"
#include "cairn/parameters/units.hpp"
#include "cairn/task/classification/classes.hpp"

namespace cairn {

// Names of the outputs, in their order.
std::vector<std::string> output_names(const Communicator& communicator, const Values& values,
                                      std::span<const std::string> labels, Index outputs) {
  if (values.given("classes")) {
    std::vector<std::string> names = comma_list(values.text("classes"));
    if (std::ssize(names) != outputs) {
      values.refuse("classes", fmt::format("names {} classes, and the network has {} outputs", names.size(), outputs));
    }
    if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) {
      values.refuse("classes", "names a class twice");
    }
    return names;
  }
  std::vector<std::string> names;
  if (const auto found = find_classes(communicator, labels, {})) names = found->names;
  if (std::ssize(names) != outputs) {
    names.clear();
    for (Index k = 0; k < outputs; ++k) names.push_back(std::to_string(k));
    return names;
  }
  const bool numbers =
      std::ranges::all_of(names, [](const std::string& name) { return parse_number(name).has_value(); });
  if (numbers) std::ranges::stable_sort(names, {}, [](const std::string& name) { return *parse_number(name); });
  return names;
}

template <class T>
Data<T> read_test_points(const Execution& execution, const Values& points, const Values& values, const Data<T>& train) {
  OtherPoints other{.path = values.text("test.path"),
                    .format = values.text("test.format"),
                    .dataset = std::nullopt,
                    .keys = points.keys().with("format", values.keys()("test.format"))};
  if (values.given("test.label")) other.label = values.text("test.label");
  return read_points_like(execution, points, train, other);
}

template Data<float> read_test_points(const Execution&, const Values&, const Values&, const Data<float>&);
template Data<double> read_test_points(const Execution&, const Values&, const Values&, const Data<double>&);

}  // namespace cairn
