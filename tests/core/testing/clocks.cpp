// Time, the store, events and logs, with a plugin that is linked into the test.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_host.h>

#include <filesystem>

#include "scripted_plugin.h"
#include "support/fake_host_options.h"

using namespace patchbay;
using test::on_test_store;
using testing::FakeHost;
using testing::why;

TEST_CASE("what a plugin commits is there to be looked at, and to be seeded") {
  FakeHost host(scripted_plugin::entry, on_test_store());
  REQUIRE(why(host.start()) == "");
  host.publish({"visit.asked", "localhost", "Eva", "", "{}"});
  const auto rows = host.sql("SELECT who FROM scripted_visit");
  REQUIRE(rows.ok());
  REQUIRE(rows->size() == 1);
  CHECK(rows->text(0, 0) == "Eva");
  const auto kept = host.events("visit.kept");
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].durable());
  CHECK(kept[0].time_ms == host.wall_ms());
  CHECK(host.sql("INSERT INTO scripted_visit (who) VALUES ($1)", {"Otto"}).ok());
  CHECK(host.sql("SELECT count(*) FROM scripted_visit")->integer(0, 0) == 2);
  const std::string reason = why(host.sql("SELECT missing FROM scripted_visit"));
  CHECK(reason.find(test::on_postgres() ? "column \"missing\" does not exist" : "no such column: missing") !=
        std::string::npos);
}

TEST_CASE("a job runs when its time has come, not before") {
  FakeHost host(scripted_plugin::entry, on_test_store());
  REQUIRE(why(host.start()) == "");
  host.publish({"visit.asked", "localhost", "Eva", "", "{}"});
  CHECK(host.advance_ms(59'999));
  CHECK(host.events("visit.reminded").empty());
  CHECK(host.advance_ms(1));
  REQUIRE(host.events("visit.reminded").size() == 1);
  CHECK(host.events("visit.reminded")[0].subject == "Eva");
  CHECK(host.sql("SELECT count(*) FROM core_job")->integer(0, 0) == 0);
}

TEST_CASE("media loops tick fifty times in a second of the test's") {
  FakeHost host(scripted_plugin::entry, on_test_store());
  REQUIRE(why(host.start()) == "");
  CHECK(host.metric("patchbay_scripted_ticks") == 0);
  CHECK(host.advance_ms(1000));
  CHECK(host.metric("patchbay_scripted_ticks") == 50);
  CHECK(host.metric("patchbay_scripted_nothing") == -1);
}

TEST_CASE("a step that waits for a timer is begun, and answered when the clock has moved") {
  FakeHost host(scripted_plugin::entry, on_test_store());
  REQUIRE(why(host.start(R"({"fault": "drain"})")) == "");
  REQUIRE(why(host.begin_step(PB_STEP_DRAIN)) == "");
  CHECK(host.advance_ms(999));
  CHECK_FALSE(host.step_answer());
  CHECK(why(host.begin_step(PB_STEP_STOP)) == "the step before this one has not been answered");
  CHECK(host.advance_ms(1));
  REQUIRE(host.step_answer());
  CHECK(why(host.stop()) == "");
}

TEST_CASE("a secret is in no line") {
  FakeHost host(scripted_plugin::entry, on_test_store());
  REQUIRE(why(host.start(R"({"token": "Open-Sesame-0123456789"})")) == "");
  REQUIRE(host.lines().size() == 1);
  CHECK(host.lines()[0].field("value") == "[redacted]");
}

TEST_CASE("the wall clock is set alone, as an operator would") {
  testing::Options options;
  options.wall_ms = 1'800'000'000'000;
  FakeHost host(scripted_plugin::entry, on_test_store(options));
  CHECK(host.wall_ms() == 1'800'000'000'000);
  const int64_t mono = host.host().mono_ns();
  CHECK(host.set_wall_ms(1'900'000'000'000));
  CHECK(host.wall_ms() == 1'900'000'000'000);
  CHECK(host.host().mono_ns() == mono);
}

TEST_CASE("a host by the real clock lets a plugin live, and leaves its folder to the test") {
  const auto folder = std::filesystem::temp_directory_path() / ("patchbay-own-" + std::to_string(::getpid()));
  {
    testing::Options options;
    options.real_time = true;
    options.folder = folder.string();
    FakeHost host(scripted_plugin::entry, on_test_store(options));
    REQUIRE(why(host.start()) == "");
    for (int i = 0; i < 500 && host.metric("patchbay_scripted_ticks") < 3; ++i) host.on_media([] {});
    CHECK(host.metric("patchbay_scripted_ticks") >= 3);
    CHECK_FALSE(host.advance_ms(1));
    CHECK(why(host.stop()) == "");
    CHECK(host.problem_text() == "");
  }
  CHECK(std::filesystem::exists(folder / "sealing.key"));
  std::filesystem::remove_all(folder);
}
