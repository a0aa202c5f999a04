#include <patchbay/services/whitelist.h>
#include <patchbay/store.h>

#include <memory>

#include "support/promise.h"
#include "support/test_store.h"
#include "whitelist_server.h"

using namespace whitelist_test;

TEST_CASE("only listed numbers are dialled, in any spelling") {
  Server server;
  CHECK_FALSE(allowed("+4930123456"));
  signed_send("add", R"({"number":"0049 30 123456"})");
  CHECK(allowed("+4930123456"));
  CHECK(allowed("004930123456"));
  CHECK_FALSE(allowed("+4930123456", kTenantB));
  for (const char* number : {"+493012345", "+49301234567", "4930123456", "030123456", "+4930123456;x=y",
                             "+4930123456@evil.example", "tel:+4930123456", "+49%3030123456", "*", "", "+"})
    CHECK_FALSE(allowed(number));
  signed_send("write", R"({"numbers":[{"number":"112"}]})");
  CHECK_FALSE(allowed("+4930123456"));
}

TEST_CASE("another plugin adds a number inside its own transaction") {
  Server server;
  const auto add = [](const std::string& number) {
    auto promise = std::make_shared<test::Promise<std::string>>();
    probe::run([promise, number](const Host& host) {
      auto tx = std::make_shared<Transaction>(host);
      auto gate = std::make_shared<Lease<whitelist::Whitelist>>(Lease<whitelist::Whitelist>::query(host));
      gate->call(
          whitelist::Whitelist::add, {tx->handle(), kTenantA, number, "by a call"},
          [promise, tx, gate](const Result<Empty>& added) {
            if (!added) return promise->set(added.error().text);
            std::move(*tx).commit([promise](const Commit& commit) {
              promise->set(!commit ? commit.error().text : commit.result(0).empty() ? "there" : "added");
            });
          });
    });
    return promise->get().value_or("no answer");
  };
  CHECK(add("+4930123456") == "added");
  CHECK(add("+4930123456") == "there");
  CHECK(allowed("+4930123456"));
  CHECK(add("nonsense") != "added");
  CHECK(text(signed_send("list")).find(R"("count":1)") != std::string::npos);
}

TEST_CASE("when the list cannot be read or written, dials are refused and changes are not applied") {
  Server server;
  signed_send("add", R"({"number":"112"})");
  CHECK(allowed("112"));
  REQUIRE(test::run_sql(server.core.data() / "patchbay.db", "DROP TABLE whitelist_entry").ok());
  const auto verdict = probe::dial(kTenantA, "112");
  REQUIRE(verdict);
  CHECK_FALSE(verdict->allowed);
  CHECK(verdict->reason == "the whitelist could not be read");
  CHECK(signed_send("list").status == 500);
  CHECK(text(signed_send("add", R"({"number":"113"})")) ==
        R"(500 {"error":"the whitelist could not be written; the change was not applied"})");
  CHECK(signed_send("write", R"({"numbers":[{"number":"113"}]})").status == 500);
}
