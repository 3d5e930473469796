// Results of a transport: for people, for programs, and as a file.
#pragma once

#include <map>
#include <string>

#include "cairn/run/transport/transport.hpp"
#include "cairn/store/files/transport_file.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// Description of the plan for its file. Local.
template <class T>
[[nodiscard]] TransportDescription description_of(const Transported<T>& found, const TransportChoice& choice);

/// Text and metrics. Local.
[[nodiscard]] TaskReport report_of(const StoredTransport& stored);

/// Sizes that a reader of the file would find. Collective.
template <class T>
[[nodiscard]] StoredTransport summary_of(const Communicator& communicator, const Transported<T>& found,
                                         const TransportDescription& description);

/// Writes the plan. @throws as write_transport(). Collective.
template <class T>
void save_plan(const Execution& execution, const OutputPath& path, const Transported<T>& found,
               const TransportDescription& description);

}  // namespace cairn
