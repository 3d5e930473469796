#include "cairn/base/process/reading_budget.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "cairn/base/error.hpp"
#include "cairn/base/process/reading_scopes.hpp"

namespace cairn {

namespace {

constexpr Index always_allowed = Index{128} << 20;  // small files are read whatever the limit; xz -9 takes 65 MiB

std::string bytes_text(Index bytes) {
  constexpr double mega = 1e6, giga = 1e9;
  const auto number = static_cast<double>(bytes);
  return number < giga ? fmt::format("{:.0f} MB", number / mega) : fmt::format("{:.2f} GB", number / giga);
}

std::vector<const ReadingBudget::Limits*>& living() {
  static std::vector<const ReadingBudget::Limits*> all;
  return all;
}

const ReadingBudget::Limits& limits_now() {
  static const ReadingBudget::Limits none;
  return living().empty() ? none : *living().back();
}

// Number of ReadingInPlace objects of this thread.
thread_local int in_place = 0;

// Resident bytes of this process. Allocates nothing.
Index resident_now() {
  Index size = 0, pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &size, &pages) != 2) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<Index>(sysconf(_SC_PAGESIZE));
}

struct Left {
  Index bytes = FreeMemory::unknown;
  std::string source;
  Index told = FreeMemory::unknown;  // for messages: without what is always allowed
};

Left left_now() {
  const ReadingBudget::Limits& limits = limits_now();
  Left left;
  if (limits.unlimited) return left;
  const FreeMemory free = free_memory();
  const auto take = [&](Index bytes, const std::string& source, Index told) {
    if (bytes < left.bytes) left = {bytes, source, told};
  };
  if (free.shared != FreeMemory::unknown) {
    const std::string sharing = limits.processes == 1 ? "" : fmt::format(", which {} ranks share", limits.processes);
    take(free.shared / limits.processes, free.shared_source + sharing, free.shared / limits.processes);
  }
  take(free.own, free.own_source, free.own);
  if (limits.bytes > 0) {
    const Index own = std::max<Index>(0, limits.bytes - resident_now());
    take(std::max(always_allowed, own), fmt::format("{}, {}", limits.name, bytes_text(limits.bytes)), own);
  }
  return left;
}

std::string advice() {
  const std::string& key = limits_now().key;
  return "; use more ranks on other nodes, or more memory" +
         (key.empty() ? "" : fmt::format(" ({} = unlimited turns this check off)", key));
}

}  // namespace

ReadingBudget::ReadingBudget(Limits limits) : limits_(std::make_unique<Limits>(std::move(limits))) {
  living().push_back(limits_.get());
}

ReadingBudget::~ReadingBudget() { std::erase(living(), limits_.get()); }

Index ReadingBudget::left() { return left_now().bytes; }

void ReadingBudget::require(Index bytes, const std::string& what) {
  const Left left = left_now();
  if (bytes <= left.bytes) return;
  throw Error(ErrorKind::resource, fmt::format("{} {}, and a rank has {} left of {}{}", what, bytes_text(bytes),
                                               bytes_text(left.told), left.source, advice()));
}

void ReadingBudget::refuse(const std::string& what) {
  const Left left = left_now();
  if (left.bytes == FreeMemory::unknown) throw std::bad_alloc();
  throw Error(ErrorKind::resource, fmt::format("{} more than the {} that a rank has left of {}{}", what,
                                               bytes_text(left.told), left.source, advice()));
}

ReadingAlone::ReadingAlone() {
  ReadingBudget::Limits limits = limits_now();
  limits.processes = 1;
  room_ = std::make_unique<ReadingBudget>(std::move(limits));
}

ReadingInPlace::ReadingInPlace() { ++in_place; }
ReadingInPlace::~ReadingInPlace() { --in_place; }

ReadingWatch::ReadingWatch(std::string path) : path_(std::move(path)), begin_(resident_now()) {}

void ReadingWatch::look() {
  if (in_place > 0) return;
  constexpr Index few = Index{32} << 20, step = Index{8} << 20;
  const Index taken = resident_now() - begin_;
  if (taken < few || taken < seen_ + step) return;
  seen_ = taken;
  const Left left = left_now();
  if (taken <= left.bytes) return;
  throw Error(ErrorKind::resource,
              fmt::format("{}: what is read of it takes {} so far, and as much again before it is complete; a rank has "
                          "{} left of {}{}",
                          path_, bytes_text(taken), bytes_text(left.told), left.source, advice()));
}

}  // namespace cairn
