// Two servers on one PostgreSQL database: one is killed or paused, the other goes on.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "environment.h"
#include "invariant_checks.h"
#include "support/postgres_server.h"

using namespace kills;
using namespace std::chrono_literals;
using patchbay::test::Postgres;
using patchbay::test::PostgresClient;

namespace {

using Calls = std::set<std::string>;
using Clock = std::chrono::steady_clock;

bool eventually(const std::function<bool()>& true_now, std::chrono::seconds limit = 60s) {
  for (const auto end = Clock::now() + limit; Clock::now() < end; std::this_thread::sleep_for(50ms))
    if (true_now()) return true;
  return false;
}

std::unique_ptr<PostgresClient> connect_to(const Postgres& postgres) {
  auto connected = PostgresClient::connect(postgres.conninfo());
  REQUIRE(connected.ok());
  return *std::move(connected);
}

// Servers A and B with the same configuration and sealing key, and what they have in common.
struct Cluster {
  // Further settings of the tenant's calls, and of its trunk.
  explicit Cluster(const std::string& of_calls = {}, const std::string& of_trunk = {}) {
    const std::string file = environment.folder.file("patchbay.yaml");
    std::string yaml = patchbay::test::read_text(file);
    const auto add = [&yaml](const std::string& mark, const std::string& settings) {
      yaml.insert(yaml.find(mark) + mark.size(), settings);
    };
    add("ringTimeoutSec: 5", of_calls);
    add("{id: main", of_trunk);
    std::ofstream(file) << yaml;
    a = environment.start();
    REQUIRE(a->wait_ready());
    namespace fs = std::filesystem;
    fs::create_directory(folder_b.file("data"));
    fs::copy_file(environment.folder.file("data/sealing.key"), folder_b.file("data/sealing.key"));
    fs::copy_file(environment.folder.file("patchbay.yaml"), folder_b.file("patchbay.yaml"));
    // The files of transcripts, as with a shared file system.
    fs::create_directory_symlink(environment.folder.file("data/transcripts"),
                                 folder_b.file("data/transcripts"));
    b = std::make_unique<ServerProcess>(folder_b.path());
    REQUIRE(b->wait_ready());
  }

  // Calls that are answered and stay, or those of another last digit (callee.h).
  Calls create(ServerProcess& server, int count, const std::string& digit = "5",
               const std::string& more = "") {
    Calls calls;
    for (int i = 0; i < count; ++i) {
      const auto created =
          server.ask(create_call("+49301" + std::to_string(100000 + ++numbers) + digit, more));
      REQUIRE(created);
      INFO(created->body);
      REQUIRE(created->status == 200);
      calls.insert(json_text(created->body, "callId"));
    }
    return calls;
  }
  std::string value(const std::string& sql) { return client->value(sql).value_or("?"); }
  std::string column(const std::string& call, const std::string& name) {
    return value("SELECT " + name + " FROM ai_voice_call WHERE call_id = '" + call + "'");
  }
  bool all(const Calls& calls, const std::string& status) {
    for (const std::string& call : calls)
      if (column(call, "status") != status) return false;
    return true;
  }
  bool all_hung_up(const Calls& calls) {
    const auto ended = environment.callee.hung_up();
    for (const std::string& call : calls)
      if (ended.count(call + "-1") == 0) return false;
    return true;
  }
  int finished_events(const std::string& call) {
    return std::stoi(value(
        "SELECT COUNT(*) FROM core_event WHERE topic = 'outbound-ai.finished' AND subject = '" + call + "'"));
  }
  // The calls that a server runs. The request may have gone to the other server.
  Calls calls_of(const patchbay::test::TempFolder& folder,
                 const std::string& where = "status = 'in-flight'") {
    std::string node = patchbay::test::read_text(folder.file("data/node"));
    node.erase(node.find_last_not_of('\n') + 1);
    const std::string list = value("SELECT string_agg(call_id, ' ') FROM ai_voice_call WHERE owner_node = '" +
                                   node + "' AND " + where);
    std::istringstream words(list);
    return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
  }
  // Creates calls until each server has two that were answered.
  std::pair<Calls, Calls> talk() {
    create(*a, 3);
    create(*b, 3);
    std::pair<Calls, Calls> calls;
    for (int i = 0; i < 20 && (calls.first.size() < 2 || calls.second.size() < 2); ++i) {
      if (i > 0) create(i % 2 == 0 ? *a : *b, 1);
      REQUIRE(eventually([&] {
        return value("SELECT COUNT(*) FROM ai_voice_call WHERE status = 'in-flight'") ==
               std::to_string(numbers);
      }));
      calls = {calls_of(environment.folder), calls_of(folder_b)};
    }
    return calls;
  }
  // The ids of the deliveries of each call's outbound-ai.finished that a path of the receiver got.
  std::map<std::string, std::set<std::string>> delivered(const std::string& path) const {
    std::map<std::string, std::set<std::string>> ids;
    for (const auto& delivery : environment.receiver.deliveries())
      if (delivery.path == path)
        ids[json_text(delivery.body, "callId")].insert(delivery.header("x-platform-delivery-id"));
    return ids;
  }

