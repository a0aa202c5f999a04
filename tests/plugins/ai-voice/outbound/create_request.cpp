#include "outbound/create_request.h"

#include <doctest/doctest.h>
#include <patchbay/testing/test_environment.h>

#include <string>

using namespace patchbay;
using namespace patchbay::ai_voice;

namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;  // 2023-11-14T22:13:20Z

struct Requests {
  // Parses a body as a handler gets it: validated by the schema, which adds the defaults.
  Result<Call> read(const std::string& more, const std::string& prompt = "Be brief.") {
    const std::string text = R"({"phone":"+49 30 123456","systemPrompt":")" + prompt + "\"" + more + "}";
    PB_TRY_VALUE(const Schema schema, Schema::compile(environment.host(), create_schema()));
    PB_TRY_VALUE(const Json body, schema.read(text));
    return parse_create_request(body.root(), settings, kNowMs);
  }
  std::string wrong(const std::string& more) {
    const auto call = read(more);
    return call ? "" : call.error().text;
  }

  Requests() {
    settings.model = "local";
    settings.email = "calls@acme.example";
    settings.api_key = "key-of-the-tenant";
    settings.prompts = {{"reminder", "Remind the callee."}};
  }
  testing::TestEnvironment environment;
  TenantSettings settings;
};

}  // namespace

TEST_CASE("missing fields get the defaults of the schema and of the tenant") {
  Requests requests;
  const auto call = requests.read("");
  REQUIRE(call.ok());
  CHECK(call->phone == "+4930123456");
  CHECK(call->display_name == "+4930123456");
  CHECK(call->email == "calls@acme.example");
  CHECK(call->api_key == "key-of-the-tenant");
  CHECK(call->model == "local");
  CHECK(call->voice == "Aoede");
  CHECK(call->language == "en-US");
  CHECK(call->max_seconds == 300);
  CHECK(call->retries_left == 0);
  CHECK(call->retry_delay_minutes == 5);
  CHECK(call->scheduled_ms == 0);
  CHECK(call->created_ms == kNowMs);
}

TEST_CASE("a request overrides the defaults, and a slug is replaced by its prompt") {
  Requests requests;
  CHECK(requests.read("", "reminder")->system_prompt == "Remind the callee.");
  const auto other = requests.read(R"(,"email":"a@b.example","apiKey":"another-key",)"
                                   R"("model":"gemini-x","voice":"puck","language":"de","maxSeconds":10,)"
                                   R"("retries":2,"retryDelayMinutes":7,"displayName":"Dentist")");
  REQUIRE(other.ok());
  CHECK(other->email == "a@b.example");
  CHECK(other->api_key == "another-key");
  CHECK(other->model == "gemini-x");
  CHECK(other->voice == "Puck");
  CHECK(other->language == "de");
  CHECK(other->max_seconds == 10);
  CHECK(other->retries_left == 2);
  CHECK(other->retry_delay_minutes == 7);
  CHECK(other->display_name == "Dentist");
}

TEST_CASE("a schedule may be up to a minute in the past and a year ahead") {
  Requests requests;
  const auto at = [&](const char* time) {
    return requests.read(R"(,"scheduleAtUtc":")" + std::string(time) + "\"");
  };
  CHECK(at("2023-11-14T22:13:00Z")->scheduled_ms == 0);
  CHECK(at("2023-11-14T22:14:20Z")->scheduled_ms == kNowMs + 60'000);
  CHECK(at("2023-11-14T23:14:20+01:00")->scheduled_ms == kNowMs + 60'000);
  CHECK(at("2023-11-14T22:12:00Z").error().text == "scheduleAtUtc must not be more than 60 s in the past");
  CHECK(at("2024-11-16T22:12:00Z").error().text == "scheduleAtUtc must not be more than a year ahead");
}

TEST_CASE("errors name the field") {
  Requests requests;
  CHECK(requests.wrong(R"(,"apiKey":"with a blank")").find("apiKey must consist of") == 0);
  CHECK(requests.wrong(R"(,"displayName":"a\nb")") ==
        "displayName must not contain control characters; for example \"Dentist\"");
  CHECK(requests.wrong(R"(,"voice":"Nobody")").find("voice must be one of") == 0);
  requests.settings.email.clear();
  CHECK(requests.wrong("") == "email is required; for example \"ann@example.com\"");
}
