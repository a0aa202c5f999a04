#include "core/store/fixture.h"

using namespace store_test;

namespace {

int64_t next_due(Store& store, const char* kind) {
  return *wait_for<Result<int64_t>>([&](auto done) { store.next_due(kind, done); }, Error{});
}

}  // namespace

TEST_CASE("due jobs are claimed in order, and again once their lease expires") {
  Notes notes;
  int64_t now = notes.now_ms;
  CHECK(next_due(*notes.store, "dial") == INT64_MAX);
  Transaction tx;
  tx.add(JobAddOp{"dial", "t1", "b", now + 20, "{\"b\":1}"});
  tx.add(JobAddOp{"dial", "t1", "a", now + 10, "{}"});
  tx.add(JobAddOp{"dial", "t1", "later", now + 500, "{}"});
  tx.add(JobAddOp{"other", "t1", "b", now, "{}"});
  REQUIRE(commit(*notes.store, tx).status.ok());
  CHECK(next_due(*notes.store, "dial") == now + 10);
  CHECK(claim(*notes.store, "dial", 10, 100).empty());

  notes.now_ms = now + 20;
  auto jobs = claim(*notes.store, "dial", 10, 100);
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].key == "a");
  CHECK(jobs[1].key == "b");
  CHECK(jobs[1].body == "{\"b\":1}");
  CHECK(jobs[1].due_ms == now + 20);
  CHECK(jobs[1].lease_until_ms == now + 120);
  CHECK(jobs[1].tries == 1);
  CHECK(claim(*notes.store, "dial", 10, 100).empty());
  CHECK(commit(*notes.store, one(JobDoneOp{jobs[0].id, jobs[0].fence})).status.ok());

  notes.now_ms = now + 120;
  auto again = claim(*notes.store, "dial", 10, 100);
  REQUIRE(again.size() == 1);
  CHECK(again[0].id == jobs[1].id);
  CHECK(again[0].fence == jobs[1].fence + 1);
  CHECK(again[0].tries == 2);
  Transaction late = notes.add(1);
  late.add(JobDoneOp{jobs[1].id, jobs[1].fence});
  CHECK(commit(*notes.store, late).status.error().code == Code::fenced);
  CHECK(notes.count() == 0);
  CHECK(commit(*notes.store, one(JobRetryOp{jobs[1].id, jobs[1].fence, 0})).status.error().code ==
        Code::fenced);
  CHECK(commit(*notes.store, one(JobRetryOp{again[0].id, again[0].fence, now + 300})).status.ok());
  CHECK(next_due(*notes.store, "dial") == now + 300);
}

TEST_CASE("a job added again with the same key is replaced, and its claimant is fenced") {
  Notes notes;
  int64_t now = notes.now_ms;
  auto add = [&](int64_t due_ms, const char* body) {
    return commit(*notes.store, one(JobAddOp{"dial", "t1", "k", due_ms, body})).ops.at(0).id;
  };
  int64_t first = add(now, "one");
  auto claimed = claim(*notes.store, "dial", 1, 1000);
  REQUIRE(claimed.size() == 1);
  CHECK(add(now, "two") == first);
  CHECK(commit(*notes.store, one(JobDoneOp{first, claimed[0].fence})).status.error().code == Code::fenced);
  auto current = claim(*notes.store, "dial", 10, 1000);
  REQUIRE(current.size() == 1);
  CHECK(current[0].body == "two");
  CHECK(commit(*notes.store, one(JobCancelOp{"dial", "k"})).status.ok());
  CHECK(commit(*notes.store, one(JobDoneOp{first, current[0].fence})).status.error().code == Code::fenced);
  CHECK(commit(*notes.store, one(JobCancelOp{"dial", "k"})).status.ok());
}

