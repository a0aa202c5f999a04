// TranscriptRecord: the row of a transcript, extracted from its document. Pure; any thread.
#pragma once

#include <patchbay/json.h>
#include <patchbay/services/transcripts.h>
#include <patchbay/store.h>

#include <cstdint>
#include <string>

namespace patchbay::transcripts {

struct TranscriptRecord {
  std::string tenant, call_id, file;
  int64_t attempt = 1;
  int64_t size = 0;      // of the document, in bytes
  int64_t mtime_ms = 0;  // times are wall-clock; 0: unknown
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
TranscriptRecord make_record(const Save& save, JsonView document, int64_t now_ms);

// Returns the parameters of the statement "save".
Values save_values(const TranscriptRecord& record);
// Returns the data of transcript.saved.
std::string saved_data(const TranscriptRecord& record);

}  // namespace patchbay::transcripts