  Environment environment{true};  // on PostgreSQL
  std::unique_ptr<PostgresClient> client = connect_to(*environment.postgres);
  patchbay::test::TempFolder folder_b;
  std::unique_ptr<ServerProcess> a, b;
  int numbers = 0;
};

}  // namespace

TEST_CASE("when a server is killed the other server ends its calls, and no other call") {
  Cluster cluster;
  const auto [of_a, of_b] = cluster.talk();
  REQUIRE_FALSE(of_a.empty());
  REQUIRE_FALSE(of_b.empty());
  const size_t all = of_a.size() + of_b.size();
  REQUIRE(eventually(
      [&] { return cluster.value("SELECT COUNT(*) FROM sip_trunk_dialog") == std::to_string(all); }));

  cluster.a->kill();
  const auto killed = Clock::now();
  CHECK(eventually([&] { return cluster.all(of_a, "ended-failed-final"); }));
  const std::chrono::duration<double> took = Clock::now() - killed;
  MESSAGE("ended after " << took.count() << " s");
  CHECK(eventually([&] { return cluster.all_hung_up(of_a); }));
  CHECK(eventually(
      [&] { return cluster.value("SELECT COUNT(*) FROM sip_trunk_dialog") == std::to_string(of_b.size()); }));
  for (const std::string& call : of_a) {
    CHECK(cluster.column(call, "error_detail") == "interrupted");
    CHECK(cluster.finished_events(call) == 1);
  }

  CHECK(cluster.all(of_b, "in-flight"));
  for (const std::string& call : of_b) {
    CHECK(cluster.environment.callee.hung_up().count(call + "-1") == 0);
    CHECK(cluster.finished_events(call) == 0);
    const auto ended = cluster.b->ask(hang_up(call));
    CHECK((ended && ended->status == 200));
  }
  CHECK(eventually([&] { return cluster.all(of_b, "cancelled") && cluster.all_hung_up(of_b); }));
  CHECK(eventually([&] { return cluster.delivered("/ends").size() == all; }));
  for (const auto& [call, ids] : cluster.delivered("/ends")) CHECK(ids.size() == 1);
}

namespace {

// Two loads that begin with different numbers, at one server each, until they are stopped or their server is
// killed.
struct TwoLoads {
  explicit TwoLoads(Cluster& cluster)
      : a(1, cluster.environment.receiver.url("")), b(2, cluster.environment.receiver.url(""), 500'000) {
    a.space_calls(400ms);
    b.space_calls(400ms);
    clients_of_a = std::thread([&] { a.run(*cluster.a, kMaxCallsOfLoad, false); });
    clients_of_b = std::thread([&] { b.run(*cluster.b, kMaxCallsOfLoad, false); });
  }
  ~TwoLoads() { stop(); }
  void stop() {
    a.stop();
    b.stop();
    for (std::thread* clients : {&clients_of_a, &clients_of_b})
      if (clients->joinable()) clients->join();
  }

  static constexpr int kMaxCallsOfLoad = 1000;

  Load a, b;
  std::thread clients_of_a, clients_of_b;
};

// The first attempts, as the callee names them.
Calls dials_of(const Calls& calls) {
  Calls dials;
  for (const std::string& call : calls) dials.insert(call + "-1");
  return dials;
}

Calls both(const Calls& some, const Calls& others) {
  Calls calls;
  std::set_intersection(some.begin(), some.end(), others.begin(), others.end(),
                        std::inserter(calls, calls.end()));
  return calls;
}

}  // namespace

