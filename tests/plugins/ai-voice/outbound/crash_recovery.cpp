// The plugin on a fake host: outbound calls that an earlier run left in the store.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_audio.h>
#include <patchbay/testing/fake_host.h>

#include <string>
#include <vector>

#include "support/fake_host_options.h"

using namespace patchbay;
using testing::why;

namespace {

// A call that talks, at a server that died.
void leave_answered_call(testing::FakeHost& host, const std::string& id, bool is_transferred) {
  const auto stored = host.sql(
      "INSERT INTO ai_voice_call (call_id, tenant, created_ms, requested_by, phone, display_name, email, "
      "system_prompt, model, voice, language, max_seconds, status, attempt, retries_left, "
      "retry_delay_minutes, dispatched_ms, answered_ms, ended_reason, duration_sec, trunk_id, "
      "transcript_path, error_detail, owner_run, rev, owner_node, owner_epoch, transferred) VALUES ('" +
      id +
      "', 'acme.example', 1000, 'alice', '+4930123456', '', '', 'Be brief.', 'm', 'Kore', 'de-DE', 90, "
      "'in-flight', 1, 2, 5, 1500, 2000, '', 0, 'main', '', '', 7, 3, 'dead', 7, " +
      (is_transferred ? "1" : "0") + ")");
  REQUIRE(why(stored) == "");
}

}  // namespace

TEST_CASE("an answered call of a run that died ends as transferred if it was, else as interrupted") {
  testing::FakeHost host(AI_VOICE_PLUGIN, test::on_test_store());
  const testing::FakeAudio audio(host);
  REQUIRE(why(host.start()) == "");
  leave_answered_call(host, "oac-00000000000a", false);
  leave_answered_call(host, "oac-00000000000b", true);
  REQUIRE(host.sql("INSERT INTO ai_voice_call_count VALUES ('acme.example', 'in-flight', 2)").ok());
  CHECK(why(host.stop()) == "");
  REQUIRE(why(host.start()) == "");
  // Waits for a transcripts plugin first.
  for (int i = 0; i < 100 && host.events("outbound-ai.finished").size() < 2; ++i)
    REQUIRE(why(host.advance_ms(500)) == "");
  const auto rows = host.sql("SELECT status, ended_reason, error_detail FROM ai_voice_call ORDER BY call_id");
  REQUIRE(rows.ok());
  REQUIRE(rows->size() == 2);
  const auto row = [&](size_t at) {
    return std::string(rows->text(at, 0)) + " " + std::string(rows->text(at, 1)) + " " +
           std::string(rows->text(at, 2));
  };
  CHECK(row(0) == "ended-failed-final far-hangup interrupted");
  CHECK(row(1) == "ended-success transferred-to-vnum interrupted");
  CHECK(host.events("outbound-ai.finished").size() == 2);
  CHECK(why(host.stop()) == "");
}
