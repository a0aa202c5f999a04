// Durable records per second: the store's group commit with 32 writers in flight, compared with PostgreSQL 15
// with 32 writers on connections of their own, and with plain SQLite with one commit (one fsync) per record.
// A record is a row and an event.
#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "bench/pairs.h"
#include "store/store.h"
#include "support/postgres_server.h"

using namespace patchbay;
using namespace patchbay::core;
using patchbay::bench::seconds_now;

namespace {

constexpr int kWriters = 32;
constexpr double kSeconds = 1.0;
const std::string kBody(200, 'x');

struct Folder {
  Folder() {
    std::string pattern = "bench-records-XXXXXX";  // not in /tmp, which may be in memory
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

// Each writer has one transaction in flight, and sends the next one when it is acknowledged.
double through_the_store() {
  Folder folder;
  auto opened = Store::open(folder.path / "store.db", {});
  if (!opened) die(opened.error().text);
  Store& store = **opened;
  Status registered =
      store.register_owner("rec",
                           "-- migration: 1\nCREATE TABLE rec_t (id {{ID}} PRIMARY KEY, body TEXT);\n"
                           "-- name: add\nINSERT INTO rec_t (id, body) VALUES ($1, $2);\n");
  if (!registered) die(registered.error().text);
  StatementId add = *store.statement("rec", "add");
  std::atomic<int64_t> next{0}, written{0};
  std::latch stopped(kWriters);
  double begin = seconds_now(), end = begin + kSeconds;
  std::function<void()> write_one = [&] {
    int64_t key = ++next;
    Transaction tx;
    tx.exec(add, {key, kBody}, 1);
    tx.add(EmitOp{"rec.added", "tenant", std::to_string(key), "", kBody, ""});
    store.commit(std::move(tx), [&](CommitResult result) {
      if (!result.status) die(result.status.error().text);
      ++written;
      if (seconds_now() < end) return write_one();
      stopped.count_down();
    });
  };
  for (int i = 0; i < kWriters; ++i) write_one();
  stopped.wait();
  return static_cast<double>(written) / (seconds_now() - begin);
}

void check(sqlite3* db, int result) {
  if (result != SQLITE_OK && result != SQLITE_DONE) die(sqlite3_errmsg(db));
}

double one_commit_each() {
  Folder folder;
  sqlite3* db = nullptr;
  check(db, sqlite3_open((folder.path / "plain.db").c_str(), &db));
  check(db,
        sqlite3_exec(db,
                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                     "CREATE TABLE rec_t (id INTEGER PRIMARY KEY, body TEXT);"
                     "CREATE TABLE event (id INTEGER PRIMARY KEY, topic TEXT, subject TEXT, payload TEXT)",
                     nullptr, nullptr, nullptr));
  sqlite3_stmt *row = nullptr, *event = nullptr;
  check(db, sqlite3_prepare_v2(db, "INSERT INTO rec_t VALUES (?1, ?2)", -1, &row, nullptr));
  check(db,
        sqlite3_prepare_v2(db, "INSERT INTO event VALUES (?1, 'rec.added', 't', ?2)", -1, &event, nullptr));
  int64_t written = 0;
  double begin = seconds_now();
  for (; seconds_now() < begin + kSeconds; ++written) {
    check(db, sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr));
    for (sqlite3_stmt* statement : {row, event}) {
      sqlite3_bind_int64(statement, 1, written);
      sqlite3_bind_text(statement, 2, kBody.data(), static_cast<int>(kBody.size()), SQLITE_STATIC);
      check(db, sqlite3_step(statement));
      sqlite3_reset(statement);
    }
    check(db, sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr));
  }
  double rate = static_cast<double>(written) / (seconds_now() - begin);
  sqlite3_finalize(row);
  sqlite3_finalize(event);
  sqlite3_close(db);
  return rate;
}

// One statement, so that each record is one request and one commit.
void write_to_postgres(const std::string& conninfo, std::atomic<int64_t>& next, std::atomic<int64_t>& written,
                       double end) {
  PGconn* connection = PQconnectdb(conninfo.c_str());
  if (PQstatus(connection) != CONNECTION_OK) die(PQerrorMessage(connection));
  PQclear(PQprepare(connection, "add",
                    "WITH added AS (INSERT INTO rec_t VALUES ($1::bigint, $2)) "
                    "INSERT INTO event VALUES ($1::bigint, 'rec.added', 't', $2)",
                    2, nullptr));
  while (seconds_now() < end) {
    const std::string key = std::to_string(++next);
    const char* values[] = {key.c_str(), kBody.c_str()};
    PGresult* result = PQexecPrepared(connection, "add", 2, values, nullptr, nullptr, 0);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) die(PQerrorMessage(connection));
    PQclear(result);
    ++written;
  }
  PQfinish(connection);
}

double with_postgres(const test::Postgres& server) {
  auto client = test::PostgresClient::connect(server.conninfo());
  if (!client) die(client.error().text);
  const Status made = (*client)->run(
      "DROP TABLE IF EXISTS rec_t, event; CREATE TABLE rec_t (id BIGINT PRIMARY KEY, body TEXT);"
      "CREATE TABLE event (id BIGINT PRIMARY KEY, topic TEXT, subject TEXT, payload TEXT)");
  if (!made) die(made.error().text);
  std::atomic<int64_t> next{0}, written{0};
  const double begin = seconds_now();
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i)
    writers.emplace_back(
        [&] { write_to_postgres(server.conninfo(), next, written, begin + 0.2 + kSeconds); });
  for (std::thread& each : writers) each.join();
  return static_cast<double>(written) / (seconds_now() - begin);
}

}  // namespace

// PostgreSQL keeps its files in the folder for temporary files; TMPDIR names another one, on the same disk.
int main() {
  const auto postgres = test::Postgres::start();
  if (!postgres) die(postgres.error().text);
  bench::run_pairs("durable records, 32 writers in flight", "records per second",
                   bench::Side{"store", through_the_store},
                   bench::Side{"postgresql", [&] { return with_postgres(**postgres); }},
                   bench::Side{"one-by-one", one_commit_each});
}
