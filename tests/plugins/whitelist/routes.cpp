#include "whitelist_server.h"

using namespace whitelist_test;

TEST_CASE("a number is added once and keeps its spelling, its place and its comment") {
  Server server;
  CHECK(text(signed_send("list")) == R"(200 {"tenant":"a.example","numbers":[],"count":0})");
  CHECK(
      text(signed_send("add", R"({"number":"+49 30 123456","comment":"Office"})")) ==
      R"(200 {"ok":true,"tenant":"a.example","number":"+49 30 123456","comment":"Office","added":true,"count":1})");
  CHECK(text(signed_send("add", R"({"Number":"112"})")) ==
        R"(200 {"ok":true,"tenant":"a.example","number":"112","comment":"","added":true,"count":2})");
  CHECK(
      text(signed_send("add", R"({"number":"004930123456"})")) ==
      R"(200 {"ok":true,"tenant":"a.example","number":"+49 30 123456","comment":"Office","added":false,"count":2})");
  CHECK(
      text(signed_send("add", R"({"number":"(+49)30/12-34.56","comment":"Reception"})")) ==
      R"(200 {"ok":true,"tenant":"a.example","number":"+49 30 123456","comment":"Reception","added":false,"count":2})");
  CHECK(text(signed_send("list")) ==
        R"(200 {"tenant":"a.example","numbers":[{"number":"+49 30 123456","comment":"Reception"},)"
        R"({"number":"112","comment":""}],"count":2})");
  CHECK(text(signed_send("list", "", {}, kTenantB, kSecretB)) ==
        R"(200 {"tenant":"b.example","numbers":[],"count":0})");
}

TEST_CASE("writing replaces all entries, in order, and keeps the first of equal numbers") {
  Server server;
  signed_send("add", R"({"number":"112"})");
  signed_send("add", R"({"number":"113"})", {}, kTenantB, kSecretB);
  CHECK(text(signed_send("write", R"({"numbers":[{"number":"+492","comment":"b"},{"number":"+491"},)"
                                  R"({"number":"00492","comment":"again"}]})")) ==
        R"(200 {"ok":true,"tenant":"a.example","count":2})");
  CHECK(
      text(signed_send("list")) ==
      R"(200 {"tenant":"a.example","numbers":[{"number":"+492","comment":"b"},{"number":"+491","comment":""}],"count":2})");
  CHECK(signed_send("write", R"({"numbers":[]})").status == 400);
  CHECK(signed_send("write", R"({"numbers":[]})", {{"confirmEmpty", "0"}}).status == 400);
  CHECK(text(signed_send("list")).find("\"count\":2") != std::string::npos);
  CHECK(text(signed_send("write", R"({"numbers":[]})", {{"confirmEmpty", "1"}})) ==
        R"(200 {"ok":true,"tenant":"a.example","count":0})");
  CHECK(text(signed_send("list", "", {}, kTenantB, kSecretB)).find("\"count\":1") != std::string::npos);
}

TEST_CASE("invalid bodies change nothing") {
  Server server;
  for (const char* body :
       {"", "x", "[]", "{}", "null", R"({"number":""})", R"({"number":1})", R"({"number":null})",
        R"({"number":"+49","Number":"+49"})", R"({"number":"+49","number":"+49"})",
        R"({"number":"123456789012345678901234567890123"})", R"({"number":"abc"})", R"({"number":"+49*"})",
        R"({"number":"+4930;phone-context=x"})", R"({"number":"+49@evil"})", R"({"number":"+4930\r\nX: y"})",
        R"({"number":"   "})", R"({"number":"+49","comment":1})", R"({"number":"+49")"}) {
    const auto response = signed_send("add", body);
    CHECK(response.status == 400);
    CHECK(response.body.substr(0, 10) == R"({"error":")");
  }
  for (const char* body : {"", "{}", R"({"numbers":{}})", R"({"numbers":["+49"]})", R"({"numbers":[{}]})",
                           R"({"numbers":[{"number":"+491"},{"number":"x"}]})"})
    CHECK(signed_send("write", body).status == 400);
  CHECK(text(signed_send("list")).find("\"count\":0") != std::string::npos);
}

TEST_CASE("a long comment is cut, and null is no comment") {
  Server server;
  const auto added = signed_send("add", R"({"number":"112","comment":")" + std::string(300, 'x') + "\"}");
  CHECK(added.body.find("\"" + std::string(200, 'x') + "\"") != std::string::npos);
  CHECK(text(signed_send("add", R"({"number":"113","comment":null})")).find(R"("comment":"")") !=
        std::string::npos);
}

TEST_CASE("a NUL in a comment is refused with an error about the field, not about the store") {
  Server server;
  const std::string body = R"({"number":"+4930123456","comment":"a\u0000b"})";
  const auto refused =
      send("add", kTenantA,
           signature(sign(kSecretA, "whitelist-add|a.example|" + std::to_string(body.size()))), body);
  CHECK(refused.status == 400);
  CHECK(refused.body.find("comment") != std::string::npos);
  CHECK(refused.body.find("$4") == std::string::npos);
}

TEST_CASE("one number is removed, however it is written") {
  const Server server;
  CHECK(signed_send("add", R"({"number":"+49 (30) 123","comment":"Office"})").status == 200);
  CHECK(signed_send("add", R"({"number":"112"})").status == 200);
  CHECK(text(remove_number("004930123", kTenantB)) ==
        R"(404 {"error":"not_found","error_description":"this number is not on the whitelist"})");
  CHECK(text(remove_number("0049-30.123")) ==
        R"(200 {"deleted":{"number":"+49 (30) 123","comment":"Office"}})");
  CHECK(remove_number("+4930123").status == 404);
  CHECK(remove_number("x").status == 404);
  CHECK(signed_send("list").body ==
        R"({"tenant":"a.example","numbers":[{"number":"112","comment":""}],"count":1})");
}

TEST_CASE("the list outlives a restart and follows a reload of the secret") {
  Server server;
  signed_send("add", R"({"number":"112"})");
  server.core.restart();
  CHECK(allowed("112"));
  CHECK(signed_send("list").status == 200);
  std::string changed = kConfig;
  changed.replace(changed.find(kSecretA), kSecretA.size(), "fresh secret of this tenant");
  CHECK(server.core.reload(changed));
  CHECK(signed_send("list").status == 401);
  CHECK(signed_send("list", "", {}, kTenantA, "fresh secret of this tenant").status == 200);
}
