#include "bench/calls/voice.h"

#include <patchbay/base64.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "support/chained_json.h"

namespace patchbay::bench {
namespace {

constexpr int kBurstMs = 200;
constexpr const char* kName = "telephone ";
constexpr const char* kEnd = R"({"serverContent":{"generationComplete":true,"turnComplete":true}})";

std::string audio_message(int ms) {
  std::vector<int16_t> samples(static_cast<size_t>(ms) * 24);
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i] =
        static_cast<int16_t>(12000 * std::cos(static_cast<double>(i) * 2 * 3.14159265 * 400 / 24000));
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

Voice::Voice() : frame_(audio_message(kFrameMs)), burst_(audio_message(kBurstMs)), server_(true, script()) {
  pacer_.emplace([this](int slot, int64_t) { send(slot); });
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
  for (size_t call = 0; call < kCalls; ++call) {
    spoke_ns_[call] = 0;
    speaks_[call] = true;
  }
}

void Voice::listen() {
  for (auto& time : heard_ns_) time = 0;
}

void Voice::set_up(const Peer& peer, std::string_view text) {
  const size_t at = text.find(kName);
  if (at == std::string_view::npos) return peer->close(1007, "which telephone?");
  const auto call =
      static_cast<size_t>(std::atoi(std::string(text.substr(at + std::strlen(kName), 3)).c_str()));
  if (call >= kCalls) return peer->close(1007, "which telephone?");
  peer->data = std::make_shared<size_t>(call);
  const std::lock_guard lock(mutex_);
  peers_[call] = peer;
  peer->send(R"({"setupComplete":{}})", true);
}

void Voice::receive(const Peer& peer, std::string_view text) {
  const int64_t at = now_ns();
  const auto document = support::JsonDocument::parse(text, 1u << 20);
  if (!document) return peer->close(1007, "not JSON");
  if (document->root()["setup"]) return set_up(peer, text);
  const auto input = document->root()["realtimeInput"];
  if (input["text"]) {  // asks for the greeting
    peer->send(burst_, true);
    return peer->send(kEnd, true);
  }
  const auto pcm = from_base64(input["audio"]["data"].string());
  if (!peer->data || !pcm) return;
  const size_t call = *static_cast<size_t*>(peer->data.get());
  ++received_;
  heard_any_[call] = true;
  if (heard_ns_[call] == 0 && is_loud(*pcm)) heard_ns_[call] = at;
}

void Voice::send(int slot) {
  for (size_t call = static_cast<size_t>(slot); call < kCalls; call += kFrameMs) {
    Peer peer;
    {
      const std::lock_guard lock(mutex_);
      peer = peers_[call];
    }
    if (!peer) continue;
    if (streaming_) peer->send(frame_, true);
    if (!speaks_[call].exchange(false)) continue;
    spoke_ns_[call] = now_ns();
    peer->send(burst_, true);
    peer->send(kEnd, true);
  }
}

}  // namespace patchbay::bench
