// WriteSession's durable events: emits them for the consumers whose patterns match, and acknowledges them.
#include "bus/limits.h"
#include "bus/topic_name.h"
#include "store/limits.h"
#include "store/write_session.h"

namespace patchbay::core {
namespace {

bool wants(const Consumer& consumer, const std::string& topic) {
  for (const std::string& pattern : consumer.patterns) {
    if (matches(pattern, topic)) return true;
  }
  return false;
}

}  // namespace

Result<int64_t> WriteSession::emit(const EmitOp& op) {
  if (!valid_topic(op.topic))
    return {Code::invalid,
            "topic \"" + op.topic.substr(0, kMaxTopicBytes) + "\" is not words joined by dots"};
  if (op.payload.size() > kMaxPayloadBytes)
    return {Code::invalid, "an event's payload has at most 256 KiB, but that of " + op.topic + " has " +
                               std::to_string(op.payload.size()) + " bytes"};
  Rows rows;
  PB_TRY(run("tenant-seq", {op.tenant}, &rows));
  const int64_t seq = rows.empty() ? 1 : rows.integer(0, 0) + 1;
  PB_TRY(run_later("tenant-seq-put", {op.tenant, seq}));
  LoggedEvent event{next_id(), op.topic, op.tenant, seq, op.subject, op.correlation, clock_(), op.payload};
  Value unique_key = op.unique_key.empty() ? Value() : Value(op.unique_key);
  Values row{event.id,          event.topic, event.tenant,  event.tenant_seq, event.subject,
             event.correlation, event.ts_ms, event.payload, unique_key};
  if (op.unique_key.empty())
    PB_TRY(run_later("event-add", row));
  else
    PB_TRY(run("event-add", row));
  for (const Consumer& consumer : consumers_) {
    if (wants(consumer, op.topic)) PB_TRY(run_later("pending-add", {consumer.name, event.id}));
  }
  int64_t id = event.id;
  notice_.events.push_back(std::move(event));
  return id;
}

Status WriteSession::ack(const AckOp& op) {
  PB_TRY_VALUE(int64_t removed, run("pending-ack", {op.consumer, op.event}));
  if (removed == 1) return {};
  return {Code::conflict, "event " + std::to_string(op.event) + " is not pending for " + op.consumer};
}

}  // namespace patchbay::core
