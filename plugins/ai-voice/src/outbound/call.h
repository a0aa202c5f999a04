// Call: one outbound AI call, as stored and as returned by the API. Pure; any thread.
#pragma once

#include <patchbay/json.h>
#include <patchbay/store.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::ai_voice {

namespace status {
constexpr std::string_view kScheduled = "scheduled";
constexpr std::string_view kDispatching = "dispatching";
constexpr std::string_view kInFlight = "in-flight";
constexpr std::string_view kSuccess = "ended-success";
constexpr std::string_view kRetryPending = "ended-failed-retry-pending";
constexpr std::string_view kFailed = "ended-failed-final";
constexpr std::string_view kCancelled = "cancelled";
}  // namespace status

inline constexpr std::array kStatuses{status::kScheduled, status::kDispatching,  status::kInFlight,
                                      status::kSuccess,   status::kRetryPending, status::kFailed,
                                      status::kCancelled};
bool is_status(std::string_view text) noexcept;
// True for success, failed and cancelled: the call does not change any more.
bool is_final(std::string_view status) noexcept;

// Times are wall-clock milliseconds; 0: not yet.
struct Call {
  std::string call_id;
  std::string tenant;
  int64_t created_ms = 0;
  std::string requested_by;
  std::string phone;
  std::string display_name;
  std::string email;
  std::string system_prompt;
  std::string api_key;  // in memory: plain text; from the store: encrypted
  std::string model;
  std::string voice;
  std::string language;
  int64_t max_seconds = 0;
  std::string status;
  int64_t attempt = 1;
  int64_t retries_left = 0;
  int64_t retry_delay_minutes = 0;
  int64_t scheduled_ms = 0;
  int64_t dispatched_ms = 0;
  int64_t answered_ms = 0;
  int64_t ended_ms = 0;
  std::string ended_reason;
  int64_t duration_sec = 0;
  std::string trunk_id;
  std::string transcript_path;
  std::string error_detail;
  int64_t owner_run = 0;  // run of the plugin that runs the attempt; 0: none runs
  int64_t rev = 0;
  std::string owner_node;  // the server process of that run
  int64_t owner_epoch = 0;
  std::string waits_for;     // the limit that makes the call wait; "": none
  int64_t rtp_received = 0;  // audio packets of the last attempt
  int64_t rtp_lost = 0;
  int64_t rtp_jitter_us = 0;
  int64_t rtp_round_trip_us = 0;      // 0: the far end reported none
  int64_t rtp_far_lost_percent = -1;  // of our packets, by the far end; -1: it reported none
  int64_t rtp_delay_ms = 0;           // the longest that received audio was kept until it was played
  int64_t is_transferred = 0;         // 1: the callee talks with a user
};

// A field of the call record. kCallFields is the only list of fields; rows, JSON and schema are generated
// from it.
struct CallField {
  enum class Kind : uint8_t {
    text,
    integer,
    time,     // 0 is NULL
    sealed,   // encrypted bytes; "" is NULL
    omitted,  // a text; "" is NULL, and left out of JSON
  };
  size_t column = 0;             // index in the table ai_voice_call
  std::string_view column_name;  // as in store.sql
  Kind kind = Kind::text;
  std::string Call::*text = nullptr;
  int64_t Call::*integer = nullptr;
  std::string_view json = {};    // member of the API's record; "": internal
  bool null_when_empty = false;  // a missing time is null in JSON; otherwise ""
  bool in_transcript = false;    // also part of the transcript
};

namespace call_field {
using Kind = CallField::Kind;
constexpr CallField text(size_t column, std::string_view name, std::string Call::*member,
                         std::string_view json = {}, bool in_transcript = false) {
  return {column, name, Kind::text, member, nullptr, json, false, in_transcript};
}
constexpr CallField integer(size_t column, std::string_view name, int64_t Call::*member,
                            std::string_view json = {}) {
  return {column, name, Kind::integer, nullptr, member, json, false, false};
}
constexpr CallField time(size_t column, std::string_view name, int64_t Call::*member, std::string_view json,
                         bool null_when_empty = false) {
  return {column, name, Kind::time, nullptr, member, json, null_when_empty, false};
}
constexpr CallField omitted(size_t column, std::string_view name, std::string Call::*member,
                            std::string_view json) {
  return {column, name, Kind::omitted, member, nullptr, json, false, false};
}
constexpr CallField sealed(size_t column, std::string_view name, std::string Call::*member) {
  return {column, name, Kind::sealed, member, nullptr, {}, false, false};
}
}  // namespace call_field

