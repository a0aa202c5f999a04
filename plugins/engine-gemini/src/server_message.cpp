#include "server_message.h"

#include <patchbay/base64.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "gemini_limits.h"

namespace patchbay::engine_gemini {
namespace {

constexpr int64_t kMaxTokens = int64_t{1} << 40;

// A number, or a string, because proto-JSON writes int64 as a string.
int64_t tokens(JsonView value) {
  int64_t number = value.integer();
  if (value.is_string()) {
    auto text = value.text();
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) number = 0;
  }
  return std::clamp<int64_t>(number, 0, kMaxTokens);
}

// "50s", "9.5s".
int duration_ms(std::string_view text) {
  double seconds = std::strtod(std::string(text.substr(0, 20)).c_str(), nullptr);
  return seconds > 0 && seconds < 86400 ? static_cast<int>(seconds * 1000) : 0;
}

int rate_of(std::string_view mime) {
  size_t at = mime.find("rate=");
  int rate = 0;
  if (at != std::string_view::npos) std::from_chars(mime.data() + at + 5, mime.data() + mime.size(), rate);
  return rate >= 8000 && rate <= 48000 ? rate : 24000;
}

std::optional<std::string> read_data(std::string_view text, DetachedAudio* detached) {
  if (detached != nullptr && detached->is_next(text)) return detached->take();
  return from_base64(text);
}

void read_parts(JsonView parts, DetachedAudio* detached, ServerMessage& out) {
  for (size_t i = 0; i < std::min(parts.is_array() ? parts.size() : 0, kMaxMessageItems); ++i) {
    JsonView inline_data = parts.at(i)["inlineData"];
    std::string_view mime = inline_data["mimeType"].text();
    if (!mime.starts_with("audio/pcm")) continue;
    if (auto bytes = read_data(inline_data["data"].text(), detached))
      out.audio.push_back({rate_of(mime), *std::move(bytes)});
  }
}

void read_content(JsonView content, DetachedAudio* detached, ServerMessage& out) {
  read_parts(content["modelTurn"]["parts"], detached, out);
  out.input_text = content["inputTranscription"]["text"].text();
  out.output_text = content["outputTranscription"]["text"].text();
  out.interrupted = content["interrupted"].boolean();
  out.generation_complete = content["generationComplete"].boolean();
  out.turn_complete = content["turnComplete"].boolean();
  out.turn_complete_reason = content["turnCompleteReason"].text();
}

void read_calls(const lib::JsonParser& json, JsonView calls, ServerMessage& out) {
  for (size_t i = 0; i < std::min(calls.is_array() ? calls.size() : 0, kMaxMessageItems); ++i) {
    JsonView item = calls.at(i);
    FunctionCall call{std::string(item["id"].text()), std::string(item["name"].text()), "{}"};
    if (call.name.empty() || call.name.size() > kMaxToolNameBytes || call.id.size() > kMaxToolIdBytes)
      continue;
    if (item["args"].is_object()) call.args_json = json.write(item["args"]);
    if (call.args_json.size() <= kMaxToolArgumentsBytes) out.calls.push_back(std::move(call));
  }
}

UsageReport read_usage(JsonView usage) {
  return {tokens(usage["promptTokenCount"]), tokens(usage["responseTokenCount"]),
          tokens(usage["totalTokenCount"]), tokens(usage["thoughtsTokenCount"]),
          tokens(usage["cachedContentTokenCount"])};
}

Result<ServerMessage> parse(const lib::JsonParser& json, std::string_view bytes, DetachedAudio* detached) {
  PB_TRY_VALUE(const Json document, json.parse(bytes));
  JsonView root = document.root();
  if (!root.is_object()) return {Code::invalid, "the message is not a JSON object"};
  ServerMessage out;
  out.setup_complete = root["setupComplete"].is_object();
  read_content(root["serverContent"], detached, out);
  read_calls(json, root["toolCall"]["functionCalls"], out);
  JsonView ids = root["toolCallCancellation"]["ids"];
  for (size_t i = 0; i < std::min(ids.is_array() ? ids.size() : 0, kMaxMessageItems); ++i)
    out.cancelled_calls.emplace_back(ids.at(i).text());
  if (root["usageMetadata"].is_object()) out.usage = read_usage(root["usageMetadata"]);
  if (JsonView update = root["sessionResumptionUpdate"]; update.is_object())
    out.resumption = Resumption{std::string(update["newHandle"].text()), update["resumable"].boolean()};
  if (JsonView away = root["goAway"]; away.is_object()) out.go_away_ms = duration_ms(away["timeLeft"].text());
  if (JsonView error = root["error"]; error.is_object()) {
    out.error = error["message"].text();
    if (out.error.empty()) out.error = "error without a message";
  }
  return out;
}

}  // namespace

Result<ServerMessage> parse_server_message(const lib::JsonParser& json, std::string_view bytes) {
  return parse(json, bytes, nullptr);
}

Result<ServerMessage> parse_server_message(const lib::JsonParser& json, DetachedAudio& audio) {
  return parse(json, audio.rest(), &audio);
}

}  // namespace patchbay::engine_gemini
