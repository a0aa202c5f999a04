#include "plugin_run/wav_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace patchbay::app {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{512} << 20;

uint32_t little(std::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= uint32_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

void append(std::string& out, uint32_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

// Returns the data of the named RIFF chunk; empty when it is missing.
std::string_view chunk(std::string_view bytes, std::string_view name) {
  for (size_t at = 12; at + 8 <= bytes.size();) {
    const uint64_t size = little(bytes, at + 4, 4);
    if (bytes.substr(at, 4) == name)
      return bytes.substr(at + 8, std::min<uint64_t>(size, bytes.size() - at - 8));
    at += 8 + size + (size & 1);
  }
  return {};
}

Result<Wav> parse(std::string_view bytes) {
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE")
    return {Code::invalid, "is not a WAV file"};
  const std::string_view format = chunk(bytes, "fmt "), data = chunk(bytes, "data");
  constexpr uint32_t kPcm = 1, kExtensible = 0xfffe;
  if (format.size() < 16) return {Code::invalid, "has no format"};
  const uint32_t coding = little(format, 0, 2), channels = little(format, 2, 2),
                 rate_hz = little(format, 4, 4);
  if ((coding != kPcm && coding != kExtensible) || little(format, 14, 2) != 16)
    return {Code::invalid, "is not 16-bit PCM; `sox in.wav -b 16 -e signed out.wav` makes it so"};
  if (channels == 0 || channels > 32 || rate_hz < 4000 || rate_hz > 192000)
    return {Code::invalid, "has an unsupported number of channels or sample rate"};
  Wav wav{rate_hz, {}};
  const size_t frames = data.size() / (2 * channels);
  wav.samples.reserve(frames);
  for (size_t i = 0; i < frames; ++i) {
    int32_t sum = 0;
    for (uint32_t c = 0; c < channels; ++c)
      sum += static_cast<int16_t>(little(data, (i * channels + c) * 2, 2));
    wav.samples.push_back(static_cast<int16_t>(sum / static_cast<int32_t>(channels)));
  }
  if (wav.samples.empty()) return {Code::invalid, "holds no sound"};
  return wav;
}

}  // namespace

Result<Wav> read_wav(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {Code::not_found, file + " cannot be read"};
  if (static_cast<uint64_t>(in.tellg()) > kMaxBytes) return {Code::invalid, file + " is larger than 512 MiB"};
  in.seekg(0);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto wav = parse(bytes);
  if (!wav) return {wav.error().code, file + " " + wav.error().text};
  return wav;
}

Status write_wav(const std::string& file, const Wav& wav) {
  const auto size = static_cast<uint32_t>(wav.samples.size() * 2);
  std::string bytes = "RIFF";
  append(bytes, 36 + size, 4);
  bytes += "WAVEfmt ";
  append(bytes, 16, 4);
  append(bytes, 1, 2);  // PCM
  append(bytes, 1, 2);  // channel
  append(bytes, wav.rate_hz, 4);
  append(bytes, wav.rate_hz * 2, 4);
  append(bytes, 2, 2);
  append(bytes, 16, 2);
  bytes += "data";
  append(bytes, size, 4);
  for (const int16_t sample : wav.samples) append(bytes, static_cast<uint16_t>(sample), 2);
  std::ofstream out(file, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) return {Code::failed, file + " cannot be written"};
  return {};
}

}  // namespace patchbay::app
