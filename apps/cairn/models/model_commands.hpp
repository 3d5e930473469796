// The subcommands that make models of results and use them.
#pragma once

#include "report/job.hpp"

namespace cairn::app {

void check_train(const Settings& settings, const std::vector<std::string>& arguments);
void run_train(Job& job);
void check_predict(const Settings& settings, const std::vector<std::string>& arguments);
void run_predict(Job& job);

/// predict with the model of a classifier. Collective.
void predict_classes(Job& job);

}  // namespace cairn::app
