#include "shares/public_transcript.h"

#include <patchbay/text.h>
#include <patchbay/utc.h>

#include <algorithm>

namespace patchbay::transcripts {
namespace {

int64_t read_time(JsonView object, std::string_view name) {
  return parse_utc(object.text(name, "")).value_or(0);
}

std::string text_or_empty(int64_t time_ms) { return time_ms > 0 ? utc_text(time_ms) : std::string(); }

bool is_language_tag(std::string_view text) {
  return !text.empty() && text.size() <= 35 && is_alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_alphanumeric(c) || c == '-'; });
}

}  // namespace

PublicTranscript PublicTranscript::read(JsonView document) {
  PublicTranscript out;
  out.name = document.text("displayName", "");
  if (out.name.empty()) out.name = document.text("number", "");
  const std::string_view language = document.text("language", "");
  if (is_language_tag(language)) out.language = language;
  out.outcome = document.text("outcome", "");
  out.started_ms = read_time(document, "startedUtc");
  out.ended_ms = read_time(document, "endedUtc");
  out.duration_sec = document.integer("durationSec", 0);
  const JsonView turns = document["turns"];
  for (size_t i = 0; i < turns.size(); ++i) {
    const JsonView turn = turns.at(i);
    out.turns.push_back(
        {turn.text("speaker", "") == "AI", std::string(turn.text("text", "")), read_time(turn, "ts")});
  }
  return out;
}

std::string public_json(const PublicTranscript& transcript, int64_t expires_ms) {
  JsonWriter out;
  out.object()
      .member("displayName", transcript.name)
      .member("startedUtc", text_or_empty(transcript.started_ms))
      .member("endedUtc", text_or_empty(transcript.ended_ms))
      .member("durationSec", transcript.duration_sec)
      .member("outcome", transcript.outcome)
      .member("language", transcript.language)
      .key("expiresUtc");
  if (expires_ms == 0) {
    out.null();
  } else {
    out.value(utc_text(expires_ms));
  }
  out.key("turns").array();
  for (const PublicTurn& turn : transcript.turns) {
    out.object()
        .member("speaker", turn.is_ai ? "AI" : "Caller")
        .member("text", turn.text)
        .member("ts", text_or_empty(turn.at_ms))
        .end();
  }
  out.end().end();
  return std::move(out).str();
}

std::string public_schema() {
  return R"({"type":"object",
  "required":["displayName","startedUtc","endedUtc","durationSec","outcome","language","expiresUtc","turns"],
  "properties":{"displayName":{"type":"string"},"startedUtc":{"type":"string"},"endedUtc":{"type":"string"},
    "durationSec":{"type":"integer"},"outcome":{"type":"string"},"language":{"type":"string"},
    "expiresUtc":{"type":["string","null"]},
    "turns":{"type":"array","items":{"type":"object","required":["speaker","text","ts"],"properties":{
      "speaker":{"type":"string","enum":["AI","Caller"]},"text":{"type":"string"},"ts":{"type":"string"}}}}}})";
}

}  // namespace patchbay::transcripts
