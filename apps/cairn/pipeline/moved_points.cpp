#include "pipeline/moved_points.hpp"

#include "cairn/similarity/points/point_differences.hpp"
#include "keys/data_keys.hpp"
#include "keys/similarity_keys.hpp"

namespace cairn::app {

bool subtracts_mean(const Settings& settings) {
  if (&data_kind(settings) != &point_data() || !settings.knows("similarity.kind")) return false;
  const Values values = data_values(settings);
  return settings.text("run.precision") == "single" && !values.given("offset") && values.text("scaling") == "none" &&
         depends_on_differences(similarity_choice(settings));
}

}  // namespace cairn::app
