// Processes that share a PostgreSQL database: the order of their events, and what one sees of the others.
#include <map>

#include "core/store/shared_database.h"
#include "support/within.h"

using namespace store_test;
using namespace std::chrono_literals;

TEST_CASE("two processes on one database have different names, and their events one order") {
  SharedDatabase shared;
  auto a = shared.open("a"), b = shared.open("b");
  CHECK(shared.value("SELECT COUNT(DISTINCT id) FROM core_node WHERE state = 'live'") == "2");
  constexpr int kEach = 200;
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (Store* store : {a.get(), b.get()})
    threads.emplace_back([&, store] {
      for (int i = 0; i < kEach; ++i) {
        const int64_t key = (store == a.get() ? 0 : 1'000'000) + i;
        if (commit(*store, add_note(*store, key, i % 2 == 0 ? "t1" : "t2")).status) ++good;
      }
    });
  // A reader that continues after the last id it saw misses none.
  std::vector<LoggedEvent> seen;
  const auto read_more = [&] {
    for (LoggedEvent& event : read_log(*a, seen.empty() ? 0 : seen.back().id))
      seen.push_back(std::move(event));
    return seen.size() == 2 * kEach;
  };
  CHECK(within(60s, read_more));
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 2 * kEach);
  std::map<std::string, int64_t> last_seq;
  for (const LoggedEvent& event : seen) CHECK(event.tenant_seq == ++last_seq[event.tenant]);
}

TEST_CASE("an event of one process is pending for a consumer of another, which is woken") {
  SharedDatabase shared;
  std::atomic<int> woken{0};
  StoreOptions options;
  options.on_committed = [&](CommitNotice&& notice) {
    if (!notice.is_elsewhere) return;
    for (const LoggedEvent& event : notice.events) woken += event.topic == "note.added" ? 1 : 0;
  };
  auto a = shared.open("a");
  auto b = shared.open("b", std::move(options));
  REQUIRE(add_consumer(*b, "b/c", {"note.*"}).ok());
  REQUIRE(commit(*a, add_note(*a, 1)).status.ok());
  CHECK(pending(*b, "b/c").size() == 1);
  CHECK(within(60s, [&] { return woken == 1; }));
}

TEST_CASE("a kept list shows this process's commits at once, and those of others after a moment") {
  SharedDatabase shared;
  auto a = shared.open("a"), b = shared.open("b");
  const JsonQuery count{*b->statement("notes", "count"), {}, "n"};
  const auto read = [&] {
    return wait_for<Result<JsonRowsPtr>>([&](auto done) { b->query_json(count, done); },
                                         Error{Code::timeout, "query_json"});
  };
  const auto seen = [&] {
    if (const auto kept = b->kept_json(count)) return kept->text;
    const auto rows = read();
    return rows ? (*rows)->text : rows.error().text;
  };
  const auto is_kept = [&] { return read().ok() && b->kept_json(count) != nullptr; };
  CHECK(within(60s, is_kept));  // again, because a slow machine may take longer than it is kept
  for (int64_t key = 1; key <= 20; ++key) {
    REQUIRE(commit(*b, one(ExecOp{*b->statement("notes", "add"), {key, "x"}, 1})).status.ok());
    CHECK(seen() == "[{\"n\":" + std::to_string(key) + "}]");
  }
  REQUIRE(commit(*a, one(ExecOp{*a->statement("notes", "add"), {21, "x"}, 1})).status.ok());
  CHECK(within(60s, [&] { return seen() == R"([{"n":21}])"; }));
}

TEST_CASE("a client that receives another process's event reads the state after it") {
  SharedDatabase shared;
  std::atomic<bool> heard{false};
  std::string when_heard;
  JsonQuery count;
  std::atomic<Store*> reader{nullptr};
  StoreOptions options;
  options.on_committed = [&](CommitNotice&& notice) {
    if (!notice.is_elsewhere || notice.events.empty() || heard) return;
    const auto kept = reader.load()->kept_json(count);
    when_heard = kept ? kept->text : "not kept";
    heard = true;
  };
  auto a = shared.open("a"), b = shared.open("b", std::move(options));
  count = {*b->statement("notes", "count"), {}, "n"};
  reader = b.get();
  const auto read = [&] {
    return wait_for<Result<JsonRowsPtr>>([&](auto done) { b->query_json(count, done); },
                                         Error{Code::timeout, "query_json"});
  };
  REQUIRE(read().ok());
  REQUIRE(commit(*a, add_note(*a, 1)).status.ok());
  CHECK(within(60s, [&] { return heard.load(); }));
  CHECK(when_heard != R"([{"n":0}])");
}

TEST_CASE("a job of one process is claimed once, and its kind's due time reaches the others") {
  SharedDatabase shared;
  std::atomic<bool> told{false};
  StoreOptions options;
  options.on_committed = [&](CommitNotice&& notice) {
    if (notice.is_elsewhere && !notice.jobs.empty() && notice.jobs.front().kind == "sweep") told = true;
  };
  auto a = shared.open("a");
  auto b = shared.open("b", std::move(options));
  CHECK(claim(*b, "sweep", 10, 60'000).empty());
  Transaction tx;
  for (int i = 0; i < 50; ++i) tx.add(JobAddOp{"sweep", "t1", std::to_string(i), 0, "body"});
  REQUIRE(commit(*a, std::move(tx)).status.ok());
  CHECK(within(60s, [&] { return told.load(); }));
  std::atomic<size_t> claimed{0};
  std::vector<std::thread> threads;
  for (Store* store : {a.get(), b.get()})
    threads.emplace_back([&, store] {
      for (;;) {
        const auto jobs = claim(*store, "sweep", 7, 60'000);
        if (jobs.empty()) return;
        claimed += jobs.size();
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(claimed == 50);
  CHECK(shared.value("SELECT COUNT(*) FROM core_job WHERE held_by <> '' AND held_epoch > 0") == "50");
}
