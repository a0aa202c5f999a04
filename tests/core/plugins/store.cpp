#include <doctest/doctest.h>
#include <patchbay/bus.h>
#include <patchbay/store.h>

#include <limits>
#include <memory>

#include "runtime/manual_clock.h"
#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;
using patchbay::test::LinkedPlugin;
using patchbay::test::Promise;
using patchbay::test::TestServer;

struct Keeper;
Keeper* keeper = nullptr;

struct Keeper final : Plugin {
  static constexpr char manifest[] = R"({"id": "keeper", "version": "1.0.0"})";
  static constexpr char store_sql[] = R"(
-- migration: 1
CREATE TABLE keeper_note (id TEXT PRIMARY KEY, body TEXT NOT NULL);
-- name: add
INSERT INTO keeper_note (id, body) VALUES ($1, $2) RETURNING id;
-- name: all
SELECT id, body FROM keeper_note ORDER BY id;
)";
  Status start(const Config&) override {
    keeper = this;
    add_ = Statement::find(host(), "add");
    all_ = Statement::find(host(), "all");
    PB_TRY_VALUE(heard_, Subscription::open(host(), "note.*", [this](const Event& event) {
                   heard.set(std::string(event.topic()) + " " + std::string(event.payload()));
                 }));
    consumer_ = std::make_unique<Consumer>(host(), "digest", "note.added", [this] { digest(); });
    worker_ = std::make_unique<JobWorker>(host(), "remind", 1, 60000, [this](Job job) {
      Transaction tx(host());
      tx.job_done(job.id, job.fence);
      std::move(tx).commit([this, body = job.body](const patchbay::Commit& outcome) {
        if (outcome) reminded.set(body);
      });
    });
    return {};
  }
  void digest() {
    consumer_->pending(10, [this](Result<std::vector<Event>> events) {
      if (!events || events->empty()) return;
      Transaction tx(host());
      for (const Event& event : *events) tx.ack("digest", event.id());
      std::move(tx).commit([this, count = events->size()](const patchbay::Commit& outcome) {
        if (outcome) digested.set(static_cast<int>(count));
      });
    });
  }
  void note(const std::string& id, const std::string& body) {
    post(host(), kMainStrand, [this, id, body] {
      Transaction tx(host());
      tx.exec(add_, {id, body}, 1);
      tx.emit({"note.added", "localhost", id, "", R"({"id":")" + id + R"("})"});
      std::move(tx).commit([this](const patchbay::Commit& outcome) {
        committed.set(outcome ? std::string(outcome.result(0).text(0, 0)) : outcome.error().text);
      });
    });
  }
  void remind_at(int64_t wall_ms) {
    post(host(), kMainStrand, [this, wall_ms] {
      Transaction tx(host());
      tx.job_add("remind", "localhost", "", wall_ms, "wake up");
      std::move(tx).commit(
          [this](const patchbay::Commit& outcome) { committed.set(outcome ? "job" : "no job"); });
    });
  }
  void count() {
    post(host(), kMainStrand, [this] {
      query(host(), all_, {},
            [this](Result<Rows> rows) { counted.set(rows ? static_cast<int>(rows->size()) : -1); });
    });
  }
  void stop(Done done) override {
    heard_ = Subscription();
    consumer_.reset();
    worker_.reset();
    done();
  }

  Promise<std::string> committed, heard, reminded;
  Promise<int> digested, counted;
  Statement add_, all_;
  Subscription heard_;
  std::unique_ptr<Consumer> consumer_;
  std::unique_ptr<JobWorker> worker_;
};

constexpr char kYaml[] = "plugins: {keeper: {}}\ntenants: {localhost: {}}\n";

}  // namespace

TEST_CASE(
    "a commit is reported, published on the bus, given to the durable consumer and still there after a "
    "restart") {
  TestServer server(kYaml, nullptr, {&LinkedPlugin<Keeper>::entry});
  REQUIRE(server.start_error() == "");
  keeper->note("a", "first");
  CHECK(keeper->committed.get().value_or("nothing") == "a");
  CHECK(keeper->heard.get().value_or("nothing") == R"(note.added {"id":"a"})");
  CHECK(keeper->digested.get().value_or(0) == 1);
  server.restart();
  REQUIRE(server.start_error() == "");
  keeper->count();
  CHECK(keeper->counted.get().value_or(-1) == 1);
}

TEST_CASE("a transaction that cannot be done is refused whole, with the statement's name") {
  TestServer server(kYaml, nullptr, {&LinkedPlugin<Keeper>::entry});
  keeper->note("a", "first");
  CHECK(keeper->committed.get().value_or("nothing") == "a");
  keeper->note("a", "again");
  CHECK(keeper->committed.get().value_or("nothing").find("keeper/add") != std::string::npos);
}

TEST_CASE("a job runs when the driven clock reaches it, not before") {
  core::ManualClock clock;
  TestServer server(kYaml, &clock, {&LinkedPlugin<Keeper>::entry});
  REQUIRE(server.start_error() == "");
  keeper->remind_at(clock.now_ms() + 300'000);
  CHECK(keeper->committed.get().value_or("nothing") == "job");
  CHECK(!keeper->reminded.get(std::chrono::milliseconds(50)).has_value());
  clock.advance(std::chrono::minutes(6));
  CHECK(keeper->reminded.get().value_or("nothing") == "wake up");
}

TEST_CASE("a worker that waits for a job far away ends without it") {
  TestServer server(kYaml, nullptr, {&LinkedPlugin<Keeper>::entry});
  REQUIRE(server.start_error() == "");
  keeper->remind_at(std::numeric_limits<int32_t>::max() * int64_t{1000});
  CHECK(keeper->committed.get().value_or("nothing") == "job");
  CHECK(server.core().stop().ok());
}
