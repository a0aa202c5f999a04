// Audit records as durable events, which exist exactly if the transaction of the change was committed. For
// tests that provide patchbay.audit: FakeAudit, and plugins of a test. [any]
#pragma once

#include <string>

#include "../event.h"
#include "../host.h"
#include "../services/audit.h"

namespace patchbay::testing {

// The topic; the fake host lists its events only when they are asked for.
inline constexpr char kAuditTopic[] = "test.audit";

namespace detail {

// Adds the record to its transaction. Error: the record is invalid.
inline Status add_audit_event(const Host& host, const audit::Record& record) {
  if (record.action.empty()) return {Code::invalid, "an audit record has no action"};
  for (const std::string* json : {&record.before, &record.after})
    if (!json->empty()) PB_TRY(host.parse_json(*json));
  JsonWriter payload;
  payload.object().member("actor", record.actor).member("remote", record.remote);
  payload.member("action", record.action);
  payload.member("before", record.before).member("after", record.after).end();
  Transaction::borrow(host, record.tx)
      .emit({kAuditTopic, record.tenant, record.object, record.correlation, std::move(payload).str()});
  return {};
}

// `tx` is not set.
inline audit::Record audit_record(const Host& host, const NewEvent& event) {
  const auto doc = host.parse_json(event.payload);
  const auto text = [&](const char* name) {
    return doc ? std::string(doc->root().text(name, {})) : std::string();
  };
  return {{},
          event.tenant,
          text("actor"),
          text("remote"),
          text("action"),
          event.subject,
          text("before"),
          text("after"),
          event.correlation};
}

}  // namespace detail

// Action, object, before and after in one line, "-" for none.
inline std::string audit_line(const audit::Record& record) {
  const auto value = [](const std::string& json) { return json.empty() ? std::string("-") : json; };
  return record.action + " " + record.object + " " + value(record.before) + " " + value(record.after) + "\n";
}

}  // namespace patchbay::testing
