#include "store/writer.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <latch>

#include "core/store/fixture.h"

using namespace store_test;

namespace {

std::atomic<int> syncs_to_fail{0};

int sync_or_fail(long number, int fd) {
  if (syncs_to_fail > 0 && syncs_to_fail-- > 0) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(number, fd));
}

}  // namespace

// SQLite finds these before those of libc. They simulate a disk that fails to sync.
extern "C" [[gnu::visibility("default")]] int fdatasync(int fd) { return sync_or_fail(SYS_fdatasync, fd); }
extern "C" [[gnu::visibility("default")]] int fsync(int fd) { return sync_or_fail(SYS_fsync, fd); }

namespace {

// Holds the database's write lock, as another process would.
class ForeignLock {
 public:
  explicit ForeignLock(const std::filesystem::path& path) {
    sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE, nullptr);
    CHECK(sqlite3_exec(db_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  ~ForeignLock() { sqlite3_close(db_); }

 private:
  sqlite3* db_ = nullptr;
};

// Statements that run as long as their parameter says.
constexpr const char* kSlow = R"(
-- migration: 1
CREATE TABLE slow_t (i BIGINT);
INSERT INTO slow_t (i) VALUES (1);
-- name: change
UPDATE slow_t SET i = (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) SELECT MAX(i) FROM n);
-- name: count
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) SELECT MAX(i) FROM n;
)";
constexpr int64_t kForEver = int64_t{1} << 60;

// While it lives, files of this process cannot grow beyond `bytes`. Simulates a full disk.
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

