// Default methods or similarities for kinds of objects.
#pragma once

#include <algorithm>
#include <string>

#include "cairn/data/object_set.hpp"

namespace cairn {

/// The descriptor that is the default for such objects, or null. Local.
template <class Table>
[[nodiscard]] auto default_of(const Table& table, ObjectKind objects) -> typename Table::value_type {
  for (const auto* descriptor : table) {
    if (std::ranges::find(descriptor->default_for, objects) != descriptor->default_for.end()) return descriptor;
  }
  return nullptr;
}

/// Sentences for help: the objects for which each method or similarity of the table is the default. Local.
template <class Table>
[[nodiscard]] std::string defaults_help(const Table& table) {
  std::string text;
  for (const auto* descriptor : table) {
    for (const ObjectKind& objects : descriptor->default_for) {
      text += " The default for " + std::string(objects.name) + " is " + descriptor->name + ".";
    }
  }
  return text;
}

}  // namespace cairn
