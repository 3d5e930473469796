// Parameters that several kinds of data share.
#pragma once

#include <string>
#include <vector>

#include "cairn/parameters/parameter.hpp"

namespace cairn::data_parameters {

[[nodiscard]] Parameter path(const std::string& help);
[[nodiscard]] Parameter format(const std::vector<std::string>& formats, const std::string& help);
[[nodiscard]] Parameter dataset();
[[nodiscard]] Parameter largest_component(const std::string& help);
[[nodiscard]] Parameter generate(const std::vector<std::string>& generators, const std::string& help);
/// Columns or fields with texts of the objects. @param where  a sentence on how they are named
[[nodiscard]] Parameter split(const std::string& where);
[[nodiscard]] Parameter group(const std::string& where);
[[nodiscard]] Parameter identifier(const std::string& where);
/// Upper bounds on generated objects and on coordinates of a point: the indices of sparse rows have 32 bits.
inline constexpr double most_objects = 1e12, most_coordinates = 2147483647;
/// Number of generated objects.
[[nodiscard]] Parameter count(const std::string& help);
[[nodiscard]] Parameter seed();

}  // namespace cairn::data_parameters
