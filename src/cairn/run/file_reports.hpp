// What files say of themselves, for people and for programs.
#pragma once

#include "cairn/store/files/embedding_file.hpp"
#include "cairn/store/files/operator_file.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Text and figures, without provenance. Local.
[[nodiscard]] TaskReport report_of(const StoredEmbedding& stored);
[[nodiscard]] TaskReport report_of(const StoredOperator& stored);

}  // namespace cairn
