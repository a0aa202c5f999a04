// Call: one outbound AI call as the store keeps it and the API shows it. Pure; any thread.
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
// success, failed, cancelled: nothing happens to such a call any more.
bool is_final(std::string_view status) noexcept;

// Times are wall milliseconds; 0: not yet.
struct Call {
  std::string call_id;
  std::string tenant;
  int64_t created_ms = 0;
  std::string requested_by;
  std::string phone;
  std::string display_name;
  std::string email;
  std::string system_prompt;
  std::string api_key;  // in memory: as given; from the store: sealed
  std::string model;
  std::string voice;
  std::string language;
  int64_t max_seconds = 300;
  std::string status;
  int64_t attempt = 1;
  int64_t retries_left = 0;
  int64_t retry_delay_minutes = 5;
  int64_t scheduled_ms = 0;
  int64_t dispatched_ms = 0;
  int64_t answered_ms = 0;
  int64_t ended_ms = 0;
  std::string ended_reason;
  int64_t duration_sec = 0;
  std::string trunk_id;
  std::string transcript_path;
  std::string error_detail;
  int64_t owner_epoch = 0;
  int64_t rev = 0;
};

// Of the statements get, list and orphans.
Call read_call(const Rows& rows, size_t row);

// What was asked for, as members of an open object: the call record and the transcript begin with it.
void write_request(JsonWriter& out, const Call& call);

// The call record of the API.
void write_call(JsonWriter& out, const Call& call);

}  // namespace patchbay::ai_voice
