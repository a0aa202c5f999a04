#include "store/schema_registry.h"

#include "core/store/fixture.h"

using namespace store_test;

namespace {

Status register_one(Notes& notes, const char* statement) {
  return notes.store->register_owner("other", std::string("-- migration: 1\nCREATE TABLE other_t (x TEXT);\n"
                                                          "-- name: it\n") +
                                                  statement);
}

Status migrate_one(Notes& notes, const char* ddl) {
  return notes.store->register_owner("other", std::string("-- migration: 1\n") + ddl);
}

}  // namespace

TEST_CASE("a statement may touch only its owner's tables") {
  Notes notes;
  for (const char* sql :
       {"SELECT body FROM notes_note", "SELECT COUNT(*) FROM core_event", "DELETE FROM notes_note",
        "INSERT INTO other_t SELECT body FROM notes_note", "SELECT name FROM sqlite_master",
        "SELECT x FROM other_t WHERE EXISTS (SELECT 1 FROM core_job)", "UPDATE core_node SET epoch = 0",
        "SELECT name FROM pragma_table_list"}) {
    INFO(std::string(sql));
    Status refused = register_one(notes, sql);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::denied);
    CHECK(refused.error().text.find("statement 'it' (line 3)") != std::string::npos);
  }
  CHECK(register_one(notes, "WITH c AS (SELECT x FROM other_t) SELECT x, COUNT(*) FROM c GROUP BY x").ok());
}

TEST_CASE("the error names statement and table") {
  Notes notes;
  CHECK(register_one(notes, "SELECT body FROM notes_note").error().text ==
        "store schema of 'other': statement 'it' (line 3): touches 'notes_note', which is not its own (its "
        "tables "
        "begin with other_)");
}

TEST_CASE("every owner may read which processes are alive, and nothing else of the core") {
  Notes notes;
  CHECK(register_one(notes, "SELECT node, epoch FROM core_live_node").ok());
  const auto rows = query(*notes.store, *notes.store->statement("other", "it"));
  REQUIRE(rows.ok());
  REQUIRE(rows->row_count() == 1);
  CHECK(rows->text(0, 0) == notes.store->node());
  CHECK(rows->integer(0, 1) == notes.store->epoch());
  for (const char* sql : {"SELECT id FROM core_node", "DELETE FROM core_live_node",
                          "SELECT l.node FROM core_live_node l JOIN core_node n ON n.id = l.node"}) {
    CAPTURE(sql);
    Notes others;
    CHECK_FALSE(register_one(others, sql).ok());
  }
}

TEST_CASE("a migration may change only its owner's tables") {
  Notes notes;
  for (const char* sql :
       {"CREATE TABLE stray (x TEXT);", "DROP TABLE notes_note;", "DROP TABLE core_event;",
        "CREATE INDEX other_i ON notes_note (body);", "CREATE INDEX stray ON notes_note (body);",
        "ALTER TABLE notes_note ADD COLUMN z TEXT;", "INSERT INTO notes_note (id, body) VALUES (1, 'x');",
        "CREATE TABLE other_t (x TEXT); ALTER TABLE other_t RENAME TO stray;",
        "CREATE TABLE other_t (x TEXT); CREATE TRIGGER other_g AFTER INSERT ON other_t BEGIN SELECT 1; END;",
        "CREATE VIRTUAL TABLE other_v USING fts5(x);", "COMMIT;", "PRAGMA journal_mode=DELETE;",
        "CREATE TABLE other_t (sql TEXT); INSERT INTO other_t SELECT sql FROM sqlite_master;",
        "CREATE TABLE other_t (sql TEXT); INSERT INTO other_t SELECT sql FROM 'SQLite_schema';",
        "CREATE TABLE other_t (x BIGINT REFERENCES notes_note (id) ON DELETE CASCADE);",
        "CREATE TABLE other_t (x BIGINT, FOREIGN KEY (x) REFERENCES NOTES_note (id));"}) {
    INFO(std::string(sql));
    Status refused = migrate_one(notes, sql);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::denied);
    CHECK(refused.error().text.find("migration 1 (line 1)") != std::string::npos);
  }
  CHECK(migrate_one(
            notes,
            "CREATE TABLE other_t (x TEXT PRIMARY KEY, y TEXT UNIQUE); CREATE INDEX other_i ON other_t (y);"
            "ALTER TABLE other_t ADD COLUMN z TEXT; ALTER TABLE other_t RENAME COLUMN z TO w;"
            "INSERT INTO other_t (x) VALUES ('first'); DROP INDEX other_i;")
            .ok());
}

