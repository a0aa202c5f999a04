#include "support/gemini_server.h"

#include <patchbay/base64.h>
#include <patchbay/json_string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "support/gemini_message_rules.h"
#include "support/websocket_server.h"

namespace patchbay::support {
using Event = GeminiScript::Event;

namespace {

constexpr int kChunkMs = 200;
constexpr int kSpeechPeak = 1000;
constexpr int kSpeechMs = 100;
constexpr const char* kPath = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";

// Adds a line break after each brace and comma, as the real server does.
std::string pretty(const std::string& json) {
  std::string out;
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (c == '"' && (i == 0 || json[i - 1] != '\\')) quoted = !quoted;
    out += c;
    if (!quoted && (c == '{' || c == ',')) out += "\n  ";
    if (!quoted && c == ':') out += ' ';
  }
  return out + "\n";
}

std::string audio_message(int ms, int level, const std::string& extra = {}) {
  std::vector<int16_t> samples(static_cast<size_t>(ms) * 24);
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i] =
        static_cast<int16_t>(level * std::sin(static_cast<double>(i) * 2 * 3.14159265 * 440 / 24000));
  std::string out =
      R"({"serverContent":{"modelTurn":{"role":"model","parts":[{"inlineData":{"mimeType":"audio/pcm;rate=24000","data":")";
  append_base64(out, samples.data(), samples.size() * 2);
  return out + "\"}}]}}" + extra + "}";
}

std::string text_message(const char* field, const std::string& text) {
  std::string out = std::string(R"({"serverContent":{")") + field + R"(":{"text":)";
  append_json_string(out, text);
  return out + "}}}";
}

}  // namespace

struct GeminiServer::Impl {
  // One connection; server thread.
  struct Link {
    bool set_up = false;
    int64_t voiced_ms = 0;
    int64_t quiet_ms = 0;
    bool speaking = false;
    std::chrono::steady_clock::time_point playing_until{};
    bool fragmented = false;
    std::string open_call;
    size_t next_call = 0;  // of more_tool_arguments
  };
  using Peer = std::shared_ptr<WsPeer>;

  explicit Impl(GeminiScript what) : script(std::move(what)), server(true, callbacks()) {}

  WsServer::Script callbacks() {
    WsServer::Script out;
    out.on_request = [this](const WsServer::Request& request) { return judge(request); };
    out.on_open = [this](Peer peer) {
      peer->data = std::make_shared<Link>();
      note([](Seen& s) { s.connections++; });
    };
    out.on_message = [this](const Peer& peer, std::string_view text, bool) { receive(peer, text); };
    out.on_close = [this](const Peer&, int code) { note([code](Seen& s) { s.closes.push_back(code); }); };
    return out;
  }

  int judge(const WsServer::Request& request) {
    if (script.refuse_upgrade != 0) return script.refuse_upgrade;
    auto path = request.target.substr(0, request.target.find('?'));
    if (path != kPath) return 404;
    if (request.target.find("key=") != std::string::npos) complain("the key is in the URL");
    auto key = request.headers.find("x-goog-api-key");
    return key != request.headers.end() && key->second == script.api_key ? 101 : 403;
  }

  static Link& link(const Peer& peer) { return *static_cast<Link*>(peer->data.get()); }

  void send(const Peer& peer, const std::string& json) {
    std::string text = pretty(json);
    if (!link(peer).fragmented) return peer->send(std::move(text), true);
    std::vector<std::string> parts;
    for (size_t i = 0; i < text.size(); i += 97) parts.push_back(text.substr(i, 97));
    peer->send_fragments(std::move(parts), true);
  }

  void receive(const Peer& peer, std::string_view text) {
    auto document = JsonDocument::parse(text, 1u << 24);
    if (!document || !document->root().is_object() || document->root().size() != 1)
      return refuse(peer, {1007, "Invalid JSON payload received."});
    JsonView root = document->root();
    if (root["setup"]) return setup(peer, root["setup"]);
    if (!link(peer).set_up) return refuse(peer, {1007, "setup must be the first message"});
    if (JsonView input = root["realtimeInput"]) return realtime_input(peer, input);
    if (JsonView response = root["toolResponse"]) return tool_response(peer, response);
    if (JsonView content = root["clientContent"]) {
      note([&](Seen& s) { s.texts.emplace_back(content["turns"].at(0)["parts"].at(0)["text"].string()); });
      if (content["turnComplete"].boolean()) turn(peer);
      return;
    }
    refuse(peer, {1007, "Unknown name"});
  }

