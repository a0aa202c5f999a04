#include "number_json.h"

#include "engine/voices.h"

namespace patchbay::numbers {
namespace {

constexpr std::string_view kRecordMembers = R"(
  "name": {"type": "string"}, "number": {"type": "string"},
  "mode": {"type": "string", "enum": ["live-voice-ai", "ring-user", "disabled"]},
  "user": {"type": "string"}, "voice": {"type": "string"}, "language": {"type": "string"},
  "model": {"type": "string"}, "systemPrompt": {"type": "string"},
  "apiKey": {"type": "string", "description": "A secret"},
  "greeting": {"type": "string"}, "saveTranscripts": {"type": "boolean"}, "maxDurationSec": {"type": "integer"},
  "visibility": {"type": "string", "enum": ["public", "signed-in", "hidden"]},
  "transferTargets": {"type": "array", "items": {"type": "string"}},
  "transferBy": {"type": "string", "enum": ["", "bridge", "refer"]},
  "source": {"type": "string", "enum": ["config", "api"], "description": "config: read-only over REST"})";
constexpr std::string_view kRecordRequired =
    R"("name", "number", "mode", "user", "voice", "language", "model", "systemPrompt", "apiKey", "greeting",
  "saveTranscripts", "maxDurationSec", "visibility", "transferTargets", "transferBy", "source")";

// Writes one member of a request's schema; the default only for requests that create.
class Members {
 public:
  explicit Members(bool with_defaults) : with_defaults_(with_defaults) {}
  void add(std::string_view name, std::string_view rules, std::string_view default_json = {}) {
    text_.append(text_.empty() ? "\"" : ", \"").append(name).append("\": {").append(rules);
    if (with_defaults_ && !default_json.empty()) text_.append(R"(, "default": )").append(default_json);
    text_ += "}";
  }
  std::string take() && { return std::move(text_); }

 private:
  const bool with_defaults_;
  std::string text_;
};

std::string voice_rules() {
  JsonWriter names;
  names.array();
  for (const std::string_view name : lib::kVoices) names.value(name);
  names.end();
  return R"("type": "string", "x-ignore-case": true, "enum": )" + std::move(names).str();
}

std::string quoted(std::string_view text) { return JsonWriter().value(text).str(); }

// The same rules as in settings.schema.json.
std::string request_members(bool creates) {
  Members members(creates);
  members.add(
      "name",
      R"("type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[^\\u0000-\\u001f\\u007f]+$",
    "x-rule": "be printable", "example": "Reception")");
  members.add("number",
              R"("type": "string", "minLength": 1, "maxLength": 64, "example": "+4930123450",
    "description": "+ and up to 15 digits, or an extension of up to 20 digits; 00 is read as +; spaces, dots, dashes, slashes and brackets are ignored. It cannot be changed")");
  members.add("mode",
              R"("type": "string", "enum": ["live-voice-ai", "ring-user", "disabled"],
    "description": "Who answers: an AI voice, a user, or none: then callers get 480")",
              R"("live-voice-ai")");
  members.add("user",
              R"("type": "string", "maxLength": 100, "pattern": "^[^\\s\\u0000-\\u001f\\u007f]*$",
    "x-rule": "be the name of a user", "example": "alice", "description": "Who is called; needed by ring-user")",
              R"("")");
  members.add("voice", voice_rules(), quoted(lib::kDefaultVoice));
  members.add("language",
              R"("type": "string", "maxLength": 35, "pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
    "x-rule": "be a language tag", "example": "de-DE")",
              R"("en-US")");
  members.add("model",
              R"("type": "string", "maxLength": 200, "description": "\"\": the default of the tenant")",
              R"("")");
  members.add("systemPrompt",
              R"("type": "string", "maxLength": 100000,
    "description": "Instructions of the AI voice; needed by live-voice-ai")",
              R"("")");
  members.add("apiKey",
              R"("type": "string", "maxLength": 1000, "pattern": "^([!-~]{8,})?$",
    "x-rule": "be 8 or more letters, digits and punctuation, without spaces",
    "description": "API key of the AI engine; \"\": the tenant's default")",
              R"("")");
  members.add("greeting",
              R"("type": "string", "maxLength": 4000,
    "description": "What the AI says first, or an instruction for it")",
              R"("")");
  members.add("saveTranscripts", R"("type": "boolean")", "true");
  members.add("maxDurationSec", R"("type": "integer", "minimum": 10, "maximum": 3600)", "3500");
  members.add("visibility",
              R"("type": "string", "enum": ["public", "signed-in", "hidden"],
    "description": "Which browsers may call: any, those of users who are signed in, none. Telephone calls reach every number that is not disabled")",
              R"("signed-in")");
  members.add(
      "transferTargets",
      R"("type": "array", "maxItems": 32, "description": "Users and numbers to which the AI may transfer the caller",
    "items": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[^\\u0000-\\u001f\\u007f]+$",
      "x-rule": "be the name of a user, or a number", "example": "alice"})",
      "[]");
  members.add("transferBy",
              R"("type": "string", "enum": ["", "bridge", "refer"],
    "description": "How the AI transfers a caller to a telephone number. bridge: by a call of ours, joined with the caller's. refer: by the trunk, which is asked with REFER where it supports it. \"\": as the tenant's ai-voice.transferBy")",
              R"("")");
  return std::move(members).take();
}

void write_members(JsonWriter& out, const VirtualNumber& number, bool with_key) {
  out.member("name", number.name).member("number", number.number).member("mode", number.mode);
  out.member("user", number.user).member("voice", number.voice).member("language", number.language);
  out.member("model", number.model).member("systemPrompt", number.system_prompt);
  if (with_key) out.member("apiKey", number.api_key);
  out.member("greeting", number.greeting).member("saveTranscripts", number.save_transcripts);
  out.member("maxDurationSec", number.max_duration_sec).member("visibility", number.visibility);
  out.key("transferTargets").array();
  for (const std::string& target : number.transfer_targets) out.value(target);
  out.end().member("transferBy", number.transfer_by);
}

}  // namespace

std::string create_schema() {
  return R"({"type": "object", "required": ["name", "number"], "properties": {)" + request_members(true) +
         "}}";
}

std::string change_schema() {
  return R"({"type": "object", "properties": {)" + request_members(false) + "}}";
}

std::string record_schema() {
  return std::string(R"({"type": "object", "required": [)")
      .append(kRecordRequired)
      .append(R"(], "properties": {)")
      .append(kRecordMembers)
      .append("}}");
}

std::string deleted_schema() {
  return R"({"type": "object", "required": ["deleted"], "properties": {"deleted": )" + record_schema() + "}}";
}

void write_number(JsonWriter& out, const VirtualNumber& number) {
  out.object();
  write_members(out, number, true);
  out.member("source", number.from_config ? "config" : "api").end();
}

std::string number_json(const VirtualNumber& number) {
  JsonWriter out;
  write_number(out, number);
  return std::move(out).str();
}

std::string audit_json(const VirtualNumber& number, bool key_replaced) {
  JsonWriter out;
  out.object();
  write_members(out, number, false);
  out.member("hasApiKey", !number.api_key.empty());
  if (key_replaced) out.member("apiKeyReplaced", true);
  out.end();
  return std::move(out).str();
}

}  // namespace patchbay::numbers
