// A kind of data whose objects are only numbers: an external program knows the objects.
#include "cairn/data/data_kinds.hpp"
#include "cairn/data/data_parameters.hpp"
#include "cairn/data/digest.hpp"

namespace cairn {

namespace {

template <class T>
Data<T> read(const DataInput& input) {
  const Communicator& communicator = input.execution.communicator;
  Data<T> data;
  data.objects = std::make_unique<NumberedObjects>(RowPartition(input.values.integer("count"), communicator.size()),
                                                   communicator.rank());
  data.digest = data_digest(communicator, *data.objects);
  return data;
}

}  // namespace

const DataKind& numbered_data() {
  static const DataKind kind = {
      .name = "ids",
      .summary = "Numbers from 0, whose objects an external program knows.",
      .subject = "ids are",
      .objects = objects::numbers,
      .parameters = {{.name = "count",
                      .value = "N",
                      .type = ValueType::integer,
                      .help = "How many objects there are; their numbers begin with 0.",
                      .lowest = 1,
                      .highest = data_parameters::most_objects}},
      .check = [](const Values& values) { static_cast<void>(values.required("count")); },
      .size =
          [](const Values& values) {
            return std::optional(DataSize{values.integer("count"), 0});
          },
      .read_single = read<float>,
      .read_double = read<double>,
  };
  return kind;
}

}  // namespace cairn
