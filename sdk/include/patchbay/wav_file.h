// load_wav(): reads a WAV file on a worker, for a Player.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "strand.h"
#include "wav.h"

namespace patchbay {

// [worker] Reads the file, which blocks; errors name it.
inline Result<Wav> read_wav_file(const std::string& path, size_t max_samples = kMaxWavSamples) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return {Code::not_found, path + " cannot be read"};
  // Beside the samples there may be names and the like.
  if (static_cast<uint64_t>(in.tellg()) > uint64_t{max_samples} * 2 + 1024 * 1024)
    return {Code::exhausted, path + " is too large"};
  in.seekg(0);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto wav = parse_wav(bytes, max_samples);
  if (!wav) return std::move(wav).error().within(path);
  return wav;
}

// [any] Reads the file and converts it to mono samples at that rate, on a worker; then calls
// f(Result<Samples>) on the main strand. If no worker is free, f gets Code::exhausted at once.
template <class F>
void load_wav(const Host& host, const std::string& path, uint32_t rate_hz, F f) {
  const auto then = std::make_shared<F>(std::move(f));  // shared, because post_worker() may refuse the task
  const Status queued = post_worker(host, [&host, path, rate_hz, then] {
    auto wav = read_wav_file(path);
    auto samples = wav ? Result<Samples>(convert_rate(mono(*wav), wav->rate_hz, rate_hz)) : wav.error();
    post(host, kMainStrand, [then, samples = std::move(samples)]() mutable { (*then)(std::move(samples)); });
  });
  if (!queued) (*then)(Result<Samples>(queued.error()));
}

}  // namespace patchbay
