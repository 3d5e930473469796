#include "cairn/task/classification/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "cairn/base/mpi/collective_guard.hpp"
#include "cairn/data/digest.hpp"
#include "cairn/data/missing_value.hpp"
#include "cairn/parameters/units.hpp"

namespace cairn {

namespace {

constexpr int first_ones = 10;  // only this many rows of a group count

// Data sent for a row.
struct Row {
  Index number = 0;
  double score = 0.0;
  Index relevant = 0;
};

// Numbers of groups by the places among the first ten with relevant rows (one bit each) and by the number of all
// relevant rows (ten stands for more). All scores are computed from these counts, whose sums do not depend on the
// order.
class Places {
 public:
  Places() : counts_((std::size_t{1} << first_ones) * (first_ones + 1), 0) {}

  // Adds the rows of a group in the order of their ranks.
  void add(const std::vector<Row>& ranked) {
    std::size_t places = 0;
    int relevant = 0;
    for (std::size_t k = 0; k < ranked.size(); ++k) {
      if (ranked[k].relevant == 0) continue;
      relevant = std::min(relevant + 1, first_ones);
      if (k < first_ones) places |= std::size_t{1} << k;
    }
    ++counts_[places * (first_ones + 1) + static_cast<std::size_t>(relevant)];
  }

  [[nodiscard]] std::span<Index> counts() { return counts_; }

  [[nodiscard]] StoredRanking::Score score() const {
    StoredRanking::Score score;
    std::array<double, first_ones> found{}, most{};
    Index groups = 0;
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      if (counts_[c] == 0) continue;
      groups += counts_[c];
      const auto count = static_cast<double>(counts_[c]);
      const std::size_t places = c / (first_ones + 1);
      const int relevant = static_cast<int>(c % (first_ones + 1));
      double precisions = 0.0;
      int above = 0;
      for (int i = 0; i < first_ones; ++i) {
        if ((places >> i & 1U) != 0) {
          if (above == 0) score.reciprocal_rank += count / (i + 1);
          precisions += static_cast<double>(++above) / (i + 1);
        }
        found[i] += count * above;
        most[i] += count * std::min(i + 1, relevant);
      }
      if (above > 0) score.average_precision += count * precisions / above;
    }
    if (groups == 0) return score;
    score.average_precision /= static_cast<double>(groups);
    score.reciprocal_rank /= static_cast<double>(groups);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (most[i] > 0.0) score.average_recall += found[i] / most[i] / first_ones;
    }
    return score;
  }

 private:
  std::vector<Index> counts_;
};

// Gathers all rows of a group on one rank.
std::map<std::string, std::vector<Row>> gather_groups(const Communicator& communicator, const RankedRows& own) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::vector<Row>> rows(ranks);
  std::vector<std::vector<char>> names(ranks);
  collectively(communicator, [&] {
    for (std::size_t i = 0; i < own.rows.size(); ++i) {
      const std::string& group = own.groups[i];
      const auto to = static_cast<std::size_t>(hash_text(group, 1) % ranks);
      rows[to].push_back({own.rows[i], own.scores[i], own.relevant[i]});
      names[to].insert(names[to].end(), group.c_str(), group.c_str() + group.size() + 1);
    }
  });
  rows = communicator.exchange(rows);
  names = communicator.exchange(names);
  return collectively(communicator, [&] {
    std::map<std::string, std::vector<Row>> groups;
    for (std::size_t r = 0; r < ranks; ++r) {
      const char* name = names[r].data();
      for (const Row& row : rows[r]) {
        const std::string group = name;
        groups[group].push_back(row);
        name += group.size() + 1;
      }
    }
    return groups;
  });
}

std::string shown(double value) { return fmt::format("{:.4f}", value); }

Metric::Record metrics_of(const StoredRanking::Score& score) {
  return {{"map", score.average_precision},
          {"average_recall", score.average_recall},
          {"reciprocal_rank", score.reciprocal_rank}};
}

}  // namespace

