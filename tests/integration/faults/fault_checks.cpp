#include "fault_checks.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <thread>

#include "invariant_checks.h"

namespace faults {
namespace {

constexpr int kNoMediaTimeoutSec = 600;  // longer than the longest outage

using namespace kills;
using namespace std::chrono_literals;

template <class F>
bool eventually(F done) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(50ms);
  }
  return true;
}

Request new_key(const std::string& name) {
  return {"POST", "/api.ashx/v1/admin/keys?tenant=acme.example", "", R"({"name":")" + name + R"("})"};
}

bool is_unavailable(const std::optional<Answer>& answer) { return answer && is_refused(*answer); }

}  // namespace

std::chrono::seconds outage() {
  const char* wanted = std::getenv("PATCHBAY_OUTAGE_SEC");
  return std::chrono::seconds(wanted != nullptr ? std::atoi(wanted) : 5);
}

void check_recovery(const ServerProcess& server, const char* of_what) {
  const auto taken_ms = recovery_ms(server, "+498912345678");
  REQUIRE(taken_ms);
  MESSAGE(std::string(of_what) << ": writes again after " << *taken_ms << " ms");
  if (std::getenv("PATCHBAY_OUTAGE_SEC") != nullptr) CHECK(*taken_ms <= 5000);
}

FaultyServer::FaultyServer(bool on_postgres, const std::vector<std::string>& before,
                           const std::function<void(const std::string&)>& prepare)
    : environment(on_postgres, kNoMediaTimeoutSec) {
  if (prepare) prepare(environment.folder.file("data"));
  server = environment.start(before);
  REQUIRE(server->wait_ready());
}

void FaultyServer::start_call() {
  const auto created = server->ask(create_call("+49301234565", R"(,"maxSeconds":600)"));
  REQUIRE(created);
  CAPTURE(created->body);
  REQUIRE(created->status == 200);
  call_ = json_text(created->body, "callId");
  REQUIRE(eventually([&] {
    const auto record = server->ask(get_call(call_));
    return record && json_text(record->body, "status") == "in-flight" &&
           record->body.find(R"("answeredAtUtc":")") != std::string::npos;
  }));
}

bool FaultyServer::write_until_refused() {
  return eventually([&] {
    for (int i = 0; i < 20; ++i) {
      const std::string number = next_number();
      const auto answer = server->ask(add_number(number));
      if (!answer || answer->status == 200) {
        accepted_.insert(number);
        continue;
      }
      INFO(answer->status << " " << answer->body);
      CHECK(is_unavailable(answer));
      refused_.insert(number);
      return true;
    }
    return false;
  });
}

void FaultyServer::write_meanwhile(std::chrono::seconds how_long) {
  const auto end = std::chrono::steady_clock::now() + how_long;
  while (std::chrono::steady_clock::now() < end) {
    const std::string number = next_number();
    const auto answer = server->ask(add_number(number));
    INFO((answer ? answer->body : "no answer"));
    CHECK(answer);
    if (!answer) return;
    if (answer->status == 200)
      accepted_.insert(number);
    else if (is_refused(*answer))
      refused_.insert(number);
    else
      CHECK(answer->status == 503);  // took too long: it may be applied later
    std::this_thread::sleep_for(100ms);
  }
}

void FaultyServer::check_refused() {
  const std::string number = next_number(), called = next_number(), key = "refused " + number;
  const auto added = server->ask(add_number(number));
  INFO((added ? added->body : "no answer"));
  CHECK(is_unavailable(added));
  CHECK(is_unavailable(server->ask(new_key(key))));
  CHECK(is_unavailable(server->ask(create_call(called))));
  refused_.insert({number, called, key});
}

void FaultyServer::check_reads() {
  for (const auto& request : {get_call(call_), Request{"GET", "/api.ashx/v1/calls?limit=10", "", ""},
                              Request{"GET", "/api.ashx/v1/webhooks", "", ""}}) {
    const auto answer = server->ask(request);
    INFO(request.path << ": " << (answer ? answer->body : "no answer"));
    CHECK((answer && answer->status == 200));
  }
}

void FaultyServer::check_call_is_up() {
  const std::string dial = call_ + "-1";
  CHECK(environment.callee.dials()[dial] == 1);
  CHECK(environment.callee.hung_up().count(dial) == 0);
}

void FaultyServer::finish() {
  const auto record = server->ask(get_call(call_));
  CAPTURE((record ? record->body : "no answer"));
  check_call_is_up();
  CHECK(server->ask(hang_up(call_)));
  CHECK(wait_until_idle(environment, 120));
  CHECK(environment.callee.hung_up().count(call_ + "-1") == 1);
  const Database db = environment.database();
  const auto listed = db.rows("SELECT typed FROM whitelist_entry");
  std::set<std::string> numbers;
  for (const auto& row : listed) numbers.insert(row[0]);
  for (const std::string& number : accepted_) CHECK(numbers.count(number) == 1);
  for (const std::string& what : refused_) {
    CAPTURE(what);
    CHECK(numbers.count(what) == 0);
    CHECK(db.count("SELECT COUNT(*) FROM ai_voice_call WHERE phone = '" + what + "'") == 0);
    CHECK(db.count("SELECT COUNT(*) FROM identity_api_key WHERE name = '" + what + "'") == 0);
  }
  check_invariants(environment);
  server->terminate();
  CHECK(server->wait() == 0);
}

}  // namespace faults
