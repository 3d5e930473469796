#include "values.hpp"

#include <utility>
#include <variant>

namespace cairn::python {

py::object python_of(const Metric& metric) {
  return std::visit(
      [](const auto& value) -> py::object {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return py::none();
        } else if constexpr (std::is_same_v<Value, Metric::List>) {
          py::list list;
          for (const Metric& item : value) list.append(python_of(item));
          return list;
        } else if constexpr (std::is_same_v<Value, Metric::Record>) {
          py::dict record;
          for (const auto& [name, item] : value) record[py::str(name)] = python_of(item);
          return record;
        } else {
          return py::cast(value);
        }
      },
      metric.value());
}

std::shared_ptr<const py::object> shared(py::object kept) {
  return {new py::object(std::move(kept)), [](const py::object* held) {
            const py::gil_scoped_acquire locked;
            delete held;
          }};
}

py::dict python_of(const Metric::Record& record) {
  py::dict dict;
  for (const auto& [name, item] : record) dict[py::str(name)] = python_of(item);
  return dict;
}

}  // namespace cairn::python
