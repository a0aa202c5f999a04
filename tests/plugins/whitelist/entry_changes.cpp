// The log lines and audit records of changes.
#include <future>
#include <vector>

#include "whitelist_server.h"

using namespace whitelist_test;

TEST_CASE("changes are logged with their actor and the hash of the body, never the secret") {
  Server server;
  const std::string body = R"({"number":"112"})";
  signed_send("add", body);
  const std::string log = server.core.log();
  CHECK(log.find(to_hex(lib::sha256(body))) != std::string::npos);
  CHECK(log.find("192.0.2.7") != std::string::npos);
  CHECK(log.find(kSecretA) == std::string::npos);
}

TEST_CASE("each change of the whitelist has an audit record, and a request that changes nothing none") {
  const Server server;
  CHECK(signed_send("add", R"({"number":"+49 30 123","comment":"Office"})").status == 200);
  CHECK(signed_send("add", R"({"number":"+4930123","comment":"Office"})").status == 200);
  CHECK(signed_send("add", R"({"number":"+4930123"})").status == 200);
  CHECK(signed_send("add", R"({"number":"no number"})").status == 400);
  CHECK(signed_send("add", R"({"number":"+4930123","comment":"Lobby"})").status == 200);
  CHECK(signed_send("write", R"({"numbers":[]})").status == 400);
  CHECK(signed_send("write", R"({"numbers":[{"number":"112"}]})").status == 200);
  CHECK(remove_number("999").status == 404);
  CHECK(remove_number("112").status == 200);
  CHECK(probe::audit_text(4) ==
        "whitelist.added +4930123 - {\"number\":\"+49 30 123\",\"comment\":\"Office\"}\n"
        "whitelist.changed +4930123 {\"number\":\"+49 30 123\",\"comment\":\"Office\"} "
        "{\"number\":\"+49 30 123\",\"comment\":\"Lobby\"}\n"
        "whitelist.replaced  {\"count\":1,\"numbers\":[{\"number\":\"+49 30 123\",\"comment\":\"Lobby\"}]} "
        "{\"count\":1,\"numbers\":[{\"number\":\"112\",\"comment\":\"\"}]}\n"
        "whitelist.removed 112 {\"number\":\"112\",\"comment\":\"\"} -\n");
  const auto records = probe::audited(4);
  REQUIRE(records.size() == 4);
  CHECK(records[0].tenant == kTenantA);
  CHECK(records[0].actor == "shared secret");
  CHECK(records[0].remote == "192.0.2.7");
  CHECK(records[3].actor == "alice");
}

TEST_CASE("a long list is recorded by its length") {
  const Server server;
  std::string body = R"({"numbers":[)";
  for (int i = 0; i < 101; ++i)
    body += (i == 0 ? R"({"number":")" : R"(,{"number":")") + std::to_string(1000 + i) + "\"}";
  CHECK(signed_send("write", body + "]}").status == 200);
  CHECK(signed_send("write", R"({"numbers":[{"number":"112"}]})").status == 200);
  CHECK(probe::audit_text(2) ==
        "whitelist.replaced  {\"count\":0,\"numbers\":[]} {\"count\":101}\n"
        "whitelist.replaced  {\"count\":101} "
        "{\"count\":1,\"numbers\":[{\"number\":\"112\",\"comment\":\"\"}]}\n");
}

TEST_CASE("concurrent changes of one number are recorded with what each of them replaced") {
  const Server server;
  CHECK(signed_send("add", R"({"number":"112","comment":"0"})").status == 200);
  std::vector<std::future<Result<http::Response>>> answers;
  constexpr int kChanges = 8;
  for (int i = 1; i <= kChanges; ++i) {
    http::Request request;
    request.tenant = kTenantA;
    request.listener = "local";
    request.username = "operator";
    request.body = Buffer::copy(R"({"number":"112","comment":")" + std::to_string(i) + "\"}");
    answers.push_back(probe::begin("POST", "/signal.ashx", request, "whitelist=add"));
  }
  for (auto& answer : answers) {
    const auto response = probe::wait(std::move(answer));
    REQUIRE(response);
    CHECK(response->status == 200);
  }
  const auto records = probe::audited(1 + kChanges);
  REQUIRE(records.size() == 1 + kChanges);
  for (size_t i = 1; i < records.size(); ++i) CHECK(records[i].before == records[i - 1].after);
}