TEST_CASE("jobs that a process had claimed are due again when the next one starts") {
  TempDir dir;
  int64_t now_ms = 1'000'000;
  StoreOptions options;
  options.now_ms = [&] { return now_ms; };
  Job kept;
  {
    auto store = *open_store(dir.path / "store.db", options);
    Transaction tx;
    for (const char* key : {"claimed", "retried", "waiting"})
      tx.add(JobAddOp{"dial", "t1", key, key == std::string("waiting") ? now_ms + 5000 : now_ms, ""});
    REQUIRE(commit(*store, tx).status.ok());
    const auto jobs = claim(*store, "dial", 10, 60'000);
    REQUIRE(jobs.size() == 2);
    const Job& retried = jobs[jobs[0].key == "retried" ? 0 : 1];
    kept = jobs[jobs[0].key == "claimed" ? 0 : 1];
    REQUIRE(commit(*store, one(JobRetryOp{retried.id, retried.fence, now_ms + 9000})).status.ok());
  }
  auto store = *open_store(dir.path / "store.db", options);
  const auto again = claim(*store, "dial", 10, 60'000);
  REQUIRE(again.size() == 1);
  CHECK(again[0].id == kept.id);
  CHECK(again[0].fence == kept.fence + 1);
  CHECK(again[0].due_ms == 1'000'000);
  CHECK(again[0].tries == 2);
  CHECK(commit(*store, one(JobDoneOp{kept.id, kept.fence})).status.error().code == Code::fenced);
  now_ms += 10'000;
  CHECK(claim(*store, "dial", 10, 60'000).size() == 2);
}

TEST_CASE("jobs without a key are never replaced") {
  Notes notes;
  Transaction tx;
  tx.add(JobAddOp{"dial", "t1", "", notes.now_ms, "1"});
  tx.add(JobAddOp{"dial", "t1", "", notes.now_ms, "2"});
  REQUIRE(commit(*notes.store, tx).status.ok());
  REQUIRE(commit(*notes.store, one(JobCancelOp{"dial", ""})).status.ok());
  CHECK(claim(*notes.store, "dial", 1, 10).size() == 1);
  CHECK(claim(*notes.store, "dial", 5, 10).size() == 1);
}

TEST_CASE("many claimants never share a job") {
  Notes notes;
  Transaction tx;
  for (int i = 0; i < 200; ++i) tx.add(JobAddOp{"dial", "t1", "", notes.now_ms, ""});
  REQUIRE(commit(*notes.store, tx).status.ok());
  std::mutex mutex;
  std::vector<int64_t> ids;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (;;) {
        auto jobs = claim(*notes.store, "dial", 7, 1000);
        if (jobs.empty()) return;
        std::lock_guard lock(mutex);
        for (const Job& job : jobs) ids.push_back(job.id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(ids.begin(), ids.end());
  CHECK(ids.size() == 200);
  CHECK(std::unique(ids.begin(), ids.end()) == ids.end());
}

TEST_CASE("a job is completed only with its kind's prefix") {
  Notes notes;
  REQUIRE(commit(*notes.store, one(JobAddOp{"a/dial", "t1", "", notes.now_ms, ""})).status.ok());
  const auto jobs = claim(*notes.store, "a/dial", 1, 1000);
  REQUIRE(jobs.size() == 1);
  const auto code = [&](Op op) {
    const CommitResult result = commit(*notes.store, one(std::move(op)));
    return result.status ? Code::ok : result.status.error().code;
  };
  CHECK(code(JobDoneOp{jobs[0].id, jobs[0].fence, "b/"}) == Code::fenced);
  CHECK(code(JobRetryOp{jobs[0].id, jobs[0].fence, 0, "b/"}) == Code::fenced);
  CHECK(code(JobRetryOp{jobs[0].id, jobs[0].fence, notes.now_ms, "a/"}) == Code::ok);
  const auto again = claim(*notes.store, "a/dial", 1, 1000);
  REQUIRE(again.size() == 1);
  CHECK(code(JobDoneOp{again[0].id, again[0].fence, "a/"}) == Code::ok);
}

TEST_CASE("a lease is limited to kMaxLeaseMs") {
  Notes notes;
  REQUIRE(commit(*notes.store, one(JobAddOp{"dial", "t1", "", notes.now_ms, ""})).status.ok());
  const auto jobs = claim(*notes.store, "dial", 1, INT64_MAX);
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].lease_until_ms == notes.now_ms + kMaxLeaseMs);
}

TEST_CASE("large jobs are claimed in parts") {
  Notes notes;
  for (int i = 0; i < 4; ++i) {
    std::string body(12'000'000, 'x');
    REQUIRE(commit(*notes.store, one(JobAddOp{"dial", "t1", "", notes.now_ms, body})).status.ok());
  }
  CHECK(claim(*notes.store, "dial", 10, 1000).size() == 2);
  CHECK(claim(*notes.store, "dial", 10, 1000).size() == 2);
  CHECK(claim(*notes.store, "dial", 10, 1000).empty());
}
