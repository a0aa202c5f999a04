// Calls of the AI through a carrier's border: Kamailio, which stays in the route, and rtpengine, which relays
// the audio and translates between SRTP and RTP. Behind it, baresip is the telephone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "call_server.h"
#include "support/baresip_phone.h"
#include "support/certificate_authority.h"
#include "support/gemini_server.h"
#include "support/kamailio.h"
#include "support/probe_requests.h"
#include "support/rtp_engine.h"

using namespace patchbay;
using namespace patchbay::test;
using support::CertificateAuthority;
using support::GeminiScript;
using support::GeminiServer;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A question after a pause in which the AI may begin; then silence.
std::string question(const TempFolder& folder) {
  std::vector<int16_t> samples(4 * 8000);
  for (int i = 0; i < 8000; ++i)
    samples.push_back(static_cast<int16_t>(8000 * std::sin(2 * M_PI * 440 * i / 8000)));
  samples.resize(samples.size() + size_t{30} * 8000);
  REQUIRE(write_wav(folder.file("question.wav"), samples, 8000).ok());
  return folder.file("question.wav");
}

GeminiScript hanging_up() {
  GeminiScript script;
  script.at_turn = {{2, GeminiScript::Event::tool_call}};
  return script;
}

CallServer::Options options(const GeminiServer& gemini) {
  CallServer::Options out;
  out.engine_gemini = "{url: \"" + gemini.url() + "\", caFile: " + gemini.ca_file() + "}";
  return out;
}

// The audio ports in the SDP of the messages.
std::vector<int> audio_ports(const std::string& messages) {
  std::vector<int> ports;
  for (size_t at = messages.find("m=audio "); at != std::string::npos; at = messages.find("m=audio ", at + 1))
    ports.push_back(std::atoi(messages.c_str() + at + 8));
  return ports;
}

// The telephone heard the AI, and the AI understood the telephone's question.
void check_audio(Baresip& phone, const GeminiServer& gemini, const std::string& transcript) {
  INFO(transcript);
  CHECK(contains(transcript, "I have a question"));
  CHECK(gemini.seen().complaints.empty());
  const std::vector<int16_t> heard = phone.heard();
  const auto loud = std::count_if(heard.begin(), heard.end(), [](int16_t s) { return s > 500 || s < -500; });
  CHECK(loud > 8000);
}

}  // namespace

TEST_CASE(
    "an outbound AI call over mutual TLS with SRTP passes Kamailio with rtpengine, and both sides hear") {
  GeminiServer gemini(hanging_up());
  const CertificateAuthority authority("Carriers");
  TempFolder folder;
  std::ofstream(folder.file("ca.pem")) << authority.certificate_pem();
  auto phone = Baresip::start({.play_wav = question(folder)});
  REQUIRE(phone);
  const auto relay = RtpEngine::start();
  REQUIRE(relay);
  const auto border = Kamailio::start({.certificate = authority.issue("IP:127.0.0.1"),
                                       .authority_pem = authority.certificate_pem(),
                                       .next_hop = phone->port(),
                                       .rtpengine = relay->control_port()});
  REQUIRE(border);
  const auto write_ours = [&] {
    const support::Certificate ours = authority.issue("DNS:patchbay.example");
    std::ofstream(folder.file("cert.pem")) << ours.certificate_pem;
    std::ofstream(folder.file("key.pem")) << ours.key_pem;
  };
  write_ours();
  CallServer::Options with_tls = options(gemini);
  with_tls.trunks = {{"carrier", border->tls_port(),
                      ", transport: tls, srtp: required, tlsCert: " + folder.file("cert.pem") +
                          ", tlsKey: " + folder.file("key.pem") + ", tlsCaFile: " + folder.file("ca.pem")}};
  CallServer server(with_tls);
  const std::string id = server.create();
  // Our certificate is renewed during the call, which the AI ends over the connection that it began on.
  REQUIRE(server.wait(id, "in-flight").text("status") == "in-flight");
  write_ours();
  CHECK(server.server().core().reload().ok());
  const CallRecord record = server.wait(id, "ended-success");
  INFO(record.body);
  INFO(server.server().log());
  INFO(border->output());
  INFO(relay->output());
  CHECK(record.text("status") == "ended-success");
  CHECK(server.logged("the audio is encrypted"));
  // What we see is rtpengine; what the telephone got is RTP in the clear.
  const std::vector<int> ports = audio_ports(server.ladder(id).body);
  REQUIRE(ports.size() >= 2);
  CHECK(relay->has_port(ports.back()));
  CHECK_FALSE(relay->has_port(ports.front()));
  check_audio(*phone, gemini, server.transcript(id));
  CHECK(server.idle());
}

TEST_CASE("a caller reaches the AI through Kamailio with rtpengine, which offers SRTP, and both sides hear") {
  GeminiServer gemini(hanging_up());
  const CertificateAuthority authority("Carriers");
  TempFolder folder;
  const auto relay = RtpEngine::start();
  REQUIRE(relay);
  CallServer::Options with_number = options(gemini);
  with_number.trunks = {{"carrier", 5060, ", srtp: required"}};  // of inbound calls only the address counts
  with_number.plugins = "  numbers: {}\n";
  with_number.tenant =
      "    numbers:\n      list:\n      - {name: Reception, number: '+4930111', systemPrompt: Be brief., "
      "model: gemini-3.8-live, apiKey: test-key}\n";
  CallServer server(with_number);
  const auto border = Kamailio::start({.certificate = authority.issue("IP:127.0.0.1"),
                                       .next_hop = server.sip_port(),
                                       .callee = "",
                                       .rtpengine = relay->control_port(),
                                       .profile = "RTP/SAVP"});
  REQUIRE(border);
  auto phone = Baresip::start({.number = "+4915112345",
                               .play_wav = question(folder),
                               .dial = "sip:+4930111@127.0.0.1:" + std::to_string(border->port())});
  REQUIRE(phone);
  std::string id;
  CHECK(probe::eventually([&] {
    const std::string log = server.server().log();
    const size_t at = log.find("vnum-");
    if (at != std::string::npos) id = log.substr(at, 17);
    return !id.empty();
  }));
  static_cast<void>(server.last_event(id, "transcript.saved"));
  INFO(server.server().log());
  INFO(border->output());
  INFO(relay->output());
  CHECK(server.logged("the audio is encrypted"));
  const std::vector<int> ports = audio_ports(server.ladder(id).body);
  REQUIRE(ports.size() >= 2);
  CHECK(relay->has_port(ports.front()));
  check_audio(*phone, gemini, server.transcript(id));
  CHECK(server.idle());
}