// PATCHBAY_TAKEOVER_SEC limits the time in which the killed server's calls are ended.
TEST_CASE("a server that is killed under load loses nothing, and the other server ends its calls") {
  Cluster cluster;
  Calls stay = cluster.create(*cluster.a, 4);
  stay.merge(cluster.create(*cluster.b, 4));
  TwoLoads loads(cluster);
  REQUIRE(eventually([&] { return cluster.all(stay, "in-flight"); }));
  const Calls stay_of_a = both(stay, cluster.calls_of(cluster.environment.folder));
  const Calls stay_of_b = both(stay, cluster.calls_of(cluster.folder_b));
  CHECK(stay_of_a.size() + stay_of_b.size() == stay.size());
  const auto ended = [&] {
    return std::stoi(cluster.value("SELECT COUNT(*) FROM ai_voice_call WHERE status LIKE 'ended%'"));
  };
  REQUIRE(eventually([&] { return ended() >= 15; }));

  cluster.a->kill();
  const auto killed = Clock::now();
  // Its lease has not run out yet.
  const Calls of_a = cluster.calls_of(cluster.environment.folder, "owner_run > 0");
  const int ended_before = ended();
  CHECK(of_a.size() >= stay_of_a.size());
  CHECK(eventually([&] { return cluster.calls_of(cluster.environment.folder, "owner_run > 0").empty(); }));
  const std::chrono::duration<double> took = Clock::now() - killed;
  MESSAGE(of_a.size() << " calls ended " << took.count() << " s after the kill, " << ended() - ended_before
                      << " calls ended meanwhile");
  if (const char* limit = std::getenv("PATCHBAY_TAKEOVER_SEC")) CHECK(took.count() < std::atof(limit));
  for (const std::string& call : of_a) {
    CAPTURE(call);
    CHECK(cluster.column(call, "status") == "ended-failed-final");
    CHECK(cluster.finished_events(call) == 1);
  }
  CHECK(eventually([&] { return cluster.all_hung_up(stay_of_a); }));
  CHECK(cluster.all(stay_of_b, "in-flight"));
  CHECK(both(cluster.environment.callee.hung_up(), dials_of(stay_of_b)).empty());
  for (const std::string& call : stay_of_b) CHECK(cluster.finished_events(call) == 0);

  loads.stop();
  for (const std::string& call : stay_of_b) {
    const auto hung_up = cluster.b->ask(hang_up(call));
    CHECK((hung_up && hung_up->status == 200));
  }
  check_all(*cluster.b, cluster.environment, {&loads.a, &loads.b});
}

TEST_CASE("a change at one server counts at the other") {
  Cluster cluster;
  const auto created = cluster.a->ask(
      {"POST", "/api.ashx/v1/admin/webhooks", "",
       R"({"url":")" + cluster.environment.receiver.url("/new") + R"(","events":["outbound-ai.finished"]})"});
  REQUIRE(created);
  REQUIRE(created->status / 100 == 2);
  const std::string path = "/api.ashx/v1/admin/webhooks/" + json_text(created->body, "id");
  const auto seen_at_b = [&](const std::string& text) {
    return eventually([&] {
      const auto read = cluster.b->ask({"GET", path, "", ""});
      return read && (text.empty() ? read->status == 404 : read->body.find(text) != std::string::npos);
    });
  };
  CHECK(seen_at_b("/new"));
  const Calls of_b = cluster.create(*cluster.b, 4, "0");
  CHECK(eventually([&] { return cluster.delivered("/new").size() == 4; }));
  for (const auto& [call, ids] : cluster.delivered("/new")) CHECK(ids.size() == 1);
  const auto changed = cluster.a->ask({"PATCH", path, "", R"({"active":false})"});
  CHECK((changed && changed->status / 100 == 2));
  CHECK(seen_at_b(R"("active":false)"));
  const auto removed = cluster.a->ask({"DELETE", path, "", ""});
  CHECK((removed && removed->status / 100 == 2));
  CHECK(seen_at_b(""));

  const auto route = cluster.a->ask(
      {"POST", "/api.ashx/v1/outbound-routes", "", R"({"match":"+4930777*","trunkIds":["main"]})"});
  REQUIRE(route);
  INFO(route->body);
  CHECK(route->status / 100 == 2);
  CHECK(eventually([&] {
    const auto list = cluster.b->ask({"GET", "/api.ashx/v1/outbound-routes", "", ""});
    return list && list->body.find("+4930777*") != std::string::npos;
  }));
}

