#include "store/run_transaction.h"

#include "core/store/fixture.h"

using namespace store_test;

TEST_CASE("a transaction is atomic") {
  Notes notes;
  Transaction tx = notes.add(1, "one");
  tx.exec(notes.id("add"), {2, "two"}, 1);
  CommitResult good = commit(*notes.store, tx);
  REQUIRE(good.status.ok());
  REQUIRE(good.ops.size() == 2);
  CHECK(good.ops[1].changes == 1);
  CHECK(notes.count() == 2);

  Transaction bad = notes.add(3);
  bad.add(event("note.added", "3"));
  bad.exec(notes.id("edit"), {1, 5, "other"}, 1);
  CommitResult refused = commit(*notes.store, bad);
  CHECK(refused.status.error().code == Code::conflict);
  CHECK(refused.failed_op == 2);
  CHECK(refused.failed_statement == "notes/edit");
  CHECK(refused.status.error().text == "operation 2 (notes/edit): expected 1 rows, found 0");
  CHECK(notes.count() == 2);
  CHECK(read_log(*notes.store).empty());
}

TEST_CASE("parameters are bound by name and RETURNING gives rows") {
  Notes notes;
  REQUIRE(commit(*notes.store, notes.add(1, "old")).status.ok());
  CommitResult edited = commit(*notes.store, one(ExecOp{notes.id("edit"), {1, 0, "new"}, 1}));
  REQUIRE(edited.status.ok());
  CHECK(edited.ops[0].rows.integer(0, 0) == 1);
  auto rows = query(*notes.store, notes.id("get"), {1});
  REQUIRE(rows.ok());
  CHECK(rows->text(0, 0) == "new");
  CHECK(rows->integer(0, 1) == 1);
}

TEST_CASE("a violated constraint is a conflict") {
  Notes notes;
  REQUIRE(commit(*notes.store, notes.add(1)).status.ok());
  CHECK(commit(*notes.store, notes.add(1)).status.error().code == Code::conflict);
}

TEST_CASE("a failed savepoint is rolled back alone, with its events") {
  Notes notes;
  REQUIRE(commit(*notes.store, notes.add(1)).status.ok());
  Transaction tx = notes.add(2);
  size_t outer = tx.savepoint();
  tx.exec(notes.id("add"), {3, "undone"}, 1);
  tx.add(event("note.undone", "3"));
  tx.savepoint();
  tx.exec(notes.id("add"), {4, "undone too"}, 1);
  tx.release();
  tx.exec(notes.id("add"), {1, "there already"}, 1);
  tx.exec(notes.id("add"), {5, "never tried"}, 1);
  tx.release();
  size_t kept = tx.savepoint();
  tx.exec(notes.id("add"), {6, "kept"}, 1);
  tx.release();
  tx.add(event("note.kept", "6"));

  CommitResult result = commit(*notes.store, tx);
  REQUIRE(result.status.ok());
  CHECK_FALSE(result.ops[outer].ran);
  CHECK(result.ops[outer].status.error().code == Code::conflict);
  CHECK(result.ops[outer].status.error().text.find("operation 7 (notes/add)") == 0);
  CHECK_FALSE(result.ops[outer + 1].ran);
  CHECK(result.ops[kept].ran);
  CHECK(result.ops[kept].status.ok());
  CHECK(notes.count() == 3);
  auto events = read_log(*notes.store);
  REQUIRE(events.size() == 1);
  CHECK(events[0].topic == "note.kept");
  CHECK(events[0].tenant_seq == 1);
}

TEST_CASE("a failed inner savepoint keeps the outer one") {
  Notes notes;
  REQUIRE(commit(*notes.store, notes.add(1)).status.ok());
  Transaction tx;
  size_t outer = tx.savepoint();
  tx.exec(notes.id("add"), {2, "kept"}, 1);
  size_t inner = tx.savepoint();
  tx.exec(notes.id("add"), {1, "there already"}, 1);
  tx.release();
  tx.release();
  CommitResult result = commit(*notes.store, tx);
  REQUIRE(result.status.ok());
  CHECK(result.ops[outer].ran);
  CHECK_FALSE(result.ops[inner].ran);
  CHECK(notes.count() == 2);
}

