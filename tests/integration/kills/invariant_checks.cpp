#include "invariant_checks.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <thread>

#include "database.h"
#include "management_checks.h"

namespace kills {
namespace {

constexpr const char* kUnderWay =
    "SELECT (SELECT COUNT(*) FROM ai_voice_call WHERE status IN "
    "('scheduled', 'dispatching', 'in-flight', 'ended-failed-retry-pending')) "
    "+ (SELECT COUNT(*) FROM core_pending) "
    "+ (SELECT COUNT(*) FROM ai_voice_call c WHERE NOT EXISTS "
    "(SELECT 1 FROM transcripts_mail m WHERE m.call_id = c.call_id AND m.state = 'sent')) "
    "+ (SELECT COUNT(*) FROM webhooks_delivery WHERE state = 'pending')";

}  // namespace

bool wait_until_idle(const Environment& environment, int limit_sec) {
  const Database db = environment.database();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(limit_sec);
  while (db.count(kUnderWay) > 0) {
    if (std::chrono::steady_clock::now() > end) {
      for (const auto& row :
           db.rows("SELECT call_id, status, owner_run, error_detail FROM ai_voice_call "
                   "WHERE status NOT IN ('ended-success', 'ended-failed-final', 'cancelled')"))
        MESSAGE(row[0] << " " << row[1] << " " << row[2] << " " << row[3]);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

namespace {

void check_store(const Environment& environment) {
  const Database db = environment.database();
  CHECK(db.integrity() == "ok");
  CHECK(db.count("SELECT COUNT(*) FROM core_job WHERE kind = 'dial'") == 0);
  CHECK(db.count("SELECT COUNT(*) FROM ai_voice_turn") == 0);
  CHECK(db.count("SELECT COUNT(*) FROM ai_voice_call WHERE owner_run <> 0") == 0);
  CHECK(db.count("SELECT COUNT(*) FROM ai_voice_call WHERE api_key IS NOT NULL") == 0);
}

void check_promises(const Environment& environment, const Journal& journal) {
  for (const std::string& complaint : journal.complaints) FAIL_CHECK(complaint);
  const Database db = environment.database();
  std::map<std::string, std::string> status;
  for (const auto& row : db.rows("SELECT call_id, status FROM ai_voice_call")) status[row[0]] = row[1];
  for (const std::string& call : journal.calls) {
    CAPTURE(call);
    CHECK(status.count(call) == 1);
  }
  for (const std::string& call : journal.cancelled) {
    CAPTURE(call);
    CHECK(status[call] == "cancelled");
  }
  std::set<std::string> listed;
  for (const auto& row : db.rows("SELECT typed FROM whitelist_entry")) listed.insert(row[0]);
  for (const std::string& number : journal.numbers) {
    CAPTURE(number);
    CHECK(listed.count(number) == 1);
  }
  for (const std::string& number : journal.refused) {
    CAPTURE(number);
    CHECK(listed.count(number) == 0);
  }
}

// Dials and ends.
void check_attempts(const Environment& environment) {
  const Database db = environment.database();
  std::map<std::string, int> attempts;
  size_t ends = 0;
  for (const auto& row : db.rows("SELECT call_id, attempt, status, answered_ms, error_detail "
                                 "FROM ai_voice_call")) {
    CAPTURE(row[0]);
    const int attempt = attempts[row[0]] = std::atoi(row[1].c_str());
    ends += static_cast<size_t>(attempt);
    for (int n = 1; n <= attempt; ++n)
      CHECK(db.count("SELECT COUNT(*) FROM core_event WHERE topic = 'outbound-ai.finished' AND unique_key = "
                     "'outbound-ai.finished/" +
                     row[0] + "/" + std::to_string(n) + "'") == 1);
    if (!row[3].empty() && row[4] == "interrupted") CHECK(row[2] == "ended-failed-final");
  }
  CHECK(db.count("SELECT COUNT(*) FROM core_event WHERE topic = 'outbound-ai.finished'") ==
        static_cast<int>(ends));
  for (const auto& entry : environment.callee.dials()) {
    const std::string& dial = entry.first;
    CAPTURE(dial);
    CHECK(entry.second == 1);
    const size_t dash = dial.rfind('-');
    const auto call = attempts.find(dial.substr(0, dash));
    REQUIRE(call != attempts.end());
    CHECK(std::atoi(dial.c_str() + dash + 1) <= call->second);
  }
}

// Their order.
void check_events(const Environment& environment) {
  const Database db = environment.database();
  const auto without_earlier = [&](const std::string& topic, const std::string& earlier) {
    return db.list(
        "SELECT e.subject FROM core_event e WHERE e.topic = '" + topic +
        "' AND NOT EXISTS (SELECT 1 FROM core_event b WHERE b.subject = e.subject AND b.topic = '" + earlier +
        "' AND b.id < e.id)");
  };
  CHECK(without_earlier("call.started", "call.answered") == "");
  CHECK(without_earlier("transcript.saved", "outbound-ai.finished") == "");
  // An answered call has a transcript; it was announced once, and can be read.
  CHECK(db.list("SELECT c.call_id FROM ai_voice_call c WHERE c.answered_ms > 0 "
                "AND (SELECT COUNT(*) FROM core_event e WHERE e.topic = 'transcript.saved' "
                "AND e.subject = c.call_id) <> 1") == "");
  for (const auto& row : db.rows("SELECT tenant, file, size FROM transcripts_transcript")) {
    const std::string file = environment.folder.file("data/transcripts/" + row[0] + "/" + row[1]);
    CAPTURE(file);
    const std::string text = patchbay::test::read_text(file);
    CHECK(std::to_string(text.size()) == row[2]);
    CHECK(text.substr(0, 1) == "{");
  }
}

// At the receiver.
void check_deliveries(const Environment& environment) {
  const Database db = environment.database();
  CHECK(db.list("SELECT topic || ': ' || state || ' after ' || attempt || ', due ' || due_ms || ' of ' || "
                "event_ms || ' ' || "
                "error FROM webhooks_delivery WHERE state <> 'delivered'") == "");
  CHECK(db.count("SELECT COUNT(*) - COUNT(DISTINCT event || ' ' || subscription) FROM webhooks_delivery") ==
        0);
  std::map<std::string, std::string> bodies;          // by delivery id
  std::map<std::string, std::set<std::string>> ends;  // delivery ids by call, on /ends
  std::map<std::string, std::string> ended;           // delivery ids by path and event, of single ends
  size_t of_config = 0;
  for (const auto& delivery : environment.receiver.deliveries()) {
    const std::string id = delivery.header("x-platform-delivery-id");
    CAPTURE(delivery.body);
    CHECK(delivery.signature_ok);
    const auto [known, fresh] = bodies.emplace(id, delivery.path + delivery.body);
    CHECK(known->second == delivery.path + delivery.body);
    if (fresh && delivery.path.rfind("/more", 0) != 0) ++of_config;
    if (delivery.path != "/all") CHECK(ended.emplace(delivery.path + delivery.body, id).first->second == id);
    if (delivery.path == "/ends") ends[json_text(delivery.body, "callId")].insert(id);
  }
  // Subscriptions that are removed take their deliveries with them.
  CHECK(static_cast<int>(of_config) ==
        db.count("SELECT COUNT(*) FROM webhooks_delivery d JOIN webhooks_subscription s "
                 "ON s.id = d.subscription WHERE s.from_config = 1"));
  for (const auto& row : db.rows("SELECT call_id, attempt FROM ai_voice_call")) {
    CAPTURE(row[0]);
    CHECK(std::to_string(ends[row[0]].size()) == row[1]);
  }
}

}  // namespace

void check_invariants(const Environment& environment) {
  check_store(environment);
  check_attempts(environment);
  check_events(environment);
  check_deliveries(environment);
  check_mails(environment);
}

// Only the first journal's links are asked for, because unknown links are limited for each address.
void check_all(ServerProcess& server, const Environment& environment, const std::vector<Load*>& loads) {
  for (Load* load : loads) load->repeat_all(server);
  check_access(server, loads.front()->management.journal);
  CHECK(wait_until_idle(environment, 120));
  server.terminate();
  CHECK(server.wait() == 0);
  check_invariants(environment);
  for (const Load* load : loads) {
    check_promises(environment, load->journal);
    check_management(environment, load->management.journal);
  }
}

}  // namespace kills