TEST_CASE("owners with overlapping prefixes are refused") {
  Notes notes;
  CHECK(notes.store->register_owner("notes-more", "-- name: x\nSELECT 1").error().code == Code::conflict);
  CHECK(notes.store->register_owner("notes", kNotes).error().code == Code::conflict);
  CHECK(notes.store->register_owner("core-x", "-- name: x\nSELECT 1").error().code == Code::conflict);
  CHECK(notes.store->register_owner("Bad_name", "-- name: x\nSELECT 1").error().code == Code::invalid);
  CHECK(notes.store->register_owner("sqlite", "-- name: x\nSELECT 1").error().code == Code::invalid);
}

TEST_CASE("an owner that does not run keeps its prefix and its tables" SQLITE_ONLY) {
  Notes notes;
  REQUIRE(notes.store->register_owner("ai-voice", "-- migration: 1\nCREATE TABLE ai_voice_key (secret TEXT);")
              .ok());
  notes.reopen();
  const Status refused = notes.store->register_owner("ai", "-- name: steal\nSELECT secret FROM ai_voice_key");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::conflict);
  CHECK(refused.error().text.find("'ai-voice'") != std::string::npos);
  CHECK(notes.store->register_owner("ai-voice", "-- migration: 1\nCREATE TABLE ai_voice_key (secret TEXT);")
            .ok());
}

TEST_CASE("references between tables of one owner are allowed") {
  Notes notes;
  CHECK(migrate_one(notes,
                    "CREATE TABLE other_t (id BIGINT PRIMARY KEY);"
                    "CREATE TABLE other_u (t BIGINT REFERENCES Other_t (id) ON DELETE CASCADE);")
            .ok());
}

TEST_CASE("'-- read' and '-- write' are checked and SQL errors name the statement") {
  Notes notes;
  CHECK(register_one(notes, "-- read\nDELETE FROM other_t")
            .error()
            .text.find("is marked '-- read' but writes") != std::string::npos);
  CHECK(register_one(notes, "-- write\nSELECT x FROM other_t").error().text.find("only reads") !=
        std::string::npos);
  Status wrong = register_one(notes, "SELECT absent FROM other_t");
  CHECK(wrong.error().text == "store schema of 'other': statement 'it' (line 3): no such column: absent");
  CHECK_FALSE(register_one(notes, "SELECT \"a string\" FROM other_t").ok());
}

TEST_CASE("migrations run once, in order, also after restarts" SQLITE_ONLY) {
  Notes notes;
  std::string first = "-- migration: 1\nCREATE TABLE plan_t (x TEXT NOT NULL);\n";
  std::string second = "-- migration: 2\nALTER TABLE plan_t ADD COLUMN y BIGINT NOT NULL DEFAULT 7;\n";
  std::string read = "-- name: y\nSELECT y FROM plan_t;\n";
  std::string add = "-- name: add\nINSERT INTO plan_t (x) VALUES ($1);\n";
  auto reopen = [&] {
    notes.store.reset();
    notes.store = *open_store(notes.dir.path / "store.db", {});
  };
  REQUIRE(notes.store->register_owner("plan", first + add).ok());
  REQUIRE(commit(*notes.store, one(ExecOp{*notes.store->statement("plan", "add"), {"a"}})).status.ok());

  reopen();
  REQUIRE(notes.store->register_owner("plan", first + second + add + read).ok());
  CHECK(query(*notes.store, *notes.store->statement("plan", "y"))->integer(0, 0) == 7);

  reopen();
  Status older = notes.store->register_owner("plan", first + add);
  REQUIRE_FALSE(older.ok());
  CHECK(older.error().text.find("run the newer version") != std::string::npos);
  Status edited =
      notes.store->register_owner("plan", "-- migration: 1\nCREATE TABLE plan_t (x BIGINT);\n" + second);
  REQUIRE_FALSE(edited.ok());
  CHECK(edited.error().text.find("migration 1 was edited after it had run here") != std::string::npos);
  CHECK(notes.store
            ->register_owner("plan",
                             "-- migration: 1\n-- layout and comments are free\n  CREATE TABLE plan_t\n"
                             "(x TEXT NOT NULL);\n" +
                                 second + read)
            .ok());
}

