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
               answered_ms + ", 1, 'dead', 7)");
  REQUIRE(stored.ok());
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
  CHECK(becomes_true([&] {
    const auto rows = host.sql("SELECT call_id FROM ai_voice_inbound");
    return rows && rows->empty();
  }));
  CHECK(becomes_true([&] { return !host.events("call.ended").empty(); }));
  const auto ended = host.events("call.ended");
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].subject == "vnum-00000000000a");
  CHECK(ended[0].payload.find(R"("number":"+4930111","room":"","outcome":"far-hangup")") !=
        std::string::npos);
  CHECK(why(host.stop()) == "");
}
