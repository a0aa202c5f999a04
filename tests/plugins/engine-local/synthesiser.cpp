#include "synthesiser.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <memory>

#include "engine/voices.h"
#include "local_limits.h"
#include "support/within.h"

using namespace patchbay::engine_local;
using patchbay::lib::kVoices;

namespace {

constexpr std::chrono::seconds kPatience(40);

// Blocks the worker in one sentence until it is destroyed.
struct BlockedWorker {
  explicit BlockedWorker(Synthesiser& synthesiser) {
    // Shared with the worker, which may still use them when this has gone on.
    const auto begun = std::make_shared<std::promise<void>>();
    const std::shared_future<void> ended = end.get_future().share();
    REQUIRE(synthesiser.speak({{"Wait.",
                                [begun, ended](const std::vector<int16_t>&) {
                                  begun->set_value();
                                  ended.wait();
                                }}},
                              Voice()));
    REQUIRE(begun->get_future().wait_for(kPatience) == std::future_status::ready);
  }
  ~BlockedWorker() { end.set_value(); }
  std::promise<void> end;
};

}  // namespace

TEST_CASE("texts are refused while the queue is full") {
  std::atomic<size_t> said{0};
  Synthesiser synthesiser;
  const auto text = [&](size_t sentences) {
    std::vector<Synthesiser::Sentence> all;
    // Blanks only, so that there is nothing to synthesise.
    for (size_t i = 0; i < sentences; ++i) all.push_back({" ", [&](const std::vector<int16_t>&) { ++said; }});
    return all;
  };
  CHECK_FALSE(synthesiser.speak(text(0), Voice()));
  CHECK_FALSE(synthesiser.speak(text(kMaxSentences + 1), Voice()));
  {
    const BlockedWorker blocked(synthesiser);
    size_t taken = 0;
    while (taken + 64 <= kMaxWaitingSentences) {
      CHECK(synthesiser.speak(text(64), Voice()));
      taken += 64;
    }
    CHECK(taken == kMaxWaitingSentences);
    CHECK_FALSE(synthesiser.speak(text(1), Voice()));
    CHECK(said == 0);
  }
  CHECK(within(kPatience, [&] { return said == kMaxWaitingSentences; }));
  CHECK(synthesiser.speak(text(1), Voice()));
  CHECK(within(kPatience, [&] { return said == kMaxWaitingSentences + 1; }));
}

TEST_CASE("every one of the 14 voices sounds different") {
  CHECK(kVoices.size() == 14);
  for (const std::string_view a : kVoices)
    for (const std::string_view b : kVoices) {
      if (a == b) continue;
      Voice x = voice_of(a), y = voice_of(b);
      CHECK((x.base != y.base || x.stretch != y.stretch || x.pitch != y.pitch));
    }
}
