#include "store/writer.h"

#include <signal.h>
#include <sys/resource.h>

#include <latch>

#include "core/store/fixture.h"

using namespace store_test;

namespace {

// Files of this process may not grow beyond `bytes` while it lives: a disk that cannot be written.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    old_handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    rlimit tight{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int) = nullptr;
};

}  // namespace

TEST_CASE("what waits together is committed together, each on its own feet") {
  Notes notes;
  uint64_t before = notes.store->stats().commits;
  std::promise<void> blocked, go_on;
  notes.store->commit(notes.add(0), [&](CommitResult) {
    blocked.set_value();
    go_on.get_future().wait_for(std::chrono::seconds(20));
  });
  blocked.get_future().wait();
  std::latch all(100);
  std::atomic<int> good{0}, conflicts{0};
  for (int i = 0; i < 100; ++i) {
    Transaction tx = i % 10 == 9 ? notes.add(0) : notes.add(i + 1);
    tx.add(event("note.added", std::to_string(i)));
    notes.store->commit(std::move(tx), [&](CommitResult result) {
      if (result.status) ++good;
      if (!result.status && result.status.error().code == Code::conflict) ++conflicts;
      all.count_down();
    });
  }
  CHECK(notes.store->stats().queued == 100);
  go_on.set_value();
  all.wait();
  CHECK(good == 90);
  CHECK(conflicts == 10);
  CHECK(notes.store->stats().commits - before == 2);
  CHECK(notes.count() == 91);
  auto log = read_log(*notes.store);
  REQUIRE(log.size() == 90);
  CHECK(log.back().tenant_seq == 90);
}

TEST_CASE("too many waiting transactions are refused at the door") {
  StoreOptions options;
  options.max_queued = 2;
  Notes notes(std::move(options));
  std::promise<void> blocked, go_on;
  notes.store->commit(notes.add(0), [&](CommitResult) {
    blocked.set_value();
    go_on.get_future().wait_for(std::chrono::seconds(20));
  });
  blocked.get_future().wait();
  std::latch drained(2);
  for (int i = 1; i <= 2; ++i) notes.store->commit(notes.add(i), [&](CommitResult) { drained.count_down(); });
  CHECK(commit(*notes.store, notes.add(3)).status.error().code == Code::exhausted);
  go_on.set_value();
  drained.wait();
  CHECK(commit(*notes.store, notes.add(4)).status.ok());
}

TEST_CASE("closing finishes what waits and leaves no log") {
  Notes notes;
  std::atomic<int> good{0};
  for (int i = 0; i < 500; ++i) {
    notes.store->commit(notes.add(i), [&](CommitResult result) { good += result.status.ok() ? 1 : 0; });
  }
  notes.store->close();
  CHECK(good == 500);
  CHECK(commit(*notes.store, notes.add(1000)).status.error().code == Code::gone);
  CHECK(query(*notes.store, notes.id("count")).error().code == Code::gone);
  notes.store.reset();
  CHECK_FALSE(std::filesystem::exists(notes.dir.path / "store.db-wal"));
}

TEST_CASE("a log that grows is moved into the file") {
  Notes notes;
  for (int i = 0; i < 40; ++i)
    REQUIRE(commit(*notes.store, notes.add(i, std::string(400'000, 'x'))).status.ok());
  CHECK(notes.store->stats().checkpoints >= 3);
  CHECK(std::filesystem::file_size(notes.dir.path / "store.db-wal") < 8'000'000);
}

TEST_CASE("a full database refuses what grows it, serves reads and recovers") {
  StoreOptions options;
  options.max_pages = 150;
  Notes notes(std::move(options));
  REQUIRE(commit(*notes.store, notes.add(1)).status.ok());
  Status full;
  int64_t written = 1;
  while (full && written < 1000) {
    full = commit(*notes.store, notes.add(written + 1, std::string(20'000, 'x'))).status;
    written += full ? 1 : 0;
  }
  REQUIRE_FALSE(full.ok());
  CHECK(full.error().code == Code::unavailable);
  CHECK(full.error().text.find("database or disk is full") != std::string::npos);
  CHECK(notes.count() == written);
  CHECK(query(*notes.store, notes.id("get"), {1}).ok());

  // In one group: what makes room gets through although its neighbours do not.
  std::latch all(3);
  std::array<Code, 3> codes{};
  auto post = [&](size_t i, Transaction tx) {
    notes.store->commit(std::move(tx), [&codes, &all, i](CommitResult result) {
      codes[i] = result.status ? Code::ok : result.status.error().code;
      all.count_down();
    });
  };
  post(0, notes.add(5000, std::string(2'000'000, 'x')));
  post(1, one(ExecOp{notes.id("remove-all"), {}}));
  post(2, notes.add(5001, std::string(2'000'000, 'x')));
  all.wait();
  CHECK(codes[0] == Code::unavailable);
  CHECK(codes[1] == Code::ok);
  CHECK(codes[2] == Code::unavailable);
  CHECK(commit(*notes.store, notes.add(1)).status.ok());
  CHECK(notes.count() == 1);
}

TEST_CASE("a disk that cannot be written refuses commits, serves reads and recovers") {
  Notes notes;
  REQUIRE(commit(*notes.store, notes.add(1)).status.ok());
  {
    SmallDisk disk(std::filesystem::file_size(notes.dir.path / "store.db-wal"));
    for (int i = 0; i < 3; ++i) {
      CommitResult refused = commit(*notes.store, notes.add(2 + i, std::string(50'000, 'x')));
      CHECK(refused.status.error().code == Code::unavailable);
    }
    CHECK(notes.count() == 1);
  }
  CHECK(commit(*notes.store, notes.add(2)).status.ok());
  CHECK(notes.count() == 2);
  CHECK(notes.store->stats().refused == 3);
}

TEST_CASE("a callback that throws is reported, and the store goes on") {
  std::promise<std::string> warned;
  StoreOptions options;
  options.warn = [&](const std::string& text) { warned.set_value(text); };
  Notes notes(std::move(options));
  notes.store->commit(notes.add(1), [](CommitResult) { throw std::runtime_error("oops"); });
  CHECK(warned.get_future().get() == "a commit's callback threw: oops");
  CHECK(notes.count() == 1);
}
