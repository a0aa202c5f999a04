#include "audit_log.h"

#include <patchbay/utf8.h>

#include "audit_limits.h"
#include "audit_value.h"

namespace patchbay::rest_api {
namespace {

std::string cut(std::string_view text) { return std::string(clip_characters(text, kMaxAuditTextCharacters)); }

// NULL for no object.
Result<Value> value_of(const Host& host, const std::string& json, const char* name) {
  if (json.empty()) return Value(nullptr);
  auto stored = audit_value(host, json);
  if (!stored) return std::move(stored).error().within(name);
  return Value(*stored);
}

}  // namespace

AuditLog::AuditLog(const Host& host)
    : host_(host),
      add_(Statement::find(host, "audit-add")),
      sweep_(Statement::find(host, "audit-sweep")),
      records_(Metric::counter(host, "patchbay_rest_api_audit_records_total",
                               "Records of changes that were added to transactions")),
      service_(host),
      timer_(host) {}

Status AuditLog::open() {
  service_.on(audit::Audit::record, [this](const audit::Record& record) { return this->record(record); });
  PB_TRY(service_.publish());
  sweep();
  return {};
}

Result<Empty> AuditLog::record(const audit::Record& record) {
  if (record.action.empty()) return {Code::invalid, "an audit record has no action"};
  PB_TRY_VALUE(Value before, value_of(host_, record.before, "before"));
  PB_TRY_VALUE(Value after, value_of(host_, record.after, "after"));
  const int64_t now_ms = host_.wall_ms();
  PB_TRY_VALUE(const std::string id, ids_.next(now_ms));
  Transaction tx = Transaction::borrow(host_, record.tx);
  tx.exec(add_,
          {id, record.tenant, now_ms, cut(record.actor), cut(record.remote), cut(record.action),
           cut(record.object), std::move(before), std::move(after), cut(record.correlation)},
          1);
  records_.add();
  return Empty{};
}

void AuditLog::sweep() {
  Transaction tx(host_);
  tx.exec(sweep_, {first_audit_id(host_.wall_ms() - keep_ms_), kMaxSweptAuditRecords});
  std::move(tx).commit(alive_.bind([this](const Commit& outcome) {
    if (!outcome) Log(host_).warn("old audit records cannot be removed", {{"why", outcome.error().text}});
    if (outcome && outcome.result(0).size() == kMaxSweptAuditRecords) return sweep();
    timer_.after_ms(kAuditSweepIntervalMs, [this] { sweep(); });
  }));
}

}  // namespace patchbay::rest_api