  void setup(const Peer& peer, JsonView setup) {
    note([&](Seen& s) { s.setups.push_back(setup.write()); });
    Complaint wrong = check_setup(setup);
    bool resumes = !setup["sessionResumption"]["handle"].string().empty();
    if (wrong.code == 0 && !script.refuse_field.empty() && holds_key(setup, script.refuse_field))
      wrong = {1007, "Unknown name \"" + script.refuse_field + "\""};
    if (wrong.code != 0) return refuse(peer, wrong);
    if (resumes && script.refuse_handles) return peer->close(1007, "Invalid session handle");
    if (script.setup_delay_ms < 0) return;
    server.after(script.setup_delay_ms, [this, peer] {
      link(peer).set_up = true;
      send(peer, R"({"setupComplete":{}})");
    });
  }

  void realtime_input(const Peer& peer, JsonView input) {
    if (Complaint wrong = check_realtime_input(input); wrong.code != 0) return refuse(peer, wrong);
    if (input["text"]) {
      std::string text(input["text"].string());
      note([&](Seen& s) { s.texts.push_back(text); });
      send(peer, text_message("inputTranscription", text));  // it is echoed
      return turn(peer);
    }
    const auto pcm = from_base64(input["audio"]["data"].string());
    if (!input["audio"] || !pcm || pcm->size() % 2 != 0)
      return refuse(peer, {1007, "expected 16khz s16le pcm, mono channel"});
    hear(peer, *pcm);
  }

  void hear(const Peer& peer, const std::string& pcm) {
    Link& l = link(peer);
    int64_t ms = static_cast<int64_t>(pcm.size()) / 32;
    note([ms](Seen& s) { s.audio_ms += ms; });
    int peak = 0;
    for (size_t i = 0; i + 1 < pcm.size(); i += 2) {
      int16_t sample;
      std::memcpy(&sample, pcm.data() + i, 2);
      peak = std::max(peak, std::abs(int{sample}));
    }
    if (peak > kSpeechPeak) {
      l.voiced_ms += ms;
      l.quiet_ms = 0;
    } else {
      l.quiet_ms += ms;
    }
    if (!l.speaking && l.voiced_ms >= kSpeechMs) {
      l.speaking = true;
      if (std::chrono::steady_clock::now() < l.playing_until) interrupt(peer);
    }
    if (l.quiet_ms < script.silence_ms) return;
    l.voiced_ms = 0;
    if (!std::exchange(l.speaking, false)) return;
    send(peer, text_message("inputTranscription", " I have"));
    send(peer, text_message("inputTranscription", " a question"));
    turn(peer);
  }

  void interrupt(const Peer& peer) {
    link(peer).playing_until = {};
    note([](Seen& s) { s.interruptions++; });
    send(peer, R"({"serverContent":{"interrupted":true}})");
    send(
        peer,
        R"({"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":100,"totalTokenCount":100}})");
  }

  void turn(const Peer& peer) {
    int number = 0;
    note([&](Seen& s) { number = ++s.turns; });
    auto planned = script.at_turn.find(number);
    act(peer, planned == script.at_turn.end() ? Event::answer : planned->second, number);
  }

