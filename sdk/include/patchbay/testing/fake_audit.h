// FakeAudit: patchbay.audit for tests of plugins. Each record is an event of the transaction, so that
// records() has exactly those whose changes were committed.
//
//   FakeHost host("build/plugins/doors.so");
//   const FakeAudit audit(host);
//   REQUIRE(why(host.start()) == "");
//   CHECK(host.post("/doors", R"({"name": "front"})").status == 201);
//   CHECK(audit.text() == "door.created front - {\"name\":\"front\"}\n");
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../services/audit.h"
#include "test_environment.h"

namespace patchbay::testing {

// Call every function on the test's thread. Destroy it before the host.
class FakeAudit {
 public:
  explicit FakeAudit(TestEnvironment& environment) : environment_(&environment) {
    static_cast<void>(environment.provide<audit::Audit>([this](Provision<audit::Audit>& provision) {
      provision.on(
          audit::Audit::record,
          [&environment = *environment_, refusal = refusal_](const audit::Record& record) -> Result<Empty> {
            if (!refusal->empty()) return Error{Code::unavailable, *refusal};
            PB_TRY(check(environment.host(), record));
            add_to(environment.host(), record);
            return Empty{};
          });
    }));
  }

  // The records of committed transactions, in order. `tx` is not set.
  std::vector<audit::Record> records() const {
    std::vector<audit::Record> all;
    for (const RecordedEvent& event : environment_->events(kAuditTopic)) {
      const auto doc = environment_->host().parse_json(event.payload);
      if (!doc) continue;
      const auto text = [&](const char* name) { return std::string(doc->root().text(name, {})); };
      all.push_back({{},
                     event.tenant,
                     text("actor"),
                     text("remote"),
                     text("action"),
                     event.subject,
                     text("before"),
                     text("after"),
                     event.correlation});
    }
    return all;
  }

  // The same as text, one line each: action, object, before and after, "-" for none.
  std::string text() const {
    std::string all;
    const auto value = [](const std::string& json) { return json.empty() ? std::string("-") : json; };
    for (const audit::Record& record : records())
      all +=
          record.action + " " + record.object + " " + value(record.before) + " " + value(record.after) + "\n";
    return all;
  }

  // From now on refuses records with this text, so that the changes must fail; "": accepts them again.
  void refuse(const std::string& why) const {
    environment_->run([&] { *refusal_ = why; });
  }

 private:
  static Status check(const Host& host, const audit::Record& record) {
    if (record.action.empty()) return {Code::invalid, "an audit record has no action"};
    for (const std::string* json : {&record.before, &record.after}) {
      if (json->empty()) continue;
      PB_TRY(host.parse_json(*json));
    }
    return {};
  }

  static void add_to(const Host& host, const audit::Record& record) {
    JsonWriter payload;
    payload.object().member("actor", record.actor).member("remote", record.remote);
    payload.member("action", record.action);
    payload.member("before", record.before).member("after", record.after).end();
    Transaction::borrow(host, record.tx)
        .emit({kAuditTopic, record.tenant, record.object, record.correlation, std::move(payload).str()});
  }

  TestEnvironment* environment_;
  // Used on the test's strand only. Shared with the handler, which lives as long as the environment.
  std::shared_ptr<std::string> refusal_ = std::make_shared<std::string>();
};

}  // namespace patchbay::testing
