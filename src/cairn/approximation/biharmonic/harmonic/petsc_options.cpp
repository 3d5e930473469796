#include <fmt/format.h>

#include <cctype>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cairn/approximation/biharmonic/harmonic/laplacian_solver.hpp"
#include "cairn/base/error.hpp"

namespace cairn {

std::vector<std::pair<std::string, std::string>> petsc_options(const PetscChoice& choice) {
  std::istringstream words(choice.options);
  std::vector<std::pair<std::string, std::string>> options;
  const std::string expected = std::string("-") + petsc_prefix;
  const auto refuse_tolerance = [&](const std::string& option) {
    for (const char* name : {"ksp_rtol", "ksp_atol", "ksp_divtol"}) {
      if (option != expected + name) continue;
      throw Error(ErrorKind::usage, fmt::format("{}: {} has no effect; the tolerance is {}",
                                                choice.keys("petsc-options"), option, choice.keys("tolerance")));
    }
  };
  for (std::string word; words >> word;) {
    const bool is_option = word.starts_with('-') && word.size() > 1 && std::isalpha(word[1]) != 0;
    if (is_option && word.starts_with(expected)) {
      refuse_tolerance(word);
      options.emplace_back(word, "");
    } else if (!is_option && !options.empty() && options.back().second.empty()) {
      options.back().second = word;
    } else {
      throw Error(ErrorKind::usage, fmt::format("{}: '{}' is no value, and no option that begins with {}",
                                                choice.keys("petsc-options"), word, expected));
    }
  }
  return options;
}

}  // namespace cairn
