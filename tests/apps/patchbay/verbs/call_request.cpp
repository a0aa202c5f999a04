#include "verbs/call_request.h"

#include <doctest/doctest.h>

#include <fstream>

#include "support/child_process.h"

using patchbay::app::call_request;
using patchbay::app::CallOptions;

TEST_CASE("the body of a call has only the members that the command line gave") {
  CallOptions options;
  options.phone = "+4930123456";
  options.prompt = "Say \"hi\"";
  CHECK(call_request(options).value() == R"({"phone":"+4930123456","systemPrompt":"Say \"hi\""})");
  options.email = "a@example.com";
  options.voice = "Kore";
  options.retries = 0;
  options.max_seconds = 60;
  CHECK(call_request(options).value() ==
        R"({"phone":"+4930123456","email":"a@example.com","systemPrompt":"Say \"hi\"","voice":"Kore",)"
        R"("maxSeconds":60,"retries":0})");
}

TEST_CASE("prompt and key can be read from files") {
  const patchbay::test::TempFolder folder;
  std::ofstream(folder.file("prompt")) << "Two\nlines\n";
  std::ofstream(folder.file("key")) << "secret\n";
  CallOptions options;
  options.phone = "+4930123456";
  options.prompt = "@" + folder.file("prompt");
  options.api_key_file = folder.file("key");
  CHECK(call_request(options).value() ==
        R"({"phone":"+4930123456","systemPrompt":"Two\nlines","apiKey":"secret"})");
  options.prompt = "@" + folder.file("none");
  CHECK_FALSE(call_request(options).ok());
}