  void act(const Peer& peer, Event event, int number) {
    std::string garbage(1u << 20, '{');
    switch (event) {
      case Event::answer:
        return answer(peer, number);
      case Event::tool_call:
        return call(peer, script.tool, script.tool_arguments, number);
      case Event::cancelled_tool_call:
        call(peer, "transfer_to_user", R"({"target":"100"})", number);
        return send(peer, R"({"toolCallCancellation":{"ids":[")" + link(peer).open_call + "\"]}}");
      case Event::drop:
        send_chunks(peer, number, 1);
        return peer->drop();
      case Event::close_1011:
        send_chunks(peer, number, 1);
        return peer->close(1011, "Deadline expired before operation could complete.");
      case Event::go_away:
        answer(peer, number);
        for (int i = 0; i < script.go_aways; ++i)
          send(peer, R"({"goAway":{"timeLeft":")" + std::to_string(script.go_away_ms / 1000.0) + "s\"}}");
        return server.after(script.go_away_ms, [peer] { peer->close(1011, "Deadline expired"); });
      case Event::garbage:
        peer->send(garbage, true);
        return answer(peer, number);
      case Event::garbage_only:
        for (int i = 0; i < 3; ++i) peer->send(garbage, true);
        return;
      case Event::fragments:
        link(peer).fragmented = true;
        answer(peer, number);
        link(peer).fragmented = false;
        return;
      case Event::silent_turn:
        return send(peer, R"({"serverContent":{"turnComplete":true}})");
      case Event::quiet_audio:
        for (int ms = 0; ms < 3000; ms += kChunkMs) send(peer, audio_message(kChunkMs, 10));
        return send(peer, R"({"serverContent":{"turnComplete":true}})");
      case Event::no_answer:
        return;
      case Event::odd_fields:
        return odd_answer(peer, number);
      case Event::usage_deltas:
        send_chunks(peer, number, script.answer_ms / kChunkMs,
                    R"(,"usageMetadata":{"responseTokenCount":5})");
        return send(peer, R"({"serverContent":{"generationComplete":true,"turnComplete":true}})");
    }
  }

  void send_chunks(const Peer& peer, int number, int chunks, const std::string& extra = {}) {
    auto now = std::chrono::steady_clock::now();
    Link& l = link(peer);
    l.playing_until = std::max(l.playing_until, now) + std::chrono::milliseconds(chunks * kChunkMs);
    send(peer, R"({"sessionResumptionUpdate":{"resumable":false}})");
    send(peer, text_message("outputTranscription", "This is answer"));
    for (int i = 0; i < chunks; ++i) {
      send(peer, audio_message(kChunkMs, 8000, extra));
      if (i == 0) send(peer, text_message("outputTranscription", " number " + std::to_string(number) + "."));
    }
  }

  void answer(const Peer& peer, int number) {
    const bool differs = number == 1 && script.first_answer_ms > 0;
    send_chunks(peer, number, (differs ? script.first_answer_ms : script.answer_ms) / kChunkMs);
    send(peer, R"({"serverContent":{"generationComplete":true}})");
    send(peer, R"({"sessionResumptionUpdate":{"newHandle":"handle-)" + std::to_string(number) +
                   R"(","resumable":true}})");
    send(peer, R"({"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":)" +
                   std::to_string(100 * number) + R"(,"responseTokenCount":30,"totalTokenCount":)" +
                   std::to_string(100 * number + 30) + "}}");
  }

  void odd_answer(const Peer& peer, int number) {
    send(peer, R"({"voiceActivity":{"type":"ACTIVITY_START"},"somethingNew":[1,{"a":null}]})");
    send(peer, R"({"serverContent":{"inputTranscription":{},"outputTranscription":{},"interrupted":"yes"}})");
    send(peer,
         R"({"serverContent":{"modelTurn":{"parts":[{"text":"Thinking","thought":true},{"text":"x"},7]}}})");
    send(peer,
         R"({"serverContent":[],"usageMetadata":{"promptTokenCount":"-5"},"toolCall":{"functionCalls":{}}})");
    send(peer, R"({"serverContent":{"interrupted":true}})");
    answer(peer, number);
  }

  void call(const Peer& peer, const std::string& name, const std::string& args, int number) {
    link(peer).open_call = "function-call-" + std::to_string(number);
    send(peer, R"({"toolCall":{"functionCalls":[{"id":")" + link(peer).open_call + R"(","name":")" + name +
                   R"(","args":)" + args + "}]}}");
  }

  void tool_response(const Peer& peer, JsonView response) {
    note([&](Seen& s) { s.tool_responses.push_back(response.write()); });
    JsonView first = response["functionResponses"].at(0);
    if (first["id"].string() != link(peer).open_call || !first["response"].is_object())
      return refuse(peer, {1007, "function response does not match a call"});
    link(peer).open_call.clear();
    if (script.tool == "transfer_to_user" && call_again(peer, response.write())) return;
    // A turn without audio acknowledges it before the words come.
    send(peer, R"({"serverContent":{"turnComplete":true}})");
    server.after(200, [this, peer] { answer(peer, 99); });
  }

  // Whether the script has another call; makes it.
  bool call_again(const Peer& peer, const std::string& response) {
    size_t& next = link(peer).next_call;
    const bool is_repeated = next > 0 && response.find("another transfer rings") != std::string::npos;
    if (!is_repeated && next == script.more_tool_arguments.size()) return false;
    const size_t index = is_repeated ? next - 1 : next++;
    server.after(is_repeated ? 5 : 0, [this, peer, index] {
      call(peer, script.tool, script.more_tool_arguments[index], ++last_further_call);
    });
    return true;
  }

  void refuse(const Peer& peer, const Complaint& complaint) {
    complain(complaint.reason);
    peer->close(complaint.code, complaint.reason);
  }

  void complain(const std::string& what) {
    note([&](Seen& s) { s.complaints.push_back(what); });
  }

  template <class F>
  void note(F change) {
    std::lock_guard lock(mutex);
    change(seen);
  }

  const GeminiScript script;
  mutable std::mutex mutex;
  Seen seen;
  int last_further_call = 1000;  // ids of calls are unique
  WsServer server;
};

GeminiServer::GeminiServer(GeminiScript script) : impl_(std::make_unique<Impl>(std::move(script))) {}
GeminiServer::~GeminiServer() = default;

std::string GeminiServer::url() const { return impl_->server.url(kPath); }
const std::string& GeminiServer::ca_file() const { return impl_->server.ca_file(); }

GeminiServer::Seen GeminiServer::seen() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->seen;
}

}  // namespace patchbay::support
