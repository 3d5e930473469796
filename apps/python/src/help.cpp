// Pages of help about methods, similarities, kinds of data, selections and tasks.
#include <algorithm>
#include <string>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/run/help/descriptor_help.hpp"
#include "values.hpp"

namespace cairn::python {

namespace {

const DescribedTopic& topic_named(const std::string& name) {
  const std::vector<DescribedTopic>& all = described_topics();
  const auto found = std::ranges::find(all, name, &DescribedTopic::name);
  if (found != all.end()) return *found;
  throw Error(ErrorKind::usage,
              "no topic is called '" + name + "'; there are method, similarity, data, selection and task");
}

}  // namespace

void define_help(py::module_& module) {
  module.def("names", [](const std::string& topic) { return topic_named(topic).names(); });
  module.def("help", [](const std::string& topic, const std::string& name) {
    if (name.empty()) return topic_named(topic).list();
    return topic_named(topic).describe(name, HelpNames{});
  });
}

}  // namespace cairn::python
