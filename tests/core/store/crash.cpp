// SIGKILL at random moments: every acknowledged transaction is complete in the database, and none is partly
// there.
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "core/store/fixture.h"

using namespace store_test;

namespace {

// Writes until killed, with 16 transactions in flight; writes each acknowledged key to the pipe.
[[noreturn]] void write_until_killed(const std::filesystem::path& path, int64_t first_key, int pipe_fd) {
  auto opened = open_store(path, {});
  if (!opened || !(*opened)->register_owner("notes", kNotes)) ::_exit(1);
  Store& store = **opened;
  StatementId add = *store.statement("notes", "add");
  (void)add_consumer(store, "c", {"note.*"});
  std::atomic<int64_t> next{first_key};
  std::function<void()> write_one = [&] {
    int64_t key = next++;
    Transaction tx = one(ExecOp{add, {key, std::string(static_cast<size_t>(key % 3000), 'x')}, 1});
    tx.add(event("note.added", std::to_string(key), "t1", std::to_string(key)));
    tx.add(JobAddOp{"sweep", "t1", std::to_string(key), 0, ""});
    store.commit(std::move(tx), [&, key](CommitResult result) {
      if (!result.status || ::write(pipe_fd, &key, sizeof key) != sizeof key) ::_exit(2);
      write_one();
    });
  };
  for (int i = 0; i < 16; ++i) write_one();
  for (;;) ::pause();
}

std::vector<int64_t> kill_a_writer(const std::filesystem::path& path, int64_t first_key, int after_us) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    write_until_killed(path, first_key, ends[1]);
  }
  ::close(ends[1]);
  std::vector<int64_t> acknowledged;
  int64_t key = 0;
  auto read_one = [&] { return ::read(ends[0], &key, sizeof key) == sizeof key; };
  if (read_one()) acknowledged.push_back(key);  // it has begun
  ::usleep(static_cast<useconds_t>(after_us));
  ::kill(child, SIGKILL);
  while (read_one()) acknowledged.push_back(key);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  return acknowledged;
}

std::string integrity(const std::filesystem::path& path) {
  if (test::on_postgres()) return "ok";
  sqlite3* db = nullptr;
  sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
  std::string answer;
  sqlite3_exec(
      db, "PRAGMA integrity_check",
      [](void* out, int, char** cells, char**) {
        *static_cast<std::string*>(out) += cells[0];
        return 0;
      },
      &answer, nullptr);
  sqlite3_close(db);
  return answer;
}

}  // namespace

// PATCHBAY_KILLS sets the number of rounds.
TEST_CASE("killed writers lose nothing they acknowledged") {
  TempDir dir;
  std::filesystem::path path = dir.path / "store.db";
  test::test_store(path);  // before the first fork, so that all share its server
  std::mt19937 random(20261120);
  std::vector<int64_t> all;
  const char* wanted = ::getenv("PATCHBAY_KILLS");
  int rounds = wanted ? std::atoi(wanted) : 20;
  for (int round = 0; round < rounds; ++round) {
    auto some = kill_a_writer(path, round * 1'000'000, std::uniform_int_distribution(0, 60'000)(random));
    CHECK_FALSE(some.empty());
    all.insert(all.end(), some.begin(), some.end());

    auto opened = open_store(path, {});
    REQUIRE_MESSAGE(opened.ok(), (opened ? "" : opened.error().text));
    Store& store = **opened;
    CHECK(store.epoch() == round * 2 + 2);
    REQUIRE(store.register_owner("notes", kNotes).ok());
    for (int64_t key : some) {
      auto rows = query(store, *store.statement("notes", "get"), {key});
      CHECK(rows->row_count() == 1);
    }
    CHECK(integrity(path) == "ok");
  }

  // Note, event, pending row and job were committed together or not at all; tenant_seq has no gap.
  auto store = *open_store(path, {});
  REQUIRE(store->register_owner("notes", kNotes).ok());
  auto notes = static_cast<size_t>(query(*store, *store->statement("notes", "count"))->integer(0, 0));
  CHECK(notes >= all.size());
  std::vector<LoggedEvent> events;
  for (;;) {
    auto more = read_tenant_log(*store, "t1", events.empty() ? 0 : events.back().tenant_seq).events;
    if (more.empty()) break;
    events.insert(events.end(), more.begin(), more.end());
  }
  CHECK(events.size() == notes);
  CHECK(events.back().tenant_seq == static_cast<int64_t>(notes));
  size_t waiting = 0;
  for (int64_t last = 0;;) {
    auto more = pending(*store, "c", last);
    if (more.empty()) break;
    waiting += more.size();
    last = more.back().id;
  }
  CHECK(waiting == notes);
  CHECK(claim(*store, "sweep", 1'000'000, 1000).size() == notes);
}
