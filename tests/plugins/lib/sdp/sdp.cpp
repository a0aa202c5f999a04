#include "sdp/sdp.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;
using patchbay::Code;

namespace {

LocalMedia local() {
  LocalMedia media;
  media.rtp = *SocketAddress::parse("192.0.2.1", 4000);
  media.session_id = 77;
  media.version = 1;
  return media;
}

std::string sdp(const std::string& audio, const std::string& address = "IN IP4 198.51.100.2") {
  return "v=0\r\no=- 1 1 IN IP4 198.51.100.2\r\ns=-\r\nc=" + address + "\r\nt=0 0\r\n" + audio;
}

const std::string kAudio = "m=audio 5000 RTP/AVP 0\r\n";

Code code_of(const std::string& text) {
  auto result = parse_answer(local(), text);
  return result ? Code::ok : result.error().code;
}

}  // namespace

TEST_CASE("our offer has the expected lines") {
  CHECK(write_offer(local()) ==
        "v=0\r\no=- 77 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n"
        "m=audio 4000 RTP/AVP 0 8 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\n"
        "a=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-15\r\na=ptime:20\r\na=maxptime:60\r\n"
        "a=silenceSupp:off - - - -\r\na=sendrecv\r\n");
  auto six = local();
  six.rtp = *SocketAddress::parse("2001:db8::1", 4000);
  CHECK(write_offer(six).find("c=IN IP6 2001:db8::1\r\n") != std::string::npos);
}

TEST_CASE("an answer names destination and codec") {
  auto media = parse_answer(local(), sdp("m=audio 5000 RTP/AVP 8 0 97\r\na=rtpmap:97 telephone-event/8000\r\n"
                                         "a=ptime:30\r\na=rtcp:6001\r\n"));
  REQUIRE(media);
  CHECK(media->rtp.text() == "198.51.100.2:5000");
  CHECK(media->rtcp.text() == "198.51.100.2:6001");
  REQUIRE(media->codecs.size() == 2);
  CHECK(media->codecs[0].codec == Codec::pcma);
  CHECK(media->events.send_type == 97);
  CHECK(media->events.receive_type == 101);
  CHECK(media->ptime_ms == 30);
  CHECK(media->send);
  CHECK(media->receive);
}

TEST_CASE("the address of the media line takes precedence over the session's") {
  auto media = parse_answer(local(), sdp(kAudio + "c=IN IP4 198.51.100.9\r\n"));
  REQUIRE(media);
  CHECK(media->rtp.text() == "198.51.100.9:5000");
  CHECK(media->rtcp.text() == "198.51.100.9:5001");
  CHECK(media->events.send_type == -1);
}

TEST_CASE("RTCP goes to the peer's host only") {
  auto media = parse_answer(local(), sdp(kAudio + "a=rtcp:7000 IN IP4 203.0.113.1\r\n"));
  REQUIRE(media);
  CHECK(media->rtcp.text() == "198.51.100.2:7000");
  media = parse_answer(local(), sdp(kAudio + "a=rtcp-mux\r\n"));
  CHECK(media->rtcp == media->rtp);
  media = parse_answer(local(), sdp(kAudio + "a=rtcp:99999\r\n"));
  CHECK(media->rtcp.port() == 5001);
}

TEST_CASE("directions are seen from our side") {
  struct Row {
    const char* attribute;
    bool send;
    bool receive;
  };
  for (const Row& row : {Row{"sendrecv", true, true}, Row{"sendonly", false, true},
                         Row{"recvonly", true, false}, Row{"inactive", false, false}}) {
    auto media = parse_answer(local(), sdp(kAudio + "a=" + row.attribute + "\r\n"));
    REQUIRE(media);
    CHECK(media->send == row.send);
    CHECK(media->receive == row.receive);
  }
  auto old_hold = parse_answer(local(), sdp(kAudio, "IN IP4 0.0.0.0"));
  REQUIRE(old_hold);
  CHECK_FALSE(old_hold->send);
}

TEST_CASE("answers without audio that we support are refused") {
  CHECK(code_of(sdp("")) == Code::unsupported);
  CHECK(code_of(sdp("m=audio 0 RTP/AVP 0\r\n")) == Code::unsupported);
  CHECK(code_of(sdp("m=audio 5000 RTP/AVP 18\r\n")) == Code::unsupported);
  CHECK(code_of(sdp("m=audio 5000 RTP/AVP 0\r\na=rtpmap:0 opus/48000/2\r\n")) == Code::unsupported);
  CHECK(code_of(sdp("m=audio 5000 RTP/SAVP 0\r\n")) == Code::unsupported);
  CHECK(code_of(sdp("m=video 5000 RTP/AVP 31\r\n")) == Code::unsupported);
  CHECK(code_of(sdp(kAudio, "IN IP6 2001:db8::2")) == Code::unsupported);
}

