#include "cairn/run/transport/transport_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cairn/base/error.hpp"
#include "cairn/base/joined.hpp"
#include "cairn/landmark/landmark_count.hpp"
#include "cairn/task/transport/exact_sums.hpp"

namespace cairn {

namespace {

std::vector<std::string> kernels() {
  std::vector<std::string> names = {"auto", "exact", "positive"};
  for (const MethodDescriptor* method : kernel_methods()) names.push_back(method->name);
  return names;
}

std::string names_of_methods() {
  std::vector<std::string> names;
  for (const MethodDescriptor* method : kernel_methods()) names.push_back(method->name);
  return joined(names, ", ");
}

void refuse_unused(const Values& values, const char* name, const std::string& why) {
  if (values.given(name)) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect if {}", values.where(name), why));
  }
}

}  // namespace

std::vector<const MethodDescriptor*> kernel_methods() {
  std::vector<const MethodDescriptor*> all;
  std::ranges::copy_if(methods(), std::back_inserter(all), &MethodDescriptor::diagonal_core);
  return all;
}

const MethodDescriptor& automatic_method() {
  const auto all = kernel_methods();
  const auto found = std::ranges::find_if(all, [](const auto* method) { return method->needs.landmarks; });
  if (found == all.end())
    throw Error(ErrorKind::internal, "no method with landmarks can give the kernel of a transport");
  return **found;
}

const std::vector<Parameter>& transport_parameters() {
  using enum ValueType;
  static const std::vector<Parameter> all = {
      {.name = "epsilon",
       .value = "NUMBER",
       .type = number,
       .help = "The weight of the entropy, in units of the cost, above 0: the plan is exp(-cost / epsilon), scaled.",
       .above = 0},
      {.name = "cost",
       .value = "NAME",
       .type = choice,
       .fallback = TransportCost<double>::names().front(),
       .help = "The cost of moving a unit from one point to another; any but squared-euclidean needs the exact kernel.",
       .choices = TransportCost<double>::names()},
      {.name = "kernel",
       .value = "NAME",
       .type = choice,
       .fallback = "auto",
       .help =
           fmt::format("What products with exp(-cost / epsilon) are computed with: exact (every entry, again in each "
                       "iteration), positive (random features above 0), the factors of a method ({}) with its "
                       "options, or auto: {} with more and more landmarks, until the plan fits the kernel itself "
                       "within the tolerance; else exact.",
                       names_of_methods(), automatic_method().name),
       .choices = kernels()},
      {.name = "features",
       .value = "N",
       .type = integer,
       .fallback = "1000",
       .help = "With the kernel positive: the number of random features.",
       .lowest = 1,
       .highest = 1e6},
      {.name = "iterations",
       .value = "N",
       .type = integer,
       .fallback = "1000",
       .help = "The most iterations of Sinkhorn's algorithm; each scales the sources, then the targets. With the exact "
               "kernel and costs beyond 100 epsilon up to half of them come down to epsilon from larger ones.",
       .lowest = 1,
       .highest = 1e7},
      {.name = "tolerance",
       .value = "NUMBER",
       .type = number,
       .fallback = "1e-4",
       .help = "Iterations end if the marginals of the plan are within this of the weights, as a sum of absolute "
               "differences (the weights of a side sum to 1). 0: all iterations are made.",
       .lowest = 0,
       .highest = 2},
      {.name = "sample",
       .value = "N",
       .type = integer,
       .fallback = "1000",
       .help =
           "Points of each side at which the marginals of the plan are measured under the kernel itself, if another "
           "one was computed with; 0: none.",
       .lowest = 0,
       .highest = 1e6},
      {.name = "debiased",
       .value = "BOOL",
       .type = flag,
       .fallback = "false",
       .help = "Also compute the Sinkhorn divergence: the entropic cost less half of those of both sides with "
               "themselves. It is 0 for equal sides."}};
  return all;
}

std::string method_of_kernel(const Values& values) {
  const TransportChoice choice{values, {}};
  const std::string kernel = choice.kernel();
  if (choice.automatic()) return automatic_method().name;
  const auto all = kernel_methods();
  const bool method = std::ranges::any_of(all, [&](const auto* one) { return one->name == kernel; });
  return method ? kernel : "";
}

void check(const TransportChoice& choice) {
  const Values& values = choice.values;
  static_cast<void>(values.required("epsilon"));
  const std::string kernel =
      choice.exact() && choice.kernel() != "exact"
          ? fmt::format("{} = {}, which takes the exact kernel", values.where("cost"), values.text("cost"))
          : fmt::format("{} = {}", values.keys()("kernel"), choice.kernel());
  if (!choice.positive()) refuse_unused(values, "features", kernel);
  if (choice.exact()) refuse_unused(values, "sample", kernel);
  if (!choice.squared_euclidean() && !choice.exact()) {
    throw Error(ErrorKind::usage, fmt::format("{} = {} needs the exact kernel, and {}", values.where("cost"),
                                              values.text("cost"), kernel));
  }
  const Index sample = values.integer("sample");
  if (sample == 1) values.refuse("sample", "is too few for a standard error: take 2 at least, or 0 for none");
  if (choice.automatic() && sample == 0)
    values.refuse("sample", fmt::format("is too few for {}, which ends by what the sample says", kernel));
  if (!choice.method) return;
  const MethodChoice& method = *choice.method;
  const auto refuse = [](const std::string& where, const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("{} has no effect if {}", where, why));
  };
  const bool counted = method.method->needs.landmarks && !choice.automatic();
  for (const char* name : {"count", "fraction"}) {
    if (!counted && method.landmarks.given(name)) refuse(method.landmarks.where(name), kernel);
  }
  for (const UnusedParameter& unused : unused_parameters(method, {}))
    refuse(method.values.where(unused.name), unused.why);
  for (const UnusedParameter& unused : unused_landmark_parameters(method)) {
    refuse(method.landmarks.where(unused.name), unused.why);
  }
  if (method.method->has("embedding") && method.values.given("embedding")) {
    refuse(method.values.where("embedding"), kernel + ": a plan always takes embeddings");
  }
}

TransportChoice transport_choice(const GivenValues& given) {
  const std::string of_method_prefix = "method.";
  GivenValues own, of_method;
  for (const Given& one : given) {
    if (one.name.starts_with(of_method_prefix)) {
      of_method.emplace_back(one.name.substr(of_method_prefix.size()), one.text);
    } else {
      (one.name.starts_with(landmark_names::prefix) ? of_method : own).push_back(one);
    }
  }
  TransportChoice choice{values_of(transport_parameters(), own), {}};
  if (const std::string method = method_of_kernel(choice.values); !method.empty()) {
    choice.method = method_choice(method, of_method);
  } else if (!of_method.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("parameter {} has no effect if the kernel is {}", of_method.front().name, choice.kernel()));
  }
  check(choice);
  return choice;
}

}  // namespace cairn
