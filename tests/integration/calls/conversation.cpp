// A whole call: a REST request, a real SIP telephone that speaks, the offline engine, the transcript.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "support/baresip_phone.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"

using namespace patchbay;
using patchbay::test::Baresip;
using patchbay::test::TemporaryFolder;
using patchbay::test::TestServer;

namespace {

std::string yaml(uint16_t trunk_port) {
  return R"(plugins:
  probe: {}
  media: {}
  whitelist: {}
  transcripts: {}
  ai-voice: {}
  engine-local: {}
  sip-trunk: {listenPort: 0}
tenants:
  acme.example:
    sip-trunk:
      defaultTrunkId: main
      trunks: [{id: main, host: 127.0.0.1, port: )" +
         std::to_string(trunk_port) + R"(}]
)";
}

http::Request request_of(const std::string& json = "{}") {
  http::Request request;
  request.tenant = "acme.example";
  request.username = "alice";
  request.role = "admin";
  request.body = Buffer::copy(json);
  return request;
}

// A file in which the words are said again and again: the voice begins to listen when its engine is ready.
std::string speech(const TemporaryFolder& folder, const std::string& words) {
  const std::string file = (folder.path() / "speech.wav").string();
  const std::string made = "flite -voice rms -t '" + words + "' -o " + file + ".16k && sox " + file +
                           ".16k -r 8000 -c 1 -b 16 " + file + " pad 2 12 repeat 8";
  REQUIRE(std::system(made.c_str()) == 0);
  return file;
}

// Waits until the call's record has `status`; returns the last record read.
std::string wait_for(const std::string& id, const std::string& status) {
  std::string body;
  for (int i = 0; i < 1200; ++i) {
    http::Request request = request_of();
    request.params = {{"id", id}};
    const auto answer = probe::ask("GET", "/api.ashx/v1/calls/{id}", request);
    if (answer) body = answer->body;
    if (body.find("\"status\":\"" + status) != std::string::npos) return body;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return body;
}

}  // namespace

TEST_CASE("one request makes a call on which an AI voice listens and speaks") {
  TemporaryFolder folder;
  auto callee = Baresip::start({.number = "+4930123456", .play_wav = speech(folder, "please call me later")});
  REQUIRE(callee.ok());
  TestServer server(yaml(callee->port()), nullptr, {probe::http_entry()});
  REQUIRE(server.start_error() == "");

  const auto created = probe::ask("POST", "/api.ashx/v1/calls", request_of(R"({
      "phone": "+49 30 123456", "email": "ops@example.com", "systemPrompt": "Greet the callee.", "voice": "Aoede",
      "language": "en-US", "maxSeconds": 120})"));
  REQUIRE(created.ok());
  CAPTURE(created->body);
  REQUIRE(created->status == 200);
  const std::string id = created->body.substr(created->body.find("oac-"), 16);
  CHECK(created->body.find("\"whitelistAdded\":true") != std::string::npos);

  const std::string record = wait_for(id, "ended");
  INFO(record);
  INFO(server.log());
  CHECK(record.find("\"status\":\"ended-success\"") != std::string::npos);
  http::Request get = request_of();
  get.params = {{"callId", id}};
  const auto transcript = probe::ask("GET", "/api.ashx/v1/transcripts/{callId}", get);
  REQUIRE(transcript.ok());
  INFO(transcript->body);
  CHECK(transcript->body.find("\"speaker\":\"AI\"") != std::string::npos);
  CHECK(transcript->body.find("\"speaker\":\"Caller\"") != std::string::npos);
}
