#include <doctest/doctest.h>
#include <patchbay/wav.h>

#include <string>

#include "support/tone.h"

using namespace patchbay;
using support::make_tone;
using support::snr_db;

namespace {

std::string bytes_of(uint32_t rate_hz, uint32_t channels, const Samples& samples) {
  return wav_bytes({rate_hz, channels, samples});
}

std::string why_not(std::string_view bytes, size_t max_samples = kMaxWavSamples) {
  const auto wav = parse_wav(bytes, max_samples);
  return wav ? "" : wav.error().text;
}

}  // namespace

TEST_CASE("a WAV file that was written is read back, mono and stereo") {
  const Samples samples{1, -1, 32767, -32768, 0, 256};
  for (const uint32_t channels : {1u, 2u}) {
    for (const uint32_t rate_hz : {8000u, 11025u, 16000u, 44100u, 48000u}) {
      const auto wav = parse_wav(bytes_of(rate_hz, channels, samples));
      REQUIRE(wav.ok());
      CHECK(wav->rate_hz == rate_hz);
      CHECK(wav->channels == channels);
      CHECK(wav->samples == samples);
    }
  }
  CHECK(wav_header(16000, 1, 3).size() == kWavHeaderBytes);
  CHECK(Wav{8000, 2, Samples(16000)}.duration_ms() == 1000);
}

TEST_CASE("other chunks are passed over, and a file that is cut off has the samples that are there") {
  std::string bytes = bytes_of(8000, 1, {1, 2, 3});
  bytes.insert(12, std::string("LIST\x03\0\0\0abc\0", 12));
  REQUIRE(parse_wav(bytes).ok());
  CHECK(parse_wav(bytes)->samples == Samples{1, 2, 3});
  bytes.resize(bytes.size() - 3);
  CHECK(parse_wav(bytes)->samples == Samples{1});
}

TEST_CASE("what is no WAV file of 16-bit PCM within the bounds is refused with a reason") {
  CHECK(why_not("") == "it is not a WAV file");
  CHECK(why_not("RIFF1234WAVE") == "the WAV file has no format");
  std::string eight_bits = bytes_of(8000, 1, {1});
  eight_bits[34] = 8;
  CHECK(why_not(eight_bits).find("is not 16-bit PCM") != std::string::npos);
  CHECK(why_not(bytes_of(8000, 3, {})) == "the WAV file has not one or two channels");
  CHECK(why_not(bytes_of(8000, 0, {})) == "the WAV file has not one or two channels");
  CHECK(why_not(bytes_of(7999, 1, {})) == "the rate of the WAV file is not 8000 to 48000 Hz");
  CHECK(why_not(bytes_of(48001, 1, {})) == "the rate of the WAV file is not 8000 to 48000 Hz");
  CHECK(why_not(bytes_of(8000, 1, {1, 2, 3}), 2) == "the WAV file has more than 2 samples");
  CHECK(why_not(bytes_of(8000, 1, {1, 2}), 2) == "");
}

TEST_CASE("one channel of two is their mean") {
  CHECK(mono({8000, 2, {100, 200, -32768, -32768}}) == Samples{150, -32768});
  CHECK(mono({8000, 1, {100, 200}}) == Samples{100, 200});
}

TEST_CASE("a tone is the same tone at another rate, and what would alias is gone") {
  const uint32_t rates[] = {8000, 11025, 16000, 22050, 44100, 48000};
  for (const uint32_t from_hz : rates) {
    const auto tone = make_tone(1000, from_hz, from_hz / 2);
    for (const uint32_t to_hz : rates) {
      const Samples out = convert_rate(tone, from_hz, to_hz);
      CAPTURE(from_hz);
      CAPTURE(to_hz);
      REQUIRE(out.size() == tone.size() * to_hz / from_hz);
      CHECK(snr_db(out.data() + to_hz / 10, to_hz / 4, 1000, to_hz) > 50);
    }
  }
  const Samples high = convert_rate(make_tone(6000, 48000, 24000), 48000, 8000);
  CHECK(support::level_db(high.data() + 800, 2000) < -60);
  CHECK(convert_rate({}, 8000, 16000).empty());
}
