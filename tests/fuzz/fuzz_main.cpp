// libFuzzer's entry points. CAIRN_FUZZ_READER names the reader.
#include <sanitizer/lsan_interface.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "readers.hpp"

namespace {

const cairn::fuzz::Reader* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* name = std::getenv("CAIRN_FUZZ_READER");
  for (const cairn::fuzz::Reader& reader : cairn::fuzz::readers()) {
    if (name != nullptr && std::string_view(name) == reader.name) chosen = &reader;
  }
  if (chosen == nullptr) {
    std::fputs("CAIRN_FUZZ_READER is to name one of these (or hdf5-bytes):\n", stderr);
    for (const cairn::fuzz::Reader& reader : cairn::fuzz::readers()) {
      if (!reader.meets_hdf5_first) std::printf("%s\n", reader.name);
    }
    std::exit(2);
  }
  // MPI takes the signals of crashes, which belong to the sanitizers and to libFuzzer.
  constexpr int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
  struct sigaction before[std::size(crashes)];
  for (std::size_t k = 0; k < std::size(crashes); ++k) sigaction(crashes[k], nullptr, &before[k]);
  {
    const __lsan::ScopedDisabler one_off_allocations_of_the_library;
    cairn::fuzz::start();
  }
  for (std::size_t k = 0; k < std::size(crashes); ++k) sigaction(crashes[k], &before[k], nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)cairn::fuzz::run(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
