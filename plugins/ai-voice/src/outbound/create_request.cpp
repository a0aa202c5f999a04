#include "outbound/create_request.h"

#include <patchbay/utc.h>

#include <algorithm>

#include "engine/voices.h"
#include "number/number.h"
#include "outbound/limits.h"

namespace patchbay::ai_voice {
namespace {

constexpr std::string_view kVoicePlaceholder =
    "{{voice}}";  // in kSchema; replaced by the schema generated from kVoices
constexpr std::string_view kSchema = R"({
  "type": "object",
  "required": ["phone", "systemPrompt"],
  "properties": {
    "phone": {"type": "string", "minLength": 1, "maxLength": 64, "example": "+4930123456",
              "description": "E.164, 7 to 15 digits behind a +, the first not 0; 00 is read as +; spaces, dots, dashes, slashes and brackets are ignored"},
    "displayName": {"type": "string", "maxLength": 200, "example": "Dentist", "description": "Caller-ID label, by default the phone"},
    "email": {"type": "string", "minLength": 3, "maxLength": 320, "pattern": "^[^\\s@]+@[^\\s@]+$",
              "x-rule": "be an e-mail address", "example": "ann@example.com",
              "description": "Recipient of transcript and outcome; optional if the tenant has a default"},
    "systemPrompt": {"type": "string", "minLength": 1, "maxLength": 100000, "example": "Remind the callee of the appointment.",
                     "description": "Instructions of the agent, or the slug of a configured prompt"},
    "apiKey": {"type": "string", "minLength": 8, "maxLength": 1000, "example": "key-of-the-engine",
               "description": "API key of the engine; optional if the tenant has one or the engine needs none"},
    "model": {"type": "string", "minLength": 1, "maxLength": 200},
    "voice": {{voice}},
    "language": {"type": "string", "maxLength": 35, "pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", "default": "en-US",
                 "x-rule": "be a language tag", "example": "de-DE"},
    "maxSeconds": {"type": "integer", "minimum": 10, "maximum": 3600, "default": 300},
    "retries": {"type": "integer", "minimum": 0, "maximum": 10, "default": 0},
    "retryDelayMinutes": {"type": "integer", "minimum": 1, "maximum": 1440, "default": 5},
    "scheduleAtUtc": {"type": "string", "maxLength": 64, "format": "date-time",
                      "description": "ISO 8601, UTC unless it names a zone; at most 60 s ago and 366 days ahead; without it the call is dialled at once"}
  }})";

Result<int64_t> read_schedule(std::string_view text, int64_t now_ms) {
  const auto when = parse_utc(text);
  if (!when) return {Code::invalid, "scheduleAtUtc must be an ISO 8601 time such as 2026-11-20T09:30:00Z"};
  if (*when < now_ms - kMaxSchedulePastMs)
    return {Code::invalid, "scheduleAtUtc must not be more than 60 s in the past"};
  if (*when > now_ms + kMaxScheduleAheadMs)
    return {Code::invalid, "scheduleAtUtc must not be more than a year ahead"};
  return *when <= now_ms ? 0 : *when;
}

// Refuses control characters, which could inject header lines into SIP.
Result<std::string> read_display_name(std::string_view text, const std::string& phone) {
  if (text.empty()) return phone;
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  if (control)
    return {Code::invalid, "displayName must not contain control characters; for example \"Dentist\""};
  return std::string(text);
}

// Refuses other characters, because the key is sent in a header and searched for in texts that might quote
// it.
Result<std::string> read_api_key(std::string_view key) {
  const bool usual = std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!usual)
    return {Code::invalid,
            "apiKey must consist of letters, digits and punctuation, without spaces; for example "
            "\"key-of-the-engine\""};
  return std::string(key);
}

}  // namespace

std::string create_schema() {
  JsonWriter voice;
  voice.object().member("type", "string").member("x-ignore-case", true).member("default", lib::kDefaultVoice);
  voice.key("enum").array();
  for (const std::string_view name : lib::kVoices) voice.value(name);
  voice.end().end();
  std::string schema(kSchema);
  return schema.replace(schema.find(kVoicePlaceholder), kVoicePlaceholder.size(), voice.str());
}

Result<Call> parse_create_request(JsonView body, const TenantSettings& settings, int64_t now_ms) {
  Call call;
  auto phone = lib::parse_phone(body.text("phone", ""));
  if (!phone) return {Code::invalid, "phone must be an E.164 number such as +4930123456"};
  call.phone = *std::move(phone);
  PB_TRY_VALUE(call.display_name, read_display_name(body.text("displayName", ""), call.phone));
  call.email = body.text("email", settings.email);
  if (call.email.empty()) return {Code::invalid, "email is required; for example \"ann@example.com\""};
  call.system_prompt = body.text("systemPrompt", "");
  const auto prompt = settings.prompts.find(call.system_prompt);
  if (prompt != settings.prompts.end()) call.system_prompt = prompt->second;
  PB_TRY_VALUE(call.api_key, read_api_key(body.text("apiKey", settings.api_key)));
  call.model = body.text("model", settings.model);
  call.voice = body["voice"].text();
  call.language = body["language"].text();
  call.max_seconds = body["maxSeconds"].integer();
  call.retries_left = body["retries"].integer();
  call.retry_delay_minutes = body["retryDelayMinutes"].integer();
  if (const JsonView when = body["scheduleAtUtc"]; when.is_string()) {
    PB_TRY_VALUE(call.scheduled_ms, read_schedule(when.text(), now_ms));
  }
  call.created_ms = now_ms;
  return call;
}

}  // namespace patchbay::ai_voice
