// A caller's voice for the local engine: flite's voice rms, with the audio quality of a telephone.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "codec/g711.h"
#include "resampler/resampler.h"
#include "synthesiser.h"

namespace patchbay::engine_local::test {

inline std::vector<int16_t> spoken(const std::string& text) {
  engine_local::Synthesiser synthesiser;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int16_t> out;
  bool done = false;
  const auto take = [&](std::vector<int16_t> samples) {
    std::lock_guard lock(mutex);
    out = std::move(samples);
    done = true;
    changed.notify_all();
  };
  synthesiser.speak({{text, take}}, {engine_local::FliteVoice::rms, 1.0f, 1.0f});
  std::unique_lock lock(mutex);
  changed.wait_for(lock, std::chrono::seconds(60), [&] { return done; });
  return out;
}

// 16 kHz to 8 kHz mu-law and back, with noise at -60 dBFS.
inline std::vector<int16_t> over_the_phone(const std::vector<int16_t>& wide) {
  auto down = lib::Resampler::create(16000, 8000), up = lib::Resampler::create(8000, 16000);
  auto narrow = down->process(wide);
  uint32_t state = 7;
  for (auto& sample : narrow) {
    state = state * 1664525u + 1013904223u;
    sample = static_cast<int16_t>(sample + static_cast<int>(state >> 26) - 32);
  }
  std::vector<uint8_t> wire(narrow.size());
  lib::g711_encode(lib::G711::mu_law, narrow.data(), narrow.size(), wire.data());
  lib::g711_decode(lib::G711::mu_law, wire.data(), wire.size(), narrow.data());
  return up->process(narrow);
}

inline std::vector<int16_t> phone(const std::string& text) {
  std::vector<int16_t> out(8000);  // half a second before and after
  auto speech = spoken(text);
  out.insert(out.end(), speech.begin(), speech.end());
  out.resize(out.size() + 8000);
  return over_the_phone(out);
}

}  // namespace patchbay::engine_local::test
