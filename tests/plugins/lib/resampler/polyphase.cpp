#include "resampler/polyphase.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace patchbay::lib;

namespace {

using Samples = std::vector<int16_t>;

// Ends with a whole group of every ratio.
Samples noise(size_t size) {
  std::minstd_rand random;
  Samples out(size);
  for (int16_t& sample : out) sample = static_cast<int16_t>(random() >> 8);
  return out;
}

Samples convert(const PolyphaseFilter& filter, PolyphaseKernel kernel, const Samples& in) {
  Samples out(in.size() / filter.down() * filter.up());
  CHECK(Polyphase(filter, kernel).process(in.data(), in.size(), out.data(), out.size()) == out.size());
  return out;
}

template <class Check>
void for_each_ratio(Check check) {
  for (uint32_t up = 1; up <= PolyphaseFilter::kMaxFactor; ++up)
    for (uint32_t down = 1; down <= PolyphaseFilter::kMaxFactor; ++down) {
      CAPTURE(up);
      CAPTURE(down);
      const PolyphaseFilter* filter = PolyphaseFilter::find(up, down);
      CHECK((filter != nullptr) == (std::max(up, down) != 1 && std::max(up, down) != 5));
      if (filter != nullptr) check(*filter);
    }
}

}  // namespace

TEST_CASE("all kernels of this processor give the same result, within 1") {
  const Samples in = noise(60 * 163);
  for_each_ratio([&](const PolyphaseFilter& filter) {
    const Samples first = convert(filter, polyphase_kernels().front(), in);
    for (const PolyphaseKernel kernel : polyphase_kernels()) {
      const Samples out = convert(filter, kernel, in);
      int worst = 0;
      for (size_t i = 0; i < out.size(); ++i) worst = std::max(worst, std::abs(out[i] - first[i]));
      CHECK(worst <= 1);
    }
  });
}

TEST_CASE("a stream in pieces of any size gives the same samples as in one piece") {
  const Samples in = noise(60 * 70);
  for (const PolyphaseKernel kernel : polyphase_kernels()) {
    for_each_ratio([&](const PolyphaseFilter& filter) {
      const Samples whole = convert(filter, kernel, in);
      Polyphase stream(filter, kernel);
      Samples out(whole.size() + 8);
      size_t written = 0;
      for (size_t at = 0, size = 1; at < in.size(); at += size, size = size * 7 % 331) {
        size = std::min(size, in.size() - at);
        written += stream.process(in.data() + at, size, out.data() + written, out.size() - written);
        CHECK(written == (at + size) / filter.down() * filter.up());
      }
      out.resize(written);
      CHECK(out == whole);
    });
  }
}

TEST_CASE("a full-scale square wave is limited instead of wrapped") {
  Samples in(600);
  for (size_t i = 0; i < in.size(); ++i) in[i] = i / 30 % 2 == 0 ? int16_t{32767} : int16_t{-32768};
  for (const PolyphaseKernel kernel : polyphase_kernels()) {
    const Samples out = convert(*PolyphaseFilter::find(2, 1), kernel, in);
    CHECK(*std::max_element(out.begin(), out.end()) == 32767);
    CHECK(*std::min_element(out.begin(), out.end()) == -32768);
    int largest_step = 0;
    for (size_t i = 1; i < out.size(); ++i)
      largest_step = std::max(largest_step, std::abs(out[i] - out[i - 1]));
    CHECK(largest_step < 50000);  // an edge takes two samples or more; a wrapped one would be 65535
  }
}

TEST_CASE("digital silence stays silent, and leaves no trace in what follows") {
  const Samples sound = noise(600), silence(60 * 170, 0);
  for_each_ratio([&](const PolyphaseFilter& filter) {
    const auto kernel = polyphase_kernels().front();
    Samples in = sound;
    in.insert(in.end(), silence.begin(), silence.end());
    in.insert(in.end(), sound.begin(), sound.end());
    const Samples out = convert(filter, kernel, in), alone = convert(filter, kernel, sound);
    const auto again = out.end() - static_cast<ptrdiff_t>(alone.size());
    CHECK(std::equal(out.begin(), out.begin() + static_cast<ptrdiff_t>(alone.size()), alone.begin()));
    CHECK(std::equal(again, out.end(), alone.begin()));
    CHECK(std::all_of(again - 60, again, [](int16_t sample) { return sample == 0; }));
    // The filter still rings after the sound.
    const auto after = out.begin() + static_cast<ptrdiff_t>(alone.size());
    CHECK(std::any_of(after, after + 60, [](int16_t sample) { return sample != 0; }));
  });
}

TEST_CASE("a constant stays exactly constant") {
  const Samples in(60 * 20, 12345);
  for_each_ratio([&](const PolyphaseFilter& filter) {
    const Samples out = convert(filter, polyphase_kernels().front(), in);
    const size_t settled = 2 * PolyphaseFilter::kLength * filter.up();
    CHECK(std::all_of(out.begin() + static_cast<ptrdiff_t>(settled), out.end(),
                      [](int16_t sample) { return sample == 12345; }));
  });
}

TEST_CASE("a filter is built once, and only for small numbers") {
  CHECK(PolyphaseFilter::find(2, 3) == PolyphaseFilter::find(2, 3));
  CHECK(PolyphaseFilter::find(7, 1) == nullptr);
  CHECK(PolyphaseFilter::find(1, 7) == nullptr);
  CHECK(PolyphaseFilter::find(0, 1) == nullptr);
}