TEST_CASE("waiting transactions are committed as one group, and each can fail alone") {
  Notes notes;
  uint64_t before = notes.store->stats().commits;
  std::promise<void> blocked, go_on;
  notes.store->commit(notes.add(0), [&](CommitResult) {
    blocked.set_value();
    go_on.get_future().wait_for(std::chrono::seconds(60));
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
  // One for the first and one for the group, which ends early when it has taken long.
  const uint64_t commits = notes.store->stats().commits - before;
  CHECK(commits >= 2);
  CHECK(commits <= 10);
  CHECK(notes.count() == 91);
  auto log = read_log(*notes.store);
  REQUIRE(log.size() == 90);
  CHECK(log.back().tenant_seq == 90);
}

TEST_CASE("too many waiting transactions are refused at once") {
  StoreOptions options;
  options.max_queued = 2;
  Notes notes(std::move(options));
  std::promise<void> blocked, go_on;
  notes.store->commit(notes.add(0), [&](CommitResult) {
    blocked.set_value();
    go_on.get_future().wait_for(std::chrono::seconds(60));
  });
  blocked.get_future().wait();
  std::latch drained(2);
  for (int i = 1; i <= 2; ++i) notes.store->commit(notes.add(i), [&](CommitResult) { drained.count_down(); });
  CHECK(commit(*notes.store, notes.add(3)).status.error().code == Code::exhausted);
  go_on.set_value();
  drained.wait();
  CHECK(commit(*notes.store, notes.add(4)).status.ok());
}

TEST_CASE("closing completes waiting transactions and leaves no log") {
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

TEST_CASE("a growing log is moved into the database file" SQLITE_ONLY) {
  Notes notes;
  for (int i = 0; i < 40; ++i)
    REQUIRE(commit(*notes.store, notes.add(i, std::string(400'000, 'x'))).status.ok());
  CHECK(notes.store->stats().checkpoints >= 3);
  CHECK(std::filesystem::file_size(notes.dir.path / "store.db-wal") < 8'000'000);
}

TEST_CASE("a full database refuses writes that grow it, serves reads and recovers" SQLITE_ONLY) {
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

  // In one group, a delete that frees space succeeds although the others fail.
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

TEST_CASE("a disk that cannot be written refuses commits, serves reads and recovers" SQLITE_ONLY) {
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

TEST_CASE("a callback that throws is reported, and the store continues") {
  std::promise<std::string> warned;
  StoreOptions options;
  options.warn = [&](const std::string& text) { warned.set_value(text); };
  Notes notes(std::move(options));
  notes.store->commit(notes.add(1), [](CommitResult) { throw std::runtime_error("oops"); });
  CHECK(warned.get_future().get() == "a commit's callback threw: oops");
  CHECK(notes.count() == 1);
}

TEST_CASE("a transaction that takes too long is rolled back and named, the rest of its group committed") {
  std::mutex mutex;
  std::vector<std::string> warnings;
  StoreOptions options;
  options.write_timeout_ms = 200;
  options.warn = [&](const std::string& text) {
    const std::lock_guard lock(mutex);
    warnings.push_back(text);
  };
  Notes notes(std::move(options));
  REQUIRE(notes.store->register_owner("slow", kSlow).ok());
  const StatementId change = *notes.store->statement("slow", "change");
  std::promise<void> blocked, go_on;
  notes.store->commit(notes.add(0), [&](CommitResult) {
    blocked.set_value();
    go_on.get_future().wait_for(std::chrono::seconds(60));
  });
  blocked.get_future().wait();
  std::latch all(5);
  std::array<Status, 5> results;
  auto post = [&](size_t i, Transaction tx) {
    notes.store->commit(std::move(tx), [&, i](CommitResult result) {
      results[i] = std::move(result.status);
      all.count_down();
    });
  };
  post(0, notes.add(1));
  post(1, one(ExecOp{change, {kForEver}}));
  post(2, notes.add(2));
  post(3, one(ExecOp{*notes.store->statement("slow", "count"), {kForEver}}));
  post(4, notes.add(3));
  go_on.set_value();
  all.wait();
  for (size_t i : {0u, 2u, 4u}) CHECK(results[i].ok());
  for (size_t i : {1u, 3u}) CHECK(results[i].error().code == Code::timeout);
  CHECK(results[1].error().text == "operation 0 (slow/change): took too long and was interrupted");
  CHECK(notes.count() == 4);
  CHECK(notes.store->stats().timeouts == 2);
  const std::lock_guard lock(mutex);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].find("slow/change") != std::string::npos);
}

TEST_CASE("closing interrupts a statement that runs too long") {
  StoreOptions options;
  options.write_timeout_ms = 600'000;
  options.query_timeout_ms = 600'000;
  options.close_timeout_ms = 200;
  Notes notes(std::move(options));
  REQUIRE(notes.store->register_owner("slow", kSlow).ok());
  const StatementId count = *notes.store->statement("slow", "count");
  std::array<std::promise<Code>, 3> answers;
  auto code = [](const auto& answer) { return answer ? Code::ok : answer.error().code; };
  notes.store->query(count, {kForEver}, [&](Result<Rows> rows) { answers[0].set_value(code(rows)); });
  notes.store->query(count, {kForEver}, [&](Result<Rows> rows) { answers[1].set_value(code(rows)); });
  notes.store->commit(one(ExecOp{count, {kForEver}}),
                      [&](CommitResult result) { answers[2].set_value(code(result.status)); });
  auto closed = std::async(std::launch::async, [&] { notes.store->close(); });
  CHECK(closed.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  std::vector<Code> codes;
  for (auto& answer : answers) codes.push_back(answer.get_future().get());
  CHECK(codes[0] == Code::timeout);
  CHECK(codes[1] == Code::timeout);
  CHECK(codes[2] != Code::ok);  // timeout, or gone when it had not begun
}

TEST_CASE("the writer waits for another process's lock, up to a limit" SQLITE_ONLY) {
  StoreOptions options;
  options.lock_timeout_ms = 120'000;
  Notes notes(std::move(options));
  auto lock = std::make_unique<ForeignLock>(notes.dir.path / "store.db");
  std::latch all(20);
  std::atomic<int> good{0};
  for (int i = 0; i < 20; ++i) {
    notes.store->commit(notes.add(i), [&](CommitResult result) {
      good += result.status.ok() ? 1 : 0;
      all.count_down();
    });
  }
  while (notes.store->stats().lock_waits == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // longer than a checkpoint would wait
  CHECK(good == 0);
  lock.reset();
  all.wait();
  CHECK(good == 20);

  options = {};
  options.lock_timeout_ms = 50;
  notes.reopen(std::move(options));
  lock = std::make_unique<ForeignLock>(notes.dir.path / "store.db");
  CHECK(commit(*notes.store, notes.add(100)).status.error().code == Code::unavailable);
  lock.reset();
  CHECK(commit(*notes.store, notes.add(100)).status.ok());
}

TEST_CASE("a commit that failed to sync is not found by the next start" SQLITE_ONLY) {
  Notes notes;
  REQUIRE(commit(*notes.store, notes.add(1)).status.ok());
  syncs_to_fail = 1;
  CHECK(commit(*notes.store, notes.add(2)).status.error().code == Code::unavailable);
  CHECK(syncs_to_fail == 0);
  // The files as a start after a crash would find them.
  TempDir other;
  for (const char* file : {"store.db", "store.db-wal", "sealing.key"})
    std::filesystem::copy_file(notes.dir.path / file, other.path / file);
  auto found = *open_store(other.path / "store.db", {});
  REQUIRE(found->register_owner("notes", kNotes).ok());
  CHECK(query(*found, *found->statement("notes", "get"), {1})->row_count() == 1);
  CHECK(query(*found, *found->statement("notes", "get"), {2})->row_count() == 0);
  CHECK(commit(*notes.store, notes.add(2)).status.ok());
  CHECK(notes.count() == 2);
}

TEST_CASE("a disk that can no longer be synced calls on_fatal" SQLITE_ONLY) {
  std::promise<std::string> ended;
  StoreOptions options;
  options.on_fatal = [&](const std::string& text) {
    syncs_to_fail = 0;
    ended.set_value(text);
  };
  Notes notes(std::move(options));
  REQUIRE(commit(*notes.store, notes.add(1)).status.ok());
  syncs_to_fail = 1'000'000;
  notes.store->commit(notes.add(2), [](CommitResult) {});
  auto future = ended.get_future();
  REQUIRE(future.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  CHECK(future.get().find("no longer accepts writes to the store's log") != std::string::npos);
}

TEST_CASE("waiting transactions are limited in bytes too") {
  StoreOptions options;
  options.max_queued_bytes = 1'000'000;
  Notes notes(std::move(options));
  std::promise<void> blocked, go_on;
  notes.store->commit(notes.add(0), [&](CommitResult) {
    blocked.set_value();
    go_on.get_future().wait_for(std::chrono::seconds(60));
  });
  blocked.get_future().wait();
  std::promise<Code> waited;
  notes.store->commit(notes.add(1, std::string(900'000, 'x')), [&](CommitResult result) {
    waited.set_value(result.status ? Code::ok : Code::failed);
  });
  CHECK(notes.store->stats().queued_bytes > 900'000);
  CHECK(commit(*notes.store, notes.add(2, std::string(200'000, 'x'))).status.error().code == Code::exhausted);
  go_on.set_value();
  CHECK(waited.get_future().get() == Code::ok);
  CHECK(commit(*notes.store, notes.add(2, std::string(200'000, 'x'))).status.ok());
  CHECK(notes.store->stats().queued_bytes == 0);
}
