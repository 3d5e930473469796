// The fault point "similarity": the program `cairn_with_faults` is linked with --wrap, so that calls of the functions
// that evaluate similarities come here first. The objects that it is linked from are those of the program itself.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <exception>

#include "cairn/base/error.hpp"
#include "cairn/similarity/similarity.hpp"
#include "cairn/similarity/source_similarity.hpp"

namespace {

using namespace cairn;

void fail_where_asked(const char* what) {
  using Function = bool (*)(const char*);
  static const auto fails = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "cairn_fault_similarity"));
  if (fails == nullptr || !fails(what)) return;
  if (std::getenv("CAIRN_FAULT_TERMINATES") != nullptr) std::terminate();  // nothing has been thrown
  throw Error(ErrorKind::numeric, fmt::format("fault point similarity: {}", what));
}

}  // namespace

// A member function is called as a function whose first argument is the object.
#define CAIRN_WRAP(symbol, name, declared, passed) \
  void real_##name declared asm("__real_" symbol); \
  void wrap_##name declared asm("__wrap_" symbol); \
  void wrap_##name declared {                      \
    fail_where_asked(#name);                       \
    real_##name passed;                            \
  }

using Pairs = Similarity<double>;
using Sources = SourceSimilarity;

CAIRN_WRAP("_ZNK5cairn10SimilarityIdE4tileERKNS_11ObjectBlockES4_NS_10MatrixViewIdEE", tile,
           (const Pairs* self, const ObjectBlock& rows, const ObjectBlock& columns, MatrixView<double> out),
           (self, rows, columns, out))
CAIRN_WRAP("_ZNK5cairn10SimilarityIdE5pairsERKNS_11ObjectBlockES4_St4spanIdLm18446744073709551615EE", pairs,
           (const Pairs* self, const ObjectBlock& first, const ObjectBlock& second, std::span<double> out),
           (self, first, second, out))
CAIRN_WRAP(
    "_ZNK5cairn16SourceSimilarity10to_targetsESt4spanIKlLm18446744073709551615EERKNS_9TargetSetENS_10MatrixViewIdEE",
    to_targets, (const Sources* self, std::span<const Index> sources, const TargetSet& targets, MatrixView<double> out),
    (self, sources, targets, out))
CAIRN_WRAP("_ZNK5cairn16SourceSimilarity6to_allESt4spanIKlLm18446744073709551615EENS_10MatrixViewIdEE", to_all,
           (const Sources* self, std::span<const Index> sources, MatrixView<double> out), (self, sources, out))
CAIRN_WRAP("_ZNK5cairn16SourceSimilarity5lowerElSt4spanIdLm18446744073709551615EE", lower,
           (const Sources* self, Index source, std::span<double> nearest), (self, source, nearest))
