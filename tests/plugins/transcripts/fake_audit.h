// A plugin that provides patchbay.audit: stores the records in a table and returns them to the test.
#pragma once

#include <patchbay/plugin.h>
#include <patchbay/services/audit.h>

#include <memory>
#include <mutex>
#include <vector>

#include "support/linked_plugin.h"

namespace transcripts_test {

class FakeAudit final : public patchbay::Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "fake-audit", "version": "0.1.0", "provides": ["patchbay.audit/1"],
          "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] =
      "-- migration: 1\nCREATE TABLE fake_audit_record (action TEXT NOT NULL, object TEXT NOT NULL);\n"
      "-- name: add\nINSERT INTO fake_audit_record VALUES ($1, $2);\n";

  static const pb_entry* entry() { return &patchbay::test::LinkedPlugin<FakeAudit>::entry; }

  // All records so far, of transactions that failed too.
  static std::vector<patchbay::audit::Record> records() {
    const std::lock_guard lock(mutex());
    return list();
  }

  patchbay::Status start(const patchbay::Config&) override {
    {
      const std::lock_guard lock(mutex());
      list().clear();
    }
    add_ = patchbay::Statement::find(host(), "add");
    provision_ = std::make_unique<patchbay::Provision<patchbay::audit::Audit>>(host());
    provision_->on(
        patchbay::audit::Audit::record,
        [this](const patchbay::audit::Record& record) -> patchbay::Result<patchbay::Empty> {
          patchbay::Transaction::borrow(host(), record.tx).exec(add_, {record.action, record.object}, 1);
          const std::lock_guard lock(mutex());
          list().push_back(record);
          return patchbay::Empty{};
        });
    return provision_->publish();
  }
  void stop(patchbay::Done done) override {
    provision_.reset();
    done();
  }
  patchbay::Status check_config(const patchbay::Config&) override { return {}; }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::vector<patchbay::audit::Record>& list() {
    static std::vector<patchbay::audit::Record> all;
    return all;
  }
  patchbay::Statement add_;
  std::unique_ptr<patchbay::Provision<patchbay::audit::Audit>> provision_;
};

}  // namespace transcripts_test