// In the order of the API's record, then the internal fields. To add a field: add a member to Call, a line
// here with the next column, and in store.sql a migration that adds the column, one more parameter of
// `insert`, and for a field of the API the column in `list` and `list_status`.
inline constexpr std::array kCallFields{
    call_field::text(0, "call_id", &Call::call_id, "callId", true),
    call_field::text(1, "tenant", &Call::tenant, "tenant", true),
    call_field::text(3, "requested_by", &Call::requested_by, "requestedBy", true),
    call_field::text(4, "phone", &Call::phone, "phone", true),
    call_field::text(5, "display_name", &Call::display_name, "displayName", true),
    call_field::text(6, "email", &Call::email, "email", true),
    call_field::text(10, "voice", &Call::voice, "voice", true),
    call_field::text(11, "language", &Call::language, "language", true),
    call_field::text(9, "model", &Call::model, "model", true),
    call_field::text(13, "status", &Call::status, "status"),
    call_field::time(2, "created_ms", &Call::created_ms, "createdAtUtc"),
    call_field::time(17, "scheduled_ms", &Call::scheduled_ms, "scheduledForUtc", true),
    call_field::time(18, "dispatched_ms", &Call::dispatched_ms, "dispatchedAtUtc"),
    call_field::time(19, "answered_ms", &Call::answered_ms, "answeredAtUtc"),
    call_field::time(20, "ended_ms", &Call::ended_ms, "endedAtUtc", true),
    call_field::text(21, "ended_reason", &Call::ended_reason, "endedReason"),
    call_field::integer(22, "duration_sec", &Call::duration_sec, "durationSec"),
    call_field::text(23, "trunk_id", &Call::trunk_id, "trunkId"),
    call_field::text(24, "transcript_path", &Call::transcript_path, "transcriptPath"),
    call_field::text(25, "error_detail", &Call::error_detail, "errorDetail"),
    call_field::integer(14, "attempt", &Call::attempt, "attempt"),
    call_field::integer(15, "retries_left", &Call::retries_left, "retriesLeft"),
    call_field::integer(16, "retry_delay_minutes", &Call::retry_delay_minutes, "retryDelayMinutes"),
    call_field::integer(31, "rtp_received", &Call::rtp_received, "rtpReceived"),
    call_field::integer(32, "rtp_lost", &Call::rtp_lost, "rtpLost"),
    call_field::integer(33, "rtp_jitter_us", &Call::rtp_jitter_us, "rtpJitterUs"),
    call_field::integer(34, "rtp_round_trip_us", &Call::rtp_round_trip_us, "rtpRoundTripUs"),
    call_field::integer(35, "rtp_far_lost_percent", &Call::rtp_far_lost_percent, "rtpFarLostPercent"),
    call_field::integer(36, "rtp_delay_ms", &Call::rtp_delay_ms, "rtpDelayMs"),
    call_field::omitted(30, "waits_for", &Call::waits_for, "waitsFor"),
    call_field::text(7, "system_prompt", &Call::system_prompt),
    call_field::sealed(8, "api_key", &Call::api_key),
    call_field::integer(12, "max_seconds", &Call::max_seconds),
    call_field::integer(26, "owner_run", &Call::owner_run),
    call_field::integer(27, "rev", &Call::rev),
    call_field::text(28, "owner_node", &Call::owner_node),
    call_field::integer(29, "owner_epoch", &Call::owner_epoch),
    call_field::integer(37, "transferred", &Call::is_transferred),
};

// Convert from and to a row with all columns in table order.
Call read_call(const Rows& rows, size_t row);
Values write_row(const Call& call);

// Writes the fields of the request as members of an open object, for the transcript.
void write_request(JsonWriter& out, const Call& call);

// Of the member waitsFor, in the record and in the reply to a request.
inline constexpr std::string_view kWaitsForSchema =
    R"({"type":"string","description":"The limit that makes the call wait, with its value: maxConcurrentCalls (100) of the tenant; left out when none does"})";

// The call record of the API, and its JSON Schema.
void write_call(JsonWriter& out, const Call& call);
std::string record_schema();
// The same record made by query_json() of a statement with its columns in this order (`list` in store.sql).
std::string record_members();

}  // namespace patchbay::ai_voice
