#include "bench/calls/voice.h"

#include <patchbay/base64.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <future>
#include <vector>

#include "support/chained_json.h"

namespace patchbay::bench {
namespace {

constexpr int kBurstMs = 200;
constexpr double kTone = 12000,
                 kSoft = 800;  // above and below kLoud; the engine plugin takes less than 100 for silence
constexpr const char* kName = "telephone ";
// Where audio messages begin with this, within so many bytes.
constexpr std::string_view kAudio = "\"audio\"", kData = "\"data\":\"";
constexpr size_t kMaxAudioHead = 64;
constexpr const char* kEnd = R"({"serverContent":{"generationComplete":true,"turnComplete":true}})";

std::string audio_message(int ms, double amplitude) {
  std::vector<int16_t> samples(static_cast<size_t>(ms) * 24);
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i] =
        static_cast<int16_t>(amplitude * std::cos(static_cast<double>(i) * 2 * 3.14159265 * 400 / 24000));
  std::string out =
      R"({"serverContent":{"modelTurn":{"role":"model","parts":[{"inlineData":{"mimeType":"audio/pcm;rate=24000","data":")";
  append_base64(out, samples.data(), samples.size() * sizeof(int16_t));
  return out + R"("}}]}}})";
}

bool is_loud(const std::string& pcm) {
  for (size_t i = 0; i + 1 < pcm.size(); i += 2) {
    int16_t sample;
    std::memcpy(&sample, pcm.data() + i, sizeof sample);
    if (std::abs(int{sample}) > kLoud) return true;
  }
  return false;
}

}  // namespace

Voice::Voice(int max_calls)
    : tone_(audio_message(kFrameMs, kTone)),
      soft_(audio_message(kFrameMs, kSoft)),
      burst_(audio_message(kBurstMs, kTone)),
      next_(static_cast<size_t>(max_calls)),
      heard_any_(next_.size()),
      spoke_ns_(next_.size()),
      heard_ns_(next_.size()),
      server_(true, script()),
      peers_(next_.size()) {
  pacer_.emplace([this](int slot, int64_t) { server_.post([this, slot] { send(slot); }); });
}

Voice::~Voice() {
  pacer_.reset();
  std::promise<void> sent;
  server_.post([&] { sent.set_value(); });
  sent.get_future().wait();
}

std::string Voice::url() const { return server_.url("/"); }

support::WsServer::Script Voice::script() {
  support::WsServer::Script out;
  out.on_message = [this](const Peer& peer, std::string_view text, bool) { receive(peer, text); };
  return out;
}

int Voice::connected() const {
  return static_cast<int>(std::count(heard_any_.begin(), heard_any_.end(), true));
}

void Voice::speak() {
  for (size_t call = 0; call < next_.size(); ++call) {
    spoke_ns_[call] = 0;
    next_[call] = Next::burst;
  }
}

void Voice::mark() {
  for (size_t call = 0; call < next_.size(); ++call) {
    spoke_ns_[call] = 0;
    next_[call] = Next::tone;
  }
}

void Voice::listen() {
  for (auto& time : heard_ns_) time = 0;
}

void Voice::set_up(const Peer& peer, std::string_view text) {
  const size_t at = text.find(kName);
  if (at == std::string_view::npos) return peer->close(1007, "which telephone?");
  const auto call =
      static_cast<size_t>(std::atoi(std::string(text.substr(at + std::strlen(kName), 5)).c_str()));
  if (call >= peers_.size()) return peer->close(1007, "which telephone?");
  peer->data = std::make_shared<size_t>(call);
  peers_[call] = peer;
  peer->send(R"({"setupComplete":{}})", true);
}

// Reads audio messages without a JSON parser, because otherwise the engine would need a core before the
// server does.
void Voice::receive(const Peer& peer, std::string_view text) {
  const int64_t at = now_ns();
  if (peer->data && text.substr(0, kMaxAudioHead).find(kAudio) != std::string_view::npos) {
    const size_t data = text.find(kData);
    if (data == std::string_view::npos) return peer->close(1007, "audio without data");
    const size_t begin = data + kData.size();
    return hear(*static_cast<size_t*>(peer->data.get()), text.substr(begin, text.find('"', begin) - begin),
                at);
  }
  const auto document = support::JsonDocument::parse(text, 1u << 20);
  if (!document) return peer->close(1007, "not JSON");
  if (document->root()["setup"]) return set_up(peer, text);
  if (document->root()["realtimeInput"]["text"]) {  // asks for the greeting
    peer->send(burst_, true);
    peer->send(kEnd, true);
  }
}

void Voice::hear(size_t call, std::string_view base64, int64_t at_ns) {
  const size_t padding = base64.size() - std::min(base64.size(), base64.find_last_not_of('=') + 1);
  received_bytes_ += base64.size() / 4 * 3 - padding;
  heard_any_[call] = true;
  if (heard_ns_[call] != 0) return;
  const auto pcm = from_base64(base64);
  if (pcm && is_loud(*pcm)) heard_ns_[call] = at_ns;
}

void Voice::send(int slot) {
  const Stream stream = stream_;
  for (size_t call = static_cast<size_t>(slot); call < peers_.size(); call += kFrameMs) {
    const Peer& peer = peers_[call];
    if (!peer) continue;
    const Next next = next_[call].exchange(Next::stream);
    if (next != Next::stream) spoke_ns_[call] = now_ns();
    if (next == Next::tone || stream == Stream::tone)
      peer->send(tone_, true);
    else if (stream == Stream::soft)
      peer->send(soft_, true);
    if (next != Next::burst) continue;
    peer->send(burst_, true);
    peer->send(kEnd, true);
  }
}

}  // namespace patchbay::bench
