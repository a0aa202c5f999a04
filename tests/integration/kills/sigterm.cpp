// SIGTERM during calls: no new call is accepted, each call ends, nothing is lost.
#include <doctest/doctest.h>

#include <csignal>
#include <thread>

#include "database.h"
#include "invariant_checks.h"

using namespace kills;
using namespace std::chrono_literals;

TEST_CASE("a server that gets SIGTERM ends its calls and loses no event") {
  Environment environment;
  auto server = environment.start();
  REQUIRE(server->wait_ready());
  Load load(1, environment.receiver.url(""));
  for (int i = 0; i < 10; ++i) {
    // Half of the callees hang up, half stay until the call's time limit.
    const auto created = server->ask(
        create_call("+493012340" + std::to_string(i) + (i % 2 == 0 ? "4" : "5"), R"(,"maxSeconds":10)"));
    REQUIRE(created);
    REQUIRE(created->status == 200);
    load.journal.calls.insert(json_text(created->body, "callId"));
  }
  const Database db = environment.database();
  const auto answered = [&] { return db.count("SELECT COUNT(*) FROM ai_voice_call WHERE answered_ms > 0"); };
  for (int i = 0; i < 1200 && answered() < 10; ++i) std::this_thread::sleep_for(50ms);
  CHECK(answered() == 10);
  std::thread crowd([&] {  // some are accepted before the end begins, some are not
    for (int i = 0; i < 10; ++i) {
      const auto created = server->ask(create_call("+49301236" + std::to_string(i) + "06"));
      if (created && created->status == 200) load.journal.calls.insert(json_text(created->body, "callId"));
    }
  });
  std::this_thread::sleep_for(5ms);
  server->terminate();
  crowd.join();
  // Refused, or not read any more.
  for (int i = 0; i < 1200; ++i) {
    const auto late = server->ask(create_call("+493012350506"));
    if (!late || late->status >= 500) break;
    load.journal.calls.insert(json_text(late->body, "callId"));
    CHECK(i < 1199);
    std::this_thread::sleep_for(50ms);
  }
  CHECK(server->wait() == 0);
  CHECK(db.count("SELECT COUNT(*) FROM ai_voice_call WHERE owner_run <> 0") == 0);
  CHECK(db.count("SELECT COUNT(*) FROM ai_voice_call WHERE status = 'ended-success'") > 0);
  // What had not been dialled waits for the next server.
  const auto dials = environment.callee.dials();
  for (const auto& row : db.rows("SELECT call_id FROM ai_voice_call WHERE error_detail = 'interrupted'")) {
    CAPTURE(row[0]);
    CHECK(dials.count(row[0] + "-1") == 1);
  }

  server = environment.start();  // delivers what the receiver has not got yet
  REQUIRE(server->wait_ready());
  check_all(*server, environment, {&load});
}
