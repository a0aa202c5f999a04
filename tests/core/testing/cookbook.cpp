// The examples, each driven by hand.
#include <doctest/doctest.h>
#include <patchbay/services/telephony.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_host.h>

#include <cstdlib>

#include "level-meter/tap_service.h"

using namespace patchbay;
using testing::Ask;
using testing::FakeHost;
using testing::Pcm;
using testing::why;

namespace {
std::string example(const char* name) {
  const char* elsewhere = std::getenv("PATCHBAY_EXAMPLES");  // those of another compiler
  return std::string(elsewhere != nullptr ? elsewhere : PATCHBAY_EXAMPLES) + "/" + name + ".so";
}
}  // namespace

TEST_CASE("notes are added, listed page by page and removed") {
  FakeHost host(example("notes"));
  REQUIRE(why(host.start()) == "");
  for (const char* text : {"one", "two", "three"})
    CHECK(host.post("/api.ashx/v1/notes", std::string(R"({"Text": ")") + text + "\"}").status == 200);
  const auto page = host.get("/api.ashx/v1/notes?limit=2");
  const auto body = host.host().parse_json(page.body);
  REQUIRE(body.ok());
  CHECK((*body)["data"].size() == 2);
  CHECK((*body)["data"].at(0).text("text", "") == "three");
  CHECK((*body)["total"].integer() == 3);
  CHECK((*body)["next"].text() == "/api.ashx/v1/notes?limit=2&offset=2");
  CHECK(host.get("/api.ashx/v1/notes?limit=0").status == 400);

  const auto empty = host.post("/api.ashx/v1/notes", R"({"text": ""})");
  CHECK(empty.status == 400);
  CHECK(empty.body.find("text must") != std::string::npos);
  Ask stranger;
  stranger.target = "/api.ashx/v1/notes";
  stranger.role = "";
  CHECK(host.ask(stranger).status == 401);

  const int64_t id = host.sql("SELECT id FROM notes_note ORDER BY id")->integer(0, 0);
  CHECK(host.ask({"DELETE", "/api.ashx/v1/notes/" + std::to_string(id)}).status == 200);
  CHECK(host.ask({"DELETE", "/api.ashx/v1/notes/" + std::to_string(id)}).status == 404);
  CHECK(host.events("note.added").size() == 3);
  CHECK(why(host.stop()) == "");
  CHECK(host.problem_text() == "");
}

TEST_CASE("a gate judges by the clock of the test") {
  FakeHost host(example("dial-hours"));
  Handle gate;
  REQUIRE(why(host.provide<telephony::Telephony>([&](Provision<telephony::Telephony>& telephony) {
            telephony.on(telephony::Telephony::add_gate,
                         [&](const telephony::AddGate& what) -> Result<Empty> {
                           gate = what.gate;
                           return Empty{};
                         });
          })) == "");
  REQUIRE(why(host.start("{}", R"({"localhost": {"primary": true, "section": {
    "quiet": [{"from": "22:00", "to": "07:00"}]}}})")) == "");
  REQUIRE(gate);
  const auto allowed = [&] {
    return host
        .call<telephony::DialGate>(gate, telephony::DialGate::check, {"localhost", "+4930123456", "c-1", ""})
        ->allowed;
  };
  CHECK_FALSE(allowed());  // 22:13
  CHECK(host.advance_ms(8 * 3'600'000));
  CHECK(host.logged("a dial at quiet hours"));
  CHECK_FALSE(allowed());  // 06:13
  CHECK(host.advance_ms(3'600'000));
  CHECK(allowed());
  CHECK(why(host.stop()) == "");
  CHECK(host.problem_text() == "");
}

TEST_CASE("frames go from one port of the test through a plugin to another") {
  FakeHost host(example("level-meter"));
  testing::FakeAudio audio(host);
  auto& far = host.make<testing::FakePort>(8000);
  auto& near = host.make<testing::FakePort>(16000);
  REQUIRE(why(host.start()) == "");
  const Handle far_handle = far.open(host.host()), near_handle = near.open(host.host());
  const auto tap =
      host.call<level_meter::Taps>(level_meter::Taps::insert, {far_handle, near_handle, "call-1"});
  REQUIRE(tap.ok());
  CHECK(audio.joined() == 2);
  far.say(Pcm(8000, 3277));  // a second, a tenth of full scale
  CHECK(host.advance_ms(500));
  const auto levels = host.events("level.measured");
  REQUIRE_FALSE(levels.empty());
  CHECK(levels.back().payload.find("\"aDb\":-19.99") != std::string::npos);
  const Pcm heard = near.heard();
  REQUIRE(heard.size() >= 16000 * 4 / 10);
  CHECK(heard.back() == 3277);
  CHECK(host.call<level_meter::Taps>(level_meter::Taps::remove, *tap).ok());
  CHECK(audio.joined() == 0);
  CHECK(why(host.stop()) == "");
  CHECK(host.problem_text() == "");
}

TEST_CASE("what happens is written to a file, relative to the test's folder") {
  FakeHost host(example("event-log"));
  REQUIRE(why(host.start(R"({"topics": "call.*"})")) == "");
  host.publish({"call.answered", "localhost", "call-1", "", "{}"});
  CHECK(why(host.stop()) == "");
  CHECK(host.problem_text() == "");
}

TEST_CASE("the plugin in plain C keeps the rules") {
  FakeHost host(example("c-plugin"));
  REQUIRE(why(host.start()) == "");
  CHECK(why(host.stop()) == "");
  CHECK(host.problem_text() == "");
}

TEST_CASE("a service that a manifest requires must be there") {
  FakeHost host(example("level-meter"));
  CHECK(why(host.start()) == "it requires patchbay.audio/1; provide() it first");
}
