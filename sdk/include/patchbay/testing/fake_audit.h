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

#include "audit_event.h"
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
            PB_TRY(detail::add_audit_event(environment.host(), record));
            return Empty{};
          });
    }));
  }

  // The records of committed transactions, in order. `tx` is not set.
  std::vector<audit::Record> records() const {
    std::vector<audit::Record> all;
    for (const RecordedEvent& event : environment_->events(kAuditTopic))
      all.push_back(detail::audit_record(environment_->host(), {event.topic, event.tenant, event.subject,
                                                                event.correlation, event.payload}));
    return all;
  }

  // The same as text, one line each: action, object, before and after, "-" for none.
  std::string text() const {
    std::string all;
    for (const audit::Record& record : records()) all += audit_line(record);
    return all;
  }

  // From now on refuses records with this text, so that the changes must fail; "": accepts them again.
  void refuse(const std::string& why) const {
    environment_->run([&] { *refusal_ = why; });
  }

 private:
  TestEnvironment* environment_;
  // Used on the test's strand only. Shared with the handler, which lives as long as the environment.
  std::shared_ptr<std::string> refusal_ = std::make_shared<std::string>();
};

}  // namespace patchbay::testing
