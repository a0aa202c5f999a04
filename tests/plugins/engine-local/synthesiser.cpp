#include "synthesiser.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>

#include "support/within.h"

using namespace patchbay::engine_local;

namespace {

constexpr std::chrono::seconds kPatience(40);

// Keeps the worker at one sentence until it goes.
struct Held {
  explicit Held(Synthesiser& synthesiser) {
    std::promise<void> begun;
    REQUIRE(synthesiser.speak({{"Wait.",
                                [&](const std::vector<int16_t>&) {
                                  begun.set_value();
                                  end.get_future().wait();
                                }}},
                              Voice()));
    REQUIRE(begun.get_future().wait_for(kPatience) == std::future_status::ready);
  }
  ~Held() { end.set_value(); }
  std::promise<void> end;
};

}  // namespace

TEST_CASE("texts for which too many wait are refused until the voice has caught up") {
  std::atomic<size_t> said{0};
  Synthesiser synthesiser;
  const auto text = [&](size_t sentences) {
    std::vector<Synthesiser::Sentence> all;
    // Of blanks only: nothing to synthesise.
    for (size_t i = 0; i < sentences; ++i) all.push_back({" ", [&](const std::vector<int16_t>&) { ++said; }});
    return all;
  };
  CHECK_FALSE(synthesiser.speak(text(0), Voice()));
  CHECK_FALSE(synthesiser.speak(text(Synthesiser::kMaxSentences + 1), Voice()));
  {
    const Held held(synthesiser);
    size_t taken = 0;
    while (taken + 64 <= Synthesiser::kMaxWaiting) {
      CHECK(synthesiser.speak(text(64), Voice()));
      taken += 64;
    }
    CHECK(taken == Synthesiser::kMaxWaiting);
    CHECK_FALSE(synthesiser.speak(text(1), Voice()));
    CHECK(said == 0);
  }
  CHECK(within(kPatience, [&] { return said == Synthesiser::kMaxWaiting; }));
  CHECK(synthesiser.speak(text(1), Voice()));
  CHECK(within(kPatience, [&] { return said == Synthesiser::kMaxWaiting + 1; }));
}
