#include "bench/rest/stored_calls.h"

#include <sqlite3.h>

#include <memory>

namespace patchbay::bench {
namespace {

// Ended within the last day, so that the server does not delete them as old.
constexpr const char* kInsert = R"(
PRAGMA synchronous = OFF;
BEGIN IMMEDIATE;
CREATE TEMP TABLE made AS SELECT * FROM ai_voice_call LIMIT 1;
INSERT INTO ai_voice_call (call_id, tenant, created_ms, requested_by, phone, display_name, email, system_prompt, api_key, model,
  voice, language, max_seconds, status, attempt, retries_left, retry_delay_minutes, scheduled_ms, dispatched_ms, answered_ms,
  ended_ms, ended_reason, duration_sec, trunk_id, transcript_path, error_detail, owner_run, rev)
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < %COUNT%)
SELECT printf('oac-%012x', n * 7919), tenant, created_ms - n * 80, requested_by, phone, display_name, email, system_prompt, NULL,
  model, voice, language, max_seconds,
  CASE n % 10 WHEN 0 THEN 'ended-failed-final' WHEN 1 THEN 'cancelled' ELSE 'ended-success' END,
  1, 0, retry_delay_minutes, NULL, created_ms - n * 80, created_ms - n * 80, created_ms - n * 80 + 60000, 'completed', 60, 'main',
  '', '', 0, 3
FROM number, made;
DELETE FROM ai_voice_call_count;
INSERT INTO ai_voice_call_count (tenant, status, n) SELECT tenant, status, COUNT(*) FROM ai_voice_call GROUP BY tenant, status;
COMMIT;
)";

}  // namespace

Result<int64_t> add_stored_calls(const std::string& database, int64_t count) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(database.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(opened, sqlite3_close);
  if (code != SQLITE_OK) return {Code::failed, "cannot open " + database};
  std::string sql = kInsert;
  const std::string mark = "%COUNT%";
  sql.replace(sql.find(mark), mark.size(), std::to_string(count));
  if (sqlite3_exec(db.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return {Code::failed, std::string("calls cannot be added: ") + sqlite3_errmsg(db.get())};
  return count;
}

}  // namespace patchbay::bench