TEST_CASE("a caller's mistakes are misuse, even inside a savepoint") {
  Notes notes;
  auto code = [&](Transaction tx) { return commit(*notes.store, std::move(tx)).status.error().code; };
  CHECK(code(one(SavepointOp{})) == Code::misuse);
  CHECK(code(one(ReleaseOp{})) == Code::misuse);
  CHECK(code(one(ExecOp{StatementId{}, {}})) == Code::misuse);
  CHECK(code(one(ExecOp{StatementId{4711}, {}})) == Code::misuse);
  Transaction tx;
  tx.savepoint();
  tx.exec(notes.id("add"), {1});
  tx.release();
  CHECK(code(tx) == Code::misuse);
  CHECK(query(*notes.store, notes.id("add"), {1, "x"}).error().code == Code::misuse);
  CHECK(code(one(ExecOp{notes.id("add"), {1, std::string("a\0b", 3)}})) == Code::invalid);
}

TEST_CASE("a transaction that fails inside a savepoint leaves nothing of what was before it") {
  Notes notes;
  Transaction tx = notes.add(1);
  tx.add(event("note.added", "1"));
  tx.savepoint();
  tx.exec(notes.id("add"), {2});  // a value is missing
  tx.release();
  CHECK(commit(*notes.store, std::move(tx)).status.error().code == Code::misuse);
  CHECK(notes.count() == 0);
  CHECK(read_log(*notes.store).empty());
  CHECK(commit(*notes.store, notes.add(1)).status.ok());
}

TEST_CASE("values of each type are stored and read back") {
  Notes notes;
  REQUIRE(
      notes.store
          ->register_owner("types",
                           "-- migration: 1\nCREATE TABLE types_t (i BIGINT, r DOUBLE PRECISION, t TEXT, b "
                           "{{BYTES}}, n TEXT);\n"
                           "-- name: put\nINSERT INTO types_t (i, r, t, b, n) VALUES ($1, $2, $3, $4, $5);\n"
                           "-- name: get\nSELECT i, r, t, b, n FROM types_t;\n")
          .ok());
  std::string raw("\0\xff\x01", 3);
  auto put = *notes.store->statement("types", "put");
  REQUIRE(commit(*notes.store, one(ExecOp{put, {INT64_MIN, 0.5, "h\xc3\xa9", Value::bytes(raw), {}}}))
              .status.ok());
  REQUIRE(commit(*notes.store, one(ExecOp{put, {1, 2.0, "", Value::bytes(""), "n"}})).status.ok());
  auto rows = query(*notes.store, *notes.store->statement("types", "get"));
  REQUIRE(rows.ok());
  REQUIRE(rows->row_count() == 2);
  CHECK(rows->column_count() == 5);
  CHECK(rows->integer(0, 0) == INT64_MIN);
  CHECK(rows->real(0, 1) == 0.5);
  CHECK(rows->text(0, 2) == "h\xc3\xa9");
  CHECK(rows->type(0, 3) == ValueType::bytes);
  CHECK(rows->text(0, 3) == raw);
  CHECK(rows->is_null(0, 4));
  CHECK(rows->text(1, 2).empty());
  CHECK(rows->type(1, 3) == ValueType::bytes);
  CHECK(rows->text(1, 4) == "n");
}

TEST_CASE("SQL uses the store's clock") {
  Notes notes;
  notes.now_ms = 42;
  CHECK(query(*notes.store, notes.id("now"))->integer(0, 0) == 42);
}

TEST_CASE("a result beyond the limit is refused") {
  StoreOptions options;
  options.max_result_bytes = 10'000;
  Notes notes(std::move(options));
  REQUIRE(commit(*notes.store, notes.add(1, std::string(20'000, 'x'))).status.ok());
  CHECK(query(*notes.store, notes.id("get"), {1}).error().code == Code::exhausted);
}
