#include "number_call.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "event_recorder.h"
#include "support/probe_requests.h"

namespace patchbay::test {

CallServer::Options number_options(const support::GeminiServer& gemini, const std::string& more,
                                   const WebhookReceiver* receiver) {
  CallServer::Options out;
  out.trunks = {{"main", 5060}};
  out.engine_gemini = "{url: \"" + gemini.url() + "\", caFile: " + gemini.ca_file() + "}";
  out.plugins = "  numbers: {}\n";
  out.tenant =
      "    numbers:\n      list:\n      - {name: Reception, number: '+4930111', systemPrompt: Be brief., "
      "model: gemini-3.8-live, apiKey: test-key, voice: Kore, language: de-DE" +
      more + "}\n";
  if (receiver == nullptr) return out;
  out.plugins += "  webhooks: {}\n";
  out.tenant += "    webhooks:\n      allowPrivateReceivers: true\n      subscriptions:\n      - {url: '" +
                receiver->url() + "', events: ['*'], secret: 0123456789abcdef}\n";
  return out;
}

std::string speech(const TemporaryFolder& folder, std::initializer_list<int> pauses_ms) {
  std::vector<int16_t> samples;
  for (const int pause_ms : pauses_ms) {
    samples.resize(samples.size() + static_cast<size_t>(pause_ms) * 8);
    for (int i = 0; i < 8000; ++i)
      samples.push_back(static_cast<int16_t>(8000 * std::sin(2 * M_PI * 440 * i / 8000)));
  }
  samples.resize(samples.size() + size_t{30} * 8000);
  const std::string file = (folder.path() / "speech.wav").string();
  REQUIRE(write_wav(file, samples, 8000).ok());
  return file;
}

Result<Baresip> call(CallServer& server, const std::string& wav, const std::string& did) {
  return Baresip::start({.number = kCallerNumber,
                         .play_wav = wav,
                         .dial = "sip:" + did + "@127.0.0.1:" + std::to_string(server.sip_port())});
}

std::string call_id(CallServer& server) {
  std::string id;
  CHECK(probe::eventually([&] {
    const std::string log = server.server().log();
    const size_t at = log.find("vnum-");
    if (at != std::string::npos) id = log.substr(at, 17);
    return !id.empty();
  }));
  return id;
}

std::vector<std::string> topics(CallServer& server, const std::string& id, const std::string& last) {
  static_cast<void>(server.last_event(id, last));
  std::vector<ObservedEvent> events = events_of(id);
  std::sort(events.begin(), events.end(),
            [](const ObservedEvent& a, const ObservedEvent& b) { return a.id < b.id; });
  std::vector<std::string> list;
  for (const ObservedEvent& each : events) list.push_back(each.topic);
  return list;
}

std::string payload(const std::string& id, const std::string& topic) {
  for (const ObservedEvent& each : events_of(id))
    if (each.topic == topic) return each.payload;
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_loud(const std::vector<int16_t>& heard) {
  return std::count_if(heard.begin(), heard.end(), [](int16_t s) { return s > 500 || s < -500; }) > 8000;
}

}  // namespace patchbay::test
