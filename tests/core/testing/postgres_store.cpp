// The fake host with its store on PostgreSQL, whatever database the other tests use.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_host.h>

#include <cstddef>
#include <filesystem>

#include "scripted_plugin.h"
#include "support/postgres_server.h"

using namespace patchbay;
using testing::FakeHost;
using testing::why;

namespace {

std::unique_ptr<test::Postgres> start_postgres() {
  auto started = test::Postgres::start();
  REQUIRE_MESSAGE(started.ok(), (started ? "" : started.error().text));
  return *std::move(started);
}

std::string value(const test::Postgres& server, const std::string& sql) {
  auto client = test::PostgresClient::connect(server.conninfo());
  REQUIRE(client.ok());
  return (*client)->value(sql).value_or("?");
}

constexpr const char* kSchemas = "SELECT COUNT(*) FROM pg_namespace WHERE nspname LIKE 'patchbay_test_%'";

void visit(FakeHost& host, const char* who) {
  host.publish({"visit.asked", "localhost", who, "", "{}"});
  REQUIRE(host.events("visit.kept").size() == 1);
}
std::string first_visitor(const FakeHost& host) {
  const auto rows = host.sql("SELECT who FROM scripted_visit ORDER BY id");
  REQUIRE(why(rows) == "");
  return rows->empty() ? "" : rows->text(0, 0);
}

}  // namespace

TEST_CASE("hosts with a temporary folder have a schema each in a PostgreSQL database, until they end") {
  const auto postgres = start_postgres();
  testing::Options options;
  options.store = postgres->url() + "?options=-cwork_mem%3D2MB";
  {
    FakeHost host(scripted_plugin::entry, options), other(scripted_plugin::entry, options);
    REQUIRE(why(host.start()) == "");
    REQUIRE(why(other.start()) == "");
    CHECK(value(*postgres, kSchemas) == "2");
    visit(host, "Eva");
    visit(other, "Otto");
    CHECK(first_visitor(host) == "Eva");
    CHECK(first_visitor(other) == "Otto");
    CHECK(host.sql("SHOW work_mem")->text(0, 0) == "2MB");
    CHECK(host.sql("DELETE FROM scripted_visit WHERE who = $1", {"Eva"}).ok());
    CHECK(first_visitor(host) == "");
    CHECK(host.advance_ms(59'999));
    CHECK(host.events("visit.reminded").empty());
    CHECK(host.advance_ms(1));
    CHECK(host.events("visit.reminded").size() == 1);
    CHECK(other.events("visit.reminded").empty());
    CHECK(why(host.stop()) == "");
    CHECK(host.problem_text() == "");
  }
  CHECK(value(*postgres, kSchemas) == "0");
}

TEST_CASE("a host with a folder of the test goes on with the tables that its PostgreSQL database has") {
  const auto postgres = start_postgres();
  const auto folder = std::filesystem::temp_directory_path() / ("patchbay-own-" + std::to_string(::getpid()));
  testing::Options options;
  options.folder = folder.string();
  options.store = postgres->conninfo();
  {
    FakeHost host(scripted_plugin::entry, options);
    REQUIRE(why(host.start()) == "");
    visit(host, "Eva");
  }
  {
    FakeHost host(scripted_plugin::entry, options);
    REQUIRE(why(host.start()) == "");
    CHECK(first_visitor(host) == "Eva");
    CHECK(host.host().report("node").find("\"epoch\":2,\"shared\":true") != std::string::npos);
  }
  CHECK(value(*postgres, "SELECT who FROM scripted_visit") == "Eva");
  std::filesystem::remove_all(folder);
}

TEST_CASE("the options of a caller that was built before the option store are read without it") {
  const auto folder = std::filesystem::temp_directory_path() / ("patchbay-old-" + std::to_string(::getpid()));
  const std::string path = folder.string();
  pb_testing_options raw{};
  raw.size = offsetof(pb_testing_options, store);
  raw.folder = to_abi(path);
  raw.store = to_abi("what follows the struct of that caller");
  pb_err err = empty_error();
  pb_testing_host* host = patchbay_testing_v1.create(&raw, &err);
  REQUIRE_MESSAGE(host != nullptr, std::string(err.text));
  patchbay_testing_v1.destroy(host);
  CHECK(std::filesystem::exists(folder / "patchbay.db"));
  std::filesystem::remove_all(folder);

  raw.folder = {};
  raw.size = sizeof raw;
  CHECK(patchbay_testing_v1.create(&raw, &err) == nullptr);
  CHECK(std::string(err.text) == "the option store: is not a connection string of PostgreSQL");
}
