#include <doctest/doctest.h>

#include "json/parse.h"
#include "observe/log.h"

using namespace patchbay::core;
using namespace patchbay::core::observe;

namespace {

const auto kWhen = std::chrono::system_clock::time_point(std::chrono::milliseconds(1795156200123));

std::string text_of(const Event& event, const Redactor& redactor = {}) {
  return format_event(event, Format::text, kWhen, redactor);
}

}  // namespace

TEST_CASE("a line for people") {
  const Field fields[] = {{"callId", "out-1"}, {"reason", "no answer"}, {"empty", ""}, {"odd", "a\"b"}};
  CHECK(text_of({Level::info, "sip-trunk", "c-77", "call ended", fields, 4}) ==
        "2026-11-20T06:30:00.123Z INFO  sip-trunk [c-77] call ended callId=out-1 reason=\"no answer\" "
        "empty=\"\" "
        "odd=\"a\\\"b\"");
  CHECK(text_of({Level::error, "core", "", "x", nullptr, 0}) == "2026-11-20T06:30:00.123Z ERROR core x");
}

TEST_CASE("a line of JSON") {
  const Field fields[] = {{"to", "\n"}};
  CHECK(format_event({Level::warn, "core", "c", "a \"b\"", fields, 1}, Format::json, kWhen, Redactor()) ==
        R"({"time":"2026-11-20T06:30:00.123Z","level":"warn","component":"core","correlation":"c",)"
        R"("message":"a \"b\"","fields":{"to":"\u000a"}})");
  const std::string bare =
      format_event({Level::debug, "core", "", "x", nullptr, 0}, Format::json, kWhen, Redactor());
  CHECK(json::parse(bare).ok());
}

TEST_CASE("an event stays one line, whatever a peer put into its parts") {
  const std::string evil = "\r\n2026-11-20T06:30:00.123Z ERROR core forged\x1b[2J\xFF";
  const Field fields[] = {{evil, evil}};
  const Event event{Level::info, evil, evil, evil, fields, 1};
  for (const Format format : {Format::text, Format::json}) {
    const std::string line = format_event(event, format, kWhen, Redactor());
    for (unsigned char c : line) CHECK(c >= 0x20);
    if (format == Format::json) CHECK(json::parse(line).ok());
  }
}

TEST_CASE("secrets are redacted in sentences and values, fields also by their name") {
  Redactor redactor;
  redactor.add("hunter22");
  redactor.add("new\nline\"secret");
  const Field fields[] = {{"note", "is hunter22"}, {"apiKey", "anything"}, {"q", "new\nline\"secret"}};
  const Event event{Level::info, "core", "", "say hunter22", fields, 3};
  for (const Format format : {Format::text, Format::json}) {
    const std::string line = format_event(event, format, kWhen, redactor);
    CHECK(line.find("hunter22") == std::string::npos);
    CHECK(line.find("anything") == std::string::npos);
    CHECK(line.find("secret") == std::string::npos);
  }
}

TEST_CASE("a tenant's secret is not redacted in constants, names and correlations") {
  Redactor redactor;
  CHECK(redactor.add("A-sign-in-was-refused-1", SecretFrom::plugin));
  const Field fields[] = {{"A-sign-in-was-refused-1", "A-sign-in-was-refused-1"}};
  const std::string line = text_of({Level::warn, "A-sign-in-was-refused-1", "A-sign-in-was-refused-1",
                                    "A-sign-in-was-refused-1", fields, 1},
                                   redactor);
  CHECK(line.find("A-sign-in-was-refused-1 [A-sign-in-was-refused-1] A-sign-in-was-refused-1 "
                  "A-sign-in-was-refused-1=[redacted]") != std::string::npos);
}

TEST_CASE("long parts are cut, and a secret across the cut is redacted") {
  const std::string text(kMaxText - 4, 'x');
  Redactor redactor;
  redactor.add("hunter22");
  const std::string line =
      text_of({Level::info, "core", "", text + "hunter22 and more", nullptr, 0}, redactor);
  CHECK(line.find("hunt") == std::string::npos);
  CHECK(line.substr(line.size() - 3) == "...");
  CHECK(text_of({Level::info, "core", "", std::string(1 << 20, 'y'), nullptr, 0}).size() < kMaxText + 100);
}

TEST_CASE("levels have names") {
  for (const Level level : {Level::debug, Level::info, Level::warn, Level::error})
    CHECK(level_of(level_name(level)) == level);
  CHECK(level_of("loud") == Level::info);
}
