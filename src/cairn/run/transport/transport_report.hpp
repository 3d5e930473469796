// What a transport found: for people, for programs, and as a file.
#pragma once

#include <map>
#include <string>

#include "cairn/run/transport/transport.hpp"
#include "cairn/store/files/transport_file.hpp"
#include "cairn/task/task_report.hpp"

namespace cairn {

/// What the plan's file says of it. Local.
template <class T>
[[nodiscard]] TransportDescription description_of(const Transported<T>& found, const TransportChoice& choice);

/// Text and figures. Local.
[[nodiscard]] TaskReport report_of(const StoredTransport& stored);

/// The sizes that a reader would find. Collective.
template <class T>
[[nodiscard]] StoredTransport summary_of(const Communicator& communicator, const Transported<T>& found,
                                         const TransportDescription& description);

/// Writes the plan. @throws as write_transport(). Collective.
template <class T>
void save_plan(const Execution& execution, const OutputPath& path, const Transported<T>& found,
               const TransportDescription& description);

}  // namespace cairn
