// A whole server whose store is on PostgreSQL, started as users start it.
#include <doctest/doctest.h>

#include <csignal>
#include <string>

#include "integration/program.h"
#include "support/postgres_server.h"

using namespace patchbay;
using test::Child;
using test::kPatience;
using test::Postgres;
using test::Program;
using test::server_yaml;

namespace {

constexpr const char* kCanary = "canary-of-the-store-password";

std::string on(const Postgres& server) {
  return ", log: {level: debug}, store: \"" + server.url() + "\", store_password: " + kCanary;
}

// Runs `patchbay` in the folder of the server.
struct Operator {
  explicit Operator(const std::string& yaml) : program(yaml) {}
  Child serve() {
    const std::string name = "serve-" + std::to_string(++starts);
    Child child = program.run({"serve"}, name);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (program.output(name).find("ready, patchbay.yaml") == std::string::npos) {
      REQUIRE_MESSAGE(std::chrono::steady_clock::now() < end, program.output(name));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return child;
  }
  std::string ask(const std::vector<std::string>& arguments, int wanted = 0) {
    const std::string name = "answer-" + std::to_string(++asked);
    const int code = program.run(arguments, name).wait(kPatience).value_or(-1);
    INFO(program.output(name));
    CHECK(code == wanted);
    return program.output(name);
  }
  void stop(Child& server) {
    server.signal(SIGTERM);
    const int code = server.wait(kPatience).value_or(-1);
    INFO(program.output("serve-" + std::to_string(starts)));
    CHECK(code == 0);
  }

  Program program;
  int asked = 0, starts = 0;
};

std::string value(const Postgres& server, const std::string& sql) {
  auto client = test::PostgresClient::connect(server.conninfo());
  REQUIRE(client.ok());
  return (*client)->value(sql).value_or("?");
}

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

}  // namespace

TEST_CASE("keys, webhooks and calls on PostgreSQL are there after a kill") {
  auto postgres = Postgres::start();
  REQUIRE_MESSAGE(postgres.ok(), (postgres ? "" : postgres.error().text));
  Operator patchbay(server_yaml(on(**postgres)));
  {
    Child server = patchbay.serve();
    CHECK(patchbay.ask({"key", "new", "billing"}).rfind("ak_", 0) == 0);
    patchbay.ask({"webhook", "add", "http://127.0.0.1:9/x", "--events", "outbound-ai.finished"});
    CHECK(
        has(patchbay.ask({"call", "+4930123456", "--prompt", "Hello.", "--watch"}, 1), "ended-failed-final"));
    server.signal(SIGKILL);
    static_cast<void>(server.wait(kPatience));
  }
  Child server = patchbay.serve();
  CHECK(has(patchbay.ask({"calls"}), "+4930123456"));
  CHECK(value(**postgres, "SELECT url FROM webhooks_subscription") == "http://127.0.0.1:9/x");
  CHECK(value(**postgres, "SELECT name FROM identity_api_key") == "billing");
  CHECK(value(**postgres, "SELECT MAX(epoch) FROM core_node") == "2");
  CHECK(has(patchbay.ask({"store", "consumers"}), "webhooks/"));
  patchbay.stop(server);
  for (const char* log : {"serve-1", "serve-2"}) CHECK_FALSE(has(patchbay.program.output(log), kCanary));
}

TEST_CASE("a server goes on with its copy on PostgreSQL") {
  auto postgres = Postgres::start();
  REQUIRE_MESSAGE(postgres.ok(), (postgres ? "" : postgres.error().text));
  Operator patchbay(server_yaml(", log: {level: debug}"));
  {
    Child server = patchbay.serve();
    patchbay.ask({"webhook", "add", "http://127.0.0.1:9/x", "--events", "outbound-ai.finished"});
    CHECK(
        has(patchbay.ask({"call", "+4930123456", "--prompt", "Hello.", "--watch"}, 1), "ended-failed-final"));
    patchbay.stop(server);
  }
  CHECK(has(patchbay.ask({"store", "copy", "--to", (*postgres)->url()}), "copied and verified"));
  patchbay.program.write(server_yaml(on(**postgres)));
  Child server = patchbay.serve();
  CHECK(has(patchbay.ask({"calls"}), "+4930123456"));
  CHECK(value(**postgres, "SELECT url FROM webhooks_subscription") == "http://127.0.0.1:9/x");
  patchbay.stop(server);
}
