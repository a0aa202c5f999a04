// The plugin on a fake host: calls to virtual numbers that an earlier run left in the store.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_host.h>

#include <chrono>
#include <string>
#include <thread>

#include "support/fake_host_options.h"

using namespace patchbay;
using testing::why;

namespace {

void leave_call(testing::FakeHost& host, const std::string& id, const std::string& answered_ms) {
  const auto stored =
      host.sql("INSERT INTO ai_voice_inbound VALUES ('" + id +
               "', 'acme.example', 'Reception', '+4930111', '', 'Kore', 'de-DE', 'm', 0, 1000, " +
               answered_ms + ", 1, 'dead', 7, 0, 90, 0)");
  REQUIRE(stored.ok());
}

bool has_no_rows(testing::FakeHost& host) {
  const auto rows = host.sql("SELECT call_id FROM ai_voice_inbound");
  return rows && rows->empty();
}

template <class F>
bool becomes_true(F done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

TEST_CASE("a call of a run that died gets one end if it was answered, and none if it was not") {
  testing::FakeHost host(AI_VOICE_PLUGIN, test::on_test_store());
  const testing::FakeAudio audio(host);
  REQUIRE(why(host.start()) == "");
  leave_call(host, "vnum-00000000000a", "2000");
  leave_call(host, "vnum-00000000000b", "NULL");
  CHECK(why(host.stop()) == "");
  REQUIRE(why(host.start()) == "");
  CHECK(becomes_true([&] { return has_no_rows(host); }));
  CHECK(becomes_true([&] { return !host.events("call.ended").empty(); }));
  const auto ended = host.events("call.ended");
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].subject == "vnum-00000000000a");
  CHECK(ended[0].payload.find(R"("number":"+4930111","room":"","outcome":"far-hangup")") !=
        std::string::npos);
  // When it ended is not known: not later than the longest call.
  CHECK(ended[0].payload.find(R"("durationSec":90)") != std::string::npos);
  CHECK(why(host.stop()) == "");
}

TEST_CASE("all calls of a run that died are ended, also more than are read at once") {
  testing::FakeHost host(AI_VOICE_PLUGIN, test::on_test_store());
  const testing::FakeAudio audio(host);
  REQUIRE(why(host.start()) == "");
  constexpr size_t kLeft = 450;
  for (size_t i = 0; i < kLeft; ++i) {
    std::string id = std::to_string(i);
    leave_call(host, "vnum-" + std::string(12 - id.size(), '0') + id, "2000");
  }
  CHECK(why(host.stop()) == "");
  REQUIRE(why(host.start()) == "");
  CHECK(becomes_true([&] { return has_no_rows(host); }));
  CHECK(becomes_true([&] { return host.events("call.ended").size() == kLeft; }));
  CHECK(why(host.stop()) == "");
}

TEST_CASE("a call that was transferred when its run died ends as transferred") {
  testing::FakeHost host(AI_VOICE_PLUGIN, test::on_test_store());
  const testing::FakeAudio audio(host);
  REQUIRE(why(host.start()) == "");
  leave_call(host, "vnum-00000000000a", "2000");
  REQUIRE(host.sql("UPDATE ai_voice_inbound SET transferred = 1").ok());
  CHECK(why(host.stop()) == "");
  REQUIRE(why(host.start()) == "");
  CHECK(becomes_true([&] { return !host.events("call.ended").empty(); }));
  const auto ended = host.events("call.ended");
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].payload.find(R"("outcome":"transferred-to-vnum")") != std::string::npos);
  CHECK(why(host.stop()) == "");
}
