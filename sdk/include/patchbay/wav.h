// WAV files of 16-bit PCM, in memory: parse_wav() and wav_bytes(). Pure functions for strands and workers;
// the plugin reads and writes the files, on a worker.
//
//   auto wav = parse_wav(bytes);
//   if (wav) player.play(convert_rate(mono(*wav), wav->rate_hz, 16000), [] { ... });
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"

namespace patchbay {

// Samples of signed 16-bit PCM.
using Samples = std::vector<int16_t>;

struct Wav {
  uint32_t rate_hz = 16000;  // 8000 to 48000
  uint32_t channels = 1;     // 1 or 2
  Samples samples;           // of all channels, interleaved

  int64_t duration_ms() const noexcept {
    const uint64_t per_second = uint64_t{rate_hz} * channels;
    return per_second == 0 ? 0 : static_cast<int64_t>(samples.size() * 1000 / per_second);
  }
};

constexpr uint32_t kMinWavHz = 8000;
constexpr uint32_t kMaxWavHz = 48000;
constexpr size_t kWavHeaderBytes = 44;
// An hour of mono at 16 kHz.
constexpr size_t kMaxWavSamples = size_t{16000} * 3600;

namespace detail {

inline uint32_t wav_number(std::string_view bytes, size_t at, size_t count) noexcept {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= uint32_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

inline void append_wav_number(std::string& out, uint32_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

// The data of the first RIFF chunk of that name, as much of it as there is; empty when it is missing.
inline std::string_view wav_chunk(std::string_view bytes, std::string_view name) noexcept {
  for (uint64_t at = 12; at + 8 <= bytes.size();) {
    const uint64_t size = wav_number(bytes, static_cast<size_t>(at) + 4, 4);
    if (bytes.substr(static_cast<size_t>(at), 4) == name)
      return bytes.substr(static_cast<size_t>(at) + 8,
                          static_cast<size_t>(std::min<uint64_t>(size, bytes.size() - at - 8)));
    at += 8 + size + (size & 1);
  }
  return {};
}

}  // namespace detail

// Reads 16-bit PCM of one or two channels and 8 to 48 kHz, of a file that may be cut off. Errors:
// Code::invalid: it is something else, the text says what; Code::exhausted: more than `max_samples`, of all
// channels together.
inline Result<Wav> parse_wav(std::string_view bytes, size_t max_samples = kMaxWavSamples) {
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE")
    return {Code::invalid, "it is not a WAV file"};
  const std::string_view format = detail::wav_chunk(bytes, "fmt "), data = detail::wav_chunk(bytes, "data");
  if (format.size() < 16) return {Code::invalid, "the WAV file has no format"};
  constexpr uint32_t kPcm = 1, kExtensible = 0xfffe;
  const uint32_t coding = detail::wav_number(format, 0, 2);
  if ((coding != kPcm && coding != kExtensible) || detail::wav_number(format, 14, 2) != 16)
    return {Code::invalid,
            "the WAV file is not 16-bit PCM; `sox in.wav -b 16 -e signed out.wav` makes it so"};
  Wav wav;
  wav.channels = detail::wav_number(format, 2, 2);
  wav.rate_hz = detail::wav_number(format, 4, 4);
  if (wav.channels < 1 || wav.channels > 2)
    return {Code::invalid, "the WAV file has not one or two channels"};
  if (wav.rate_hz < kMinWavHz || wav.rate_hz > kMaxWavHz)
    return {Code::invalid, "the rate of the WAV file is not 8000 to 48000 Hz"};
  const size_t count = data.size() / (2 * wav.channels) * wav.channels;
  if (count > max_samples)
    return {Code::exhausted, "the WAV file has more than " + std::to_string(max_samples) + " samples"};
  wav.samples.resize(count);
  for (size_t i = 0; i < count; ++i)
    wav.samples[i] = static_cast<int16_t>(detail::wav_number(data, 2 * i, 2));
  return wav;
}

// The 44 octets before `samples` samples, of all channels together, for a file that is written in parts.
inline std::string wav_header(uint32_t rate_hz, uint32_t channels, size_t samples) {
  const auto size = static_cast<uint32_t>(samples * 2);
  std::string bytes = "RIFF";
  detail::append_wav_number(bytes, 36 + size, 4);
  bytes += "WAVEfmt ";
  detail::append_wav_number(bytes, 16, 4);
  detail::append_wav_number(bytes, 1, 2);  // PCM
  detail::append_wav_number(bytes, channels, 2);
  detail::append_wav_number(bytes, rate_hz, 4);
  detail::append_wav_number(bytes, rate_hz * channels * 2, 4);
  detail::append_wav_number(bytes, channels * 2, 2);
  detail::append_wav_number(bytes, 16, 2);
  bytes += "data";
  detail::append_wav_number(bytes, size, 4);
  return bytes;
}

// The whole file.
inline std::string wav_bytes(const Wav& wav) {
  std::string bytes = wav_header(wav.rate_hz, wav.channels, wav.samples.size());
  bytes.reserve(bytes.size() + wav.samples.size() * 2);
  for (const int16_t sample : wav.samples) detail::append_wav_number(bytes, static_cast<uint16_t>(sample), 2);
  return bytes;
}

// One channel: the mean of both.
inline Samples mono(const Wav& wav) {
  if (wav.channels < 2) return wav.samples;
  Samples out(wav.samples.size() / 2);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<int16_t>((int32_t{wav.samples[2 * i]} + wav.samples[2 * i + 1]) / 2);
  return out;
}

// Converts mono samples to another rate, 8 to 48 kHz each, filtered so that nothing aliases. It takes about 5
// ms for a second of audio, so have a worker convert long files.
inline Samples convert_rate(const Samples& in, uint32_t from_hz, uint32_t to_hz) {
  if (from_hz == to_hz || in.empty() || from_hz == 0 || to_hz == 0) return in;
  constexpr double kPi = 3.14159265358979323846;
  constexpr int kZeroCrossings = 16, kSteps = 256;
  const double scale = std::min(1.0, static_cast<double>(to_hz) / from_hz) * 0.95;  // of the cut-off
  const double reach = kZeroCrossings / scale;                                      // in samples of `in`
  // One side of a sinc in a Hann window, at kSteps points per zero crossing.
  std::vector<double> kernel(size_t{kZeroCrossings} * kSteps + 2);
  for (size_t i = 0; i < kernel.size(); ++i) {
    const double x = static_cast<double>(i) / kSteps;
    const double window = x < kZeroCrossings ? 0.5 + 0.5 * std::cos(kPi * x / kZeroCrossings) : 0;
    kernel[i] = window * (i == 0 ? 1 : std::sin(kPi * x) / (kPi * x));
  }
  Samples out(static_cast<size_t>(uint64_t{in.size()} * to_hz / from_hz));
  for (size_t i = 0; i < out.size(); ++i) {
    const double at = static_cast<double>(i) * from_hz / to_hz;
    const auto first = static_cast<int64_t>(std::ceil(std::max(0.0, at - reach)));
    const auto last =
        static_cast<int64_t>(std::floor(std::min(static_cast<double>(in.size() - 1), at + reach)));
    double sum = 0;
    for (int64_t j = first; j <= last; ++j) {
      const double x = std::abs(at - static_cast<double>(j)) * scale * kSteps;
      const auto step = static_cast<size_t>(x);
      const double between = x - static_cast<double>(step);
      if (step + 1 < kernel.size())
        sum += in[static_cast<size_t>(j)] * (kernel[step] * (1 - between) + kernel[step + 1] * between);
    }
    out[i] = static_cast<int16_t>(std::lrint(std::clamp(sum * scale, -32768.0, 32767.0)));
  }
  return out;
}

}  // namespace patchbay
