// Kills servers at random moments during calls and writes: acknowledged data survives, and nothing happens
// twice.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include "database.h"
#include "invariant_checks.h"

using namespace kills;
using namespace std::chrono_literals;

namespace {

constexpr unsigned kSeed = 20261120;
constexpr int kCallsARound = 6;

int rounds() {
  const char* wanted = std::getenv("PATCHBAY_KILLS");
  return wanted != nullptr ? std::atoi(wanted) : 20;
}

// Runs a server under load and kills it some time after it is ready, every fourth one while it starts.
void round(const Environment& environment, Load& load, int number, int after_ms) {
  const auto server = environment.start();
  if (number % 4 == 3) {
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms / 2));
    return server->kill();
  }
  REQUIRE(server->wait_ready());
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    server->kill();
  });
  // A retry takes a minute, which one of the two stores is enough for.
  load.run(*server, kCallsARound, !environment.postgres && number < rounds() / 2);
  killer.join();
}

bool eventually(const std::function<bool()>& true_now) {
  for (int i = 0; i < 300; ++i) {
    if (true_now()) return true;
    std::this_thread::sleep_for(100ms);
  }
  return false;
}

// Checks that the run covered all cases.
void tell_what_happened(const Environment& environment, const Load& load) {
  const Journal& journal = load.journal;
  const Database db = environment.database();
  const auto calls = [&](const char* where) {
    return db.count(std::string("SELECT COUNT(*) FROM ai_voice_call WHERE ") + where);
  };
  const int interrupted =
      db.count("SELECT COUNT(*) FROM core_event WHERE payload LIKE '%\"errorDetail\":\"interrupted\"%'");
  MESSAGE(load.management.journal.keys.size()
          << " keys, " << load.management.journal.subscriptions.size() << " subscriptions, "
          << load.management.journal.shares.size() << " shares, "
          << load.management.journal.transcripts.size() << " deletions of transcripts");
  MESSAGE(journal.numbers.size() << " numbers, " << calls("1 = 1") << " calls, " << interrupted
                                 << " attempts interrupted, "
                                 << calls("answered_ms > 0 AND error_detail <> ''") << " of them answered, "
                                 << calls("attempt > 1") << " dialled again, "
                                 << calls("status = 'cancelled'") << " cancelled, "
                                 << calls("status = 'ended-success'") << " successful");
  CHECK(interrupted > 0);
  CHECK(load.management.journal.shares.size() > 0);
  if (!environment.postgres) CHECK(calls("attempt > 1") > 0);
}

}  // namespace

// PATCHBAY_KILLS sets the number of rounds.
TEST_CASE("killed servers lose nothing that they acknowledged, and dial no attempt twice") {
  Environment environment;
  Load load(kSeed, environment.receiver.url(""));
  std::mt19937 random(kSeed);
  for (int i = 0; i < rounds(); ++i)
    round(environment, load, i, std::uniform_int_distribution(0, 2500)(random));

  const auto last = environment.start();
  REQUIRE(last->wait_ready());
  check_all(*last, environment, {&load});
  tell_what_happened(environment, load);
}

TEST_CASE("the transcript of a call has what was said before a kill") {
  Environment environment;
  auto server = environment.start();
  REQUIRE(server->wait_ready());
  const auto created = server->ask(create_call("+49301234565"));
  REQUIRE(created);
  const std::string id = json_text(created->body, "callId");
  const Database db = environment.database();
  REQUIRE(eventually([&] { return db.count("SELECT COUNT(*) FROM ai_voice_turn WHERE of_ai = 1") > 0; }));
  server->kill();

  server = environment.start();
  REQUIRE(server->wait_ready());
  CHECK(wait_until_idle(environment, 30));
  const auto record = server->ask(get_call(id));
  REQUIRE(record);
  CHECK(json_text(record->body, "status") == "ended-failed-final");
  CHECK(json_text(record->body, "errorDetail") == "interrupted");
  const auto transcript = server->ask(get_transcript(id));
  REQUIRE(transcript);
  CAPTURE(transcript->body);
  CHECK(transcript->body.find(R"("speaker":"AI")") != std::string::npos);
  CHECK(json_text(transcript->body, "errorDetail") == "interrupted");
}

TEST_CASE("a call that was up when its server was killed is hung up by the next one") {
  Environment environment;
  auto server = environment.start();
  REQUIRE(server->wait_ready());
  const auto created = server->ask(create_call("+49301234565"));
  REQUIRE(created);
  const std::string dial = json_text(created->body, "callId") + "-1";
  const Database db = environment.database();
  const auto stored = [&] { return db.count("SELECT COUNT(*) FROM sip_trunk_dialog"); };
  REQUIRE(eventually([&] { return stored() == 1; }));
  server->kill();
  CHECK(environment.callee.hung_up().empty());
  CHECK(stored() == 1);

  server = environment.start();
  REQUIRE(server->wait_ready());
  CHECK(eventually([&] { return environment.callee.hung_up().count(dial) == 1; }));
  CHECK(eventually([&] { return stored() == 0; }));
  CHECK(environment.callee.dials()[dial] == 1);
}

TEST_CASE("a call that was accepted just before a kill is dialled as soon as the server runs again") {
  Environment environment;
  auto server = environment.start();
  REQUIRE(server->wait_ready());
  const auto created = server->ask(create_call("+49301234560"));
  server->kill();
  REQUIRE(created);

  server = environment.start();
  REQUIRE(server->wait_ready());
  CHECK(wait_until_idle(environment, 30));  // well below the lease of a job
}
