#include "cairn/similarity/word_movers/text_candidates.hpp"

#include <algorithm>

namespace cairn {

namespace {

constexpr float far = std::numeric_limits<float>::infinity();

// Distances of `found`, ascending, that count as equal stand in the order of their numbers.
void order_ties(std::vector<Neighbor>& found) {
  for (std::size_t begin = 0; begin < found.size();) {
    std::size_t end = begin + 1;
    while (end < found.size() && found[end].value - found[end - 1].value <= same_distance * found[end].value) ++end;
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(begin), found.begin() + static_cast<std::ptrdiff_t>(end),
              [](const Neighbor& a, const Neighbor& b) { return a.object < b.object; });
    begin = end;
  }
}

}  // namespace

double TextCandidates::farthest() const {
  return found_.size() < k_ ? std::numeric_limits<double>::infinity() : found_[k_ - 1].value;
}

// A candidate at distance 0 comes after all with a lower number that are: it is of no use beside k of these.
bool TextCandidates::useful(float bound) const {
  const double last = farthest();
  return last > 0.0 && static_cast<double>(bound) <= last * (1.0 + same_distance);
}

bool TextCandidates::begin_pass() {
  candidates_.clear();
  next_ = 0;
  const bool needed = needs_pass();
  const double last = farthest() * (1.0 + same_distance);
  limit_ = !needed ? -1.0F : last < static_cast<double>(far) ? static_cast<float>(last * (1.0 + 1e-6)) : far;
  more_ = false;
  return needed;
}

void TextCandidates::take(TextCandidate candidate) {
  if (!(last_ < candidate) || candidate.bound > limit_) return;
  candidates_.push_back(candidate);
  if (candidates_.size() < 2 * most) return;
  const auto end = candidates_.begin() + most;
  std::nth_element(candidates_.begin(), end - 1, candidates_.end());
  limit_ = (end - 1)->bound;
  candidates_.erase(end, candidates_.end());
  more_ = true;
}

void TextCandidates::end_pass() {
  std::sort(candidates_.begin(), candidates_.end());
  if (candidates_.size() > most) {
    candidates_.resize(most);
    more_ = true;
  }
  limit_ = -1.0F;
}

std::span<const TextCandidate> TextCandidates::next(std::size_t count) const {
  const auto all = std::span(candidates_).subspan(next_);
  std::size_t taken = 0;
  while (taken < std::min(count, all.size()) && useful(all[taken].bound)) ++taken;
  return all.first(taken);
}

void TextCandidates::compared(std::span<const double> distances) {
  for (const double distance : distances) {
    last_ = candidates_[next_++];
    const Neighbor one{last_.target, distance};
    const auto place = std::upper_bound(found_.begin(), found_.end(), one, [](const Neighbor& a, const Neighbor& b) {
      return a.value != b.value ? a.value < b.value : a.object < b.object;
    });
    found_.insert(place, one);
  }
  const double last = farthest() * (1.0 + 2.0 * same_distance);
  while (found_.size() > k_ && found_.back().value > last) found_.pop_back();
}

bool TextCandidates::needs_pass() const {
  if (next_ < candidates_.size() || !more_) return false;
  return useful(last_.bound);
}

std::vector<Neighbor> TextCandidates::nearest() const {
  std::vector<Neighbor> all = found_;
  order_ties(all);
  all.resize(std::min(all.size(), k_));
  return all;
}

}  // namespace cairn
