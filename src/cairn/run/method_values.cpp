#include "cairn/run/method_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/approximation/methods.hpp"
#include "cairn/base/error.hpp"
#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/base/mpi/memory_room.hpp"
#include "cairn/landmark/landmark_count.hpp"
#include "cairn/landmark/landmark_parameters.hpp"
#include "cairn/run/session.hpp"
#include "cairn/store/checkpoint/scratch_tiles.hpp"

namespace cairn {

namespace {

namespace names = landmark_parameters;

// Of all methods: how many landmarks; and how they are chosen, of those that take landmarks.
std::vector<Parameter> parameters_of_landmarks(const MethodDescriptor& method) {
  std::vector<Parameter> own = names::of_all_methods();
  if (!method.needs.landmarks) return own;
  for (Parameter& parameter : names::of_selections()) own.push_back(std::move(parameter));
  return own;
}

bool reuses_landmarks(const MethodDescriptor& method, const Values& values) {
  return method.has("reuse") && values.given("reuse");
}

void refuse_unused(const Values& values, const std::string& name, const std::string& why) {
  if (!values.given(name)) return;
  throw Error(ErrorKind::usage, fmt::format("{} has no effect if {}", values.where(name), why));
}

void refuse_unused_landmarks(const MethodDescriptor& method, const Values& values) {
  if (values.given(names::count)) refuse_unused(values, names::fraction, values.where(names::count) + " is given");
  if (!method.needs.landmarks) return;
  if (reuses_landmarks(method, values)) {
    for (const std::string& name : {names::count, names::fraction, names::selection, names::path}) {
      refuse_unused(values, name, "P and its landmarks are taken from " + values.text("reuse"));
    }
  }
  if (values.text(names::selection) != names::file) {
    refuse_unused(values, names::path, fmt::format("{} is {}", names::selection, values.text(names::selection)));
  }
}

Index landmark_count(const MethodDescriptor& method, const Values& values, Index objects) {
  if (reuses_landmarks(method, values)) return 0;
  if (values.given(names::fraction)) {
    return std::max<Index>(1, std::llround(values.number(names::fraction) * static_cast<double>(objects)));
  }
  if (!values.given(names::count)) {
    if (method.needs.landmarks && values.text(names::selection) == names::file) return 0;
    if (!method.count_parameter.empty() && values.given(method.count_parameter)) return 0;
  }
  const Index count = values.integer(names::count);
  require_landmark_count(count, objects, KeyNames("parameter " + names::prefix));
  return count;
}

}  // namespace

MethodValues method_values(const MethodDescriptor& method, const GivenValues& given, ProblemShape shape) {
  std::vector<Parameter> own = method.parameters;
  for (Parameter& parameter : parameters_of_landmarks(method)) own.push_back(std::move(parameter));
  Values values = values_of(own, given);
  refuse_unused_landmarks(method, values);
  shape.landmarks = landmark_count(method, values, shape.objects);
  check_parameters(method, values, shape);
  if (method.unused != nullptr) {
    for (const UnusedParameter& unused : method.unused(values, shape)) refuse_unused(values, unused.name, unused.why);
  }
  return {std::move(values), shape.landmarks};
}

std::vector<std::string> operators_of(ObjectKind kind) {
  for (const DataKind* data : data_kinds()) {
    if (data->objects == kind) return data->operators;
  }
  return {};
}

TileStorage tile_storage(const Session& session, const Values& values, Index work_bytes) {
  const std::string choice = values.text("joining-storage");
  if (choice == "memory") return {};
  return [session, choice, work_bytes](Index bytes) -> std::shared_ptr<TileLedger> {
    const Communicator& communicator = session.communicator();
    constexpr double share = 0.9;  // something is left for the system
    const Index room = room_of_rank(communicator, session.options().memory, share);
    if (choice == "auto" && communicator.maximum(bytes) + work_bytes <= room) return nullptr;
    return collectively(communicator,
                        [&] { return std::make_shared<ScratchTiles>(session.options().scratch_folder, bytes); });
  };
}

}  // namespace cairn
