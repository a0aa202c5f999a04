#include "plugin_run/wav_file.h"

#include <doctest/doctest.h>

#include <fstream>

#include "support/child_process.h"

using namespace patchbay;

namespace {

// A WAV of these format and data bytes, valid or not.
std::string wav_of(const std::string& format, const std::string& data, const std::string& before = "") {
  const auto size = [](size_t count) {
    return std::string{static_cast<char>(count & 0xff), static_cast<char>(count >> 8 & 0xff), 0, 0};
  };
  return "RIFF" + size(0) + "WAVE" + before + "fmt " + size(format.size()) + format + "data" +
         size(data.size()) + data;
}

Result<app::Wav> read(const std::string& bytes) {
  const test::TempFolder folder;
  std::ofstream(folder.file("x.wav"), std::ios::binary) << bytes;
  return app::read_wav(folder.file("x.wav"));
}

const std::string kStereo{1, 0, 2, 0, 0x40, 0x1f, 0, 0, 0, 0, 0, 0, 4, 0, 16, 0};

}  // namespace

TEST_CASE("a written file reads back the same") {
  const test::TempFolder folder;
  REQUIRE(app::write_wav(folder.file("x.wav"), {48000, {1, -1, 32767, -32768}}));
  const auto wav = app::read_wav(folder.file("x.wav"));
  REQUIRE(wav.ok());
  CHECK(wav->rate_hz == 48000);
  CHECK(wav->samples == std::vector<int16_t>{1, -1, 32767, -32768});
}

TEST_CASE("two channels are mixed to one, and unknown chunks are skipped") {
  const std::string data{10, 0, 20, 0};
  const auto wav = read(wav_of(kStereo, data, std::string("LIST\3\0\0\0abc\0", 12)));
  REQUIRE(wav.ok());
  CHECK(wav->rate_hz == 8000);
  CHECK(wav->samples == std::vector<int16_t>{15});
}

TEST_CASE("files that are no usable WAV are refused with the reason") {
  const auto why = [](const std::string& bytes) {
    const auto wav = read(bytes);
    return wav.ok() ? std::string("taken") : wav.error().text.substr(wav.error().text.find("x.wav") + 6);
  };
  CHECK(why("") == "is not a WAV file");
  CHECK(why("RIFF....WAVE") == "has no format");
  std::string eight_bits = kStereo;
  eight_bits[14] = 8;
  CHECK(why(wav_of(eight_bits, "1234")).find("is not 16-bit PCM") == 0);
  std::string no_channels = kStereo;
  no_channels[2] = 0;
  CHECK(why(wav_of(no_channels, "1234")).find("has an unsupported number of channels") == 0);
  CHECK(why(wav_of(kStereo, "")) == "holds no sound");
  CHECK(why(wav_of(kStereo, "12")) == "holds no sound");
  // A chunk size beyond the end is cut to the file.
  std::string long_chunk = wav_of(kStereo, "1234");
  long_chunk[long_chunk.size() - 5] = 0x7f;
  CHECK(why(long_chunk) == "taken");
}
