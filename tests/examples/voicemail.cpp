// The example box in a whole server: a real telephone calls it and leaves a message.
#include <doctest/doctest.h>
#include <patchbay/wav.h>

#include <string>

#include "example.h"
#include "integration/calls/call_server.h"
#include "support/baresip_phone.h"
#include "support/json_without_host.h"
#include "support/probe_requests.h"
#include "support/tone.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

http::Response ask(const std::string& method, const std::string& path) {
  probe::Call call;
  call.method = method;
  call.path = "/api.ashx/v1/voicemails" + path;
  call.tenant = CallServer::kTenant;
  return probe::call(call);
}

// The best ratio of a tone in any 200 ms.
double best_snr_db(const std::vector<int16_t>& pcm, double hz) {
  double best = -100;
  for (size_t at = 0; at + 1600 <= pcm.size(); at += 400)
    best = std::max(best, support::snr_db(&pcm[at], 1600, hz, 8000));
  return best;
}

}  // namespace

TEST_CASE("voicemail: a telephone hears the beep, and what it says is offered as a WAV file") {
  CallServer::Options options;
  options.trunks = {{"main", 5060}};
  options.plugins = "  voicemail: {maxSec: 5}\n";
  options.tenant = "    voicemail: {numbers: ['+4930111']}\n";
  options.linked = {example("voicemail")};
  CallServer server(options);
  TemporaryFolder folder;
  const std::string speech = (folder.path() / "speech.wav").string();
  REQUIRE(write_wav(speech, support::make_tone(700, 8000, size_t{60} * 8000), 8000));
  auto phone = Baresip::start({.number = "+4915112345",
                               .play_wav = speech,
                               .dial = "sip:+4930111@127.0.0.1:" + std::to_string(server.sip_port())});
  REQUIRE(phone.ok());

  std::string list;
  CHECK(eventually([&] {
    list = ask("GET", "").body;
    return list.find("durationMs") != std::string::npos;
  }));
  INFO(list);
  CHECK(best_snr_db(phone->heard(), 1000) > 15);  // the beep
  const auto json = json_without_host(list);
  REQUIRE(json.ok());
  const JsonView message = (*json)["data"].at(0);
  CHECK(message.text("did", "") == "+4930111");
  CHECK(message.text("fromNumber", "") == "+4915112345");
  CHECK(message.integer("durationMs", 0) == 5000);
  const std::string id = std::to_string(message.integer("id", 0));

  const http::Response audio = ask("GET", "/" + id + "/audio");
  CHECK(audio.content_type == "audio/wav");
  const auto wav = parse_wav(audio.bytes.view());
  REQUIRE(wav.ok());
  CHECK(wav->duration_ms() == 5000);
  CHECK(best_snr_db(wav->samples, 700) > 15);
  CHECK(ask("DELETE", "/" + id).status == 200);
  CHECK(ask("GET", "/" + id + "/audio").status == 404);
  CHECK(server.idle());
  CHECK(server.server().core().stop().ok());
}
