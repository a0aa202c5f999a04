#include "fake_auth.h"

#include <patchbay/plugin.h>
#include <patchbay/services/auth.h>

#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "support/linked_plugin.h"

using namespace patchbay;

namespace rest_api_test {
namespace {

std::atomic<int> checked_bearers{0};

class FakeAuth final : public Plugin {
 public:
  static constexpr char manifest[] =
      R"({"id": "fake-auth", "version": "0.1.0", "summary": "Bearers", "license": "Apache-2.0",
          "provides": ["patchbay.auth/1"], "config": {"plugin": {"type": "object", "properties": {}}}})";
  static constexpr char store_sql[] = "";

  Status start(const Config&) override {
    auth_.emplace(host());
    auth_->on(auth::Auth::verify, [](const auth::Verify& asked) -> Result<auth::Principal> {
      static const std::map<std::string, auth::Principal> kKnown = {
          {"admin-a", {"1", "alice", "a.example", "admin", false, false, 0}},
          {"user-a", {"2", "bob", "a.example", "user", false, false, 0}},
          {"key-a", {"3", "key:ci", "a.example", "admin", true, false, 0}},
          {"admin-b", {"4", "carol", "b.example", "admin", false, false, 0}},
          {"super", {"5", "root", "a.example", "admin", false, true, 0}}};
      ++checked_bearers;
      if (asked.bearer == "busy") return {Code::exhausted, "too many queries wait"};
      if (asked.bearer == "broken") return {Code::failed, "broken"};
      const auto found = kKnown.find(asked.bearer);
      if (found == kKnown.end()) return {Code::denied, "unknown"};
      return found->second;
    });
    return auth_->publish();
  }
  Status check_config(const Config&) override { return {}; }
  void stop(Done done) override {
    auth_.reset();
    done();
  }

 private:
  std::optional<Provision<auth::Auth>> auth_;
};

}  // namespace

const pb_entry* fake_auth() { return &test::LinkedPlugin<FakeAuth>::entry; }
int bearers_checked() { return checked_bearers; }

}  // namespace rest_api_test
