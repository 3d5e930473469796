// The subcommands that make models of results and use them.
#pragma once

#include "report/job.hpp"

namespace cairn::app {

void check_train(const Settings& settings, const std::vector<std::string>& arguments);
void run_train(Job& job);
void check_predict(const Settings& settings, const std::vector<std::string>& arguments);
void run_predict(Job& job);

// The tasks of train, one file each, and what is refused of them as by Command::check.
void check_ridge(const Settings& settings, const std::vector<std::string>& arguments);
void train_ridge(Job& job);
void check_svm(const Settings& settings, const std::vector<std::string>& arguments);
void train_svm(Job& job);
void train_kernel_svm(Job& job);

/// predict with the model of a classifier. Collective.
void predict_classes(Job& job);

}  // namespace cairn::app
