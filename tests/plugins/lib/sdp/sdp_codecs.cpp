#include "sdp/sdp_codecs.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;

namespace {

LocalMedia all_codecs() {
  LocalMedia media;
  media.rtp = *SocketAddress::parse("192.0.2.1", 4000);
  media.codecs = {Codec::opus, Codec::g722, Codec::pcma, Codec::pcmu};
  return media;
}

std::string with_audio(const std::string& lines) {
  return "v=0\r\no=- 1 1 IN IP4 198.51.100.2\r\ns=-\r\nc=IN IP4 198.51.100.2\r\nt=0 0\r\n" + lines;
}

std::string audio_of(const std::string& sdp) { return sdp.substr(sdp.find("m=audio")); }

const std::string kBrowserAudio =
    "m=audio 5000 RTP/AVP 111 9 0 8 13 110 126\r\na=rtpmap:111 opus/48000/2\r\n"
    "a=fmtp:111 minptime=10; useinbandfec=1\r\na=rtpmap:110 telephone-event/48000\r\n"
    "a=rtpmap:126 telephone-event/8000\r\n";

}  // namespace

TEST_CASE("all codecs are offered in their order, with telephone-event at both clocks") {
  CHECK(audio_of(write_offer(all_codecs())) ==
        "m=audio 4000 RTP/AVP 96 9 8 0 102 101\r\n"
        "a=rtpmap:96 opus/48000/2\r\na=fmtp:96 minptime=10;useinbandfec=1\r\n"
        "a=rtpmap:9 G722/8000\r\na=rtpmap:8 PCMA/8000\r\na=rtpmap:0 PCMU/8000\r\n"
        "a=rtpmap:102 telephone-event/48000\r\na=fmtp:102 0-15\r\n"
        "a=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-15\r\n"
        "a=ptime:20\r\na=maxptime:60\r\na=silenceSupp:off - - - -\r\na=sendrecv\r\n");
  LocalMedia narrow = all_codecs();
  narrow.codecs = {Codec::pcmu};
  narrow.events = false;
  narrow.comfort_noise = true;
  CHECK(audio_of(write_offer(narrow)) ==
        "m=audio 4000 RTP/AVP 0 13\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:13 CN/8000\r\n"
        "a=ptime:20\r\na=maxptime:60\r\na=sendrecv\r\n");
}

TEST_CASE("an answer may have the peer's own payload types, to which we send") {
  const auto media = parse_answer(all_codecs(), with_audio("m=audio 5000 RTP/AVP 107 8 99 98\r\n"
                                                           "a=rtpmap:107 OPUS/48000/2\r\n"
                                                           "a=rtpmap:98 telephone-event/8000\r\n"
                                                           "a=rtpmap:99 telephone-event/48000\r\n"));
  REQUIRE(media);
  REQUIRE(media->codecs.size() == 2);
  CHECK(media->codecs[0].codec == Codec::opus);
  CHECK(media->codecs[0].send_type == 107);
  CHECK(media->codecs[0].receive_type == 96);
  CHECK(media->codecs[1].codec == Codec::pcma);
  CHECK(media->codecs[1].receive_type == 8);
  CHECK(media->events.send_type == 99);
  CHECK(media->events.receive_type == 102);
  CHECK(media->events.clock_hz == 48000);
}

TEST_CASE("telephone-event has the clock of the codec, else the peer's only one") {
  auto media = parse_answer(all_codecs(), with_audio("m=audio 5000 RTP/AVP 9 102 101\r\n"
                                                     "a=rtpmap:102 telephone-event/48000\r\n"
                                                     "a=rtpmap:101 telephone-event/8000\r\n"));
  REQUIRE(media);
  CHECK(media->codecs[0].codec == Codec::g722);
  CHECK(media->events.send_type == 101);
  CHECK(media->events.clock_hz == 8000);
  media = parse_answer(all_codecs(), with_audio("m=audio 5000 RTP/AVP 96 101\r\na=rtpmap:96 opus/48000/2\r\n"
                                                "a=rtpmap:101 telephone-event/8000\r\n"));
  REQUIRE(media);
  CHECK(media->events.send_type == 101);
  CHECK(media->events.clock_hz == 8000);
  auto silent = all_codecs();
  silent.events = false;
  media =
      parse_answer(silent, with_audio("m=audio 5000 RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\n"));
  REQUIRE(media);
  CHECK(media->events.send_type == -1);
}

TEST_CASE("static payload types need no rtpmap, and keep their meaning") {
  for (const auto& [type, codec] : {std::pair{"0", Codec::pcmu}, {"8", Codec::pcma}, {"9", Codec::g722}}) {
    const auto media =
        parse_answer(all_codecs(), with_audio(std::string("m=audio 5000 RTP/AVP ") + type + "\r\n"));
    REQUIRE(media);
    CHECK(media->codecs.front().codec == codec);
  }
  CHECK_FALSE(parse_answer(all_codecs(), with_audio("m=audio 5000 RTP/AVP 8\r\na=rtpmap:8 PCMU/8000\r\n")));
  CHECK_FALSE(
      parse_answer(all_codecs(), with_audio("m=audio 5000 RTP/AVP 0\r\na=rtpmap:0 opus/48000/2\r\n")));
  CHECK_FALSE(parse_answer(all_codecs(), with_audio("m=audio 5000 RTP/AVP 97\r\n")));
  CHECK(parse_answer(all_codecs(), with_audio("m=audio 5000 RTP/AVP 9\r\na=rtpmap:9 G722/16000\r\n")));
  CHECK(parse_answer(all_codecs(), with_audio("m=audio 5000 RTP/AVP 97\r\na=rtpmap:97 PCMA/8000\r\n"))
            ->codecs.front()
            .send_type == 97);
}