TEST_CASE("a failed migration changes nothing") {
  Notes notes;
  CHECK_FALSE(migrate_one(notes, "CREATE TABLE other_t (x TEXT); CREATE TABLE other_t (y TEXT);").ok());
  CHECK(migrate_one(notes, "CREATE TABLE other_t (x TEXT);").ok());
}

TEST_CASE("a migration that fails undoes the earlier ones of the same update" SQLITE_ONLY) {
  const std::string first = "-- migration: 1\nCREATE TABLE plan_t (x TEXT NOT NULL);\n";
  const std::string second = "-- migration: 2\nALTER TABLE plan_t ADD COLUMN y BIGINT NOT NULL DEFAULT 7;\n";
  const std::string read = "-- name: all\nSELECT * FROM plan_t;\n";
  Notes notes;
  REQUIRE(notes.store->register_owner("plan", first));
  for (const char* third : {"ALTER TABLE plan_t RENAME TO stray;", "CREATE TABLE plan_t (z TEXT);",
                            "CREATE TABLE plan_u (x BIGINT REFERENCES notes_note (id));"}) {
    notes.reopen();
    const Status failed = notes.store->register_owner("plan", first + second + "-- migration: 3\n" + third);
    REQUIRE_FALSE(failed);
    const std::string which = std::string(third).find("plan_t (z") == std::string::npos
                                  ? "migrations 2 to 3 (line 3)"
                                  : "migration 3 (line 5)";
    CHECK_MESSAGE(failed.error().text.find(which) != std::string::npos, failed.error().text);
  }
  notes.reopen();
  const Status older = notes.store->register_owner("plan", first + read);
  REQUIRE_MESSAGE(older.ok(), (older ? "" : older.error().text));
  CHECK(query(*notes.store, *notes.store->statement("plan", "all"))->column_count() == 1);
}

TEST_CASE("commits wait for the disk again after migrations, which do not" SQLITE_ONLY) {
  const TempDir dir;
  auto clock = std::make_shared<const Clock>([] { return int64_t{1}; });
  auto db = Database::open(dir.path / "synced.db", Database::Mode::write, clock);
  REQUIRE(db.ok());
  const auto synchronous = [&] {
    auto pragma = PreparedStatement::prepare(*db, "PRAGMA synchronous", 0);
    Rows rows;
    REQUIRE(pragma.ok());
    REQUIRE(pragma->run(*db, {}, &rows, 1024).ok());
    return rows.integer(0, 0);
  };
  constexpr int64_t kNormal = 1, kFull = 2;
  CHECK(synchronous() == kFull);
  StatementRegistry statements;
  SchemaRegistry registry(*db, statements);
  REQUIRE(registry.add("core", core_schema()).ok());
  CHECK(synchronous() == kFull);
  CHECK_FALSE(registry.add("other", "-- migration: 1\nCREATE TABLE stray (x TEXT);").ok());
  CHECK(synchronous() == kFull);
  REQUIRE(db->sync_each_commit(false).ok());
  CHECK(synchronous() == kNormal);
}
