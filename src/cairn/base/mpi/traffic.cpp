#include "cairn/base/mpi/traffic.hpp"

namespace cairn {

namespace {

Traffic counted;

}  // namespace

Traffic& Traffic::operator+=(const Traffic& other) {
  collectives += other.collectives;
  collective_bytes += other.collective_bytes;
  messages += other.messages;
  message_bytes += other.message_bytes;
  seconds += other.seconds;
  return *this;
}

Traffic operator-(Traffic left, const Traffic& right) {
  left.collectives -= right.collectives;
  left.collective_bytes -= right.collective_bytes;
  left.messages -= right.messages;
  left.message_bytes -= right.message_bytes;
  left.seconds -= right.seconds;
  return left;
}

Traffic traffic() { return counted; }
void count_traffic(const Traffic& more) { counted += more; }

}  // namespace cairn
