// Rules of the boundary that a plugin breaks, and how the fake host reports it.
#include <doctest/doctest.h>
#include <patchbay/testing/fake_host.h>

#include <algorithm>

#include "scripted_plugin.h"

using namespace patchbay;
using testing::FakeHost;
using testing::why;

namespace {

std::vector<testing::Problem> problems_of(const char* fault) {
  FakeHost host(scripted_plugin::entry);
  CHECK(why(host.start(std::string(R"({"fault": ")") + fault + "\"}")) == "");
  CHECK(host.advance_ms(20));
  CHECK(why(host.stop()) == "");
  return host.problems();
}

}  // namespace

TEST_CASE("a plugin that keeps the rules has no problems") { CHECK(problems_of("none").empty()); }

TEST_CASE("an event published on a media loop is named") {
  const auto problems = problems_of("media");
  REQUIRE_FALSE(problems.empty());
  CHECK(problems[0].name == "media-thread");
  CHECK(problems[0].plugin == "scripted");
  CHECK(problems[0].text.find("publish() was called on a media loop") == 0);
}

TEST_CASE("a lease that is given back twice is named") {
  const auto problems = problems_of("twice");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].name == "dead-handle");
  CHECK(problems[0].text.find("unlease() was called for a lease that it does not hold") == 0);
}

TEST_CASE("a lease that is never given back is counted") {
  const auto problems = problems_of("leak");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].name == "left-behind");
  CHECK(problems[0].text.find("destroyed with 1 lease still held") == 0);
}

TEST_CASE("a descriptor and a timer that are left on a media loop are counted, and not called any more") {
  const auto problems = problems_of("loop");
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].name == "left-behind");
  CHECK(problems[0].text.find("destroyed with 1 media watch still held") == 0);
  CHECK(problems[1].text.find("destroyed with 1 media timer still held") == 0);
}

TEST_CASE("an exception is contained and reported") {
  const auto problems = problems_of("throw");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].name == "thrown");
  CHECK(problems[0].text.find("as told") != std::string::npos);
}

TEST_CASE("a task that holds its strand is named with the strand") {
  testing::Options options;
  options.stall_ms = 40;
  FakeHost host(scripted_plugin::entry, options);
  CHECK(why(host.start(R"({"fault": "block"})")) == "");
  // A loaded machine may have held other strands too.
  const auto problems = host.problems();
  const auto held = std::find_if(problems.begin(), problems.end(), [](const testing::Problem& problem) {
    return problem.text.find("a task has held its strand 'main'") == 0;
  });
  REQUIRE(held != problems.end());
  CHECK(held->name == "stalled");
  CHECK(held->plugin == "scripted");
}

namespace {

// A plugin in terms of the boundary: it answers its stop twice.
const pb_plugin kTwice{
    sizeof(pb_plugin),
    0,
    [](void*, pb_str, const pb_done* done) noexcept { done->call(done->self, PB_OK, nullptr); },
    [](void*, pb_str, pb_err*) noexcept -> int32_t { return PB_OK; },
    [](void*, pb_str) noexcept {},
    [](void*, const pb_done*) noexcept {},  // never drained
    [](void*, const pb_done* done) noexcept {
      done->call(done->self, PB_OK, nullptr);
      done->call(done->self, PB_OK, nullptr);
    },
    [](void*) noexcept {}};

// The same, but its stop never returns.
const pb_plugin kStuck{sizeof(pb_plugin),
                       0,
                       kTwice.start,
                       kTwice.check_config,
                       kTwice.reconfigure,
                       kTwice.drain,
                       [](void*, const pb_done*) noexcept {},
                       kTwice.destroy};

constexpr char kManifest[] = R"({"id": "twice", "version": "1.0.0"})";
template <const pb_plugin& table_of_it>
int32_t create(const pb_host*, const pb_plugin** table, void** self, pb_err*) noexcept {
  static int nothing = 0;
  *table = &table_of_it;
  *self = &nothing;
  return PB_OK;
}
const pb_entry kStuckEntry{
    PB_MAGIC, sizeof(pb_entry), PB_ABI_MAJOR, PB_ABI_MINOR, 0, {kManifest, sizeof kManifest - 1},
    {},       &create<kStuck>};
const pb_entry kEntry{
    PB_MAGIC, sizeof(pb_entry), PB_ABI_MAJOR, PB_ABI_MINOR, 0, {kManifest, sizeof kManifest - 1},
    {},       &create<kTwice>};

}  // namespace

TEST_CASE("a second answer to one question is named") {
  FakeHost host(kEntry);
  REQUIRE(why(host.start()) == "");
  CHECK(why(host.stop()) == "");
  REQUIRE(host.problems().size() == 1);
  CHECK(host.problems()[0].name == "answered-twice");
}

TEST_CASE("a step that never ends times out, and no further step can follow") {
  testing::Options options;
  options.wait_ms = 3000;
  FakeHost host(kEntry, options);
  REQUIRE(why(host.start()) == "");
  CHECK(why(host.drain()) == "drain timed out");
  CHECK(why(host.stop()) == "the step before this one has not been answered");
}

TEST_CASE("a plugin that never stops is leaked, and the test continues") {
  testing::Options options;
  options.wait_ms = 3000;
  {
    FakeHost host(kStuckEntry, options);
    REQUIRE(why(host.start()) == "");
    CHECK(why(host.stop()) == "stop timed out");
  }
  FakeHost next(kEntry);
  CHECK(why(next.start()) == "");
}

TEST_CASE("steps are refused out of their order") {
  FakeHost host(kEntry);
  CHECK(why(host.step(PB_STEP_START)) == "the plugin has not been made");
  CHECK(why(host.step(PB_STEP_CREATE)) == "");
  CHECK(why(host.step(PB_STEP_CREATE)) == "the plugin is there already");
  CHECK(why(host.step(99)) == "there is no such step");
}
