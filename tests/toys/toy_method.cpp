// A method of a program that uses the library: one file, and one line that puts it in the table.
#include "cairn/approximation/catalog/methods.hpp"
#include "cairn/approximation/column_sampling/nystrom.hpp"
#include "cairn/approximation/method_parameters.hpp"

namespace cairn {
namespace {

// Nystrom's K~ times a number.
template <class T>
Approximation<T> run(Problem<T> problem) {
  const double scale = problem.parameters.number("toy-scale");
  Approximation<T> result = nystrom(std::move(problem));
  BlockCyclicMatrix& core_matrix = std::get<DenseCore>(result.core_matrix).matrix;
  for (Index j = 0; j < core_matrix.local_columns(); ++j) {
    for (Index i = 0; i < core_matrix.local_rows(); ++i) core_matrix.local(i, j) *= scale;
  }
  return result;
}

void check(const Values& values, const ProblemShape& shape) {
  if (shape.objects > 0 && values.number("toy-scale") > static_cast<double>(shape.objects)) {
    values.refuse("toy-scale", "is above the number of objects");
  }
}

const MethodDescriptor& toy_method() {
  using namespace method_parameters;
  static const MethodDescriptor method{.name = "toy",
                                       .summary = "A toy: Nystrom's approximation times a number.",
                                       .source = "this test",
                                       .parameters = {tolerance(),
                                                      spectrum(),
                                                      embedding(),
                                                      {.name = "toy-scale",
                                                       .value = "NUMBER",
                                                       .type = ValueType::number,
                                                       .fallback = "1",
                                                       .help = "The number.",
                                                       .above = 0}},
                                       .check = check,
                                       .cost = nystrom_method().cost,
                                       .run_single = run<float>,
                                       .run_double = run<double>};
  return method;
}

[[maybe_unused]] const bool added = (add_method(toy_method()), true);

}  // namespace
}  // namespace cairn
