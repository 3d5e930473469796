#include "landmark_documents.hpp"

namespace cairn::app {

namespace {

const DocumentBlock* documents_of(const std::optional<FactorOrigin>& origin) {
  return origin ? dynamic_cast<const DocumentBlock*>(origin->objects.get()) : nullptr;
}

}  // namespace

template <class T>
std::optional<KnownDocuments> known_documents(const std::optional<Tokenization>& tokenization,
                                              const Approximation<T>& approximation) {
  const DocumentBlock* landmarks = documents_of(approximation.left_origin);
  if (landmarks == nullptr) return std::nullopt;
  return KnownDocuments{tokenization.value_or(Tokenization()), landmarks->vectors, !landmarks->texts.empty()};
}

template <class T>
void renumber_landmarks(const DocumentSet& documents, Approximation<T>& approximation) {
  for (auto* origin : {&approximation.left_origin, &approximation.right_origin}) {
    const DocumentBlock* landmarks = documents_of(*origin);
    if (landmarks != nullptr) (*origin)->objects = renumbered(*landmarks, documents.shared_vectors());
  }
}

#define CAIRN_INSTANTIATE(T)                                                                                           \
  template std::optional<KnownDocuments> known_documents(const std::optional<Tokenization>&, const Approximation<T>&); \
  template void renumber_landmarks(const DocumentSet&, Approximation<T>&);
CAIRN_INSTANTIATE(float)
CAIRN_INSTANTIATE(double)
#undef CAIRN_INSTANTIATE

}  // namespace cairn::app
