// A transcript's row: what the list shows, taken from the document. Pure; any thread.
#pragma once

#include <patchbay/json.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>

#include <cstdint>
#include <string>

namespace patchbay::transcripts {

struct Record {
  std::string tenant, call_id, file;
  int64_t attempt = 1;
  int64_t size = 0;      // of the document, bytes
  int64_t mtime_ms = 0;  // times: of the wall clock, 0 when unknown
  int64_t started_ms = 0;
  int64_t ended_ms = 0;
  int64_t duration_sec = 0;
  std::string caller_source, rule, phone, display_name, number, from_number, outcome, voice, language, model;
  int64_t tokens_total = 0;
  int64_t tokens_prompt = 0;
  int64_t turn_count = 0;

  bool is_outbound() const { return caller_source == "outbound-ai"; }
};

// `document`: parsed from save.document.
Record make_record(const Save& save, JsonView document, int64_t now_ms);

// The parameters of the statement "put".
Values put_values(const Record& record);
// A row of the statement "list".
Record read_record(const Rows& rows, size_t row);

// The item of the list, and the data of transcript.saved.
void write_item(JsonWriter& out, const Record& record);
std::string saved_data(const Record& record);

}  // namespace patchbay::transcripts
