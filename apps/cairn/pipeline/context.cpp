#include "pipeline/context.hpp"

#include "cairn/linalg/dense/dense_algorithms.hpp"

namespace cairn::app {

namespace {

std::uint64_t seed_of(const Settings& settings) {
  return settings.knows("run.seed") ? static_cast<std::uint64_t>(settings.integer("run.seed")) : 0;
}

}  // namespace

Context::Context(const Communicator& communicator, int threads, std::uint64_t seed)
    : execution_{communicator, phases_, ledger_, threads, seed} {
  set_blas_threads(threads);
}

Context::Context(const Communicator& communicator, const Settings& settings)
    : Context(communicator, static_cast<int>(settings.integer("run.threads")), seed_of(settings)) {}

double Context::seconds() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  return execution_.communicator.maximum(elapsed.count());
}

}  // namespace cairn::app