TEST_CASE("text that is not SDP is refused") {
  CHECK(code_of("") == Code::invalid);
  CHECK(code_of("hello") == Code::invalid);
  CHECK(code_of(sdp("m=audio\r\n")) == Code::invalid);
  CHECK(code_of(sdp("m=audio 5000\r\n")) == Code::invalid);
  CHECK(code_of(sdp(kAudio, "IN IP4 example.com")) == Code::invalid);
  CHECK(code_of(sdp(kAudio, "IN IP4 224.2.1.1/127")) == Code::invalid);
  CHECK(code_of(sdp(kAudio) + std::string(1, '\0') + "x") == Code::invalid);
  std::string many = sdp(kAudio);
  for (int i = 0; i < 50000; ++i) many += "a=x\n";
  CHECK(code_of(many) == Code::invalid);
  many.resize(60000);
  CHECK(code_of(many) == Code::invalid);
}

TEST_CASE("formats that are not tokens are an error and not an endless loop") {
  CHECK(code_of(sdp(kAudio + "m=video 6000 X/Y 96a:sendonly\r\n")) == Code::invalid);
  CHECK(code_of(sdp(kAudio + "m=video 6000 X/Y a=b\r\n")) == Code::invalid);
  CHECK(code_of(sdp(kAudio + "m=video 6000 X /Y\r\n")) == Code::invalid);
  CHECK(code_of(sdp(kAudio + "m=video 6000x X/Y 1\r\n")) == Code::invalid);
  CHECK(code_of(sdp(kAudio + "m=video 6000/2/3 X/Y 1\r\n")) == Code::invalid);
  CHECK(code_of(sdp(kAudio + "m=image 7000 udptl t38 \t\r\n")) == Code::ok);
  CHECK(code_of(sdp(kAudio + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n")) == Code::ok);
}

TEST_CASE("no truncation of an answer is fatal") {
  const std::string whole = write_offer(local());
  for (size_t size = 0; size < whole.size(); ++size) {
    auto result = parse_answer(local(), std::string_view(whole).substr(0, size));
    CHECK((result.ok() || !result.error().text.empty()));
  }
}

TEST_CASE("a re-offer is answered line by line") {
  const std::string video =
      "m=video 6000 RTP/AVP 96 97\r\na=rtpmap:96 VP8/90000\r\na=rtpmap:97 H264/90000\r\n";
  const std::string fax = "m=image 7000 udptl t38\r\n";
  auto ours = local();
  ours.codecs = {Codec::pcma, Codec::pcmu};
  auto offer =
      parse_offer(ours, sdp(video +
                            "m=audio 5000 RTP/AVP 18 8 0 100\r\na=rtpmap:100 telephone-event/8000\r\n"
                            "a=sendonly\r\n" +
                            fax));
  REQUIRE(offer);
  REQUIRE(offer->media.codecs.size() == 1);
  CHECK(offer->media.codecs[0].codec == Codec::pcma);
  auto changed = local();
  changed.version = 2;
  CHECK(write_answer(changed, *offer) ==
        "v=0\r\no=- 77 2 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n"
        "m=video 0 RTP/AVP 96 97\r\n"
        "m=audio 4000 RTP/AVP 8 100\r\na=rtpmap:8 PCMA/8000\r\na=rtpmap:100 telephone-event/8000\r\n"
        "a=fmtp:100 0-15\r\na=ptime:20\r\na=maxptime:60\r\na=silenceSupp:off - - - -\r\na=recvonly\r\n"
        "m=image 0 udptl t38\r\n");
}

TEST_CASE("an offer without audio that we support is refused with a reason") {
  CHECK(parse_offer(local(), sdp("m=video 6000 RTP/AVP 31\r\n")).error().code == Code::unsupported);
  CHECK(parse_offer(local(), sdp("m=audio 6000 RTP/AVP 18\r\n")).error().text == "no codec in common");
  std::string many = sdp("");
  for (int i = 0; i < 20; ++i) many += kAudio;
  CHECK(parse_offer(local(), many).error().code == Code::invalid);
}

TEST_CASE("our descriptions switch silence suppression off") {
  LocalMedia local;
  local.rtp = *SocketAddress::parse("192.0.2.1", 4000);
  CHECK(write_offer(local).find("\r\na=silenceSupp:off - - - -\r\n") != std::string::npos);
}

TEST_CASE("a TTL after a unicast address and a short o= line are accepted") {
  LocalMedia local;
  local.rtp = *SocketAddress::parse("192.0.2.1", 4000);
  const auto remote = parse_answer(
      local, "v=0\r\no= 1 1 \r\ns=-\r\nc=IN IP4 192.0.2.9/127\r\nt=0 0\r\nm=audio 5000 RTP/AVP 0\r\n");
  REQUIRE(remote);
  CHECK(remote->rtp.text() == "192.0.2.9:5000");
  CHECK_FALSE(parse_answer(local,
                           "v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\ns=-\r\nc=IN IP4 224.0.0.1/127\r\nt=0 "
                           "0\r\nm=audio 5000 RTP/AVP 0\r\n"));
}
