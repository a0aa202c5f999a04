#include "outbound/call.h"

#include <algorithm>

#include "utc/utc.h"

namespace patchbay::ai_voice {

bool is_status(std::string_view text) noexcept {
  return std::find(kStatuses.begin(), kStatuses.end(), text) != kStatuses.end();
}

bool is_final(std::string_view status) noexcept {
  return status == status::kSuccess || status == status::kFailed || status == status::kCancelled;
}

Call read_call(const Rows& rows, size_t row) {
  size_t column = 0;
  const auto text = [&] { return std::string(rows.text(row, column++)); };
  const auto integer = [&] { return rows.integer(row, column++); };
  Call call;
  call.call_id = text();
  call.tenant = text();
  call.created_ms = integer();
  call.requested_by = text();
  call.phone = text();
  call.display_name = text();
  call.email = text();
  call.system_prompt = text();
  call.api_key = text();
  call.model = text();
  call.voice = text();
  call.language = text();
  call.max_seconds = integer();
  call.status = text();
  call.attempt = integer();
  call.retries_left = integer();
  call.retry_delay_minutes = integer();
  call.scheduled_ms = integer();
  call.dispatched_ms = integer();
  call.answered_ms = integer();
  call.ended_ms = integer();
  call.ended_reason = text();
  call.duration_sec = integer();
  call.trunk_id = text();
  call.transcript_path = text();
  call.error_detail = text();
  call.owner_epoch = integer();
  call.rev = integer();
  return call;
}

namespace {

// A time that the specification gives as "or null", and one that it does not.
void time_or_null(JsonWriter& out, std::string_view key, int64_t ms) {
  out.key(key);
  if (ms == 0) {
    out.null();
  } else {
    out.value(lib::utc_text(ms));
  }
}
void time_or_empty(JsonWriter& out, std::string_view key, int64_t ms) {
  out.member(key, ms == 0 ? std::string() : lib::utc_text(ms));
}

}  // namespace

void write_request(JsonWriter& out, const Call& call) {
  out.member("callId", call.call_id)
      .member("tenant", call.tenant)
      .member("requestedBy", call.requested_by)
      .member("phone", call.phone)
      .member("displayName", call.display_name)
      .member("email", call.email)
      .member("voice", call.voice)
      .member("language", call.language)
      .member("model", call.model);
}

void write_call(JsonWriter& out, const Call& call) {
  out.object();
  write_request(out, call);
  out.member("status", call.status);
  time_or_empty(out, "createdAtUtc", call.created_ms);
  time_or_null(out, "scheduledForUtc", call.scheduled_ms);
  time_or_empty(out, "dispatchedAtUtc", call.dispatched_ms);
  time_or_empty(out, "answeredAtUtc", call.answered_ms);
  time_or_null(out, "endedAtUtc", call.ended_ms);
  out.member("endedReason", call.ended_reason)
      .member("durationSec", call.duration_sec)
      .member("trunkId", call.trunk_id)
      .member("transcriptPath", call.transcript_path)
      .member("errorDetail", call.error_detail)
      .member("attempt", call.attempt)
      .member("retriesLeft", call.retries_left)
      .member("retryDelayMinutes", call.retry_delay_minutes)
      .end();
}

}  // namespace patchbay::ai_voice
