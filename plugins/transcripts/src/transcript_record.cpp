#include "transcript_record.h"

#include <patchbay/utc.h>

#include <algorithm>

#include "file_name.h"

namespace patchbay::transcripts {
namespace {

int64_t time_of(JsonView document, std::string_view name) {
  return parse_utc(document.text(name, "")).value_or(0);
}

// Replaces NUL, which JSON may contain but the store refuses.
std::string text_of(JsonView document, std::string_view name) {
  std::string text(document.text(name, ""));
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

}  // namespace

TranscriptRecord make_record(const Save& save, JsonView document, int64_t now_ms) {
  TranscriptRecord record;
  record.tenant = save.tenant;
  record.call_id = save.call_id;
  record.attempt = save.attempt;
  record.file = file_name(save.call_id, save.attempt);
  record.size = static_cast<int64_t>(save.document.size());
  record.mtime_ms = now_ms;
  record.started_ms = time_of(document, "startedUtc");
  record.ended_ms = time_of(document, "endedUtc");
  record.duration_sec = document.integer("durationSec", 0);
  record.caller_source = text_of(document, "callerSource");
  record.rule = save.rule;
  record.phone = text_of(document, "phone");
  record.display_name = text_of(document, "displayName");
  record.number = text_of(document, "number");
  record.from_number = text_of(document, "fromNumber");
  record.outcome = text_of(document, "outcome");
  record.voice = text_of(document, "voice");
  record.language = text_of(document, "language");
  record.model = text_of(document, "model");
  record.tokens_total = document.integer("tokensTotal", 0);
  record.tokens_prompt = document.integer("tokensPrompt", 0);
  record.turn_count = static_cast<int64_t>(document["turns"].size());
  return record;
}

Values save_values(const TranscriptRecord& r) {
  return {r.tenant,       r.call_id,      r.attempt,       r.file,          r.size,  r.mtime_ms,
          r.started_ms,   r.ended_ms,     r.duration_sec,  r.caller_source, r.rule,  r.phone,
          r.display_name, r.number,       r.from_number,   r.outcome,       r.voice, r.language,
          r.model,        r.tokens_total, r.tokens_prompt, r.turn_count};
}

std::string saved_data(const TranscriptRecord& record) {
  JsonWriter out;
  out.object().member("callId", record.call_id);
  if (record.is_outbound()) {
    out.member("phone", record.phone).member("displayName", record.display_name);
  } else {
    out.member("number", record.number);
  }
  out.member("file", record.file)
      .member("outcome", record.outcome)
      .member("source", record.is_outbound() ? "outbound-ai" : "vnum")
      .end();
  return std::move(out).str();
}

}  // namespace patchbay::transcripts