// The regular look may find a change before its hint arrives, so others follow until a hint was first.
TEST_CASE("a change at one server reaches the other by a NOTIFY of the database") {
  Cluster cluster;
  const auto changes_by_hint = [&] {
    const auto metrics = cluster.b->ask({"GET", "/local/metrics", "", ""});
    REQUIRE(metrics);
    const std::string name = "\npatchbay_webhooks_revisions_read_total{after=\"hint\"} ";
    const size_t at = metrics->body.find(name);
    REQUIRE(at != std::string::npos);
    return std::atoi(metrics->body.c_str() + at + name.size());
  };
  const int before = changes_by_hint();
  const auto created = cluster.a->ask(
      {"POST", "/api.ashx/v1/admin/webhooks", "",
       R"({"url":")" + cluster.environment.receiver.url("/new") + R"(","events":["outbound-ai.finished"]})"});
  REQUIRE(created);
  REQUIRE(created->status / 100 == 2);
  const std::string path = "/api.ashx/v1/admin/webhooks/" + json_text(created->body, "id");
  bool active = true;
  const auto change = [&] {
    active = !active;
    const std::string state = std::string("\"active\":") + (active ? "true" : "false");
    const auto changed = cluster.a->ask({"PATCH", path, "", "{" + state + "}"});
    REQUIRE((changed && changed->status == 200));
    REQUIRE(eventually([&] {
      const auto read = cluster.b->ask({"GET", path, "", ""});
      return read && read->body.find(state) != std::string::npos;
    }));
  };
  const auto is_seen_by_hint = [&] {
    change();
    return changes_by_hint() > before;
  };
  CHECK(eventually(is_seen_by_hint));
}

TEST_CASE("a server that was paused for longer than its lease hangs up the calls that were ended meanwhile") {
  Cluster cluster;
  const auto [of_a, of_b] = cluster.talk();
  cluster.a->pause();
  CHECK(eventually([&] { return cluster.all(of_a, "ended-failed-final"); }));
  cluster.a->resume();
  CHECK(eventually([&] { return cluster.all_hung_up(of_a); }));
  CHECK(eventually([&] {
    return cluster.environment.log().find("the lease of this server ran out") != std::string::npos;
  }));
  for (const std::string& call : of_a) CHECK(cluster.finished_events(call) == 1);

  const Calls later = cluster.create(*cluster.a, 1, "0");
  CHECK(eventually([&] { return cluster.all(later, "ended-success"); }));
  CHECK(cluster.all(of_b, "in-flight"));
}

TEST_CASE("two servers share a tenant's limit, and hang up each other's calls") {
  Cluster cluster(", maxConcurrentCalls: 3");
  const auto count = [&](const std::string& where) {
    return std::stoi(cluster.value("SELECT COUNT(*) FROM ai_voice_call WHERE " + where));
  };
  Calls calls = cluster.create(*cluster.a, 4);
  calls.merge(cluster.create(*cluster.b, 4));
  REQUIRE(eventually([&] { return count("status = 'in-flight'") == 3; }));
  for (int i = 0; i < 30; ++i, std::this_thread::sleep_for(100ms)) CHECK(count("owner_run > 0") <= 3);

  // Each time all that run are hung up at A, whichever server runs them, so that others start.
  for (int ended = 0; ended < 8; ended = count("status = 'cancelled'")) {
    const int running = std::min(3, 8 - ended);
    REQUIRE(eventually([&] { return count("status = 'in-flight'") == running; }));
    CHECK(count("owner_run > 0") <= 3);
    for (const std::string& call : calls) {
      if (cluster.column(call, "status") != "in-flight") continue;
      const auto hung_up = cluster.a->ask(hang_up(call));
      REQUIRE(hung_up);
      CHECK(hung_up->body.find(R"("newStatus":"cancelled")") != std::string::npos);
    }
  }
  CHECK(cluster.all_hung_up(calls));
  CHECK(cluster.value("SELECT COUNT(*) FROM ai_voice_hangup") == "0");
}

TEST_CASE("two servers share the limit of a trunk") {
  Cluster cluster("", ", maxCalls: 2");
  const auto talking = [&] {
    return cluster.value("SELECT COUNT(*) FROM ai_voice_call WHERE status = 'in-flight'");
  };
  const Calls of_a = cluster.create(*cluster.a, 2);
  REQUIRE(eventually([&] { return talking() == "2"; }));
  REQUIRE(eventually([&] { return cluster.value("SELECT SUM(calls) FROM sip_trunk_use") == "2"; }));
  std::this_thread::sleep_for(1500ms);  // until the other server has read it
  const Calls of_b = cluster.create(*cluster.b, 2);
  for (int i = 0; i < 20; ++i, std::this_thread::sleep_for(100ms)) CHECK(talking() == "2");
  for (const std::string& call : of_a) CHECK(cluster.a->ask(hang_up(call)));
  const bool all_talk = eventually([&] { return cluster.all(of_b, "in-flight"); });
  INFO(cluster.value("SELECT string_agg(status || ' ' || error_detail, ', ') FROM ai_voice_call"));
  INFO(cluster.value("SELECT string_agg(owner_node || ' ' || calls, ', ') FROM sip_trunk_use"));
  CHECK(all_talk);
}
