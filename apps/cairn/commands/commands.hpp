// Subcommands other than those for models, for the table of commands.
#pragma once

#include <string>
#include <vector>

#include "report/job.hpp"

namespace cairn::app {

// One file per command. check_... is Command::check of the command.
void check_approximate(const Settings& settings, const std::vector<std::string>& arguments);
void run_approximate(Job& job);
void check_evaluate(const Settings& settings, const std::vector<std::string>& arguments);
void run_evaluate(Job& job);
void check_query(const Settings& settings, const std::vector<std::string>& arguments);
void run_query(Job& job);
void check_extend(const Settings& settings, const std::vector<std::string>& arguments);
void run_extend(Job& job);
void check_distances(const Settings& settings, const std::vector<std::string>& arguments);
void run_distances(Job& job);
void check_reweigh(const Settings& settings, const std::vector<std::string>& arguments);
void run_reweigh(Job& job);
void check_plan(const Settings& settings, const std::vector<std::string>& arguments);
void run_plan(Job& job);
void run_info(Job& job);
void check_convert(const Settings& settings, const std::vector<std::string>& arguments);
void run_convert(Job& job);
void check_transport(const Settings& settings, const std::vector<std::string>& arguments);
void run_transport(Job& job);
void check_sweep(const Settings& settings, const std::vector<std::string>& arguments);
void run_sweep(Job& job);

}  // namespace cairn::app