StoredRanking rank_groups(const Communicator& communicator, const std::string& on, const RankedRows& rows) {
  auto groups = gather_groups(communicator, rows);
  Places by_score, by_order;
  for (auto& [name, its] : groups) {
    std::ranges::sort(its, {}, &Row::number);
    by_order.add(its);
    std::ranges::stable_sort(its, [](const Row& a, const Row& b) { return a.score > b.score; });
    by_score.add(its);
  }
  communicator.sum(by_score.counts());
  communicator.sum(by_order.counts());
  std::array<Index, 4> told{};  // [relevant][predicted]
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    ++told[2 * rows.relevant[i] + rows.predicted[i]];
  }
  communicator.sum(std::span<Index>(told));
  StoredRanking ranking{.on = on};
  ranking.groups = communicator.sum(static_cast<Index>(groups.size()));
  ranking.rows = told[0] + told[1] + told[2] + told[3];
  const Index wrong = told[1] + told[2], positive = 2 * told[3] + wrong;
  if (positive > 0) ranking.f1 = 2.0 * static_cast<double>(told[3]) / static_cast<double>(positive);
  if (ranking.rows > 0) ranking.accuracy = static_cast<double>(told[0] + told[3]) / static_cast<double>(ranking.rows);
  ranking.by_score = by_score.score();
  ranking.by_order = by_order.score();
  return ranking;
}

std::optional<StoredRanking> rank_classes(const Communicator& communicator, const std::string& on,
                                          const ScoredRows& scored, const std::string& positive, Index first,
                                          const std::vector<std::string>& labels,
                                          const std::vector<std::string>& groups) {
  const auto there = [&](const std::vector<std::string>& texts) {
    return communicator.maximum(static_cast<Index>(texts.size())) > 0;
  };
  const bool known = there(labels), in_groups = there(groups);
  const auto its = std::ranges::find(scored.classes, positive);
  if (!known || !in_groups || positive.empty() || its == scored.classes.end()) return std::nullopt;
  const auto column = static_cast<std::size_t>(its - scored.classes.begin());
  const RankedRows ranked = collectively(communicator, [&] {
    RankedRows rows;
    for (std::size_t i = 0; i < scored.rows.size(); ++i) {
      const auto own = static_cast<std::size_t>(scored.rows[i] - first);
      if (labels[own] != positive && is_missing(labels[own])) continue;
      rows.rows.push_back(scored.rows[i]);
      rows.groups.push_back(groups[own]);
      rows.scores.push_back(scored.scores[i * scored.classes.size() + column]);
      rows.relevant.push_back(labels[own] == positive ? 1 : 0);
      rows.predicted.push_back(static_cast<std::size_t>(scored.predicted[i]) == column ? 1 : 0);
    }
    return rows;
  });
  return rank_groups(communicator, on, ranked);
}

ReportText ranking_report(const std::vector<StoredRanking>& rankings) {
  if (rankings.empty()) return {};
  std::vector<std::vector<std::string>> table = {
      {"on", "ranked by", "groups", "MAP", "AvgRec", "MRR", "F1", "accuracy"}};
  for (const StoredRanking& one : rankings) {
    const auto add = [&](const char* by, const StoredRanking::Score& score, const std::string& f1,
                         const std::string& accuracy) {
      table.push_back({one.on, by, grouped(one.groups), shown(score.average_precision), shown(score.average_recall),
                       shown(score.reciprocal_rank), f1, accuracy});
    };
    add("score", one.by_score, shown(one.f1), shown(one.accuracy));
    add("order", one.by_order, "-", "-");
  }
  return ReportText().table(std::move(table));
}

Metric::List ranking_metrics(const std::vector<StoredRanking>& rankings) {
  Metric::List list;
  for (const StoredRanking& one : rankings) {
    list.emplace_back(Metric::Record{{"on", one.on},
                                     {"groups", one.groups},
                                     {"rows", one.rows},
                                     {"f1", one.f1},
                                     {"accuracy", one.accuracy},
                                     {"by_score", metrics_of(one.by_score)},
                                     {"by_order", metrics_of(one.by_order)}});
  }
  return list;
}

}  // namespace cairn