TEST_CASE("an offer is answered with one codec, the first of ours that it has") {
  auto offer = parse_offer(all_codecs(), with_audio(kBrowserAudio));
  REQUIRE(offer);
  CHECK(
      audio_of(write_answer(all_codecs(), *offer)) ==
      "m=audio 4000 RTP/AVP 111 110\r\na=rtpmap:111 opus/48000/2\r\na=fmtp:111 minptime=10;useinbandfec=1\r\n"
      "a=rtpmap:110 telephone-event/48000\r\na=fmtp:110 0-15\r\n"
      "a=ptime:20\r\na=maxptime:60\r\na=silenceSupp:off - - - -\r\na=sendrecv\r\n");
  auto narrow = all_codecs();
  narrow.codecs = {Codec::pcma, Codec::pcmu};
  narrow.comfort_noise = true;
  offer = parse_offer(narrow, with_audio(kBrowserAudio));
  REQUIRE(offer);
  CHECK(audio_of(write_answer(narrow, *offer)) ==
        "m=audio 4000 RTP/AVP 8 13 126\r\na=rtpmap:8 PCMA/8000\r\na=rtpmap:13 CN/8000\r\n"
        "a=rtpmap:126 telephone-event/8000\r\na=fmtp:126 "
        "0-15\r\na=ptime:20\r\na=maxptime:60\r\na=sendrecv\r\n");
}

TEST_CASE("payload types keep their meaning in later offers of a dialog") {
  auto local = all_codecs();
  const auto offer =
      parse_offer(local, with_audio("m=audio 5000 RTP/AVP 101 96\r\na=rtpmap:101 opus/48000/2\r\n"
                                    "a=rtpmap:96 telephone-event/48000\r\n"));
  REQUIRE(offer);
  local.types = offer->types;
  CHECK(local.types.opus == 101);
  CHECK(local.types.event_48000 == 96);
  CHECK(local.types.event_8000 != 101);
  CHECK(local.types.event_8000 != 96);
  CHECK(write_offer(local).find("a=rtpmap:101 opus/48000/2") != std::string::npos);
}

TEST_CASE("packets have the length that the peer asks for") {
  const auto length = [](const std::string& lines) {
    const auto media = parse_answer(all_codecs(), with_audio(lines));
    return media ? media->ptime_ms : 0;
  };
  const std::string pcmu = "m=audio 5000 RTP/AVP 0\r\n";
  const std::string opus = "m=audio 5000 RTP/AVP 96\r\na=rtpmap:96 opus/48000/2\r\n";
  CHECK(length(pcmu) == 20);
  CHECK(length(pcmu + "a=ptime:10\r\n") == 10);
  CHECK(length(pcmu + "a=ptime:30\r\n") == 30);
  CHECK(length(pcmu + "a=ptime:60\r\n") == 60);
  CHECK(length(pcmu + "a=ptime:200\r\n") == 60);
  CHECK(length(pcmu + "a=ptime:60\r\na=maxptime:40\r\n") == 40);
  CHECK(length(pcmu + "a=maxptime:10\r\n") == 10);
  CHECK(length(pcmu + "a=ptime:x\r\n") == 20);
  CHECK(length(pcmu + "a=ptime:0\r\n") == 10);
  CHECK(length(opus + "a=ptime:30\r\n") == 20);
  CHECK(length(opus + "a=ptime:40\r\n") == 40);
}

TEST_CASE("the peer's fmtp limits our Opus") {
  const OpusOptions none = read_opus_fmtp("");
  CHECK_FALSE(none.fec);
  CHECK(none.max_bit_rate == 0);
  const OpusOptions all = read_opus_fmtp(
      "minptime=10; useinbandfec=1;MaxAverageBitrate=20000 ; maxplaybackrate=16000;cbr=1;x;=;stereo=a");
  CHECK(all.fec);
  CHECK(all.constant_bit_rate);
  CHECK(all.max_bit_rate == 20000);
  CHECK(all.max_playback_hz == 16000);
  const OpusOptions bad = read_opus_fmtp("useinbandfec=99999999999999;maxaveragebitrate=-1;;;");
  CHECK_FALSE(bad.fec);
  CHECK(bad.max_bit_rate == 0);
  const auto media =
      parse_answer(all_codecs(), with_audio("m=audio 5000 RTP/AVP 96\r\na=rtpmap:96 opus/48000/2\r\n"
                                            "a=fmtp:96 useinbandfec=1;maxaveragebitrate=16000\r\n"));
  REQUIRE(media);
  CHECK(media->codecs.front().opus.fec);
  CHECK(media->codecs.front().opus.max_bit_rate == 16000);
}
