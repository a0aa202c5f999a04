#include <doctest/doctest.h>
#include <patchbay/services/audit.h>
#include <patchbay/testing/fake_audit.h>

#include <memory>
#include <string>

#include "support/fake_host_options.h"

using namespace patchbay;

namespace {

audit::Record record(const std::string& action, const std::string& before, const std::string& after) {
  return {{}, "example.com", "eva", "192.0.2.1", action, "door-1", before, after, "c-1"};
}

struct AuditFixture : testing::TestEnvironment {
  AuditFixture() : TestEnvironment(test::on_test_store()) {}

  testing::FakeAudit audit{*this};
  audit::Trail& trail = make<audit::Trail>(host());

  // Commits the event `topic` with the record; the error, or "".
  std::string commit(const audit::Record& record, const std::string& topic = "door.changed") {
    const testing::Answer<bool> answer;
    run([&] {
      Transaction tx(host());
      tx.emit({topic, "example.com", "door-1", {}, "{}"});
      trail.commit(std::move(tx), record, [answer](const Commit& done) {
        answer.give(done ? Result<bool>(true) : Result<bool>(done.error()));
      });
    });
    return testing::why(answer.get());
  }
};

}  // namespace

TEST_CASE("the fake audit has the records of committed transactions only") {
  AuditFixture host;
  CHECK(host.commit(record("door.renamed", R"({"name":"a"})", R"({"name":"b"})")) == "");
  CHECK(host.commit(record("door.deleted", "{}", ""), "no topic!") != "");
  CHECK(host.audit.text() == "door.renamed door-1 {\"name\":\"a\"} {\"name\":\"b\"}\n");
  REQUIRE(host.audit.records().size() == 1);
  const audit::Record stored = host.audit.records()[0];
  CHECK(stored.tenant == "example.com");
  CHECK(stored.actor == "eva");
  CHECK(stored.remote == "192.0.2.1");
  CHECK(stored.correlation == "c-1");
  CHECK(host.events().size() == 1);
}

TEST_CASE("a change whose record the fake audit refuses is not made") {
  AuditFixture host;
  CHECK(host.commit(record("", "", "{}")) == "an audit record has no action");
  CHECK(host.commit(record("door.renamed", "{", "")) != "");
  host.audit.refuse("no records now");
  CHECK(host.commit(record("door.renamed", "", "{}")) == "no records now");
  host.audit.refuse("");
  CHECK(host.commit(record("door.renamed", "", "{}")) == "");
  CHECK(host.events("door.changed").size() == 1);
}
